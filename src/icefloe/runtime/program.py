"""`Program`: a plan bound to a session's state and optimized, which runs on the engine that suits."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.ops.flow.dead import DEAD
from icefloe.resources import Variable
from icefloe.runtime import effects, failures, general, optimize
from icefloe.runtime.bind import Binding, Scope, bind, read_cell
from icefloe.runtime.codegen import Compiled
from icefloe.runtime.interpret import Code, Slots, assemble, interpret
from icefloe.runtime.plan import Plan, with_liveness

# A plan that has run this often is worth compiling: that costs about as much as thirty interpreted runs.
HOT = 50


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
        self.plan = plan
        self.scope = scope
        missing = unfed(plan)
        if missing:
            raise missing_feed(plan, scope, missing)
        self._flow: general.Dataflow | None = None
        self._template: Slots = [None] * (plan.size + 1)
        self._feeds = plan.feeds
        self._code: Code | None = None
        self._compiled: Compiled | None = None
        self.runs = 0
        self._compile_after = {"auto": HOT, "codegen": 0}.get(engine, sys.maxsize)
        bound = bind_steps(plan, scope)
        if plan.has_loops or engine == "general" or any(binding.waits for binding in bound):
            self._use_general(bound)
            return
        draft = optimize.Draft(plan, plan.steps, bound, {}, plan.fetches)
        if optimized:
            draft = optimize.optimize(draft)
        bindings = list(draft.bindings)
        for position, fresh in optimize.ownership(draft).items():
            bindings[position] = bind(draft.steps[position], plan, scope, fresh)
        used = {slot for step in draft.steps for slot in step.inputs}.union(draft.fetches)
        self.constants = {slot: value for slot, value in draft.constants.items() if slot in used}
        self.fetches = draft.fetches
        keep = [*self.fetches, *self.constants]
        self.steps = with_liveness(draft.steps, keep)
        self.bindings: tuple[Binding, ...] = tuple(bindings)
        for slot, value in self.constants.items():
            self._template[slot] = value

    def _use_general(self, bound: tuple[Binding, ...]) -> None:
        plan = self.plan
        self._flow = general.Dataflow(plan, bound)
        self.steps, self.bindings, self.fetches = plan.steps, bound, plan.fetches
        # The engine does not need these; errors about variables without a value do.
        self.constants = {
            step.outputs[0]: binding.function(**binding.keywords)
            for step, binding in zip(plan.steps, bound)
            if step.node.type in effects.HANDLES
        }

    def fail(self, position: int, exception: Exception) -> errors.OpError:
        """Return the error to raise for the step at `position`."""
        step = self.steps[position]
        error = located(self.plan, self.scope, exception, step.node)
        self._name_uninitialized(error)
        return error

    def _name_uninitialized(self, error: errors.OpError) -> None:
        """Where a variable without a value was used, name all that the run uses and that have none."""
        if isinstance(error, (errors.FailedPreconditionError, errors.NotFoundError)):
            empty = self.uninitialized()
            if len(empty) > 1 and any(error.message == said for v in empty for said in v.complaints()):
                names = ", ".join(v.name for v in empty)
                error.add_context(hint=f"Uninitialized variables that this run uses: {names}.")

    def uninitialized(self) -> list[Variable]:
        """Return the variables without a value that the run reads, in the order of first use."""
        found: dict[int, Variable] = {}
        for step, binding in zip(self.steps, self.bindings):
            for position, slot in enumerate(step.inputs):
                value = self.constants.get(slot)
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
        with np.errstate(all="ignore"):
            return take(self._execute(feeds, context), self.fetches, self._read)

    def call(self, feeds: Sequence[Any], context: Any) -> list[Any]:
        """Return the values of the fetches as slots of a surrounding run hold them: they may be shared.

        Raises: OpError that names the node that failed.
        """
        slots = self._execute(feeds, context)
        values = [self._read(slot, slots[slot]) for slot in self.fetches]
        for i, value in enumerate(values):
            if value is DEAD:
                raise errors.InvalidArgumentError(f"Retval[{i}] does not have value")
        return values

    def _execute(self, feeds: Sequence[Any], context: Any) -> Slots:
        slots = self._template.copy()
        if self._flow is not None:
            self._execute_generally(self._flow, feeds, context, slots)
            return slots
        for slot, value in zip(self._feeds, feeds):
            slots[slot] = value
        slots[-1] = context
        if self._compiled is not None:
            self._compiled(slots, self.fail)
        else:
            self._warm(slots)
        return slots

    def _execute_generally(self, flow: general.Dataflow, feeds: Sequence[Any], context: Any, slots: Slots) -> None:
        execution = general.Execution(flow, self.fail, context)
        for slot, value in zip(self._feeds, feeds):
            execution.feed(slot, value)
        execution.advance()
        for slot in self.fetches:
            slots[slot] = execution.results.get(slot, DEAD)

    def _warm(self, slots: Slots) -> None:
        self.runs += 1
        if self.runs > self._compile_after:
            compiled = self.compile()
            assert compiled is not None
            compiled(slots, self.fail)
            return
        if self._code is None:
            self._code = assemble(self.steps, self.bindings)
        interpret(self._code, slots, self.fail)

    def compile(self) -> Compiled | None:
        """Compile now, as `make_callable` wants it; None where the general engine runs the plan."""
        if self._compiled is None and self._flow is None:
            self._compiled = Compiled(self.steps, self.bindings, self.constants, self.fetches)
            self._code = None
        return self._compiled

    def _read(self, slot: int, value: Any) -> Any:
        """Return the array of a fetched reference, after the last step."""
        if slot not in self.plan.cells:
            return value
        try:
            return read_cell(value)
        except errors.FailedPreconditionError as error:
            self._name_uninitialized(error)
            raise located(self.plan, self.scope, error, self.plan.tensors[slot].op) from None


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
        base = value.base
        if base is None:
            if flags.owndata:
                return value
        elif type(base) is np.ndarray and base.base is None and base.flags.owndata and base.nbytes == value.nbytes:
            del base
            if _count_of_base(value) == _ONLY_VIEW:
                return value
    return np.array(value, order="C", copy=True)
