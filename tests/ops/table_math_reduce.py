"""Reductions, arg-reductions and scans."""

import numpy as np
from ml_dtypes import bfloat16

from ops.case import Case

NAN, INF = np.nan, np.inf
X = np.array([[[1, -2, 3.5], [0.25, 4, -1]], [[2, 2, -6], [7, 0.5, 9]]], np.float32)
FLOATS = (np.float32, np.float64, np.float16, bfloat16)
INTS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
COMPLEX = np.array([[1 + 2j, 3 - 1j], [0.5j, -2]], np.complex64)


def axes(*values: int, t: type = np.int32) -> np.ndarray:
    return np.array(values, t)


CASES = []
for op in ("Sum", "Prod", "Mean", "Max", "Min", "EuclideanNorm"):
    CASES += [Case(op, X.astype(t), axes(1), keep_dims=True) for t in FLOATS]
    # TensorFlow's norm of small integers overflows on the way
    CASES += [Case(op, (np.abs(X) / (2 if op == "EuclideanNorm" else 1)).astype(t), axes(0, 2)) for t in INTS]
    CASES += [
        Case(op, X, np.int32(0)),
        Case(op, X, np.int64(-1)),
        Case(op, X, axes(0, 1, 2)),
        Case(op, X, axes(-1, 0, t=np.int64), keep_dims=True),
        Case(op, X, axes()),
        Case(op, X, axes(0, 1).reshape(1, 2)),
        Case(op, np.float32(3), axes()),
        Case(op, X, np.int32(3)),
        Case(op, X, np.int32(-4)),
        Case(op, X, axes(0, 0)),
        Case(op, X, axes(0, -3)),
        Case(op, np.zeros((0, 3), np.float32), np.int32(0)),
        Case(op, np.zeros((0, 3), np.float32), np.int32(1)),
        Case(op, np.zeros((2, 0, 3), np.int32), np.int32(1), keep_dims=True),
        Case(op, np.zeros((0,), np.uint8), np.int32(0)),
        Case(op, np.zeros((0,), np.float16), np.int32(0)),
        Case(op, np.array([[1, NAN], [INF, -INF]], np.float32), np.int32(0)),
        Case(op, np.arange(24, dtype=np.int32).reshape(1, 2, 3, 4)[:, :, ::-1], axes(1, 3)),
    ]
    if op not in ("Max", "Min"):
        CASES += [Case(op, COMPLEX, np.int32(0)), Case(op, COMPLEX.astype(np.complex128), axes(0, 1))]
CASES += [
    Case("Sum", np.array([100, 100], np.int8), np.int32(0)),
    Case("Sum", np.linspace(0, 1, 3001, dtype=np.float32), np.int32(0), tol=1e-5),
    Case("Sum", np.full((300, 2), 0.125, np.float16), np.int32(0)),
    Case("Mean", np.array([-1, -2, -4], np.int32), np.int32(0)),
    Case("Mean", np.array([2**31 - 1, 2**31 - 1], np.int32), np.int32(0)),
    Case("Mean", np.array([100, 100, 100], np.int8), np.int32(0)),
    Case("Mean", np.array([250, 255], np.uint8), np.int32(0)),
    Case("Prod", np.array([16, 16, 2], np.uint8), np.int32(0)),
    Case("EuclideanNorm", np.array([3, 4, 1], np.int32), np.int32(0)),
]
for op in ("All", "Any"):
    B = np.array([[True, False, True], [True, True, True]])
    CASES += [
        Case(op, B, np.int32(0)),
        Case(op, B, np.int64(1), keep_dims=True),
        Case(op, B, axes(0, 1)),
        Case(op, B, axes()),
        Case(op, np.bool_(True), axes()),
        Case(op, np.zeros((0, 2), bool), np.int32(0)),
        Case(op, B, np.int32(2)),
    ]

TIES = np.array([[3, 1, 3, -5], [0, 0, 7, 7]])
for op in ("ArgMax", "ArgMin"):
    CASES += [Case(op, TIES.astype(t), np.int32(1)) for t in (*FLOATS, np.int8, np.int16, np.int32, np.int64)]
    CASES += [Case(op, np.abs(TIES).astype(t), np.int32(0)) for t in (np.uint8, np.uint16, np.uint32, np.uint64)]
    CASES += [
        Case(op, X, np.int64(-2), output_type="int32"),
        Case(op, np.array([1, NAN, 2], np.float32), np.int32(0)),
        Case(op, np.array([[NAN, NAN], [1, NAN]], np.float32), np.int32(0)),
        Case(op, np.array([True, False, True]), np.int32(0)),
        Case(op, np.zeros((0, 2), np.float32), np.int32(1)),
        Case(op, np.zeros((2, 0), np.float32), np.int32(1)),
        Case(op, X, np.int32(3)),
        Case(op, np.float32(1), np.int32(0)),
        Case(op, X, axes(0)),
    ]
CASES.append(Case("ArgMax", TIES, np.int32(0), output_type="int16"))

for op in ("Cumsum", "Cumprod", "CumulativeLogsumexp"):
    CASES += [
        Case(op, X.astype(t), np.int32(1), exclusive=e, reverse=r)
        for t in FLOATS
        for e in (False, True)
        for r in (False, True)
    ]
    CASES += [
        Case(op, X, np.int64(-1)),
        Case(op, X, np.int32(0), exclusive=True),
        Case(op, np.zeros((0, 3), np.float32), np.int32(0)),
        Case(op, np.ones((2, 0), np.float32), np.int32(0), exclusive=True),
        Case(op, X, np.int32(3)),
        Case(op, X, np.int32(-4)),
        Case(op, np.float32(1), np.int32(0)),
        Case(op, X, axes(0)),
    ]
    if op != "CumulativeLogsumexp":
        CASES += [Case(op, np.array([[1, 2, 3], [4, 5, 100]]).astype(t), np.int32(1)) for t in INTS]
        CASES += [Case(op, COMPLEX, np.int32(0)), Case(op, COMPLEX.astype(np.complex128), np.int32(1), reverse=True)]
CASES.append(Case("CumulativeLogsumexp", np.array([-INF, 2, INF, 1], np.float32), np.int32(0)))
