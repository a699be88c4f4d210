"""Layers fused with what follows them give what the nodes one by one give."""

from __future__ import annotations

import numpy as np
import pytest

import icefloe as tf

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 5, 6, 3)).astype(np.float32)
BIAS = RNG.normal(size=6).astype(np.float32)
ACTIVATIONS = {
    "Relu": tf.nn.relu,
    "Relu6": tf.nn.relu6,
    "Elu": tf.nn.elu,
    "Tanh": tf.tanh,
    "Sigmoid": tf.sigmoid,
    "LeakyRelu": lambda x: tf.nn.leaky_relu(x, 0.3),
}


def fused(op, inputs, args, **attrs):
    """Run one node that the builder of ops does not offer."""
    definition = tf.proto.GraphDef()
    node = definition.node.add(name="y", op=op)
    feeds = {}
    for i, value in enumerate([*inputs, *args]):
        definition.node.add(name=f"x{i}", op="Placeholder").attr["dtype"].type = 1
        node.input.append(f"x{i}")
        feeds[f"x{i}:0"] = value
    node.attr["T"].type = 1
    node.attr["num_args"].i = len(args)
    if op == "_FusedConv2D":
        node.attr["TArgs"].list.type.extend([1] * len(args))
    for name, value in attrs.items():
        attr = node.attr[name]
        if isinstance(value, list) and isinstance(value[0], str):
            attr.list.s.extend(v.encode() for v in value)
        elif isinstance(value, list):
            attr.list.i.extend(value)
        elif isinstance(value, str):
            attr.s = value.encode()
        elif isinstance(value, bool):
            attr.b = value
        else:
            attr.f = value
    graph = tf.load_graph(definition)
    with tf.Session(graph=graph) as session:
        value = session.run("y:0", feeds)
    assert graph.get_tensor_by_name("y:0").shape.is_compatible_with(value.shape)
    return value


def plain(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_convolution_with_bias_and_activation(activation):
    w = RNG.normal(size=(3, 3, 3, 6)).astype(np.float32)
    found = fused(
        "_FusedConv2D",
        [X, w],
        [BIAS],
        strides=[1, 2, 2, 1],
        padding="SAME",
        fused_ops=["BiasAdd", activation],
        leakyrelu_alpha=0.3,
    )
    expected = plain(lambda: ACTIVATIONS[activation](tf.nn.conv2d(X, w, 2, "SAME") + BIAS))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_convolution_with_batch_normalisation():
    w = RNG.normal(size=(1, 1, 3, 6)).astype(np.float32)
    numbers = [np.abs(RNG.normal(size=6)).astype(np.float32) for _ in range(4)]
    found = fused(
        "_FusedConv2D",
        [X, w],
        numbers,
        strides=[1, 1, 1, 1],
        padding="VALID",
        fused_ops=["FusedBatchNorm", "Relu"],
        epsilon=0.01,
    )
    expected = plain(
        lambda: tf.nn.relu(
            tf.nn.fused_batch_norm(tf.nn.conv2d(X, w, 1, "VALID"), *numbers, epsilon=0.01, is_training=False)[0]
        )
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_depthwise_convolution_with_slopes():
    w = RNG.normal(size=(3, 3, 3, 2)).astype(np.float32)
    found = fused(
        "_FusedDepthwiseConv2dNative",
        [X, w],
        [BIAS, np.full(6, 0.1, np.float32)],
        strides=[1, 1, 1, 1],
        padding="SAME",
        fused_ops=["BiasAdd", "Prelu"],
    )
    expected = plain(lambda: tf.nn.leaky_relu(tf.nn.depthwise_conv2d(X, w, [1, 1, 1, 1], "SAME") + BIAS, 0.1))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("transpose", [False, True])
def test_product_with_bias(transpose):
    a, b = RNG.normal(size=(4, 3)).astype(np.float32), RNG.normal(size=(3, 6)).astype(np.float32)
    found = fused("_FusedMatMul", [a, b.T if transpose else b], [BIAS], transpose_b=transpose, fused_ops=["BiasAdd"])
    np.testing.assert_allclose(found, a @ b + BIAS, rtol=1e-5)


def test_an_unknown_fusion_is_named():
    with pytest.raises(tf.errors.UnimplementedError, match="'Magic' is not known"):
        fused("_FusedMatMul", [np.ones((1, 1)), np.ones((1, 1))], [], fused_ops=["Magic"])
