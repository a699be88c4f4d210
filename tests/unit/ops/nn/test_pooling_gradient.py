"""The quick way back through a max pool against the plain one, which the goldens hold against TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

from icefloe.ops.nn import pooling
from icefloe.ops.nn.pooling_gradient import max_pool_gradient
from icefloe.ops.nn.windows import Window, window

CASES = [
    ((3, 8, 8, 4), (2, 2), (2, 2), "VALID"),
    ((3, 9, 7, 4), (2, 2), (2, 2), "VALID"),
    ((2, 9, 7, 5), (3, 3), (2, 2), "SAME"),
    ((2, 5, 6, 3), (3, 2), (1, 1), "SAME"),
    ((2, 10, 10, 3), (2, 1), (3, 2), "VALID"),
    ((1, 5, 4, 6, 2), (2, 2, 3), (2, 1, 2), "SAME"),
    ((40, 30, 30, 4), (2, 2), (2, 2), "SAME"),
]


def _windows(shape: tuple[int, ...], sizes: tuple[int, ...], strides: tuple[int, ...], padding: str) -> list[Window]:
    return [window(n, k, s, padding) for n, k, s in zip(shape[1:-1], sizes, strides, strict=True)]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_as_the_plain_way(case: tuple, dtype: type) -> None:
    shape = case[0]
    windows = _windows(*case)
    draw = np.random.default_rng(0)
    # Few values: many windows have several greatest elements.
    x = draw.integers(-3, 4, shape).astype(dtype)
    best, where = pooling.first_maxima(x, windows)
    dy = draw.integers(-8, 9, best.shape).astype(dtype)
    got = max_pool_gradient(x, dy, windows)
    assert got is not None and got.dtype == dtype
    np.testing.assert_array_equal(got, pooling.max_pool_gradient(where, dy, windows))


@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_maxima_that_are_not_plain(value: float) -> None:
    x = np.ones((2, 4, 4, 3), np.float32)
    x[1, :2, :2, 1] = value
    windows = _windows(x.shape, (2, 2), (2, 2), "SAME")
    assert max_pool_gradient(x, np.ones((2, 2, 2, 3), np.float32), windows) is None
    x[1, 0, 0, 1] = 5  # now it is not the maximum; NaN spreads all the same
    assert (max_pool_gradient(x, np.ones((2, 2, 2, 3), np.float32), windows) is None) == np.isnan(value)


def test_gradients_that_are_no_numbers_go_to_their_place_alone() -> None:
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    dy = np.array([np.nan, np.inf, -0.0, 1], np.float32).reshape(1, 2, 2, 1)
    got = max_pool_gradient(x, dy, _windows(x.shape, (2, 2), (2, 2), "SAME"))
    assert got is not None
    assert np.isnan(got[0, 1, 1, 0]) and np.isinf(got[0, 1, 3, 0]) and got[0, 3, 3, 0] == 1
    assert np.count_nonzero(got) == 3
