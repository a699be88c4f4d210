"""Sparse tensors: order, shape, arithmetic, reductions."""

import ml_dtypes
import numpy as np

from ops.case import Case


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


def words(*values):
    return np.array([v.encode() for v in values], object)


def sparse(indices, values, sizes, dtype=np.float32):
    return i64(*indices).reshape(-1, len(sizes)), np.array(values, dtype), i64(*sizes)


A = sparse([[0, 0], [0, 2], [1, 1]], [1, 2, 3], [2, 3])
B = sparse([[0, 0], [1, 1], [1, 2]], [10, -3, 5], [2, 3])
EMPTY = sparse([], [], [2, 3])
MIXED = i64([1, 0], [0, 1], [0, 0])
CUBE = sparse([[0, 0, 1], [0, 2, 0], [1, 1, 1]], [-1, -2, -3], [2, 3, 2])
ZERO = np.float32(0)
DENSE = np.arange(6, dtype=np.float32).reshape(3, 2) + 1

CASES = [
    Case("SparseToDense", A[0], A[2], A[1], ZERO),
    Case("SparseToDense", i32(1, 3), i32(5), np.float32(1), np.float32(9)),
    Case("SparseToDense", np.int32(2), i32(5), np.float32(1), np.float32(9)),
    Case("SparseToDense", i32(3, 1), i32(5), f32(1, 2), ZERO, validate_indices=False),
    Case("SparseToDense", i32(1, 2), i32(5), words("a", "b"), b"z"),
    Case("SparseToDense", i32(1, 2), i32(5), np.array([True, False]), np.bool_(False)),
    Case("SparseToDense", i64(1, 2), i64(5), np.array([1, 2], np.int8), np.int8(-1)),
    Case("SparseToDense", i32([1, 9]), i32(5, 5), f32(1), ZERO),
    Case("SparseToDense", i32(3, 1), i32(5), f32(1, 2), ZERO),
    Case("SparseToDense", i32(1, 1), i32(5), f32(1, 2), ZERO),
    Case("SparseToDense", i32(1, 9), i32(5), f32(1, 2), ZERO, validate_indices=False),
    Case("SparseToDense", i32(1, 2), i32(5, 5), f32(1, 2), ZERO),
    Case("SparseToDense", i32(1, 2), i32(5), f32(1, 2, 3), ZERO),
    Case("SparseReorder", MIXED, f32(1, 2, 3), i64(2, 2)),
    Case("SparseReorder", MIXED, words("a", "b", "c"), i64(2, 2)),
    Case("SparseReorder", *EMPTY),
    Case("SparseReorder", MIXED, f32(1, 2), i64(2, 2)),
    Case("SparseReorder", MIXED, f32(1, 2, 3), i64(2)),
    Case("SparseReshape", A[0], A[2], i64(3, 2)),
    Case("SparseReshape", A[0], A[2], i64(-1)),
    Case("SparseReshape", A[0], A[2], i64(1, -1, 2)),
    Case("SparseReshape", EMPTY[0], i64(0, 3), i64(-1, 3)),
    Case("SparseReshape", i64([5, 7]), i64(2, 3), i64(6)),
    Case("SparseReshape", A[0], A[2], i64(-1, -1)),
    Case("SparseReshape", A[0], A[2], i64(4, -1)),
    Case("SparseReshape", A[0], A[2], i64(4)),
    Case("SparseReshape", EMPTY[0], i64(0, 3), i64(-1, 0)),
    Case("SparseSlice", *A, i64(0, 0), i64(2, 2)),
    Case("SparseSlice", *A, i64(0, 1), i64(2, 9)),
    Case("SparseSlice", *A, i64(5, 0), i64(1, 1)),
    Case("SparseSlice", *A, i64(0), i64(1)),
    Case("SparseSlice", *A, i64(0, 0), i64(-1, 2)),
    Case("SparseSliceGrad", f32(1, 2), A[0], i64(0, 0), i64([0, 0], [1, 1])),
    Case("SparseSliceGrad", f32(1), A[0], i64(0, 1), i64([0, 1])),
    Case("SparseSliceGrad", f32(1, 2, 3), A[0], i64(0, 0), i64([0, 0], [1, 1])),
    Case("SparseSplit", np.int64(1), *A, num_split=3),
    Case("SparseSplit", np.int64(-1), *A, num_split=2),
    Case("SparseSplit", np.int64(0), A[0], words("a", "b", "c"), A[2], num_split=2),
    Case("SparseSplit", np.int64(0), *A, num_split=3),
    Case("SparseSplit", np.int64(2), *A, num_split=2),
]
BOTH = ([A[0], B[0]], [A[1], B[1]], [A[2], B[2]])
CASES += [Case("SparseConcat", *BOTH, concat_dim=axis) for axis in (0, 1, -1, 2)]
CASES += [
    Case("SparseConcat", [A[0], A[0]], [words("a", "b", "c")] * 2, [A[2]] * 2, concat_dim=1),
    Case("SparseConcat", [A[0], EMPTY[0]], [A[1], EMPTY[1]], [A[2], i64(2, 4)], concat_dim=0),
    Case("SparseFillEmptyRows", i64([0, 0], [2, 1]), f32(1, 2), i64(4, 3), np.float32(-1)),
    Case("SparseFillEmptyRows", i64([2, 0], [0, 1]), words("a", "b"), i64(4, 3), b"none"),
    Case("SparseFillEmptyRows", *A, ZERO),
    Case("SparseFillEmptyRows", *EMPTY, ZERO),
    Case("SparseFillEmptyRows", EMPTY[0], EMPTY[1], i64(0, 3), ZERO),
    Case("SparseFillEmptyRows", A[0], A[1], i64(0, 3), ZERO),
    Case("SparseFillEmptyRows", i64([5, 0]), f32(1), i64(2, 3), ZERO),
    Case("SparseFillEmptyRowsGrad", i64(0, 3, 1), f32(1, 2, 3, 4, 5)),
    Case("SparseFillEmptyRowsGrad", i64(0, 9), f32(1, 2, 3)),
]
for dtype in (np.float32, np.float64, np.int32, np.complex64):
    a, b = (sparse(x[0], x[1], x[2], dtype) for x in (A, B))
    threshold = np.zeros((), dtype).real[()]
    CASES += [
        Case("SparseAdd", *a, *b, threshold),
        Case("SparseAddGrad", np.arange(1, 5).astype(dtype), A[0], B[0], i64([0, 0], [0, 2], [1, 1], [1, 2])),
        Case("SparseTensorDenseAdd", *a, np.ones((2, 3), dtype)),
        Case("SparseTensorDenseMatMul", *a, DENSE.astype(dtype)),
        Case("SparseTensorDenseMatMul", *a, DENSE[:2].astype(dtype), adjoint_a=True),
        Case("SparseReduceSum", *a, i32(1)),
    ]
