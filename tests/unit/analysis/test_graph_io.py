"""Inputs and outputs of graphs, found without signatures and with them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import icefloe as tf

_spec = importlib.util.spec_from_file_location("analysis_graphs", Path(__file__).with_name("graphs.py"))
assert _spec is not None and _spec.loader is not None
graphs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(graphs)


def test_results_of_a_training_graph_come_first():
    found = tf.graphs.io(graphs.training_graph())
    assert [o.name for o in found.outputs[:3]] == ["probabilities:0", "head/logits:0", "ArgMax:0"]
    assert found.outputs[0].shape == (None, 3)
    assert found.outputs[0].dtype == "float32"


def test_no_output_is_of_training_saving_or_starting():
    names = [o.name for o in tf.graphs.io(graphs.training_graph()).outputs]
    wrong = ("gradients/", "save", "init", "Adam", "beta1_power", "ExponentialMovingAverage", "assert", "fifo_queue")
    assert not [name for name in names if any(part in name for part in wrong)]
    assert set(names) <= {"probabilities:0", "ArgMax:0", "head/logits:0", "loss:0", "accuracy:0"}


def test_inputs_say_what_they_are_for():
    found = {i.name: i for i in tf.graphs.io(graphs.training_graph()).inputs}
    assert list(found) == ["images:0", "labels:0", "keep_prob:0"]
    assert found["images:0"].shape == (None, 8)
    assert any("labels" in reason for reason in found["labels:0"].reasons)
    assert any("default" in reason for reason in found["keep_prob:0"].reasons)


def test_dequeued_examples_are_inputs():
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(4, [tf.float32], shapes=[[2]])
        queue.enqueue_many([[[1.0, 2.0]]])
        tf.multiply(queue.dequeue_many(2), 2.0, name="twice")
    found = tf.graphs.io(graph)
    assert [i.name for i in found.inputs] == ["fifo_queue_DequeueMany:0"]
    assert [o.name for o in found.outputs] == ["twice:0"]


def test_signatures_come_before_guesses():
    graph = graphs.training_graph()
    definition = tf.saved_model.build_signature_def(
        {"x": tf.saved_model.build_tensor_info(graph.get_tensor_by_name("images:0"))},
        {"y": tf.saved_model.build_tensor_info(graph.get_tensor_by_name("hidden/Relu:0"))},
    )
    graph.signature_defs["serving_default"] = definition
    found = tf.graphs.io(graph)
    assert (found.inputs[0].name, found.inputs[0].key) == ("images:0", "x")
    assert (found.outputs[0].name, found.outputs[0].signature) == ("hidden/Relu:0", "serving_default")
    assert found.outputs[1].name == "probabilities:0"


def test_a_signature_may_name_what_the_graph_lacks():
    graph = graphs.training_graph()
    graph.signature_defs["broken"] = tf.saved_model.build_signature_def(
        {}, {"y": tf.proto.TensorInfo(name="nowhere:0", dtype=1)}
    )
    assert tf.graphs.io(graph).outputs[0].name == "probabilities:0"


def test_loops_and_conditionals_end_in_their_results():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        loop = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.sigmoid(v)), [0, x])
        tf.cond(x > 0, lambda: loop[1], lambda: -loop[1])
    names = [o.name for o in tf.graphs.io(graph).outputs]
    assert names[0] == "cond/Merge:0"
    assert not [name for name in names if "while/" in name and "Exit" not in name]
    assert not [name for name in names if "switch_" in name]


def test_a_graph_of_constants_has_outputs():
    with tf.Graph().as_default() as graph:
        tf.add(tf.constant([1.0]), tf.constant([2.0]), name="sum")
    assert [o.name for o in tf.graphs.io(graph).outputs] == ["sum:0"]


def test_an_op_without_its_dtype_is_listed():
    definition = tf.proto.GraphDef()
    definition.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    definition.node.add(name="y", op="Cast", input=["x"])
    output = tf.graphs.io(tf.load_graph(definition)).outputs[0]
    assert (output.name, output.dtype) == ("y:0", "unknown")


def test_an_empty_graph_has_neither():
    found = tf.graphs.io(tf.Graph())
    assert found.as_data() == {"inputs": [], "outputs": []}


@pytest.mark.parametrize("name", ["Conv2DBackpropInput", "ReluGrad"])
def test_a_transposed_convolution_is_part_of_the_model(name):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 4, 4, 2], name="x")
        if name == "ReluGrad":
            tf.raw_ops.ReluGrad(gradients=x, features=x, name="g")
            expected = []
        else:
            tf.nn.conv2d_transpose(x, tf.ones([3, 3, 5, 2]), [1, 8, 8, 5], [1, 2, 2, 1], name="up")
            expected = ["up:0"]
    assert [o.name for o in tf.graphs.io(graph).outputs] == expected


def test_a_graph_that_takes_nothing_ranks_its_ends_by_what_they_need():
    with tf.Graph().as_default() as graph:
        tf.negative(tf.constant(3.0), name="small")
        tf.exp(tf.sqrt(tf.constant([1.0, 2.0]) * 2.0), name="large")
    first, second = tf.graphs.io(graph).outputs
    assert (first.name, second.name) == ("large:0", "small:0")
    assert "needs 71% of the model" in first.reasons


def test_what_is_compared_with_labels_is_a_result():
    """A regression without a loss of the library: its prediction does not need the labels, its loss does."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        target = tf.placeholder(tf.float32, [None], name="target")
        predicted = tf.squeeze(tf.layers.dense(x, 1), 1, name="value")
        tf.reduce_mean(tf.square(predicted - target), name="mean")
    found = tf.graphs.io(graph)
    assert [o.name for o in found.outputs] == ["dense/BiasAdd:0", "mean:0"]
    assert found.outputs[0].reasons[0] == "compared with labels"


def test_an_end_that_hands_on_a_result_is_the_result():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        raw = tf.layers.dense(x, 2)
        tf.raw_ops.IdentityN(input=[raw, tf.identity(tf.nn.softmax(raw))], name="call")
    found = tf.graphs.io(graph)
    assert [o.name for o in found.outputs[:2]] == ["call:1", "Softmax:0"]
    assert "Softmax is a usual last step" in found.outputs[0].reasons


def test_labels_by_the_name_of_the_tutorials():
    with tf.Graph().as_default() as graph:
        x, y = (tf.placeholder(tf.float32, [None, 3], name=f"input/{name}-input") for name in "xy")
        logits = tf.identity(x * 2.0, name="logits")
        tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32), name="accuracy")
    found = tf.graphs.io(graph)
    assert "labels, by name or use: for training and evaluation" in found.inputs[1].reasons
    assert found.inputs[0].reasons == ("placeholder",)
    reasons = {output.name: output.reasons for output in found.outputs}
    assert "needs labels" in reasons["accuracy:0"]
    assert "needs labels" not in reasons["logits:0"]
    assert reasons["ArgMax:0"][0] == "an ArgMax"
