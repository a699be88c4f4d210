"""Images in other dtypes and colour spaces, brighter, of more contrast, of another hue."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import expand_dims, rank, shape
from icefloe.lib.control import identity, with_dependencies
from icefloe.lib.image_checks import check_grayscale, checked_image, is_known, require
from icefloe.lib.math_cast import cast, saturate_cast
from icefloe.lib.math_elementwise import add, divide, floordiv, multiply, rsqrt
from icefloe.lib.math_matrix import tensordot
from icefloe.lib.math_reduce import reduce_mean, reduce_prod, reduce_std
from icefloe.lib.random_draws import random_uniform


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """Return an image in another dtype, scaled: integers up to their maximum stand for floats up to 1.

    saturate: whether values are clipped to what the dtype holds. Raises: AttributeError unless both are numbers.
    """
    image = convert_to_tensor(image, name="image")
    dtype = datatypes.as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype == image.dtype:
        same: Tensor = identity(image, name=name)
        return same
    to_dtype = saturate_cast if saturate else cast
    with name_scope(name, "convert_image", [image]) as name:
        if image.dtype.is_floating and dtype.is_floating:
            converted: Tensor = cast(image, dtype, name=name)
        elif image.dtype.is_floating:
            converted = to_dtype(multiply(image, dtype.max + 0.5), dtype, name=name)
        elif dtype.is_floating:
            converted = multiply(cast(image, dtype), 1.0 / image.dtype.max, name=name)
        elif image.dtype.max > dtype.max:
            scaled = floordiv(image, (image.dtype.max + 1) // (dtype.max + 1))
            converted = to_dtype(scaled, dtype, name=name)
        else:
            converted = multiply(to_dtype(image, dtype), (dtype.max + 1) // (image.dtype.max + 1), name=name)
        return converted


def _floats(image: Tensor) -> Tensor:
    halves = (datatypes.float16, datatypes.float32)
    return image if image.dtype in halves else convert_image_dtype(image, datatypes.float32)


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """Return an image with `delta` added, on the scale of 0 to 1."""
    with name_scope(None, "adjust_brightness", [image, delta]) as name:
        image = convert_to_tensor(image, name="image")
        floats = _floats(image)
        adjusted = add(floats, cast(delta, floats.dtype), name=name)
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Return images whose distances from each channel's mean are multiplied."""
    with name_scope(None, "adjust_contrast", [images, contrast_factor]) as name:
        images = convert_to_tensor(images, name="images")
        adjusted = apply_op("AdjustContrastv2", _floats(images), contrast_factor=contrast_factor, name=name)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """Return gain * image ** gamma, on the scale of 0 to 1. Raises: ValueError for a negative gamma."""
    with name_scope(None, "adjust_gamma", [image, gamma, gain]):
        image = convert_to_tensor(image, name="image")
        floats: Any = _floats(image)
        checks = require(gamma >= 0, "Gamma should be a non-negative real number.")
        if checks:
            gamma = with_dependencies(checks, gamma)
        return convert_image_dtype(gain * floats**gamma, image.dtype, saturate=True)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Return an RGB image with its hue turned by `delta`, in turns."""
    with name_scope(name, "adjust_hue", [image]):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(apply_op("AdjustHue", _floats(image), delta), image.dtype)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Return an RGB image with its saturation multiplied."""
    with name_scope(name, "adjust_saturation", [image]):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(apply_op("AdjustSaturation", _floats(image), saturation_factor), image.dtype)


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None) -> Tensor:
    """Return an image as it is after JPEG of a quality from 0 to 100."""
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        channels = image.shape.as_list()[-1]
        dtype = image.dtype
        image = convert_image_dtype(image, datatypes.uint8, saturate=True)
        if is_known(jpeg_quality):
            jpeg_quality = convert_to_tensor(jpeg_quality, dtype=datatypes.int32)
        encoded = apply_op("EncodeJpegVariableQuality", image, jpeg_quality)
        decoded = apply_op("DecodeJpeg", encoded, channels=channels, dct_method=dct_method)
        return convert_image_dtype(decoded, dtype, saturate=True)


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Return `adjust_brightness` by a random delta of at most `max_delta`."""
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def _check_range(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Return `adjust_contrast` by a random factor."""
    _check_range(lower, upper)
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Return `adjust_saturation` by a random factor."""
    _check_range(lower, upper)
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Return `adjust_hue` by a random delta of at most `max_delta`, which is at most 0.5."""
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None) -> Tensor:
    """Return `adjust_jpeg_quality` of a random quality below `max_jpeg_quality`."""
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=datatypes.int32)
    return adjust_jpeg_quality(image, quality)


def per_image_standardization(image: Any) -> Tensor:
    """Return images less their mean and divided by their deviation, which counts as at least 1 / sqrt(pixels)."""
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        image = cast(image, dtype=datatypes.float32)
        pixels = reduce_prod(shape(image)[-3:])
        mean = reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        deviation = apply_op("Maximum", deviation, rsqrt(cast(pixels, datatypes.float32)))
        return divide(image - mean, deviation, name=scope)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Return RGB images as one channel."""
    with name_scope(name, "rgb_to_grayscale", [images]) as name:
        images = convert_to_tensor(images, name="images")
        floats = convert_image_dtype(images, datatypes.float32)
        gray = expand_dims(tensordot(floats, [0.2989, 0.587, 0.114], [-1, -1]), -1)
        return convert_image_dtype(gray, images.dtype, name=name)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Return images of one channel as RGB. Raises: ValueError if there are more channels."""
    with name_scope(name, "grayscale_to_rgb", [images]) as name:
        images = with_dependencies(check_grayscale(images), images)
        outer = expand_dims(rank(images) - 1, 0)
        multiples = concat([ones(outer, dtype=datatypes.int32), expand_dims(3, 0)], 0)
        rgb = apply_op("Tile", images, multiples, name=name)
        rgb.set_shape(images.shape[:-1].concatenate([3]))
        return rgb


def _recoloured(images: Any, kernel: list[list[float]]) -> Tensor:
    images = convert_to_tensor(images, name="images")
    matrix = convert_to_tensor(kernel, dtype=images.dtype, name="kernel")
    return tensordot(images, matrix, axes=[[images.shape.rank - 1], [0]])


def rgb_to_yiq(images: Any) -> Tensor:
    """Return RGB images as YIQ."""
    return _recoloured(
        images,
        [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]],
    )


def yiq_to_rgb(images: Any) -> Tensor:
    """Return YIQ images as RGB."""
    return _recoloured(
        images, [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
    )


def rgb_to_yuv(images: Any) -> Tensor:
    """Return RGB images as YUV."""
    return _recoloured(
        images,
        [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]],
    )


def yuv_to_rgb(images: Any) -> Tensor:
    """Return YUV images as RGB."""
    return _recoloured(images, [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]])
