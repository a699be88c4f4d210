"""What image functions check of their arguments: at once where it is known, else as operations to depend on."""

from __future__ import annotations

from typing import Any

from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import unstack
from icefloe.lib.array_shape import expand_dims, rank, shape, squeeze
from icefloe.lib.checks import Assert, assert_equal, assert_greater_equal, assert_positive
from icefloe.lib.control import with_dependencies
from icefloe.lib.variable import Variable
from icefloe.shapes import TensorShape


def is_known(value: Any) -> bool:
    """Return whether `value` is a number already."""
    return not isinstance(value, (Tensor, Variable))


def require(condition: Any, message: str) -> list[Operation]:
    """Return an assertion of a tensor as a list. Raises: ValueError if the condition is known and False."""
    if not is_known(condition):
        return [Assert(condition, [message])]
    if not condition:
        raise ValueError(message)
    return []


def _at_least(image: Tensor, ndims: int, words: str) -> TensorShape:
    try:
        return image.shape.with_rank(ndims) if image.shape.rank is None else image.shape.with_rank_at_least(ndims)
    except ValueError:
        raise ValueError(f"{words} (shape {image.shape}) must be at least {_WORDS[ndims]}-dimensional.") from None


_WORDS = {2: "two", 3: "three"}


def check_image(image: Tensor) -> list[Operation]:
    """Return the assertions that `image` is [..., height, width, channels] without an empty axis."""
    static = _at_least(image, 3, "'image'")
    if 0 in static[-3:].as_list():
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {static}")
    if static[-3:].is_fully_defined():
        return []
    return [
        assert_positive(shape(image)[-3:], ["inner 3 dims of 'image.shape' must be > 0."]),
        assert_greater_equal(rank(image), 3, message="'image' must be at least three-dimensional."),
    ]


def checked_image(image: Tensor) -> Tensor:
    """Return `image`, available once `check_image` holds."""
    checked: Tensor = with_dependencies(check_image(image), image)
    return checked


def check_grayscale(image: Any) -> list[Operation]:
    """Return the assertions that `image` has one channel."""
    static = _at_least(image, 2, "A grayscale image")
    message = "Last dimension of a grayscale image should be size 1."
    if static.is_fully_defined():
        if static.as_list()[-1] != 1:
            raise ValueError(message)
        return []
    return [
        assert_equal(shape(image)[-1], 1, message=message),
        assert_greater_equal(rank(image), 3, message="A grayscale image must be at least two-dimensional."),
    ]


def sizes_of(image: Tensor, ndims: int = 4) -> list[Any]:
    """Return the size of each axis, a number where it is known, else a tensor."""
    if image.shape.is_fully_defined():
        return image.shape.as_list()
    static = image.shape.with_rank(ndims).as_list()
    sizes = unstack(shape(image), ndims)
    return [size if known is None else known for known, size in zip(static, sizes)]


def as_batch(image: Tensor) -> tuple[Tensor, bool]:
    """Return `image` as [batch, height, width, channels], and whether it was so already."""
    if image.shape.rank == 4:
        return image, True
    if image.shape.rank == 3:
        return expand_dims(image, 0), False
    if image.shape.rank is not None:
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    image = expand_dims(image, 0)
    image.set_shape([None] * 4)
    return image, False


def from_batch(images: Tensor, was_batch: bool) -> Tensor:
    """Return what `as_batch` was given, of what it gave."""
    return images if was_batch else squeeze(images, axis=[0])
