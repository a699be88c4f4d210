"""What the system's file calls raise, as `icefloe.errors` with the path."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Any, cast

from icefloe import errors

_CLASSES: dict[int, type[errors.OpError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EFBIG: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.ENFILE: errors.ResourceExhaustedError,
    errno.ENOMEM: errors.ResourceExhaustedError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.ELOOP: errors.InvalidArgumentError,
    errno.EXDEV: errors.UnimplementedError,
}


def os_error(e: OSError, path: str) -> errors.OpError:
    """Return the icefloe error for a system error: TensorFlow's code, its text `<path>; <reason>`.

    It is an OSError too, with `errno` and `filename`, so that a program's `except OSError` catches it.
    """
    cls = _as_os_error(_CLASSES.get(e.errno or 0, errors.UnknownError))
    error: Any = cls(f"{path}; {os.strerror(e.errno) if e.errno else e}")
    error.args = (None, None, error.message, error.error_code)  # OSError keeps but two
    error.errno, error.filename = e.errno, path
    return cast(errors.OpError, error)


_AS_OS_ERRORS: dict[type[errors.OpError], type[errors.OpError]] = {}


def _as_os_error(cls: type[errors.OpError]) -> type[errors.OpError]:
    if cls in _AS_OS_ERRORS:
        return _AS_OS_ERRORS[cls]

    def reduced(self: errors.OpError) -> Any:
        rebuild, (_, *state) = errors.OpError.__reduce__(self)
        return rebuild, (cls, *state)  # a pickle knows the class that has a place in a module

    names = {"__doc__": cls.__doc__, "__reduce__": reduced, "__module__": cls.__module__}
    made = _AS_OS_ERRORS[cls] = type(cls.__name__, (cls, OSError), names)
    return made


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
    """Give the system's errors in the block the path."""
    try:
        yield
    except OSError as e:
        raise os_error(e, path) from None
    except ValueError as e:  # an embedded NUL
        raise errors.InvalidArgumentError(f"{path!r}; {e}") from None
