"""What a kernel refuses, in TensorFlow's words, and takes where the graph did not know shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors

F = np.float32
CASES = {
    "Empty": (
        lambda dims: tf.raw_ops.Empty(shape=dims, dtype=tf.float32),
        [np.int32(3)],
        errors.InvalidArgumentError,
        "shape must be a vector of int32, got shape []",
    ),
    "Reverse": (
        lambda x, dims: tf.raw_ops.Reverse(tensor=x, dims=dims),
        [np.zeros((0, 4), F), np.array([True, False])],
        errors.InvalidArgumentError,
        "Invalid input first dimension. Found 0.",
    ),
    "UnravelIndex": (
        lambda i, dims: tf.raw_ops.UnravelIndex(indices=i, dims=dims),
        [np.zeros(0, np.int32), np.array([2, 3], np.int32)],
        errors.InvalidArgumentError,
        "received empty tensor indices",
    ),
    "MatrixDiagPartV3": (
        lambda x, padding: tf.raw_ops.MatrixDiagPartV3(input=x, k=[0, 1], padding_value=padding),
        [np.zeros((3, 4), F), np.zeros(2, F)],
        errors.InvalidArgumentError,
        "Padding must be scalar.",
    ),
    "FusedBatchNormV3": (
        lambda x, mean: (
            tf.raw_ops.FusedBatchNormV3(
                x=x, scale=np.ones(3, F), offset=np.ones(3, F), mean=mean, variance=np.ones(3, F)
            ).y
        ),
        [np.ones((2, 2, 2, 3), F), np.zeros((3, 1), F)],
        errors.InvalidArgumentError,
        "estimated_mean must be 1-dimensional[3,1]",
    ),
    "ScatterNd": (
        lambda indices, updates, sizes: tf.raw_ops.ScatterNd(indices=indices, updates=updates, shape=sizes),
        [np.array([0, 0, 1], np.int32), np.ones(3, F), np.array([3, 1, 5, 3], np.int32)],
        errors.InvalidArgumentError,
        "must match dimensions [0,1) of updates[shape=[3]]",
    ),
    "TensorScatterAdd": (
        lambda x, indices, updates: tf.raw_ops.TensorScatterAdd(tensor=x, indices=indices, updates=updates),
        [np.ones((5, 5, 5), F), np.array([4, 3], np.int32), np.ones(5, F)],
        errors.InvalidArgumentError,
        "Dimensions [0,1) of indices[shape=[2]] = 2 must match dimensions [0,1) of updates[shape=[5]] = 5",
    ),
    "TruncateMod": (
        lambda x, y: tf.raw_ops.TruncateMod(x=x, y=y),
        [np.zeros(4, np.int32), np.array([0, 1], np.int32)],
        errors.InvalidArgumentError,
        "Incompatible shapes: [4] vs. [2]",
    ),
    "QuantizedMatMulWithBias": (
        lambda low: (
            tf.raw_ops.QuantizedMatMulWithBias(
                a=tf.bitcast(np.zeros((2, 3), np.uint8), tf.quint8),
                b=tf.bitcast(np.zeros((3, 4), np.int8), tf.qint8),
                bias=np.zeros(4, F),
                min_a=0.0,
                max_a=1.0,
                min_b=low,
                max_b=1.0,
                Toutput=tf.qint32,
            ).out
        ),
        [np.zeros(1, F)],
        errors.InvalidArgumentError,
        "`min_b` must be rank 0 but is rank 1",
    ),
    "TensorSummaryV2": (
        lambda data: tf.raw_ops.TensorSummaryV2(tag="a", tensor=[1.0], serialized_summary_metadata=data),
        [np.array([b""], object)],
        errors.InvalidArgumentError,
        "serialized_summary_metadata must be scalar",
    ),
    "SparseReduceSum": (
        lambda i: tf.raw_ops.SparseReduceSum(
            input_indices=i, input_values=[1.0], input_shape=[2, 2], reduction_axes=[1]
        ),
        [np.array([[-3, 0]], np.int64)],
        errors.InternalError,
        "Obtained a write index of -3 which is outside of bounds of [0, 2)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refusal(name: str) -> None:
    build, values, kind, message = CASES[name]
    with tf.Graph().as_default(), tf.Session() as session:
        feeds: dict[Any, Any] = {
            tf.placeholder(tf.string if v.dtype == object else tf.as_dtype(v.dtype)): v for v in values
        }
        made = build(*feeds)
        with pytest.raises(kind) as caught:
            session.run(made, feeds)
    assert message in str(caught.value)


@pytest.mark.parametrize("op", ["ResizeBilinearGrad", "ResizeBicubicGrad"])
def test_gradient_of_resizing_takes_only_the_size_from_the_original(op: str) -> None:
    grads = np.arange(72, dtype=F).reshape(2, 3, 4, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        original = tf.placeholder(tf.float32)
        made = getattr(tf.raw_ops, op)(grads=grads, original_image=original)
        whole = session.run(made, {original: np.zeros((2, 5, 6, 3), F)})
        other = session.run(made, {original: np.zeros((1, 5, 6, 1), F)})
    np.testing.assert_array_equal(other, whole)
