"""Metrics of the k best predictions: `tf.metrics.precision_at_k`, `recall_at_k`, `average_precision_at_k`.

labels: int64 [..., labels], of classes; or a SparseTensor of such; or without the last axis, one label each.
predictions: float [..., classes]; predictions_idx: int [..., k], the classes predicted, best first.

Source: tensorflow/python/ops/metrics_impl.py (nodes, names, messages).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor
from icefloe.graph.tensor import Tensor
from icefloe.lib import assignments
from icefloe.lib.array_create import fill, ones_like, zeros_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import slice as sliced
from icefloe.lib.array_select import where_v2
from icefloe.lib.array_shape import expand_dims, reshape
from icefloe.lib.array_shape import rank as rank_of
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.array_shape import size as size_of
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add, div_no_nan, divide, equal, multiply
from icefloe.lib.math_range import cumsum
from icefloe.lib.math_reduce import reduce_max, reduce_sum
from icefloe.lib.metric_base import metric_variable, published
from icefloe.lib.nn_top_k import top_k
from icefloe.lib.sets import set_difference, set_intersection, set_size
from icefloe.lib.sparse_layout import sparse_concat, sparse_reshape, sparse_retain
from icefloe.lib.weights import assert_broadcastable, broadcast_weights

Metric = tuple[Any, Any]


def _name(name: str, k: int | None, class_id: int | None = None) -> str:
    name = f"{name}_at_k" if k is None else f"{name}_at_{k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _with_label_axis(labels: Any, predictions: Any) -> Any:
    """Return labels with a last axis of size 1 if they lack one."""
    with name_scope(None, "expand_labels", (labels, predictions)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            sparse = labels
            return cond(
                equal(rank_of(predictions), size_of(sparse.dense_shape) + 1),
                lambda: sparse_reshape(sparse, shape=concat((sparse.dense_shape, (1,)), 0), name=scope),
                lambda: sparse,
            )
        ranks = labels.shape.rank, predictions.shape.rank
        if ranks[0] is not None and ranks[1] is not None:
            if ranks[1] == ranks[0]:
                return labels
            if ranks[1] == ranks[0] + 1:
                return expand_dims(labels, -1, name=scope)
            raise ValueError(
                f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}. Predictions rank "
                "should be the same rank as labels rank or labels rank plus one ."
            )
        return cond(
            equal(rank_of(predictions), rank_of(labels) + 1),
            lambda: expand_dims(labels, -1, name=scope),
            lambda: labels,
        )


def _only(ids: Any, class_id: int) -> SparseTensor:
    """Return those of `ids` that are of one class."""
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse_retain(ids, equal(ids.values, class_id))
    shape = shape_of(ids, out_type=datatypes.int64)
    wanted = fill(concat([shape[:-1], [1]], 0), cast(class_id, datatypes.int64))
    found = set_intersection(wanted, ids)
    return SparseTensor(found.indices, found.values, shape)


def _in_both(predicted: Any, labels: Any) -> Any:
    return set_intersection(predicted, labels)


def _only_labels(predicted: Any, labels: Any) -> Any:
    return set_difference(predicted, labels, aminusb=False)


def _only_predicted(predicted: Any, labels: Any) -> Any:
    return set_difference(predicted, labels, aminusb=True)


def _hits(
    kept: Callable[[Any, Any], Any],
    scope: str,
    labels: Any,
    predicted: Any,
    class_id: int | None,
    weights: Any,
    name: str | None = None,
) -> Tensor:
    """Return how many classes `kept` finds of each example's labels and predictions."""
    with name_scope(name, scope, (predicted, labels, weights)):
        if class_id is not None:
            labels, predicted = _only(labels, class_id), _only(predicted, class_id)
        count = cast(set_size(kept(predicted, labels)), datatypes.float64)
        if weights is not None:
            with control_dependencies((assert_broadcastable(weights, count),)):
                weights = cast(weights, datatypes.float64)
                count = multiply(count, weights)
        return count


_SCOPES: dict[Callable[[Any, Any], Any], str] = {
    _in_both: "true_positive",
    _only_labels: "false_negative",
    _only_predicted: "false_positive",
}


def _counted(
    kept: Callable[[Any, Any], Any], labels: Any, predicted: Any, k: int | None, class_id: int | None, weights: Any
) -> Metric:
    name = _SCOPES[kept]
    with name_scope(None, _name(name, k, class_id), (predicted, labels, weights)) as scope:
        count = _hits(kept, f"{name}s", labels, predicted, class_id, weights)
        total = cast(reduce_sum(count), datatypes.float64)
        variable = metric_variable([], datatypes.float64, name=scope)
        return variable, assignments.assign_add(variable, total, name="update")


def _part_at_top_k(
    what: str, misses: Callable[[Any, Any], Any], given: tuple[Any, ...], collections: tuple[Any, Any], name: str | None
) -> Metric:
    labels, predictions_idx, k, class_id, weights = given
    with name_scope(name, _name(what, k, class_id), (predictions_idx, labels, weights)) as scope:
        labels = _with_label_axis(labels, predictions_idx)
        predicted = cast(predictions_idx, datatypes.int64)
        hits, hits_update = _counted(_in_both, labels, predicted, k, class_id, weights)
        missed, missed_update = _counted(misses, labels, predicted, k, class_id, weights)
        value = divide(hits, add(hits, missed), name=scope)
        update = divide(hits_update, add(hits_update, missed_update), name="update")
        return published(value, update, *collections)


