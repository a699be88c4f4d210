"""Depthwise convolutions of many geometries against a sum over the window's elements in float64."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from icefloe.errors import InvalidArgumentError
from icefloe.machine import threads
from icefloe.ops.nn import correlate_depthwise
from icefloe.ops.nn.windows import window


@pytest.mark.parametrize(("height", "width"), [(1, 7), (5, 33), (30, 1), (23, 20)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_geometries(height: int, width: int, padding: str) -> None:
    draw = np.random.default_rng(0)
    seen = 0
    for channels, multiplier, down, across, stride, dilation in itertools.product(
        (1, 5), (1, 2), (1, 3), (1, 2, 5), (1, 2, 3), (1, 2)
    ):
        try:
            windows = (
                window(height, down, stride, padding, dilation=dilation),
                window(width, across, stride, padding, dilation=dilation),
            )
        except InvalidArgumentError:
            continue
        x = draw.standard_normal((2, height, width, channels)).astype(np.float32)
        w = draw.standard_normal((down, across, channels, multiplier)).astype(np.float32)
        got = correlate_depthwise.forward(x, w, windows)
        wide = np.pad(x, ((0, 0), *((v.before, max(v.after, 0)) for v in windows), (0, 0))).astype(np.float64)
        want = np.zeros((*got.shape[:3], channels, multiplier))
        for i, j in np.ndindex(down, across):
            rows, columns = (
                slice(o * dilation, o * dilation + (v.out - 1) * stride + 1, stride)
                for o, v in zip((i, j), windows, strict=True)
            )
            if got.size:
                want += wide[:, rows, columns, :, None] * w[i, j]
        np.testing.assert_allclose(got, want.reshape(got.shape), atol=1e-4)
        seen += 1
    assert seen > 20


def test_strips_of_a_large_image_on_several_threads() -> None:
    draw = np.random.default_rng(0)
    x = draw.standard_normal((1, 150, 160, 24)).astype(np.float32)
    w = draw.standard_normal((3, 3, 24, 1)).astype(np.float32)
    for stride in (1, 2):
        windows = (window(150, 3, stride, "SAME"), window(160, 3, stride, "SAME"))
        with threads.using(1):
            alone = correlate_depthwise.forward(x, w, windows)
        with threads.using(3):
            shared = correlate_depthwise.forward(x, w, windows)
        np.testing.assert_array_equal(alone, shared)
        some = correlate_depthwise.forward(x[..., 5:6], w[..., 5:6, :], windows)
        np.testing.assert_allclose(alone[..., 5:6], some, rtol=1e-5, atol=1e-5)
