"""What callers of `gradients` can rely on: errors, options, rules of the user's own, functions, numeric derivatives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import opdefs
from icefloe.graph import registry


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def _run(fetches: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        return session.run(fetches, feeds)


def test_rule_that_is_missing_is_named() -> None:
    x = tf.constant(1.0)
    y = tf.raw_ops.ApproximateEqual(x=x, y=x)
    assert tf.gradients(tf.cast(y, tf.float32), x) == [None]
    z = tf.raw_ops.Multinomial(logits=[[1.0]], num_samples=1)
    assert tf.gradients(tf.cast(z, tf.float32), x) == [None]
    with pytest.raises(LookupError, match=r"No gradient defined for operation'Rfft' \(op type: RFFT3D\)"):
        tf.gradients(tf.abs(tf.raw_ops.RFFT3D(input=tf.fill([1, 1, 2], x), fft_length=[1, 1, 2], name="Rfft")), x)


def test_prevented_gradient_gives_its_reason() -> None:
    x = tf.constant(1.0)
    with pytest.raises(LookupError, match="Gradient explicitly disabled. Reason: b'because'"):
        tf.gradients(tf.raw_ops.PreventGradient(input=x, message="because"), x)


def test_arguments_that_do_not_fit() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="Length mismatch. Passed 2 grad_ys for 1 ys"):
        tf.gradients(x * x, x, [x, x])
    with pytest.raises(TypeError, match="must be real"):
        tf.gradients(x * x, x, [tf.constant(True)])
    with pytest.raises(TypeError, match="Gradients of complex tensors"):
        tf.gradients(tf.complex(x, x), x)
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'nope'"):
        tf.gradients(x, x, unconnected_gradients="nope")
    with pytest.raises(ValueError, match="Invalid `aggregation_method` specified 9"):
        tf.gradients(x * x, x, aggregation_method=9)


def test_unconnected_input_may_get_zeros() -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0])
    assert tf.gradients(x, y) == [None]
    (zeros,) = tf.gradients(x, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    np.testing.assert_array_equal(_run(zeros), [0.0])


@pytest.mark.parametrize("method", [tf.AggregationMethod.ADD_N, tf.AggregationMethod.EXPERIMENTAL_TREE])
def test_gradients_of_several_uses_are_added(method: int) -> None:
    x = tf.constant([1.0, 2.0])
    y = x * x + tf.exp(x) + 3.0 * x
    (grad,) = tf.gradients(y, x, aggregation_method=method, gate_gradients=True)
    np.testing.assert_allclose(_run(grad), 2 * np.array([1.0, 2.0]) + np.exp([1.0, 2.0]) + 3, rtol=1e-6)


def test_gradients_may_be_placed_with_ops(graph: Any) -> None:
    x = tf.constant([1.0])
    with tf.device("/cpu:1"):
        y = tf.square(x, name="sq")
    tf.gradients(y, x, colocate_gradients_with_ops=True)
    made = [op for op in graph.get_operations() if op.name.startswith("gradients/sq_grad/")]
    assert made
    assert all(op.colocation_groups() == [b"loc:@sq"] for op in made)


def test_chain_of_many_nodes_does_not_recurse() -> None:
    x = y = tf.constant(1.0)
    for _ in range(3000):
        y = tf.identity(y)
    assert _run(tf.gradients(y, x)[0]) == 1.0


def test_rules_of_the_users_own(graph: Any) -> None:
    @tf.RegisterGradient("TestTripled")
    def tripled(op: Any, grad: Any) -> Any:
        return 3.0 * grad

    x = tf.constant(2.0)
    with graph.gradient_override_map({"Square": "TestTripled"}):
        y = tf.square(x)
    assert _run(tf.gradients(y, x)[0]) == 3.0
    with pytest.raises(KeyError, match="Registering two gradient with name 'Square'"):
        tf.RegisterGradient("Square")(tripled)
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.NotDifferentiable(3)


def test_rule_with_too_few_gradients_is_refused(graph: Any) -> None:
    @tf.RegisterGradient("TestTooFew")
    def too_few(op: Any, grad: Any) -> Any:
        return [grad]

    x = tf.constant(2.0)
    with graph.gradient_override_map({"Mul": "TestTooFew"}):
        y = x * x
    with pytest.raises(ValueError, match="Num gradients 1 generated for op"):
        tf.gradients(y, x)


def test_custom_gradient() -> None:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return tf.exp(x), lambda grad: tf.minimum(grad, 0.5)

    x = tf.constant([1.0, 2.0])
    y = clipped(x)
    value, grad = _run([y, tf.gradients(y, x)[0]])
    np.testing.assert_allclose(value, np.exp([1.0, 2.0]), rtol=1e-6)
    np.testing.assert_array_equal(grad, [0.5, 0.5])


def test_custom_gradient_with_variables() -> None:
    w = tf.get_variable("w", initializer=3.0)

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        return x * w, lambda grad, variables: ([grad * 10.0], [grad * 20.0])

    x = tf.constant(2.0)
    grads = tf.gradients(scaled(x), [x, w])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(grads) == [10.0, 20.0]

    @tf.custom_gradient
    def forgetful(x: Any) -> Any:
        return x * w, lambda grad: grad

    with pytest.raises(TypeError, match="must accept a 'variables' keyword argument"):
        forgetful(x)


def test_hessians() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    (found,) = tf.hessians(tf.reduce_sum(x**3) + x[0] * x[1], x)
    np.testing.assert_allclose(_run(found), [[6, 1, 0], [1, 12, 0], [0, 0, 18]], rtol=1e-5)


def test_rows_of_variables_of_both_kinds() -> None:
    for resource in (False, True):
        table = tf.get_variable(f"t{resource}", initializer=np.ones((4, 2), np.float32), use_resource=resource)
        rows = tf.nn.embedding_lookup(table, [1, 3, 1])
        (grad,) = tf.gradients(rows * rows, table)
        assert isinstance(grad, tf.IndexedSlices)
        whole = tf.convert_to_tensor(grad)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(whole), [[0, 0], [4, 4], [0, 0], [2, 2]])


def test_gradient_from_inside_a_loop_by_its_start_is_refused() -> None:
    start = tf.constant(1.0, name="start")

    def body(i: Any, v: Any) -> Any:
        return i + 1, tf.gradients(v * v, start)[0]

    with pytest.raises(ValueError, match="Cannot compute gradient inside while loop with respect to op 'start'"):
        tf.while_loop(lambda i, v: i < 3, body, [tf.constant(0), start])


def test_second_derivative_of_a_loop_is_refused() -> None:
    x = tf.constant(2.0)
    _, y = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v * x), [tf.constant(0), x])
    (grad,) = tf.gradients(y, x)
    assert _run(grad) == 12.0
    with pytest.raises(TypeError, match="Second-order gradient for while loops not supported"):
        tf.gradients(grad, x)


# Numeric derivatives of what the goldens do not cover.

NUMERIC = {
    "clip_by_global_norm": lambda x: tf.clip_by_global_norm([x, 2.0 * x], 1.0)[0][1],
    "qr": lambda x: tf.linalg.qr(x[:3, :3] + 2.0 * tf.eye(3, dtype=tf.float64))[1],
    "moments": lambda x: tf.nn.moments(x, [0, 1])[1],
    "self_adjoint_eig": lambda x: tf.linalg.eigh(
        tf.matmul(x, x, transpose_b=True) + tf.linalg.diag(tf.constant([1.0, 2.0, 3.0, 4.0], tf.float64))
    )[0],
}


@pytest.mark.parametrize("name", NUMERIC)
def test_numeric_derivative(name: str) -> None:

    value = np.random.RandomState(3).uniform(-1, 1, (4, 3))
    x = tf.placeholder(tf.float64, [4, 3])
    y = NUMERIC[name](x)
    weights = np.cos(np.arange(int(np.prod(y.shape.as_list(), dtype=int)))).reshape(y.shape.as_list())
    total = tf.reduce_sum(y * weights)
    (grad,) = tf.gradients(total, x)
    with tf.Session() as session:
        found = session.run(grad, {x: value})
        for at in np.ndindex(4, 3):
            step = np.zeros((4, 3))
            step[at] = 1e-6
            ends = [session.run(total, {x: value + s}) for s in (step, -step)]
            np.testing.assert_allclose(found[at], (ends[0] - ends[1]) / 2e-6, rtol=1e-4, atol=1e-6)


def test_every_rule_is_of_a_registered_op() -> None:
    for op in opdefs._gradients():
        assert opdefs.find(op) is not None, op
        registry.load_gradient(op)
        assert op in registry.GRADIENTS
