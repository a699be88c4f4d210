"""Layers that multiply, look up, reshape and activate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras import config
from icefloe.importers.keras.activations import activate, softmax
from icefloe.importers.keras.registry import LayerContext, find, layer
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import reshape, shape
from icefloe.lib.math_matrix import tensordot
from icefloe.lib.math_reduce import reduce_any


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def affine(c: LayerContext, x: Tensor, kernel: np.ndarray, bias: np.ndarray | None) -> Tensor:
    """Return x [..., n] times a kernel [n, m], and a bias [m] added."""
    w = c.weight(kernel, "kernel")
    y = _op("MatMul", x, w) if x.shape.rank == 2 else tensordot(x, w, [[-1], [0]])
    if bias is None:
        return y
    b = c.weight(bias, "bias")
    return _op("BiasAdd", y, b) if y.shape.rank is not None else y + b


@layer("Dense", "TimeDistributedDense")
def dense(c: LayerContext, x: Tensor) -> Tensor:
    """Multiply by a matrix, add a bias, activate."""
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    return activate(c, c.get("activation"), affine(c, x, kernel, bias[0] if bias else None))


@layer("Activation")
def activation(c: LayerContext, x: Tensor) -> Tensor:
    """Activate."""
    return activate(c, c.get("activation"), x)


@layer(
    "Dropout",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "GaussianDropout",
    "GaussianNoise",
    "AlphaDropout",
    "ActivityRegularization",
    "Identity",
)
def nothing(c: LayerContext, x: Tensor) -> Tensor:
    """Do nothing: the layer is one of training."""
    return _op("Identity", x)


@layer("Flatten")
def flatten(c: LayerContext, x: Tensor) -> Tensor:
    """Make one row of each example."""
    rank = x.shape.rank
    if c.channels_first and rank is not None and rank > 2:
        x = _op("Transpose", x, [0, *range(2, rank), 1])
    size = _elements(x)
    return reshape(x, stack([shape(x)[0], -1]) if size is None else [-1, size])


def _elements(x: Tensor) -> int | None:
    """Return how many elements each example has, None where that is not known."""
    if x.shape.rank is None:
        return None
    count: int | None = x.shape[1:].num_elements()
    return count


@layer("Reshape")
def reshaped(c: LayerContext, x: Tensor) -> Tensor:
    """Give each example another shape."""
    target = [int(n) for n in c.get("target_shape", ())]
    size = _elements(x)
    if -1 in target and size is not None:
        target[target.index(-1)] = size // max(math.prod(n for n in target if n != -1), 1)
    if -1 in target:
        return reshape(x, concat([shape(x)[:1], target], 0))
    return reshape(x, [-1, *target])


@layer("Permute")
def permute(c: LayerContext, x: Tensor) -> Tensor:
    """Exchange the dimensions of each example; `dims` counts from 1."""
    return _op("Transpose", x, [0, *c.get("dims")])


@layer("RepeatVector")
def repeat_vector(c: LayerContext, x: Tensor) -> Tensor:
    """Repeat each row `n` times."""
    return _op("Tile", _op("ExpandDims", x, 1), [1, int(c.get("n")), 1])


@layer("Masking")
def masking(c: LayerContext, x: Tensor) -> Tensor:
    """Let steps not count whose numbers all are `mask_value`."""
    differs = _op("NotEqual", x, np.asarray(c.get("mask_value", 0.0), x.dtype.as_numpy_dtype))
    c.out_mask = reduce_any(differs, axis=-1)
    return x * _op("Cast", reduce_any(differs, axis=-1, keepdims=True), DstT=x.dtype)


@layer("Embedding")
def embedding(c: LayerContext, x: Tensor) -> Tensor:
    """Look numbers up in a table."""
    (table,) = c.weights.take(1)
    if c.get("mask_zero", False):
        c.out_mask = _op("NotEqual", x, np.asarray(0, x.dtype.as_numpy_dtype))
    ids = x if x.dtype.name in ("int32", "int64") else _op("Cast", x, DstT=np.int32)
    return _op("GatherV2", c.weight(table, "embeddings"), ids, 0)


@layer("ReLU")
def relu(c: LayerContext, x: Tensor) -> Tensor:
    """Cut off what is low, by a slope, and what is high."""
    highest, threshold = c.get("max_value"), float(c.get("threshold", 0.0))
    slope = float(np.ravel(c.get("negative_slope", 0.0))[0])
    if slope == 0.0 and threshold == 0.0 and highest == 6.0:
        return _op("Relu6", x)
    real = x.dtype.as_numpy_dtype
    if threshold != 0.0:
        y = x * _op("Cast", x > threshold, DstT=x.dtype) if slope == 0.0 else _op("Relu", x)
        if slope != 0.0:
            y = _op("SelectV2", x > threshold, x, slope * (x - threshold))
    else:
        y = _op("Relu", x) if slope == 0.0 else _op("LeakyRelu", x, alpha=slope)
    return y if highest is None else _op("Minimum", y, np.asarray(highest, real))


@layer("LeakyReLU")
def leaky_relu(c: LayerContext, x: Tensor) -> Tensor:
    """Let what is below 0 through by a slope."""
    slope = c.get("negative_slope", c.get("alpha", 0.3))
    return _op("LeakyRelu", x, alpha=float(np.ravel(slope)[0]))


@layer("PReLU")
def prelu(c: LayerContext, x: Tensor) -> Tensor:
    """Let what is below 0 through by slopes that were learned."""
    (slopes,) = c.weights.take(1)
    return _op("Relu", x) - c.weight(slopes, "alpha") * _op("Relu", -x)


@layer("ELU")
def elu(c: LayerContext, x: Tensor) -> Tensor:
    """Let what is below 0 through as alpha (exp(x) - 1)."""
    alpha = float(np.ravel(c.get("alpha", 1.0))[0])
    y = _op("Elu", x)
    return y if alpha == 1.0 else _op("SelectV2", x > 0.0, y, alpha * y)


@layer("ThresholdedReLU")
def thresholded_relu(c: LayerContext, x: Tensor) -> Tensor:
    """Keep what is above theta."""
    return x * _op("Cast", x > float(np.ravel(c.get("theta", 1.0))[0]), DstT=x.dtype)


@layer("Softmax")
def softmax_layer(c: LayerContext, x: Tensor) -> Tensor:
    """Return the softmax along an axis."""
    axis = c.get("axis", -1)
    if isinstance(axis, (list, tuple)):
        if len(axis) != 1:
            raise c.refuse(f"a softmax over the axes {axis}")
        axis = axis[0]
    return softmax(x, int(axis))


@layer("Rescaling")
def rescaling(c: LayerContext, x: Tensor) -> Tensor:
    """Multiply and add."""
    if not x.dtype.is_floating:
        x = _op("Cast", x, DstT=np.float32)
    real = x.dtype.as_numpy_dtype
    return x * np.asarray(c.get("scale", 1.0), real) + np.asarray(c.get("offset", 0.0), real)


@layer("Normalization")
def normalization(c: LayerContext, x: Tensor) -> Tensor:
    """Subtract the mean and divide by the deviation, which were learned or are settings."""
    axis = c.get("axis", -1)
    if isinstance(axis, (list, tuple)):
        axis = axis[0] if axis else None
    if len(c.weights):
        mean, variance, *_ = c.weights.take(2, 3)
    else:
        mean, variance = np.asarray(c.get("mean", 0.0), np.float32), np.asarray(c.get("variance", 1.0), np.float32)
    if axis is not None and np.ndim(mean) == 1 and x.shape.rank is not None:
        form = [1] * x.shape.rank
        form[axis] = -1
        mean, variance = mean.reshape(form), variance.reshape(form)
    deviation = np.maximum(np.sqrt(variance), 1e-7).astype(np.float32)
    return (x - c.weight(mean.astype(np.float32), "mean")) / c.weight(deviation, "deviation")


@layer("TimeDistributed")
def time_distributed(c: LayerContext, x: Tensor) -> Any:
    """Apply the layer inside to each step."""
    inner = config.wrapped(c.get("layer"), c.version)
    builder = find(inner.kind)
    if builder is None:
        raise c.refuse(f"the layer inside is a {inner.kind}, which is not known")
    weights = c.weights.part("layer") if any(p.startswith("layer/") for p in c.weights.paths) else c.weights
    context = LayerContext(inner.kind, f"{c.name}/{inner.name}", inner.settings, weights, c.version)
    c.out_mask = c.mask
    if inner.kind in ("Dense", "Activation", "Dropout"):
        return builder(context, x)
    sizes = x.shape.as_list()
    dynamic = shape(x)
    flat = reshape(x, [-1, *sizes[2:]] if None not in sizes[2:] else concat([[-1], dynamic[2:]], 0))
    y = builder(context, flat)
    after = y.shape.as_list()[1:]
    lead = [-1, sizes[1]] if sizes[1] is not None else None
    if lead is not None and None not in after:
        return reshape(y, [*lead, *after])
    return reshape(y, concat([dynamic[:2], shape(y)[1:]], 0))
