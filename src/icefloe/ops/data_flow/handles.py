"""What the ops on lists, maps and tables share about what lies behind a variant or handle. Registers nothing."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from icefloe import errors
from icefloe.resources.elements import shape_of
from icefloe.shapes import Dims, shape_text

T = TypeVar("T")


def the_only(value: Any, kind: type[T], word: str, saw: str) -> T:
    """Return the object in a scalar variant, which must be a `kind`.

    word: what messages call it. saw: how the message about a tensor that is no scalar goes on.

    Raises: InvalidArgumentError if it is no scalar or something else.
    """
    if isinstance(value, kind):
        return value
    if isinstance(value, np.ndarray):
        if value.ndim:
            raise errors.InvalidArgumentError(f"Input {word} must be a scalar{saw} {shape_text(value.shape)}")
        value = value[()]
        if isinstance(value, kind):
            return value
    raise errors.InvalidArgumentError(f"Input handle is not a {word}. Saw: '{describe(value)}'")


def in_this_run(handle: Any, kind: type[T]) -> T:
    """Return what a handle of something that lives as long as a run stands for: the handle itself is that.

    Raises: NotFoundError for two strings, which name nothing here; InvalidArgumentError for anything else.
    """
    if isinstance(handle, kind):
        return handle
    if isinstance(handle, np.ndarray) and handle.dtype == object:
        if handle.size != 2:
            raise errors.InvalidArgumentError(
                f"{kind.__name__} handle must be 2-element vector, but had shape: {shape_text(handle.shape)}"
            )
        name = "".join(str(part, "utf-8", "replace") for part in handle.reshape(-1) if isinstance(part, bytes))
        raise errors.NotFoundError(f"Resource {name} does not exist: this run made no {kind.__name__} of that name")
    raise errors.InvalidArgumentError(f"Expected the handle of a {kind.__name__}, got {type(handle).__name__}")


def describe(value: Any) -> str:
    """Return what messages call the content of a variant."""
    if value is None:
        return "Variant<type: int value: 0>"
    return getattr(value, "type_name", type(value).__name__)


def asked_shape(value: Any) -> Dims:
    """Return a tensor read as a partly known shape: -1 for what is not known, a scalar -1 for unknown rank.

    Raises: InvalidArgumentError if it is no shape.
    """
    array = np.asarray(value)
    if array.ndim == 0:
        if array != -1:
            raise errors.InvalidArgumentError(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            )
        return None
    if array.ndim != 1:
        raise errors.InvalidArgumentError(f"Shape must be at most rank 1 but is rank {array.ndim}")
    sizes: list[int] = array.tolist()
    for size in sizes:
        if size < -1:
            raise errors.InvalidArgumentError(f"Dimension {size} must be >= -1")
    return tuple([None if size == -1 else size for size in sizes])


def scalar_of(value: Any, message: str) -> int:
    """Return an integer scalar. Raises: InvalidArgumentError that ends with its shape if it is none."""
    if np.ndim(value):
        raise errors.InvalidArgumentError(f"{message}{shape_text(shape_of(value))}")
    return int(value)
