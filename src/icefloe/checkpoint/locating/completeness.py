"""Whether all of a checkpoint is there: told by its index and the sizes of its files, without reading data."""

from __future__ import annotations

from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint import commit, files, names
from icefloe.checkpoint.entries import Entry
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.index import read_index, to_name
from icefloe.checkpoint.locating.sniff import sniff

# The sizes of data files are held against the index where it is no larger; else only that the files are there.
_MAX_INDEX = 64 << 20
_MAX_SHARDS = 99999


@dataclass(frozen=True, slots=True)
class Gap:
    """What keeps a checkpoint from being complete. damaged: files may be all there, but the index cannot be read."""

    reason: str
    damaged: bool = False


def gap_in(prefix: str) -> Gap | None:
    """Return what is missing of the V2 or V1 checkpoint `prefix`, or None if it is complete.

    Checksums of data are not looked at.
    """
    location = commit.locate(prefix)
    if location is not None:
        return _gap_in_v2(location)
    return _gap_in_v1(prefix)


def _gap_in_v2(location: commit.Location) -> Gap | None:
    try:
        source = Source(location.index)
        try:
            index = read_index(source)
            is_small = source.size <= _MAX_INDEX
        finally:
            source.close()
    except errors.NotFoundError:
        return Gap(f"{location.index} has vanished")
    except errors.OpError as e:
        return Gap(_named(location.index) or e.message, damaged=True)
    count = index.header.num_shards
    needed = dict.fromkeys(range(min(count, _MAX_SHARDS)), 0)
    if is_small:
        try:
            for key, raw in index.raw_items():
                entry = Entry(to_name(key), raw)
                if not entry.is_sliced and entry.size:
                    needed[entry.shard] = max(needed.get(entry.shard, 0), entry.offset + entry.size)
        except errors.OpError as e:
            return Gap(e.message, damaged=True)
    for shard, size in needed.items():
        found = None
        for path in location.shard_candidates(shard, count):
            found = files.identity(path)
            if found is not None:
                break
        path = location.shard_candidates(shard, count)[-1]
        if found is None:
            if size or shard == 0:
                return Gap(f"{path} is missing")
        elif found.size < size:
            return Gap(f"{path} has {found.size} bytes of {size}")
    return None


def _named(path: str) -> str | None:
    """Return what a file is, where it is no index and no damaged one."""
    try:
        finding = sniff(path)
    except errors.OpError:  # it has gone meanwhile
        return None
    if finding.kind in ("v2_index", "v1", "unknown", "sstable"):
        return None
    return f"{path} is {finding.description}"


def _gap_in_v1(prefix: str) -> Gap | None:
    from icefloe.checkpoint.state_file import v1_files

    found = v1_files(prefix)
    if not found:
        return Gap("it is not there")
    pattern = names.parse_v1_shard(prefix)
    if pattern is not None and pattern[1] is None:
        shard = names.parse_v1_shard(found[0])
        count = 0 if shard is None or shard[2] is None else shard[2]
        if len(found) != count:
            return Gap(f"{len(found)} of {count} shards of {prefix} are there")
    for path in found:
        try:
            kind = sniff(path)
        except errors.OpError as e:
            return Gap(e.message)
        if kind.kind != "v1":
            return Gap(f"{path} is {kind.description}")
    return None
