"""The confusion matrix, and the squeezing of labels and predictions that losses share."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones_like
from icefloe.lib.array_join import stack
from icefloe.lib.array_shape import rank, squeeze
from icefloe.lib.checks import assert_less, assert_non_negative
from icefloe.lib.control import with_dependencies
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import equal
from icefloe.lib.math_reduce import reduce_max


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Return `(labels, predictions)`, one without its last axis of size 1 if their ranks then differ as expected."""
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions = convert_to_tensor(predictions)
        labels = convert_to_tensor(labels)
        if labels.shape.rank is not None and predictions.shape.rank is not None:
            diff = predictions.shape.rank - labels.shape.rank
            if diff == expected_rank_diff + 1 and _may_be_one(predictions):
                predictions = squeeze(predictions, [-1])
            elif diff == expected_rank_diff - 1 and _may_be_one(labels):
                labels = squeeze(labels, [-1])
            return labels, predictions
        difference = rank(predictions) - rank(labels)
        if _may_be_one(predictions):
            predictions = _squeezed_if(equal(expected_rank_diff + 1, difference), predictions)
        if _may_be_one(labels):
            labels = _squeezed_if(equal(expected_rank_diff - 1, difference), labels)
        return labels, predictions


def _may_be_one(tensor: Tensor) -> bool:
    return tensor.shape.rank is None or tensor.shape.as_list()[-1] in (1, None)


def _squeezed_if(condition: Any, tensor: Tensor) -> Tensor:
    result: Tensor = cond(condition, lambda: squeeze(tensor, [-1]), lambda: tensor)
    return result


def squeezed_weights(weights: Any, labels: Tensor) -> Tensor:
    """Return the weights of `labels` without a last axis of size 1 that is one too many."""
    weights = convert_to_tensor(weights)
    ranks = weights.shape.rank, labels.shape.rank
    if ranks[0] is not None and ranks[1] is not None:
        return squeeze(weights, [-1]) if ranks[0] - ranks[1] == 1 else weights
    difference = rank(weights) - rank(labels)
    if ranks[0] is None or (ranks[0] > 0 and _may_be_one(weights)):
        return _squeezed_if(equal(1, difference), weights)
    return weights


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = datatypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """Return the matrix [class, predicted class] of how often, or with what total weight, each pair occurs."""
    with name_scope(name, "confusion_matrix", [predictions, labels, num_classes, weights]):
        labels = convert_to_tensor(labels, name="labels")
        predictions = convert_to_tensor(predictions, name="predictions")
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions = cast(predictions, datatypes.int64)
        labels = cast(labels, datatypes.int64)

        def checked(tensor: Tensor, check: Any) -> Tensor:
            return with_dependencies([check], tensor)

        labels = checked(labels, assert_non_negative(labels, message="`labels` contains negative values"))
        predictions = checked(
            predictions, assert_non_negative(predictions, message="`predictions` contains negative values")
        )
        if num_classes is None:
            num_classes = apply_op("Maximum", reduce_max(predictions), reduce_max(labels)) + 1
        else:
            limit = cast(num_classes, datatypes.int64)
            labels = checked(labels, assert_less(labels, limit, message="`labels` out of bound"))
            predictions = checked(predictions, assert_less(predictions, limit, message="`predictions` out of bound"))
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = cast(weights, dtype)
        shape = stack([num_classes, num_classes])
        indices = stack([labels, predictions], axis=1)
        values = ones_like(predictions, dtype) if weights is None else weights
        return apply_op("ScatterNd", indices, values, cast(shape, datatypes.int64))
