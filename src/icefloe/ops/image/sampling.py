"""Where the pixels of a resized image lie on the original, in float32 as TensorFlow computes it.

With `align_corners` the centres of the corner pixels keep their places, with `half_pixel` a pixel's centre is at its
index + 0.5, else at its index. Source: tensorflow/core/util/image_resizer_state.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.shape_inference import Dims, ShapeContext, shape_text, with_rank
from icefloe.ops.allocation import check_product, check_shape


def check_centers(align_corners: bool, half_pixel: bool) -> None:
    """Raise InvalidArgumentError if both are asked for."""
    if align_corners and half_pixel:
        raise errors.InvalidArgumentError("If half_pixel_centers is True, align_corners must be False.")


def check_images(images: Any, name: str = "input") -> None:
    """Raise InvalidArgumentError unless `images` is [n, h, w, channels]."""
    if np.ndim(images) != 4:
        raise errors.InvalidArgumentError(f"{name} must be 4-dimensional{shape_text(np.shape(images))}")


def requested_size(size: Any, what: str = "output dimensions") -> tuple[int, int]:
    """Return (height, width) of a size input. Raises: InvalidArgumentError unless it is two positive numbers."""
    if np.shape(size) != (2,):
        if np.ndim(size) != 1:
            raise errors.InvalidArgumentError(f"shape_t must be 1-dimensional{shape_text(np.shape(size))}")
        raise errors.InvalidArgumentError(f"shape_t must have two elements{shape_text(np.shape(size))}")
    height, width = (int(v) for v in size)
    if height <= 0 or width <= 0:
        raise errors.InvalidArgumentError(f"{what} must be positive")
    return height, width


def checked_resize(images: Any, size: Any, dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the (height, width) that images are to be resized to.

    Raises: InvalidArgumentError for images without pixels and for sizes that are not positive.
    """
    check_images(images)
    height, width = requested_size(size)
    if images.shape[1] == 0 or images.shape[2] == 0:
        raise errors.InvalidArgumentError("input image must be of non-zero size")
    if images.shape[3] == 0:
        raise errors.InvalidArgumentError("image must have at least one channel")
    shape = (len(images), height, width, images.shape[3])
    check_product(shape)
    check_shape(shape, dtype)
    return height, width


def scale(length: int, made: int, align_corners: bool) -> np.float32:
    """Return how far on the original a step of one pixel on the resized image goes."""
    if align_corners and made > 1:
        return np.float32(np.float32(length - 1) / np.float32(made - 1))
    return np.float32(np.float32(length) / np.float32(made))


def positions(made: int, step: np.float32, half_pixel: bool) -> Any:
    """Return float32 coordinates on the original, one for each of `made` pixels."""
    index = np.arange(made, dtype=np.float32)
    if half_pixel:
        return (index + np.float32(0.5)) * step - np.float32(0.5)
    return index * step


def resized_shape(c: ShapeContext, images: int = 0, size: int = 1) -> Dims:
    """Return the static shape of the images resized to a size input."""
    n, _, _, channels = with_rank(c.shape(images), 4)
    with_rank(c.shape(size), 1)
    known = c.constant(size)
    if known is None:
        return (n, None, None, channels)
    if len(known) != 2:
        raise errors.InvalidArgumentError(f"Dimension must be 2 but is {len(known)}")
    return (n, *(int(v) for v in known), channels)
