"""What a failing step becomes: an icefloe error that names the node, its op and the way from the fetch to it."""

from __future__ import annotations

import errno
import re
from collections import deque
from collections.abc import Sequence

from icefloe import errors
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

# The first class that an exception is an instance of decides.
_TABLE: tuple[tuple[type[BaseException], type[errors.OpError]], ...] = (
    (MemoryError, errors.ResourceExhaustedError),
    (RecursionError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (FileNotFoundError, errors.NotFoundError),
    (FileExistsError, errors.AlreadyExistsError),
    (PermissionError, errors.PermissionDeniedError),
    (IsADirectoryError, errors.FailedPreconditionError),
    (NotADirectoryError, errors.FailedPreconditionError),
    (TimeoutError, errors.DeadlineExceededError),
    (ConnectionError, errors.UnavailableError),
    (OSError, errors.UnknownError),
    (ZeroDivisionError, errors.InvalidArgumentError),
    (ArithmeticError, errors.InvalidArgumentError),
    (UnicodeError, errors.InvalidArgumentError),
    (ValueError, errors.InvalidArgumentError),
    (IndexError, errors.InvalidArgumentError),
)
# numpy's words where shapes do not broadcast: `(2,3) (2,)`, or each shape after `with shape`.
_BROADCAST = re.compile(
    r"operands could not be broadcast together with shapes (\(.*?\)) (\(.*?\))"
    r"|shape mismatch: objects cannot be broadcast .*with shape (\(.*?\)) and arg \d+ with shape (\(.*?\))"
)
_DIMENSIONS = re.compile(r"maximum supported dimension for an ndarray is currently (\d+), found (\d+)")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def as_error(exception: Exception) -> errors.OpError:
    """Return `exception` as an icefloe error: itself if it is one. What no input should cause is an InternalError."""
    if isinstance(exception, errors.OpError):
        return exception
    text = str(exception)
    if isinstance(exception, OSError) and exception.errno in _FULL:
        return errors.ResourceExhaustedError(text)
    if isinstance(exception, ValueError) and (many := _DIMENSIONS.match(text)):
        return errors.InvalidArgumentError(f"shape has too many dimensions: {many[2]}, at most {many[1]} can be held")
    if isinstance(exception, ValueError) and (shapes := _BROADCAST.match(text)):
        first, second = (s.strip("(,)").replace(" ", "") for s in shapes.groups() if s)
        return errors.InvalidArgumentError(f"Incompatible shapes: [{first}] vs. [{second}]")
    for kind, error in _TABLE:
        if isinstance(exception, kind):
            return error(text or type(exception).__name__)
    if isinstance(exception, TypeError) and type(exception).__module__.startswith("numpy"):
        # numpy has no loop for the dtype, as TensorFlow has no kernel for it.
        return errors.InvalidArgumentError(text)
    return errors.InternalError(f"{type(exception).__name__}: {text}")


def located(
    exception: Exception,
    op: Operation,
    name: str,
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor] = (),
) -> errors.OpError:
    """Return the error to raise for a step of node `op` that failed.

    name: the node's full name. fetches, feeds: what the run was asked for, from which the way to the node is told.
    """
    error = as_error(exception)
    if error is not exception:
        error.__cause__ = exception
    if error.node is None or error.node == name:
        error.add_context(node=name, op=op)
    return error.add_context(trail=trail(fetches, feeds, op))


def trail(fetches: Sequence[Tensor | Operation], feeds: Sequence[Tensor], op: Operation) -> tuple[str, ...]:
    """Return the names on a shortest way from a fetch over what it needs to `op`. Empty if there is none."""
    fed = {id(tensor) for tensor in feeds}
    came_from: dict[int, Operation | None] = {}
    queue: deque[Operation] = deque()
    for fetch in fetches:
        start = fetch if isinstance(fetch, Operation) else fetch.op
        if start._id not in came_from:
            came_from[start._id] = None
            queue.append(start)
    while queue:
        current = queue.popleft()
        if current is op:
            names = []
            at: Operation | None = current
            while at is not None:
                names.append(at.name)
                at = came_from[at._id]
            return tuple(reversed(names))
        needed = [tensor.op for tensor in current.inputs if id(tensor) not in fed]
        for other in (*needed, *current.control_inputs):
            if other._id not in came_from:
                came_from[other._id] = current
                queue.append(other)
    return ()
