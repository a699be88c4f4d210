"""What becomes of zeros, NaN and overflow on the way, and of tensors without elements."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np

from ops.case import Case

F = np.float32
FLOATS = [np.float16, ml_dtypes.bfloat16, F, np.float64]
NARROW = FLOATS[:2]

JOINED = np.array([b"", b"a", b"b", b"", b"c"], object)

rng = np.random.default_rng(11)


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def stopped() -> list[Case]:
    """A gradient of 0 stays 0 where the derivative is infinite or NaN; 16-bit floats overflow on the way."""
    y = [np.inf, 2, -3, np.nan, 0.0, np.inf, -200, 300]
    dy = [0, -0.0, 0.0, 0.0, 1, 1, 3e-3, 2e-3]
    return [
        Case(op, np.array(y, real), np.array(dy, real))
        for op in ("InvGrad", "ReciprocalGrad", "SqrtGrad", "RsqrtGrad")
        for real in FLOATS
    ]


def activations() -> list[Case]:
    """Small differences of exponentials, rounded after each step; -0 keeps its sign."""
    x = [-0.0, 0.0, -1e-4, -2e-3, -0.017, -0.1, -0.9, -3, -11, np.nan, -np.inf, np.inf, 0.5, 70]
    dy = rng.standard_normal(len(x))
    cases = []
    for real in FLOATS:
        at = np.array(x, real)
        cases += [Case(op, at, tol=0 if real in NARROW else None) for op in ("Elu", "Selu", "Softsign")]
        cases += [Case(op, dy.astype(real), at) for op in ("EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad")]
    return cases


def limits() -> list[Case]:
    """A limit that is NaN does not limit; of two that cross each other the lower one counts."""
    values = [np.nan, -1.0, 0.5, 2.0]
    x, low, high = (np.array(column) for column in zip(*itertools.product(values, values, values), strict=True))
    cases = [Case("ClipByValue", *(v.astype(real) for v in (x, low, high))) for real in FLOATS]
    cases += [Case("ClipByValue", F(values), F(low), F(high)) for low in values for high in (np.nan, 0.0)]
    return [*cases, Case("ClipByValue", i32(-9, 3, 9), i32(4)[0], i32(-4)[0])]


def whole_numbers() -> list[Case]:
    """Squares and sums of integers wrap in their own dtype; quotients are rounded toward zero."""
    cases = []
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        info = np.iinfo(kind)
        data = np.array([[info.max, 2], [info.max, info.min], [3, 4], [90, 100], [info.min, 70]], kind)
        if kind != np.uint64:
            cases += [Case("EuclideanNorm", data, axes, keep_dims=False) for axes in (i32(1), i32(0, 1), i32())]
        cases += [Case("SegmentMean", data, i32(*ids)) for ids in ((0, 0, 0, 2, 2), (0, 0, 1, 1, 1))]
    return cases


def ranges() -> list[Case]:
    ends = [(-np.inf, 5), (0, np.nan), (1, np.inf), (np.inf, np.inf), (-3.5, 8)]
    cases = [
        Case("LinSpace", real(start), real(stop), np.int32(num))
        for real in FLOATS[1:]
        for start, stop in ends
        for num in (1, 2, 4)
    ]
    steps = [(8.25, -20, -1.21875), (0.1, 9, 0.1), (0.1, 60, 0.1)]
    return cases + [Case("Range", *map(real, ends), tol=0) for real in FLOATS[1:] for ends in steps]


def without_elements() -> list[Case]:
    """Tensors without elements, and scalars where vectors are the rule."""
    words = np.array([], object)
    padded = {"separator": "", "left_pad": "L", "right_pad": "R", "pad_width": 2, "preserve_short_sequences": True}
    return [
        *(Case("MatrixSquareRoot", np.zeros(shape)) for shape in ((0, 0), (2, 0, 0), (0, 3, 3))),
        *(Case("StringNGrams", words, np.array(ends), ngram_widths=[3, 1], **padded) for ends in ([0], [0, 0, 0])),
        Case("StringNGrams", np.array([b"a"], object), np.array([0, 0, 1]), ngram_widths=[3, 1], **padded),
        *(Case(op, np.zeros((2, 0)), i32(7, 9), i32(3)[0]) for op in ("UnsortedSegmentSum", "UnsortedSegmentMax")),
        *(
            Case("StringFormat", [np.zeros(shape, kind)], template="a{}b", placeholder="{}", summarize=2)
            for shape in ((0, 3), (0,), (2, 0))
            for kind in (np.int32, np.bool_)
        ),
        *(Case("Pad", x, np.zeros((0, 2), np.int32)) for x in (np.array(b"alone", object), np.array(2.5))),
        Case("PadV2", np.array(b"alone", object), np.zeros((0, 2), np.int32), np.array(b"x", object)),
        *(Case("IgammaGradA", np.float64(a), np.float64(x)) for a, x in ((1e-30, 5), (np.inf, 1), (2, 0), (3991, 9))),
        *(
            Case("QuantizeV2", F([17, 0.5, -6, np.inf]), F(-2.75), F(-0.25), T=kind, mode="SCALED")
            for kind in ("qint32", "qint16", "qint8")
        ),
        Case("QuantizeV2", F([17, 0.5, -6]), F(-2.75), F(5), T="qint32", mode="MIN_COMBINED"),
        *(
            Case("SparseDenseCwiseDiv", np.zeros((0, 1), np.int64), np.zeros(0, kind), np.array([3]), np.zeros(3, kind))
            for kind in (F, np.int32)
        ),
        Case("ScatterNd", i32(), np.zeros(0, F), i32(0)),
        Case("UnsortedSegmentJoin", JOINED, i32(0, 0, 2, 2, 0), i32(3)[0], separator="|"),
    ]


def long_windows() -> list[Case]:
    """A window that is longer than the image by less than a step leaves nothing; one that is longer yet is refused."""
    image, kernel = rng.standard_normal((1, 3, 6, 1)).astype(F), rng.standard_normal((3, 2, 1, 1)).astype(F)
    cases = []
    for rate, step in ((1, 1), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (3, 5)):
        rates, steps = [1, rate, 1, 1], [1, step, step, 1]
        cases += [
            Case("ExtractImagePatches", image, ksizes=[1, 3, 2, 1], strides=steps, rates=rates, padding="VALID"),
            Case("Conv2D", image, kernel, strides=steps, padding="VALID", dilations=rates),
        ]
    volumes = rng.integers(0, 99, (1, 3, 7, 5, 2)).astype(np.uint16)
    return [
        *cases,
        *(
            Case("ExtractVolumePatches", volumes, ksizes=[1, k, 1, k, 1], strides=[1, 3, 4, 2, 1], padding="SAME")
            for k in (1, 2)
        ),
        Case("ExtractImagePatches", volumes[:, 0], ksizes=[1] * 4, strides=[1, 4, 4, 1], rates=[1] * 4, padding="SAME"),
        *(
            Case(
                "ExtractVolumePatches",
                image[..., None],
                ksizes=[1, k, 2, 1, 1],
                strides=[1, 2, 1, 1, 1],
                padding="VALID",
            )
            for k in (3, 4, 5, 7)
        ),
        *(Case("MaxPool", image, ksize=[1, k, 1, 1], strides=[1, 3, 1, 1], padding="VALID") for k in (3, 5, 7, 9)),
        *(
            Case("ResizeArea", rng.standard_normal(shape).astype(F), i32(*size), align_corners=True)
            for shape, size in (
                ((1, 1, 6, 2), (4, 2)),
                ((1, 1, 6, 2), (2, 3)),
                ((1, 5, 1, 1), (3, 4)),
                ((1, 1, 1, 1), (2, 2)),
            )
        ),
    ]


CASES = [*stopped(), *activations(), *limits(), *whole_numbers(), *ranges(), *without_elements(), *long_windows()]
