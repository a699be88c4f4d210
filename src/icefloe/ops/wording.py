"""How TensorFlow writes dtypes and shapes in the messages of its kernels: `float`, `[2,3]`, `[2,?]`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from icefloe.datatypes import DType, as_dtype

_SHORT = {"float32": "float", "float64": "double", "float16": "half"}


def dtype_name(dtype: DType) -> str:
    """Return the name of a dtype in a message: float32 is `float`, float64 `double`, float16 `half`."""
    return _SHORT.get(dtype.name, dtype.name)


def numpy_name(dtype: np.dtype) -> str:
    """Return `dtype_name` of the dtype that numpy's `dtype` holds; an object dtype is taken for `string`."""
    return dtype_name(as_dtype(dtype))


def shape_text(shape: Iterable[int | None] | None) -> str:
    """Return `[2,?]` for `(2, None)`, `<unknown>` for an unknown rank."""
    if shape is None:
        return "<unknown>"
    return "[" + ",".join("?" if size is None else str(size) for size in shape) + "]"
