"""Which nodes a run needs: those that fetches and targets reach over data and control edges, up to the feeds."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from heapq import heappop, heappush

from icefloe import errors
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.runtime import effects


def needed(fetches: Iterable[Tensor], targets: Iterable[Operation], feeds: Collection[Tensor]) -> dict[int, Operation]:
    """Return the operations to run, by id, in no particular order.

    A fed tensor's producer is not needed for it. A fed placeholder counts as run where it is a control input.
    """
    fed = {id(tensor) for tensor in feeds}
    found: dict[int, Operation] = {}
    stack = list(targets)
    stack += [tensor.op for tensor in fetches if id(tensor) not in fed]
    while stack:
        op = stack.pop()
        key = op._id
        if key in found:
            continue
        found[key] = op
        for tensor in op.inputs:
            if id(tensor) not in fed and tensor.op._id not in found:
                stack.append(tensor.op)
        for other in op.control_inputs:
            if other._id not in found and not _is_fed_placeholder(other, fed):
                stack.append(other)
    return found


def _is_fed_placeholder(op: Operation, fed: set[int]) -> bool:
    return op.type in effects.PLACEHOLDERS and id(op.outputs[0]) in fed


def ordered(nodes: dict[int, Operation], feeds: Collection[Tensor]) -> list[Operation]:
    """Return the nodes so that each comes after what it depends on by a data or control edge.

    Among nodes that no edge orders, those that write to variables come last, then the order is that of their creation.
    The back edges of V1 loops, from NextIteration to Merge, order nothing.

    Raises: InvalidArgumentError if the graph has another cycle.
    """
    fed = {id(tensor) for tensor in feeds}
    waiting: dict[int, int] = {}
    followers: dict[int, list[int]] = {key: [] for key in nodes}
    ready: list[tuple[bool, int]] = []
    for key, op in nodes.items():
        before = set()
        for tensor in op.inputs:
            if id(tensor) not in fed and tensor.op.type not in effects.BACK_EDGES:
                before.add(tensor.op._id)
        for other in op.control_inputs:
            if other._id in nodes:
                before.add(other._id)
        for other_key in before:
            followers[other_key].append(key)
        if before:
            waiting[key] = len(before)
        else:
            heappush(ready, (effects.writes(op.type), key))
    order = []
    while ready:
        _, key = heappop(ready)
        order.append(nodes[key])
        for follower in followers[key]:
            left = waiting[follower] - 1
            waiting[follower] = left
            if not left:
                heappush(ready, (effects.writes(nodes[follower].type), follower))
    if len(order) < len(nodes):
        done = {op._id for op in order}
        stuck = min(key for key in nodes if key not in done)
        raise errors.InvalidArgumentError(
            f"Graph is invalid, contains a cycle with {len(nodes) - len(order)} nodes: one goes through this node",
            node=nodes[stuck].name,
        )
    return order
