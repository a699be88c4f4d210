"""Compares two checkpoints, of any format, tensor by tensor: checksums first, values only where these differ or are
not there.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from icefloe import errors
from icefloe.checkpoint.arguments import as_number, as_patterns, check_progress
from icefloe.checkpoint.checking.comparing import Comparison, Tolerance, compare
from icefloe.checkpoint.checking.stats import matching
from icefloe.checkpoint.checking.sums import Progress
from icefloe.checkpoint.editing.rules import Names
from icefloe.checkpoint.entries import Entry
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import FULL
from icefloe.wire.crc import combine

Status = Literal["equal", "close", "added", "removed", "reshaped", "retyped", "changed", "unreadable"]


@dataclass(slots=True)
class TensorDiff:
    """One tensor in both checkpoints.

    status: "equal"; "close", not equal but within the tolerances; "added" only in B, "removed" only in A; "reshaped";
    "retyped", of another dtype; "changed"; "unreadable", with an `error`.
    name, other: its names in A and in B, None where it is not there; dtype, shape and the same of B.
    changed: how many elements differ by more than the tolerances; max_abs: the largest |b - a|, None where nothing was
    compared; relative_norm: ||b - a|| / ||a||; nan: how many are NaN in one only. Strings have `changed` only.
    """

    status: Status
    name: str | None
    other: str | None
    dtype: str | None = None
    other_dtype: str | None = None
    shape: tuple[int, ...] | None = None
    other_shape: tuple[int, ...] | None = None
    elements: int = 0
    changed: int = 0
    max_abs: float | int | None = None
    relative_norm: float | None = None
    nan: int = 0
    error: str | None = None

    @property
    def label(self) -> str:
        """Its name, or both where they differ."""
        if self.name is None or self.other is None or self.name == self.other:
            return self.name or self.other or ""
        return f"{self.name} -> {self.other}"


@dataclass(slots=True)
class Difference:
    """The answer of `diff`. tensors: of A in its order, then those that only B has.

    by_checksum: how many were found equal without reading their values.
    """

    a: str
    b: str
    tensors: list[TensorDiff] = field(default_factory=list)
    by_checksum: int = 0

    def of(self, *status: Status) -> list[TensorDiff]:
        """Return the tensors of these kinds."""
        return [t for t in self.tensors if t.status in status]

    @property
    def differing(self) -> list[TensorDiff]:
        """Those that are neither equal nor close."""
        return [t for t in self.tensors if t.status not in ("equal", "close")]

    @property
    def is_equal(self) -> bool:
        """Whether there is no difference beyond the tolerances."""
        return not self.differing


def diff(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    patterns: Sequence[str] = (),
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    maps: Iterable[str | tuple[str, str]] = (),
    compare_bytes: bool = False,
    progress: Progress | None = None,
    dask: Any = None,
) -> Difference:
    """Return how checkpoint `b` differs from `a`; either may be of any format, and sharded or partitioned in any way.

        diff("model.ckpt-10", "model.ckpt-20", rtol=1e-3).of("changed")

    patterns: only these tensors of A, and of B those that match the same patterns or are mapped to.
    rtol, atol: elements within atol + rtol * |a| count as equal.   maps: rules `s/old/new/` that turn names of A into
    those of B.   compare_bytes: read everything and compare bits, so that -0.0 differs from 0.0; without it tensors of
    equal checksum, size, dtype and shape are taken for equal, and equal values for equal.
    progress: called with bytes done.   dask: a scheduler whose workers do it, "threads", "processes", or the address of
    a cluster.

    Raises: as `open_checkpoint`; InvalidArgumentError if two names of A are mapped to one, for bad rules and
    tolerances.
    """
    rtol, atol, progress = as_number(rtol, "rtol"), as_number(atol, "atol"), check_progress(progress)
    if not (rtol >= 0 and atol >= 0):
        raise errors.InvalidArgumentError(f"expected tolerances of at least 0, got rtol {rtol}, atol {atol}")
    names = Names(maps)
    with open_checkpoint(a) as left, open_checkpoint(b) as right:
        out = Difference(left.prefix, right.prefix)
        tolerance = Tolerance(rtol, atol, compare_bytes)
        pairs = _pairs(left, right, as_patterns(patterns), names)
        if dask is None:
            work = _Work(left, right, tolerance, out, progress)
            out.tensors = [_compare(work, name, other) for name, other in pairs]
        else:
            sizes = [left.entries[name].size if name is not None else 0 for name, _ in pairs]
            _compare_in_workers(dask, out, pairs, sizes, tolerance, progress)
    return out


def _compare_in_workers(
    dask: Any,
    out: Difference,
    pairs: list[tuple[str | None, str | None]],
    sizes: list[int],
    tolerance: Tolerance,
    progress: Progress | None,
) -> None:
    from icefloe.checkpoint.distributed import scheduling

    a, b = scheduling.absolute(out.a), scheduling.absolute(out.b)
    with scheduling.cluster(dask) as workers:
        groups = [g for g in scheduling.shares(sizes, workers.workers) if g]
        tasks = [functools.partial(_compare_some, a, b, [pairs[i] for i in group], tolerance) for group in groups]

        def done(number: int, _: Difference) -> None:
            if progress is not None:
                progress(sum(sizes[i] for i in groups[number]))

        found: dict[int, TensorDiff] = {}
        for group, part in zip(groups, workers.run(tasks, done)):
            found |= dict(zip(group, part.tensors))
            out.by_checksum += part.by_checksum
    out.tensors = [found[i] for i in range(len(pairs))]


def _compare_some(a: str, b: str, pairs: list[tuple[str | None, str | None]], tolerance: Tolerance) -> Difference:
    with open_checkpoint(a) as left, open_checkpoint(b) as right:
        out = Difference(a, b)
        work = _Work(left, right, tolerance, out, None)
        out.tensors = [_compare(work, name, other) for name, other in pairs]
    return out


@dataclass(frozen=True, slots=True)
class _Work:
    left: CheckpointReader
    right: CheckpointReader
    tolerance: Tolerance
    out: Difference
    progress: Progress | None


def _pairs(
    left: CheckpointReader, right: CheckpointReader, patterns: Sequence[str], names: Names
) -> list[tuple[str | None, str | None]]:
    """Return the names to compare: of A and, for each, of B; None where one has no such tensor."""
    mapped: dict[str, str] = {}
    for name in left.entries:
        target = names.of(name)
        if target in mapped:
            raise errors.InvalidArgumentError(f"{mapped[target]!r} and {name!r} are both mapped to {target!r}")
        mapped[target] = name
    chosen = {t: n for t, n in mapped.items() if n in _matching(left, right, patterns)}
    pairs: list[tuple[str | None, str | None]] = [
        (name, target if target in right.entries else None) for target, name in chosen.items()
    ]
    extra = right.entries if not patterns else _matching(right, left, patterns)
    pairs += [(None, other) for other in extra if other not in mapped]
    return pairs


def _matching(reader: CheckpointReader, other: CheckpointReader, patterns: Sequence[str]) -> set[str]:
    """Return the names of `reader` that match; a pattern may match in one of the two only."""
    found: set[str] = set()
    if not patterns:
        return set(reader.entries)
    for pattern in patterns:
        try:
            found |= set(matching(reader, [pattern]))
        except errors.NotFoundError:
            matching(other, [pattern])
    return found


def _compare(work: _Work, name: str | None, other: str | None) -> TensorDiff:
    if name is None or other is None:
        reader, there = (work.left, name) if name is not None else (work.right, other)
        assert there is not None
        return _one_sided(reader.entries[there], name, other)
    entry, theirs = work.left.entries[name], work.right.entries[other]
    try:
        out = TensorDiff("equal", name, other, entry.dtype.name, theirs.dtype.name, entry.shape, theirs.shape)
        out.elements = entry.num_elements
        if entry.shape != theirs.shape:
            out.status = "reshaped"
            return out
        if not work.tolerance.bits and _same_sum(work.left, name, entry, work.right, other, theirs):
            work.out.by_checksum += 1
            _done(work, entry)
            return out
        if entry.dtype != theirs.dtype and entry.dtype.numpy.hasobject != theirs.dtype.numpy.hasobject:
            out.status = "retyped"
            return out
        found = compare(work.left.stream(name), work.right.stream(other), entry.dtype, theirs.dtype, work.tolerance)
    except errors.OpError as e:
        return TensorDiff("unreadable", name, other, error=str(e))
    _done(work, entry)
    _take(out, found)
    if entry.dtype != theirs.dtype:
        out.status = "retyped"
    return out


def _one_sided(entry: Entry, name: str | None, other: str | None) -> TensorDiff:
    out = TensorDiff("removed" if other is None else "added", name, other)
    try:
        dtype, shape, out.elements = entry.dtype.name, entry.shape, entry.num_elements
    except errors.OpError as e:
        out.error = str(e)
        return out
    if other is None:
        out.dtype, out.shape = dtype, shape
    else:
        out.other_dtype, out.other_shape = dtype, shape
    return out


def _done(work: _Work, entry: Entry) -> None:
    if work.progress is not None:
        work.progress(entry.size)


def _take(out: TensorDiff, found: Comparison) -> None:
    out.changed, out.max_abs, out.relative_norm, out.nan = (
        found.changed,
        found.max_abs,
        found.relative_norm,
        found.nan,
    )
    out.status = "changed" if found.changed else "equal" if found.is_equal else "close"


def _same_sum(
    left: CheckpointReader, name: str, entry: Entry, right: CheckpointReader, other: str, theirs: Entry
) -> bool:
    """Whether the stored checksums say that two tensors of one shape are the same."""
    if not isinstance(left, BundleReader) or not isinstance(right, BundleReader):
        return False
    if entry.dtype_number != theirs.dtype_number or left.byte_order != right.byte_order:
        return False
    found = _sum(left, name, entry)
    return found is not None and found == _sum(right, other, theirs)


def _sum(reader: BundleReader, name: str, entry: Entry) -> tuple[int, int] | None:
    """Return size and CRC of a tensor's bytes from the index alone; None where it is cut along other axes than rows."""
    if not entry.is_sliced:
        return entry.size, entry.crc
    if entry.dtype.numpy.hasobject:
        return None
    crc = size = row = 0
    for chosen in sorted(entry.slices, key=lambda s: s.extents[:1]):
        if any(length != FULL and length != n for (_, length), n in zip(chosen.extents[1:], entry.shape[1:])):
            return None
        start, stop = chosen.bounds(entry.shape)[0]
        if start != row:
            return None
        part = reader.index.slice_entry(name, chosen)
        crc, size, row = combine(crc, part.crc, part.size), size + part.size, stop
    return (size, crc) if row == entry.shape[0] else None
