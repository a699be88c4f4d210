"""Products of matrices, einsum, cross products, sums of many tensors, ranges."""

import numpy as np
from ml_dtypes import bfloat16

from ops.case import Case

FLOATS = (np.float32, np.float64, np.float16, bfloat16)
ALL = (*FLOATS, np.int32, np.int64, np.complex64, np.complex128)


def grid(*shape: int, t: type = np.float32) -> np.ndarray:
    """Small whole numbers, so that every dtype holds the products exactly; complex ones have an imaginary part."""
    values = np.arange(np.prod(shape), dtype=np.int64).reshape(shape) % 7 - 3
    if np.dtype(t).kind == "c":
        return (values + 1j * (values % 3)).astype(t)
    return values.astype(t)


A, B = grid(2, 3), grid(3, 4)
CASES = []
for t in ALL:
    CASES += [
        Case("MatMul", grid(2, 3, t=t), grid(3, 4, t=t)),
        Case("BatchMatMulV2", grid(2, 2, 3, t=t), grid(3, 2, t=t)),
    ]
    CASES.append(Case("MatMul", grid(3, 2, t=t), grid(4, 3, t=t), transpose_a=True, transpose_b=True))
    CASES.append(Case("BatchMatMulV2", grid(2, 3, 2, t=t), grid(2, 4, 3, t=t), adj_x=True, adj_y=True))
    CASES.append(Case("BatchMatMul", grid(2, 2, 3, t=t), grid(2, 3, 2, t=t)))
CASES += [
    Case("MatMul", A, grid(2, 4), transpose_a=True),
    Case("MatMul", A, grid(4, 3), transpose_b=True),
    Case("MatMul", np.ones((2, 0), np.float32), np.ones((0, 3), np.float32)),
    Case("MatMul", np.ones((0, 2), np.float32), np.ones((2, 3), np.float32)),
    Case("MatMul", A, A),
    Case("MatMul", A, np.ones(3, np.float32)),
    Case("MatMul", A, grid(2, 3, 2)),
    Case("MatMul", grid(2, 2, 3), grid(2, 3, 2)),
    Case("MatMul", np.float32(2), np.float32(2)),
    Case(
        "MatMul",
        np.linspace(-1, 1, 600, dtype=np.float32).reshape(20, 30),
        np.linspace(0, 2, 600, dtype=np.float32).reshape(30, 20),
        tol=1e-5,
    ),
    Case("BatchMatMul", grid(2, 2, 3), grid(1, 3, 2)),
    Case("BatchMatMul", grid(2, 2, 3), grid(3, 2)),
    Case("BatchMatMul", grid(2, 3), grid(3, 2)),
    Case("BatchMatMul", grid(3, t=np.float32), grid(3, 2)),
    Case("BatchMatMul", grid(2, 2, 3), grid(2, 2, 2)),
    Case("BatchMatMul", grid(2, 3, 2, t=np.complex64), grid(2, 2, 3, t=np.complex64), adj_x=True, adj_y=True),
    Case("BatchMatMulV2", grid(3, 1, 2, 3), grid(2, 3, 2)),
    Case("BatchMatMulV2", grid(0, 2, 3), grid(3, 2)),
    Case("BatchMatMulV2", grid(2, 2, 0), grid(0, 2)),
    Case("BatchMatMulV2", grid(2, 2, 3), grid(3, 3, 2)),
    Case("BatchMatMulV2", grid(2, 2, 3), grid(2, 2)),
    Case("BatchMatMulV2", grid(3), grid(3, 2)),
    Case("BatchMatMulV2", grid(2, 3), grid(3)),
    Case("BatchMatMulV3", grid(2, 2, 3), grid(2, 3, 2), Tout="float32"),
    Case("BatchMatMulV3", np.full((1, 2), 100, np.int8), np.full((2, 1), 100, np.int8), Tout="int32"),
    Case("BatchMatMulV3", np.full((1, 2), 200, np.uint8), np.full((2, 1), -100, np.int8), Tout="int32"),
    Case("BatchMatMulV3", grid(2, 3, t=np.int8), grid(2, 3, 2, t=bfloat16), Tout="bfloat16"),
    Case("BatchMatMulV3", grid(2, 3, t=np.int32), grid(3, 2, t=np.int32), Tout="int32", adj_x=False),
    Case("SparseMatMul", A, B),
    Case("SparseMatMul", A.T.copy(), B.T.copy(), transpose_a=True, transpose_b=True, a_is_sparse=True),
    Case("SparseMatMul", A.astype(bfloat16), B),
    Case("SparseMatMul", A.astype(bfloat16), B.astype(bfloat16), b_is_sparse=True),
    Case("SparseMatMul", A, A),
    Case("SparseMatMul", A, grid(3)),
    Case("Cross", grid(2, 3), grid(2, 3) * 2 + 1),
    Case("Cross", np.array([200, 3, 5], np.uint8), np.array([1, 2, 3], np.uint8)),
    Case("Cross", np.array([1, 2, 3], np.float16), np.array([3, 1, 2], np.float16)),
    Case("Cross", np.array([1, 2, 3]), np.array([3, 1, 2])),
    Case("Cross", grid(2, 3), grid(3)),
    Case("Cross", grid(2), grid(2)),
    Case("Cross", np.float32(1), np.float32(1)),
    Case("AddN", [A, A * 2, A - 1]),
    Case("AddN", [A]),
    Case("AddN", [np.float32(1), np.float32(2)]),
    Case("AddN", [np.float32(1), np.float32(2), np.float32(3)]),
    Case("AddN", [A, A[:1]]),
    Case("IsTensorFloat32Enabled"),
    Case("AccumulateNV2", [A, A * 2, A - 1], shape=[2, 3]),
    Case("AccumulateNV2", [A.astype(np.float64)], shape=[2, 3]),
    Case("AddN", [np.array([100], np.int8)] * 3),
]
CASES += [Case("AddN", [grid(2, 3, t=t), grid(2, 3, t=t), grid(2, 3, t=t)]) for t in (*ALL, np.uint8, np.uint32)]

