"""`identify` names files by content: TensorFlow's, those of other tools, damaged ones, and none."""

from __future__ import annotations

import json
import shutil
import struct
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from icefloe import errors
from icefloe.identification import identify
from icefloe.identification.finding import size_text
from icefloe.load import load_graph
from icefloe.proto import Event, FingerprintDef, GraphDebugInfo
from icefloe.wire.crc import crc32c, mask

SAVERS = Path(__file__).resolve().parents[2] / "fixtures" / "savers"


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("plain/model.ckpt-3", "checkpoint", "a V2 checkpoint of 3 tensors, 44 B in 1 shard"),
        ("plain/model.ckpt-3.index", "checkpoint", "the index of a V2 checkpoint of 3 tensors, 44 B in 1 shard"),
        ("sharded/model.ckpt-3", "checkpoint", "a V2 checkpoint of 4 tensors, 28 B in 3 shards"),
        ("partitioned/model.ckpt-3", "checkpoint", "a V2 checkpoint of 3 tensors, 104 B in 1 shard"),
        ("old_format/model.ckpt-3", "v1_checkpoint", "a V1 checkpoint of 2 tensors"),
        ("old_format_sharded/model.ckpt-3", "v1_checkpoint", "a V1 checkpoint in 3 files of 4 tensors"),
        ("old_format_sharded/model.ckpt-3-00001-of-00003", "v1_checkpoint", "a V1 checkpoint of 4 tensors"),
        (
            "plain/model.ckpt-3.meta",
            "meta_graph",
            "a MetaGraphDef of 33 nodes, written by TensorFlow 2.21.0: a graph, without the values of its variables",
        ),
        ("exports/whole.pbtxt", "meta_graph_text", "a MetaGraphDef in text form"),
        ("plain", "checkpoint_directory", "a directory of checkpoints; the latest is model.ckpt-3"),
        ("exports", "directory", None),
        ("plain/expected.npz", "npz", "a NumPy archive (.npz) of 3 arrays"),
    ],
)
def test_what_tensorflow_wrote(path, kind, words):
    found = identify(SAVERS / path)
    assert found.kind == kind
    assert words is None or found.words == words
    assert json.loads(json.dumps(found.as_data()))["path"] == str(SAVERS / path)


def test_state_file_names_the_latest():
    found = identify(SAVERS / "plain" / "checkpoint")
    assert found.kind == "state"
    assert found.details["latest"] == str(SAVERS / "plain" / "model.ckpt-3")
    assert found.details["exists"] is True


def test_data_file_names_its_prefix():
    found = identify(SAVERS / "sharded" / "model.ckpt-3.data-00001-of-00003")
    assert (found.kind, found.details["shard"], found.details["shards"]) == ("data_shard", 1, 3)
    assert found.details["prefix"] == str(SAVERS / "sharded" / "model.ckpt-3")


def test_data_file_without_index(tmp_path):
    name = "model.ckpt-3.data-00000-of-00001"
    shutil.copy(SAVERS / "plain" / name, tmp_path / name)
    found = identify(tmp_path / name)
    assert "whose index is missing" in found.words
    assert "model.ckpt-3.index" in (found.hint or "")


def test_missing_data_file_is_said(tmp_path):
    for path in (SAVERS / "sharded").iterdir():
        if "00001-of" not in path.name:
            shutil.copy(path, tmp_path)
    found = identify(tmp_path / "model.ckpt-3")
    assert found.details["missing_files"] == ["model.ckpt-3.data-00001-of-00003"]
    assert found.words.endswith("1 data file missing: model.ckpt-3.data-00001-of-00003")


def test_prefix_of_a_meta_alone(tmp_path):
    shutil.copy(SAVERS / "plain" / "model.ckpt-3.meta", tmp_path)
    found = identify(tmp_path / "model.ckpt-3")
    assert found.kind == "meta_graph"
    assert "of a checkpoint itself there is no file" in found.words


def test_state_file_of_a_moved_checkpoint(tmp_path):
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "/gone/model.ckpt-9"\n')
    found = identify(tmp_path / "checkpoint")
    assert found.details["exists"] is False
    assert found.words.endswith("which is not there")


def event_file() -> bytes:
    record = Event(file_version="brain.Event:2", wall_time=1.5).SerializeToString()
    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", mask(crc32c(length))) + record + struct.pack("<I", mask(crc32c(record)))


def record_file() -> bytes:
    length = struct.pack("<Q", 5)
    return length + struct.pack("<I", mask(crc32c(length))) + b"\xff\xfe\xfd\xfc\xfb" + b"\0\0\0\0"


# ModelProto{ir_version 8, producer_name "pytorch", graph {}, opset_import {version 17}}
ONNX = b"\x08\x08\x12\x07pytorch" + b"\x3a\x02\x12\x00" + b"\x42\x02\x10\x11"
TENSORS = b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
LFS = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


