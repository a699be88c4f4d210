"""Looks at everything in a V2 checkpoint: every entry, every data file, every checksum, and keeps what it opened, so
that the same look serves `verify` and `rescue`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from icefloe import datatypes, errors
from icefloe.checkpoint import contents, slices
from icefloe.checkpoint.checking.findings import Problem
from icefloe.checkpoint.checking.index_scan import IndexScan
from icefloe.checkpoint.checking.sums import Progress, Region, sums
from icefloe.checkpoint.entries import BIG, Entry
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.index import to_name
from icefloe.checkpoint.slices import TensorSlice

_MAX_LISTED_GAPS = 5
# Entries that share bytes could make a small file as much work as one likes; this many times its size is looked at.
_MAX_TIMES = 4


@dataclass(eq=False, slots=True)
class Stored:
    """Bytes that an entry says are in a data file: a tensor's, or those of one slice of it.

    problem: what is wrong with them, None if nothing.   doubtful: the entry is from a damaged block of the index.
    """

    name: str
    part: TensorSlice | None
    entry: Entry
    doubtful: bool = False
    problem: Problem | None = None

    @property
    def label(self) -> str:
        return self.name if self.part is None else f"{self.name} slice {self.part}"


@dataclass(slots=True)
class Survey:
    """What was found.

    sources: the open data files by shard; a missing one is not there.   count: number of shards.
    parents: entries of partitioned tensors.   stored: everything that has bytes.
    problems: all of them, those of `stored` too.   notes: as `Verification.notes`.
    """

    scan: IndexScan
    sources: Mapping[int, Source]
    count: int
    stored: list[Stored] = field(default_factory=list)
    parents: dict[str, Entry] = field(default_factory=dict)
    broken: dict[str, Problem] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    bytes_checked: int = 0

    @property
    def order(self) -> contents.ByteOrder:
        return "big" if self.scan.header is not None and self.scan.header.endianness == BIG else "little"

    def names(self) -> list[str]:
        """Return the names of all tensors, sorted as in the index."""
        found = {s.name for s in self.stored} | self.parents.keys() | self.broken.keys()
        return sorted(found, key=lambda name: name.encode("utf-8", "surrogateescape"))

    def damaged(self) -> set[str]:
        """Return the names of the tensors that cannot be read whole."""
        return {s.name for s in self.stored if s.problem is not None} | self.broken.keys()


def survey(
    scan: IndexScan,
    sources: Mapping[int, Source],
    count: int,
    *,
    paths: Mapping[int, str],
    doubtful: bool = False,
    progress: Progress | None = None,
) -> Survey:
    """Return what is in the data files that `scan` names, every checksum computed.

    paths: of all shards, for messages.   doubtful: look at the entries of damaged blocks too.
    progress: called with bytes done.
    """
    out = Survey(scan, sources, count)
    _take_entries(out, scan.records, False)
    if doubtful:
        _take_entries(out, scan.doubtful, True)
    _check_slices(out)
    for stored in out.stored:
        stored.problem = _misplaced(out, stored, paths)
    _check_layout(out, paths)
    _check_sums(out, progress)
    out.problems += [s.problem for s in out.stored if s.problem is not None and s.problem.kind != "missing"]
    return out


def _take_entries(out: Survey, records: Mapping[bytes, bytes], doubtful: bool) -> None:
    for key, raw in records.items():
        if not key:  # the header
            continue
        name, part = to_name(key), None
        try:
            if slices.is_slice_key(key):
                plain, part = slices.decode_key(key)
                name = to_name(plain)
            entry = Entry(name, raw)
            if part is None and entry.is_sliced:
                out.parents[name] = entry
                continue
            entry.dtype_number, entry.shape, entry.size  # noqa: B018 (they are decoded when asked for)
        except errors.OpError as e:
            problem = Problem("entry", e.message, tensor=name)
            if not doubtful:
                out.broken[name] = problem
                out.problems.append(problem)
            continue
        out.stored.append(Stored(name, part, entry, doubtful))


def _check_slices(out: Survey) -> None:
    """Hold partitioned tensors against their slices: all there, none twice, and together the whole."""
    parts: dict[str, dict[TensorSlice, Stored]] = {}
    for stored in out.stored:
        if stored.part is not None:
            parts.setdefault(stored.name, {})[stored.part] = stored
    for name in parts.keys() - out.parents.keys():
        _break(out, name, f"{len(parts[name])} slices are stored, but no entry says of what shape the whole is")
    for name, entry in out.parents.items():
        reason = _wrong_slices(entry, parts.get(name, {}))
        if reason:
            _break(out, name, reason)


def _break(out: Survey, name: str, reason: str) -> None:
    problem = Problem("slices", f"tensor {name}: {reason}", tensor=name)
    out.broken[name] = problem
    out.problems.append(problem)


def _wrong_slices(entry: Entry, parts: Mapping[TensorSlice, Stored]) -> str | None:
    try:
        shape = entry.shape
        slices.check_disjoint(entry.slices, shape)
        total = 0
        for chosen in entry.slices:
            part = parts.get(chosen)
            if part is None:
                return f"the index has no entry of its slice {chosen}"
            expected = chosen.shape(shape)
            total += slices.volume(expected)
            if part.entry.dtype_number != entry.dtype_number or part.entry.shape != expected:
                return f"slice {chosen} is of shape {list(part.entry.shape)}, expected {list(expected)}"
        if total != slices.volume(shape):
            return f"its slices hold {total} of {slices.volume(shape)} elements"
    except errors.OpError as e:
        return e.message
    return None


def _misplaced(out: Survey, stored: Stored, paths: Mapping[int, str]) -> Problem | None:
    """Return what is wrong with where an entry says its bytes are."""
    entry = stored.entry
    try:
        dtype = entry.dtype
    except errors.OpError as e:
        if isinstance(e, errors.UnimplementedError):  # of a later version: its bytes can be checked all the same
            out.notes.append(e.message)
            dtype = None
        else:
            return Problem("entry", e.message, tensor=stored.label)
    if entry.shard >= out.count:
        return Problem("entry", f"tensor {stored.label} is in shard {entry.shard} of {out.count}", tensor=stored.label)
    if dtype is not None and not dtype.numpy.hasobject and entry.size != entry.num_elements * dtype.size:
        return Problem(
            "entry",
            f"Invalid size in bundle entry: key {stored.label}; stored size {entry.size}; expected size "
            f"{entry.num_elements * dtype.size} for {dtype.name} {list(entry.shape)}",
            tensor=stored.label,
        )
    source, path = out.sources.get(entry.shard), paths[entry.shard]
    if source is None:
        return Problem("missing", f"{path} is missing", tensor=stored.label, path=path)
    end = entry.offset + entry.size
    if end > source.size:
        return Problem(
            "short",
            f"tensor {stored.label} is at bytes {entry.offset} to {end}, the file ends at {source.size}",
            tensor=stored.label,
            path=path,
            offset=entry.offset,
        )
    return None


def _check_layout(out: Survey, paths: Mapping[int, str]) -> None:
    """Files that are missing or too short; tensors that share bytes; bytes that are nobody's."""
    by_shard: dict[int, list[Stored]] = {}
    for stored in out.stored:
        if stored.problem is None or stored.problem.kind in ("short", "missing"):
            by_shard.setdefault(stored.entry.shard, []).append(stored)
    for shard in range(out.count):
        found, path, source = by_shard.get(shard, []), paths[shard], out.sources.get(shard)
        needed = max((s.entry.offset + s.entry.size for s in found), default=0)
        if source is None:
            # A save without tensors leaves no data behind that anyone could miss.
            if found or out.scan.damage:
                out.problems.append(
                    Problem(
                        "missing",
                        f"{path} is missing, with {len(found)} of {len(out.stored)} tensors and slices",
                        path=path,
                        stored=needed,
                    )
                )
            continue
        if needed > source.size:
            lost = sum(s.problem is not None for s in found)
            out.problems.append(
                Problem(
                    "short",
                    f"{path} ends at {source.size}, the index needs {needed}: shorter by {needed - source.size} bytes, "
                    f"{lost} of {len(found)} tensors and slices are cut",
                    path=path,
                    offset=source.size,
                    stored=needed,
                    actual=source.size,
                )
            )
        elif source.size > needed and not out.scan.damage:
            out.notes.append(f"{path}: {source.size - needed} bytes behind the last tensor")
        _check_spans(out, found, path)


