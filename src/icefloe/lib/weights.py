"""Weights of losses: the check that they broadcast to the values they weigh, and the broadcast."""

from __future__ import annotations

from typing import Any

from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import expand_dims, rank, shape, size
from icefloe.lib.checks import Assert
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import no_op
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_elementwise import equal, multiply
from icefloe.lib.sets import set_difference


def assert_broadcastable(weights: Any, values: Any) -> Operation:
    """Return an operation that holds `weights` to be a scalar or of size 1 or that of `values` along each axis.

    Raises: ValueError if they are known not to be.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        weights, weights_shape, weights_rank = _described("weights", weights)
        values, values_shape, values_rank = _described("values", values)
        ranks = get_static_value(weights_rank), get_static_value(values_rank)
        if ranks[0] == 0 and ranks[1] is not None:
            return no_op(name="static_scalar_check_success")
        start = "weights can not be broadcast to values."
        end = f"Received weights={weights}, values={values}"
        if ranks[0] is not None and ranks[1] is not None:
            if ranks[0] != ranks[1]:
                raise ValueError(
                    f"{start} values.rank={ranks[1]}. weights.rank={ranks[0]}. values.shape={values.shape}. "
                    f"weights.shape={weights.shape}. {end}"
                )
            sizes, wanted = get_static_value(weights_shape), get_static_value(values_shape)
            if sizes is not None and wanted is not None:
                for axis, length in enumerate(sizes):
                    if length not in (1, wanted[axis]):
                        raise ValueError(
                            f"{start} Mismatch at dim {axis}. values.shape={wanted}, weights.shape={sizes}. {end}"
                        )
                return no_op(name="static_dims_check_success")
        is_scalar = equal(0, weights_rank, name="is_scalar")
        names = ("weights.shape=", weights.name, weights_shape, "values.shape=", values.name, values_shape)

        def has_valid_shape() -> Tensor:
            return _has_valid_shape(weights_rank, weights_shape, values_rank, values_shape)

        valid = cond(is_scalar, lambda: is_scalar, has_valid_shape, name="is_valid_shape")
        return Assert(valid, (start, *names, "is_scalar=", is_scalar), name=scope)


def _has_valid_shape(weights_rank: Tensor, weights_shape: Tensor, values_rank: Tensor, values_shape: Tensor) -> Tensor:
    parts = [weights_rank, weights_shape, values_rank, values_shape]
    with name_scope(None, "has_valid_nonscalar_shape", parts) as scope:
        same = equal(values_rank, weights_rank, name="is_same_rank")
        valid: Tensor = cond(same, lambda: _has_valid_dims(weights_shape, values_shape), lambda: same, name=scope)
        return valid


def _has_valid_dims(weights_shape: Tensor, values_shape: Tensor) -> Tensor:
    """Return whether each size of the weights is 1 or that of the values."""
    with name_scope(None, "has_invalid_dims", [weights_shape, values_shape]) as scope:
        sizes = expand_dims(values_shape, -1)
        allowed = concat((sizes, ones_like(sizes)), axis=1)
        invalid = set_difference(expand_dims(weights_shape, -1), allowed)
        count = size(invalid.values, name="num_invalid_dims")
        return equal(0, count, name=scope)


def _described(name: str, tensor: Any) -> tuple[Tensor, Tensor, Tensor]:
    with name_scope(None, name, [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        return tensor, shape(tensor, name="shape"), rank(tensor, name="rank")


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """Return `weights` in the shape of `values`. Raises: as `assert_broadcastable`."""
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        static = weights.shape, values.shape
        if all(x.is_fully_defined() for x in static) and static[0].is_compatible_with(static[1]):
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return multiply(weights, ones_like(values), name=scope)
