"""Gradients of If, Case and While nodes: TensorFlow's numbers, on all engines, and of graphs that were read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.lib.defun import Defun

from . import function_programs

GOLDEN = json.loads(function_programs.GOLDEN.read_text())


@pytest.fixture(autouse=True)
def functions() -> Iterator[None]:
    tf.enable_control_flow_v2()
    yield
    tf.disable_control_flow_v2()


@pytest.mark.parametrize("engine", ["auto", "codegen", "general"])
@pytest.mark.parametrize("name", function_programs.PROGRAMS)
def test_values(name: str, engine: str) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        fetches = function_programs.PROGRAMS[name](tf, x)
        with tf.Session(config=tf.Config(engine=engine, debug_aliasing=True)) as s:
            s.run(tf.global_variables_initializer())
            values = s.run(fetches, {x: function_programs.X})
    assert len(values) == len(GOLDEN[name])
    for value, expected in zip(values, GOLDEN[name]):
        np.testing.assert_allclose(value, expected, rtol=2e-5, atol=1e-6)


def read_again(build: Any) -> tuple[Any, Any, Any]:
    """Return a graph that was written and read, and its x and y."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        tf.identity(build(x), name="y")
    with tf.Graph().as_default() as again:
        tf.import_graph_def(graph.as_graph_def(), name="")
    return again, again.get_tensor_by_name("x:0"), again.get_tensor_by_name("y:0")


@pytest.mark.parametrize(
    ("build", "program"),
    [
        (lambda x: function_programs.four_turns(tf, x, x), "second_order_of_a_loop"),
        (
            lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.exp(x) * x, lambda: x * 3.0),
            "third_order_of_a_conditional",
        ),
        (
            lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: function_programs.four_turns(tf, x, x), lambda: x),
            "a_loop_in_a_conditional",
        ),
    ],
)
def test_of_a_graph_that_was_read(build: Any, program: str) -> None:
    graph, x, y = read_again(build)
    with graph.as_default(), tf.Session() as s:
        values = s.run(function_programs.orders(tf, y, x, len(GOLDEN[program])), {x: function_programs.X})
    for value, expected in zip(values, GOLDEN[program], strict=True):
        np.testing.assert_allclose(value, expected, rtol=2e-5, atol=1e-6)


def test_the_graph_with_gradients_is_written_and_read() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        y = function_programs.four_turns(tf, x, x)
        gradient = tf.identity(tf.gradients(y, x)[0], name="gradient")
        with tf.Session() as s:
            expected = s.run(gradient, {x: function_programs.X})
    with tf.Graph().as_default():
        tf.import_graph_def(graph.as_graph_def(), name="")
        with tf.Session() as s:
            np.testing.assert_array_equal(s.run("gradient:0", {"x:0": function_programs.X}), expected)


def test_a_loop_without_a_counter() -> None:
    """A While node that no `while_loop` made: one is added."""

    @Defun(tf.float32, tf.float32)
    def condition(a: Any, b: Any) -> Any:
        return tf.reduce_sum(a) < 100.0

    @Defun(tf.float32, tf.float32)
    def body(a: Any, b: Any) -> Any:
        return a * b, b

    with tf.Graph().as_default():
        a, b = tf.constant([2.0, 3.0]), tf.constant([2.0, 3.0])
        end = tf.raw_ops.While(input=[a, b], cond=condition, body=body)
        found = tf.gradients(end[0], [a, b])
        with tf.Session() as s:
            value, da, db = s.run([end[0], *found])
    np.testing.assert_allclose(value, [2.0 * 2**4, 3.0 * 3**4])
    np.testing.assert_allclose(da, [2.0**4, 3.0**4])
    np.testing.assert_allclose(db, [2.0 * 4 * 2**3, 3.0 * 4 * 3**3])


def test_a_session_that_ran_before_goes_on() -> None:
    """Asking for gradients changes the op; plans made before are made anew."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        y = function_programs.four_turns(tf, x, x)
        with tf.Session() as s:
            before = s.run(y, {x: function_programs.X})
            gradient = tf.gradients(y, x)[0]
            after, _ = s.run([y, gradient], {x: function_programs.X})
            np.testing.assert_array_equal(before, after)
            np.testing.assert_array_equal(s.run(y, {x: function_programs.X}), before)
