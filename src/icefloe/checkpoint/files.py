"""Every file-system call of checkpoints goes through here, so that a test can stop a save at any of them.

A path may be a URL: then the function of the same name in `remote.files` is called. A descriptor of a file at a URL is
negative.

The system's errors become `icefloe.errors` with the path (`file_errors`). Reading is positional (`Source`), into memory
that the caller owns.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import inspect
import os
import re
import stat
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NoReturn, ParamSpec, Self, TypeVar, cast

try:
    import fcntl
except ImportError:  # no such locks on this system: writers then tell dead files by age alone
    fcntl = None  # type: ignore[assignment]

from icefloe import errors
from icefloe.checkpoint.file_errors import named as _named
from icefloe.checkpoint.file_errors import os_error as os_error

# How long a file that cannot be locked must have been left alone before it counts as a dead writer's.
_DEAD_AFTER_SECONDS = 3600.0
_LARGE = 64 << 20
# Below this a second thread costs more than it saves.
_PARALLEL_FROM = 4 << 20
_MAX_THREADS = 4
_MAX_IO = 1 << 30  # Linux moves at most 2 GiB - 4 KiB per call


# One letter before "://" would be a drive of Windows.
_URL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*::)*[A-Za-z][A-Za-z0-9+.-]+://", re.ASCII)
_LOCAL = re.compile(r"(?:file|local)://(?=/)")


def is_url(path: str) -> bool:
    """Whether a path is a URL, such as `s3://bucket/model.ckpt`."""
    return "://" in path and _URL.match(path) is not None


def path_of(given: str | os.PathLike[str]) -> str:
    """Return the path that a user gave, with `~` expanded; a URL of this machine's files becomes a path."""
    text = os.fsdecode(given)
    if "\0" in text:
        raise errors.InvalidArgumentError(f"{text!r} is no path: it holds a zero byte")
    if is_url(text):
        return _LOCAL.sub("", text, count=1)
    return os.path.expanduser(text)


_P = ParamSpec("_P")
_R = TypeVar("_R")


