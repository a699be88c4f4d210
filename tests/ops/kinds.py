"""Small tensors of every kind of dtype, for tables of ops that move elements without looking at them."""

import ml_dtypes
import numpy as np

X = np.arange(12, dtype=np.float32).reshape(3, 4)
WORDS = np.array([[b"a", b"bc"], [b"", b"\xff\x00"]], object)
QINT8 = np.array([[(1,), (-2,)], [(3,), (4,)]], [("qint8", "i1")])
KINDS = [
    X[:2, :2],
    X[:2, :2].astype(np.float16),
    X[:2, :2].astype(ml_dtypes.bfloat16),
    X[:2, :2].astype(np.int64),
    X[:2, :2].astype(np.uint8),
    X[:2, :2] > 1,
    (X[:2, :2] * 1j).astype(np.complex64),
    WORDS,
]
EVERY_KIND = [*KINDS, QINT8, X[:2, :2].astype(ml_dtypes.int4), X[:2, :2].astype(ml_dtypes.float8_e5m2)]


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


def every_kind(op: str) -> list[np.ndarray]:
    """Return the tensors for which TensorFlow has a kernel of `op`."""
    missing = {
        "ConcatV2": "int4",
        "Pack": "int4",
        "Unpack": "qint8 int4",
        "Split": "qint8",
        "SplitV": "qint8",
        "Slice": "int4",
        "StridedSlice": "int4",
        "GatherV2": "int4",
        "Transpose": "qint8 int4",
    }.get(op, "")
    return [a for a in EVERY_KIND if (a.dtype.names or (a.dtype.name,))[0] not in missing.split()]
