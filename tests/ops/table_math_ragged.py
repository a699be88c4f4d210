"""Ragged ranges, gathers and conversions."""

import numpy as np

from ops.case import Case


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


CASES = [
    Case("RaggedRange", i32(0, 5, 8), i32(3, 5, 2), i32(1, 1, -2)),
    Case("RaggedRange", np.int32(0), i32(3, 5, 2), np.int32(1), Tsplits="int32"),
    Case("RaggedRange", i64(0, 10), i64(7, 1), i64(3, -4)),
    Case("RaggedRange", f32(0, 1), f32(1, 0), f32(0.3, 1)),
    Case("RaggedRange", np.zeros(1), np.array([1.0]), np.array([0.01]), tol=1e-12),
    Case("RaggedRange", np.int32(0), np.int32(3), np.int32(1)),
    Case("RaggedRange", i32(), i32(), i32()),
    Case("RaggedRange", i32(0, 1), i32(3), i32(1)),
    Case("RaggedRange", i32(0, 1), i32(3, 4), i32(1, 0)),
    Case("RaggedRange", i32(0).reshape(1, 1), i32(1), i32(1)),
    Case("RaggedRange", np.int64(0), np.int64(2**33), np.int64(1), Tsplits="int32"),
    Case("RaggedRange", f32(0), f32(np.nan), f32(1)),
    Case("RaggedRange", i64(0, 0), i64(2**31 - 1, 2**31 - 1), i64(1, 1), Tsplits="int32"),
]
V = f32(1, 2, 3, 4, 5)
M = np.arange(10).reshape(5, 2)
WORDS = np.array([b"a", b"b", b"c", b"d", b"e"], object)
S = i64(0, 2, 2, 5)
TWO = [i64(0, 2), i64(0, 1, 5)]
CASES += [
    Case("RaggedGather", [S], V, i32(2, 0, 1, 0), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [S], WORDS, i64(2, 0), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [S], M, i32(2, 0), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [S], V, np.array([[2, 0], [1, 1]], np.int32), OUTPUT_RAGGED_RANK=2),
    Case("RaggedGather", [S], V, np.zeros((2, 0, 3), np.int32), OUTPUT_RAGGED_RANK=3),
    Case("RaggedGather", [S], V, np.array([[[2, 0]], [[1, 1]]], np.int32), OUTPUT_RAGGED_RANK=3),
    Case("RaggedGather", TWO, V, i32(0, 0), OUTPUT_RAGGED_RANK=2),
    Case("RaggedGather", TWO, V, np.int32(0), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [S], V, np.int32(2), OUTPUT_RAGGED_RANK=0),
    Case("RaggedGather", [S], V, i32(), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [S], V, i32(3), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [S], V, i32(-1), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [i64(0, 2, 2, 9)], V, i32(0), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [i64(0, 3, 2, 5)], V, i32(1), OUTPUT_RAGGED_RANK=1),
    Case("RaggedGather", [S], np.float32(3), i32(1), OUTPUT_RAGGED_RANK=1),
    Case("RaggedTensorToSparse", [S], V),
    Case("RaggedTensorToSparse", [S.astype(np.int32)], WORDS),
    Case("RaggedTensorToSparse", TWO, V),
    Case("RaggedTensorToSparse", [S], M),
    Case("RaggedTensorToSparse", [i64(0)], V[:0]),
    Case("RaggedTensorToSparse", [i64(0, 2)], np.zeros((2, 0), np.float32)),
    Case("RaggedTensorToSparse", [i64(1, 5)], V),
    Case("RaggedTensorToSparse", [i64(0, 3, 2, 5)], V),
    Case("RaggedTensorToSparse", [i64(0, 2)], V),
    Case("RaggedTensorToSparse", [i64()], V[:0]),
    Case("RaggedTensorToSparse", [i64(0, 1), i64(0, 1, 5)], V),
]
SPLITS = ["ROW_SPLITS"]
IDS = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]
CASES += [
    Case("RaggedTensorToTensor", i64(-1, -1), V, np.float32(9), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(2, 2), V, np.float32(9), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(4, 4), V, np.float32(9), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(0, 0), V, np.float32(9), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", np.int32(-1), V, np.float32(9), [S.astype(np.int32)], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1, -1), V, np.float32(9), TWO, row_partition_types=SPLITS * 2),
    Case(
        "RaggedTensorToTensor",
        i64(-1, -1),
        V,
        np.float32(9),
        [np.int64(3), i64(0, 0, 2, 2, 2)],
        row_partition_types=IDS,
    ),
    Case(
        "RaggedTensorToTensor", i64(-1, -1), V, np.float32(9), [np.int64(3), i64(0, 0, 2, 2)], row_partition_types=IDS
    ),
    Case(
        "RaggedTensorToTensor",
        i64(-1, -1, -1),
        V,
        np.float32(9),
        [np.int64(2), i64(0, 0, 1), i64(0, 1, 1, 1, 2)],
        row_partition_types=[*IDS, "VALUE_ROWIDS"],
    ),
    Case("RaggedTensorToTensor", i64(-1, -1, -1), M, np.int64(7), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1, 2), M, i64(7, 8), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1, -1), M, i64(7), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1), WORDS, b"z", [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1), V[:0], np.float32(9), [i64(0)], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1), V[:0], np.float32(9), [i64(0, 0, 0)], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1, 3), M, i64(7, 8), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1), V, f32(0, 1), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1), V, np.float32(0), [i64(0, 3, 2, 5)], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1), V, np.float32(0), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1, -1), V, np.float32(0), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-2, -1), V, np.float32(0), [S], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1), V, np.float32(0), [i64()], row_partition_types=SPLITS),
    Case("RaggedTensorToTensor", i64(-1, -1), V, np.float32(0), [S], row_partition_types=["NONSENSE"]),
]
