"""Crosses of the rows of RaggedTensors, SparseTensors and tensors.

Source: tensorflow/python/ops/ragged/ragged_array_ops.py (nodes and names).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import name_scope
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.graph.tensor import Tensor
from icefloe.lib.math_cast import cast
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged

_HASH_KEY = 956888297470


def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Return for each row every combination of one value of each input, joined by `_X_`.

    inputs: RaggedTensors, SparseTensors and tensors of rank 2, of strings or integers.

    Raises: TypeError if it is no list; ValueError for another dtype or rank.
    """
    return _cross(inputs, False, 0, None, name)


def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Return for each row the hash of every combination, modulo `num_buckets` unless that is 0; see `cross`."""
    return _cross(inputs, True, num_buckets, hash_key, name)


def _cross(inputs: Any, hashed: bool, num_buckets: int, hash_key: int | None, name: str | None) -> RaggedTensor:
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("Inputs must be a list")
    key = _HASH_KEY if hash_key is None else hash_key
    ragged: list[RaggedTensor] = []
    sparse: list[SparseTensor] = []
    dense: list[Tensor] = []
    order = ""
    with name_scope(name, "RaggedCross", inputs):
        for i, given in enumerate(inputs):
            t = _converted(i, given)
            if isinstance(t, RaggedTensor):
                if t.ragged_rank != 1:
                    raise ValueError("tf.ragged.cross only supports inputs with rank=2")
                ragged.append(t)
                order += "R"
            elif isinstance(t, SparseTensor):
                sparse.append(t)
                order += "S"
            else:
                dense.append(t)
                order += "D"
        narrow = bool(ragged) and all(t.row_splits.dtype == datatypes.int32 for t in ragged)
        values, splits = apply_op(
            "RaggedCross",
            [t.values for t in ragged],
            [t.row_splits for t in ragged],
            [t.indices for t in sparse],
            [t.values for t in sparse],
            [t.dense_shape for t in sparse],
            dense,
            input_order=order,
            hashed_output=hashed,
            num_buckets=num_buckets,
            hash_key=key - 2**64 if key > 2**63 else key,
            out_values_type=datatypes.int64 if hashed else datatypes.string,
            out_row_splits_type=datatypes.int32 if narrow else datatypes.int64,
            name=name,
        )
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def _converted(i: int, given: Any) -> Any:
    """Return input number `i` as a tensor of some kind, integers as int64."""
    if isinstance(given, (SparseTensor, SparseTensorValue)):
        t: Any = SparseTensor.from_value(given)
    else:
        t = as_tensor_or_ragged(given)
    if t.dtype.is_integer:
        if isinstance(t, RaggedTensor):
            return t.with_flat_values(cast(t.flat_values, datatypes.int64))
        return cast(t, datatypes.int64)
    if t.dtype != datatypes.string:
        raise ValueError(f"Unexpected dtype for inputs[{i}]: {t.dtype}")
    return t
