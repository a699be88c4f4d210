"""Matrix products of 8-bit integers together with bias, ReLU and a new range, as TensorFlow's quantization tools write
them for CPUs. Numbers are those of `quantized_fused`.

Where `input_quant_mode` is MIN_FIRST, the left side's 0 stands for the low end of its range; what that adds to each
column of the product is added to its bias.
Source: tensorflow/core/kernels/mkl/mkl_qmatmul_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, shape_text
from icefloe.ops.array.quantization import plain, quantized
from icefloe.ops.math.products import mat_mul_shape
from icefloe.ops.nn.quantized_fused import (
    FILTER_TOP,
    TOP,
    F,
    check_bias,
    reach,
    requantized,
    sum_limits,
    to_integers,
    wrapped,
)

_NAMES = ("min_a", "max_a", "min_b", "max_b", "min_freezed_output", "max_freezed_output")


class _Product:
    """The sums of a product with its bias: whole numbers, float64 [rows, columns]. unit: what 1 stands for in them."""

    def __init__(self, a: Any, b: Any, bias: Any, limits: tuple[Any, ...], attrs: dict[str, Any]) -> None:
        for name, value in zip(_NAMES, limits):
            if np.ndim(value):
                raise errors.InvalidArgumentError(f"`{name}` must be rank 0 but is rank {np.ndim(value)}")
        left, right = plain(a).astype(np.float64), plain(b).astype(np.float64)
        for i, matrix in enumerate((left, right)):
            if np.ndim(matrix) != 2:
                raise errors.InvalidArgumentError(f"In[{i}] is not a matrix, its shape is {shape_text(matrix.shape)}")
        left, right = left.T if attrs["transpose_a"] else left, right.T if attrs["transpose_b"] else right
        if left.shape[1] != right.shape[0]:
            raise errors.InvalidArgumentError(
                f"Matrix size-incompatible: In[0]: {shape_text(a.shape)}, In[1]: {shape_text(b.shape)}"
            )
        check_bias(bias, right.shape[1])
        top = TOP[attrs["T1"].name]
        low, high = (F(np.ravel(v)[0]) for v in limits[:2])
        shifted = attrs["input_quant_mode"] == "MIN_FIRST"
        reach_b = reach(*limits[2:4]).reshape(())
        low_b, high_b = (F(np.ravel(v)[0]) for v in limits[2:4])
        self.limits = sum_limits(low, high, attrs["T1"], low_b, high_b, attrs["T2"])
        self.unit = (high - low if shifted else reach(low, high)) * reach_b / (top * FILTER_TOP)
        self.sums = left @ right
        if bias.dtype.names:
            self.bias = plain(bias).astype(F)
            return
        self.bias = np.asarray(bias, F) * (F(1) / self.unit)
        if shifted:
            self.bias = self.bias + right.sum(axis=0).astype(F) * (top * low / (high - low))

    def whole(self) -> Any:
        """Return the sums with the bias rounded."""
        return self.sums + to_integers(self.bias, -(2**31), 2**31 - 1)

    def in_sums(self, *, relu: bool) -> tuple[Any, Any, Any]:
        sums = self.whole()
        return wrapped(np.maximum(sums, 0) if relu else sums), *self.limits

    def requantized(self, limits: tuple[Any, ...], out_type: DType, *, relu: bool) -> tuple[Any, Any, Any]:
        low, high = (F(np.ravel(v)[0]) for v in limits[4:])
        factor = self.unit * TOP[out_type.name] / reach(low, high)
        return requantized(self.sums + self.bias, factor, out_type, relu=relu), low, high


@kernel("QuantizedMatMulWithBias")
def with_bias(
    a: Any,
    b: Any,
    bias: Any,
    *limits: Any,
    T1: DType,
    T2: DType,
    Toutput: DType,
    transpose_a: bool,
    transpose_b: bool,
    input_quant_mode: str,
) -> tuple[Any, Any, Any]:
    """Return the sums, and the floats that the least and the greatest int32 stand for in them."""
    attrs = {
        "T1": T1,
        "T2": T2,
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "input_quant_mode": input_quant_mode,
    }
    sums, low, high = _Product(a, b, bias, limits, attrs).in_sums(relu=False)
    return quantized(sums, Toutput), low, high


@kernel("QuantizedMatMulWithBiasAndRelu")
def with_bias_and_relu(
    a: Any,
    b: Any,
    bias: Any,
    *limits: Any,
    T1: DType,
    T2: DType,
    Toutput: DType,
    transpose_a: bool,
    transpose_b: bool,
    input_quant_mode: str,
) -> tuple[Any, Any, Any]:
    """Return the sums that are above 0, else 0, and their limits as `with_bias` gives them."""
    attrs = {
        "T1": T1,
        "T2": T2,
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "input_quant_mode": input_quant_mode,
    }
    sums, low, high = _Product(a, b, bias, limits, attrs).in_sums(relu=True)
    return quantized(sums, Toutput), low, high


@kernel("QuantizedMatMulWithBiasAndRequantize", "QuantizedMatMulWithBiasAndReluAndRequantize")
def with_bias_and_requantize(
    a: Any,
    b: Any,
    bias: Any,
    *limits: Any,
    T1: DType,
    T2: DType,
    Toutput: DType,
    transpose_a: bool,
    transpose_b: bool,
    input_quant_mode: str,
) -> tuple[Any, Any, Any]:
    """Return the product in the given range, and this; in quint8 nothing is below 0, so that ReLU changes nothing."""
    attrs = {
        "T1": T1,
        "T2": T2,
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "input_quant_mode": input_quant_mode,
    }
    return _Product(a, b, bias, limits, attrs).requantized(limits, Toutput, relu=False)


@kernel("QuantizedMatMulWithBiasAndDequantize")
def with_bias_and_dequantize(
    a: Any,
    b: Any,
    bias: Any,
    *limits: Any,
    T1: DType,
    T2: DType,
    transpose_a: bool,
    transpose_b: bool,
    input_quant_mode: str,
) -> Any:
    """Return the product as float32."""
    attrs = {
        "T1": T1,
        "T2": T2,
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "input_quant_mode": input_quant_mode,
    }
    product = _Product(a, b, bias, limits, attrs)
    return (product.sums + product.bias).astype(F) * product.unit


@shape(
    "QuantizedMatMulWithBias",
    "QuantizedMatMulWithBiasAndDequantize",
    "QuantizedMatMulWithBiasAndRelu",
    "QuantizedMatMulWithBiasAndReluAndRequantize",
    "QuantizedMatMulWithBiasAndRequantize",
)
def product_shape(c: ShapeContext) -> list[Dims]:
    """[rows of a, columns of b]; the limits."""
    made = mat_mul_shape(c)[0]
    return [made] if c.op == "QuantizedMatMulWithBiasAndDequantize" else [made, (), ()]
