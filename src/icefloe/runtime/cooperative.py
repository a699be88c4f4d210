"""Steps that may wait for other steps or threads: on a thread of their own, or alone in their run.

The general engine goes on with other steps while one waits. What waits by itself, a kernel registered as `waits`, costs
nothing but its place in a table. What blocks the thread it runs on (Python functions, functions of the library with
steps that wait) gets a thread.

A run with one such step needs neither: everything that does not depend on it goes first, then the run's own thread
waits. So the input queue of a training step does not keep it off the fast engines.
"""

from __future__ import annotations

import contextvars
import functools
import os
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.resources.waiting import Pending
from icefloe.runtime.bind import Binding
from icefloe.runtime.context import RunContext
from icefloe.runtime.plan import Plan

# Seconds after which a thread that has nothing to do ends.
_IDLE = 10.0


class _Job(Pending):
    """A call that another thread makes."""

    __slots__ = ("_call", "_variables")

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__()
        self._call = call
        self._variables = contextvars.copy_context()

    def run(self) -> None:
        try:
            with np.errstate(all="ignore"):
                result = self._variables.run(self._call)
        except BaseException as error:
            self.end(error=error)
        else:
            self.end(result)


class _Threads:
    """Threads that make calls. One that is free is used again; there are as many as calls under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[SimpleQueue[_Job]] = []

    def start(self, job: _Job) -> None:
        with self._lock:
            free = self._free.pop() if self._free else None
        if free is not None:
            free.put(job)
        else:
            threading.Thread(target=self._serve, args=(job,), name="icefloe-step", daemon=True).start()

    def _serve(self, job: _Job | None) -> None:
        inbox: SimpleQueue[_Job] = SimpleQueue()
        while job is not None:
            job.run()
            job = None  # what it returned shall not live on here
            with self._lock:
                self._free.append(inbox)
            job = self._next(inbox)

    def _next(self, inbox: SimpleQueue[_Job]) -> _Job | None:
        try:
            return inbox.get(timeout=_IDLE)
        except Empty:
            with self._lock:
                if inbox in self._free:
                    self._free.remove(inbox)
                    return None
            return inbox.get()  # it was chosen just now


_threads = _Threads()


def _after_fork() -> None:
    global _threads
    _threads = _Threads()


os.register_at_fork(after_in_child=_after_fork)


def on_thread(
    call: Callable[..., Any], values: Sequence[Any], context: RunContext | None, per_run: bool
) -> Generator[Pending, None, Any]:
    """Call `call(*values)` on another thread and wait for it, as a kernel that waits does.

    per_run: pass `run=` a context of its own, which is cancelled when the generator is closed.
    """
    part = context.child() if context is not None else None
    job = _Job(functools.partial(call, *values, run=part) if per_run else functools.partial(call, *values))
    _threads.start(job)
    try:
        return (yield from job.outcome())
    finally:
        if not job.done and part is not None:
            part.cancel()


def in_place(binding: Binding) -> Binding:
    """Return the binding of a kernel that waits as one that blocks its thread meanwhile."""
    steps, per_run = binding.function, binding.per_run

    def wait(*values: Any, run: RunContext | None, **keywords: Any) -> Any:
        return _finish(steps(*values, run=run, **keywords) if per_run else steps(*values, **keywords), run)

    return replace(binding, function=wait, per_run=True, waits=False)


def _finish(steps: Generator[Pending, None, Any], context: RunContext | None) -> Any:
    inbox: SimpleQueue[bool] = SimpleQueue()
    try:
        while True:
            pending = next(steps)
            pending.listen(functools.partial(inbox.put, True))
            while not pending.done:
                if context is None:
                    inbox.get()
                    continue
                try:
                    context.sleep(inbox)
                except errors.CancelledError:
                    pending.cancel()
                    if not pending.done:
                        raise
    except StopIteration as stop:
        return stop.value
    finally:
        steps.close()


def waiting_last(plan: Plan, position: int) -> tuple[Plan, tuple[int, ...]] | None:
    """Return the plan with the step at `position`, and what depends on it, after all others; and the new order.

    None where a step that writes to a variable would come before what may read it: then the order must show in the run.
    """
    later = {position}
    made = set(plan.steps[position].outputs)
    for i, step in enumerate(plan.steps[position + 1 :], position + 1):
        if not later.isdisjoint(step.controls) or not made.isdisjoint((*step.inputs, *step.watch)):
            later.add(i)
            made.update(step.outputs)
            if step.flag is not None:
                made.add(step.flag)
        elif step.writes:
            return None
    order = (*[i for i in range(len(plan.steps)) if i not in later], *sorted(later))
    place = {old: new for new, old in enumerate(order)}
    steps = [replace(plan.steps[i], controls=tuple([place[c] for c in plan.steps[i].controls])) for i in order]
    return replace(plan, steps=tuple(steps)), order
