"""Image files read. The files are made here: PNG by hand or as TensorFlow would, BMP by its layout."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from ops.case import Case

R = np.random.RandomState(3)


def s(data: bytes) -> np.ndarray:
    return np.array(data, object)


def bmp(pixels: np.ndarray, *, top_down: bool = False) -> bytes:
    height, width, channels = pixels.shape
    row = (channels * width + 3) // 4 * 4
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[channels]
    lines = pixels[:, :, order].reshape(height, -1)
    data = b"".join(line.tobytes().ljust(row, b"\0") for line in (lines if top_down else lines[::-1]))
    head = struct.pack(
        "<IiiHHIIiiII", 40, width, -height if top_down else height, 1, 8 * channels, 0, len(data), 0, 0, 0, 0
    )
    return b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54) + head + data


def png(pixels: np.ndarray, filters: list[int]) -> bytes:
    """Rows with the filters given, whose predictions are left at 0: what is read back is what they add up to."""
    height, width, channels = pixels.shape
    depth = 8 * pixels.dtype.itemsize
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).view(np.uint8).reshape(height, -1)
    raw = b"".join(bytes([f]) + row.tobytes() for f, row in zip(filters, rows))
    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


SMALL = R.randint(0, 256, (5, 6, 3)).astype(np.uint8)
DEEP = R.randint(0, 65536, (5, 6, 3)).astype(np.uint16)
ALL_FILTERS = [0, 1, 2, 3, 4]

CASES = [
    Case("DecodeBmp", s(bmp(SMALL))),
    Case("DecodeBmp", s(bmp(SMALL, top_down=True)), channels=3),
    Case("DecodeBmp", s(bmp(R.randint(0, 256, (3, 5, 4)).astype(np.uint8)))),
    Case("DecodeBmp", s(bmp(SMALL)), channels=4),
    Case("DecodeBmp", s(bmp(SMALL)[:60])),
    Case("DecodeBmp", s(b"BM")),
    Case("DecodePng", s(png(SMALL, ALL_FILTERS))),
    Case("DecodePng", s(png(SMALL, ALL_FILTERS)), channels=4),
    Case("DecodePng", s(png(SMALL[:, :, :1], ALL_FILTERS))),
    Case("DecodePng", s(png(SMALL[:, :, :1], ALL_FILTERS)), channels=3),
    Case("DecodePng", s(png(R.randint(0, 256, (5, 4, 4)).astype(np.uint8), ALL_FILTERS))),
    Case("DecodePng", s(png(R.randint(0, 256, (5, 4, 4)).astype(np.uint8), ALL_FILTERS)), channels=3),
    Case("DecodePng", s(png(SMALL, ALL_FILTERS)), dtype="uint16"),
    Case("DecodePng", s(png(DEEP, ALL_FILTERS)), dtype="uint16"),
    Case("DecodePng", s(png(DEEP, ALL_FILTERS))),
    Case("DecodePng", s(png(DEEP[:, :, :1], ALL_FILTERS)), dtype="uint16", channels=3),
    Case("DecodePng", s(png(DEEP, ALL_FILTERS)), dtype="uint16", channels=4),
    Case("DecodePng", s(b"nothing")),
    Case("DecodePng", s(png(SMALL, ALL_FILTERS)[:50])),
    Case("DecodeImage", s(png(SMALL, ALL_FILTERS))),
    Case("DecodeImage", s(png(SMALL, ALL_FILTERS)), dtype="float32"),
    Case("DecodeImage", s(png(DEEP, ALL_FILTERS)), dtype="float32"),
    Case("DecodeImage", s(bmp(SMALL)), dtype="uint16"),
    Case("DecodeImage", s(b"")),
]
