"""`Program`: a plan bound to a session's state and optimized, which runs on the engine that suits."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Generator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from icefloe import errors
from icefloe.graph import collector
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.machine import blas, memory, threads
from icefloe.ops.flow.dead import DEAD
from icefloe.resources import Variable
from icefloe.runtime import effects, failures, keeping, optimize, routine
from icefloe.runtime.bind import Binding, Scope, bind, read_cell
from icefloe.runtime.interpret import RUN, Code, Slots, assemble, interpret, interpret_timed
from icefloe.runtime.plan import Plan

if TYPE_CHECKING:
    from icefloe.runtime import dataflow, general
    from icefloe.runtime.codegen import Compiled

# A plan that has run this often is worth compiling: that costs about as much as thirty interpreted runs.
HOT = 50

_NAMES_SHOWN = 20  # of the variables without a value, in a message


def bind_steps(plan: Plan, scope: Scope) -> tuple[Binding, ...]:
    """Return the bindings of a plan's steps. Raises: what `bind.bind` does."""
    found = []
    for step in plan.steps:
        try:
            found.append(bind(step, plan, scope))
        except Exception as exception:
            error = located(plan, scope, exception, step.node)
            raise error from error.__cause__
    return tuple(found)


def located(plan: Plan, scope: Scope, exception: Exception, op: Operation) -> errors.OpError:
    """Return the error to raise where node `op` failed in a run of `plan`."""
    fetches: list[Tensor | Operation] = [*[plan.tensors[slot] for slot in plan.fetches], *plan.targets]
    return failures.located(exception, op, scope.name(op), fetches, [plan.tensors[slot] for slot in plan.feeds])


def unfed(plan: Plan) -> list[Operation]:
    """Return the placeholders that the plan needs and that are not fed."""
    return [step.node for step in plan.steps if step.node.type in effects.PLACEHOLDERS]


def missing_feed(plan: Plan, scope: Scope, missing: Sequence[Operation]) -> errors.OpError:
    """Return the error about the first of the placeholders that are not fed; it lists the others."""
    step = next(step for step in plan.steps if step.node is missing[0])
    binding = bind(step, plan, scope)
    try:
        binding.function(**binding.keywords)
    except errors.OpError as error:
        others = ", ".join(repr(op.name) for op in missing[1:])
        hint = f"Not fed either: {others}." if others else None
        return located(plan, scope, error, missing[0]).add_context(hint=hint)
    return errors.InternalError("the kernel of a placeholder returned", node=missing[0].name)


