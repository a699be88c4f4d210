"""What the ops of summary writers append, step by step: `EVENTS` are calls (op, arguments behind the handle, attrs)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.case import GOLDENS

GOLDEN = GOLDENS / "events.npz"

METADATA = b"\n\x0c\n\x07scalars\x12\x01x"
SOUND = np.sin(np.arange(16) * 0.9).astype(np.float32).reshape(1, 8, 2) * 0.8
IMAGES = (np.arange(2 * 3 * 4 * 3) * 5 % 251).astype(np.uint8).reshape(2, 3, 4, 3)
BAD = np.array([255, 0, 0, 255], np.uint8)
# Summary messages: one value each, tag and simple_value.
RAW = np.array([b"\n\x08\n\x01a\x15\0\0\x80?", b"\n\x08\n\x01b\x15\0\0\0@"], object)
EVENT = b"\x10\x2a*\x0a\n\x08\n\x01a\x15\0\0\x80?"
GRAPH = b'\n\x0c\n\x01x\x12\x07NoOpXYZ"\x02\x08\x1b'

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def call(op: str, *arguments: Any, **attrs: Any) -> Call:
    return op, arguments, attrs


EVENTS = [
    call("WriteScalarSummary", np.int64(3), b"loss", np.float32(0.25)),
    call("WriteScalarSummary", np.int64(4), b"count", np.int32(7)),
    call("WriteScalarSummary", np.int64(5), b"wide", np.float64(0.1)),
    call("WriteSummary", np.int64(6), np.arange(6, dtype=np.float32).reshape(2, 3), b"tensor", METADATA),
    call("WriteSummary", np.int64(7), np.array([b"some", b"text"], object), b"words", b""),
    call("WriteSummary", np.int64(8), np.int64(9), b"number", b""),
    call("WriteHistogramSummary", np.int64(9), b"weights", np.array([-1.5, 0, 0.25, 0.25, 9], np.float32)),
    call("WriteHistogramSummary", np.int64(10), b"counts", np.array([1, 2, 2, 50], np.int64)),
    call("WriteImageSummary", np.int64(11), b"pixels", IMAGES, BAD, max_images=1),
    call("WriteImageSummary", np.int64(12), b"several", IMAGES, BAD, max_images=3),
    call("WriteAudioSummary", np.int64(13), b"sound", SOUND, np.float32(8000), max_outputs=1),
    call("WriteRawProtoSummary", np.int64(14), RAW),
    call("WriteGraphSummary", np.int64(15), GRAPH),
    call("ImportEvent", EVENT),
]

REFUSED = [
    call("WriteScalarSummary", np.int64(3), b"loss", b"text"),
    call("WriteHistogramSummary", np.int64(3), b"weights", np.array([1, np.nan], np.float32)),
    call("WriteImageSummary", np.int64(3), b"pixels", IMAGES[0], BAD, max_images=1),
    call("WriteAudioSummary", np.int64(3), b"sound", SOUND, np.float32(0), max_outputs=1),
    call("WriteRawProtoSummary", np.int64(3), np.array([b"\xff"], object)),
    call("WriteGraphSummary", np.int64(3), b"\xff"),
    call("ImportEvent", b"\xff"),
]
