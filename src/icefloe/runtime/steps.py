"""`Step`: one node of a plan, or one loop of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from icefloe.graph.operation import Operation
from icefloe.runtime import effects


@dataclass(frozen=True, slots=True)
class Loop:
    """What a loop does in each iteration, over `size` slots of its own.

    The condition runs; where the predicate holds the body runs, then the variables take their next values.

    variables: slots that go round; the first inputs of the loop's step are their first values.
    following: for each variable, the slot of its next value; the variable's own where it stays as it is.
    invariants: slots that hold the step's other inputs, the same in each iteration.
    exits: for each output of the step, the slot whose value it is once the predicate does not hold.
    holds: how the predicate is read. cells, used: as in `Plan`.
    """

    condition: tuple[Step, ...]
    body: tuple[Step, ...]
    predicate: int
    variables: tuple[int, ...]
    following: tuple[int, ...]
    invariants: tuple[int, ...]
    exits: tuple[int, ...]
    holds: Callable[[Any], bool]
    cells: frozenset[int]
    used: frozenset[int]
    size: int


@dataclass(frozen=True, slots=True)
class Step:
    """One node of a plan.

    inputs, outputs: slots, in the flat order of the node's tensors. controls: positions in the plan as built of the
    steps that a control edge puts before it. dead: slots that nothing reads after this step.
    watch: slots of which one holding `DEAD` makes this step dead too; see `guards`. flag: the slot that tells others
    whether this step was dead, or None where nobody asks.
    loop: what the step runs where it is a whole loop; then the node is the loop's LoopCond.
    after: slots of fed placeholders that a control edge puts before it; where feeds come in parts it waits for these.
    """

    node: Operation
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    controls: tuple[int, ...] = ()
    dead: tuple[int, ...] = ()
    watch: tuple[int, ...] = ()
    flag: int | None = None
    loop: Loop | None = None
    after: tuple[int, ...] = ()

    def ending(self, dead: tuple[int, ...]) -> Step:
        """Return the step with other `dead` slots; quicker than `replace`."""
        return Step(
            self.node, self.inputs, self.outputs, self.controls, dead, self.watch, self.flag, self.loop, self.after
        )

    @property
    def is_guarded(self) -> bool:
        """Whether it may be dead."""
        return bool(self.watch) or self.flag is not None

    @property
    def writes(self) -> bool:
        """Whether it changes a variable or a table: such a step comes after all that no edge puts behind it."""
        if self.loop is None:
            return effects.writes(self.node.type)
        return any(effects.writes(step.node.type) for step in self.inner())

    def inner(self) -> Iterator[Step]:
        """Yield the steps of single nodes that this is made of, those of loops inside loops too."""
        left = [self]
        while left:
            step = left.pop()
            if step.loop is None:
                yield step
            else:
                left += step.loop.body
                left += step.loop.condition
