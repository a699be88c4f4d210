"""`DEAD`: what a tensor holds in the branch of a conditional that is not taken. Registers nothing."""

from __future__ import annotations

from typing import Any


class _Dead:
    """There is one: compare with `is`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "DEAD"

    def __bool__(self) -> bool:
        raise AssertionError("a dead value was used")


DEAD: Any = _Dead()
