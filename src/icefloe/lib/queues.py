"""Queues of tensors: what one part of a graph, or one thread, puts in, another takes out.

Source: tensorflow/python/ops/data_flow_ops.py (names, rules and messages).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import device, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.seeds import get_seed
from icefloe.graph.tensor import Tensor
from icefloe.lib.scopes import init_scope
from icefloe.shapes import Dimension, TensorShape, as_shape, dimension_value


def as_type_list(dtypes: Any) -> list[Any]:
    """Return one dtype or several as a list."""
    assert dtypes is not None
    return list(dtypes) if isinstance(dtypes, (list, tuple)) else [dtypes]


def as_shape_list(shapes: Any, *, may_be_partial: bool = False) -> list[TensorShape] | None:
    """Return one shape or several as a list, None for None.

    Raises: TypeError for what is no shape; ValueError for unknown sizes, unless `may_be_partial`, and unknown rank.
    """
    if may_be_partial and (
        not isinstance(shapes, Sequence) or not shapes or any(s is None or isinstance(s, int) for s in shapes)
    ):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError(f"Shapes must be a TensorShape or a list or tuple of TensorShapes, got {type(shapes)} instead.")
    if all(shape is None or isinstance(shape, int) for shape in shapes):
        shapes = [shapes]
    found = [as_shape(shape) for shape in shapes]
    if not may_be_partial and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    if any(shape.dims is None for shape in found):
        raise ValueError(f"All shapes must have a defined rank: {found}")
    return found


def _as_name_list(names: Any, dtypes: Sequence[Any]) -> list[str] | None:
    if names is None:
        return None
    if not isinstance(names, (list, tuple)):
        names = [names]
    if len(names) != len(dtypes):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(names)},len(dtypes)={len(dtypes)}"
        )
    return list(names)


def _common(a: TensorShape, b: TensorShape) -> TensorShape:
    """Return what two shapes have in common."""
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return TensorShape(None)
    return TensorShape([m if m is not None and m == n else None for m, n in zip(a.as_list(), b.as_list())])


def values_of(vals: Any) -> Iterable[Any]:
    """Return the values of an element that is given as a list, a dict or a single value."""
    if isinstance(vals, (list, tuple)):
        return vals
    return vals.values() if isinstance(vals, dict) else [vals]


class QueueBase:
    """A queue. Each element is a tuple of tensors, its components, of fixed dtypes and maybe shapes.

    Enqueues wait while the queue is full, dequeues while it has too little, until another thread or another part of
    the same run makes that possible, the queue is closed, or the session is.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Tensor) -> None:
        """dtypes, shapes (or None), names (or None): of the components. queue_ref: the queue's handle.

        Raises: ValueError if they are not of one number.
        """
        self._dtypes = dtypes
        if shapes is not None:
            if len(shapes) != len(dtypes):
                raise ValueError(
                    "Queue shapes must have the same length as dtypes, received "
                    f"len(shapes)={len(shapes)}, len(dtypes)={len(dtypes)}"
                )
            self._shapes = [TensorShape(s) for s in shapes]
        else:
            self._shapes = [TensorShape(None) for _ in dtypes]
        if names is not None and len(names) != len(dtypes):
            raise ValueError(
                f"Queue names must have the same length as dtypes,received len(names)={len(names)},len {len(dtypes)}"
            )
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: Any, queues: list[Any]) -> QueueBase:
        """Return the queue of number `index`, an integer tensor, of queues with the same dtypes and names.

        Raises: TypeError for what is no such list.
        """
        if not queues or not isinstance(queues, list) or not all(isinstance(x, QueueBase) for x in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if not all(first.dtypes == q.dtypes for q in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if not all(first.names == q.names for q in queues[1:]):
            raise TypeError("Queues do not have matching component names.")
        shapes = [functools.reduce(_common, s) for s in zip(*[q.shapes for q in queues])]
        refs = apply_op("Pack", [q.queue_ref for q in queues], name="stack")
        return QueueBase(first.dtypes, shapes, first.names, apply_op("GatherV2", refs, index, 0))

    @property
    def queue_ref(self) -> Tensor:
        """The queue's handle."""
        return self._queue_ref

    @property
    def name(self) -> Any:
        """The name of the queue's node."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[Any]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None."""
        return self._names

    def _op(self, op: str, *inputs: Any, **attrs: Any) -> Any:
        """Add a node on this queue, of the generation that its handle is of."""
        is_resource = self._queue_ref.dtype == datatypes.resource
        return apply_op(f"{op}V2" if is_resource else op, self._queue_ref, *inputs, **attrs)

    def _components(self, vals: Any) -> list[Tensor]:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[k] for k in self._names]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if not isinstance(vals, (list, tuple)):
                vals = [vals]
        return [
            convert_to_tensor(val, dtype=dtype, name=f"component_{i}")
            for i, (val, dtype) in enumerate(zip(vals, self._dtypes))
        ]

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """Return an operation that puts in one element.

        vals: a tensor, a list of tensors, or a dict where the components have names.

        Raises: ValueError for other names or shapes.
        """
        with name_scope(name, f"{self._name}_enqueue", values_of(vals)) as scope:
            tensors = self._components(vals)
            for tensor, shape in zip(tensors, self._shapes):
                tensor.get_shape().assert_is_compatible_with(shape)
            return self._op("QueueEnqueue", tensors, name=scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """Return an operation that puts in the slices of `vals` along their first axis.

        Raises: ValueError for other names or shapes, or tensors of different lengths.
        """
        with name_scope(name, f"{self._name}_EnqueueMany", values_of(vals)) as scope:
            tensors = self._components(vals)
            count = Dimension(None)
            for tensor, shape in zip(tensors, self._shapes):
                count = count.merge_with(Dimension(dimension_value(tensor.get_shape().with_rank_at_least(1)[0])))
                tensor.get_shape()[1:].assert_is_compatible_with(shape)
            return self._op("QueueEnqueueMany", tensors, name=scope)

    def _given(self, tensors: list[Tensor], first: list[Any]) -> Any:
        """Return what was taken: one tensor, a list, or a dict; `first`: dimensions in front of the components'."""
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(TensorShape(first).concatenate(shape))
        if self._names:
            return {name: tensors[i] for i, name in enumerate(self._names)}
        return tensors[0] if len(tensors) == 1 else tensors

    def dequeue(self, name: str | None = None) -> Any:
        """Return the components of an element that is taken out: a tensor, a list of them, or a dict."""
        tensors = self._op("QueueDequeue", component_types=self._dtypes, name=name or f"{self._name}_Dequeue")
        return self._given(tensors, [])

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Return `n` elements that are taken out, as batches. The queue must have been made with shapes."""
        tensors = self._op(
            "QueueDequeueMany", n, component_types=self._dtypes, name=name or f"{self._name}_DequeueMany"
        )
        return self._given(tensors, [constant_value(tensors[0].op.inputs[1])])

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Return `n` elements as batches, or as many as a closed queue has left."""
        tensors = self._op(
            "QueueDequeueUpTo", n, component_types=self._dtypes, name=name or f"{self._name}_DequeueUpTo"
        )
        return self._given(tensors, [None])

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Return an operation that lets nothing more in, once what waits to be put in is in.

        cancel_pending_enqueues: give that up instead.
        """
        return self._op(
            "QueueClose", cancel_pending_enqueues=cancel_pending_enqueues, name=name or f"{self._name}_Close"
        )

    def is_closed(self, name: str | None = None) -> Tensor:
        """Return whether the queue is closed: a bool tensor."""
        return self._op("QueueIsClosed", name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of elements: an int32 tensor."""
        return self._op("QueueSize", name=name or f"{self._name}_Size")


class RandomShuffleQueue(QueueBase):
    """A queue that gives its elements in random order."""

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        """min_after_dequeue: how many elements stay, to be mixed with, while the queue is open.

        The other arguments are those of `FIFOQueue`.
        """
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes)
        names = _as_name_list(names, dtypes)
        seed1, seed2 = get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1, seed2 = 0, 0
        elif seed is None and shared_name is not None:
            # Queues that are shared agree on their seed, whichever graph makes them.
            seed2 = int(hashlib.md5(f"{seed1}{shared_name}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF
        queue_ref = apply_op(
            "RandomShuffleQueueV2",
            component_types=dtypes,
            shapes=shapes,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed1,
            seed2=seed2,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(dtypes, shapes, names, queue_ref)


class FIFOQueue(QueueBase):
    """A queue that gives its elements in the order they came in."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str | None = "fifo_queue",
    ) -> None:
        """capacity: how many elements it holds at most. dtypes, shapes, names: of the components; batches need shapes.

        shared_name: by which other graphs' nodes mean the same queue.
        """
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes)
        names = _as_name_list(names, dtypes)
        with init_scope(), device("CPU"):
            queue_ref = apply_op(
                "FIFOQueueV2",
                component_types=dtypes,
                shapes=shapes,
                capacity=capacity,
                shared_name=shared_name,
                name=name,
            )
        super().__init__(dtypes, shapes, names, queue_ref)


class PaddingFIFOQueue(QueueBase):
    """A queue whose elements may differ in size: batches are padded with zeros to the largest."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        """shapes: a list with one for each component, None where a size differs.

        Raises: ValueError where there is no shape for each component, or one has no rank.
        """
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes, may_be_partial=True)
        names = _as_name_list(names, dtypes)
        if len(dtypes) != len(shapes or ()):
            raise ValueError(
                f"Shapes must be provided for all components, but received {len(dtypes)} dtypes and "
                f"{len(shapes or ())} shapes."
            )
        queue_ref = apply_op(
            "PaddingFIFOQueueV2",
            component_types=dtypes,
            shapes=shapes,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(dtypes, shapes, names, queue_ref)


class PriorityQueue(QueueBase):
    """A queue that gives its elements by priority, the lowest first.

    The first component of each element is the priority, an int64 scalar; `types` and `shapes` are of the others.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        """Arguments as of `FIFOQueue`; names: also of the priority. Raises: TypeError without shapes."""
        types = as_type_list(types)
        shapes = as_shape_list(shapes)
        if shapes is None:
            raise TypeError("Expected list for 'shapes' argument to 'priority_queue_v2' Op, not None.")
        queue_ref = apply_op(
            "PriorityQueueV2",
            component_types=types,
            shapes=shapes,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        all_shapes = [TensorShape([]), *shapes] if shapes else shapes
        super().__init__([datatypes.int64, *types], all_shapes, names, queue_ref)
