"""Gradients of singular values and vectors against differences, to the second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf


def settled(a: Any, *, full: bool) -> list[Any]:
    """Return s, u, v with the phases of the vectors settled, so that they are functions of `a`."""
    s, u, v = tf.linalg.svd(a, full_matrices=full)
    top = u[..., 0:1, :]
    phase = top / tf.cast(tf.abs(top), top.dtype)
    if not full:
        return [s, u / phase, v / phase]
    small = min(u.shape[-1].value, v.shape[-1].value)
    return [s, u[..., :, :small] / phase[..., :small], v[..., :, :small] / phase[..., :small]]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (3, 2)])
def test_gradients_of_singular_vectors(shape: tuple[int, int], dtype: Any, full: bool) -> None:
    random = np.random.RandomState(3)
    value = random.uniform(-1, 1, shape) + (1j * random.uniform(-1, 1, shape) if dtype == np.complex128 else 0)
    with tf.Graph().as_default(), tf.Session():
        a = tf.constant(value.astype(dtype))
        for y in settled(a, full=full):
            size = y.shape.as_list()
            assert tf.test.compute_gradient_error(a, shape, y, size, x_init_value=value, delta=1e-6) < 1e-5
        if dtype == np.complex128:  # as in TensorFlow, the second gradient of an absolute value is another there
            return
        total = tf.add_n([tf.reduce_sum(tf.abs(y)) for y in settled(a, full=False)])
        (gradient,) = tf.gradients(total, a)
        assert tf.test.compute_gradient_error(a, shape, gradient, shape, x_init_value=value, delta=1e-6) < 1e-4


def test_gradients_that_tensorflow_does_not_have_either_say_so() -> None:
    with tf.Graph().as_default():
        a = tf.placeholder(tf.float64, [2, 4])
        with pytest.raises(
            NotImplementedError, match=r"not implemented for abs\(m - n\) > 1 when full_matrices is True"
        ):
            tf.gradients(tf.linalg.svd(a, full_matrices=True)[1], a)
