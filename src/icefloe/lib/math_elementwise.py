"""Elementwise arithmetic whose TensorFlow 1 form is more than one node or has scopes of its own.

The plain ones (`cos`, `less`, `maximum`, ...) come from the op table; see `icefloe.lib.op_functions`.
"""

from __future__ import annotations

import math
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operators import true_divide, true_divide_dtype
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones_like, zeros_like
from icefloe.lib.array_select import where
from icefloe.lib.constants import hinted, is_tensor
from icefloe.lib.math_cast import cast


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x + y, broadcast; strings are joined."""
    with name_scope(name, "Add", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        y = hinted(y, x.dtype.base_dtype, name="y")
        return apply_op("Add" if x.dtype.base_dtype == datatypes.string else "AddV2", x, y, name=scope)


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x - y, broadcast."""
    return apply_op("Sub", x, y, name=name)


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x * y, broadcast."""
    return apply_op("Mul", x, y, name=name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Return a scalar times a tensor or IndexedSlices. Raises: ValueError if `scalar` is none."""
    scalar = convert_to_tensor(scalar, dtype=datatypes.as_dtype(x.dtype).base_dtype, name="scalar")
    if scalar.shape.rank != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(apply_op("Mul", scalar, x.values, name=name), x.indices, x.dense_shape)
    return apply_op("Mul", scalar, x, name=name)


def _same_dtype(x: Tensor, y: Tensor) -> datatypes.DType:
    if x.dtype.base_dtype != y.dtype.base_dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype.base_dtype!r} != {y.dtype.base_dtype!r}.")
    return x.dtype.base_dtype


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x / y; integers are divided as floats, those of 16 bits or less as float32, others as float64.

    Raises: TypeError if the dtypes differ or have no division.
    """
    return true_divide(x, y, name)  # type: ignore[arg-type]


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x / y as the operator does."""
    if name is not None:
        return truediv(x, y, name)
    if not is_tensor(x):
        x = convert_to_tensor(x, dtype=y.dtype.base_dtype if is_tensor(y) else None)
    return x / y


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x / y as Python 2 did: floor division of integers. Raises: TypeError if the dtypes differ."""
    with name_scope(name, "div", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        dtype = _same_dtype(x, y)
        return apply_op("RealDiv" if dtype.is_floating or dtype.is_complex else "FloorDiv", x, y, name=scope)


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x / y, 0 where y is 0. Raises: TypeError if the dtypes differ or have no division."""
    with name_scope(name, "div_no_nan", [x, y]) as scope:
        if not is_tensor(x) and is_tensor(y):
            y = convert_to_tensor(y, name="y")
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
        else:
            x = convert_to_tensor(x, name="x")
            y = hinted(y, x.dtype.base_dtype, name="y")
        wide = true_divide_dtype(_same_dtype(x, y))
        if wide is not None:
            x, y = cast(x, wide), cast(y, wide)
        return apply_op("DivNoNan", x, y, name=scope)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x * y, 0 where y is 0 even if x is infinite or NaN. Raises: TypeError if the dtypes differ."""
    with name_scope(name, "multiply_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        _same_dtype(x, y)
        return apply_op("MulNoNan", x, y, name=scope)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """Return 1 / x, 0 where x is 0."""
    with name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        one = constant(1, dtype=x.dtype.base_dtype, name="one")
        return apply_op("DivNoNan", one, x, name=scope)


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the floor of x / y."""
    with name_scope(name, "floordiv", [x, y]) as scope:
        return apply_op("FloorDiv", x, y, name=scope)


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x to the power y."""
    with name_scope(name, "Pow", [x]) as scope:
        return apply_op("Pow", x, y, name=scope)


def abs(x: Any, name: str | None = None) -> Tensor:
    """Return the absolute value, of complex numbers the modulus."""
    with name_scope(name, "Abs", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return apply_op("ComplexAbs", x, Tout=x.dtype.real_dtype, name=scope)
        return apply_op("Abs", x, name=scope)


def sign(x: Any, name: str | None = None) -> Tensor:
    """Return -1, 0 or 1 by the sign of x; x / |x| of complex numbers."""
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        modulus = apply_op("ComplexAbs", x, Tout=x.dtype.real_dtype)
        return apply_op("DivNoNan", x, cast(modulus, x.dtype), name=name)
    return apply_op("Sign", x, name=name)


def round(x: Any, name: str | None = None) -> Tensor:
    """Return x rounded to the nearest integer, halves to even; integers as they are."""
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else apply_op("Round", x, name=name)


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Return real + i imag, complex64 of float32, complex128 of float64. Raises: TypeError for other dtypes."""
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with name_scope(name, "Complex", [real, imag]) as scope:
        out = {"float32": datatypes.complex64, "float64": datatypes.complex128}.get(real.dtype.name)
        if out is None or imag.dtype != real.dtype:
            raise TypeError(
                f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. "
                f"They must be consistent, and one of {[datatypes.float32, datatypes.float64]}"
            )
        return apply_op("Complex", real, imag, Tout=out, name=scope)


