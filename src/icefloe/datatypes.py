"""Element types: TensorFlow's `DType` objects and the numpy dtypes that hold their elements.

A reference dtype (`float32_ref`) is its value type plus 100, as in `types.proto`. Sub-byte types (int4, uint4, int2,
uint2, float4_e2m1fn) take one byte per element in memory, as ml_dtypes stores them. The quantized types are numpy
records of one field (`[("qint8", "i1")]`), as TensorFlow hands them out, so that a qint8 array is told from an int8
one. Strings, resources and variants are object arrays.

Source: tensorflow/core/framework/types.proto (numbers), tensorflow/python/framework/dtypes.py (attributes).
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any, Final

import ml_dtypes
import numpy as np

from icefloe.trace_types import WithoutTensors

_REF_OFFSET = 100

_QUANTIZED = {
    "qint8": np.dtype([("qint8", np.int8)]),
    "quint8": np.dtype([("quint8", np.uint8)]),
    "qint16": np.dtype([("qint16", np.int16)]),
    "quint16": np.dtype([("quint16", np.uint16)]),
    "qint32": np.dtype([("qint32", np.int32)]),
}

# name, DataType number, numpy dtype of an element
_TABLE: tuple[tuple[str, int, Any], ...] = (
    ("float32", 1, np.float32),
    ("float64", 2, np.float64),
    ("int32", 3, np.int32),
    ("uint8", 4, np.uint8),
    ("int16", 5, np.int16),
    ("int8", 6, np.int8),
    ("string", 7, np.object_),
    ("complex64", 8, np.complex64),
    ("int64", 9, np.int64),
    ("bool", 10, np.bool_),
    ("qint8", 11, _QUANTIZED["qint8"]),
    ("quint8", 12, _QUANTIZED["quint8"]),
    ("qint32", 13, _QUANTIZED["qint32"]),
    ("bfloat16", 14, ml_dtypes.bfloat16),
    ("qint16", 15, _QUANTIZED["qint16"]),
    ("quint16", 16, _QUANTIZED["quint16"]),
    ("uint16", 17, np.uint16),
    ("complex128", 18, np.complex128),
    ("float16", 19, np.float16),
    ("resource", 20, np.object_),
    ("variant", 21, np.object_),
    ("uint32", 22, np.uint32),
    ("uint64", 23, np.uint64),
    ("float8_e5m2", 24, ml_dtypes.float8_e5m2),
    ("float8_e4m3fn", 25, ml_dtypes.float8_e4m3fn),
    ("float8_e4m3fnuz", 26, ml_dtypes.float8_e4m3fnuz),
    ("float8_e4m3b11fnuz", 27, ml_dtypes.float8_e4m3b11fnuz),
    ("float8_e5m2fnuz", 28, ml_dtypes.float8_e5m2fnuz),
    ("int4", 29, ml_dtypes.int4),
    ("uint4", 30, ml_dtypes.uint4),
    ("int2", 31, ml_dtypes.int2),
    ("uint2", 32, ml_dtypes.uint2),
    ("float4_e2m1fn", 33, ml_dtypes.float4_e2m1fn),
)

_FLOATING = frozenset(
    ("float16", "float32", "float64", "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz")
    + ("float8_e4m3b11fnuz", "float8_e5m2fnuz", "float4_e2m1fn")
)
_SIGNED = frozenset(("int2", "int4", "int8", "int16", "int32", "int64"))
_UNSIGNED = frozenset(("uint2", "uint4", "uint8", "uint16", "uint32", "uint64"))
_COMPLEX = frozenset(("complex64", "complex128"))


_finfo: Any = ml_dtypes.finfo
_iinfo: Any = ml_dtypes.iinfo


class DType(WithoutTensors):
    """The type of the elements of a tensor. There is one object per type: compare with `==` or `is`."""

    __slots__ = ("_number", "_value_name", "_numpy", "_item")

    def __init__(self, type_enum: int) -> None:
        number = int(type_enum)
        base = number - _REF_OFFSET if number > _REF_OFFSET else number
        if base not in _NAMES:
            raise TypeError(f"expected a DataType number, got {type_enum!r}")
        self._number = number
        self._value_name = _NAMES[base]
        self._numpy = _NUMPY[base]
        self._item = 0 if self._numpy.hasobject else self._numpy.itemsize

    def __new__(cls, type_enum: int) -> DType:
        known = _BY_NUMBER.get(int(type_enum))
        return known if known is not None else super().__new__(cls)

    @property
    def name(self) -> str:
        """The name as in `float32` or `float32_ref`."""
        return self._value_name + "_ref" if self._is_ref_dtype else self._value_name

    @property
    def as_datatype_enum(self) -> int:
        """The number in `types.proto`."""
        return self._number

    @property
    def as_numpy_dtype(self) -> type[Any] | np.dtype[Any]:
        """What numpy calls an element: `np.float32`; a record dtype for quantized types; `np.object_` for strings."""
        return self._numpy if self._numpy.names else self._numpy.type

    @property
    def numpy(self) -> np.dtype[Any]:
        """The `np.dtype` of an array of such elements."""
        return self._numpy

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        return self._number > _REF_OFFSET

    @property
    def _as_ref(self) -> DType:
        return self if self._is_ref_dtype else _BY_NUMBER[self._number + _REF_OFFSET]

    @property
    def base_dtype(self) -> DType:
        """The value type of a reference type, else self."""
        return _BY_NUMBER[self._number - _REF_OFFSET] if self._is_ref_dtype else self

    @property
    def real_dtype(self) -> DType:
        """float32 for complex64, float64 for complex128, else the base type."""
        return {"complex64": float32, "complex128": float64}.get(self._value_name, self.base_dtype)

    @property
    def is_bool(self) -> builtins.bool:
        """Whether it is bool."""
        return self._value_name == "bool"

    @property
    def is_integer(self) -> builtins.bool:
        """Whether it is a signed or unsigned integer that is not quantized."""
        return self._value_name in _SIGNED or self._value_name in _UNSIGNED

    @property
    def is_unsigned(self) -> builtins.bool:
        """Whether it is an unsigned integer that is not quantized."""
        return self._value_name in _UNSIGNED

    @property
    def is_floating(self) -> builtins.bool:
        """Whether it is a real floating-point type, bfloat16 and the float8 kinds among them."""
        return self._value_name in _FLOATING

    @property
    def is_complex(self) -> builtins.bool:
        """Whether it is complex64 or complex128."""
        return self._value_name in _COMPLEX

    @property
    def is_quantized(self) -> builtins.bool:
        """Whether it is a quantized type, such as qint8."""
        return self._value_name in _QUANTIZED

    @property
    def is_numeric(self) -> builtins.bool:
        """Whether it is an integer, floating-point, complex or quantized type."""
        return self.is_integer or self.is_floating or self.is_complex or self.is_quantized

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether it is neither resource nor variant."""
        return self._value_name not in ("resource", "variant")

    @property
    def size(self) -> int:
        """Bytes per element in memory and in checkpoints; 1 for types that have no fixed size, as TensorFlow says."""
        return self._item or 1

    def _limit(self, which: str) -> Any:
        if self.is_quantized:
            return getattr(np.iinfo(self._numpy[0]), which)
        if self.is_bool:
            return which == "max"
        if self.is_floating:
            return getattr(_finfo(self._numpy), which)
        if self.is_integer:
            return getattr(_iinfo(self._numpy), which)
        raise TypeError(f"Cannot find {which}imum value of {self!r}.")

    @property
    def min(self) -> Any:
        """The least value. Raises: TypeError for a type without an order."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The greatest value. Raises: TypeError for a type without an order."""
        return self._limit("max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The intensities that images of this type go through: 0 and 1 for floats, 0 and the greatest integer.

        Raises: ValueError for types that images do not have.
        """
        if self._value_name in ("float32", "float64"):
            return 0, 1
        if self.is_bool or (self.is_integer and not self.is_quantized and self.size >= 1):
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def is_subtype_of(self, other: Any) -> builtins.bool:
        """Whether `other` is this type."""
        return self is other

    def most_specific_common_supertype(self, types: Iterable[Any]) -> DType | None:
        """Return this type if all of `types` are this type, else None."""
        return self if all(self is other for other in types) else None

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether a tensor of type `other`, or of a reference to it, can be read as this type."""
        other = as_dtype(other)
        return self._number in (other.as_datatype_enum, other.base_dtype.as_datatype_enum)

    def __eq__(self, other: object) -> builtins.bool:
        if other is None:
            return False
        if not isinstance(other, DType):
            # `as_dtype` takes these for a type of their own, but their values go into others as well.
            if any(other is kind for kind in (int, complex, str, bytes)):
                return False
            try:
                other = as_dtype(other)
            except TypeError:
                return False
        return self._number == other._number

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return self._number

    def __int__(self) -> int:
        return self._number

    def __index__(self) -> int:
        return self._number

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)


