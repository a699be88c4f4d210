"""Partial runs: one run of a plan whose feeds come in several calls.

Each step runs once, as soon as all feeds it depends on are there, whether its output is fetched in that call or not.
What a call asks for is checked before anything of it happens, so a refused call changes nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.ops.flow.dead import DEAD
from icefloe.runtime import failures, general, keeping, program, routine
from icefloe.runtime.bind import Scope, read_cell
from icefloe.runtime.context import RunContext
from icefloe.runtime.dataflow import Dataflow
from icefloe.runtime.interpret import Slots, closure
from icefloe.runtime.plan import Plan

# Seconds between two looks whether a call that waits for its turn may still wait.
_LOOK_EVERY = 0.5

# The partial runs that a step is under way of, on this thread or the one that waits for it.
_stepping: contextvars.ContextVar[frozenset[int]] = contextvars.ContextVar("stepping", default=frozenset())

UNKNOWN_HANDLE = "Must run 'setup' before performing partial runs!"


class PartialPlan:
    """What partial runs of the same fetches, targets and feeds share.

    needs: for each step, the feeds it depends on, directly or not, as the bits of a number.
    """

    def __init__(self, plan: Plan, scope: Scope, *, node_by_node: bool = False) -> None:
        """node_by_node: run on the general engine, loops too, so that the context's observer sees each node.

        Raises: UnimplementedError if an op has no kernel; what kernels' factories raise. Both name the node."""
        given = self.plan = plan
        self.scope = scope
        bound = program.bind_steps(plan, scope)
        self.keeps_feeds = keeping.keeps_feeds(plan, scope.functions)
        self.flow: Dataflow | None = None
        self.code: list[Callable[[Slots], None]] = []
        waiting = [i for i, binding in enumerate(bound) if binding.waits or binding.blocks]
        if node_by_node:
            self.flow = Dataflow(plan, bound)
        elif plan.has_loops:
            self.plan = plan = self._with_loops(plan, waiting)
            ready = {id(step.node): binding for step, binding in zip(given.steps, bound)}
            setup = routine.Setup(ready, self._fail_at, "auto", optimized=True)
            self.flow = Dataflow(plan, routine.with_loops(plan.steps, plan.cells, setup))
        elif waiting:
            self.flow = Dataflow(plan, bound)
        else:
            self.code = [closure(step, binding) for step, binding in zip(plan.steps, bound)]
        self.unfed = program.unfed(plan)
        # One bit more stands for placeholders that are no feeds of this run: what depends on one never runs.
        self.never = 1 << len(plan.feeds)
        self.slot_needs = [0] * len(plan.tensors)
        for i, slot in enumerate(plan.feeds):
            self.slot_needs[slot] = 1 << i
        self.needs = [0] * len(plan.steps)
        while self._spread_needs() and plan.has_loops:  # values go round in loops, so what they need does
            pass
        self.uses = [0] * len(plan.tensors)
        for step in plan.steps:
            for slot in step.inputs:
                self.uses[slot] += 1
        for slot in plan.fetches:
            self.uses[slot] += 1
        self.slot_of = {id(plan.tensors[slot]): slot for slot in (*plan.feeds, *plan.fetches)}
        self.positions = {step.node: position for position, step in enumerate(plan.steps)}

    def _with_loops(self, plan: Plan, waiting: Sequence[int]) -> Plan:
        """Return the plan with its loops as single steps, unless a target is inside of one."""
        from icefloe.runtime import loops

        made = loops.structured(plan, waiting)
        if made is None or not {step.node for step in made.steps}.issuperset(plan.targets):
            return plan
        return made

    def _fail_at(self, op: Operation, exception: Exception) -> errors.OpError:
        return program.located(self.plan, self.scope, exception, op)

    def _spread_needs(self) -> bool:
        """Add to each step's needs those of its inputs; return whether that changed any."""
        changed = False
        for position, step in enumerate(self.plan.steps):
            mask = self.never if step.node in self.unfed else 0
            for slot in step.inputs:
                mask |= self.slot_needs[slot]
            for slot in step.after:
                mask |= self.slot_needs[slot]
            for control in step.controls:
                mask |= self.needs[control]
            if mask != self.needs[position]:
                self.needs[position] = mask
                changed = True
            for slot in step.outputs:
                self.slot_needs[slot] = mask
        return changed


