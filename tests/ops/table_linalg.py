"""Decompositions, solvers and functions of matrices.

Singular and eigenvectors are fixed up to their signs only: their products are tested in tests/unit/ops/test_decompositions.py.
"""

import numpy as np

from ops.case import Case

REAL = (np.float32, np.float64)
ALL = (*REAL, np.complex64, np.complex128)


def of(values: list, t: type) -> np.ndarray:
    """`values` as `t`, with an imaginary part where it has one."""
    x = np.array(values, np.float64)
    if np.dtype(t).kind == "c":
        x = x + 1j * np.triu(np.ones_like(x), 1) * 0.5
    return x.astype(t)


SQUARE = [[4.0, 1, -1], [2, 3, 0.5], [-2, 1, 5]]
SYMMETRIC = [[4.0, 1, -1], [1, 3, 0.5], [-1, 0.5, 5]]
TALL = [[1.0, 2], [3, -1], [2, 0.5]]
RIGHT = [[1.0, 2], [3, 4], [-1, 0.5]]
SINGULAR = np.array([[1, 2], [2, 4]], np.float32)
NONE = np.zeros((0, 0), np.float32)


def hermitian(t: type) -> np.ndarray:
    x = of(SYMMETRIC, t)
    return np.tril(x) + np.conj(np.tril(x, -1)).T


CASES = []
for t in ALL:
    tol = 2e-5 if np.dtype(t).itemsize // (2 if np.dtype(t).kind == "c" else 1) == 4 else 1e-12
    a, b, tall = of(SQUARE, t), of(RIGHT, t), of(TALL, t)
    two = np.stack([a, a.T.copy()])
    CASES += [
        Case("MatrixInverse", a, tol=tol),
        Case("MatrixInverse", two, adjoint=True, tol=tol),
        Case("MatrixDeterminant", two, tol=tol),
        Case("LogMatrixDeterminant", two, tol=tol),
        Case("LogMatrixDeterminant", -a, tol=tol),
        Case("MatrixSolve", a, b, tol=tol),
        Case("MatrixSolve", two, np.stack([b, -b]), adjoint=True, tol=tol),
        Case("MatrixTriangularSolve", a, b, tol=tol),
        Case("MatrixTriangularSolve", a, b, lower=False, tol=tol),
        Case("MatrixTriangularSolve", two, b, lower=False, adjoint=True, tol=tol),
        Case("MatrixTriangularSolve", a[None], np.stack([b, -b]), adjoint=True, tol=tol),
        Case("Cholesky", np.stack([hermitian(t), 2 * hermitian(t)]), tol=tol),
        Case("Qr", tall, tol=tol),
        Case("Qr", tall, full_matrices=True, tol=tol * 10),
        Case("Qr", np.stack([tall.T.copy(), -tall.T]), tol=tol),
        Case("MatrixSquareRoot", np.stack([hermitian(t), 2 * hermitian(t)]), tol=tol),
        Case("Lu", two, tol=tol),
        Case("Lu", a[::-1].copy(), output_idx_type="int64", tol=tol),
        Case("MatrixSquareRoot", of([[4, 1], [2, 3]], t), tol=tol),
        Case("TridiagonalSolve", a, b, tol=tol),
        Case("TridiagonalSolve", np.stack([a, a + 1]), np.stack([b, -b]), partial_pivoting=False, tol=tol),
        Case("TridiagonalSolve", a, b, perturb_singular=True, tol=tol),
        Case("TridiagonalMatMul", *(a[i : i + 1] for i in range(3)), b, tol=tol),
        Case("TridiagonalMatMul", *(np.stack([a, -a])[:, i : i + 1] for i in range(3)), np.stack([b, b]), tol=tol),
    ]
    for lower in (True, False):
        for adjoint in (True, False):
            bands = a[:2] if lower else a[1:]
            CASES.append(Case("BandedTriangularSolve", bands, b, lower=lower, adjoint=adjoint, tol=tol))
    CASES += [
        Case("BandedTriangularSolve", a, b, tol=tol),
        Case("BandedTriangularSolve", np.stack([a, a])[:, None], np.stack([b, -b]), tol=tol),
        Case("MatrixSolveLs", tall, b, np.float64(0), tol=max(tol, 1e-10) * 10),
        Case("MatrixSolveLs", tall, b, np.float64(0.5), tol=max(tol, 1e-10) * 10),
        Case("MatrixSolveLs", tall.T.copy(), b[:2], np.float64(0), tol=max(tol, 1e-10) * 10),
        Case("MatrixSolveLs", tall, b, np.float64(0), fast=False, tol=max(tol, 1e-10) * 10),
    ]
    if np.dtype(t).kind == "c":
        CASES += [
            Case("MatrixLogarithm", of([[4, 1], [2, 3]], t), tol=tol),
            Case("MatrixLogarithm", np.stack([hermitian(t), 2 * hermitian(t)]), tol=tol),
        ]
    else:
        CASES.append(Case("CholeskyGrad", of(SQUARE, t), of(SYMMETRIC, t), tol=tol))
        CASES.append(Case("CholeskyGrad", np.stack([of(SQUARE, t)] * 2), np.stack([of(SYMMETRIC, t)] * 2), tol=tol))
