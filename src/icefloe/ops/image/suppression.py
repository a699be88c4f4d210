"""Non-maximum suppression: of boxes that overlap too much the one with the highest score is kept.

Boxes are (y1, x1, y2, x2), corners in any order; overlap is intersection over union, in float32 whatever the boxes are.
Of equal scores the lower index comes first. Source: tensorflow/core/kernels/image/non_max_suppression_op.cc.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, with_rank
from icefloe.ops.allocation import check_shape

# Takes box numbers `i` and `others` and returns how much each of the others overlaps with `i`.
Similarity = Callable[[int, Any], Any]


def _corners(boxes: Any) -> Any:
    """Return float32 rows (ymin, xmin, ymax, xmax, area)."""
    wide = boxes.astype(np.float32)
    low, high = np.minimum(wide[:, :2], wide[:, 2:]), np.maximum(wide[:, :2], wide[:, 2:])
    area = (high[:, 0] - low[:, 0]) * (high[:, 1] - low[:, 1])
    return np.concatenate((low, high, area[:, None]), axis=1)


def _overlaps(corners: Any) -> Similarity:
    def similarity(i: int, others: Any) -> Any:
        box, rest = corners[i], corners[others]
        reach = np.minimum(rest[:, 2:4], box[2:4]) - np.maximum(rest[:, :2], box[:2])
        both = np.maximum(reach[:, 0], np.float32(0)) * np.maximum(reach[:, 1], np.float32(0))
        real = (rest[:, 4] > 0) & (box[4] > 0)
        union = np.where(real, rest[:, 4] + box[4] - both, np.float32(1))
        return np.where(real, both / union, np.float32(0))

    return similarity


def _order(scores: Any, threshold: Any) -> Any:
    """Return the indices of scores above the threshold, highest first."""
    kept = np.flatnonzero(scores > threshold)
    return kept[np.argsort(-scores[kept].astype(np.float64), kind="stable")]


def _hard(order: Any, similarity: Similarity, threshold: Any, limit: int, dtype: np.dtype[Any]) -> list[int]:
    """Return the boxes that are kept, at most `limit`, of those in `order`."""
    selected: list[int] = []
    rest = order
    while len(rest) and len(selected) < limit:
        first, rest = int(rest[0]), rest[1:]
        selected.append(first)
        if len(rest):
            rest = rest[~(similarity(first, rest).astype(dtype) > threshold)]
    return selected


def _soft(scores: Any, similarity: Similarity, threshold: Any, sigma: Any, limit: int) -> tuple[list[int], list[Any]]:
    """Return (boxes, scores) where overlapping boxes lose score instead of being dropped, at most `limit`."""
    real = scores.dtype.type
    scale = real(-0.5) / sigma
    queue = [(-float(s), i, 0) for i, s in enumerate(scores) if s > threshold]
    heapq.heapify(queue)
    selected: list[int] = []
    kept: list[Any] = []
    while queue and len(selected) < limit:
        negative, box, seen = heapq.heappop(queue)
        score = before = real(-negative)
        if len(selected) > seen:
            for overlap in similarity(box, np.array(selected[seen:][::-1])).astype(scores.dtype):
                score = real(score * np.exp(real(scale * overlap * overlap)))
                if score <= threshold:
                    break
        if score == before:
            selected.append(box)
            kept.append(score)
        elif score > threshold:
            heapq.heappush(queue, (-float(score), box, len(selected)))
    return selected, kept


def _lowest(dtype: np.dtype[Any]) -> Any:
    return ml_dtypes.finfo(dtype).min  # type: ignore[no-untyped-call]


def _scalar(value: Any, name: str) -> Any:
    if np.ndim(value) != 0:
        raise errors.InvalidArgumentError(f"{name} must be 0-D, got shape {shape_text(np.shape(value))}")
    return value


def _checked(boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any) -> int:
    size = int(_scalar(max_output_size, "max_output_size"))
    if not 0 <= _scalar(iou_threshold, "iou_threshold") <= 1:
        raise errors.InvalidArgumentError("iou_threshold must be in [0, 1]")
    if boxes.ndim != 2:
        raise errors.InvalidArgumentError(f"boxes must be 2-D{shape_text(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise errors.InvalidArgumentError(f"boxes must have 4 columns (Dimension must be 4 but is {boxes.shape[1]})")
    _check_scores(scores, len(boxes))
    if size < 0:
        raise errors.InvalidArgumentError("output size must be non-negative")
    return size


def _check_scores(scores: Any, count: int) -> None:
    if scores.ndim != 1:
        raise errors.InvalidArgumentError(f"scores must be 1-D{shape_text(scores.shape)}")
    if len(scores) != count:
        raise errors.InvalidArgumentError(
            f"scores has incompatible shape (Dimensions must be equal, but are {count} and {len(scores)})"
        )


def _suppressed(boxes: Any, scores: Any, size: int, iou_threshold: Any, score_threshold: Any) -> list[int]:
    order = _order(scores, score_threshold)
    return _hard(order, _overlaps(_corners(boxes)), scores.dtype.type(iou_threshold), size, scores.dtype)


@kernel("NonMaxSuppression")
def non_max_suppression(boxes: Any, scores: Any, max_output_size: Any, *, iou_threshold: float) -> Any:
    """Return the int32 indices of the boxes that are kept."""
    size = _checked(boxes, scores, max_output_size, iou_threshold)
    return np.array(_suppressed(boxes, scores, size, iou_threshold, _lowest(scores.dtype)), np.int32)


@kernel("NonMaxSuppressionV2")
def non_max_suppression_v2(boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any) -> Any:
    """Return the int32 indices of the boxes that are kept."""
    size = _checked(boxes, scores, max_output_size, iou_threshold)
    return np.array(_suppressed(boxes, scores, size, iou_threshold, _lowest(scores.dtype)), np.int32)


@kernel("NonMaxSuppressionV3")
def non_max_suppression_v3(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any, score_threshold: Any
) -> Any:
    """Return the int32 indices of the boxes that are kept, all with scores above `score_threshold`."""
    size = _checked(boxes, scores, max_output_size, iou_threshold)
    threshold = scores.dtype.type(_scalar(score_threshold, "score_threshold"))
    return np.array(_suppressed(boxes, scores, size, iou_threshold, threshold), np.int32)


def _padded(selected: list[int], size: int, pad: bool) -> Any:
    if pad:
        check_shape((size,), np.dtype(np.int32))
    return np.array(selected + [0] * ((size - len(selected)) if pad else 0), np.int32)


@kernel("NonMaxSuppressionV4")
def non_max_suppression_v4(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    *,
    pad_to_max_output_size: bool,
) -> tuple[Any, Any]:
    """Return (int32 indices of the boxes that are kept, how many), padded with zeros where asked."""
    size = _checked(boxes, scores, max_output_size, iou_threshold)
    threshold = scores.dtype.type(_scalar(score_threshold, "score_threshold"))
    selected = _suppressed(boxes, scores, size, iou_threshold, threshold)
    return _padded(selected, size, pad_to_max_output_size), np.int32(len(selected))


@kernel("NonMaxSuppressionV5")
def non_max_suppression_v5(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    soft_nms_sigma: Any,
    *,
    pad_to_max_output_size: bool,
) -> tuple[Any, Any, Any]:
    """Return (int32 indices of the boxes that are kept, their scores, how many), padded with zeros where asked."""
    size = _checked(boxes, scores, max_output_size, iou_threshold)
    threshold = scores.dtype.type(_scalar(score_threshold, "score_threshold"))
    sigma = scores.dtype.type(_scalar(soft_nms_sigma, "soft_nms_sigma"))
    if sigma < 0:
        raise errors.InvalidArgumentError("soft_nms_sigma_val must be in non-negative")
    if sigma > 0:
        selected, kept = _soft(scores, _overlaps(_corners(boxes)), threshold, sigma, size)
    else:
        selected = _suppressed(boxes, scores, size, iou_threshold, threshold)
        kept = [scores[i] for i in selected]
    index = _padded(selected, size, pad_to_max_output_size)
    values = np.zeros(len(index), scores.dtype)
    values[: len(kept)] = kept
    return index, values, np.int32(len(selected))


@kernel("NonMaxSuppressionWithOverlaps")
def non_max_suppression_with_overlaps(
    overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any, score_threshold: Any
) -> Any:
    """Return the int32 indices of the boxes that are kept; `overlaps` says how much any two overlap."""
    size = int(_scalar(max_output_size, "max_output_size"))
    if overlaps.ndim != 2:
        raise errors.InvalidArgumentError(f"overlaps must be 2-D{shape_text(overlaps.shape)}")
    if overlaps.shape[0] != overlaps.shape[1]:
        raise errors.InvalidArgumentError(f"overlaps must be square{shape_text(overlaps.shape)}")
    _check_scores(scores, len(overlaps))
    if size < 0:
        raise errors.InvalidArgumentError("output size must be non-negative")
    order = _order(scores, _scalar(score_threshold, "score_threshold"))
    threshold = _scalar(overlap_threshold, "overlap_threshold")
    # The table is read as (candidate, selected), as it need not be symmetric.
    selected = _hard(order, lambda i, others: overlaps[others, i], threshold, size, scores.dtype)
    return np.array(selected, np.int32)


@kernel("CombinedNonMaxSuppression")
def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    *,
    pad_per_class: bool,
    clip_boxes: bool,
) -> tuple[Any, Any, Any, Any]:
    """Return (boxes, scores, classes, count) of the best boxes of each image, padded with zeros.

    boxes: [n, boxes, classes or 1, 4]; scores: [n, boxes, classes]. Boxes of different classes do not compete.
    """
    if boxes.ndim != 4:
        raise errors.InvalidArgumentError(f"boxes must be 4-D{shape_text(boxes.shape)}")
    if scores.ndim != 3:
        raise errors.InvalidArgumentError(f"scores must be 3-D{shape_text(scores.shape)}")
    per_class = int(_scalar(max_output_size_per_class, "max_size_per_class"))
    total = int(_scalar(max_total_size, "max_total_size"))
    if per_class <= 0:
        raise errors.InvalidArgumentError("max_size_per_class must be positive")
    if total <= 0:
        raise errors.InvalidArgumentError("max_total_size must be > 0")
    if not 0 <= _scalar(iou_threshold, "iou_threshold") <= 1:
        raise errors.InvalidArgumentError("iou_threshold must be in [0, 1]")
    threshold = np.float32(_scalar(score_threshold, "score_threshold"))
    batch, count, variants = boxes.shape[:3]
    if boxes.shape[3] != 4:
        raise errors.InvalidArgumentError("boxes must have 4 columns")
    if scores.shape[:2] != (batch, count):
        raise errors.InvalidArgumentError("scores has incompatible shape")
    classes = scores.shape[2]
    if variants not in (1, classes):
        raise errors.InvalidArgumentError(
            f"third dimension of boxes must be either 1 or num classes: got {variants}, expected 1 or {classes}"
        )
    size = min(total, per_class * classes) if pad_per_class else total
    check_shape((batch, size, 4), np.dtype(np.float32))
    out_boxes = np.zeros((batch, size, 4), np.float32)
    out_scores, out_classes = np.zeros((batch, size), np.float32), np.zeros((batch, size), np.float32)
    valid = np.zeros(batch, np.int32)
    for image in range(batch):
        found: list[tuple[float, int, int]] = []
        for label in range(classes):
            variant = boxes[image, :, label if variants > 1 else 0]
            kept = _suppressed(variant, scores[image, :, label], per_class, iou_threshold, threshold)
            found.extend((-float(scores[image, i, label]), label, i) for i in kept)
        found.sort(key=lambda f: f[0])
        best = found[:size]
        valid[image] = len(best)
        for place, (negative, label, i) in enumerate(best):
            out_boxes[image, place] = boxes[image, i, label if variants > 1 else 0]
            out_scores[image, place], out_classes[image, place] = -negative, label
    if clip_boxes:
        np.clip(out_boxes, 0, 1, out=out_boxes)
    return out_boxes, out_scores, out_classes, valid


def _check_static(c: ShapeContext) -> None:
    boxes, scores = with_rank(c.shape(0), 2), with_rank(c.shape(1), 1)
    merge(boxes[:1], scores)
    for i in range(2, c.num_inputs):
        with_rank(c.shape(i), 0)
    if c.op != "NonMaxSuppressionWithOverlaps" and boxes[1] not in (None, 4):
        raise errors.InvalidArgumentError(f"Dimension must be 4 but is {boxes[1]}")


@shape("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionWithOverlaps")
def selected_shape(c: ShapeContext) -> list[Any]:
    """A vector of unknown length."""
    _check_static(c)
    return [(None,)]


@shape("NonMaxSuppressionV4", "NonMaxSuppressionV5")
def padded_shape(c: ShapeContext) -> list[Any]:
    """A vector, of known length where it is padded; for V5 another; a scalar."""
    _check_static(c)
    size = c.constant(2) if c.attr("pad_to_max_output_size") else None
    if size is not None and int(size) < 0:
        raise errors.InvalidArgumentError("max_output_size must be non-negative")
    length = (None if size is None else int(size),)
    return [length, *([length] if c.op == "NonMaxSuppressionV5" else []), ()]


@shape("CombinedNonMaxSuppression")
def combined_shape(c: ShapeContext) -> list[Any]:
    """Boxes, scores and classes of each image, and a count for each."""
    boxes, scores = with_rank(c.shape(0), 4), with_rank(c.shape(1), 3)
    per_class, total = c.constant(2), c.constant(3)
    size = None if total is None else int(total)
    if size is not None and c.attr("pad_per_class"):
        known = per_class is not None and scores[2] is not None
        size = min(size, int(per_class) * scores[2]) if known else None  # type: ignore[arg-type,operator]
    batch = boxes[0]
    return [(batch, size, 4), (batch, size), (batch, size), (batch,)]
