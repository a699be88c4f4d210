"""Writing one file so that a reader finds the old one or the whole new one."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator

from icefloe import errors
from icefloe.checkpoint import files, names


@contextlib.contextmanager
def new_file(path: str) -> Iterator[Callable[[bytes | memoryview], None]]:
    """Give a function that appends bytes; when the block ends without exception, what was written is the file at
    `path`.

    What writers of the same path that died left behind is removed. Raises: what the file system says, with the path.
    """
    if files.is_url(path):
        with _uploading(path) as write:
            yield write
        return
    with _replacing(path) as (fd, temporary):
        yield lambda data: files.write(fd, data, temporary)


@contextlib.contextmanager
def new_path(path: str) -> Iterator[str]:
    """As `new_file`, for a library that opens the file itself: give the path of an empty file to write."""
    if files.is_url(path):
        import tempfile

        with tempfile.TemporaryDirectory() as folder, _uploading(path) as write:
            local = os.path.join(folder, os.path.basename(path) or "file")
            yield local
            source = files.Source(local)
            for start in range(0, source.size, source.window):
                write(source.read(start, min(source.window, source.size - start)))
            source.close()
        return
    with _replacing(path) as (_, temporary):
        try:
            yield temporary
        except OSError as e:
            raise files.os_error(e, path) from None


@contextlib.contextmanager
def _uploading(url: str) -> Iterator[Callable[[bytes | memoryview], None]]:
    """Upload a file, which appears when the block ends without exception. A small one goes by a single request."""
    fd = files.create(url)
    try:
        yield lambda data: files.write(fd, data, url)
        files.sync(fd, url)
    finally:
        files.close(fd)


@contextlib.contextmanager
def _replacing(path: str) -> Iterator[tuple[int, str]]:
    directory, base = os.path.split(path)
    temporary = names.temporary(path, names.new_token())
    # Under the lock of the directory nobody takes the new file for a dead writer's before it is locked itself.
    with files.directory_lock(directory):
        _remove_dead(directory, base)
        fd = files.create(temporary)
        files.lock(fd)
    try:
        try:
            yield fd, temporary
            files.sync(fd, temporary)
            _take_name(temporary, path)
        finally:
            files.close(fd)
    except BaseException:
        with contextlib.suppress(errors.OpError):
            files.remove(temporary)
        raise
    files.sync_directory(directory)


def _take_name(temporary: str, path: str) -> None:
    """Rename the new file. Where the file system replaces none, the former file is put aside for that moment."""
    try:
        files.rename(temporary, path)
    except errors.OpError as e:
        if not files.refuses_to_replace(e, path):
            raise
        aside = names.temporary(path, names.new_token())
        files.rename(path, aside)
        try:
            files.rename(temporary, path)
        except errors.OpError:
            files.rename(aside, path)
            raise
        files.remove(aside)


def _remove_dead(directory: str, base: str) -> None:
    litter = re.compile(re.escape(base) + r"\.tmp-[0-9a-f]{16}")
    for name in files.list_directory(directory):
        if litter.fullmatch(name) and files.is_abandoned(os.path.join(directory, name)):
            with contextlib.suppress(errors.OpError):
                files.remove(os.path.join(directory, name))
