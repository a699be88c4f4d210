"""Which steps of a plan with conditionals may be dead, and how they find out.

A guard is the set of ways that a value depends on: (predicate, way, number of ways) for each Switch between. A step's
guard is that of all its inputs and control inputs together; a Merge whose inputs come each by one of all ways of a
predicate is free of it. A step with a guard watches its inputs and, by a flag, its control inputs for `DEAD`.

Nodes of loops, where a plan has them, pass on the guards that their loop has as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from icefloe.runtime import effects
from icefloe.runtime.steps import Step

Guard: TypeAlias = frozenset[tuple[int, int, int]]

_FREE: Guard = frozenset()
_SWITCHES = frozenset(("Switch", "RefSwitch", "_SwitchN"))
_MERGES = frozenset(("Merge", "RefMerge"))
_EXITS = frozenset(("Exit", "RefExit"))
_CONDITIONS = frozenset(("LoopCond",))
# A ControlTrigger waits for both branches of a conditional and runs whichever was taken.
_WATCH_NOTHING = _MERGES | {"ControlTrigger"}


def guarded(steps: Sequence[Step], size: int) -> tuple[list[Step], int, dict[int, Guard]]:
    """Return the steps with `watch` and `flag` filled in, the number of slots, flags included, and slots' guards.

    steps: in order; a loop is one step. size: the number of slots so far. Slots without a guard are not listed.
    """
    analysis = _Analysis(steps)
    asked = {c for p, step in enumerate(steps) if step.node.type not in _WATCH_NOTHING for c in step.controls}
    # What tells whether a step was dead: its flag, of a Merge its output.
    told: dict[int, int] = {}
    flags: dict[int, int] = {}
    for position in sorted(asked):
        if steps[position].node.type in _MERGES:
            told[position] = steps[position].outputs[0]
        elif analysis.of_step[position]:
            told[position] = flags[position] = size
            size += 1
    found = []
    for position, step in enumerate(steps):
        watch: list[int] = []
        if step.node.type not in _WATCH_NOTHING:
            watch = [slot for slot in step.inputs if analysis.of_slot.get(slot)]
            watch += [told[c] for c in step.controls if c in told and analysis.of_step[c]]
        found.append(replace(step, watch=tuple(dict.fromkeys(watch)), flag=flags.get(position)))
    return found, size, analysis.of_slot


class _Analysis:
    """The guard of each step and slot; slots without one are not listed."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._back = _outputs(steps, effects.BACK_EDGES)
        self._turning = _outputs(steps, _CONDITIONS)
        self.of_step: list[Guard] = []
        self.of_slot: dict[int, Guard] = {}
        # A predicate and its copies by Identity count as one.
        self._origin: dict[int, int] = {}
        for position, step in enumerate(steps):
            guard = self._guard(step, position)
            self.of_step.append(guard)
            self._put(step, guard)

    def _guard(self, step: Step, position: int) -> Guard:
        if step.node.type in _MERGES:
            inputs = [self.of_slot.get(slot, _FREE) for slot in step.inputs if slot not in self._back]
            if len(inputs) < len(step.inputs):
                return frozenset.intersection(*inputs) if inputs else _FREE
            return self._merged(inputs, position)
        guard = _FREE
        if step.node.type in _WATCH_NOTHING:
            return guard
        for slot in step.inputs:
            guard |= self.of_slot.get(slot, _FREE)
        for control in step.controls:
            guard |= self.of_step[control]
        if self._turning and step.loop is None and step.node.type in _EXITS:
            guard = frozenset([way for way in guard if way[0] not in self._turning])
        return guard

    @staticmethod
    def _merged(inputs: list[Guard], position: int) -> Guard:
        if not inputs or not all(inputs):
            return _FREE
        common = frozenset.intersection(*inputs)
        rests = [guard - common for guard in inputs]
        if all(len(rest) == 1 for rest in rests):
            ways = {next(iter(rest)) for rest in rests}
            predicates = {(predicate, count) for predicate, _, count in ways}
            if len(predicates) == 1 and len(ways) == next(iter(ways))[2]:
                return common
        # Not seen to be alive always: a guard of its own, which nothing takes away.
        return common | {(-1 - position, 0, 0)}

    def _put(self, step: Step, guard: Guard) -> None:
        if step.node.type in _SWITCHES:
            predicate = self._origin.get(step.inputs[1], step.inputs[1])
            count = len(step.outputs)
            for way, slot in enumerate(step.outputs):
                self.of_slot[slot] = guard | {(predicate, way, count)}
            return
        if step.node.type == "Identity":
            self._origin[step.outputs[0]] = self._origin.get(step.inputs[0], step.inputs[0])
        if guard:
            for slot in step.outputs:
                self.of_slot[slot] = guard


def _outputs(steps: Sequence[Step], types: frozenset[str]) -> frozenset[int]:
    """Return the slots that nodes of these types fill."""
    return frozenset([slot for step in steps if step.loop is None and step.node.type in types for slot in step.outputs])
