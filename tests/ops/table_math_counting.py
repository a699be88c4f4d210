"""Bincounts, histograms, searches and sets."""

import numpy as np
from ml_dtypes import bfloat16

from ops.case import Case

NAN, INF = np.nan, np.inf


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


NONE = f32()
CASES = [
    Case("Bincount", i32(1, 2, 2, 5), np.int32(4), NONE),
    Case("Bincount", i32(1, 2, 2, 5), np.int32(4), f32(1, 2, 3, 4)),
    Case("Bincount", np.array([[1, 2]], np.int32), np.int32(4), np.ones((1, 2))),
    Case("Bincount", i32(1, 2, 1), np.int32(3), i64(2**60, 1, 2**60)),
    Case("Bincount", i32(1, 2, 1), np.int32(3), i32(5, 6, 7)),
    Case("Bincount", i32(1, 2), np.int32(0), NONE),
    Case("Bincount", i32(1, -1), np.int32(4), NONE),
    Case("Bincount", i32(1, 2), np.int32(-1), NONE),
    Case("Bincount", i32(1, 2), i32(4), NONE),
    Case("Bincount", i32(1, 2), np.int32(4), f32(1)),
]
ROWS = np.array([[1, 2, 2], [5, 0, 3]], np.int32)
INDICES = np.array([[0, 0], [0, 1], [1, 1]], np.int64)
for binary in (False, True):
    CASES += [
        Case("DenseBincount", i32(1, 2, 2, 5), np.int32(4), NONE, binary_output=binary),
        Case("DenseBincount", i32(1, 2, 2, 5), np.int32(4), f32(1, 2, 3, 4), binary_output=binary),
        Case("DenseBincount", ROWS, np.int32(4), NONE, binary_output=binary),
        Case("DenseBincount", ROWS, np.int32(4), ROWS.astype(np.float64) / 2, binary_output=binary),
        Case("SparseBincount", i64(0, 2).reshape(2, 1), i32(1, 3), i64(5), np.int32(4), NONE, binary_output=binary),
        Case("SparseBincount", INDICES, i32(1, 1, 3), i64(2, 2), np.int32(4), NONE, binary_output=binary),
        Case("SparseBincount", INDICES, i32(1, 1, 3), i64(2, 2), np.int32(4), f32(1, 2, 3), binary_output=binary),
        Case("RaggedBincount", i64(0, 2, 2, 3), i32(1, 1, 5), np.int32(4), NONE, binary_output=binary),
        Case("RaggedBincount", i64(0, 2, 2, 3), i32(1, 1, 3), np.int32(4), f32(1, 2, 3), binary_output=binary),
    ]
