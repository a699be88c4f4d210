"""The reference engine: one closure per step over a list of slots."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from icefloe import errors
from icefloe.ops.flow.dead import DEAD
from icefloe.runtime.bind import Binding, flat_call
from icefloe.runtime.plan import Step

Slots = list[Any]
Code = tuple[tuple[Callable[[Slots], None], tuple[int, ...]], ...]

# Makes the error to raise of a step's position and its exception.
Fail = Callable[[int, Exception], Exception]

# The last entry of the list of slots is the context of the run.
RUN = -1


def assemble(steps: Sequence[Step], bindings: Sequence[Binding]) -> Code:
    """Return, for each step, what runs it on a list of slots, and which slots to clear then."""
    return tuple([(closure(step, binding), step.dead) for step, binding in zip(steps, bindings)])


def look(run: Any, turns: int) -> int:
    """Return `turns` if the run may go on. Raises: as `RunContext.check`."""
    if run is not None:
        run.check()
    return turns


def interpret(code: Code, slots: Slots, fail: Fail, first: int = 0) -> None:
    """Run all steps. first: the position of the first one."""
    position = first - 1
    try:
        for run, dead in code:
            position += 1
            run(slots)
            for slot in dead:
                slots[slot] = None
    except Exception as exception:
        error = fail(position, exception)
        raise error from error.__cause__


def interpret_timed(code: Code, slots: Slots, fail: Fail) -> None:
    """Run all steps, looking after each whether the run may go on."""
    look(slots[RUN], 0)
    for position, entry in enumerate(code):
        interpret((entry,), slots, fail, position)
        look(slots[RUN], 0)


def closure(step: Step, binding: Binding) -> Callable[[Slots], None]:
    """Return what takes a step's inputs from slots, calls its kernel and puts the outputs into slots."""
    run = _unguarded(step, binding)
    return _guarded(run, step) if step.is_guarded else run


def _guarded(run: Callable[[Slots], None], step: Step) -> Callable[[Slots], None]:
    watch, flag = step.watch, step.flag
    outputs = step.outputs if flag is None else (*step.outputs, flag)

    def run_alive(slots: Slots) -> None:
        for slot in watch:
            if slots[slot] is DEAD:
                for out in outputs:
                    slots[out] = DEAD
                return
        run(slots)

    return run_alive


def _unguarded(step: Step, binding: Binding) -> Callable[[Slots], None]:
    call = flat_call(binding)
    if binding.per_run:
        call = _with_context(call, len(step.inputs))
        inputs: tuple[int, ...] = (*step.inputs, RUN)
    else:
        inputs = step.inputs
    if not binding.bare:
        return _many(call, inputs, step.outputs)
    out = step.outputs[0]
    if len(inputs) == 0:
        return _nullary(call, out)
    if len(inputs) == 1:
        return _unary(call, inputs[0], out)
    if len(inputs) == 2:
        return _binary(call, inputs[0], inputs[1], out)
    return _general(call, operator.itemgetter(*inputs), out)


def _with_context(call: Callable[..., Any], count: int) -> Callable[..., Any]:
    def call_with(*values: Any) -> Any:
        return call(*values[:count], run=values[count])

    return call_with


def _nullary(call: Callable[..., Any], out: int) -> Callable[[Slots], None]:
    def run(slots: Slots) -> None:
        slots[out] = call()

    return run


def _unary(call: Callable[..., Any], a: int, out: int) -> Callable[[Slots], None]:
    def run(slots: Slots) -> None:
        slots[out] = call(slots[a])

    return run


def _binary(call: Callable[..., Any], a: int, b: int, out: int) -> Callable[[Slots], None]:
    def run(slots: Slots) -> None:
        slots[out] = call(slots[a], slots[b])

    return run


def _general(call: Callable[..., Any], take: Callable[[Slots], Any], out: int) -> Callable[[Slots], None]:
    def run(slots: Slots) -> None:
        slots[out] = call(*take(slots))

    return run


def _many(call: Callable[..., Any], inputs: tuple[int, ...], outputs: tuple[int, ...]) -> Callable[[Slots], None]:
    def run(slots: Slots) -> None:
        made = call(*[slots[i] for i in inputs])
        if outputs:
            if len(made) != len(outputs):
                raise errors.InternalError(f"the kernel returned {len(made)} outputs, expected {len(outputs)}")
            for slot, value in zip(outputs, made):
                slots[slot] = value

    return run
