"""`Dataflow`: the edges of a plan the way tokens travel, and what kind of node each step is to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe import errors
from icefloe.runtime.bind import Binding, flat_call
from icefloe.runtime.plan import Plan

ENTER, EXIT, NEXT, MERGE, TRIGGER, OTHER = range(6)
_KINDS = {
    "Enter": ENTER,
    "RefEnter": ENTER,
    "Exit": EXIT,
    "RefExit": EXIT,
    "NextIteration": NEXT,
    "RefNextIteration": NEXT,
    "Merge": MERGE,
    "RefMerge": MERGE,
    # Runs whatever its inputs are: it waits for both branches of a conditional.
    "ControlTrigger": TRIGGER,
}


class Dataflow:
    """The edges of a plan the way tokens travel. Shared by all runs of it.

    consumers: for each step, for each of its outputs, pairs of step and input position.
    followers: for each step, those that a control edge puts after it.
    """

    def __init__(self, plan: Plan, bindings: Sequence[Binding], prefix: str = "") -> None:
        """prefix: in front of nodes' names, where somebody observes."""
        self.plan = plan
        self.prefix = prefix
        count = len(plan.steps)
        self.kinds = [OTHER if step.loop else _KINDS.get(step.node.type, OTHER) for step in plan.steps]
        self.calls: list[Callable[..., Any]] = [flat_call(binding) for binding in bindings]
        self.bindings = tuple(bindings)
        self.writes = [step.writes for step in plan.steps]
        self.consumers: list[list[list[tuple[int, int]]]] = [[[] for _ in step.outputs] for step in plan.steps]
        self.followers: list[list[int]] = [[] for _ in range(count)]
        self.of_feeds: dict[int, list[tuple[int, int]]] = {slot: [] for slot in plan.feeds}
        self.waiting = [len(step.inputs) + len(step.controls) for step in plan.steps]
        self.controls = [len(step.controls) for step in plan.steps]
        made = {slot: (p, i) for p, step in enumerate(plan.steps) for i, slot in enumerate(step.outputs)}
        for position, step in enumerate(plan.steps):
            for at, slot in enumerate(step.inputs):
                if slot in self.of_feeds:
                    self.of_feeds[slot].append((position, at))
                else:
                    source, output = made[slot]
                    self.consumers[source][output].append((position, at))
            for control in step.controls:
                self.followers[control].append(position)
        self.frames: list[str] = []
        self.constant: list[bool] = []
        self.enters: dict[str, int] = {}
        self.limits: dict[str, int] = {}
        for position, step in enumerate(plan.steps):
            name, constant = "", False
            if self.kinds[position] == ENTER:
                name, constant = step.node.kernel_attr("frame_name"), step.node.kernel_attr("is_constant")
                self.enters[name] = self.enters.get(name, 0) + 1
                self.limits[name] = max(1, step.node.kernel_attr("parallel_iterations"))
            self.frames.append(name)
            self.constant.append(constant)
        self.fetched = {made[slot][0] for slot in plan.fetches if slot in made}
        for position in self._check_frames(made):
            for slot in plan.steps[position].after:
                self.waiting[position] += 1
                self.controls[position] += 1
                self.of_feeds[slot].append((position, -1))
        self.roots = [p for p in range(count) if not self.waiting[p]]

    def _check_frames(self, made: dict[int, tuple[int, int]]) -> list[int]:
        """Return the steps that are in no loop.

        Raises: InvalidArgumentError for a node whose inputs never meet, because they are in different loops.
        """
        outside = []
        # The frame of a step's outputs, as the path of Enters. Back edges come from later steps of the same frame.
        of: dict[int, tuple[str, ...]] = {}
        for position, step in enumerate(self.plan.steps):
            places: dict[tuple[str, ...], str] = {}
            for slot in step.inputs:
                # What is fed comes from outside of all loops, also in the place of what is made inside of one.
                if slot not in made:
                    places.setdefault((), self.plan.tensors[slot].op.name)
                elif made[slot][0] in of:
                    places.setdefault(of[made[slot][0]], self.plan.tensors[slot].op.name)
            for source in step.controls:
                if source in of:
                    places.setdefault(of[source], self.plan.steps[source].node.name)
            if len(places) > 1:
                said = " ".join(
                    f"The input {{{{node {source}}}}} is in frame '{'/'.join(place)}'."
                    for place, source in places.items()
                )
                name = step.node.name
                raise errors.InvalidArgumentError(
                    f"{{{{node {name}}}}} has inputs from different frames. {said}", node=name
                )
            place = next(iter(places), ())
            if not place:
                outside.append(position)
            if self.kinds[position] == ENTER:
                place = (*place, self.frames[position])
            elif self.kinds[position] == EXIT:
                if not place:
                    raise errors.InvalidArgumentError(
                        "Invalid Exit op: Cannot find a corresponding Enter op.", node=step.node.name
                    )
                place = place[:-1]
            of[position] = place
        return outside
