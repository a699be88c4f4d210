"""Ops, differences, costs, drawings of graphs, and how checkpoints fit them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import icefloe as tf


def graph_with_missing_op() -> tf.Graph:
    definition = tf.proto.GraphDef()
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.exp(x, name="before")
        definition.CopyFrom(graph.as_graph_def())
    definition.node.add(name="strange", op="OfNobody", input=["before"])
    definition.node.add(name="after", op="Neg", input=["strange"]).attr["T"].type = 1
    return tf.load_graph(definition)


def test_ops_that_are_in_the_way():
    found = tf.graphs.ops(graph_with_missing_op(), ["after"])
    assert not found.runs
    assert [(m.name, m.reason, m.path) for m in found.missing] == [("strange", "unknown op", ("after", "strange"))]
    assert found.feed_instead == ("strange:0",)
    assert found.computable == ("before:0",)
    assert {c.op: c.status for c in found.ops}["OfNobody"] == "unknown op"


def test_ops_that_a_fetch_does_not_need_are_not_in_the_way():
    assert tf.graphs.ops(graph_with_missing_op(), ["before:0"]).runs


def test_feeding_what_is_missing_lets_the_fetch_run():
    graph = graph_with_missing_op()
    found = tf.graphs.ops(graph, ["after"])
    assert tf.graphs.ops(graph, ["after:0"], found.feed_instead).runs
    with tf.Session(graph=graph) as sess:
        assert sess.run("after:0", {"strange:0": [1.0, 2.0]}).tolist() == [-1.0, -2.0]


def test_ops_inside_functions_are_found():
    graph = graph_with_missing_op()
    function = tf.proto.FunctionDef()
    function.signature.name = "inner"
    function.node_def.add(name="odd", op="AlsoOfNobody")
    graph.add_function(function) if hasattr(graph, "add_function") else graph._add_function(function)
    definition = graph.as_graph_def()
    call = definition.node.add(name="call", op="PartitionedCall")
    call.attr["f"].func.name = "inner"
    call.attr["Tin"].list.SetInParent()
    call.attr["Tout"].list.type.append(1)
    found = tf.graphs.ops(tf.load_graph(definition), ["call:0"])
    assert [(m.name, m.op, m.function) for m in found.missing] == [("call", "AlsoOfNobody", "inner")]
    assert found.feed_instead == ("call:0",)


def test_dtypes_that_a_kernel_refuses_are_in_the_way():
    definition = tf.proto.GraphDef()
    definition.node.add(name="x", op="Placeholder").attr["dtype"].type = tf.int32.as_datatype_enum
    definition.node.add(name="y", op="Erf", input=["x"]).attr["T"].type = tf.int32.as_datatype_enum
    found = tf.graphs.ops(tf.load_graph(definition), ["y:0"])
    assert [m.name for m in found.missing] == ["y"]


def test_a_name_that_is_not_there():
    with pytest.raises((KeyError, ValueError)):
        tf.graphs.ops(graph_with_missing_op(), ["nowhere:0"])


def two_graphs(change=lambda: None):
    graphs = []
    for second in (False, True):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [None, 2], name="x")
            w = tf.constant([[1.0], [2.0 if second else 3.0]], name="w")
            tf.matmul(x, w, transpose_a=False, name="y")
            if second:
                tf.identity(x, name="more")
            else:
                tf.identity(x, name="less")
        graphs.append(graph)
    return graphs


def test_diff_tells_nodes_and_constants():
    found = tf.graphs.diff(*two_graphs())
    assert not found.same
    assert (found.only_a, found.only_b, found.equal) == (("less",), ("more",), 2)
    assert [(c.node, c.what) for c in found.changes] == [("w", "value")]
    assert "3." in found.changes[0].a
    assert "2." in found.changes[0].b


def test_a_graph_is_the_same_as_itself_with_defaults_left_out():
    graph = two_graphs()[0]
    stripped = graph.as_graph_def()
    for node in stripped.node:
        for name in ("transpose_a", "transpose_b"):
            if name in node.attr:
                del node.attr[name]
    assert tf.graphs.diff(graph, tf.load_graph(stripped)).same


def test_diff_of_devices_is_a_choice():
    graphs = []
    for device in ("/cpu:0", "/gpu:0"):
        with tf.Graph().as_default() as graph, tf.device(device):
            tf.constant(1.0, name="c")
        graphs.append(graph)
    assert [c.what for c in tf.graphs.diff(*graphs).changes] == ["device"]
    assert tf.graphs.diff(*graphs, devices=False).same


def test_costs_of_layers():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 8, 8, 3], name="x")
        with tf.variable_scope("conv"):
            y = tf.nn.conv2d(x, tf.get_variable("kernel", [3, 3, 3, 5]), 1, "SAME")
        with tf.variable_scope("dense"):
            tf.matmul(tf.reshape(y, [4, 320]), tf.get_variable("kernel", [320, 7]))
    found = tf.graphs.costs(graph)
    scopes = {row.scope: row for row in found.scopes}
    assert scopes["conv"].flops == 2 * 4 * 8 * 8 * 5 * 27
    assert scopes["dense"].flops == 2 * 4 * 320 * 7
    assert scopes["conv"].parameters == 135
    assert found.total.parameter_bytes == 4 * (135 + 2240)
    assert found.total.flops == scopes["conv"].flops + scopes["dense"].flops


def test_costs_of_frozen_graphs_count_constants():
    with tf.Graph().as_default() as graph:
        tf.matmul(tf.placeholder(tf.float32, [None, 3]), tf.constant(np.zeros((3, 2), np.float32), name="net/w"))
    found = tf.graphs.costs(graph)
    assert found.total.parameters == 6
    assert found.total.flops == 12


def test_costs_of_einsum():
    with tf.Graph().as_default() as graph:
        tf.einsum("bij,bjk->bik", tf.placeholder(tf.float32, [2, 3, 4]), tf.placeholder(tf.float32, [2, 4, 5]))
        tf.raw_ops.Einsum(inputs=[tf.zeros([2, 3]), tf.zeros([3, 7])], equation="ij,jk->ik", name="e")
    assert tf.graphs.costs(graph).total.flops >= 2 * 2 * 3 * 7


def test_dot_has_nodes_and_edges_once():
    with tf.Graph().as_default() as graph:
        with tf.name_scope('a"quoted'.replace('"', "_")):
            x = tf.placeholder(tf.float32, [2, None], name="x")
        with tf.control_dependencies([x]):
            tf.add(x, x, name="y")
    text = tf.graphs.dot(graph)
    assert text.startswith("digraph")
    assert len(re.findall(r'"a_quoted/x" -> "y"', text)) == 1
    assert "2x?" in text
    assert '"a_quoted" [label="a_quoted\\n1 node"' in tf.graphs.dot(graph, depth=1)
    assert '"y"' not in tf.graphs.dot(graph, fetches=["a_quoted/x:0"])


@pytest.fixture
def checkpoint(tmp_path):
    with tf.Graph().as_default():
        with tf.variable_scope("old/net"):
            tf.get_variable("w", [2, 3])
            tf.get_variable("b", [3])
        tf.get_variable("other", [1])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return tf.train.Saver().save(sess, str(tmp_path / "m"))


def test_match_suggests_a_substitution(checkpoint):
    with tf.Graph().as_default() as graph:
        with tf.variable_scope("new/net"):
            tf.get_variable("w", [2, 3])
            tf.get_variable("b", [3])
        tf.get_variable("other", [1])
    found = tf.graphs.match(graph, checkpoint)
    assert not found.fits
    assert [w.key for w in found.report.matched] == ["other"]
    assert found.renames == {"old/net/w": "new/net/w", "old/net/b": "new/net/b"}
    assert found.rules == ("s/old/new/",)


def test_match_suggests_a_scope(checkpoint):
    with tf.Graph().as_default() as graph, tf.variable_scope("net"):
        tf.get_variable("w", [2, 3])
        tf.get_variable("b", [3])
    assert tf.graphs.match(graph, checkpoint).rules == (r"s/^old\///",)


def test_match_that_fits(checkpoint):
    with tf.Graph().as_default() as graph:
        tf.get_variable("other", [1])
    found = tf.graphs.match(graph, checkpoint)
    assert found.fits
    assert found.report.unexpected == ("old/net/b", "old/net/w")
