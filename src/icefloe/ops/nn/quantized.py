"""Products, convolutions, pooling, sums and activations of quantized tensors.

Each tensor comes with the range of floats that its integers stand for (`quantized_range`), and so do the results.
Products are exact sums of integers, kept in 32 bits. Source: tensorflow/core/kernels/quantized_*_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, broadcast_shapes, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.joining import concat_shape
from icefloe.ops.array.quantization import plain, quantized
from icefloe.ops.math.products import mat_mul_shape
from icefloe.ops.nn import pooling
from icefloe.ops.nn.bias import bias_add_shape
from icefloe.ops.nn.convolution import forward_shape
from icefloe.ops.nn.convolution_geometry import Geometry, check_ranks
from icefloe.ops.nn.correlate import correlate
from icefloe.ops.nn.pooling_geometry import Pooling, check_rank
from icefloe.ops.nn.quantized_range import F, Range, check_scalars

Kernel = Callable[..., Any]
Result = tuple[Any, Any, Any]


def _wrapped(sums: Any) -> Any:
    """Return whole numbers as int32, without those bits that do not fit."""
    return sums.astype(np.int64).astype(np.int32)


def _shifted(values: Any, zero: int) -> Any:
    """Return how far integers lie above the one that stands for 0: float64, in which their products are exact."""
    return plain(values).astype(np.float64) - zero


@kernel("QuantizedMatMul")
def quantized_mat_mul(
    a: Any,
    b: Any,
    min_a: Any,
    max_a: Any,
    min_b: Any,
    max_b: Any,
    *,
    T1: DType,
    T2: DType,
    Toutput: DType,
    transpose_a: bool,
    transpose_b: bool,
) -> Result:
    """Return the product of two matrices."""
    for name, value in (("min_a", min_a), ("max_a", max_a), ("min_b", min_b), ("max_b", max_b)):
        if np.size(value) != 1:
            raise errors.InvalidArgumentError(f"{name} must be a scalar, but got shape{shape_text(np.shape(value))}")
    range_a, range_b = Range.of(min_a, max_a, T1), Range.of(min_b, max_b, T2)
    for name, r in (("a", range_a), ("b", range_b)):
        if not r.high > r.low:
            raise errors.InvalidArgumentError(f"max_{name} must be larger than min_{name}.")
    for i, matrix in enumerate((a, b)):
        if np.ndim(matrix) != 2:
            raise errors.InvalidArgumentError(f"In[{i}] is not a matrix")
    left = _shifted(a, range_a.zero())
    right = _shifted(b, range_b.zero())
    left, right = left.T if transpose_a else left, right.T if transpose_b else right
    if left.shape[1] != right.shape[0]:
        raise errors.InvalidArgumentError(
            f"Matrix size-incompatible: In[0]: {shape_text(a.shape)}, In[1]: {shape_text(b.shape)}"
        )
    low, high = range_a.times(range_b, Toutput)
    return quantized(_wrapped(left @ right), Toutput), low, high


def _conv_geometry(strides: Any, padding: str, dilations: Any) -> Geometry:
    if len(strides) != 4:
        raise errors.InvalidArgumentError("Sliding window strides field must specify 4 dimensions")
    if len(dilations) != 4:
        raise errors.InvalidArgumentError("Dilations field must specify 4 dimensions")
    return Geometry("QuantizedConv2D", 4, strides, padding, (), "NHWC", dilations)


@kernel("QuantizedConv2D", factory=True)
def quantized_conv2d(
    *, Tinput: DType, Tfilter: DType, out_type: DType, strides: Any, padding: str, dilations: Any
) -> Kernel:
    """Return the convolution [n, h, w, k] of [n, h, w, c] with a filter [kh, kw, c, k]."""
    geometry = _conv_geometry(strides, padding, dilations)
    if strides[0] != 1 or strides[3] != 1:
        raise errors.InvalidArgumentError(
            "Current implementation does not yet support strides in the batch and depth dimensions."
        )
    if dilations[0] != 1 or dilations[3] != 1:
        raise errors.InvalidArgumentError(
            "Current implementation does not yet support dilations in the batch and depth dimensions."
        )

    def run(x: Any, w: Any, min_input: Any, max_input: Any, min_filter: Any, max_filter: Any) -> Result:
        if not x.size:
            raise errors.InvalidArgumentError("Invalid input: Shapes dimension cannot be 0.")
        check_ranks(x, w, 4)
        check_scalars("", min_input=min_input, max_input=max_input, min_filter=min_filter, max_filter=max_filter)
        if x.shape[3] != w.shape[2]:
            raise errors.InvalidArgumentError(
                f"input and filter must have the same depth: {x.shape[3]} vs {w.shape[2]}"
            )
        windows = geometry.windows(x.shape[1:3], w.shape[:2])
        check_shape((len(x), *(v.out for v in windows), w.shape[3]), np.dtype(np.float64))
        range_x, range_w = Range.of(min_input, max_input, Tinput), Range.of(min_filter, max_filter, Tfilter)
        sums = correlate(_shifted(x, range_x.zero()), _shifted(w, range_w.zero()), windows)
        low, high = range_x.times(range_w, out_type)
        return quantized(_wrapped(sums), out_type), low, high

    return run


@kernel("QuantizedMul")
def quantized_mul(
    x: Any, y: Any, min_x: Any, max_x: Any, min_y: Any, max_y: Any, *, T1: DType, T2: DType, Toutput: DType
) -> Result:
    """Return x * y, broadcast."""
    range_x, range_y = _operand_ranges(min_x, max_x, min_y, max_y, T1, T2)
    _check_broadcast(x, y)
    products = _shifted(x, range_x.zero()) * _shifted(y, range_y.zero())
    low, high = range_x.times(range_y, Toutput)
    return quantized(_wrapped(products), Toutput), low, high


@kernel("QuantizedAdd")
def quantized_add(
    x: Any, y: Any, min_x: Any, max_x: Any, min_y: Any, max_y: Any, *, T1: DType, T2: DType, Toutput: DType
) -> Result:
    """Return x + y, broadcast, in a range of 2 ** 14 times the longer of theirs."""
    range_x, range_y = _operand_ranges(min_x, max_x, min_y, max_y, T1, T2)
    _check_broadcast(x, y)
    longest = max(abs(min(range_x.low, range_y.low)), abs(max(range_x.high, range_y.high)))
    reach = F(longest) * F(1 << 14)
    total = Range(-reach, reach, Toutput.numpy[0])
    if np.size(x) == 1:
        terms = total.to_integers(range_x.to_float(plain(x))), range_y.in_steps(plain(y), total)
    elif np.size(y) == 1:
        terms = range_x.in_steps(plain(x), total), total.to_integers(range_y.to_float(plain(y)))
    else:
        terms = range_x.in_steps(plain(x), total), range_y.in_steps(plain(y), total)
    return quantized(_wrapped(terms[0].astype(np.int64) + terms[1]), Toutput), total.low, total.high


def _operand_ranges(min_x: Any, max_x: Any, min_y: Any, max_y: Any, T1: DType, T2: DType) -> tuple[Range, Range]:
    check_scalars(min_x=min_x, max_x=max_x, min_y=min_y, max_y=max_y)
    ranges = Range.of(min_x, max_x, T1), Range.of(min_y, max_y, T2)
    for name, r in zip("xy", ranges, strict=True):
        if not r.high > r.low:
            raise errors.InvalidArgumentError(f"max_{name} must be larger than min_{name}.")
    return ranges


def _check_broadcast(x: Any, y: Any) -> None:
    try:
        np.broadcast_shapes(np.shape(x), np.shape(y))
    except ValueError:
        raise errors.InvalidArgumentError(
            f"Incompatible shapes: {shape_text(np.shape(x))} vs. {shape_text(np.shape(y))}"
        ) from None


@kernel("QuantizedBiasAdd")
def quantized_bias_add(
    x: Any,
    bias: Any,
    min_input: Any,
    max_input: Any,
    min_bias: Any,
    max_bias: Any,
    *,
    T1: DType,
    T2: DType,
    out_type: DType,
) -> Result:
    """Return `x` with `bias` [channels] added along the last dimension, in a range of 2 ** 17 times the longer one."""
    check_scalars(min_input=min_input, max_input=max_input, min_bias=min_bias, max_bias=max_bias)
    if np.ndim(x) < 2:
        raise errors.InvalidArgumentError(f"Input tensor must be at least 2D: {shape_text(np.shape(x))}")
    if np.ndim(bias) != 1:
        raise errors.InvalidArgumentError(f"Biases must be 1D: {shape_text(np.shape(bias))}")
    if len(bias) != x.shape[-1]:
        raise errors.InvalidArgumentError(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{shape_text(bias.shape)} vs. {shape_text(x.shape)}"
        )
    if not len(bias):
        raise errors.InvalidArgumentError("Must provide at least 1 bias")
    range_x, range_b = Range.of(min_input, max_input, T1), Range.of(min_bias, max_bias, T2)
    reach = F(max(range_x.high, -range_x.low, range_b.high, -range_b.low)) * F(1 << 17)
    total = Range(-reach, reach, out_type.numpy[0])
    terms = (total.integers_32(r.floats_32(plain(v))).astype(np.int64) for v, r in ((x, range_x), (bias, range_b)))
    sums = sum(terms) + int(total.to_integers(F(0)))
    return quantized(_wrapped(sums), out_type), total.low, total.high


def _activation(
    x: Any, low: Any, high: Any, least: float, most: float | None, Tinput: DType, out_type: DType
) -> Result:
    check_scalars(min_input=low, max_input=high)
    if out_type is not Tinput:
        raise errors.InvalidArgumentError(f"out_type must be that of the input, {Tinput.name}, but is {out_type.name}")
    r = Range.of(low, high, Tinput)
    out = np.maximum(plain(x), r.to_integers(F(least)))
    if most is not None:
        np.minimum(out, r.to_integers(F(most)), out=out)
    return quantized(out, out_type), r.low, r.high


@kernel("QuantizedRelu")
def quantized_relu(x: Any, low: Any, high: Any, *, Tinput: DType, out_type: DType) -> Result:
    """Return what is above 0, else 0."""
    return _activation(x, low, high, 0, None, Tinput, out_type)


@kernel("QuantizedRelu6")
def quantized_relu6(x: Any, low: Any, high: Any, *, Tinput: DType, out_type: DType) -> Result:
    """Return `x` cut to 0 ... 6."""
    return _activation(x, low, high, 0, 6, Tinput, out_type)


@kernel("QuantizedReluX")
def quantized_relu_x(x: Any, most: Any, low: Any, high: Any, *, Tinput: DType, out_type: DType) -> Result:
    """Return `x` cut to 0 ... `most`."""
    return _activation(x, low, high, 0, float(most), Tinput, out_type)


def _check_pool_limits(low: Any, high: Any) -> None:
    for name, value in (("min_input", low), ("max_input", high)):
        if np.ndim(value):
            raise errors.InvalidArgumentError(
                f"{name} shape must be rank 0 but is rank {np.ndim(value)}, received shape:"
                f" {shape_text(np.shape(value))}"
            )


@kernel("QuantizedMaxPool", factory=True)
def quantized_max_pool(*, T: DType, ksize: Any, strides: Any, padding: str) -> Kernel:
    """Return the greatest element of each window."""
    pool = Pooling(4, ksize, strides, padding, "NHWC").runnable()

    def run(x: Any, low: Any, high: Any) -> Result:
        _check_pool_limits(low, high)
        check_rank(x, 4)
        out = pooling.max_pool(plain(x), pool.windows(x.shape[1:3]))
        return quantized(out, T), F(low), F(high)

    return run


@kernel("QuantizedAvgPool", factory=True)
def quantized_avg_pool(*, T: DType, ksize: Any, strides: Any, padding: str) -> Kernel:
    """Return the mean of each window, padding left out, rounded to even."""
    pool = Pooling(4, ksize, strides, padding, "NHWC").runnable()

    def run(x: Any, low: Any, high: Any) -> Result:
        check_rank(x, 4)
        _check_pool_limits(low, high)
        windows = pool.windows(x.shape[1:3])
        sums = pooling.sum_pool(plain(x).astype(np.int32), windows)
        means = np.rint(sums / np.maximum(pooling.counts(windows), 1))
        return quantized(means, T), F(low), F(high)

    return run


@kernel("QuantizedConcat")
def quantized_concat(axis: Any, values: Any, lows: Any, highs: Any, *, T: DType) -> Result:
    """Return `values` one after the other along `axis`, in a range that holds all of theirs and 0."""
    if np.ndim(axis):
        raise errors.InvalidArgumentError(
            f"Concat dim tensor should be a scalar integer, but got shape {shape_text(np.shape(axis))}"
        )
    first = np.shape(values[0])
    if not 0 <= axis < len(first):
        raise errors.InvalidArgumentError(
            f"ConcatOp : Expected concatenating dimensions in the range [0, {len(first)}), but got {axis}"
        )
    for name, limits in (("input_mins", lows), ("input_maxes", highs)):
        for i, limit in enumerate(limits):
            if np.size(limit) != 1:
                raise errors.InvalidArgumentError(
                    f"{name} each tensor's num elements must be 1, given num elements {np.size(limit)} in index {i}"
                )
    _check_concatenable(int(axis), [np.shape(v) for v in values])
    ranges = [Range.of(low, high, T) for low, high in zip(lows, highs, strict=True)]
    low, high = min(F(0), *(r.low for r in ranges)), max(r.high for r in ranges)
    if np.iinfo(T.numpy[0]).min < 0:
        high = max(abs(low), abs(high))
        low = -high
    target = Range(low, high, T.numpy[0])
    parts = [
        plain(v) if (r.low, r.high) == (low, high) else target.integers_32(r.floats_32(plain(v)))
        for v, r in zip(values, ranges, strict=True)
    ]
    return quantized(np.concatenate(parts, axis=int(axis)), T), low, high


def _check_concatenable(axis: int, shapes: list[tuple[int, ...]]) -> None:
    first = shapes[0]
    for i, other in enumerate(shapes):
        if len(other) != len(first):
            what = "Ranks of all input tensors"
        elif other[:axis] + other[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            what = "Dimensions of inputs"
        else:
            continue
        raise errors.InvalidArgumentError(
            f"ConcatOp : {what} should match: shape[0] = {shape_text(first)} vs. shape[{i}] = {shape_text(other)}"
        )


def _with_limits(c: ShapeContext, made: Dims, *scalars: int) -> list[Dims]:
    """Return the shape `made` and those of the two limits; `scalars` are inputs that must have rank 0."""
    for i in scalars:
        with_rank(c.shape(i), 0)
    return [made, (), ()]


@shape("QuantizedMatMul")
def quantized_mat_mul_shape(c: ShapeContext) -> list[Dims]:
    """[rows of a, columns of b]."""
    return _with_limits(c, mat_mul_shape(c)[0], 2, 3, 4, 5)


@shape("QuantizedConv2D")
def quantized_conv2d_shape(c: ShapeContext) -> list[Dims]:
    """Batch, the places of the window, the filter's outputs."""
    geometry = _conv_geometry(c.attr("strides"), c.attr("padding"), c.attr("dilations"))
    return _with_limits(c, forward_shape(geometry, c.shape(0), c.shape(1), grouped=False), 2, 3, 4, 5)


