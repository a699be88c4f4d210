"""The value that a variable gets from a stored tensor of another shape or dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import TensorSlice, parse_spec
from icefloe.datatypes import DType
from icefloe.saver.changed_names import Shape
from icefloe.saver.restore_options import OnShape
from icefloe.saver.restore_report import Stored, Wanted, shape_fits, text

Array = np.ndarray[Any, Any]


def can_cast(before: DType, after: DType) -> bool:
    """Whether a stored tensor of one dtype can be converted to another: numbers and truth values can; complex ones only
    to complex ones.
    """
    for dtype in (before, after):
        is_number = dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_bool
        if dtype.is_quantized or not is_number:
            return False
    return after.is_complex or not before.is_complex


def can_fit(wanted: Wanted, stored: Stored, rule: OnShape) -> bool:
    """Whether `rule` makes a stored tensor of another shape fit."""
    if rule not in ("slice", "pad", "fit") or wanted.shape is None or None in wanted.shape or wanted.reshaped:
        return False
    if len(wanted.shape) != len(stored.shape):
        return False
    pairs = [(a or 0, b) for a, b in zip(wanted.shape, stored.shape, strict=True)]
    return rule == "fit" or all(a <= b if rule == "slice" else a >= b for a, b in pairs)


def fitting(wanted: Wanted, stored: Stored, rule: OnShape) -> tuple[str, ...]:
    """Return what is done to a stored tensor, in words; nothing where its shape is as it should be."""
    if shape_fits(wanted, stored):
        return ()
    done = {"slice": "sliced from", "pad": "padded with zeros from", "fit": "fitted from"}[rule]
    return (f"{done} {text(stored.shape)}",)


def needs_present_value(wanted: Wanted, stored: Stored, rule: OnShape) -> bool:
    """Whether a part of the variable keeps the value that it has."""
    if rule != "fit" or shape_fits(wanted, stored):
        return False
    assert wanted.shape is not None
    return any((a or 0) > b for a, b in zip(wanted.shape, stored.shape, strict=True))


def read_value(
    reader: CheckpointReader, key: str, wanted: Wanted, stored: Stored, present: Array | None = None
) -> tuple[Array, tuple[str, ...]]:
    """Return the tensor, or the part of it that is wanted, in the shape and dtype that are wanted; and what a cast did
    to it, in words.

    present: what holds where nothing is stored; zeros by default.

    Raises: as the reader; InvalidArgumentError if a number has no counterpart in the dtype that is wanted.
    """
    dtype = wanted.dtype.base_dtype

    def converted(value: Array) -> tuple[Array, tuple[str, ...]]:
        return (value, ()) if stored.dtype == dtype else cast_value(value, stored.dtype, dtype, key)

    spec = parse_spec(wanted.spec) if wanted.spec else None
    if shape_fits(wanted, stored):
        return converted(reader.read(key) if spec is None else reader.read_slice(key, spec[1]))
    full = spec[0] if spec is not None else _known(wanted.shape)
    part = spec[1] if spec is not None else TensorSlice.full(len(full))
    bounds = part.bounds(full)
    shape = tuple(stop - start for start, stop in bounds)
    stops = [min(stop, size) for (_, stop), size in zip(bounds, stored.shape, strict=True)]
    lengths = [max(stop - start, 0) for (start, _), stop in zip(bounds, stops, strict=True)]
    extents = tuple((start, length) for (start, _), length in zip(bounds, lengths, strict=True))
    how: tuple[str, ...] = ()
    if 0 in lengths:
        piece = np.zeros(lengths, dtype.numpy)
    elif tuple(lengths) == stored.shape:
        piece, how = converted(reader.read(key))
    else:
        piece, how = converted(reader.read_slice(key, TensorSlice(extents)))
    out: Array = np.full(shape, b"", object) if dtype.numpy.hasobject else np.zeros(shape, dtype.numpy)
    if present is not None:
        out[...] = present
    out[tuple(slice(0, length) for length in lengths)] = piece
    return out, how


def _known(shape: Shape) -> tuple[int, ...]:
    assert shape is not None
    return tuple(n or 0 for n in shape)


def cast_value(value: Array, before: DType, after: DType, key: str) -> tuple[Array, tuple[str, ...]]:
    """Return a value in another dtype, and what that does to it, in words. What is behind the point is cut off.

    Raises: InvalidArgumentError if a number has no counterpart in an integer dtype.
    """
    with np.errstate(all="ignore"):
        out = value.astype(after.numpy)
        if after.is_integer and not before.is_bool:
            wide, back = value.astype(np.float64), out.astype(np.float64)
            if before.is_floating:
                lost = ~(abs(wide - back) < 1)  # NaN too
            else:
                lost = (out.astype(value.dtype) != value) | ((wide < 0) != (back < 0))
            if lost.any():
                raise errors.InvalidArgumentError(
                    f"tensor_name = {key}; {np.extract(lost, value)[0]} is no {after.name}: not cast from {before.name}"
                )
        overflow = 0
        narrower = before.is_integer or after.size <= before.size or after.is_complex
        if not before.is_bool and not after.is_integer and not after.is_bool and narrower:
            were, are = _finite(value), _finite(out)
            overflow = int(np.count_nonzero(were & ~are))
    return out, (f"cast from {before.name}" + (f", {overflow} became infinite" if overflow else ""),)


def _finite(value: Array) -> Array:
    return np.isfinite(value if value.dtype.kind == "c" else value.astype(np.float64))
