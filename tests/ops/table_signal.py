"""Fourier transforms."""

import numpy as np

from ops.case import Case

X = (np.arange(48) * 7 % 11 - 5.0).reshape(2, 4, 3, 2)
C = X + 1j * X[::-1]


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


CASES = []
for rank, suffix in ((1, ""), (2, "2D"), (3, "3D")):
    sizes = X.shape[4 - rank :]
    half = C[..., : sizes[-1] // 2 + 1]
    for op in (f"FFT{suffix}", f"IFFT{suffix}"):
        CASES += [
            Case(op, C.astype(np.complex64), tol=1e-5),
            Case(op, C, tol=1e-12),
            Case(op, np.zeros((0, 2, 2, 2), np.complex64)),
            Case(op, np.zeros((2, 0, 2, 0), np.complex64)),
            Case(op, np.array(1, np.complex64)),
        ]
    CASES += [
        Case(f"RFFT{suffix}", X.astype(np.float32), i32(*sizes), tol=1e-5),
        Case(f"RFFT{suffix}", X, i32(*sizes), Tcomplex="complex128", tol=1e-12),
        Case(f"RFFT{suffix}", X.astype(np.float32), i32(*(n - 1 for n in sizes)), tol=1e-5),
        Case(f"RFFT{suffix}", X.astype(np.float32), i32(*(n + 1 for n in sizes))),
        Case(f"RFFT{suffix}", X.astype(np.float32), i32(*(-1 for n in sizes))),
        Case(f"RFFT{suffix}", X.astype(np.float32), i32(*sizes, 2)),
        Case(f"IRFFT{suffix}", half.astype(np.complex64), i32(*sizes), tol=1e-5),
        Case(f"IRFFT{suffix}", half, i32(*sizes), Treal="float64", tol=1e-12),
        Case(f"IRFFT{suffix}", C.astype(np.complex64), i32(*sizes[:-1], 3), tol=1e-5),
        Case(f"IRFFT{suffix}", C.astype(np.complex64), i32(*sizes[:-1], 4)),
        Case(f"IRFFT{suffix}", np.float32(1) * half.astype(np.complex64), np.int32(3)),
    ]
