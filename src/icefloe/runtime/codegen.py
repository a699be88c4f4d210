"""The fast engine: a plan as straight-line Python, one line per step.

    def chunk_0(s):
        x3 = s[3]
        x7 = k0(x3, c4)
        x8 = k1(x7, x7, transpose_a=True, transpose_b=False); del x7
        s[9] = k2(x3, (x8, x8), 0); del x3, x8; s[3] = None

`s` is the list of slots. Values live in local variables from their step to their last use; those that another chunk or
the caller wants go into the list. A chunk has at most `CHUNK` steps, because the compiler's memory grows with the
function. The source is registered in `linecache`, so tracebacks show it, and a failing line tells its step.
"""

from __future__ import annotations

import itertools
import linecache
import math
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from icefloe.ops.flow.dead import DEAD
from icefloe.runtime.bind import Binding, read_cell
from icefloe.runtime.interpret import RUN, Slots
from icefloe.runtime.steps import Step

CHUNK = 2000

_numbers = itertools.count()


class Compiled:
    """A plan's steps as functions over its list of slots."""

    def __init__(
        self, steps: Sequence[Step], bindings: Sequence[Binding], constants: dict[int, Any], keep: Sequence[int]
    ) -> None:
        """keep: slots that the caller reads afterwards."""
        self._writer = _Writer(steps, bindings, constants, keep)
        self.source = self._writer.source
        self._chunks = self._writer.compile()
        weakref.finalize(self, linecache.cache.pop, self._writer.filename, None)

    def __call__(self, slots: Slots, fail: Callable[[int, Exception], Exception]) -> None:
        """Run all steps. fail: makes the error to raise of a step's position and its exception."""
        try:
            for chunk in self._chunks:
                chunk(slots)
        except Exception as exception:
            error = fail(self._position(exception.__traceback__), exception)
            raise error from error.__cause__

    def _position(self, traceback: TracebackType | None) -> int:
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self._writer.filename:
                return self._writer.position_of_line[traceback.tb_lineno]
            traceback = traceback.tb_next
        raise AssertionError("the exception did not come from a step")


class _Writer:
    """Writes the source of a plan."""

    def __init__(
        self, steps: Sequence[Step], bindings: Sequence[Binding], constants: dict[int, Any], keep: Sequence[int]
    ) -> None:
        self.filename = f"<icefloe plan {next(_numbers)}>"
        self.position_of_line: dict[int, int] = {}
        self._names: dict[str, Any] = {"read": read_cell, "DEAD": DEAD}
        self._known: dict[int, str] = {}
        self._constants = constants
        self._lines: list[str] = []
        self._keep = set(keep)
        self._count = 0
        self._last = {
            slot: position
            for position, step in enumerate(steps)
            for slot in (*step.inputs, *step.watch, *_results(step))
        }
        for start in range(0, len(steps), CHUNK):
            end = min(start + CHUNK, len(steps))
            self._chunk(range(start, end), steps, bindings)
        self.source = "\n".join(self._lines) + "\n"

    def compile(self) -> list[Callable[[Slots], None]]:
        code = compile(self.source, self.filename, "exec")
        linecache.cache[self.filename] = (len(self.source), None, self.source.splitlines(True), self.filename)
        exec(code, self._names)
        return [self._names[f"chunk_{i}"] for i in range(self._count)]

    def _name(self, value: Any, letter: str) -> str:
        """Return a global name bound to `value`."""
        found = self._known.get(id(value))
        if found is None:
            found = self._known[id(value)] = f"{letter}{len(self._names)}"
            self._names[found] = value
        return found

    def _chunk(self, positions: range, steps: Sequence[Step], bindings: Sequence[Binding]) -> None:
        self._lines.append(f"def chunk_{self._count}(s):")
        self._count += 1
        if any(bindings[p].per_run for p in positions):
            self._lines.append(f"    run = s[{RUN}]")
        local: set[int] = set()
        listed: set[int] = set()
        for position in positions:
            step = steps[position]
            for slot in dict.fromkeys((*step.inputs, *step.watch)):
                if slot not in local and slot not in self._constants:
                    self._lines.append(f"    x{slot} = s[{slot}]")
                    local.add(slot)
                    listed.add(slot)
            results = _results(step)
            local.update(results)
            kept = [slot for slot in results if slot in self._keep or self._last[slot] >= positions.stop]
            listed.update(kept)
            line = self._call(step, bindings[position])
            if step.is_guarded:
                self._guarded(step, line, position)
                line = ""
            elif len(kept) == 1 and bindings[position].bare and self._last[kept[0]] == position:
                # Nobody in this chunk reads it: it goes into the list only.
                line = f"s[{kept.pop()}] = " + line.partition(" = ")[2]
                local.difference_update(results)
            gone = [slot for slot in local if slot in step.dead or (slot in kept and self._last[slot] == position)]
            parts = [line, *[f"s[{slot}] = x{slot}" for slot in kept]]
            if gone:
                parts.append("del " + ", ".join(f"x{slot}" for slot in sorted(gone)))
            parts += [f"s[{slot}] = None" for slot in gone if slot in listed and slot in step.dead]
            local.difference_update(gone)
            parts = [part for part in parts if part]
            if parts:
                self._add("    " + "; ".join(parts), position)

    def _add(self, line: str, position: int) -> None:
        self._lines.append(line)
        self.position_of_line[len(self._lines)] = position

    def _guarded(self, step: Step, line: str, position: int) -> None:
        """Write a step that is dead where one of what it watches is."""
        alive = "" if step.flag is None else f"; x{step.flag} = None"
        if not step.watch:
            self._add(f"    {line}{alive}", position)
            return
        condition = " or ".join(f"x{slot} is DEAD" for slot in step.watch)
        results = "".join(f"x{slot} = " for slot in _results(step))
        self._add(f"    if {condition}: {results}{'DEAD' if results else 'pass'}", position)
        self._add(f"    else: {line}{alive}", position)

    def _call(self, step: Step, binding: Binding) -> str:
        def value(at: int) -> str:
            slot = step.inputs[at]
            text = self._name(self._constants[slot], "c") if slot in self._constants else f"x{slot}"
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
