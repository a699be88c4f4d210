"""Metrics at thresholds: `tf.metrics.auc`, `precision_at_thresholds`, `sensitivity_at_specificity` and their like.

Source: tensorflow/python/ops/metrics_impl.py (nodes, names, messages).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.lib.array_create import ones_like
from icefloe.lib.array_select import where
from icefloe.lib.control import identity
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import div_no_nan, divide, equal, multiply
from icefloe.lib.math_range import cumsum
from icefloe.lib.math_reduce import argmax, argmin, reduce_min, reduce_sum
from icefloe.lib.metric_base import EPSILON, counts_at_thresholds, even_thresholds, published
from icefloe.lib.variable_scope import variable_scope

Metric = tuple[Any, Any]


def _counted(
    kind: str,
    scope: str,
    given: tuple[Any, Any, Any],
    thresholds: Sequence[float],
    collections: tuple[Any, Any],
    name: str | None,
) -> Metric:
    """Return the counts of one kind at each threshold. given: labels, predictions, weights."""
    labels, predictions, weights = given
    with variable_scope(name, scope, (predictions, labels, weights)):
        values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, (kind,))
        return published(identity(values[kind]), updates[kind], *collections)


def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many examples are True and predicted above each threshold, and the op that takes in these."""
    given, collections = (labels, predictions, weights), (metrics_collections, updates_collections)
    return _counted("tp", "true_positives", given, thresholds, collections, name)


def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many examples are False and predicted not above each threshold, and the op that takes in these."""
    given, collections = (labels, predictions, weights), (metrics_collections, updates_collections)
    return _counted("tn", "true_negatives", given, thresholds, collections, name)


def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many examples are False and predicted above each threshold, and the op that takes in these."""
    given, collections = (labels, predictions, weights), (metrics_collections, updates_collections)
    return _counted("fp", "false_positives", given, thresholds, collections, name)


