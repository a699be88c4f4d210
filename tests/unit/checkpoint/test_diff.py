"""Differences of checkpoints of any format, sharding and partitioning."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors
from icefloe.checkpoint.checking import comparing
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.slices import parse_spec
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.checkpoint.writer import BundleWriter

RNG = np.random.default_rng(4)
X = RNG.standard_normal((40, 30)).astype(np.float32)


def pair(tmp_path, a, b, **options):
    """Return the one difference of checkpoints that hold `a` and `b` as tensor x."""
    icefloe.save_checkpoint(tmp_path / "a", {"x": a})
    icefloe.save_checkpoint(tmp_path / "b", {"x": b})
    (found,) = ckpt.diff(tmp_path / "a", tmp_path / "b", **options).tensors
    return found


def test_every_kind(tmp_path):
    y = X.copy()
    y[3, 4] += 2
    icefloe.save_checkpoint(tmp_path / "a", {"same": X, "x": X, "shape": X, "type": X, "old": X, "s": np.array(b"one")})
    icefloe.save_checkpoint(
        tmp_path / "b",
        {"same": X, "x": y, "shape": X.reshape(30, 40), "type": X.astype("f8"), "new": X, "s": np.array(b"two")},
        shards=3,
    )
    found = ckpt.diff(tmp_path / "a", tmp_path / "b")
    kinds = {t.label: t.status for t in found.tensors}
    assert kinds == {
        "same": "equal",
        "x": "changed",
        "shape": "reshaped",
        "type": "retyped",
        "old": "removed",
        "new": "added",
        "s": "changed",
    }
    assert not found.is_equal
    assert found.by_checksum == 1
    (x,) = [t for t in found.tensors if t.name == "x"]
    assert x.changed == 1
    assert x.max_abs == pytest.approx(2, rel=1e-6)
    delta = y.astype("f8") - X
    assert x.relative_norm == pytest.approx(np.linalg.norm(delta) / np.linalg.norm(X.astype("f8")), rel=1e-9)
    (retyped,) = found.of("retyped")
    assert (retyped.max_abs, retyped.changed, retyped.other_dtype) == (0, 0, "float64")
    (text,) = [t for t in found.tensors if t.name == "s"]
    assert (text.changed, text.max_abs) == (1, None)


def test_equal_checksums_are_not_read(tmp_path, monkeypatch):
    """So that equal checkpoints of any size take no longer than their indexes."""
    icefloe.save_checkpoint(tmp_path / "a", {"x": X, "s": np.array([b"a", b"bc"], object)})
    icefloe.save_checkpoint(tmp_path / "b", icefloe.open_checkpoint(tmp_path / "a"), shards=2)
    read = []
    monkeypatch.setattr(BundleReader, "stream", lambda self, name: read.append(name))
    found = ckpt.diff(tmp_path / "a", tmp_path / "b")
    assert found.is_equal
    assert found.by_checksum == 2
    assert not read


@pytest.mark.parametrize("specs", [("40 30 0,25:-", "40 30 25,15:-"), ("40 30 -:0,7", "40 30 -:7,23")])
def test_partitioning_does_not_matter(tmp_path, specs):
    with BundleWriter(tmp_path / "p", shards=2) as writer:
        for spec in reversed(specs):
            full, part = parse_spec(spec)
            writer.add_slice("x", full, part, X[part.index(full)])
    icefloe.save_checkpoint(tmp_path / "w", {"x": X})
    rows = "-:" not in specs[0]
    found = ckpt.diff(tmp_path / "p", tmp_path / "w")
    assert found.is_equal
    assert found.by_checksum == rows  # along rows, the checksums of the slices give that of the whole
    assert ckpt.diff(tmp_path / "w", tmp_path / "p", compare_bytes=True).is_equal
    icefloe.save_checkpoint(tmp_path / "w", {"x": X * 2})
    assert ckpt.diff(tmp_path / "p", tmp_path / "w").of("changed")[0].changed == X.size


def test_formats(tmp_path):
    content = {"x": X, "step": np.int64(7), "s": np.array([b"a", b""], object), "flag": np.array(True)}
    icefloe.save_checkpoint(tmp_path / "v2", content)
    writer = V1Writer(tmp_path / "v1")
    for name, value in content.items():
        writer.add(name, value)
    writer.finish()
    np.savez(tmp_path / "n.npz", **{k: v for k, v in content.items() if k != "s"})
    assert ckpt.diff(tmp_path / "v2", tmp_path / "v1").is_equal
    assert ckpt.diff(tmp_path / "v1", tmp_path / "v2").is_equal
    found = ckpt.diff(tmp_path / "v1", tmp_path / "n.npz")
    assert [t.label for t in found.differing] == ["s"]
    assert ckpt.diff(tmp_path / "n.npz", tmp_path / "v2", ["x", "step", "flag"]).is_equal


def test_tensorflows_old_and_new_format(savers):
    """The same variables, as TensorFlow wrote them sharded in both formats."""
    found = ckpt.diff(savers / "old_format_sharded", savers / "old_format_sharded")
    assert found.is_equal
    assert len(found.tensors) == 4
    assert ckpt.diff(savers / "sharded", savers / "devices").is_equal == all(
        np.array_equal(icefloe.open_checkpoint(savers / "sharded")[n], v)
        for n, v in icefloe.open_checkpoint(savers / "devices").items()
    )


def test_tolerances(tmp_path):
    a, b = np.float32([1, 100, 0]), np.float32([1.01, 101, 0.001])
    assert pair(tmp_path, a, b).changed == 3
    assert pair(tmp_path, a, b, rtol=0.011).changed == 1
    found = pair(tmp_path, a, b, rtol=0.011, atol=0.002)
    assert (found.status, found.changed) == ("close", 0)
    assert found.max_abs == 1
    assert ckpt.diff(tmp_path / "a", tmp_path / "b", atol=1).is_equal
    for options in ({"rtol": -1}, {"atol": math.nan}):
        with pytest.raises(errors.InvalidArgumentError, match="tolerances"):
            pair(tmp_path, a, b, **options)


def test_nan_and_infinity(tmp_path):
    a, b = np.float32([np.nan, np.nan, np.inf, 1]), np.float32([np.nan, 1, np.inf, 1])
    found = pair(tmp_path, a, b, atol=5)
    assert (found.status, found.changed, found.nan, found.max_abs) == ("changed", 1, 1, 0)
    found = pair(tmp_path, np.float32([np.inf, 1]), np.float32([-np.inf, 1]))
    assert (found.changed, found.max_abs) == (1, math.inf)


def test_values_and_bits(tmp_path):
    found = pair(tmp_path, np.float32([0.0, 1]), np.float32([-0.0, 1]))
    assert found.status == "equal"
    found = pair(tmp_path, np.float32([0.0, 1]), np.float32([-0.0, 1]), compare_bytes=True)
    assert (found.status, found.changed, found.max_abs) == ("changed", 1, 0)


def test_integers_are_exact(tmp_path):
    found = pair(tmp_path, np.int64([2**63 - 1, 2**62]), np.int64([-(2**63), 2**62 + 1]))
    assert (found.changed, found.max_abs) == (2, 2**64 - 1)
    found = pair(tmp_path, np.uint64([2**64 - 1]), np.uint64([0]))
    assert found.max_abs == 2**64 - 1
    found = pair(tmp_path, np.array([1, -8], ml_dtypes.int4), np.array([1, 7], ml_dtypes.int4))
    assert (found.changed, found.max_abs) == (1, 15)
    found = pair(tmp_path, np.array([True, False]), np.array([True, True]))
    assert (found.changed, found.max_abs) == (1, 1)
    found = pair(tmp_path, np.complex64([1 + 1j]), np.complex64([1 - 2j]))
    assert found.max_abs == 3


def test_names_are_mapped(tmp_path):
    icefloe.save_checkpoint(tmp_path / "a", {"old/w": X, "old/b": X[0], "step": X[1]})
    icefloe.save_checkpoint(tmp_path / "b", {"new/w": X, "new/b": X[0] + 1, "step": X[1]})
    found = ckpt.diff(tmp_path / "a", tmp_path / "b", maps=["s,^old/,new/,"])
    assert {t.label: t.status for t in found.tensors} == {
        "old/w -> new/w": "equal",
        "old/b -> new/b": "changed",
        "step": "equal",
    }
    only = ckpt.diff(tmp_path / "a", tmp_path / "b", ["*/w"], maps=["s,^old/,new/,"])
    assert [t.label for t in only.tensors] == ["old/w -> new/w"]
    with pytest.raises(errors.InvalidArgumentError, match="both mapped"):
        ckpt.diff(tmp_path / "a", tmp_path / "b", maps=["s,old/.*,one,"])
    with pytest.raises(errors.NotFoundError):
        ckpt.diff(tmp_path / "a", tmp_path / "b", ["nothing"])


def test_pieces_of_different_sizes(tmp_path, monkeypatch):
    monkeypatch.setattr(comparing, "_PIECE", 7)
    a, b = RNG.standard_normal(1000), RNG.standard_normal(1000)
    cuts = [iter(np.split(a, [3, 500, 501])), iter(np.split(b, [1, 2, 700]))]
    found = comparing.compare(*cuts, icefloe.float64, icefloe.float64, comparing.Tolerance())
    assert found.max_abs == np.abs(b - a).max()
    assert found.relative_norm == pytest.approx(np.linalg.norm(b - a) / np.linalg.norm(a))
    assert found.changed == 1000


def test_damage_is_a_difference(tmp_path):
    icefloe.save_checkpoint(tmp_path / "a", {"x": X, "y": X})
    icefloe.save_checkpoint(tmp_path / "b", {"x": X + 1, "y": X})
    path = tmp_path / "b.data-00000-of-00001"
    raw = bytearray(path.read_bytes())
    raw[10] ^= 1
    path.write_bytes(raw)
    found = ckpt.diff(tmp_path / "a", tmp_path / "b")
    (broken,) = found.differing
    assert broken.status == "unreadable"
    assert "Checksum does not match" in broken.error
