"""What element types TensorFlow's kernels refuse, or treat in a way of their own."""

import numpy as np
from ml_dtypes import bfloat16

from ops.case import Case

COMPLEX = np.array([1 + 2j, -3 + 0.5j])
SIGNAL = np.arange(6.0)
LENGTH = np.array([6], np.int32)
SEED = np.array([7, 0])
IMAGE = np.linspace(-2, 2, 24).reshape(1, 2, 4, 3)
SCALES = [np.array(v, np.float32) for v in ([1, 2, 0.5], [0.1, 0.2, -0.3], [1, 2, 0.5])]
WORDS = np.array([b"a", b"bb", b"ccc"], object)

CASES = [
    # No kernel is registered.
    Case("ScatterNd", np.array([[4], [1]], np.int16), np.ones(2, np.float32), np.array([8], np.int16)),
    Case("Softsign", np.array([1, 2])),
    Case("BiasAdd", np.ones((2, 3), bool), np.ones(3, bool)),
    Case("SegmentMax", np.array([1 + 1j]), np.array([0])),
    Case("ArgMax", np.ones((2, 2), np.complex64), np.array(0)),
    Case("Conv2D", np.ones((1, 2, 2, 1), np.int32), np.ones((1, 1, 1, 1), np.int32), strides=[1] * 4, padding="SAME"),
    Case("Cholesky", np.eye(2, dtype=np.float16)),
    Case("Lgamma", np.array([1, 2], bfloat16)),
    Case("Roll", np.array([1, 2, 3]), np.array([1], np.int64), np.array([0], np.int32)),
    # The kernel refuses.
    Case("ComplexAbs", COMPLEX, Tout="float32"),
    Case("ComplexAbs", COMPLEX, Tout="float64"),
    Case("RFFT", SIGNAL, LENGTH, Tcomplex="complex64"),
    Case("IRFFT", COMPLEX, LENGTH, Treal="float32"),
    Case("RFFT", SIGNAL.astype(np.float32), LENGTH, Tcomplex="complex64"),
    Case("Eig", np.zeros((0, 0)), Tout="complex64", compute_v=True),
    Case("StatelessRandomUniformFullInt", np.array([5], np.int32), SEED.astype(np.uint32), dtype="int32"),
    Case("StatelessRandomUniform", np.array([5], np.int32), SEED.astype(np.int32), dtype="float32", tol=0),
    Case("InplaceAdd", np.ones((2, 1), bool), np.array([0], np.int32), np.ones((1, 1), bool)),
    Case("InplaceSub", np.ones((2, 1), bool), np.array([0], np.int32), np.ones((1, 1), bool)),
    Case("Tile", np.array([0, 1], np.uint16), np.array([2], np.int32)),
    Case("Where", np.array([0, 1], np.float16)),
    Case("Where", np.array([0, 1], bfloat16)),
    Case("SparseDenseCwiseDiv", np.array([[0, 0]]), np.array([7.0]), np.array([1, 1]), np.array([[0.0]])),
    Case("DecodePaddedRaw", WORDS, np.array(4, np.int32), out_type="int64"),
    # A way of its own.
    Case("Unique", np.array([np.nan, 1, np.nan, 0, -0.0, 1], np.float16)),
    Case("Unique", np.array([np.nan, 1, np.nan, 0, -0.0, 1], bfloat16)),
    Case("Unique", np.array([np.nan, 1, np.nan, 0, -0.0, 1], np.float32)),
    *[
        Case(
            "FusedBatchNormGradV3", IMAGE.astype(t), IMAGE[:, ::-1].astype(t), *SCALES, np.zeros(0, np.float32), tol=tol
        )
        for t, tol in ((np.float32, 1e-4), (np.float16, 2e-2), (bfloat16, 5e-2))
    ],
    Case(
        "RaggedCross",
        [WORDS, np.array([1, 2, 3])],
        [np.array([0, 2, 3]), np.array([0, 1, 3])],
        [],
        [],
        [],
        [],
        input_order="RR",
        hashed_output=False,
        num_buckets=0,
        hash_key=956888297470,
        out_values_type="int64",
        out_row_splits_type="int64",
    ),
]
