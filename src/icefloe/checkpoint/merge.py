"""Makes one V2 checkpoint of several: the last step of a sharded save.

Data files are renamed, not copied; the index is written anew. Entries keep their bytes but for the number of the
shard: an input's data file gets the next free number when an entry of it first comes up, in the order of inputs and
keys.
Source: tensorflow/core/util/tensor_bundle/tensor_bundle.cc, MergeBundles.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from icefloe import errors
from icefloe.checkpoint import commit, files, names
from icefloe.checkpoint.commit import Location, begin
from icefloe.checkpoint.entries import Entry, Header, encode_entry
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.index import read_index, to_name
from icefloe.checkpoint.writer import encode_index


@dataclass(frozen=True, slots=True)
class _DataFile:
    """A data file of an input: where its index is, its number there, and of how many."""

    location: Location
    shard: int
    count: int

    def path(self) -> str:
        for path in self.location.shard_candidates(self.shard, self.count):
            if files.is_file(path):
                return path
        return self.location.shard_candidates(self.shard, self.count)[-1]


def merge_checkpoints(
    prefixes: Sequence[str | os.PathLike[str]],
    destination: str | os.PathLike[str],
    *,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
) -> None:
    """Make the checkpoint `destination` of those under `prefixes`, which are used up. Until it is complete, a former
    one stays.

    delete_old_dirs: remove the directories of the inputs when they are empty.   allow_missing_files: skip an input
    that does not exist.

    Raises: InvalidArgumentError if an input is missing, a name is in two of them, or they differ in version or byte
    order; DataLossError if an index is damaged; what the file system says.
    """
    target = os.fsdecode(destination)
    inputs = [os.fsdecode(p) for p in prefixes]
    files.make_directory(names.split(target)[0])
    merge = _Merge()
    found = [p for p in inputs if merge.add(p, allow_missing_files)]
    if not found:
        raise errors.InvalidArgumentError("At least one prefix checkpoint file must exist, but none existed.")
    _move(merge, target)
    for prefix in found:
        if prefix != target:
            commit.delete_checkpoint(prefix)
    if delete_old_dirs:
        for directory in dict.fromkeys(names.split(p)[0] for p in found):
            _remove_directory(directory, target)


class _Merge:
    """The index of the result as it grows."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.entries: dict[bytes, Entry] = {}
        self.serialized: dict[bytes, bytes] = {}
        self.shards: dict[_DataFile, int] = {}

    def add(self, prefix: str, allow_missing: bool) -> bool:
        """Take in the checkpoint `prefix`; return False if there is none and that is allowed."""
        location = commit.locate(prefix)
        if location is None:
            if allow_missing:
                return False
            raise errors.InvalidArgumentError(
                f"allow_missing_files was set to false and {prefix} did not exist.NOT_FOUND: {prefix} not found"
            )
        source = Source(location.index)
        try:
            index = read_index(source)
        finally:
            source.close()
        header = index.header
        if self.header is None:
            self.header = header
        elif (self.header.version, self.header.endianness) != (header.version, header.endianness):
            raise errors.InvalidArgumentError(
                "checkpoints to merge differ in version or byte order", path=location.index
            )
        else:
            self.header = replace(self.header, num_shards=self.header.num_shards + header.num_shards)
        for key, raw in index.raw_items():
            entry = Entry(to_name(key), raw)
            former = self.entries.get(key)
            if former is None:
                file = _DataFile(location, entry.shard, header.num_shards)
                self._put(key, entry, self.shards.setdefault(file, len(self.shards)))
            elif former.is_sliced and entry.is_sliced:
                merged = encode_entry(
                    former.dtype_number,
                    former.shape,
                    shard=former.shard,
                    masked_crc=former.masked_crc,
                    slices=former.slices + entry.slices,
                )
                self._put(key, Entry(to_name(key), merged), former.shard)
            else:
                raise errors.InvalidArgumentError(
                    f"Duplicate tensor keyed by {to_name(key)} encountered, when merging prefix: {prefix}"
                )
        return True

    def _put(self, key: bytes, entry: Entry, shard: int) -> None:
        self.serialized[key] = encode_entry(
            entry.dtype_number,
            entry.shape,
            shard=shard,
            offset=entry.offset,
            size=entry.size,
            masked_crc=entry.masked_crc,
            slices=entry.slices,
        )
        self.entries[key] = Entry(entry.name, self.serialized[key])


def _move(merge: _Merge, target: str) -> None:
    """Rename the data files and write the index, as one save under `target`."""
    assert merge.header is not None
    # An input without tensors has a data file that no entry names; the others are numbered as the header counts them.
    transaction = begin(target)
    count = transaction.count(max(merge.header.num_shards, len(merge.shards)))
    moved: list[tuple[str, str]] = []
    try:
        for file, shard in merge.shards.items():
            source, temporary = file.path(), transaction.shard_path(shard, count)
            files.rename(source, temporary)
            moved.append((temporary, source))
        transaction.write_index(encode_index(replace(merge.header, num_shards=count), merge.serialized))
        transaction.commit(count)
    except BaseException:
        if not transaction.committed:
            for temporary, source in moved:
                with contextlib.suppress(errors.OpError):
                    files.rename(temporary, source)
        transaction.abandon()
        raise


def remove_unmerged(prefix: str) -> None:
    """Remove the shards of a sharded save under `prefix` that failed, as far as the file system lets us; a save that
    is under way in another process keeps its own.
    """
    directory = f"{prefix}_temp"
    if files.is_directory(directory):
        _remove_directory(directory, prefix)


def _remove_directory(directory: str, target: str) -> None:
    if directory == names.split(target)[0]:
        return
    if directory == f"{target}_temp":
        # A Saver's temporary directory of this checkpoint alone: what is left in it is of saves that died.
        for name in files.list_directory(directory):
            part = names.parse(name)
            path = os.path.join(directory, name)
            if part is not None and (part.kind != "index" or not part.is_temporary or files.is_abandoned(path)):
                with contextlib.suppress(errors.OpError):
                    files.remove(path)
    with contextlib.suppress(errors.OpError):  # not empty: it holds something else
        files.remove_directory(directory)
