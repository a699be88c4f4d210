"""TensorFlow.js models, against what TensorFlow computes with the same graphs and weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import errors

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "tfjs"
MODELS = sorted(path.name for path in FOLDER.iterdir())


@pytest.mark.parametrize("name", MODELS)
def test_a_model_gives_what_tensorflow_gives(name: str) -> None:
    graph = icefloe.load_graph(FOLDER / name)
    expected = np.load(FOLDER / name / "expected.npz")
    feeds = {key[3:]: expected[key] for key in expected if key.startswith("in/")}
    feeds = {key: value.astype(object) if value.dtype.kind == "S" else value for key, value in feeds.items()}
    with graph.as_default(), icefloe.Session(graph=graph) as session:
        session.run(icefloe.tables_initializer())
        for key in (key for key in expected if key.startswith("out/")):
            np.testing.assert_allclose(session.run(key[4:], feeds), expected[key], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["sharded", "quantized_uint8"])
def test_the_signature_names_inputs_and_outputs(name: str) -> None:
    signature = icefloe.load_graph(FOLDER / name / "model.json").signature_defs["serving_default"]
    assert signature.inputs["image"].name == "x:0"
    assert signature.outputs["classes"].name == "y:0"


def test_quantized_numbers_are_those_of_javascript(tmp_path: Path) -> None:
    """In double precision, rounded once; integers by Math.round, which rounds halves up."""
    quantization = {"dtype": "uint8", "scale": 0.5, "min": -2.5}
    weights = [
        {"name": "f", "dtype": "float32", "shape": [3], "quantization": {"dtype": "uint8", "scale": 0.1, "min": -7.3}},
        {"name": "i", "dtype": "int32", "shape": [4], "quantization": quantization},
    ]
    graph = write(tmp_path, weights, bytes([0, 73, 255, 0, 1, 2, 8]), {"f": "DT_FLOAT", "i": "DT_INT32"})
    with icefloe.Session(graph=graph) as session:
        floats, integers = session.run(["f:0", "i:0"])
    assert floats.tolist() == np.array([n * 0.1 - 7.3 for n in (0, 73, 255)]).astype(np.float32).tolist()
    assert integers.tolist() == [-2, -2, -1, 2]


def write(folder: Path, weights: list[Any], data: bytes, dtypes: dict[str, str]) -> icefloe.Graph:
    nodes = [
        {"name": name, "op": "Const", "attr": {"dtype": {"type": dtype}, "value": {"tensor": {"dtype": dtype}}}}
        for name, dtype in dtypes.items()
    ]
    (folder / "w.bin").write_bytes(data)
    model = {"modelTopology": {"node": nodes}, "weightsManifest": [{"paths": ["w.bin"], "weights": weights}]}
    (folder / "model.json").write_text(json.dumps(model))
    return icefloe.load_graph(folder)


def test_bytes_other_than_0_are_true(tmp_path: Path) -> None:
    graph = write(tmp_path, [{"name": "b", "dtype": "bool", "shape": [3]}], bytes([0, 1, 7]), {"b": "DT_BOOL"})
    with icefloe.Session(graph=graph) as session:
        assert session.run("b:0").tolist() == [False, True, True]


def test_all_files_of_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "sharded", tmp_path / "model")
    for i in (1, 3):
        (tmp_path / "model" / f"group1-shard{i}of3.bin").unlink()
    with pytest.raises(
        errors.NotFoundError, match=r"2 of 3 files of weights are missing: group1-shard1of3\.bin, group1"
    ):
        icefloe.load_graph(tmp_path / "model")


def test_a_file_that_is_cut_is_damage(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "sharded", tmp_path / "model")
    path = tmp_path / "model" / "group1-shard3of3.bin"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(errors.DataLossError, match="weight 'v' has 1200 bytes, but only 1199 are left"):
        icefloe.load_graph(tmp_path / "model")


def test_a_weight_that_no_file_has_is_damage(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "functions", tmp_path / "model")
    path = tmp_path / "model" / "model.json"
    model = json.loads(path.read_text())
    model["weightsManifest"] = []
    path.write_text(json.dumps(model))
    with pytest.raises(errors.DataLossError, match="constants have no value in the files of weights: Const, "):
        icefloe.load_graph(path)


@pytest.mark.parametrize("name", ["../w.bin", "/etc/hostname", "a/../../w.bin"])
def test_files_outside_of_the_directory_are_refused(tmp_path: Path, name: str) -> None:
    model = {"modelTopology": {"node": []}, "weightsManifest": [{"paths": [name], "weights": []}]}
    (tmp_path / "model.json").write_text(json.dumps(model))
    with pytest.raises(errors.InvalidArgumentError, match="outside of the model's directory"):
        icefloe.load_graph(tmp_path / "model.json")
