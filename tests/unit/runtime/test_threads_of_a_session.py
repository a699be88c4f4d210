"""`Config.intra_op_parallelism_threads` reaches the kernels, and BLAS gets its threads back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.machine import blas, threads


def _seen(config: Any) -> list[int]:
    found: list[int] = []

    def look(x: Any) -> Any:
        found.append(threads.width())
        return x

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = tf.py_func(look, [x], tf.float32)
    with tf.Session(graph=graph, config=config) as sess:
        sess.run(y, {x: 1.0})
    return found


@pytest.mark.parametrize("count", [1, 3])
def test_of_a_config_and_of_a_proto(count: int) -> None:
    assert _seen(tf.Config(intra_op_parallelism_threads=count)) == [count]
    assert _seen(tf.ConfigProto(intra_op_parallelism_threads=count)) == [count]
    assert _seen(None) == [threads.cores()]
    assert threads.width() == threads.cores()


def test_blas_gets_its_threads_back() -> None:
    draw = np.random.default_rng(0)
    a, b = draw.random((300, 300), np.float32), draw.random((300, 300), np.float32)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 300])
        y = tf.matmul(tf.matmul(x, b), b)
        wrong = tf.matmul(y, tf.placeholder_with_default(np.ones((2, 2), np.float32), [None, None]))
    before = [get() for get, _ in blas._libraries()]
    with tf.Session(graph=graph) as sess:
        found = [sess.run(y, {x: a}) for _ in range(3)]
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(wrong, {x: a})
        (program, _) = sess._programs.entries()
        assert program._holds_blas
    assert [get() for get, _ in blas._libraries()] == before
    np.testing.assert_allclose(found[0], a @ b @ b, rtol=1e-4)
    assert all(np.array_equal(found[0], other) for other in found)
