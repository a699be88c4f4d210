"""Ranges as the rows of a RaggedTensor.

Source: tensorflow/python/ops/ragged/ragged_math_ops.py (nodes and names).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.lib.math_cast import cast
from icefloe.lib.ragged_tensor import RaggedTensor

_NARROW_TO_WIDE = (datatypes.int32, datatypes.int64, datatypes.float32, datatypes.float64)


def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = datatypes.int64,
) -> RaggedTensor:
    """Return the rows `range(starts[i], limits[i], deltas[i])`; one vector or scalar alone gives limits from 0.

    dtype: default the widest of the arguments.
    """
    row_splits_dtype = datatypes.as_dtype(row_splits_dtype)
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name, "RaggedRange", [starts, limits, deltas]) as scope:
        given = {"starts": starts, "limits": limits, "deltas": deltas}
        bounds = [convert_to_tensor(value, dtype=dtype, name=key) for key, value in given.items()]
        if dtype is None:
            widest = max((b.dtype for b in bounds), key=_NARROW_TO_WIDE.index)
            bounds = [cast(b, widest) for b in bounds]
        made = apply_op("RaggedRange", *bounds, Tsplits=row_splits_dtype, name=scope)
        return RaggedTensor.from_row_splits(made.rt_dense_values, made.rt_nested_splits, validate=False)
