"""EditDistance: how many insertions, deletions and substitutions lead from one sequence to another."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array
from icefloe.shapes import Dims, shape_text


def _check_sparse(name: str, indices: Array, values: Array, sizes: Array) -> None:
    if indices.ndim != 2:
        raise errors.InvalidArgumentError(
            f"{name}_indices should be a matrix, but got shape: {shape_text(indices.shape)}"
        )
    for what, a in (("values", values), ("shape", sizes)):
        if a.ndim != 1:
            raise errors.InvalidArgumentError(f"{name}_{what} should be a vector, but got shape: {shape_text(a.shape)}")
    if len(values) != len(indices):
        raise errors.InvalidArgumentError(
            f"Expected {name}_values.NumElements == #rows({name}_indices), their shapes are: {shape_text(values.shape)}"
            f" and {shape_text(indices.shape)}"
        )
    if len(sizes) != indices.shape[1]:
        raise errors.InvalidArgumentError(
            f"Expected {name}_shape.NumElements == #cols({name}_indices), their shapes are: {shape_text(sizes.shape)}"
            f" and {shape_text(indices.shape)}"
        )


def _check_both(hypothesis_shape: Array, truth_shape: Array) -> None:
    for name, sizes in (("truth", truth_shape), ("hypothesis", hypothesis_shape)):
        if len(sizes) < 2:
            raise errors.InvalidArgumentError(
                f"Input SparseTensors must have rank at least 2, but {name}_shape rank is: {len(sizes)}"
            )
    if len(truth_shape) != len(hypothesis_shape):
        raise errors.InvalidArgumentError(
            f"Expected hypothesis and truth to have matching ranks, but saw {shape_text(hypothesis_shape.shape)} and"
            f" {shape_text(truth_shape.shape)}"
        )


def _sequences(indices: Array, values: Array) -> list[tuple[list[int], list[Any]]]:
    """Return the sequences with their place: of elements in a row that share all but the last coordinate."""
    pairs = zip(indices[:, :-1].tolist(), values.tolist())
    return [(place, [value for _, value in group]) for place, group in itertools.groupby(pairs, lambda pair: pair[0])]


def _matched(
    hypotheses: list[tuple[list[int], list[Any]]], truths: list[tuple[list[int], list[Any]]]
) -> Iterator[tuple[list[int], list[Any], list[Any]]]:
    """Yield (place, hypothesis, truth), both lists walked in step; where one has no such place its part is empty."""
    i = j = 0
    while i < len(hypotheses) or j < len(truths):
        if j == len(truths) or (i < len(hypotheses) and hypotheses[i][0] < truths[j][0]):
            yield *hypotheses[i], []
            i += 1
        elif i == len(hypotheses) or truths[j][0] < hypotheses[i][0]:
            yield truths[j][0], [], truths[j][1]
            j += 1
        else:
            yield *hypotheses[i], truths[j][1]
            i, j = i + 1, j + 1


def distance(a: list[Any], b: list[Any]) -> int:
    """Return the Levenshtein distance of two sequences."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above_left, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above_left, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above_left + (x != y))
    return row[-1]


@kernel("EditDistance")
def edit_distance(
    hypothesis_indices: Any,
    hypothesis_values: Any,
    hypothesis_shape: Any,
    truth_indices: Any,
    truth_values: Any,
    truth_shape: Any,
    *,
    normalize: bool,
) -> Array:
    """The distance of the sequences in the last dimension of two sparse tensors.

    Normalized, it is divided by the truth's length: infinity where only the truth is empty.
    """
    _check_sparse("hypothesis", hypothesis_indices, hypothesis_values, hypothesis_shape)
    _check_sparse("truth", truth_indices, truth_values, truth_shape)
    _check_both(hypothesis_shape, truth_shape)
    target = check_shape(np.maximum(hypothesis_shape, truth_shape)[:-1].tolist(), np.dtype(np.float32))
    result = np.zeros(target, np.float32)
    hypotheses = _sequences(hypothesis_indices, hypothesis_values)
    truths = _sequences(truth_indices, truth_values)
    for place, hypothesis, truth in _matched(hypotheses, truths):
        if any(not 0 <= at < size for at, size in zip(place, target)):
            product = sum(at * math.prod(target[i + 1 :]) for i, at in enumerate(place))
            raise errors.InternalError(
                f"Got an inner product {product} which would require writing to outside of the buffer for the output"
                f" tensor (max elements {result.size})"
            )
        if normalize and not truth:
            result[tuple(place)] = math.inf
        else:
            result[tuple(place)] = distance(truth, hypothesis) / (len(truth) if normalize else 1)
    return result


@shape("EditDistance")
def edit_distance_shape(c: ShapeContext) -> list[Dims]:
    for i in (0, 3):
        with_rank(c.shape(i), 2)
    for i in (1, 2, 4, 5):
        with_rank(c.shape(i), 1)
    hypothesis, truth = c.constant(2), c.constant(5)
    if hypothesis is None or truth is None:
        return [None]
    if len(hypothesis) != len(truth):
        raise errors.InvalidArgumentError(
            f"Num elements of hypothesis_shape does not match truth_shape: {len(hypothesis)} vs. {len(truth)}"
        )
    return [tuple(np.maximum(hypothesis, truth)[:-1].tolist())]
