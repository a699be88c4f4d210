"""Files at URLs (`s3://`, `gs://`, `http://`, `memory://`, ...) by fsspec, behind the calls of `files`.

Reading is by ranges: a large read becomes several requests at once, small ones are served from blocks that are kept
for a while. Writing is an upload that appears when it is complete. fsspec is imported here only, and this module when
a URL is met.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from icefloe import errors
from icefloe.checkpoint.files import Identity, Source
from icefloe.checkpoint.remote.file_errors import is_passing, remote_error

_T = TypeVar("_T")
# Requests of one read at a time, and bytes of each: enough to fill a fast line, and 16 MB of memory.
_AT_ONCE = 8
_PIECE = 2 << 20
# A read below this takes a whole block, which is kept: headers, directories and small tensors are read bit by bit.
_SMALL = 64 << 10
_BLOCK = 256 << 10
_BLOCKS_KEPT = 32
_GAP = 64 << 10  # two reads that lie closer follow one another
_WHOLE = 32 << 20  # what a server without ranges may send in answer to a small request
# A request whose connection broke is made again, after these seconds.
_PAUSES = (0.1, 0.5)
# Bytes of an upload held back for one request; S3 takes at most 10,000 of them.
_UPLOAD_PART = 8 << 20
_CHANGING = ("ETag", "etag", "Content-MD5", "Digest", "md5Hash", "generation", "content_settings")
# File systems, by their names in fsspec, whose directories are but names; and those that want directories made.
_OBJECT_STORES = frozenset(("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oss", "cos"))
_WITH_DIRECTORIES = frozenset(("memory", "sftp", "ssh", "ftp", "hdfs", "arrow_hdfs", "webhdfs", "smb"))
_TIMES = ("LastModified", "mtime", "updated", "last_modified", "created", "Last-Modified")


@cache
def _fsspec() -> Any:
    try:
        import fsspec.core
    except ImportError:
        raise errors.UnimplementedError(
            "reading and writing at URLs needs fsspec", hint="Install it with: pip install 'icefloe[remote]'"
        ) from None
    return fsspec


@contextlib.contextmanager
def _named(url: str) -> Iterator[None]:
    try:
        yield
    except errors.OpError:
        raise
    except Exception as e:  # each file system has exceptions of its own
        raise remote_error(e, url) from e


def _file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL and what it calls the file."""
    fsspec = _fsspec()
    with _named(url):
        if "::" in url:
            return fsspec.core.url_to_fs(url)
        # A listing that is kept tells of files as they were, and a state file changes all the time.
        return fsspec.core.url_to_fs(url, use_listings_cache=False)


def is_object_store(url: str) -> bool:
    """Whether files appear there whole, when their upload is complete, and directories are but names."""
    return bool(_protocols(_file_system(url)[0]) & _OBJECT_STORES)


def _protocols(fs: Any) -> set[str]:
    named = getattr(fs, "protocol", ())
    return {named} if isinstance(named, str) else set(named)


