"""Statistics of the values of tensors, streamed: minimum, maximum, mean, deviation, NaN, infinities, zeros, histogram.

Sums run in float64, joined window by window (Chan, Golub, LeVeque 1979), so that a mean of many float16 is that of
their values.
"""

from __future__ import annotations

import fnmatch
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.arguments import as_patterns, as_text, as_whole, check_progress
from icefloe.checkpoint.checking.sums import Progress
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reading import CheckpointReader

# Elements that are turned to float64 at a time.
_PIECE = 1 << 18

Sort = Literal["name", "size", "min", "max", "mean", "std", "nan", "inf", "zeros"]
SORTS: tuple[Sort, ...] = ("name", "size", "min", "max", "mean", "std", "nan", "inf", "zeros")


@dataclass(slots=True)
class TensorStats:
    """Statistics of one tensor.

    min, max, mean, std: of the finite values (std of the population); None where there are none. Of complex numbers,
    of their magnitude; of strings, of their length in bytes; bool counts as 0 and 1. Integers give integers.
    nan, inf, zeros: how many (of strings, `zeros` are empty ones).   bytes: as stored.
    histogram: counts between `edges`, equally wide from min to max; empty where not asked for.
    error: why the values could not be read, else None; then the other numbers stand for nothing.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    elements: int
    bytes: int
    min: float | int | None = None
    max: float | int | None = None
    mean: float | None = None
    std: float | None = None
    nan: int = 0
    inf: int = 0
    zeros: int = 0
    histogram: list[int] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)
    error: str | None = None


@dataclass(slots=True)
class Stats:
    """The answer of `stats`: one entry per tensor, and the sums over all of them."""

    prefix: str
    tensors: list[TensorStats] = field(default_factory=list)

    @property
    def elements(self) -> int:
        return sum(t.elements for t in self.tensors)

    @property
    def bytes(self) -> int:
        return sum(t.bytes for t in self.tensors)

    @property
    def nan(self) -> int:
        return sum(t.nan for t in self.tensors)

    @property
    def inf(self) -> int:
        return sum(t.inf for t in self.tensors)

    @property
    def errors(self) -> list[TensorStats]:
        """Those that could not be read."""
        return [t for t in self.tensors if t.error is not None]


def stats(
    path: str | os.PathLike[str],
    patterns: Sequence[str] = (),
    *,
    bins: int = 0,
    sort: Sort = "name",
    progress: Progress | None = None,
) -> Stats:
    """Return statistics of the tensors of a checkpoint.

        for tensor in stats("model.ckpt-30", ["*/kernel"]).tensors: print(tensor.name, tensor.mean)

    path: as `open_checkpoint` takes it.   patterns: which tensors, `*` and `?` as in a shell; none means all.
    bins: of the histograms; 0 makes none, others read the data twice.   sort: "name", or by a number, the largest
    first ("min": the smallest).   progress: called with bytes done.

    A tensor that is damaged gets an `error` in place of numbers.

    Raises: as `open_checkpoint`; InvalidArgumentError for a pattern that matches nothing, bad bins or sort.
    """
    bins, progress = as_whole(bins, "bins"), check_progress(progress)
    if not 0 <= bins <= 4096:
        raise errors.InvalidArgumentError(f"expected 0 to 4096 bins, got {bins}")
    if as_text(sort, "sort") not in SORTS:
        raise errors.InvalidArgumentError(f"expected to sort by one of {', '.join(SORTS)}, got {sort!r}")
    with open_checkpoint(path) as reader:
        out = Stats(reader.prefix)
        for name in matching(reader, patterns):
            out.tensors.append(_of(reader, name, bins))
            if progress is not None:
                progress(out.tensors[-1].bytes)
    _sort(out.tensors, sort)
    return out


def matching(reader: CheckpointReader, patterns: Sequence[str]) -> list[str]:
    """Return the names that match one of `patterns`, or another name that the reader knows; all where there are none.

    Raises: NotFoundError, with near names, for a pattern that matches nothing.
    """
    patterns = as_patterns(patterns)
    if not patterns:
        return list(reader.entries)
    chosen: dict[str, None] = {}
    for pattern in patterns:
        if pattern in reader.entries:
            chosen[pattern] = None
            continue
        found = [name for name in reader.entries if fnmatch.fnmatchcase(name, pattern)]
        if not found:
            found = [reader.find(pattern)]
        chosen |= dict.fromkeys(found)
    return list(chosen)


def _sort(found: list[TensorStats], sort: Sort) -> None:
    if sort == "name":
        return

    def key(tensor: TensorStats) -> tuple[bool, float, str]:
        value = tensor.bytes if sort == "size" else getattr(tensor, sort)
        if value is None or tensor.error is not None:
            return True, 0.0, tensor.name
        return False, float(value) if sort == "min" else -float(value), tensor.name

    found.sort(key=key)


def _of(reader: CheckpointReader, name: str, bins: int) -> TensorStats:
    entry = reader.entries[name]
    try:
        dtype, shape, elements = entry.dtype, entry.shape, entry.num_elements
        out = TensorStats(name, dtype.name, shape, elements, entry.size or elements * dtype.size)
    except errors.OpError as e:
        return TensorStats(name, "?", (), 0, 0, error=str(e))
    try:
        if dtype == datatypes.variant:
            reader.read(name)  # for its checksum; what is in it is no number
            return out
        sums = _Sums(exact=dtype.is_integer or dtype.is_bool or dtype == datatypes.string)
        for piece in _pieces(reader.stream(name)):
            sums.add(piece)
        sums.finish(out)
        if bins and out.min is not None and out.max is not None:
            _histogram(out, _pieces(reader.stream(name)), bins)
    except errors.OpError as e:
        return TensorStats(name, dtype.name, shape, elements, out.bytes, error=str(e))
    return out


def _pieces(windows: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield the values as numbers, int64, uint64 or float64, a limited number at a time."""
    for window in windows:
        flat = window.reshape(-1)
        if flat.dtype.hasobject:
            yield np.array([len(value) for value in flat.tolist()], np.int64)
            continue
        if flat.dtype.names:  # a quantized type: a record of one number
            flat = flat.view(flat.dtype[0])
        for start in range(0, flat.size, _PIECE):
            piece = flat[start : start + _PIECE]
            kind = piece.dtype.kind
            if kind == "c":
                yield np.abs(piece).astype(np.float64)
            elif kind in "bui":
                yield piece if piece.dtype == np.uint64 else piece.astype(np.int64)
            elif "int" in piece.dtype.name:  # sub-byte integers, which numpy takes for unknown
                yield piece.astype(np.int64)
            else:
                yield piece.astype(np.float64)


