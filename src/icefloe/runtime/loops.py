"""V1 loops of the standard shape as single steps, which the fast engines run.

    Enter -> Merge -> Switch(LoopCond) -0-> Exit
               ^         -1-> body -> NextIteration
               +------------------------+

`structured` finds for each frame what every iteration runs to get its predicate, what runs where that holds, the
variables that go round and the values that are the same in each iteration, and makes a `Loop` of them. Loops may nest
and hold conditionals. A loop of any other shape stays as it is, and the general engine runs the plan, in which the
other loops are single steps all the same.

Where steps wait for others, a loop stays as it is, too, if one of its steps waits, or if it might have to go on before
a step that waits has ended: it would hold up what it waits for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from icefloe import errors, opdefs
from icefloe.runtime import effects, guards
from icefloe.runtime.plan import Plan
from icefloe.runtime.steps import Loop, Step
from icefloe.shapes import shape_text

# Loops in loops run in calls in calls.
MAX_DEPTH = 30

_ENTERS = ("Enter", "RefEnter")
_EXITS = ("Exit", "RefExit")
_MERGES = ("Merge", "RefMerge")
_SWITCHES = ("Switch", "RefSwitch")
# Modules with ops on what steps wait for.
_SHARED = tuple(f"data_flow.{name}" for name in ("queues", "barriers", "staging", "accumulators", "mutexes", "readers"))


def holds(predicate: Any) -> bool:
    """Return the value of a loop's predicate. Raises: InvalidArgumentError as Switch does where it is no scalar."""
    if np.ndim(predicate):
        raise errors.InvalidArgumentError(
            f"The second input must be a scalar, but it has shape {shape_text(np.shape(predicate))}"
        )
    return bool(predicate)


def _wakes(op_type: str) -> bool:
    """Return whether an op may end the waiting of another step: those of queues, barriers and their like."""
    return (opdefs.module(op_type) or "").startswith(_SHARED)


class _NotStandard(Exception):
    """A loop has another shape."""


def structured(plan: Plan, waiting: Collection[int] = ()) -> Plan | None:
    """Return the plan with each loop that fits as one step, or None if no loop fits.

    waiting: positions of steps that may have to wait. The steps come in an order that respects all edges, but for those
    that lead back in a loop; `has_loops` tells whether loops are left.
    """
    try:
        return _Structuring(plan, waiting).run()
    except _NotStandard:
        return None


def _require(condition: bool) -> None:
    if not condition:
        raise _NotStandard


@dataclass(eq=False)
class _Frame:
    """A loop's frame, or the root. enters: items that lead into it. members: items that run in it, its Exits too."""

    parent: _Frame | None
    depth: int
    enters: list[int] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
    children: dict[str, _Frame] = field(default_factory=dict)
    # Items of it and of the loops inside. stays: whether it is left as it is.
    everything: set[int] = field(default_factory=set)
    stays: bool = False


