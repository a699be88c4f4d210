"""Queue ops of both generations: the handle is a reference or a resource, here always the queue itself.

Source: tensorflow/core/kernels/queue_op.cc, fifo_queue_op.cc, padding_fifo_queue_op.cc, priority_queue_op.cc,
random_shuffle_queue_op.cc (checks and messages), tensorflow/core/ops/data_flow_ops.cc (shapes).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, scalar, unchanged, unknown, with_rank
from icefloe.ops.data_flow.shared import behind, check_signature, full_shapes, shapes_text, shared_or_own, types_text
from icefloe.resources import ResourceManager
from icefloe.resources.elements import fits
from icefloe.resources.queue import UNBOUNDED, FIFOQueue, PaddingFIFOQueue, PriorityQueue, Queue, RandomShuffleQueue
from icefloe.resources.waiting import Pending
from icefloe.shapes import Dims

Waiting = Generator[Pending, None, Any]
Signature = tuple[tuple[DType, ...], tuple[DType, ...]]


class _Request:
    """What a node asks for. Called, it returns the node's queue, once it has seen that the queue is that."""

    def __init__(
        self,
        kind: type[Queue],
        op: str,
        dtypes: tuple[DType, ...],
        shapes: tuple[Dims, ...],
        capacity: int,
        place: tuple[ResourceManager, str, str, str],
        **more: Any,
    ) -> None:
        """place: manager, container, shared name and node. more: what else the queue is made with."""
        self.kind, self.op = kind, op
        self.dtypes, self.shapes = dtypes, shapes
        self.capacity = UNBOUNDED if capacity < 0 else capacity
        self.place = place
        self.more = more
        self._seen: Queue | None = None

    def make(self, name: str) -> Queue:
        """Return a new queue. Raises: InvalidArgumentError if types and shapes are not of one number."""
        if self.shapes and len(self.shapes) != len(self.dtypes):
            raise errors.InvalidArgumentError(
                f"Different number of component types.  Types: {types_text(self.dtypes)}, "
                f"Shapes: {shapes_text(self.shapes)}"
            )
        if self.kind is PaddingFIFOQueue and not self.shapes:
            raise errors.InvalidArgumentError(
                f"Shapes must be provided for all components, but received {len(self.dtypes)} dtypes and 0 shapes."
            )
        return self.kind(name, self.dtypes, self.shapes, self.capacity, **self.more)

    def __call__(self) -> Queue:
        manager, container, shared_name, node = self.place
        found = shared_or_own(manager, Queue, container, shared_name, node, self.make)
        if found is not self._seen:
            self._check(found)
            self._seen = found
        return found

    def _check(self, found: Queue) -> None:
        """Raise InvalidArgumentError in TensorFlow's words if a queue of that shared name is another."""
        if type(found) is not self.kind:
            raise errors.InvalidArgumentError(f"Expected {found.kind}, found {self.op}")
        shared = f"Shared queue '{found.name}' has"
        if found.capacity != self.capacity:
            raise errors.InvalidArgumentError(
                f"{shared} capacity {found.capacity} but requested capacity was {self.capacity}"
            )
        if isinstance(found, RandomShuffleQueue):
            self._check_shuffle(found, shared)
        if found.dtypes != self.dtypes:
            raise errors.InvalidArgumentError(
                f"{shared} component types {types_text(found.dtypes)} "
                f"but requested component types were {types_text(self.dtypes)}"
            )
        shapes = self.shapes
        if isinstance(found, PaddingFIFOQueue):
            is_same = len(shapes) == len(found.shapes) and all(map(fits, found.shapes, shapes))
        else:
            if isinstance(found, PriorityQueue) and not shapes:
                # TensorFlow wants the priority's shape even where the node gives no shapes, and so makes no such queue.
                shapes = ((),)
            is_same = found.shapes == shapes
        if not is_same:
            raise errors.InvalidArgumentError(
                f"{shared} component shapes {shapes_text(found.shapes)} "
                f"but requested component shapes were {shapes_text(shapes)}"
            )

    def _check_shuffle(self, found: RandomShuffleQueue, shared: str) -> None:
        least, seeds = self.more["min_after_dequeue"], self.more["seeds"]
        if found.min_after_dequeue != least:
            raise errors.InvalidArgumentError(
                f"{shared} min_after_dequeue {found.min_after_dequeue} but requested min_after_dequeue was {least}."
            )
        if any(seeds) and found.seeds != seeds:
            raise errors.InvalidArgumentError(f"{shared} random seeds {found.seeds} but requested seeds are {seeds}.")


