"""What is known of a pipeline without drawing from it: its options, its batch size.

Source: tensorflow/core/kernels/data/get_options_op.cc, experimental/compute_batch_size_op.cc.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import scalar
from icefloe.resources.datasets.base import Dataset, as_dataset
from icefloe.wire import message

not_differentiable("GetOptions", "ComputeBatchSize")

# Fields of the Options message that are messages of single values, and the one that is a list.
_PARTS = frozenset((2, 3, 5, 7, 12))
_LISTED = 11


def _merged(data: bytes, parts: frozenset[int]) -> bytes:
    """Return a message whose fields may come again and again with each once: the last, or all parts of it."""
    last: dict[int, bytes] = {}
    inner: dict[int, bytes] = {}
    for field in message.fields(data):
        if field.number in parts:
            inner[field.number] = inner.get(field.number, b"") + data[field.payload : field.end]
        elif field.number == _LISTED and parts:
            last[field.number] = last.get(field.number, b"") + data[field.start : field.end]
        else:
            last[field.number] = data[field.start : field.end]
    for number, content in inner.items():
        last[number] = message.encode_bytes(number, _merged(content, frozenset()))
    return b"".join(last[number] for number in sorted(last))


def _options(dataset: Dataset) -> bytes:
    """Return the options that were set on a dataset and on what it is made of, the latest last."""
    found: list[bytes] = []
    pending = [dataset]
    while pending:
        current = pending.pop()
        recipe = current.recipe
        if recipe is not None and recipe.op == "OptionsDataset":
            value = recipe.attrs["serialized_options"]
            found.append(value if isinstance(value, bytes) else value.encode())
        pending += current.inputs
    return b"".join(reversed(found))


@kernel("GetOptions")
def get_options(input_dataset: Any) -> Any:
    """The options of a dataset, a serialized Options message."""
    return np.array(_merged(_options(as_dataset(input_dataset)), _PARTS), object)


_BATCHES = re.compile(r"(Padded)?BatchDataset(V\d+)?|(Experimental)?MapAndBatchDataset")
_SEVERAL = re.compile(r"(Concatenate|Zip)Dataset")
_SAME = re.compile(
    r"(AssertCardinality|Cache|Filter|Finalize|Model|Optimize|Options|ParseExample|Prefetch|Repeat|Shard|"
    r"ShuffleAndRepeat|Shuffle|Skip|Take)Dataset(V\d+)?"
)


def _batch_size(dataset: Dataset) -> int:
    """Return the size that all batches but the last have, -1 where it is not known."""
    sizes: set[int] = set()
    pending = [dataset]
    while pending:
        current = pending.pop()
        op = "" if current.recipe is None else current.recipe.op
        if _BATCHES.fullmatch(op) and current.recipe is not None:
            place = -3 if "MapAndBatch" in op else 1
            sizes.add(int(current.recipe.inputs[place]))
        elif _SEVERAL.fullmatch(op) or _SAME.fullmatch(op):
            pending += current.inputs
        else:
            sizes.add(-1)
    return sizes.pop() if len(sizes) == 1 else -1


@kernel("ComputeBatchSize")
def compute_batch_size(input_dataset: Any) -> Any:
    return np.int64(_batch_size(as_dataset(input_dataset)))


shape("GetOptions", "ComputeBatchSize")(scalar)
