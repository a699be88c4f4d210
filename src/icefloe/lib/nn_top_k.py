"""The largest elements."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor


def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = datatypes.int32, name: str | None = None
) -> Any:
    """Return `(values, indices)` of the k largest elements along the last axis; sorted: largest first."""
    return apply_op("TopKV2", input, k, sorted=sorted, index_type=index_type, name=name)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Return for each row of `predictions` whether the class in `targets` is among its k largest."""
    with name_scope(name, "in_top_k"):
        return apply_op("InTopKV2", predictions, targets, k, name=name)


def _approximate(operand: Any, is_max_k: bool, options: dict[str, Any]) -> Any:
    return apply_op("ApproxTopK", operand, is_max_k=is_max_k, **options)


def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return `(values, indices)` of nearly all of the k largest elements."""
    options = dict(locals())
    return _approximate(options.pop("operand"), True, options)


def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return `(values, indices)` of nearly all of the k smallest elements."""
    options = dict(locals())
    return _approximate(options.pop("operand"), False, options)
