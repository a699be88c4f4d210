"""Rescues what is whole in a damaged checkpoint into a new one, and fills the rest from another where there is one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from icefloe import errors
from icefloe.checkpoint import commit, files, names
from icefloe.checkpoint.arguments import check_progress
from icefloe.checkpoint.checking import diagnosis
from icefloe.checkpoint.checking.rescue_writer import RescueWriter
from icefloe.checkpoint.checking.sums import Progress
from icefloe.checkpoint.checking.survey import Stored, Survey, survey
from icefloe.checkpoint.checking.verify import Opened, opened, target_of
from icefloe.checkpoint.checking.verify_v1 import LenientV1Reader
from icefloe.checkpoint.entries import LITTLE, Entry, Header
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.index import to_key
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reading import CheckpointReader

OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


@dataclass(slots=True)
class Rescue:
    """The answer of `rescue`.

    kept: names of tensors that were whole.   filled: those, or slices of them, that are the other checkpoint's.
    lost: name -> why it is not in the result.   bytes: of tensor data in the result.
    notes: what was undone or guessed.
    """

    source: str
    destination: str
    kept: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    bytes: int = 0
    notes: list[str] = field(default_factory=list)


def rescue(
    source: str | os.PathLike[str],
    destination: str | os.PathLike[str],
    *,
    fill_from: str | os.PathLike[str] | None = None,
    salvage: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Rescue:
    """Write a checkpoint, V2 in one data file, of all tensors of `source` whose checksums hold; return what was kept.

        rescue("bad.ckpt", "good.ckpt", fill_from="older.ckpt").lost

    An index that is damaged is taken as far as its blocks are whole; a file that went through a transfer in text mode
    is read without the CRs that it added. The source stays as it is.

    fill_from: a checkpoint whose tensors, of the same dtype and shape, take the places of damaged ones; where a part of
    the index is lost, what only it has is taken too.   salvage: try entries of damaged blocks of the index: those
    whose checksum holds for the data are right but for, perhaps, the spelling of their names.
    overwrite: replace a checkpoint that is at `destination`.   progress: called with bytes done.

    Raises: NotFoundError if there is no checkpoint; AlreadyExistsError, InvalidArgumentError for a destination that
    must not be written; DataLossError if nothing could be rescued. Then nothing is written.
    """
    check_progress(progress)
    target = target_of(source)
    prefix = files.path_of(destination)
    with contextlib.ExitStack() as stack:
        other = None if fill_from is None else stack.enter_context(open_checkpoint(fill_from))
        _check_destination(prefix, [target.prefix, *([] if other is None else [other.prefix])], overwrite)
        out = Rescue(target.prefix, prefix)
        if target.v1_files or commit.locate(target.prefix) is None:
            if target.v1_files:
                reader: CheckpointReader
            if target.v1_files:
                reader = stack.enter_context(LenientV1Reader(target.prefix, target.v1_files))
            else:
                reader = stack.enter_context(open_checkpoint(source))
            work = _Work(out, other, RescueWriter(prefix, Header(1), progress))
            _write(work, lambda: _take_values(work, reader))
            return out
        found = stack.enter_context(opened(target.prefix))
        looked = stack.enter_context(_looked(found, prefix, out, salvage, progress))
        endianness = LITTLE if found.scan.header is None else found.scan.header.endianness
        work = _Work(out, other, RescueWriter(prefix, Header(1, endianness), progress))
        _write(work, lambda: _take_stored(work, looked))
    return out


@dataclass(slots=True)
class _Work:
    """A rescue under way."""

    report: Rescue
    other: CheckpointReader | None
    writer: RescueWriter


def _write(work: _Work, take: Callable[[], None]) -> None:
    try:
        take()
        report = work.report
        if not report.kept and not report.filled:
            reason = next(iter(report.lost.values()), "nothing in its index can be read")
            raise errors.DataLossError(f"no tensor could be rescued: {reason}", path=report.source)
        if OBJECT_GRAPH in (*report.kept, *report.filled) and report.lost:
            report.notes.append("the object graph still names the tensors that are lost")
        report.bytes = work.writer.size
        work.writer.finish()
    except BaseException:
        work.writer.abandon()
        raise


def _check_destination(prefix: str, sources: list[str], overwrite: bool) -> None:
    for taken in sources:
        is_same = taken == prefix or (not files.is_url(taken) and os.path.realpath(taken) == os.path.realpath(prefix))
        if is_same:
            raise errors.InvalidArgumentError(
                f"{prefix} is read: a rescue never writes over what it reads", hint="Choose another destination."
            )
    if commit.locate(prefix) is not None and not overwrite:
        raise errors.AlreadyExistsError(f"there is a checkpoint {prefix} already")


@contextlib.contextmanager
def _looked(found: Opened, destination: str, out: Rescue, salvage: bool, progress: Progress | None) -> Iterator[Survey]:
    """Give the survey of a checkpoint, text-mode transfers undone."""
    scan = found.scan
    if scan.refusal is not None:
        raise errors.InvalidArgumentError(scan.refusal, path=found.index.path)
    if scan.undone:
        out.notes.append(f"{found.index.path}: read without the CRs that a transfer in text mode added")
    looked = survey(scan, found.sources, found.count, paths=found.paths, doubtful=salvage, progress=progress)
    if scan.damage:
        out.notes.append(
            f"{found.index.path}: {len(scan.damage)} parts are damaged; "
            f"{len(looked.names())} tensors are named in the rest"
        )
    converted = _converted(looked)
    with contextlib.ExitStack() as stack:
        if converted:
            sources = dict(found.sources)
            for shard in converted:
                out.notes.append(f"{sources[shard].path}: read without the CRs that a transfer in text mode added")
                sources[shard] = stack.enter_context(_without_returns(sources[shard], destination))
            looked = survey(scan, sources, found.count, paths=found.paths, doubtful=salvage, progress=progress)
        yield looked


def _converted(looked: Survey) -> list[int]:
    """Return the shards that went through a transfer in text mode."""
    out = []
    for shard, source in looked.sources.items():
        stored = [s for s in looked.stored if s.entry.shard == shard and s.entry.size]
        if any(s.problem is not None for s in stored):
            needed = max(s.entry.offset + s.entry.size for s in stored)
            if diagnosis.is_converted(diagnosis.line_ends(source), source.size, needed):
                out.append(shard)
    return out


@contextlib.contextmanager
def _without_returns(source: Source, destination: str) -> Iterator[Source]:
    """Give a copy of a file in which each CR LF is LF, beside `destination`; its name goes at once."""
    files.make_directory(names.split(destination)[0])
    path = names.temporary(f"{destination}.rescue", names.new_token())
    fd = files.create(path)
    files.lock(fd)
    try:
        try:
            rest = b""
            for window in diagnosis.windows(source):
                data = rest + window
                rest = b"\r" if data.endswith(b"\r") else b""
                files.write(fd, data[: len(data) - len(rest)].replace(b"\r\n", b"\n"), path)
            files.write(fd, rest, path)
        finally:
            files.close(fd)
        copy = Source(path)
    finally:
        files.remove(path)
    try:
        yield copy
    finally:
        copy.close()


def _take_stored(work: _Work, looked: Survey) -> None:
    """Copy what is whole, in the order of the data files; fill what is not."""
    pieces: dict[str, list[Stored]] = {}
    for stored in sorted(looked.stored, key=lambda s: (s.entry.shard, s.entry.offset)):
        pieces.setdefault(stored.name, []).append(stored)
    salvaged = 0
    for name, found in pieces.items():
        if found[0].doubtful:
            if any(s.problem is not None for s in found):
                continue  # not one byte of it says that there was such a tensor
            salvaged += 1
        if name in looked.broken:
            _fill(work, name, looked.broken[name].message, found[0].entry if found[0].part is None else None)
        elif name in looked.parents:
            _take_slices(work, looked, name, found)
        elif found[0].problem is None:
            work.writer.copy(found[0].label, to_key(name), found[0].entry, looked.sources[found[0].entry.shard])
            work.report.kept.append(name)
        else:
            _fill(work, name, found[0].problem.message, found[0].entry)
    for name in looked.broken.keys() - pieces.keys():
        _fill(work, name, looked.broken[name].message, None)
    if salvaged:
        work.report.notes.append(
            f"{salvaged} tensors were named in damaged blocks of the index: the spelling of their names may be wrong"
        )
    if looked.scan.damage and work.other is not None:
        known = {*work.report.kept, *work.report.filled, *work.report.lost}
        for name in work.other.entries:
            if name not in known:
                _fill(work, name, "its entry is lost with a part of the index", None)


def _take_slices(work: _Work, looked: Survey, name: str, found: list[Stored]) -> None:
    """Copy the slices of a partitioned tensor; damaged ones are filled, or all is lost."""
    parent = looked.parents[name]
    bad = [s for s in found if s.problem is not None]
    reason = bad[0].problem.message if bad and bad[0].problem else ""
    if bad and not _fits(work, name, parent, reason):
        return
    for stored in found:
        assert stored.part is not None
        if stored.problem is None:
            work.writer.copy_slice(name, stored.part, stored.entry, looked.sources[stored.entry.shard])
            continue
        assert work.other is not None
        try:
            value = work.other.read_slice(name, stored.part)
        except errors.OpError as e:
            work.writer.drop(name)
            work.report.lost[name] = f"{reason}; the other checkpoint: {e.message}"
            return
        work.writer.add_slice(name, stored.part, stored.entry, value)
    work.writer.finish_slices(name, parent)
    (work.report.filled if bad else work.report.kept).append(name)


def _fits(work: _Work, name: str, entry: Entry | None, reason: str) -> bool:
    """Whether the other checkpoint has such a tensor of the same dtype and shape; if not, it is lost."""
    other, lost = work.other, work.report.lost
    if other is None or name not in other.entries:
        lost[name] = reason if other is None else f"{reason}; the other checkpoint has no such tensor"
        return False
    theirs = other.entries[name]
    try:
        if entry is not None:
            wanted = (entry.dtype_number, entry.shape)
            if wanted != (theirs.dtype_number, theirs.shape):
                lost[name] = f"{reason}; the other checkpoint has it as {theirs.dtype.name} {list(theirs.shape)}"
                return False
    except errors.OpError as e:
        lost[name] = f"{reason}; {e.message}"
        return False
    return True


def _fill(work: _Work, name: str, reason: str, entry: Entry | None) -> None:
    """Take a tensor from the other checkpoint, or say that it is lost."""
    if not _fits(work, name, entry, reason):
        return
    assert work.other is not None
    try:
        for _ in work.other.stream(name):  # its checksum first: what is written cannot be taken back
            pass
        work.writer.add(name, work.other)
    except errors.OpError as e:
        work.report.lost[name] = f"{reason}; the other checkpoint: {e.message}"
    else:
        work.report.filled.append(name)


def _take_values(work: _Work, reader: CheckpointReader) -> None:
    """Take every tensor that can be read, of a file that is no V2 checkpoint."""
    for name in reader.entries:
        try:
            for _ in reader.stream(name):
                pass
            work.writer.add(name, reader)
        except errors.OpError as e:
            _fill(work, name, e.message, reader.entries[name])
        else:
            work.report.kept.append(name)
