"""DrawBoundingBoxes and glimpses.

Source: tensorflow/core/kernels/image/draw_bounding_box_op.cc, attention_ops.cc,
tensorflow/core/kernels/eigen_attention.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.philox.distributions import normal, uniform
from icefloe.philox.stream import Stream

# Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia; red, green, blue, alpha.
_COLORS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


def _drawn(images: Any, boxes: Any, colors: Any) -> Any:
    if images.ndim != 4:
        raise errors.InvalidArgumentError("The rank of the images should be 4")
    if boxes.ndim != 3:
        raise errors.InvalidArgumentError("The rank of the boxes tensor should be 3")
    if len(images) != len(boxes):
        raise errors.InvalidArgumentError("The batch sizes should be the same")
    depth = images.shape[3]
    if depth not in (1, 3, 4):
        raise errors.InvalidArgumentError("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes.shape[2] != 4:
        raise errors.InvalidArgumentError(
            f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}"
        )
    if colors is not None:
        if colors.ndim != 2:
            raise errors.InvalidArgumentError(f"colors must be a 2-D matrix{shape_text(colors.shape)}")
        if colors.shape[1] < depth:
            raise errors.InvalidArgumentError(
                f"colors must have equal or more channels than the image provided: {shape_text(colors.shape)}"
            )
    table = colors if colors is not None and colors.size else _COLORS
    if table is _COLORS and depth == 1:
        table = np.ones((1, 1), np.float32)
    height, width = images.shape[1:3]
    out = images.copy()
    spans = np.array([height - 1, width - 1, height - 1, width - 1], np.float32)
    with np.errstate(invalid="ignore"):
        # Towards zero, as a cast in C.
        corners = np.trunc(boxes.astype(np.float32) * spans)
    for image, rows in zip(out, corners):
        for number, (top, left, bottom, right) in enumerate(rows.tolist()):
            if not (top <= bottom and left <= right and top < height and bottom >= 0 and left < width and right >= 0):
                continue
            color = table[number % len(table), :depth].astype(images.dtype)
            down = slice(int(max(top, 0)), int(min(bottom, height - 1)) + 1)
            across = slice(int(max(left, 0)), int(min(right, width - 1)) + 1)
            for line in (top, bottom):
                if 0 <= line < height:
                    image[int(line), across] = color
            for line in (left, right):
                if 0 <= line < width:
                    image[down, int(line)] = color
    return out


@kernel("DrawBoundingBoxes")
def draw_bounding_boxes(images: Any, boxes: Any) -> Any:
    """Return the images with boxes (y1, x1, y2, x2), shares of the image, drawn in ten colours by turns."""
    return _drawn(images, boxes, None)


@kernel("DrawBoundingBoxesV2")
def draw_bounding_boxes_v2(images: Any, boxes: Any, colors: Any) -> Any:
    """Return the images with boxes (y1, x1, y2, x2), shares of the image, drawn in given colours by turns."""
    return _drawn(images, boxes, colors)


def _glimpse_kernel(
    *, centered: bool, normalized: bool, uniform_noise: bool, noise: str, whole_window: bool
) -> Callable[..., Any]:
    if uniform_noise and noise not in ("", "uniform"):
        raise errors.InvalidArgumentError("The uniform_noise and noise could not be specified at the same time")
    kind = noise or ("uniform" if uniform_noise else "gaussian")
    if kind not in ("uniform", "gaussian", "zero"):
        raise errors.InvalidArgumentError(f"The noise could only be uniform, gaussian, or zero, got{noise}")

    def corner(offset: Any, length: int, size: int) -> int:
        """Return the first row or column of the glimpse, whose centre is at `offset`."""
        at, half = np.float32(offset), np.float32(size / 2)
        if normalized:
            at = at * np.float32(length)
        if centered and (whole_window or normalized):
            at = at / np.float32(2) + np.float32(length / 2)
        elif centered:
            at = at + np.float32(length / 2)
        if whole_window or (centered and normalized):
            at = at - half
        return int(at) if np.isfinite(at) else length

    def run(images: Any, size: Any, offsets: Any) -> Any:
        if images.ndim != 4:
            raise errors.InvalidArgumentError(
                f"input must be 4-dimensional (batch_size, height, width, depth){shape_text(images.shape)}"
            )
        if np.shape(size) != (2,):
            raise errors.InvalidArgumentError(
                f"input must be a vector of size 2 (height, width){shape_text(np.shape(size))}"
            )
        if offsets.ndim != 2:
            raise errors.InvalidArgumentError(f"input must be a matrix{shape_text(offsets.shape)}")
        if len(offsets) != len(images):
            raise errors.InvalidArgumentError(f"first dimension should be batch{shape_text(offsets.shape)}")
        if offsets.shape[1] != 2:
            raise errors.InvalidArgumentError(f"second dimension should be of size 2 (y,x){shape_text(offsets.shape)}")
        made = check_shape((len(images), int(size[0]), int(size[1]), images.shape[3]), images.dtype)
        out = np.zeros(made, images.dtype)
        if not out.size:
            return out
        for image, glimpse, offset in zip(images, out, offsets):
            spans = [_seen(corner(o, n, k), n, k) for o, n, k in zip(offset, image.shape, glimpse.shape)]
            (to_rows, rows, cut_rows), (to_columns, columns, cut_columns) = spans
            if cut_rows or cut_columns:
                glimpse[...] = _noise(image, glimpse.shape, kind)
            if rows.stop > rows.start and columns.stop > columns.start:
                glimpse[to_rows, to_columns] = image[rows, columns]
        return out

    return run


def _seen(start: int, length: int, size: int) -> tuple[slice, slice, bool]:
    """Return (where in the glimpse, what of the image, whether more than that is wanted) along one dimension."""
    if start < 0:
        wanted = max(0, size + start)
        count = min(length, wanted)
        return slice(size - wanted, size - wanted + count), slice(0, count), True
    if start + size >= length:
        count = max(0, length - start)
        return slice(0, count), slice(start, start + count), True
    return slice(0, size), slice(start, start + size), False


def _noise(image: Any, made: tuple[int, ...], kind: str) -> Any:
    """Return what fills a glimpse beyond the image: zeros, or numbers spread as the image's own are."""
    if kind == "zero":
        return np.zeros(made, image.dtype)
    stream, count = Stream.from_seeds(0, 0), int(np.prod(made))
    if kind == "uniform":
        low, high = image.min(), image.max()
        return low + uniform(stream, count, image.dtype).reshape(made) * (high - low)
    mean, sigma = image.mean(axis=(0, 1)), image.std(axis=(0, 1))
    drawn = mean + normal(stream, count, image.dtype).reshape(made) * sigma
    return np.clip(drawn, image.min(axis=(0, 1)), image.max(axis=(0, 1)))


