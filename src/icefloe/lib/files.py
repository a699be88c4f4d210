"""Files and folders, as tf.gfile has them: local paths, also as `file://` URLs.

Errors are `icefloe.errors` classes with TensorFlow's texts.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Self

from icefloe import errors
from icefloe.checkpoint.files import os_error
from icefloe.lib.text import as_bytes, as_str_any, path_to_str
from icefloe.ops.io.paths import matching_paths

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def _local(path: Any) -> str:
    """Return a path for the system's calls. Raises: UnimplementedError for another scheme than `file`."""
    text = as_str_any(path_to_str(path))
    scheme = _SCHEME.match(text)
    if scheme is None:
        return text
    if scheme[1] != "file":
        raise errors.UnimplementedError(f"File system scheme '{scheme[1]}' not implemented (file: '{text}')")
    return text[scheme.end() :]


@contextlib.contextmanager
def _system(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise os_error(e, path) from e


class GFile:
    """A file to read or write, opened when first used. Iterating gives its lines.

    mode: r, w or a, each with `+` for the other direction too and with `b` for bytes; text is UTF-8. What is written
    is there for readers after `flush` or `close`; `r+` begins anew when first written to, as in TensorFlow.

    Raises: InvalidArgumentError for another mode.
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        plain = mode.replace("b", "")
        if plain not in ("r", "w", "a", "r+", "w+", "a+"):
            raise errors.InvalidArgumentError("mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._may_read = plain == "r" or "+" in plain
        self._may_write = plain != "r"
        self._append = plain[0] == "a"
        self._input: BinaryIO | None = None
        self._output: BinaryIO | None = None

    @property
    def name(self) -> Any:
        """The path, as given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode, as given."""
        return self._mode

    def _reading(self) -> BinaryIO:
        if self._input is None:
            if not self._may_read:
                raise errors.PermissionDeniedError("File isn't open for reading")
            path = _local(self._name)
            with _system(path):
                self._input = open(path, "rb")  # noqa: SIM115 (open until close)
        return self._input

    def _writing(self) -> BinaryIO:
        if self._output is None:
            if not self._may_write:
                raise errors.PermissionDeniedError("File isn't open for writing")
            path = _local(self._name)
            with _system(path):
                self._output = open(path, "ab" if self._append else "wb")  # noqa: SIM115
        return self._output

    def _value(self, data: bytes) -> bytes | str:
        return data if self._binary else data.decode()

    def size(self) -> int:
        """Return how many bytes the file has."""
        return stat(self._name).length

    def write(self, file_content: str | bytes) -> None:
        """Append bytes, or a text as UTF-8."""
        output = self._writing()
        data = as_bytes(file_content)
        with _system(_local(self._name)):
            output.write(data)

    def read(self, n: int = -1) -> Any:
        """Return `n` bytes, default all that follow, as text unless the mode has a `b`."""
        source = self._reading()
        if n < -1:
            raise errors.InvalidArgumentError(f"Can't read a negative number of bytes: {n}")
        with _system(_local(self._name)):
            return self._value(source.read(n))

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go to a byte, from the start (whence 0), from here (1) or from the end (2).

        Raises: OutOfRangeError beyond the end.
        """
        source = self._reading()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        place = position if offset is None else offset
        assert place is not None
        if whence == 1:
            place += source.tell()
        elif whence == 2:
            place += self.size()
        elif whence != 0:
            raise errors.InvalidArgumentError(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        if place < 0:
            raise errors.InvalidArgumentError(f"Seeking to a negative position: {place}")
        if place > self.size():
            source.seek(0, os.SEEK_END)
            raise errors.OutOfRangeError("reached end of file")
        source.seek(place)

    def readline(self) -> Any:
        """Return the next line with its end, empty at the end of the file."""
        source = self._reading()
        with _system(_local(self._name)):
            return self._value(source.readline())

    def readlines(self) -> list[Any]:
        """Return all lines that follow."""
        return list(self)

    def tell(self) -> int:
        """Return the position in bytes."""
        return (self._reading() if self._may_read else self._writing()).tell()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """Return the next line. Raises: StopIteration at the end."""
        return next(self)

    def flush(self) -> None:
        """Hand what was written to the system."""
        if self._output is not None:
            with _system(_local(self._name)):
                self._output.flush()

    def close(self) -> None:
        """Write what is left and close the file."""
        source, output = self._input, self._output
        self._input = self._output = None
        if source is not None:
            source.close()
        if output is not None:
            with _system(_local(self._name)):
                output.close()

    def seekable(self) -> bool:
        """Return True."""
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        # A file left open by its last user is closed without the warning that Python's own files give.
        if getattr(self, "_input", None) is not None or getattr(self, "_output", None) is not None:
            self.close()


class FastGFile(GFile):
    """GFile's old name."""


class FileStatistics:
    """What `stat` tells: length in bytes, mtime_nsec, is_directory."""

    def __init__(self, length: int, mtime_nsec: int, is_directory: bool) -> None:
        self.length = length
        self.mtime_nsec = mtime_nsec
        self.is_directory = is_directory


def exists(path: Any) -> bool:
    """Return whether there is a file or folder."""
    return os.path.exists(_local(path))


def isdir(path: Any) -> bool:
    """Return whether there is a folder."""
    try:
        return os.path.isdir(_local(path))
    except errors.UnimplementedError:
        return False


def stat(path: Any) -> FileStatistics:
    """Return size, time and kind of a file. Raises: NotFoundError."""
    local = _local(path)
    with _system(local):
        found = os.stat(local)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(local))


def remove(path: Any) -> None:
    """Delete a file. Raises: NotFoundError; FailedPreconditionError for a folder."""
    local = _local(path)
    with _system(local):
        if os.path.isdir(local):
            raise errors.FailedPreconditionError(f"{local}; Is a directory")
        os.remove(local)


def rmtree(path: Any) -> None:
    """Delete a folder and all in it. Raises: NotFoundError."""
    local = _local(path)
    if not os.path.lexists(local):
        raise errors.NotFoundError(f"{local} not found")
    with _system(local):
        if os.path.isdir(local) and not os.path.islink(local):
            shutil.rmtree(local)
        else:
            os.remove(local)


def mkdir(path: Any) -> None:
    """Make a folder whose parent exists; one that is there already is left. Raises: NotFoundError."""
    local = _local(path)
    if not os.path.isdir(local):
        with _system(local):
            os.mkdir(local)


def makedirs(path: Any) -> None:
    """Make a folder and those it lies in. Raises: FailedPreconditionError where one of them is a file."""
    local = _local(path)
    part = local
    while part and not os.path.lexists(part):
        part = os.path.dirname(part)
    if part and not os.path.isdir(part):
        raise errors.FailedPreconditionError(f"{part} is not a directory")
    with _system(local):
        os.makedirs(local, exist_ok=True)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file. Raises: AlreadyExistsError unless `overwrite`; NotFoundError."""
    source, target = _local(src), _local(dst)
    if not overwrite and os.path.exists(target):
        raise errors.AlreadyExistsError("file already exists")
    with _system(source):
        if os.path.isdir(source):
            raise errors.InvalidArgumentError(f"{target}; Invalid argument")
        shutil.copyfile(source, target)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Move a file or folder. Raises: AlreadyExistsError unless `overwrite`; NotFoundError."""
    source, target = _local(src), _local(dst)
    if not overwrite and os.path.exists(target):
        raise errors.AlreadyExistsError("file already exists")
    with _system(source):
        os.replace(source, target)


def listdir(path: Any) -> list[str]:
    """Return the names in a folder, sorted. Raises: NotFoundError if it is none."""
    if not isdir(path):
        raise errors.NotFoundError(f"Could not find directory {as_str_any(path)}")
    local = _local(path)
    with _system(local):
        return sorted(os.listdir(local))


def join(path: Any, *paths: Any) -> str:
    """Return paths put together, with `/` if the first is a URL."""
    first = as_str_any(path_to_str(path))
    together: Callable[..., str] = posixpath.join if "://" in first[1:] else os.path.join
    return together(first, *paths)


def glob(pattern: Any) -> list[str]:
    """Return the paths that match a pattern of `*`, `?` and `[...]`, or any of several patterns, sorted.

    `*` does not match a `/` but matches a leading dot. Paths that begin with a wildcard get `./`.
    """
    patterns: Iterable[Any] = (pattern,) if isinstance(pattern, (str, bytes)) else pattern
    return [path for item in patterns for path in matching_paths(_local(item))]


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[errors.OpError], object] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (folder, folders in it, files in it) for `top` and all below; one that is not there yields nothing.

    topdown: whether a folder comes before those in it. onerror: called with the error of a folder that is not there.
    """
    top = as_str_any(path_to_str(top))
    try:
        names = listdir(top)
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if isdir(join(top, name))]
    here = (top, folders, [name for name in names if name not in set(folders)])
    if topdown:
        yield here
    for name in folders:
        yield from walk(join(top, name), topdown, onerror)
    if not topdown:
        yield here


def Walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield as `walk` does; `in_order` is its `topdown`."""
    return walk(top, in_order)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copy a file. Raises: AlreadyExistsError unless `overwrite`; NotFoundError."""
    copy(oldpath, newpath, overwrite)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Move a file or folder. Raises: AlreadyExistsError unless `overwrite`; NotFoundError."""
    rename(oldname, newname, overwrite)