def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return how many examples are True and predicted not above each threshold, and the op that takes in these."""
    given, collections = (labels, predictions, weights), (metrics_collections, updates_collections)
    return _counted("fn", "false_negatives", given, thresholds, collections, name)


def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of the examples predicted above each threshold are True, and the op that takes in these."""
    with variable_scope(name, "precision_at_thresholds", (predictions, labels, weights)):
        values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, ("tp", "fp"))

        def part(of: Any, name: str) -> Any:
            return divide(of["tp"], EPSILON + of["tp"] + of["fp"], name=f"precision_{name}")

        value, update = part(values, "value"), part(updates, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of the examples that are True were predicted above each threshold, and the op."""
    with variable_scope(name, "recall_at_thresholds", (predictions, labels, weights)):
        values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, ("tp", "fn"))

        def part(of: Any, name: str) -> Any:
            return divide(of["tp"], EPSILON + of["tp"] + of["fn"], name=f"recall_{name}")

        value, update = part(values, "value"), part(updates, "update_op")
        return published(value, update, metrics_collections, updates_collections)


# The area under a curve


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Metric:
    """Return the area under the curve of true over false positives, or of precision over recall, and the op.

    curve: "ROC" or "PR". summation_method: "trapezoidal", "careful_interpolation", "minoring" or "majoring".
    thresholds: where the curve is known, besides 0 and 1; by default `num_thresholds` at even distances.

    Raises: ValueError for another curve or method.
    """
    with variable_scope(name, "auc", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        if thresholds is None:
            used = even_thresholds(num_thresholds)
        else:
            used = [0.0 - EPSILON, *sorted(thresholds), 1.0 + EPSILON]
        values, updates = counts_at_thresholds(labels, predictions, used, weights)
        area = _Area(len(used), curve, summation_method)
        value, update = area.of(values, "value"), area.of(updates, "update_op")
        return published(value, update, metrics_collections, updates_collections)


class _Area:
    """How the area under a curve is summed up from counts at `count` thresholds."""

    _epsilon = 1.0e-6

    def __init__(self, count: int, curve: str, method: str) -> None:
        self.last, self.curve, self.method = count - 1, curve, method

    def of(self, counts: Any, name: str) -> Any:
        tp, fn, tn, fp = (counts[kind] for kind in ("tp", "fn", "tn", "fp"))
        if self.curve == "PR" and self.method == "careful_interpolation":
            return self._interpolated(tp, fp, fn)
        recall = divide(tp + self._epsilon, tp + fn + self._epsilon)
        if self.curve == "ROC":
            x, y = divide(fp, fp + tn + self._epsilon), recall
        else:
            x, y = recall, divide(tp + self._epsilon, tp + fp + self._epsilon)
        heights: dict[str, Callable[[], Any]] = {
            "trapezoidal": lambda: (y[: self.last] + y[1:]) / 2.0,
            "careful_interpolation": lambda: (y[: self.last] + y[1:]) / 2.0,
            "minoring": lambda: apply_op("Minimum", y[: self.last], y[1:]),
            "majoring": lambda: apply_op("Maximum", y[: self.last], y[1:]),
        }
        if self.method not in heights:
            raise ValueError(
                f"Invalid summation_method: {self.method} summation_method should be 'trapezoidal', "
                "'careful_interpolation', 'minoring', or 'majoring'."
            )
        widths = x[: self.last] - x[1:]
        return reduce_sum(multiply(widths, heights[self.method]()), name=name)

    def _interpolated(self, tp: Any, fp: Any, fn: Any) -> Any:
        """The area where true positives grow in a straight line with positives between two thresholds.

        Source: J. Davis, M. Goadrich, The relationship between precision-recall and ROC curves (2006).
        """
        last = self.last
        step = tp[:last] - tp[1:]
        p = tp + fp
        slope = div_no_nan(step, apply_op("Maximum", p[:last] - p[1:], 0), name="prec_slope")
        intercept = tp[1:] - multiply(slope, p[1:])
        is_safe = apply_op("LogicalAnd", p[:last] > 0, p[1:] > 0)
        ratio = div_no_nan(p[:last], apply_op("Maximum", p[1:], 0), name="recall_relative_ratio")
        ratio = where(is_safe, ratio, ones_like(p[1:]))
        grown = slope * (step + intercept * apply_op("Log", ratio))
        whole = apply_op("Maximum", tp[1:] + fn[1:], 0)
        return reduce_sum(div_no_nan(grown, whole, name="pr_auc_increment"), name="interpolate_pr_auc")


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the part of True found, at the threshold where the part of False found is next to `specificity`.

    Raises: ValueError if that is not within 0 and 1.
    """
    if specificity < 0 or specificity > 1:
        raise ValueError(f"`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}.")
    with variable_scope(name, "sensitivity_at_specificity", (predictions, labels, weights)):
        values, updates = counts_at_thresholds(labels, predictions, even_thresholds(num_thresholds), weights)

        def found(of: Any, name: str) -> Any:
            parts = divide(of["tn"], of["tn"] + of["fp"] + EPSILON)
            index = cast(argmin(apply_op("Abs", parts - specificity), 0), datatypes.int32)
            return divide(of["tp"][index], of["tp"][index] + of["fn"][index] + EPSILON, name)

        value, update = found(values, "value"), found(updates, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the part of False found, at the threshold where the part of True found is next to `sensitivity`.

    Raises: ValueError if that is not within 0 and 1.
    """
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError(f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}.")
    with variable_scope(name, "specificity_at_sensitivity", (predictions, labels, weights)):
        used = even_thresholds(num_thresholds, 1.0 - EPSILON)
        values, updates = counts_at_thresholds(labels, predictions, used, weights)

        def found(of: Any, name: str) -> Any:
            parts = divide(of["tp"], of["tp"] + of["fn"] + EPSILON)
            least = reduce_min(apply_op("Abs", parts - sensitivity))
            is_least = cast(equal(apply_op("Abs", parts - sensitivity), least), datatypes.int64)
            index = cast(argmax(cumsum(is_least), 0), datatypes.int32)
            return divide(of["tn"][index], of["tn"][index] + of["fp"][index] + EPSILON, name)

        value, update = found(values, "value"), found(updates, "update_op")
        return published(value, update, metrics_collections, updates_collections)