EQUATIONS = {
    "ij->ji": [(2, 3)],
    "ij->": [(2, 3)],
    "ij->j": [(2, 3)],
    "ii->i": [(3, 3)],
    "ii->": [(3, 3)],
    "iji->j": [(2, 3, 2)],
    "i->ii": [(3,)],
    "ij->iij": [(2, 3)],
    "ij->jj": [(2, 3)],
    "...->...": [(2, 3)],
    "...i->...": [(2, 3)],
    "i...->...i": [(2, 3, 4)],
    "...ij->...ji": [(2, 3, 4)],
    "->": [()],
    "ij,jk->ik": [(2, 3), (3, 4)],
    "ij,kj->ik": [(2, 3), (4, 3)],
    "ij,jk->ki": [(2, 3), (3, 4)],
    "ij,ij->": [(2, 3), (2, 3)],
    "ij,ij->ij": [(2, 3), (2, 3)],
    "i,j->ij": [(2,), (3,)],
    "i,j->": [(2,), (3,)],
    ",->": [(), ()],
    ",ij->ij": [(), (2, 3)],
    "bij,bjk->bik": [(2, 2, 3), (2, 3, 4)],
    "abc,cd->abd": [(2, 2, 3), (3, 4)],
    "BFD,DH->BFH": [(2, 2, 3), (3, 4)],
    "bfnh,btnh->bnft": [(2, 2, 1, 3), (2, 4, 1, 3)],
    "...ij,...jk->...ik": [(2, 2, 3), (3, 4)],
    "...ij,j...k->i...k": [(5, 2, 3), (3, 5, 4)],
    "...ij,...j->...i": [(2, 3), (3,)],
    "i...,...j->i...j": [(2, 1, 3), (4, 3, 2)],
    "...i,...i->...": [(3, 1, 2), (4, 2)],
    "iij,jk->ik": [(2, 2, 3), (3, 4)],
    "ija,k->ijk": [(2, 3, 1), (4,)],
    "ab,bc->bac": [(2, 3), (3, 4)],
    "ab,ab->ba": [(2, 3), (2, 3)],
    "i,i->ii": [(3,), (3,)],
    "ij,jk->ikk": [(2, 3), (3, 2)],
}
CASES += [Case("Einsum", [grid(*s) for s in shapes], equation=e) for e, shapes in EQUATIONS.items()]
CASES += [Case("Einsum", [grid(2, 3, t=t), grid(3, 4, t=t)], equation="ij,jk->ik") for t in ALL]
CASES += [Case("Einsum", [grid(2, 3, t=t)], equation="ij->j") for t in ALL]
CASES += [
    Case("Einsum", [A, A], equation="ij,jk->ik"),
    Case("Einsum", [A], equation="...->"),
    Case("Einsum", [A], equation="...ij->ij"),
    Case("Einsum", [A], equation="i->i"),
    Case("Einsum", [A], equation="...ijk->i"),
    Case("Einsum", [A], equation="ii->i"),
    Case("Einsum", [A, A], equation="ij,kj"),
    Case("Einsum", [A], equation="ij->ik"),
    Case("Einsum", [A], equation="ij->...ij"),
    Case("Einsum", [A, A], equation="ij->ij"),
    Case("Einsum", [A, A], equation="i....j,ij->ij"),
    Case("Einsum", [np.ones((0, 3), np.float32), np.ones((3, 2), np.float32)], equation="ij,jk->ik"),
    Case("Einsum", [np.ones((2, 0), np.float32), np.ones((0, 2), np.float32)], equation="ij,jk->ik"),
    Case("Einsum", [grid(2, 3), grid(5, 3)], equation="...i,...i->..."),
]

# TensorFlow's shape rule of Range knows no float16.
for t in (np.float32, np.float64, bfloat16):
    CASES += [Case("Range", *np.array(v, t)) for v in ([0, 1, 0.1], [5, 0, -1.5], [1, 1, 1], [1, 10, 2.5])]
    if t is not bfloat16:
        CASES += [Case("LinSpace", *np.array(v, t), np.int32(n)) for v in ([0, 1], [5, -5]) for n in (1, 2, 4, 7)]
for t in (np.int32, np.int64):
    CASES += [Case("Range", *np.array(v, t)) for v in ([0, 5, 2], [5, 0, -2], [3, 3, 1], [-4, 4, 3])]
CASES += [
    Case("Range", *np.array([5, 0, 1], np.int32)),
    Case("Range", *np.array([0, 5, -1], np.int32)),
    Case("Range", *np.array([0, 5, 0], np.int32)),
    Case("Range", *np.array([5, 0, 0.5], np.float32)),
    Case("Range", *np.array([0, np.nan, 1], np.float64)),
    Case("Range", *np.array([0, np.inf, 1], np.float64)),
    Case("Range", *np.array([-(2**31), 2**31 - 1, 2**30], np.int32)),
    Case("Range", np.array([0], np.int32), np.int32(2), np.int32(1)),
    Case("Range", np.array([0, 1], np.int32), np.int32(2), np.int32(1)),
    Case("LinSpace", np.float32(0), np.float32(1), np.int32(0)),
    Case("LinSpace", np.float32(0), np.float32(1), np.int64(5)),
    Case("LinSpace", np.array([0], np.float32), np.float32(1), np.int32(4)),
    Case("LinSpace", np.float32(0), np.float32(1), np.array([4], np.int32)),
]