def real(input: Any, name: str | None = None) -> Tensor:
    """Return the real part; a real tensor as it is. Raises: TypeError if it is not numeric."""
    with name_scope(name, "Real", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return apply_op("Real", input, Tout=input.dtype.real_dtype, name=scope)
        if input.dtype.is_numeric:
            return input
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {input.dtype}")


def imag(input: Any, name: str | None = None) -> Tensor:
    """Return the imaginary part, zeros of a real tensor."""
    with name_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return apply_op("Imag", input, Tout=input.dtype.real_dtype, name=scope)
        return zeros_like(input)


def angle(input: Any, name: str | None = None) -> Tensor:
    """Return the argument of complex numbers; 0 or pi of real ones."""
    with name_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return apply_op("Angle", input, Tout=input.dtype.real_dtype, name=scope)
        return where(input < 0, math.pi * ones_like(input), zeros_like(input))


def conj(x: Any, name: str | None = None) -> Tensor:
    """Return the complex conjugate; a real tensor as it is. Raises: TypeError if it is neither numeric nor variant."""
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with name_scope(name, "Conj", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex or x.dtype == datatypes.variant:
            return apply_op("Conj", x, name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """Return whether exactly one of x and y holds."""
    either = apply_op("LogicalOr", x, y)
    both = apply_op("LogicalAnd", x, y)
    return apply_op("LogicalAnd", either, apply_op("LogicalNot", both), name=name)


def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return where x equals y."""
    return apply_op("Equal", x, y, name=name)


def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return where x differs from y."""
    return apply_op("NotEqual", x, y, name=name)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Return 1 / (1 + exp(-x))."""
    with name_scope(name, "Sigmoid", [x]) as scope:
        return apply_op("Sigmoid", convert_to_tensor(x, name="x"), name=scope)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Return log(sigmoid(x)) as -softplus(-x)."""
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return apply_op("Neg", apply_op("Softplus", -x), name=scope)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Return the sum of tensors of one shape. Raises: ValueError if there is none."""
    if not inputs or not hasattr(inputs, "__iter__"):
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    tensors = [x if isinstance(x, (IndexedSlices, SparseTensor)) else convert_to_tensor(x) for x in inputs]
    if len(tensors) == 1:
        value = convert_to_tensor(tensors[0])
        return apply_op("Identity", value, name=name) if name else value
    return apply_op("AddN", tensors, name=name)


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """Return the sum of tensors of one shape and dtype.

    Raises: ValueError if they differ; TypeError if their dtype is not `tensor_dtype`.
    """
    from icefloe.shapes import TensorShape

    problem = "inputs must be a list of at least one Tensor with the same dtype and shape"
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError(problem)
    tensors = [convert_to_tensor(x) for x in inputs]
    if any(x.dtype != tensors[0].dtype for x in tensors):
        raise ValueError(problem)
    merged = TensorShape(shape)
    for x in tensors:
        merged = merged.merge_with(x.shape)
    if tensor_dtype is not None and tensor_dtype != tensors[0].dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type {tensors[0].dtype}. These "
            "must be equal. Try casting the input to the desired type."
        )
    return add_n(tensors, name=name)


def ceil(x: Any, name: str | None = None) -> Tensor:
    """Return the least integer not below x."""
    return apply_op("Ceil", x, name=name)


def floor(x: Any, name: str | None = None) -> Tensor:
    """Return the greatest integer not above x."""
    return apply_op("Floor", x, name=name)


def exp(x: Any, name: str | None = None) -> Tensor:
    """Return e to the power x."""
    return apply_op("Exp", x, name=name)


def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Return the square root."""
    return apply_op("Sqrt", x, name=name)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """Return 1 / the square root."""
    return apply_op("Rsqrt", x, name=name)


def acos(x: Any, name: str | None = None) -> Tensor:
    """Return the angle whose cosine is x."""
    return apply_op("Acos", x, name=name)


def _scoped(op: str, scope: str, x: Any, *rest: Any, name: str | None) -> Tensor:
    with name_scope(name, scope, [x]):
        return apply_op(op, x, *rest)


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x / y, 0 where x is 0."""
    return _scoped("Xdivy", "xdivy", x, y, name=name)


def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x * log(1 + y), 0 where x is 0."""
    return _scoped("Xlog1py", "xlog1py", x, y, name=name)


def erfinv(x: Any, name: str | None = None) -> Tensor:
    """Return the inverse of the error function."""
    return _scoped("Erfinv", "erfinv", x, name=name)


def ndtri(x: Any, name: str | None = None) -> Tensor:
    """Return the quantile function of the standard normal distribution."""
    return _scoped("Ndtri", "ndtri", x, name=name)


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """Return the inverse of the complementary error function."""
    with name_scope(name, "erfcinv", [x]):
        x = convert_to_tensor(x, name="start")
        return -ndtri(0.5 * x) * math.sqrt(0.5)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """Return the polynomial with these coefficients, highest power first, at x.

    Raises: ValueError if `coeffs` is no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")  # noqa: TRY004 (as TensorFlow)
    with name_scope(name, "polyval", [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x, name=scope)
        tensors = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        result = tensors[0]
        for c in tensors[1:]:
            result = c + result * x
        return result