def _is_web(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def _patiently(fs: Any, url: str, call: Callable[[], _T]) -> _T:
    """Return `call()`, made again where the connection broke and the file system does not do that itself."""
    for pause in () if getattr(fs, "retries", 0) else _PAUSES:
        try:
            return call()
        except Exception as e:
            if not is_passing(e):
                raise remote_error(e, url) from e
        time.sleep(pause)
    with _named(url):
        return call()


def _info(url: str) -> dict[str, Any]:
    """Return what the file system knows of a file. Raises: NotFoundError, and others of `remote_error`."""
    fs, path = _file_system(url)
    found: dict[str, Any] = _patiently(fs, url, lambda: fs.info(path))
    return found


def _identity_of(info: dict[str, Any]) -> Identity:
    stamp = [str(info[key]) for key in _CHANGING if info.get(key) is not None]
    when = next((info[key] for key in _TIMES if info.get(key) is not None), None)
    return Identity(0, zlib.crc32(repr((stamp, str(when))).encode()), _nanoseconds(when), info.get("size") or 0)


def _nanoseconds(when: Any) -> int:
    """Return a time as ns since 1970, 0 where it is told in no way that is known."""
    if isinstance(when, int | float):
        return int(when * 1e9)
    if hasattr(when, "timestamp"):
        return int(when.timestamp() * 1e9)
    if isinstance(when, str):
        from datetime import datetime
        from email.utils import parsedate_to_datetime

        for parse in (datetime.fromisoformat, parsedate_to_datetime):
            with contextlib.suppress(ValueError):
                return int(parse(when).timestamp() * 1e9)
    return 0


class RemoteSource(Source):
    """A file at a URL, open for reading at any position; threads may read at once.

    Raises (at opening): NotFoundError, PermissionDeniedError, UnauthenticatedError, UnavailableError,
    FailedPreconditionError for a directory, UnimplementedError where a package for the protocol is missing.
    """

    __slots__ = ("_fs", "_name", "_blocks", "_whole", "_ahead", "_last_end", "_streak", "_lock", "_closed")
    is_remote = True
    piece = _PIECE
    window = _PIECE * 4

    def __init__(self, path: str) -> None:
        self.path = path
        self._fs, self._name = _file_system(path)
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self._whole: bytes | None = None
        self._ahead: tuple[int, bytes | bytearray] = (0, b"")
        self._last_end = -1
        self._streak = 0
        self._lock = threading.Lock()
        self._closed = False
        info = _info(path)
        if info.get("type") == "directory":
            raise errors.FailedPreconditionError(f"{path}; Is a directory")
        if info.get("size") is None:  # a server that does not say: then the file has to be read to know
            self._whole = _patiently(self._fs, path, self._stream)
            info = {**info, "size": len(self._whole)}
        self.identity = _identity_of(info)

    @property
    def blocks(self) -> int | None:
        return None

    @property
    def closed(self) -> bool:
        return self._closed

    def fileno(self) -> int:
        raise errors.UnimplementedError(f"{self.path} is not on this machine: it has no file descriptor")

    def threads(self, size: int) -> int:
        return max(min(_AT_ONCE, -(-size // _PIECE)), 1)

    def preload(self) -> None:
        if self._whole is None:
            data = bytearray(self.size)
            self.read_into(memoryview(data), 0)
            self._whole = bytes(data)

    def read(self, offset: int, size: int) -> bytes:
        out = bytearray(size)
        self.read_into(memoryview(out), offset)
        return bytes(out)

    def read_into(self, buffer: memoryview, offset: int) -> None:
        size = len(buffer)
        if self._closed:
            raise errors.FailedPreconditionError(f"{self.path}: the checkpoint is closed")
        if offset + size > self.size:
            raise errors.OutOfRangeError("Read less bytes than requested", path=self.path, offset=offset)
        if self._whole is not None:
            buffer[:] = self._whole[offset : offset + size]
        elif size < _SMALL:
            self._read_small(buffer, offset)
        elif size < _PIECE:
            self._read_in_turn(buffer, offset)
        elif size == _PIECE:
            buffer[:] = self._fetch(offset, size)
        else:
            self._read_large(buffer, offset)

    def _stream(self) -> bytes:
        """Return the whole file, if it is not too large to be held."""
        with self._fs.open(self._name, "rb", block_size=0) as file:
            data = bytearray()
            while piece := file.read(1 << 20):
                data += piece
                if len(data) > _WHOLE:
                    raise errors.UnimplementedError(
                        "the server does not say how large the file is", path=self.path, hint="Download it first."
                    )
        return bytes(data)

    def _read_small(self, buffer: memoryview, offset: int) -> None:
        done = 0
        while done < len(buffer):
            number, inside = divmod(offset + done, _BLOCK)
            data = self._block(number)[inside : inside + len(buffer) - done]
            buffer[done : done + len(data)] = data
            done += len(data)

    def _block(self, number: int) -> bytes:
        with self._lock:
            data = self._blocks.get(number)
            if data is not None:
                self._blocks.move_to_end(number)
                return data
        start = number * _BLOCK
        data = self._fetch(start, min(_BLOCK, self.size - start))
        with self._lock:
            self._blocks[number] = data
            while len(self._blocks) > _BLOCKS_KEPT:
                self._blocks.popitem(last=False)
        return data

    def _read_in_turn(self, buffer: memoryview, offset: int) -> None:
        """Read one of perhaps many tensors: from the third on that follow one another, those behind are read too."""
        end = offset + len(buffer)
        with self._lock:
            start, held = self._ahead
            if not (start <= offset and end <= start + len(held)):
                follows = 0 <= offset - self._last_end <= _GAP
                self._streak = self._streak + 1 if follows else 0
                held = b""
            self._last_end = end
            is_row = self._streak >= 2
        if held:
            buffer[:] = memoryview(held)[offset - start : end - start]
        elif not is_row:
            buffer[:] = self._fetch(offset, len(buffer))
        else:
            data = bytearray(min(self.window, self.size - offset))
            self._read_large(memoryview(data), offset)
            with self._lock:
                self._ahead = (offset, data)
            buffer[:] = memoryview(data)[: len(buffer)]

    def _read_large(self, buffer: memoryview, offset: int) -> None:
        def work(start: int) -> None:
            piece = buffer[start : start + _PIECE]
            piece[:] = self._fetch(offset + start, len(piece))

        with ThreadPoolExecutor(self.threads(len(buffer)), "icefloe-range") as pool:
            for _ in pool.map(work, range(0, len(buffer), _PIECE)):
                pass

    def _fetch(self, offset: int, size: int) -> bytes:
        """Return one range, by one request."""
        data: bytes = _patiently(
            self._fs, self.path, lambda: self._fs.cat_file(self._name, start=offset, end=offset + size)
        )
        if len(data) == size:
            return data
        if len(data) == self.size:
            if len(data) > _WHOLE:
                raise errors.UnimplementedError(
                    "the server sends the whole file where a range is asked for",
                    path=self.path,
                    hint="Download it first.",
                )
            self._whole = data
            return data[offset : offset + size]
        raise errors.OutOfRangeError("Read less bytes than requested", path=self.path, offset=offset + len(data))

    def close(self) -> None:
        self._closed = True
        self._blocks.clear()
        self._ahead = (0, b"")
        self._whole = None


# Questions


def identity(path: str) -> Identity | None:
    """As `files.identity`, of what the store says of the file: its tag or its time, and its size.

    Raises: what keeps the question from being answered, other than that there is no such file.
    """
    try:
        return _identity_of(_info(path))
    except errors.NotFoundError:
        return None


def is_file(path: str) -> bool:
    """As `files.is_file`. Raises: as `identity`."""
    if path.endswith("/"):
        return False
    try:
        return _info(path).get("type") != "directory"
    except errors.NotFoundError:
        return False


def is_directory(path: str) -> bool:
    """As `files.is_directory`; of a web server a URL that ends with a slash. Raises: as `identity`."""
    if _is_web(path):
        return path.endswith("/")  # a web server has pages only; to ask for one would fetch it
    try:
        return _info(path).get("type") == "directory"
    except errors.NotFoundError:
        return False


def list_directory(path: str) -> list[str]:
    """As `files.list_directory`: the last parts of names, sorted; nothing where there is no listing."""
    fs, name = _file_system(path)
    try:
        listed = fs.ls(name, detail=False)
    except Exception:  # as for a directory of this machine that cannot be listed
        return []
    return sorted({str(one).rstrip("/").rpartition("/")[2] for one in listed} - {""})


def free_bytes(path: str) -> int | None:
    """Return None: no store says."""
    return None


def is_abandoned(path: str) -> bool:
    """Return False: nothing tells; an upload that nobody completes leaves no file."""
    return False


# Changes


class _Upload:
    """A file being uploaded: it appears when the upload is complete."""

    def __init__(self, url: str) -> None:
        fs, path = _file_system(url)
        self.url = url
        if _is_web(url):
            raise errors.UnimplementedError("a web server takes no files", path=url, hint="Write to another place.")
        with _named(url):
            # Where directories are real they must be there; where they are not this does nothing.
            with contextlib.suppress(NotImplementedError, PermissionError):
                if _protocols(fs) & _WITH_DIRECTORIES:
                    fs.makedirs(fs._parent(path), exist_ok=True)
            self.file = fs.open(path, "wb", block_size=_UPLOAD_PART)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        view = memoryview(data).cast("B")
        with _named(self.url):
            for start in range(0, len(view), _UPLOAD_PART):  # what is written at once is held at once
                self.file.write(view[start : start + _UPLOAD_PART])

    def complete(self) -> None:
        if not self.file.closed:
            with _named(self.url):
                self.file.close()

    def discard(self) -> None:
        if self.file.closed:
            return
        with contextlib.suppress(Exception):  # the upload is given up: whatever fails now changes nothing
            getattr(self.file, "discard", self.file.close)()
        with contextlib.suppress(AttributeError):
            self.file.closed = True  # else the last reference would complete it


# Stand-ins for file descriptors: negative, so that no descriptor is one.
_uploads: dict[int, _Upload] = {}
_numbers = itertools.count(-2, -1)


def create(path: str) -> int:
    """As `files.create`: begin an upload and return a number below zero for it. A file of that name is replaced when
    the upload is complete.
    """
    upload = _Upload(path)
    number = next(_numbers)
    _uploads[number] = upload
    return number


def write(fd: int, data: bytes | bytearray | memoryview, path: str) -> None:
    """As `files.write`: add to an upload."""
    _uploads[fd].write(data)


def sync(fd: int, path: str) -> None:
    """Complete the upload."""
    _uploads[fd].complete()


def close(fd: int) -> None:
    """Give the upload up if it is not complete."""
    _uploads.pop(fd).discard()


def put(path: str, data: bytes) -> None:
    """Make `data` the file at a URL by one request, so that a reader finds the former file or this one."""
    fs, name = _file_system(path)
    if _is_web(path):
        raise errors.UnimplementedError("a web server takes no files", path=path, hint="Write to another place.")
    _patiently(fs, path, lambda: fs.pipe_file(name, data))


def make_directory(path: str) -> None:
    """Do nothing: an object store has no directories, and where there are some an upload makes them."""


def rename(source: str, target: str) -> None:
    """Move a file: a store copies it and deletes the former."""
    fs, name = _file_system(source)
    _, to = _file_system(target)
    with _named(source):
        fs.mv(name, to)


def remove(path: str) -> None:
    """As `files.remove`: delete a file, where there is one."""
    fs, name = _file_system(path)
    with contextlib.suppress(errors.NotFoundError), _named(path):
        fs.rm_file(name)


def remove_directory(path: str) -> None:
    """As `files.remove_directory`, where there are directories."""
    fs, name = _file_system(path)
    if _protocols(fs) & _OBJECT_STORES:
        return  # a directory goes with its last object; here this would delete the bucket
    with contextlib.suppress(NotImplementedError), _named(path):
        fs.rmdir(name)
