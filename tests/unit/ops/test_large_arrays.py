"""What is computed another way where it is large gives what the small way gives."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from icefloe import datatypes
from icefloe.ops.array.selection import chosen
from icefloe.ops.array.uniqueness import unique_with_counts
from icefloe.ops.image.resize import resize_bicubic, resize_bilinear
from icefloe.ops.nn.activations import leaky_relu, relu_gradient
from icefloe.ops.sparse.components import merged, row_order

DRAW = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int32, np.uint8, bool])
def test_chosen(dtype: type) -> None:
    a, b = (DRAW.integers(0, 200, (3, 5000)).astype(dtype) for _ in range(2))
    if a.dtype.kind == "f":
        a[0, :3] = np.nan, np.inf, -0.0
        b[1, :3] = np.nan, -np.inf, -0.0
    holds = DRAW.random(a.shape) < 0.5
    got = chosen(holds, a, b)
    assert got.dtype == a.dtype and got.tobytes() == np.where(holds, a, b).tobytes()
    turned = chosen(holds.T, a.T, b.T)
    assert turned.shape == (5000, 3) and np.ascontiguousarray(turned.T).tobytes() == got.tobytes()
    row = chosen(holds[0], a, b)
    assert row.tobytes() == np.where(holds[0], a, b).tobytes()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.uint64, np.int8])
def test_distinct_integers(dtype: type) -> None:
    limits = np.iinfo(dtype)
    for x in (
        DRAW.integers(max(limits.min, -50), 100, 3000).astype(dtype),
        np.array([limits.max, limits.max - 1, limits.max], dtype),
        np.array([limits.min, limits.min + 3, limits.min], dtype),
        np.array([limits.min, limits.max, 0, limits.max], dtype),
    ):
        values, index, counts = unique_with_counts(x, out_idx=datatypes.int64)
        assert values.tolist() == list(dict.fromkeys(x.tolist()))
        np.testing.assert_array_equal(values[index], x)
        assert counts.tolist() == [x.tolist().count(v) for v in values.tolist()]


@pytest.mark.parametrize("high", [5, 2**20, 2**40, 2**62])
def test_rows_are_sorted_stably(high: int) -> None:
    rows = DRAW.integers(-high, high, (500, 3))
    rows[250:] = rows[:250]
    order = row_order(rows)
    assert order.tolist() == sorted(range(500), key=lambda i: (rows[i].tolist(), i))
    distinct, first, second = merged(rows[:300], rows[300:])
    assert distinct.tolist() == sorted(map(list, {tuple(r) for r in rows.tolist()}))
    np.testing.assert_array_equal(distinct[np.concatenate([first, second])], rows)


def test_relu_forms() -> None:
    x = DRAW.standard_normal(300_000).astype(np.float32)
    x[:4] = np.nan, np.inf, -np.inf, -0.0
    dy = DRAW.standard_normal(300_000).astype(np.float32)
    dy[5:8] = np.inf
    with np.errstate(all="ignore"):
        want = dy * (x > 0).astype(np.float32)
        np.testing.assert_array_equal(relu_gradient(dy.reshape(3, -1), x.reshape(3, -1)).ravel(), want)
        for alpha in (0.0, 0.2, -1.5, 3.0, float("inf")):
            want = np.where(x > 0, x, x * np.float32(alpha))
            np.testing.assert_array_equal(leaky_relu(x, alpha=alpha), want)


@pytest.mark.parametrize("resize", [resize_bilinear, resize_bicubic])
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_images_are_resized_one_by_one(resize: object, dtype: type) -> None:
    images = DRAW.integers(0, 255, (3, 90, 70, 3)).astype(dtype)
    size = np.array([150, 140], np.int32)
    at_once = resize(images, size, align_corners=False, half_pixel_centers=True)  # type: ignore[operator]
    for i, image in enumerate(images):
        alone = resize(image[None], size, align_corners=False, half_pixel_centers=True)  # type: ignore[operator]
        np.testing.assert_array_equal(at_once[i], alone[0])
    # The same image, each channel by itself.
    for c in range(3):
        alone = resize(images[..., c : c + 1], size, align_corners=False, half_pixel_centers=True)  # type: ignore[operator]
        np.testing.assert_array_equal(at_once[..., c : c + 1], alone)
