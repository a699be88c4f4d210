# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.linear_operator import LinearOperator as LinearOperator
from icefloe.lib.linear_operator_products import LinearOperatorAdjoint as LinearOperatorAdjoint
from icefloe.lib.linear_operator_blocks import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from icefloe.lib.linear_operator_blocks import LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular
from icefloe.lib.linear_operator_circulant import LinearOperatorCirculant as LinearOperatorCirculant
from icefloe.lib.linear_operator_circulant import LinearOperatorCirculant2D as LinearOperatorCirculant2D
from icefloe.lib.linear_operator_circulant import LinearOperatorCirculant3D as LinearOperatorCirculant3D
from icefloe.lib.linear_operator_products import LinearOperatorComposition as LinearOperatorComposition
from icefloe.lib.linear_operator_diagonal import LinearOperatorDiag as LinearOperatorDiag
from icefloe.lib.linear_operator_dense import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from icefloe.lib.linear_operator_structured import LinearOperatorHouseholder as LinearOperatorHouseholder
from icefloe.lib.linear_operator_diagonal import LinearOperatorIdentity as LinearOperatorIdentity
from icefloe.lib.linear_operator_products import LinearOperatorInversion as LinearOperatorInversion
from icefloe.lib.linear_operator_products import LinearOperatorKronecker as LinearOperatorKronecker
from icefloe.lib.linear_operator_structured import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from icefloe.lib.linear_operator_dense import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from icefloe.lib.linear_operator_structured import LinearOperatorPermutation as LinearOperatorPermutation
from icefloe.lib.linear_operator_diagonal import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from icefloe.lib.linear_operator_circulant import LinearOperatorToeplitz as LinearOperatorToeplitz
from icefloe.lib.linear_operator_structured import LinearOperatorTridiag as LinearOperatorTridiag
from icefloe.lib.linear_operator_zeros import LinearOperatorZeros as LinearOperatorZeros
from icefloe.lib.linalg import adjoint as adjoint
from icefloe.lib.linalg import cholesky_solve as cholesky_solve
from icefloe.lib.array_diagonal import matrix_diag as diag
from icefloe.lib.array_diagonal import matrix_diag_part as diag_part
from icefloe.lib.linalg import self_adjoint_eig as eigh
from icefloe.lib.linalg_tridiagonal import eigh_tridiagonal as eigh_tridiagonal
from icefloe.lib.linalg import self_adjoint_eigvals as eigvalsh
from icefloe.lib.math_matrix import einsum as einsum
from icefloe.lib.linalg_exponential import matrix_exponential as expm
from icefloe.lib.linalg import eye as eye
from icefloe.lib.math_clip import global_norm as global_norm
from icefloe.lib.nn_normalization import l2_normalize as l2_normalize
from icefloe.lib.linalg import logdet as logdet
from icefloe.lib.linalg import matrix_solve_ls as lstsq
from icefloe.lib.linalg_factors import lu_matrix_inverse as lu_matrix_inverse
from icefloe.lib.linalg_factors import lu_reconstruct as lu_reconstruct
from icefloe.lib.linalg_factors import lu_solve as lu_solve
from icefloe.lib.math_matrix import matmul as matmul
from icefloe.lib.linalg_factors import matrix_rank as matrix_rank
from icefloe.lib.array_shape import matrix_transpose as matrix_transpose
from icefloe.lib.math_matrix import matvec as matvec
from icefloe.lib.linalg import norm as norm
from icefloe.lib.nn_normalization import normalize as normalize
from icefloe.lib.linalg_factors import pinv as pinv
from icefloe.lib.array_diagonal import matrix_set_diag as set_diag
from icefloe.lib.linalg import svd as svd
from icefloe.lib.array_diagonal import tensor_diag_part as tensor_diag_part
from icefloe.lib.math_matrix import tensordot as tensordot
from icefloe.lib.math_reduce import trace as trace
from icefloe.lib.array_shape import matrix_transpose as transpose
from icefloe.lib.linalg import matrix_triangular_solve as triangular_solve
from icefloe.lib.linalg import tridiagonal_matmul as tridiagonal_matmul
from icefloe.lib.linalg_factors import tridiagonal_solve as tridiagonal_solve

def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = ...) -> Any: ...
def cholesky(input: Any, name: str | None = ...) -> Any: ...
def cross(a: Any, b: Any, name: str | None = ...) -> Any: ...
def det(input: Any, name: str | None = ...) -> Any: ...
def inv(input: Any, adjoint: Any = False, name: str | None = ...) -> Any: ...
def logm(input: Any, name: str | None = ...) -> Any: ...
def lu(input: Any, output_idx_type: Any = ..., name: str | None = ...) -> Any: ...
def qr(input: Any, full_matrices: Any = False, name: str | None = ...) -> Any: ...
def slogdet(input: Any, name: str | None = ...) -> Any: ...
def solve(matrix: Any, rhs: Any, adjoint: Any = False, name: str | None = ...) -> Any: ...
def sqrtm(input: Any, name: str | None = ...) -> Any: ...
def tensor_diag(diagonal: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigh_tridiagonal",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "transpose",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]
