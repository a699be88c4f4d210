"""Constants, shapes, identities, joins and splits."""

import ml_dtypes
import numpy as np

from ops.case import Case
from ops.kinds import EVERY_KIND, KINDS, WORDS, X, every_kind, i32, i64

CASES = [
    Case("Fill", i32(2, 3), np.float32(1.5)),
    Case("Fill", i64(0, 3), np.int16(1)),
    Case("Fill", i32(), b"text"),
    Case("Fill", i32(2), np.bool_(True)),
    Case("Fill", i32(2), np.complex64(1j)),
    Case("Fill", i32(2), np.array(2, ml_dtypes.bfloat16)),
    Case("Fill", i32(-1), np.float32(1)),
    Case("Fill", i32(2, 3), np.ones(2, np.float32)),
    Case("Fill", i64(2**20, 2**40), np.float32(1)),
    Case("Fill", i64(2**40, 2**40), np.float32(1)),
    Case("Empty", i32(2, 0), dtype="float32", init=True),
    Case("Empty", i32(2), dtype="string", init=True),
    Case("Empty", i32(2, 2), dtype="int32", init=True),
    Case("PlaceholderWithDefault", X, shape=[None, 4]),
    Case("Placeholder", dtype="float32", shape=[2, None]),
    Case("Placeholder", dtype="float16", shape=[]),
    Case("FakeParam", dtype="float32", shape=[None, 3]),
    Case("FakeParam", dtype="string", shape=[2]),
    Case("EnsureShape", X, shape=[None, 4]),
    Case("EnsureShape", X, shape=[None, 5]),
    Case("IdentityN", [X, WORDS, i32(1)]),
    Case("ShapeN", [X, X[0], X[:0]]),
    Case("ShapeN", [X, X[0]], out_type="int64"),
    Case("OnesLike", X),
    Case("OnesLike", X > 3),
    Case("OnesLike", X.astype(np.complex64)),
    Case("OnesLike", X.astype(ml_dtypes.bfloat16)),
    Case("OnesLike", np.int8(3)),
]
for op in [
    "Identity",
    "Snapshot",
    "StopGradient",
    "PreventGradient",
    "GuaranteeConst",
    "Copy",
    "DeepCopy",
    "ZerosLike",
]:
    CASES += [Case(op, kind) for kind in KINDS if not (kind is WORDS and op == "Snapshot")]
    CASES += [Case(op, np.float32(2)), Case(op, X[:0])]
CASES += [Case("Identity", kind) for kind in EVERY_KIND]
for op in ("Shape", "Size"):
    CASES += [Case(op, X), Case(op, X, out_type="int64"), Case(op, np.float32(1)), Case(op, WORDS), Case(op, X[:, :0])]
CASES += [Case("Rank", X), Case("Rank", np.int32(1)), Case("Rank", WORDS)]

SIX = np.arange(6, dtype=np.float32)
CASES += [Case("Reshape", kind, i32(4)) for kind in EVERY_KIND]
CASES += [
    Case("Reshape", SIX, i32(2, -1)),
    Case("Reshape", SIX, i64(-1, 1, 6)),
    Case("Reshape", SIX[:1], i32()),
    Case("Reshape", SIX[:0], i32(0, -1)),
    Case("Reshape", SIX[:0].reshape(0, 3), i32(-1, 0)),
    Case("Reshape", SIX[:0].reshape(0, 4), i32(2, 0, -1)),
    Case("Reshape", SIX, i32(4)),
    Case("Reshape", SIX, i32(4, -1)),
    Case("Reshape", SIX, i32(-1, -1)),
    Case("Reshape", SIX, i32(-2, -1)),
    Case("Reshape", SIX, i64(2**40, 2**40)),
    Case("ExpandDims", X, np.int32(0)),
    Case("ExpandDims", X, np.int64(-1)),
    Case("ExpandDims", WORDS, i32(1)),
    Case("ExpandDims", np.int32(3), np.int32(0)),
    Case("ExpandDims", X, np.int32(3)),
    Case("ExpandDims", X, np.int32(-4)),
    Case("ExpandDims", X, i32(1, 2)),
    Case("Squeeze", X[:1, None, :, None]),
    Case("Squeeze", X[:1, None], squeeze_dims=[1]),
    Case("Squeeze", X[:, None], squeeze_dims=[-2]),
    Case("Squeeze", WORDS[:1]),
    Case("Squeeze", X[:1, :1]),
    Case("Squeeze", X, squeeze_dims=[0]),
    Case("Squeeze", X, squeeze_dims=[2]),
    Case("Bitcast", X, type="uint8"),
    Case("Bitcast", X.view(np.uint8), type="float32"),
    Case("Bitcast", X, type="int32"),
    Case("Bitcast", np.float64(1.5), type="uint16"),
    Case("Bitcast", X.astype(np.int8), type="qint8"),
    Case("Bitcast", X.astype(np.complex64), type="float32"),
    Case("Bitcast", X.astype(ml_dtypes.bfloat16), type="int16"),
    Case("Bitcast", X[:0], type="uint16"),
    Case("Bitcast", X.astype(np.int8)[:, :3], type="int32"),
    Case("Bitcast", np.int8(1), type="int32"),
]

