"""What the ops of batches of matrices share: checks of shapes, and their shape rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.shape_inference import ShapeContext, with_rank_at_least

Function = Callable[..., Any]

# BLAS and LAPACK have no 16-bit floats.
_COMPUTE = {"float16": np.dtype(np.float32), "bfloat16": np.dtype(np.float32)}


def compute_dtype(T: DType) -> np.dtype:
    """Return the dtype that a decomposition of `T` is computed in."""
    return _COMPUTE.get(T.name, T.numpy)


def check_matrices(*inputs: Any) -> None:
    """Raises: InvalidArgumentError unless each input is a matrix or a batch of them, all batches of one shape."""
    for i, x in enumerate(inputs):
        if np.ndim(x) != np.ndim(inputs[0]):
            raise errors.InvalidArgumentError("All input tensors must have the same rank.")
        if np.ndim(x) < 2:
            raise errors.InvalidArgumentError(f"Input tensor {i} must have rank >= 2, got {np.ndim(x)}")
        if x.shape[:-2] != inputs[0].shape[:-2]:
            raise errors.InvalidArgumentError("All input tensors must have the same outer dimensions.")


def check_square(x: Any, message: str = "Input matrix must be square.") -> None:
    """Raises: InvalidArgumentError unless `x` holds square matrices."""
    check_matrices(x)
    if x.shape[-1] != x.shape[-2]:
        raise errors.InvalidArgumentError(message)


def adjoint(x: Any) -> Any:
    """Return the conjugate transposes."""
    return np.conjugate(np.swapaxes(x, -1, -2))


def equal_sizes(a: int | None, b: int | None) -> int | None:
    """Return what is known of a size that is both. Raises: InvalidArgumentError if they differ."""
    if a is not None and b is not None and a != b:
        raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {a} and {b}")
    return b if a is None else a


def square_dims(c: ShapeContext, i: int = 0) -> Any:
    """Return the shape of input `i` as square matrices. Raises: InvalidArgumentError if they cannot be."""
    x = with_rank_at_least(c.shape(i), 2)
    if x is None:
        return None
    size = equal_sizes(x[-2], x[-1])
    return (*x[:-2], size, size)


def square_shape(c: ShapeContext) -> list[Any]:
    """Output 0 has the shape of input 0, which holds square matrices."""
    return [square_dims(c)]
