"""Inputs at the border of what TensorFlow takes."""

from __future__ import annotations

import numpy as np

from ops.case import Case

F = np.float32
IMAGE = np.arange(72, dtype=F).reshape(2, 3, 4, 3) / 7
TABLE = np.arange(12, dtype=F).reshape(3, 4)


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def sparse() -> list[Case]:
    """Only the place that is written counts, not each index."""
    return [
        Case(op, np.array([index], np.int64), F([2.5]), np.array([2, 2], np.int64), axes)
        for index in ([-3, 0], [3, 0], [0, 5], [0, -1], [1, 2], [1, 1])
        for axes in (i32(1), i32(0), i32(0, 1), i32())
        for op in ("SparseReduceSum", "SparseReduceMax")
    ]


CASES = [
    *sparse(),
    *(Case(op, IMAGE[:, :0], np.ones((2, 5, 6, 3), F)) for op in ("ResizeBilinearGrad", "ResizeBicubicGrad")),
    Case("ResizeNearestNeighborGrad", IMAGE, i32(3, 3), align_corners=True, half_pixel_centers=True),
    Case("MatrixDiagPartV3", TABLE, i32(0, 1), F([7])),
    Case("MatrixDiagPartV2", TABLE, i32(0, 2), F([[7]])),
    Case("Reverse", TABLE[:0], np.array([True, False])),
    Case("Reverse", TABLE[:, :0], np.array([True, False])),
    Case("ReverseV2", TABLE[:0], i32(0)),
    Case("UnravelIndex", i32(), i32(2, 3)),
    Case("FakeQuantWithMinMaxArgs", TABLE, min=-3.0, max=float("nan")),
    *(
        Case(
            "UniformQuantize",
            TABLE,
            F(scale),
            i32(1)[0],
            Tout="qint8",
            quantization_axis=-1,
            quantization_min_val=-128,
            quantization_max_val=127,
        )
        for scale in (-1.5, 0.5)
    ),
    *(
        Case(
            "UniformDequantize",
            TABLE.astype(np.int8).view([("qint8", np.int8)]),
            *(F(scale), i32(1)[0]),
            Tout="float32",
            quantization_axis=-1,
            quantization_min_val=-128,
            quantization_max_val=127,
        )
        for scale in (-1.5, 0.0)
    ),
]

rng = np.random.default_rng(5)
CASES += [
    Case("TopKV2", values, np.int32(k), sorted=False, index_type="int32")
    for values in (
        rng.standard_normal((4, 9)).astype(F),
        rng.integers(-3, 4, (5, 12)).astype(np.int32),
        rng.integers(0, 3, (2, 3, 30)).astype(F),
    )
    for k in (1, 2, 3, 5, 8, values.shape[-1])
]
CASES += [
    Case("RegexReplace", np.array([b"bab a", b"c"], object), b"a", rewrite, replace_global=everywhere)
    for rewrite in (b"q\\x", b"q\\", b"q\\3", b"\\\\", b"q\\0")
    for everywhere in (True, False)
]


def whole(*shape: int) -> np.ndarray:
    return rng.integers(-(2**18), 2**18, shape, np.int32).view([("qint32", np.int32)])


LIMITS = {
    f"{side}_quantization_{name}": value
    for side in ("lhs", "rhs", "output")
    for name, value in (("axis", -1), ("min_val", -(2**31)), ("max_val", 2**31 - 1))
}
CASES += [
    Case(
        "UniformQuantizedAdd",
        whole(*a),
        whole(*b),
        F(0.5),
        i32(3)[0],
        F(0.125),
        i32(-7)[0],
        F(0.3),
        i32(9)[0],
        **LIMITS,
    )
    for a, b in (((3, 4), (3, 4)), ((3, 4), (4,)), ((4,), (2, 1, 4)), ((3, 4), (3, 1)), ((2, 3), (4,)))
]
CHANNELS = {"lhs_quantization_axis": 1, "rhs_quantization_axis": 0, "output_quantization_axis": 1}
SCALES = (
    F([0.5, 0.25, 1, 2]),
    i32(1, 2, 3, 4),
    F([1, 2, 0.125, 0.3]),
    i32(0, -5, 2, 7),
    F([0.5, 0.5, 0.75, 1]),
    i32(4, 3, 2, 1),
)
CASES += [
    Case("UniformQuantizedAdd", whole(3, 4), whole(4), *SCALES, **LIMITS | CHANNELS),
    Case(
        "UniformQuantizedAdd", whole(3, 4), whole(3, 4), F(0.5), i32(3)[0], F(0), i32(0)[0], F(0.3), i32(9)[0], **LIMITS
    ),
]