def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of the labels are among the classes predicted, of one class or all, and the op."""
    given, collections = (labels, predictions_idx, k, class_id, weights), (metrics_collections, updates_collections)
    return _part_at_top_k("recall", _only_labels, given, collections, name)


def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of the classes predicted are labels, of one class or all, and the op."""
    given, collections = (labels, predictions_idx, k, class_id, weights), (metrics_collections, updates_collections)
    return _part_at_top_k("precision", _only_predicted, given, collections, name)


def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of the labels are among the `k` classes of greatest prediction, and the op."""
    with name_scope(name, _name("recall", k, class_id), (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        return recall_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return which part of the `k` classes of greatest prediction are labels, and the op."""
    with name_scope(name, _name("precision", k, class_id), (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        return precision_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


# The mean over the ranks of the precision up to each


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean of the examples' average precision at 1 to `k`, and the op. Raises: ValueError if k < 1."""
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with name_scope(name, _name("average_precision", k), (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        labels = _within(labels, cast(shape_of(predictions)[-1], datatypes.int64))
        with name_scope(scope, "average_precision_at_top_k", (best, labels, weights)) as inner:
            average = _average_precision(labels, best)
            if weights is not None:
                weights = broadcast_weights(cast(weights, datatypes.float64), average)
                average = multiply(average, weights)
            with name_scope(None, "max", (average,)) as max_scope:
                most = metric_variable([], datatypes.float64, name=max_scope)
                if weights is None:
                    number = cast(size_of(average, name="batch_max"), datatypes.float64)
                else:
                    number = reduce_sum(weights, name="batch_max")
                most_update = assignments.assign_add(most, number, name="update")
            with name_scope(None, "total", (average,)) as total_scope:
                total = metric_variable([], datatypes.float64, name=total_scope)
                batch = reduce_sum(average, name="batch_total")
                total_update = assignments.assign_add(total, batch, name="update")
            value = div_no_nan(total, most, name="mean")
            update = div_no_nan(total_update, most_update, name=inner)
            return published(value, update, metrics_collections, updates_collections)


def _within(labels: Any, count: Any) -> Any:
    """Return labels with -1 in the place of classes that are not predicted."""
    is_sparse = isinstance(labels, (SparseTensor, SparseTensorValue))
    values = labels.values if is_sparse else labels

    def cleaned() -> Any:
        kept = where_v2(apply_op("GreaterEqual", values, count), -1 * ones_like(values), values)
        return type(labels)(labels.indices, kept, labels.dense_shape) if is_sparse else kept

    return cond(apply_op("GreaterEqual", reduce_max(values), count), cleaned, lambda: labels)


def _average_precision(labels: Any, predicted: Any) -> Tensor:
    """Return the average precision of each example."""
    with name_scope(None, "average_precision", (predicted, labels)) as scope:
        predicted = cast(predicted, datatypes.int64, name="predictions_idx")
        if predicted.shape.rank == 0:
            raise ValueError("The rank of `predictions_idx` must be at least 1.")
        k = predicted.shape.as_list()[-1]
        if k is None:
            raise ValueError("The last dimension of predictions_idx must be set. Currently, it is None.")
        labels = _with_label_axis(labels, predicted)
        each = expand_dims(predicted, -1, name="predictions_idx_per_k")
        labels_each = _tiled(labels, k, "labels_per_k")
        relevant = _hits(_in_both, "true_positives", labels_each, each, None, None, name="relevant_per_k")
        hits = cumsum(relevant, axis=-1, name="tp_per_k")
        seen = cumsum(ones_like(relevant), axis=-1, name="retrieved_per_k")
        precision = divide(cast(hits, datatypes.float64), cast(seen, datatypes.float64), name="precision_per_k")
        relevant = cast(relevant, datatypes.float64)
        parts = multiply(precision, relevant, name="relevant_precision_per_k")
        total = reduce_sum(parts, axis=(-1,), name="precision_sum")
        result: Tensor = divide(total, cast(_relevant(labels, k), datatypes.float64), name=scope)
        return result


def _tiled(x: Any, multiple: int, name: str) -> Any:
    """Return `x` with an axis before the last, along which it is there `multiple` times."""
    with name_scope(name, "expand_and_tile", (x, multiple, -1)) as scope:
        x = convert_to_tensor_or_sparse_tensor(x)
        if isinstance(x, SparseTensor):
            place = reshape(size_of(x.dense_shape) + -1, [1])
            before, after = sliced(x.dense_shape, [0], place), sliced(x.dense_shape, place, [-1])
            shape = concat((before, [1], after), 0, name="expanded_shape")
            wide: Any = sparse_reshape(x, shape=shape, name="expand")
            return wide if multiple == 1 else sparse_concat(-2, [wide] * multiple, name=scope)
        wide = expand_dims(x, -2, name="expand")
        if multiple == 1:
            return wide
        ones = ones_like(shape_of(x))
        return apply_op("Tile", wide, concat((ones[:-1], (multiple,), ones[-1:]), 0, name="multiples"), name=scope)


def _relevant(labels: Any, k: int) -> Any:
    """Return how many labels an example has, at most `k`."""
    with name_scope(None, "num_relevant", (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return apply_op("Minimum", set_size(labels), k, name=scope)
        there = where_v2(apply_op("GreaterEqual", labels, 0), ones_like(labels), zeros_like(labels))
        return apply_op("Minimum", reduce_sum(there, axis=-1), k, name=scope)
