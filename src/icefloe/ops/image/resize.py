"""Resizing by the nearest, by two or by four pixels or by area, and the gradients.

Bilinear, bicubic and area results are float32 whatever the input. Source: tensorflow/core/kernels/image/resize_*_op.cc.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.machine import threads
from icefloe.ops.allocation import check_shape
from icefloe.ops.image.sampling import (
    check_centers,
    check_images,
    checked_resize,
    positions,
    requested_size,
    resized_shape,
    scale,
)

Kernel = Callable[..., Any]
_REAL = np.dtype(np.float32)
_SHARED = 1 << 17  # resized numbers that are worth more than one thread
_BLOCK_BYTES = 1 << 19  # of resized rows made at a time


def _between(length: int, made: int, *, align_corners: bool, half_pixel: bool) -> tuple[Any, Any, Any]:
    """Return (lower, upper, weight of the upper) of the two pixels each new one lies between."""
    at = positions(made, scale(length, made, align_corners), half_pixel)
    floor = np.floor(at)
    lower = np.maximum(floor.astype(np.int64), 0)
    upper = np.minimum(np.ceil(at).astype(np.int64), length - 1)
    return np.minimum(lower, length - 1), upper, at - floor


@kernel("ResizeBilinear")
def resize_bilinear(images: Any, size: Any, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return float32 images of `size`, each pixel mixed of the four around it."""
    check_centers(align_corners, half_pixel_centers)
    height, width = checked_resize(images, size, _REAL)
    if (height, width) == images.shape[1:3]:
        return images.astype(np.float32)
    return mixed(images, (height, width), _REAL, align_corners=align_corners, half_pixel=half_pixel_centers)


def mixed(images: Any, size: tuple[int, int], dtype: Any, *, align_corners: bool, half_pixel: bool) -> Any:
    """Return `images` in `size` (height, width), computed bilinearly in `dtype`, a float."""
    height, width = size
    rows = _between(images.shape[1], height, align_corners=align_corners, half_pixel=half_pixel)
    columns = _between(images.shape[2], width, align_corners=align_corners, half_pixel=half_pixel)
    out = np.empty((len(images), height, width, images.shape[3]), dtype)
    threads.share(len(out), lambda i: _mix(images[i], out[i], rows, columns), large=out.size >= _SHARED)
    return out


