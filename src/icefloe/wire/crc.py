"""CRC32C (Castagnoli) as checkpoints store it: extended piece by piece, joined from parts, masked.

Any contiguous buffer is read where it is, without a copy. Pieces that different threads computed are joined with
`combine`.
Source: RFC 3720 appendix B.4; leveldb util/crc32c.h for the mask.
"""

from __future__ import annotations

import functools

import google_crc32c
import numpy as np

from icefloe.wire.coding import Buffer

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_extend = google_crc32c.extend


def crc32c(data: Buffer | np.ndarray, crc: int = 0) -> int:
    """Return the CRC32C of `data`, continuing from `crc`, the checksum of what came before it."""
    if type(data) is bytes:
        return _extend(crc, data)
    if not len(data):
        return crc
    # The extension takes bytes-like objects that need no release; a numpy view over the same memory is one.
    return _extend(crc, np.frombuffer(data, np.uint8))


def mask(crc: int) -> int:
    """Return `crc` in the form in which it is stored, so that a checksum of bytes that hold checksums stays sound."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def unmask(masked: int) -> int:
    """Return the CRC whose stored form is `masked`."""
    rotated = (masked - _MASK_DELTA) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def combine(first: int, second: int, second_size: int) -> int:
    """Return the CRC of A + B, given those of A and B and the size of B in bytes."""
    power = 0
    while second_size:
        if second_size & 1:
            first = _multiply(_zero_bytes(power), first)
        second_size >>= 1
        power += 1
    return first ^ second


def _multiply(matrix: tuple[int, ...], vector: int) -> int:
    """Return matrix x vector over GF(2): the xor of the columns whose bit is set."""
    out = 0
    for column in matrix:
        if not vector:
            break
        if vector & 1:
            out ^= column
        vector >>= 1
    return out


@functools.cache
def _zero_bytes(power: int) -> tuple[int, ...]:
    """Return the operator that carries a CRC over 2**power zero bytes, as 32 columns."""
    if power == 0:
        one_bit = (_POLYNOMIAL, *(1 << i for i in range(31)))
        columns = one_bit
        for _ in range(3):
            columns = tuple(_multiply(columns, c) for c in columns)
        return columns
    half = _zero_bytes(power - 1)
    return tuple(_multiply(half, c) for c in half)
