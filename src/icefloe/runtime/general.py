"""The general engine: runs any graph by passing values along its edges, with V1 loops and steps that may wait.

A node runs when all its inputs have come. Where it runs is a frame and an iteration: the root frame has one iteration;
Enter passes a value into a loop's frame, NextIteration to the next iteration, Exit out to where the loop was entered.
Each iteration has its own set of inputs of the loop's nodes, so a value of one never meets a value of another.

Dead values (`DEAD`, from a Switch) make a node dead, which then does not run but passes its deadness on. Merge runs
with its first live input. NextIteration stops deadness, which ends a loop; an Exit that stayed dead makes its consumers
dead when the loop is over.

Which node of those that are ready runs first: that of the earliest iteration, then those that write to variables last,
then in creation order. So a graph without loops runs in the order of its plan.

A kernel registered as `waits` is a generator function: it yields what it has to wait for (`resources.waiting.Pending`)
and returns its outputs; one that `blocks` is called on a thread of its own. The engine runs other nodes in between, and
sleeps only when nothing else is ready.

Source: tensorflow/core/common_runtime/propagator_state.cc (the rules of frames and dead values).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Generator, Sequence
from heapq import heappop, heappush
from queue import SimpleQueue
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.ops.flow.dead import DEAD
from icefloe.resources.waiting import Pending
from icefloe.runtime import cooperative
from icefloe.runtime.context import RunContext
from icefloe.runtime.dataflow import ENTER, EXIT, MERGE, NEXT, TRIGGER, Dataflow
from icefloe.runtime.frames import Frame, Iteration
from icefloe.runtime.observing import record

# What a step was called with, and when, where somebody observes.
_Begun = tuple[Sequence[Any], int] | None
# Position, frame, iteration, how it began, what is left to run of it, what it waits for.
_Parked = tuple[int, Frame, Iteration, _Begun, Generator[Pending, None, Any], Pending]


class Execution:
    """One run. `feed` values in as they come, `advance` as far as they reach; `results` holds what was fetched.

    fail: makes the error to raise of a step's position and its exception.
    """

    def __init__(
        self, flow: Dataflow, fail: Callable[[int, Exception], Exception], context: RunContext | None = None
    ) -> None:
        self._flow = flow
        self._fail = fail
        self.context = context
        self.results: dict[int, Any] = {}
        self.done: set[int] = set()
        self.is_running = False
        self._root = Frame("", None, None, 0)
        self._ready: list[tuple[tuple[int, ...], bool, int, int, Frame, Iteration, bool, Any]] = []
        # Steps that wait, under numbers that come through the inbox when they may go on.
        self._parked: dict[int, _Parked] = {}
        self._inbox: SimpleQueue[int] = SimpleQueue()
        self._count = 0
        iteration = self._root.iterations[0]
        for position in flow.roots:
            self._push(position, self._root, iteration, False, [])

    def feed(self, slot: int, value: Any) -> None:
        """Give a fed tensor its value."""
        if slot in self._flow.plan.fetches:
            self.results[slot] = value
        iteration = self._root.iterations[0]
        for position, at in self._flow.of_feeds[slot]:
            self._deliver(position, at, value, self._root, iteration, False)

    def advance(self, enough: Callable[[], bool] | None = None) -> None:
        """Run all that can run. Sleep while steps wait, until they have ended or `enough()` holds.

        Raises: what a step raises, DeadlineExceededError, CancelledError; then the run is over.
        """
        self.is_running = True
        try:
            while True:
                while self._ready:
                    _, _, position, _, frame, iteration, is_dead, values = heappop(self._ready)
                    self._step(position, frame, iteration, is_dead, values)
                    if self._parked and not self._inbox.empty():
                        self._resume(self._inbox.get())
                if not self._parked or (enough is not None and enough()):
                    return
                self._resume(self._sleep())
        except BaseException:
            self.abandon()
            raise
        finally:
            self.is_running = False

    def stepwise(self) -> Generator[None, None, None]:
        """Run all that can run, one step, or one piece of a step that waits, for each `next`.

        Raises: as `advance`.
        """
        try:
            while self._ready or self._parked:
                if self._ready:
                    _, _, position, _, frame, iteration, is_dead, values = heappop(self._ready)
                    self._step(position, frame, iteration, is_dead, values)
                else:
                    self._resume(self._sleep())
                yield
                if self._parked and not self._inbox.empty():
                    self._resume(self._inbox.get())
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Give up what waits; nothing more runs."""
        self._ready.clear()
        while self._parked:
            _, parked = self._parked.popitem()
            parked[4].close()

    # Running a step

    def _push(self, position: int, frame: Frame, iteration: Iteration, is_dead: bool, values: Any) -> None:
        iteration.busy += 1
        self._count += 1
        order = frame.order if frame.parent is None else (*frame.order, iteration.number)
        heappush(
            self._ready,
            (order, self._flow.writes[position], position, self._count, frame, iteration, is_dead, values),
        )

    def _step(self, position: int, frame: Frame, iteration: Iteration, is_dead: bool, values: Any) -> None:
        flow = self._flow
        outputs: Any = None
        begun: _Begun = None
        if self.context is not None and self.context.observer is not None and not is_dead:
            begun = values, time.time_ns()
        if flow.kinds[position] == MERGE:
            if not is_dead:
                outputs = (values[1], np.int32(values[0]))
        elif not is_dead:
            binding = flow.bindings[position]
            try:
                if binding.blocks:
                    call = flow.calls[position]
                    outputs = cooperative.on_thread(call, values, self.context, binding.per_run)
                elif binding.per_run:
                    outputs = flow.calls[position](*values, run=self.context)
                else:
                    outputs = flow.calls[position](*values)
            except Exception as exception:
                error = self._fail(position, exception)
                raise error from error.__cause__
            if binding.waits or binding.blocks:
                self._go_on(position, frame, iteration, begun, outputs)
                return
            if binding.bare:
                outputs = (outputs,)
        if begun is not None:
            self._tell(position, begun, outputs)
        self._finish(position, frame, iteration, is_dead, outputs)

    def _tell(self, position: int, begun: tuple[Sequence[Any], int], outputs: Sequence[Any]) -> None:
        """Call the observer."""
        flow = self._flow
        op = flow.plan.steps[position].node
        values, start = begun
        if flow.kinds[position] == MERGE:
            values = values[1:]
        made = record(flow.prefix + op.name, op, values, outputs, start)
        try:
            assert self.context is not None and self.context.observer is not None
            self.context.observer(made)
        except Exception as exception:
            error = self._fail(position, exception)
            raise error from error.__cause__

    def _go_on(
        self,
        position: int,
        frame: Frame,
        iteration: Iteration,
        begun: _Begun,
        steps: Generator[Pending, None, Any],
    ) -> None:
        """Run a step that may wait as far as it comes."""
        try:
            pending = next(steps)
        except StopIteration as stop:
            outputs = (stop.value,) if self._flow.bindings[position].bare else stop.value
            if begun is not None:
                self._tell(position, begun, outputs)
            self._finish(position, frame, iteration, False, outputs)
        except Exception as exception:
            error = self._fail(position, exception)
            raise error from error.__cause__
        else:
            self._count += 1
            self._parked[self._count] = position, frame, iteration, begun, steps, pending
            pending.listen(functools.partial(self._inbox.put, self._count))

    def _resume(self, number: int) -> None:
        parked = self._parked.pop(number, None)
        if parked is not None:  # else it was told twice
            self._go_on(*parked[:5])

    def _sleep(self) -> int:
        """Return the number of a step that may go on. Only steps that wait are left."""
        if self.context is None:
            return self._inbox.get()
        try:
            number: int = self.context.sleep(self._inbox)
        except errors.CancelledError:
            self._cancel()
            raise
        return number

    def _cancel(self) -> None:
        """Raise the error of a step that gives up waiting, in its own words, if there is one."""
        for number, parked in list(self._parked.items()):
            parked[5].cancel()
            if parked[5].done:
                self._resume(number)

    def _finish(self, position: int, frame: Frame, iteration: Iteration, is_dead: bool, outputs: Any) -> None:
        flow = self._flow
        if position in flow.fetched:
            self._keep(position, frame, is_dead, outputs)
        if frame.parent is None:
            self.done.add(position)
        kind = flow.kinds[position]
        target, place = frame, iteration
        if kind == ENTER:
            target = self._child(flow.frames[position], frame, iteration)
            target.enters_left -= 1
            place = target.iterations[0]
            if flow.constant[position]:
                value = DEAD if is_dead else outputs[0]
                target.constants.append((position, value))
                for later in list(target.iterations.values()):
                    self._spread(position, target, later, is_dead, outputs)
            else:
                self._spread(position, target, place, is_dead, outputs)
            self._leave(frame, iteration)
            self._close(target)
            return
        if kind == EXIT:
            if is_dead:
                if iteration.number == frame.last:
                    frame.dead_exits.append(position)
            else:
                assert frame.parent is not None and frame.place is not None
                self._spread(position, frame.parent, frame.place, False, outputs)
        elif kind == NEXT:
            if is_dead:
                pass
            elif iteration.number == frame.last and len(frame.iterations) >= frame.limit:
                frame.held.append((position, outputs))
            else:
                self._spread(position, frame, self._next(frame, iteration.number + 1), False, outputs)
        else:
            self._spread(position, target, place, is_dead, outputs)
        self._leave(frame, iteration)

    def _keep(self, position: int, frame: Frame, is_dead: bool, outputs: Any) -> None:
        step = self._flow.plan.steps[position]
        if frame.parent is not None and self._flow.kinds[position] != EXIT:
            raise errors.InvalidArgumentError(
                f"{step.node.name} is inside a loop: its value is another in each iteration and cannot be fetched",
                node=step.node.name,
            )
        if self._flow.kinds[position] == EXIT and is_dead:
            return
        for i, slot in enumerate(step.outputs):
            self.results[slot] = DEAD if is_dead else outputs[i]

    # Tokens

    def _spread(self, position: int, frame: Frame, iteration: Iteration, is_dead: bool, outputs: Any) -> None:
        """Send a step's outputs to their consumers in an iteration of a frame."""
        flow = self._flow
        from_enter = flow.kinds[position] == ENTER
        for i, consumers in enumerate(flow.consumers[position]):
            if consumers:
                value = DEAD if is_dead else outputs[i]
                for consumer, at in consumers:
                    self._deliver(consumer, at, value, frame, iteration, from_enter)
        for follower in flow.followers[position]:
            self._deliver(follower, -1, DEAD if is_dead else None, frame, iteration, False)

    def _deliver(
        self, position: int, at: int, value: Any, frame: Frame, iteration: Iteration, from_enter: bool
    ) -> None:
        """Put a value, or with `at` -1 the end of a control edge, to a step; it becomes ready with its last one."""
        flow = self._flow
        state = iteration.states.get(position)
        is_merge = flow.kinds[position] == MERGE
        if state is None:
            if is_merge:
                state = [flow.controls[position], 0, None]
            else:
                state = [flow.waiting[position], 0, [None] * len(flow.plan.steps[position].inputs)]
            iteration.states[position] = state
        if is_merge:
            self._deliver_to_merge(position, at, value, frame, iteration, from_enter, state)
            return
        state[0] -= 1
        if value is DEAD:
            state[1] += 1
        elif at >= 0:
            state[2][at] = value
        if not state[0]:
            del iteration.states[position]
            is_dead = state[1] > 0 and flow.kinds[position] != TRIGGER
            self._push(position, frame, iteration, is_dead, state[2])

    def _deliver_to_merge(
        self,
        position: int,
        at: int,
        value: Any,
        frame: Frame,
        iteration: Iteration,
        from_enter: bool,
        state: list[Any],
    ) -> None:
        # state: [control edges left, dead inputs, (index, value) of the first live input]; [-1, ...] once it was ready
        if state[0] < 0:
            return
        inputs = len(self._flow.plan.steps[position].inputs)
        if at < 0:
            state[0] -= 1
        elif value is DEAD:
            # A dead Enter means that the whole loop is in a branch not taken: nothing will come round.
            state[1] = inputs if from_enter else state[1] + 1
        elif state[2] is None:
            state[2] = (at, value)
        if state[0]:
            return
        if state[2] is not None:
            state[0] = -1
            self._push(position, frame, iteration, False, state[2])
        elif state[1] >= inputs:
            state[0] = -1
            self._push(position, frame, iteration, True, None)

    # Frames

    def _child(self, name: str, frame: Frame, iteration: Iteration) -> Frame:
        child = iteration.children.get(name)
        if child is None:
            child = iteration.children[name] = Frame(
                name, frame, iteration, self._flow.enters[name], self._flow.limits[name]
            )
            iteration.busy += 1
        return child

    def _next(self, frame: Frame, number: int) -> Iteration:
        found = frame.iterations.get(number)
        if found is None:
            if self.context is not None:
                self.context.check()
            found = frame.iterations[number] = Iteration(number)
            frame.last = number
            frame.dead_exits.clear()
            for position, value in frame.constants:
                self._spread(position, frame, found, value is DEAD, (value,))
        return found

    def _leave(self, frame: Frame, iteration: Iteration) -> None:
        iteration.busy -= 1
        if not iteration.busy:
            self._close(frame)

    def _close(self, frame: Frame) -> None:
        """Forget iterations that are over; with the last one the loop is, and then perhaps what it was in."""
        while frame.parent is not None and not frame.enters_left:
            while frame.iterations:
                first = next(iter(frame.iterations))
                if frame.iterations[first].busy:
                    return
                del frame.iterations[first]
                if frame.held:
                    held, frame.held = frame.held, []
                    following = self._next(frame, frame.last + 1)
                    for position, outputs in held:
                        self._spread(position, frame, following, False, outputs)
            parent, place = frame.parent, frame.place
            assert place is not None
            del place.children[frame.name]
            for position in frame.dead_exits:
                if position in self._flow.fetched:
                    for slot in self._flow.plan.steps[position].outputs:
                        self.results[slot] = DEAD
                self._spread(position, parent, place, True, None)
            place.busy -= 1
            if place.busy:
                return
            frame = parent
