"""Writing: what values are taken, in what order they lie, what is refused."""

import os

import numpy as np
import pytest

from icefloe import errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint import commit, files, flushing
from icefloe.checkpoint.merge import merge_checkpoints
from icefloe.checkpoint.slices import TensorSlice
from icefloe.checkpoint.writer import BundleWriter


@pytest.mark.parametrize(
    "value, dtype, expected",
    [
        (1.5, "float32", 1.5),
        (3, "int32", 3),
        (2**31, "int64", 2**31),
        ([1, -(2**31)], "int32", [1, -(2**31)]),
        ([[1.0], [2.0]], "float32", [[1.0], [2.0]]),
        (True, "bool", True),
        (1j, "complex128", 1j),
        ([], "float32", []),
        ("é", "string", "é".encode()),
        (b"a\0", "string", b"a\0"),
        (["a", b"b\0\0"], "string", [b"a", b"b\0\0"]),
        (np.array(["xy", "z"]), "string", [b"xy", b"z"]),
        (np.array([b"xy", b"z"]), "string", [b"xy", b"z"]),
        (np.array(["a", b"b", np.str_("c"), np.bytes_(b"d")], object), "string", [b"a", b"b", b"c", b"d"]),
        (np.float64(2.5), "float64", 2.5),
        (np.array([1, 2], ">i4"), "int32", [1, 2]),
        (np.arange(6).reshape(2, 3).T, "int64", [[0, 3], [1, 4], [2, 5]]),
        (np.zeros((0, 2), np.uint8), "uint8", []),
        (np.empty((2, 0), object), "string", [[], []]),
    ],
)
def test_values(value, dtype, expected, tmp_path):
    save_checkpoint(tmp_path / "m", {"v": value})
    reader = open_checkpoint(tmp_path / "m")
    assert reader.entries["v"].dtype.name == dtype
    assert reader["v"].tolist() == expected
    assert reader["v"].shape == np.shape(value)


@pytest.mark.parametrize(
    "value", [None, {"a": 1}, np.array([1, 2], "datetime64[s]"), [1, [2, 3]], np.array([1.0, None], object), 2**70,
              np.zeros(2, np.longdouble), np.zeros(1, [("a", "f4"), ("b", "f4")])],
)  # fmt: skip
def test_values_that_no_checkpoint_holds(value, tmp_path):
    save_checkpoint(tmp_path / "m", {"v": 1})
    with pytest.raises(errors.InvalidArgumentError, match="tensor 'bad'"):
        save_checkpoint(tmp_path / "m", {"v": 2, "bad": value})
    assert open_checkpoint(tmp_path / "m")["v"] == 1
    assert len(os.listdir(tmp_path)) == 2


def test_data_lie_in_the_order_given_and_the_index_is_sorted(tmp_path):
    save_checkpoint(tmp_path / "m", {"b": np.int8(1), "a": np.int8(2), "c": np.int8(3)})
    assert (tmp_path / "m.data-00000-of-00001").read_bytes() == b"\1\2\3"
    assert {n: e.offset for n, e in open_checkpoint(tmp_path / "m").entries.items()} == {"a": 1, "b": 0, "c": 2}


def test_shards_fill_evenly(tmp_path):
    save_checkpoint(tmp_path / "m", {f"v{i}": np.zeros(10 - i, np.int8) for i in range(10)}, shards=3)
    sizes = [os.path.getsize(tmp_path / f"m.data-{i:05d}-of-00003") for i in range(3)]
    assert sum(sizes) == 55 and max(sizes) - min(sizes) <= 10
    assert len(open_checkpoint(tmp_path / "m")) == 10


def test_more_shards_than_tensors(tmp_path):
    save_checkpoint(tmp_path / "m", {"v": 1}, shards=4)
    assert open_checkpoint(tmp_path / "m")["v"] == 1
    assert len(os.listdir(tmp_path)) == 5


def test_no_tensors(tmp_path):
    save_checkpoint(tmp_path / "m", {})
    assert list(open_checkpoint(tmp_path / "m")) == []


