"""The edits of checkpoints beyond what TensorFlow's files show: rules, reports, refusals."""

import json

import ml_dtypes
import numpy as np
import pytest

from icefloe import ckpt, errors, open_checkpoint, save_checkpoint


def values(prefix):
    with open_checkpoint(prefix) as reader:
        return {name: reader[name] for name in reader}


@pytest.fixture
def save(tmp_path):
    def write(name="m", shards=1, **content):
        save_checkpoint(tmp_path / name, {k.replace("__", "/"): v for k, v in content.items()}, shards=shards)
        return tmp_path / name

    return write


F = np.float32


# cast


def test_cast_counts_what_is_lost(save):
    x = np.array([1, 1e6, -1e6, 1e-9, 0, np.inf, np.nan, 1 + 2**-13], F)
    prefix = save(x=x, y=F([0.5, 2]), i=np.int32([1, 70000]), s=np.array([b"a"], object), b=np.array([True]))
    report = ckpt.cast(prefix, dtype="float16")
    loss = report.cast["x"]
    assert (loss.overflow, loss.underflow, loss.rounded, loss.elements) == (2, 1, 1, 8)
    assert loss.max_error == pytest.approx(2**-13, rel=0.01)
    assert report.cast.keys() == {"x", "y"}
    assert report.cast["y"].rounded == report.cast["y"].overflow == 0
    got = values(prefix)
    with np.errstate(over="ignore"):
        assert got["x"].tobytes() == x.astype(np.float16).tobytes()
    assert got["i"].dtype == np.int32
    back = ckpt.cast(prefix, dtype="float64")
    assert not back.rounded


