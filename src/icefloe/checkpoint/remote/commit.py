"""Saving a checkpoint to a place where nothing can be renamed: an object store.

The data files are uploaded first, under names that nothing there has: where a checkpoint of N data files is replaced by
one of N, there will be N + 1, the last of them empty. The index is put last, by one request: that is the commit. Then
the data files of the former checkpoint are deleted. So a reader finds the old index or the new one, and the data files
of either until the very end; one that still reads the old checkpoint then gets AbortedError and opens it again.

There are no locks. A save that meets another writer of its prefix ends with AbortedError: where one of its data files
has come to be there when its own is complete, and where the index is not the one that it began with when its own is to
be put. It then deletes what it uploaded itself, and what the other wrote stays. What is not noticed is another's
request between such a question and the request that follows it.
"""

from __future__ import annotations

import contextlib

from icefloe import errors
from icefloe.checkpoint import files, names
from icefloe.checkpoint.commit import Transaction, data_files, remove_other_shards
from icefloe.checkpoint.remote import files as remote


class RemoteTransaction(Transaction):
    """One save under the URL `prefix`. Raises: what the store says, with the URL."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.token = names.new_token()
        self.committed = False
        self._directory, base = names.split(prefix)
        if base in ("", ".", ".."):
            raise errors.InvalidArgumentError(f"{prefix!r} is a directory, not the prefix of a checkpoint")
        self._made: list[str] = []
        self._shards: dict[int, str] = {}
        self._open: dict[str, int] = {}
        self._complete: list[str] = []
        self._is_store = remote.is_object_store(prefix)
        self._seen: set[str] = set()  # files of ours that are to be seen before they are complete
        self._data = b""
        self._index_path = names.index_file(prefix)
        self._former = files.identity(self._index_path)
        self._taken = {part.count for _, part in data_files(prefix)}

    def count(self, wanted: int) -> int:
        while wanted in self._taken:
            wanted += 1
        return wanted

    def shard_path(self, shard: int, count: int) -> str:
        path = self._shards[shard] = names.data_file(self.prefix, shard, count)
        return path

    def _create(self, path: str) -> int:
        fd = super()._create(path)
        if not self._is_store and files.identity(path) is not None:
            self._seen.add(path)
        return fd

    def sync_shards(self) -> None:
        for path in self._shards.values():
            fd = self._open.pop(path, None)
            if fd is None:  # its maker has completed it
                self._complete.append(path)
                continue
            try:
                if path not in self._seen and files.identity(path) is not None:
                    raise self._met(path)
                files.sync(fd, path)
                self._complete.append(path)
            finally:
                files.close(fd)

    def write_index(self, data: bytes) -> None:
        self._data += data

    def commit(self, count: int) -> None:
        for shard in range(count):
            if shard not in self._shards:
                if files.identity(names.data_file(self.prefix, shard, count)) is not None:
                    raise self._met(names.data_file(self.prefix, shard, count))
                self.create_shard(shard, count)
        self.sync_shards()
        if files.identity(self._index_path) != self._former:
            raise self._met(self._index_path)
        remote.put(self._index_path, self._data)
        self.committed = True
        self._shards, self._complete = {}, []
        if self._taken:
            remove_other_shards(self.prefix, count)

    def _met(self, path: str) -> errors.AbortedError:
        return errors.AbortedError(
            "another writer saved under this prefix at the same time; this save is given up, and what the other wrote "
            "stays",
            path=path,
            hint="Let one process write, or give each a prefix of its own.",
        )

    def abandon(self) -> None:
        self._close()
        for path in self._complete:
            with contextlib.suppress(errors.OpError):
                files.remove(path)
