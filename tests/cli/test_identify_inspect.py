"""`icefloe identify` and `icefloe inspect`."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import h5py
import numpy as np
import pytest

import icefloe as tf


def test_identify_several(cli, savers, tmp_path):
    (tmp_path / "pointer").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")
    result = cli("identify", savers / "plain" / "model.ckpt-3", tmp_path / "pointer")
    assert result.code == 0
    assert result.out == (
        f"{savers}/plain/model.ckpt-3: a V2 checkpoint of 3 tensors, 44 B in 1 shard\n"
        f"{tmp_path}/pointer: a git-LFS pointer, not the file itself of 5 bytes\n"
    )
    assert "git lfs pull" in result.err


def test_identify_nothing_is_1(cli, tmp_path):
    result = cli("identify", tmp_path / "none")
    assert result.code == 1
    assert result.out.endswith("nothing: there is no file, directory or checkpoint of this name\n")


def test_identify_json(cli, savers):
    data = cli("identify", savers / "plain" / "checkpoint", savers / "exports", "--json").json()
    assert [f["kind"] for f in data["files"]] == ["state", "directory"]
    assert data["files"][0]["details"]["latest"].endswith("plain/model.ckpt-3")


def test_inspect_meta(cli, savers):
    result = cli("inspect", savers / "plain" / "model.ckpt-3.meta")
    assert result.code == 0
    assert result.out == (
        f"{savers}/plain/model.ckpt-3.meta: a MetaGraphDef of 33 nodes, written by TensorFlow 2.21.0: a graph, "
        "without the values of its variables\n"
        "nodes        33\n"
        "version      producer 2474, min_consumer 0\n"
        "tensorflow   2.21.0\n"
        "read by      TensorFlow 2.16 and later; from 1.5 without attrs at their defaults\n"
        "saver        save/restore_all\n"
        "collections  outputs (1), trainable_variables (2), variables (3)\n"
        "devices      /device:CPU:0 (3 nodes)\n"
        "parameters   10, 44 B\n"
        "arithmetic   15 operations a run\n"
        "ops          Const 9, Assign 6, Identity 4, VariableV2 3, NoOp 3, PlaceholderWithDefault 2, Placeholder 1, "
        "MatMul 1, AddV2 1, AssignAdd 1, SaveV2 1, RestoreV2 1\n"
        "\ninputs (1)\nname  dtype    shape\nx:0   float32  [?,2]\n"
        "\noutputs, the likeliest first (1)\nname  dtype    shape\ny:0   float32  [?,3]\n"
        "\nvariables (3)\nname  dtype    shape\nw     float32  [2,3]\nb     float32  [3]\nstep  int64    []\n"
    )


@pytest.mark.parametrize("name", ["whole.meta", "whole.pbtxt"])
def test_inspect_exports(cli, savers, name):
    data = cli("inspect", savers / "exports" / name, "--json").json()
    assert {v["name"]: v["shape"] for v in data["graph"]["variables"]} == {"scope/w": [2], "scope/r": [2]}
    assert [(i["name"], i["dtype"], i["shape"]) for i in data["graph"]["inputs"]] == [("outside:0", "float32", [2])]


@pytest.mark.parametrize("spelling", ["model.ckpt-3", ".", "checkpoint", "model.ckpt-3.data-00000-of-00001"])
def test_inspect_checkpoint(cli, savers, spelling):
    result = cli("inspect", savers / "plain" / spelling)
    assert result.code == 0
    assert (
        "tensors (3)\nname  dtype    shape\nb     float32  [3]\nstep  int64    []\nw     float32  [2,3]\n10 elements"
        in result.out
    )


def test_inspect_functions(cli, savers):
    data = cli("inspect", savers / "v2_functions" / "model.meta", "--json").json()
    assert len(data["graph"]["functions"]) == 4
    assert data["graph"]["min_consumer"] == 12


def test_inspect_long_lists_are_cut(cli, tmp_path):
    import icefloe

    icefloe.save_checkpoint(tmp_path / "m", {f"v{i:02}": float(i) for i in range(30)})
    assert "... and 10 more; --all shows them" in cli("inspect", tmp_path / "m").out
    assert "v29" in cli("inspect", tmp_path / "m", "--all").out


def test_inspect_other_files_names_them(cli, tmp_path):
    (tmp_path / "page").write_text("<html><body>404</body></html>")
    result = cli("inspect", tmp_path / "page")
    assert (result.code, result.out) == (0, f"{tmp_path}/page: an HTML page\n")
    assert cli("inspect", tmp_path / "none").code == 1


def test_inspect_damaged_graph_says_what_it_was(cli, savers, tmp_path):
    whole = (savers / "plain" / "model.ckpt-3.meta").read_bytes()
    (tmp_path / "m.meta").write_bytes(whole[:-50])
    result = cli("inspect", tmp_path / "m.meta")
    assert result.code == 1
    assert result.out.startswith(f"{tmp_path}/m.meta: a MetaGraphDef")
    assert "cut short or damaged" in result.out
    assert result.err.startswith(f"icefloe: {tmp_path}/m.meta")
    assert "error" in cli("inspect", tmp_path / "m.meta", "--json").json()


def test_inspect_shows_the_graphs_of_models_of_other_kinds(cli, tmp_path):
    fixtures = Path(__file__).resolve().parents[2] / "fixtures"
    for path in (fixtures / "tfjs" / "inline", fixtures / "tfjs" / "inline" / "model.json"):
        out = cli("inspect", path).out
        assert "ops         Const 7, Placeholder 1, Conv2D 1" in out
        assert "arithmetic  5.62 k operations a run\n" in out
    model = cli("inspect", fixtures / "weights" / "keras2.keras")
    assert "output  head     head/BiasAdd:0  float32  [?,2]" in model.out
    assert "tensors (35)" in model.out
    assert cli("inspect", fixtures / "weights" / "keras2.keras", "--json").json()["graph"]["nodes"] == 125


def test_inspect_shows_the_tensors_of_a_model_whose_layers_are_not_known(cli, tmp_path):
    path = tmp_path / "model.h5"
    config = {"class_name": "Sequential", "config": {"layers": [{"class_name": "Own", "config": {"name": "own"}}]}}
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(config)
        file.attrs["keras_version"] = "2.15.0"
        weights = file.create_group("model_weights")
        weights.attrs["layer_names"] = [b"own"]
        layer = weights.create_group("own")
        layer.attrs["weight_names"] = [b"own/kernel:0"]
        layer.create_dataset("own/kernel:0", data=np.zeros((2, 3), np.float32))
    result = cli("inspect", path)
    assert (result.code, "own/kernel  float32  [2,3]" in result.out) == (0, True)
    assert result.err.startswith("the layers are not shown: ")
    assert "Own" in cli("inspect", path, "--json").json()["no_graph"]


def test_a_path_that_is_nearly_right_is_named(cli, tmp_path):
    (tmp_path / "trained").mkdir()
    tf.save_checkpoint(tmp_path / "trained" / "model.ckpt-3", {"v": 1.0})
    missing = cli("inspect", tmp_path / "trainedd")
    assert missing.code == 1 and missing.err.strip() == f"Did you mean {tmp_path}/trained?"
    assert f"Did you mean {tmp_path}/trained?" in cli("ckpt", "ls", tmp_path / "trainedd").err
    assert "In that directory are: model.ckpt-3" in cli("identify", tmp_path / "trained" / "model.ckpt-30").err
    assert f"There are checkpoints in {tmp_path}/trained" in cli("inspect", tmp_path).err


def test_a_checkpoint_is_shown_with_its_graph(cli, savers):
    for path in ("model.ckpt-3", "."):
        shown = cli("inspect", savers / "plain" / path).out.splitlines()
        assert f"graph {savers / 'plain' / 'model.ckpt-3.meta'}" in shown


def test_a_directory_without_a_state_file_is_warned_of_once(cli, tmp_path, monkeypatch):
    for step in (3, 4):
        tf.save_checkpoint(tmp_path / f"model.ckpt-{step}", {"v": 1.0})
    (tmp_path / "checkpoint").unlink(missing_ok=True)
    said = []
    monkeypatch.setattr(logging.getLogger("icefloe"), "warning", lambda text, *args: said.append(text % args))
    assert cli("inspect", tmp_path).code == 0
    assert len([text for text in said if "no state file" in text]) == 1
