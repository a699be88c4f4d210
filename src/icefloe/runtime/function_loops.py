"""Loops whose condition and body are functions, as a `Loop` of their bodies' steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from icefloe import errors
from icefloe.graph.operation import Operation
from icefloe.runtime import effects, program, routine
from icefloe.runtime.bind import Binding, Scope
from icefloe.runtime.plan import Plan
from icefloe.runtime.steps import Loop, Step

if TYPE_CHECKING:
    from icefloe.runtime.functions import Callee
    from icefloe.runtime.loop_runner import LoopRunner


@dataclass(frozen=True, slots=True)
class Built:
    """A function as one place calls it. order: for each result its place among the plan's fetches, or None."""

    plan: Plan
    scope: Scope
    order: tuple[int | None, ...]


class FunctionLoop:
    """The kernel of a While node. It is made ready when it first runs, so that recursion ends where calls do."""

    def __init__(self, op: Operation, condition: Callee, body: Callee, engine: str) -> None:
        self._op = op
        self._condition = condition
        self._body = body
        self._engine = engine
        self._run: Callable[..., tuple[Any, ...]] | None = None
        self._lock = threading.RLock()

    def __call__(self, inputs: tuple[Any, ...], *, run: Any) -> tuple[Any, ...]:
        if run is not None and run.observer is not None:
            return self._call_by_call(*inputs, run=run)
        return (self._run or self._prepare(len(inputs)))(*inputs, run=run)

    def _prepare(self, count: int) -> Callable[..., tuple[Any, ...]]:
        with self._lock:
            if self._run is None:
                self._run = self._runner(count) or self._call_by_call
            return self._run

    def _call_by_call(self, *inputs: Any, run: Any) -> tuple[Any, ...]:
        from icefloe.ops.flow.functional import while_loop

        return while_loop(inputs, cond=self._condition, body=self._body, run=run)

    def _runner(self, count: int) -> LoopRunner | None:
        """Return what runs the loop, or None where it takes more than steps of the fast engines."""
        from icefloe.runtime.loop_runner import LoopRunner

        if self._engine == "general":
            return None
        parts = [_structured(made.built()) for made in (self._condition, self._body)]
        if any(part is None for part in parts):
            return None
        condition, body = (part for part in parts if part is not None)
        if len(condition.order) != 1 or len(body.order) != count or None in (*condition.order, *body.order):
            return None
        if len(condition.plan.feeds) != count or len(body.plan.feeds) != count:
            return None
        bindings: dict[int, Binding] = {}
        owners: dict[int, Built] = {}
        for part in (condition, body):
            inner = [step for outer in part.plan.steps for step in outer.inner()]
            bound = program.bind_steps(replace(part.plan, steps=tuple(inner)), part.scope)
            if any(binding.waits or binding.blocks for binding in bound):
                return None
            for step, binding in zip(inner, bound):
                bindings[id(step.node)] = binding
                owners[id(step.node)] = part
        loop = _joined(condition, body, count)
        slots = tuple(range(count))
        setup = routine.Setup(bindings, _failing(owners), self._engine, optimized=True)
        return LoopRunner(Step(self._op, slots, slots, loop=loop), {}, setup)


def _failing(owners: Mapping[int, Built]) -> Callable[[Operation, Exception], errors.OpError]:
    def fail(op: Operation, exception: Exception) -> errors.OpError:
        owner = owners[id(op)]
        return program.located(owner.plan, owner.scope, exception, op)

    return fail


def _structured(built: Built) -> Built | None:
    """Return the function with its V1 loops as steps, or None where something keeps it from the fast engines."""
    plan = built.plan
    if program.unfed(plan):
        return None
    if plan.has_loops:
        from icefloe.runtime import loops

        fitting = loops.structured(plan)
        if fitting is None:
            return None
        plan = fitting
    if any(step.node.type in effects.CONTROL_FLOW for step in plan.steps if step.loop is None):
        from icefloe.runtime import guards

        of_slot = guards.guarded(plan.steps, plan.size)[2]
        if any(slot in of_slot for slot in plan.fetches):
            return None
    if any(slot in plan.cells for slot in (*plan.feeds, *plan.fetches)):
        return None
    return replace(built, plan=plan)


def _joined(condition: Built, body: Built, count: int) -> Loop:
    """Return the loop over the variables that are the arguments of both functions: in both plans, the first slots."""
    from icefloe.ops.flow.functional import truth

    shift = condition.plan.size - count

    def moved(slot: int) -> int:
        return slot if slot < count else slot + shift

    (place,) = condition.order
    return Loop(
        condition=condition.plan.steps,
        body=tuple([_moved(step, moved) for step in body.plan.steps]),
        predicate=condition.plan.fetches[place or 0],
        variables=tuple(range(count)),
        following=tuple([moved(body.plan.fetches[place or 0]) for place in body.order]),
        invariants=(),
        exits=tuple(range(count)),
        holds=truth,
        cells=condition.plan.cells.union(map(moved, body.plan.cells)),
        used=condition.plan.used.union(map(moved, body.plan.used)),
        size=body.plan.size + shift,
    )


def _moved(step: Step, moved: Callable[[int], int]) -> Step:
    def all_moved(slots: Sequence[int]) -> tuple[int, ...]:
        return tuple([moved(slot) for slot in slots])

    return replace(
        step,
        inputs=all_moved(step.inputs),
        outputs=all_moved(step.outputs),
        watch=all_moved(step.watch),
        flag=None if step.flag is None else moved(step.flag),
    )
