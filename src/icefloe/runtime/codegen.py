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

from icefloe.runtime.bind import Binding, read_cell
from icefloe.runtime.interpret import RUN, Slots
from icefloe.runtime.plan import Step

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
        self._names: dict[str, Any] = {"read": read_cell}
        self._known: dict[int, str] = {}
        self._constants = constants
        self._lines: list[str] = []
        self._keep = set(keep)
        self._count = 0
        last = {slot: position for position, step in enumerate(steps) for slot in (*step.inputs, *step.outputs)}
        for start in range(0, len(steps), CHUNK):
            end = min(start + CHUNK, len(steps))
            self._chunk(range(start, end), steps, bindings, last)
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

    def _chunk(
        self, positions: range, steps: Sequence[Step], bindings: Sequence[Binding], last: dict[int, int]
    ) -> None:
        self._lines.append(f"def chunk_{self._count}(s):")
        self._count += 1
        if any(bindings[p].per_run for p in positions):
            self._lines.append(f"    run = s[{RUN}]")
        local: set[int] = set()
        listed: set[int] = set()
        for position in positions:
            step, binding = steps[position], bindings[position]
            for slot in dict.fromkeys(step.inputs):
                if slot not in local and slot not in self._constants:
                    self._lines.append(f"    x{slot} = s[{slot}]")
                    local.add(slot)
                    listed.add(slot)
            # A value that nobody in this chunk reads goes into the list only.
            targets = []
            for slot in step.outputs:
                outlives = slot in self._keep or last[slot] >= positions.stop
                if not outlives:
                    targets.append(f"x{slot}")
                    local.add(slot)
                elif last[slot] == position:
                    targets.append(f"s[{slot}]")
                else:
                    targets.append(f"x{slot} = s[{slot}]" if binding.bare else f"x{slot}")
                    local.add(slot)
            line = self._call(step, binding)
            if binding.bare:
                line = f"{targets[0]} = {line}"
            elif targets:
                line = f"({', '.join(targets)},) = {line}"
                for slot, target in zip(step.outputs, targets):
                    if target[0] == "x" and (slot in self._keep or last[slot] >= positions.stop):
                        line += f"; s[{slot}] = x{slot}"
            gone = [slot for slot in step.dead if slot in local]
            if gone:
                line += "; del " + ", ".join(f"x{slot}" for slot in gone)
            for slot in gone:
                if slot in listed:
                    line += f"; s[{slot}] = None"
                local.discard(slot)
            self._lines.append("    " + line)
            self.position_of_line[len(self._lines)] = position
        if self._lines[-1].startswith("def"):
            self._lines.append("    pass")

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
        return f"{self._name(binding.function, 'k')}({', '.join(arguments)})"


def _is_literal(value: Any) -> bool:
    """Return whether the source can hold `value` as a constant."""
    if type(value) is tuple:
        return len(value) < 20 and all(_is_literal(item) for item in value)
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (int, bool, str, bytes)
