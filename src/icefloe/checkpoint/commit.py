"""Saving a checkpoint so that a reader finds the old one or the new one, whole, wherever a save stops.

A save with token T, for prefix P and N shards:

    1. write P.index.tmp-T (empty, locked as long as the writer lives) and each P.data-S-of-N.tmp-T; wait until they
       are on the disk
    2. rename P.index.tmp-T to P.index.commit-T and sync the directory: this is the commit
    3. rename each P.data-S-of-N.tmp-T to P.data-S-of-N, then P.index.commit-T to P.index
    4. remove the shards of another count that the former checkpoint had

Whoever finds P.index.commit-T takes it for the index, and each shard under its .tmp-T name where that still exists.
The next save under P first does what is left of steps 3 and 4 for a writer that died after its commit, and removes
the .tmp files of one that died before. Step 2 to 4 hold the lock of the directory, so that two writers do not rename
at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint import directories, files, names


@dataclass(frozen=True, slots=True)
class Location:
    """Where the index of a checkpoint is; `token` is that of its save if its files are not all renamed yet."""

    prefix: str
    index: str
    token: str | None

    def shard_candidates(self, shard: int, count: int) -> list[str]:
        """Return the paths where a shard may be, in the order in which to look."""
        final = names.data_file(self.prefix, shard, count)
        return [final] if self.token is None else [names.temporary(final, self.token), final]


def _parts(prefix: str) -> Iterator[tuple[str, names.Part]]:
    """Yield `(path, what its name says)` of the files of `prefix` in its directory."""
    directory, base = names.split(prefix)
    for name in files.list_directory(directory):
        if name.startswith(base):
            part = names.parse(name)
            if part is not None and part.prefix == base:
                yield os.path.join(directory, name), part


def locate(prefix: str) -> Location | None:
    """Return where the index of the checkpoint `prefix` is, or None if there is none."""
    if not files.is_url(prefix):  # nothing is renamed there, and a listing is not needed
        committed = [
            (files.modified_ns(path) or 0, path, part.token) for path, part in _parts(prefix) if part.kind == "commit"
        ]
        if committed:
            _, path, token = max(committed)
            return Location(prefix, path, token)
    path = names.index_file(prefix)
    return Location(prefix, path, None) if files.is_file(path) else None


def _roll_forward(prefix: str) -> None:
    """Finish, oldest first, the renaming of every save under `prefix` that committed. The directory is locked."""
    found = list(_parts(prefix))
    commits = sorted(
        (files.modified_ns(path) or 0, path, part.token or "") for path, part in found if part.kind == "commit"
    )
    for _, commit_path, token in commits:
        counts = set()
        for path, part in found:
            if part.kind == "data" and part.token == token:
                _into_place(path, names.data_file(prefix, part.shard, part.count))
                counts.add(part.count)
        _into_place(commit_path, names.index_file(prefix))
        # Where no shard was left to rename, the number of shards is in the index; the files of another count stay
        # for the save that asks.
        if len(counts) == 1:
            remove_other_shards(prefix, counts.pop())


def _into_place(source: str, target: str) -> None:
    """Rename a file of a save that committed. Where the file system replaces none, the former file goes first: no
    reader asks for it any more.
    """
    try:
        files.rename(source, target)
    except errors.OpError as e:
        if not files.refuses_to_replace(e, target):
            raise
        files.remove(target)
        files.rename(source, target)


def data_files(prefix: str) -> list[tuple[str, names.Part]]:
    """Return `(path, what its name says)` of the data files of `prefix`, of any number; not those being written."""
    return [(path, part) for path, part in _parts(prefix) if part.kind == "data" and part.token is None]


def remove_other_shards(prefix: str, count: int) -> None:
    """Remove the data files of `prefix` that are not of `count`, as far as the file system lets us."""
    for path, part in data_files(prefix):
        if part.count != count:
            # The new checkpoint is complete without this; a directory that forbids it must not make the save fail.
            with contextlib.suppress(errors.OpError):
                files.remove(path)


def recover(prefix: str) -> None:
    """Finish what saves under `prefix` that died left undone, and remove what they left behind. The directory is
    locked.
    """
    _roll_forward(prefix)
    found = [(path, part) for path, part in _parts(prefix) if part.is_temporary]
    alive = {part.token for path, part in found if part.kind == "index" and not files.is_abandoned(path)}
    for path, part in found:
        if part.token not in alive:
            with contextlib.suppress(errors.OpError):
                files.remove(path)


class Transaction:
    """One save under `prefix`: makes temporary files, and at `commit` the checkpoint, or nothing.

    Raises: what the file system says, with the path, if the directory cannot be made or written.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.token = names.new_token()
        self.committed = False
        self._directory, base = names.split(prefix)
        if base in ("", ".", ".."):
            raise errors.InvalidArgumentError(f"{prefix!r} is a directory, not the prefix of a checkpoint")
        self._made = directories.make_missing(self._directory)
        self._shards: dict[int, str] = {}
        self._open: dict[str, int] = {}
        self._index_path = names.temporary(names.index_file(prefix), self.token)
        # Under the lock of the directory nobody takes the new file for a dead writer's before it is locked itself.
        with files.directory_lock(self._directory):
            recover(prefix)
            self._index = self._create(self._index_path)
            files.lock(self._index)

    def count(self, wanted: int) -> int:
        """Return how many data files to make where `wanted` are: as many, or one more at a place where nothing can
        be renamed. Those beyond `wanted` need not be created.
        """
        return wanted

    def _create(self, path: str) -> int:
        fd = self._open[path] = files.create(path)
        return fd

    def shard_path(self, shard: int, count: int) -> str:
        """Return the temporary path of a data file, which `commit` will rename. The caller makes the file, or
        `create_shard` does.
        """
        path = names.temporary(names.data_file(self.prefix, shard, count), self.token)
        self._shards[shard] = path
        return path

    def create_shard(self, shard: int, count: int) -> tuple[int, str]:
        """Make a data file; return its descriptor, which the transaction closes, and its path."""
        path = self.shard_path(shard, count)
        return self._create(path), path

    def sync_shards(self) -> None:
        """Wait until the data files are on the disk, and close them."""
        for path in self._shards.values():
            fd = self._open.pop(path, None)
            if fd is None:
                files.sync_file(path)
                continue
            try:
                files.sync(fd, path)
            finally:
                files.close(fd)

    def write_index(self, data: bytes) -> None:
        files.write(self._index, data, self._index_path)

    def commit(self, count: int) -> None:
        """Make the checkpoint the one that readers find; `count` is the number of its shards, all of them written.

        Raises: what the file system says. After a failure `abandon` removes the temporary files, or, where the
        commit was done already, leaves them for the next save to rename.
        """
        self.sync_shards()
        files.sync(self._index, self._index_path)
        old: list[int] = []
        try:
            with files.directory_lock(self._directory):
                self._rename(count, old)
        finally:
            files.let_go(old)
        self._close()

    def _rename(self, count: int, old: list[int]) -> None:
        """The commit and what follows it. `old` gets descriptors of files that are replaced."""
        _roll_forward(self.prefix)
        for path in (names.index_file(self.prefix), *(names.data_file(self.prefix, i, count) for i in self._shards)):
            if files.is_directory(path):  # found out after the commit, half of the files would have been renamed
                raise files.os_error(IsADirectoryError(errno.EISDIR, ""), path)
        old += [fd for path, _ in data_files(self.prefix) if (fd := files.hold(path)) is not None]
        committed = names.commit_file(self.prefix, self.token)
        files.rename(self._index_path, committed)
        self.committed = True
        self._shards, shards = {}, self._shards
        files.sync_directory(self._directory)
        for shard, path in shards.items():
            _into_place(path, names.data_file(self.prefix, shard, count))
        _into_place(committed, names.index_file(self.prefix))
        files.sync_directory(self._directory)
        remove_other_shards(self.prefix, count)

    def _close(self) -> None:
        while self._open:
            files.close(self._open.popitem()[1])

    def abandon(self) -> None:
        """Remove the temporary files, as far as the file system lets us, and directories that were made for them; the
        former checkpoint stays.
        """
        for path in (*self._shards.values(), self._index_path):
            with contextlib.suppress(errors.OpError):
                files.remove(path)
        self._close()
        directories.remove_empty(self._made)


