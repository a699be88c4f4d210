"""Verifies a checkpoint: every block of the index, every checksum, every length; and says what has happened to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint import commit, names
from icefloe.checkpoint.arguments import check_progress
from icefloe.checkpoint.checking import diagnosis
from icefloe.checkpoint.checking.findings import FileCheck, Problem, Verification
from icefloe.checkpoint.checking.index_scan import IndexScan, scan_index
from icefloe.checkpoint.checking.leftovers import leftovers_of
from icefloe.checkpoint.checking.sums import Progress
from icefloe.checkpoint.checking.survey import Stored, Survey, survey
from icefloe.checkpoint.checking.verify_v1 import looks_like_v1, verify_v1
from icefloe.checkpoint.files import Source, identity, is_file, list_directory, path_of
from icefloe.checkpoint.locating.resolve import Target, resolve
from icefloe.checkpoint.locating.sniff import sniff
from icefloe.checkpoint.opening import open_checkpoint

_MAX_SHARDS = 99999
_MAX_NAMED = 20


def verify(path: str | os.PathLike[str], *, progress: Progress | None = None) -> Verification:
    """Check everything that a checkpoint says of itself, and return what holds and what does not.

        verify("dir/model.ckpt-30").ok

    Of a V2 checkpoint: the blocks of the index and its footer, each entry, that all data files are there and as long as
    they must be, that tensors neither overlap nor leave gaps, and the checksum of each tensor. Of a V1 checkpoint: the
    blocks with their checksums and each record. Of other files: that each tensor can be read.

    path: as `open_checkpoint` takes it.   progress: called with bytes done.

    Raises: NotFoundError if there is no checkpoint, InvalidArgumentError if `path` is something else. Damage is no
    error: it is in the answer.
    """
    check_progress(progress)
    target = target_of(path)
    if target.v1_files:
        return verify_v1(target.prefix, target.v1_files, progress=progress)
    if commit.locate(target.prefix) is None:
        return _verify_readable(path)
    # A save that takes the prefix meanwhile looks like damage: then look again.
    for _ in range(3):
        found, replaced = _verify_v2(target.prefix, progress)
        if found.ok or not replaced:
            break
    return found


def target_of(path: str | os.PathLike[str]) -> Target:
    """Return the checkpoint that `path` stands for, also where it is a V1 file so damaged that it is known as such by
    its beginning only. Raises: as `resolve`.
    """
    try:
        return resolve(path)
    except (errors.InvalidArgumentError, errors.DataLossError):
        text = path_of(path)
        if is_file(text) and (sniff(text).kind == "sstable" or looks_like_v1(text)):
            return Target(text, (text,))
        raise


@dataclass(slots=True)
class Opened:
    """A V2 checkpoint with all that is there of it: the scan of its index and its open data files, and how many there
    should be.
    """

    index: Source
    scan: IndexScan
    sources: Mapping[int, Source]
    paths: Mapping[int, str]
    count: int


@contextmanager
def opened(prefix: str) -> Iterator[Opened]:
    """Open a V2 checkpoint as far as it is there, to be used in a `with` block.

    Raises: NotFoundError if there is no index, and the system's errors.
    """
    location = commit.locate(prefix)
    if location is None:
        raise errors.NotFoundError(f"there is no index {names.index_file(prefix)}")
    index = Source(location.index)
    sources: dict[int, Source] = {}
    try:
        scan = scan_index(index)
        count = scan.header.num_shards if scan.header is not None else _count_on_disk(prefix)
        if count > _MAX_SHARDS:
            raise errors.DataLossError(f"the header says that there are {count} shards", path=location.index)
        paths = {}
        for shard in range(count):
            candidates = location.shard_candidates(shard, count)
            paths[shard] = candidates[-1]
            for path in candidates:
                try:
                    sources[shard] = Source(path)
                except errors.NotFoundError:
                    continue
                paths[shard] = path
                break
        yield Opened(index, scan, sources, paths, count)
    finally:
        for source in (index, *sources.values()):
            source.close()


def _count_on_disk(prefix: str) -> int:
    """Return of how many shards the data files under a prefix are; 1 where there are none."""
    directory, base = names.split(prefix)
    counts = [
        part.count
        for name in list_directory(directory)
        if name.startswith(base) and (part := names.parse(name)) and part.kind == "data" and part.prefix == base
    ]
    return max(counts, key=counts.count, default=1)


def _verify_v2(prefix: str, progress: Progress | None) -> tuple[Verification, bool]:
    """Return the answer, and whether another save has taken the prefix meanwhile."""
    out = Verification(prefix, "V2")
    with opened(prefix) as found:
        scan = found.scan
        out.blocks = scan.blocks
        out.problems += _index_problems(found)
        out.diagnoses += diagnosis.diagnose_index(bool(scan.damage), found.index, scan.undone)
        if scan.header is None and not scan.records and not scan.doubtful:
            looked = Survey(scan, found.sources, found.count)
        else:
            looked = survey(scan, found.sources, found.count, paths=found.paths, progress=progress)
        _report(out, found, looked)
        if scan.damage and scan.doubtful:
            out.notes.append(
                f"{len(scan.doubtful)} entries can be made out in damaged blocks of the index: `rescue --salvage` "
                "tries them against the data"
            )
        out.notes += leftovers_of(prefix)
        location = commit.locate(prefix)
        replaced = location is None or identity(location.index) != found.index.identity
    return out, replaced


def _index_problems(found: Opened) -> list[Problem]:
    scan, path = found.scan, found.index.path
    if scan.undone:
        return [Problem("index", f"{path}: CR LF stands in place of each LF", path=path)]
    if scan.refusal is not None:
        return [Problem("index", f"{path}: {scan.refusal}", path=path)]
    return [
        Problem("index", f"{path}: at byte {d.offset}: {d.reason}", path=path, offset=d.offset) for d in scan.damage
    ]


def _report(out: Verification, found: Opened, looked: Survey) -> None:
    damaged = looked.damaged()
    out.damaged = [name for name in looked.names() if name in damaged]
    out.intact = [name for name in looked.names() if name not in damaged]
    out.problems += looked.problems
    out.notes += looked.notes[:_MAX_NAMED]
    out.bytes_checked = looked.bytes_checked
    out.files.append(FileCheck(found.index.path, found.index.size, None, len(looked.names())))
    by_shard: dict[int, list[Stored]] = {}
    for one in looked.stored:
        by_shard.setdefault(one.entry.shard, []).append(one)
    for shard in range(found.count):
        stored = by_shard.get(shard, [])
        needed = max((s.entry.offset + s.entry.size for s in stored), default=0)
        source = looked.sources.get(shard)
        size = None if source is None else source.size
        out.files.append(FileCheck(found.paths[shard], size, needed, len(stored)))
        if source is not None:
            out.diagnoses += diagnosis.diagnose_shard(looked, shard, source, stored)
        elif stored:
            out.diagnoses += diagnosis.diagnose_missing(found.paths[shard])


def _verify_readable(path: str | os.PathLike[str]) -> Verification:
    """Read everything in a file of another format."""
    with open_checkpoint(path) as reader:
        out = Verification(reader.prefix, reader.format)
        for name in reader.entries:
            try:
                size = sum(window.nbytes for window in reader.stream(name))
            except errors.OpError as e:
                out.damaged.append(name)
                out.problems.append(Problem("content", diagnosis.describe_failure(e), name, e.path, e.offset))
            else:
                out.intact.append(name)
                out.bytes_checked += size
        out.notes += [f"{name}: {reason}" for name, reason in reader.left_out.items()]
        if is_file(reader.prefix) and (found := identity(reader.prefix)) is not None:
            out.files.append(FileCheck(reader.prefix, found.size, None, len(reader.entries)))
    return out
