"""`Plan`: what a run of some fetches, targets and feeds consists of, as frozen data.

Every tensor that the run computes or is fed has a slot, a number. A `Step` runs one node: it takes the values of its
input slots and fills its output slots. Steps are in an order that respects all edges (see `prune.ordered`). A plan
knows the graph only; `bind` adds kernels and a session's state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.runtime import effects, prune


@dataclass(frozen=True, slots=True)
class Step:
    """One node of a plan.

    inputs, outputs: slots, in the flat order of the node's tensors. controls: positions in the plan as built of the
    steps that a control edge puts before it. dead: slots that nothing reads after this step.
    """

    node: Operation
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    controls: tuple[int, ...] = ()
    dead: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a run.

    tensors: what each slot holds. feeds, fetches: slots, in the order of the request. targets: operations asked for.
    cells: slots that hold a variable's cell where its dtype is a reference, not an array.
    control_flow: whether it holds V1 control flow, which only the general engine runs.
    """

    steps: tuple[Step, ...]
    tensors: tuple[Tensor, ...]
    feeds: tuple[int, ...]
    fetches: tuple[int, ...]
    targets: tuple[Operation, ...]
    cells: frozenset[int]
    control_flow: bool


def build(fetches: Sequence[Tensor], targets: Sequence[Operation], feeds: Sequence[Tensor]) -> Plan:
    """Return the plan of a request; each of the three holds no duplicates.

    Raises: InvalidArgumentError if the graph has a cycle that is no loop.
    """
    nodes = prune.needed(fetches, targets, feeds)
    order = prune.ordered(nodes, feeds)
    tensors: list[Tensor] = list(feeds)
    slots = {id(tensor): i for i, tensor in enumerate(tensors)}
    fed = len(slots)
    positions = {op._id: i for i, op in enumerate(order)}
    cells: set[int] = set()
    outputs: list[tuple[int, ...]] = []
    for op in order:
        numbers = []
        for tensor in op.outputs:
            number = slots.get(id(tensor))
            # The producer of a fed tensor may run for another output's sake; what it makes of the fed one goes nowhere.
            if number is None or number < fed:
                number = len(tensors)
                tensors.append(tensor)
                slots.setdefault(id(tensor), number)
            numbers.append(number)
            if tensor.dtype is not None and tensor.dtype._is_ref_dtype:
                cells.add(number)
        outputs.append(tuple(numbers))
    steps = []
    for op, made in zip(order, outputs):
        inputs = tuple([slots[id(tensor)] for tensor in op.inputs])
        controls = tuple([positions[other._id] for other in op.control_inputs if other._id in positions])
        if op.type in effects.CELL_PASSES and any(i in cells for i in inputs):
            cells.add(made[0])
            if op.type in ("Switch", "RefSwitch"):
                cells.add(made[1])
        steps.append(Step(op, inputs, made, controls))
    return Plan(
        tuple(steps),
        tuple(tensors),
        tuple(range(fed)),
        tuple([slots[id(tensor)] for tensor in fetches]),
        tuple(targets),
        frozenset(cells),
        any(op.type in effects.CONTROL_FLOW for op in order),
    )


def with_liveness(steps: Sequence[Step], keep: Sequence[int]) -> tuple[Step, ...]:
    """Return the steps with `dead` filled in; slots in `keep` (fetches, constants) stay alive."""
    seen = set(keep)
    result = []
    for step in reversed(steps):
        dead = []
        for slot in {*step.inputs, *step.outputs}:
            if slot not in seen:
                seen.add(slot)
                dead.append(slot)
        result.append(replace(step, dead=tuple(sorted(dead))))
    result.reverse()
    return tuple(result)