class _Structuring:
    """Items are steps, by number: first those of the plan in order, then those that stand for whole loops."""

    def __init__(self, plan: Plan, waiting: Collection[int]) -> None:
        self.plan = plan
        self.waiting = frozenset(waiting)
        self.items: list[Step] = list(plan.steps)
        self.maker = {slot: i for i, step in enumerate(plan.steps) for slot in step.outputs}
        # The items that read a slot; and, by item, those that a control edge puts after it. Of the plan's steps only.
        self.readers: dict[int, list[int]] = {}
        self.followers: dict[int, list[int]] = {}
        for i, step in enumerate(plan.steps):
            for slot in step.inputs:
                self.readers.setdefault(slot, []).append(i)
            for control in step.controls:
                self.followers.setdefault(control, []).append(i)
        # What a control edge from an item of a loop to outside waits for.
        self.stands_for: dict[int, int] = {}
        self.root = _Frame(None, 0)
        self.frames: list[_Frame] = []

    def run(self) -> Plan:
        self._find_frames()
        self._keep_what_interleaves()
        for frame in sorted(self.frames, key=lambda frame: -frame.depth):
            if frame.stays or any(child.stays for child in frame.children.values()):
                frame.stays = True
                continue
            stands_for = dict(self.stands_for)
            try:
                _OneLoop(self, frame).collapse()
            except _NotStandard:
                frame.stays = True
                self.stands_for = stands_for
        left = [frame for frame in self.frames if frame.stays]
        _require(len(left) < len(self.frames))
        members = self.root.members + [item for frame in left for item in frame.members]
        found = {slot for item in members for slot in self.items[item].outputs}.union(self.plan.feeds)
        _require(found.issuperset(self.plan.fetches))
        steps = self.arranged(members)
        size = len(self.plan.tensors)
        if any(op.type in effects.CONTROL_FLOW for op in (step.node for step in steps if step.loop is None)):
            guarded, size_with_flags = self.guarded(steps, size, ())
            if not left:
                steps, size = guarded, size_with_flags
        used = frozenset(slot for step in steps for slot in step.inputs).union(self.plan.fetches)
        return replace(self.plan, steps=tuple(steps), size=size, used=used, has_loops=bool(left))

    def _keep_what_interleaves(self) -> None:
        """Mark the loops that must not run as one step beside steps that wait."""
        if not self.waiting:
            return
        late = self._behind(self.waiting)
        steps = self.plan.steps
        writers = {i for i in late if effects.writes(steps[i].node.type)}
        for frame in sorted(self.frames, key=lambda frame: -frame.depth):
            members = [*frame.members, *frame.enters]
            everything = {i for child in frame.children.values() for i in child.everything}.union(members)
            frame.everything = everything
            # It might wake a step that it waits for, or read what one behind such a step is to write.
            wakes = not late.isdisjoint(everything) and any(_wakes(steps[i].node.type) for i in everything)
            stateful = any(
                steps[i].node._is_stateful or not self.plan.cells.isdisjoint(steps[i].inputs) for i in everything
            )
            ahead = bool(writers) and stateful and not writers <= self._behind(everything)
            frame.stays = wakes or ahead or not self.waiting.isdisjoint(everything)

    def _behind(self, start: Iterable[int]) -> set[int]:
        """Return the steps that depend on one of `start`, and those themselves."""
        found: set[int] = set()
        left = list(start)
        while left:
            item = left.pop()
            if item not in found:
                found.add(item)
                left += self.followers.get(item, ())
                for slot in self.plan.steps[item].outputs:
                    left += self.readers.get(slot, ())
        return found

    def _find_frames(self) -> None:
        # The frame of each item's outputs.
        places: list[_Frame] = []
        for i, step in enumerate(self.plan.steps):
            sources = [self.maker.get(slot, -1) for slot in step.inputs]
            found = {self.root if s < 0 else places[s] for s in (*sources, *step.controls) if s < i}
            _require(len(found) <= 1)
            frame = found.pop() if found else self.root
            frame.members.append(i)
            op = step.node
            if op.type in _ENTERS:
                name = op.kernel_attr("frame_name")
                child = frame.children.get(name)
                if child is None:
                    child = frame.children[name] = _Frame(frame, frame.depth + 1)
                    _require(child.depth <= MAX_DEPTH)
                    self.frames.append(child)
                child.enters.append(i)
                places.append(child)
            elif op.type in _EXITS:
                _require(frame.parent is not None)
                places.append(frame.parent or frame)
            else:
                places.append(frame)

    def makers(self, slots: Iterable[int]) -> list[int]:
        return [self.maker[slot] for slot in slots if slot in self.maker]

    def arranged(self, items: Sequence[int], first: frozenset[int] = frozenset()) -> list[Step]:
        """Return the steps of the items in an order that respects their edges, `controls` being positions in it.

        first: items that come before all others.
        """
        order = self.sorted(items, first)
        place = {item: position for position, item in enumerate(order)}
        return [
            replace(
                self.items[item],
                controls=tuple([place[c] for c in dict.fromkeys(self.controls_of(item)) if c in place]),
            )
            for item in order
        ]

    def controls_of(self, item: int) -> list[int]:
        return [self.stands_for.get(c, c) for c in self.items[item].controls]

    def sorted(self, items: Sequence[int], first: frozenset[int] = frozenset()) -> list[int]:
        inside = set(items)
        waiting: dict[int, int] = {}
        followers: dict[int, list[int]] = {item: [] for item in items}
        for item in items:
            before = {b for b in (*self._sources(item), *self.controls_of(item)) if b in inside}
            _require(item not in before)
            for b in before:
                followers[b].append(item)
            waiting[item] = len(before)
        keys = {item: (item not in first, self.items[item].writes, item) for item in items}
        ready = [keys[item] for item in items if not waiting[item]]
        heapify(ready)
        order = []
        while ready:
            item = heappop(ready)[-1]
            order.append(item)
            for follower in followers[item]:
                waiting[follower] -= 1
                if not waiting[follower]:
                    heappush(ready, keys[follower])
        _require(len(order) == len(items))
        return order

    def _sources(self, item: int) -> list[int]:
        """Return the items whose outputs an item reads, but for those of the iteration before."""
        found = self.makers(self.items[item].inputs)
        if self.items[item].node.type in _MERGES:
            return [source for source in found if self.items[source].node.type not in effects.BACK_EDGES]
        return found

    def guarded(self, steps: list[Step], size: int, alive: Iterable[int]) -> tuple[list[Step], int]:
        """Return the steps with their guards and the number of slots. alive: slots that must have none."""
        found, size, of_slot = guards.guarded(steps, size)
        turning = {slot for step in steps if step.node.type == "LoopCond" for slot in step.outputs}
        _require(not any(slot in of_slot for slot in alive))
        for step in found:
            if step.loop is not None and step.watch:
                # A loop of which a part were dead and another alive would still turn. Whether a loop around it, which
                # is left as it is, has ended is no matter: then all of this one is dead.
                ways = {of_slot.get(slot, frozenset()) for slot in step.inputs}
                _require(set(step.watch).issubset(step.inputs))
                _require(len({frozenset([way for way in guard if way[0] not in turning]) for guard in ways}) == 1)
        return found, size


