"""SparseTensors in queues of batches: kept in a map of the session, with their handles in the queue.

Source: tensorflow/python/training/input.py (nodes and messages).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import colocate_with
from icefloe.graph.operation import Operation
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones
from icefloe.lib.array_select import gather
from icefloe.lib.array_shape import expand_dims, shape, squeeze
from icefloe.lib.control import with_dependencies
from icefloe.lib.smart_cond import smart_cond
from icefloe.lib.sparse_layout import sparse_retain

_STORING = ("AddSparseToTensorsMap", "AddManySparseToTensorsMap")


@dataclass(frozen=True)
class SparseInfo:
    """What is known of a component of a queue. map_op: the node that keeps it; None where it is no SparseTensor."""

    map_op: Operation | None
    rank: int | None

    def __str__(self) -> str:
        name = None if self.map_op is None else self.map_op.name
        return f"[SparseMetaData({self.map_op is not None}, {name}, {self.rank})]"

    def agrees(self, other: SparseInfo) -> bool:
        """Return whether both can be the same component."""
        return self.map_op is other.map_op and (None in (self.rank, other.rank) or self.rank == other.rank)


def _store(t: SparseTensor, op: str, shared_name: str | None) -> Tensor:
    made: Tensor = apply_op(op, t.indices, t.values, t.dense_shape, shared_name=shared_name)
    return made


def _stored(t: Any, enqueue_many: bool, keep_input: Tensor, map_op: Operation | None) -> Any:
    """Return handles of a SparseTensor; another tensor as it is."""
    if not isinstance(t, SparseTensor):
        return t
    name = None if map_op is None else map_op.name
    one, many = _STORING
    if keep_input.shape.ndims == 1:
        kept = sparse_retain(t, gather(keep_input, t.indices[:, 0]))
        return _store(kept, many, name)
    if not enqueue_many:
        return smart_cond(keep_input, lambda: _store(t, one, name), lambda: constant(-1, datatypes.int64))
    made = smart_cond(keep_input, lambda: _store(t, many, name), lambda: -1 * ones(shape(t)[0:1], datatypes.int64))
    made.set_shape([None])
    return made


def _storing_op(stored: Tensor) -> Operation:
    """Return the node that keeps a SparseTensor, which may be in a branch."""
    return next((i.op for i in stored.op.inputs if i.op.type in _STORING), stored.op)


def store_sparse(
    tensors: Sequence[Any], enqueue_many: bool, keep_input: Tensor, shared: Sequence[SparseInfo] | None = None
) -> tuple[list[Any], list[SparseInfo]]:
    """Return tensors for a queue, handles in place of SparseTensors, and what is needed to get these back.

    shared: of another list of tensors for the same queue.
    """
    maps = [info.map_op for info in shared] if shared else [None] * len(tensors)
    stored = [_stored(t, enqueue_many, keep_input, op) for t, op in zip(tensors, maps)]
    infos = []
    for t, s, op in zip(tensors, stored, maps):
        if not isinstance(t, SparseTensor):
            infos.append(SparseInfo(None, None))
            continue
        rank = t.dense_shape.shape.with_rank(1).as_list()[0]
        if rank is not None and enqueue_many:
            rank -= 1
        infos.append(SparseInfo(op or _storing_op(s), rank))
    return [expand_dims(s, [-1]) if info.map_op else s for s, info in zip(stored, infos)], infos


def store_sparse_join(
    lists: Sequence[Sequence[Any]], enqueue_many: bool, keep_input: Tensor
) -> tuple[list[list[Any]], list[SparseInfo]]:
    """Return what `store_sparse` does for several lists of tensors that go into one queue.

    Raises: ValueError where one has a SparseTensor and another has not, or of another rank.
    """
    first, infos = store_sparse(lists[0], enqueue_many, keep_input)
    stored = [first]
    for tensors in lists[1:]:
        made, others = store_sparse(tensors, enqueue_many, keep_input, infos)
        if not all(map(SparseInfo.agrees, infos, others)):
            raise ValueError(f"Inconsistent SparseTensors list: {lists[0]} vs. {tensors}")
        stored.append(made)
    return stored, infos


def _taken(info: SparseInfo, handles: Tensor) -> SparseTensor:
    op = info.map_op
    assert op is not None
    with colocate_with(op):
        shared_name = op.get_attr("shared_name") or op.name
        indices, values, dims = apply_op(
            "TakeManySparseFromTensorsMap",
            handles,
            dtype=op.get_attr("T"),
            container=op.get_attr("container"),
            shared_name=shared_name,
        )
    rank = None if info.rank is None else info.rank + 1
    indices.set_shape([None, rank])
    dims.set_shape([rank])
    return SparseTensor(indices, values, dims)


def restore_sparse(dequeued: Any, infos: Sequence[SparseInfo]) -> Any:
    """Return what was dequeued, a tensor or a list, with SparseTensors in place of handles.

    All are available only when all SparseTensors have been taken out of their maps.
    """
    is_list = isinstance(dequeued, Sequence)
    tensors = [
        _taken(info, squeeze(s, [1])) if info.map_op else s
        for s, info in zip(dequeued if is_list else (dequeued,), infos)
    ]
    if any(isinstance(t, SparseTensor) for t in tensors):
        values = [t.values if isinstance(t, SparseTensor) else t for t in tensors]
        tensors = [_after(values, t) for t in tensors]
    return tensors if is_list else tensors[0]


def _after(values: list[Any], t: Any) -> Any:
    if isinstance(t, SparseTensor):
        parts = (t.indices, t.values, t.dense_shape)
        return SparseTensor(*[with_dependencies(values, part) for part in parts])
    return with_dependencies(values, t)