def test_the_directory_and_its_parents_are_made(tmp_path, monkeypatch):
    save_checkpoint(tmp_path / "new" / "m", {"v": 1})
    save_checkpoint(tmp_path / "a" / "b" / "m", {"v": 1})
    assert open_checkpoint(tmp_path / "a" / "b" / "m")["v"] == 1
    monkeypatch.chdir(tmp_path)
    save_checkpoint("m", {"v": 2})
    assert open_checkpoint("m")["v"] == 2


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(errors.InvalidArgumentError, match="is a directory"):
        save_checkpoint(f"{tmp_path}/", {"v": 1})
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.OpError, match="file; Not a directory"):
        save_checkpoint(tmp_path / "file" / "m", {"v": 1})
    with pytest.raises(errors.InvalidArgumentError, match="name too long"):
        save_checkpoint(tmp_path / ("x" * 300), {"v": 1})
    with pytest.raises(errors.InvalidArgumentError, match="shards"):
        save_checkpoint(tmp_path / "m", {"v": 1}, shards=0)
    assert os.listdir(tmp_path) == ["file"]


def test_an_exception_in_the_block_keeps_the_former_checkpoint(tmp_path):
    save_checkpoint(tmp_path / "m", {"v": 1})
    with pytest.raises(ZeroDivisionError), BundleWriter(tmp_path / "m", shards=2) as writer:
        writer.add("v", 2)
        raise ZeroDivisionError
    assert open_checkpoint(tmp_path / "m")["v"] == 1
    assert len(os.listdir(tmp_path)) == 2


def test_a_writer_is_used_once(tmp_path):
    with BundleWriter(tmp_path / "m") as writer:
        writer.add("v", 1)
        writer.finish()
        with pytest.raises(errors.FailedPreconditionError, match="finished"):
            writer.add("w", 1)
    with pytest.raises(errors.FailedPreconditionError, match="finished"):
        writer.finish()
    assert open_checkpoint(tmp_path / "m")["v"] == 1


def test_slices_are_checked(tmp_path):
    with BundleWriter(tmp_path / "m") as writer:
        first = TensorSlice(((0, 2),))
        with pytest.raises(errors.InvalidArgumentError, match=r"expected shape \[2\], got \[3\]"):
            writer.add_slice("v", (4,), first, [1, 2, 3])
        writer.add_slice("v", (4,), first, [1, 2])
        with pytest.raises(errors.InvalidArgumentError, match="differ: int32"):
            writer.add_slice("v", (4,), TensorSlice(((2, 2),)), [1.0, 2.0])
        with pytest.raises(errors.InvalidArgumentError, match="Adding duplicate key: v"):
            writer.add("v", 1)
        writer.add_slice("v", (4,), TensorSlice(((2, 2),)), [3, 4])
    assert open_checkpoint(tmp_path / "m")["v"].tolist() == [1, 2, 3, 4]


def test_a_changing_array_is_stored_as_it_was_at_some_moment(tmp_path):
    """What is written is what was summed up: a checkpoint of a tensor that another thread changes can be read."""
    import threading

    value = np.zeros(4_000_000, np.float32)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            value[:] += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(3):
            save_checkpoint(tmp_path / "m", {"v": value})
            assert open_checkpoint(tmp_path / "m")["v"].shape == value.shape
    finally:
        stop.set()
        thread.join()


