"""Linear algebra of tensors whose shape is known only when the graph runs, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import icefloe as tf


@pytest.mark.parametrize("axis", [(0, 1), (-1, 0), (1, -1)])
def test_the_spectral_norm_of_a_tensor_of_unknown_rank(axis: tuple[int, int]) -> None:
    values = np.random.RandomState(1).randn(3, 4, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64)
        for keepdims in (False, True):
            found = session.run(tf.norm(x, 2, axis, keepdims=keepdims), {x: values})
            assert np.allclose(found, np.linalg.norm(values, 2, axis, keepdims=keepdims))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_least_squares_of_a_matrix_of_unknown_shape(shape: tuple[int, int]) -> None:
    random = np.random.RandomState(2)
    matrix, rhs = random.randn(*shape), random.randn(shape[0], 2)
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.placeholder(tf.float64, [None, None]), tf.placeholder(tf.float64)
        found = session.run(tf.matrix_solve_ls(a, b), {a: matrix, b: rhs})
        assert np.allclose(found, np.linalg.lstsq(matrix, rhs, rcond=None)[0])