CASES += [
    Case("MatrixInverse", np.array(SQUARE, np.float16)),
    Case("Qr", np.array(TALL, np.float16)),
    Case("Cholesky", np.full((2, 2), np.nan, np.float32)),
    Case("TridiagonalSolve", np.zeros((3, 2), np.float32), np.ones((2, 1), np.float32)),
    Case("TridiagonalSolve", np.zeros((3, 2), np.float32), np.ones((2, 1), np.float32), partial_pivoting=False),
    Case("TridiagonalSolve", np.zeros((3, 2), np.float32), np.ones((2, 1), np.float32), perturb_singular=True),
    Case("TridiagonalSolve", np.array([[1, 0], [0, 0], [0, 1]], np.float32), np.ones((2, 1), np.float32)),
    Case("TridiagonalSolve", np.array([[0], [3], [0]], np.float32), np.ones((1, 2), np.float32)),
    Case("TridiagonalSolve", np.array([[0], [0], [0]], np.float32), np.ones((1, 2), np.float32)),
    Case("TridiagonalSolve", np.zeros((3, 0), np.float32), np.ones((0, 2), np.float32)),
    Case("MatrixTriangularSolve", np.zeros((2, 2), np.float32), np.array([[1, 2], [3, 4]], np.float32)),
    Case("LogMatrixDeterminant", np.array([[0, 0], [0, 1]], np.float32)),
    *(
        Case(op, np.array([[a, b], [1, 1]], np.float32))
        for op in ("MatrixDeterminant", "LogMatrixDeterminant")
        for a, b in ((np.nan, 1), (np.inf, 1), (np.inf, -np.inf))
    ),
]
for op in (
    "MatrixInverse",
    "MatrixDeterminant",
    "LogMatrixDeterminant",
    "Cholesky",
    "Qr",
    "Svd",
    "SelfAdjointEigV2",
    "Lu",
):
    CASES += [
        Case(op, NONE),
        Case(op, np.zeros((2, 0, 0), np.float32)),
        Case(op, np.ones(2, np.float32)),
    ]
    if op not in ("Qr", "Svd"):
        CASES.append(Case(op, np.array(TALL, np.float32)))
B = np.array([[1, 2], [3, 4]], np.float32)
SOLVABLE = np.array([[4, 1], [2, 3]], np.float32)
T3 = np.array(TALL, np.float32)
CASES += [
    Case("MatrixInverse", SINGULAR),
    Case("MatrixInverse", np.full((2, 2), np.nan, np.float32)),
    Case("MatrixSolve", SINGULAR, B),
    Case("MatrixSolve", SOLVABLE, T3),
    Case("MatrixSolve", T3, T3),
    Case("MatrixSolve", SOLVABLE, np.ones(2, np.float32)),
    Case("MatrixSolve", SOLVABLE[None], B),
    Case("MatrixSolve", SOLVABLE[None], np.stack([B, B])),
    Case("MatrixSolve", NONE, np.zeros((0, 2), np.float32)),
    Case("MatrixSolve", SOLVABLE, np.zeros((2, 0), np.float32)),
    Case("MatrixTriangularSolve", np.stack([B, B]), np.stack([B, B, B])),
    Case("MatrixTriangularSolve", B, T3),
    Case("MatrixTriangularSolve", T3, T3),
    Case("MatrixTriangularSolve", B, np.ones(2, np.float32)),
    Case("MatrixSolveLs", SINGULAR, B, np.float64(0)),
    Case("MatrixSolveLs", SINGULAR, B, np.float64(0), fast=False, tol=1e-5),
    Case("MatrixSolveLs", T3, B, np.float64(0)),
    Case("MatrixSolveLs", T3, T3, np.float64(-1)),
    Case("MatrixSolveLs", T3, T3, np.zeros(1)),
    Case("CholeskyGrad", B, T3),
    Case("CholeskyGrad", T3, T3),
    Case("Lu", SINGULAR),
    Case("Svd", np.zeros((2, 0), np.float32), full_matrices=True),
    Case("SelfAdjointEigV2", np.full((2, 2), np.nan, np.float32)),
    Case("Eig", np.full((2, 2), np.nan, np.float32), Tout="complex64"),
    Case("Eig", T3, Tout="complex64"),
    Case("Eig", NONE, Tout="complex64"),
    Case("TridiagonalSolve", B, B),
    Case("TridiagonalSolve", np.ones((3, 3), np.float32), B),
    Case("TridiagonalSolve", np.ones((3, 2), np.float32), np.ones(2, np.float32)),
    Case("TridiagonalSolve", np.ones((2, 3, 2), np.float32), B[None]),
    Case("TridiagonalMatMul", B[:1], B[:1], B[:1], T3),
    Case("TridiagonalMatMul", B[0], B[0], B[0], B),
    Case("TridiagonalMatMul", B[None, :1], B[None, :1], B[None, :1], B),
    Case("BandedTriangularSolve", np.zeros((2, 2), np.float32), B),
    Case("BandedTriangularSolve", B, T3),
    Case("BandedTriangularSolve", B, np.ones(2, np.float32)),
    Case("BandedTriangularSolve", np.zeros((0, 2), np.float32), B),
    Case("BandedTriangularSolve", np.ones((4, 2), np.float32), B),
]
