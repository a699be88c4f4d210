"""Whatever path a user gives leads to the checkpoint, or is named for what it is."""

import gzip
import io
import os
import zipfile

import h5py
import numpy as np
import pytest

from icefloe import errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint import state_file
from icefloe.checkpoint.locating.sniff import sniff
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.proto import GraphDef, MetaGraphDef, SavedModel

ONE, TWO = {"v": np.int32(1)}, {"v": np.int32(2)}


def value(path):
    return open_checkpoint(path)["v"].item()


def save_v1(path, content):
    writer = V1Writer(path)
    for name, array in content.items():
        writer.add(name, array)
    writer.finish()


@pytest.mark.parametrize("suffix", ["", ".index", ".data-00000-of-00001", ".meta"])
def test_any_file_of_a_checkpoint(suffix, tmp_path):
    save_checkpoint(tmp_path / "m.ckpt-3", ONE)
    (tmp_path / "m.ckpt-3.meta").write_bytes(b"")
    assert value(tmp_path / f"m.ckpt-3{suffix}") == 1
    assert value(os.fsencode(tmp_path / f"m.ckpt-3{suffix}")) == 1


def test_home_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    save_checkpoint(tmp_path / "m", ONE)
    assert value("~/m") == 1


@pytest.mark.parametrize("name", ["m[1]", "m*", "m?", "é ü", "a.index.b", "m-00001-of-00002", "m.data-x"])
def test_names_that_are_patterns_or_look_like_parts(name, tmp_path):
    save_checkpoint(tmp_path / name, ONE, shards=2)
    save_checkpoint(tmp_path / "m1", TWO)
    assert value(tmp_path / name) == 1
    assert value(tmp_path / f"{name}.index") == 1


def test_state_file_and_directory(tmp_path):
    save_checkpoint(tmp_path / "m-1", ONE)
    save_checkpoint(tmp_path / "m-2", TWO)
    state_file.write_state(tmp_path / "checkpoint", state_file.make_state(tmp_path, "m-1"))
    assert value(tmp_path) == value(tmp_path / "checkpoint") == 1
    # A browser's name for the same file.
    (tmp_path / "checkpoint").rename(tmp_path / "checkpoint.txt")
    assert value(tmp_path / "checkpoint.txt") == 1


def test_directory_without_state_file_takes_the_highest_step(tmp_path, caplog):
    for name, content in (("m-9", ONE), ("m-10", TWO)):
        save_checkpoint(tmp_path / name, content)
    os.utime(tmp_path / "m-9.index")
    assert value(tmp_path) == 2
    assert "no state file" in caplog.text


@pytest.mark.parametrize("path", ["model", "model/variables", "model/variables/variables", "model/saved_model.pb"])
@pytest.mark.parametrize("stored", ["variables", "saved_model_variables", "variables-00000-of-00001"])
def test_saved_model(path, stored, tmp_path):
    (tmp_path / "model" / "variables").mkdir(parents=True)
    (tmp_path / "model" / "saved_model.pb").write_bytes(SavedModel(saved_model_schema_version=1).SerializeToString())
    if stored == "variables":
        save_checkpoint(tmp_path / "model" / "variables" / stored, ONE)
    else:
        save_v1(tmp_path / "model" / "variables" / stored, ONE)
    assert value(tmp_path / path) == 1


@pytest.mark.parametrize("path", ["m", "m-00001-of-00002", "m-?????-of-00002", "m-?????-of-?????", "m.meta", "."])
def test_v1_shards(path, tmp_path):
    save_v1(tmp_path / "m-00000-of-00002", {"v": np.int32(1)})
    save_v1(tmp_path / "m-00001-of-00002", {"w": np.int32(2)})
    reader = open_checkpoint(tmp_path / path)
    assert list(reader) == ["v", "w"]
    assert reader["w"].item() == 2


def test_v1_file_and_its_state_file(tmp_path):
    save_v1(tmp_path / "m-5", ONE)
    state_file.write_state(tmp_path / "checkpoint", state_file.make_state(tmp_path, "m-5"))
    assert value(tmp_path / "m-5") == value(tmp_path / "m-5.meta") == value(tmp_path) == 1


