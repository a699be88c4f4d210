"""`icefloe run`."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

import icefloe as tf


@pytest.fixture
def graph_file(tmp_path):
    """y = x * 2 + c, the strings s, and a file op."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        c = tf.placeholder_with_default(np.float32([1, 2]), [2], name="c")
        tf.add(x * 2.0, c, name="y")
        tf.identity(tf.placeholder(tf.string, [], name="s"), name="s_out")
        tf.no_op(name="nothing")
        restored = tf.raw_ops.RestoreV2(
            prefix=str(tmp_path / "secret"), tensor_names=["v"], shape_and_slices=[""], dtypes=[tf.float32]
        )
        tf.identity(restored[0], name="file")
    tf.save_checkpoint(tmp_path / "secret", {"v": 1.5})
    return tf.save_graph(graph, tmp_path / "graph.pb")


def test_literals(cli, graph_file):
    result = cli("run", graph_file, "y:0", "--feed", "x:0=[[1, 2]]")
    assert (result.code, result.out, result.err) == (0, "y:0  float32 [1,2]\n[[3., 6.]]\n", "")


@pytest.mark.parametrize("kind", ["npy", "npz", "npz named", "h5", "json", "stdin"])
def test_feeds_from_files(cli, graph_file, tmp_path, kind):
    x, other = np.float32([[1, 2], [3, 4]]), np.float32([9])
    stdin = None
    if kind == "npy":
        np.save(tmp_path / "x.npy", x)
        value = f"@{tmp_path}/x.npy"
    elif kind == "npz":
        np.savez(tmp_path / "x.npz", x=x)
        value = f"@{tmp_path}/x.npz"
    elif kind == "npz named":
        np.savez(tmp_path / "x.npz", **{"a/b": x, "other": other})
        value = f"@{tmp_path}/x.npz:a/b"
    elif kind == "h5":
        with h5py.File(tmp_path / "x.h5", "w") as file:
            file["a/b"], file["other"] = x, other
        value = f"@{tmp_path}/x.h5:a/b"
    elif kind == "json":
        (tmp_path / "x.json").write_text(json.dumps(x.tolist()))
        value = f"@{tmp_path}/x.json"
    else:
        value, stdin = "-", json.dumps(x.tolist())
    data = cli("run", graph_file, "y", "--feed", f"x={value}", "--json", stdin=stdin).json()
    assert data["fetches"] == [{"name": "y:0", "dtype": "float32", "shape": [2, 2], "value": [[3, 6], [7, 10]]}]


def test_text_and_default(cli, graph_file):
    result = cli("run", graph_file, "s_out", "--feed", "s=hello there")
    assert result.out == "s_out:0  string []\n'hello there'\n"
    assert cli("run", graph_file, "y", "--feed", "x=[[0, 0]]", "--feed", "c=[5, 6]").out.endswith("[[5., 6.]]\n")


def test_operation_as_target(cli, graph_file):
    assert (cli("run", graph_file, "nothing").code, cli("run", graph_file, "nothing").out) == (0, "")


@pytest.mark.parametrize("name", ["out.npz", "out.h5"])
def test_output_file(cli, graph_file, tmp_path, name):
    from icefloe_cli.arrays import read_arrays

    result = cli("run", graph_file, "y", "s_out", "--feed", "x=[[1, 2]]", "--feed", "s=t", "-o", tmp_path / name)
    assert (result.code, result.out) == (0, "")
    assert name in result.err
    found = dict(read_arrays(str(tmp_path / name)))
    np.testing.assert_array_equal(found["y:0"], [[3, 6]])
    assert found["s_out:0"] == b"t"


def test_nothing_to_fetch_lists_candidates(cli, graph_file):
    result = cli("run", graph_file)
    assert result.code == 2
    assert "the likely results are y:0" in result.err


@pytest.mark.parametrize(
    ("args", "code", "part"),
    [
        (["y"], 1, "You must feed a value for placeholder tensor 'x'"),
        (["nowhere"], 1, "nowhere"),
        (["y:7"], 1, "y"),
        (["y", "--feed", "x"], 2, "expected NAME=VALUE"),
        (["y", "--feed", "x=text"], 2, "expected a float32"),
        (["y", "--feed", "x=@none.npy"], 2, "no such file"),
        (["y", "--feed", "x=[1,2,3]"], 1, "x:0"),
        (["y", "--feed", "nothing=1"], 2, "has 0 outputs"),
    ],
)
def test_errors(cli, graph_file, args, code, part):
    result = cli("run", graph_file, *args)
    assert (result.code, result.out) == (code, "")
    assert part in result.err


