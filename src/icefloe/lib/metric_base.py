"""What metrics have in common: local variables, shapes brought together, counts at thresholds.

A metric gives two tensors: its value, and an op that takes in what it was called with and gives the value after it. The
variables are in the collections LOCAL_VARIABLES and METRIC_VARIABLES.

Source: tensorflow/python/ops/metrics_impl.py (nodes, names, messages).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import add_to_collections, control_dependencies
from icefloe.graph.tensor import Tensor
from icefloe.lib import assignments, confusion
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import stack
from icefloe.lib.array_shape import expand_dims, reshape, squeeze, transpose
from icefloe.lib.array_shape import rank as rank_of
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.checks import assert_greater_equal, assert_less_equal
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import equal
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.variable import Variable, VariableAggregation, VariableSynchronization
from icefloe.lib.weights import broadcast_weights

EPSILON = 1e-7


def metric_variable(shape: Any, dtype: Any, name: str | None = None) -> Any:
    """Return a local variable of zeros that holds part of a metric."""
    return Variable(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=True,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
        name=name,
    )


def published(value: Any, update: Any, metrics_collections: Any, updates_collections: Any) -> tuple[Any, Any]:
    """Return (value, update) and put them into the collections that were asked for."""
    if metrics_collections:
        add_to_collections(metrics_collections, value)
    if updates_collections:
        add_to_collections(updates_collections, update)
    return value, update


def matched(predictions: Any, labels: Any, weights: Any) -> tuple[Tensor, Any, Any]:
    """Return predictions, labels and weights without a last axis of size 1 that only one of them has."""
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = confusion.remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    ranks = weights.shape.rank, predictions.shape.rank
    if ranks[0] == 0:
        return predictions, labels, weights
    if ranks[0] is not None and ranks[1] is not None:
        if ranks[0] - ranks[1] == 1:
            weights = squeeze(weights, [-1])
        elif ranks[1] - ranks[0] == 1:
            weights = expand_dims(weights, [-1])
        return predictions, labels, weights
    given = weights
    weights_rank = rank_of(given)
    difference = weights_rank - rank_of(predictions)
    stays = ranks[0] is not None and not given.shape[-1:].is_compatible_with([1])

    def expanded() -> Any:
        return cond(equal(difference, -1), lambda: expand_dims(given, [-1]), lambda: given)

    def adjusted() -> Any:
        return cond(equal(difference, 1), (lambda: given) if stays else (lambda: squeeze(given, [-1])), expanded)

    return predictions, labels, cond(equal(weights_rank, 0), lambda: given, adjusted)


# Counts at thresholds: which kinds there are, whether the label is positive and whether the prediction is.
_KINDS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}


def counts_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    kinds: Sequence[str] = tuple(_KINDS),
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (variables, update ops) of counts of each kind at each threshold, by kind.

    predictions: within 0 and 1; they are positive above the threshold.
    """
    said = "predictions must be in [0, 1]"
    checks = [
        assert_greater_equal(predictions, cast(0.0, predictions.dtype), message=said),
        assert_less_equal(predictions, cast(1.0, predictions.dtype), message=said),
    ]
    with control_dependencies(checks):
        predictions, labels, weights = matched(
            cast(predictions, datatypes.float32), cast(labels, datatypes.bool), weights
        )
    count = len(thresholds)
    column = reshape(predictions, [-1, 1])
    labels = reshape(cast(labels, datatypes.bool), [1, -1])
    size = column.shape[0].value
    if size is None:
        size = shape_of(column)[0]
    tiled = apply_op("Tile", expand_dims(constant(list(thresholds)), [1]), stack([1, size]))
    positive = apply_op("Greater", apply_op("Tile", transpose(column), [count, 1]), tiled)
    predicted = {True: positive}
    if {"fn", "tn"} & set(kinds):
        predicted[False] = apply_op("LogicalNot", positive)
    known = {True: apply_op("Tile", labels, [count, 1])}
    if {"fp", "tn"} & set(kinds):
        known[False] = apply_op("LogicalNot", known[True])
    if weights is not None:
        weights = broadcast_weights(cast(weights, datatypes.float32), predictions)
        weights = apply_op("Tile", reshape(weights, [1, -1]), [count, 1])
        tiled.shape.assert_is_compatible_with(weights.shape)
    values, updates = {}, {}
    for kind, (name, label, prediction) in _KINDS.items():
        if kind in kinds:
            values[kind] = metric_variable([count], datatypes.float32, name=name)
            hits = cast(apply_op("LogicalAnd", known[label], predicted[prediction]), datatypes.float32)
            if weights is not None:
                hits = hits * weights
            updates[kind] = assignments.assign_add(values[kind], reduce_sum(hits, 1))
    return values, updates


def even_thresholds(count: int, last: float = 1.0 + EPSILON) -> list[float]:
    """Return thresholds from just below 0 to `last`, the others at even distances."""
    return [0.0 - EPSILON, *((i + 1) * 1.0 / (count - 1) for i in range(count - 2)), last]
