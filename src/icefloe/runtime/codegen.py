"""The fast engine: a plan as straight-line Python, one line per step.

    def run(x0, x1, run):                       def chunk_0(s):
        x3 = k0(x0, c4)                             x3 = s[3]
        x4 = k1(x3, x3, transpose_a=True); del x3   x7 = k0(x3, c4); s[7] = x7; del x3, x7; s[3] = None
        return [x4, c9]

Values live in local variables from their step to their last use. A plan of more than `CHUNK` steps becomes several
functions, because the compiler's memory grows with the function; they hand values on in a list of slots. A loop becomes
a `while` of its own function. The source is registered in `linecache`, so tracebacks show it, and a failing line tells
its step.
"""

from __future__ import annotations

import itertools
import linecache
import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from icefloe.ops.flow.dead import DEAD
from icefloe.runtime.bind import Binding, read_cell
from icefloe.runtime.interpret import RUN, Fail, Slots, look
from icefloe.runtime.steps import Loop, Step

CHUNK = 2000
# Iterations between two looks whether the run may go on, where it has no deadline.
TURNS = 256

_numbers = itertools.count()


class _Compiled:
    """What a writer wrote, compiled. source: its text."""

    def __init__(self, writer: _Writer) -> None:
        self._filename = writer.filename
        self._position_of_line = writer.position_of_line
        self.source = "\n".join(writer.lines) + "\n"
        code = compile(self.source, self._filename, "exec")
        linecache.cache[self._filename] = (len(self.source), None, self.source.splitlines(True), self._filename)
        exec(code, writer.names)
        self._functions = writer.names
        weakref.finalize(self, linecache.cache.pop, self._filename, None)

    def _position(self, traceback: TracebackType | None) -> int:
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self._filename:
                return self._position_of_line[traceback.tb_lineno]
            traceback = traceback.tb_next
        raise AssertionError("the exception did not come from a step")


class Compiled(_Compiled):
    """A plan's steps as a function of the values of its feeds, which returns those of its fetches."""

    def __init__(
        self,
        steps: Sequence[Step],
        bindings: Sequence[Binding],
        constants: Mapping[int, Any],
        feeds: Sequence[int],
        fetches: Sequence[int],
        size: int,
    ) -> None:
        self._size = size
        self._feeds, self._fetches = tuple(feeds), tuple(fetches)
        self._constants = {slot: constants[slot] for slot in fetches if slot in constants}
        writer = _Writer(constants)
        if len(steps) <= CHUNK:
            writer.function(steps, bindings, feeds, fetches)
            super().__init__(writer)
            self._call: Callable[..., list[Any]] = self._functions["call"]
        else:
            chunks = writer.chunks(steps, bindings, fetches)
            super().__init__(writer)
            self._chunks = [self._functions[f"chunk_{i}"] for i in range(chunks)]
            self._call = self._call_chunks

    def __call__(self, values: Sequence[Any], context: Any, fail: Fail) -> list[Any]:
        """Run all steps. fail: makes the error to raise of a step's position and its exception."""
        try:
            return self._call(*values, context)
        except Exception as exception:
            error = fail(self._position(exception.__traceback__), exception)
            raise error from error.__cause__

    def _call_chunks(self, *values: Any) -> list[Any]:
        slots: Slots = [None] * (self._size + 1)
        slots[RUN] = values[-1]
        for slot, value in zip(self._feeds, values):
            slots[slot] = value
        for slot, value in self._constants.items():
            slots[slot] = value
        del values
        for chunk in self._chunks:
            chunk(slots)
        return [slots[slot] for slot in self._fetches]


class CompiledLoop(_Compiled):
    """A loop as a function of the values of its variables and invariants, which returns those of its exits."""

    def __init__(
        self, loop: Loop, steps: Sequence[Step], count: int, bindings: Sequence[Binding], constants: Mapping[int, Any]
    ) -> None:
        """steps: those of the condition, `count` of them, and of the body."""
        writer = _Writer(constants)
        writer.loop(loop, steps, count, bindings)
        super().__init__(writer)
        self._call: Callable[..., tuple[Any, ...]] = self._functions["loop"]

    def __call__(self, values: Sequence[Any], context: Any, fail: Fail) -> tuple[Any, ...]:
        """Run the loop. fail: makes the error to raise of a step's position and its exception."""
        try:
            return self._call(*values, context)
        except Exception as exception:
            error = fail(self._position(exception.__traceback__), exception)
            raise error from error.__cause__


