"""Elements repeated, padded, reversed, selected, made unique, moved between space, depth and batch."""

import ml_dtypes
import numpy as np

from ops.case import Case
from ops.kinds import KINDS, WORDS, X, every_kind, i32, i64

NAN = np.nan
PAIRS = np.array([[1, 0], [2, 1]], np.int32)
SOME = np.array([True, False, True])

CASES = [Case("Transpose", kind, i32(1, 0)) for kind in every_kind("Transpose")]
CASES += [Case("Tile", kind, i32(2, 1)) for kind in KINDS]
CASES += [Case("BroadcastTo", kind[:1], i32(3, 2, 2)) for kind in KINDS]
CASES += [Case("Pad", kind, PAIRS) for kind in KINDS]
CASES += [Case("MirrorPad", kind, np.array([[1, 1], [0, 1]], np.int64), mode="REFLECT") for kind in KINDS]
CASES += [Case("ReverseV2", kind, i32(1)) for kind in KINDS]
CASES += [Case("ReverseSequence", kind, i64(2, 1), seq_dim=1) for kind in KINDS]
CASES += [Case("Roll", kind, np.int32(1), np.int32(1)) for kind in KINDS]
CASES += [Case("SelectV2", np.array([[True], [False]]), kind, kind[::-1]) for kind in KINDS]
CASES += [Case("Select", np.array([True, False]), kind, kind[::-1]) for kind in KINDS]
CASES += [Case("Where", kind) for kind in KINDS if kind.dtype not in (object, np.float16)]
CASES += [Case("UniqueV2", kind[[0, 1, 0]], i64(0)) for kind in KINDS if kind.dtype != np.complex64]
CASES += [Case("UniqueWithCounts", kind[[0, 1, 0]].reshape(-1)) for kind in KINDS if kind.dtype != np.complex64]
CASES += [Case("ListDiff", kind.reshape(-1), kind[0]) for kind in KINDS if kind.dtype not in (np.complex64, bool)]
CASES += [Case("DynamicPartition", kind, i32(1, 1), num_partitions=3) for kind in KINDS]
CASES += [Case("DynamicStitch", [i32(3, 0), np.int32(1)], [kind, kind[1]]) for kind in KINDS]
CASES += [Case("ParallelDynamicStitch", [i32(1), i32(0)], [kind[:1], kind[1:]]) for kind in KINDS]
CASES += [
    Case("Transpose", X, i64(-1, 0)),
    Case("Transpose", np.float32(1), i32()),
    Case("Transpose", X[None], i32(2, 0, 1)),
    Case("Transpose", X, i32(1)),
    Case("Transpose", X, i32(1, 1)),
    Case("Transpose", X, i32(1, 2)),
    Case("ConjugateTranspose", X * np.complex64(1 + 2j), i32(1, 0)),
    Case("ConjugateTranspose", X, i32(1, 0)),
    Case("Tile", X, i64(0, 2)),
    Case("Tile", np.float32(2), i32()),
    Case("Tile", X, i32(1)),
    Case("Tile", X, i32(1, -1)),
    Case("Tile", X, i32(2**30, 2**30)),
    Case("BroadcastTo", np.float32(3), i64(2, 0)),
    Case("BroadcastTo", X, i32(3, 4)),
    Case("BroadcastTo", X, i32(3)),
    Case("BroadcastTo", X, i32(2, 3)),
    Case("BroadcastTo", X, i32(2, -3, 4)),
    Case("BroadcastArgs", i32(2, 1), i32(3)),
    Case("BroadcastArgs", i64(), i64(3)),
    Case("BroadcastArgs", i32(2, 3), i32(2, 4)),
    Case("BroadcastGradientArgs", i32(2, 1), i32(3)),
    Case("BroadcastGradientArgs", i32(1, 1, 2), i32(1, 2)),
    Case("BroadcastGradientArgs", i64(1), i64(1)),
    Case("BroadcastGradientArgs", i32(0, 1), i32(1, 1)),
    Case("BroadcastGradientArgs", i32(), i32(1)),
    Case("BroadcastGradientArgs", i32(2, 3), i32(2, 4)),
    Case("Pad", np.float32(3), np.zeros((0, 2), np.int32)),
    Case("Pad", X, PAIRS[:1]),
    Case("Pad", X, -PAIRS),
    Case("PadV2", X, PAIRS, np.float32(7)),
    Case("PadV2", WORDS, PAIRS, b"pad"),
    Case("PadV2", X > 2, PAIRS.astype(np.int64), np.bool_(True)),
    Case("MirrorPad", X, np.array([[3, 2], [0, 4]], np.int32), mode="SYMMETRIC"),
    Case("MirrorPad", X, np.array([[3, 2], [0, 4]], np.int32), mode="REFLECT"),
    Case("MirrorPad", X, np.array([[-1, 1], [0, 0]], np.int32), mode="REFLECT"),
    Case("MirrorPadGrad", X, np.array([[1, 0], [1, 1]], np.int32), mode="SYMMETRIC"),
    Case("MirrorPadGrad", X, np.array([[1, 0], [1, 1]], np.int32), mode="REFLECT"),
    Case("MirrorPadGrad", X.astype(np.int32), np.array([[0, 1], [0, 1]], np.int64), mode="SYMMETRIC"),
    Case("MirrorPadGrad", X, np.array([[3, 1], [0, 0]], np.int32), mode="REFLECT"),
    Case("Reverse", X, np.array([True, False])),
    Case("Reverse", X, np.array([True])),
    Case("ReverseV2", X, i64(0, -1)),
    Case("ReverseV2", X, i32()),
    Case("ReverseV2", X, i32(2)),
    Case("ReverseV2", X, i32(0, -2)),
    Case("ReverseSequence", X, i32(2, 1, 0, 3), seq_dim=0, batch_dim=1),
    Case("ReverseSequence", X[None], i64(0, 3, 2), seq_dim=2, batch_dim=1),
    Case("ReverseSequence", X, i64(1, 2, 5), seq_dim=1),
    Case("ReverseSequence", X, i64(1, 2), seq_dim=1),
    Case("Roll", X, i64(1, -2, 5), i32(0, -1, 0)),
    Case("Roll", X, np.int32(1), np.int32(2)),
    Case("Roll", X, i32(1, 2), i32(0)),
    Case("Select", SOME, X[:, 0], X[:, 1]),
    Case("Select", np.bool_(False), X, -X),
    Case("Select", X > 4, X, -X),
    Case("Select", SOME[:2], X, -X),
    Case("Select", SOME, X, X[:2]),
    Case("SelectV2", SOME[:, None], X, np.float32(1)),
    Case("SelectV2", np.bool_(True), np.int32(1), np.int32(2)),
    Case("SelectV2", SOME, X, -X),
    Case("OneHot", i64(0, 2, -1, 5), np.int32(3), np.float32(1), np.float32(0)),
    Case("OneHot", np.array([[0, 2], [1, 1]], np.int32), np.int32(3), np.int64(5), np.int64(-5), axis=0),
    Case("OneHot", np.array([[0, 2], [1, 1]], np.uint8), np.int32(2), np.bool_(True), np.bool_(False), axis=1),
    Case("OneHot", np.int32(1), np.int32(3), b"on", b"off"),
    Case("OneHot", i32(1), np.int32(0), np.complex64(1j), np.complex64(0)),
    Case("OneHot", i32(0, 2), np.int32(-3), np.float32(1), np.float32(0)),
    Case("OneHot", i32(0, 2), np.int32(3), np.float32(1), np.float32(0), axis=2),
    Case("Where", np.array([0.0, NAN, -0.0, 1.0], np.float32)),
    Case("Where", X[None, None] > 5),
    Case("Where", X[:0]),
    Case("Unique", np.array([NAN, 1.0, NAN, 0.0, -0.0, 1.0], np.float32)),
    Case("Unique", i64(7, 3, 7, 3), out_idx="int64"),
    Case("Unique", i32()),
    Case("Unique", X),
    Case("UniqueV2", X[:, [0, 1, 0, 1]], i64(1)),
    Case("UniqueV2", X, i64(2)),
    Case("UniqueV2", X, i64(-1)),
    Case("UniqueWithCountsV2", X[[2, 0, 2]], i32(0), out_idx="int64"),
    Case("UniqueWithCountsV2", X[:, :0], i64(0)),
    Case("UniqueWithCountsV2", X[0], i64()),
    Case("ListDiff", np.array([1.0, NAN, 2.0], np.float32), np.array([NAN, 2.0], np.float32), out_idx="int64"),
    Case("ListDiff", X, X[0]),
    Case("DynamicPartition", X, np.array([[0, 1, 0, 1]] * 3, np.int32), num_partitions=2),
    Case("DynamicPartition", X, i32(0, 2, 0), num_partitions=2),
    Case("DynamicPartition", X, i32(0, 1), num_partitions=2),
    Case("DynamicStitch", [i32(0, 1), i32(1)], [X[:2], X[2:]]),
    Case("DynamicStitch", [i32(), i32()], [X[:0], X[:0]]),
    Case("DynamicStitch", [i32(0, 1), i32(2)], [X[:2], X[2:, :3]]),
    Case("DynamicStitch", [i32(0, 1), i32(-2)], [X[:2], X[2:]]),
    Case("UnravelIndex", i32(22, 41, 37), i32(7, 6)),
    Case("UnravelIndex", np.int64(22), i64(2, 3, 4)),
    Case("UnravelIndex", i32(42), i32(7, 6)),
    Case("UnravelIndex", i32(2), i32(0, 6)),
]

