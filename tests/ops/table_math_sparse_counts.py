"""Counts as sparse tensors, filling of empty rows, isotonic regression."""

import numpy as np
from ml_dtypes import bfloat16

from ops.case import Case


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


NONE = f32()
ROWS = np.array([[3, 1, 1], [0, 5, 5]])
INDICES = np.array([[0, 0], [0, 2], [2, 1]])
CASES = []
for limits in ({}, {"minlength": 9}, {"maxlength": 3}, {"minlength": 4, "maxlength": 3}, {"maxlength": 0}):
    for binary in (False, True):
        attrs = {"binary_output": binary, **limits}
        CASES += [
            Case("DenseCountSparseOutput", i32(3, 1, 1, 5), NONE, **attrs),
            Case("DenseCountSparseOutput", ROWS, ROWS.astype(np.float64) / 2, **attrs),
            Case("SparseCountSparseOutput", INDICES, i32(3, 1, 3), i64(3, 3), f32(1, 2, 3), **attrs),
            Case("SparseCountSparseOutput", i64(0, 2, 1).reshape(3, 1), i64(3, 1, 3), i64(5), i64(), **attrs),
            Case("RaggedCountSparseOutput", i64(0, 2, 2, 4), i32(3, 1, 1, 5), NONE, **attrs),
            Case("RaggedCountSparseOutput", i64(0, 2, 2, 4), i32(3, 3, 1, 5), i32(1, 2, 3, 4), **attrs),
        ]
B = {"binary_output": False}
CASES += [
    Case("DenseCountSparseOutput", i32(), NONE, **B),
    Case("DenseCountSparseOutput", np.zeros((2, 0), np.int32), NONE, **B),
    Case("DenseCountSparseOutput", i32(3, 1, 1, 5), f32(1, 2), **B),
    Case("DenseCountSparseOutput", i32(3, -1), NONE, **B),
    Case("DenseCountSparseOutput", np.zeros((1, 1, 1), np.int32), NONE, **B),
    Case("DenseCountSparseOutput", np.int32(1), NONE, **B),
    Case("SparseCountSparseOutput", INDICES[::-1].copy(), i32(3, 1, 3), i64(3, 3), NONE, **B),
    Case("SparseCountSparseOutput", i64(0, 0, 0).reshape(1, 3), i32(3), i64(1, 1, 1), NONE, **B),
    Case("SparseCountSparseOutput", INDICES, i32(3, 1, 3), i64(3, 3), f32(1, 2), **B),
    Case("SparseCountSparseOutput", INDICES, i32(3, 1), i64(3, 3), NONE, **B),
    Case("SparseCountSparseOutput", INDICES, i32(3, 1, 3), i64(2, 3), NONE, **B),
    Case("SparseCountSparseOutput", INDICES, i32(3, 1, -3), i64(3, 3), NONE, **B),
    Case("SparseCountSparseOutput", INDICES[:, :0], i32(3, 1, 3), i64(), NONE, **B),
    Case("RaggedCountSparseOutput", i64(0, 2, 2), i32(3, 1, 1, 5), NONE, **B),
    Case("RaggedCountSparseOutput", i64(1, 2, 2, 4), i32(3, 1, 1, 5), NONE, **B),
    Case("RaggedCountSparseOutput", i64(), i32(3, 1, 1, 5), NONE, **B),
    Case("RaggedCountSparseOutput", i64(0, 4), i32(3, 1, 1, -5), NONE, **B),
    Case("RaggedCountSparseOutput", i64(0, 2, 2, 4), i32(3, 1, 1, 5), f32(1, 2, 3), **B),
    Case("RaggedFillEmptyRows", i64(2, 0, 2), f32(1, 2, 3), np.int64(4), np.float32(9)),
    Case("RaggedFillEmptyRows", i64(0, 2), np.array([b"a", b"b"], object), np.int64(3), b"z"),
    Case("RaggedFillEmptyRows", i64(0, 1), i32(1, 2), np.int64(2), np.int32(9)),
    Case("RaggedFillEmptyRows", i64(), f32(), np.int64(3), np.float32(9)),
    Case("RaggedFillEmptyRows", i64(0, 5), f32(1, 2), np.int64(3), np.float32(9)),
    Case("RaggedFillEmptyRows", i64(0, -1), f32(1, 2), np.int64(3), np.float32(9)),
    Case("RaggedFillEmptyRows", i64(0), f32(1, 2), np.int64(3), np.float32(9)),
    Case("RaggedFillEmptyRows", i64(0, 2), f32(1, 2), i64(3), np.float32(9)),
    Case("RaggedFillEmptyRows", i64(0, 2), f32(1, 2), np.int64(3), f32(9)),
    Case("RaggedFillEmptyRows", i64(0, 2), f32(1, 2), np.int64(-3), np.float32(9)),
    Case("RaggedFillEmptyRowsGrad", i64(2, 1), f32(1, 2, 3, 4)),
    Case("RaggedFillEmptyRowsGrad", i64(2, 2), np.array([1.0, 2, 3, 4])),
    Case("RaggedFillEmptyRowsGrad", i64(), f32(1, 2, 3, 4)),
    Case("RaggedFillEmptyRowsGrad", i64(2, 9), f32(1, 2, 3, 4)),
    Case("RaggedFillEmptyRowsGrad", i64(2, 1).reshape(2, 1), f32(1, 2, 3, 4)),
]
X = np.array([[3, 1, 2, 2.5], [1, 2, 5, 0], [1, 1, 1, 1]])
CASES += [
    Case("IsotonicRegression", X.astype(t), output_dtype=np.dtype(t).name)
    for t in (np.float32, np.float64, np.float16, bfloat16)
]
CASES += [
    Case("IsotonicRegression", X[0].astype(np.float32), output_dtype="float32"),
    Case("IsotonicRegression", np.zeros((0, 3), np.float32), output_dtype="float32"),
    Case("IsotonicRegression", X[None].astype(np.float32), output_dtype="float32"),
]
