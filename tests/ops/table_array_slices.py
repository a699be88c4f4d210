"""Parts of tensors by position, elements by index, and values put at indices."""

import ml_dtypes
import numpy as np

from ops.case import Case
from ops.kinds import KINDS, WORDS, X, every_kind, i32, i64

Y = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


def strided(begin, end, strides, x=Y, **masks):
    return Case("StridedSlice", x, i32(*begin), i32(*end), i32(*strides), **masks)


CASES = [Case("Slice", kind, i32(0, 1), i32(2, 1)) for kind in every_kind("Slice")]
CASES += [Case("StridedSlice", kind, i64(0), i64(1), i64(1), shrink_axis_mask=1) for kind in every_kind("StridedSlice")]
CASES += [
    Case("Slice", X, i64(1, 0), i64(-1, 2)),
    Case("Slice", X, i32(3, 0), i32(-1, -1)),
    Case("Slice", np.float32(2), i32(), i32()),
    Case("Slice", X, i32(4, 0), i32(1, 2)),
    Case("Slice", X, i32(-1, 0), i32(1, 2)),
    Case("Slice", X, i32(1, 0), i32(3, 2)),
    Case("Slice", X, i32(1, 0), i32(-2, 2)),
    Case("Slice", X, i32(1), i32(1, 2)),
    strided([0, 1], [2, 3], [1, 1]),
    strided([], [], []),
    strided([1], [0], [-1], begin_mask=1, end_mask=1),
    strided([-1, 5], [-9, 0], [-1, -2]),
    strided([0, 1], [0, 2], [1, 1], ellipsis_mask=1),
    strided([0, 0, 1], [0, 0, 2], [1, 1, 1], ellipsis_mask=1, new_axis_mask=2),
    strided([0, 0, 1], [0, 0, 2], [1, 1, 1], new_axis_mask=1, shrink_axis_mask=4),
    strided([1, 2, 3], [2, 3, 4], [1, 1, 1], shrink_axis_mask=7),
    strided([1], [9], [1], shrink_axis_mask=1, begin_mask=1),
    strided([1, 0, 0], [2, 0, 2], [1, 1, 1], ellipsis_mask=2),
    strided([0], [0], [1]),
    strided([0, 0, 0], [2, 3, 4], [2, 2, 3]),
    strided([5], [6], [1], shrink_axis_mask=1),
    strided([-5], [6], [1], shrink_axis_mask=1),
    strided([1], [6], [-1], shrink_axis_mask=1),
    strided([1], [2], [0]),
    strided([1] * 4, [6] * 4, [1] * 4),
    strided([1, 1], [6, 6], [1, 1], ellipsis_mask=3),
    Case("StridedSlice", X, i32(1), i32(2, 3), i32(1)),
    Case("StridedSliceGrad", i32(3, 4), i32(0), i32(2), i32(1), np.ones((2, 4), np.float32)),
    Case("StridedSliceGrad", i32(3, 4), i32(2), i32(0), i32(-2), X[:1]),
    Case("StridedSliceGrad", i64(3, 4), i64(1), i64(2), i64(1), X[0], shrink_axis_mask=1),
    Case("StridedSliceGrad", i32(3), i32(0), i32(2), i32(1), WORDS[0]),
    Case("StridedSliceGrad", i32(3, 4), i32(0), i32(3), i32(1), np.ones((2, 4), np.float32)),
    Case("StridedSliceGrad", i32(3), i32(0), i32(2), i32(1), np.array([True, True])),
    Case("TensorStridedSliceUpdate", X, i32(0), i32(2), i32(1), np.ones((2, 4), np.float32)),
    Case("TensorStridedSliceUpdate", X, i32(2), i32(0), i32(-1), np.ones(4, np.float32), begin_mask=1),
    Case("TensorStridedSliceUpdate", X, i32(1), i32(2), i32(1), np.float32(7), shrink_axis_mask=1),
    Case("TensorStridedSliceUpdate", WORDS, i32(1), i32(2), i32(1), WORDS[:1]),
    Case("TensorStridedSliceUpdate", X, i32(0), i32(2), i32(1), np.ones((2, 3), np.float32)),
]

