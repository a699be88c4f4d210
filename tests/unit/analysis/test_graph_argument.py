"""What functions about graphs take: a graph, a message of one; one name where several may be given."""

from __future__ import annotations

import pathlib

import pytest

import icefloe as tf

FUNCTIONS = [
    (tf.graphs.cast, ()),
    (tf.graphs.costs, ()),
    (tf.graphs.dot, ()),
    (tf.graphs.downgrade, ()),
    (tf.graphs.extract, ()),
    (tf.graphs.fix, ()),
    (tf.graphs.freeze, ()),
    (tf.graphs.io, ()),
    (tf.graphs.match, ("model.ckpt",)),
    (tf.graphs.oldest_version, ()),
    (tf.graphs.ops, ()),
    (tf.graphs.optimize, ()),
    (tf.graphs.overview, ()),
    (tf.graphs.rename, ({},)),
    (tf.graphs.strip, ()),
    (tf.graphs.unconst, ("model.ckpt",)),
]


@pytest.fixture
def graph():
    with tf.Graph().as_default() as built:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, [[1.0], [2.0]], name="y")
        tf.nn.relu(y, name="z")
    return built


@pytest.mark.parametrize(("function", "more"), FUNCTIONS, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("wrong", ["frozen.pb", pathlib.Path("frozen.pb"), None, 7, ["x"]], ids=str)
def test_what_is_no_graph_is_refused_by_name(function, more, wrong):
    with pytest.raises(TypeError, match="expected a Graph or GraphDef as 'graph', got ") as caught:
        function(wrong, *more)
    assert ("load_graph" in str(caught.value)) == isinstance(wrong, (str, pathlib.Path))


@pytest.mark.parametrize("wrong", [0, 1])
@pytest.mark.parametrize("function", [tf.graphs.diff, tf.graphs.stitch])
def test_of_two_graphs_the_wrong_one_is_named(graph, function, wrong):
    given = [graph, graph]
    given[wrong] = "frozen.pb"
    with pytest.raises(TypeError, match=("'(a|first)'", "'(b|second)'")[wrong]):
        function(*given, *([{}] if function is tf.graphs.stitch else []))


def test_messages_are_graphs(graph):
    definition = graph.as_graph_def()
    meta = tf.MetaGraphDef(graph_def=definition)
    for given in (definition, meta):
        assert tf.graphs.io(given).outputs[0].name == "z:0"
        assert tf.graphs.extract(graph=given, outputs=["y"]).outputs == ("y:0",)
    assert tf.graphs.diff(graph, definition).same


@pytest.mark.parametrize("form", ["name", "list", "tensor", "operation"])
def test_one_output_needs_no_list(graph, form):
    tensor = graph.get_tensor_by_name("y:0")
    given = {"name": "y", "list": ["y"], "tensor": tensor, "operation": tensor.op}[form]
    for function in (tf.graphs.extract, tf.graphs.strip, tf.graphs.optimize, tf.graphs.freeze):
        assert function(graph, outputs=given).outputs == ("y:0",)
    assert tf.graphs.extract(graph, "z", tensor).inputs == ("y:0",)
    assert tf.graphs.ops(graph, given).fetches in (("y:0",), ("y",))
    assert '"z"' not in tf.graphs.dot(graph, fetches=given)
