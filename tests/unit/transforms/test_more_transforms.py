"""Casting constants, moving them into checkpoints, renaming, stitching."""

from __future__ import annotations

import numpy as np
import pytest

import icefloe as tf
from icefloe.graph import graph_file


def run(transformed, feeds, names):
    with tf.Session(graph=tf.load_graph(transformed.graph_def)) as session:
        return session.run(names, feeds)


def layer(scope="", seed=0, size=64):
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default() as graph, tf.name_scope(scope):
        x = tf.placeholder(tf.float32, [None, size], name="x")
        w = tf.constant(rng.normal(size=(size, size)) / size, tf.float32, name="w")
        tf.tanh(tf.matmul(x, w), name="y")
    return graph


@pytest.mark.parametrize("dtype", ["half", "bfloat16"])
def test_cast_halves_the_constants(dtype):
    graph = layer()
    found = tf.graphs.cast(graph, ["y"], dtype=dtype)
    assert found.check.status == "equal"
    assert len(found.graph_def.SerializeToString()) < 0.6 * len(graph.as_graph_def().SerializeToString())
    assert found.graph_def.node[1].op == "Cast" or "Cast" in [node.op for node in found.graph_def.node]


def test_cast_leaves_what_is_too_large():
    with tf.Graph().as_default() as graph:
        tf.add(
            tf.placeholder(tf.float32, [32], name="x"), tf.constant(np.full(32, 1e6, np.float32), name="c"), name="y"
        )
    found = tf.graphs.cast(graph, ["y"])
    assert "c: 32 values are too large for float16; it is left" in found.passes[0].notes
    assert "Cast" not in [node.op for node in found.graph_def.node]


def test_cast_to_another_dtype_is_refused():
    with pytest.raises(ValueError, match="half or bfloat16"):
        tf.graphs.cast(layer(), ["y"], dtype="int8")


def test_unconst_moves_constants_into_a_checkpoint(tmp_path):
    graph = layer()
    found = tf.graphs.unconst(graph, tmp_path / "big", ["y"], min_bytes=1000)
    assert found.check.status == "equal"
    with tf.open_checkpoint(tmp_path / "big") as reader:
        assert list(reader) == ["w"]
    x = np.ones((1, 64), np.float32)
    with tf.Session(graph=graph) as session:
        expected = session.run("y:0", {"x:0": x})
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(str(tmp_path / "big.meta"))
        saver.restore(session, str(tmp_path / "big"))
        np.testing.assert_array_equal(session.run("y:0", {"x:0": x}), expected)


def test_unconst_of_small_constants_only(tmp_path):
    with pytest.raises(ValueError, match="no constant"):
        tf.graphs.unconst(layer(size=2), tmp_path / "big", ["y"])
    assert not list(tmp_path.iterdir())


def test_a_graph_over_the_limit_is_refused_with_the_list(monkeypatch, tmp_path):
    monkeypatch.setattr(graph_file, "MAX_FILE", 10_000)
    graph = layer()
    for source in (graph, graph.as_graph_def()):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)no protocol buffer holds more.*  w\n.*unconst"):
            tf.save_graph(source, tmp_path / "big.pb")
    assert not list(tmp_path.iterdir())


def test_freezing_over_the_limit_is_refused_with_the_list(monkeypatch, tmp_path):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.Variable(np.zeros(4000, np.float32), name="large")
        tf.identity(v, name="y")
        session.run(tf.global_variables_initializer())
        monkeypatch.setattr(graph_file, "MAX_FILE", 10_000)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"16,000 bytes  large"):
            tf.graphs.freeze(graph, session=session, outputs=["y"])


def test_rename_by_map_and_by_function():
    found = tf.graphs.rename(layer("net"), {"net/w": "kernel"}, ["net/y"])
    assert [node.name for node in found.graph_def.node] == ["net/x", "kernel", "net/MatMul", "net/y"]
    assert found.check.status == "equal"
    found = tf.graphs.rename(layer("net"), lambda name: name.replace("net/", "other/"), ["net/y"])
    assert found.outputs == ("other/y:0",)
    assert found.inputs == ("other/x:0",)
    assert found.check.status == "equal"


def test_rename_moves_control_inputs_and_colocation():
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0, name="a")
        with tf.control_dependencies([a]), tf.colocate_with(a):
            tf.constant(2.0, name="b")
    found = tf.graphs.rename(graph, {"a": "c"}, ["b"])
    node = found.graph_def.node[1]
    assert list(node.input) == ["^c"]
    assert list(node.attr["_class"].list.s) == [b"loc:@c"]


@pytest.mark.parametrize(
    ("names", "error", "match"),
    [
        ({"net/w": "net/x"}, tf.errors.InvalidArgumentError, "both be called"),
        ({"net/w": "a b"}, tf.errors.InvalidArgumentError, "no name of a node"),
        ({"nowhere": "a"}, KeyError, "nowhere"),
    ],
)
def test_names_that_cannot_be(names, error, match):
    with pytest.raises(error, match=match):
        tf.graphs.rename(layer("net"), names, ["net/y"])


def test_stitch_joins_two_graphs():
    first, second = layer(seed=1), layer(seed=2)
    found = tf.graphs.stitch(first, second, {"x": "y"}, ["y"], prefix="head")
    assert found.outputs == ("head/y:0",)
    assert found.inputs == ("x:0",)
    assert found.check.status == "equal"
    x = np.full((2, 64), 0.5, np.float32)
    with tf.Session(graph=first) as one, tf.Session(graph=second) as two:
        expected = two.run("y:0", {"x:0": one.run("y:0", {"x:0": x})})
    np.testing.assert_array_equal(run(found, {"x:0": x}, "head/y:0"), expected)


def test_stitch_that_does_not_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        tf.graphs.stitch(layer(size=4), layer(size=5), {"x": "y"}, ["y"], prefix="head")
    with pytest.raises(tf.errors.InvalidArgumentError, match="give a prefix"):
        tf.graphs.stitch(layer(), layer(), {"x": "y"}, ["y"])
