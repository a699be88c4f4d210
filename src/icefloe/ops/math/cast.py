"""Cast, and the ops that take complex numbers apart and put them together.

A float outside an integer type's range becomes what C++ gives on x86, as it does in TensorFlow for short tensors (in
long ones its vectorised loops give other values for 8- and 16-bit types): 8 and 16 bits are the low bits of the int32,
uint32 those of the int64.
Source: tensorflow/core/kernels/cast_op.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import unchanged

Function = Callable[..., Any]

_NAMES = {"float32": "float", "float64": "double", "float16": "half"}
# Unsigned type of the same width, and mantissa bits.
_LAYOUT = {
    "float64": (np.uint64, 52),
    "float32": (np.uint32, 23),
    "float16": (np.uint16, 10),
    "bfloat16": (np.uint16, 7),
    "float8_e5m2": (np.uint8, 2),
    "float8_e4m3fn": (np.uint8, 3),
}


@kernel("Cast", factory=True, returns=("view", 0))
def cast(*, SrcT: DType, DstT: DType, Truncate: bool) -> Function:
    """Return x with its elements converted.

    Floats to integers are rounded toward zero; integers wrap; complex numbers lose their imaginary part; a bool is
    whether the element is not 0.

    Raises: UnimplementedError for strings and other types that hold no numbers.
    """
    if SrcT == DstT:
        return lambda x: x
    if not all(t.is_numeric or t.is_bool for t in (SrcT, DstT)):
        names = [_NAMES.get(t.name, t.name) for t in (SrcT, DstT)]
        raise errors.UnimplementedError(f"Cast {names[0]} to {names[1]} is not supported")
    return _conversion(SrcT, DstT, Truncate)


def _conversion(source: DType, target: DType, truncate: bool) -> Function:
    if source.is_quantized:
        inner = source.numpy[0]
        rest = _conversion(datatypes.as_dtype(inner), target, truncate)
        return lambda x: rest(x[source.name])
    if target.is_quantized:
        rest = _conversion(source, datatypes.as_dtype(target.numpy[0]), truncate)
        return lambda x: rest(x).view(target.numpy)
    if source.is_complex and not target.is_complex:
        part = source.real_dtype
        rest = _conversion(part, target, truncate)
        return lambda x: rest(x.real)
    to = target.numpy
    if target.is_bool:
        return lambda x: np.asarray(x != source.numpy.type(0))
    if source.is_floating and (target.is_integer):
        return _float_to_integer(source, target)
    if truncate and source.is_floating and target.is_floating:
        return _truncating(source, target)
    return lambda x: np.asarray(x).astype(to)


def _float_to_integer(source: DType, target: DType) -> Function:
    to = target.numpy
    if target.name in ("int32", "int64"):
        return lambda x: np.asarray(x).astype(to)
    if target.name == "uint64":
        return _float_to_uint64
    wide = np.int64 if target.name == "uint32" else np.int32
    return lambda x: np.asarray(x).astype(wide).astype(to)


def _float_to_uint64(x: Any) -> Any:
    wide = np.asarray(x).astype(np.float64)
    upper = (wide >= 2.0**63) & (wide < 2.0**64)
    return np.where(upper, wide - 2.0**63, wide).astype(np.int64).view(np.uint64) ^ np.where(
        upper, np.uint64(2**63), np.uint64(0)
    )


def _truncating(source: DType, target: DType) -> Function:
    """Return a cast that drops the mantissa bits which `target` has not, where the plain cast rounds."""
    to = target.numpy
    bits, have = _LAYOUT.get(source.name, (np.uint8, 0))
    drop = have - _LAYOUT.get(target.name, (np.uint8, have))[1]
    if drop <= 0 or (source.name, target.name) == ("float64", "bfloat16"):  # TensorFlow rounds this pair all the same
        return lambda x: np.asarray(x).astype(to)
    mask = bits((1 << source.size * 8) - (1 << drop))

    def truncated(x: Any) -> Any:
        kept = (np.asarray(x).view(bits) & mask).view(source.numpy)
        return np.where(np.isnan(x), x, kept).astype(to)

    return truncated


shape("Cast")(unchanged)
