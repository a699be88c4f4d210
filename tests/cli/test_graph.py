"""`icefloe graph`: io, ops, match, diff, dot."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import icefloe as tf


@pytest.fixture
def model(tmp_path):
    """A .meta with its checkpoint: `y = x w + b`, trained by nobody."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", [2, 3])
        tf.nn.softmax(tf.matmul(x, w), name="y")
        tf.train.write_graph(graph, str(tmp_path), "graph.pb", as_text=False)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return tf.train.Saver().save(sess, str(tmp_path / "model"))


def test_io_lists_inputs_and_likely_outputs(cli, model):
    result = cli("graph", "io", f"{model}.meta")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "inputs (1)"
    assert lines[2].split()[:3] == ["x:0", "float32", "[?,2]"]
    assert next(line for line in lines if line.startswith("y:0")).split()[2] == "[?,3]"
    data = json.loads(cli("graph", "io", f"{model}.meta", "--json").out)
    assert data["schema"] == "icefloe.graph.io/1"
    assert [o["name"] for o in data["outputs"]] == ["y:0"]


def test_ops_counts_and_says_what_runs(cli, model):
    result = cli("graph", "ops", f"{model}.meta")
    assert result.code == 0
    assert "fetches y:0" in result.out
    assert result.out.splitlines()[-1] == "all of them run"


def test_ops_that_are_missing_are_1(cli, tmp_path):
    definition = tf.proto.GraphDef()
    definition.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    definition.node.add(name="odd", op="OfNobody", input=["x"])
    definition.node.add(name="y", op="Neg", input=["odd"]).attr["T"].type = 1
    (tmp_path / "odd.pb").write_bytes(definition.SerializeToString())
    assert cli("graph", "ops", tmp_path / "odd.pb", "--fetch", "odd").code == 1
    result = cli("graph", "ops", tmp_path / "odd.pb", "--fetch", "y")
    assert result.code == 1
    assert "unknown op" in result.out
    assert "feed: odd:0" in result.out
    data = json.loads(cli("graph", "ops", tmp_path / "odd.pb", "--fetch", "y:0", "--json").out)
    assert data["runs"] is False
    assert data["missing"][0]["path"] == ["y", "odd"]


def test_match_reports_and_tells_by_its_code(cli, model, tmp_path):
    assert cli("graph", "match", f"{model}.meta", model).code == 0
    with tf.Graph().as_default() as graph:
        tf.get_variable("scope/w", [2, 3])
        tf.train.export_meta_graph(str(tmp_path / "other.meta"), graph=graph)
    result = cli("graph", "match", tmp_path / "other.meta", model)
    assert result.code == 1
    assert "did you mean w?" in result.out
    assert "s/^/scope\\//" in result.out


def test_diff_tells_by_its_code(cli, model, tmp_path):
    assert cli("graph", "diff", f"{model}.meta", f"{model}.meta").out == "the graphs are the same\n"
    result = cli("graph", "diff", tmp_path / "graph.pb", f"{model}.meta")
    assert result.code == 1
    assert "only in B" in result.out
    assert json.loads(cli("graph", "diff", tmp_path / "graph.pb", f"{model}.meta", "--json").out)["only_a"] == []


def test_dot_is_written_to_stdout_or_a_file(cli, model, tmp_path):
    text = cli("graph", "dot", tmp_path / "graph.pb").out
    assert text.startswith("digraph")
    assert cli("graph", "dot", tmp_path / "graph.pb", "-o", tmp_path / "g.dot").out == ""
    assert (tmp_path / "g.dot").read_text() == text


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it(cli, model, tmp_path):
    cli("graph", "dot", tmp_path / "graph.pb", "-o", tmp_path / "g.dot")
    subprocess.run(["dot", "-Tsvg", "-o", str(tmp_path / "g.svg"), str(tmp_path / "g.dot")], check=True)
    assert b"<svg" in (tmp_path / "g.svg").read_bytes()


@pytest.mark.parametrize("command", ["io", "ops", "dot"])
def test_what_is_no_graph_is_named(cli, tmp_path, command):
    (tmp_path / "x.pb").write_text("<!DOCTYPE html><html></html>")
    result = cli("graph", command, tmp_path / "x.pb")
    assert result.code == 1
    assert "HTML" in result.err


def test_freeze_takes_the_checkpoint_beside(cli, model, tmp_path):
    result = cli("graph", "freeze", model, "-o", tmp_path / "frozen.pb")
    assert result.code == 0
    assert "check    equal" in result.out
    assert result.err.startswith(f"{tmp_path}/frozen.pb: ")
    assert cli("run", tmp_path / "frozen.pb", "y", "--feed", "x=[[1, 2]]").code == 0
    data = json.loads(cli("graph", "freeze", f"{model}.meta", model, "-o", tmp_path / "f.pbtxt", "--json").out)
    assert data["outputs"] == ["y:0"]
    assert data["check"]["status"] == "equal"


