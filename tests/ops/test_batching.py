"""Functions of batches, and batches that go through a graph and come back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph import build
from icefloe.lib.defun import Defun

BATCHING = {"num_batch_threads": 1, "max_batch_size": 4, "batch_timeout_micros": 0, "grad_timeout_micros": 0}
X = np.arange(6, dtype=np.int32).reshape(3, 2)


@Defun(tf.int32, tf.int32)
def scaled_and_size(x: Any, by: Any) -> Any:
    return x * by, tf.fill(tf.shape(x)[:1], tf.shape(x)[0])


def call(rows: np.ndarray, **attrs: Any) -> list[np.ndarray]:
    with tf.Graph().as_default(), tf.Session() as session:
        out = build.apply_op(
            "BatchFunction",
            [tf.constant(rows)],
            [tf.constant(3)],
            f=scaled_and_size,
            num_batch_threads=1,
            batch_timeout_micros=0,
            Tout=["int32", "int32"],
            **{"max_batch_size": 4, **attrs},
        )
        return session.run(list(out))


def test_rows_of_the_function() -> None:
    scaled, sizes = call(X)
    np.testing.assert_array_equal(scaled, X * 3)
    np.testing.assert_array_equal(sizes, [3, 3, 3])


def test_a_batch_is_padded_and_the_results_cut() -> None:
    scaled, sizes = call(X, allowed_batch_sizes=[2, 4])
    np.testing.assert_array_equal(scaled, X * 3)
    np.testing.assert_array_equal(sizes, [4, 4, 4])


def test_a_large_batch_is_refused_or_split() -> None:
    rows = np.arange(20, dtype=np.int32).reshape(10, 2)
    with pytest.raises(errors.InvalidArgumentError, match="larger than maximum"):
        call(rows)
    scaled, sizes = call(rows, enable_large_batch_splitting=True)
    np.testing.assert_array_equal(scaled, rows * 3)
    np.testing.assert_array_equal(sizes, [4] * 8 + [2] * 2)


def test_a_batch_comes_back() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows, index, number = build.apply_op("Batch", [tf.constant(X)], **BATCHING)
        back = build.apply_op("Unbatch", rows[0], index, number, timeout_micros=0)
        gradient = build.apply_op("UnbatchGrad", rows[0], index, back * 2, number)
        got = session.run([rows[0], index[:, 1:], back, gradient])
        np.testing.assert_array_equal(got[0], X)
        np.testing.assert_array_equal(got[1], [[0, 3]])
        np.testing.assert_array_equal(got[2], X)
        np.testing.assert_array_equal(got[3], X * 2)
        assert session.run(number) != session.run(number)