class _Writer:
    """Writes the source of functions over a plan's steps."""

    def __init__(self, constants: Mapping[int, Any]) -> None:
        self.filename = f"<icefloe plan {next(_numbers)}>"
        self.position_of_line: dict[int, int] = {}
        self.names: dict[str, Any] = {
            "read": read_cell,
            "DEAD": DEAD,
            "TRUE": np.True_,
            "look": look,
        }
        self.lines: list[str] = []
        self._known: dict[int, str] = {}
        self._constants = constants

    def function(
        self, steps: Sequence[Step], bindings: Sequence[Binding], feeds: Sequence[int], fetches: Sequence[int]
    ) -> None:
        """Write all steps as one function."""
        parameters = [f"x{slot}" for slot in feeds]
        self.lines.append(f"def call({', '.join([*parameters, 'run'])}):")
        for position, (step, binding) in enumerate(zip(steps, bindings)):
            self._step(step, binding, position, "    ")
        self.lines.append(f"    return [{', '.join(self._value(slot) for slot in fetches)}]")

    def loop(self, loop: Loop, steps: Sequence[Step], count: int, bindings: Sequence[Binding]) -> None:
        """Write the steps as a loop; `count` of them are the condition's."""
        self.names["holds"] = loop.holds
        parameters = [f"x{slot}" for slot in (*loop.variables, *loop.invariants)]
        self.lines.append(f"def loop({', '.join([*parameters, 'run'])}):")
        self.lines.append("    timed = run is not None and run.deadline is not None")
        self.lines.append(f"    n = {TURNS}")
        self.lines.append("    while True:")
        for position in range(count):
            self._step(steps[position], bindings[position], position, "        ")
        # A predicate that cannot be one fails where it was made.
        test = self._value(loop.predicate)
        self._add(f"        if {test} is not TRUE and not holds({test}): break", max(0, count - 1))
        for position in range(count, len(steps)):
            self._step(steps[position], bindings[position], position, "        ")
        turns = [(v, f) for v, f in zip(loop.variables, loop.following) if v != f]
        if turns:
            self.lines.append(
                f"        {', '.join(f'x{v}' for v, _ in turns)} = {', '.join(self._value(f) for _, f in turns)}"
            )
            rest = {f for _, f in turns if f not in self._constants}.difference(loop.variables, loop.invariants)
            made = {slot for step in steps[:count] for slot in step.outputs}
            if rest - made:
                self.lines.append(f"        del {', '.join(f'x{slot}' for slot in sorted(rest - made))}")
        self._add(f"        n = n - 1 if n and not timed else look(run, {TURNS})", max(0, len(steps) - 1))
        values = "".join(f"{self._value(slot)}, " for slot in loop.exits)
        self.lines.append(f"    return ({values})")

    def chunks(self, steps: Sequence[Step], bindings: Sequence[Binding], keep: Sequence[int]) -> int:
        """Write the steps as functions over a list of slots; return how many. keep: slots that are read afterwards."""
        last = {
            slot: position
            for position, step in enumerate(steps)
            for slot in (*step.inputs, *step.watch, *_results(step))
        }
        starts = range(0, len(steps), CHUNK)
        for number, start in enumerate(starts):
            self.lines.append(f"def chunk_{number}(s):")
            self._chunk(range(start, min(start + CHUNK, len(steps))), steps, bindings, set(keep), last)
        return len(starts)

    def _chunk(
        self,
        positions: range,
        steps: Sequence[Step],
        bindings: Sequence[Binding],
        keep: set[int],
        last: Mapping[int, int],
    ) -> None:
        if any(bindings[p].per_run for p in positions):
            self.lines.append(f"    run = s[{RUN}]")
        local: set[int] = set()
        listed: set[int] = set()
        for position in positions:
            step = steps[position]
            for slot in dict.fromkeys((*step.inputs, *step.watch)):
                if slot not in local and slot not in self._constants:
                    self.lines.append(f"    x{slot} = s[{slot}]")
                    local.add(slot)
                    listed.add(slot)
            results = _results(step)
            local.update(results)
            kept = [slot for slot in results if slot in keep or last[slot] >= positions.stop]
            listed.update(kept)
            line = self._call(step, bindings[position])
            if step.is_guarded:
                self._guarded(step, line, position, "    ")
                line = ""
            elif len(kept) == 1 and bindings[position].bare and last[kept[0]] == position:
                # Nobody in this chunk reads it: it goes into the list only.
                line = f"s[{kept.pop()}] = " + line.partition(" = ")[2]
                local.difference_update(results)
            gone = [slot for slot in local if slot in step.dead or (slot in kept and last[slot] == position)]
            parts = [line, *[f"s[{slot}] = x{slot}" for slot in kept]]
            if gone:
                parts.append("del " + ", ".join(f"x{slot}" for slot in sorted(gone)))
            parts += [f"s[{slot}] = None" for slot in gone if slot in listed and slot in step.dead]
            local.difference_update(gone)
            parts = [part for part in parts if part]
            if parts:
                self._add("    " + "; ".join(parts), position)

    def _step(self, step: Step, binding: Binding, position: int, indent: str) -> None:
        line = self._call(step, binding)
        gone = [f"x{slot}" for slot in step.dead]
        if step.is_guarded:
            self._guarded(step, line, position, indent)
            if gone:
                self.lines.append(f"{indent}del {', '.join(gone)}")
        elif gone:
            self._add(f"{indent}{line}; del {', '.join(gone)}", position)
        else:
            self._add(indent + line, position)

    def _add(self, line: str, position: int) -> None:
        self.lines.append(line)
        self.position_of_line[len(self.lines)] = position

    def _guarded(self, step: Step, line: str, position: int, indent: str) -> None:
        """Write a step that is dead where one of what it watches is."""
        alive = "" if step.flag is None else f"; x{step.flag} = None"
        if not step.watch:
            self._add(f"{indent}{line}{alive}", position)
            return
        condition = " or ".join(f"x{slot} is DEAD" for slot in step.watch)
        results = "".join(f"x{slot} = " for slot in _results(step))
        self._add(f"{indent}if {condition}: {results}{'DEAD' if results else 'pass'}", position)
        self._add(f"{indent}else: {line}{alive}", position)

    def _name(self, value: Any, letter: str) -> str:
        """Return a global name bound to `value`."""
        found = self._known.get(id(value))
        if found is None:
            found = self._known[id(value)] = f"{letter}{len(self.names)}"
            self.names[found] = value
        return found

    def _value(self, slot: int) -> str:
        return self._name(self._constants[slot], "c") if slot in self._constants else f"x{slot}"

    def _call(self, step: Step, binding: Binding) -> str:
        def value(at: int) -> str:
            text = self._value(step.inputs[at])
            return f"read({text})" if at in binding.reads else text

        arguments = []
        for entry in binding.layout:
            if isinstance(entry, int):
                arguments.append(value(entry))
            else:
                arguments.append("(" + "".join(value(i) + ", " for i in entry) + ")")
        for key, keyword in binding.keywords.items():
            arguments.append(f"{key}={repr(keyword) if _is_literal(keyword) else self._name(keyword, 'w')}")
        if binding.per_run:
            arguments.append("run=run")
        call = f"{self._name(binding.function, 'k')}({', '.join(arguments)})"
        if binding.bare:
            return f"x{step.outputs[0]} = {call}"
        return f"({''.join(f'x{slot}, ' for slot in step.outputs)}) = {call}" if step.outputs else call


def _results(step: Step) -> tuple[int, ...]:
    """Return the slots that a step fills."""
    return step.outputs if step.flag is None else (*step.outputs, step.flag)


def _is_literal(value: Any) -> bool:
    """Return whether the source can hold `value` as a constant."""
    if type(value) is tuple:
        return len(value) < 20 and all(_is_literal(item) for item in value)
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (int, bool, str, bytes)
