"""RandomCrop, the op of old graphs that cuts a part of one image out at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.philox.scalars import Scalars
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text

Array = np.ndarray[Any, Any]

_WORDS_RESERVED = 2


@kernel("RandomCrop", factory=True)
def random_crop(*, seed: int, seed2: int, manager: ResourceManager, node: str) -> Callable[[Array, Array], Array]:
    """A part of `image` [height, width, channels] of the height and width in `size`, each place equally likely."""
    stream = manager.stream(node, seed, seed2)

    def run(image: Array, size: Array) -> Array:
        if np.ndim(image) != 3:
            raise errors.InvalidArgumentError(f"input must be 3-dimensional{shape_text(np.shape(image))}")
        if np.ndim(size) != 1:
            raise errors.InvalidArgumentError(f"shape_t must be 1-dimensional{shape_text(np.shape(size))}")
        if len(size) != 2:
            raise errors.InvalidArgumentError(f"shape_t must have two elements{shape_text(np.shape(size))}")
        height, width = size.tolist()
        if min(height, width) < 0:
            raise errors.InvalidArgumentError(f"Expected a non-negative size, got {min(height, width)}")
        if width > image.shape[1]:
            raise errors.FailedPreconditionError(
                f"width must be >= target_width: width = {image.shape[1]}, target_width = {width}"
            )
        if height > image.shape[0]:
            raise errors.FailedPreconditionError(
                f"height must be >= target_height: height = {image.shape[0]}, target_height = {height}"
            )
        random = Scalars(stream.reserve(_WORDS_RESERVED // 2))
        left = random.word() % (image.shape[1] - width + 1) if image.shape[1] > width else 0
        top = random.word() % (image.shape[0] - height + 1) if image.shape[0] > height else 0
        return image[top : top + height, left : left + width].copy()

    return run


@shape("RandomCrop")
def random_crop_shape(c: ShapeContext) -> list[Dims]:
    image = with_rank(c.shape(0), 3)
    size = c.shape_value(1)
    height, width = (None, None) if size is None else with_rank(size, 2)
    return [(height, width, image[2])]
