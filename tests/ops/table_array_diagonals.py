"""Diagonals of matrices."""

import ml_dtypes
import numpy as np

from ops.case import Case

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
D = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
BAND = np.arange(1, 19, dtype=np.float32).reshape(2, 3, 3)
ZERO = np.float32(0)
ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def k(*values):
    return np.array(values if len(values) > 1 else values[0], np.int32)


def matrix(diagonal, band, rows=-1, columns=-1, padding=ZERO, **attrs):
    return Case("MatrixDiagV3", diagonal, band, np.int32(rows), np.int32(columns), padding, **attrs)


CASES = []
for dtype in (np.float32, np.float16, ml_dtypes.bfloat16, np.int64, np.bool_, np.complex64):
    x, d = X.astype(dtype), D.astype(dtype)
    CASES += [
        Case("MatrixDiag", d),
        Case("MatrixDiagPart", x),
        Case("MatrixSetDiag", x, d),
        Case("MatrixBandPart", x, np.int64(1), np.int64(0)),
        matrix(d, k(1), padding=x[0, 0, 1]),
        Case("MatrixDiagPartV3", x, k(-1, 1), x[0, 0, 1]),
        Case("MatrixSetDiagV3", x, BAND.astype(dtype), k(-1, 1)),
    ]
    if dtype is not ml_dtypes.bfloat16 and dtype is not np.bool_:
        CASES += [Case("Diag", d), Case("DiagPart", np.arange(36).reshape(2, 3, 2, 3).astype(dtype))]
for align in ALIGNS:
    CASES += [
        matrix(BAND, k(-1, 1), align=align),
        matrix(BAND, k(-2, 0), 5, 3, np.float32(9), align=align),
        matrix(BAND, k(0, 2), 3, 4, align=align),
        Case("MatrixDiagPartV3", X, k(-2, 1), np.float32(9), align=align),
        Case("MatrixDiagPartV3", X, k(1, 3), np.float32(9), align=align),
        Case("MatrixSetDiagV3", X, BAND, k(-1, 1), align=align),
    ]
CASES += [
    Case("MatrixDiagV2", BAND, k(-1, 1), np.int32(-1), np.int32(-1), ZERO),
    Case("MatrixDiagPartV2", X, k(-1, 1), np.float32(9)),
    Case("MatrixSetDiagV2", X, BAND, k(-1, 1)),
    matrix(D, k(0), 5, 3),
    matrix(D, k(0), 3, 5),
    matrix(D, k(-2)),
    matrix(D, k(2), -1, 7),
    matrix(D[:0], k(0)),
    matrix(D, k(0), 2, 2),
    matrix(D, k(0), 5, 5),
    matrix(D, k(0, 2)),
    matrix(D, k(1, 0)),
    Case("MatrixDiagPartV3", X, k(3), ZERO),
    Case("MatrixDiagPartV3", X[:0], k(0), ZERO),
    Case("MatrixDiagPartV3", X, k(4), ZERO),
    Case("MatrixDiagPartV3", X, k(-3, 0), ZERO),
    Case("MatrixSetDiagV3", X, D[:, :2], k(0)),
    Case("MatrixSetDiagV3", X, D, k(4)),
    Case("MatrixSetDiag", X, D[:, :2]),
    Case("MatrixSetDiag", X[0, 0], D[0]),
    Case("MatrixDiag", np.float32(1)),
    Case("MatrixBandPart", X, np.int32(-1), np.int32(1)),
    Case("MatrixBandPart", X, np.int64(-1), np.int64(-1)),
    Case("MatrixBandPart", X, np.int64(5), np.int64(1)),
    Case("MatrixBandPart", X[0, 0], np.int64(1), np.int64(1)),
    Case("Diag", D[0]),
    Case("Diag", ZERO),
    Case("DiagPart", X),
    Case("DiagPart", X[0]),
]
