"""Philox4x32-10, a keyed function from a 128-bit counter to four random uint32 words, and `Stream`, a position in it.

Four words make a block; the next block is at counter + 1. A round maps the counter c0..c3 (c0 lowest) with key k0, k1:

    hi0:lo0 = 0xD2511F53 * c0        hi1:lo1 = 0xCD9E8D57 * c2
    c0, c1, c2, c3 = hi1 ^ c1 ^ k0, lo1, hi0 ^ c3 ^ k1, lo0

and between rounds the key grows by a constant. A position is a number, so any part of a stream can be had without the
rest.

Source: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011); xla/tsl/lib/random/philox_random.h
(seeds, skip).
"""

from __future__ import annotations

import os
import threading
from typing import Any, Self, TypeAlias

import numpy as np

Words: TypeAlias = np.ndarray[Any, np.dtype[np.uint32]]

_ROUNDS = 10
_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = 0x9E3779B9
_WEYL_1 = 0xBB67AE85
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_MASK_32 = 0xFFFFFFFF
_MASK_64 = (1 << 64) - 1
_MASK_128 = (1 << 128) - 1

CHUNK = 8192  # blocks worked on at a time: the dozen arrays of a round stay in the cache


def blocks(key: int, counter: int, offsets: np.ndarray[Any, np.dtype[np.uint64]]) -> Words:
    """Return the blocks at `counter + offsets`, as words [4, n]: row j holds word j of each block.

    key: 64 bits, the first key word lowest. counter: 128 bits, wrapping.
    """
    base = counter & _MASK_64
    low = offsets + np.uint64(base)
    high = np.full(offsets.shape, (counter >> 64) & _MASK_64, np.uint64)
    high += low < np.uint64(base)
    c0, c1, c2, c3 = low & _LOW, low >> _SHIFT, high & _LOW, high >> _SHIFT
    k0, k1 = key & _MASK_32, (key >> 32) & _MASK_32
    for _ in range(_ROUNDS):
        product_0 = c0 * _MULTIPLIER_0
        product_1 = c2 * _MULTIPLIER_1
        c1 ^= np.uint64(k0)
        c3 ^= np.uint64(k1)
        c0 = product_1 >> _SHIFT
        c0 ^= c1
        c2 = product_0 >> _SHIFT
        c2 ^= c3
        product_1 &= _LOW
        product_0 &= _LOW
        c1, c3 = product_1, product_0
        k0, k1 = (k0 + _WEYL_0) & _MASK_32, (k1 + _WEYL_1) & _MASK_32
    out = np.empty((4, *offsets.shape), np.uint32)
    for row, word in zip(out, (c0, c1, c2, c3)):
        row[...] = word
    return out


class Stream:
    """A position in the output of Philox under one key. It moves only by `reserve`, which several threads may call."""

    __slots__ = ("_lock", "counter", "key")

    def __init__(self, key: int, counter: int = 0) -> None:
        """key: 64 bits, the first key word lowest; counter: 128 bits."""
        self.key = key & _MASK_64
        self.counter = counter & _MASK_128
        self._lock = threading.Lock()

    @classmethod
    def from_seeds(cls, seed: int, seed2: int) -> Self:
        """Return the stream of an op with these seed attrs: `seed` is the key, `seed2` the high half of the counter.

        Both 0 ask for seeds that differ from call to call.
        """
        if seed == 0 and seed2 == 0:
            seed, seed2 = (int.from_bytes(os.urandom(8), "little") for _ in range(2))
        return cls(seed, (seed2 & _MASK_64) << 64)

    @classmethod
    def from_key_counter(cls, key: int, counter: tuple[int, int]) -> Self:
        """Return the stream of a key and the two uint64 halves of the counter, low half first."""
        return cls(key, (counter[0] & _MASK_64) | (counter[1] & _MASK_64) << 64)

    @classmethod
    def scrambled(cls, seed: tuple[int, int]) -> Self:
        """Return the stream of a stateless op's seed pair: one block under a fixed key gives key and counter.

        Source: tensorflow/core/kernels/stateless_random_ops.cc (GenerateKey).
        """
        counter = (seed[0] & _MASK_64) | (seed[1] & _MASK_64) << 64
        m0, m1, m2, m3 = blocks(_SCRAMBLE_KEY, counter, np.zeros(1, np.uint64))[:, 0].tolist()
        return cls(m0 | m1 << 32, (m2 | m3 << 32) << 64)

    def __repr__(self) -> str:
        return f"Stream(key={self.key:#x}, counter={self.counter:#x})"

    def skip(self, count: int) -> Stream:
        """Return the stream `count` blocks further on; this one stays."""
        return Stream(self.key, self.counter + count)

    def reserve(self, count: int) -> Stream:
        """Take the next `count` blocks: return a stream at the present position and move this one past them."""
        with self._lock:
            taken = Stream(self.key, self.counter)
            self.counter = (self.counter + count) & _MASK_128
        return taken

    def blocks(self, offsets: np.ndarray[Any, np.dtype[np.uint64]]) -> Words:
        """Return the blocks at these offsets from the position, as words [4, n]."""
        return blocks(self.key, self.counter, offsets)

    def words(self, count: int) -> Words:
        """Return the next `count` words in order, without moving."""
        groups = -(-count // 4)
        out = np.empty((groups, 4), np.uint32)
        for start in range(0, groups, CHUNK):
            stop = min(start + CHUNK, groups)
            out[start:stop] = self.blocks(np.arange(start, stop, dtype=np.uint64)).T
        return out.reshape(-1)[:count]


_SCRAMBLE_KEY = 0x02461E29_3EC8F720
