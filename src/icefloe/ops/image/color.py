"""Colour: RGB and HSV, contrast, hue and saturation.

Source: tensorflow/core/kernels/image/colorspace_op.h, adjust_contrast_op.cc, adjust_hue_op.cc, adjust_saturation_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank, with_rank_at_least


def _working(images: Any) -> Any:
    return images.astype(np.float32) if images.dtype.itemsize == 2 else images


def _checked_colors(images: Any) -> None:
    if images.ndim < 1:
        raise errors.InvalidArgumentError(f"input must be at least 1D{shape_text(images.shape)}")
    if images.shape[-1] != 3:
        raise errors.FailedPreconditionError(
            f"input must have 3 channels but input only has {images.shape[-1]} channels."
        )


@kernel("RGBToHSV")
def rgb_to_hsv(images: Any) -> Any:
    """Return hue, saturation and value of red, green and blue along the last axis, all in [0, 1]."""
    _checked_colors(images)
    wide = _working(images)
    red, green, blue = wide[..., 0], wide[..., 1], wide[..., 2]
    value = wide.max(axis=-1)
    reach = value - wide.min(axis=-1)
    real = wide.dtype.type
    zero, sixth = real(0), real(1.0 / 6.0)
    saturation = np.where(value > zero, reach / np.where(value > zero, value, real(1)), zero)
    norm = sixth / np.where(reach > zero, reach, real(1))
    hue = np.where(
        red == value,
        norm * (green - blue),
        np.where(green == value, norm * (blue - red) + real(2.0 / 6.0), norm * (red - green) + real(4.0 / 6.0)),
    )
    hue = np.where(reach > zero, hue, zero)
    hue = np.where(hue < zero, hue + real(1), hue)
    return np.stack((hue, saturation, value), axis=-1).astype(images.dtype, copy=False)


@kernel("HSVToRGB")
def hsv_to_rgb(images: Any) -> Any:
    """Return red, green and blue of hue, saturation and value along the last axis."""
    _checked_colors(images)
    wide = _working(images)
    real = wide.dtype.type
    hue, saturation, value = wide[..., 0], wide[..., 1], wide[..., 2]
    turned = hue * real(6)
    shares = (
        np.abs(turned - real(3)) - real(1),
        real(2) - np.abs(turned - real(2)),
        real(2) - np.abs(turned - real(4)),
    )
    plain = real(1) - saturation
    channels = [(plain + saturation * np.clip(share, real(0), real(1))) * value for share in shares]
    return np.stack(channels, axis=-1).astype(images.dtype, copy=False)


def _checked_adjustment(images: Any, amount: Any, name: str) -> None:
    if images.ndim < 3:
        raise errors.InvalidArgumentError(f"input must be at least 3-D, got shape{shape_text(images.shape)}")
    if np.ndim(amount) != 0:
        raise errors.InvalidArgumentError(f"{name} must be scalar: {shape_text(np.shape(amount))}")


def _image_means(images: Any) -> Any:
    """Return the mean over height and width, added up as TensorFlow does.

    Each image is folded in half again and again.
    """
    rows = images.reshape(*images.shape[:-3], images.shape[-3] * images.shape[-2], images.shape[-1])
    count = remaining = rows.shape[-2]
    while remaining > 1:
        right = remaining // 2
        left = remaining - right
        folded = rows[..., :right, :] + rows[..., left:remaining, :]
        rows = np.concatenate((folded, rows[..., right:left, :]), axis=-2) if left > right else folded
        remaining = left
    return (rows * rows.dtype.type(1.0 / count))[..., None, :]


@kernel("AdjustContrastv2")
def adjust_contrast_v2(images: Any, contrast_factor: Any) -> Any:
    """Return the images [..., h, w, channels] with each channel's distance from its mean multiplied."""
    _checked_adjustment(images, contrast_factor, "contrast_factor")
    if not images.size:
        return images.copy()
    wide = _working(images)
    mean = _image_means(wide)
    return ((wide - mean) * wide.dtype.type(contrast_factor) + mean).astype(images.dtype, copy=False)


@kernel("AdjustContrast")
def adjust_contrast(images: Any, contrast_factor: Any, min_value: Any, max_value: Any) -> Any:
    """Return float32 images with each channel's distance from its mean multiplied, kept within two values."""
    _checked_adjustment(images, contrast_factor, "contrast_factor")
    wide = images.astype(np.float32)
    if not images.size:
        return wide
    mean = _image_means(wide)
    changed = (wide - mean) * np.float32(contrast_factor) + mean
    return np.clip(changed, np.float32(min_value), np.float32(max_value))


def _checked_three(images: Any) -> None:
    if images.shape[-1] != 3:
        raise errors.InvalidArgumentError(f"input must have 3 channels but instead has {images.shape[-1]} channels.")


@kernel("AdjustHue")
def adjust_hue(images: Any, delta: Any) -> Any:
    """Return the images with their hue turned by `delta`, where 1 is once round."""
    _checked_adjustment(images, delta, "delta")
    _checked_three(images)
    wide = _working(images)
    if not images.size:
        return images.copy()
    least, most = wide.min(axis=-1), wide.max(axis=-1)
    reach = most - least
    red, green, blue = wide[..., 0], wide[..., 1], wide[..., 2]
    real = wide.dtype.type
    safe = np.where(reach > 0, reach, real(1))
    hue = np.where(
        most == red,
        (green - blue) / safe,
        np.where(most == green, real(2) + (blue - red) / safe, real(4) + (red - green) / safe),
    )
    hue = np.where(reach > 0, hue, real(0))
    turned = np.mod(hue + real(delta) * real(6), real(6))
    shares = (
        np.abs(turned - real(3)) - real(1),
        real(2) - np.abs(turned - real(2)),
        real(2) - np.abs(turned - real(4)),
    )
    channels = [least + reach * np.clip(share, real(0), real(1)) for share in shares]
    return np.stack(channels, axis=-1).astype(images.dtype, copy=False)


@kernel("AdjustSaturation")
def adjust_saturation(images: Any, scale: Any) -> Any:
    """Return the images with their saturation multiplied, kept within [0, 1]."""
    _checked_adjustment(images, scale, "scale")
    _checked_three(images)
    if not images.size:
        return images.copy()
    hsv = rgb_to_hsv(_working(images))
    hsv[..., 1] = np.clip(hsv[..., 1] * hsv.dtype.type(scale), 0, 1)
    return hsv_to_rgb(hsv).astype(images.dtype, copy=False)


@shape("RGBToHSV", "HSVToRGB")
def colors_shape(c: ShapeContext) -> list[Any]:
    """The shape of the images, with three channels."""
    x = with_rank_at_least(c.shape(0), 1)
    if x is not None and x[-1] not in (None, 3):
        raise errors.InvalidArgumentError(f"Dimension must be 3 but is {x[-1]}")
    return [None if x is None else (*x[:-1], 3)]


@shape("AdjustContrastv2", "AdjustContrast", "AdjustHue", "AdjustSaturation")
def adjusted_shape(c: ShapeContext) -> list[Any]:
    """The shape of the images."""
    if c.op == "AdjustContrastv2":
        with_rank(c.shape(1), 0)
    return [with_rank_at_least(c.shape(0), 3)]
