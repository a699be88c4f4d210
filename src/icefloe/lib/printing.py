"""Printing from inside a graph."""

from __future__ import annotations

import builtins
import contextlib
import logging
import os
import pprint
import random
import sys
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.constants import is_tensor


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return `input_`; running it prints `message` and `data` to standard error.

    first_n: print only the first n times. summarize: elements of each tensor to print, default 3.
    """
    attrs = {"message": message, "first_n": first_n, "summarize": summarize}
    return apply_op("Print", input_, data, name=name, **{k: v for k, v in attrs.items() if v is not None})


def _stream_name(stream: Any) -> str:
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    if stream is sys.stdout:
        return "stdout"
    if stream is sys.stderr:
        return "stderr"
    for level in ("info", "warning", "error"):
        if stream in (getattr(logging, level), getattr(logging, level.upper())):
            return f"log({level})"
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, sys.stderr, "
        "tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form of 'file://<filepath>'."
    )


def _placeholder(template: str) -> str:
    """Return "{}" with digits behind it, as few as make it a text that `template` does not hold."""
    digits = random.Random(5)  # the seed is TensorFlow's: the attr of the node shows it
    placeholder = "{}"
    while placeholder in template:
        placeholder += builtins.str(digits.randint(0, 9))
    return placeholder


def _map(function: Any, structure: Any) -> Any:
    if isinstance(structure, dict):
        # A dict is printed by sorted keys; the tensors have to come in that order.
        keys = list(structure)
        if type(structure) is dict:
            with contextlib.suppress(TypeError):
                keys = sorted(keys)
        return type(structure)((key, _map(function, structure[key])) for key in keys)
    if isinstance(structure, (list, tuple)):
        items = [_map(function, value) for value in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    return function(structure)


def print(*inputs: Any, **kwargs: Any) -> Operation:
    """Return an operation that prints `inputs`, tensors and Python objects or nests of them.

    Keywords: output_stream (sys.stderr), summarize (3 elements at each end of an axis), sep (" "), end (newline), name.

    Raises: ValueError for another keyword or an unknown stream.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    where = _stream_name(stream)
    only = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], Tensor) else None
    if only is not None and only.shape.rank == 0 and only.dtype == datatypes.string:
        text = only
    else:
        text = _formatted(inputs, sep, summarize, f"{name}_format" if name else None)
    return apply_op("PrintV2", text, output_stream=where, end=end, name=name)


def _formatted(inputs: tuple[Any, ...], sep: str, summarize: int, name: str | None) -> Tensor:
    from icefloe.lib.strings import string_format

    bare = _map(lambda x: "" if is_tensor(x) else x, list(inputs))
    mark = _placeholder(" ".join(pprint.pformat(x) for x in bare))
    tensors: list[Any] = []

    def marked(x: Any) -> Any:
        if isinstance(x, SparseTensor):
            tensors.extend([x.indices, x.values, x.dense_shape])
            return f"SparseTensor(indices={mark}, values={mark}, shape={mark})"
        if is_tensor(x):
            tensors.append(x)
            return mark
        return x

    parts = [x if isinstance(x, str) else pprint.pformat(_map(marked, x)) for x in inputs]
    template = sep.join(parts).replace(f"'{mark}'", mark)
    return string_format(template, tensors, placeholder=mark, summarize=summarize, name=name)
