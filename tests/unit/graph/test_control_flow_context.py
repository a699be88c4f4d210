"""Contexts: what building conditionals and loops leaves alone, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph.control_flow_context import XLAControlFlowContext, context_from_def
from icefloe.graph.func_graph import FuncGraph
from icefloe.proto import ControlFlowContextDef


def test_building_does_not_count_as_changing_nodes() -> None:
    """Plans of old fetches stay what they are."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = x * 2.0
        with tf.Session() as session:
            session.run(y, {x: 1.0})
            before = graph.mutations
            with tf.control_dependencies([y]):
                r = tf.cond(x > 0.0, lambda: y + x, lambda: tf.while_loop(lambda a: a < 5.0, lambda a: a + y, [x]))
            tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.cond(a > y, lambda: a, lambda: y)), [0, x])
            assert graph.mutations == before
            assert session.run(r, {x: 2.0}) == 6.0


def test_changing_a_node_in_a_branch_counts() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y, z = tf.add(x, 1.0), tf.add(x, 2.0)
        before = graph.mutations

        def branch() -> tf.Tensor:
            y.op._update_input(0, z)
            return x + 1.0

        tf.cond(x > 0.0, branch, lambda: x)
        assert graph.mutations > before


def test_a_failing_branch_leaves_its_context() -> None:
    def fail() -> None:
        raise KeyError("mine")

    with tf.Graph().as_default() as graph:
        p = tf.placeholder(tf.bool, [])
        for build in (
            lambda: tf.cond(p, fail, lambda: p),
            lambda: tf.cond(p, lambda: p, fail),
            lambda: tf.while_loop(lambda i: fail(), lambda i: i, [0]),
            lambda: tf.while_loop(lambda i: i < 3, lambda i: fail(), [0]),
        ):
            with pytest.raises(KeyError, match="mine"):
                build()
            assert graph._get_control_flow_context() is None


def test_nesting_deep_is_cheap() -> None:
    def nest(depth: int, value: tf.Tensor) -> tf.Tensor:
        if depth == 0:
            return value + 1.0
        return tf.cond(p, lambda: nest(depth - 1, value + 1.0), lambda: value)

    with tf.Graph().as_default() as graph:
        p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])
        r = nest(30, x)
        assert len(graph.get_operations()) < 400
        with tf.Session() as session:
            assert session.run(r, {p: True, x: 1.0}) == 32.0
            assert session.run(r, {p: False, x: 1.0}) == 1.0


def test_an_xla_context_leaves_ops_alone() -> None:
    with tf.Graph().as_default():
        outside = tf.constant(1.0)
        context = XLAControlFlowContext()
        context.Enter()
        inside = tf.add(outside, 2.0)
        context.Exit()
        assert inside.op._get_control_flow_context() is context
        assert inside.op.inputs[0] is outside
        assert not inside.op.control_inputs
        assert context.IsXLAContext()


def test_a_context_of_no_kind_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match="Unknown ControlFlowContextDef field"):
        context_from_def(ControlFlowContextDef())


def test_types_that_change_in_a_loop_are_refused_when_it_is_built() -> None:
    with tf.Graph().as_default(), pytest.raises(errors.InvalidArgumentError, match="expected int32"):
        tf.while_loop(lambda i: i < 1, lambda i: tf.cast(i, tf.float32), [0])


def test_one_bounded_variable_may_have_its_invariant_in_a_list() -> None:
    with tf.Graph().as_default():
        r = tf.while_loop(
            lambda m: tf.reduce_sum(m) < 100.0,
            lambda m: tf.concat([m, m], 0),
            [tf.ones([1])],
            shape_invariants=[tf.TensorShape([None])],
            maximum_iterations=3,
        )
        with tf.Session() as session:
            np.testing.assert_array_equal(session.run(r), np.ones(8))


def test_tensors_of_an_inner_function_cannot_be_used_outside() -> None:
    with tf.Graph().as_default():
        outer = FuncGraph("outer")
        with outer.as_default():
            inner = FuncGraph("inner")
            with inner.as_default():
                k = tf.constant(1.0)
            with pytest.raises(errors.InaccessibleTensorError, match="out of scope"):
                tf.add(k, 1.0)


def test_branches_do_not_see_each_others_tensors() -> None:
    seen = []

    def true_fn() -> tf.Tensor:
        seen.append(tf.constant(1.0, name="k"))
        return seen[0]

    tf.enable_control_flow_v2()
    try:
        with (
            tf.Graph().as_default(),
            pytest.raises(ValueError, match="Tensor k:0 in true_fn is accessed from false_fn"),
        ):
            tf.cond(tf.placeholder(tf.bool, []), true_fn, lambda: seen[0] + 1.0)
    finally:
        tf.disable_control_flow_v2()


def test_a_function_waits_for_what_its_caller_waits_for() -> None:
    """Control inputs from outside of a function become those of the op that calls it."""
    tf.enable_control_flow_v2()
    try:
        with tf.Graph().as_default():
            outside = tf.constant(1.0, name="outside")

            def branch() -> tf.Tensor:
                with tf.control_dependencies([outside]):
                    return tf.constant(2.0)

            r = tf.cond(tf.placeholder(tf.bool, []), branch, lambda: tf.constant(3.0))
            assert [op.name for op in r.op.inputs[0].op.control_inputs] == ["outside"]
    finally:
        tf.disable_control_flow_v2()
