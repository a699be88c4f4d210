"""Metrics that count: true and false positives and negatives, `precision`, `recall`.

Source: tensorflow/python/ops/metrics_impl.py (nodes, names, messages).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import control_dependencies
from icefloe.lib import assignments
from icefloe.lib.array_select import where
from icefloe.lib.array_shape import rank as rank_of
from icefloe.lib.checks import assert_rank_in, assert_type
from icefloe.lib.control import identity
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import divide, equal, multiply
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.metric_base import matched, metric_variable, published
from icefloe.lib.variable_scope import variable_scope

Metric = tuple[Any, Any]


def _count(hits: Any, weights: Any, metrics_collections: Any, updates_collections: Any) -> Metric:
    assert_type(hits, datatypes.bool)
    count = metric_variable([], datatypes.float32, name="count")
    hits = cast(hits, datatypes.float32)
    if weights is not None:
        with control_dependencies((assert_rank_in(weights, (0, rank_of(hits))),)):
            weights = cast(weights, datatypes.float32)
            hits = multiply(hits, weights)
    value = identity(count)
    update = assignments.assign_add(count, reduce_sum(hits))
    return published(value, update, metrics_collections, updates_collections)


def _as_bools(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    return matched(cast(predictions, datatypes.bool), cast(labels, datatypes.bool), weights)


def _counted(
    kind: str,
    label: bool,
    prediction: bool,
    given: tuple[Any, Any, Any],
    collections: tuple[Any, Any],
    name: str | None,
) -> Metric:
    """Return the count of examples of this label and this prediction. given: labels, predictions, weights."""
    labels, predictions, weights = given
    with variable_scope(name, kind, (predictions, labels, weights)):
        predictions, labels, weights = _as_bools(predictions, labels, weights)
        hits = apply_op("LogicalAnd", equal(labels, label), equal(predictions, prediction))
        return _count(hits, weights, *collections)


def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many examples were predicted True and are, and the op that takes in these."""
    given, collections = (labels, predictions, weights), (metrics_collections, updates_collections)
    return _counted("true_positives", True, True, given, collections, name)


def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many examples were predicted False and are, and the op that takes in these."""
    given, collections = (labels, predictions, weights), (metrics_collections, updates_collections)
    return _counted("true_negatives", False, False, given, collections, name)


def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many examples were predicted True and are not, and the op that takes in these."""
    given, collections = (labels, predictions, weights), (metrics_collections, updates_collections)
    return _counted("false_positives", False, True, given, collections, name)


def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many examples were predicted False and are not, and the op that takes in these."""
    given, collections = (labels, predictions, weights), (metrics_collections, updates_collections)
    return _counted("false_negatives", True, False, given, collections, name)


def _part(hits: Any, misses: Any, name: str) -> Any:
    """Return hits / (hits + misses), 0 where there are none."""
    is_any = apply_op("Greater", hits + misses, 0)
    return where(is_any, divide(hits, hits + misses), 0, name)


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of the examples predicted True are, and the op that takes in labels and predictions."""
    with variable_scope(name, "precision", (predictions, labels, weights)):
        predictions, labels, weights = _as_bools(predictions, labels, weights)
        hits, hits_update = true_positives(labels, predictions, weights)
        misses, misses_update = false_positives(labels, predictions, weights)
        value, update = _part(hits, misses, "value"), _part(hits_update, misses_update, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of the examples that are True were predicted so, and the op that takes in these."""
    with variable_scope(name, "recall", (predictions, labels, weights)):
        predictions, labels, weights = _as_bools(predictions, labels, weights)
        hits, hits_update = true_positives(labels, predictions, weights)
        misses, misses_update = false_negatives(labels, predictions, weights)
        value, update = _part(hits, misses, "value"), _part(hits_update, misses_update, "update_op")
        return published(value, update, metrics_collections, updates_collections)
