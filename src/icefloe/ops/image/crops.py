"""CropAndResize and its gradients: boxes cut from images and resized to one size.

A box is (y1, x1, y2, x2) with 0 and 1 at the first and last pixel. Source:
tensorflow/core/kernels/image/crop_and_resize_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.image.sampling import requested_size


def _checked_boxes(boxes: Any, box_ind: Any, batch: int) -> None:
    """Raise InvalidArgumentError for shapes that do not fit, OutOfRangeError for an image that does not exist."""
    if boxes.size == 0 and box_ind.size == 0:
        return
    if boxes.ndim != 2:
        raise errors.InvalidArgumentError(f"boxes must be 2-D{shape_text(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise errors.InvalidArgumentError("boxes must have 4 columns")
    if not np.isfinite(boxes).all():
        raise errors.InvalidArgumentError("Boxes contains at least one element that is not finite")
    if box_ind.ndim != 1:
        raise errors.InvalidArgumentError(f"box_index must be 1-D{shape_text(box_ind.shape)}")
    if len(box_ind) != len(boxes):
        raise errors.InvalidArgumentError("box_index has incompatible shape")
    if ((box_ind < 0) | (box_ind >= batch)).any():
        raise errors.OutOfRangeError("box_index has values outside [0, batch_size)")


def _coordinates(low: Any, high: Any, length: int, made: int) -> Any:
    """Return float32 coordinates [boxes, made] between two ends given as shares of the image."""
    last = np.float32(length - 1)
    if made == 1:
        return (np.float32(0.5) * (low + high) * last)[:, None]
    step = (high - low) * last / np.float32(made - 1)
    return (low * last)[:, None] + np.arange(made, dtype=np.float32) * step[:, None]


class _Crop:
    """Where the pixels of each crop lie on its image.

    rows, columns: indices of the pixel above or left [boxes, made]; below, beside: of the other; down, across: its
    weight. inside: bool [boxes, height, width, 1].
    """

    def __init__(self, boxes: Any, height: int, width: int, made: tuple[int, int], method: str) -> None:
        y1, x1, y2, x2 = (boxes[:, i].astype(np.float32) for i in range(4))
        self.y, self.x = _coordinates(y1, y2, height, made[0]), _coordinates(x1, x2, width, made[1])
        within_y = (self.y >= 0) & (self.y <= height - 1)
        within_x = (self.x >= 0) & (self.x <= width - 1)
        self.inside = (within_y[:, :, None] & within_x[:, None, :])[..., None]
        y, x = np.where(within_y, self.y, np.float32(0)), np.where(within_x, self.x, np.float32(0))
        if method == "nearest":  # halves are rounded away from zero
            self.rows, self.columns = (np.floor(v + np.float32(0.5)).astype(np.int64) for v in (y, x))
            return
        self.rows, self.columns = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
        self.below, self.beside = np.ceil(y).astype(np.int64), np.ceil(x).astype(np.int64)
        self.down = (y - self.rows.astype(np.float32))[:, :, None, None]
        self.across = (x - self.columns.astype(np.float32))[:, None, :, None]


def _check_method(method: str) -> None:
    if method not in ("bilinear", "nearest"):
        raise errors.InvalidArgumentError(f"method must be 'bilinear' or 'nearest'{method}")


@kernel("CropAndResize")
def crop_and_resize(
    image: Any, boxes: Any, box_ind: Any, crop_size: Any, *, method: str, extrapolation_value: float
) -> Any:
    """Return float32 crops [boxes, height, width, channels]."""
    _check_method(method)
    if image.ndim != 4:
        raise errors.InvalidArgumentError(f"input image must be 4-D{shape_text(image.shape)}")
    if image.shape[1] <= 0 or image.shape[2] <= 0:
        raise errors.InvalidArgumentError("image dimensions must be positive")
    _checked_boxes(boxes, box_ind, len(image))
    made = _crop_size(crop_size)
    total = check_shape((len(box_ind), *made, image.shape[3]), np.dtype(np.float32))
    if not total[0]:
        return np.empty(total, np.float32)
    crop = _Crop(boxes, image.shape[1], image.shape[2], made, method)
    which = box_ind[:, None, None]

    def pixels(rows: Any, columns: Any) -> Any:
        return image[which, rows[:, :, None], columns[:, None, :]].astype(np.float32)

    if method == "nearest":
        out = pixels(crop.rows, crop.columns)
    else:
        top, bottom = (
            (left := pixels(rows, crop.columns)) + (pixels(rows, crop.beside) - left) * crop.across
            for rows in (crop.rows, crop.below)
        )
        out = top + (bottom - top) * crop.down
    return np.where(crop.inside, out, np.float32(extrapolation_value))


def _crop_size(crop_size: Any) -> tuple[int, int]:
    if np.ndim(crop_size) != 1:
        raise errors.InvalidArgumentError(f"crop_size must be 1-D{shape_text(np.shape(crop_size))}")
    if len(crop_size) != 2:
        raise errors.InvalidArgumentError(f"crop_size must have two elements{shape_text(crop_size.shape)}")
    return requested_size(crop_size, "crop dimensions")


def _checked_grads(grads: Any, boxes: Any, box_ind: Any, batch: int) -> None:
    if grads.ndim != 4:
        raise errors.InvalidArgumentError(f"grads image must be 4-D{shape_text(grads.shape)}")
    if grads.size and (grads.shape[1] <= 0 or grads.shape[2] <= 0):
        raise errors.InvalidArgumentError("grads dimensions must be positive")
    _checked_boxes(boxes, box_ind, batch)
    if len(grads) != len(box_ind):
        raise errors.InvalidArgumentError("boxes and grads have incompatible shape")


@kernel("CropAndResizeGradImage")
def crop_and_resize_grad_image(grads: Any, boxes: Any, box_ind: Any, image_size: Any, *, method: str, T: Any) -> Any:
    """Return the gradient of the images, of shape `image_size`."""
    _check_method(method)
    if np.shape(image_size) != (4,):
        raise errors.InvalidArgumentError(f"image_size must have 4 elements{shape_text(np.shape(image_size))}")
    sizes = check_shape(image_size.tolist(), np.dtype(np.float64))
    if sizes[1] <= 0 or sizes[2] <= 0:
        raise errors.InvalidArgumentError("image dimensions must be positive")
    _checked_grads(grads, boxes, box_ind, sizes[0])
    if grads.shape[3] != sizes[3]:
        raise errors.InvalidArgumentError("image_size and grads are incompatible")
    out = np.zeros(sizes, np.float64 if T.numpy == np.float64 else np.float32)
    if not len(grads):
        return out.astype(T.numpy, copy=False)
    crop = _Crop(boxes, sizes[1], sizes[2], grads.shape[1:3], method)
    wide = np.where(crop.inside, grads, 0).astype(np.float32)
    which = box_ind[:, None, None]

    def add(rows: Any, columns: Any, part: Any) -> None:
        np.add.at(out, (which, rows[:, :, None], columns[:, None, :]), part.astype(out.dtype, copy=False))

    if method == "nearest":
        add(crop.rows, crop.columns, wide)
    else:
        one = np.float32(1)
        for rows, share in ((crop.rows, one - crop.down), (crop.below, crop.down)):
            part = share * wide
            add(rows, crop.columns, (one - crop.across) * part)
            add(rows, crop.beside, crop.across * part)
    return out.astype(T.numpy, copy=False)


@kernel("CropAndResizeGradBoxes")
def crop_and_resize_grad_boxes(grads: Any, image: Any, boxes: Any, box_ind: Any, *, method: str) -> Any:
    """Return the gradient of the boxes, float32 [boxes, 4]."""
    if method != "bilinear":
        raise errors.InvalidArgumentError(f"method must be 'bilinear'{method}")
    if image.ndim != 4:
        raise errors.InvalidArgumentError(f"input image must be 4-D{shape_text(image.shape)}")
    if image.shape[1] <= 0 or image.shape[2] <= 0:
        raise errors.InvalidArgumentError("image dimensions must be positive")
    _checked_grads(grads, boxes, box_ind, len(image))
    if grads.shape[3] != image.shape[3]:
        raise errors.InvalidArgumentError("image, grads depth differ")
    if not len(grads):
        return np.zeros((0, 4), np.float32)
    height, width = image.shape[1:3]
    made = grads.shape[1:3]
    crop = _Crop(boxes, height, width, made, "bilinear")
    which = box_ind[:, None, None]

    def pixels(rows: Any, columns: Any) -> Any:
        return image[which, rows[:, :, None], columns[:, None, :]].astype(np.float32)

    top_left, top_right = pixels(crop.rows, crop.columns), pixels(crop.rows, crop.beside)
    bottom_left, bottom_right = pixels(crop.below, crop.columns), pixels(crop.below, crop.beside)
    one = np.float32(1)
    slope_y = (one - crop.across) * (bottom_left - top_left) + crop.across * (bottom_right - top_right)
    slope_x = (one - crop.down) * (top_right - top_left) + crop.down * (bottom_right - bottom_left)
    wide = np.where(crop.inside, grads, 0).astype(np.float32)
    dy, dx = (slope_y * wide).sum(axis=(2, 3)), (slope_x * wide).sum(axis=(1, 3))
    out = np.zeros((len(boxes), 4), np.float32)
    for column, slopes, length, count in ((0, dy, height, made[0]), (1, dx, width, made[1])):
        last = np.float32(length - 1)
        if count > 1:
            share = np.arange(count, dtype=np.float32) / np.float32(count - 1)
            out[:, column] = (slopes * (one - share)).sum(axis=1) * last
            out[:, column + 2] = (slopes * share).sum(axis=1) * last
        else:
            out[:, column] = out[:, column + 2] = slopes.sum(axis=1) * np.float32(0.5) * last
    return out


@shape("CropAndResize")
def crop_and_resize_shape(c: ShapeContext) -> list[Any]:
    """A crop for each box."""
    channels = with_rank(c.shape(0), 4)[3]
    boxes, count = with_rank(c.shape(1), 2), with_rank(c.shape(2), 1)[0]
    if boxes[1] not in (None, 4):
        raise errors.InvalidArgumentError(f"Dimension must be 4 but is {boxes[1]}")
    size = c.constant(3)
    made = (None, None) if size is None or len(size) != 2 else (int(size[0]), int(size[1]))
    return [(count if boxes[0] is None else boxes[0], *made, channels)]


@shape("CropAndResizeGradImage")
def grad_image_shape(c: ShapeContext) -> list[Any]:
    """The shape that `image_size` gives."""
    sizes = c.shape_value(3)
    return [(None,) * 4 if sizes is None else with_rank(sizes, 4)]


@shape("CropAndResizeGradBoxes")
def grad_boxes_shape(c: ShapeContext) -> list[Any]:
    """The shape of the boxes."""
    return [with_rank(c.shape(2), 2)]
