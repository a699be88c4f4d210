"""Gradient rules of convolutions, pools, dilations and batch normalization: ops of their own compute them."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import dense, shape_of, shapes_of, transpose, zeros_like


def _attrs(op: Operation, *names: str) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in names if op.has_attr(name)}


def _conv(op: Operation) -> dict[str, Any]:
    return _attrs(op, "dilations", "strides", "padding", "explicit_paddings", "use_cudnn_on_gpu", "data_format")


# op -> the ops that give its gradient by the input and by the filter
_CONVOLUTIONS = {
    "Conv2D": ("Conv2DBackpropInput", "Conv2DBackpropFilter"),
    "DepthwiseConv2dNative": ("DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"),
    "Conv3D": ("Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"),
}
_FORWARD = {name: (forward, *pair) for forward, pair in _CONVOLUTIONS.items() for name in pair}


@gradient(*_CONVOLUTIONS)
def convolution(op: Operation, grad: Tensor) -> list[Any]:
    """By the input and by the filter."""
    x, kernel = op.inputs
    by_input, by_filter = _CONVOLUTIONS[op.type]
    attrs = _conv(op)
    if op.type == "DepthwiseConv2dNative":
        first = apply_op(by_input, shape_of(x), kernel, grad, **attrs)
        return [first, apply_op(by_filter, x, shape_of(kernel), grad, **attrs)]
    sizes = shapes_of(x, kernel)
    first = apply_op(by_input, sizes[0], kernel, grad, **attrs)
    return [first, apply_op(by_filter, x, sizes[1], grad, **attrs)]


@gradient("Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropInput", "Conv3DBackpropInputV2")
def backprop_input(op: Operation, grad: Tensor) -> list[Any]:
    """By the filter and by the gradient: a transposed convolution's."""
    forward, _, by_filter = _FORWARD[op.type]
    attrs = _conv(op)
    first = apply_op(by_filter, grad, shape_of(op.inputs[1]), op.inputs[2], **attrs)
    return [None, first, apply_op(forward, grad, op.inputs[1], **attrs)]


@gradient("Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter", "Conv3DBackpropFilterV2")
def backprop_filter(op: Operation, grad: Tensor) -> list[Any]:
    """By the input and by the gradient."""
    forward, by_input, _ = _FORWARD[op.type]
    attrs = _conv(op)
    first = apply_op(by_input, shape_of(op.inputs[0]), grad, op.inputs[2], **attrs)
    return [first, None, apply_op(forward, op.inputs[0], grad, **attrs)]


@gradient("Dilation2D")
def dilation(op: Operation, grad: Tensor) -> list[Any]:
    """By the input and by the filter."""
    attrs = _attrs(op, "strides", "rates", "padding")
    x, kernel = op.inputs
    return [
        apply_op("Dilation2DBackpropInput", x, kernel, grad, **attrs),
        apply_op("Dilation2DBackpropFilter", x, kernel, grad, **attrs),
    ]


# Pools

_POOL = ("ksize", "strides", "padding", "data_format")


@gradient("AvgPool", "AvgPool3D")
def average(op: Operation, grad: Tensor) -> Tensor:
    """The gradient in equal parts for each window."""
    size = shape_of(op.inputs[0], datatypes.int32)
    return apply_op(f"{op.type}Grad", size, grad, **_attrs(op, *_POOL))


@gradient("AvgPoolGrad", "AvgPool3DGrad")
def average_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """The pool of the gradient."""
    stopped = apply_op("StopGradient", op.inputs[0])
    return stopped, apply_op(op.type.removesuffix("Grad"), grad, **_attrs(op, *_POOL))


@gradient("MaxPool", "MaxPool3D")
def greatest(op: Operation, grad: Tensor) -> Tensor:
    """The gradient at the greatest element of each window."""
    attrs = _attrs(op, *_POOL, "explicit_paddings")
    return apply_op(f"{op.type}Grad", op.inputs[0], op.outputs[0], grad, **attrs)


