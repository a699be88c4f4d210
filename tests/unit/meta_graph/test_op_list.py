"""Ops that a graph uses, and attrs at their default."""

from __future__ import annotations

from icefloe import opdefs
from icefloe.meta_graph.op_list import (
    add_default_attributes,
    ops_used_by_graph_def,
    strip_default_attributes,
    stripped_op_list_for_graph,
)
from icefloe.proto import GraphDef


def calling_graph() -> GraphDef:
    """`f` is called by name and calls `g` through PartitionedCall; `unused` is not called."""
    graph = GraphDef()
    graph.node.add(name="x", op="Placeholder")
    graph.node.add(name="y", op="f")
    graph.node.add(name="z", op="NobodyKnowsThis")
    for name, node in (("f", "PartitionedCall"), ("g", "Tanh"), ("unused", "Cos")):
        function = graph.library.function.add()
        function.signature.name = name
        function.node_def.add(name="n", op=node)
    graph.library.function[0].node_def[0].attr["f"].func.name = "g"
    return graph


def test_functions_that_are_called_count():
    assert ops_used_by_graph_def(calling_graph()) == ["NobodyKnowsThis", "PartitionedCall", "Placeholder", "Tanh"]


def test_registered_ops_are_listed_sorted():
    listed = stripped_op_list_for_graph(calling_graph()).op
    assert [op.name for op in listed] == ["PartitionedCall", "Placeholder", "Tanh"]
    assert listed[2] == opdefs.get("Tanh")


def test_defaults_are_stripped_and_added_again():
    graph = GraphDef()
    node = graph.node.add(name="m", op="MatMul")
    node.attr["transpose_a"].b = False
    node.attr["transpose_b"].b = True
    node.attr["T"].type = 1
    node.attr["_output_shapes"].list.shape.add()
    inner = graph.library.function.add().node_def.add(name="n", op="ArgMax")
    inner.attr["output_type"].type = 9
    graph.node.add(name="c", op="Custom").attr["k"].i = 0
    strip_default_attributes(graph)
    assert set(node.attr) == {"transpose_b", "T", "_output_shapes"}
    assert not inner.attr
    assert set(graph.node[1].attr) == {"k"}
    add_default_attributes(graph)
    assert set(node.attr) == {"transpose_a", "transpose_b", "grad_a", "grad_b", "T", "_output_shapes"}
    assert node.attr["transpose_b"].b is True
    assert inner.attr["output_type"].type == 9
