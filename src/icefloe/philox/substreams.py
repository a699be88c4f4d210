"""A sub-stream for each element of a result, for distributions that draw until a draw is accepted.

All elements that still want a number are served at once, so the work is done by numpy in a few dozen rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.philox.distributions import Array, normal_doubles, unit_doubles
from icefloe.philox.exactmath import Doubles
from icefloe.philox.stream import Stream, Words

Indices: TypeAlias = np.ndarray[Any, np.dtype[np.intp]]
Offsets: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]

CHUNK = 1 << 15  # elements worked on at a time
MAX_ROUNDS = 10_000  # ours: TensorFlow never returns where no draw can be accepted


class Cursors:
    """The next block of each element's sub-stream."""

    def __init__(self, stream: Stream, starts: Offsets) -> None:
        self.stream = stream
        self.at = starts

    def blocks(self, which: Indices) -> Words:
        """Return the next block of each element of `which`, words [4, n], and move on."""
        words = self.stream.blocks(self.at[which])
        self.at[which] += np.uint64(1)
        return words


class Numbers:
    """Doubles of one kind for each element: a block makes two, and the second is used first."""

    def __init__(self, cursors: Cursors, make: Callable[[Words], tuple[Doubles, Doubles]]) -> None:
        self.cursors = cursors
        self.make = make
        self.left = np.zeros(len(cursors.at), np.intp)
        self.values = np.empty((2, len(cursors.at)))

    def take(self, which: Indices) -> Doubles:
        """Return the next number of each element of `which`."""
        empty = which[self.left[which] == 0]
        if empty.size:
            self.values[0, empty], self.values[1, empty] = self.make(self.cursors.blocks(empty))
            self.left[empty] = 2
        self.left[which] -= 1
        return self.values[self.left[which], which]


def uniforms(cursors: Cursors) -> Numbers:
    """Return doubles in [0, 1) for each element."""
    return Numbers(cursors, lambda w: (unit_doubles(w[0], w[1]), unit_doubles(w[2], w[3])))


def normals(cursors: Cursors) -> Numbers:
    """Return standard normal doubles for each element."""
    return Numbers(cursors, lambda w: normal_doubles(*w))


def until_accepted(active: Indices, attempt: Callable[[Indices], Array]) -> None:
    """Call `attempt` on the elements that are not done, until it has accepted each of them.

    attempt: takes element numbers, stores what it accepts, and returns which it accepted, bool.

    Raises: InvalidArgumentError where elements are refused again and again, as with a parameter that is NaN.
    """
    for _ in range(MAX_ROUNDS):
        if not active.size:
            return
        active = active[~attempt(active)]
    raise errors.InvalidArgumentError("no number can be drawn with these parameters")


def in_chunks(count: int, sample: Callable[[Offsets], Doubles]) -> Doubles:
    """Return `count` numbers: `sample` gets the element numbers of a part at a time."""
    out = np.empty(count)
    for start in range(0, count, CHUNK):
        out[start : start + CHUNK] = sample(np.arange(start, min(start + CHUNK, count), dtype=np.uint64))
    return out
