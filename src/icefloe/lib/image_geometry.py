"""Images flipped, transposed, cropped and padded."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import array_shape
from icefloe.lib.array_join import stack
from icefloe.lib.array_select import pad, slice
from icefloe.lib.array_shape import rank, reshape, shape
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import with_dependencies
from icefloe.lib.control_flow_case import case
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.image_checks import (
    as_batch,
    check_image,
    checked_image,
    from_batch,
    is_known,
    require,
    sizes_of,
)
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import equal, round
from icefloe.lib.random_draws import random_uniform


def _by_rank(image: Tensor, of_one: Callable[[], Tensor], of_batch: Callable[[], Tensor], space: str = " ") -> Tensor:
    """Return what the first function gives for one image, the second for a batch; a conditional if that is unknown."""
    if image.shape.rank is None:
        chosen: Tensor = cond(equal(rank(image), 3), of_one, of_batch)
        return chosen
    if image.shape.rank not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}){space}must have either 3 or 4 dimensions.")
    return of_one() if image.shape.rank == 3 else of_batch()


def _like(image: Tensor, result: Tensor) -> Tensor:
    """Return the result with the static shape of `image`, which has rank 3."""
    result.set_shape([None, None, None] if image.shape.rank is None else image.shape)
    return result


def _flip(image: Any, axis: int, scope_name: str) -> Tensor:
    with name_scope(None, scope_name, [image]):
        image = checked_image(convert_to_tensor(image, name="image"))

        def of_one() -> Tensor:
            return _like(image, apply_op("ReverseV2", image, [axis]))

        return _by_rank(image, of_one, lambda: apply_op("ReverseV2", image, [axis + 1]), "")


def _random_flip(image: Any, axis: int, scope_name: str, seed: int | None) -> Tensor:
    with name_scope(None, scope_name, [image]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))

        def of_one() -> Tensor:
            mirror = apply_op("Less", random_uniform(shape=[], minval=0, maxval=1.0, seed=seed), 0.5)
            result = cond(mirror, lambda: apply_op("ReverseV2", image, [axis]), lambda: image, name=scope)
            return _like(image, result)

        def of_batch() -> Tensor:
            count = shape(image)[0]
            draws = random_uniform(shape=[count], minval=0, maxval=1.0, seed=seed)
            flips: Any = cast(round(reshape(draws, [count, 1, 1, 1])), image.dtype)
            flipped = flips * apply_op("ReverseV2", image, [axis + 1])
            result: Tensor = flipped + (1 - flips) * image
            return result

        return _by_rank(image, of_one, of_batch)


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """Return images mirrored along their width or not, each with probability 1/2."""
    return _random_flip(image, 1, "random_flip_left_right", seed)


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """Return images mirrored along their height or not, each with probability 1/2."""
    return _random_flip(image, 0, "random_flip_up_down", seed)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """Return images turned by `k` quarters counter-clockwise."""
    with name_scope(name, "rot90", [image, k]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        k = convert_to_tensor(k, dtype=datatypes.int32, name="k")
        k.shape.assert_has_rank(0)
        k = apply_op("FloorMod", k, 4, name="mod")
        return _by_rank(image, lambda: _turned(image, k, 0, scope), lambda: _turned(image, k, 1, scope))


def _turned(image: Tensor, k: Tensor, first: int, scope: str) -> Tensor:
    """Return the image turned; `first` is the axis of its height."""
    height, width = first, first + 1
    order = [*builtins.range(first), width, height, first + 2]

    def quarter() -> Tensor:
        return array_shape.transpose(apply_op("ReverseV2", image, [width]), order)

    def half() -> Tensor:
        return apply_op("ReverseV2", image, [height, width])

    def three_quarters() -> Tensor:
        return apply_op("ReverseV2", array_shape.transpose(image, order), [width])

    turns = (quarter, half, three_quarters)
    cases = [(equal(k, count), turn) for count, turn in enumerate(turns, start=1)]
    result: Tensor = case(cases, default=lambda: image, exclusive=True, name=scope)
    if first:
        sizes = result.shape
        result.set_shape([sizes[0], None, None, sizes[3]])
    else:
        result.set_shape([None, None, image.shape[2]])
    return result


def flip_left_right(image: Any) -> Tensor:
    """Return images mirrored along their width."""
    return _flip(image, 1, "flip_left_right")


def flip_up_down(image: Any) -> Tensor:
    """Return images mirrored along their height."""
    return _flip(image, 0, "flip_up_down")


def transpose(image: Any, name: str | None = None) -> Tensor:
    """Return images with height and width exchanged."""
    with name_scope(name, "transpose", [image]):
        image = checked_image(convert_to_tensor(image, name="image"))
        return _by_rank(
            image,
            lambda: array_shape.transpose(image, [1, 0, 2], name=name),
            lambda: array_shape.transpose(image, [0, 2, 1, 3], name=name),
        )


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """Return the middle of images, `central_fraction` of their height and width. Raises: ValueError outside (0, 1]."""
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        fraction = get_static_value(central_fraction)
        message = "central_fraction must be within (0, 1]"
        if fraction is not None:
            if fraction <= 0.0 or fraction > 1.0:
                raise ValueError(message)
            if fraction == 1.0:
                return image
        else:
            within = apply_op("LogicalOr", central_fraction > 0.0, central_fraction <= 1.0)
            image = with_dependencies(require(within, message), image)
        checked_image(image)
        ndims = image.shape.rank
        if ndims not in (3, 4):
            raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {ndims}.")
        first = ndims - 3
        static = image.shape.as_list()
        sizes = [shape(image)[axis] if static[axis] is None else static[axis] for axis in (first, first + 1)]
        starts = [_start(size, central_fraction, fraction) for size in sizes]
        middle = [size - start * 2 for size, start in zip(sizes, starts)]
        image = slice(image, stack([0] * first + [*starts, 0]), stack([-1] * first + [*middle, -1]))
        known = [size if is_known(size) else None for size in middle]
        image.set_shape([*static[:first], *known, static[-1]])
        return image


def _start(size: Any, central_fraction: Any, fraction: Any) -> Any:
    """Return where the middle part of an axis begins."""
    if is_known(size) and fraction is not None:
        return int((float(size) - float(size) * fraction) / 2)
    length = cast(size, datatypes.float64)
    return cast((length - length * cast(central_fraction, datatypes.float64)) / 2, datatypes.int32)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Return images of the target size with `image` at the offset and zeros around it.

    Raises: ValueError if it does not fit.
    """
    with name_scope(None, "pad_to_bounding_box", [image]):
        image, was_batch = as_batch(convert_to_tensor(image, name="image"))
        batch, height, width, depth = sizes_of(image)
        after_width = target_width - offset_width - width
        after_height = target_height - offset_height - height
        checks = check_image(image)
        checks += require(offset_height >= 0, "offset_height must be >= 0")
        checks += require(offset_width >= 0, "offset_width must be >= 0")
        checks += require(after_width >= 0, "width must be <= target - offset")
        checks += require(after_height >= 0, "height must be <= target - offset")
        image = with_dependencies(checks, image)
        paddings = stack([0, 0, offset_height, after_height, offset_width, after_width, 0, 0])
        padded = pad(image, reshape(paddings, [4, 2]))
        padded.set_shape([x if is_known(x) else None for x in (batch, target_height, target_width, depth)])
        return from_batch(padded, was_batch)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Return the part of the target size that is at the offset in `image`. Raises: ValueError if there is none."""
    with name_scope(None, "crop_to_bounding_box", [image]):
        image, was_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = check_image(image)
        batch, height, width, depth = sizes_of(image)
        checks += require(offset_width >= 0, "offset_width must be >= 0.")
        checks += require(offset_height >= 0, "offset_height must be >= 0.")
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        checks += require(width >= target_width + offset_width, "width must be >= target + offset.")
        checks += require(height >= target_height + offset_height, "height must be >= target + offset.")
        image = with_dependencies(checks, image)
        begin = stack([0, offset_height, offset_width, 0])
        size = stack([shape(image)[0], target_height, target_width, shape(image)[3]])
        cropped = slice(image, begin, size)
        cropped.set_shape([x if is_known(x) else None for x in (batch, target_height, target_width, depth)])
        return from_batch(cropped, was_batch)


def larger(x: Any, y: Any) -> Any:
    """Return the larger of two, as a number if both are."""
    return max(x, y) if is_known(x) and is_known(y) else apply_op("Maximum", x, y)


def _smaller(x: Any, y: Any) -> Any:
    return min(x, y) if is_known(x) and is_known(y) else apply_op("Minimum", x, y)


def _same(x: Any, y: Any) -> Any:
    return x == y if is_known(x) and is_known(y) else equal(x, y)


def resize_image_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Return images of the target size, cut or filled up with zeros on both sides."""
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, was_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = check_image(image)
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        if not is_known(target_height):
            target_height = with_dependencies(checks, target_height)
        if not is_known(target_width):
            target_width = with_dependencies(checks, target_width)
        _, height, width, _ = sizes_of(image)
        more_width = target_width - width
        crop_width, pad_width = larger(-more_width // 2, 0), larger(more_width // 2, 0)
        more_height = target_height - height
        crop_height, pad_height = larger(-more_height // 2, 0), larger(more_height // 2, 0)
        cropped = crop_to_bounding_box(
            image, crop_height, crop_width, _smaller(target_height, height), _smaller(target_width, width)
        )
        resized = pad_to_bounding_box(cropped, pad_height, pad_width, target_height, target_width)
        _, height, width, _ = sizes_of(resized)
        checks = require(_same(height, target_height), "resized height is not correct.")
        checks += require(_same(width, target_width), "resized width is not correct.")
        return from_batch(with_dependencies(checks, resized), was_batch)
