"""Projective transforms, and scaling with a choice of sampling kernels.

Source: tensorflow/core/kernels/image/image_ops.h, scale_and_translate_op.cc, sampling_kernels.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.image.sampling import check_images, requested_size, resized_shape

Kernel = Callable[..., Any]


def _reflected(at: Any, length: int) -> Any:
    """Map coordinates into [0, length - 1], as in dcba|abcd|dcba."""
    if length <= 1:
        return np.zeros_like(at)
    twice = np.float32(2 * length)
    below = twice * np.trunc(-at / twice) + at
    below = np.where(below < -length, below + twice, -below - np.float32(1))
    above = at - twice * np.trunc(at / twice)
    above = np.where(above >= length, twice - above - np.float32(1), above)
    return np.where(at < 0, below, np.where(at > length - 1, above, at))


def _wrapped(at: Any, length: int) -> Any:
    """Map coordinates into [0, length - 1], as in abcd|abcd|abcd."""
    if length <= 1:
        return np.zeros_like(at)
    size, whole = np.float32(length - 1), np.float32(length)
    below = at + whole * (np.trunc(-at / size) + np.float32(1))
    above = at - whole * np.trunc(at / size)
    return np.where(at < 0, below, np.where(at > length - 1, above, at))


def _mapped(at: Any, length: int, mode: str) -> Any:
    if mode == "CONSTANT":
        return at
    if mode == "REFLECT":
        at = _reflected(at, length)
    elif mode == "WRAP":
        at = _wrapped(at, length)
    return np.clip(at, np.float32(0), np.float32(max(length - 1, 0)))


def _read(images: Any, batch: Any, y: Any, x: Any, fill: Any) -> Any:
    """Return the pixels at float32 coordinates that are whole numbers, `fill` outside the images."""
    height, width = images.shape[1:3]
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    rows, columns = np.where(inside, y, 0).astype(np.int64), np.where(inside, x, 0).astype(np.int64)
    return np.where(inside[..., None], images[batch, rows, columns], fill)


def _half_away(at: Any) -> Any:
    """Return the nearest whole numbers, halves away from zero as C rounds them."""
    return np.copysign(np.floor(np.abs(at) + np.float32(0.5)), at)


def _projective(interpolation: str, fill_mode: str) -> Callable[[Any, Any, Any, Any], Any]:
    if interpolation not in ("NEAREST", "BILINEAR"):
        raise errors.InvalidArgumentError(f"Invalid interpolation {interpolation}. Supported types: NEAREST, BILINEAR")
    if fill_mode not in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
        raise errors.InvalidArgumentError(
            f"Invalid mode {fill_mode}. Supported types: REFLECT, WRAP, CONSTANT, NEAREST"
        )

    def run(images: Any, transforms: Any, output_shape: Any, fill_value: Any) -> Any:
        if images.ndim != 4:
            raise errors.InvalidArgumentError("Input images must have rank 4")
        if transforms.ndim != 2 or transforms.shape[1] != 8 or len(transforms) not in (1, len(images)):
            raise errors.InvalidArgumentError("Input transform should be num_images x 8 or 1 x 8")
        if np.ndim(output_shape) != 1:
            raise errors.InvalidArgumentError(f"output shape must be 1-dimensional{shape_text(np.shape(output_shape))}")
        if len(output_shape) != 2:
            raise errors.InvalidArgumentError(f"output shape must have two elements{shape_text(output_shape.shape)}")
        height, width = (int(v) for v in output_shape)
        if height <= 0 or width <= 0:
            raise errors.InvalidArgumentError("output dimensions must be positive")
        made = check_shape((len(images), height, width, images.shape[3]), np.dtype(np.float64))
        if not math.prod(made) or 0 in images.shape[1:3]:
            return np.full(made, images.dtype.type(fill_value), images.dtype)
        t = np.broadcast_to(transforms.astype(np.float32), (len(images), 8))[:, :, None, None]
        out_y, out_x = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)
        below = t[:, 6] * out_x + t[:, 7] * out_y + np.float32(1)
        flat = below == 0
        safe = np.where(flat, np.float32(1), below)
        x = _mapped((t[:, 0] * out_x + t[:, 1] * out_y + t[:, 2]) / safe, images.shape[2], fill_mode)
        y = _mapped((t[:, 3] * out_x + t[:, 4] * out_y + t[:, 5]) / safe, images.shape[1], fill_mode)
        batch = np.arange(len(images))[:, None, None]
        fill = images.dtype.type(fill_value)
        if interpolation == "NEAREST":
            found = _read(images, batch, _half_away(y), _half_away(x), fill)
        else:
            found = _bilinear(images, batch, y, x, fill)
        return np.where(flat[..., None], fill, found).astype(images.dtype, copy=False)

    return run


def _bilinear(images: Any, batch: Any, y: Any, x: Any, fill: Any) -> Any:
    work = np.float64 if images.dtype == np.float64 else np.float32
    top, left = np.floor(y), np.floor(x)
    bottom, right = top + np.float32(1), left + np.float32(1)
    to_left, to_right = (right - x)[..., None], (x - left)[..., None]

    def row(at: Any) -> Any:
        first = _read(images, batch, at, left, fill).astype(np.float32)
        return to_left * first + to_right * _read(images, batch, at, right, fill).astype(np.float32)

    mixed = (bottom - y)[..., None] * row(top) + (y - top)[..., None] * row(bottom)
    return mixed.astype(work).astype(images.dtype)


@kernel("ImageProjectiveTransformV2", factory=True)
def image_projective_transform_v2(*, interpolation: str, fill_mode: str) -> Kernel:
    """Return images of `output_shape`, each pixel read where its transform points to; zeros outside."""
    run = _projective(interpolation, fill_mode)
    return lambda images, transforms, output_shape: run(images, transforms, output_shape, 0)


@kernel("ImageProjectiveTransformV3", factory=True)
def image_projective_transform_v3(*, interpolation: str, fill_mode: str) -> Kernel:
    """Return images of `output_shape`, each pixel read where its transform points to; `fill_value` outside."""
    return _projective(interpolation, fill_mode)


def _lanczos(radius: float) -> Callable[[Any], Any]:
    def weight(x: Any) -> Any:
        far = np.float32(math.pi) * x
        safe = np.where(x <= np.float32(1e-3), np.float32(1), far)
        value = np.float32(radius) * np.sin(safe) * np.sin(safe / np.float32(radius)) / (safe * safe)
        return np.where(x > radius, np.float32(0), np.where(x <= np.float32(1e-3), np.float32(1), value))

    return weight


def _gaussian(x: Any) -> Any:
    return np.where(x >= 1.5, np.float32(0), np.exp(-x * x / np.float32(0.5)))


def _box(x: Any) -> Any:
    return np.where(x < 0.5, np.float32(1), np.where(x == 0.5, np.float32(0.5), np.float32(0)))


def _triangle(x: Any) -> Any:
    return np.where(x < 1, np.float32(1) - x, np.float32(0))


def _cubic(near: tuple[float, ...], far: tuple[float, ...]) -> Callable[[Any], Any]:
    """Return a kernel that is one cubic below 1, another between 1 and 2. Coefficients: of x cubed down to 1."""

    def weight(x: Any) -> Any:
        parts = []
        for a, b, c, d in (near, far):
            parts.append(((np.float32(a) * x + np.float32(b)) * x + np.float32(c)) * x + np.float32(d))
        return np.where(x >= 2, np.float32(0), np.where(x >= 1, parts[1], parts[0]))

    return weight


_KERNELS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
    "box": (1.0, _box),
    "triangle": (1.0, _triangle),
    "keyscubic": (2.0, _cubic((1.5, -2.5, 0.0, 1.0), (-0.5, 2.5, -4.0, 2.0))),
    "mitchellcubic": (
        2.0,
        _cubic((7 / 6, -2.0, 0.0, 8 / 9), (-7 / 18, 2.0, -10 / 3, 16 / 9)),
    ),
}


def _sampling_matrix(
    kind: str, length: int, made: int, scale: np.float32, translation: np.float32, antialias: bool
) -> Any:
    """Return [made, length], float32: what each old pixel adds to each new one; zeros where none is near."""
    radius, weigh = _KERNELS[kind]
    inverse = np.float32(1.0 / float(scale))
    shift = np.float32(-inverse * translation)
    widening = max(inverse, np.float32(1)) if antialias else np.float32(1)
    at = (np.arange(made, dtype=np.float32) + np.float32(0.5)) * inverse + shift
    source = np.arange(length, dtype=np.float32)
    reach = np.float32(radius) * widening
    first = np.clip(np.ceil(at - reach - np.float32(0.5)), 0, length - 1)
    last = np.clip(np.floor(at + reach - np.float32(0.5)), 0, length - 1)
    distance = np.abs(source + np.float32(0.5) - at[:, None]) * np.float32(np.float32(1) / widening)
    seen = (source >= first[:, None]) & (source <= last[:, None]) & ((at >= 0) & (at <= length))[:, None]
    weights = np.where(seen, weigh(distance), np.float32(0)).astype(np.float32)
    total = weights.sum(axis=1, keepdims=True, dtype=np.float32)
    sound = np.abs(total) >= np.float32(1000) * np.finfo(np.float32).tiny
    return np.where(sound, weights * (np.float32(1) / np.where(sound, total, np.float32(1))), np.float32(0))


def _pair(values: Any) -> tuple[np.float32, np.float32]:
    if np.ndim(values) != 1:
        raise errors.InvalidArgumentError(f"t must be 1-dimensional{shape_text(np.shape(values))}")
    if len(values) != 2:
        raise errors.InvalidArgumentError(f"t must have two elements{shape_text(np.shape(values))}")
    return np.float32(values[0]), np.float32(values[1])


def _matrices(kind: str, lengths: Any, made: Any, scale: Any, translation: Any, antialias: bool) -> tuple[Any, Any]:
    scales, shifts = _pair(scale), _pair(translation)
    if min(scales) <= 0:
        raise errors.InvalidArgumentError("Scale must be greater than zero.")
    rows, columns = (_sampling_matrix(kind, n, m, s, t, antialias) for n, m, s, t in zip(lengths, made, scales, shifts))
    return rows, columns


def _check_kernel(kernel_type: str) -> None:
    if kernel_type not in _KERNELS:
        raise errors.InvalidArgumentError(f"Unrecognized kernel type: {kernel_type}")


@kernel("ScaleAndTranslate", factory=True)
def scale_and_translate(*, kernel_type: str, antialias: bool) -> Kernel:
    """Return float32 images of `size`: scaled, then moved by `translation`, sampled with a kernel."""
    _check_kernel(kernel_type)

    def run(images: Any, size: Any, scale: Any, translation: Any) -> Any:
        check_images(images)
        height, width = requested_size(size)
        if images.shape[3] == 0:
            raise errors.InvalidArgumentError("image must have at least one channel")
        if images.shape[1] == 0 or images.shape[2] == 0:
            raise errors.InvalidArgumentError("input image must be of non-zero size")
        check_shape((len(images), height, width, images.shape[3]), np.dtype(np.float32))
        rows, columns = _matrices(kernel_type, images.shape[1:3], (height, width), scale, translation, antialias)
        wide = images.astype(np.float32, copy=False)
        down = np.einsum("nhwc,yh->nywc", wide, rows, optimize=True)
        return np.einsum("nywc,xw->nyxc", down, columns, optimize=True)

    return run


@kernel("ScaleAndTranslateGrad", factory=True)
def scale_and_translate_grad(*, kernel_type: str, antialias: bool) -> Kernel:
    """Return the gradient of the images that ScaleAndTranslate was given."""
    _check_kernel(kernel_type)

    def run(grads: Any, original: Any, scale: Any, translation: Any) -> Any:
        check_images(grads, "input")
        check_images(original, "original_image")
        rows, columns = _matrices(kernel_type, original.shape[1:3], grads.shape[1:3], scale, translation, antialias)
        across = np.einsum("nyxc,xw->nywc", grads.astype(np.float32, copy=False), columns, optimize=True)
        return np.einsum("nywc,yh->nhwc", across, rows, optimize=True).astype(original.dtype, copy=False)

    return run


@shape("ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def image_projective_transform_shape(c: ShapeContext) -> list[Any]:
    """Batch, the size that is asked for, channels."""
    with_rank(c.shape(1), 2)
    return [resized_shape(c, size=2)]


@shape("ScaleAndTranslate")
def scale_and_translate_shape(c: ShapeContext) -> list[Any]:
    """Batch, the size that is asked for, channels."""
    return [resized_shape(c)]


@shape("ScaleAndTranslateGrad")
def scale_and_translate_grad_shape(c: ShapeContext) -> list[Any]:
    """The shape of the original."""
    return [with_rank(c.shape(1), 4)]
