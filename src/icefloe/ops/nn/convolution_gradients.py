"""The gradients of Conv2D and Conv3D by their input and their filter.

Source: tensorflow/core/kernels/conv_grad_shape_utils.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.nn.convolution_geometry import Geometry, groups_of, static_geometry
from icefloe.ops.nn.correlate import filter_gradient, input_gradient, working_dtype
from icefloe.ops.nn.windows import Window, from_channels_last, spatial, to_channels_last

Kernel = Callable[..., Any]


def _check_gradient(
    geometry: Geometry, windows: Sequence[Window], batch: int, made: int, dy: Any, w_shape: Sequence[int]
) -> None:
    """Raise InvalidArgumentError unless `dy`, channels last, has the shape of the output."""
    if dy.ndim != geometry.rank:
        raise errors.InvalidArgumentError(f"out_backprop must be {geometry.rank}-dimensional: {shape_text(dy.shape)}")
    if len(dy) != batch:
        raise errors.InvalidArgumentError(
            "input and out_backprop must have the same batch size. "
            f"Input batch: {batch}, outbackprop batch: {len(dy)}, batch_dim: 0"
        )
    if dy.shape[-1] != made:
        raise errors.InvalidArgumentError(
            f"filter and out_backprop must have the same out_depth. Filter: {made}, out_backprop: {dy.shape[-1]}"
        )
    for i, (v, actual) in enumerate(zip(windows, dy.shape[1:-1])):
        if v.out != actual:
            raise errors.InvalidArgumentError(
                f"Size of out_backprop doesn't match computed: actual = {actual}, computed = {v.out} "
                f"spatial_dim: {i + (2 if geometry.first else 1)} input: {v.length} filter: {w_shape[i]} "
                f"output: {actual} stride: {v.stride} dilation: {v.dilation}"
            )


def _sizes(values: Any, what: str) -> list[int]:
    if np.ndim(values) != 1:
        raise errors.InvalidArgumentError(f"{what} must be 1-dimensional, not {np.ndim(values)}")
    sizes: list[int] = np.asarray(values).tolist()
    return sizes


def _input_gradient(geometry: Geometry, op: str, *, grouped: bool) -> Kernel:
    rank = geometry.runnable().rank

    def run(input_sizes: Any, w: Any, dy: Any) -> Any:
        sizes = _sizes(input_sizes, "input_sizes")
        if np.ndim(w) != rank:
            raise errors.InvalidArgumentError(f"filter must be {rank}-dimensional: {shape_text(np.shape(w))}")
        if np.ndim(dy) != rank:
            raise errors.InvalidArgumentError(f"out_backprop must be {rank}-dimensional: {shape_text(np.shape(dy))}")
        dy = to_channels_last(dy, geometry.first)
        if len(sizes) == rank - 2 and rank == 4:
            batch, lengths, depth = len(dy), sizes, w.shape[-2]
        elif len(sizes) == rank:
            batch, depth = sizes[0], sizes[1 if geometry.first else -1]
            lengths = list(spatial(sizes, geometry.first))
        else:
            wanted = f"{rank} values or {rank - 2} values" if rank == 4 else f"{rank} values"
            raise errors.InvalidArgumentError(f"{op} requires input_sizes to contain {wanted}, but got: {len(sizes)}")
        check_shape((batch, *lengths, depth), dy.dtype)
        groups = groups_of(depth, w.shape, grouped=grouped)
        windows, part = geometry.windows_of_use(lengths, w.shape[:-2])
        _check_gradient(geometry, windows, batch, w.shape[-1], dy, w.shape)
        w = w[part]
        work = working_dtype(dy.dtype)
        dx = input_gradient(dy.astype(work, copy=False), w.astype(work, copy=False), windows, groups)
        return from_channels_last(dx.astype(dy.dtype, copy=False), geometry.first)

    return run


def _filter_gradient(geometry: Geometry, *, grouped: bool) -> Kernel:
    rank = geometry.runnable().rank

    def run(x: Any, filter_sizes: Any, dy: Any) -> Any:
        sizes = _sizes(filter_sizes, "filter_sizes")
        if len(sizes) != rank:
            raise errors.InvalidArgumentError(f"filter must be {rank}-dimensional: {shape_text(tuple(sizes))}")
        if np.ndim(x) != rank:
            raise errors.InvalidArgumentError(f"input must be {rank}-dimensional: {shape_text(np.shape(x))}")
        check_shape(sizes, x.dtype)
        x = to_channels_last(x, geometry.first)
        groups = groups_of(x.shape[-1], sizes, grouped=grouped)
        windows, part = geometry.windows_of_use(x.shape[1:-1], sizes[:-2])
        if np.ndim(dy) == rank:
            dy = to_channels_last(dy, geometry.first)
        _check_gradient(geometry, windows, len(x), sizes[-1], dy, sizes)
        work = working_dtype(x.dtype)
        made = filter_gradient(x.astype(work, copy=False), dy.astype(work, copy=False), windows, groups)
        if made.shape[:-2] == tuple(sizes[:-2]):
            return made.astype(x.dtype, copy=False)
        dw = np.zeros(sizes, x.dtype)
        dw[part] = made
        return dw

    return run


def _by_example(make: Callable[..., Kernel], position: int) -> Callable[..., Kernel]:
    """Return a factory like `make` whose kernels take a tensor of the wanted shape, not the shape, at `position`."""

    def made(**attrs: Any) -> Kernel:
        run = make(**attrs)

        def by_example(*inputs: Any) -> Any:
            example = np.array(np.shape(inputs[position]), np.int64)
            return run(*inputs[:position], example, *inputs[position + 1 :])

        return by_example

    return made


@kernel("Conv2DBackpropInput", factory=True)
def conv2d_backprop_input(
    *, strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any
) -> Kernel:
    """Return the gradient of Conv2D's input; `input_sizes` is its shape, or height and width alone."""
    op = "Conv2DBackpropInput"
    return _input_gradient(
        Geometry(op, 4, strides, padding, explicit_paddings, data_format, dilations), op, grouped=True
    )


