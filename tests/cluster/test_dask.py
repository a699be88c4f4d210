"""Lazy arrays, saving from workers and edits in parts: on threads here, on two worker processes where marked slow."""

from __future__ import annotations

import pickle
import subprocess
import sys

import dask
import dask.array as da
import ml_dtypes
import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint.slices import TensorSlice
from icefloe.checkpoint.writer import BundleWriter

RNG = np.random.default_rng(0)
VALUES = {
    "a/w": RNG.normal(size=(600, 50)).astype(np.float32),
    "a/w/Adam": RNG.normal(size=(600, 50)).astype(np.float32),
    "b/half": RNG.normal(size=(40, 3)).astype(np.float16),
    "b/bf": RNG.normal(size=(7, 8)).astype(ml_dtypes.bfloat16),
    "b/cube": RNG.normal(size=(9, 8, 7)),
    "step": np.int64(3),
    "empty": np.zeros((0, 4), np.int32),
    "text": np.array([b"one", b"two"], object),
}


@pytest.fixture
def prefix(tmp_path):
    save_checkpoint(tmp_path / "m", VALUES, shards=2)
    return tmp_path / "m"


def assert_holds(prefix, values):
    with open_checkpoint(prefix) as reader:
        assert set(reader) == set(values)
        for name, value in values.items():
            found = reader[name]
            assert found.dtype == np.asarray(value).dtype
            np.testing.assert_array_equal(found, value)
    assert ckpt.verify(prefix).ok


def test_all_tensors_lazily(prefix):
    arrays = open_checkpoint(prefix).to_dask()
    assert list(arrays) == sorted(VALUES)
    for name, array in arrays.items():
        value = np.asarray(VALUES[name])
        assert isinstance(array, da.Array) and array.shape == value.shape and array.dtype == value.dtype
        np.testing.assert_array_equal(array.compute(scheduler="sync"), value)


@pytest.mark.parametrize(
    "index",
    [
        np.s_[10:20],
        np.s_[::-1],
        np.s_[5:500:7, 3:9],
        np.s_[3],
        np.s_[..., 4],
        np.s_[[1, 5, 599], :],
        np.s_[600:],
        np.s_[:, None, 2],
    ],
)
@pytest.mark.parametrize("chunks", ["auto", (100, 50), (64, 20)])
def test_slices_of_lazy_arrays(prefix, index, chunks):
    array = open_checkpoint(prefix).to_dask("a/w", chunks)
    np.testing.assert_array_equal(array[index].compute(scheduler="sync"), VALUES["a/w"][index])


def test_boxes_of_a_cube(prefix):
    array = open_checkpoint(prefix).to_dask("b/cube", (4, 3, 2))
    assert array.numblocks == (3, 3, 4)
    np.testing.assert_array_equal(array.compute(scheduler="sync"), VALUES["b/cube"])


def test_chunks_are_whole_rows(prefix):
    with dask.config.set({"array.chunk-size": "20KB"}):
        assert open_checkpoint(prefix).to_dask("a/w").chunks == ((100,) * 6, (50,))
    with dask.config.set({"array.chunk-size": "100B"}):
        assert open_checkpoint(prefix).to_dask("a/w").chunksize == (1, 25)


def test_a_chunk_is_a_range(prefix, monkeypatch):
    from icefloe.checkpoint import files

    reads = []
    real = files.Source.read_into
    monkeypatch.setattr(
        files.Source, "read_into", lambda self, buffer, at: (reads.append(len(buffer)), real(self, buffer, at))[1]
    )
    open_checkpoint(prefix).to_dask("a/w", (100, 50))[250:350].compute(scheduler="sync")
    assert sorted(reads) == [50 * 50 * 4, 50 * 50 * 4]


def test_partitioned_tensors(tmp_path):
    value = np.arange(60, dtype=np.int32).reshape(10, 6)
    with BundleWriter(tmp_path / "p") as writer:
        for start, stop in ((0, 4), (4, 10)):
            chosen = TensorSlice(((start, stop - start), (0, -1)))
            writer.add_slice("w", (10, 6), chosen, value[start:stop])
    array = open_checkpoint(tmp_path / "p").to_dask("w", (3, 4))
    np.testing.assert_array_equal(array.compute(scheduler="sync"), value)


