"""Products and convolutions that take over their bias, normalization, activation and padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.errors import InvalidArgumentError

DRAW = np.random.default_rng(0)


def _values(*shape: int) -> np.ndarray:
    return DRAW.standard_normal(shape).astype(np.float32)


def _norm(x: Any, channels: int, op: str = "FusedBatchNormV3", **attrs: Any) -> Any:
    mean, variance = _values(channels), DRAW.random(channels, np.float32) + 0.5
    given = {"scale": _values(channels), "offset": _values(channels), "mean": mean, "variance": variance}
    return getattr(tf.raw_ops, op)(x=x, **given, is_training=False, epsilon=0.01, **attrs)


def _unfused(sess: Any, y: Any, feed: dict[Any, Any]) -> np.ndarray:
    """Return the value of `y` as it is made node by node, each by its own kernel."""
    return next(values[0] for name, values, _ in sess.trace(y, feed) if name == y.op.name)


def _dense(x: Any) -> Any:
    return tf.nn.relu(tf.nn.bias_add(tf.matmul(tf.reshape(x, [-1, 6 * 7 * 4]), _values(168, 5)), _values(5)))


def _dense_scaled(x: Any) -> Any:
    y = tf.matmul(tf.reshape(x, [-1, 6 * 7 * 4]), _values(9, 168), transpose_b=True)
    return tf.tanh(_values(9) + (y * _values(9) - np.float32(0.25)))


def _convolution(x: Any) -> Any:
    y = tf.nn.conv2d(x, _values(3, 3, 4, 8), strides=[1, 2, 1, 1], padding="SAME")
    return tf.nn.relu6(_norm(tf.nn.bias_add(y, _values(8)), 8)[0])


def _padded(x: Any) -> Any:
    x = tf.pad(x, [[0, 0], [0, 1], [2, 1], [0, 0]])
    return _norm(tf.nn.conv2d(x, _values(3, 3, 4, 8), strides=2, padding="VALID"), 8, "FusedBatchNorm")[0]


def _depthwise(x: Any) -> Any:
    y = tf.nn.depthwise_conv2d(x, _values(3, 3, 4, 2), strides=[1, 1, 1, 1], padding="SAME")
    return tf.nn.relu(_norm(y, 8, "FusedBatchNormV2")[0])


def _depthwise_padded(x: Any) -> Any:
    x = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])
    return tf.nn.depthwise_conv2d(x, _values(3, 3, 4, 1), strides=[1, 2, 2, 1], padding="VALID") + _values(4)


def _grouped(x: Any) -> Any:
    return tf.nn.relu(tf.nn.conv2d(x, _values(2, 2, 2, 6), strides=1, padding="SAME") * _values(6) + _values(6))


def _large(x: Any) -> Any:
    x = tf.tile(x, [4, 4, 4, 8])
    y = tf.nn.relu(_norm(tf.nn.conv2d(x, _values(3, 3, 32, 48), strides=1, padding="SAME"), 48)[0])
    return tf.nn.relu(tf.nn.conv2d(y, _values(1, 1, 48, 200), strides=1, padding="SAME") + _values(200))


CASES = [
    (_dense, ["MatMul"]),
    (_dense_scaled, ["MatMul"]),
    (_convolution, ["Conv2D"]),
    (_padded, ["Conv2D"]),
    (_depthwise, ["DepthwiseConv2dNative"]),
    (_depthwise_padded, ["DepthwiseConv2dNative"]),
    (_grouped, ["Conv2D"]),
    (_large, ["Tile", "Conv2D", "Conv2D"]),
]


@pytest.mark.parametrize(("build", "kinds"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_fused_as_unfused(build: Callable[[Any], Any], kinds: list[str]) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 6, 7, 4])
        y = build(x)
    feed = {x: _values(2, 6, 7, 4)}
    with tf.Session(graph=graph) as sess:
        got = sess.run(y, feed)
        (program,) = sess._programs.entries()
        want = _unfused(sess, y, feed)
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
    assert [s.node.type for s in program.steps if s.node.type != "Reshape"] == kinds


def test_what_is_fetched_or_read_twice_stays() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 6, 7, 4])
        y = tf.nn.conv2d(x, _values(3, 3, 4, 8), strides=1, padding="SAME")
        biased = tf.nn.bias_add(y, _values(8))
        active = tf.nn.relu(biased)
        both = active + tf.reduce_mean(biased)
    feed = {x: _values(2, 6, 7, 4)}
    with tf.Session(graph=graph) as sess:
        at_once = sess.run([y, biased, active, both], feed)
        alone = [sess.run(t, feed) for t in (y, biased, active, both)]
    for one, other in zip(at_once, alone, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(at_once[2], np.maximum(at_once[1], 0))
    assert (at_once[1] < 0).any() and (at_once[0] != at_once[1]).any()


@pytest.mark.parametrize(
    "build",
    [
        lambda y: tf.nn.relu(_norm(y, 8)[0] + tf.reduce_sum(_norm(y, 8)[1])),
        lambda y: y + _values(7, 8),  # not one number for each channel
        lambda y: np.float32(1) - y,
        lambda y: tf.nn.relu(y + np.full(8, np.inf, np.float32)),
        lambda y: tf.raw_ops.BiasAdd(value=y, bias=_values(6), data_format="NCHW"),
    ],
)
def test_what_is_no_chain_runs_as_it_stands(build: Callable[[Any], Any]) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 6, 7, 4])
        y = build(tf.nn.conv2d(x, _values(3, 3, 4, 8), strides=1, padding="SAME"))
    feed = {x: _values(2, 6, 7, 4)}
    with tf.Session(graph=graph) as sess:
        want = _unfused(sess, y, feed)
        np.testing.assert_allclose(sess.run(y, feed), want, rtol=1e-5, atol=1e-5)


def test_not_a_number_goes_through() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 6, 7, 4])
        y = _convolution(x)
    given = _values(1, 6, 7, 4)
    given[0, 3, 3, 1] = np.nan
    with tf.Session(graph=graph) as sess:
        got = sess.run(y, {x: given})
        want = _unfused(sess, y, {x: given})
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    assert np.isnan(got).any() and not np.isnan(got).all()


def test_errors_name_the_node() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32)
        y = tf.nn.conv2d(x, _values(3, 3, 4, 8), strides=1, padding="SAME", name="first")
        made = tf.nn.relu(tf.nn.bias_add(y, _values(8)))
        product = tf.nn.relu(tf.matmul(x, _values(4, 3), name="second") + _values(3))
    with tf.Session(graph=graph) as sess:
        with pytest.raises(InvalidArgumentError, match="'first'.*depth") as caught:
            sess.run(made, {x: _values(1, 5, 5, 3)})
        assert caught.value.op.name == "first"
        with pytest.raises(InvalidArgumentError, match=r"'second'.*Matrix size-incompatible") as caught:
            sess.run(product, {x: _values(2, 5)})
        assert caught.value.op.name == "second"


def test_a_chain_in_a_branch_and_in_a_loop() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4])
        weights, bias = tf.constant(_values(4, 4)), tf.constant(_values(4))

        def step(v: Any) -> Any:
            return tf.nn.relu(tf.matmul(v, weights) + bias)

        branch = tf.cond(tf.reduce_sum(x) > 0, lambda: step(x), lambda: x)
        _, turned = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, step(v)), (0, x))
    given = np.abs(_values(2, 4))
    want = [given]
    with tf.Session(graph=graph) as sess:
        w, b = sess.run([weights, bias])
        for _ in range(3):
            want.append(np.maximum(want[-1] @ w + b, 0))
        np.testing.assert_allclose(sess.run(branch, {x: given}), want[1], rtol=1e-5)
        np.testing.assert_array_equal(sess.run(branch, {x: -given}), -given)
        np.testing.assert_allclose(sess.run(turned, {x: given}), want[3], rtol=1e-4)


def _layers(x: Any, *, ref: bool) -> tuple[Any, list[Any]]:
    """Return a small net over variables, and these."""

    def variable(*shape: int) -> Any:
        made = tf.Variable(_values(*shape), use_resource=not ref)
        variables.append(made)
        return made

    variables: list[Any] = []
    y = tf.nn.relu(tf.nn.conv2d(x, variable(3, 3, 4, 8), strides=[1, 2, 1, 1], padding="SAME") + variable(8))
    y = tf.nn.bias_add(tf.nn.conv2d(y, variable(2, 2, 8, 5), strides=1, padding="VALID"), variable(5))
    y = tf.nn.relu6(variable(7) + tf.matmul(tf.reshape(y, [2, -1]), variable(7, 60), transpose_b=True))
    return tf.matmul(y, variable(7, 3)) + variable(3), variables


@pytest.mark.parametrize("ref", [True, False])
def test_variable_biases(ref: bool) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 6, 7, 4])
        y, variables = _layers(x, ref=ref)
        step = tf.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_sum(y))
        begin = tf.global_variables_initializer()
    feed = {x: _values(2, 6, 7, 4)}
    with tf.Session(graph=graph) as sess:
        sess.run(begin)
        for _ in range(2):
            got = sess.run(y, feed)
            want = _unfused(sess, y, feed)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
            sess.run(step, feed)
            assert not np.allclose(got, sess.run(y, feed))
        program = next(p for p in sess._programs.entries() if p.whole.fetches and not p.whole.targets)
        kinds = [s.node.type for s in program.steps]
        assert kinds.count("Conv2D") == 2 and kinds.count("MatMul") == 2
        assert not {"Relu", "Relu6", "AddV2", "Add", "BiasAdd"}.intersection(kinds)
        # As many steps of training on both ways give the same variables.
        before = sess.run(variables)
        sess.run(step, feed)
        fused = sess.run(variables)
        for variable, value in zip(variables, before):
            variable.load(value, sess)
        list(sess.trace(step, feed))
        for one, other in zip(fused, sess.run(variables)):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("bias", "shape"), [((1,), (2, 3)), ((3,), (2, 3)), ((3,), (1, 3)), ((3,), (2, 1)), ((1,), (2, 1))]
)
def test_variable_biases_that_broadcast(bias: tuple[int], shape: tuple[int, int]) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4])
        weights = tf.placeholder(tf.float32, [4, None])
        added = tf.placeholder(tf.float32, [None])
        y = tf.nn.relu(added + tf.matmul(x, weights))
        bad = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, weights), added, name="added"))
    a, w, b = _values(shape[0], 4), _values(4, shape[1]), _values(*bias)
    with tf.Session(graph=graph) as sess:
        got = sess.run(y, {x: a, weights: w, added: b})
        np.testing.assert_allclose(got, np.maximum(a @ w + b, 0), rtol=1e-5, atol=1e-6)
        if bias[0] != shape[1]:
            with pytest.raises(InvalidArgumentError, match="as many biases"):
                sess.run(bad, {x: a, weights: w, added: b})


def test_a_write_between_filter_and_bias_is_seen_as_it_stands() -> None:
    with tf.Graph().as_default() as graph:
        weights = tf.Variable(np.ones((2, 2), np.float32), use_resource=False)
        bias = tf.Variable(np.zeros(2, np.float32), use_resource=False)
        y = tf.matmul(np.ones((1, 2), np.float32), weights)
        with tf.control_dependencies([y]):
            written = tf.assign(weights, np.full((2, 2), 5, np.float32))
        with tf.control_dependencies([written]):
            late = tf.identity(bias)
        made = tf.nn.relu(y + late)
        begin = tf.global_variables_initializer()
    with tf.Session(graph=graph) as sess:
        sess.run(begin)
        assert sess.run(made).tolist() == [[2, 2]]
        assert sess.run(made).tolist() == [[10, 10]]
