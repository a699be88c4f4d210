"""Ops of batches that several runs share, each case one run."""

import numpy as np

from ops.case import Case

X = np.arange(6.0, dtype=np.float32).reshape(3, 2)
ROWS = np.array([[7, 0, 2], [9, 2, 3]])
BATCHING = {"num_batch_threads": 1, "max_batch_size": 4, "batch_timeout_micros": 1000, "grad_timeout_micros": 0}
TIMEOUT = {"timeout_micros": 50000}


def i64(value: int) -> np.ndarray:
    return np.array(value)


CASES = [
    Case("Batch", [X, np.array([1, 2])], **BATCHING),
    Case("Batch", [np.float32(1)], **BATCHING),
    Case("Batch", [np.ones(5)], **BATCHING),
    Case("Batch", [X], **BATCHING, allowed_batch_sizes=[2, 2, 4]),
    Case("Batch", [X], **BATCHING, allowed_batch_sizes=[2, 3]),
    Case("Unbatch", X, ROWS, i64(7), **TIMEOUT),
    Case("Unbatch", X, ROWS, i64(9), **TIMEOUT),
    Case("Unbatch", X, ROWS, np.array([9]), **TIMEOUT),
    Case("Unbatch", X, ROWS[:, :2], i64(9), **TIMEOUT),
    Case("Unbatch", X[:1], ROWS, i64(9), **TIMEOUT),
    Case("UnbatchGrad", X, ROWS[:1], X[:2], i64(7)),
    Case("UnbatchGrad", X[:0], ROWS[:0], X[:2], i64(7)),
    Case("UnbatchGrad", X, ROWS[:0], X[:2], i64(7)),
    Case("UnbatchGrad", X, ROWS[0], X[:2], i64(7)),
    Case("UnbatchGrad", X, ROWS[:1], X[:2], np.array([7])),
]