@pytest.mark.parametrize("target", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float16", "float64"])
@pytest.mark.parametrize("source", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_cast_is_that_of_numpy(source, target, save):
    rng = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        x = (rng.standard_normal(70001) * 10.0 ** rng.integers(-9, 9, 70001)).astype(source)
    prefix = save(x=x)
    report = ckpt.cast(prefix, dtype=target)
    to = values(prefix)["x"].dtype
    with np.errstate(all="ignore"):
        expected = x.astype(to)
        assert values(prefix)["x"].tobytes() == expected.tobytes()
        if source == to:
            assert not report.cast
            return
        wide, back = x.astype(np.float64), expected.astype(np.float64)
        finite = np.isfinite(wide)
        over, under = finite & ~np.isfinite(back), finite & (wide != 0) & (back == 0)
        loss = report.cast["x"]
        assert (loss.overflow, loss.underflow) == (over.sum(), under.sum())
        assert loss.rounded == (finite & ~over & ~under & (wide != back)).sum()
        if loss.rounded:
            changed = finite & ~over & ~under
            error = np.fmax.reduce(np.abs(back - wide)[changed] / np.abs(wide)[changed])
            assert loss.max_error == pytest.approx(error, rel=1e-3)


def test_the_fast_and_the_slow_count_agree(save):
    x = np.random.default_rng(0).standard_normal(5000).astype(F)
    fast = ckpt.cast(save(x=x), dtype="bfloat16", dry_run=True).cast["x"]
    slow = ckpt.cast(save(x=np.append(x, F(np.nan))), dtype="bfloat16", dry_run=True).cast["x"]
    assert (fast.rounded, fast.overflow, fast.underflow) == (slow.rounded, slow.overflow, slow.underflow)
    assert fast.max_error == pytest.approx(slow.max_error, rel=1e-6)


def test_cast_of_integers_on_request(save):
    prefix = save(i=np.int64([1, 300, -1]), x=F([1.9, -1.9, 1e10, np.nan]))
    assert not ckpt.cast(prefix, dtype="int8", dry_run=True).cast
    report = ckpt.cast(prefix, dtype="int8", ints=True, saturate=True)
    assert (report.cast["i"].overflow, report.cast["x"].overflow) == (1, 2)
    assert values(prefix)["i"].tolist() == [1, 127, -1]
    assert values(prefix)["x"].tolist()[:3] == [1, -1, 127]
    assert ckpt.cast(prefix, dtype="float32", only="i", ints=True).cast.keys() == {"i"}


def test_cast_chooses(save):
    prefix = save(**{"a:0": F([1]), "bn/x": F([1]), "d": np.float64([1])})
    report = ckpt.cast(prefix, dtype="half", skip="re:^bn", source_dtypes=["float32"], dry_run=True)
    assert report.cast.keys() == {"a:0"}
    assert ckpt.cast(prefix, dtype="half", only=["a:0", "zz"], dry_run=True).unmatched == ["zz"]
    with pytest.raises(errors.InvalidArgumentError, match="no type of numbers"):
        ckpt.cast(prefix, dtype="string")
    with pytest.raises(errors.InvalidArgumentError):
        ckpt.cast(prefix, dtype="flaot16")


# average


def test_average_keeps_dtypes(save, tmp_path):
    """Case 56."""
    kinds = [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, np.complex64]
    one = {f"x{i}": np.array([1, 2, 5], k) for i, k in enumerate(kinds)} | {
        "step": np.int64(10),
        "s": np.array([b"a"], object),
    }
    two = {f"x{i}": np.array([2, 2, 8], k) for i, k in enumerate(kinds)} | {
        "step": np.int64(20),
        "s": np.array([b"b"], object),
    }
    report = ckpt.average(tmp_path / "avg", [save(name="one", **one), save(name="two", **two)])
    got = values(tmp_path / "avg")
    for i, kind in enumerate(kinds):
        assert got[f"x{i}"].dtype == kind
        assert got[f"x{i}"].tolist() == [1.5, 2, 6.5]
    assert got["step"] == 20
    assert got["step"].dtype == np.int64
    assert got["s"].tolist() == [b"b"]
    assert sorted(report.from_last) == ["s", "step"]


def test_average_is_made_in_float64(save, tmp_path):
    parts = [save(name=f"m{i}", x=F([1 + 2.0**-23 * i, 1e8])) for i in range(3)]
    ckpt.average(tmp_path / "avg", parts, weights=[1, 2, 3])
    expected = sum(w * values(p)["x"].astype(np.float64) for p, w in zip(parts, [1, 2, 3])) / 6
    assert values(tmp_path / "avg")["x"].tolist() == expected.astype(F).tolist()


def test_average_of_differing_checkpoints(save, tmp_path):
    a, b = save(name="a", x=F([1]), y=F([1])), save(name="b", x=F([3]), z=F([1]))
    with pytest.raises(errors.InvalidArgumentError, match="2 tensors are not in all checkpoints: y, z"):
        ckpt.average(tmp_path / "o", [a, b])
    assert ckpt.average(tmp_path / "o", [a, b], common=True).left_out == ["y", "z"]
    assert {k: v.tolist() for k, v in values(tmp_path / "o").items()} == {"x": [2]}
    with pytest.raises(errors.InvalidArgumentError, match=r"x: float32 \[1\] and float64 \[1\]"):
        ckpt.average(tmp_path / "o", [a, save(name="c", x=np.float64([1]))], common=True)
    with pytest.raises(errors.InvalidArgumentError, match="1 weights for 2"):
        ckpt.average(tmp_path / "o", [a, a], weights=[1])
    with pytest.raises(errors.InvalidArgumentError, match="weights"):
        ckpt.average(tmp_path / "o", [a, a], weights=[1, -1])
    with pytest.raises(errors.InvalidArgumentError):
        ckpt.average(tmp_path / "o", [])


def test_average_of_differently_sliced_tensors(save, tmp_path):
    full = np.arange(12, dtype=F).reshape(6, 2)
    ckpt.reshard(save(name="a", x=full), tmp_path / "b", partition={"x": 4})
    ckpt.reshard(save(name="c", x=full + 1), tmp_path / "c", partition={"x": (2, 1)})
    ckpt.average(tmp_path / "o", [tmp_path / "b", tmp_path / "a", tmp_path / "c"], weights=[1, 1, 2])
    assert values(tmp_path / "o")["x"].tolist() == (full + 0.5).tolist()


# merge


def test_merge_takes_scopes_or_refuses(save, tmp_path):
    a, b = save(name="a", w=F([1]), x=F([2])), save(name="b", shards=2, w=F([3]), y=F([4]))
    with pytest.raises(errors.InvalidArgumentError, match="w in .*a and .*b"):
        ckpt.merge(tmp_path / "o", [a, b])
    report = ckpt.merge(tmp_path / "o", [a, b], prefer="last")
    assert {k: v.tolist() for k, v in values(tmp_path / "o").items()} == {"w": [3], "x": [2], "y": [4]}
    assert report.dropped == {"w": [str(a)]}
    ckpt.merge(tmp_path / "o", [a, b], prefer="first", shards=1)
    assert values(tmp_path / "o")["w"].tolist() == [1]
    report = ckpt.merge(tmp_path / "o", [(a, "s/"), (a, "t"), b])
    assert list(values(tmp_path / "o")) == ["s/w", "s/x", "t/w", "t/x", "w", "y"]
    assert report.names["t/x"] == (str(a), "x")


# set


def test_set_values(save, tmp_path):
    prefix = save(w=np.zeros((2, 2), np.float16), i=np.int64(3), s=np.array([b"x", b"y"], object), **{"c:0": F([1])})
    report = ckpt.set(prefix, {"w": [[1, 2], [3, 4]], "i": 7, "s": "all", "c:0": 0.5, "new/n": np.int8([1, 2])})
    assert (report.changed, report.added) == (["w", "i", "s", "c:0"], ["new/n"])
    got = values(prefix)
    assert got["w"].dtype == np.float16
    assert got["w"].tolist() == [[1, 2], [3, 4]]
    assert got["i"].dtype == np.int64
    assert got["s"].tolist() == [b"all", b"all"]
    assert got["c:0"].tolist() == [0.5]
    assert got["new/n"].dtype == np.int8


@pytest.mark.parametrize(
    "value, match",
    [
        ({"w": [1, 2, 3]}, r"expected shape \[2,2\]|expected shape \[2, 2\]"),
        ({"w": "text"}, "expected float16, got string"),
        ({"i": 1.5}, "float64 values are not int64"),
        ({"i": float("nan")}, "not int64"),
        ({"b": 300}, "out of the range of int8"),
        ({"w": object()}, "cannot hold"),
    ],
)
def test_set_refuses(value, match, save):
    prefix = save(w=np.zeros((2, 2), np.float16), i=np.int64(3), b=np.int8(0))
    with pytest.raises(errors.InvalidArgumentError, match=match):
        ckpt.set(prefix, value)


def test_set_only_existing(save):
    prefix = save(**{"w:0": F([1])})
    with pytest.raises(errors.NotFoundError, match="w:0"):
        ckpt.set(prefix, {"w": 1}, only_existing=True)
    assert ckpt.set(prefix, {"w:0": [[1, 2]]}, reshape=True).changed == ["w:0"]
    assert values(prefix)["w:0"].tolist() == [[1, 2]]
    ckpt.set(prefix, {"n": 1}, dtype="bfloat16")
    assert values(prefix)["n"].dtype == ml_dtypes.bfloat16


def test_values_from_texts_and_files(save, tmp_path):
    prefix = save(**{"a:0": F([3])})
    np.save(tmp_path / "x.npy", np.arange(3))
    np.savez(tmp_path / "x.npz", **{"a/b": np.ones(2)})
    assert ckpt.read_value("0.5") == 0.5
    assert ckpt.read_value("[1, [2]]") == [1, [2]]
    assert ckpt.read_value("some text") == "some text"
    assert np.isnan(ckpt.read_value("nan"))
    assert ckpt.read_value(f"@{tmp_path}/x.npy").tolist() == [0, 1, 2]
    assert ckpt.read_value(f"@{tmp_path}/x.npz:a/b").tolist() == [1, 1]
    assert ckpt.read_value(f"@{prefix}:a:0").tolist() == [3]
    for text in ("@none.npy", f"@{tmp_path}/x.npz:zz", f"@{prefix}:zz"):
        with pytest.raises(errors.NotFoundError):
            ckpt.read_value(text)
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00\xff")
    np.save(tmp_path / "pickle.npy", np.array([{}], object), allow_pickle=True)
    for text in (f"@{tmp_path}/bad.npy", f"@{tmp_path}/pickle.npy", "null", "{}", "@what"):
        with pytest.raises(errors.InvalidArgumentError):
            ckpt.read_value(text)


# resize


def test_resize_grows_all_parts_and_slots(save):
    """Case 60: a table in 16 tensors, each with two slots."""
    table = np.arange(16 * 3 * 2, dtype=F).reshape(48, 2)
    content = {}
    for i in range(16):
        content[f"emb/weights_{i}"] = table[3 * i : 3 * i + 3]
        content[f"emb/weights_{i}/Adam"] = table[3 * i : 3 * i + 3] + 100
        content[f"emb/weights_{i}/Adam_1"] = table[3 * i : 3 * i + 3] + 200
    prefix = save(shards=4, **content, other=F([1]))
    report = ckpt.resize(prefix, {"emb/weights_*": 53}, as_one=True, init="mean")
    got = values(prefix)
    assert len(report.resized) == 48
    assert [len(got[f"emb/weights_{i}"]) for i in range(16)] == [4] * 5 + [3] * 11
    for suffix, shift in (("", 0), ("/Adam", 100), ("/Adam_1", 200)):
        whole = np.concatenate([got[f"emb/weights_{i}{suffix}"] for i in range(16)])
        assert np.array_equal(whole[:48], table + shift)
        assert np.array_equal(whole[48:], np.tile(table.mean(axis=0) if not suffix else [0, 0], (5, 1)))
    ckpt.resize(prefix, {"emb/weights_*": 48}, as_one=True)
    assert all(np.array_equal(values(prefix)[n], content[n]) for n in content)
    ckpt.resize(prefix, {"emb/weights_*": 5})  # each of them
    assert all(len(v) == 5 for n, v in values(prefix).items() if n != "other")


def test_new_rows(save, tmp_path):
    x = np.random.default_rng(3).standard_normal((50, 3)).astype(F) * F([1, 10, 0]) + F([0, 5, 7])
    prefix = save(x=x)

    def new(init, rows=80):
        ckpt.resize(prefix, {"x": rows}, tmp_path / "o", init=init)
        got = values(tmp_path / "o")["x"]
        assert np.array_equal(got[:50], x[: min(50, rows)])
        return got[50:]

    assert not new("zeros").any()
    assert np.allclose(new("mean"), x.mean(axis=0), rtol=1e-5)
    assert np.array_equal(new("copy"), x[:30])
    assert np.array_equal(new("copy", 170)[100:], x[:20])
    assert np.array_equal(new("copy:7"), np.tile(x[7], (30, 1)))
    drawn = new("normal:1", 5050)
    assert np.allclose(drawn.mean(axis=0), x.mean(axis=0), atol=0.6)
    assert np.allclose(drawn.std(axis=0), x.std(axis=0), rtol=0.1)
    assert np.array_equal(new("normal:1"), drawn[:30])
    assert not np.array_equal(new("normal:2"), drawn[:30])
    ckpt.reshard(prefix, tmp_path / "cut", partition={"x": 3})
    ckpt.resize(tmp_path / "cut", {"x": 80}, init="normal:1")  # the same, however it is cut
    assert np.array_equal(values(tmp_path / "cut")["x"][50:], drawn[:30])
    assert len(new("zeros", 20)) == 0


def test_resize_along_other_axes_and_slices(save, tmp_path):
    x = np.arange(24, dtype=F).reshape(2, 3, 4)
    prefix = save(x=x, s=np.array([b"a", b"b"], object), **{"h/Adagrad": F([2, 4]), "h": F([1, 2])})
    ckpt.resize(
        prefix,
        {
            "x": 5,
        },
        axis=-1,
        init="copy",
    )
    assert np.array_equal(values(prefix)["x"], np.concatenate([x, x[:, :, :1]], axis=2))
    ckpt.resize(prefix, {"s": 3})
    assert values(prefix)["s"].tolist() == [b"a", b"b", b""]
    report = ckpt.resize(prefix, {"h": 3})
    assert values(prefix)["h/Adagrad"].tolist() == [2, 4, 3]  # a zero would be divided by
    assert report.slots == ["h/Adagrad"]
    ckpt.reshard(prefix, partition={"x": (2, 1)})
    ckpt.resize(prefix, {"x": 3}, init="zeros")
    with open_checkpoint(prefix) as reader:
        assert [str(s) for s in reader.entries["x"].slices] == ["0,3:0,2:0,5", "0,3:2,1:0,5"]
        assert np.array_equal(reader["x"][:2, :, :4], x)
        assert not reader["x"][2].any()


def test_resize_refuses(save):
    prefix = save(x=F([1]), n=F(1), s=np.array([b"a"], object))
    for rows, options, error in [
        ({"y": 2}, {}, errors.NotFoundError),
        ({"n": 2}, {}, errors.InvalidArgumentError),
        ({"x": -1}, {}, errors.InvalidArgumentError),
        ({"x": 2}, {"axis": 1}, errors.InvalidArgumentError),
        ({"x": 2}, {"init": "what"}, errors.InvalidArgumentError),
        ({"x": 2}, {"init": "copy:9"}, errors.InvalidArgumentError),
        ({"s": 2}, {"init": "mean"}, errors.InvalidArgumentError),
        ({"x": 2, "re:^x": 3}, {}, errors.InvalidArgumentError),
        ({"*": 2}, {"as_one": True}, errors.InvalidArgumentError),
    ]:
        with pytest.raises(error):
            ckpt.resize(prefix, rows, **options)


# reshard


@pytest.mark.parametrize("shards", [1, 2, 7, 20])
def test_reshard_spreads_bytes(shards, save, tmp_path):
    content = {f"v{i:02d}": np.full(100 * (i + 1), i, F) for i in range(16)}
    prefix = save(shards=3, **content)
    report = ckpt.reshard(prefix, shards=shards)
    sizes = [p.stat().st_size for p in sorted(tmp_path.glob("m.data*"))]
    assert len(sizes) == report.shards == shards
    assert report.computed == 0
    if shards < 8:
        assert max(sizes) <= sum(sizes) / shards + 4 * 1600
    assert all(np.array_equal(values(prefix)[n], v) for n, v in content.items())


def test_reshard_by_size(save, tmp_path):
    prefix = save(a=np.zeros(100, F), b=np.zeros(50, F), c=np.zeros(50, F), d=np.zeros(300, F), e=F(1))
    assert ckpt.reshard(prefix, max_shard_bytes=400).shards == 4
    assert [p.stat().st_size for p in sorted(tmp_path.glob("m.data*"))] == [400, 400, 1200, 4]
    with pytest.raises(errors.InvalidArgumentError):
        ckpt.reshard(prefix, max_shard_bytes=400, shards=2)
    with pytest.raises(errors.InvalidArgumentError):
        ckpt.reshard(prefix, shards=0)
    for partition in ({"a": 101}, {"a": (2, 1)}, {"e": 2}, {"a": 0}):
        with pytest.raises(errors.InvalidArgumentError):
            ckpt.reshard(prefix, partition=partition)
    with pytest.raises(errors.NotFoundError):
        ckpt.reshard(prefix, partition={"zz": 2})


@pytest.mark.parametrize("dtype", [F, np.float16, ml_dtypes.bfloat16, np.int64, np.bool_, object])
def test_repartition(dtype, save, tmp_path):
    x = (np.arange(35).reshape(7, 5) % 3).astype(dtype) if dtype is not object else np.array([[b"a", b"b"]] * 7, object)
    prefix = save(x=x, y=F([1, 2]))
    for cut in ((3, 0), (2, 1), (7, 0), (1, 0)):
        ckpt.reshard(prefix, partition={"x": cut})
        with open_checkpoint(prefix) as reader:
            assert len(reader.entries["x"].slices) == (cut[0] if cut[0] > 1 else 0)
            assert reader["x"].tolist() == x.tolist()
    assert ckpt.reshard(prefix, unpartition="*").unpartitioned == []


# extract


def test_extract_to_npz(save, tmp_path):
    content = {"a/b:0": np.arange(3), "h": np.array([1.5, 2], ml_dtypes.bfloat16), "n": F(3), "e": np.zeros((0, 2), F)}
    prefix = save(**content, s=np.array([b"x"], object))
    with pytest.raises(errors.InvalidArgumentError, match="cannot hold strings: s"):
        ckpt.extract(prefix, tmp_path / "x.npz", "*")
    report = ckpt.extract(prefix, tmp_path / "x.npz", "*", skip="s")
    assert report.format == "npz"
    with np.load(tmp_path / "x.npz") as arrays:
        assert arrays["a/b:0"].tolist() == [0, 1, 2]
        assert arrays["h!dtype"] == b"bfloat16"
        assert arrays["h"].view(ml_dtypes.bfloat16).tolist() == [1.5, 2]
        assert arrays["n"] == 3
        assert arrays["e"].shape == (0, 2)
    with open_checkpoint(tmp_path / "x.npz") as reader:
        assert {name: reader[name].tolist() for name in reader} == {n: v.tolist() for n, v in content.items()}
        assert reader["h"].dtype == ml_dtypes.bfloat16
    ckpt.set(prefix, {"h": ckpt.read_value(f"@{tmp_path}/x.npz:h")})
    assert values(prefix)["h"].tolist() == [1.5, 2]


def test_extract_names_what_it_does_not_find(save, tmp_path):
    prefix = save(**{"w:0": F([1]), "x": F([1])}, shards=2)
    with pytest.raises(errors.NotFoundError, match="w:0"):  # case 28: near names, the colon counts
        ckpt.extract(prefix, tmp_path / "o", "w")
    ckpt.extract(prefix, tmp_path / "o", "w:0")
    assert list(values(tmp_path / "o")) == ["w:0"]
    assert sorted(p.name for p in tmp_path.glob("o.*")) == ["o.data-00000-of-00001", "o.index"]
    with pytest.raises(errors.InvalidArgumentError, match="regular expression"):
        ckpt.extract(prefix, tmp_path / "o", "re:(")


def test_an_npz_refuses_names_that_it_would_change(tmp_path):
    for name in (b"a\xff", b"a\0b"):
        save_checkpoint(tmp_path / "m", {name.decode(errors="surrogateescape"): F(1)})
        with pytest.raises(errors.InvalidArgumentError, match="of the name"):
            ckpt.extract(tmp_path / "m", tmp_path / "x.npz", "*")
        assert ckpt.rename(tmp_path / "m", prefix="p/").renamed


def test_what_cannot_fit_is_not_begun(save, tmp_path):
    prefix = save(x=F([1]))
    with pytest.raises(errors.ResourceExhaustedError, match="No space left.*bytes to write"):
        ckpt.resize(prefix, {"x": 1 << 60}, tmp_path / "new" / "n")
    assert not (tmp_path / "new").exists()
    with pytest.raises(errors.InvalidArgumentError, match="rows"):
        ckpt.resize(prefix, {"x": 1 << 63})


def test_progress_and_reports_are_plain_data(save):
    seen = []
    prefix = save(x=np.zeros(3 << 20, F), y=F([1]))
    report = ckpt.rename(prefix, prefix="p/", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (report.bytes, report.bytes) == (12 * 2**20 + 4, 12 * 2**20 + 4)
    assert seen == sorted(seen)
    assert json.loads(json.dumps(report.as_data()))["renamed"] == {"x": "p/x", "y": "p/y"}