CASES += [
    Case("SparseAdd", *A, *B, np.float32(0.1)),
    Case("SparseAdd", *A, *B, np.float32(20)),
    Case("SparseAdd", *A, *EMPTY, ZERO),
    Case("SparseAdd", *A, *sparse([[0, 0]], [1], [2, 4]), ZERO),
    Case("SparseAddGrad", f32(1, 2, 3), A[0], B[0], i64([0, 0], [0, 2], [1, 2])),
    Case("SparseAddGrad", f32(1, 2), A[0], B[0], i64([0, 0], [0, 2], [1, 2])),
    Case("SparseTensorDenseAdd", i32(*A[0]), A[1], i32(*A[2]), np.ones((2, 3), np.float32)),
    Case("SparseTensorDenseAdd", *A, np.ones((2, 4), np.float32)),
    Case("SparseTensorDenseAdd", i64([0, 0], [5, 2], [1, 1]), A[1], A[2], np.ones((2, 3), np.float32)),
    Case("SparseTensorDenseMatMul", *A, DENSE.T.copy(), adjoint_b=True),
    Case("SparseTensorDenseMatMul", *EMPTY, DENSE),
    Case("SparseTensorDenseMatMul", A[0], A[1].astype(ml_dtypes.bfloat16), A[2], DENSE.astype(ml_dtypes.bfloat16)),
    Case("SparseTensorDenseMatMul", i64([0, 0], [0, 0]), f32(1, 2), A[2], DENSE),
    Case("SparseTensorDenseMatMul", i64([0, 5]), f32(1), A[2], DENSE),
    Case("SparseTensorDenseMatMul", *A, DENSE[:2]),
    Case("SparseDenseCwiseAdd", *A, np.full((2, 3), 2, np.float32)),
    Case("SparseDenseCwiseAdd", *A, np.float32(2)),
    Case("SparseDenseCwiseAdd", *A, np.full((2, 4), 2, np.float32)),
    Case("SparseDenseCwiseAdd", i64([0, 7]), f32(1), A[2], np.full((2, 3), 2, np.float32)),
    Case("SparseDenseCwiseMul", *A, np.full((1, 3), 2, np.float32)),
    Case("SparseDenseCwiseMul", A[0], i32(7, -7, 3), A[2], np.full(3, 2, np.int32)),
    Case("SparseDenseCwiseDiv", *A, np.full((2, 3), 2, np.float32)),
    Case("SparseDenseCwiseDiv", A[0], i32(7, -7, 3), A[2], np.full((2, 3), 2, np.int32)),
    Case("SparseDenseCwiseDiv", A[0], i32(7, -7, 3), A[2], np.zeros((2, 3), np.int32)),
]
for op in ("SparseSparseMaximum", "SparseSparseMinimum"):
    CASES += [Case(op, *A, *B), Case(op, *A, *EMPTY), Case(op, *A, *sparse([[0, 0]], [1], [2, 4]))]
for op in ("SparseReduceSum", "SparseReduceMax", "SparseReduceSumSparse", "SparseReduceMaxSparse"):
    for axes in ([0], [1], [0, 1], [], [2]):
        CASES += [Case(op, *A, i32(*axes), keep_dims=keep) for keep in (False, True)]
    CASES += [Case(op, *CUBE, i32(1)), Case(op, *EMPTY, i32(1)), Case(op, A[0], A[1][:2], A[2], i32(0))]
CASES += [
    Case("SparseSoftmax", *A),
    Case("SparseSoftmax", *CUBE),
    Case("SparseSoftmax", *EMPTY),
    Case("SparseSoftmax", A[0], A[1].astype(np.float64), A[2]),
    Case("SparseSoftmax", *sparse([[0], [1]], [1, 2], [3])),
]
