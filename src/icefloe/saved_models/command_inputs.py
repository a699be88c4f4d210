"""Inputs of a signature as TensorFlow's `saved_model_cli run` takes them, several in one text:

    inputs      x=file.npy;y=file.npz[name];z=file.pkl[key]
    exprs       x=[[1, 2]];y="text";z=np.ones((1, 3), dtype=np.float32)
    examples    x=[{"age": [22], "name": ["a"]}]   one tf.train.Example for each dict, serialized

Expressions are literals and calls of a few functions that make arrays; pickled files may hold arrays, numbers, texts
and containers of these. Nothing else is run.

Source: tensorflow/python/tools/saved_model_cli.py (forms and messages).
"""

from __future__ import annotations

import ast
import logging
import pickle
import re
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.proto import Example

_LOG = logging.getLogger("icefloe")
_ARRAYS = frozenset(("arange", "array", "eye", "full", "linspace", "ones", "zeros"))
_DTYPES = frozenset(
    ("bool_", "str_", "bytes_", "complex64", "complex128", "float16", "float32", "float64")
    + ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
)
# What pickled arrays consist of, by the last part of the module's name.
_PICKLED = frozenset(
    (
        ("multiarray", "_reconstruct"),
        ("multiarray", "scalar"),
        ("numeric", "_frombuffer"),
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
    )
)
_FILE = re.compile(r"([^=]+)=([^\[\]]+)(?:\[([^\[\]]+)\])?$")


class InputFormatError(errors.InvalidArgumentError, RuntimeError):
    """An input is not given in a form that can be read."""


class NoInputsError(errors.InvalidArgumentError, AttributeError):
    """A signature is called without inputs."""


def file_inputs(text: str) -> dict[str, tuple[str, str | None]]:
    """Return the file, and the name of the array in it or None, by input. Raises: InvalidArgumentError."""
    found: dict[str, tuple[str, str | None]] = {}
    for part in filter(None, text.split(";")):
        match = _FILE.match(part)
        if match is None:
            raise InputFormatError(
                f'--inputs "{part}" format is incorrect. Please follow"<input_key>=<filename>", or'
                '"<input_key>=<filename>[<variable_name>]"'
            )
        found[match[1]] = match[2], match[3]
    return found


def literal_inputs(text: str) -> dict[str, Any]:
    """Return the values by input. Raises: InvalidArgumentError if one is no literal of Python or array."""
    found = {}
    for part in filter(None, text.split(";")):
        key, equals, expression = part.partition("=")
        if not equals:
            raise InputFormatError(
                f'--input_exprs "{text}" format is incorrect. Please follow"<input_key>=<python expression>"'
            )
        try:
            found[key] = _evaluate(ast.parse(expression.strip(), mode="eval").body)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError) as error:
            raise InputFormatError(f'Expression "{expression}" is not a valid python literal.') from error
    return found


def _evaluate(node: ast.expr) -> Any:
    """Return the value of a literal, of a list or tuple of what may stand here, or of a call of `_ARRAYS`."""
    if isinstance(node, ast.List):
        return [_evaluate(item) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple(_evaluate(item) for item in node.elts)
    if isinstance(node, ast.Attribute) and _is_numpy(node) and node.attr in _DTYPES:
        return getattr(np, node.attr)
    if isinstance(node, ast.Call) and _is_numpy(node.func) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in _ARRAYS:
            raise ValueError(f"np.{node.func.attr} is not one of {', '.join(sorted(_ARRAYS))}")
        keywords = {word.arg: _evaluate(word.value) for word in node.keywords if word.arg is not None}
        return getattr(np, node.func.attr)(*[_evaluate(item) for item in node.args], **keywords)
    return ast.literal_eval(node)


def _is_numpy(node: ast.expr) -> bool:
    """Whether it is `np.something` or `numpy.something`."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy")


def example_inputs(text: str) -> dict[str, list[bytes]]:
    """Return serialized Examples by input. Raises: InvalidArgumentError if it is no list of dicts of lists."""
    found = {}
    for key, value in literal_inputs(text).items():
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise errors.InvalidArgumentError(
                f'tf.Example input must be a list of dictionaries, but "{value}" is {type(value)}'
            )
        found[key] = [_example(item) for item in value]
    return found


def _example(features: dict[str, Any]) -> bytes:
    example = Example()
    for name, values in features.items():
        if not isinstance(values, list):
            raise errors.InvalidArgumentError(f'feature value must be a list, but {name}: "{values}" is {type(values)}')
        feature = example.features.feature[name]
        first = values[0] if values else b""
        try:
            if isinstance(first, float):
                feature.float_list.value.extend(values)
            elif isinstance(first, (str, bytes)):
                feature.bytes_list.value.extend(v.encode() if isinstance(v, str) else v for v in values)
            elif isinstance(first, int):
                feature.int64_list.value.extend(values)
            else:
                raise errors.InvalidArgumentError(
                    f"Type {type(first)} for value {first} is not supported for tf.train.Feature."
                )
        except (TypeError, ValueError) as error:
            if isinstance(error, errors.OpError):
                raise
            raise errors.InvalidArgumentError(f"feature {name}: {error}") from None
    return example.SerializeToString(deterministic=True)


def command_inputs(inputs: str = "", exprs: str = "", examples: str = "", *, required: bool = False) -> dict[str, Any]:
    """Return the values of all inputs by name; of one that is given twice the later form counts, with a warning.

    Raises: InvalidArgumentError, a RuntimeError too, for a form or file that cannot be read, an AttributeError too
    where `required` and none is given; NotFoundError.
    """
    if required and not (inputs or exprs or examples):
        raise NoInputsError("At least one of --inputs, --input_exprs or --input_examples must be required")
    found = {key: _from_file(file, name) for key, (file, name) in file_inputs(inputs).items()}
    for option, values in (("--input_exprs", literal_inputs(exprs)), ("--input_examples", example_inputs(examples))):
        for key, value in values.items():
            if key in found:
                _LOG.warning("input_key %s has been specified twice. Value in %s will be used.", key, option)
            found[key] = value
    return found


def _from_file(path: str, name: str | None) -> Any:
    try:
        with open(path, "rb") as file:
            is_pickle = file.read(1) == b"\x80"
            file.seek(0)
            data = _Unpickler(file).load() if is_pickle else np.load(file, allow_pickle=False)
            if isinstance(data, np.lib.npyio.NpzFile):
                data = dict(data)
                if name is None and len(data) == 1:
                    return next(iter(data.values()))
                if name is None:
                    raise InputFormatError(
                        f"Input file {path} contains more than one ndarrays. Please specify the name of ndarray to use."
                    )
    except FileNotFoundError:
        raise errors.NotFoundError("no such file", path=path) from None
    except errors.OpError:
        raise
    except Exception as error:  # a pickle may fail in any way
        raise InputFormatError(f"Input file {path} cannot be read: {error}") from None
    if name is None:
        return data
    if isinstance(data, dict):
        if name not in data:
            raise InputFormatError(f'Input file {path} does not contain variable with name "{name}".')
        return data[name]
    _LOG.warning('Input file %s contains a single ndarray. Name key "%s" ignored.', path, name)
    return data


class _Unpickler(pickle.Unpickler):
    """Reads arrays, numbers, texts and containers, and calls nothing but what makes arrays."""

    def find_class(self, module: str, name: str) -> Any:
        parts = module.split(".")
        if parts[0] == "numpy" and (parts[-1], name) in _PICKLED:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not read from a file: only arrays and plain values are")
