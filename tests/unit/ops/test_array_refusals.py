"""What array ops refuse, in TensorFlow's words, and gathers with batch axes given in other ways."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import icefloe as tf
from icefloe.lib.array_batch_gather import batch_gather_nd


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def test_a_scalar_has_no_slices() -> None:
    with pytest.raises(ValueError, match=r"Attempting to slice scalar input\."):
        tf.constant(12)[0]


def test_a_handle_is_no_constant() -> None:
    made = tf.guarantee_const(tf.Variable(1.0, use_resource=True).handle)
    with tf.Session() as s, pytest.raises(tf.errors.InvalidArgumentError, match="cannot be a resource variable"):
        s.run(made)


def test_batch_axes_as_a_tensor() -> None:
    params, indices = tf.constant([[1, 2], [3, 4]]), tf.constant([[1], [0]])
    with tf.Session() as s:
        for batch_dims in (1, tf.constant(1), tf.constant([1])):
            np.testing.assert_array_equal(s.run(tf.gather_nd(params, indices, batch_dims=batch_dims)), [2, 3])


def test_no_batch_axes() -> None:
    params, indices = tf.constant([[1, 2], [3, 4]]), tf.constant([[0, 1], [1, 0]])
    with tf.Session() as s:
        np.testing.assert_array_equal(s.run(batch_gather_nd(params, indices, 0)), [2, 3])


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_sizes_whose_product_overflows(dtype: tf.DType) -> None:
    made = tf.unravel_index(tf.constant(5, dtype), tf.constant([dtype.max // 2, 3], dtype))
    with (
        tf.Session() as s,
        pytest.raises(tf.errors.InvalidArgumentError, match="dims product is causing integer overflow"),
    ):
        s.run(made)


def test_an_axis_beyond_the_rank() -> None:
    x = tf.constant([1.0, 2.0])
    quantized = tf.raw_ops.QuantizeV2(input=x, min_range=0.0, max_range=1.0, T=tf.qint8)[0]
    with pytest.raises(ValueError, match=r"Axis must be less than input dimension\(1\), got 2147483647"):
        tf.raw_ops.Dequantize(input=quantized, min_range=0.0, max_range=1.0, axis=2**31 - 1)
