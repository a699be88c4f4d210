"""Freezing: against what TensorFlow computes, from checkpoints, sessions and SavedModels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe.lib.defun import Defun

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "freezing"


def expected(name):
    with np.load(FIXTURES / name / "expected.npz") as file:
        arrays = dict(file)
    return tuple({k[len(side) :]: v for k, v in arrays.items() if k.startswith(side)} for side in ("in/", "out/"))


def run(frozen, feeds, names):
    graph = tf.load_graph(frozen.graph_def)
    with tf.Session(graph=graph) as session:
        session.run([graph.get_operation_by_name(name) for name in frozen.initializers])
        return session.run(names, feeds)


def ops(frozen):
    inside = [node.op for f in frozen.graph_def.library.function for node in f.node_def]
    return {node.op for node in frozen.graph_def.node} | set(inside)


STATE = {
    "VariableV2",
    "Variable",
    "VarHandleOp",
    "ReadVariableOp",
    "Assign",
    "AssignSub",
    "RefSwitch",
    "ResourceGather",
}


@pytest.mark.parametrize("name", ["averages", "partitioned"])
def test_a_checkpoint_frozen_gives_tensorflows_values(name):
    frozen = tf.graphs.freeze(tf.load_graph(FIXTURES / name / "model.meta"), FIXTURES / name / "model", outputs=["y"])
    feeds, results = expected(name)
    np.testing.assert_allclose(run(frozen, feeds, ["y:0"])[0], results["y:0"], rtol=1e-6)
    assert not ops(frozen) & STATE
    assert frozen.check.status == "equal"


def test_averages_that_a_conditional_updates_are_frozen_as_values():
    path = FIXTURES / "averages"
    frozen = tf.graphs.freeze(tf.load_graph(path / "model.meta"), path / "model", outputs=["y"])
    assert {"Switch", "Sub"} <= ops(frozen)
    assert any("gives its result and changes nothing" in note for p in frozen.passes for note in p.notes)
    feeds = {"x:0": np.float32([[2, 4]]), "training:0": True}
    np.testing.assert_allclose(run(frozen, feeds, ["y:0"])[0], [[0, 0]], atol=1e-7)


def test_a_saved_model_with_calls_conditionals_and_loops_is_frozen():
    feeds, results = expected("nested")
    with tf.load_saved_model(FIXTURES / "nested") as model:
        frozen = tf.graphs.freeze(model.graph, session=model.session)
        signature = model.graph.signature_defs["serving_default"]
    assert frozen.check.status == "equal"
    assert not ops(frozen) & STATE
    assert not ops(frozen) & {"StatefulPartitionedCall", "PartitionedCall"}  # in functions neither
    given = {signature.inputs[key].name: value for key, value in feeds.items()}
    keys = sorted(results)
    found = run(frozen, given, [signature.outputs[key].name for key in keys])
    for key, value in zip(keys, found, strict=True):
        np.testing.assert_allclose(value, results[key], rtol=1e-6)


def model(tmp_path, slots=False):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", [2, 3])
        y = tf.nn.softmax(tf.matmul(x, w), name="y")
        tf.train.AdamOptimizer().minimize(tf.reduce_sum(y))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            value = session.run(w)
            return graph, tf.train.Saver(None if slots else [w]).save(session, str(tmp_path / "m")), value


def test_slots_that_the_checkpoint_lacks_are_not_asked_for(tmp_path):
    graph, prefix, value = model(tmp_path)
    frozen = tf.graphs.freeze(graph, prefix, outputs=["y"])
    assert len(frozen.graph_def.node) == 5
    constant = next(node for node in frozen.graph_def.node if node.op == "Const")
    np.testing.assert_array_equal(tf.make_ndarray(constant.attr["value"].tensor), value)


def test_outputs_are_guessed(tmp_path):
    graph, prefix, _ = model(tmp_path, slots=True)
    assert tf.graphs.freeze(graph, prefix).outputs == ("y:0",)


def test_a_session_holds_the_values():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
        tf.multiply(v, 2.0, name="y")
        session.run(tf.global_variables_initializer())
        session.run(v.assign([5.0, 6.0]))
        frozen = tf.graphs.freeze(graph, session=session, outputs=["y"])
    assert run(frozen, {}, ["y:0"])[0].tolist() == [10.0, 12.0]


def test_missing_variables_are_listed_together(tmp_path):
    graph, prefix, _ = model(tmp_path)
    with graph.as_default():
        extra = tf.get_variable("ww", [3]) + tf.get_variable("other", [3])
        tf.add(graph.get_tensor_by_name("y:0"), extra, name="z")
    with pytest.raises(tf.errors.NotFoundError, match=r"(?s)lacks 2 of.*ww.*other"):
        tf.graphs.freeze(graph, prefix, outputs=["z"])


def test_without_values_the_error_says_what_to_give(tmp_path):
    graph, _, _ = model(tmp_path)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"1 variables \(w\): give the checkpoint"):
        tf.graphs.freeze(graph, outputs=["y"])


def test_a_tensor_inside_may_become_an_input(tmp_path):
    graph, prefix, _ = model(tmp_path)
    frozen = tf.graphs.freeze(graph, prefix, outputs=["y"], inputs=["MatMul:0"])
    assert frozen.inputs == ("MatMul:0",)
    assert [node.op for node in frozen.graph_def.node] == ["Placeholder", "Softmax"]
    assert frozen.check.status == "equal"


def test_a_variable_may_stay_one(tmp_path):
    graph, prefix, _ = model(tmp_path)
    frozen = tf.graphs.freeze(graph, prefix, outputs=["y"], keep_variables=["w"], check=False)
    assert "VariableV2" in ops(frozen)


def test_tables_are_filled_by_operations_that_the_result_names():
    with tf.Graph().as_default() as graph:
        words = tf.placeholder(tf.string, [None], name="words")
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [3, 4]), -1)
        tf.identity(table.lookup(words), name="ids")
    frozen = tf.graphs.freeze(graph, outputs=["ids"])
    assert len(frozen.initializers) == 1
    assert frozen.check.status == "equal"
    assert run(frozen, {"words:0": ["b", "c"]}, ["ids:0"])[0].tolist() == [4, -1]


def test_an_op_that_needs_the_variable_is_named():
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], name="v")
        tf.identity(tf.scatter_div(v, [0], [5.0]), name="y")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError, match="ScatterDiv"):
                tf.graphs.freeze(graph, session=session, outputs=["y"])


def test_what_changes_a_resource_variable_is_reported():
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
        with tf.control_dependencies([v.assign_add([1.0, 1.0])]):
            tf.constant(7.0, name="y")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            frozen = tf.graphs.freeze(graph, session=session, outputs=["y"])
    assert any("taken out: a constant cannot change" in note for p in frozen.passes for note in p.notes)
    assert run(frozen, {}, ["y:0"])[0] == 7.0


def test_control_inputs_go_through_inlined_calls():
    @Defun(tf.float32)
    def double(x):
        return x * 2.0

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        with tf.control_dependencies([tf.assert_positive(x)]):
            y = double(x)
        tf.add(y, 1.0, name="z")
    frozen = tf.graphs.freeze(graph, outputs=["z"])
    assert not frozen.graph_def.library.function
    assert run(frozen, {"x:0": 4.0}, ["z:0"])[0] == 9.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(frozen, {"x:0": -4.0}, ["z:0"])
