"""Arrays as text and as JSON."""

from __future__ import annotations

import base64
import math
import sys
from typing import Any


def dtype_text(array: Any) -> str:
    """Return the name of an array's dtype as TensorFlow calls it."""
    import icefloe

    return "string" if array.dtype.kind in "OSU" else icefloe.as_dtype(array.dtype).name


def array_text(value: Any, *, full: bool = False) -> str:
    """Return an array as numpy prints it, strings as text where they are UTF-8; shortened unless `full`."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind in "OS":
        texts = np.empty(array.size, object)
        texts[:] = [_string(v) for v in array.flat]
        return np.array2string(
            texts.reshape(array.shape), threshold=_threshold(full), separator=", ", formatter={"all": str}
        )
    if array.dtype.names:
        array = array[array.dtype.names[0]]
    return np.array2string(array, threshold=_threshold(full), edgeitems=3, max_line_width=100, separator=", ")


def _threshold(full: bool) -> int:
    return sys.maxsize if full else 200


def _string(value: Any) -> str:
    try:
        return repr(value.decode()) if isinstance(value, bytes) else repr(value)
    except UnicodeDecodeError:
        return repr(value)


def array_data(value: Any) -> dict[str, Any]:
    """Return dtype, shape and value of an array as JSON holds them.

    A number that is none or infinite is "NaN", "Infinity" or "-Infinity", as in protobuf's JSON; a complex one is
    [real, imaginary]. Strings are text; where one is no UTF-8, all are base64 and "encoding" says so.
    """
    import numpy as np

    array = np.asarray(value)
    out: dict[str, Any] = {"dtype": dtype_text(array), "shape": list(array.shape)}
    if array.dtype.kind in "OS":
        try:
            return {**out, "value": _nested(array, lambda v: v.decode() if isinstance(v, bytes) else str(v))}
        except UnicodeDecodeError:
            return {**out, "encoding": "base64", "value": _nested(array, lambda v: base64.b64encode(v).decode())}
    if array.dtype.names:
        array = array[array.dtype.names[0]]
    if array.dtype.isbuiltin == 2:  # bfloat16, float8 and small integers, which numpy itself does not know
        is_integer = "int" in array.dtype.name
        array = array.astype(np.int64 if is_integer else np.float64)
    if array.dtype.kind == "c":
        return {**out, "value": _nested(array, lambda v: [_number(v.real), _number(v.imag)])}
    if array.dtype.kind == "f":
        return {**out, "value": array.tolist() if np.isfinite(array).all() else _nested(array, _number)}
    return {**out, "value": array.tolist()}


def _number(value: Any) -> Any:
    number = float(value)
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _nested(array: Any, convert: Any) -> Any:
    if array.ndim == 0:
        return convert(array.item())
    return [_nested(part, convert) if array.ndim > 1 else convert(part) for part in array]


def named_arrays(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return values by name as JSON holds them: `[{"name": ..., "dtype": ..., "shape": ..., "value": ...}]`."""
    return [{"name": name, **array_data(value)} for name, value in found.items()]
