"""`icefloe run` and `inspect` of SavedModels."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf

MODELS = Path(__file__).resolve().parents[2] / "fixtures" / "saved_models"


def test_call_the_default_signature(cli):
    result = cli("run", MODELS / "simple", "--input", "x=[[1, 2]]")
    assert result.code == 0
    assert result.out == "twice  float32 [1,3]\n[[19., 23., 30.]]\ny  float32 [1,3]\n[[ 9.5, 11.5, 15. ]]\n"


def test_call_a_signature_by_name_and_tags(cli):
    result = cli(
        "run",
        MODELS / "tables",
        "--signature",
        "serving_default",
        "--tags",
        "serve,again",
        "--input",
        'words=["green"]',
        "--json",
    )
    assert result.json() == {
        "schema": "icefloe.run/1",
        "graph": str(MODELS / "tables"),
        "tags": ["serve", "again"],
        "signature": "serving_default",
        "outputs": [{"name": "ids", "dtype": "int64", "shape": [1], "value": [10]}],
    }
    assert cli("run", MODELS / "resource", "--signature", "regress", "--input", 'inputs=["1.5"]').code == 0


def test_inputs_and_outputs_in_files(cli, tmp_path):
    np.save(tmp_path / "x.npy", np.float32([[1, 2]]))
    result = cli("run", MODELS / "simple", "--input", f"x=@{tmp_path}/x.npy", "-o", tmp_path / "y.npz")
    assert result.code == 0
    with np.load(tmp_path / "y.npz") as file:
        np.testing.assert_array_equal(file["y"], [[9.5, 11.5, 15]])


def test_fetch_from_the_restored_graph(cli):
    assert (
        cli("run", MODELS / "simple", "y", "--feed", "x=[[0, 0]]").out == "y:0  float32 [1,3]\n[[ 0.5, -0.5,  0. ]]\n"
    )
    assert cli("run", MODELS / "simple", "w", "--json").json()["fetches"][0]["value"] == [[1, 2, 3], [4, 5, 6]]


def test_a_model_of_objects(cli):
    result = cli("run", MODELS / "objects", "--input", 'words=["blue", "grey"]', "--json")
    assert result.json()["outputs"][0]["value"] == [2, -1]


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (("simple",), 2, "--input x=VALUE   float32 [?,2]"),
        (
            ("simple", "--signature", "other"),
            1,
            'Could not find signature "other". Please choose from: serving_default',
        ),
        (("simple", "--tags", "gpu"), 1, "no graph with the tags gpu"),
        (("simple", "--input", "z=1", "--input", "x=[[1,2]]"), 1, "no input 'z'; its inputs are 'x'"),
        (("simple", "--input", "z=1"), 2, "has no input 'z'; it takes\n  --input x=VALUE   float32 [?,2]"),
        (("simple", "--input", "x=[1]"), 1, "expected shape [?, 2], got [1]"),
        (("simple", "--input", "x=one"), 2, "expected a float32"),
        (("simple", "--input", "x"), 2, "expected NAME=VALUE"),
        (("simple", "--feed", "x:0=1"), 2, "--input KEY=VALUE"),
        (("simple", "y", "--input", "x=1"), 2, "Either FETCH"),
        (("simple", "y", "--init"), 2, "no --init"),
        (("objects", "--signature", "dense"), 2, "--input x=VALUE   float32 [?,2]"),
        (("signed", "--signature", "sum", "--json"), 0, ""),
    ],
)
def test_what_does_not_fit(cli, args, code, text):
    result = cli("run", MODELS / args[0], *args[1:])
    assert result.code == code
    assert text in result.err


def test_signatures_and_tags_are_for_saved_models(cli, tmp_path):
    path = tf.save_graph(tf.load_graph(MODELS / "simple"), tmp_path / "graph.pb")
    result = cli("run", path, "y", "--signature", "serving_default")
    assert (result.code, "are for SavedModels" in result.err) == (2, True)
    assert cli("inspect", path, "--tags", "serve").code == 2


def test_several_signatures_and_no_default(cli, tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [], name="x")
        signature = tf.saved_model.predict_signature_def({"x": x}, {"y": x + 1.0})
        builder = tf.saved_model.Builder(tmp_path / "m")
        builder.add_meta_graph_and_variables(sess, ["serve"], {"a": signature, "b": signature})
        builder.save()
    result = cli("run", tmp_path / "m", "--input", "x=1")
    assert (result.code, "Say which --signature; there are: a, b" in result.err) == (2, True)
    assert cli("run", tmp_path / "m", "--signature", "b", "--input", "x=1").out == "y  float32 []\n2.\n"


def test_the_files_of_others_are_refused(cli, tmp_path):
    """A graph reads its own assets, and nothing else."""
    (tmp_path / "secret").write_text("secret")
    with tf.Graph().as_default(), tf.Session() as sess:
        path = tf.placeholder(tf.string, [], name="path")
        signature = tf.saved_model.predict_signature_def({"path": path}, {"text": tf.read_file(path)})
        builder = tf.saved_model.Builder(tmp_path / "m")
        builder.add_meta_graph_and_variables(sess, ["serve"], {"serving_default": signature})
        builder.save()
    result = cli("run", tmp_path / "m", "--input", f"path={tmp_path}/secret")
    assert (result.code, result.out, "may not read files" in result.err) == (1, "", True)
    assert "secret" in cli("run", tmp_path / "m", "--input", f"path={tmp_path}/secret", "--allow-files", tmp_path).out


def test_inspect(cli):
    data = cli("inspect", MODELS / "tables", "--json").json()
    assert data["kind"] == "saved_model_directory"
    assert [graph["tags"] for graph in data["saved_model"]["graphs"]] == [["serve"], ["serve", "again"]]
    assert data["saved_model"]["graphs"][0]["assets"] == {"path:0": "vocabulary.txt"}
    assert data["graph"]["nodes"] == data["saved_model"]["graphs"][0]["nodes"]
    text = cli("inspect", MODELS / "tables").out
    for part in ("graphs (2)", "initialised by  main", "vocabulary.txt (path:0)", "signature serving_default"):
        assert part in text
    other = cli("inspect", MODELS / "tables", "--tags", "again,serve", "--json").json()
    assert other["graph"]["nodes"] == data["saved_model"]["graphs"][1]["nodes"]


def test_inspect_objects(cli):
    text = cli("inspect", MODELS / "objects").out
    assert "inner.shift" in text
    assert "variable 3" in text


def test_inspect_what_cannot_be_read(cli, tmp_path):
    shutil.copytree(MODELS / "simple", tmp_path / "m")
    file = tmp_path / "m" / "saved_model.pb"
    file.write_bytes(file.read_bytes()[:3000])
    result = cli("inspect", tmp_path / "m")
    assert result.code == 1
    assert "cut short or damaged" in result.out
    missing = cli("inspect", MODELS / "tables", "--tags", "gpu")
    assert (missing.code, "no graph with the tags gpu" in missing.err) == (1, True)


def test_identify_forms(cli, tmp_path):
    assert cli("identify", MODELS / "simple").out.endswith("simple: the directory of a SavedModel of 1 graph (serve)\n")
    (tmp_path / "tfhub_module.pb").write_bytes(b"\x08\x03")
    shutil.copy(MODELS / "sparse" / "saved_model.pb", tmp_path / "saved_model.pb")
    text = "the directory of a SavedModel of 1 graph (no tags), a module of TensorFlow Hub\n"
    assert cli("identify", tmp_path).out.endswith(text)