CASES += [
    Case("DenseBincount", i64(1, 2), np.int64(4), i64()),
    Case("DenseBincount", i64(1, 2, 1), np.int64(4), i64(5, 6, 7)),
    Case("DenseBincount", i64(1, 2, 1), np.int64(4), i32(5, 6, 7)),
    Case("DenseBincount", np.int32(1), np.int32(4), NONE),
    Case("DenseBincount", i32(), np.int32(3), NONE),
    Case("DenseBincount", np.zeros((2, 0), np.int32), np.int32(3), NONE),
    Case("DenseBincount", i32(-1), np.int32(4), NONE),
    Case("DenseBincount", -ROWS, np.int32(4), NONE),
    Case("DenseBincount", i32(1), np.int32(-4), NONE),
    Case("DenseBincount", i32(1), i32(4), NONE),
    Case("DenseBincount", i32(1, 2), np.int32(4), f32(1)),
    Case("DenseBincount", np.zeros((1, 1, 1), np.int32), np.int32(4), NONE),
    Case("SparseBincount", INDICES, i32(1, -1, 3), i64(2, 2), np.int32(4), NONE),
    Case("SparseBincount", INDICES, i32(1, 1, 9), i64(2, 2), np.int32(4), NONE),
    Case("SparseBincount", np.zeros((0, 2), np.int64), i32(), i64(2, 2), np.int32(4), NONE),
    Case("SparseBincount", INDICES, i32(1, 1), i64(2, 2), np.int32(4), NONE),
    Case("SparseBincount", INDICES, i32(1, 1, 3), i64(1, 2), np.int32(4), NONE),
    Case("SparseBincount", INDICES, i32(1, 1, 3), i64(2, 2, 2), np.int32(4), NONE),
    Case("SparseBincount", INDICES, i32(1, 1, 3), i64(2, 2), np.int32(-4), NONE),
    Case("SparseBincount", INDICES - 1, i32(1, 1, 3), i64(2, 2), np.int32(4), NONE),
    Case("SparseBincount", i64(0, 1).reshape(2, 1), i32(1, -3), i64(5), np.int32(4), NONE),
    Case("RaggedBincount", i64(0), i32(), np.int32(4), NONE),
    Case("RaggedBincount", i64(0, 1, 1, 4), i64(3, 0, 0, 2), np.int64(4), i64()),
    Case("RaggedBincount", i64(0, 2, 2), i32(1, 1, 3), np.int32(4), NONE),
    Case("RaggedBincount", i64(1, 2, 3), i32(1, 1, 3), np.int32(4), NONE),
    Case("RaggedBincount", i64(), i32(1, 1, 3), np.int32(4), NONE),
    Case("RaggedBincount", i64(0, 3), i32(1, -1, 3), np.int32(4), NONE),
    Case("RaggedBincount", i64(0, 3), i32(1, 1, 3), np.int32(-4), NONE),
    Case("HistogramFixedWidth", f32(-1, 0, 1.5, 2, 5, 15), f32(0, 5), np.int32(5)),
    Case("HistogramFixedWidth", f32(INF, -INF, 0.1), f32(0, 5), np.int32(7), dtype="int64"),
    Case("HistogramFixedWidth", np.array([[1.0, 2.9], [-3, 4]]), np.array([-1.0, 3.0]), np.int32(3)),
    Case("HistogramFixedWidth", i32(1, 2, 9), i32(0, 5), np.int32(5)),
    Case("HistogramFixedWidth", i64(1, 2, 9), i64(0, 7), np.int32(4)),
    Case("HistogramFixedWidth", i32(-(2**31), 2**31 - 1), i32(-(2**31), 2**31 - 1), np.int32(2)),
    Case("HistogramFixedWidth", NONE, f32(0, 5), np.int32(5)),
    Case("HistogramFixedWidth", f32(NAN, 1), f32(0, 5), np.int32(5)),
    Case("HistogramFixedWidth", f32(1), f32(5, 0), np.int32(5)),
    Case("HistogramFixedWidth", f32(1), f32(0, 5), np.int32(0)),
    Case("HistogramFixedWidth", f32(1), f32(0, 5), i32(5)),
    Case("HistogramFixedWidth", f32(1), f32(0, 5, 1), np.int32(5)),
    Case("HistogramFixedWidth", f32(1), f32(0, 5).reshape(1, 2), np.int32(5)),
    Case("Bucketize", f32(-1, 0, 1.5, 2, 5, NAN, INF), boundaries=[0.0, 2.0, 4.0]),
    Case("Bucketize", np.array([[-1, 2.5]]), boundaries=[0.0, 2.5, 4.0]),
    Case("Bucketize", i32(1, 2, 3), boundaries=[0.0, 2.5, 4.0]),
    Case("Bucketize", i64(1, 2**40), boundaries=[0.0, 2.5, 4.0]),
    Case("Bucketize", np.float32(3), boundaries=[0.0, 2.5, 4.0]),
    Case("Bucketize", f32(1), boundaries=[3.0, 1.0]),
    Case("NthElement", f32(3, 1, 2), np.int32(0)),
    Case("NthElement", f32(3, 1, 2), np.int32(0), reverse=True),
    Case("NthElement", np.array([[3, 1, 2], [6, 5, 4]], np.float64), np.int32(1)),
    Case("NthElement", np.array([[3, 1, 2], [6, 5, 4]], np.float16), np.int32(2)),
    Case("NthElement", np.array([[3, 1, 2], [6, 5, 4]]).astype(bfloat16), np.int32(1), reverse=True),
    Case("NthElement", np.zeros((0, 3), np.int32), np.int32(1)),
    Case("NthElement", f32(3, 1, 2), np.int32(3)),
    Case("NthElement", f32(3, 1, 2), np.int32(-1)),
    Case("NthElement", f32(3, 1, 2), i32(1)),
    Case("NthElement", np.float32(3), np.int32(1)),
    Case("InvertPermutation", i32(2, 0, 1)),
    Case("InvertPermutation", i64(1, 3, 0, 2)),
    Case("InvertPermutation", i32()),
    Case("InvertPermutation", i32(2, 0, 3)),
    Case("InvertPermutation", i32(2, 0, -1)),
    Case("InvertPermutation", i32(2, 0, 2)),
    Case("InvertPermutation", i32(0).reshape(1, 1)),
]
for t in (np.uint8, np.int8, np.int16, np.uint16, np.int32, np.int64, np.uint32, np.uint64):
    CASES.append(Case("NthElement", np.array([[3, 1, 2], [6, 5, 4]], t), np.int32(1)))