def DeleteRecursively(dirname: Any) -> None:
    """Delete a folder and all in it. Raises: NotFoundError."""
    rmtree(dirname)


def Exists(filename: Any) -> bool:
    """Return whether there is a file or folder."""
    return exists(filename)


def Glob(filename: Any) -> list[str]:
    """Return the paths that match a pattern, or any of several; see `glob`."""
    return glob(filename)


def IsDirectory(dirname: Any) -> bool:
    """Return whether there is a folder."""
    return isdir(dirname)


def ListDirectory(dirname: Any) -> list[str]:
    """Return the names in a folder, sorted. Raises: NotFoundError if it is none."""
    return listdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Make a folder and those it lies in. Raises: FailedPreconditionError where one of them is a file."""
    makedirs(dirname)


def MkDir(dirname: Any) -> None:
    """Make a folder whose parent exists; one that is there already is left. Raises: NotFoundError."""
    mkdir(dirname)


def Remove(filename: Any) -> None:
    """Delete a file. Raises: NotFoundError; FailedPreconditionError for a folder."""
    remove(filename)


def Stat(filename: Any) -> FileStatistics:
    """Return size, time and kind of a file. Raises: NotFoundError."""
    return stat(filename)


def get_registered_schemes() -> list[str]:
    """Return the URL schemes that work; the empty one is a plain path."""
    return ["", "file"]
