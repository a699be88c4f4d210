"""How TensorFlow names dtypes in the messages of its kernels: `float` for float32, `half` for float16."""

from __future__ import annotations

import numpy as np

from icefloe.datatypes import DType, as_dtype

_SHORT = {"float32": "float", "float64": "double", "float16": "half"}


def dtype_name(dtype: DType) -> str:
    """Return the name of a dtype in a message: float32 is `float`, float64 `double`, float16 `half`."""
    return _SHORT.get(dtype.name, dtype.name)


def numpy_name(dtype: np.dtype) -> str:
    """Return `dtype_name` of the dtype that numpy's `dtype` holds; an object dtype is taken for `string`."""
    return dtype_name(as_dtype(dtype))
