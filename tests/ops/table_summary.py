"""Summaries, compared as bytes: PNG and WAV data inside included."""

from __future__ import annotations

import numpy as np

from ops.case import Case

R = np.random.RandomState(7)


def s(text: str) -> np.ndarray:
    return np.array(text.encode(), object)


def strings(*texts: bytes) -> np.ndarray:
    out = np.empty(len(texts), object)
    out[:] = texts
    return out


FLOATS = R.rand(2, 6, 9, 3).astype(np.float32)
SIGNED = R.randn(1, 4, 5, 4).astype(np.float32)
SIGNED[0, 1, 2, 0] = np.nan
SMOOTH = np.add.outer(np.arange(40), np.arange(60)).astype(np.uint8).reshape(1, 40, 60, 1)

CASES = [
    Case("ScalarSummary", s("a/b"), np.float32(2.5)),
    Case("ScalarSummary", strings(b"x", b"y"), np.int32([1, -2])),
    Case("ScalarSummary", s("h"), np.float16(0.1)),
    Case("ScalarSummary", s("one"), np.float64([3.25])),
    Case("ScalarSummary", strings(b"x", b"y"), np.float32([1])),
    Case("HistogramSummary", s("h"), np.float32([0, 1, 1, -3.5, 1e-13, 1e21])),
    Case("HistogramSummary", s("h"), R.randn(50)),
    Case("HistogramSummary", s("h"), np.int64([7, 7, 8])),
    Case("HistogramSummary", s("h"), np.zeros((0,), np.float32)),
    Case("HistogramSummary", s("h"), np.float32([1, np.nan])),
    Case("HistogramSummary", s("h"), np.float32([1, np.inf])),
    Case("HistogramSummary", strings(b"h"), np.float32([1])),
    Case("MergeSummary", [s("\n\x08\n\x01a\x15\x00\x00 @"), s("\n\x08\n\x01b\x15\x00\x00 @")]),
    Case("MergeSummary", [s("\n\x08\n\x01a\x15\x00\x00 @"), s("\n\x08\n\x01a\x15\x00\x00 @")]),
    Case("MergeSummary", [strings(), s("")]),
    Case("MergeSummary", [s("nonsense")]),
    Case("TensorSummaryV2", s("t"), np.float32([[1, 2], [3, 4]]), s("")),
    Case("TensorSummaryV2", s("t"), np.int64(5), s("\n\x06\n\x04name")),
    Case("ImageSummary", s("i"), FLOATS),
    Case("ImageSummary", s("i"), FLOATS[:1], max_images=1),
    Case("ImageSummary", s("i"), SIGNED),
    Case("ImageSummary", s("i"), SMOOTH),
    Case("ImageSummary", s("i"), np.zeros((1, 3, 3, 1), np.float32)),
    Case("ImageSummary", s("i"), R.randint(0, 256, (5, 1, 7, 3)).astype(np.uint8)),
    Case("ImageSummary", s("i"), R.randint(0, 256, (1, 7, 1, 4)).astype(np.uint8)),
    Case("ImageSummary", s("i"), R.randint(0, 256, (1, 130, 90, 3)).astype(np.uint8)),
    Case("ImageSummary", s("i"), FLOATS.astype(np.float16)),
    Case("ImageSummary", s("i"), np.zeros((2, 3, 3, 2), np.uint8)),
    Case("ImageSummary", strings(b"i"), SMOOTH),
    Case("AudioSummaryV2", s("a"), np.float32(R.randn(4, 6, 2)), np.float32(44100)),
    Case("AudioSummaryV2", s("a"), np.float32(R.randn(1, 6, 3)), np.float32(10.5), max_outputs=1),
    Case("AudioSummaryV2", s("a"), np.float32(R.randn(1, 6, 3)), np.float32(-1)),
    Case("AudioSummaryV2", s("a"), np.float32(R.randn(6)), np.float32(10)),
    Case("EncodePng", SMOOTH[0]),
    Case("EncodePng", SMOOTH[0], compression=9),
    Case("EncodePng", R.randint(0, 65536, (6, 5, 3)).astype(np.uint16)),
    Case("EncodePng", R.randint(0, 256, (4, 5, 2)).astype(np.uint8)),
    Case("EncodePng", R.randint(0, 256, (2, 3, 5, 4)).astype(np.uint8)),
    Case("EncodePng", np.zeros((0, 3, 5, 4), np.uint8)),
    Case("EncodePng", np.zeros((3, 5, 5), np.uint8)),
]
