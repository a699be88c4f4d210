"""Naming the wrong file: whatever path of a checkpoint is given finds it, and anything else is named for what it is."""

import os
import shutil

import numpy as np
import pytest

import icefloe
from cases.damage import SAVERS, copied
from icefloe import errors
from icefloe.checkpoint.v1.writer import V1Writer

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d7a" * 16 + "\nsize 12345\n"


def value(path):
    with icefloe.open_checkpoint(path) as reader:
        return int(reader["step"])


@pytest.fixture
def prefix(tmp_path):
    return copied("plain", tmp_path)


@pytest.mark.parametrize("hidden", [False, True])
def test_1_a_data_file(prefix, hidden, cli):
    path = f"{prefix}.data-00000-of-00001"
    if hidden:
        folder = prefix.parent / "folder"
        folder.mkdir()
        for name in ("index", "data-00000-of-00001"):
            shutil.copy(f"{prefix}.{name}", folder / f".{name}")
        path = folder / ".data-00000-of-00001"
    assert value(path) == value(prefix)
    assert "step" in cli("ckpt", "ls", path).out


def test_2_an_index(prefix):
    assert value(f"{prefix}.index") == value(prefix)


def test_3_a_meta_file(prefix, tmp_path):
    assert value(f"{prefix}.meta") == value(prefix)
    (tmp_path / "alone").mkdir()
    shutil.copy(f"{prefix}.meta", tmp_path / "alone" / "m.meta")
    with pytest.raises(errors.InvalidArgumentError, match="a graph, without the values of its variables") as caught:
        icefloe.open_checkpoint(tmp_path / "alone" / "m.meta")
    assert "no checkpoint is beside it" in str(caught.value)


def test_4_the_state_file(prefix):
    assert value(prefix.parent / "checkpoint") == value(prefix)


def test_5_directories(prefix, tmp_path):
    assert value(prefix.parent) == value(prefix)
    (prefix.parent / "checkpoint").unlink()
    assert value(prefix.parent) == value(prefix)
    model = tmp_path / "saved"
    icefloe.save_checkpoint(model / "variables" / "variables", {"step": np.int64(5)})
    (model / "saved_model.pb").write_bytes(b"\x08\x01")
    for path in (model, model / "variables", model / "variables" / "variables", model / "saved_model.pb"):
        assert value(path) == 5
    shutil.rmtree(model / "variables")
    with pytest.raises(errors.NotFoundError, match="this SavedModel has no variables"):
        icefloe.open_checkpoint(model)
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("x")
    with pytest.raises(errors.NotFoundError, match="it is empty"):
        icefloe.open_checkpoint(tmp_path / "empty")
    with pytest.raises(errors.NotFoundError, match=r"it holds notes\.txt"):
        icefloe.open_checkpoint(tmp_path / "other")


@pytest.mark.parametrize("part", ["index", "data-00000-of-00001"])
def test_6_a_git_lfs_pointer(prefix, part, cli):
    with open(f"{prefix}.{part}", "w") as file:
        file.write(POINTER)
    with pytest.raises(errors.OpError, match="git-LFS pointer, not the file itself"):
        value(prefix)
    assert "of 12,345 bytes" in cli("identify", f"{prefix}.{part}").out or part != "index"


@pytest.mark.parametrize("suffix", ["npz", "safetensors", "h5"])
def test_6_a_pointer_in_place_of_an_array_file(tmp_path, suffix):
    (tmp_path / f"w.{suffix}").write_text(POINTER)
    with pytest.raises(errors.InvalidArgumentError, match="git-LFS pointer") as caught:
        icefloe.open_checkpoint(tmp_path / f"w.{suffix}")
    assert "git lfs pull" in str(caught.value)


def test_8_a_state_file_with_a_suffix(prefix):
    state = prefix.parent / "checkpoint"
    state.rename(f"{state}.txt")
    assert value(f"{state}.txt") == value(prefix)
    assert value(state) == value(prefix)
    assert value(prefix.parent) == value(prefix)


def test_10_both_formats_at_one_prefix(prefix, cli):
    shutil.copy(SAVERS / "old_format" / "model.ckpt-3", prefix)
    with icefloe.open_checkpoint(prefix) as reader:
        assert reader.format == "V2"
    result = cli("ckpt", "ls", prefix)
    assert "there is also the V1 checkpoint" in result.err
    for path in prefix.parent.glob("model.ckpt-3.*"):
        path.unlink()
    with icefloe.open_checkpoint(prefix) as reader:
        assert reader.format == "V1"


@pytest.mark.parametrize(
    "content, says",
    [
        (b"<!DOCTYPE html><html></html>", "an HTML page"),
        (b"\x08\x07\x12\x07pytorch:\x02xy", "not a checkpoint|ONNX"),
        (b"\x1c\0\0\0TFL3" + bytes(40), "not a checkpoint"),
        (b"", "an empty file"),
        (bytes(100), "a file of zero bytes"),
        (b"\x80\x04\x95" + bytes(20), "pickle"),
        (b"PK\x03\x04" + bytes(30) + b"archive/data.pkl" + bytes(30), "PyTorch"),
    ],
)
def test_anything_else_is_named(tmp_path, content, says):
    (tmp_path / "thing").write_bytes(content)
    with pytest.raises(errors.OpError, match=says):
        icefloe.open_checkpoint(tmp_path / "thing")
    assert os.listdir(tmp_path) == ["thing"]


def test_a_writer_of_the_old_format_is_told_too(tmp_path):
    writer = V1Writer(tmp_path / "m")
    writer.add("step", np.int64(3))
    writer.finish()
    assert value(tmp_path / "m") == value(f"{tmp_path}/m/") == 3


@pytest.mark.parametrize(
    "command", [("ls", "-"), ("cat", "-", "w"), ("verify", "-"), ("diff", "-", "-"), ("stats", "-")]
)
def test_standard_input_is_no_checkpoint(command, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = cli("ckpt", *command)
    assert result.code == 1
    assert "which a pipe does not allow: save it and give its path" in result.err
    assert not os.listdir(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there are no such devices here")
def test_a_device_is_named(cli):
    result = cli("ckpt", "ls", "/dev/null")
    assert result.code == 1 and "/dev/null; Is not a regular file" in result.err
    assert "a pipe, socket or device" in result.err
