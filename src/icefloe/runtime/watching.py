"""Runs that somebody watches: with RunMetadata, with checks for NaN and Inf, step by step; and a session in numbers."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from icefloe.ops.flow.dead import DEAD
from icefloe.resources import ResourceManager, Variable
from icefloe.runtime.cache import Cache
from icefloe.runtime.context import RunContext
from icefloe.runtime.loop_runner import LoopRunner
from icefloe.runtime.numerics import NumericsCheck
from icefloe.runtime.observing import Observer, Record, both
from icefloe.runtime.partial import PartialPlan, PartialRun
from icefloe.runtime.program import Program
from icefloe.runtime.settings import Config


class _MakesContext(Protocol):
    def __call__(self, options: Any, observer: Observer | None = None) -> RunContext: ...


def run(
    program: Program,
    values: Sequence[Any],
    make_context: _MakesContext,
    options: Any,
    run_metadata: Any,
    settings: Config,
) -> list[Any]:
    """Run a program as its session's settings and the caller's `options` want it, and fill `run_metadata`."""
    recording = None
    if run_metadata is not None:
        from icefloe.runtime.step_stats import Recording

        recording = Recording(options, settings, program.runs)
    check = NumericsCheck() if settings.check_numerics else None
    context = make_context(options, both(None if recording is None else recording.observer, check))
    found = program.run(values, context)
    if check is not None:
        plan = program.whole
        check.finish([plan.tensors[s] for s in plan.fetches], found, [plan.tensors[s] for s in plan.feeds], values)
    if recording is not None:
        recording.fill(run_metadata, program.whole)
    return found


def trace(
    program: Program,
    values: Sequence[Any],
    make_context: _MakesContext,
    options: Any,
    rebuild: Callable[[list[Any]], Any],
) -> Generator[tuple[str, list[Any], float], None, Any]:
    """Yield name, values and seconds of each node as it has run; return what `rebuild` makes of the fetches' values."""
    seen: deque[Record] = deque()
    steps = program.trace(values, make_context(options, seen.append))
    with contextlib.closing(steps):
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                return rebuild(stop.value)
            while seen:
                record = seen.popleft()
                yield record.name, [_own(value) for value in record.outputs], record.nanoseconds / 1e9


def _own(value: Any) -> Any:
    """Return a value as the caller's own; None for one that is dead."""
    if value is DEAD:
        return None
    if isinstance(value, Variable):
        value = value.array
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return value[()]
        return value.copy()
    return value


@dataclass(frozen=True, slots=True)
class SessionStats:
    """A session in numbers.

    plans: sets of fetches and feeds for which it holds a plan. partial_plans: those of partial runs. steps: of all of
    these. compiled: plans and loops compiled so far. hits, misses: how often a run found its plan, and had to make it.
    runs: of the plans held. partial_runs: handles not used up. variables: those with a value. bytes: of their values.
    constants: bytes that plans hold beside the graph.
    """

    plans: int
    partial_plans: int
    steps: int
    compiled: int
    hits: int
    misses: int
    runs: int
    partial_runs: int
    variables: int
    bytes: int
    constants: int


def session_stats(
    programs: Cache[Program],
    partial_plans: Cache[PartialPlan],
    partial_runs: Iterable[PartialRun],
    manager: ResourceManager,
) -> SessionStats:
    """Return what `Session.stats` does."""
    held = programs.entries()
    parts = partial_plans.entries()
    arrays = [v.array for v in manager.resources(Variable)]
    constants = {id(value): value for program in held for value in program.constants.values()}
    loops = [b.function for program in held for b in program.bindings if isinstance(b.function, LoopRunner)]
    return SessionStats(
        plans=len(held),
        partial_plans=len(parts),
        steps=sum(len(program.steps) for program in held) + sum(len(part.plan.steps) for part in parts),
        compiled=sum(program.engine == "codegen" for program in held) + sum(l.source is not None for l in loops),
        hits=programs.hits + partial_plans.hits,
        misses=programs.misses + partial_plans.misses,
        runs=sum(program.runs for program in held),
        partial_runs=sum(not part.is_over for part in partial_runs),
        variables=sum(array is not None for array in arrays),
        bytes=sum(_size(array) for array in arrays if array is not None),
        constants=sum(_size(value) for value in constants.values() if isinstance(value, np.ndarray)),
    )


def _size(array: np.ndarray[Any, Any]) -> int:
    if array.dtype != object:
        return array.nbytes
    return array.nbytes + sum(len(item) for item in array.flat if isinstance(item, bytes))
