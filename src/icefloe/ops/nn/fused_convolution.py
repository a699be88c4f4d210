"""FusedPadConv2D and FusedResizeAndPadConv2D: a convolution of mirrored, and before that resized images.

Source: tensorflow/core/kernels/conv_ops_fused_image_transform.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, merge, shape_text, with_rank
from icefloe.ops.image.resize import mixed
from icefloe.ops.image.sampling import checked_resize
from icefloe.ops.nn.convolution import forward, forward_shape
from icefloe.ops.nn.convolution_geometry import Geometry
from icefloe.ops.nn.correlate import working_dtype

Kernel = Callable[..., Any]


def _geometry(op: str, strides: Any, padding: str) -> Geometry:
    if len(strides) != 4:
        raise errors.InvalidArgumentError("Sliding window strides field must specify 4 dimensions")
    return Geometry(op, 4, strides, padding, (), "NHWC", (1, 1, 1, 1))


def _check_paddings(paddings: Any, sizes: tuple[int, ...], mode: str) -> None:
    """Raise InvalidArgumentError unless images of shape `sizes` can be mirrored by `paddings` [4, 2]."""
    if np.ndim(paddings) != 2 or paddings.shape[1] != 2:
        raise errors.InvalidArgumentError(f"paddings must be a matrix with 2 columns: {shape_text(np.shape(paddings))}")
    if len(paddings) != len(sizes):
        raise errors.InvalidArgumentError(
            f"The first dimension of paddings must be the rank of inputs: {len(sizes)}"
            f" {shape_text(paddings.shape)} {shape_text(sizes)}"
        )
    for (before, after), size in zip(paddings.tolist(), sizes, strict=True):
        if before < 0 or after < 0:
            raise errors.InvalidArgumentError(f"paddings must be non-negative: {before} {after}")
        if mode == "SYMMETRIC" and max(before, after) > size:
            raise errors.InvalidArgumentError(
                f"paddings must be no greater than the dimension size: {before}, {after} greater than {size}"
            )
        if mode == "REFLECT" and max(before, after) >= size:
            raise errors.InvalidArgumentError(
                f"paddings must be less than the dimension size: {before}, {after} not less than {size}"
            )
    for axis, what in ((0, "batches"), (3, "channels")):
        if paddings[axis].any():
            raise errors.InvalidArgumentError(f"Fused mirror padding only support spatial padding, not {what}")


def _runnable(op: str, strides: Any, padding: str) -> Geometry:
    geometry = _geometry(op, strides, padding)
    if strides[0] != 1 or strides[3] != 1:
        raise errors.InvalidArgumentError(
            "Current implementation does not yet support strides in the batch and depth dimensions."
        )
    return geometry


def _convolved(geometry: Geometry, x: Any, paddings: Any, w: Any, mode: str) -> Any:
    """Return the convolution of images `x`, mirrored by `paddings`."""
    _check_paddings(paddings, x.shape, mode)
    made = np.pad(x, paddings, mode="reflect" if mode == "REFLECT" else "symmetric")
    y = forward(geometry, grouped=False)(made, w)
    if not y.size:
        raise errors.InvalidArgumentError("Output tensor can't be empty")
    return y


def _check_images(x: Any) -> None:
    if not x.size:
        raise errors.InvalidArgumentError("Input tensor can't be empty")
    if x.ndim != 4:
        raise errors.InvalidArgumentError(f"input must be 4-dimensional{shape_text(x.shape)}")


@kernel("FusedPadConv2D", factory=True)
def fused_pad_conv2d(*, mode: str, strides: Any, padding: str) -> Kernel:
    """Return the convolution [n, h, w, k] of [n, h, w, c], mirrored at its edges, with a filter [kh, kw, c, k]."""
    geometry = _runnable("FusedPadConv2D", strides, padding)

    def run(x: Any, paddings: Any, w: Any) -> Any:
        _check_images(x)
        return _convolved(geometry, x, paddings, w, mode)

    return run


@kernel("FusedResizeAndPadConv2D", factory=True)
def fused_resize_and_pad_conv2d(*, resize_align_corners: bool, mode: str, strides: Any, padding: str) -> Kernel:
    """Return what FusedPadConv2D does for the images resized bilinearly to `size` (height, width)."""
    geometry = _runnable("FusedResizeAndPadConv2D", strides, padding)

    def run(x: Any, size: Any, paddings: Any, w: Any) -> Any:
        _check_images(x)
        height, width = checked_resize(x, size, x.dtype)
        if (height, width) != x.shape[1:3]:
            wide = working_dtype(x.dtype)
            made = mixed(x, (height, width), wide, align_corners=resize_align_corners, half_pixel=False)
            x = made.astype(x.dtype, copy=False)
        return _convolved(geometry, x, paddings, w, mode)

    return run


def _fused_shape(c: ShapeContext, x: Dims, paddings: int) -> list[Dims]:
    """Return the output's shape, where the images to be mirrored have the shape `x`."""
    x = with_rank(x, 4)
    merge(with_rank(c.shape(paddings), 2), (4, 2))
    amounts = c.constant(paddings)
    padded: Dims = (None,) * 4
    if amounts is not None:
        if (amounts < 0).any():
            raise errors.InvalidArgumentError("Paddings must be non-negative")
        padded = tuple(
            None if size is None else size + added for size, added in zip(x, amounts.sum(axis=1).tolist(), strict=True)
        )
    geometry = _geometry(c.op, c.attr("strides"), c.attr("padding"))
    return [forward_shape(geometry, padded, c.shape(paddings + 1), grouped=False)]


@shape("FusedPadConv2D")
def fused_pad_conv2d_shape(c: ShapeContext) -> list[Dims]:
    """Batch, the places of the window in the mirrored images, the filter's outputs."""
    return _fused_shape(c, c.shape(0), 1)


@shape("FusedResizeAndPadConv2D")
def fused_resize_and_pad_conv2d_shape(c: ShapeContext) -> list[Dims]:
    """Batch, the places of the window in the resized and mirrored images, the filter's outputs."""
    x = with_rank(c.shape(0), 4)
    merge(c.shape(1), (2,))
    size = c.constant(1)
    height, width = (None, None) if size is None else size.tolist()
    return _fused_shape(c, (x[0], height, width, x[3]), 2)
