"""Gradient rules of gamma samples by their shape parameter, by implicit differentiation (Figurnov et al., 2018)."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import after, concat, ones, range_to, rank_of, reshape, shape_of, sum_over


def _by_alpha(op: Operation, alpha: Tensor, grad: Tensor, *, repeats_alpha: bool) -> Tensor:
    """Return the gradient; repeats_alpha: the shape that is asked for ends with that of alpha."""
    with after(grad):
        added = shape_of(op.inputs[0])[0]
        if repeats_alpha:
            added = added - rank_of(alpha)
        spread = reshape(alpha, concat([ones(apply_op("Pack", [added]), datatypes.int32), shape_of(alpha)]))
        slope = apply_op("RandomGammaGrad", spread, op.outputs[0])
        return sum_over(grad * slope, range_to(added))


@gradient("RandomGamma")
def gamma(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    return None, _by_alpha(op, op.inputs[1], grad, repeats_alpha=False)


@gradient("StatelessRandomGammaV2")
def stateless_gamma(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    return None, None, _by_alpha(op, op.inputs[2], grad, repeats_alpha=True)


@gradient("StatelessRandomGammaV3")
def stateless_gamma_v3(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    return None, None, None, None, _by_alpha(op, op.inputs[4], grad, repeats_alpha=True)