def test_freeze_without_values_writes_nothing(cli, model, tmp_path):
    result = cli("graph", "freeze", tmp_path / "graph.pb", "-o", tmp_path / "frozen.pb")
    assert result.code == 1
    assert "give the checkpoint" in result.err
    assert not (tmp_path / "frozen.pb").exists()


def test_freeze_of_a_saved_model(cli, tmp_path):
    source = Path(__file__).resolve().parents[2] / "fixtures" / "freezing" / "nested"
    result = cli("graph", "freeze", source, "-o", tmp_path / "frozen.pb")
    assert result.code == 0
    assert "check    equal" in result.out


@pytest.mark.parametrize("command", ["extract", "strip", "optimize", "fix"])
def test_a_transform_writes_a_graph_that_runs(cli, model, tmp_path, command):
    cli("graph", "freeze", model, "-o", tmp_path / "frozen.pb")
    result = cli("graph", command, tmp_path / "frozen.pb", "-o", tmp_path / "new.pb")
    assert result.code == 0
    assert "check    equal" in result.out
    assert cli("graph", "diff", tmp_path / "new.pb", tmp_path / "new.pb").code == 0
    feed = ["--feed", "x=[[1, 2]]"]
    assert cli("run", tmp_path / "new.pb", "y", *feed).out == cli("run", tmp_path / "frozen.pb", "y", *feed).out


def test_fix_of_what_no_tool_reads(cli, tmp_path):
    definition = tf.proto.GraphDef()
    definition.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    definition.node.add(name="y", op="Neg", input=["x", "^gone"]).attr["T"].type = 1
    (tmp_path / "broken.pb").write_bytes(definition.SerializeToString())
    assert cli("run", tmp_path / "broken.pb", "y", "--feed", "x=1").code == 1
    assert cli("graph", "fix", tmp_path / "broken.pb", "-o", tmp_path / "fixed.pb").code == 0
    assert cli("run", tmp_path / "fixed.pb", "y", "--feed", "x=1").out.endswith("-1.\n")


def test_fix_of_what_is_no_graph(cli, tmp_path):
    (tmp_path / "page.pb").write_text("<!DOCTYPE html><html></html>")
    result = cli("graph", "fix", tmp_path / "page.pb", "-o", tmp_path / "fixed.pb")
    assert result.code == 1
    assert "HTML" in result.err
    assert not (tmp_path / "fixed.pb").exists()


@pytest.fixture
def frozen(cli, model, tmp_path):
    assert cli("graph", "freeze", model, "-o", tmp_path / "frozen.pb").code == 0
    return tmp_path / "frozen.pb"


def test_rename_by_rules(cli, frozen, tmp_path):
    result = cli("graph", "rename", frozen, "s/^y$/probabilities/", "x=images", "-o", tmp_path / "new.pb")
    assert result.code == 0
    assert "inputs   images:0" in result.out
    assert "outputs  probabilities:0" in result.out
    assert cli("graph", "rename", frozen, "nonsense", "-o", tmp_path / "new.pb").code == 2
    assert cli("graph", "rename", frozen, "lost=new", "-o", tmp_path / "new.pb").code == 1


def test_cast_and_unconst(cli, frozen, tmp_path):
    result = cli("graph", "cast", frozen, "--min-elements", 1, "-o", tmp_path / "half.pb")
    assert result.code == 0
    assert "12 bytes less" in result.out
    result = cli("graph", "unconst", frozen, tmp_path / "p", "--min-bytes", 1)
    assert result.code == 0
    assert "check    equal" in result.out
    assert cli("ckpt", "ls", tmp_path / "p").out.startswith("name")
    assert cli("graph", "unconst", frozen, tmp_path / "q").code == 1


def test_stitch(cli, tmp_path):
    for name, op in (("a", tf.exp), ("b", tf.negative)):
        with tf.Graph().as_default() as graph:
            op(tf.placeholder(tf.float32, [2], name=f"{name}_in"), name=f"{name}_out")
        tf.save_graph(graph, tmp_path / f"{name}.pb")
    args = ["graph", "stitch", tmp_path / "a.pb", tmp_path / "b.pb", "-o", tmp_path / "c.pb"]
    assert cli(*args, "--join", "b_in=a_out").code == 0
    assert cli("run", tmp_path / "c.pb", "b_out", "--feed", "a_in=[0, 0]").out.endswith("[-1., -1.]\n")
    assert cli(*args, "--join", "b_in").code == 2


def test_a_transform_writes_to_a_pipe(model, tmp_path):
    command = [sys.executable, "-c", "from icefloe_cli.main import main; main()", "graph", "freeze", str(model)]
    done = subprocess.run([*command, "-o", "-"], capture_output=True, check=True, cwd=tmp_path)
    assert [o.name for o in tf.graphs.io(tf.load_graph(done.stdout)).outputs] == ["y:0"]
    assert b"nodes before" in done.stderr
    assert not list(tmp_path.glob("-"))
