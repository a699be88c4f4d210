"""Ops that call a Python function of this process with arrays. The function may block, or run the same session.

Source: tensorflow/python/lib/core/py_func.cc, tensorflow/python/ops/script_ops.py (conversions, checks, messages).
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType, as_dtype
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import unknown
from icefloe.ops.wording import dtype_name
from icefloe.resources import python_functions

# The class of an exception decides on that of the error.
_ERRORS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], type[errors.OpError]], ...] = (
    (errors.OpError, errors.UnknownError),
    ((ValueError, TypeError), errors.InvalidArgumentError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (Exception, errors.UnknownError),
)


@kernel("PyFunc", "PyFuncStateless", "EagerPyFunc", blocks=True, returns="stored")
def py_func(
    values: tuple[Any, ...], *, token: str | bytes, Tout: tuple[DType, ...], fresh: tuple[bool, ...]
) -> tuple[Any, ...]:
    """What the function returns: one array, a list of them, or None where there are no outputs.

    It gets arrays that it may write to, scalars as numpy scalars, scalar strings as bytes. numpy warns of what it
    computes as it does outside of a run.
    """
    if isinstance(token, bytes):
        raise errors.InternalError(
            "Failed to create python tuple. Please make sure `token` is a well-formed UTF-8 string."
        )
    arguments = [argument(value, own) for value, own in zip(values, fresh)]
    try:
        with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
            returned = python_functions.find(token)(*arguments)
    except Exception as exception:
        raise _error(exception) from exception
    try:
        outputs = outputs_of(returned)
    except errors.OpError:
        raise
    except Exception as exception:  # what has no array
        raise _error(exception) from exception
    if len(outputs) != len(Tout):
        raise errors.InvalidArgumentError(
            f"{token} returns {len(outputs)} values, but expects to see {len(Tout)} values."
        )
    return tuple([checked(i, output, dtype, token) for i, (output, dtype) in enumerate(zip(outputs, Tout))])


not_differentiable("PyFunc", "PyFuncStateless")
shape("PyFunc", "PyFuncStateless", "EagerPyFunc")(unknown)


def argument(value: Any, own: bool) -> Any:
    """Return a value as a Python function gets it: an array of its own, a numpy scalar, or bytes."""
    if not isinstance(value, np.ndarray):
        return value
    if not value.ndim:
        return value[()]
    return value if own and value.flags.writeable else value.copy()


def _error(exception: Exception) -> errors.OpError:
    cls = next(error for kinds, error in _ERRORS if isinstance(exception, kinds))
    # What is above the function is no business of who reads this.
    frames = "".join(traceback.format_tb(exception.__traceback__)[1:])
    text = f"{type(exception).__name__}: {exception}"
    return cls(f"{text}\nTraceback (most recent call last):\n\n{frames}\n{text}\n" if frames else text)


def outputs_of(returned: Any) -> list[np.ndarray[Any, Any]]:
    """Return what a Python function returned as arrays, text as bytes in arrays of objects.

    Raises: InternalError for objects that no tensor holds; ValueError where numpy makes no array.
    """
    if returned is None:
        return []
    if isinstance(returned, (tuple, list)):
        return [_array(item) for item in returned]
    return [_array(returned)]


def _array(value: Any) -> np.ndarray[Any, Any]:
    """Return a value as the array TensorFlow's conversion makes of it: text as bytes, in an array of objects."""
    found = np.asarray(value, order="C")
    if found.dtype.kind == "S":
        # numpy pads with zero bytes: where the value is no such array itself, they are taken from it again.
        return np.array(value if found is not value else found.tolist(), object).reshape(found.shape)
    if found.dtype.kind == "U":
        return np.array([text.encode() for text in found.reshape(-1).tolist()], object).reshape(found.shape)
    if found.dtype == object:
        texts = [text.encode() if isinstance(text, str) else text for text in found.reshape(-1).tolist()]
        return _objects(texts, found.shape)
    return found


def _objects(items: Sequence[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    for item in items:
        if not isinstance(item, bytes):
            raise errors.InternalError(f"Unsupported object type {type(item).__name__}")
    made = np.empty(len(items), object)
    made[:] = items
    return made.reshape(shape)


def checked(i: int, output: np.ndarray[Any, Any], dtype: DType, token: str) -> Any:
    """Return output `i` of the function `token`. Raises: InvalidArgumentError if it is not of this dtype."""
    try:
        name = "string" if output.dtype == object else dtype_name(as_dtype(output.dtype))
    except TypeError:
        raise errors.InternalError(f"Unsupported numpy data type {output.dtype}") from None
    if name != dtype_name(dtype):
        if dtype.is_quantized and output.dtype == dtype.numpy[0]:
            return output.view(dtype.numpy)
        raise errors.InvalidArgumentError(
            f"{i}-th value returned by {token} is {name}, but expects {dtype_name(dtype)}"
        )
    return output