def test_file_ops_are_refused_unless_allowed(cli, graph_file, tmp_path):
    refused = cli("run", graph_file, "file")
    assert refused.code == 1
    assert "may not read files" in refused.err
    assert cli("run", graph_file, "file", "--allow-files", tmp_path).out == "file:0  float32 []\n1.5\n"


def test_checkpoint_and_init(cli, savers):
    meta = savers / "plain" / "model.ckpt-3.meta"
    restored = cli("run", meta, "y", "step", "--feed", "x=[[1, 1], [2, 0]]", "--checkpoint", savers / "plain", "--json")
    with np.load(savers / "plain" / "expected.npz") as file:
        expected = dict(file)
    assert restored.json()["fetches"][0]["value"] == expected["y:0"].tolist()
    assert cli("run", meta, "step", "--init").out == "step:0  int64 []\n7\n"
    uninitialised = cli("run", meta, "y", "--feed", "x=[[1, 1]]")
    assert uninitialised.code == 1
    assert "uninitialized" in uninitialised.err
    assert f"--checkpoint {savers / 'plain' / 'model.ckpt-3'} restores variables" in uninitialised.err


@pytest.mark.parametrize("path", ["model.ckpt-3", "model.ckpt-3.index", "checkpoint", "."])
def test_a_checkpoint_is_run_with_its_values(cli, savers, path):
    given = cli("run", savers / "plain" / path, "y", "--feed", "x=[[1, 1], [2, 0]]", "--json")
    with np.load(savers / "plain" / "expected.npz") as file:
        assert given.json()["fetches"][0]["value"] == file["y:0"].tolist()
    assert cli("run", savers / "plain" / path, "step", "--init").out == "step:0  int64 []\n7\n"


def test_pbtxt_and_prefix(cli, savers):
    """A text graph runs too, and the prefix of a checkpoint stands for its `.meta`."""
    assert (
        "heads" not in cli("run", savers / "exports" / "whole.pbtxt", "last", "--init", "--feed", "outside=[1, 1]").err
    )
    assert cli("run", savers / "plain" / "model.ckpt-3.meta", "step", "--init").code == 0


def test_trace(cli, graph_file):
    result = cli("run", graph_file, "y:0", "s_out", "--feed", "x:0=[[1, 2]]", "--feed", 's="hi"', "--trace")
    assert result.code == 0 and result.err == ""
    lines = result.out.splitlines()
    steps = [line.split(" ms  ", 1) for line in lines[:-4]]
    assert all(float(time) >= 0 for time, _ in steps)
    assert [what for _, what in steps] == [
        "c/input  float32 [2] [1., 2.]",
        "c  float32 [2] [1., 2.]",
        "mul/y  float32 [] 2.",
        "mul  float32 [1,2] [[2., 4.]]",
        "y  float32 [1,2] [[3., 6.]]",
        "s_out  string [] 'hi'",
    ]
    assert lines[-4:] == ["y:0  float32 [1,2]", "[[3., 6.]]", "s_out:0  string []", "'hi'"]


def test_trace_as_json(cli, graph_file):
    data = cli("run", graph_file, "y", "--feed", "x:0=[[1, 2], [3, 4], [5, 6]]", "--trace", "--json").json()
    assert data["fetches"][0]["value"] == [[3, 6], [7, 10], [11, 14]]
    (step,) = [step for step in data["trace"] if step["name"] == "y"]
    assert step["outputs"] == [{"dtype": "float32", "shape": [3, 2]}] and step["seconds"] >= 0


def test_trace_up_to_an_error(cli, graph_file):
    result = cli("run", graph_file, "y", "--feed", "x:0=[[1, 2]]", "--feed", "c=[1, 2]", "file", "--trace")
    assert result.code == 1 and "may not read files" in result.err
    assert "RestoreV2/prefix" in result.out


def test_trace_shows_large_values_if_full(cli, graph_file):
    arguments = ("run", graph_file, "y", "--feed", "x:0=[[1, 2], [3, 4], [5, 6]]", "--trace")
    line = "y  float32 [3,2]"
    assert f"{line}\n" in cli(*arguments).out
    assert f"{line} [[ 3., 6.], [ 7., 10.], [11., 14.]]\n" in cli(*arguments, "--full").out


def test_variables_without_values_say_how_they_get_them(cli, tmp_path):
    with tf.Graph().as_default() as graph:
        tf.identity(tf.get_variable("v", initializer=2.0), name="y")
    file = tf.save_graph(graph, tmp_path / "graph.pb")
    result = cli("run", file, "y")
    assert result.code == 1
    assert "uninitialized value v" in result.err and "--init runs their initialisers" in result.err
    assert cli("run", file, "y", "--init").out == "y:0  float32 []\n2.\n"
