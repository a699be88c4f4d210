"""What a caller may give as the value of a tensor, as an array and its DType."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType

_INT32 = np.iinfo(np.int32)


def to_tensor(name: str, value: Any) -> tuple[DType, np.ndarray]:
    """Return `(dtype, array)` for an array, scalar, string, nested list, or an array of VariantTensorDataProto
    messages.

    As in TensorFlow, Python floats are float32 and ints int32 (int64 where one does not fit); an array keeps its dtype.
    Strings come back as an object array of bytes, str as UTF-8.

    Raises: InvalidArgumentError if no checkpoint can hold such a value.
    """
    bare = not hasattr(value, "dtype")
    try:
        array = np.asarray(value)
        if array.dtype.kind == "T" or (bare and array.dtype.kind in "SU"):
            array = np.asarray(value, dtype=object)  # numpy cuts trailing zeros off a string of its own
    except ValueError as e:
        raise errors.InvalidArgumentError(f"tensor {name!r}: {e}") from None
    if array.dtype.kind in "SUO":
        return _to_objects(name, array)
    if bare:
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        elif array.dtype == np.int64 and (not array.size or (array.min() >= _INT32.min and array.max() <= _INT32.max)):
            array = array.astype(np.int32)
    try:
        return datatypes.as_dtype(array.dtype), array
    except TypeError:
        raise errors.InvalidArgumentError(
            f"tensor {name!r}: a checkpoint cannot hold elements of type {array.dtype}"
        ) from None


def _to_objects(name: str, array: np.ndarray) -> tuple[DType, np.ndarray]:
    items = array.reshape(-1).tolist()
    kinds = {type(item) for item in items}
    if kinds and all(kind.__name__ == "VariantTensorDataProto" for kind in kinds):
        return datatypes.variant, array
    if kinds <= {bytes} and array.dtype.kind == "O":
        return datatypes.string, array
    out = np.empty(array.size, object)
    for i, item in enumerate(items):
        if isinstance(item, str):
            out[i] = item.encode("utf-8", "surrogateescape")
        elif isinstance(item, bytes):
            out[i] = bytes(item)
        else:
            why = f"an element of type {type(item).__name__}"
            if isinstance(item, int):
                why = f"the integer {str(item)[:40]}: it is more than 64 bits"
            raise errors.InvalidArgumentError(f"tensor {name!r}: a checkpoint cannot hold {why}")
    return datatypes.string, out.reshape(array.shape)
