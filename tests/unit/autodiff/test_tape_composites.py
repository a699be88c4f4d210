"""A tape's gradients for RaggedTensors, and of what `stop_gradient` stops; values are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import icefloe as tf


def test_a_ragged_tensor_has_a_ragged_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.RaggedTensor.from_row_splits(values=[1.0, 2.0, 3.0], row_splits=[0, 1, 1, 3])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x.values)
            y = tf.reduce_sum(x.values * x.values)
            stopped = tf.stop_gradient(x)
        (gradient,) = tape.gradient(y, [x])
        assert session.run(gradient).to_list() == [[2.0], [], [4.0, 6.0]]
        assert session.run(stopped).to_list() == [[1.0], [], [2.0, 3.0]]
        assert tape.gradient(stopped, x) is None


def test_a_sparse_tensor_is_no_source_of_gradients() -> None:
    with tf.Graph().as_default():
        s = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.stop_gradient(s).values)
        with pytest.raises(ValueError, match="Type SparseTensor is not supported as a gradient source"):
            tape.gradient(y, s)
