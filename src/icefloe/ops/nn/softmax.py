"""Softmax and the cross entropies that are computed with it. 16-bit floats are computed in float32 and rounded once.

Source: tensorflow/core/kernels/softmax_op.cc, xent_op.cc, sparse_xent_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    ShapeContext,
    broadcast_shapes,
    merge,
    shape_text,
    with_rank,
    with_rank_at_least,
)


def _working(x: Any) -> Any:
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def _shifted(x: Any) -> Any:
    """Return a copy of `x` less its greatest element along the last axis."""
    return x - x.max(axis=-1, keepdims=True)


def _checked_logits(logits: Any) -> None:
    if np.ndim(logits) < 1:
        raise errors.InvalidArgumentError(f"logits must have >= 1 dimension, got {shape_text(np.shape(logits))}")


@kernel("Softmax")
def softmax(logits: Any) -> Any:
    """Return exp(logits), divided by its sum along the last axis."""
    _checked_logits(logits)
    if not logits.size:
        return np.empty(logits.shape, logits.dtype)
    out = _shifted(_working(logits))
    np.exp(out, out=out)
    out /= out.sum(axis=-1, keepdims=True)
    return out.astype(logits.dtype, copy=False)


@kernel("LogSoftmax")
def log_softmax(logits: Any) -> Any:
    """Return the logarithm of the softmax along the last axis."""
    _checked_logits(logits)
    if not logits.size:
        return np.empty(logits.shape, logits.dtype)
    out = _shifted(_working(logits))
    out -= np.log(np.exp(out).sum(axis=-1, keepdims=True))
    return out.astype(logits.dtype, copy=False)


@kernel("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy_with_logits(features: Any, labels: Any) -> tuple[Any, Any]:
    """Return (loss [batch], gradient of the features [batch, classes]). Both inputs broadcast to one matrix."""
    try:
        sizes = np.broadcast_shapes(features.shape, labels.shape)
    except ValueError:
        raise errors.InvalidArgumentError(
            "logits and labels must be broadcastable: "
            f"logits_size={shape_text(features.shape)} labels_size={shape_text(labels.shape)}"
        ) from None
    if len(sizes) != 2:
        raise errors.InvalidArgumentError(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
        )
    dtype = features.dtype
    if 0 in sizes:
        return np.zeros(sizes[:1], dtype), np.empty(sizes, dtype)
    logits, wanted = np.broadcast_to(_working(features), sizes), np.broadcast_to(_working(labels), sizes)
    shifted = _shifted(logits)
    grown = np.exp(shifted)
    total = grown.sum(axis=1, keepdims=True)
    loss = (wanted * (np.log(total) - shifted)).sum(axis=1)
    grown /= total
    grown -= wanted
    return loss.astype(dtype, copy=False), grown.astype(dtype, copy=False)


@kernel("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy_with_logits(features: Any, labels: Any) -> tuple[Any, Any]:
    """Return (loss [batch], gradient of the features [batch, classes]) for one right class in each row."""
    if np.ndim(features) != 2:
        raise errors.InvalidArgumentError(f"logits must be 2-D, but got shape {shape_text(np.shape(features))}")
    if np.ndim(labels) != 1:
        raise errors.InvalidArgumentError(f"labels must be 1-D, but got shape {shape_text(np.shape(labels))}")
    batch, classes = features.shape
    if len(labels) != batch:
        raise errors.InvalidArgumentError(
            "logits and labels must have the same first dimension, "
            f"got logits shape {shape_text(features.shape)} and labels shape {shape_text(labels.shape)}"
        )
    if batch and not classes:
        raise errors.InvalidArgumentError(
            f"Must have at least one class, but got logits shape {shape_text(features.shape)}"
        )
    dtype = features.dtype
    if not features.size:
        return np.zeros(batch, dtype), np.empty(features.shape, dtype)
    outside = (labels < 0) | (labels >= classes)
    if outside.any():
        raise errors.InvalidArgumentError(
            f"Received a label value of {labels[outside][0]} which is outside the valid range of [0, {classes}).  "
            f"Label values: {' '.join(map(str, labels.tolist()))}"
        )
    shifted = _shifted(_working(features))
    rows = np.arange(batch)
    right = shifted[rows, labels]
    np.exp(shifted, out=shifted)
    total = shifted.sum(axis=1, keepdims=True)
    loss = np.log(total[:, 0]) - right
    shifted /= total
    shifted[rows, labels] -= shifted.dtype.type(1)
    return loss.astype(dtype, copy=False), shifted.astype(dtype, copy=False)


@shape("Softmax", "LogSoftmax")
def softmax_shape(c: ShapeContext) -> list[Any]:
    """The shape of the logits."""
    return [with_rank_at_least(c.shape(0), 1)]


@shape("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy_with_logits_shape(c: ShapeContext) -> list[Any]:
    """A loss for each row, and the matrix that both inputs broadcast to."""
    sizes = with_rank(broadcast_shapes(c.shape(0), c.shape(1)), 2)
    return [sizes[:1], sizes]


@shape("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy_with_logits_shape(c: ShapeContext) -> list[Any]:
    """A loss for each row, and the shape of the logits."""
    batch, classes = with_rank(c.shape(0), 2)
    rows = merge((batch,), with_rank(c.shape(1), 1))
    assert rows is not None
    return [rows, (rows[0], classes)]
