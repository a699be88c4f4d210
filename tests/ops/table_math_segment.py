"""Segment reductions, sorted, unsorted and by indices, and their gradients."""

import numpy as np
from ml_dtypes import bfloat16

from ops.case import Case

FLOATS = (np.float32, np.float64, np.float16, bfloat16)
INTS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
X = np.arange(1, 9, dtype=np.float32).reshape(4, 2) / 2
COMPLEX = (X + 1j * X[::-1]).astype(np.complex64)


def ids(*values: int, t: type = np.int32) -> np.ndarray:
    return np.array(values, t)


CASES = []
for op in ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"):
    CASES += [Case(op, X.astype(t), ids(0, 0, 1, 3)) for t in (*FLOATS, *INTS)]
    CASES += [
        Case(op, X, ids(1, 1, 3, 3, t=np.int64)),
        Case(op, np.arange(24, dtype=np.float32).reshape(4, 2, 3), ids(0, 1, 1, 1)),
        Case(op, X[:0], ids()),
        Case(op, X, ids(0, 1)),
        Case(op, X, ids(0, 2, 1, 1)),
        Case(op, X, ids(-1, 0, 0, 1)),
        Case(op, X, np.zeros((4, 1), np.int32)),
        Case(op, np.float32(1), ids(0)),
    ]
    if op not in ("SegmentMin", "SegmentMax"):
        CASES += [Case(op, COMPLEX, ids(0, 0, 1, 3)), Case(op, COMPLEX.astype(np.complex128), ids(0, 0, 0, 0))]
CASES.append(Case("SegmentMean", np.array([-1, -2, -4], np.int32), ids(0, 0, 0)))

for op in ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"):
    CASES += [Case(op, X.astype(t), ids(2, 0, -1, 0), np.int32(4)) for t in (*FLOATS, *INTS)]
    CASES += [
        Case(op, X, ids(2, 0, -1, 0, t=np.int64), np.int64(3)),
        Case(op, X, np.array([[0, 1], [1, 0], [2, 2], [0, -1]], np.int32), np.int32(3)),
        Case(op, np.arange(24, dtype=np.float32).reshape(4, 2, 3), ids(1, 0, 1, 0), np.int32(2)),
        Case(op, np.float32(3), np.int32(0), np.int32(2)),
        Case(op, X[:0], ids(), np.int32(2)),
        Case(op, X, ids(-1, -1, -1, -1), np.int32(0)),
        Case(op, np.array([np.nan, 1, np.nan], np.float32), ids(0, 0, 1), np.int32(2)),
        Case(op, X, ids(0, 0, 4, 0), np.int32(4)),
        Case(op, X, ids(0, 0), np.int32(4)),
        Case(op, X, ids(0, 1, 1, 1), np.int32(-1)),
        Case(op, X, ids(0, 1, 1, 1), ids(2)),
        Case(op, X, np.array([[0, 1]], np.int32), np.int32(3)),
    ]
    if op in ("UnsortedSegmentSum", "UnsortedSegmentProd"):
        CASES += [Case(op, COMPLEX, ids(1, 0, 1, 0), np.int32(2))]

for name in ("Sum", "Mean", "SqrtN"):
    op = f"SparseSegment{name}"
    CASES += [Case(op, X.astype(t), ids(3, 0, 0, 1), ids(0, 0, 1, 3)) for t in FLOATS]
    CASES += [
        Case(op, X, ids(3, 0, t=np.int64), ids(1, 1, t=np.int64)),
        Case(op, X, ids(), ids()),
        Case(op, np.arange(4, dtype=np.float32), ids(0, 2, 3), ids(0, 0, 1)),
        Case(op, X, ids(0, 1, 4), ids(0, 0, 2)),
        Case(op, X, ids(0, 1, -1), ids(0, 0, 2)),
        Case(op, X, ids(0, 1), ids(0, 0, 2)),
        Case(op, X, ids(0, 1, 2), ids(0, 2, 1)),
        Case(op, X, ids(0, 1, 2), ids(-1, 0, 1)),
        Case(op, X, np.zeros((1, 1), np.int32), ids(0)),
        Case(op, X, ids(0), np.zeros((1, 1), np.int32)),
        Case(op, np.float32(1), ids(0), ids(0)),
    ]
    op = f"SparseSegment{name}WithNumSegments"
    CASES += [Case(op, X.astype(t), ids(3, 0, 0), ids(0, 0, 2), np.int32(5)) for t in FLOATS]
    CASES += [
        Case(op, X, ids(), ids(), np.int32(3)),
        Case(op, X, ids(0, 1, 2), ids(0, 0, 2), np.int32(2)),
        Case(op, X, ids(0, 1, 2), ids(0, 0, 2), ids(5, 5)),
        Case(op, X, ids(0, 1, 2), ids(0, 0, 2), np.int32(-1)),
    ]
    for op in (f"SparseSegment{name}Grad", f"SparseSegment{name}GradV2"):
        CASES += [Case(op, X[:2].astype(t), ids(3, 0, 3), ids(0, 0, 1), np.int32(4)) for t in FLOATS]
        CASES += [
            Case(op, X[:2], ids(0, 1, 1), ids(0, 1, 1), np.int32(4)),
            Case(op, X[:2], ids(0, 1, 4), ids(0, 0, 1), np.int32(4)),
            Case(op, X[:2], ids(0, 1, -1), ids(0, 0, 1), np.int32(4)),
            Case(op, X[:2], ids(0, 1, 2), ids(0, 0, 2), np.int32(4)),
            Case(op, X[:2], ids(0, 1), ids(0, 0, 1), np.int32(4)),
        ]
    CASES.append(Case(f"SparseSegment{name}GradV2", X[:2], ids(), ids(), np.int32(4)))