class _Sums:
    """Joined statistics of pieces. exact: minimum and maximum are integers."""

    def __init__(self, *, exact: bool) -> None:
        self._exact = exact
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0  # sum of squared distances from the mean
        self._min: float | int = math.inf
        self._max: float | int = -math.inf
        self._nan = self._inf = self._zeros = 0

    def add(self, piece: np.ndarray) -> None:
        if not piece.size:
            return
        self._zeros += int(piece.size - np.count_nonzero(piece))
        if piece.dtype.kind == "f":
            finite = np.isfinite(piece)
            if not finite.all():
                nan = int(np.isnan(piece).sum())
                self._nan += nan
                self._inf += int(piece.size - finite.sum()) - nan
                piece = piece[finite]
                if not piece.size:
                    return
        convert = int if self._exact else float
        self._min = min(self._min, convert(piece.min()))
        self._max = max(self._max, convert(piece.max()))
        with np.errstate(over="ignore", invalid="ignore"):
            values = piece.astype(np.float64, copy=False)
            mean = float(values.mean())
            squares = float(np.square(values - mean).sum())
        total = self._count + piece.size
        delta = mean - self._mean
        self._mean += delta * piece.size / total
        self._squares += squares + delta * delta * self._count * piece.size / total
        self._count = total

    def finish(self, out: TensorStats) -> None:
        out.nan, out.inf, out.zeros = self._nan, self._inf, self._zeros
        if self._count:
            out.min, out.max, out.mean = self._min, self._max, self._mean
            out.std = math.sqrt(self._squares / self._count)


def _histogram(out: TensorStats, pieces: Iterable[np.ndarray], bins: int) -> None:
    assert out.min is not None and out.max is not None
    low, high = float(out.min), float(out.max)
    if low == high:
        low, high = low - 0.5, high + 0.5
    if not math.isfinite(high - low) or high <= low or low + (high - low) / bins == low:
        return  # too wide or too narrow for float64
    counts = np.zeros(bins, np.int64)
    edges = np.linspace(low, high, bins + 1)
    for piece in pieces:
        values = piece.astype(np.float64, copy=False)
        counts += np.histogram(values[np.isfinite(values)], edges)[0]
    out.histogram, out.edges = counts.tolist(), edges.tolist()