class PartialRun:
    """One run in parts. Calls from several threads take turns."""

    def __init__(self, shared: PartialPlan) -> None:
        plan = shared.plan
        self._shared = shared
        self._slots: Slots = [None] * (plan.size + 1)
        self._uses = list(shared.uses)
        self._fed = 0
        self._is_released = False
        self._pending_steps = list(range(len(plan.steps)))
        self.pending_feeds: dict[int, Tensor] = {slot: plan.tensors[slot] for slot in plan.feeds}
        self.pending_fetches: dict[int, Tensor | Operation] = {
            id(plan.tensors[s]): plan.tensors[s] for s in plan.fetches
        }
        self.pending_fetches.update({id(op): op for op in plan.targets})
        self._asked = frozenset(self.pending_fetches)
        self._lock = threading.Lock()
        self._execution = None if shared.flow is None else general.Execution(shared.flow, _weak(self._fail))

    @property
    def is_over(self) -> bool:
        """Whether everything was fed and fetched, or the run was released."""
        return not self._slots or not (self.pending_feeds or self.pending_fetches)

    def release(self) -> None:
        """Forget all values; the run cannot go on."""
        self._slots = []
        self._is_released = True
        execution, self._execution = self._execution, None
        if execution is not None and not execution.is_running:
            execution.abandon()
        self._pending_steps = []
        self.pending_feeds = {}
        self.pending_fetches = {}

    def step(
        self, elements: Sequence[Tensor | Operation], feeds: Sequence[Tensor], values: Sequence[Any], context: Any
    ) -> list[Any]:
        """Feed `values` to `feeds`, run what can run, and return the values of the tensors among `elements`.

        Raises: InvalidArgumentError for what was not set up, comes twice or too early; then nothing has happened. An
        error of a step names its node and ends this partial run.
        """
        with self._turn(context):
            if self.is_over:
                raise errors.InvalidArgumentError(UNKNOWN_HANDLE)
            slots = self._check_feeds(feeds)
            fed = self._fed
            for slot in slots:
                fed |= self._shared.slot_needs[slot]
            self._check_fetches(elements, fed)
            self._fed = fed
            is_last = len(slots) == len(self.pending_feeds) and len(elements) == len(self.pending_fetches)
            if not is_last or self._shared.keeps_feeds:
                # The caller may use his arrays again before a later call reads what is left of them here.
                values = keeping.own(values)
            for slot, value in zip(slots, values):
                del self.pending_feeds[slot]
                if self._execution is not None:
                    self._execution.feed(slot, value)
                elif self._uses[slot]:
                    self._slots[slot] = value
            self._slots[-1] = context
            with np.errstate(all="ignore"):
                try:
                    if self._execution is None:
                        self._run_ready()
                    else:
                        self._advance(self._execution, context, elements)
                except BaseException:
                    self.release()  # what has run must not run again
                    raise
                if self._is_released:
                    raise errors.CancelledError("The partial run was released, or its session closed, while it ran")
                return self._take(elements)

    @contextlib.contextmanager
    def _turn(self, context: RunContext) -> Iterator[None]:
        """Wait until no other thread is in a step of this run.

        Raises: InvalidArgumentError from inside of a step, which would wait for itself; as `context.check` meanwhile.
        """
        outer = _stepping.get()
        if id(self) in outer:
            raise errors.InvalidArgumentError(
                "A step of this partial run cannot make another one of it: set up a handle of its own for that"
            )
        while not self._lock.acquire(timeout=_LOOK_EVERY):
            context.check()
        token = _stepping.set(outer | {id(self)})
        try:
            yield
        finally:
            _stepping.reset(token)
            self._lock.release()

    def _fail(self, position: int, exception: Exception) -> errors.OpError:
        """Return the error of a step, after which this run is over."""
        self.release()
        shared = self._shared
        return program.located(shared.plan, shared.scope, exception, shared.plan.steps[position].node)

    def _advance(self, execution: general.Execution, context: Any, elements: Sequence[Tensor | Operation]) -> None:
        """Run what can run. Steps that nothing asked for needs may go on waiting for what a later call feeds."""
        shared = self._shared
        wanted = {shared.slot_of[id(e)] for e in elements if not isinstance(e, Operation)}
        slots = {slot for slot in wanted if self._slots[slot] is None}
        steps = {shared.positions[e] for e in elements if isinstance(e, Operation)}
        execution.context = context
        execution.advance(lambda: slots <= execution.results.keys() and steps <= execution.done)
        for slot in self._shared.plan.fetches:
            if slot in execution.results:
                self._slots[slot] = execution.results.pop(slot)
            elif slot in slots:
                # Nothing runs or waits that could make it: a loop that it comes from has no end.
                self._slots[slot] = DEAD

    def _check_feeds(self, feeds: Sequence[Tensor]) -> list[int]:
        slots = []
        declared = len(self._shared.plan.feeds)
        for tensor in feeds:
            slot = self._shared.slot_of.get(id(tensor))
            if slot is None or slot >= declared:
                raise errors.InvalidArgumentError(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if slot not in self.pending_feeds:
                raise errors.InvalidArgumentError(f"The feed {tensor.name} has already been fed.")
            slots.append(slot)
        return slots

    def _check_fetches(self, elements: Sequence[Tensor | Operation], fed: int) -> None:
        shared = self._shared
        for element in elements:
            if id(element) not in self._asked:
                raise errors.InvalidArgumentError(f"The fetch {element.name} was not specified in partial_run_setup.")
            if id(element) not in self.pending_fetches:
                raise errors.InvalidArgumentError(f"The fetch {element.name} has already been fetched.")
            if isinstance(element, Operation):
                needs = shared.needs[shared.positions[element]]
            else:
                needs = shared.slot_needs[shared.slot_of[id(element)]]
            if needs & shared.never:
                raise self._never_fed(element)
            missing = needs & ~fed
            if missing:
                names = [shared.plan.tensors[s].name for s in shared.plan.feeds if missing & shared.slot_needs[s]]
                raise errors.InvalidArgumentError(
                    f"Fetch {element.name} can't be computed from the feeds that have been fed so far. "
                    f"Still missing: {', '.join(names)}."
                )

    def _never_fed(self, element: Tensor | Operation) -> errors.OpError:
        """Return the error for a fetch that needs a placeholder which this run never gets."""
        plan = self._shared.plan
        feeds = [plan.tensors[slot] for slot in plan.feeds]
        missing = [op for op in self._shared.unfed if failures.trail([element], feeds, op)]
        return program.missing_feed(plan, self._shared.scope, missing)

    def _run_ready(self) -> None:
        shared = self._shared
        slots, uses = self._slots, self._uses
        left = []
        position = -1
        try:
            for position in self._pending_steps:
                if shared.needs[position] & ~self._fed:
                    left.append(position)
                    continue
                shared.code[position](slots)
                step = shared.plan.steps[position]
                for slot in step.inputs:
                    uses[slot] -= 1
                    if not uses[slot]:
                        slots[slot] = None
                for slot in step.outputs:
                    if not uses[slot]:
                        slots[slot] = None
        except Exception as exception:
            error = self._fail(position, exception)
            raise error from error.__cause__
        self._pending_steps = left

    def _take(self, elements: Sequence[Tensor | Operation]) -> list[Any]:
        slots = self._slots
        fetches = [self._shared.slot_of[id(e)] for e in elements if not isinstance(e, Operation)]
        # Held once more, so that the caller gets a copy of what later steps read.
        kept = [slots[slot] for slot in fetches if self._uses[slot] > 1]
        values = program.take(slots, fetches, self._read)
        del kept
        for slot in fetches:
            self._uses[slot] -= 1
            if not self._uses[slot] or self._execution is not None:
                slots[slot] = None
        for element in elements:
            del self.pending_fetches[id(element)]
        if self.is_over:
            self.release()
        return values

    def _read(self, slot: int, value: Any) -> Any:
        return read_cell(value) if slot in self._shared.plan.cells else value


def _weak(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `method` without holding its object, so that dropping a run gives up what waits."""
    found = weakref.WeakMethod(method)

    def call(*args: Any) -> Any:
        bound = found()
        assert bound is not None
        return bound(*args)

    return call