@kernel("FIFOQueue", "FIFOQueueV2", factory=True, returns="stored")
def fifo_queue(
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[Dims, ...],
    capacity: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Queue]:
    place = manager, container, shared_name, node
    return _Request(FIFOQueue, "FIFOQueueV2", component_types, full_shapes(shapes), capacity, place)


@kernel("PaddingFIFOQueue", "PaddingFIFOQueueV2", factory=True, returns="stored")
def padding_fifo_queue(
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[Dims, ...],
    capacity: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Queue]:
    """A queue with partly known shapes."""
    if None in shapes:
        raise errors.InvalidArgumentError("shape <unknown> must have known rank.")
    place = manager, container, shared_name, node
    return _Request(PaddingFIFOQueue, "PaddingFIFOQueueV2", component_types, shapes, capacity, place)


@kernel("PriorityQueue", "PriorityQueueV2", factory=True, returns="stored")
def priority_queue(
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[Dims, ...],
    capacity: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Queue]:
    """A queue whose elements have the priority, an int64 scalar, as one component more, in front."""
    dtypes = (datatypes.int64, *component_types)
    place = manager, container, shared_name, node
    given: tuple[Dims, ...] = ((), *full_shapes(shapes)) if shapes else ()
    return _Request(PriorityQueue, "PriorityQueueV2", dtypes, given, capacity, place)


@kernel("RandomShuffleQueue", "RandomShuffleQueueV2", factory=True, returns="stored")
def random_shuffle_queue(
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[Dims, ...],
    capacity: int,
    min_after_dequeue: int,
    seed: int,
    seed2: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Queue]:
    if min_after_dequeue < 0:
        raise errors.InvalidArgumentError(f"min_after_dequeue {min_after_dequeue} must be >= 0")
    made = _Request(
        RandomShuffleQueue,
        "RandomShuffleQueueV2",
        component_types,
        full_shapes(shapes),
        capacity,
        (manager, container, shared_name, node),
        min_after_dequeue=min_after_dequeue,
        seeds=(seed, seed2),
    )
    if min_after_dequeue >= made.capacity:
        raise errors.InvalidArgumentError(f"min_after_dequeue {min_after_dequeue} must be < capacity {made.capacity}")
    return made


@kernel("FakeQueue", returns="stored")
def fake_queue(handle: Any) -> Queue:
    """The queue behind a resource handle, as a reference."""
    return behind(handle, Queue)


def _check_timeout(timeout_ms: int) -> None:
    if timeout_ms != -1:
        raise errors.InvalidArgumentError("Timeout not supported yet.")


@kernel("QueueEnqueue", "QueueEnqueueV2", waits=True)
def enqueue(
    handle: Any, components: tuple[Any, ...], *, timeout_ms: int, signature: Signature, fresh: tuple[bool, ...]
) -> Waiting:
    _check_timeout(timeout_ms)
    queue = behind(handle, Queue)
    check_signature(signature, queue.dtypes, ())
    yield from queue.enqueue(components, fresh[1:]).outcome()
    return ()


