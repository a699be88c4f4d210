"""Random crops that still show enough of an object.

Source: tensorflow/core/kernels/image/sample_distorted_bounding_box_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank
from icefloe.philox.scalars import Scalars
from icefloe.philox.stream import Stream
from icefloe.resources import ResourceManager

Kernel = Callable[..., tuple[Any, Any, Any]]
Rectangle = tuple[int, int, int, int]  # x1, y1, x2, y2

_REAL = np.float32


def _rounded(value: np.float32) -> int:
    """Return the nearest int, halves to even, as C's lrintf."""
    return int(np.rint(value))


def _area(box: Rectangle) -> np.float32:
    return _REAL((box[2] - box[0]) * (box[3] - box[1]))


def _covers(crop: Rectangle, least: np.float32, objects: list[Rectangle]) -> bool:
    """Whether the crop shows at least this share of one of the objects."""
    if _area(crop) < 1:
        return False
    for box in objects:
        size = _area(box)
        if size < 1:
            continue
        both = (max(crop[0], box[0]), max(crop[1], box[1]), min(crop[2], box[2]), min(crop[3], box[3]))
        shown = _area(both) if both[0] <= both[2] and both[1] <= both[3] else _REAL(0)
        if shown / size >= least:
            return True
    return False


def _random_crop(
    width: int, height: int, least: np.float32, most: np.float32, ratio: np.float32, random: Scalars
) -> Rectangle | None:
    """Return a crop of this ratio of width to height whose share of the area lies between `least` and `most`."""
    if most <= 0 or ratio <= 0 or width <= 0 or height <= 0 or least > most:
        return None
    smallest, largest = _REAL(least * width) * _REAL(height), _REAL(most * width) * _REAL(height)
    tall = _rounded(np.sqrt(smallest / ratio))
    tallest = _rounded(np.sqrt(largest / ratio))
    if _rounded(_REAL(tallest) * ratio) > width:
        tallest = int((width + 0.5 - float(_REAL(1e-7))) / float(ratio))
        if _rounded(_REAL(tallest) * ratio) > width:
            tallest -= 1
    tallest = min(tallest, height)
    tall = min(tall, tallest)
    if tall < tallest:
        tall += random.below(tallest - tall + 1)
    wide = _rounded(_REAL(tall) * ratio)
    area = _REAL(wide * tall)
    if area < smallest:
        tall += 1
        wide = _rounded(_REAL(tall) * ratio)
        area = _REAL(wide * tall)
    if area > largest:
        tall -= 1
        wide = _rounded(_REAL(tall) * ratio)
        area = _REAL(wide * tall)
    if area < smallest or area > largest or not (0 < wide <= width and 0 < tall <= height):
        return None
    y = random.below(height - tall) if tall < height else 0
    x = random.below(width - wide) if wide < width else 0
    return x, y, x + wide, y + tall


def _check_attrs(ratios: Any, areas: Any, max_attempts: int) -> None:
    if len(ratios) != 2:
        raise errors.InvalidArgumentError("Aspect ratio range field must specify 2 dimensions")
    if min(ratios) <= 0:
        raise errors.InvalidArgumentError(f"Aspect ratio range must be non-negative: [{ratios[0]}, {ratios[1]}]")
    if len(areas) != 2:
        raise errors.InvalidArgumentError("Area range field must specify 2 dimensions")
    if min(areas) <= 0:
        raise errors.InvalidArgumentError(f"Area range must be non-negative: [{areas[0]}, {areas[1]}]")
    if max(areas) > 1:
        raise errors.InvalidArgumentError(f"Area range must be less then or equal to 1.0: [{areas[0]}, {areas[1]}]")
    if max_attempts <= 0:
        raise errors.InvalidArgumentError(f"Max attempts must be non-negative: {max_attempts}")