IMAGE = np.arange(96, dtype=np.float32).reshape(1, 4, 6, 4)
NONE = np.zeros((2, 2), np.int32)
BATCH = np.arange(48, dtype=np.float32).reshape(4, 2, 3, 2)
VOLUME = np.arange(54, dtype=np.float32).reshape(1, 3, 3, 3, 2)
ONES = [1, 1, 1, 1]
CASES += [
    Case("SpaceToDepth", IMAGE, block_size=2),
    Case("SpaceToDepth", IMAGE.astype(np.uint8), block_size=2),
    Case("SpaceToDepth", IMAGE.astype(ml_dtypes.bfloat16), block_size=2),
    Case("SpaceToDepth", IMAGE, block_size=4),
    Case("SpaceToDepth", IMAGE[0], block_size=2),
    Case("DepthToSpace", IMAGE, block_size=2),
    Case("DepthToSpace", IMAGE.astype(np.int64), block_size=2),
    Case("DepthToSpace", IMAGE, block_size=3),
    Case("SpaceToBatch", IMAGE, NONE, block_size=2),
    Case("SpaceToBatch", IMAGE, NONE + 1, block_size=2),
    Case("SpaceToBatch", IMAGE, NONE + i32(1, 0), block_size=2),
    Case("BatchToSpace", BATCH, NONE, block_size=2),
    Case("BatchToSpace", BATCH, NONE + i32(0, 1), block_size=2),
    Case("BatchToSpace", BATCH[:3], NONE, block_size=2),
    Case("SpaceToBatchND", IMAGE, i32(2, 3), NONE),
    Case("SpaceToBatchND", IMAGE, i64(3, 2), np.array([[0, 2], [1, 1]], np.int64)),
    Case("SpaceToBatchND", IMAGE, i32(), NONE[:0]),
    Case("SpaceToBatchND", IMAGE, i32(3, 3), NONE),
    Case("SpaceToBatchND", IMAGE, i32(2, 0), NONE),
    Case("SpaceToBatchND", IMAGE, i32(2, 3), NONE - 1),
    Case("BatchToSpaceND", BATCH, i32(2, 2), NONE),
    Case("BatchToSpaceND", BATCH, i32(2, 1), np.array([[1, 0], [0, 2]], np.int32)),
    Case("BatchToSpaceND", BATCH, i32(2, 3), NONE),
    Case("BatchToSpaceND", BATCH, i32(2, 2), NONE + 3),
    Case("ExtractImagePatches", IMAGE, ksizes=[1, 2, 2, 1], strides=ONES, rates=[1, 2, 2, 1], padding="VALID"),
    Case("ExtractImagePatches", IMAGE, ksizes=[1, 3, 2, 1], strides=[1, 2, 1, 1], rates=ONES, padding="SAME"),
    Case(
        "ExtractImagePatches",
        IMAGE.astype(np.int32),
        ksizes=[1, 2, 3, 1],
        strides=[1, 3, 5, 1],
        rates=ONES,
        padding="SAME",
    ),
    Case("ExtractImagePatches", IMAGE, ksizes=[1, 5, 5, 1], strides=ONES, rates=ONES, padding="VALID"),
    Case("ExtractImagePatches", IMAGE, ksizes=[2, 2, 2, 1], strides=ONES, rates=ONES, padding="VALID"),
    Case("ExtractVolumePatches", VOLUME, ksizes=[1, 2, 2, 2, 1], strides=[1] * 5, padding="VALID"),
    Case("ExtractVolumePatches", VOLUME, ksizes=[1, 2, 3, 2, 1], strides=[1, 2, 2, 2, 1], padding="SAME"),
]
HYPOTHESIS = (np.array([[0, 0], [0, 1], [1, 0]], np.int64), np.array([1, 2, 3], np.int32), i64(2, 2))
TRUTH = (np.array([[0, 0], [1, 0], [1, 1]], np.int64), np.array([1, 3, 4], np.int32), i64(3, 2))
CASES += [
    Case("EditDistance", *HYPOTHESIS, *TRUTH),
    Case("EditDistance", *HYPOTHESIS, *TRUTH, normalize=False),
    Case(
        "EditDistance",
        np.array([[0, i] for i in range(6)], np.int64),
        np.array(list(b"kitten"), np.uint8),
        i64(1, 6),
        np.array([[0, i] for i in range(7)], np.int64),
        np.array(list(b"sitting"), np.uint8),
        i64(1, 7),
        normalize=False,
    ),
    Case("EditDistance", HYPOTHESIS[0], WORDS.reshape(-1)[:3], i64(2, 2), TRUTH[0], WORDS.reshape(-1)[1:], i64(2, 2)),
    Case("EditDistance", *HYPOTHESIS, np.zeros((0, 2), np.int64), i32(), i64(2, 2)),
    Case("EditDistance", HYPOTHESIS[0], i32(1), HYPOTHESIS[2], *TRUTH),
    Case("EditDistance", np.array([[5, 0]], np.int64), i32(1), i64(2, 2), *TRUTH),
]