@kernel("Conv2DBackpropInputV2", factory=True)
def conv2d_backprop_input_v2(
    *, strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any
) -> Kernel:
    """Return the gradient of Conv2D's input, which is given as an example."""
    return _by_example(conv2d_backprop_input, 0)(
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
    )


@kernel("Conv2DBackpropFilter", factory=True)
def conv2d_backprop_filter(
    *, strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any
) -> Kernel:
    """Return the gradient of Conv2D's filter, of shape `filter_sizes`."""
    op = "Conv2DBackpropFilter"
    return _filter_gradient(Geometry(op, 4, strides, padding, explicit_paddings, data_format, dilations), grouped=True)


@kernel("Conv2DBackpropFilterV2", factory=True)
def conv2d_backprop_filter_v2(
    *, strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any
) -> Kernel:
    """Return the gradient of Conv2D's filter, which is given as an example."""
    return _by_example(conv2d_backprop_filter, 1)(
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
    )


@kernel("Conv3DBackpropInputV2", factory=True)
def conv3d_backprop_input_v2(*, strides: Any, padding: str, data_format: str, dilations: Any) -> Kernel:
    """Return the gradient of Conv3D's input, of shape `input_sizes`."""
    op = "Conv3DBackpropInputV2"
    return _input_gradient(Geometry(op, 5, strides, padding, (), data_format, dilations), op, grouped=False)


@kernel("Conv3DBackpropFilterV2", factory=True)
def conv3d_backprop_filter_v2(*, strides: Any, padding: str, data_format: str, dilations: Any) -> Kernel:
    """Return the gradient of Conv3D's filter, of shape `filter_sizes`."""
    op = "Conv3DBackpropFilterV2"
    return _filter_gradient(Geometry(op, 5, strides, padding, (), data_format, dilations), grouped=False)


@kernel("Conv3DBackpropInput", factory=True)
def conv3d_backprop_input(*, strides: Any, padding: str, dilations: Any) -> Kernel:
    """Return the gradient of Conv3D's input, which is given as an example."""
    return _by_example(conv3d_backprop_input_v2, 0)(
        strides=strides, padding=padding, data_format="NDHWC", dilations=dilations
    )


@kernel("Conv3DBackpropFilter", factory=True)
def conv3d_backprop_filter(*, strides: Any, padding: str, dilations: Any) -> Kernel:
    """Return the gradient of Conv3D's filter, which is given as an example."""
    return _by_example(conv3d_backprop_filter_v2, 1)(
        strides=strides, padding=padding, data_format="NDHWC", dilations=dilations
    )


@shape("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def backprop_input_shape(c: ShapeContext) -> list[Any]:
    """The shape that `input_sizes` gives."""
    rank = 4 if c.op.startswith("Conv2D") else 5
    geometry = static_geometry(c, rank)
    w, dy = with_rank(c.shape(1), rank), with_rank(c.shape(2), rank)
    with_rank(c.shape(0), 1)
    sizes = c.shape_value(0)
    if sizes is None:
        return [(None,) * rank]
    if len(sizes) == rank - 2:
        return [geometry.full_shape(dy[0], sizes, w[-2])]
    return [with_rank(sizes, rank)]


@shape("Conv2DBackpropFilter", "Conv3DBackpropFilterV2")
def backprop_filter_shape(c: ShapeContext) -> list[Any]:
    """The shape that `filter_sizes` gives."""
    rank = 4 if c.op.startswith("Conv2D") else 5
    static_geometry(c, rank)
    with_rank(c.shape(0), rank)
    with_rank(c.shape(2), rank)
    return [with_rank(c.shape_value(1), rank)]


@shape("Conv2DBackpropInputV2", "Conv3DBackpropInput")
def backprop_input_like(c: ShapeContext) -> list[Any]:
    """The shape of the example."""
    return [merge(c.shape(0), (None,) * (4 if c.op.startswith("Conv2D") else 5))]


@shape("Conv2DBackpropFilterV2", "Conv3DBackpropFilter")
def backprop_filter_like(c: ShapeContext) -> list[Any]:
    """The shape of the example."""
    return [merge(c.shape(1), (None,) * (4 if c.op.startswith("Conv2D") else 5))]
