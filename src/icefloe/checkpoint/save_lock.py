"""One sharded save under a prefix at a time, of all processes and threads.

The graph names the folder of the shards, `<prefix>_temp`, and the parts in it: two Savers would write the same files.
Who saves holds the lock of a file beside the folder, which goes with the save; others wait.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from icefloe import errors
from icefloe.checkpoint import files, names

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_TOKEN = 16 * "0"  # so that `clean` takes the file of a dead process for what it is


@contextlib.contextmanager
def one_at_a_time(prefix: str, timeout: float = 600.0) -> Iterator[None]:
    """Hold the lock of the sharded saves under `prefix`. At a URL, and where files have no locks, go on without.

    Raises: UnavailableError if another holds it for longer than `timeout` seconds; what the file system says.
    """
    if files.is_url(prefix) or fcntl is None:
        yield
        return
    files.make_directory(names.split(prefix)[0])
    path = names.temporary(f"{prefix}_temp", _TOKEN)
    deadline = time.monotonic() + timeout
    while (fd := _locked(path)) is None:
        if time.monotonic() > deadline:
            raise errors.UnavailableError(f"{prefix}: another is saving it and did not finish within {timeout:g} s")
        time.sleep(0.005)
    try:
        yield
    finally:
        with contextlib.suppress(errors.OpError):
            files.remove(path)
        os.close(fd)


def _locked(path: str) -> int | None:
    """Return a descriptor of the file at `path`, made where there is none and locked; None if another has its lock."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as e:
        raise files.os_error(e, path) from None
    except ValueError as e:  # an embedded NUL
        raise errors.InvalidArgumentError(f"{path!r}; {e}") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except OSError:  # no locks on this file system
        return fd
    # Its former owner may have removed it meanwhile: then others lock another file.
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(os.stat(path), os.fstat(fd)):
            return fd
    os.close(fd)
    return None