def _check_spans(out: Survey, found: Iterable[Stored], path: str) -> None:
    spans = sorted((s for s in found if s.entry.size), key=lambda s: s.entry.offset)
    end, last = 0, None
    gaps: list[tuple[int, int]] = []
    for stored in spans:
        offset = stored.entry.offset
        if offset < end and last is not None:
            out.problems.append(
                Problem(
                    "overlap",
                    f"tensors {last.label} and {stored.label} share bytes {offset} to "
                    f"{min(end, offset + stored.entry.size)}",
                    tensor=stored.label,
                    path=path,
                    offset=offset,
                )
            )
        elif offset > end:
            gaps.append((end, offset))
        if offset + stored.entry.size > end:
            end, last = offset + stored.entry.size, stored
    if gaps and not out.scan.damage:
        total = sum(b - a for a, b in gaps)
        first = ", ".join(f"{a} to {b}" for a, b in itertools.islice(gaps, _MAX_LISTED_GAPS))
        out.notes.append(f"{path}: {total} bytes are no tensor's, in {len(gaps)} gaps: {first}")


def _check_sums(out: Survey, progress: Progress | None) -> None:
    whole: list[Stored] = []
    left = {shard: _MAX_TIMES * source.size for shard, source in out.sources.items()}
    for stored in out.stored:
        if stored.problem is not None:
            continue
        left[stored.entry.shard] -= stored.entry.size
        if left[stored.entry.shard] < 0:
            path = out.sources[stored.entry.shard].path
            stored.problem = Problem(
                "overlap", f"tensor {stored.label} shares its bytes with too many others", stored.label, path
            )
            continue
        if stored.entry.dtype_number in (datatypes.string.as_datatype_enum, datatypes.variant.as_datatype_enum):
            _check_objects(out, stored)
        else:
            whole.append(stored)
        out.bytes_checked += stored.entry.size
    regions = [Region(out.sources[s.entry.shard], s.entry.offset, s.entry.size) for s in whole]
    for stored, region, found in zip(whole, regions, sums(regions, progress)):
        if isinstance(found, errors.OpError):
            kind = "short" if isinstance(found, errors.OutOfRangeError) else "content"
            stored.problem = Problem(kind, found.message, stored.label, region.source.path, region.offset)
        elif found != stored.entry.crc:
            stored.problem = _mismatch(stored, region.source.path, found)


def _mismatch(stored: Stored, path: str, found: int) -> Problem:
    entry = stored.entry
    return Problem(
        "checksum",
        f"Checksum does not match: tensor {stored.label}, {entry.size} bytes at {entry.offset} of {path}: stored "
        f"{entry.crc:08x}, calculated {found:08x}",
        stored.label,
        path,
        entry.offset,
        entry.crc,
        found,
    )


def _check_objects(out: Survey, stored: Stored) -> None:
    """Strings and variants: their checksum is over more than the file's bytes."""
    entry, source = stored.entry, out.sources[stored.entry.shard]
    try:
        raw = source.read(entry.offset, entry.size)
        if entry.dtype == datatypes.string:
            crc = contents.decode_strings(raw, entry.num_elements, out.order)[1]
        else:
            crc = contents.decode_variants(raw, entry.num_elements)[1]
    except errors.OpError as e:
        stored.problem = Problem(
            "content", f"tensor {stored.label}: {e.message}", stored.label, source.path, entry.offset
        )
        return
    if crc != entry.crc:
        stored.problem = _mismatch(stored, source.path, crc)
