"""`Routine`: bound steps made ready for the fast engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from icefloe.graph.operation import Operation
from icefloe.runtime import optimize
from icefloe.runtime.bind import Binding
from icefloe.runtime.plan import with_liveness
from icefloe.runtime.steps import Step


@dataclass(frozen=True, slots=True)
class Setup:
    """What the steps of a program, those of its loops included, have in common.

    bindings: by the id of a node. fail: makes the error to raise of a node and its exception.
    engine: as in `Program`.
    """

    bindings: Mapping[int, Binding]
    fail: Callable[[Operation, Exception], Exception]
    engine: str
    optimized: bool

    def bound(self, steps: Sequence[Step]) -> tuple[Binding, ...]:
        """Return the bindings of steps; those of loops hold their place until `prepare`."""
        return tuple([self.bindings[id(step.node)] if step.loop is None else _loop_binding(step) for step in steps])


def _loop_binding(step: Step, run: Callable[..., Any] | None = None) -> Binding:
    flat = tuple(range(len(step.inputs)))
    return Binding(run or _no_loop, flat, per_run=True, bare=False, returns="stored")


def _no_loop(*values: Any, run: Any) -> Any:
    raise AssertionError("the loop was not prepared")


@dataclass(frozen=True, slots=True)
class Routine:
    """Steps ready to run. constants: values of slots that steps or fetches read and that are the same in every run."""

    steps: tuple[Step, ...]
    bindings: tuple[Binding, ...]
    constants: dict[int, Any]
    fetches: tuple[int, ...]


def prepare(draft: optimize.Draft, setup: Setup) -> Routine:
    """Return the steps after all passes, with what each kernel may keep, and its loops ready to run."""
    if setup.optimized:
        draft = optimize.optimize(draft)
    bindings = list(draft.bindings)
    for position, fresh in optimize.ownership(draft).items():
        binding = bindings[position]
        bindings[position] = replace(binding, keywords={**binding.keywords, "fresh": fresh})
    for position, step in enumerate(draft.steps):
        if step.loop is not None:
            bindings[position] = _loop_ready(step, draft.constants, setup)
    used = {slot for step in draft.steps for slot in step.inputs}.union(draft.fetches)
    constants = {slot: value for slot, value in draft.constants.items() if slot in used}
    steps = with_liveness(draft.steps, [*draft.fetches, *constants])
    return Routine(steps, tuple(bindings), constants, draft.fetches)


def with_loops(steps: Sequence[Step], cells: frozenset[int], setup: Setup) -> tuple[Binding, ...]:
    """Return the bindings of steps that run one by one, as they are; those of loops are ready to run."""
    bindings = setup.bound(steps)
    if all(step.loop is None for step in steps):
        return bindings
    known: dict[int, Any] = {}
    if setup.optimized:
        plain = [(step, binding) for step, binding in zip(steps, bindings) if step.loop is None]
        draft = optimize.Draft(cells, tuple([s for s, _ in plain]), tuple([b for _, b in plain]), {}, ())
        known = optimize.fold_constants(optimize.resolve_handles(draft)).constants
    return tuple([b if step.loop is None else _loop_ready(step, known, setup) for step, b in zip(steps, bindings)])


def _loop_ready(step: Step, constants: Mapping[int, Any], setup: Setup) -> Binding:
    from icefloe.runtime.loop_runner import LoopRunner

    known = {i: constants[slot] for i, slot in enumerate(step.inputs) if slot in constants}
    return _loop_binding(step, LoopRunner(step, known, setup))
