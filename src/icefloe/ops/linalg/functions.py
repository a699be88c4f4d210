"""Functions of matrices: exponential, logarithm, square root. scipy is imported when they run."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.graph.registry import kernel, shape
from icefloe.ops.linalg.matrices import check_square, square_shape


def _each(function: Callable[[Any], Any], x: Any) -> Any:
    check_square(x)
    out = np.empty_like(x)
    if not x.size:
        return out
    flat = out.reshape(-1, *x.shape[-2:])
    for i, matrix in enumerate(x.reshape(flat.shape)):
        if not np.isfinite(matrix).all():
            flat[i] = np.nan
            continue
        result = function(matrix)
        # A real matrix without a real root has none in its own dtype.
        complex_result = np.iscomplexobj(result) and x.dtype.kind != "c"
        flat[i] = (
            np.where(np.abs(result.imag) > 1e-6 * np.abs(result), np.nan, result.real) if complex_result else result
        )
    return out


@kernel("MatrixExponential")
def matrix_exponential(x: Any) -> Any:
    """Return exp of each matrix."""
    from scipy import linalg

    return _each(linalg.expm, x)


@kernel("MatrixLogarithm")
def matrix_logarithm(x: Any) -> Any:
    """Return the principal logarithm of each complex matrix, computed in complex128."""
    from scipy import linalg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # scipy says so where rounding shows in float64's last places
        return _each(linalg.logm, x.astype(np.complex128)).astype(x.dtype)


@kernel("MatrixSquareRoot")
def matrix_square_root(x: Any) -> Any:
    """Return the principal square root of each matrix."""
    from scipy import linalg

    return _each(linalg.sqrtm, x)


shape("MatrixExponential", "MatrixLogarithm", "MatrixSquareRoot")(square_shape)