CASES += [Case("ConcatV2", [kind, kind[:1]], np.int32(0)) for kind in every_kind("ConcatV2")]
CASES += [Case("Pack", [kind, kind], axis=1) for kind in every_kind("Pack")]
CASES += [Case("Unpack", kind, num=2, axis=-1) for kind in every_kind("Unpack")]
CASES += [Case("Split", np.int32(1), kind, num_split=2) for kind in every_kind("Split")]
CASES += [Case("SplitV", kind, i64(0, 2), np.int32(0), num_split=2) for kind in every_kind("SplitV")]
CASES += [
    Case("Concat", np.int32(1), [X, X]),
    Case("Concat", np.int32(2), [X, X]),
    Case("ConcatV2", [X, X], np.int64(-1)),
    Case("ConcatV2", [X, X[:0]], np.int32(0)),
    Case("ConcatV2", [X, X], np.int32(2)),
    Case("ConcatV2", [X, X], np.int32(-3)),
    Case("ConcatV2", [X, X[0]], np.int32(0)),
    Case("ConcatV2", [X, X[:, :2]], np.int32(0)),
    Case("ConcatV2", [np.float32(1), np.float32(2)], np.int32(0)),
    Case("ConcatOffset", np.int32(1), [i32(2, 2, 5), i32(2, 3, 5), i32(2, 4, 5)]),
    Case("ConcatOffset", np.int32(-3), [i32(2, 2, 5), i32(3, 2, 5)]),
    Case("ConcatOffset", np.int32(1), [i32(2, 2, 5), i32(3, 3, 5)]),
    Case("ConcatOffset", np.int32(3), [i32(2, 2, 5), i32(2, 3, 5)]),
    Case("ConcatOffset", np.int32(1), [i32(2, 2, 5), i32(2, 3)]),
    Case("Pack", [np.float32(1), np.float32(2)]),
    Case("Pack", [b"a", b"b"]),
    Case("Pack", [X, X], axis=-3),
    Case("Pack", [X[:0], X[:0]], axis=2),
    Case("Pack", [X, X], axis=3),
    Case("Pack", [X, X[0]]),
    Case("ParallelConcat", [X[:1], X[1:2]], shape=[2, 4]),
    Case("ParallelConcat", [WORDS[:1], WORDS[1:]], shape=[2, 2]),
    Case("Unpack", i32(1, 2), num=2),
    Case("Unpack", X[:0], num=0),
    Case("Unpack", X, num=3, axis=1),
    Case("Unpack", X, num=3, axis=2),
    Case("Split", np.int32(-1), X, num_split=4),
    Case("Split", np.int32(0), X, num_split=1),
    Case("Split", np.int32(1), X, num_split=3),
    Case("Split", np.int32(2), X, num_split=2),
    Case("SplitV", X, i64(1, 3), np.int32(1), num_split=2),
    Case("SplitV", X, i32(1, -1), np.int32(-1), num_split=2),
    Case("SplitV", X, i64(3), np.int32(0), num_split=1),
    Case("SplitV", X, i64(-1, -1), np.int32(1), num_split=2),
    Case("SplitV", X, i64(1, 2), np.int32(1), num_split=2),
    Case("SplitV", X, i64(5, -1), np.int32(1), num_split=2),
    Case("SplitV", X, i64(6, -2), np.int32(1), num_split=2),
    Case("SplitV", X, i64(1, 3), np.int32(2), num_split=2),
    Case("Fingerprint", np.arange(200, dtype=np.uint8).reshape(2, 100), b"farmhash64"),
    Case("Fingerprint", X, b"farmhash64"),
    Case("Fingerprint", X > 4, b"farmhash64"),
    Case("Fingerprint", WORDS, b"farmhash64"),
    Case("Fingerprint", WORDS[:, :1], b"farmhash64"),
    Case("Fingerprint", X[:0], b"farmhash64"),
    Case("Fingerprint", X, b"md5"),
    Case("Fingerprint", np.float32(1), b"farmhash64"),
]
for length in (0, 1, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200):
    CASES.append(Case("Fingerprint", (np.arange(length) * 37 % 251).astype(np.uint8)[None], b"farmhash64"))
