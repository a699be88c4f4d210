"""Losses as training uses them: weighted, reduced to a scalar and collected."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import add_to_collection, control_dependencies, get_collection, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones_like, zeros_like
from icefloe.lib.array_select import where
from icefloe.lib.array_shape import rank, size
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add_n, div_no_nan, equal, multiply
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.weights import assert_broadcastable, broadcast_weights


class Reduction:
    """How the losses of a batch become one number."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return every reduction."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise ValueError unless `key` is a reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Add `loss` to a collection."""
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """Return the losses of a collection, those whose name begins as the regular expression `scope` says if given."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Return the losses that regularizers of variables added."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """Return the sum of the regularization losses, 0.0 if there are none."""
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """Return the sum of the losses. Raises: ValueError if there are none."""
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return add_n(losses, name=name)


def _mean(losses: Tensor, count: Tensor) -> Tensor:
    return div_no_nan(reduce_sum(losses), count, name="value")


def num_present(losses: Tensor, weights: Any, per_batch: bool = False) -> Tensor:
    """Return how many of `losses` have a weight other than 0, for each row if `per_batch`."""
    if isinstance(weights, float) and weights != 0.0:
        return _num_elements(losses)
    with name_scope(None, "num_present", [losses, weights]) as scope:
        weights = cast(weights, dtype=datatypes.float32)
        present = where(equal(weights, 0.0), zeros_like(weights), ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_batch:
            return reduce_sum(present, axis=range(1, rank(present)), keepdims=True, name=scope)
        return reduce_sum(present, name=scope)


def _num_elements(losses: Tensor) -> Tensor:
    with name_scope(None, "num_elements", [losses]) as scope:
        return cast(size(losses, name=scope), dtype=losses.dtype)


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return `losses` times `weights`, reduced, and add the result to a collection.

    Raises: ValueError if the weights do not broadcast to the losses.
    """
    Reduction.validate(reduction)
    with (
        name_scope(scope, "weighted_loss", [losses, weights]),
        control_dependencies([assert_broadcastable(weights, losses)]),
    ):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses = cast(losses, dtype=datatypes.float32)
        weights = cast(weights, dtype=datatypes.float32)
        loss = cast(_reduced(losses, weights, reduction), dtype)
        add_loss(loss, loss_collection)
        return loss


def _reduced(losses: Tensor, weights: Tensor, reduction: str) -> Tensor:
    weighted = multiply(losses, weights)
    if reduction == Reduction.NONE:
        return weighted
    total = reduce_sum(weighted)
    if reduction == Reduction.MEAN:
        return _mean(total, reduce_sum(ones_like(losses) * weights))
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        return _mean(total, num_present(losses, weights))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return _mean(total, _num_elements(losses))
    return total


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """Return the mean over rows of the mean squared difference of pairs of (predictions - labels) within a row."""
    given("labels", labels)
    given("predictions", predictions)
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        weights = cast(weights, dtype=datatypes.float32)
        labels = cast(labels, dtype=datatypes.float32)
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions = cast(predictions, dtype=datatypes.float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            loss = _pairwise(apply_op("Sub", predictions, labels), weights)
            add_loss(loss, loss_collection)
            return loss


def _pairwise(diffs: Tensor, weights: Tensor) -> Tensor:
    axis = range(1, rank(diffs))
    squares = reduce_sum(apply_op("Square", diffs), axis=axis, keepdims=True)
    count = num_present(diffs, weights, per_batch=True)
    first = 2.0 * div_no_nan(squares, apply_op("Maximum", count - 1, 0), name="value")
    total = reduce_sum(diffs, axis=axis, keepdims=True)
    square = apply_op("Square", total)
    second = 2.0 * div_no_nan(square, apply_op("Maximum", multiply(count, count - 1), 0), name="value")
    loss = reduce_sum(multiply(first - second, weights))
    return where(reduce_sum(count) > 0, loss, zeros_like(loss), name="value")


def given(name: str, value: Any) -> None:
    """Raise ValueError if an argument is None."""
    if value is None:
        raise ValueError(f"Argument `{name}` must not be None.")
