"""What shape rules refuse, and SparseTensors given to elementwise functions; texts and values are TensorFlow 2.21's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf

ZEROS = np.zeros


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.fill([-1], 7), "Fill dimensions must be >= 0"),
        (lambda: tf.concat([tf.constant(1), tf.constant(2)], 0), "Can't concatenate scalars"),
        (lambda: tf.concat([tf.constant([1]), tf.constant(2)], 0), "Shape must be rank 1 but is rank 0"),
        (lambda: tf.roll(tf.ones([4, 4]), 1, [[0, 1]]), "Shape must be at most rank 1 but is rank 2"),
        (lambda: tf.roll(tf.ones([4, 4]), [1, 2], [1]), "Dimension 0 in both shapes must be equal, but are 2 and 1"),
        (lambda: tf.raw_ops.Substr(input=[b"ab"], pos=[[1, 2]], len=[1, 2]), "Shape must be rank 1 but is rank 2"),
        (lambda: tf.raw_ops.Substr(input=[b"ab"], pos=[1, 2, 3], len=[1, 2]), r"pos and len shapes must match: \[3\]"),
        (
            lambda: tf.scatter_nd(ZEROS([2, 2], "i4"), ZEROS([3, 2], "f4"), [3, 2]),
            r"Dimensions \[0,1\) of indices\[shape=\[2,2\]\] = \[2\] must match dimensions \[0,1\) of "
            r"updates\[shape=\[3,2\]\] = \[3\]: Dimension 0 in both shapes must be equal, but are 2 and 3",
        ),
        (
            lambda: tf.tensor_scatter_nd_update(ZEROS([6, 4], "f4"), ZEROS([2, 1], "i4"), ZEROS([2, 3], "f4")),
            r"Dimensions \[1,2\) of input\[shape=\[6,4\]\] = \[4\] must match dimensions \[1,2\) of updates",
        ),
        (
            lambda: tf.reverse_sequence(np.ones([3, 4]), [1, 2], seq_axis=1, batch_axis=0),
            "Dimensions must be equal, but are 3 and 2",
        ),
        (lambda: tf.bitcast(np.int8(1), tf.int32), "Shape must be at least rank 1 but is rank 0"),
        (lambda: tf.bitcast(ZEROS([3], "i1"), tf.int32), "Cannot bitcast from 6 to 3 due to shape. 3 does not match 4"),
        (
            lambda: tf.fake_quant_with_min_max_vars_per_channel(ZEROS([3], "f4"), [0.0, 0.0], [1.0, 1.0]),
            "Dimensions must be equal, but are 3 and 2",
        ),
    ],
)
def test_shapes_that_cannot_be_are_refused_when_built(make: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        ([0, 1, 2, 0], r"Segment id 1 out of range \[0, 1\), possibly because 'segment_ids' input is not sorted"),
        ([0, 1, 0, -1], "segment ids must be >= 0"),
        ([1, 0, 2, 3], "segment ids are not increasing"),
        ([-1, 0, 1, 1], r"Segment id -1 out of range \[0, 2\)"),
    ],
)
def test_segments_out_of_order(ids: list[int], text: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(tf.segment_sum(np.ones([4, 2], np.float32), ids))


def test_elementwise_functions_work_on_the_values_of_a_sparse_tensor() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.SparseTensor([[0, 1], [1, 0]], [-4.0, 9.0], [2, 2])
        for function, expected in ((tf.abs, [4, 9]), (tf.negative, [4, -9]), (tf.square, [16, 81]), (tf.sign, [-1, 1])):
            found = session.run(function(x))
            assert found.indices.tolist() == [[0, 1], [1, 0]] and found.dense_shape.tolist() == [2, 2]
            assert found.values.tolist() == expected
        with pytest.raises(TypeError, match="Failed to convert elements of SparseTensor"):
            tf.exp(x)


def test_a_case_of_one_pair_needs_no_default() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.case([(tf.constant(True), lambda: tf.constant(1))])) == 1
        wrong = tf.case([(tf.constant(False), lambda: tf.constant(1))], exclusive=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions evaluated as True"):
            session.run(wrong)


def test_a_range_is_a_vector_and_shapes_may_be_unknown() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.cast(range(3), tf.float32)).tolist() == [0.0, 1.0, 2.0]
        indices, sizes = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
        wider = tf.sparse_reset_shape(tf.SparseTensor(indices, tf.placeholder(tf.float32), sizes), [3, 7])
        assert session.run(wider.dense_shape, {indices: [[0, 1]], sizes: [2, 5]}).tolist() == [3, 7]


def test_a_printed_dict_has_each_tensor_at_its_key(capfd: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.print({"small": tf.constant([1, 2]), "Big": tf.constant([10, 20])}))
    assert capfd.readouterr().err == "{'Big': [10 20], 'small': [1 2]}\n"


def test_branches_of_one_value_may_wrap_it_as_they_like() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one = tf.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: (tf.constant(2),))
        assert session.run(one) == 1
        with pytest.raises(TypeError, match="don't have the same nested structure"):
            tf.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: (tf.constant(2),), strict=True)
        with pytest.raises(ValueError, match="is not compatible with TensorFlow control flow operations"):
            tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(2.0))
            tf.add_check_numerics_ops()


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_the_gradient_of_approximate_top_k(axis: int) -> None:
    values = np.random.RandomState(0).permutation(24).reshape(2, 3, 4).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(values)
        top = tf.raw_ops.ApproxTopK(input=x, k=2, reduction_dimension=axis)[0]
        found = session.run(tf.gradients(top * top, x)[0])
    least = np.sort(values, axis).take([-2], axis)
    assert np.array_equal(found, np.where(values >= least, 2 * values, 0))
