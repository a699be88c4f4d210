"""Python values to tensors: `convert_to_tensor`, the registry of conversion functions, and constants.

A type's conversion functions are tried in order of priority; `list` and `tuple` that hold tensors become a Pack, all
else a Const.

Source: tensorflow/python/framework/tensor_conversion_registry.py, constant_op.py, ops/array_ops.py (automatic packing).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, opdefs, shapes
from icefloe.graph import attributes
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.graph.tensor_proto import make_tensor_proto
from icefloe.proto import AttrValue

ConversionFunction = Callable[..., Any]

_FUNCTIONS: dict[int, list[tuple[Any, ConversionFunction]]] = {}
_BY_TYPE: dict[type, list[tuple[Any, ConversionFunction]]] = {}
_CONSTANTS = (int, float, np.generic, np.ndarray)


def register_tensor_conversion_function(
    base_type: Any, conversion_func: ConversionFunction, priority: int = 100
) -> None:
    """Let `conversion_func(value, dtype=None, name=None, as_ref=False)` convert values of `base_type`, a type or a
    tuple of them.

    It returns a tensor or NotImplemented. Lower priorities are tried first; among equals the one registered first.

    Raises: TypeError if `base_type` is no type, or one of Python's numbers or numpy's.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if any(not isinstance(t, type) for t in types):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if any(issubclass(t, _CONSTANTS) for t in types):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    _register(base_type, conversion_func, priority)


def _register(base_type: Any, function: ConversionFunction, priority: int) -> None:
    _FUNCTIONS.setdefault(priority, []).append((base_type, function))
    _BY_TYPE.clear()


def _functions_of(kind: type) -> list[tuple[Any, ConversionFunction]]:
    found = _BY_TYPE.get(kind)
    if found is None:
        found = [
            (base, function)
            for _, entries in sorted(_FUNCTIONS.items(), key=lambda item: item[0])
            for base, function in entries
            if issubclass(kind, base)
        ]
        _BY_TYPE[kind] = found
    return found


def _said(message: str, name: str | None) -> str:
    return message if name is None else f"{name}: {message}"


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
    as_ref: bool = False,
) -> Any:
    """Return `value` as a tensor of the default graph: itself if it is one, else what its type's conversion function
    makes.

    dtype: the result's type. preferred_dtype (or dtype_hint): the type to try first where `dtype` is None.
    name: of a node that is made. as_ref: ask for a mutable tensor where there is one.

    Raises: TypeError if no function converts it; ValueError if a tensor has another dtype, or the value does not fit.
    """
    if isinstance(value, Tensor):
        return value if dtype is None else value.__tf_tensor__(datatypes.as_dtype(dtype), name)
    if dtype is not None:
        dtype = datatypes.as_dtype(dtype)
    preferred = preferred_dtype if preferred_dtype is not None else dtype_hint
    if preferred is not None:
        preferred = datatypes.as_dtype(preferred)
    overload = getattr(value, "__tf_tensor__", None)
    if overload is not None and not isinstance(value, type):
        return overload(dtype, name)
    for base, function in _functions_of(type(value)):
        result = None
        if dtype is None and preferred is not None:
            result = _preferred(function, base, value, preferred, name, as_ref)
        if result is None:
            result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is NotImplemented:
            continue
        if not isinstance(result, Tensor):
            raise RuntimeError(  # noqa: TRY004
                _said(f"Conversion function {function!r} for type {base} returned non-Tensor: {result!r}", name)
            )
        if dtype is not None and not dtype.is_compatible_with(result.dtype):
            raise RuntimeError(
                _said(
                    f"Conversion function {function} for type {base} returned incompatible dtype: "
                    f"requested = {dtype.name}, actual = {result.dtype.name}",
                    name,
                )
            )
        return result
    raise TypeError(
        _said(f"Cannot convert {value!r} with type {type(value)} to Tensor: no conversion function registered.", name)
    )


def _preferred(
    function: ConversionFunction, base: Any, value: Any, preferred: datatypes.DType, name: str | None, as_ref: bool
) -> Any:
    """Return what `function` makes of `value` in the preferred dtype, or None if it cannot."""
    try:
        result = function(value, dtype=preferred, name=name, as_ref=as_ref)
    except (TypeError, ValueError):
        return None
    if result is not NotImplemented and result.dtype.base_dtype != preferred.base_dtype:
        raise RuntimeError(
            _said(
                f"Conversion function {function!r} for type {base} returned incompatible dtype: "
                f"requested = {preferred.base_dtype.name}, actual = {result.dtype.base_dtype.name}",
                name,
            )
        )
    return result