@kernel("ExtractGlimpse", factory=True)
def extract_glimpse(*, centered: bool, normalized: bool, uniform_noise: bool, noise: str) -> Callable[..., Any]:
    """Return a window of `size` from each image, at its offset."""
    return _glimpse_kernel(
        centered=centered, normalized=normalized, uniform_noise=uniform_noise, noise=noise, whole_window=True
    )


@kernel("ExtractGlimpseV2", factory=True)
def extract_glimpse_v2(*, centered: bool, normalized: bool, uniform_noise: bool, noise: str) -> Callable[..., Any]:
    """Return a window of `size` from each image; an offset that is not normalized and centred names its corner."""
    return _glimpse_kernel(
        centered=centered, normalized=normalized, uniform_noise=uniform_noise, noise=noise, whole_window=False
    )


@shape("DrawBoundingBoxes", "DrawBoundingBoxesV2")
def draw_bounding_boxes_shape(c: ShapeContext) -> list[Any]:
    """The shape of the images."""
    return [with_rank(c.shape(0), 4)]


@shape("ExtractGlimpse", "ExtractGlimpseV2")
def extract_glimpse_shape(c: ShapeContext) -> list[Any]:
    """Batch, the size that is asked for, channels."""
    batch, _, _, channels = with_rank(c.shape(0), 4)
    offsets = with_rank(c.shape(2), 2)
    if offsets[1] not in (None, 2):
        raise errors.InvalidArgumentError(f"Dimension must be 2 but is {offsets[1]}")
    size = c.constant(1)
    made = (None, None) if size is None or np.shape(size) != (2,) else tuple(int(v) for v in size)
    return [(offsets[0] if batch is None else batch, *made, channels)]
