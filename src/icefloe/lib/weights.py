"""Weights of losses: the check that they broadcast to the values they weigh, and the broadcast."""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones_like
from icefloe.lib.array_shape import rank, shape
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import no_op
from icefloe.lib.math_elementwise import multiply


def assert_broadcastable(weights: Any, values: Any) -> Operation:
    """Return an operation that holds `weights` to be a scalar or of size 1 or that of `values` along each axis.

    Raises: ValueError if they are not, UnimplementedError if the shapes are not known, which takes a conditional.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]):
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
                for axis, size in enumerate(sizes):
                    if size not in (1, wanted[axis]):
                        raise ValueError(
                            f"{start} Mismatch at dim {axis}. values.shape={wanted}, weights.shape={sizes}. {end}"
                        )
                return no_op(name="static_dims_check_success")
        raise errors.UnimplementedError(
            "weights that are no scalar cannot be checked against values of unknown shape without a conditional",
            hint="Give both a static shape, for example with set_shape.",
        )


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