class Program:
    """What runs the fetches, targets and feeds of one plan in one session. Several threads may run it at once.

    engine: "auto" compiles a program that proves hot and runs one with loops on the general engine; the others,
    "interpret", "codegen" and "general", are for tests and tracing.
    """

    def __init__(self, plan: Plan, scope: Scope, engine: str = "auto", *, optimized: bool = True) -> None:
        """Raises: UnimplementedError if an op has no kernel, InvalidArgumentError if a placeholder is not fed, and
        what kernels' factories raise; all name the node."""
        self.plan = self.whole = plan
        self.scope = scope
        missing = unfed(plan)
        if missing:
            bind_steps(plan, scope)  # a node that cannot run whatever is fed is the worse fault, as in TensorFlow
            raise missing_feed(plan, scope, missing)
        self._flow: dataflow.Dataflow | None = None
        self._observed: dataflow.Dataflow | None = None
        self._code: Code | None = None
        self._compiled: Compiled | None = None
        self._copies_feeds = keeping.keeps_feeds(plan, scope.functions)
        self.runs = 0
        self._holds_blas = False
        self._compile_after = {"auto": HOT, "codegen": 0}.get(engine, sys.maxsize)
        bound = bind_steps(plan, scope)
        waiting = [i for i, binding in enumerate(bound) if binding.waits or binding.blocks]
        whole = plan
        if plan.has_loops and engine != "general":
            from icefloe.runtime import loops

            whole = loops.structured(plan, waiting) or plan
        self._seen = _Seen(plan, bound) if plan.has_loops else None
        ready = {id(step.node): binding for step, binding in zip(plan.steps, bound)}
        if not whole.has_loops and waiting and engine != "general":
            nodes = {id(plan.steps[i].node) for i in waiting}
            alone = _waiting_alone(whole, nodes)
            if alone is not None:
                whole, waiting = alone, []
                ready = {key: _in_place(binding) for key, binding in ready.items()}
        setup = routine.Setup(ready, self._fail_at, engine, optimized)
        if whole.has_loops or engine == "general" or waiting:
            self._use_general(whole, setup)
            return
        self.plan = whole
        targets = frozenset(map(id, whole.targets))
        draft = optimize.Draft(whole.cells, whole.steps, setup.bound(whole.steps), {}, whole.fetches, targets)
        made = routine.prepare(draft, setup)
        self.steps, self.bindings = made.steps, made.bindings
        self.constants, self.fetches = made.constants, made.fetches
        self._template: Slots = [None] * (whole.size + 1)
        for slot, value in self.constants.items():
            self._template[slot] = value

    def _use_general(self, plan: Plan, setup: routine.Setup) -> None:
        from icefloe.runtime.dataflow import Dataflow

        self.plan = plan
        self.steps, self.fetches = plan.steps, plan.fetches
        self.bindings = routine.with_loops(plan.steps, plan.cells, setup)
        self._flow = Dataflow(plan, self.bindings)
        self._seen = self._seen or _Seen(plan, self.bindings)
        self.constants = self._seen.constants

    @property
    def engine(self) -> str:
        """The engine that runs it now: "general", "interpret" or "codegen"."""
        if self._flow is not None:
            return "general"
        return "interpret" if self._compiled is None else "codegen"

    def fail(self, position: int, exception: Exception) -> errors.OpError:
        """Return the error to raise for the step at `position`."""
        return self._fail_at(self.steps[position].node, exception)

    def _fail_at(self, op: Operation, exception: Exception) -> errors.OpError:
        error = located(self.plan, self.scope, exception, op)
        self._name_uninitialized(error)
        return error

    def _name_uninitialized(self, error: errors.OpError) -> None:
        """Where a variable without a value was used, name all that the run uses and that have none."""
        if isinstance(error, (errors.FailedPreconditionError, errors.NotFoundError)):
            empty = self.uninitialized()
            if len(empty) > 1 and any(error.message == said for v in empty for said in v.complaints()):
                names = ", ".join(v.name for v in empty[:_NAMES_SHOWN])
                more = f" and {len(empty) - _NAMES_SHOWN} more" if len(empty) > _NAMES_SHOWN else ""
                error.add_context(hint=f"Uninitialized variables that this run uses: {names}{more}.")

    def uninitialized(self) -> list[Variable]:
        """Return the variables without a value that the run reads, in the order of first use."""
        found: dict[int, Variable] = {}
        seen = self._seen or self
        for step, binding in zip(seen.steps, seen.bindings):
            for position, slot in enumerate(step.inputs):
                value = seen.constants.get(slot)
                if isinstance(value, Variable) and not value.initialized:
                    if position in binding.reads or _needs_value(step.node, position):
                        found.setdefault(id(value), value)
        for slot in self.fetches:
            value = self.constants.get(slot)
            if slot in self.plan.cells and isinstance(value, Variable) and not value.initialized:
                found.setdefault(id(value), value)
        return list(found.values())

    def run(self, feeds: Sequence[Any], context: Any = None) -> list[Any]:
        """Return the values of the fetches, which are the caller's own. feeds: a value for each feed of the plan.

        Raises: OpError that names the node that failed.
        """
        if self._copies_feeds:
            feeds = keeping.own(feeds)
        width = self.scope.threads
        if width or self._holds_blas:
            with np.errstate(all="ignore"), blas.alone, threads.using(width):
                return take(self._values(feeds, context), range(len(self.fetches)), self._read)
        entered = blas.alone.entered
        with np.errstate(all="ignore"):
            made = take(self._values(feeds, context), range(len(self.fetches)), self._read)
        # To enter once in each of the next runs costs less than for each product, and nothing where there are none.
        self._holds_blas = blas.alone.entered != entered
        return made

    def call(self, feeds: Sequence[Any], context: Any) -> list[Any]:
        """Return the values of the fetches as slots of a surrounding run hold them: they may be shared.

        Raises: OpError that names the node that failed.
        """
        values = self._values(feeds, context)
        for i, value in enumerate(values):
            if value is DEAD:
                raise errors.InvalidArgumentError(f"Retval[{i}] does not have value")
            if isinstance(value, Variable):
                values[i] = self._read(i, value)
        return values

    def _values(self, feeds: Sequence[Any], context: Any) -> list[Any]:
        self.runs += 1
        if context is not None and context.observer is not None:
            return self._values_generally(self._observable(), feeds, context)
        timed = context is not None and context.deadline is not None
        if self._compiled is not None and not timed:
            return self._compiled(feeds, context, self.fail)
        if self._flow is not None:
            return self._values_generally(self._flow, feeds, context)
        if self.runs > self._compile_after and not timed:
            compiled = self.compile()
            assert compiled is not None
            return compiled(feeds, context, self.fail)
        code = self._code
        if code is None:
            with collector.paused():
                code = self._code = assemble(self.steps, self.bindings)
        slots = self._template.copy()
        for slot, value in zip(self.plan.feeds, feeds):
            slots[slot] = value
        slots[RUN] = context
        (interpret_timed if timed else interpret)(code, slots, self.fail)
        return [slots[slot] for slot in self.fetches]

    def _values_generally(self, flow: dataflow.Dataflow, feeds: Sequence[Any], context: Any) -> list[Any]:
        execution = self._begin(flow, feeds, context)
        execution.advance()
        return [execution.results.pop(slot, DEAD) for slot in flow.plan.fetches]

    def _begin(self, flow: dataflow.Dataflow, feeds: Sequence[Any], context: Any) -> general.Execution:
        from icefloe.runtime.general import Execution

        steps = flow.plan.steps
        execution = Execution(flow, lambda p, exception: self._fail_at(steps[p].node, exception), context)
        for slot, value in zip(flow.plan.feeds, feeds):
            execution.feed(slot, value)
        return execution

    def _observable(self) -> dataflow.Dataflow:
        """Return all nodes of the plan as they stand in the graph."""
        if self._observed is None:
            from icefloe.runtime.dataflow import Dataflow

            bound = bind_steps(self.whole, self.scope)
            self._observed = Dataflow(self.whole, bound, self.scope.prefix)
        return self._observed

    def trace(self, feeds: Sequence[Any], context: Any) -> Generator[None, None, list[Any]]:
        """Run step by step: each of the nodes that a fetch needs, one per `next`. The context's observer sees it.

        Returns what `run` does. Raises: OpError that names the node that failed.
        """
        if self._copies_feeds:
            feeds = keeping.own(feeds)
        execution = self._begin(self._observable(), feeds, context)
        with contextlib.closing(execution.stepwise()) as steps:
            while True:
                with np.errstate(all="ignore"):
                    try:
                        next(steps)
                    except StopIteration:
                        break
                yield
        values = [execution.results.pop(slot, DEAD) for slot in self.whole.fetches]
        return take(values, range(len(values)), self._read)

    def compile(self) -> Compiled | None:
        """Compile now, as `make_callable` wants it; None where the general engine runs the plan."""
        if self._compiled is None and self._flow is None:
            from icefloe.runtime.codegen import Compiled

            self._compiled = Compiled(
                self.steps, self.bindings, self.constants, self.plan.feeds, self.fetches, self.plan.size
            )
            self._code = None
        return self._compiled

    def _read(self, index: int, value: Any) -> Any:
        """Return the array of a fetched reference, after the last step."""
        slot = self.plan.fetches[index]
        if slot not in self.plan.cells:
            return value
        try:
            return read_cell(value)
        except errors.FailedPreconditionError as error:
            self._name_uninitialized(error)
            raise located(self.plan, self.scope, error, self.plan.tensors[slot].op) from None


