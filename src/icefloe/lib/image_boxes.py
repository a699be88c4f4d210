"""Boxes in images: drawn, sampled, suppressed where they overlap; parts cut out."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import expand_dims, reshape, shape
from icefloe.lib.map_fn import map_fn

_NEGATIVE_INFINITY = float("-inf")


def draw_bounding_boxes(images: Any, boxes: Any, name: str | None = None, colors: Any = None) -> Tensor:
    """Return images with the outlines of boxes [batch, boxes, (y_min, x_min, y_max, x_max)] of fractions."""
    if colors is None:
        return apply_op("DrawBoundingBoxes", images, boxes, name=name)
    return apply_op("DrawBoundingBoxesV2", images, boxes, colors, name=name)


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Return the part in each box, of image `box_ind[i]` of the batch, resized to `crop_size`."""
    box_ind = renamed("box_indices", box_indices, "box_ind", box_ind)
    how: dict[str, Any] = {"method": method, "extrapolation_value": extrapolation_value}
    return apply_op("CropAndResize", image, boxes, box_ind, crop_size, **how, name=name)


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return windows of `size` at `offsets` in images; what lies outside is noise."""
    how: dict[str, Any] = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise}
    return apply_op("ExtractGlimpse", input, size, offsets, **how, name=name)


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """Return the windows of images, each as one row of channels."""
    ksizes = renamed("sizes", sizes, "ksizes", ksizes)
    return extract_patches(images, ksizes, strides, rates, padding, name)


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Tensor:
    """Return the windows of images, each as one row of channels."""
    how = {"ksizes": sizes, "strides": strides, "rates": rates, "padding": padding}
    return apply_op("ExtractImagePatches", images, **how, name=name)


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Return (begin, size, box) of a random part of an image that holds enough of one of its boxes."""
    given = {
        "seed": seed,
        "seed2": seed2,
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    attrs: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    with name_scope(name, "sample_distorted_bounding_box"):
        inputs = {"image_size": image_size, "bounding_boxes": bounding_boxes, "min_object_covered": min_object_covered}
        return apply_op("SampleDistortedBoundingBoxV2", **inputs, **attrs, name=name)


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NEGATIVE_INFINITY,
    name: str | None = None,
) -> Tensor:
    """Return the indices of the best boxes of which none overlaps a better one by more than `iou_threshold`."""
    with name_scope(name, "non_max_suppression"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        return apply_op("NonMaxSuppressionV3", boxes, scores, max_output_size, iou_threshold, score_threshold)


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NEGATIVE_INFINITY,
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return what `non_max_suppression` does and the scores.

    soft_nms_sigma: if not 0, overlapping boxes lose score instead of being left out.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        soft_nms_sigma = convert_to_tensor(soft_nms_sigma, name="soft_nms_sigma")
        limits = (iou_threshold, score_threshold, soft_nms_sigma)
        indices, kept, _ = apply_op(
            "NonMaxSuppressionV5", boxes, scores, max_output_size, *limits, pad_to_max_output_size=False
        )
        return indices, kept


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = _NEGATIVE_INFINITY,
    name: str | None = None,
) -> Tensor:
    """Return what `non_max_suppression` does, from the overlap of each two boxes."""
    with name_scope(name, "non_max_suppression_overlaps"):
        overlap_threshold = convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return apply_op(
            "NonMaxSuppressionWithOverlaps", overlaps, scores, max_output_size, overlap_threshold, score_threshold
        )


def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NEGATIVE_INFINITY,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """Return (boxes, scores, classes, counts) of the best boxes of each image over all classes."""
    with name_scope(name, "combined_non_max_suppression"):
        iou_threshold = convert_to_tensor(iou_threshold, dtype=datatypes.float32, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, dtype=datatypes.float32, name="score_threshold")
        sizes = (max_output_size_per_class, convert_to_tensor(max_total_size))
        how: dict[str, Any] = {"pad_per_class": pad_per_class, "clip_boxes": clip_boxes}
        return apply_op("CombinedNonMaxSuppression", boxes, scores, *sizes, iou_threshold, score_threshold, **how)


def generate_bounding_box_proposals(
    scores: Any,
    bbox_deltas: Any,
    image_info: Any,
    anchors: Any,
    nms_threshold: Any = 0.7,
    pre_nms_topn: Any = 6000,
    min_size: Any = 16,
    post_nms_topn: int = 300,
    name: str | None = None,
) -> Any:
    """Return (regions of interest, their probabilities) from anchors and their deltas."""
    inputs = (scores, bbox_deltas, image_info, anchors, nms_threshold, pre_nms_topn, min_size)
    return apply_op("GenerateBoundingBoxProposals", *inputs, post_nms_topn=post_nms_topn, name=name)


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NEGATIVE_INFINITY,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """Return (what `non_max_suppression` does, how many of it are boxes).

    boxes: [..., n, 4]; scores: [..., n]. pad_to_max_output_size: the indices are padded with zeros to
    `max_output_size`; it must be so for batches. Whether boxes are sorted or canonical, and the tile size, change
    nothing.

    Raises: ValueError for batches that are not padded.
    """
    with name_scope(name, "non_max_suppression_padded"):
        boxes = convert_to_tensor(boxes, name="boxes")
        scores = convert_to_tensor(scores, name="scores")
        limits = [
            convert_to_tensor(max_output_size, name="max_output_size"),
            convert_to_tensor(iou_threshold, name="iou_threshold"),
            convert_to_tensor(score_threshold, name="score_threshold"),
        ]
        rank = boxes.shape.rank
        if rank == 2:
            indices, valid = apply_op(
                "NonMaxSuppressionV4", boxes, scores, *limits, pad_to_max_output_size=pad_to_max_output_size
            )
            return indices, valid
        if not pad_to_max_output_size and rank is not None:
            raise ValueError(
                f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched input"
            )
        batch = shape(boxes)[:-2]
        count = shape(boxes)[-2]

        def one(item: Any) -> Any:
            return tuple(apply_op("NonMaxSuppressionV4", item[0], item[1], *limits, pad_to_max_output_size=True))

        flat = reshape(boxes, stack([-1, count, 4])), reshape(scores, stack([-1, count]))
        indices, valid = map_fn(one, flat, dtype=(datatypes.int32, datatypes.int32))
        return reshape(indices, concat([batch, expand_dims(limits[0], 0)], 0)), reshape(valid, batch)