@pytest.mark.parametrize(
    ("content", "kind", "part"),
    [
        (b"", "empty", "empty"),
        (b"hello, this is prose.\n", "text", "text"),
        (b"\0" * 5000, "zeros", "zero bytes"),
        (LFS, "git_lfs", "git-LFS pointer"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "html", "HTML page"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\3abc", "gzip", "gzip"),
        (event_file(), "event_file", "event file"),
        (record_file(), "tfrecord", "TFRecord"),
        (ONNX, "onnx", "ONNX model made by pytorch"),
        (b"\x1c\0\0\0TFL3" + bytes(range(1, 100)), "tflite", "TensorFlow Lite"),
        (struct.pack("<Q", len(TENSORS)) + TENSORS + b"\0\0\0\0", "safetensors", "safetensors"),
        (
            GraphDebugInfo(files=["/code/train.py", "/code/layers.py"]).SerializeToString(),
            "debug_info",
            "where in Python code",
        ),
        (
            FingerprintDef(saved_model_checksum=2**63, graph_def_program_hash=5, uuid="17").SerializeToString(),
            "fingerprint",
            "fingerprint of a SavedModel",
        ),
        (b'{"some": "json"}', "json", "JSON"),
        (b"\x93\xff\xfe\x01\x02\x03\xff\xff", "unknown", "unknown kind"),
        (b'node { name: "a" op: "NoOp" }', "graph_text", "GraphDef in text form"),
        (b"\x0a\x09\x0a\x01a\x12\x04NoOp\x22\x03\x08\x96\x0a", "graph", "a GraphDef of 1 node"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_by_content(tmp_path, content, kind, part):
    path = tmp_path / "file.bin"
    path.write_bytes(content)
    found = identify(path)
    assert found.kind == kind
    assert part in found.words


def test_lfs_pointer_tells_what_it_stands_for(tmp_path):
    (tmp_path / "model.index").write_bytes(LFS)
    found = identify(tmp_path / "model.index")
    assert found.details["size"] == 12345
    assert found.words.endswith("of 12,345 bytes")
    assert "git lfs pull" in (found.hint or "")


def test_arrays(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((2, 3), np.float32))
    assert identify(tmp_path / "x.npy").details == {"dtype": "float32", "shape": [2, 3]}
    np.savez(tmp_path / "x.npz", a=1, b=2)
    assert identify(tmp_path / "x.npz").details["arrays"] == ["a", "b"]


def test_hdf5_and_keras(tmp_path):
    with h5py.File(tmp_path / "plain.h5", "w") as file:
        file["a/b"] = [1, 2]
    assert identify(tmp_path / "plain.h5").kind == "hdf5"
    with h5py.File(tmp_path / "keras.h5", "w") as file:
        file.attrs["keras_version"] = "2.4.0"
        file.attrs["model_config"] = "{}"
        file.create_group("model_weights")
    assert identify(tmp_path / "keras.h5").words == "a Keras model (HDF5), written by Keras 2.4.0"
    with zipfile.ZipFile(tmp_path / "new.keras", "w") as archive:
        archive.writestr("config.json", "{}")
        archive.writestr("model.weights.h5", b"")
    assert identify(tmp_path / "new.keras").kind == "keras"


def test_nothing_there(tmp_path):
    assert identify(tmp_path / "none").kind == "missing"
    found = identify(tmp_path / "no" / "such" / "prefix")
    assert found.kind == "missing"
    assert found.hint == f"There is no directory {tmp_path}/no/such."


def test_empty_and_foreign_directories(tmp_path):
    assert identify(tmp_path).words.endswith("it is empty")
    (tmp_path / "a.txt").write_text("x")
    assert identify(tmp_path).words.endswith("it holds a.txt")


@pytest.mark.parametrize("name", ["model.ckpt-3.index", "model.ckpt-3.meta"])
def test_every_truncation_is_named(tmp_path, name):
    """A file cut anywhere is still something with a name, and never an exception; the `.meta` says that it is cut."""
    whole = (SAVERS / "plain" / name).read_bytes()
    path = tmp_path / name
    step = 1 if len(whole) < 1000 else 97
    for size in range(0, len(whole), step):
        path.write_bytes(whole[:size])
        found = identify(path)
        assert found.words
        if name.endswith(".index"):
            assert found.kind == "damaged_index"


@pytest.mark.parametrize(
    "name", ["model.ckpt-3.index", "model.ckpt-3.meta", "checkpoint", "model.ckpt-3.data-00000-of-00001"]
)
def test_every_flipped_byte_is_named(tmp_path, name):
    for path in (SAVERS / "plain").iterdir():
        shutil.copy(path, tmp_path)
    whole = (SAVERS / "plain" / name).read_bytes()
    step = 1 if len(whole) < 1000 else 61
    for i in range(0, len(whole), step):
        (tmp_path / name).write_bytes(whole[:i] + bytes([whole[i] ^ 0xFF]) + whole[i + 1 :])
        assert identify(tmp_path / name).words


def test_a_pipe_is_no_file():
    assert identify("/dev/null").kind == "device"


def test_unreadable_is_an_error(tmp_path, monkeypatch):
    from icefloe.checkpoint.locating import sniff

    path = tmp_path / "secret"
    path.write_text("x")

    def refuse(path):
        raise errors.PermissionDeniedError(f"{path}; Permission denied")

    monkeypatch.setattr(sniff, "Source", refuse)
    with pytest.raises(errors.PermissionDeniedError):
        identify(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (event_file(), "an event file"),
        (record_file(), "a TFRecord file"),
        (ONNX, "an ONNX model"),
        (b"\x1c\0\0\0TFL3" + bytes(range(1, 100)), "a TensorFlow Lite model"),
        (bytes(257) + b"ustar\x0000" + bytes(248), "a tar archive"),
    ],
)
def test_what_is_no_graph_is_named_where_a_graph_is_loaded(tmp_path, data, words):
    (tmp_path / "model.pb").write_bytes(data)
    with pytest.raises(errors.InvalidArgumentError, match=f"expected a graph, got {words}"):
        load_graph(tmp_path / "model.pb")


@pytest.mark.parametrize(
    ("size", "text"), [(999, "999 B"), (1_000, "1 kB"), (999_499, "999 kB"), (999_999, "1 MB"), (1_340_000, "1.34 MB")]
)
def test_sizes_go_to_the_next_unit_when_they_are_rounded_to_it(size: int, text: str) -> None:
    assert size_text(size) == text