def _in_place(binding: Binding) -> Binding:
    if not binding.waits:
        return binding
    from icefloe.runtime import cooperative

    return cooperative.in_place(binding)


def _waiting_alone(plan: Plan, waiting: Collection[int]) -> Plan | None:
    """Return the plan with its step that waits after all that does not need it; None where that cannot be.

    waiting: ids of nodes.
    """
    places = [i for i, step in enumerate(plan.steps) if id(step.node) in waiting]
    if len(places) != 1:
        return None
    from icefloe.runtime import cooperative

    found = cooperative.waiting_last(plan, places[0])
    return None if found is None else found[0]


class _Seen:
    """The steps of a plan as errors about variables without a value look at them, where a run does not show them."""

    def __init__(self, plan: Plan, bound: tuple[Binding, ...]) -> None:
        self.steps, self.bindings = plan.steps, bound
        self.constants = {
            step.outputs[0]: binding.function(**binding.keywords)
            for step, binding in zip(plan.steps, bound)
            if step.node.type in effects.HANDLES
        }


def _needs_value(op: Operation, position: int) -> bool:
    """Return whether `op` fails if the variable it gets as input `position` has no value."""
    signature = op.signature
    if signature is None or op.inputs[position].dtype._is_ref_dtype:
        return signature is not None and not signature.allows_uninitialized_input
    return effects.needs_value(op.type)


