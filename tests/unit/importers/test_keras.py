"""Keras models: what they compute is what Keras computes."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import icefloe as tf

MODELS = Path(__file__).resolve().parents[3] / "fixtures" / "keras" / "models.zip"


def _names() -> list[str]:
    with zipfile.ZipFile(MODELS) as archive:
        return [name for name in archive.namelist() if not name.endswith(".npz")]


def unpack(name: str, folder: Path) -> Path:
    with zipfile.ZipFile(MODELS) as archive:
        path = folder / name
        path.write_bytes(archive.read(name))
    return path


@pytest.mark.parametrize("name", _names())
def test_models_compute_what_keras_computes(name, tmp_path):
    graph = tf.load_graph(unpack(name, tmp_path))
    with zipfile.ZipFile(MODELS) as archive:
        expected = dict(np.load(io.BytesIO(archive.read(f"{name.rpartition('.')[0]}.npz"))))
    expected = {key: value.astype(object) if value.dtype.kind == "S" else value for key, value in expected.items()}
    inputs, outputs = graph.get_collection("model_inputs"), graph.get_collection("model_outputs")
    with tf.Session(graph=graph) as session:
        found = session.run(outputs, {x: expected[f"in{i}"] for i, x in enumerate(inputs)})
    for i, value in enumerate(found):
        np.testing.assert_allclose(value, expected[f"out{i}"], rtol=2e-4, atol=2e-3 if "mixed" in name else 2e-5)
        assert value.dtype == expected[f"out{i}"].dtype
        assert outputs[i].shape.is_compatible_with(value.shape)


def test_inputs_and_outputs_are_the_signature(tmp_path):
    graph = tf.load_graph(unpack("nested_2.h5", tmp_path))
    signature = graph.signature_defs["serving_default"]
    assert sorted(signature.inputs) == ["left", "right"]
    assert "sum" in signature.outputs
    assert [i.name for i in tf.graphs.io(graph).inputs] == ["left:0", "right:0"]


def test_a_keras_model_freezes_and_optimizes(tmp_path):
    graph = tf.load_graph(unpack("batch_norm_2.h5", tmp_path))
    assert tf.graphs.optimize(graph).check.status == "equal"


def test_all_unknown_layers_are_named(tmp_path):
    path = unpack("dense_2.h5", tmp_path)
    with h5py.File(path, "r+") as file:
        config = json.loads(file.attrs["model_config"])
        for layer, kind in zip(config["config"]["layers"][1:], ("Magic", "Wonder"), strict=True):
            layer["class_name"] = kind
        file.attrs["model_config"] = json.dumps(config)
    with pytest.raises(tf.errors.UnimplementedError, match="Magic, Wonder"):
        tf.load_graph(path)


def test_weights_alone_are_no_model(tmp_path):
    with h5py.File(tmp_path / "w.h5", "w") as file:
        file["dense/kernel"] = np.zeros(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="weights only"):
        tf.load_graph(tmp_path / "w.h5")


def test_another_zip_archive_is_no_model(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("notes.txt", "x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="no Keras model"):
        tf.load_graph(tmp_path / "a.zip")


def damaged(config: dict) -> list[dict]:
    """Return configurations that cannot be."""
    made = []
    for path, value in (
        (("config", "layers"), None),
        (("config", "layers", 1, "class_name"), 3),
        (("config", "layers", 1, "inbound_nodes"), [[["lost", 0, 0, {}]]]),
        (("config", "layers", 1, "inbound_nodes"), [[["dense", 0, 0, {}]]]),
        (("config", "layers", 1, "inbound_nodes"), [3]),
        (("config", "layers", 1, "config", "activation"), "magic"),
        (("config", "layers", 0, "config", "batch_input_shape"), [None, -4]),
        (("config", "output_layers"), [["lost", 0, 0]]),
        (("config", "output_layers"), [["dense", 5, 0]]),
        (("config", "input_layers"), []),
        (("config",), 7),
        (("class_name",), None),
    ):
        copy = json.loads(json.dumps(config))
        place = copy
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        made.append(copy)
    return made


@pytest.mark.parametrize("number", range(12))
def test_broken_configurations_are_errors_of_ours(number, tmp_path):
    path = unpack("dense_2.h5", tmp_path)
    with h5py.File(path, "r+") as file:
        config = json.loads(file.attrs["model_config"])
        name = config["config"]["layers"][1]["config"]["name"]
        config = json.loads(json.dumps(damaged(config)[number]).replace('"dense"', json.dumps(name)))
        file.attrs["model_config"] = json.dumps(config)
    with pytest.raises(tf.errors.OpError):
        tf.load_graph(path)


def test_wrong_numbers_of_weights_are_told(tmp_path):
    path = unpack("dense_2.h5", tmp_path)
    with h5py.File(path, "r+") as file:
        group = file["model_weights"]
        layer = next(name for name in group if len(group[name].attrs["weight_names"]) == 2)
        group[layer].attrs["weight_names"] = group[layer].attrs["weight_names"][:1]
    with pytest.raises(tf.errors.DataLossError, match="has 1 weights; expected 2"):
        tf.load_graph(path)


OP_LAYER = {
    "class_name": "TensorFlowOpLayer",
    "name": "tf_op_layer_add",
    "config": {
        "name": "add",
        "node_def": json.dumps(
            {
                "name": "add",
                "op": "ConcatV2",
                "input": ["a", "b", "c"],
                "attr": {"N": {"i": "2"}, "T": {"type": "DT_FLOAT"}},
            }
        ),
        "constants": {"1": [[5.0]], "2": 1},
    },
    "inbound_nodes": [[["x", 0, 0, {}]]],
}


def test_a_node_of_tensorflow_among_layers_has_its_constants(tmp_path):
    config = {
        "name": "model",
        "layers": [
            {"class_name": "InputLayer", "name": "x", "config": {"batch_input_shape": [1, 2]}, "inbound_nodes": []},
            OP_LAYER,
        ],
        "input_layers": [["x", 0, 0]],
        "output_layers": [["tf_op_layer_add", 0, 0]],
    }
    with h5py.File(tmp_path / "model.h5", "w") as file:
        file.attrs["model_config"] = json.dumps({"class_name": "Functional", "config": config})
        file.attrs["keras_version"] = "2.3.0-tf"
        file.create_group("model_weights").attrs["layer_names"] = []
    graph = tf.load_graph(tmp_path / "model.h5")
    with tf.Session(graph=graph) as session:
        found = session.run(graph.get_collection("model_outputs")[0], {"x:0": [[1.0, 2.0]]})
    assert found.tolist() == [[1.0, 2.0, 5.0]]


def test_a_lambda_is_named_for_what_it_is(tmp_path):
    path = unpack("dense_2.h5", tmp_path)
    with h5py.File(path, "r+") as file:
        config = json.loads(file.attrs["model_config"])
        config["config"]["layers"][-1]["class_name"] = "Lambda"
        file.attrs["model_config"] = json.dumps(config)
    with pytest.raises(tf.errors.UnimplementedError, match="Lambda .a Lambda holds Python code, which is not run"):
        tf.load_graph(path)