@gradient("MaxPoolV2")
def greatest_v2(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """The gradient at the greatest element of each window."""
    attrs = _attrs(op, "padding", "data_format")
    x, size, strides = op.inputs
    return apply_op("MaxPoolGradV2", x, op.outputs[0], grad, size, strides, **attrs), None, None


@gradient("MaxPoolWithArgmax")
def greatest_with_argmax(op: Operation, grad: Tensor, _: Any) -> Tensor:
    """The gradient at the places that the op tells."""
    attrs = _attrs(op, "ksize", "strides", "padding", "include_batch_in_index")
    return apply_op("MaxPoolGradWithArgmax", op.inputs[0], grad, op.outputs[1], **attrs)


@gradient("MaxPoolGrad", "MaxPool3DGrad", "MaxPoolGradGrad", "MaxPool3DGradGrad")
def greatest_grad(op: Operation, grad: Tensor) -> tuple[Any, Any, Any]:
    """Linear in the gradient."""
    other = op.type.removesuffix("Grad") if op.type.endswith("GradGrad") else f"{op.type}Grad"
    x, y = op.inputs[:2]
    return zeros_like(x), zeros_like(y), apply_op(other, x, y, grad, **_attrs(op, *_POOL))


@gradient("MaxPoolGradV2")
def greatest_grad_v2(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """Linear in the gradient."""
    x, y, _, size, strides = op.inputs
    attrs = _attrs(op, "padding", "data_format")
    made = apply_op("MaxPoolGradGradV2", x, y, grad, size, strides, **attrs)
    return zeros_like(x), zeros_like(y), made, None, None


@gradient("FractionalMaxPool")
def fractional_greatest(op: Operation, grad: Tensor, _rows: Any, _cols: Any) -> Tensor:
    """The gradient at the greatest element of each window."""
    attrs = _attrs(op, "overlapping")
    y, rows, cols = op.outputs
    return apply_op("FractionalMaxPoolGrad", op.inputs[0], y, grad, rows, cols, **attrs)


@gradient("FractionalAvgPool")
def fractional_average(op: Operation, grad: Tensor, _rows: Any, _cols: Any) -> Tensor:
    """The gradient in equal parts for each window."""
    attrs = _attrs(op, "overlapping")
    size = shape_of(op.inputs[0], datatypes.int64)
    return apply_op("FractionalAvgPoolGrad", size, grad, op.outputs[1], op.outputs[2], **attrs)


# Batch normalization

_TO_LAST = {b"NCHW": [0, 2, 3, 1], b"NCDHW": [0, 2, 3, 4, 1]}
_FROM_LAST = {b"NCHW": [0, 3, 1, 2], b"NCDHW": [0, 4, 1, 2, 3]}


@gradient("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def batch_norm(op: Operation, *grads: Any) -> tuple[Any, ...]:
    """By input, scale and offset, from what the op keeps; where it does not train, from the given mean and variance."""
    x, scale = op.inputs[:2]
    grad = dense(grads[0])
    layout = op.get_attr("data_format")
    training = op.get_attr("is_training")
    kept = op.outputs[3:5] if training else list(op.inputs[3:5])
    back = None
    if not training and layout in _TO_LAST:
        x, grad = transpose(x, _TO_LAST[layout]), transpose(grad, _TO_LAST[layout])
        back = _FROM_LAST[layout]
        layout = b"NHWC" if layout == b"NCHW" else b"NDHWC"
    inputs = [grad, x, scale, *kept]
    name = {"FusedBatchNorm": "FusedBatchNormGrad", "FusedBatchNormV2": "FusedBatchNormGradV2"}.get(op.type)
    if name is None:
        name = "FusedBatchNormGradV3"
        inputs.append(op.outputs[5])
    attrs = {"epsilon": op.get_attr("epsilon"), "data_format": layout, "is_training": training}
    dx, dscale, doffset, _, _ = apply_op(name, *inputs, **attrs)
    if back is not None:
        dx = transpose(dx, back)
    return dx, dscale, doffset, None, None


@gradient("BatchNormWithGlobalNormalization")
def global_batch_norm(op: Operation, grad: Tensor) -> tuple[Any, ...]:
    """By all five inputs."""
    t, m, v, _, gamma = op.inputs
    attrs = _attrs(op, "variance_epsilon", "scale_after_normalization")
    return tuple(apply_op("BatchNormWithGlobalNormalizationGrad", t, m, v, gamma, grad, **attrs))


# Images


@gradient("ResizeBilinear", "ResizeBicubic")
def resized(op: Operation, grad: Tensor) -> list[Any]:
    """As an op of its own computes it."""
    attrs = _attrs(op, "align_corners", "half_pixel_centers")
    return [apply_op(f"{op.type}Grad", grad, op.inputs[0], **attrs), None]


@gradient("ResizeNearestNeighbor")
def resized_nearest(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient summed where each element was taken from."""
    attrs = _attrs(op, "align_corners", "half_pixel_centers")
    x = op.inputs[0]
    size: Any = x.shape.as_list()[1:3] if x.shape[1:3].is_fully_defined() else shape_of(x)[1:3]
    return [apply_op("ResizeNearestNeighborGrad", grad, size, **attrs), None]


@gradient("CropAndResize")
def cropped(op: Operation, grad: Tensor) -> list[Any]:
    """By the images and, of bilinear crops, by the boxes."""
    image, boxes, numbers = op.inputs[:3]
    method = op.get_attr("method")
    by_image = None
    if image.dtype.is_floating:
        by_image = apply_op(
            "CropAndResizeGradImage", grad, boxes, numbers, shape_of(image), T=image.dtype, method=method
        )
    by_boxes = None
    if method == b"bilinear":
        by_boxes = apply_op("CropAndResizeGradBoxes", grad, image, boxes, numbers)
    return [by_image, by_boxes, None, None]
