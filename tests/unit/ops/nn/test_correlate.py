"""Convolutions large enough to be cut up, against sums over the window in float64."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from icefloe.machine import threads
from icefloe.ops.nn import correlate_rows
from icefloe.ops.nn.correlate import correlate, filter_gradient, input_gradient
from icefloe.ops.nn.windows import Window, window

# images, height, width, channels, made, size, strides, padding, dilations: whether it goes row by row
CASES = [
    ((6, 14, 15, 32, 24, (5, 5), (1, 1), "SAME", (1, 1)), True),
    ((1, 40, 38, 24, 32, (3, 3), (1, 1), "SAME", (1, 1)), True),
    ((5, 21, 24, 16, 32, (3, 5), (1, 2), "VALID", (1, 1)), True),
    ((4, 30, 24, 16, 32, (3, 5), (1, 1), "VALID", (2, 3)), True),
    ((3, 90, 100, 32, 8, (3, 2), (1, 1), "SAME", (1, 1)), True),
    ((4, 28, 28, 1, 32, (5, 5), (1, 1), "SAME", (1, 1)), False),
    ((2, 40, 41, 3, 16, (7, 7), (2, 2), "SAME", (1, 1)), False),
]


def _case(case: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Window]]:
    n, height, width, channels, made, size, strides, padding, dilations = case
    windows = [
        window(length, s, stride, padding, dilation=d)
        for length, s, stride, d in zip((height, width), size, strides, dilations)
    ]
    draw = np.random.default_rng(0)
    shapes = (n, height, width, channels), (*size, channels, made), (n, *(w.out for w in windows), made)
    x, w, dy = (draw.standard_normal(shape).astype(np.float32) for shape in shapes)
    return x, w, dy, windows


def _plain(x: np.ndarray, w: np.ndarray, dy: np.ndarray, windows: list[Window]) -> list[np.ndarray]:
    """Return the convolution and both gradients, one element of the window after the other."""
    x, w, dy = (a.astype(np.float64) for a in (x, w, dy))
    y, dx, dw = np.zeros(dy.shape), np.zeros(x.shape), np.zeros(w.shape)
    for at in itertools.product(*(range(v.size) for v in windows)):
        (rows, from_rows), (columns, from_columns) = (v.span(o) for v, o in zip(windows, at))
        seen = x[:, from_rows, from_columns]
        y[:, rows, columns] += seen @ w[at]
        dx[:, from_rows, from_columns] += dy[:, rows, columns] @ w[at].T
        dw[at] = np.tensordot(seen, dy[:, rows, columns], ((0, 1, 2), (0, 1, 2)))
    return [y, dx, dw]


@pytest.mark.parametrize(("case", "row_by_row"), CASES)
def test_convolutions_and_their_gradients(case: tuple[Any, ...], row_by_row: bool) -> None:
    x, w, dy, windows = _case(case)
    assert correlate_rows.applies(x, windows, w.shape[-1]) == row_by_row
    found = [correlate(x, w, windows), input_gradient(dy, w, windows), filter_gradient(x, dy, windows)]
    for made, wanted in zip(found, _plain(x, w, dy, windows)):
        np.testing.assert_allclose(made, wanted, rtol=0, atol=3e-6 * np.abs(wanted).max())
    with threads.using(1):
        alone = [correlate(x, w, windows), input_gradient(dy, w, windows), filter_gradient(x, dy, windows)]
    for made, other in zip(found, alone):
        np.testing.assert_array_equal(made, other)


@pytest.mark.parametrize("case", [CASES[0][0], CASES[1][0]])
def test_every_block_is_finished_once(case: tuple[Any, ...]) -> None:
    x, w, _, windows = _case(case)
    plain = correlate(x, w, windows)

    def finish(block: np.ndarray, rows: slice, columns: slice) -> None:
        np.testing.assert_array_equal(block, plain.reshape(-1, plain.shape[-1])[rows, columns])
        block += np.float32(1)

    np.testing.assert_array_equal(correlate(x, w, windows, finish=finish), plain + np.float32(1))


def test_the_order_in_memory_does_not_matter() -> None:
    x, w, dy, windows = _case(CASES[0][0])
    turned = np.asfortranarray(x)
    np.testing.assert_array_equal(correlate(turned, np.asfortranarray(w), windows), correlate(x, w, windows))
    np.testing.assert_array_equal(
        filter_gradient(turned, np.asfortranarray(dy), windows), filter_gradient(x, dy, windows)
    )
