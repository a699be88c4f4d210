"""Hashes of byte strings that TensorFlow's ops and files rely on. Registers nothing.

    fingerprint64   FarmHash, farmhashna's Hash64
    strong_hash64   SipHash-2-4 with a key of two 64-bit words
    hash64          Murmur-like, TensorFlow's own

Source: farmhash.cc of Google's FarmHash; "SipHash: a fast short-input PRF"; tensorflow/core/lib/hash/hash.cc.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1

_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F


def _u64(s: bytes, at: int) -> int:
    return int.from_bytes(s[at : at + 8], "little")


def _u32(s: bytes, at: int) -> int:
    return int.from_bytes(s[at : at + 4], "little")


def _turn(value: int, by: int) -> int:
    return ((value >> by) | (value << (64 - by))) & _MASK


def _shift_mix(value: int) -> int:
    return value ^ (value >> 47)


def _hash16(u: int, v: int, multiplier: int) -> int:
    a = ((u ^ v) * multiplier) & _MASK
    a ^= a >> 47
    b = ((v ^ a) * multiplier) & _MASK
    b ^= b >> 47
    return (b * multiplier) & _MASK


def _to_16(s: bytes) -> int:
    n = len(s)
    if n >= 8:
        m = (_K2 + n * 2) & _MASK
        a = (_u64(s, 0) + _K2) & _MASK
        b = _u64(s, n - 8)
        c = (_turn(b, 37) * m + a) & _MASK
        d = ((_turn(a, 25) + b) * m) & _MASK
        return _hash16(c, d, m)
    if n >= 4:
        m = (_K2 + n * 2) & _MASK
        return _hash16((n + (_u32(s, 0) << 3)) & _MASK, _u32(s, n - 4), m)
    if n:
        y = s[0] + (s[n >> 1] << 8)
        z = n + (s[n - 1] << 2)
        return (_shift_mix(((y * _K2) ^ (z * _K0)) & _MASK) * _K2) & _MASK
    return _K2


def _to_32(s: bytes) -> int:
    n = len(s)
    m = (_K2 + n * 2) & _MASK
    a = (_u64(s, 0) * _K1) & _MASK
    b = _u64(s, 8)
    c = (_u64(s, n - 8) * m) & _MASK
    d = (_u64(s, n - 16) * _K2) & _MASK
    return _hash16(
        (_turn((a + b) & _MASK, 43) + _turn(c, 30) + d) & _MASK, (a + _turn((b + _K2) & _MASK, 18) + c) & _MASK, m
    )


def _to_64(s: bytes) -> int:
    n = len(s)
    m = (_K2 + n * 2) & _MASK
    a = (_u64(s, 0) * _K2) & _MASK
    b = _u64(s, 8)
    c = (_u64(s, n - 8) * m) & _MASK
    d = (_u64(s, n - 16) * _K2) & _MASK
    y = (_turn((a + b) & _MASK, 43) + _turn(c, 30) + d) & _MASK
    z = _hash16(y, (a + _turn((b + _K2) & _MASK, 18) + c) & _MASK, m)
    e = (_u64(s, 16) * m) & _MASK
    f = _u64(s, 24)
    g = ((y + _u64(s, n - 32)) * m) & _MASK
    h = ((z + _u64(s, n - 24)) * m) & _MASK
    return _hash16(
        (_turn((e + f) & _MASK, 43) + _turn(g, 30) + h) & _MASK, (e + _turn((f + a) & _MASK, 18) + g) & _MASK, m
    )


def _weak_hash(s: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (_u64(s, at + 8 * i) for i in range(4))
    a = (a + w) & _MASK
    b = _turn((b + a + z) & _MASK, 21)
    c = a
    a = (a + x + y) & _MASK
    b = (b + _turn(a, 44)) & _MASK
    return (a + z) & _MASK, (b + c) & _MASK


def fingerprint64(s: bytes) -> int:
    """Return FarmHash's 64-bit fingerprint of `s`."""
    n = len(s)
    if n <= 16:
        return _to_16(s)
    if n <= 32:
        return _to_32(s)
    if n <= 64:
        return _to_64(s)
    x = 81
    y = (81 * _K1 + 113) & _MASK
    z = (_shift_mix((y * _K2 + 113) & _MASK) * _K2) & _MASK
    v = w = (0, 0)
    x = (x * _K2 + _u64(s, 0)) & _MASK
    end = (n - 1) // 64 * 64
    for at in range(0, end, 64):
        x = (_turn((x + y + v[0] + _u64(s, at + 8)) & _MASK, 37) * _K1) & _MASK
        y = (_turn((y + v[1] + _u64(s, at + 48)) & _MASK, 42) * _K1) & _MASK
        x ^= w[1]
        y = (y + v[0] + _u64(s, at + 40)) & _MASK
        z = (_turn((z + w[0]) & _MASK, 33) * _K1) & _MASK
        v = _weak_hash(s, at, (v[1] * _K1) & _MASK, (x + w[0]) & _MASK)
        w = _weak_hash(s, at + 32, (z + w[1]) & _MASK, (y + _u64(s, at + 16)) & _MASK)
        z, x = x, z
    m = (_K1 + ((z & 0xFF) << 1)) & _MASK
    at = n - 64
    w = ((w[0] + ((n - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x = (_turn((x + y + v[0] + _u64(s, at + 8)) & _MASK, 37) * m) & _MASK
    y = (_turn((y + v[1] + _u64(s, at + 48)) & _MASK, 42) * m) & _MASK
    x ^= (w[1] * 9) & _MASK
    y = (y + v[0] * 9 + _u64(s, at + 40)) & _MASK
    z = (_turn((z + w[0]) & _MASK, 33) * m) & _MASK
    v = _weak_hash(s, at, (v[1] * m) & _MASK, (x + w[0]) & _MASK)
    w = _weak_hash(s, at + 32, (z + w[1]) & _MASK, (y + _u64(s, at + 16)) & _MASK)
    z, x = x, z
    return _hash16((_hash16(v[0], w[0], m) + _shift_mix(y) * _K0 + z) & _MASK, (_hash16(v[1], w[1], m) + x) & _MASK, m)


def strong_hash64(key: tuple[int, int], s: bytes) -> int:
    """Return SipHash-2-4 of `s` with a key of two words."""
    k0, k1 = (word & _MASK for word in key)
    v0 = k0 ^ 0x736F6D6570736575
    v1 = k1 ^ 0x646F72616E646F6D
    v2 = k0 ^ 0x6C7967656E657261
    v3 = k1 ^ 0x7465646279746573

    def rounds(count: int) -> None:
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0 = (v0 + v1) & _MASK
            v2 = (v2 + v3) & _MASK
            v1 = _turn(v1, 51) ^ v0
            v3 = _turn(v3, 48) ^ v2
            v0 = _turn(v0, 32)
            v2 = (v2 + v1) & _MASK
            v0 = (v0 + v3) & _MASK
            v1 = _turn(v1, 47) ^ v2
            v3 = _turn(v3, 43) ^ v0
            v2 = _turn(v2, 32)

    whole = len(s) // 8 * 8
    last = int.from_bytes(s[whole:], "little") | (len(s) & 0xFF) << 56
    for word in (*(_u64(s, at) for at in range(0, whole, 8)), last):
        v3 ^= word
        rounds(2)
        v0 ^= word
    v2 ^= 0xFF
    rounds(4)
    return v0 ^ v1 ^ v2 ^ v3


def hash64(s: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """Return TensorFlow's `Hash64`: MurmurHash64A."""
    m = 0xC6A4A7935BD1E995
    n = len(s)
    h = seed ^ (n * m) & _MASK
    whole = n // 8 * 8
    for at in range(0, whole, 8):
        k = (_u64(s, at) * m) & _MASK
        k ^= k >> 47
        h = ((h ^ (k * m) & _MASK) * m) & _MASK
    if n > whole:
        h = ((h ^ int.from_bytes(s[whole:], "little")) * m) & _MASK
    h = ((h ^ (h >> 47)) * m) & _MASK
    return h ^ (h >> 47)


def combine64(a: int, b: int) -> int:
    """Return the fingerprint of two fingerprints in order: TensorFlow's `FingerprintCat64`.

    Source: tensorflow/core/platform/fingerprint.h.
    """
    m = 0xC6A4A7935BD1E995
    result = a ^ m
    result ^= (_shift_mix((b * m) & _MASK) * m) & _MASK
    result = (result * m) & _MASK
    result = (_shift_mix(result) * m) & _MASK
    return _shift_mix(result)