SORTED = np.array([[1, 3, 3, 9], [0, 2, 4, 6]])
for op in ("LowerBound", "UpperBound"):
    CASES += [
        Case(op, SORTED.astype(t), np.array([[3, 10, 0], [4, 1, 2]]).astype(t), out_type=o)
        for t in (np.float32, np.float64, np.float16, bfloat16, np.int32, np.int64, np.uint8, np.int16)
        for o in ("int32", "int64")
    ]
    CASES += [
        Case(op, SORTED.astype(np.float32), np.array([[NAN, 1], [INF, -INF]], np.float32)),
        Case(op, np.zeros((2, 0), np.float32), np.zeros((2, 1), np.float32)),
        Case(op, SORTED, SORTED[:1]),
        Case(op, SORTED[0], SORTED[0]),
        Case(op, SORTED, SORTED[0]),
    ]

A = np.array([[3, 1, 1], [2, 2, 5]], np.int32)
B = np.array([[1, 9, 7], [6, 5, 5]], np.int32)
WORDS = np.array([[b"b", b"a", b"b"], [b"", b"c", b"c"]], object)
SPARSE = (i64(0, 0, 0, 1, 1, 0).reshape(3, 2), i32(9, 1, 5), i64(2, 2))
OTHER = (i64(0, 1, 1, 0, 1, 2).reshape(3, 2), i32(1, 5, 7), i64(2, 3))
EMPTY = (np.zeros((0, 2), np.int64), i32(), i64(2, 2))
DEEP = (np.array([[0, 0, 0], [1, 1, 0]]), i32(1, 2), i64(2, 2, 2))
for name in ("a-b", "b-a", "intersection", "union"):
    CASES += [
        Case("DenseToDenseSetOperation", A, B, set_operation=name),
        Case("DenseToDenseSetOperation", A, B[:, :2].copy(), set_operation=name),
        Case("DenseToDenseSetOperation", A[None], B[None], set_operation=name),
        Case("DenseToDenseSetOperation", A[:, :0], B, set_operation=name),
        Case("DenseToDenseSetOperation", A[:0], B[:0], set_operation=name),
        Case("DenseToDenseSetOperation", WORDS, WORDS[:, 1:].copy(), set_operation=name),
        Case("DenseToSparseSetOperation", A, *SPARSE, set_operation=name),
        Case("DenseToSparseSetOperation", A, *EMPTY, set_operation=name),
        Case("SparseToSparseSetOperation", *SPARSE, *OTHER, set_operation=name),
        Case("SparseToSparseSetOperation", *EMPTY, *OTHER, set_operation=name),
        Case("SparseToSparseSetOperation", *EMPTY, *EMPTY, set_operation=name),
        Case("SparseToSparseSetOperation", *DEEP, *DEEP, set_operation=name),
    ]
for t in (np.int8, np.int16, np.int64, np.uint8, np.uint16):
    CASES.append(Case("DenseToDenseSetOperation", A.astype(t), B.astype(t), set_operation="union"))
UNSORTED = (SPARSE[0][::-1].copy(), *SPARSE[1:])
CASES += [
    Case("DenseToDenseSetOperation", A, B, set_operation="nonsense"),
    Case("DenseToDenseSetOperation", A, B[:1], set_operation="union"),
    Case("DenseToDenseSetOperation", A[0], B[0], set_operation="union"),
    Case("DenseToSparseSetOperation", A, SPARSE[0], SPARSE[1], i64(3, 2), set_operation="a-b"),
    Case("DenseToSparseSetOperation", A, SPARSE[0], SPARSE[1], i64(1, 2), set_operation="a-b"),
    Case("DenseToSparseSetOperation", A, SPARSE[0], SPARSE[1], i64(2), set_operation="a-b"),
    Case("DenseToSparseSetOperation", A, SPARSE[0], i32(1, 2), i64(2, 2), set_operation="a-b"),
    Case("DenseToSparseSetOperation", A, *UNSORTED, set_operation="a-b"),
    Case("SparseToSparseSetOperation", *SPARSE[:2], i64(3, 2), *OTHER, set_operation="union"),
    Case("SparseToSparseSetOperation", *SPARSE[:2], i64(2, 2, 2), *OTHER, set_operation="union"),
    Case(
        "SparseToSparseSetOperation", i64(0, 0, 0, 0).reshape(2, 2), i32(1, 2), i64(2, 2), *OTHER, set_operation="union"
    ),
    Case("SetSize", *SPARSE),
    Case("SetSize", SPARSE[0], i32(1, 1, 2), SPARSE[2]),
    Case("SetSize", *DEEP),
    Case("SetSize", *EMPTY),
    Case("SetSize", SPARSE[0], np.array([b"x", b"y", b"x"], object), SPARSE[2]),
    Case("SetSize", *UNSORTED),
    Case("SetSize", *UNSORTED, validate_indices=False),
    Case("SetSize", *SPARSE[:2], i64(1, 2)),
    Case("SetSize", i64(0, 1).reshape(2, 1), i32(1, 1), i64(2)),
]