@kernel("QueueEnqueueMany", "QueueEnqueueManyV2", waits=True)
def enqueue_many(handle: Any, components: tuple[Any, ...], *, timeout_ms: int, signature: Signature) -> Waiting:
    _check_timeout(timeout_ms)
    queue = behind(handle, Queue)
    check_signature(signature, queue.dtypes, ())
    yield from queue.enqueue_many(components).outcome()
    return ()


@kernel("QueueDequeue", "QueueDequeueV2", waits=True)
def dequeue(handle: Any, *, timeout_ms: int, signature: Signature) -> Waiting:
    _check_timeout(timeout_ms)
    queue = behind(handle, Queue)
    check_signature(signature, (), queue.dtypes)
    return (yield from queue.dequeue().outcome())


def _dequeue_batch(op: str, handle: Any, n: Any, timeout_ms: int, signature: Signature) -> Waiting:
    _check_timeout(timeout_ms)
    count = int(np.reshape(n, -1)[0]) if np.size(n) else 0
    if count < 0:
        raise errors.InvalidArgumentError(f"{op} requested {count} < 0 elements")
    queue = behind(handle, Queue)
    check_signature(signature, (datatypes.int32,), queue.dtypes)
    return (yield from queue.dequeue_many(count, op == "DequeueUpToOp").outcome())


@kernel("QueueDequeueMany", "QueueDequeueManyV2", waits=True)
def dequeue_many(handle: Any, n: Any, *, timeout_ms: int, signature: Signature) -> Waiting:
    return (yield from _dequeue_batch("DequeueManyOp", handle, n, timeout_ms, signature))


@kernel("QueueDequeueUpTo", "QueueDequeueUpToV2", waits=True)
def dequeue_up_to(handle: Any, n: Any, *, timeout_ms: int, signature: Signature) -> Waiting:
    """Like dequeue_many, but what a closed queue has left, though at least one element, is enough."""
    return (yield from _dequeue_batch("DequeueUpToOp", handle, n, timeout_ms, signature))


@kernel("QueueClose", "QueueCloseV2", waits=True)
def close(handle: Any, *, cancel_pending_enqueues: bool) -> Waiting:
    yield from behind(handle, Queue).start_closing(cancel_pending_enqueues).outcome()
    return ()


@kernel("QueueIsClosed", "QueueIsClosedV2")
def is_closed(handle: Any) -> np.bool_:
    return np.bool_(behind(handle, Queue).is_closed)


@kernel("QueueSize", "QueueSizeV2")
def size(handle: Any) -> np.int32:
    return np.int32(behind(handle, Queue).size)


@shape("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue", "FakeQueue")
def reference_shape(c: ShapeContext) -> list[Dims]:
    return [(2,)]


@shape("FIFOQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2", "RandomShuffleQueueV2")
def resource_shape(c: ShapeContext) -> list[Dims]:
    return [()]


@shape("QueueEnqueue", "QueueEnqueueV2", "QueueEnqueueMany", "QueueEnqueueManyV2", "QueueCloseV2")
def nothing(c: ShapeContext) -> list[Dims]:
    return []


shape("QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo", "QueueDequeueV2", "QueueDequeueUpToV2")(unknown)
shape("QueueIsClosed", "QueueIsClosedV2")(scalar)


@shape("QueueDequeueManyV2")
def dequeue_many_shape(c: ShapeContext) -> list[Dims]:
    """Refuse a number known to be negative. Components' shapes are the queue's, which the handle does not tell."""
    count = c.constant(1)
    if count is not None and np.ndim(count) == 0 and count < 0:
        raise errors.InvalidArgumentError(f"Input 'n' must be >= 0, but is {int(count)}")
    return [None] * c.num_outputs


@shape("QueueClose")
def close_shape(c: ShapeContext) -> list[Dims]:
    merge(with_rank(c.shape(0), 1), (2,))
    return []


@shape("QueueSize")
def size_shape(c: ShapeContext) -> list[Dims]:
    merge(with_rank(c.shape(0), 1), (2,))
    return [()]


shape("QueueSizeV2")(unchanged)