def test_large_files_are_synced_while_they_are_written(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(flushing, "_STEP", 1 << 20)
    monkeypatch.setattr(files, "sync_data", lambda fd, path: synced.append(os.fstat(fd).st_size))
    save_checkpoint(tmp_path / "m", {"v": np.zeros(8 << 20, np.uint8)})
    assert synced
    assert 0 < synced[0] <= 8 << 20
    assert np.array_equal(open_checkpoint(tmp_path / "m")["v"], np.zeros(8 << 20, np.uint8))


def test_a_page_that_is_lost_in_the_background_fails_the_save(tmp_path, monkeypatch):
    def fail(fd, path):
        raise errors.UnknownError(f"{path}; Input/output error")

    save_checkpoint(tmp_path / "m", {"v": 1})
    monkeypatch.setattr(flushing, "_STEP", 1 << 20)
    monkeypatch.setattr(files, "sync_data", fail)
    with pytest.raises(errors.UnknownError, match="Input/output error"):
        save_checkpoint(tmp_path / "m", {"v": np.zeros(8 << 20, np.uint8)})
    assert open_checkpoint(tmp_path / "m")["v"] == 1
    assert len(os.listdir(tmp_path)) == 2


def test_replaced_large_files_are_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LARGE", 10)
    let_go = []
    real = files.let_go
    monkeypatch.setattr(files, "let_go", lambda fds: (let_go.append(len(fds)), real(fds)))
    for count in (2, 1):
        save_checkpoint(tmp_path / "m", {"v": np.zeros(10), "w": np.ones(10)}, shards=count)
    commit.delete_checkpoint(str(tmp_path / "m"))
    assert let_go == [0, 2, 2]  # the second save replaces two, deleting takes data and index
    assert os.listdir(tmp_path) == []


def test_merging_an_input_without_tensors(tmp_path):
    save_checkpoint(tmp_path / "t" / "a", {})
    save_checkpoint(tmp_path / "t" / "b", {"v": 1})
    merge_checkpoints([tmp_path / "t" / "a", tmp_path / "t" / "b"], tmp_path / "m")
    assert open_checkpoint(tmp_path / "m")["v"] == 1
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00002", "m.index"]


def test_merging_a_directory_that_holds_something_else(tmp_path):
    save_checkpoint(tmp_path / "m_temp" / "part-00000-of-00001", {"v": 1})
    (tmp_path / "m_temp" / "notes.txt").write_text("mine")
    merge_checkpoints([tmp_path / "m_temp" / "part-00000-of-00001"], tmp_path / "m")
    assert os.listdir(tmp_path / "m_temp") == ["notes.txt"]


def test_merging_different_byte_orders(tmp_path):
    from unit.checkpoint.samples import swappable
    from unit.checkpoint.swapped import swap_bundle

    save_checkpoint(tmp_path / "a", {"v": 1})
    swap_bundle(swappable()[:2], tmp_path / "b")
    with pytest.raises(errors.InvalidArgumentError, match="byte order"):
        merge_checkpoints([tmp_path / "a", tmp_path / "b"], tmp_path / "m")
    assert open_checkpoint(tmp_path / "a")["v"] == 1


def test_a_prefix_may_be_bytes_or_below_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    save_checkpoint(os.fsencode(tmp_path / "b"), {"v": 1})
    save_checkpoint("~/h", {"v": 2})
    assert [open_checkpoint(p)["v"].item() for p in (tmp_path / "b", tmp_path / "h", "~/h")] == [1, 2, 2]


def test_a_file_in_a_folder_named_like_home_is_found(tmp_path, monkeypatch):
    """TensorFlow's own Saver takes `~` for a plain name."""
    monkeypatch.chdir(tmp_path)
    save_checkpoint("./~/m", {"v": 3})
    assert open_checkpoint("~/m")["v"].item() == 3


@pytest.mark.parametrize("prefix", ["", ".", "..", "sub/", "sub/.", "sub/.."])
def test_a_directory_is_no_prefix(prefix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.InvalidArgumentError, match="is a directory, not the prefix"):
        save_checkpoint(prefix, {"v": 1})
    assert not os.listdir(tmp_path)


def test_what_is_no_mapping_or_no_name(tmp_path):
    with pytest.raises(TypeError, match="expected a mapping from names to values, got list"):
        save_checkpoint(tmp_path / "m", [1])
    with pytest.raises(TypeError, match="expected str, got int 3"):
        save_checkpoint(tmp_path / "m", {3: 1})
    save_checkpoint(tmp_path / "m", {"v": 1})
    for name in (3, b"v", ["v"]):
        with pytest.raises(TypeError, match=r"the name of a tensor: expected text \(str\), got"):
            open_checkpoint(tmp_path / "m")[name]


def test_a_slice_added_twice_is_named(tmp_path):
    part = TensorSlice(((0, 1),))
    with BundleWriter(tmp_path / "m") as writer:
        writer.add_slice("v", [2], part, [1.0])
        with pytest.raises(errors.InvalidArgumentError, match="Adding duplicate key: slice 0,1 of v$"):
            writer.add_slice("v", [2], part, [1.0])