def begin(prefix: str) -> Transaction:
    """Return a save under `prefix`, a path or a URL. Raises: as `Transaction`."""
    if not files.is_url(prefix):
        return Transaction(prefix)
    from icefloe.checkpoint.remote.commit import RemoteTransaction

    return RemoteTransaction(prefix)


def checkpoint_files(prefix: str) -> list[str]:
    """Return the paths of the index and data files of a V2 checkpoint, index first; not those of a save under way."""
    found = [(path, part) for path, part in _parts(prefix) if part.kind in ("index", "data") and part.token is None]
    return [path for path, _ in sorted(found, key=lambda item: (item[1].kind == "data", item[0]))]


def delete_checkpoint(prefix: str) -> None:
    """Delete the index and data files of a V2 checkpoint, in the order of a save that is taken back, so that wherever
    it stops, a reader finds the whole checkpoint or none, and what is left is known for what it is.

    The index becomes P.index.commit-T, then each data file P.data-S-of-N.tmp-T: as of a save whose files are not all
    renamed. Then the index becomes P.index.tmp-T: now all are files of a save that died, which the next save, or
    `clean`, removes where this does not come to it.

    What dead saves left under the prefix goes too. Nothing happens where there is no such checkpoint. At a URL, where
    nothing is renamed, the index goes first.
    """
    directory, _ = names.split(prefix)
    if files.is_url(prefix):
        for path in checkpoint_files(prefix):
            files.remove(path)
        return
    if not files.is_directory(directory or "."):
        return
    old: list[int] = []
    try:
        with files.directory_lock(directory):
            recover(prefix)
            found = checkpoint_files(prefix)
            old += [fd for path in found if (fd := files.hold(path)) is not None]
            for path in _put_aside(prefix, found):
                files.remove(path)
    finally:
        files.let_go(old)


def _put_aside(prefix: str, found: list[str]) -> list[str]:
    """Rename the files of a checkpoint to those of a save that died; return them in the order in which to remove them.
    Where the file system renames nothing they keep their names.
    """
    index = names.index_file(prefix)
    if index not in found:
        return found
    token = names.new_token()
    committed, dead = names.commit_file(prefix, token), names.temporary(index, token)
    try:
        files.rename(index, committed)
    except errors.OpError:
        return found
    aside = []
    for path in found:
        if path != index:
            aside.append(names.temporary(path, token))
            files.rename(path, aside[-1])
    files.rename(committed, dead)
    return [*aside, dead]
