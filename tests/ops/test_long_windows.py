"""Windows and dilations far longer than the input: values and refusals are TensorFlow 2.21's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf

X = np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)
FAR = {"strides": [1, 1, 1, 1], "padding": "SAME", "dilations": [1, 2000, 2000, 1]}


def ran(make: Any) -> np.ndarray:
    with tf.Graph().as_default(), tf.Session() as session:
        found: np.ndarray = session.run(make())
        return found


def test_a_window_longer_than_the_input_takes_no_time() -> None:
    wide = {"ksize": [1, 2**30, 2**30, 1], "strides": [1, 1, 1, 1], "padding": "SAME"}
    assert (ran(lambda: tf.raw_ops.AvgPool(value=X, **wide)) == 4).all()
    assert (ran(lambda: tf.raw_ops.MaxPool(input=X, **wide)) == 8).all()
    x = tf.Graph()
    with x.as_default(), tf.Session() as session:
        place = tf.constant(X)
        (gradient,) = tf.gradients(tf.raw_ops.MaxPool(input=place, **wide), [place])
        assert session.run(gradient).ravel().tolist() == [0.0] * 8 + [9.0]


def test_only_the_middle_of_a_far_dilated_filter_sees_the_input() -> None:
    w = X.reshape(3, 3, 1, 1)
    expected = X * 4
    assert np.array_equal(ran(lambda: tf.raw_ops.Conv2D(input=X, filter=w, **FAR)), expected)
    assert np.array_equal(ran(lambda: tf.raw_ops.DepthwiseConv2dNative(input=X, filter=w, **FAR)), expected)
    back = ran(lambda: tf.raw_ops.Conv2DBackpropInput(input_sizes=X.shape, filter=w, out_backprop=X, **FAR))
    assert np.array_equal(back, expected)
    found = ran(lambda: tf.raw_ops.Conv2DBackpropFilter(input=X, filter_sizes=w.shape, out_backprop=X, **FAR))
    assert found.ravel().tolist() == [0.0] * 4 + [204.0] + [0.0] * 4


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: tf.raw_ops.AvgPool(value=X, ksize=[1, 2**31, 1, 1], strides=[1] * 4, padding="SAME"),
            "Attr ksize has value 2147483648 out of range for an int32",
        ),
        (
            lambda: tf.raw_ops.Conv2D(input=X, filter=X, strides=[1, 2**40, 1, 1], padding="SAME"),
            "Attr strides has value 1099511627776 out of range for an int32",
        ),
        (
            lambda: tf.raw_ops.MaxPoolWithArgmax(input=X, ksize=[1, -1, 1, 1], strides=[1] * 4, padding="SAME"),
            "ksize must be a positive int32 value, got:-1",
        ),
        (
            lambda: tf.raw_ops.MaxPool(
                input=X,
                ksize=[1, 2, 2, 1],
                strides=[1] * 4,
                padding="EXPLICIT",
                explicit_paddings=[1, 1, 1, 1, 1, 1, 0, 0],
            ),
            "Nonzero explicit padding in the batch or depth dimensions is not supported",
        ),
        (
            lambda: tf.raw_ops.RandomUniformInt(shape=[3], minval=[1, 2], maxval=3),
            r"minval must be a scalar; got a tensor of shape \[2\]",
        ),
    ],
)
def test_attrs_that_cannot_be_are_refused_when_built(make: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        make()


def test_what_cannot_run_is_told_before_what_is_not_fed() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        y = tf.raw_ops.AvgPool(value=x, ksize=[1, 1, 1, 1], strides=[2, 1, 1, 1], padding="SAME")
        with pytest.raises(tf.errors.UnimplementedError, match="Pooling is not yet supported on the batch dimension"):
            session.run(y)


def test_filters_without_elements_have_gradients() -> None:
    attrs = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    dy, x = np.ones([1, 2, 2, 3], np.float32), np.ones([1, 3, 3, 0], np.float32)
    made = ran(lambda: tf.raw_ops.Conv2DBackpropFilter(input=x, filter_sizes=[2, 2, 0, 3], out_backprop=dy, **attrs))
    assert made.shape == (2, 2, 0, 3)
    w, none = np.ones([2, 2, 1, 0], np.float32), np.ones([1, 2, 2, 0], np.float32)
    back = ran(lambda: tf.raw_ops.Conv2DBackpropInput(input_sizes=X.shape, filter=w, out_backprop=none, **attrs))
    assert not back.any() and back.shape == X.shape


def test_windows_over_the_channels_have_their_static_shape() -> None:
    x = np.ones([1, 2, 2, 6], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        for y in (
            tf.nn.max_pool(x, [1, 1, 1, 3], [1, 1, 1, 3], "SAME"),
            tf.raw_ops.MaxPoolV2(input=x, ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="SAME"),
        ):
            assert y.shape.as_list() == list(session.run(y).shape) == [1, 2, 2, 2]
