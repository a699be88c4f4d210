"""What the TensorArray ops share. Registers nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.shape_inference import ShapeContext, merge, with_rank
from icefloe.ops.data_flow.handles import in_this_run
from icefloe.ops.wording import dtype_name
from icefloe.resources.tensor_array import TensorArray
from icefloe.shapes import shape_text


def generations(name: str) -> tuple[str, str, str]:
    """Return the names of the ops `TensorArray<name>` of all three generations."""
    return f"TensorArray{name}", f"TensorArray{name}V2", f"TensorArray{name}V3"


def array_of(handle: Any) -> TensorArray:
    """Return the array behind a handle. Raises: NotFoundError, InvalidArgumentError if there is none."""
    if isinstance(handle, TensorArray):
        return handle
    return in_this_run(handle, TensorArray)


def index_of(value: Any) -> int:
    """Return an index. Raises: InvalidArgumentError if it is no scalar."""
    if np.ndim(value):
        raise errors.InvalidArgumentError(
            f"TensorArray index must be scalar, but had shape: {shape_text(np.shape(value))}"
        )
    return int(value)


def indices_of(value: Any) -> list[int]:
    """Return indices. Raises: InvalidArgumentError if they are no vector."""
    if np.ndim(value) != 1:
        raise errors.InvalidArgumentError(
            f"Expected indices to be a vector, but received shape: {shape_text(np.shape(value))}"
        )
    found: list[int] = value.tolist()
    return found


def check_written(array: TensorArray, dtype: DType) -> None:
    """Raise InvalidArgumentError if what an op writes has another dtype than the array."""
    if dtype != array.dtype:
        raise errors.InvalidArgumentError(
            f"TensorArray dtype is {dtype_name(array.dtype)} but Op is trying to write dtype {dtype_name(dtype)}."
        )


def check_read(array: TensorArray, dtype: DType) -> None:
    """Raise InvalidArgumentError if an op reads another dtype than the array has."""
    if dtype != array.dtype:
        raise errors.InvalidArgumentError(
            f"TensorArray dtype is {dtype_name(array.dtype)} but Op requested dtype {dtype_name(dtype)}."
        )


def check_handle(c: ShapeContext) -> None:
    """Raise InvalidArgumentError if input 0 is known to be no vector of two, as the handle is in TensorFlow."""
    merge(with_rank(c.shape(0), 1), (2,))
