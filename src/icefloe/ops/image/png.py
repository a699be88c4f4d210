"""PNG images as libpng writes them, byte for byte. Registers nothing.

Every row takes the filter whose bytes, as signed numbers, have the least sum of absolute values, the earlier of equals;
the rows are deflated with the strategy for filtered data, in a window no larger than they need.

Source: libpng's pngwutil.c (filter heuristic, png_optimize_cmf, chunks of 8,192 bytes), RFC 2083.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# channels -> colour type
_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
_IDAT_SIZE = 8192
_MIN_LOOKAHEAD = 262


def encode_png(image: np.ndarray[Any, Any], compression: int = -1) -> bytes:
    """Return the PNG file of `image`: uint8 or uint16 [height, width, channels], 1 to 4 channels.

    compression: zlib's level, -1 for its default.
    """
    height, width, channels = image.shape
    depth = 8 * image.dtype.itemsize
    rows = np.ascontiguousarray(image.astype(image.dtype.newbyteorder(">"), copy=False)).view(np.uint8)
    filtered = _filter_rows(rows.reshape(height, -1), channels * depth // 8, width)
    header = struct.pack(">IIBBBBB", width, height, depth, _COLOR_TYPES[channels], 0, 0, 0)
    data = _deflate(filtered.tobytes(), compression)
    chunks = [_chunk(b"IHDR", header)]
    chunks += [_chunk(b"IDAT", data[at : at + _IDAT_SIZE]) for at in range(0, len(data), _IDAT_SIZE)]
    return b"".join([_SIGNATURE, *chunks, _chunk(b"IEND", b"")])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _filter_rows(rows: np.ndarray[Any, Any], pixel: int, width: int) -> np.ndarray[Any, Any]:
    """Return the rows with the filter's number in front of each. pixel: bytes of one pixel."""
    height, size = rows.shape
    wide = rows.astype(np.int16)
    left = np.zeros_like(wide)
    left[:, pixel:] = wide[:, :-pixel]
    up = np.zeros_like(wide)
    up[1:] = wide[:-1]
    corner = np.zeros_like(wide)
    corner[1:] = left[:-1]
    guess = left + up - corner
    a, b, c = np.abs(guess - left), np.abs(guess - up), np.abs(guess - corner)
    paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
    # libpng leaves out what looks above in a single row, and what looks left in a single column.
    candidates = [0, *([1] if width > 1 else []), *([2] if height > 1 else [])]
    if width > 1 and height > 1:
        candidates += [3, 4]
    predictions = {0: np.zeros_like(wide), 1: left, 2: up, 3: (left + up) >> 1, 4: paeth}
    tried = np.stack([(wide - predictions[k]).astype(np.uint8) for k in candidates])
    sums = np.abs(tried.view(np.int8).astype(np.int64)).sum(axis=2)
    best = sums.argmin(axis=0)
    out = np.empty((height, size + 1), np.uint8)
    out[:, 0] = np.asarray(candidates, np.uint8)[best]
    out[:, 1:] = tried[best, np.arange(height)]
    return out


def _deflate(data: bytes, level: int) -> bytes:
    window = 15
    if len(data) <= 16384:
        while window > 9 and len(data) + _MIN_LOOKAHEAD <= 1 << (window - 1):
            window -= 1
    packer = zlib.compressobj(level, zlib.DEFLATED, window, 9, zlib.Z_FILTERED)
    packed = bytearray(packer.compress(data) + packer.flush())
    if len(data) <= 16384:
        info = packed[0] >> 4
        while info > 0 and len(data) <= 1 << (info + 7):
            info -= 1
        packed[0] = (packed[0] & 0x0F) | (info << 4)
        flags = packed[1] & 0xE0
        packed[1] = flags + 31 - ((packed[0] << 8) + flags) % 31
    return bytes(packed)
