"""Decompositions whose factors are fixed up to signs only: their products, and that columns are orthonormal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from icefloe import datatypes
from icefloe.graph import registry
from icefloe.ops.linalg import decompositions, functions, solvers

DTYPES = ("float32", "float64", "complex64", "complex128")
SHAPES = ((4, 3), (3, 4), (5, 5), (2, 4, 3), (2, 2, 3, 3))


def matrices(shape: tuple[int, ...], name: str) -> Any:
    x = np.sin(np.arange(np.prod(shape)) * 1.7 + 0.3).reshape(shape)
    if name.startswith("complex"):
        x = x + 1j * np.cos(np.arange(np.prod(shape)) * 2.3).reshape(shape)
    return x.astype(name)


def adjoint(x: Any) -> Any:
    return np.conjugate(np.swapaxes(x, -1, -2))


def tolerance(name: str) -> float:
    return 1e-5 if name in ("float32", "complex64") else 1e-12


def assert_orthonormal(x: Any, name: str) -> None:
    np.testing.assert_allclose(
        adjoint(x) @ x,
        np.broadcast_to(np.eye(x.shape[-1]), (*x.shape[:-2], x.shape[-1], x.shape[-1])),
        atol=tolerance(name),
    )


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_svd(shape: tuple[int, ...], name: str, full: bool) -> None:
    x, T = matrices(shape, name), datatypes.as_dtype(name)
    s, u, v = decompositions.svd(x, T=T, compute_uv=True, full_matrices=full)
    least = min(shape[-2:])
    assert (s.dtype, u.dtype, v.dtype) == (x.dtype, x.dtype, x.dtype)
    assert s.shape == (*shape[:-2], least)
    assert u.shape == (*shape[:-1], shape[-2] if full else least)
    assert v.shape == (*shape[:-2], shape[-1], shape[-1] if full else least)
    assert np.all(np.diff(s.real, axis=-1) <= 0)
    assert np.all(s.real >= 0)
    assert np.all(s.imag == 0)
    assert_orthonormal(u, name)
    assert_orthonormal(v, name)
    np.testing.assert_allclose(u[..., :least] * s[..., None, :] @ adjoint(v[..., :least]), x, atol=tolerance(name))
    alone, *empty = decompositions.svd(x, T=T, compute_uv=False, full_matrices=full)
    np.testing.assert_allclose(alone, s, atol=tolerance(name))
    assert [e.shape for e in empty] == [(0,), (0,)]


def test_svd_of_nan_is_nan_for_that_matrix_alone() -> None:
    x = matrices((2, 2, 2), "float32")
    x[1, 0, 0] = np.nan
    for part in decompositions.svd(x, T=datatypes.float32, compute_uv=True, full_matrices=False):
        assert np.isnan(part[1]).all()
        assert np.isfinite(part[0]).all()


@pytest.mark.parametrize("name", DTYPES)
def test_self_adjoint_eigenvectors(name: str) -> None:
    x, T = matrices((3, 4, 4), name), datatypes.as_dtype(name)
    x = x + adjoint(x)
    upper_ignored = np.tril(x) + np.triu(np.full_like(x, 99), 1)
    values, vectors = decompositions.self_adjoint_eig(upper_ignored, T=T, compute_v=True)
    assert (values.dtype, vectors.dtype) == (x.dtype, x.dtype)
    assert np.all(np.diff(values.real, axis=-1) >= 0)
    assert_orthonormal(vectors, name)
    np.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], atol=10 * tolerance(name))
    alone, empty = decompositions.self_adjoint_eig(upper_ignored, T=T, compute_v=False)
    np.testing.assert_allclose(alone, values, atol=10 * tolerance(name))
    assert empty.shape == (0,)
    joined = decompositions.self_adjoint_eig_v1(upper_ignored, T=T)
    np.testing.assert_array_equal(joined[..., 0, :], values)
    np.testing.assert_array_equal(joined[..., 1:, :], vectors)


@pytest.mark.parametrize(
    ("name", "out"),
    [("float32", "complex64"), ("float64", "complex128"), ("complex64", "complex64"), ("complex128", "complex128")],
)
def test_eigenvectors(name: str, out: str) -> None:
    x, Tout = matrices((2, 4, 4), name), datatypes.as_dtype(out)
    values, vectors = decompositions.eig(x, Tout=Tout, compute_v=True)
    assert (values.dtype, vectors.dtype) == (Tout.numpy, Tout.numpy)
    np.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], atol=10 * tolerance(out))
    alone, empty = decompositions.eig(x, Tout=Tout, compute_v=False)
    np.testing.assert_allclose(np.sort(alone), np.sort(values), atol=10 * tolerance(out))
    assert empty.shape == (0,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BatchMatrixInverse", "MatrixInverse"),
        ("BatchMatrixDeterminant", "MatrixDeterminant"),
        ("BatchMatrixSolve", "MatrixSolve"),
        ("BatchMatrixSolveLs", "MatrixSolveLs"),
        ("BatchMatrixTriangularSolve", "MatrixTriangularSolve"),
        ("BatchCholesky", "Cholesky"),
        ("BatchCholeskyGrad", "CholeskyGrad"),
        ("BatchSelfAdjointEigV2", "SelfAdjointEigV2"),
        ("BatchSvd", "Svd"),
    ],
)
def test_former_batch_ops_are_today_s(old: str, new: str) -> None:
    """TensorFlow builds no graphs with them any more; a graph file of those days still runs."""
    kernels = registry.find_kernel(old), registry.find_kernel(new)
    assert kernels[0] is not None
    assert kernels[1] is not None
    assert kernels[0].function is kernels[1].function
    assert registry.find_shape(old) is registry.find_shape(new)


def test_cholesky_of_what_is_not_positive_definite_is_nan_for_that_matrix_alone() -> None:
    x = np.array([[[4, 2], [2, 3]], [[1, 2], [2, 1]]], np.float32)
    factors = decompositions.cholesky(x)
    np.testing.assert_allclose(factors[0] @ factors[0].T, x[0], atol=1e-6)
    assert np.isnan(factors[1][np.tril_indices(2)]).all()


def test_least_squares_of_least_norm() -> None:
    x = matrices((2, 5), "float64")
    b = matrices((2, 3), "float64")
    for fast in (True, False):
        got = solvers.matrix_solve_ls(x, b, np.float64(0), fast=fast)
        np.testing.assert_allclose(got, np.linalg.pinv(x) @ b, atol=1e-12)


@pytest.mark.parametrize("name", DTYPES)
def test_matrix_exponential(name: str) -> None:
    """No longer built by TensorFlow. Of a nilpotent matrix the series ends; of a diagonal one exp is elementwise."""
    x = np.zeros((2, 3, 3), name)
    x[0, 0, 1], x[0, 1, 2] = 2, 3
    x[1][np.diag_indices(3)] = [0, 1, -2]
    got = functions.matrix_exponential(x)
    assert got.dtype == x.dtype
    np.testing.assert_allclose(got[0], [[1, 2, 3], [0, 1, 3], [0, 0, 1]], atol=tolerance(name))
    np.testing.assert_allclose(got[1], np.diag(np.exp([0, 1, -2])), rtol=tolerance(name), atol=tolerance(name))
    assert functions.matrix_exponential(x[:0]).shape == (0, 3, 3)
