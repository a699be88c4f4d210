"""RaggedCross: features of ragged, sparse and dense inputs, joined and hashed."""

from typing import Any

import numpy as np

from ops.case import Case


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


WORDS = np.array([b"a", b"bb", b"a long word of more than sixteen bytes"], object)
ROWS = i64(0, 2, 3)
SPARSE = np.array([[0, 0], [0, 1], [1, 1]])
DENSE = np.array([[5, 6], [7, -8]])


def cross(
    order: str,
    ragged: tuple = (),
    sparse: tuple = (),
    dense: tuple = (),
    *,
    hashed: bool = False,
    buckets: int = 0,
    key: int = 956888297470,
    **attrs: Any,
) -> Case:
    return Case(
        "RaggedCross",
        [r[0] for r in ragged],
        [r[1] for r in ragged],
        [s[0] for s in sparse],
        [s[1] for s in sparse],
        [s[2] for s in sparse],
        list(dense),
        input_order=order,
        hashed_output=hashed,
        num_buckets=buckets,
        hash_key=key,
        out_values_type="int64" if hashed else "string",
        out_row_splits_type="int64",
        **attrs,
    )


RAGGED = (WORDS, ROWS)
NUMBERS = (i64(1, 2, 3), i64(0, 1, 3))
THREE = {"ragged": (RAGGED,), "sparse": ((SPARSE, WORDS[::-1].copy(), i64(2, 2)),), "dense": (DENSE,)}
CASES = [
    cross("R", (RAGGED,)),
    cross("RR", (RAGGED, NUMBERS)),
    cross("RSD", **THREE),
    cross("DSR", **THREE),
    cross("RSD", **THREE, hashed=True),
    cross("SRD", **THREE, hashed=True, buckets=100),
    cross("RR", (RAGGED, NUMBERS), hashed=True, key=1),
    cross("D", dense=(DENSE,), hashed=True, buckets=7),
    cross("RD", ((WORDS, i64(0, 0, 3)),), dense=(DENSE,)),
    cross("DD", dense=(DENSE[:0], DENSE[:0])),
    cross("DD", dense=(DENSE, DENSE[:, :0])),
    cross("R", ((WORDS, i64(0, 2)),)),
    cross("R", ((WORDS, i64(1, 3)),)),
    cross("R", ((WORDS, i64()),)),
    cross("R", ((WORDS, i64(0, 2, 1, 3)),)),
    cross("RR", (RAGGED, (WORDS, i64(0, 3)))),
    cross("S", sparse=((np.array([[0, 0, 0]]), i64(4), i64(2, 2, 2)),)),
    cross("D", dense=(DENSE[0],)),
    cross("X", dense=(DENSE,)),
    cross("RR", (RAGGED,)),
]