@pytest.mark.parametrize("name", ["x.npz", "x.safetensors", "x.h5", "x.v1"])
def test_other_formats(prefix, tmp_path, name):
    save_checkpoint(prefix, {name: VALUES[name] for name in ("a/w", "b/cube", "text")})
    ckpt.convert(prefix, tmp_path / name, to=name[2:])
    array = open_checkpoint(tmp_path / name).to_dask("a/w", (64, 20))
    np.testing.assert_array_equal(array[5:300].compute(scheduler="sync"), VALUES["a/w"][5:300])


def test_arrays_are_pickled_by_their_place(prefix):
    array = open_checkpoint(prefix).to_dask("a/w")
    data = pickle.dumps(array)
    assert len(data) < 3000
    np.testing.assert_array_equal(pickle.loads(data).compute(scheduler="sync"), VALUES["a/w"])


def test_a_replaced_checkpoint_is_told(prefix):
    array = open_checkpoint(prefix).to_dask("a/w")
    save_checkpoint(prefix, {"a/w": np.zeros((600, 50), np.float32)})
    from icefloe.checkpoint.distributed import arrays

    arrays._open.clear()  # as in a process that has not opened it
    with pytest.raises(errors.AbortedError, match="replaced"):
        array.compute(scheduler="sync")


@pytest.mark.parametrize("scheduler", ["threads", "sync", None])
def test_saving(tmp_path, scheduler):
    lazy = {
        "w": da.from_array(VALUES["a/w"], chunks=(100, 50)) * 2,
        "bf": da.from_array(VALUES["b/bf"], chunks=(2, 8)),
        "sum": da.from_array(VALUES["b/cube"], chunks=4).sum(),
        "text": VALUES["text"],
        "step": 5,
    }
    ckpt.save_dask(lazy, tmp_path / "s", scheduler=scheduler)
    with open_checkpoint(tmp_path / "s") as reader:
        np.testing.assert_array_equal(reader["w"], VALUES["a/w"] * 2)
        np.testing.assert_array_equal(reader["bf"], VALUES["b/bf"])
        np.testing.assert_allclose(reader["sum"], VALUES["b/cube"].sum())
        assert reader["text"].tolist() == [b"one", b"two"] and reader["step"] == 5
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "s.data-00000-of-00002",
        "s.data-00001-of-00002",
        "s.index",
    ]


def test_large_arrays_are_saved_in_slices(tmp_path):
    lazy = {name: da.from_array(VALUES[name], chunks=-1) for name in ("a/w", "b/half", "b/cube")}
    ckpt.save_dask(lazy, tmp_path / "s", scheduler="sync", group_bytes=30_000)
    with open_checkpoint(tmp_path / "s") as reader:
        assert len(reader.entries["a/w"].slices) == 4 and not reader.entries["b/half"].is_sliced
    assert_holds(tmp_path / "s", {name: VALUES[name] for name in lazy})


def test_a_save_that_fails_leaves_the_old_one(prefix, tmp_path):
    def bad(block):
        raise RuntimeError("no")

    lazy = {"x": da.ones(10), "y": da.ones((4, 4), chunks=2).map_blocks(bad, dtype=float, meta=np.ones((0, 0)))}
    before = sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(RuntimeError, match="no"):
        ckpt.save_dask(lazy, prefix, scheduler="sync")
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert_holds(prefix, VALUES)
    with pytest.raises(errors.InvalidArgumentError, match="shape is not known"):
        ckpt.save_dask({"x": da.ones(10)[da.ones(10) > 0]}, prefix)
    with pytest.raises(errors.InvalidArgumentError, match="no dtype"):
        ckpt.save_dask({"x": da.from_array(np.array(["2020"], "M8[D]"))}, prefix)


def test_nothing_to_save(tmp_path):
    ckpt.save_dask({}, tmp_path / "s")
    assert len(open_checkpoint(tmp_path / "s")) == 0


