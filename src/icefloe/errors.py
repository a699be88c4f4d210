"""TensorFlow's exceptions, by its class names and codes, each also the nearest builtin.

    OpError
     +- CancelledError                    1
     +- UnknownError                      2
     +- InvalidArgumentError (ValueError) 3
     +- DeadlineExceededError (TimeoutError) 4
     +- NotFoundError (LookupError)       5
     +- AlreadyExistsError                6
     +- PermissionDeniedError             7   (OSError stays apart: its constructor rewrites the class)
     +- ResourceExhaustedError (MemoryError) 8
     +- FailedPreconditionError (RuntimeError) 9
     +- AbortedError                     10
     +- OutOfRangeError                  11
     +- UnimplementedError (NotImplementedError) 12
     +- InternalError                    13
     +- UnavailableError                 14
     +- DataLossError (ValueError)       15
     +- UnauthenticatedError             16

Low layers raise the bare fact, `InvalidArgumentError("expected a matrix, got shape (3,)")`; the layer that knows the
node, the path or the byte offset adds it once with `add_context`. TensorFlow's own three-argument form,
`InvalidArgumentError(node_def, op, message)`, works too.

Codes: google.rpc's canonical codes, as `tensorflow/core/protobuf/error_codes.proto` numbers them.
"""

from __future__ import annotations

import os
from typing import Any, ClassVar, Self

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16

_MISSING: Any = object()


class OpError(Exception):
    """The base of all errors that icefloe raises about graphs, runs and files.

    message: what is wrong, expected and got, as one text.
    node: full name of the node that failed, or None.
    path, offset: the file and the byte position in it, where a file is at fault.
    hint: what the user can do, or None.
    trail: names of nodes from the fetch to the node that failed, empty where not known.
    op, node_def: the Operation and its NodeDef where known, as in TensorFlow.
    defined_at: file, line and function where the user's program built the operation, where known.
    """

    code: ClassVar[int] = UNKNOWN

    node_def: Any = None
    op: Any = None
    message: str = ""
    error_code: int = UNKNOWN
    experimental_payloads: Any = None

    def __init__(
        self,
        node_def: Any = None,
        op: Any = _MISSING,
        message: Any = _MISSING,
        error_code: int | None = None,
        *,
        node: str | None = None,
        path: str | os.PathLike[str] | None = None,
        offset: int | None = None,
        hint: str | None = None,
    ) -> None:
        if message is _MISSING:
            if op is not _MISSING:
                raise TypeError(f"{type(self).__name__} takes (message) or (node_def, op, message)")
            node_def, op, message = None, None, node_def
        self.node_def = node_def
        self.op = op
        self.message = "" if message is None else str(message)
        self.error_code = self.code if error_code is None else error_code
        self.node = node if node is not None else getattr(op, "name", None) or getattr(node_def, "name", None)
        self.path = None if path is None else os.fspath(path)
        self.offset = offset
        self.hint = hint
        self.trail: tuple[str, ...] = ()
        self.defined_at: tuple[str, int, str] | None = getattr(op, "_defined_at", None)
        self.experimental_payloads = {}
        super().__init__(node_def, op, self.message, self.error_code)

    def add_context(
        self,
        *,
        node: str | None = None,
        op: Any = None,
        path: str | os.PathLike[str] | None = None,
        offset: int | None = None,
        hint: str | None = None,
        trail: tuple[str, ...] = (),
    ) -> Self:
        """Fill in what is not known yet and return self, for `raise e.add_context(path=p)`."""
        if self.node is None and node is not None:
            self.node = node
        if self.op is None and op is not None:
            self.op = op
            self.node_def = getattr(op, "node_def", self.node_def)
            self.defined_at = getattr(op, "_defined_at", None)
            self.node = self.node or getattr(op, "name", None)
        if self.path is None and path is not None:
            self.path = os.fspath(path)
        if self.offset is None:
            self.offset = offset
        if self.hint is None:
            self.hint = hint
        self.trail = self.trail or trail
        return self

    def __str__(self) -> str:
        where = []
        if self.path is not None:
            where.append(self.path if self.offset is None else f"{self.path} at byte {self.offset}")
        if self.node is not None and f"{self.node!r}" not in self.message:
            kind = getattr(self.op, "type", None)
            where.append(f"node {self.node!r}" + (f" ({kind})" if kind else ""))
        lines = [": ".join([*where, self.message])]
        if len(self.trail) > 1:
            # Long ways are cut in the middle: the fetch and what is next to the failure say most.
            names = self.trail if len(self.trail) <= 12 else (*self.trail[:5], "...", *self.trail[-6:])
            lines.append(f"needed by: {' <- '.join(names)}")
        if self.defined_at is not None:
            file, line, function = self.defined_at
            lines.append(f"built at {file}:{line}, in {function}")
        if self.hint:
            lines.append(self.hint)
        return "\n".join(lines)

    def __reduce__(self) -> Any:
        state = (
            self.message,
            self.error_code,
            self.node,
            self.path,
            self.offset,
            self.hint,
            self.trail,
            self.defined_at,
        )
        return _rebuild, (type(self), *state)


