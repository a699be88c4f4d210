"""_FusedConv2D, _FusedDepthwiseConv2dNative, _FusedMatMul, _FusedBatchNormEx: a layer with what follows it in one node.

TensorFlow's graph optimizer and TensorFlow.js write them. Attr `fused_ops` names what follows: BiasAdd or
FusedBatchNorm first, with its arguments in `args`, then an activation; TensorFlow.js adds Prelu, whose slopes are the
last argument.

Source: tensorflow/core/kernels/conv_ops_fused_impl.h, matmul_op_fused.cc, fused_batch_norm_ex (names and order).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, with_rank
from icefloe.ops.nn import activations, batch_norm, convolution, depthwise
from icefloe.ops.nn.convolution_geometry import Geometry
from icefloe.ops.nn.windows import channels_first

Kernel = Callable[..., Any]
Step = Callable[[Any, list[Any]], Any]


def _sigmoid(x: Any) -> Any:
    return (1.0 / (1.0 + np.exp(-x.astype(np.float64)))).astype(x.dtype)


def _gelu(x: Any) -> Any:
    from scipy.special import erf

    wide = x.astype(np.float64)
    return (0.5 * wide * (1.0 + erf(wide / np.sqrt(2.0)))).astype(x.dtype)


def _gelu_approximate(x: Any) -> Any:
    wide = x.astype(np.float64)
    return (0.5 * wide * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (wide + 0.044715 * wide**3)))).astype(x.dtype)


_ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "Relu": activations.relu,
    "Relu6": activations.relu6,
    "Elu": activations.elu,
    "Tanh": np.tanh,
    "Sigmoid": _sigmoid,
    "GeluExact": _gelu,
    "GeluApproximate": _gelu_approximate,
}


def _steps(op: str, names: Sequence[str], *, first: bool, epsilon: float, alpha: float) -> list[Step]:
    """Return what follows the layer, each step taking its arguments off the list."""
    return [_step(op, name, first=first, epsilon=epsilon, alpha=alpha) for name in names]


def _step(op: str, name: str, *, first: bool, epsilon: float, alpha: float) -> Step:
    if name == "BiasAdd":
        return lambda y, args: y + _along_channels(args.pop(0), y, first)
    if name == "FusedBatchNorm":
        data_format = "NCHW" if first else "NHWC"
        normalize = batch_norm.fused_batch_norm(
            epsilon=epsilon, exponential_avg_factor=1.0, data_format=data_format, is_training=False
        )
        return lambda y, args: normalize(y, *(args.pop(0) for _ in range(4)))[0]
    if name == "LeakyRelu":
        return lambda y, args: np.where(y > 0, y, y * y.dtype.type(alpha))
    if name == "Prelu":
        return lambda y, args: np.where(y > 0, y, y * args.pop(0))
    function = _ACTIVATIONS.get(name)
    if function is None:
        raise errors.UnimplementedError(f"{op}: fused op {name!r} is not known")
    return lambda y, args: function(y)


def _along_channels(bias: Any, y: Any, first: bool) -> Any:
    return bias.reshape(-1, *(1,) * (y.ndim - 2)) if first and y.ndim > 2 else bias


def _run(layer: Kernel, steps: list[Step]) -> Kernel:
    def run(x: Any, w: Any, args: Any, *unused: Any) -> Any:
        left = list(args)
        y = layer(x, w)
        for step in steps:
            y = step(y, left)
        return np.asarray(y, x.dtype)

    return run


@kernel("_FusedConv2D", factory=True)
def fused_conv2d(
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any,
    data_format: str,
    dilations: Any,
    fused_ops: Any,
    epsilon: float,
    leakyrelu_alpha: float,
) -> Kernel:
    """Return a convolution and what follows it; shapes as Conv2D has them."""
    layer = convolution.conv2d(
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
    )
    first = channels_first(data_format)
    return _run(layer, _steps("_FusedConv2D", fused_ops, first=first, epsilon=epsilon, alpha=leakyrelu_alpha))


@kernel("_FusedDepthwiseConv2dNative", factory=True)
def fused_depthwise(
    *,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    fused_ops: Any,
    epsilon: float,
    leakyrelu_alpha: float,
) -> Kernel:
    """Return a convolution of each channel and what follows it; shapes as DepthwiseConv2dNative has them."""
    layer = depthwise.depthwise_conv2d_native(
        strides=strides, padding=padding, explicit_paddings=(), data_format=data_format, dilations=dilations
    )
    first = channels_first(data_format)
    steps = _steps("_FusedDepthwiseConv2dNative", fused_ops, first=first, epsilon=epsilon, alpha=leakyrelu_alpha)
    return _run(layer, steps)


@kernel("_FusedMatMul", factory=True)
def fused_matmul(
    *, transpose_a: bool, transpose_b: bool, fused_ops: Any, epsilon: float, leakyrelu_alpha: float
) -> Kernel:
    """Return a product of matrices [m, k] and [k, n] and what follows it."""

    def product(a: Any, b: Any) -> Any:
        if a.ndim != 2 or b.ndim != 2:
            raise errors.InvalidArgumentError(f"In[0] and In[1] must be matrices, got ranks {a.ndim} and {b.ndim}")
        return np.matmul(a.T if transpose_a else a, b.T if transpose_b else b)

    steps = _steps("_FusedMatMul", fused_ops, first=False, epsilon=epsilon, alpha=leakyrelu_alpha)
    return _run(product, steps)


@kernel("_FusedBatchNormEx", factory=True)
def fused_batch_norm_ex(
    *, epsilon: float, exponential_avg_factor: float, data_format: str, is_training: bool, activation_mode: str
) -> Kernel:
    """Return FusedBatchNormV3's results, with a side input added to the first one and an activation of it."""
    if activation_mode not in ("Identity", "Relu"):
        raise errors.UnimplementedError(f"_FusedBatchNormEx: activation_mode {activation_mode!r} is not known")
    normalize = batch_norm.fused_batch_norm_v3(
        epsilon=epsilon, exponential_avg_factor=exponential_avg_factor, data_format=data_format, is_training=is_training
    )

    def run(x: Any, scale: Any, offset: Any, mean: Any, variance: Any, side_input: Any) -> Any:
        y, *rest = normalize(x, scale, offset, mean, variance)
        for side in side_input:
            y = y + side
        return (activations.relu(y) if activation_mode == "Relu" else y, *rest)

    return run


