"""erf and erfc of large float32 arrays against float64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from scipy import special

from icefloe import datatypes
from icefloe.graph import registry


def _kernel(op: str, dtype: datatypes.DType) -> Any:
    found = registry.find_kernel(op)
    assert found is not None
    return found.function(T=dtype)


@pytest.mark.parametrize("op", ["Erf", "Erfc"])
def test_within_some_units_in_the_last_place(op: str) -> None:
    x = np.concatenate([np.linspace(-12, 12, 200_001), 10.0 ** np.linspace(-37, 1, 20_000)]).astype(np.float32)
    want = getattr(special, op.lower())(x.astype(np.float64))
    got = _kernel(op, datatypes.float32)(x.reshape(-1, 1))
    assert got.dtype == np.float32 and got.shape == (x.size, 1)
    normal = np.abs(want) > 4 * np.finfo(np.float32).tiny
    np.testing.assert_allclose(got.ravel()[normal], want[normal], rtol=8e-7)
    np.testing.assert_allclose(got.ravel()[~normal], want[~normal], atol=1e-37)
    assert got.min() >= (-1 if op == "Erf" else 0) and got.max() <= (1 if op == "Erf" else 2)


@pytest.mark.parametrize("op", ["Erf", "Erfc"])
def test_edges(op: str) -> None:
    x = np.zeros(5000, np.float32)
    x[:4] = np.nan, np.inf, -np.inf, -0.0
    got = _kernel(op, datatypes.float32)(x)
    at_once = _kernel(op, datatypes.float32)(x[:5])
    np.testing.assert_array_equal(got[:5], at_once)
    assert np.isnan(got[0]) and np.isfinite(got[1:]).all()
    assert np.signbit(got[3]) == (op == "Erf")


@pytest.mark.parametrize("dtype", [datatypes.float16, datatypes.bfloat16, datatypes.float64])
def test_other_dtypes_of_any_size(dtype: datatypes.DType) -> None:
    x = np.linspace(-4, 4, 4000).astype(dtype.numpy).reshape(2, 2000)
    got = _kernel("Erfc", dtype)(x[:, ::2])
    want = special.erfc(x[:, ::2].astype(np.float64))
    assert got.dtype == dtype.numpy and got.shape == (2, 1000)
    finfo = ml_dtypes.finfo(dtype.numpy)
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=float(finfo.eps), atol=float(finfo.tiny))
