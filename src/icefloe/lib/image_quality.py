"""How images differ, and their edges: PSNR, SSIM, total variation, gradients, Sobel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat, stack, unstack
from icefloe.lib.array_select import pad
from icefloe.lib.array_shape import expand_dims, reshape, shape, shape_n, size
from icefloe.lib.checks import Assert
from icefloe.lib.control import identity
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.image_color import convert_image_dtype
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import abs as abs_
from icefloe.lib.math_elementwise import equal, not_equal, subtract
from icefloe.lib.math_elementwise import pow as pow_
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_all, reduce_any, reduce_mean, reduce_prod, reduce_sum
from icefloe.lib.nn_activations import softmax
from icefloe.lib.nn_depthwise import depthwise_conv2d
from icefloe.lib.nn_pooling import avg_pool


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """Return the sum, for each image, of the absolute differences of neighbouring pixels."""
    with name_scope(name, "total_variation"):
        if images.shape.rank == 3:
            down = images[1:, :, :] - images[:-1, :, :]
            right = images[:, 1:, :] - images[:, :-1, :]
            axis = None
        elif images.shape.rank == 4:
            down = images[:, 1:, :, :] - images[:, :-1, :, :]
            right = images[:, :, 1:, :] - images[:, :, :-1, :]
            axis = [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        vertical: Any = reduce_sum(abs_(down), axis=axis)
        return vertical + reduce_sum(abs_(right), axis=axis)


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """Return (dy, dx), the differences to the next row and column, 0 at the last. Raises: ValueError unless 4-D."""
    if image.shape.rank != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.")
    sizes = shape(image)
    batch, height, width, depth = unstack(sizes)
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]
    last = stack([batch, 1, width, depth])
    dy = reshape(concat([dy, zeros(last, image.dtype)], 1), sizes)
    last = stack([batch, height, 1, depth])
    dx = reshape(concat([dx, zeros(last, image.dtype)], 2), sizes)
    return dy, dx


def sobel_edges(image: Any) -> Tensor:
    """Return [batch, height, width, channels, (dy, dx)] of Sobel's filters."""
    sizes = shape(image)
    filters = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])
    kernels = constant(np.expand_dims(np.transpose(filters, (1, 2, 0)), -2), dtype=image.dtype)
    kernels = apply_op("Tile", kernels, [1, 1, sizes[-1], 1], name="sobel_filters")
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = depthwise_conv2d(padded, kernels, [1, 1, 1, 1], "VALID")
    result = reshape(edges, concat([sizes, [2]], 0))
    result.set_shape(image.shape.concatenate([2]))
    return result


def _comparable(a: Tensor, b: Tensor) -> tuple[list[Tensor], list[Operation]]:
    """Return the shapes of two batches of images and the assertions that they are the same but for axes of the batch.

    Raises: ValueError if they have not.
    """
    static = [image.shape.with_rank_at_least(3) for image in (a, b)]
    static[0][-3:].assert_is_compatible_with(static[1][-3:])
    if static[0].rank is not None and static[1].rank is not None:
        for one, other in zip(*(reversed(list(x[:-3])) for x in static)):
            if not (one == 1 or other == 1 or one.is_compatible_with(other)):
                raise ValueError(f"Two images are not compatible: {static[0]} and {static[1]}")
    shapes = shape_n([a, b])
    enough = apply_op("GreaterEqual", size(shapes[0]), 3)
    checks = [Assert(enough, list(shapes), summarize=10)]
    return shapes, [*checks, Assert(reduce_all(equal(shapes[0][-3:], shapes[1][-3:])), list(shapes), summarize=10)]


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """Return the ratio of peak signal to noise of each pair of images, in decibel."""
    with name_scope(name, "PSNR", [a, b]):
        peak: Any = convert_image_dtype(cast(max_val, a.dtype), datatypes.float32)
        a = convert_image_dtype(a, datatypes.float32)
        b = convert_image_dtype(b, datatypes.float32)
        error = reduce_mean(apply_op("SquaredDifference", a, b), [-3, -2, -1])
        log_peak: Any = 20 * apply_op("Log", peak)
        log_peak = log_peak / apply_op("Log", 10.0)
        ratio = subtract(log_peak, np.float32(10 / np.log(10)) * apply_op("Log", error), name="psnr")
        with control_dependencies(_comparable(a, b)[1]):
            result: Tensor = identity(ratio)
            return result


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Return the structural similarity of each pair of images, at each pixel if `return_index_map`."""
    with name_scope(None, "SSIM", [img1, img2]):
        img1 = convert_to_tensor(img1, name="img1")
        img2 = convert_to_tensor(img2, name="img2")
        with control_dependencies(_comparable(img1, img2)[1]):
            img1 = identity(img1)
        peak = convert_image_dtype(cast(max_val, img1.dtype), datatypes.float32)
        img1 = convert_image_dtype(img1, datatypes.float32)
        img2 = convert_image_dtype(img2, datatypes.float32)
        window = (filter_size, filter_sigma)
        return reduce_mean(_similarity(img1, img2, peak, window, (k1, k2), return_index_map)[0], [-1])


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Return the structural similarity of each pair of images over scales, each half the one before."""
    with name_scope(None, "MS-SSIM", [img1, img2]):
        img1 = convert_to_tensor(img1, name="img1")
        img2 = convert_to_tensor(img2, name="img2")
        sizes, checks = _comparable(img1, img2)
        with control_dependencies(checks):
            img1 = identity(img1)
        peak = convert_image_dtype(cast(max_val, img1.dtype), datatypes.float32)
        images = [convert_image_dtype(image, datatypes.float32) for image in (img1, img2)]
        heads, tails = [x[:-3] for x in sizes], [x[-3:] for x in sizes]
        halves = constant([2, 2, 1], dtype=datatypes.int32)
        structures: list[Tensor] = []
        similarity: Any = None
        for scale, _ in enumerate(power_factors):
            with name_scope(None, f"Scale{scale}", images):
                if scale:
                    images, tails = _halved(images, heads, tails, halves)
                window = (filter_size, filter_sigma)
                similarity, structure = _similarity(images[0], images[1], peak, window, (k1, k2), False)
                structures.append(apply_op("Relu", structure))
        structures.pop()
        factors = stack([*structures, apply_op("Relu", similarity)], axis=-1)
        return reduce_mean(reduce_prod(pow_(factors, power_factors), [-1]), [-1])


