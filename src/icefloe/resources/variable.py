"""A variable's cell: the one place that holds its array, shared by everything that refers to the variable.

An array that the cell has handed out never changes. A write looks whether anybody else still holds the array (its
reference count, taken while the cell itself has let go of it); if so it works on a copy, else in place. So a reader has
the old value or the new one, never a mixture, and training pays no copy. A view of the array counts as a holder, as
numpy's views keep their base alive; an array that is itself a view is never written to.

While a write is under way the cell is empty and readers wait for its lock; otherwise reading takes no lock.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.machine import memory

Shape = tuple[int | None, ...] | None


def _holders(array: np.ndarray[Any, Any]) -> int:
    return sys.getrefcount(array)


def _holders_of_a_local() -> int:
    array = np.empty(1)
    return _holders(array)


# What `_holders` says of an array that only one local variable of its caller holds: it differs between Python versions.
_ONE_HOLDER = _holders_of_a_local()
_COUNTS_ARE_EXACT = getattr(sys, "_is_gil_enabled", lambda: True)()


def owned(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return `value` as a contiguous, writable array of `dtype` that owns its memory, copied unless it is one."""
    if (
        type(value) is np.ndarray
        and value.dtype == dtype
        and memory.is_owner(value)
        and value.flags.c_contiguous
        and value.flags.writeable
    ):
        return value
    return np.array(value, dtype=dtype, order="C", copy=True)


def _is_writable(array: np.ndarray[Any, Any]) -> bool:
    return _COUNTS_ARE_EXACT and array.flags.writeable and memory.is_owner(array)


