"""Averages of losses over examples and replicas, of which there is one.

Source: tensorflow/python/ops/nn_impl_distribute.py (nodes and messages).
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import expand_dims, squeeze
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.checks import assert_integer, assert_non_negative, assert_scalar
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import div_no_nan
from icefloe.lib.math_reduce import reduce_sum


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """Return the sum of losses, divided by the number of replicas: one."""
    scaled: Tensor = reduce_sum(regularization_loss) / 1
    return scaled


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    """Return the sum of the examples' losses divided by the size of the batch.

    sample_weight: what losses are multiplied by. global_batch_size: by default the first size of the losses.

    Raises: ValueError if the losses are a scalar; TypeError if the size of the batch is no integer.
    """
    loss = convert_to_tensor(per_example_loss)
    if loss.shape.rank == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. Received "
            f"per_example_loss={loss} with rank 0"
        )
    dtype = loss.dtype
    if sample_weight is not None:
        loss = _weighted(loss, convert_to_tensor(sample_weight))
    loss = cast(loss, dtype)
    if global_batch_size is None:
        global_batch_size = shape_of(loss)[0] * 1
    assert_scalar(global_batch_size, message="global_batch_size must be scalar.")
    assert_integer(global_batch_size, message="global_batch_size must be an integer.")
    assert_non_negative(global_batch_size, message="global_batch_size must be non-negative.")
    return div_no_nan(reduce_sum(loss), cast(global_batch_size, dtype))


def _weighted(loss: Tensor, weight: Tensor) -> Tensor:
    """Return losses times weights, of which either may lack a last axis of size 1."""
    ranks = loss.shape.rank, weight.shape.rank
    if None not in ranks and weight.shape.rank:
        assert ranks[0] is not None
        assert ranks[1] is not None
        if ranks[1] - ranks[0] == 1:
            weight = squeeze(weight, [-1])
        elif ranks[0] - ranks[1] == 1:
            weight = expand_dims(weight, -1)
    return loss * cast(weight, loss.dtype)
