"""Ops and kernels that a user registers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import opdefs
from icefloe.graph import registry
from icefloe.lib import own_kernels

SCALE = """
name: "MyScale"
input_arg { name: "x" type_attr: "T" }
input_arg { name: "more" type_attr: "T" number_attr: "N" }
output_arg { name: "y" type_attr: "T" }
output_arg { name: "text" type: DT_STRING }
attr { name: "T" type: "type" }
attr { name: "N" type: "int" has_minimum: true minimum: 1 }
attr { name: "by" type: "float" default_value { f: 2 } }
"""


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    for op in list(own_kernels._OWN):
        del own_kernels._OWN[op], registry.KERNELS[op]
    opdefs._table().pop("MyScale", None)


def graph_with(op: str, inputs: dict[str, Any], **attrs: Any) -> tf.Graph:
    """Return a graph with the node `own` of this op, its inputs placeholders."""
    definition = tf.proto.GraphDef()
    for name, dtype in inputs.items():
        definition.node.add(name=name, op="Placeholder").attr["dtype"].type = dtype.as_datatype_enum
    node = definition.node.add(name="own", op=op, input=list(inputs))
    for name, value in attrs.items():
        node.attr[name].CopyFrom(value)
    return tf.load_graph(definition)


def test_an_op_of_tensorflow_gets_a_kernel():
    graph = graph_with("DecodeWebP", {"contents": tf.string}, channels=tf.proto.AttrValue(i=3))
    with tf.Session(graph=graph) as session, pytest.raises(tf.errors.UnimplementedError, match="register_kernel"):
        session.run("own:0", {"contents:0": b"abcd"})

    @tf.register_kernel("DecodeWebP")
    def decode(contents, *, channels):
        assert isinstance(contents, bytes)
        return np.full((1, len(contents), channels), 7, np.uint8)

    with tf.Session(graph=graph) as session:
        assert session.run("own:0", {"contents:0": b"abcd"}).tolist() == [[[7, 7, 7]] * 4]
    assert {row.op: row.status for row in tf.graphs.ops(graph).ops}["DecodeWebP"] == "runs"


def test_an_op_that_nobody_knows_gets_a_signature_and_a_kernel():
    tf.register_op(SCALE)
    tf.register_op(SCALE)  # the same again

    @tf.register_kernel("MyScale")
    def scale(x, more, *, by):
        x *= by  # an array of its own
        return x + sum(more), [str(len(more))] * 2

    graph = graph_with(
        "MyScale",
        {"x": tf.float32, "a": tf.float32, "b": tf.float32},
        T=tf.proto.AttrValue(type=1),
        N=tf.proto.AttrValue(i=2),
    )
    fed = np.ones(2, np.float32)
    with tf.Session(graph=graph) as session:
        y, text = session.run(["own:0", "own:1"], {"x:0": fed, "a:0": fed, "b:0": np.float32([1, 5])})
    assert y.tolist() == [4, 8] and y.dtype == np.float32
    assert text.tolist() == [b"2", b"2"]
    assert fed.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (np.zeros(3), "0-th value returned by kernel is double, but expects uint8"),
        (object(), "Unsupported object type object"),
    ],
)
def test_what_a_kernel_returns_is_checked(returned, message):
    @tf.register_kernel("DecodeWebP")
    def kernel(contents):
        return returned

    graph = graph_with("DecodeWebP", {"contents": tf.string})
    with tf.Session(graph=graph) as session, pytest.raises(tf.errors.OpError, match=message) as caught:
        session.run("own:0", {"contents:0": b""})
    assert caught.value.node == "own"


def test_what_a_kernel_keeps_is_not_changed_by_who_gets_it():
    table = np.zeros(2, np.uint8)

    @tf.register_kernel("DecodeWebP")
    def kernel(contents):
        return table

    with tf.Session(graph=graph_with("DecodeWebP", {"contents": tf.string})) as session:
        session.run("own:0", {"contents:0": b""})[:] = 9
    assert table.tolist() == [0, 0]


def test_a_kernel_is_registered_again():
    graph = graph_with("DecodeWebP", {"contents": tf.string})
    for n in (1, 2):
        tf.register_kernel("DecodeWebP")(lambda contents, n=n: np.uint8([n]))
        with tf.Session(graph=graph) as session:
            assert session.run("own:0", {"contents:0": b""}).tolist() == [n]


def test_what_does_not_fit_is_refused():
    with pytest.raises(tf.errors.AlreadyExistsError, match="icefloe has a kernel for the op 'Relu'"):
        tf.register_kernel("Relu")
    with pytest.raises(tf.errors.NotFoundError, match="no op 'DecodeWebb' is known.*\n.*DecodeWebP"):
        tf.register_kernel("DecodeWebb")
    with pytest.raises(tf.errors.NotFoundError, match="register_op makes an op known"):
        tf.register_kernel("QQQQQQQQ")
    with pytest.raises(TypeError, match="asks for chanels; the attrs of DecodeWebP are channels"):
        tf.register_kernel("DecodeWebP")(lambda contents, *, chanels: contents)
    with pytest.raises(TypeError, match="the inputs of DecodeWebP are contents"):
        tf.register_kernel("DecodeWebP")(lambda: 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no OpDef in text format"):
        tf.register_op("name: ")
    with pytest.raises(tf.errors.InvalidArgumentError, match="an OpDef needs a name"):
        tf.register_op(tf.proto.OpDef())
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.register_op('name: "Relu"')
