"""Saving a checkpoint to a place where nothing can be renamed: an object store.

The data files are uploaded first, under names that no checkpoint which is there has: where a checkpoint of N data
files is replaced by one of N, there will be N + 1, the last of them empty. The index is put last, by one request: that
is the commit. Then the data files of the former checkpoint are deleted. So a reader finds the old index or the new
one, and the data files of either until the very end; one that still reads the old checkpoint then gets AbortedError
and opens it again. Two writers of one prefix at a time are not kept apart.
"""

from __future__ import annotations

import contextlib

from icefloe import errors
from icefloe.checkpoint import files, names, remote
from icefloe.checkpoint.commit import Transaction, remove_other_shards
from icefloe.checkpoint.index import read_index


class RemoteTransaction(Transaction):
    """One save under the URL `prefix`. Raises: what the store says, with the URL."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.token = names.new_token()
        self.committed = False
        self._directory, base = names.split(prefix)
        if base in ("", ".", ".."):
            raise errors.InvalidArgumentError(f"{prefix!r} is a directory, not the prefix of a checkpoint")
        self._shards: dict[int, str] = {}
        self._open: dict[str, int] = {}
        self._data = b""
        self._former = _count_of(prefix)

    def count(self, wanted: int) -> int:
        return wanted + 1 if wanted == self._former else wanted

    def shard_path(self, shard: int, count: int) -> str:
        path = self._shards[shard] = names.data_file(self.prefix, shard, count)
        return path

    def write_index(self, data: bytes) -> None:
        self._data += data

    def commit(self, count: int) -> None:
        for shard in range(count):
            if shard not in self._shards:
                self.create_shard(shard, count)
        self.sync_shards()
        remote.put(names.index_file(self.prefix), self._data)
        self.committed = True
        self._shards = {}
        if self._former is not None:
            remove_other_shards(self.prefix, count)

    def abandon(self) -> None:
        self._close()
        for path in self._shards.values():
            with contextlib.suppress(errors.OpError):
                files.remove(path)


def _count_of(prefix: str) -> int | None:
    """Return how many data files the checkpoint that is there has; None where there is none that can be read."""
    try:
        source = files.Source(names.index_file(prefix))
    except errors.NotFoundError:
        return None
    try:
        return read_index(source).header.num_shards
    except errors.OpError:
        return None
    finally:
        source.close()
