"""`Plan`: what a run of some fetches, targets and feeds consists of, as frozen data.

Every tensor that the run computes or is fed has a slot, a number. A `Step` runs one node: it takes the values of its
input slots and fills its output slots. Steps are in an order that respects all edges (see `prune.ordered`). A plan
knows the graph only; `bind` adds kernels and a session's state.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from icefloe.graph.input_check import check_inputs
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.runtime import effects, prune
from icefloe.runtime.steps import Step as Step


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a run.

    tensors: what each slot holds. feeds, fetches: slots, in the order of the request. targets: operations asked for.
    cells: slots that hold a variable's cell where its dtype is a reference, not an array.
    used: slots that are some step's input or a fetch. size: the number of slots; those past `tensors` are flags.
    has_loops: whether it holds V1 loops, which only the general engine runs. fed: the `id` of each fed tensor.
    """

    steps: tuple[Step, ...]
    tensors: tuple[Tensor, ...]
    feeds: tuple[int, ...]
    fetches: tuple[int, ...]
    targets: tuple[Operation, ...]
    cells: frozenset[int]
    used: frozenset[int]
    size: int
    has_loops: bool
    fed: frozenset[int]


def build(fetches: Sequence[Tensor], targets: Sequence[Operation], feeds: Sequence[Tensor]) -> Plan:
    """Return the plan of a request; each of the three holds no duplicates.

    Raises: InvalidArgumentError if the graph has a cycle that is no loop, or a node that was read from a file has
    inputs that its op does not take.
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
        if op._raw is not None:
            check_inputs(op, plain_for_ref=True)
        first = len(tensors)
        made = op.outputs
        # The producer of a fed tensor may run for another output's sake; what it makes of the fed one goes nowhere.
        tensors += made
        outputs.append(tuple(range(first, len(tensors))))
        for number, tensor in enumerate(made, first):
            slots.setdefault(id(tensor), number)
            if tensor.dtype is not None and tensor.dtype._is_ref_dtype:
                cells.add(number)
    steps = []
    for op, numbers in zip(order, outputs):
        inputs = tuple([slots[id(tensor)] for tensor in op.inputs])
        before = op.control_inputs
        controls = tuple([positions[other._id] for other in before if other._id in positions])
        after: tuple[int, ...] = ()
        if len(controls) < len(before):
            after = tuple([slots[id(other.outputs[0])] for other in before if other._id not in positions])
        if cells and op.type in effects.CELL_PASSES and not cells.isdisjoint(inputs):
            cells.add(numbers[0])
            if op.type in ("Switch", "RefSwitch"):
                cells.add(numbers[1])
        steps.append(Step(op, inputs, numbers, controls, after=after))
    types = {op.type for op in order}
    has_loops = not types.isdisjoint(effects.LOOPS)
    size = len(tensors)
    if not has_loops and not types.isdisjoint(effects.CONTROL_FLOW):
        from icefloe.runtime import guards

        steps, size, _ = guards.guarded(steps, size)
    wanted = tuple([slots[id(tensor)] for tensor in fetches])
    used = frozenset(itertools.chain(wanted, *[step.inputs for step in steps]))
    return Plan(
        tuple(steps),
        tuple(tensors),
        tuple(range(fed)),
        wanted,
        tuple(targets),
        frozenset(cells),
        used,
        size,
        has_loops,
        frozenset(id(tensor) for tensor in feeds),
    )


def with_liveness(steps: Sequence[Step], keep: Sequence[int]) -> tuple[Step, ...]:
    """Return the steps with `dead` filled in; slots in `keep` (fetches, constants) stay alive."""
    seen = set(keep)
    result = []
    for step in reversed(steps):
        found = {*step.inputs, *step.outputs}
        if step.watch or step.flag is not None:
            found.update(step.watch)
            found.update(() if step.flag is None else (step.flag,))
        found -= seen
        seen |= found
        result.append(step.ending(tuple(sorted(found))))
    result.reverse()
    return tuple(result)