def _count(slots: Slots, slot: int) -> int:
    return sys.getrefcount(slots[slot])


def _count_of_base(array: np.ndarray[Any, Any]) -> int:
    return sys.getrefcount(array.base)


# What the two above say of an array that only its slot, or only one view, holds.
_ONLY_SLOT = _count([np.empty(1)], 0)
_ONLY_VIEW = _count_of_base(np.empty(2)[:1])


def take(slots: Slots, fetches: Sequence[int], read: Any) -> list[Any]:
    """Return the values of `fetches` as the caller's own: copied unless the slot is all that holds the memory.

    Arrays come out contiguous and writable, those of rank 0 as numpy scalars, a scalar string as bytes, quantized ones
    as plain integers.
    """
    values = []
    for i, slot in enumerate(fetches):
        value = slots[slot]
        if type(value) is np.ndarray:
            if value.ndim == 0:
                value = value[()]
            else:
                del value
                value = _own(slots, slot)
        elif isinstance(value, Variable):
            value = read(slot, value)
            if type(value) is np.ndarray:
                value = value[()] if value.ndim == 0 else value.copy()
        elif value is DEAD:
            raise errors.InvalidArgumentError(
                f"Retval[{i}] does not have value: it is in the branch of a conditional that was not taken"
            )
        if isinstance(value, (np.ndarray, np.void)) and value.dtype.names:
            value = value[value.dtype.names[0]]
        values.append(value)
    return values


def _own(slots: Slots, slot: int) -> Any:
    alone = _count(slots, slot) == _ONLY_SLOT
    value = slots[slot]
    flags = value.flags
    if alone and flags.c_contiguous and flags.writeable:
        if memory.is_owner(value):
            return value
        base = value.base
        if type(base) is np.ndarray and memory.is_owner(base) and base.nbytes == value.nbytes:
            del base
            if _count_of_base(value) == _ONLY_VIEW:
                return value
    return np.array(value, order="C", copy=True)
