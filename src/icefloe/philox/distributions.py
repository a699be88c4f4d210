"""Uniform and normal numbers from a stream: which words make which element, bit for bit as TensorFlow's CPU kernels.

A group is the elements that one block gives: 4, or 2 where an element takes two words. Group g reads the block g
further on, so an element depends on its index alone. Truncated normals take as many blocks as they need: group g
starts at block g * 64 * (size of the group).

Every function takes a `Stream`, which it does not move, and returns `count` elements, flat.

Source: xla/tsl/lib/random/random_distributions.h, tensorflow/core/kernels/random_op_cpu.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from icefloe.philox.exactmath import Doubles, Floats, log, logf, sincos, sincosf
from icefloe.philox.stream import CHUNK, Stream, Words

Array: TypeAlias = np.ndarray[Any, Any]

RESERVED = 256  # blocks that a kernel reserves for each element, whatever it uses
_SMALLEST = 1e-7  # no smaller uniform goes into a logarithm
_TWO_PI = 2 * math.pi
_LIMIT = 2.0  # truncated normals are below it in size


def group_size(dtype: np.dtype[Any]) -> int:
    """Return how many elements of `dtype` one block gives."""
    return 2 if dtype.itemsize == 8 else 4


def unit_floats(words: Words) -> Floats:
    """Return floats in [0, 1), the low 23 bits of each word as the fraction."""
    out = (words & np.uint32(0x7FFFFF)).view(np.int32).astype(np.float32)
    out *= np.float32(2.0**-23)
    return out


def unit_doubles(high: Words, low: Words) -> Doubles:
    """Return doubles in [0, 1) of 52 random bits: the low 20 of `high`, then `low`."""
    bits = (high & np.uint32(0xFFFFF)).astype(np.int64)
    bits <<= 32
    bits |= low
    out = bits.astype(np.float64)
    out *= 2.0**-52
    return out


def uniform(stream: Stream, count: int, dtype: np.dtype[Any]) -> Array:
    """Return uniform numbers in [0, 1). dtype: float16, bfloat16, float32 or float64."""
    if dtype == np.float64:

        def fill(words: Words, out: Array) -> None:
            out[:, 0] = unit_doubles(words[0], words[1])
            out[:, 1] = unit_doubles(words[2], words[3])

    elif dtype == np.float32:

        def fill(words: Words, out: Array) -> None:
            out.T[...] = unit_floats(words)

    else:
        bits = 10 if dtype == np.float16 else 7  # of the fraction; bfloat16 has 7

        def fill(words: Words, out: Array) -> None:
            fraction = (words & np.uint32((1 << bits) - 1)).astype(np.float32)
            fraction *= np.float32(2.0**-bits)
            out.T[...] = fraction.astype(dtype)

    return _filled(stream, count, dtype, fill)


def uniform_full_int(stream: Stream, count: int, dtype: np.dtype[Any]) -> Array:
    """Return integers over the whole range of `dtype`, of 32 or 64 bits."""
    if dtype.itemsize == 4:
        return stream.words(count).view(dtype)
    # The first word of a pair is the low half, as the words lie in memory on a little-endian machine.
    return _pairs(stream, count).astype(dtype, copy=False)


def _pairs(stream: Stream, count: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    return stream.words(2 * count).astype("<u4", copy=False).view("<u8").astype(np.uint64, copy=False)


def uniform_int(stream: Stream, count: int, low: int, high: int, dtype: np.dtype[Any]) -> Array:
    """Return integers in [low, high), by remainder: the bias is TensorFlow's. dtype: int32, int64, uint32 or uint64."""
    wide = dtype.itemsize == 8
    unsigned = np.dtype(np.uint64 if wide else np.uint32)
    span = (high - low) % (1 << 8 * dtype.itemsize)
    words = _pairs(stream, count) if wide else stream.words(count)
    out = words % unsigned.type(span)
    out += unsigned.type(low % (1 << 8 * dtype.itemsize))
    return out.view(dtype)


