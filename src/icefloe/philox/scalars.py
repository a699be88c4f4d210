"""Single random numbers, one after the other, for algorithms that need to look at each before they draw the next.

Source: xla/tsl/lib/random/simple_philox.h, exact_uniform_int.h.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from icefloe.philox.stream import Stream

_AHEAD = 64  # blocks made at a time


class Scalars:
    """The words of a stream from its position on, read as integers and floats."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._blocks = 0
        self._words: list[int] = []
        self._at = 0

    def word(self) -> int:
        """Return the next 32 bits."""
        if self._at == len(self._words):
            offsets = np.arange(self._blocks, self._blocks + _AHEAD, dtype=np.uint64)
            self._words = self._stream.blocks(offsets).T.reshape(-1).tolist()
            self._blocks += _AHEAD
            self._at = 0
        self._at += 1
        return self._words[self._at - 1]

    def double_word(self) -> int:
        """Return the next 64 bits, the first word low."""
        low = self.word()
        return low | self.word() << 32

    def single(self) -> np.float32:
        """Return the next float32 in [0, 1)."""
        return np.float32((self.word() & 0x7FFFFF) * 2.0**-23)

    def double(self) -> float:
        """Return the next double in [0, 1); the first word is the high one."""
        high = self.word()
        return ((high & 0xFFFFF) << 32 | self.word()) * 2.0**-52

    def below(self, limit: int) -> int:
        """Return an integer in [0, limit), all equally likely; `limit` is a positive uint32."""
        return _exact(self.word, limit, 32)

    def below_64(self, limit: int) -> int:
        """Return an integer in [0, limit), all equally likely; `limit` is a positive uint64."""
        return _exact(self.double_word, limit, 64)


def _exact(draw: Callable[[], int], limit: int, bits: int) -> int:
    """Return a remainder that has no bias: what would make the lower ones likelier is drawn again."""
    if limit & (limit - 1) == 0:
        return draw() & (limit - 1)
    refused = ((1 << bits) - 1) % limit + 1
    while (drawn := draw()) < refused:
        pass
    return drawn % limit
