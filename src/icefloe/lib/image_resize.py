"""Images resized."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.partial_shape import constant_value_as_shape
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import expand_dims
from icefloe.lib.control import with_dependencies
from icefloe.lib.image_checks import as_batch, check_image, from_batch, require, sizes_of
from icefloe.lib.image_geometry import larger, pad_to_bounding_box
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import floor, round
from icefloe.shapes import dimension_at_index


class ResizeMethod:
    """How an image is resized."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_OPS = {
    **dict.fromkeys((ResizeMethod.BILINEAR, "bilinear"), "ResizeBilinear"),
    **dict.fromkeys((ResizeMethod.NEAREST_NEIGHBOR, "nearest"), "ResizeNearestNeighbor"),
    **dict.fromkeys((ResizeMethod.BICUBIC, "bicubic"), "ResizeBicubic"),
    **dict.fromkeys((ResizeMethod.AREA, "area"), "ResizeArea"),
}


def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return images of `size` = [height, width], as they are if they have that size.

    Raises: ValueError for a shape, size or method that does not fit.
    """
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        if images.shape.rank is None:
            raise ValueError("'images' contains no shape.")
        was_batch = images.shape.rank == 4
        if images.shape.rank == 3:
            images = expand_dims(images, 0)
        elif not was_batch:
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        _, height, width, _ = images.shape.as_list()
        try:
            size = convert_to_tensor(size, datatypes.int32, name="size")
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor") from None
        if not size.shape.is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            size = _size_in_ratio(images, size)
        static = constant_value_as_shape(size)
        new_height, new_width = (dimension_at_index(static, i).value for i in (0, 1))
        if None not in (new_height, new_width) and (height, width) == (new_height, new_width):
            return from_batch(images, was_batch)
        if method not in _OPS:
            raise ValueError(f"Resize method is not implemented: {method}")
        images = apply_op(_OPS[method], images, size, align_corners=align_corners)
        images.set_shape([None, new_height, new_width, None])
        return from_batch(images, was_batch)


def _size_in_ratio(images: Tensor, size: Tensor) -> Tensor:
    """Return the largest size within `size` that keeps the proportions."""
    _, height, width, _ = sizes_of(images)
    by_height = cast(size[0], datatypes.float32) / cast(height, datatypes.float32)
    by_width = cast(size[1], datatypes.float32) / cast(width, datatypes.float32)
    factor = apply_op("Minimum", by_height, by_width)
    scaled = [cast(round(factor * cast(x, datatypes.float32)), datatypes.int32) for x in (height, width)]
    return convert_to_tensor(scaled, datatypes.int32, name="size")


def _resizer(op: str, doc: str) -> Callable[..., Tensor]:
    def resize(
        images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
    ) -> Tensor:
        how = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
        return apply_op(op, images, size, **how, name=name)

    resize.__doc__ = doc
    return resize


resize_bilinear = _resizer("ResizeBilinear", "Return images of `size` by linear interpolation, in float32.")
resize_bicubic = _resizer("ResizeBicubic", "Return images of `size` by cubic interpolation, in float32.")
resize_nearest_neighbor = _resizer("ResizeNearestNeighbor", "Return images of `size` of their nearest pixels.")


def resize_image_with_pad(
    image: Any, target_height: Any, target_width: Any, method: Any = ResizeMethod.BILINEAR, align_corners: bool = False
) -> Tensor:
    """Return images of the target size: resized in proportion, with zeros on both sides."""
    with name_scope(None, "resize_image_with_pad", [image]):
        image, was_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = check_image(image)
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        _, height, width, _ = sizes_of(image)
        height, width = cast(height, dtype=datatypes.float32), cast(width, dtype=datatypes.float32)
        wanted_height = cast(target_height, dtype=datatypes.float32)
        wanted_width = cast(target_width, dtype=datatypes.float32)
        by_width = width / wanted_width
        ratio = larger(by_width, height / wanted_height)
        scaled_height = height / ratio
        scaled_width = width / ratio
        new_height = cast(floor(scaled_height), dtype=datatypes.int32)
        new_width = cast(floor(scaled_width), dtype=datatypes.int32)
        above = (wanted_height - scaled_height) / 2
        left = (wanted_width - scaled_width) / 2
        above, left = floor(above), floor(left)
        above = larger(0, cast(above, dtype=datatypes.int32))
        left = larger(0, cast(left, dtype=datatypes.int32))
        resized = resize_images(image, [new_height, new_width], method, align_corners=align_corners)
        padded = pad_to_bounding_box(resized, above, left, target_height, target_width)
        sizes_of(padded)
        return from_batch(padded, was_batch)