def _halved(images: list[Tensor], heads: list[Any], tails: list[Any], halves: Tensor) -> tuple[list[Tensor], list[Any]]:
    """Return images of half the size, odd sizes filled up first, and the sizes of their last three axes."""
    flat = [reshape(image, concat([[-1], tail], 0)) for image, tail in zip(images, tails)]
    rest = tails[0] % halves
    odd = reduce_any(not_equal(rest, 0))

    def filled() -> list[Tensor]:
        paddings = pad(expand_dims(rest, -1), [[1, 0], [1, 0]])
        return [pad(image, paddings, mode="SYMMETRIC") for image in flat]

    even = cond(odd, filled, lambda: flat)
    small = [avg_pool(image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID") for image in even]
    tails = [x[1:] for x in shape_n(small)]
    return [reshape(x, concat([head, tail], 0)) for x, head, tail in zip(small, heads, tails)], tails


def _gaussian(length: Tensor, sigma: Any) -> Tensor:
    place: Any = cast(range(length), sigma.dtype)
    place -= cast(length - 1, sigma.dtype) / 2.0
    exponent: Any = apply_op("Square", place)
    exponent *= -0.5 / apply_op("Square", sigma)
    exponent = reshape(exponent, shape=[1, -1]) + reshape(exponent, shape=[-1, 1])
    return reshape(softmax(reshape(exponent, shape=[1, -1])), shape=[length, length, 1, 1])


def _similarity(
    img1: Tensor, img2: Tensor, peak: Any, window: tuple[int, float], k: tuple[float, float], index_map: bool
) -> tuple[Tensor, Tensor]:
    """Return the similarity [..., channels] and that of the structure alone, of each pixel if `index_map`."""
    length = constant(window[0], dtype=datatypes.int32)
    sigma = constant(window[1], dtype=img1.dtype)
    shapes = shape_n([img1, img2])
    checks = [
        Assert(reduce_all(apply_op("GreaterEqual", sizes[-3:-1], length)), [sizes, length], summarize=8)
        for sizes in shapes
    ]
    with control_dependencies(checks):
        img1 = identity(img1)
    kernel = apply_op("Tile", _gaussian(length, sigma), multiples=[1, 1, shapes[0][-1], 1])

    def mean(x: Tensor) -> Any:
        sizes = shape(x)
        flat = reshape(x, shape=concat([[-1], sizes[-3:]], 0))
        means = depthwise_conv2d(flat, kernel, strides=[1, 1, 1, 1], padding="VALID")
        return reshape(means, concat([sizes[:-3], shape(means)[1:]], 0))

    luminance, structure = _luminance_and_structure(img1, img2, mean, peak, k)
    if index_map:
        return luminance * structure, structure
    axes = constant([-3, -2], dtype=datatypes.int32)
    return reduce_mean(luminance * structure, axes), reduce_mean(structure, axes)


def _luminance_and_structure(
    x: Any, y: Any, mean: Callable[[Any], Any], peak: Any, k: tuple[float, float]
) -> tuple[Any, Any]:
    c1 = (k[0] * peak) ** 2
    c2 = (k[1] * peak) ** 2
    mean_x = mean(x)
    mean_y = mean(y)
    product = mean_x * mean_y * 2.0
    squares: Any = apply_op("Square", mean_x)
    squares = squares + apply_op("Square", mean_y)
    luminance = (product + c1) / (squares + c1)
    both = mean(x * y) * 2.0
    x_squared: Any = apply_op("Square", x)
    each = mean(x_squared + apply_op("Square", y))
    c2 *= 1.0
    return luminance, (both - product + c2) / (each - squares + c2)