def test_edits_in_parts_give_the_same(prefix, tmp_path):
    save_checkpoint(tmp_path / "n", {k: v if v.dtype == object or not v.ndim else v * 3 for k, v in VALUES.items()})
    one = ckpt.cast(prefix, tmp_path / "c1", "float16")
    two = ckpt.cast(prefix, tmp_path / "c2", "float16", dask="threads")
    assert one.cast == two.cast and one.computed == two.computed and two.shards >= 1
    assert ckpt.diff(tmp_path / "c1", tmp_path / "c2", compare_bytes=True).is_equal
    dry = ckpt.cast(prefix, None, "float16", dry_run=True, dask="threads")
    assert dry.cast == one.cast and dry.output == str(prefix)
    ckpt.average(tmp_path / "a1", [prefix, tmp_path / "n"], weights=[1, 3])
    found = ckpt.average(tmp_path / "a2", [prefix, tmp_path / "n"], weights=[1, 3], dask="threads")
    assert found.weights == [1.0, 3.0] and found.output == str(tmp_path / "a2")
    assert ckpt.diff(tmp_path / "a1", tmp_path / "a2", compare_bytes=True).is_equal
    assert ckpt.verify(tmp_path / "a2").ok
    plain, parallel = ckpt.diff(prefix, tmp_path / "n"), ckpt.diff(prefix, tmp_path / "n", dask="threads")
    assert plain == parallel and not plain.is_equal


def test_casting_in_place(prefix):
    ckpt.cast(prefix, None, "float64", only="a/", dask="sync")
    with open_checkpoint(prefix) as reader:
        assert reader["a/w"].dtype == np.float64 and reader["b/half"].dtype == np.float16
    assert ckpt.verify(prefix).ok and sorted(p.suffix for p in prefix.parent.iterdir()).count(".index") == 1


@pytest.mark.parametrize("name", ["x.npz", "x.safetensors", "x.h5", "v2"])
def test_conversions(prefix, tmp_path, name):
    done = ckpt.convert(prefix, tmp_path / name, dask="threads")
    back = ckpt.convert(tmp_path / name, tmp_path / "back", dask="threads")
    assert (done.tensors, done.destination, back.tensors) == (8, str(tmp_path / name), 8)
    assert_holds(tmp_path / "back", VALUES)


def test_more_workers_than_tensors(tmp_path, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    save_checkpoint(tmp_path / "m", {"a": np.ones(3, np.float32), "b": np.ones(2, np.float32)})
    ckpt.cast(tmp_path / "m", tmp_path / "c", "float16", dask="threads")
    assert sorted(open_checkpoint(tmp_path / "c")) == ["a", "b"]
    assert ckpt.diff(tmp_path / "m", tmp_path / "m", dask="threads").is_equal


def test_what_is_no_scheduler(prefix, monkeypatch):
    from icefloe.checkpoint.distributed import scheduling

    monkeypatch.setattr(scheduling, "_CONNECT_SECONDS", 0.2)
    with pytest.raises(errors.InvalidArgumentError, match="no scheduler 'spark'"):
        ckpt.diff(prefix, prefix, dask="spark")


def test_without_dask(prefix):
    code = f"""
import sys
sys.modules["dask"] = None
import icefloe
for call in (lambda: icefloe.open_checkpoint({str(prefix)!r}).to_dask("a/w"), lambda: icefloe.save_dask({{}}, "x")):
    try:
        call()
    except icefloe.errors.UnimplementedError as e:
        print(e)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.count("icefloe[dask]") == 2, done.stderr


@pytest.mark.parametrize("repeat", range(3))
def test_nothing_is_left_where_one_part_fails(tmp_path, repeat):
    """The others may be in the middle of their work by then."""
    icefloe.save_checkpoint(tmp_path / "m", {f"v{i}": np.full(1 << 16, i, np.float32) for i in range(8)})
    data = bytearray((tmp_path / "m.data-00000-of-00001").read_bytes())
    data[5] ^= 1
    (tmp_path / "m.data-00000-of-00001").write_bytes(data)
    with pytest.raises(icefloe.errors.DataLossError):
        icefloe.ckpt.convert(tmp_path / "m", tmp_path / "new" / "o", dask="threads")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.data-00000-of-00001", "m.index"]
