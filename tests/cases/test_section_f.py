"""Odd paths, in every format."""

import os
from pathlib import Path

import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.ckpt import convert

FOLDERS = ["run[200]", "a*b?c", "[!x]{1,2}", "with space", "été/模型", "-dash", "a.index", "~tilde", "new\nline"]


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", ["m", "m.npz", "m.h5", "m.safetensors"])
def test_52_53_any_path(tmp_path, folder, name, cli):
    icefloe.save_checkpoint(tmp_path / "source", {"v": np.float32(3)})
    path = tmp_path / folder / name
    convert(tmp_path / "source", path)
    for spelling in (path, str(path), os.fsencode(path), f"{path}/"):
        with icefloe.open_checkpoint(spelling) as reader:
            assert reader["v"] == 3
    result = cli("ckpt", "cat", path, "v")
    assert (result.code, result.out) == (0, "v  float32 []\n3.\n")
    with pytest.raises(errors.NotFoundError) as caught:
        icefloe.open_checkpoint(path.with_name("nothing"))
    assert str(path.with_name("nothing")) in str(caught.value)


def test_53_the_home_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    icefloe.save_checkpoint("~/m", {"v": 3})
    for target in ("~/x.npz", "~/x.h5", "~/x.safetensors", "~/y"):
        convert("~/m", target)
        with icefloe.open_checkpoint(target) as reader:
            assert reader["v"] == 3
    assert not Path("~").exists()


def test_53_bytes_that_are_no_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    icefloe.save_checkpoint(b"\xff\xfe", {"v": 3})
    convert(b"\xff\xfe", b"\xfe.npz")
    for path in (b"\xff\xfe", b"\xfe.npz"):
        with icefloe.open_checkpoint(path) as reader:
            assert reader["v"] == 3
    with pytest.raises(errors.NotFoundError):
        icefloe.open_checkpoint(b"\xff\xfd")


@pytest.mark.parametrize("name", ["y", "y.npz", "y.h5", "y.safetensors", "v1"])
def test_no_directory_is_left_behind(tmp_path, name):
    """Directories are made for what is written, and go again where the source is damaged halfway."""
    icefloe.save_checkpoint(tmp_path / "m", {"a": np.zeros(4, np.float32), "b": np.zeros((1 << 20), np.float32)})
    data = tmp_path / "m.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:-1] + b"\1")
    with pytest.raises(errors.DataLossError):
        convert(tmp_path / "m", tmp_path / "new" / "deep" / name, to="v1" if name == "v1" else None)
    with pytest.raises(errors.DataLossError):
        icefloe.ckpt.cast(tmp_path / "m", tmp_path / "new" / "deep" / "cast", "float16")
    with pytest.raises(errors.DataLossError):
        icefloe.ckpt.extract(tmp_path / "m", tmp_path / "new" / "deep" / "w.npz", "*")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.data-00000-of-00001", "m.index"]
    (tmp_path / "new").mkdir()
    with pytest.raises(errors.DataLossError):
        convert(tmp_path / "m", tmp_path / "new" / name, to="v1" if name == "v1" else None)
    assert list((tmp_path / "new").iterdir()) == []
