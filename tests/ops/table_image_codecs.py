"""Image files read. The files are made here: PNG by hand or as TensorFlow would, BMP by its layout."""

from __future__ import annotations

import base64
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

# Smooth pictures of 12 x 16 pixels, in colour and in grey, and animations of one and two frames of 2 x 2.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU"
    "FRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
    "FBQUFBQUFBT/wAARCAAMABADAREAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABQYH/8QAGRAAAwADAAAAAAAAAAAAAAAAAAQh"
    "AgMx/8QAGAEAAwEBAAAAAAAAAAAAAAAAAwUGBAf/xAAZEQADAQEBAAAAAAAAAAAAAAAAAgQDASH/2gAMAwEAAhEDEQA/ANwSe5TM"
    "sxzqfIeSe5Q6zFRPkQqW7KUermornXng+luylDrmpTzrw//Z"
)
GREY_JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU"
    "FRUVDA8XGBYUGBIUFRT/wAALCAAMABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAABwX/xAAWEAADAAAAAAAAAAAAAAAAAAAABkL/"
    "2gAIAQEAAD8AoLUCqtQFS1AqrUH/2Q=="
)
GIF = base64.b64decode("R0lGODdhAgACAIEAAP//AAD/AP8AAAAA/ywAAAAAAgACAAAIBwAFBBgAICAAOw==")
TWO_FRAMES = base64.b64decode(
    "R0lGODlhAgACAIEAAP//AAD/AP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQACgAAACwAAAAAAgACAAAIBwAFBBgAICAAIfkE"
    "AQoABAAsAAAAAAIAAgCB////yGQyCQkJAAAACAcABwgIACAgADs="
)

# JPEG decoders round their transforms differently: a few steps of 255 are granted.
STEPS = 0.03
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
    Case("DecodeJpeg", s(JPEG), tol=STEPS),
    Case("DecodeJpeg", s(JPEG), channels=1, tol=STEPS),
    Case("DecodeJpeg", s(GREY_JPEG), tol=STEPS),
    Case("DecodeJpeg", s(GREY_JPEG), channels=3, tol=STEPS),
    Case("DecodeJpeg", s(JPEG), ratio=2, tol=STEPS),
    Case("DecodeJpeg", s(JPEG), ratio=8, tol=STEPS),
    Case("DecodeJpeg", s(JPEG), ratio=3),
    Case("DecodeJpeg", s(JPEG[:40])),
    Case("DecodeAndCropJpeg", s(JPEG), np.int32([2, 3, 5, 7]), tol=STEPS),
    Case("DecodeAndCropJpeg", s(JPEG), np.int32([10, 3, 5, 7])),
    Case("DecodeAndCropJpeg", s(JPEG), np.int32([2, 3, 5])),
    Case("ExtractJpegShape", s(JPEG)),
    Case("ExtractJpegShape", s(GREY_JPEG), output_type="int64"),
    Case("ExtractJpegShape", s(b"nothing")),
    Case("DecodeGif", s(GIF)),
    Case("DecodeGif", s(TWO_FRAMES)),
    Case("DecodeGif", s(png(SMALL, ALL_FILTERS))),
    Case("DecodeGif", s(b"GIF89a")),
    Case("DecodePng", s(GIF)),
    Case("DecodePng", s(TWO_FRAMES)),
    Case("DecodeImage", s(JPEG), tol=STEPS),
    Case("DecodeImage", s(TWO_FRAMES)),
    Case("DecodeImage", s(TWO_FRAMES), expand_animations=False),
    Case("EncodeJpeg", np.zeros((2, 3, 2), np.uint8)),
    Case("EncodeJpeg", np.zeros((3, 3), np.uint8)),
    Case("EncodeJpeg", np.zeros((2, 3, 3), np.uint8), quality=101),
    Case("EncodeJpegVariableQuality", np.zeros((2, 3, 3), np.uint8), np.int32([5])),
]
