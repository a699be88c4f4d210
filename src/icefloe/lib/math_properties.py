"""What holds of a tensor's elements: how many are zero, whether they increase."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros
from icefloe.lib.array_select import strided_slice
from icefloe.lib.array_shape import reshape, shape, size
from icefloe.lib.checks import is_numeric_tensor
from icefloe.lib.control import identity
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import not_equal
from icefloe.lib.math_reduce import reduce_all, reduce_sum


def _nonzeros(value: Tensor, dtype: Any) -> Tensor:
    with name_scope("count_nonzero"):
        zero = zeros([], dtype=value.dtype)
        return reduce_sum(cast(not_equal(value, zero), dtype=dtype), name="nonzero_count")


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """Return which part of the elements is 0, in float32."""
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        count: Any = size(value, out_type=datatypes.int64)
        nonzeros = cond(
            count <= datatypes.int32.max,
            true_fn=lambda: cast(_nonzeros(value, datatypes.int32), dtype=datatypes.int64),
            false_fn=lambda: _nonzeros(value, datatypes.int64),
        )
        with name_scope("counts_to_fraction"):
            missing = cast(count - nonzeros, dtype=datatypes.float32)
            fraction = missing / cast(count, dtype=datatypes.float32)
        result: Tensor = identity(fraction, "fraction")
        return result


def _steps(x: Any, op: str) -> Tensor:
    """Return how each element compares with the one before it, nothing if there are fewer than two."""
    x = reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    few = apply_op("Less", size(x), 2)
    length: Any = shape(x) - 1

    def compared() -> Tensor:
        return apply_op(op, strided_slice(x, [1], [1] + length), strided_slice(x, [0], length))

    steps: Tensor = cond(few, lambda: convert_to_tensor([], dtype=datatypes.bool), compared)
    return steps


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Return whether no element of the flattened tensor is less than that before. Raises: TypeError unless numeric."""
    with name_scope(name, "is_non_decreasing", [x]):
        return reduce_all(_steps(x, "GreaterEqual"))


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element of the flattened tensor exceeds the one before. Raises: TypeError unless numeric."""
    with name_scope(name, "is_strictly_increasing", [x]):
        return reduce_all(_steps(x, "Greater"))