class _OneLoop:
    """Makes one item of a frame's. Loops inside are items already."""

    def __init__(self, whole: _Structuring, frame: _Frame) -> None:
        self.whole = whole
        self.frame = frame
        # A slot whose value is always that of another: of one outside, or of a variable.
        self.alias: dict[int, int] = {}
        self.of_type: dict[str, list[int]] = {}
        for item in frame.members:
            step = whole.items[item]
            if step.loop is None:
                self.of_type.setdefault(step.node.type, []).append(item)
        for name in ("RefExit", "RefNextIteration"):
            _require(name not in self.of_type)
        self.starts: dict[int, int] = {}
        self.nexts: dict[int, int] = {}
        self.exits: dict[int, int] = {}

    def collapse(self) -> None:
        conditions = self.of_type.get("LoopCond", [])
        _require(len(conditions) == 1)
        self.condition = conditions[0]
        self._enters()
        self._variables()
        self._switches()
        self._exits()
        taken = {*self.merges, *self.switches, *self.of_type.get("Exit", ())}
        plain = [item for item in self.frame.members if item not in taken]
        self._replace(self._loop(plain))

    def _enters(self) -> None:
        items, plan = self.whole.items, self.whole.plan
        self.starting: dict[int, int] = {}
        for enter in self.frame.enters:
            step = items[enter]
            if step.node.kernel_attr("is_constant"):
                self.alias[step.outputs[0]] = step.inputs[0]
            else:
                _require(enter not in self.whole.followers and step.outputs[0] not in plan.cells)
                self.starting[step.outputs[0]] = step.inputs[0]

    def _variables(self) -> None:
        whole = self.whole
        back = {whole.items[item].outputs[0] for item in self.of_type.get("NextIteration", ())}
        self.merges = []
        for name in _MERGES:
            for item in self.of_type.get(name, ()):
                step = whole.items[item]
                if back.isdisjoint(step.inputs) and self.starting.keys().isdisjoint(step.inputs):
                    continue  # of a conditional
                _require(name == "Merge" and len(step.inputs) == 2 and not step.controls)
                first, second = step.inputs
                if first in back:
                    first, second = second, first
                _require(first in self.starting and second in back)
                variable, index = step.outputs
                _require(index not in whole.readers and index not in whole.plan.fetches)
                self.merges.append(item)
                self.starts[variable] = self.starting[first]
                self.nexts[variable] = whole.items[whole.maker[second]].inputs[0]
        merges = set(self.merges)
        for slot in (*back, *self.starting):
            _require(merges.issuperset(whole.readers.get(slot, ())))
        for item in self.of_type.get("NextIteration", ()):
            _require(item not in whole.followers)

    def _switches(self) -> None:
        whole = self.whole
        predicate = whole.items[self.condition].outputs[0]
        # Slots that hold a value only where the predicate holds.
        self.inside: set[int] = set()
        self.outside: dict[int, int] = {}
        self.switches = []
        for name in _SWITCHES:
            for item in self.of_type.get(name, ()):
                step = whole.items[item]
                if step.inputs[1] != predicate:
                    continue
                data = step.inputs[0]
                _require(name == "Switch" and (data in self.starts or data in self.alias))
                self.switches.append(item)
                otherwise, held = step.outputs
                self.alias[held] = data
                self.inside.add(held)
                self.outside[otherwise] = data
                whole.stands_for[item] = self.condition

    def _exits(self) -> None:
        whole = self.whole
        exits = set(self.of_type.get("Exit", ()))
        for slot in self.outside:
            _require(exits.issuperset(whole.readers.get(slot, ())) and slot not in whole.plan.fetches)
        for item in self.of_type.get("Exit", ()):
            step = whole.items[item]
            _require(step.inputs[0] in self.outside and not step.controls)
            self.exits[step.outputs[0]] = self.outside[step.inputs[0]]

    def resolve(self, slot: int) -> int:
        while slot in self.alias:
            source = self.alias[slot]
            # What a constant Enter gets is of the surrounding frame: what it stands for there is not ours to ask.
            if slot not in self.inside:
                return source
            slot = source
        return slot

    def _loop(self, plain: Sequence[int]) -> tuple[Loop, list[int], set[int]]:
        """Return the loop, the slots outside that its step reads, and the items that control edges put before it."""
        whole = self.whole
        inside = self._needs_predicate(plain)
        _require(self.condition not in inside)
        _require(inside.issuperset(self.of_type.get("NextIteration", ())))
        steps = whole.arranged(plain, frozenset(set(plain) - inside))
        count = len(plain) - len(inside)
        variables = list(self.starts)
        known = {slot for step in steps for slot in step.outputs}.union(variables)
        sources = dict.fromkeys(
            [
                slot
                for slot in map(self.resolve, [*(s for step in steps for s in step.inputs), *self.exits.values()])
                if slot not in known
            ]
        )
        number = {slot: i for i, slot in enumerate([*variables, *sources])}
        for step in steps:
            for slot in step.outputs:
                number[slot] = len(number)
        steps = [
            replace(
                step,
                inputs=tuple([number[self.resolve(slot)] for slot in step.inputs]),
                outputs=tuple([number[slot] for slot in step.outputs]),
            )
            for step in steps
        ]
        size = len(number)
        following = [number[self.resolve(self.nexts[slot])] for slot in variables]
        predicate = number[whole.items[self.condition].outputs[0]]
        if any(step.node.type in (*_SWITCHES, *_MERGES, "_SwitchN") for step in steps if step.loop is None):
            nexts = [step.outputs[0] for step in steps if step.node.type == "NextIteration"]
            steps, size = whole.guarded(steps, size, [predicate, *following, *nexts])
        loop = Loop(
            condition=tuple(steps[:count]),
            body=tuple(steps[count:]),
            predicate=predicate,
            variables=tuple(range(len(variables))),
            following=tuple(following),
            invariants=tuple(range(len(variables), len(variables) + len(sources))),
            exits=tuple([number[self.resolve(slot)] for slot in self.exits.values()]),
            holds=holds,
            cells=frozenset([i for slot, i in number.items() if slot in whole.plan.cells]),
            used=frozenset([i for slot, i in number.items() if slot in whole.plan.used]),
            size=size,
        )
        controls = {c for enter in self.frame.enters for c in whole.controls_of(enter)}
        return loop, [*self.starts.values(), *sources], controls

    def _needs_predicate(self, plain: Sequence[int]) -> set[int]:
        """Return the items that run only where the predicate holds."""
        whole = self.whole
        found: set[int] = set()
        # These run when the loop ends, too: what follows one must have another reason to be inside.
        triggers = set(self.of_type.get("ControlTrigger", ()))
        for item in whole.sorted(plain):
            step = whole.items[item]
            controls = found.intersection(whole.controls_of(item))
            if (
                not self.inside.isdisjoint(step.inputs)
                or not found.isdisjoint(whole.makers(step.inputs))
                or not controls <= triggers
            ):
                found.add(item)
            elif controls:
                _require(item in triggers)
                found.add(item)
        return found

    def _replace(self, made: tuple[Loop, list[int], set[int]]) -> None:
        whole, frame = self.whole, self.frame
        loop, inputs, controls = made
        item = len(whole.items)
        node = whole.items[self.condition].node
        after = dict.fromkeys(slot for i in (*frame.enters, *frame.members) for slot in whole.items[i].after)
        whole.items.append(Step(node, tuple(inputs), tuple(self.exits), tuple(controls), loop=loop, after=tuple(after)))
        for slot in self.exits:
            whole.maker[slot] = item
        for gone in (*self.of_type.get("Exit", ()), *frame.enters):
            whole.stands_for[gone] = item
        parent = frame.parent
        assert parent is not None
        enters = set(frame.enters)
        parent.members = [m for m in parent.members if m not in enters] + [item]