_NAMES: dict[int, str] = {number: name for name, number, _ in _TABLE}
_NUMPY: dict[int, np.dtype[Any]] = {number: np.dtype(element) for _, number, element in _TABLE}
_BY_NUMBER: dict[int, DType] = {}
for _name, _number, _ in _TABLE:
    for _n in (_number, _number + _REF_OFFSET):
        _BY_NUMBER[_n] = DType(_n)

float32: Final = _BY_NUMBER[1]
float64: Final = _BY_NUMBER[2]
int32: Final = _BY_NUMBER[3]
uint8: Final = _BY_NUMBER[4]
int16: Final = _BY_NUMBER[5]
int8: Final = _BY_NUMBER[6]
string: Final = _BY_NUMBER[7]
complex64: Final = _BY_NUMBER[8]
int64: Final = _BY_NUMBER[9]
bool: Final = _BY_NUMBER[10]
qint8: Final = _BY_NUMBER[11]
quint8: Final = _BY_NUMBER[12]
qint32: Final = _BY_NUMBER[13]
bfloat16: Final = _BY_NUMBER[14]
qint16: Final = _BY_NUMBER[15]
quint16: Final = _BY_NUMBER[16]
uint16: Final = _BY_NUMBER[17]
complex128: Final = _BY_NUMBER[18]
float16: Final = _BY_NUMBER[19]
resource: Final = _BY_NUMBER[20]
variant: Final = _BY_NUMBER[21]
uint32: Final = _BY_NUMBER[22]
uint64: Final = _BY_NUMBER[23]
float8_e5m2: Final = _BY_NUMBER[24]
float8_e4m3fn: Final = _BY_NUMBER[25]
float8_e4m3fnuz: Final = _BY_NUMBER[26]
float8_e4m3b11fnuz: Final = _BY_NUMBER[27]
float8_e5m2fnuz: Final = _BY_NUMBER[28]
int4: Final = _BY_NUMBER[29]
uint4: Final = _BY_NUMBER[30]
int2: Final = _BY_NUMBER[31]
uint2: Final = _BY_NUMBER[32]
float4_e2m1fn: Final = _BY_NUMBER[33]
half: Final = float16
QUANTIZED_DTYPES: Final = frozenset((qint8, quint8, qint16, quint16, qint32))
double: Final = float64

_BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in _BY_NUMBER.values()}
for _alias, _dtype in (("half", float16), ("double", float64), ("float", float32)):
    _BY_NAME[_alias] = _dtype
    _BY_NAME[_alias + "_ref"] = _dtype._as_ref
_BY_NUMPY: dict[np.dtype[Any], DType] = {
    _NUMPY[n]: _BY_NUMBER[n] for n in _NAMES if _BY_NUMBER[n].name not in ("resource", "variant", "string")
}
_BY_NUMPY[np.dtype(np.object_)] = string
_PYTHON: dict[Any, DType] = {
    float: float32,
    int: int32,
    builtins.bool: bool,
    complex: complex128,
    object: string,
    str: string,
    bytes: string,
}


def as_dtype(type_value: Any) -> DType:
    """Return the DType for a DType, a name, a DataType number, a numpy dtype or scalar type, or a Python type.

    Python's float is float32 and int is int32, as in TensorFlow. numpy strings of any length are `string`.

    Raises: TypeError if it is none of these.
    """
    if isinstance(type_value, DType):
        return type_value
    try:
        if type_value in _PYTHON:
            return _PYTHON[type_value]
    except TypeError:  # unhashable
        raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.") from None
    if isinstance(type_value, str):
        known = _BY_NAME.get(type_value)
        if known is not None:
            return known
    elif isinstance(type_value, (int, np.integer)) and int(type_value) in _BY_NUMBER:
        return _BY_NUMBER[int(type_value)]
    if type_value is not None and not isinstance(type_value, (int, float, complex)):
        try:
            dtype = np.dtype(type_value)
        except (TypeError, ValueError):  # newer numpy refuses an attribute `dtype` that holds no dtype
            dtype = None
        if dtype is None and (named := getattr(type_value, "dtype", None)) is not None:
            return as_dtype(named)
        if dtype is not None:
            known = _BY_NUMPY.get(dtype) or _BY_NUMPY.get(dtype.newbyteorder("="))
            if known is not None:
                return known
            if dtype.kind in "SU":
                return string
    raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")
