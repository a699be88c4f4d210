"""Python's operators on tensors, as the ops TensorFlow builds for them.

Only literals convert: `x + 1` makes a constant of the dtype of `x`, while two tensors must have the same dtype. The
right operand's own reflected operator is tried where the left one refuses. Imported by `icefloe.graph`'s users
through `tensor_methods`.

Source: tensorflow/python/ops/math_ops.py, tensorflow/python/framework/override_binary_operator.py (nodes and names).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.slicing import getitem
from icefloe.graph.tensor import Tensor

_TRUEDIV_DTYPES: dict[datatypes.DType, datatypes.DType | None] = {
    datatypes.uint8: datatypes.float32,
    datatypes.int8: datatypes.float32,
    datatypes.uint16: datatypes.float32,
    datatypes.int16: datatypes.float32,
    datatypes.uint32: datatypes.float64,
    datatypes.int32: datatypes.float64,
    datatypes.uint64: datatypes.float64,
    datatypes.int64: datatypes.float64,
    **dict.fromkeys(
        (
            datatypes.bfloat16,
            datatypes.float16,
            datatypes.float32,
            datatypes.float64,
            datatypes.complex64,
            datatypes.complex128,
        )
    ),
}


def _add(x: Tensor, y: Any, name: str) -> Any:
    if not isinstance(y, Tensor):
        y = convert_to_tensor(y, preferred_dtype=x.dtype.base_dtype, name="y")
    return apply_op("Add" if x.dtype.base_dtype == datatypes.string else "AddV2", x, y, name=name)


def _mul(x: Any, y: Any, name: str) -> Any:
    multiply = getattr(type(y), "_multiply_by_dense", None)
    return apply_op("Mul", x, y, name=name) if multiply is None else multiply(y, x, name)


def true_divide(x: Any, y: Any, name: str) -> Tensor:
    """Return `x / y`; integers are divided as floats. Raises: TypeError if the dtypes differ or cannot be divided."""
    with name_scope(name, "truediv", [x, y]) as scope:
        x, y, kind = _same_kind(x, y)
        wide = true_divide_dtype(kind)
        if wide is not None:
            x = apply_op("Cast", x, DstT=wide)
            y = apply_op("Cast", y, DstT=wide)
        return apply_op("RealDiv", x, y, name=scope)


def true_divide_dtype(dtype: datatypes.DType) -> datatypes.DType | None:
    """Return the float type that integers of `dtype` are divided as, or None for a type that is divided as it is.

    Raises: TypeError if it cannot be divided.
    """
    if dtype not in _TRUEDIV_DTYPES:
        allowed = ", ".join(repr(known) for known in _TRUEDIV_DTYPES)
        raise TypeError(f"Invalid dtype {dtype!r} in __truediv__. Expected one of {{{allowed}}}.")
    return _TRUEDIV_DTYPES[dtype]


def divide_as_python2(x: Any, y: Any, name: str) -> Tensor:
    """Return `x / y` with Python 2's meaning: integers are divided to the floor."""
    with name_scope(name, "div", [x, y]) as scope:
        x, y, kind = _same_kind(x, y)
        return apply_op("RealDiv" if kind.is_floating or kind.is_complex else "FloorDiv", x, y, name=scope)


def _same_kind(x: Any, y: Any) -> tuple[Tensor, Tensor, datatypes.DType]:
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, preferred_dtype=x.dtype.base_dtype, name="y")
    if x.dtype.base_dtype != y.dtype.base_dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype.base_dtype!r} != {y.dtype.base_dtype!r}.")
    return x, y, x.dtype.base_dtype


def _pow(x: Any, y: Any, name: str) -> Any:
    return apply_op("Pow", x, y, name=name)


def _matmul(x: Any, y: Any, name: str) -> Any:
    x = convert_to_tensor(x, name="a")
    y = convert_to_tensor(y, preferred_dtype=x.dtype.base_dtype, name="b")
    batched = any(t.ndim is None or t.ndim > 2 for t in (x, y))
    return apply_op("BatchMatMulV2" if batched else "MatMul", x, y, name=name)


