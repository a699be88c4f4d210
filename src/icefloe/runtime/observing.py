"""What happens in a run, step by step: the records that an observer gets.

A run with an observer goes through the general engine, node by node as in the graph, those of loops once per iteration,
those of functions under the path of their call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from icefloe.graph.operation import Operation


@dataclass(frozen=True, slots=True)
class Record:
    """One node, run once.

    name: its full name. inputs, outputs: values, as slots hold them. start: nanoseconds since the epoch.
    nanoseconds: how long it took. thread: of Python.
    """

    name: str
    op: Operation
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    start: int
    nanoseconds: int
    thread: int


# Called after each step. What it raises becomes the error of that step.
Observer: TypeAlias = Callable[[Record], None]


def record(name: str, op: Operation, inputs: Sequence[Any], outputs: Sequence[Any], start: int) -> Record:
    """Return the record of a step that has ended now."""
    return Record(name, op, inputs, outputs, start, time.time_ns() - start, threading.get_ident())


def both(first: Observer | None, second: Observer | None) -> Observer | None:
    """Return an observer that tells two."""
    if first is None or second is None:
        return first or second

    def tell(made: Record) -> None:
        first(made)
        second(made)

    return tell
