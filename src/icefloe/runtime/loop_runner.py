"""`LoopRunner`: runs the steps of a loop, first interpreted, then compiled."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from icefloe.runtime import optimize
from icefloe.runtime.bind import Binding
from icefloe.runtime.codegen import CHUNK, TURNS, CompiledLoop
from icefloe.runtime.interpret import RUN, Code, Slots, assemble, interpret, look
from icefloe.runtime.routine import Routine, Setup, prepare
from icefloe.runtime.steps import Loop, Step

# A loop that has turned this often is worth compiling.
HOT_TURNS = 200


class LoopRunner:
    """Runs a loop: called with the first values of its variables and its invariants, it returns those of its exits."""

    def __init__(self, step: Step, known: Mapping[int, Any], setup: Setup) -> None:
        """known: values of inputs that are the same in every run, by position."""
        assert step.loop is not None
        self._setup = setup
        routine, self.loop = _prepare_loop(step.loop, known, setup)
        loop = self.loop
        self._bindings = routine.bindings
        self._constants = routine.constants
        condition = {id(step.node) for step in loop.condition}
        self._count = sum(1 for step in routine.steps if id(step.node) in condition)
        self._steps = _with_values_that_stay(routine.steps, self._count, loop)
        self._inputs = (*loop.variables, *loop.invariants)
        self._template: Slots = [None] * (loop.size + 1)
        for slot, value in self._constants.items():
            self._template[slot] = value
        self._turning = tuple([(v, f) for v, f in zip(loop.variables, loop.following) if v != f])
        self._code: tuple[Code, Code] | None = None
        self._compiled: CompiledLoop | None = None
        self._lock = threading.Lock()
        self.turns = 0
        self._compile_after = {"auto": HOT_TURNS, "codegen": 0}.get(setup.engine, sys.maxsize)
        if len(self._steps) > CHUNK:
            self._compile_after = sys.maxsize

    @property
    def condition(self) -> tuple[tuple[Step, ...], tuple[Binding, ...]]:
        """The steps that give the predicate, after all passes, and their bindings."""
        return self._steps[: self._count], self._bindings[: self._count]

    @property
    def body(self) -> tuple[tuple[Step, ...], tuple[Binding, ...]]:
        """The steps that run where the predicate holds, after all passes, and their bindings."""
        return self._steps[self._count :], self._bindings[self._count :]

    @property
    def source(self) -> str | None:
        """The loop as the fast engine runs it, or None before it is compiled."""
        return None if self._compiled is None else self._compiled.source

    def __call__(self, *values: Any, run: Any) -> tuple[Any, ...]:
        if self._compiled is None and self.turns >= self._compile_after:
            self._compile()
        if self._compiled is not None:
            return self._compiled(values, run, self._fail)
        slots = self._template.copy()
        slots[RUN] = run
        for slot, value in zip(self._inputs, values):
            slots[slot] = value
        return self._interpret(slots, run)

    def _interpret(self, slots: Slots, run: Any) -> tuple[Any, ...]:
        parts = self._code
        if parts is None:
            code = assemble(self._steps, self._bindings)
            parts = self._code = code[: self._count], code[self._count :]
        condition, body = parts
        loop, fail, count = self.loop, self._fail, self._count
        timed = run is not None and run.deadline is not None
        left = TURNS
        while True:
            interpret(condition, slots, fail)
            try:
                if not loop.holds(slots[loop.predicate]):
                    return tuple([slots[slot] for slot in loop.exits])
            except Exception as exception:
                error = fail(max(0, count - 1), exception)
                raise error from error.__cause__
            interpret(body, slots, fail, count)
            following = [slots[f] for _, f in self._turning]
            for (variable, _), value in zip(self._turning, following):
                slots[variable] = value
            del following
            self.turns += 1
            left -= 1
            if timed or not left:
                left = look(run, TURNS)
            if self.turns >= self._compile_after:
                self._compile()
                assert self._compiled is not None
                values = [slots[slot] for slot in self._inputs]
                slots.clear()
                return self._compiled(values, run, fail)

    def _compile(self) -> None:
        with self._lock:
            if self._compiled is None:
                self._compiled = CompiledLoop(self.loop, self._steps, self._count, self._bindings, self._constants)
                self._code = None

    def _fail(self, position: int, exception: Exception) -> Exception:
        if not self._steps:
            return self._setup.fail(self.loop.condition[0].node, exception)
        return self._setup.fail(self._steps[position].node, exception)


def _prepare_loop(loop: Loop, known: Mapping[int, Any], setup: Setup) -> tuple[Routine, Loop]:
    """Return the routine of a loop's condition and body, and the loop with the slots that it has then."""
    count = len(loop.variables)
    constants = {loop.invariants[i - count]: value for i, value in known.items() if i >= count}
    for i, (variable, following) in enumerate(zip(loop.variables, loop.following)):
        if variable == following and i in known:
            constants[variable] = known[i]
    steps = (*loop.condition, *loop.body)
    fetches = (loop.predicate, *loop.following, *loop.exits)
    draft = optimize.Draft(loop.cells, steps, setup.bound(steps), constants, fetches)
    routine = prepare(draft, setup)
    predicate, *slots = routine.fetches
    after = tuple(slots[:count])
    if setup.optimized and any(
        variable == new != old and i in known
        for i, (variable, new, old) in enumerate(zip(loop.variables, after, loop.following))
    ):
        # A variable turned out to stay as it is, and its value is known: more may be folded.
        return _prepare_loop(replace(loop, following=after), known, setup)
    return routine, replace(loop, predicate=predicate, following=after, exits=tuple(slots[count:]))


def _with_values_that_stay(steps: Sequence[Step], count: int, loop: Loop) -> tuple[Step, ...]:
    """Return the steps without the ends of what the next iteration, or the exit, still reads."""
    stays = {v for v, f in zip(loop.variables, loop.following) if v == f}.union(loop.invariants)
    in_condition = stays.union(loop.variables)
    found = []
    for position, step in enumerate(steps):
        keep = in_condition if position < count else stays
        found.append(replace(step, dead=tuple([slot for slot in step.dead if slot not in keep])))
    return tuple(found)
