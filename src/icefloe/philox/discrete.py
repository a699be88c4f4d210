"""Shuffles and categorical draws from a stream, bit for bit as TensorFlow's CPU kernels draw them on one thread.

Source: tensorflow/core/kernels/random_shuffle_op.cc, multinomial_op.cc, random_index_shuffle.cc.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe.philox.distributions import Array, unit_doubles
from icefloe.philox.stream import Stream


def permutation(stream: Stream, size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return a random order of 0 .. size - 1: element i of a shuffled array is element `order[i]` of the array before.

    Fisher and Yates: i trades places with one of i .. size - 1, a word's remainder chooses.
    """
    order = list(range(size))
    words = stream.words(max(size - 1, 0))
    steps = (words % np.arange(size, 1, -1, dtype=np.uint32)).tolist() if size > 1 else []
    for i, step in enumerate(steps):
        j = i + step
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


def multinomial(stream: Stream, logits: Array, samples: int, dtype: np.dtype[Any]) -> Array:
    """Return draws [rows, samples] of class indices, each class as likely as exp(logit).

    A logit that is not finite is never drawn.

    logits: real [rows, classes]. A row with no finite logit gives the number of classes.
    """
    rows, classes = logits.shape
    words = stream.words(2 * rows * samples)
    draws = unit_doubles(words[0::2], words[1::2]).reshape(rows, samples)
    wide = logits.astype(np.float64)
    finite = np.isfinite(wide)
    lowest = float(np.finfo(np.float64).min)
    # In double, as TensorFlow does it: a sum that runs over the classes in order.
    weights = np.exp(wide - wide.max(axis=1, initial=lowest, where=finite)[:, None])
    weights[~finite] = 0.0
    cumulative = np.cumsum(weights, axis=1)
    out = np.empty((rows, samples), dtype)
    for row in range(rows):
        total = cumulative[row, -1] if classes else 0.0
        out[row] = np.searchsorted(cumulative[row], draws[row] * total, side="right")
    return out


# The block cipher Simon with a word of any width; constants of its published key schedule.
_SIMON_C = 0xFFFFFFFC
_SIMON_Z = 0x7369F885192C0EF5
_MIN_BLOCK_BITS = 16


def _rotated(value: int, by: int, width: int) -> int:
    """Return `value` rotated to the left within `width` bits."""
    return ((value << by) | (value >> (width - by))) & ((1 << width) - 1)


def _simon_keys(key: tuple[int, int, int], rounds: int, width: int) -> list[int]:
    mask = (1 << width) - 1
    keys = [k & mask for k in key]
    z = _SIMON_Z & mask
    for i in range(3, rounds):
        last = keys[i - 1]
        turned = _rotated(last, width - 3, width) ^ _rotated(last, width - 4, width)
        keys.append((_SIMON_C & mask) ^ (z & 1) ^ keys[i - 3] ^ turned)
        z >>= 1
    return keys


def index_shuffle(index: int, key: tuple[int, int, int], max_index: int, rounds: int) -> int:
    """Return where `index` goes in a random order of 0 .. max_index, without making the order.

    A cipher on just enough bits permutes a range that may be larger; what lands outside is enciphered again.
    key: three uint32.
    """
    if max_index == 0:
        return 0
    bits = math.ceil(math.log2(max_index))
    width = max(bits + bits % 2, _MIN_BLOCK_BITS) // 2
    keys = _simon_keys(key, rounds, width)

    def mixed(value: int) -> int:
        return _rotated(value, 1, width) & _rotated(value, 8, width) ^ _rotated(value, 2, width)

    mask = (1 << width) - 1
    while True:
        left, right = (index >> width) & mask, index & mask
        for first, second in zip(keys[0::2], keys[1::2]):
            left ^= mixed(right) ^ first
            right ^= mixed(left) ^ second
        index = left << width | right
        if index <= max_index:
            return index
