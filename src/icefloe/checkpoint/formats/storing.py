"""What writers of array files are given: tensors that come in pieces, and how each format can hold their elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from icefloe.datatypes import DType

# Called with the number of bytes written since the last call.
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Item:
    """A tensor to be stored. `pieces()` yields its elements in C order, flat; each is valid until the next."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    pieces: Callable[[], Iterator[np.ndarray]]

    @property
    def size(self) -> int:
        """Bytes of the elements; 0 for strings and variants."""
        return 0 if self.dtype.numpy.hasobject else math.prod(self.shape) * self.dtype.size

    def array(self) -> np.ndarray:
        """Return the whole tensor."""
        pieces = list(self.pieces())
        flat = pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0, self.dtype.numpy)
        return flat.reshape(self.shape)


def as_bits(dtype: DType) -> np.dtype:
    """Return the numpy dtype that numpy and HDF5 know whose elements are the bits of `dtype`, or `dtype` itself."""
    numpy = dtype.numpy
    if numpy.names:
        return numpy[0]
    if numpy.isbuiltin == 2:  # bfloat16, float8 and small integers: ml_dtypes' own
        return np.dtype(f"u{numpy.itemsize}")
    return numpy


def placeholders(names: list[str], can_hold: Callable[[str], bool]) -> Mapping[str, str]:
    """Return name -> name to store under: itself, or `tensor_N` where the format cannot hold it."""
    taken = set(names)
    found = {}
    number = 0
    for name in names:
        stored = name
        while not can_hold(stored) or (stored != name and stored in taken):
            stored = f"tensor_{number}"
            number += 1
        found[name] = stored
        taken.add(stored)
    return found


def is_text(name: str) -> bool:
    """Whether a name is text that UTF-8 can hold, without a zero."""
    return (name.isascii() and "\0" not in name) or (_encodes(name) and "\0" not in name)


def _encodes(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