def zipped(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, b"x")
    return out.getvalue()


def npz():
    out = io.BytesIO()
    np.savez(out, a=np.arange(3))
    return out.getvalue()


def hdf5():
    out = io.BytesIO()
    with h5py.File(out, "w") as f:
        f["x"] = [1]
    return out.getvalue()


def graph():
    message = GraphDef()
    message.node.add(name="x", op="NoOp")
    message.versions.producer = 1
    return message


def meta_graph():
    message = MetaGraphDef(graph_def=graph())
    message.meta_info_def.tensorflow_version = "2.21.0"
    return message


KINDS = {
    "git_lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "html": b"\n<!DOCTYPE html>\n<html><body>Not Found</body></html>",
    "xml": b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>',
    "json": b'{"a": 1}',
    "tfjs": b'{"format": "graph-model", "modelTopology": {}}',
    "text": "just words, é and all".encode(),
    "state": b'model_checkpoint_path: "gone"\n',
    "zip": zipped("a.txt"),
    "npz": npz(),
    "npy": b"\x93NUMPY\x01\x00",
    "keras": zipped("metadata.json", "config.json", "model.weights.h5"),
    "pytorch": zipped("archive/data.pkl", "archive/data/0"),
    "hdf5": hdf5(),
    "gzip": gzip.compress(b"abc"),
    "tar": b"name".ljust(257, b"\0") + b"ustar\x0000".ljust(300, b"\0"),
    "pickle": b"\x80\x04\x95",
    "safetensors": (2).to_bytes(8, "little") + b"{}" + bytes(10),
    "png": b"\x89PNG\r\n\x1a\n",
    "empty": b"",
    "zeros": bytes(100),
    "graph": graph().SerializeToString(),
    "graph_text": b'node {\n  name: "x"\n  op: "NoOp"\n}\n',
    "meta_graph": meta_graph().SerializeToString(),
    "saved_model": SavedModel(saved_model_schema_version=1, meta_graphs=[meta_graph()]).SerializeToString(),
    "unknown": bytes([250, 17, 3, 200]) * 20,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_checkpoint_is_named(kind, tmp_path):
    path = tmp_path / "thing"
    path.write_bytes(KINDS[kind])
    finding = sniff(str(path))
    assert finding.kind == kind
    if kind in ("npz", "hdf5"):
        with open_checkpoint(path) as reader:
            assert list(reader) == ["a" if kind == "npz" else "x"]
        return
    if kind in ("keras", "safetensors"):
        with pytest.raises(errors.DataLossError, match="damaged HDF5 file|the header accounts for 0 bytes"):
            open_checkpoint(path)
        return
    expected = errors.NotFoundError if kind == "state" else errors.InvalidArgumentError
    with pytest.raises(expected) as caught:
        open_checkpoint(path)
    assert str(path) in str(caught.value)
    assert finding.description in str(caught.value) or kind == "state"


def test_every_cut_of_a_graph_is_sniffed_without_exception(tmp_path):
    data = KINDS["meta_graph"]
    path = tmp_path / "g"
    for size in range(len(data)):
        path.write_bytes(data[:size])
        assert sniff(str(path)).description


@pytest.mark.parametrize("kind", ["git_lfs", "html", "zip", "text", "empty"])
def test_an_index_that_is_something_else(kind, tmp_path):
    save_checkpoint(tmp_path / "m", ONE)
    (tmp_path / "m.index").write_bytes(KINDS[kind])
    with pytest.raises(errors.DataLossError) as caught:
        open_checkpoint(tmp_path / "m")
    assert "sstable" in str(caught.value)
    assert sniff(str(tmp_path / "m.index")).description in str(caught.value)


@pytest.mark.parametrize("kind", ["git_lfs", "html"])
def test_a_data_file_that_is_something_else(kind, tmp_path):
    save_checkpoint(tmp_path / "m", {"v": np.zeros(1000)})
    (tmp_path / "m.data-00000-of-00001").write_bytes(KINDS[kind])
    with pytest.raises(errors.OutOfRangeError) as caught:
        open_checkpoint(tmp_path / "m")["v"]
    assert sniff(str(tmp_path / "m.data-00000-of-00001")).description in str(caught.value)


def test_data_without_index(tmp_path):
    save_checkpoint(tmp_path / "m", ONE)
    (tmp_path / "m.index").unlink()
    with pytest.raises(errors.NotFoundError, match="its index is missing"):
        open_checkpoint(tmp_path / "m.data-00000-of-00001")


def test_index_under_another_name(tmp_path):
    save_checkpoint(tmp_path / "m", ONE)
    (tmp_path / "m.index").rename(tmp_path / "download")
    with pytest.raises(errors.InvalidArgumentError, match="the index of a V2 checkpoint"):
        open_checkpoint(tmp_path / "download")


def test_nothing_there(tmp_path):
    with pytest.raises(errors.NotFoundError, match="There is no directory"):
        open_checkpoint(tmp_path / "no" / "m")
    with pytest.raises(errors.NotFoundError, match="it is empty"):
        open_checkpoint(tmp_path)
    save_checkpoint(tmp_path / "model.ckpt-30", ONE)
    with pytest.raises(errors.NotFoundError, match=r"Failed to find any matching files for .*\n.*model\.ckpt-30"):
        open_checkpoint(tmp_path / "model.ckpt")
    with pytest.raises(errors.InvalidArgumentError, match="is no path: it holds a zero byte"):
        open_checkpoint("a\0b")


def test_a_pointer_that_is_as_long_as_the_data_is_named_too(tmp_path):
    save_checkpoint(tmp_path / "m", {"v": np.float32(1)})
    (tmp_path / "m.data-00000-of-00001").write_bytes(KINDS["git_lfs"])
    with pytest.raises(errors.DataLossError, match="git-LFS pointer"):
        open_checkpoint(tmp_path / "m")["v"]


def test_v2_wins_over_v1_of_the_same_prefix(tmp_path):
    save_v1(tmp_path / "m", {"v": 1})
    save_checkpoint(tmp_path / "m", {"v": 2})
    with open_checkpoint(tmp_path / "m") as reader:
        assert (reader.format, reader["v"], reader.also) == ("V2", 2, f"the V1 checkpoint {tmp_path / 'm'}")


@pytest.mark.parametrize("spelling", ["m/", "m.index/", "checkpoint.txt", "checkpoint", "./", "../{}/m"])
def test_further_spellings(spelling, tmp_path):
    save_checkpoint(tmp_path / "m", ONE)
    (tmp_path / "checkpoint.txt").write_text('model_checkpoint_path: "m"\n')
    assert value(f"{tmp_path}/{spelling.format(tmp_path.name)}") == 1
    assert value(f"{tmp_path}/{spelling.format(tmp_path.name)}".encode()) == 1


def test_a_hidden_prefix(tmp_path):
    """A prefix that ends in a slash gives files whose names are the suffixes alone."""
    save_checkpoint(tmp_path / "m", ONE)
    for path in tmp_path.glob("m.*"):
        path.rename(tmp_path / path.name.removeprefix("m"))
    for spelling in ("", ".index", ".data-00000-of-00001"):
        assert value(f"{tmp_path}/{spelling}") == 1


def test_only_the_graph_is_there(tmp_path):
    (tmp_path / "m.meta").write_bytes(KINDS["meta_graph"])
    with pytest.raises(errors.InvalidArgumentError, match="no checkpoint is beside it"):
        open_checkpoint(tmp_path / "m.meta")
    with pytest.raises(errors.NotFoundError, match="Only the graph is there"):
        open_checkpoint(tmp_path / "m")


def test_the_one_array_file_of_a_directory(tmp_path):
    np.savez(tmp_path / "weights.npz", v=1)
    assert value(tmp_path) == 1
    np.savez(tmp_path / "more.npz", v=1)
    with pytest.raises(errors.NotFoundError, match=r"it holds more\.npz, weights\.npz"):
        open_checkpoint(tmp_path)