def _logical_or_bitwise(logical: Callable[[Any, Any, str], Any], bitwise: str) -> Callable[[Any, Any, str], Any]:
    def apply(x: Any, y: Any, name: str) -> Any:
        if x.dtype.base_dtype == datatypes.bool:
            return logical(x, y, name)
        return apply_op(bitwise, x, y)

    return apply


def _logical_xor(x: Any, y: Any, name: str) -> Any:
    with name_scope(name):
        either = apply_op("LogicalOr", x, y)
        return apply_op("LogicalAnd", either, apply_op("LogicalNot", apply_op("LogicalAnd", x, y)), name=name)


def _op(op_type: str) -> Callable[[Any, Any, str], Any]:
    return lambda x, y, name: apply_op(op_type, x, y, name=name)


def _put_binary(word: str, function: Callable[[Any, Any, str], Any]) -> None:
    """Put `__word__` and `__rword__` on Tensor; nodes are named `word`."""

    def forward(x: Any, y: Any) -> Any:
        with name_scope(None, word, [x, y]) as scope:
            try:
                return function(x, y, scope)
            except (TypeError, ValueError) as error:
                reflected = getattr(type(y), f"__r{word}__", None)
                if reflected is None:
                    raise
                try:
                    result = reflected(y, x)
                except (TypeError, ValueError):
                    raise error from None
                if result is NotImplemented:
                    raise
                return result

    def backward(y: Any, x: Any) -> Any:
        with name_scope(None, word, [x, y]) as scope:
            x = convert_to_tensor(x, y.dtype.base_dtype, name="x")
            return function(x, y, scope)

    forward.__name__, backward.__name__ = f"__{word}__", f"__r{word}__"
    Tensor._override_operator(f"__{word}__", forward)
    Tensor._override_operator(f"__r{word}__", backward)


def _put_comparison(word: str, op_type: str) -> None:
    Tensor._override_operator(f"__{word}__", lambda x, y: apply_op(op_type, x, y))


def _abs(x: Tensor) -> Any:
    if x.dtype.is_complex:
        return apply_op("ComplexAbs", x, Tout=x.dtype.real_dtype, name="Abs")
    return apply_op("Abs", x)


def _invert(x: Tensor) -> Any:
    return apply_op("LogicalNot" if x.dtype.base_dtype == datatypes.bool else "Invert", x)


def _equal(x: Tensor, y: Any) -> Any:
    if y is None:
        return False
    if Tensor._USE_EQUALITY and x.graph.building_function:
        return apply_op("Equal", x, y, incompatible_shape_error=False)
    return x is y


def _not_equal(x: Tensor, y: Any) -> Any:
    if y is None:
        return True
    if Tensor._USE_EQUALITY and x.graph.building_function:
        return apply_op("NotEqual", x, y, incompatible_shape_error=False)
    return x is not y


def install() -> None:
    """Put the operators on Tensor."""
    _put_binary("add", _add)
    _put_binary("sub", _op("Sub"))
    _put_binary("mul", _mul)
    _put_binary("div", divide_as_python2)
    _put_binary("truediv", true_divide)
    _put_binary("floordiv", _op("FloorDiv"))
    _put_binary("mod", _op("FloorMod"))
    _put_binary("pow", _pow)
    _put_binary("matmul", _matmul)
    _put_binary("and", _logical_or_bitwise(_op("LogicalAnd"), "BitwiseAnd"))
    _put_binary("or", _logical_or_bitwise(_op("LogicalOr"), "BitwiseOr"))
    _put_binary("xor", _logical_or_bitwise(_logical_xor, "BitwiseXor"))
    _put_comparison("lt", "Less")
    _put_comparison("le", "LessEqual")
    _put_comparison("gt", "Greater")
    _put_comparison("ge", "GreaterEqual")
    Tensor._override_operator("__neg__", lambda x: apply_op("Neg", x))
    Tensor._override_operator("__abs__", _abs)
    Tensor._override_operator("__invert__", _invert)
    Tensor._override_operator("__eq__", _equal)
    Tensor._override_operator("__ne__", _not_equal)
    Tensor._override_operator("__getitem__", getitem)


install()