@shape("QuantizedAdd", "QuantizedMul")
def quantized_binary_shape(c: ShapeContext) -> list[Dims]:
    """The broadcast shape."""
    return _with_limits(c, broadcast_shapes(c.shape(0), c.shape(1)))


@shape("QuantizedBiasAdd")
def quantized_bias_add_shape(c: ShapeContext) -> list[Dims]:
    """The value's shape."""
    return _with_limits(c, bias_add_shape(c)[0], 2, 3, 4, 5)


@shape("QuantizedRelu", "QuantizedRelu6", "QuantizedReluX")
def quantized_relu_shape(c: ShapeContext) -> list[Dims]:
    """The shape of the input."""
    return _with_limits(c, c.shape(0), *range(1, c.num_inputs))


@shape("QuantizedMaxPool", "QuantizedAvgPool")
def quantized_pool_shape(c: ShapeContext) -> list[Dims]:
    """Batch, the places of the window, the channels."""
    pool = Pooling(4, c.attr("ksize"), c.attr("strides"), c.attr("padding"), "NHWC")
    return _with_limits(c, pool.output_shape(c.shape(0)), 1, 2)


@shape("QuantizedConcat")
def quantized_concat_shape(c: ShapeContext) -> list[Dims]:
    """The sizes of the values, added up along the axis."""
    limits = (*c.group("input_mins"), *c.group("input_maxes"))
    return _with_limits(c, concat_shape(c)[0], *limits)
