"""What two well-known pages about TensorFlow 1 describe: runs and Print, the inside of a Variable, the Saver, partial_run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import icefloe as tf


@pytest.fixture(autouse=True)
def fresh_graph() -> object:
    with tf.Graph().as_default() as graph:
        yield graph


def printed_graph() -> list[tf.Tensor]:
    one = tf.constant([1.0], name="one")
    shown = tf.Print(one, [one], message="evaluated ", name="shown")
    return [tf.add(shown, float(i), name=f"fetch_{i}") for i in range(6)]


def test_six_runs_print_six_times(capfd: pytest.CaptureFixture[str]) -> None:
    fetches = printed_graph()
    with tf.Session() as sess:
        values = [sess.run(f) for f in fetches]
    out, err = capfd.readouterr()
    assert err.count("evaluated [1]") == 6
    assert out == ""
    assert [float(v[0]) for v in values] == [1, 2, 3, 4, 5, 6]


def test_one_run_prints_once(capfd: pytest.CaptureFixture[str]) -> None:
    fetches = printed_graph()
    with tf.Session() as sess:
        values = sess.run(fetches)
    assert capfd.readouterr().err.count("evaluated [1]") == 1
    assert [float(v[0]) for v in values] == [1, 2, 3, 4, 5, 6]


def test_operation_and_tensor_are_node_and_edge(fresh_graph: tf.Graph) -> None:
    tf.constant(2.0, name="c")
    op = fresh_graph.get_operation_by_name("c")
    assert isinstance(op, tf.Operation)
    assert op.outputs == [fresh_graph.get_tensor_by_name("c:0")]
    assert isinstance(op.outputs[0], tf.Tensor)


def test_ops_behind_a_variable(fresh_graph: tf.Graph) -> None:
    tf.Variable(tf.random_normal([1], seed=1), name="v")
    types = [op.type for op in fresh_graph.get_operations()]
    assert {"VariableV2", "Assign", "Identity", "RandomStandardNormal"} <= set(types)
    assert [op.name for op in fresh_graph.get_operations()][-3:] == ["v", "v/Assign", "v/read"]


def test_uninitialised_variables_fail_and_are_all_named() -> None:
    v, w = tf.Variable([1.0], name="v"), tf.Variable([2.0], name="w")
    with tf.Session() as sess:
        with pytest.raises(tf.errors.FailedPreconditionError) as caught:
            sess.run(v + w)
        assert "v" in str(caught.value)
        assert "w" in str(caught.value)
        sess.run(tf.global_variables_initializer())
        assert sess.run(v + w) == 3.0


def test_saved_graph_has_the_ops_but_not_the_value(fresh_graph: tf.Graph, tmp_path: Path) -> None:
    v = tf.Variable(tf.random_normal([4], seed=3), name="v")
    with tf.Session() as sess:
        sess.run(v.initializer)
        value = sess.run(v)
    path = tmp_path / "graph.pb"
    tf.save_graph(fresh_graph, path)
    assert value.tobytes() not in path.read_bytes()
    again = tf.load_graph(path)
    assert [op.type for op in again.get_operations()] == [op.type for op in fresh_graph.get_operations()]
    with tf.Session(graph=again) as sess, pytest.raises(tf.errors.FailedPreconditionError, match="v"):
        sess.run("v:0")


def test_saver_writes_the_value_and_restore_needs_no_initialiser(tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(tf.assign_add(v, [1.0, 1.0]))
        prefix = saver.save(sess, str(tmp_path / "model.ckpt"))
    assert {p.name for p in tmp_path.iterdir()} == {
        "checkpoint",
        "model.ckpt.data-00000-of-00001",
        "model.ckpt.index",
        "model.ckpt.meta",
    }
    with tf.Session() as sess:
        saver.restore(sess, prefix)
        np.testing.assert_array_equal(sess.run(v), [4.0, 5.0])


def test_a_new_graph_with_a_variable_of_that_name_restores_it(tmp_path: Path) -> None:
    v = tf.Variable(7.0, name="v")
    with tf.Session() as sess:
        sess.run(v.initializer)
        prefix = tf.train.Saver().save(sess, str(tmp_path / "m"))
    with tf.Graph().as_default():
        tf.constant("something else entirely")
        other = tf.get_variable("v", [])
        with tf.Session() as sess:
            tf.train.Saver().restore(sess, prefix)
            assert sess.run(other * 2.0) == 14.0


def test_repeated_saves_snapshot_progress(tmp_path: Path) -> None:
    v = tf.Variable(0, name="v")
    step = tf.assign_add(v, 1)
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as sess:
        sess.run(v.initializer)
        saved = []
        for i in range(1, 4):
            sess.run(step)
            saved.append(saver.save(sess, str(tmp_path / "m"), global_step=i))
    assert tf.train.latest_checkpoint(tmp_path) == saved[-1]
    assert [int(tf.open_checkpoint(p)["v"]) for p in saved[1:]] == [2, 3]
    assert not tf.train.checkpoint_exists(saved[0])


def test_partial_run_does_the_first_part_once(capfd: pytest.CaptureFixture[str]) -> None:
    x = tf.placeholder(tf.float32, [])
    expensive = tf.Print(x * 2.0, [x], message="expensive ")
    result2 = expensive + 1.0
    with tf.Session() as sess:
        handle = sess.partial_run_setup([expensive, result2], [x])
        assert sess.partial_run(handle, expensive, feed_dict={x: 21.0}) == 42.0
        assert sess.partial_run(handle, result2) == 43.0
    assert capfd.readouterr().err.count("expensive [21]") == 1


def test_partial_run_draws_a_random_op_once() -> None:
    x = tf.placeholder(tf.float32, [])
    draw = tf.random_uniform([])
    first, second = draw + x, draw * 1.0
    with tf.Session() as sess:
        handle = sess.partial_run_setup([first, second], [x])
        a = sess.partial_run(handle, first, feed_dict={x: 0.0})
        assert sess.partial_run(handle, second) == a
        assert sess.run(draw) != sess.run(draw)
