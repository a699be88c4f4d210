"""Metrics that are means: `tf.metrics.mean`, `accuracy`, errors, `mean_iou`.

Source: tensorflow/python/ops/metrics_impl.py (nodes, names, messages).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import control_dependencies
from icefloe.lib import assignments, confusion
from icefloe.lib.array_create import ones, ones_like, zeros_like
from icefloe.lib.array_diagonal import tensor_diag_part
from icefloe.lib.array_select import where
from icefloe.lib.array_shape import reshape
from icefloe.lib.array_shape import size as size_of
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import div_no_nan, divide, equal, multiply, not_equal, sqrt, subtract
from icefloe.lib.math_reduce import reduce_mean, reduce_sum
from icefloe.lib.metric_base import matched, metric_variable, published
from icefloe.lib.variable_scope import variable_scope
from icefloe.lib.weights import broadcast_weights

Metric = tuple[Any, Any]


def _ratio(numerator: Any, denominator: Any, name: str | None) -> Any:
    return div_no_nan(numerator, apply_op("Maximum", denominator, 0), name=name)


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean of all values so far, weighted, and the op that takes in `values`."""
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, datatypes.float32)
        total = metric_variable([], datatypes.float32, name="total")
        count = metric_variable([], datatypes.float32, name="count")
        if weights is None:
            number = cast(size_of(values), datatypes.float32)
        else:
            values, _, weights = matched(values, None, weights)
            weights = broadcast_weights(cast(weights, datatypes.float32), values)
            values = multiply(values, weights)
            number = reduce_sum(weights)
        total_update = assignments.assign_add(total, reduce_sum(values))
        with control_dependencies([values]):
            count_update = assignments.assign_add(count, number)
        value = _ratio(total, count, "value")
        update = _ratio(total_update, count_update, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean of each element over all calls, weighted, and the op that takes in `values`."""
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, datatypes.float32)
        total = metric_variable(values.shape, datatypes.float32, name="total_tensor")
        count = metric_variable(values.shape, datatypes.float32, name="count_tensor")
        number = ones_like(values)
        if weights is not None:
            values, _, weights = matched(values, None, weights)
            weights = broadcast_weights(cast(weights, datatypes.float32), values)
            values = multiply(values, weights)
            number = multiply(number, weights)
        total_update = assignments.assign_add(total, values)
        with control_dependencies([values]):
            count_update = assignments.assign_add(count, number)
        value = _ratio(total, count, "value")
        update = _ratio(total_update, count_update, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many predictions equal their labels, as a part of all, and the op that takes in these."""
    predictions, labels, weights = matched(predictions, labels, weights)
    predictions.shape.assert_is_compatible_with(labels.shape)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    correct = cast(equal(predictions, labels), datatypes.float32)
    return mean(correct, weights, metrics_collections, updates_collections, name or "accuracy")


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean of |prediction - label|, and the op that takes in these."""
    predictions, labels, weights = matched(predictions, labels, weights)
    error = apply_op("Abs", predictions - labels)
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean of (prediction - label)^2, and the op that takes in these."""
    predictions, labels, weights = matched(predictions, labels, weights)
    error = apply_op("SquaredDifference", labels, predictions)
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_squared_error")


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the root of the mean of (prediction - label)^2, and the op that takes in these."""
    predictions, labels, weights = matched(predictions, labels, weights)
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    return published(sqrt(value), sqrt(update), metrics_collections, updates_collections)


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean of |label - prediction| / normalizer, 0 where that is 0, and the op that takes in these."""
    predictions, labels, weights = matched(predictions, labels, weights)
    predictions, normalizer = confusion.remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    is_zero = equal(normalizer, 0.0)
    nothing = zeros_like(labels)
    error = where(is_zero, nothing, divide(apply_op("Abs", labels - predictions), normalizer))
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_relative_error")


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean of 1 - the product of label and prediction, summed along axis `dim`; both are of length 1."""
    predictions, labels, weights = matched(predictions, labels, weights)
    product = reduce_sum(multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(product, weights, None, None, name or "mean_cosine_distance")
    return published(subtract(1.0, value), subtract(1.0, update), metrics_collections, updates_collections)


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of all values is below `threshold`, and the op that takes in `values`."""
    below = cast(apply_op("Less", values, threshold), datatypes.float32)
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")


def _flat(x: Any) -> Any:
    return reshape(x, [-1]) if x.shape.rank > 1 else x


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean over the classes of the accuracy for labels of that class, and the op that takes in these."""
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels = _flat(cast(labels, datatypes.int64))
        predictions = _flat(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes], datatypes.float32, name="total")
        count = metric_variable([num_classes], datatypes.float32, name="count")
        number = ones([size_of(labels)], datatypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = cast(predictions, labels.dtype)
        correct = cast(equal(predictions, labels), datatypes.float32)
        if weights is not None:
            weights = cast(_flat(weights), datatypes.float32)
            correct, number = correct * weights, number * weights
        total_update = assignments.scatter_add(total, labels, number)
        count_update = assignments.scatter_add(count, labels, correct)
        value = reduce_mean(_ratio(count, total, None), name="mean_accuracy")
        update = _ratio(count_update, total_update, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean over the classes of intersection over union, and the op that takes in labels and predictions."""
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        predictions.shape.assert_is_compatible_with(labels.shape)
        matrix = metric_variable([num_classes, num_classes], datatypes.float64, name="total_confusion_matrix")
        predictions, labels = cast(predictions, datatypes.int64), cast(labels, datatypes.int64)
        classes = cast(num_classes, datatypes.int64)
        predictions, labels = _flat(predictions), _flat(labels)
        weights = None if weights is None else _flat(weights)
        current = confusion.confusion_matrix(labels, predictions, classes, weights=weights, dtype=datatypes.float64)
        update = assignments.assign_add(matrix, current)
        rows = cast(reduce_sum(matrix, 0), datatypes.float32)
        columns = cast(reduce_sum(matrix, 1), datatypes.float32)
        both = cast(tensor_diag_part(matrix), datatypes.float32)
        union = rows + columns - both
        valid = reduce_sum(cast(not_equal(union, 0), datatypes.float32))
        is_there = apply_op("Greater", union, 0)
        union = where(is_there, union, ones_like(union))
        iou = divide(both, union)
        is_any = apply_op("Greater", valid, 0)
        value = where(is_any, reduce_sum(iou, name="mean_iou") / valid, 0)
        return published(value, update, metrics_collections, updates_collections)