def _or_remote(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Where the path is a URL, let the function of the same name in `remote.files` do it."""
    names = list(inspect.signature(function).parameters)
    place = names.index("path") if "path" in names else 0

    @functools.wraps(function)
    def dispatch(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        path = args[place]
        if isinstance(path, str) and is_url(path):
            from icefloe.checkpoint.remote import files as remote

            found: _R = getattr(remote, function.__name__)(*args, **kwargs)
            return found
        return function(*args, **kwargs)

    return dispatch


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells one file from another that later has the same name."""

    device: int
    inode: int
    modified_ns: int
    size: int


def _identity(status: os.stat_result) -> Identity:
    return Identity(status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)


class Source:
    """A regular file open for reading at any position; threads may read at once. Closed by `close` or with the last
    reference. Where the path is a URL, a `RemoteSource`.

    piece: bytes that a thread best reads at a time.   window: the same for a stream.

    Raises (at opening): NotFoundError, PermissionDeniedError, FailedPreconditionError for a directory or device.
    """

    __slots__ = ("path", "identity", "_fd", "_finalizer", "__weakref__")
    is_remote: ClassVar[bool] = False
    piece: ClassVar[int] = 2 << 20
    window: ClassVar[int] = 4 << 20

    def __new__(cls, path: str) -> Self:
        if cls is Source and is_url(path):
            from icefloe.checkpoint.remote.files import RemoteSource

            return cast(Self, object.__new__(RemoteSource))
        return object.__new__(cls)

    def __init__(self, path: str) -> None:
        self.path = path
        with _named(path):
            # Without O_NONBLOCK the opening of a pipe would wait for a writer.
            self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        self._finalizer = weakref.finalize(self, os.close, self._fd)
        status = os.fstat(self._fd)
        if not stat.S_ISREG(status.st_mode):
            self.close()
            what = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise errors.FailedPreconditionError(f"{path}; Is {what}")
        self.identity = _identity(status)

    @property
    def size(self) -> int:
        """Size in bytes when the file was opened."""
        return self.identity.size

    @property
    def blocks(self) -> int | None:
        """How many bytes the disk holds for it, fewer than `size` where it has holes; None where that is not told."""
        count = getattr(os.fstat(self.fileno()), "st_blocks", None)
        return None if count is None else 512 * int(count)

    @property
    def closed(self) -> bool:
        return not self._finalizer.alive

    def fileno(self) -> int:
        """Return the file descriptor. Raises: FailedPreconditionError if it is closed."""
        if not self._finalizer.alive:
            raise errors.FailedPreconditionError(f"{self.path}: the checkpoint is closed")
        return self._fd

    def threads(self, size: int) -> int:
        """Return how many threads best share a read of `size` bytes."""
        return min(_MAX_THREADS, os.cpu_count() or 1, size // _PARALLEL_FROM + 1)

    def preload(self) -> None:
        """Say that all of the file will be read, bit by bit."""

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes at `offset`. Raises: OutOfRangeError if the file has fewer."""
        if offset + size > self.size:
            raise errors.OutOfRangeError("Read less bytes than requested", path=self.path, offset=offset)
        if size <= _MAX_IO:
            with _named(self.path):
                data = os.pread(self.fileno(), size, offset)
            if len(data) == size:
                return data
        out = bytearray(size)
        self.read_into(memoryview(out), offset)
        return bytes(out)

    def read_into(self, buffer: memoryview, offset: int) -> None:
        """Fill `buffer`, of bytes, from `offset`. Raises: OutOfRangeError if the file has fewer."""
        fd = self.fileno()
        done, size = 0, len(buffer)
        while done < size:
            with _named(self.path):
                count = os.preadv(fd, [buffer[done : done + _MAX_IO]], offset + done)
            if not count:
                raise errors.OutOfRangeError("Read less bytes than requested", path=self.path, offset=offset + done)
            done += count

    def __reduce__(self) -> NoReturn:
        raise TypeError("an open file cannot be pickled or copied")

    def close(self) -> None:
        """Close the file; nothing happens where it is closed already."""
        self._finalizer()


@_or_remote
def identity(path: str) -> Identity | None:
    """Return the identity of the file at `path`, or None if there is none."""
    try:
        return _identity(os.stat(path))
    except (OSError, ValueError):
        return None


@_or_remote
def is_file(path: str) -> bool:
    return os.path.isfile(path)


@_or_remote
def is_directory(path: str) -> bool:
    return os.path.isdir(path)


def modified_ns(path: str) -> int | None:
    """Return when the file was last written, in ns since 1970, or None if there is no such file."""
    found = identity(path)
    return None if found is None else found.modified_ns


@_or_remote
def list_directory(path: str) -> list[str]:
    """Return the names in a directory, sorted; nothing where it cannot be listed."""
    try:
        return sorted(os.listdir(path or "."))
    except (OSError, ValueError):
        return []


def check_directory(path: str) -> None:
    """Raise what the system says of a directory that is there but cannot be listed or searched, which `list_directory`
    and `is_file` take for empty.
    """
    if is_url(path):
        return
    with _named(path or "."), contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.scandir(path or ".").close()
        os.stat(os.path.join(path, "."))


def read_head(path: str, size: int) -> bytes:
    """Return the first `size` bytes of a file, or all where it is shorter. Raises: as `Source`."""
    source = Source(path)
    try:
        return source.read(0, min(size, source.size))
    finally:
        source.close()


@_or_remote
def make_directory(path: str) -> None:
    """Make a directory and, where they are missing, its parents. Nothing happens where it is there already.

    TensorFlow makes one level only and fails where the parent is missing too.
    """
    if path and not os.path.isdir(path):
        with _named(path), contextlib.suppress(FileExistsError):
            os.makedirs(path)


@_or_remote
def free_bytes(path: str) -> int | None:
    """Return how many bytes this user may still write in a directory, or None where the system does not say."""
    try:
        found = os.statvfs(path or ".")
    except (OSError, AttributeError, ValueError):
        return None
    return found.f_bavail * found.f_frsize if found.f_blocks else None


@_or_remote
def create(path: str) -> int:
    """Return a file descriptor of a new file to write. Raises: AlreadyExistsError and the system's errors."""
    with _named(path):
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)


@_or_remote
def write(fd: int, data: bytes | bytearray | memoryview, path: str) -> None:
    """Append all of `data`."""
    view = memoryview(data).cast("B")
    while view:
        with _named(path):
            view = view[os.write(fd, view[:_MAX_IO]) :]


_NOT_IN_THE_KERNEL = frozenset((errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.EBADF))


def copy(source: Source, offset: int, size: int, fd: int, path: str) -> None:
    """Append `size` bytes at `offset` of `source`, without their passing through this process where the system can.

    What is a hole in the source becomes one in the target. Raises: OutOfRangeError if the source has fewer bytes.
    """
    end = offset + size
    if source.is_remote or fd < 0:
        buffer = memoryview(bytearray(min(source.window, size)))
        for start in range(offset, end, len(buffer) or 1):
            window = buffer[: end - start]
            source.read_into(window, start)
            write(fd, window, path)
        return
    while offset < end:
        start, stop = _data_extent(source, offset, end)
        if start > offset:
            with _named(path):
                os.lseek(fd, start - offset, os.SEEK_CUR)
            if start == end:  # nothing may be written after it: the file has to grow all the same
                with _named(path):
                    position = os.lseek(fd, 0, os.SEEK_CUR)
                    if position > os.fstat(fd).st_size:
                        os.ftruncate(fd, position)
        while start < stop:
            start += _copy_some(source, start, stop - start, fd, path)
        offset = stop


def _data_extent(source: Source, offset: int, end: int) -> tuple[int, int]:
    """Return where the next data at or after `offset` begin and end, both at most `end`."""
    if not hasattr(os, "SEEK_DATA"):
        return offset, end
    try:
        start = min(os.lseek(source.fileno(), offset, os.SEEK_DATA), end)
        return start, end if start == end else min(os.lseek(source.fileno(), start, os.SEEK_HOLE), end)
    except OSError as e:
        if e.errno == errno.ENXIO and end <= source.size:  # a hole up to the end of the file
            return end, end
        return offset, end


def _copy_some(source: Source, offset: int, size: int, fd: int, path: str) -> int:
    """Append at least one and at most `size` bytes of `source`; return how many."""
    done = 0
    with _named(path):
        for call in _COPIES:
            try:
                done = call(source.fileno(), offset, size, fd)
            except OSError as e:
                if e.errno not in _NOT_IN_THE_KERNEL:
                    raise
                continue
            if done:  # 0 is the end of the file, but also what some file systems answer that cannot do this
                break
    if not done:
        raise errors.OutOfRangeError("Read less bytes than requested", path=source.path, offset=offset)
    return done


def _by_copy_file_range(source: int, offset: int, size: int, fd: int) -> int:
    return os.copy_file_range(source, fd, size, offset)


def _by_sendfile(source: int, offset: int, size: int, fd: int) -> int:
    return os.sendfile(fd, source, offset, size)


def _by_hand(source: int, offset: int, size: int, fd: int) -> int:
    return os.write(fd, os.pread(source, min(size, 1 << 20), offset))


_COPIES = (
    *((_by_copy_file_range,) if hasattr(os, "copy_file_range") else ()),
    *((_by_sendfile,) if hasattr(os, "sendfile") else ()),
    _by_hand,
)


@_or_remote
def sync(fd: int, path: str) -> None:
    """Wait until what was written is on the disk."""
    with _named(path):
        os.fsync(fd)


def sync_data(fd: int, path: str) -> None:
    """As `sync`, for the contents alone: size and times may follow later."""
    if fd < 0:  # an upload goes on by itself
        return
    with _named(path):
        getattr(os, "fdatasync", os.fsync)(fd)


def sync_file(path: str) -> None:
    """Wait until what anyone wrote to the file at `path` is on the disk."""
    if is_url(path):
        return
    with _named(path):
        fd = os.open(path, os.O_RDONLY)
    try:
        sync(fd, path)
    finally:
        close(fd)


def sync_directory(path: str) -> None:
    """Wait until the names in a directory are on the disk, where the file system can do that."""
    if is_url(path):
        return
    with _named(path or "."):
        fd = os.open(path or ".", os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems have no fsync of directories; a rename is all they offer
            os.fsync(fd)
    finally:
        close(fd)


def close(fd: int) -> None:
    """Close a descriptor; an upload that was not synced is given up."""
    if fd >= 0:
        os.close(fd)
        return
    from icefloe.checkpoint.remote import files as remote

    remote.close(fd)


def hold(path: str) -> int | None:
    """Return a descriptor that keeps a large file's blocks when its name is taken away, or None if that is not worth
    it.
    """
    try:
        if os.stat(path).st_size < _LARGE:
            return None
        return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None


def let_go(fds: list[int]) -> None:
    """Close what `hold` returned without waiting until the file system has freed the blocks, which takes 0.2 s per
    GB.
    """

    def work() -> None:
        for fd in fds:
            os.close(fd)

    if fds:
        threading.Thread(target=work, name="icefloe-free", daemon=True).start()


@_or_remote
def rename(source: str, target: str) -> None:
    """Give `source` the name `target` at once, replacing what had it."""
    try:
        os.replace(source, target)
    except OSError as e:
        raise os_error(e, target if os.path.isdir(target) else source) from None


def refuses_to_replace(error: errors.OpError, target: str) -> bool:
    """Whether a rename failed because the file system gives no file a name that another one has."""
    codes = (errno.EEXIST, errno.EPERM, errno.EACCES)
    return getattr(error, "errno", None) in codes and os.path.isfile(target)


@_or_remote
def remove(path: str) -> None:
    """Delete a file; nothing happens where there is none."""
    with _named(path), contextlib.suppress(FileNotFoundError):
        os.unlink(path)


@_or_remote
def remove_directory(path: str) -> None:
    """Delete an empty directory."""
    with _named(path):
        os.rmdir(path)


def lock(fd: int) -> bool:
    """Take the lock of an open file for as long as it stays open; return whether that worked."""
    if fcntl is None or fd < 0:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_abandoned(path: str) -> bool:
    """Whether the process that was writing `path` has died: nobody holds its lock (or, where files have no locks, it
    is old).
    """
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        if fcntl is not None:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            except OSError:
                pass  # no locks on this file system: judged by age below
            else:
                return True
        return time.time() - os.fstat(fd).st_mtime > _DEAD_AFTER_SECONDS
    finally:
        os.close(fd)


@contextlib.contextmanager
def directory_lock(path: str, timeout: float = 10.0) -> Iterator[None]:
    """Hold the lock of a directory: one writer at a time renames files in it. Where directories have no locks, go on
    without.

    Raises: UnavailableError if another process holds it for longer than `timeout` seconds.
    """
    path = path or "."
    if fcntl is None or is_url(path):
        yield
        return
    with _named(path):
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise errors.UnavailableError(
                        f"{path}: another process is saving here and did not finish within {timeout:g} s"
                    ) from None
                time.sleep(0.002)
                continue
            except OSError:
                pass
            break
        yield
    finally:
        os.close(fd)
