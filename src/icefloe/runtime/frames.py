"""Where a node runs: in an iteration of a frame. A frame is a loop under way, or the root."""

from __future__ import annotations

from typing import Any


class Iteration:
    """One iteration of a frame.

    states: step -> [inputs left, dead inputs, values]. busy: the steps ready or parked and the loops inside.
    """

    __slots__ = ("busy", "children", "number", "states")

    def __init__(self, number: int) -> None:
        self.number = number
        self.states: dict[int, list[Any]] = {}
        self.children: dict[str, Frame] = {}
        self.busy = 0


class Frame:
    """A loop under way, or the root. At most `limit` iterations are; what would begin one more is held back."""

    __slots__ = (
        "constants",
        "dead_exits",
        "enters_left",
        "held",
        "iterations",
        "last",
        "limit",
        "name",
        "order",
        "parent",
        "place",
    )

    def __init__(self, name: str, parent: Frame | None, place: Iteration | None, enters: int, limit: int = 1) -> None:
        self.name = name
        self.parent = parent
        self.place = place
        self.order: tuple[int, ...] = () if parent is None or place is None else (*parent.order, place.number)
        self.enters_left = enters
        self.iterations: dict[int, Iteration] = {0: Iteration(0)}
        self.last = 0
        # What is the same in every iteration: (step, its output or DEAD).
        self.constants: list[tuple[int, Any]] = []
        self.dead_exits: list[int] = []
        self.limit = limit
        # Steps whose outputs the next iteration begins with.
        self.held: list[tuple[int, Any]] = []
