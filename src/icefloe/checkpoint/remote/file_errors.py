"""What file systems at URLs raise, as `icefloe.errors`."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from icefloe import errors
from icefloe.checkpoint.files import os_error

_BY_STATUS: dict[int, type[errors.OpError]] = {
    400: errors.InvalidArgumentError,
    401: errors.UnauthenticatedError,
    403: errors.PermissionDeniedError,
    408: errors.DeadlineExceededError,
    412: errors.AbortedError,
    416: errors.OutOfRangeError,
    429: errors.ResourceExhaustedError,
}
# Exceptions of the libraries behind fsspec, by name: none of them is imported here.
_BY_NAME: dict[str, type[errors.OpError]] = {
    "NoCredentialsError": errors.UnauthenticatedError,
    "PartialCredentialsError": errors.UnauthenticatedError,
    "TokenRetrievalError": errors.UnauthenticatedError,
    "ProfileNotFound": errors.UnauthenticatedError,
    "DefaultCredentialsError": errors.UnauthenticatedError,
    "RefreshError": errors.UnauthenticatedError,
    "ParamValidationError": errors.InvalidArgumentError,
    "InvalidURL": errors.InvalidArgumentError,
}
_BROKEN = frozenset(
    (
        "ClientPayloadError", "ServerDisconnectedError", "ClientConnectorError", "ClientOSError",
        "ClientConnectionError", "ServerConnectionError", "ClientConnectorDNSError", "EndpointConnectionError",
        "ConnectionClosedError", "ResponseStreamingError", "IncompleteRead", "IncompleteReadError",
        "ProtocolError", "HTTPClientError", "ConnectionError", "ConnectionResetError", "ConnectionRefusedError",
        "ConnectionAbortedError", "BrokenPipeError", "RemoteDisconnected", "ConnectTimeoutError", "ReadTimeoutError",
        "SocketTimeoutError",
    )
)  # fmt: skip
_TIMEOUTS = frozenset(("TimeoutError", "FSTimeoutError", "ServerTimeoutError", "ConnectionTimeoutError"))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that caused it."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def _names(error: BaseException) -> set[str]:
    return {cls.__name__ for cls in type(error).__mro__}


def _status(error: BaseException) -> int | None:
    """Return the status of an HTTP answer that an exception tells of."""
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return status
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status if isinstance(status, int) else None


def is_passing(error: BaseException) -> bool:
    """Whether the same request may succeed if it is made again: the connection broke, or the server was too busy."""
    if isinstance(error, errors.OpError):
        return False
    for one in _chain(error):
        if _names(one) & (_BROKEN | _TIMEOUTS) or _status(one) in (500, 502, 503, 504):
            return True
        if isinstance(one, FileNotFoundError | PermissionError) and one.__cause__ is None:
            return False
    return False


def remote_error(error: BaseException, url: str) -> errors.OpError:
    """Return the icefloe error for what a file system raised."""
    chain = list(_chain(error))
    for one in chain:
        if isinstance(one, errors.OpError):
            return one
        status, named = _status(one), _names(one)
        if isinstance(one, ImportError):
            return errors.UnimplementedError(f"a package for this protocol is missing: {one}", path=url)
        if isinstance(one, ValueError) and (found := re.match(r"Protocol not known: (\S+)", str(one))):
            return errors.UnimplementedError(f"no file system is known for {found[1]}://", path=url)
        if status is not None and status >= 400 and status not in (404, 410):
            cls = _BY_STATUS.get(status, errors.UnavailableError if status >= 500 else errors.UnknownError)
            return cls(f"{url}; the server answered {status}: {_text(one)}")
        if named & _TIMEOUTS:
            return errors.DeadlineExceededError(f"{url}; no answer in time: {_text(one)}")
        if named & _BROKEN:
            return errors.UnavailableError(f"{url}; the connection failed: {_text(one)}", hint="Try again.")
        for name in named & _BY_NAME.keys():
            return _BY_NAME[name](f"{url}; {_text(one)}")
    if any(isinstance(one, FileNotFoundError) or _status(one) in (404, 410) for one in chain):
        if "bucket" in str(error).lower():
            return errors.NotFoundError(f"{url}; {_text(error)}")
        return os_error(FileNotFoundError(errno.ENOENT, ""), url)
    if isinstance(error, OSError):
        return os_error(error, url)
    if isinstance(error, NotImplementedError):
        return errors.UnimplementedError(f"{url}; this file system cannot do that: {_text(error)}")
    return errors.UnknownError(f"{url}; {type(error).__name__}: {_text(error)}")


def _text(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text if len(text) < 300 else text[:300] + "…"
