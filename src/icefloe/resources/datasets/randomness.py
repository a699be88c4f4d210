"""Random words and seeds of datasets, as TensorFlow draws them.

Source: tensorflow/core/kernels/data/random_seed_ops.cc, xla/tsl/lib/random/random_distributions.h
(SingleSampleAdapter: the words of a Philox stream one by one).
"""

from __future__ import annotations

import os
import threading

from icefloe.philox.stream import Stream

_AHEAD = 64  # blocks made at a time


def actual_seeds(seed: int, seed2: int) -> tuple[int, int]:
    """Return the seeds to use: those given, or if both are 0 ones that differ from call to call."""
    if seed == 0 and seed2 == 0:
        first, second = (int.from_bytes(os.urandom(8), "little", signed=True) for _ in range(2))
        return first or 1, second
    return seed, seed2


class Words:
    """The 32-bit words of the stream of two seeds. drawn: how many have been taken."""

    def __init__(self, seed: int, seed2: int, drawn: int = 0) -> None:
        # Two seeds of 0 would mean others each time; they were made actual before.
        self._stream = Stream(seed, (seed2 & ((1 << 64) - 1)) << 64)
        self.drawn = drawn
        self._words: list[int] = []
        self._first = 0

    def next(self) -> int:
        """Return the next word."""
        at = self.drawn - self._first
        if not 0 <= at < len(self._words):
            block = self.drawn // 4
            self._words = self._stream.skip(block).words(4 * _AHEAD).tolist()
            self._first = 4 * block
            at = self.drawn - self._first
        self.drawn += 1
        return self._words[at]


class SeedGenerator:
    """Gives the iterators of a shuffled dataset their seeds: the same ones, or with `reshuffle` others each time.

    drawn: how many numbers were taken, two for each call.
    """

    def __init__(self, seed: int, seed2: int, reshuffle: bool) -> None:
        self.seed, self.seed2 = actual_seeds(seed, seed2)
        self.reshuffle = reshuffle
        self._words = Words(self.seed, self.seed2)
        self._fixed_calls = 0
        self._lock = threading.Lock()

    @property
    def drawn(self) -> int:
        return self._words.drawn if self.reshuffle else self._fixed_calls

    def seeds(self) -> tuple[int, int]:
        """Return a pair of seeds."""
        with self._lock:
            if not self.reshuffle:
                self._fixed_calls += 1
                return self.seed, self.seed2
            return self._words.next(), self._words.next()

    def reset(self, drawn: int) -> None:
        """Go on behind the first `drawn` numbers."""
        with self._lock:
            self._fixed_calls = drawn
            self._words = Words(self.seed, self.seed2, drawn)


class NoResource:
    """What a handle that stands for nothing holds, such as that of DummySeedGenerator."""