def _mix(image: Any, made: Any, rows: tuple[Any, Any, Any], columns: tuple[Any, Any, Any]) -> None:
    """Fill `made` with pixels mixed across, then down, some rows at a time so that they stay in the cache."""
    channels = image.shape[2]
    left, right = (_each_channel(index, channels) for index in columns[:2])
    across = np.repeat(columns[2], channels)
    top, bottom, down = rows
    down = down[:, None]
    flat = np.ascontiguousarray(image).reshape(len(image), -1)
    made = made.reshape(len(made), -1)
    step = max(1, _BLOCK_BYTES // max(1, made[:1].nbytes))
    for first in range(0, len(made), step):
        block = slice(first, first + step)
        needed, place = np.unique(np.concatenate((top[block], bottom[block])), return_inverse=True)
        part = flat[needed]
        low = np.take(part, left, axis=1).astype(made.dtype, copy=False)
        high = np.take(part, right, axis=1).astype(made.dtype, copy=False)
        np.subtract(high, low, out=high)
        high *= across
        high += low
        count = len(top[block])
        upper, lower = high[place[:count]], high[place[count:]]
        lower -= upper
        lower *= down[block]
        np.add(upper, lower, out=made[block])


def _each_channel(index: Any, channels: int) -> Any:
    """Return the places, in a row of `channels` numbers for each pixel, of the pixels in `index`.

    numpy takes single numbers several times as fast as groups of three.
    """
    return (index[:, None] * channels + np.arange(channels)).ravel()


def _mixing_matrix(length: int, made: int, weights: list[tuple[Any, Any]]) -> Any:
    """Return [made, length]: what each old pixel adds to each new one; weights: (index, weight) pairs, [made] each."""
    matrix = np.zeros((made, length), np.float64)
    rows = np.arange(made)
    for index, weight in weights:
        np.add.at(matrix, (rows, index), weight)
    return matrix


def _spread(grads: Any, rows: Any, columns: Any, dtype: np.dtype[Any]) -> Any:
    """Return the gradient [n, h, w, c] of images that were resized by two mixing matrices."""
    work = np.float64 if dtype == np.float64 else np.float32
    wide = grads.astype(work, copy=False)
    across = np.einsum("nyxc,xw->nywc", wide, columns.astype(work), optimize=True)
    return np.einsum("nywc,yh->nhwc", across, rows.astype(work), optimize=True).astype(dtype, copy=False)


def _checked_gradient(grads: Any, original: Any) -> None:
    check_images(grads, "input_grad")
    check_images(original, "original_image")
    for name, image in (("resized", grads), ("original", original)):
        if not image.shape[1] or not image.shape[2]:
            raise errors.InvalidArgumentError(f"{name} dimensions must be positive")


def _no_gradient(grads: Any, original: Any) -> Any:
    """Return the gradient of no images, or of images without channels: only the size is the original's."""
    return np.zeros((len(grads), *original.shape[1:3], grads.shape[3]), original.dtype)


def _bilinear_matrix(length: int, made: int, *, align_corners: bool, half_pixel: bool) -> Any:
    lower, upper, weight = _between(length, made, align_corners=align_corners, half_pixel=half_pixel)
    return _mixing_matrix(length, made, [(lower, 1 - weight), (upper, weight)])


@kernel("ResizeBilinearGrad")
def resize_bilinear_grad(grads: Any, original: Any, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return the gradient of the images, in the dtype of the original."""
    check_centers(align_corners, half_pixel_centers)
    _checked_gradient(grads, original)
    if not grads.size:
        return _no_gradient(grads, original)
    at = {"align_corners": align_corners, "half_pixel": half_pixel_centers}
    rows = _bilinear_matrix(original.shape[1], grads.shape[1], **at)
    columns = _bilinear_matrix(original.shape[2], grads.shape[2], **at)
    return _spread(grads, rows, columns, original.dtype)


def _nearest(length: int, made: int, *, align_corners: bool, half_pixel: bool) -> Any:
    step = scale(length, made, align_corners)
    at = np.arange(made, dtype=np.float32)
    if half_pixel:
        at = at + np.float32(0.5)
    at = at * step
    # Halves are rounded away from zero, as C does.
    index = np.floor(at + np.float32(0.5)) if align_corners else np.floor(at)
    return np.clip(index.astype(np.int64), 0, length - 1)


@kernel("ResizeNearestNeighbor")
def resize_nearest_neighbor(images: Any, size: Any, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return images of `size`, each pixel that of the nearest old one."""
    check_centers(align_corners, half_pixel_centers)
    height, width = checked_resize(images, size, images.dtype)
    at = {"align_corners": align_corners, "half_pixel": half_pixel_centers}
    rows, columns = _nearest(images.shape[1], height, **at), _nearest(images.shape[2], width, **at)
    return images[:, rows[:, None], columns]


@kernel("ResizeNearestNeighborGrad")
def resize_nearest_neighbor_grad(grads: Any, size: Any, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return the gradient of images of `size`."""
    check_images(grads)
    height, width = requested_size(size, "shape_t's elements")
    made = check_shape((len(grads), height, width, grads.shape[3]), grads.dtype)
    out = np.zeros(made, np.float32 if grads.dtype.itemsize == 2 and grads.dtype.kind not in "iu" else grads.dtype)
    if grads.size:
        at = {"align_corners": align_corners, "half_pixel": half_pixel_centers}
        rows, columns = _nearest(height, grads.shape[1], **at), _nearest(width, grads.shape[2], **at)
        places: Any = (slice(None), rows[:, None], columns)
        np.add.at(out, places, grads.astype(out.dtype, copy=False))
    return out.astype(grads.dtype, copy=False)


_TABLE_SIZE = 1024


def _cubic_table(a: float) -> Any:
    """Return [2, 1025]: Keys' cubic kernel between 0 and 1 and between 1 and 2, in float32."""
    a = float(np.float32(a))
    near = np.arange(_TABLE_SIZE + 1) / _TABLE_SIZE
    far = near + 1
    first = ((a + 2) * near - (a + 3)) * near * near + 1
    second = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a
    return np.stack((first, second)).astype(np.float32)


def _cubic_weights(length: int, made: int, *, align_corners: bool, half_pixel: bool) -> list[tuple[Any, Any]]:
    """Return (index, float32 weight) of the four pixels that each new one is mixed of.

    With `half_pixel` the kernel is Keys' own and pixels outside count for nothing; else they count as the edge's.
    """
    table = _cubic_table(-0.5 if half_pixel else -0.75)
    at = positions(made, scale(length, made, align_corners), half_pixel)
    base = np.floor(at).astype(np.int64)
    offset = np.rint((at - base.astype(np.float32)) * np.float32(_TABLE_SIZE)).astype(np.int64)
    rest = _TABLE_SIZE - offset
    weights = [table[1, offset], table[0, offset], table[0, rest], table[1, rest]]
    wanted = [base + k for k in (-1, 0, 1, 2)]
    index = [np.clip(i, 0, length - 1) for i in wanted]
    if half_pixel:
        weights = [np.where(i == j, w, np.float32(0)) for i, j, w in zip(index, wanted, weights)]
        total = weights[0] + weights[1] + weights[2] + weights[3]
        safe = np.abs(total) >= np.float32(1000) * np.finfo(np.float32).tiny
        factor = np.where(safe, np.float32(1) / np.where(safe, total, np.float32(1)), np.float32(1))
        weights = [w * factor for w in weights]
    return list(zip(index, weights))


@kernel("ResizeBicubic")
def resize_bicubic(images: Any, size: Any, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return float32 images of `size`, each pixel mixed of the sixteen around it."""
    check_centers(align_corners, half_pixel_centers)
    height, width = checked_resize(images, size, _REAL)
    if (height, width) == images.shape[1:3]:
        return images.astype(np.float32)
    at = {"align_corners": align_corners, "half_pixel": half_pixel_centers}
    rows = _cubic_weights(images.shape[1], height, **at)
    columns = _cubic_weights(images.shape[2], width, **at)
    channels = images.shape[3]
    out = np.empty((len(images), height, width, channels), np.float32)
    across = [(_each_channel(index, channels), np.repeat(weight, channels)) for index, weight in columns]
    step = max(1, _BLOCK_BYTES // max(1, out[:1, :1].nbytes))

    def image(i: int) -> None:
        flat = np.ascontiguousarray(images[i]).reshape(images.shape[1], -1)
        made = out[i].reshape(height, -1)
        for first in range(0, height, step):
            block = slice(first, first + step)
            down = _weighted([(flat[index[block]], weight[block, None]) for index, weight in rows])
            made[block] = _weighted([(np.take(down, index, axis=1), weight) for index, weight in across])

    threads.share(len(images), image, large=out.size >= _SHARED)
    return out


def _weighted(parts: list[tuple[Any, Any]]) -> Any:
    """Return the float32 sum of arrays times their weights, added up in order."""
    total = np.zeros(parts[0][0].shape, np.float32)
    for values, weight in parts:
        total += values.astype(np.float32, copy=False) * weight
    return total


@kernel("ResizeBicubicGrad")
def resize_bicubic_grad(grads: Any, original: Any, *, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return the gradient of the images, in the dtype of the original."""
    check_centers(align_corners, half_pixel_centers)
    _checked_gradient(grads, original)
    if not grads.size:
        return _no_gradient(grads, original)
    at = {"align_corners": align_corners, "half_pixel": half_pixel_centers}
    rows, columns = (
        _mixing_matrix(n, made, _cubic_weights(n, made, **at)) for n, made in zip(original.shape[1:3], grads.shape[1:3])
    )
    return _spread(grads, rows, columns, original.dtype)


@functools.lru_cache(maxsize=32)
def _area_matrix(length: int, made: int, step: np.float32) -> Any:
    """Return [made, length].

    How much of each old pixel a new one covers, in float32; past the edge counts as the edge. Without a step the only
    old pixel is covered whole.
    """
    matrix = np.zeros((made, length), np.float32)
    if step == 0:
        matrix[:, 0] = 1
    for i in range(made):
        start, stop = np.float32(np.float32(i) * step), np.float32(np.float32(i + 1) * step)
        for v in range(int(np.floor(start)), int(np.ceil(stop))):
            edge = np.float32(v)
            if edge < start:
                covered = step if edge + 1 > stop else edge + np.float32(1) - start
            else:
                covered = stop - edge if edge + 1 > stop else np.float32(1)
            matrix[i, min(max(v, 0), length - 1)] += covered
    return matrix


@kernel("ResizeArea")
def resize_area(images: Any, size: Any, *, align_corners: bool) -> Any:
    """Return float32 images of `size`, each pixel the mean over the area that it covers."""
    height, width = checked_resize(images, size, _REAL)
    steps = [scale(n, made, align_corners) for n, made in zip(images.shape[1:3], (height, width))]
    rows, columns = (_area_matrix(n, m, s) for n, m, s in zip(images.shape[1:3], (height, width), steps))
    wide = images.astype(np.float32, copy=False)
    across = np.einsum("nhwc,xw->nhxc", wide, columns, optimize=True)
    total = np.einsum("nhxc,yh->nyxc", across, rows, optimize=True)
    return total * np.float32(1 / math.prod(float(step) or 1.0 for step in steps))


@shape("ResizeBilinear", "ResizeBicubic", "ResizeArea", "ResizeNearestNeighbor")
def resize_shape(c: ShapeContext) -> list[Any]:
    """Batch, the size that is asked for, channels."""
    return [resized_shape(c)]


@shape("ResizeNearestNeighborGrad")
def resize_nearest_neighbor_grad_shape(c: ShapeContext) -> list[Any]:
    """Batch, the size that is asked for, channels."""
    return [resized_shape(c)]


@shape("ResizeBilinearGrad", "ResizeBicubicGrad")
def resize_grad_shape(c: ShapeContext) -> list[Any]:
    """The shape of the original."""
    return [with_rank(c.shape(1), 4)]
