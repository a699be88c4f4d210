"""Conversions between dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.lib.constants import is_tensor


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Return `x`, a tensor, SparseTensor or IndexedSlices, with elements of another dtype; as it is if it has that
    dtype.
    """
    base = datatypes.as_dtype(dtype).base_dtype
    if is_tensor(x) and not isinstance(x, (SparseTensor, IndexedSlices)) and base == x.dtype:
        return x
    with name_scope(name, "Cast", [x]) as scope:
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, cast(x.values, base, name=scope), x.dense_shape)
        if isinstance(x, IndexedSlices):
            return IndexedSlices(cast(x.values, base, name=scope), x.indices, x.dense_shape)
        x = convert_to_tensor(x, name="x")
        return x if x.dtype.base_dtype == base else apply_op("Cast", x, DstT=base, name=scope)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Return `value` cast to `dtype`, first clipped to what it can hold."""
    with name_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        out = datatypes.as_dtype(dtype).base_dtype
        source = value.dtype.base_dtype
        if source.is_complex:
            if out.is_complex:
                if source.real_dtype.min < out.real_dtype.min or source.real_dtype.max > out.real_dtype.max:
                    low = complex(out.real_dtype.min, out.real_dtype.min)
                    high = complex(out.real_dtype.max, out.real_dtype.max)
                    value = _clamped(value, low, high, source)
                return cast(value, out, name=scope)
            value = apply_op("Real", value, Tout=source.real_dtype)
            source = source.real_dtype
        low, high = _common_range(source, out.real_dtype)
        return cast(_clamped(value, low, high, source), out, name=scope)


def _clamped(value: Any, low: Any, high: Any, dtype: datatypes.DType) -> Any:
    low, high = convert_to_tensor(low, dtype=dtype), convert_to_tensor(high, dtype=dtype)
    return apply_op("ClipByValue", value, low, high, name="clamp")


def _common_range(source: datatypes.DType, out: datatypes.DType) -> tuple[Any, Any]:
    """Return the least and the greatest value of `source` that `out` can hold too.

    A float limit that rounds beyond the limit of `out` is moved one step towards 0.
    """
    kind = source.numpy.type
    try:
        wide: Any = np.promote_types(source.numpy, out.numpy)
    except TypeError:
        wide = float
    low = kind(np.maximum(source.min, out.min))
    bounds = np.array([low, out.min], dtype=wide)
    if bounds[0] < bounds[1]:
        low = np.nextafter(low, kind(0), dtype=source.numpy)
    high = kind(np.minimum(float(source.max), float(out.max)))
    bounds = np.array([high, out.max], dtype=wide)
    if bounds[0] > bounds[1]:
        high = np.nextafter(high, kind(0), dtype=source.numpy)
    return low, high


def to_float(x: Any, name: str | None = "ToFloat") -> Any:
    """Return `x` as float32."""
    return cast(x, datatypes.float32, name=name)


def to_double(x: Any, name: str | None = "ToDouble") -> Any:
    """Return `x` as float64."""
    return cast(x, datatypes.float64, name=name)


def to_int32(x: Any, name: str | None = "ToInt32") -> Any:
    """Return `x` as int32."""
    return cast(x, datatypes.int32, name=name)


def to_int64(x: Any, name: str | None = "ToInt64") -> Any:
    """Return `x` as int64."""
    return cast(x, datatypes.int64, name=name)


def to_bfloat16(x: Any, name: str | None = "ToBFloat16") -> Any:
    """Return `x` as bfloat16."""
    return cast(x, datatypes.bfloat16, name=name)


def to_complex64(x: Any, name: str | None = "ToComplex64") -> Any:
    """Return `x` as complex64."""
    return cast(x, datatypes.complex64, name=name)


def to_complex128(x: Any, name: str | None = "ToComplex128") -> Any:
    """Return `x` as complex128."""
    return cast(x, datatypes.complex128, name=name)