def _rebuild(
    cls: type[OpError],
    message: str,
    code: int,
    node: str | None,
    path: str | None,
    offset: int | None,
    hint: str | None,
    trail: tuple[str, ...] = (),
    defined_at: tuple[str, int, str] | None = None,
) -> OpError:
    error = cls(message, node=node, path=path, offset=offset, hint=hint)
    error.trail = trail
    error.defined_at = defined_at
    error.error_code = code
    return error


class CancelledError(OpError):
    """The run was cancelled: the session or the queue was closed, or a caller asked for it."""

    code = CANCELLED


class UnknownError(OpError):
    """An error from outside icefloe's own rules, such as an exception in a `py_func`."""

    code = UNKNOWN


class InvalidArgumentError(OpError, ValueError):
    """A value, shape, dtype, name or attr does not fit."""

    code = INVALID_ARGUMENT


class InaccessibleTensorError(InvalidArgumentError):
    """A tensor of a branch, a loop or a function is used outside of it."""


class DeadlineExceededError(OpError, TimeoutError):
    """The run did not finish in the time it was given."""

    code = DEADLINE_EXCEEDED


class NotFoundError(OpError, LookupError):
    """A file, tensor, node, function or resource does not exist."""

    code = NOT_FOUND


class AlreadyExistsError(OpError):
    """What was to be created is there already."""

    code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The system or the session's `files` setting does not allow it."""

    code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    """The caller has no valid credentials."""

    code = UNAUTHENTICATED


class ResourceExhaustedError(OpError, MemoryError):
    """Not enough memory or disk."""

    code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError, RuntimeError):
    """The state does not allow it: most often, a variable that was not initialised."""

    code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation was given up because of another one."""

    code = ABORTED


class OutOfRangeError(OpError):
    """Past the end: a closed queue that is empty, a dataset that is used up, a file that is too short."""

    code = OUT_OF_RANGE


class UnimplementedError(OpError, NotImplementedError):
    """An op, dtype or form that icefloe cannot run."""

    code = UNIMPLEMENTED


class InternalError(OpError):
    """An invariant broke."""

    code = INTERNAL


class UnavailableError(OpError):
    """A service cannot be reached now."""

    code = UNAVAILABLE


class DataLossError(OpError, ValueError):
    """Stored bytes are damaged: checksum, length or structure is impossible."""

    code = DATA_LOSS


_CLASSES: dict[int, type[OpError]] = {
    cls.code: cls
    for cls in (
        CancelledError,
        UnknownError,
        InvalidArgumentError,
        DeadlineExceededError,
        NotFoundError,
        AlreadyExistsError,
        PermissionDeniedError,
        UnauthenticatedError,
        ResourceExhaustedError,
        FailedPreconditionError,
        AbortedError,
        OutOfRangeError,
        UnimplementedError,
        InternalError,
        UnavailableError,
        DataLossError,
    )
}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Return the class of a code, 1 to 16. Raises: KeyError for any other."""
    return _CLASSES[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int | None:
    """Return the code of an error class, or None if `cls` is not one of this module's."""
    code = getattr(cls, "code", None)
    return code if _CLASSES.get(code or 0) is cls else None


class Status:
    """A code and a message, as TensorFlow's C library sets them. OK until something is set."""

    def __init__(self) -> None:
        self.code = OK
        self.message = ""

    def set(self, code: int, message: str) -> None:
        """Say that something went wrong."""
        self.code, self.message = code, message


class raise_exception_on_not_ok_status:
    """A `with` block that gives a Status, and raises the exception of its code if that is not OK at the end."""

    def __enter__(self) -> Status:
        self.status = Status()
        return self.status

    def __exit__(self, exc_type: Any, value: Any, traceback: Any) -> None:
        if exc_type is None and self.status.code != OK:
            raise exception_type_from_error_code(self.status.code)(None, None, self.status.message)
