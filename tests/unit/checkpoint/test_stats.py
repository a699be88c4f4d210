"""Statistics of tensors, streamed, are those that numpy gives for the whole."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors
from icefloe.checkpoint.checking import stats as module
from icefloe.checkpoint.slices import parse_spec
from icefloe.checkpoint.writer import BundleWriter

RNG = np.random.default_rng(3)


def of(tmp_path, value, **options):
    icefloe.save_checkpoint(tmp_path / "m", {"x": value})
    (found,) = ckpt.stats(tmp_path / "m", **options).tensors
    return found


def expect(found, values, *, zeros=None):
    """Hold statistics against numpy's of `values`, numbers in float64."""
    finite = values[np.isfinite(values)]
    assert (found.min, found.max) == (finite.min(), finite.max())
    assert found.mean == pytest.approx(finite.mean(), rel=1e-12, abs=1e-300)
    assert found.std == pytest.approx(finite.std(), rel=1e-12)
    assert found.nan == np.isnan(values).sum()
    assert found.inf == np.isinf(values).sum()
    assert found.zeros == ((values == 0).sum() if zeros is None else zeros)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_floats(tmp_path, dtype):
    values = RNG.standard_normal(3000) * 3
    values[[5, 50]] = 0
    values[[1, 2]] = np.nan
    if dtype != "float8_e4m3fn":  # which has no infinity
        values[[3, 4, 6]] = [np.inf, -np.inf, np.inf]
    stored = values.astype(getattr(ml_dtypes, dtype, None) or dtype).reshape(30, 100)
    found = of(tmp_path, stored)
    expect(found, stored.astype(np.float64).reshape(-1))
    assert (found.dtype, found.shape, found.elements) == (dtype, (30, 100), 3000)
    assert found.bytes == stored.nbytes


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_are_exact(tmp_path, dtype):
    limits = np.iinfo(dtype)
    values = np.array([limits.min, limits.max, 0, 1, 1], dtype)
    found = of(tmp_path, values)
    assert (found.min, found.max) == (limits.min, limits.max)
    assert isinstance(found.min, int)
    assert found.zeros == (values == 0).sum()
    assert found.mean == pytest.approx(values.astype(np.float64).mean())


def test_other_types(tmp_path):
    found = of(tmp_path, np.array([True, False, True, True]))
    assert (found.min, found.max, found.mean, found.zeros) == (0, 1, 0.75, 1)
    found = of(tmp_path, np.array([3 + 4j, 0, -5], np.complex64))
    assert (found.min, found.max, found.zeros) == (0, 5, 1)
    found = of(tmp_path, np.array([-8, 7, 0], ml_dtypes.int4))
    assert (found.min, found.max, found.zeros) == (-8, 7, 1)
    found = of(tmp_path, np.array([b"four", b"", b"seven!!"], object))
    assert (found.min, found.max, found.mean, found.zeros) == (0, 7, 11 / 3, 1)
    found = of(tmp_path, np.zeros((0, 4), np.float32))
    assert (found.min, found.max, found.mean, found.std, found.elements) == (None, None, None, None, 0)
    found = of(tmp_path, np.full(5, np.nan))
    assert (found.min, found.nan) == (None, 5)
    quantized = np.array([-3, 4], np.int8).view(icefloe.qint8.as_numpy_dtype)
    assert (of(tmp_path, quantized).min, of(tmp_path, quantized).max) == (-3, 4)


def test_many_pieces_joined(tmp_path, monkeypatch):
    """A mean far from zero with little spread, in pieces of a few elements: nothing is lost in the sums."""
    values = 1e8 + RNG.standard_normal(10_007)
    whole = of(tmp_path, values)
    monkeypatch.setattr(module, "_PIECE", 97)
    pieces = of(tmp_path, values)
    assert pieces.std == pytest.approx(values.std(), rel=1e-9)
    assert pieces.mean == pytest.approx(whole.mean, rel=1e-15)
    assert (pieces.min, pieces.max) == (values.min(), values.max())


def test_half_precision_does_not_overflow(tmp_path):
    values = np.full(100_000, 60000, np.float16)
    found = of(tmp_path, values)
    assert (found.mean, found.std) == (60000, 0)


def test_histogram(tmp_path):
    values = RNG.standard_normal(5000).astype(np.float32)
    values[:3] = [np.nan, np.inf, -np.inf]
    found = of(tmp_path, values, bins=11)
    finite = values[np.isfinite(values)].astype(np.float64)
    counts, edges = np.histogram(finite, 11)
    assert found.histogram == counts.tolist()
    np.testing.assert_allclose(found.edges, edges)
    assert sum(found.histogram) == 4997
    assert of(tmp_path, np.float32([2, 2]), bins=4).histogram == [0, 0, 2, 0]
    assert of(tmp_path, np.array([1e308, -1e308]), bins=4).histogram == []  # wider than a float64
    assert of(tmp_path, values).histogram == []


def test_sliced_and_old_tensors(tmp_path):
    values = RNG.standard_normal((4, 6)).astype(np.float32)
    with BundleWriter(tmp_path / "p") as writer:
        for spec in ("4 6 0,4:0,2", "4 6 0,4:2,4"):
            full, part = parse_spec(spec)
            writer.add_slice("x", full, part, values[part.index(full)])
    (found,) = ckpt.stats(tmp_path / "p").tensors
    expect(found, values.astype(np.float64).reshape(-1))


def test_patterns_sort_and_damage(tmp_path):
    prefix = tmp_path / "m"
    icefloe.save_checkpoint(
        prefix, {"a/w": np.float32([1, 9]), "a/b": np.float32([-5]), "c": np.float64([2, 2]), "d": np.float32([np.nan])}
    )
    names = lambda **options: [t.name for t in ckpt.stats(prefix, **options).tensors]  # noqa: E731
    assert names() == ["a/b", "a/w", "c", "d"]
    assert names(sort="max") == ["a/w", "c", "a/b", "d"]
    assert names(sort="min") == ["a/b", "a/w", "c", "d"]
    assert names(sort="nan")[0] == "d"
    assert names(sort="size")[0] == "c"
    assert names(patterns=["a/*", "c"]) == ["a/b", "a/w", "c"]
    with pytest.raises(errors.NotFoundError, match="a/w"):
        names(patterns=["a/ww"])
    for options in ({"sort": "colour"}, {"bins": -1}, {"bins": 10**6}):
        with pytest.raises(errors.InvalidArgumentError):
            ckpt.stats(prefix, **options)
    data = tmp_path / "m.data-00000-of-00001"
    raw = bytearray(data.read_bytes())
    raw[icefloe.open_checkpoint(prefix).entries["c"].offset] ^= 1
    data.write_bytes(raw)
    found = ckpt.stats(prefix)
    assert [t.name for t in found.errors] == ["c"]
    assert "Checksum does not match" in found.errors[0].error
    assert found.nan == 1


def test_numbers_of_a_checkpoint_of_tensorflow(savers):
    """The value that TensorFlow fetched beside what it saved."""
    expected = int(np.load(savers / "plain" / "expected.npz")["step:0"])
    (found,) = ckpt.stats(savers / "plain", ["step"]).tensors
    assert (found.min, found.max, found.mean, found.dtype) == (expected, expected, expected, "int64")