class Variable:
    """The cell of a variable.

    dtype: the value type. shape: the declared shape, None where its rank is unknown. name: as errors should call it.
    """

    __slots__ = ("__weakref__", "_array", "_numpy", "container", "dtype", "lock", "name", "shape")

    def __init__(self, dtype: DType, shape: Shape, name: str, container: str = "localhost") -> None:
        self.dtype = dtype.base_dtype
        self.shape = None if shape is None else tuple(shape)
        self.name = name
        self.container = container
        self.lock = threading.RLock()
        self._numpy = self.dtype.numpy
        self._array: np.ndarray[Any, Any] | None = None

    def __repr__(self) -> str:
        held = "uninitialized" if self.array is None else f"shape {self.current_shape}"
        return f"<Variable {self.name!r} {self.dtype.name} {held}>"

    @property
    def array(self) -> np.ndarray[Any, Any] | None:
        """The array as it is now, not to be written to; None if the variable is uninitialized."""
        array = self._array
        if array is None:
            with self.lock:  # a write may be under way
                array = self._array
        return array

    @property
    def initialized(self) -> bool:
        return self.array is not None

    @property
    def current_shape(self) -> Shape:
        """The shape of the value, or the declared one where there is no value."""
        array = self.array
        return self.shape if array is None else array.shape

    def read(self) -> np.ndarray[Any, Any]:
        """Return the array as it is now, not to be written to.

        Raises: FailedPreconditionError if the variable is uninitialized.
        """
        array = self._array
        if array is None:
            array = self.array
            if array is None:
                raise self.uninitialized()
        return array

    def uninitialized(self) -> errors.FailedPreconditionError:
        """Return the error for a read before the first assignment."""
        return errors.FailedPreconditionError(f"Attempting to use uninitialized value {self.name}")

    def complaints(self) -> tuple[str, ...]:
        """Return the messages of the errors about a variable without a value."""
        return (self.uninitialized().message,)

    def assign(self, array: Any, fresh: bool = False, validate_shape: bool = True) -> None:
        """Give the variable a new value.

        fresh: nobody else writes to `array`, so that it may be kept as it is.
        validate_shape: refuse a value of another shape than the current (before the first assignment the declared) one.

        Raises: InvalidArgumentError for another dtype or a shape that is refused.
        """
        if not isinstance(array, np.ndarray):
            array = np.asarray(array)
        if array.dtype != self._numpy:
            raise errors.InvalidArgumentError(
                f"Trying to assign variable with wrong dtype. Expected {self.dtype.name} got {array.dtype.name}"
            )
        with self.lock:
            if validate_shape and not _fits(self.current_shape, array.shape):
                raise errors.InvalidArgumentError(
                    "Assign requires shapes of both tensors to match. "
                    f"lhs shape= {shape_text(self.current_shape)} rhs shape= {shape_text(array.shape)}"
                )
            if fresh:
                self._array = owned(array, self._numpy)
                return
            held, self._array = self._array, None
            if held is not None and held.shape == array.shape and _holders(held) == _ONE_HOLDER and _is_writable(held):
                try:
                    np.copyto(held, array)
                finally:
                    self._array = held
            else:
                try:
                    held = np.array(array, dtype=self._numpy, order="C", copy=True)
                finally:
                    self._array = held

    def update(self, function: Callable[[np.ndarray[Any, Any]], Any]) -> np.ndarray[Any, Any]:
        """Replace the value by what `function` makes of it, and return the new value.

        `function` gets an array that it may write to and returns None, or it returns a new array. It must check
        whatever can fail before it writes: what it has written when it raises is kept unless a copy was made.

        Raises: FailedPreconditionError if the variable is uninitialized.
        """
        with self.lock:
            held, target = self._begin()
            try:
                made = function(target)
                held = target if made is None else owned(made, self._numpy)
            finally:
                self._array = held
            return held

    def _begin(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Empty the cell; return the array it held and one to write to, the same where nobody else holds it."""
        held, self._array = self._array, None
        if held is None:
            raise self.uninitialized()
        in_place = _holders(held) == _ONE_HOLDER and _is_writable(held)
        return held, held if in_place else held.copy()

    def clear(self) -> None:
        """Make the variable uninitialized, as when its container is reset or its handle is destroyed."""
        with self.lock:
            self._array = None


class ResourceVariable(Variable):
    """The cell behind a VarHandleOp's handle. One without a value does not exist, in the words of errors."""

    __slots__ = ()

    def uninitialized(self) -> errors.FailedPreconditionError:
        """Return the error for a read before the first assignment."""
        return errors.FailedPreconditionError(
            f"Could not find variable {self.name}. This could mean that the variable has been deleted. "
            "In TF1, it can also mean the variable is uninitialized. "
            f"(Could not find resource: {self.container}/{self.name})"
        )

    def missing(self) -> errors.NotFoundError:
        """Return the error of the ops that, other than reading, need the variable to exist."""
        return errors.NotFoundError(
            f"Resource {self.container}/{self.name} does not exist. "
            f"(Could not find resource: {self.container}/{self.name})"
        )

    def complaints(self) -> tuple[str, ...]:
        """Return the messages of the errors about a variable without a value."""
        return self.uninitialized().message, self.missing().message

    def declare(self, dtype: DType) -> None:
        """Give a variable without a value another dtype, as when it is made anew after its handle was destroyed."""
        with self.lock:
            if self._array is None:
                self.dtype = dtype.base_dtype
                self._numpy = self.dtype.numpy


def update_together(cells: Sequence[Variable], function: Callable[..., None]) -> None:
    """Call `function` with an array of each cell that it may write to; all cells change or none.

    Raises: FailedPreconditionError for the first cell that is uninitialized.
    """
    with contextlib.ExitStack() as stack:
        for cell in sorted(cells, key=id):  # one order for all, so that no two updates wait for each other
            stack.enter_context(cell.lock)
        held: list[np.ndarray[Any, Any]] = []
        targets: list[np.ndarray[Any, Any]] = []
        try:
            for cell in cells:
                old, target = cell._begin()
                held.append(old)
                targets.append(target)
            function(*targets)
            held = targets
        finally:
            for cell, array in zip(cells, held):
                cell._array = array


def _fits(shape: Shape, other: tuple[int, ...]) -> bool:
    return shape is None or (len(shape) == len(other) and all(a is None or a == b for a, b in zip(shape, other)))


def shape_text(shape: Shape) -> str:
    """Return a shape as TensorFlow's messages write it: `[2,3]`, `[?,3]`, `<unknown>`."""
    return "<unknown>" if shape is None else "[" + ",".join("?" if n is None else str(n) for n in shape) + "]"