@shape("_FusedConv2D")
def fused_conv2d_shape(c: ShapeContext) -> list[Dims]:
    """The shape of the convolution."""
    geometry = Geometry(
        "Conv2D",
        4,
        c.attr("strides"),
        c.attr("padding"),
        c.attr("explicit_paddings"),
        c.attr("data_format"),
        c.attr("dilations"),
    )
    return [convolution.forward_shape(geometry, c.shape(0), c.shape(1), grouped=True)]


@shape("_FusedDepthwiseConv2dNative")
def fused_depthwise_shape(c: ShapeContext) -> list[Dims]:
    """The shape of the convolution."""
    geometry = Geometry(
        "DepthwiseConv2dNative", 4, c.attr("strides"), c.attr("padding"), (), c.attr("data_format"), c.attr("dilations")
    )
    x, w = with_rank(c.shape(0), 4), with_rank(c.shape(1), 4)
    sizes = x[2:] if geometry.first else x[1:3]
    outputs = None if w[2] is None or w[3] is None else w[2] * w[3]
    return [geometry.full_shape(x[0], geometry.output_lengths(sizes, w[:2]), outputs)]


@shape("_FusedMatMul")
def fused_matmul_shape(c: ShapeContext) -> list[Dims]:
    """Rows of the first matrix, columns of the second."""
    a, b = with_rank(c.shape(0), 2), with_rank(c.shape(1), 2)
    return [(a[1 if c.attr("transpose_a") else 0], b[0 if c.attr("transpose_b") else 1])]


@shape("_FusedBatchNormEx")
def fused_batch_norm_ex_shape(c: ShapeContext) -> list[Dims]:
    """The input's shape, and the channels."""
    return [*batch_norm.fused_batch_norm_shape(c), None]
