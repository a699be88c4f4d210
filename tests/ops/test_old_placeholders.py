"""A placeholder of an old graph whose shape is empty may be of any shape; of a newer one it is a scalar."""

from __future__ import annotations

import pytest

import icefloe as tf
from icefloe.proto import GraphDef


@pytest.mark.parametrize(
    ("producer", "shape"), [(0, None), (8, None), (21, None), (22, ()), (2474, ())]
)  # as TensorFlow 2.21 infers them
def test_empty_shape_of_a_placeholder(producer, shape):
    definition = GraphDef()
    definition.versions.producer = producer
    node = definition.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = 1
    node.attr["shape"].shape.SetInParent()
    definition.node.add(name="y", op="Identity", input=["x"]).attr["T"].type = 1
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(definition, name="")
    for graph in (imported, tf.load_graph(definition)):
        assert graph.get_tensor_by_name("x:0").shape == tf.TensorShape(shape)
        with tf.Session(graph=graph) as session:
            assert session.run("y:0", {"x:0": 2.0}) == 2.0
            if shape is None:
                assert session.run("y:0", {"x:0": [[1.0]]}).shape == (1, 1)
