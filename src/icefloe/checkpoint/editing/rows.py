"""The rows of a tensor, or of several that are parts of one table, with new ones after the old.

A row is what one index along the chosen axis picks. What the new ones hold:

    zeros       0, or an empty string
    mean        the mean of the old rows
    normal:S    normal deviates, seed S, with the old rows' mean and standard deviation, column by column
    copy        the old rows again, from the first
    copy:N      row N each time
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from icefloe import errors
from icefloe.checkpoint.editing.stored import WINDOW, Tensor
from icefloe.checkpoint.slices import FULL, TensorSlice, volume


@dataclass(frozen=True, slots=True)
class Init:
    """What new rows hold: `kind` is "zeros", "mean", "normal" or "copy", `number` the seed or the row."""

    kind: str
    number: int | None = None


def parse_init(text: str) -> Init:
    """Return what `text` says. Raises: InvalidArgumentError."""
    kind, mark, number = str(text).partition(":")
    allowed = kind in ("zeros", "mean") and not mark
    numbered = kind in ("normal", "copy") and (not mark or number.isdecimal())
    if not allowed and not numbered:
        raise errors.InvalidArgumentError(f"expected zeros, mean, normal:SEED, copy or copy:ROW, got {text!r}")
    return Init(kind, int(number) if mark else None)


class Table:
    """The rows of `members` along `axis`, one after the other, and as many new ones as are asked for.

    Raises: InvalidArgumentError if the members have different dtypes or rows, or `init` cannot be used with them.
    """

    def __init__(self, members: Sequence[Tensor], axis: int, init: Init) -> None:
        first = members[0]
        self.members = members
        self.axis = axis
        self.dtype = first.dtype
        self.init = init
        rest = _without(first.shape, axis)
        for member in members:
            if member.dtype != first.dtype or _without(member.shape, axis) != rest:
                raise errors.InvalidArgumentError(
                    f"{first.name!r} and {member.name!r} are no parts of one table: {first.dtype.name} "
                    f"{list(first.shape)} and {member.dtype.name} {list(member.shape)}"
                )
        self.rest = rest
        self.width = volume(rest)
        self.starts = list(itertools.accumulate((m.shape[axis] for m in members), initial=0))
        self._statistics: tuple[np.ndarray, np.ndarray] | None = None
        self._checked: set[str] = set()
        self._check_init()

    @property
    def old(self) -> int:
        """The number of old rows."""
        return self.starts[-1]

    def _check_init(self) -> None:
        kind, number = self.init.kind, self.init.number
        name = self.members[0].name
        if kind in ("mean", "normal") and not (self.dtype.is_floating or self.dtype.is_complex):
            if kind == "normal" or not self.dtype.is_integer or self.dtype.is_quantized:
                raise errors.InvalidArgumentError(f"tensor {name!r}: {kind} of {self.dtype.name} values")
        if kind != "zeros" and not self.old:
            raise errors.InvalidArgumentError(f"tensor {name!r} has no row: new ones can be zeros only")
        if kind == "copy" and number is not None and number >= self.old:
            raise errors.InvalidArgumentError(f"tensor {name!r}: there is no row {number}, it has {self.old}")

    def rows(self, start: int, stop: int) -> Iterator[np.ndarray]:
        """Yield rows `start` to `stop` as matrices `[rows, width]`, old ones and then new ones; each is valid until the
        next.
        """
        if start < self.old:
            yield from self._old_rows(start, min(stop, self.old))
        if stop > self.old:
            yield from self._new_rows(max(start, self.old) - self.old, stop - self.old)

    def _old_rows(self, start: int, stop: int) -> Iterator[np.ndarray]:
        for member, first, end in zip(self.members, self.starts, self.starts[1:]):
            low, high = max(start, first) - first, min(stop, end) - first
            if low < high:
                yield from self._of_member(member, low, high)

    def _of_member(self, member: Tensor, low: int, high: int) -> Iterator[np.ndarray]:
        reader = member.pieces[0].reader
        if self.axis:
            chosen = TensorSlice(
                tuple((0, FULL) if d != self.axis else (low, high - low) for d in range(len(member.shape)))
            )
            part = (
                reader.read(member.name)
                if high - low == member.shape[self.axis]
                else reader.read_slice(member.name, chosen)
            )
            yield np.moveaxis(part, self.axis, 0).reshape(high - low, self.width)
        elif member.is_sliced:
            rest = ((0, FULL),) * (len(member.shape) - 1)
            yield reader.read_slice(member.name, TensorSlice(((low, high - low), *rest))).reshape(-1, self.width)
        else:
            yield from self._whole_rows(member, low, high)

    def _whole_rows(self, member: Tensor, low: int, high: int) -> Iterator[np.ndarray]:
        piece = member.pieces[0]
        if not self.width:
            return
        row = self.width * max(self.dtype.size, 1)
        size = max(WINDOW // row, 1) * row
        if member.name in self._checked and piece.bundle is not None and not piece.is_object:
            for window in piece.part(low * self.width, (high - low) * self.width, size):
                yield window.reshape(-1, self.width)
            return
        # The whole tensor goes through the window once, for its checksum.
        pos = 0
        for window in piece.windows(size):
            block = window.reshape(-1, self.width)
            kept = block[max(low - pos, 0) : max(high - pos, 0)]
            pos += len(block)
            if len(kept):
                yield kept
        self._checked.add(member.name)

    def _new_rows(self, start: int, stop: int) -> Iterator[np.ndarray]:
        step = max(WINDOW // max(self.width * max(self.dtype.size, 1), 1), 1)
        if self.init.kind == "copy" and self.init.number is None:
            while start < stop:
                low = start % self.old
                count = min(stop - start, self.old - low)
                yield from self._old_rows(low, low + count)
                start += count
            return
        for first in range(start, stop, step):
            yield self._made(first, min(first + step, stop))

    def _made(self, start: int, stop: int) -> np.ndarray:
        shape = (stop - start, self.width)
        dtype = self.dtype.numpy
        if self.init.kind == "zeros":
            return np.full(shape, b"", object) if dtype.hasobject else np.zeros(shape, dtype)
        if self.init.kind == "copy":
            row = self.init.number or 0
            return np.broadcast_to(np.concatenate([block.copy() for block in self._old_rows(row, row + 1)]), shape)
        mean, deviation = self._columns()
        if self.init.kind == "mean":
            values = np.rint(mean) if self.dtype.is_integer else mean
            return np.broadcast_to(values.astype(dtype), shape)
        return np.stack([mean + deviation * self._deviates(i) for i in range(start, stop)]).astype(dtype)

    def _deviates(self, row: int) -> np.ndarray:
        """Return the deviates of a new row: those of its number, the seed and the tensor, however rows are gathered."""
        key = (self.init.number or 0) << 32 | zlib.crc32(self.members[0].name.encode(errors="surrogateescape"))
        bits = np.random.Philox(key=key % (1 << 128), counter=row << 64)
        return np.random.Generator(bits).standard_normal(self.width)

    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and standard deviation of each column of the old rows."""
        if self._statistics is None:
            wide = np.complex128 if self.dtype.is_complex else np.float64
            total = np.zeros(self.width, wide)
            for block in self._old_rows(0, self.old):
                total += block.astype(wide).sum(axis=0)
            mean = total / self.old
            squares = np.zeros(self.width)
            if self.init.kind == "normal":
                for block in self._old_rows(0, self.old):
                    squares += (np.abs(block.astype(wide) - mean) ** 2).sum(axis=0)
            self._statistics = mean, np.sqrt(squares / self.old)
        return self._statistics

    def array(self, start: int, stop: int) -> np.ndarray:
        """Return rows `start` to `stop` as a tensor with the axis in its place."""
        blocks = [block.copy() for block in self.rows(start, stop)]
        matrix = np.concatenate(blocks) if blocks else np.empty((0, self.width), self.dtype.numpy)
        return np.moveaxis(matrix.reshape(stop - start, *self.rest), 0, self.axis)


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]
