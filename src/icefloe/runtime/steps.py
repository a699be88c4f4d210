"""`Step`: one node of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from icefloe.graph.operation import Operation


@dataclass(frozen=True, slots=True)
class Step:
    """One node of a plan.

    inputs, outputs: slots, in the flat order of the node's tensors. controls: positions in the plan as built of the
    steps that a control edge puts before it. dead: slots that nothing reads after this step.
    watch: slots of which one holding `DEAD` makes this step dead too; see `guards`. flag: the slot that tells others
    whether this step was dead, or None where nobody asks.
    """

    node: Operation
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    controls: tuple[int, ...] = ()
    dead: tuple[int, ...] = ()
    watch: tuple[int, ...] = ()
    flag: int | None = None

    @property
    def is_guarded(self) -> bool:
        """Whether it may be dead."""
        return bool(self.watch) or self.flag is not None