@functools.cache
def _const_signature() -> opdefs.Signature:
    return opdefs.signature("Const")


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Tensor:
    """Return a constant tensor of the default graph; see `tensor_proto.make_tensor_proto` for dtype and shape.

    Raises: TypeError, ValueError if the value does not fit dtype or shape.
    """
    proto = make_tensor_proto(
        value, dtype=dtype, shape=shape, verify_shape=verify_shape, allow_broadcast=allow_broadcast
    )
    attrs = {"value": AttrValue(tensor=proto), "dtype": attributes.type_attr(proto.dtype)}
    graph: Graph = get_default_graph()
    return graph._new_op(_const_signature(), name or "Const", (), attrs).outputs[0]


# Conversion functions


def _constant_of(value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    return constant(value, dtype=dtype, name=name or "Const")


def _shape_to_tensor(
    value: shapes.TensorShape, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    sizes = value.as_list()
    large = any(d is not None and d >= 1 << 31 for d in sizes)
    if dtype is None:
        dtype = datatypes.int64 if large else datatypes.int32
    elif dtype not in (datatypes.int32, datatypes.int64):
        raise TypeError(
            f"Cannot convert TensorShape {value} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64."
        )
    elif dtype == datatypes.int32 and large:
        raise ValueError(
            f"Cannot convert TensorShape {value} to dtype int32; a dimension is too large. Consider using tf.int64."
        )
    return constant(sizes, dtype=dtype, name=name or "shape_as_tensor")


def _dimension_to_tensor(
    value: shapes.Dimension, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    if value.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {value} to a Tensor.")
    if dtype is not None and dtype not in (datatypes.int32, datatypes.int64):
        raise TypeError(f"Cannot convert Dimension {value} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64.")
    return constant(value.value, dtype=dtype or datatypes.int32, name=name or "shape_as_tensor")


def _tensor_like(value: Any) -> bool:
    """Whether a list that holds `value` must be packed: a tensor, or what converts to one, such as a variable."""
    return (
        isinstance(value, Tensor)
        or (hasattr(type(value), "__tf_tensor__") and not isinstance(value, type))
        or getattr(value, "is_tensor_like", False) is True
    )


def _tensors_in(values: Any) -> list[Any]:
    found = []
    stack = [values]
    while stack:
        value = stack.pop()
        if isinstance(value, (list, tuple)):
            stack.extend(reversed(value))
        elif _tensor_like(value):
            found.append(value)
    return found


def _pack_tensors(value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    """Convert a list that holds tensors; leave others to `_constant_of`."""
    held = _tensors_in(value)
    if not held:
        return NotImplemented
    inferred = held[0].dtype.base_dtype
    if dtype is None:
        dtype = inferred
    elif dtype != inferred:
        value = _cast_nested(value, dtype)
    return _packed(value, dtype, name or "packed")


def _cast_nested(value: Any, dtype: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_cast_nested(item, dtype) for item in value]
    if _tensor_like(value):
        from icefloe.graph.build import apply_op

        tensor = convert_to_tensor(value)
        return tensor if tensor.dtype.base_dtype == dtype else apply_op("Cast", tensor, DstT=dtype)
    return value


def _packed(values: Any, dtype: Any, name: str) -> Any:
    """Return nested lists as a Pack where they hold tensors, else as they are."""
    from icefloe.graph.build import apply_op

    graph = get_default_graph()
    with graph.name_scope(name) as scope:
        converted = []
        must_pack = False
        for i, item in enumerate(values):
            if _tensor_like(item):
                if dtype is not None and item.dtype.base_dtype != dtype:
                    raise TypeError(
                        f"Cannot convert a list containing a tensor of dtype {item.dtype.base_dtype} to {dtype} "
                        f"(Tensor is: {item!r})"
                    )
                converted.append(item)
                must_pack = True
            elif isinstance(item, (list, tuple)):
                inner = _packed(item, dtype, str(i))
                must_pack = must_pack or _tensor_like(inner)
                converted.append(inner)
            else:
                converted.append(item)
        if not must_pack:
            return converted
        tensors = [
            convert_to_tensor(item) if _tensor_like(item) else constant(item, dtype=dtype, name=str(i))
            for i, item in enumerate(converted)
        ]
        return apply_op("Pack", tensors, name=scope)


_register((list, tuple), _pack_tensors, 99)
_register(shapes.TensorShape, _shape_to_tensor, 100)
_register(shapes.Dimension, _dimension_to_tensor, 100)
_register(object, _constant_of, 200)