def normal_floats(first: Words, second: Words) -> tuple[Floats, Floats]:
    """Return two normal floats of each pair of words, by the Box-Muller transform."""
    radius = np.maximum(unit_floats(first), np.float32(_SMALLEST))
    radius = logf(radius)
    radius *= np.float32(-2.0)
    np.sqrt(radius, out=radius)
    angle = unit_floats(second).astype(np.float64)
    angle *= _TWO_PI
    sin, cos = sincosf(angle.astype(np.float32))
    sin *= radius
    cos *= radius
    return sin, cos


def normal_doubles(w0: Words, w1: Words, w2: Words, w3: Words) -> tuple[Doubles, Doubles]:
    """Return two normal doubles of each four words, by the Box-Muller transform."""
    radius = log(np.maximum(unit_doubles(w0, w1), _SMALLEST))
    radius *= -2.0
    np.sqrt(radius, out=radius)
    sin, cos = sincos(unit_doubles(w2, w3) * _TWO_PI)
    sin *= radius
    cos *= radius
    return sin, cos


def _normal_groups(words: Words, wide: bool) -> Array:
    """Return the normals of each block, [group size, n]; float64 where `wide`, else float32."""
    if wide:
        return np.stack(normal_doubles(*words))
    sin, cos = normal_floats(words[0::2], words[1::2])
    return np.stack((sin[0], cos[0], sin[1], cos[1]))


def normal(stream: Stream, count: int, dtype: np.dtype[Any]) -> Array:
    """Return standard normal numbers.

    Dtype: float16, bfloat16, float32 or float64; 16-bit ones are rounded from float32.
    """
    wide = dtype == np.float64

    def fill(words: Words, out: Array) -> None:
        out.T[...] = _normal_groups(words, wide).astype(dtype, copy=False)

    return _filled(stream, count, dtype, fill)


def truncated_normal(stream: Stream, count: int, dtype: np.dtype[Any]) -> Array:
    """Return standard normal numbers of size below 2; larger ones are drawn again. dtype: as for `normal`."""
    wide = dtype == np.float64
    size = group_size(dtype)
    spacing = np.uint64(size * RESERVED // 4)

    def fill(start: int, out: Array) -> None:
        # Groups that are not full yet, the block each reads next, and how many elements each has.
        group = np.arange(len(out))
        at = (np.uint64(start) + group.astype(np.uint64)) * spacing
        have = np.zeros(len(out), np.intp)
        while group.size:
            drawn = _normal_groups(stream.blocks(at), wide)
            fits = np.abs(drawn) < _LIMIT
            place = have + np.cumsum(fits, axis=0) - 1
            fits &= place < size
            where = np.broadcast_to(group, fits.shape)
            out[where[fits], place[fits]] = drawn[fits]
            have = np.minimum(place[-1] + 1, size)
            short = have < size
            group, at, have = group[short], at[short] + np.uint64(1), have[short]

    out = np.empty((-(-count // size), size), np.float64 if wide else np.float32)
    for start, stop in _chunks(len(out)):
        fill(start, out[start:stop])
    return out.reshape(-1)[:count].astype(dtype, copy=False)


def _chunks(groups: int) -> Iterator[tuple[int, int]]:
    for start in range(0, groups, CHUNK):
        yield start, min(start + CHUNK, groups)


def _filled(stream: Stream, count: int, dtype: np.dtype[Any], fill: Callable[[Words, Array], None]) -> Array:
    """Return `count` elements: `fill` is called with the words of some blocks and the rows of elements they make."""
    size = group_size(dtype)
    out = np.empty((-(-count // size), size), dtype)
    for start, stop in _chunks(len(out)):
        fill(stream.blocks(np.arange(start, stop, dtype=np.uint64)), out[start:stop])
    return out.reshape(-1)[:count]