def _sampler(
    aspect_ratio_range: Any, area_range: Any, max_attempts: int, use_image_if_no_bounding_boxes: bool
) -> Callable[[Any, Any, Any, Stream], tuple[Any, Any, Any]]:
    _check_attrs(aspect_ratio_range, area_range, max_attempts)
    low, high = (_REAL(v) for v in aspect_ratio_range)
    least, most = (_REAL(v) for v in area_range)

    def run(image_size: Any, boxes: Any, covered: Any, stream: Stream) -> tuple[Any, Any, Any]:
        if image_size.ndim != 1:
            raise errors.InvalidArgumentError(f"image_size must be 1-dimensional{shape_text(image_size.shape)}")
        if len(image_size) != 3:
            raise errors.InvalidArgumentError(f"image_size must contain 3 elements{shape_text(image_size.shape)}")
        height, width = int(image_size[0]), int(image_size[1])
        for name, size in (("height", height), ("width", width)):
            if not 0 <= size < 2**31 - 1:
                raise errors.InvalidArgumentError(f"image {name} cannot be >= int32 max")
        objects = _objects(boxes, width, height)
        if np.ndim(covered) != 0:
            raise errors.InvalidArgumentError(
                f"min_object_covered must be 0-D, got shape {shape_text(np.shape(covered))}"
            )
        if covered < 0:
            raise errors.InvalidArgumentError(f"Min object covered must be non-negative: {covered}")
        if not objects:
            if not use_image_if_no_bounding_boxes:
                raise errors.InvalidArgumentError(
                    "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes "
                    "if you wish to not provide any bounding boxes."
                )
            objects = [(0, 0, width, height)]
        random = Scalars(stream)
        crop: Rectangle = (0, 0, width, height)
        for _ in range(max_attempts):
            ratio = random.single() * (high - low) + low
            tried = _random_crop(width, height, least, most, ratio, random)
            if tried is not None and _covers(tried, _REAL(covered), objects):
                crop = tried
                break
        x1, y1, x2, y2 = crop
        begin = np.array([y1, x1, 0]).astype(image_size.dtype)
        extent = np.array([y2 - y1, x2 - x1, -1]).astype(image_size.dtype)
        shares = np.array([y1, x1, y2, x2], _REAL) / np.array([height, width, height, width], _REAL)
        return begin, extent, shares.reshape(1, 1, 4)

    return run


def _objects(boxes: Any, width: int, height: int) -> list[Rectangle]:
    if boxes.ndim != 3:
        raise errors.InvalidArgumentError(
            f"input boxes must be 3-dimensional [batch, num_boxes, coords]: {shape_text(boxes.shape)}"
        )
    if boxes.shape[-1] != 4:
        raise errors.InvalidArgumentError(
            f"bounding boxes must have shape [4] or [*, 4], got {shape_text(boxes.shape)}"
        )
    flat = boxes.reshape(-1, 4)
    outside = ~((flat >= 0) & (flat <= 1))
    if outside.any():
        raise errors.InvalidArgumentError(f"All bounding box coordinates must be in [0.0, 1.0]: {flat[outside][0]}")
    scaled = flat[:, [1, 0, 3, 2]] * np.array([width, height, width, height], _REAL)
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in scaled]


@kernel("SampleDistortedBoundingBox", factory=True)
def sample_distorted_bounding_box(
    *,
    min_object_covered: float,
    aspect_ratio_range: Any,
    area_range: Any,
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    """Return (begin, size, box) of a random crop, for Slice and for DrawBoundingBoxes."""
    if min_object_covered < 0:
        raise errors.InvalidArgumentError(f"Min object covered must be non-negative: {min_object_covered}")
    run = _sampler(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    stream = manager.stream(node, seed, seed2)
    return lambda image_size, boxes: run(image_size, boxes, min_object_covered, stream.reserve(max_attempts))


@kernel("SampleDistortedBoundingBoxV2", factory=True)
def sample_distorted_bounding_box_v2(
    *,
    aspect_ratio_range: Any,
    area_range: Any,
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    """Return (begin, size, box) of a random crop; how much of an object it must show is an input."""
    run = _sampler(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    stream = manager.stream(node, seed, seed2)
    return lambda image_size, boxes, covered: run(image_size, boxes, covered, stream.reserve(max_attempts))


@kernel("StatelessSampleDistortedBoundingBox", factory=True)
def stateless_sample_distorted_bounding_box(
    *, aspect_ratio_range: Any, area_range: Any, max_attempts: int, use_image_if_no_bounding_boxes: bool
) -> Kernel:
    """Return (begin, size, box) of a random crop that the seed alone decides."""
    run = _sampler(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)

    def from_seed(image_size: Any, boxes: Any, covered: Any, seed: Any) -> tuple[Any, Any, Any]:
        if np.shape(seed) != (2,):
            raise errors.InvalidArgumentError(f"seed must have shape [2], not {shape_text(np.shape(seed))}")
        return run(image_size, boxes, covered, Stream.scrambled((int(seed[0]), int(seed[1]))))

    return from_seed


@shape("SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2", "StatelessSampleDistortedBoundingBox")
def sample_distorted_bounding_box_shape(c: ShapeContext) -> list[Any]:
    """Two vectors for Slice, one box."""
    with_rank(c.shape(0), 1)
    with_rank(c.shape(1), 3)
    return [(3,), (3,), (1, 1, 4)]
