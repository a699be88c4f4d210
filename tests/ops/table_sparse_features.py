"""Sparse tensors counted, crossed and serialized."""

import numpy as np

from ops.case import Case


def i64(*values):
    return np.array(values, np.int64)


def words(*values):
    return np.array([v.encode() for v in values], object)


NONE = np.zeros(0, np.float32)
ROWS = np.array([[1, 1, 3], [0, 2, 2]], np.int32)
WEIGHTS = np.array([[0.5, 1, 2], [1, 1, 1]], np.float32)
INDICES = i64([0, 0], [0, 1], [2, 0])
VALUES = np.array([1, 1, 5], np.int32)


def count(kind, *inputs, binary_output=False, output_type="float32", **attrs):
    # The dtype of the weights is also that of the result, so that it is never given.
    return Case(f"{kind}CountSparseOutput", *inputs, binary_output=binary_output, **attrs)


CASES = [
    count("Dense", ROWS, NONE),
    count("Dense", ROWS[0], NONE),
    count("Dense", ROWS.astype(np.int64), NONE.astype(np.int64)),
    count("Dense", ROWS, WEIGHTS),
    count("Dense", ROWS, NONE, binary_output=True),
    count("Dense", ROWS, NONE, minlength=6),
    count("Dense", ROWS, NONE, maxlength=2),
    count("Dense", ROWS[0], NONE, minlength=2, maxlength=9),
    count("Dense", ROWS[:, :0], NONE),
    count("Dense", -ROWS, NONE),
    count("Dense", ROWS, WEIGHTS[0]),
    count("Sparse", INDICES, VALUES, i64(3, 2), NONE),
    count("Sparse", INDICES, VALUES, i64(3, 2), WEIGHTS[0]),
    count("Sparse", INDICES[::-1].copy(), VALUES, i64(3, 2), NONE),
    count("Sparse", i64([0], [1], [2]), VALUES, i64(3), NONE),
    count("Sparse", INDICES[:0], VALUES[:0], i64(3, 2), NONE),
    count("Sparse", INDICES, VALUES, i64(2, 2), NONE),
    count("Sparse", INDICES, VALUES[:2], i64(3, 2), NONE),
    count("Ragged", i64(0, 2, 2, 5), np.array([1, 1, 3, 0, 3], np.int32), NONE),
    count("Ragged", i64(0, 2, 2, 5), np.array([1, 1, 3, 0, 3], np.int32), np.arange(5, dtype=np.float64)),
    count("Ragged", i64(0, 2, 3), VALUES, NONE, binary_output=True, maxlength=3),
    count("Ragged", i64(1, 3), VALUES, NONE),
    count("Ragged", i64(0, 2), VALUES, NONE),
    count("Ragged", i64(0), VALUES[:0], NONE),
]

I1, V1, SIZE = i64([0, 0], [0, 1], [1, 0]), words("a", "b", "c"), i64(3, 2)
I2, V2 = i64([0, 0], [1, 0], [1, 1]), i64(1, -2, 2**40)
D1, D2 = words("x", "y", "z").reshape(3, 1), i64([5, 6], [7, 8], [-9, 2**35])
COLUMNS = [
    ([I1], [V1], []),
    ([I2], [V2], []),
    ([I1, I2], [V1, V2], []),
    ([I1], [V1], [D1]),
    ([I1, I2], [V1, V2], [D1, D2]),
    ([], [], [D1, D2]),
]
for indices, values, dense in COLUMNS:
    inputs = (indices, values, [SIZE] * len(indices), dense)
    for buckets in (0, 10):
        CASES.append(
            Case(
                "SparseCross",
                *inputs,
                hashed_output=True,
                num_buckets=buckets,
                hash_key=956888297470,
                out_type="int64",
                internal_type="int64",
            )
        )
        # TensorFlow crashes on a strong hash of a dense column of integers.
        strengths = (False,) if any(column is D2 for column in dense) else (True, False)
        hashing = [(np.int64(buckets), np.bool_(strong), i64(137, -5)) for strong in strengths]
        CASES += [Case("SparseCrossHashed", *inputs, *how) for how in hashing]
    CASES.append(Case("SparseCrossV2", *inputs, b"_and_"))
CASES += [
    Case(
        "SparseCross",
        [I1],
        [V1],
        [SIZE],
        [D1],
        hashed_output=False,
        num_buckets=0,
        hash_key=1,
        out_type="string",
        internal_type="string",
    ),
    Case("SparseCrossV2", [I1], [V1[:2]], [SIZE], [], b"-"),
    Case("SparseCrossV2", [I1, I2], [V1, V2], [SIZE, i64(4, 2)], [], b"-"),
    Case("SparseCrossV2", [I1], [V1], [SIZE], [D1[:2]], b"-"),
]

PARTS = (i64([0, 0], [1, 2]), np.array([1, 2], np.float32), i64(2, 3))
for value in (PARTS[1], PARTS[1].astype(np.float16), words("a", "bcd"), np.array([True, False])):
    CASES += [
        Case("SerializeSparse", PARTS[0], value, PARTS[2]),
        Case("SerializeManySparse", PARTS[0], value, PARTS[2]),
    ]
CASES += [
    Case("SerializeSparse", PARTS[0][:0], PARTS[1][:0], PARTS[2]),
    Case("SerializeManySparse", PARTS[0], PARTS[1], i64(4, 3)),
    Case("SerializeManySparse", PARTS[0][::-1].copy(), PARTS[1], PARTS[2]),
    Case("SerializeManySparse", PARTS[0], PARTS[1], i64(1, 3)),
    Case("SerializeManySparse", PARTS[0][:, :1], PARTS[1], i64(2)),
]

# What the two ops above give for PARTS, and for another of shape [5, 3].
PACKED = np.array(
    [
        b'\x08\t\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02" ' + i64(0, 0, 1, 2).tobytes(),
        b'\x08\x01\x12\x04\x12\x02\x08\x02"\x08' + PARTS[1].tobytes(),
        b'\x08\t\x12\x04\x12\x02\x08\x02"\x10' + i64(2, 3).tobytes(),
    ],
    object,
)
LARGER = PACKED.copy()
LARGER[2] = b'\x08\t\x12\x04\x12\x02\x08\x02"\x10' + i64(5, 3).tobytes()
BROKEN = words("a", "b", "c")
CASES += [
    Case("DeserializeSparse", PACKED, dtype="float32"),
    Case("DeserializeSparse", np.stack([PACKED, LARGER]), dtype="float32"),
    Case("DeserializeSparse", np.stack([PACKED, LARGER])[None], dtype="float32"),
    Case("DeserializeManySparse", np.stack([PACKED, LARGER]), dtype="float32"),
    Case("DeserializeSparse", PACKED, dtype="int32"),
    Case("DeserializeSparse", BROKEN, dtype="int32"),
    Case("DeserializeSparse", PACKED[:2], dtype="float32"),
    Case("DeserializeManySparse", np.stack([PACKED, BROKEN]), dtype="float32"),
    Case("DeserializeManySparse", PACKED[None][:0], dtype="float32"),
]