ROWS = i32(1, 0, 1)
CASES += [Case("GatherV2", kind, ROWS, np.int32(0)) for kind in every_kind("GatherV2")]
CASES += [Case("GatherNd", kind, np.array([[1, 0], [0, 1]], np.int32)) for kind in KINDS]
CASES += [
    Case("Gather", X, i64(2, 0)),
    Case("Gather", X, np.int32(2)),
    Case("Gather", X, i32(5)),
    Case("GatherV2", X, np.array([[0, 3], [1, 1]], np.int64), np.int32(1)),
    Case("GatherV2", X, i32(), np.int32(-1)),
    Case("GatherV2", X[0], np.int32(3), np.int64(0)),
    Case("GatherV2", WORDS[0], np.int32(1), np.int64(0)),
    Case("GatherV2", Y, np.array([[2, 0], [1, 1]], np.int32), np.int32(1), batch_dims=1),
    Case("GatherV2", Y, np.array([[2, 0], [1, 1]], np.int32), np.int32(2), batch_dims=1),
    Case("GatherV2", Y, np.array([[3, 0, 1], [1, 1, 2]], np.int32), np.int32(-1), batch_dims=-1),
    Case("GatherV2", Y, np.array([[3, 0, 1], [1, 1, 2]], np.int32), np.int32(2), batch_dims=2),
    Case("GatherV2", X[:0], i32(), np.int32(0)),
    Case("GatherV2", X, np.array([[0, 5]], np.int32), np.int32(0)),
    Case("GatherV2", X, i32(0, -1), np.int32(1)),
    Case("GatherV2", X, i32(0), np.int32(2)),
    Case("GatherV2", np.float32(3), i32(0), np.int32(0)),
    Case("GatherV2", X, np.array([[0, 1]], np.int32), np.int32(0), batch_dims=1),
    Case("GatherV2", X, np.array([[0, 1]], np.int32), np.int32(1), batch_dims=1),
    Case("GatherV2", X[:0], i32(0), np.int32(0)),
    Case("GatherNd", X, np.array([[2], [0]], np.int64)),
    Case("GatherNd", X, np.zeros((2, 0), np.int32)),
    Case("GatherNd", X, i32(2, 1)),
    Case("GatherNd", Y, np.array([[[1, 2], [0, 0]]], np.int32)),
    Case("GatherNd", X, np.array([[0, 0], [1, -1]], np.int32), bad_indices_policy="IGNORE"),
    Case("GatherNd", X, np.array([[0, 0], [1, -1]], np.int32)),
    Case("GatherNd", X, np.array([[5]], np.int32)),
    Case("GatherNd", X, np.zeros((2, 3), np.int32)),
    Case("GatherNd", X[:0], np.array([[0], [1]], np.int32)),
    Case("GatherNd", X[:0], np.zeros((0, 1), np.int32)),
]

TARGET = np.arange(8, dtype=np.float32)
SPOTS = np.array([[4], [1], [4]], np.int32)
for dtype in (np.float32, np.float16, ml_dtypes.bfloat16, np.int32, np.int8, np.uint64, np.complex64):
    values = np.array([1, 2, 3], dtype)
    CASES.append(Case("ScatterNd", SPOTS, values, i32(8)))
    for op in ["TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "ScatterNdNonAliasingAdd"]:
        CASES.append(Case(op, TARGET.astype(dtype), SPOTS, values))
    if dtype is not np.complex64:
        for op in ("TensorScatterMin", "TensorScatterMax"):
            CASES.append(Case(op, TARGET.astype(dtype), SPOTS, values))
CASES += [
    Case("ScatterNd", SPOTS, np.array([b"a", b"b", b"c"], object), i32(5)),
    Case("ScatterNd", SPOTS, np.array([True, False, True]), i32(5)),
    Case("ScatterNd", np.array([[1], [0], [1]], np.int64), X, i64(2, 4)),
    Case("ScatterNd", np.array([[[1, 2]], [[0, 0]]], np.int32), X[:2, :1], i32(2, 4)),
    Case("ScatterNd", np.zeros((0, 1), np.int32), X[:0], i32(2, 4)),
    Case("ScatterNd", SPOTS, X[0, :3], i32(4)),
    Case("ScatterNd", SPOTS, X[0, :3], i32(4), bad_indices_policy="IGNORE"),
    Case("ScatterNd", np.array([[4], [-1]], np.int32), X[0, :2], i32(8)),
    Case("ScatterNd", SPOTS, X[0, :2], i32(8)),
    Case("ScatterNd", SPOTS, X, i32(8)),
    Case("ScatterNd", SPOTS, X[0, :3], i32(0)),
    Case("ScatterNd", SPOTS, X[0, :3], i32(-4)),
    Case("TensorScatterUpdate", WORDS, np.array([[1]], np.int64), WORDS[:1]),
    Case("TensorScatterUpdate", X > 3, np.array([[1]], np.int32), X[:1] > 3),
    Case("TensorScatterUpdate", X, np.array([[2, 3], [0, 0]], np.int32), X[0, 2:]),
    Case("TensorScatterUpdate", TARGET, np.array([[4], [10]], np.int32), X[0, :2]),
    Case("TensorScatterUpdate", TARGET, SPOTS, X[0]),
    Case("TensorScatterAdd", TARGET, np.array([[4, 4]], np.int32), X[0, :1]),
    Case("TensorScatterMin", TARGET, np.array([[4], [10]], np.int32), X[0, :2], bad_indices_policy="IGNORE"),
    Case("InplaceUpdate", X, i32(1), X[:1]),
    Case("InplaceAdd", X, i32(1, 1, -1, 7), np.ones((4, 4), np.float32)),
    Case("InplaceSub", X.astype(np.int32), i32(2), X[:1].astype(np.int32)),
    Case("InplaceUpdate", X, i32(1), X[:2]),
    Case("InplaceUpdate", X, i32(1), X[0]),
]
