"""Restoring by name what was saved by objects, and by an object's key what was saved by name."""

from pathlib import Path

import numpy as np
import pytest

import icefloe as tf

OBJECTS = Path(__file__).resolve().parents[3] / "fixtures" / "weights" / "objects" / "ckpt-1"
KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


def restore(path, **variables):
    """Restore variables, given as name=shape, by a Saver; return their values."""
    with tf.Graph().as_default() as graph:
        made = [tf.get_variable(name.replace("__", "/"), shape, tf.float32) for name, shape in variables.items()]
        saver = tf.train.Saver()
        with tf.Session(graph=graph) as session:
            saver.restore(session, str(path))
            return session.run(made)


def restore_v2(path, key, dtype=tf.float32):
    with tf.Graph().as_default() as graph:
        (read,) = tf.raw_ops.RestoreV2(prefix=str(path), tensor_names=[key], shape_and_slices=[""], dtypes=[dtype])
        with tf.Session(graph=graph) as session:
            return session.run(read)


def test_a_saver_restores_variables_saved_by_objects():
    kernel, bias = restore(OBJECTS, dense__kernel=(2, 3), dense__bias=(3,))
    with tf.open_checkpoint(OBJECTS) as reader:
        np.testing.assert_array_equal(kernel, reader["model/dense/kernel"])
        np.testing.assert_array_equal(bias, reader["model/dense/bias"])


def test_what_is_missing_is_said_without_internal_keys():
    with pytest.raises(tf.errors.NotFoundError) as caught:
        restore(OBJECTS, dense__kernel=(2, 3), dense__nothing=(3,))
    assert "Key dense/nothing not found" in str(caught.value)
    assert "Key dense/kernel" not in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_name_that_two_variables_had_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 tensors have the name twice"):
        restore(OBJECTS, twice=())
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 tensors have the name twice"):
        restore_v2(OBJECTS, "twice")


def test_the_op_finds_both_kinds_of_name(tmp_path):
    tf.save_checkpoint(tmp_path / "named", {"dense/kernel": np.ones(2, np.float32)})
    assert restore_v2(tmp_path / "named", "dense/kernel/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1, 1]
    assert restore_v2(OBJECTS, "dense/bias").tolist() == [-1, -0.875, -0.75]
    with pytest.raises(tf.errors.NotFoundError) as caught:
        restore_v2(tmp_path / "named", KEY, tf.string)
    assert KEY not in str(caught.value).replace("RestoreV2", "")
    assert "saved by the names of variables" in str(caught.value)


def test_a_saver_restores_from_an_array_file(tmp_path):
    np.savez(tmp_path / "w.npz", **{"dense/kernel": np.full((2, 3), 5, np.float32)})
    (kernel,) = restore(tmp_path / "w.npz", dense__kernel=(2, 3))
    assert kernel.tolist() == [[5] * 3] * 2
