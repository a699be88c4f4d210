"""What starting from a checkpoint does beyond TensorFlow's: other spellings of paths, names and scopes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf

SAVERS = Path(__file__).resolve().parents[3] / "fixtures" / "savers"


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def initialized(*variables: Any) -> list[Any]:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return list(session.run(list(variables)))


def test_a_scope_without_a_slash(tmp_path):
    tf.save_checkpoint(tmp_path / "m", {"old/x": np.float32(3)})
    x = tf.get_variable("new/x", [])
    tf.train.init_from_checkpoint(tmp_path / "m", {"old/": "new"})
    assert initialized(x) == [3]


@pytest.mark.parametrize("spelling", ["", ".index", "/..", ".data-00000-of-00001"])
def test_any_spelling_of_the_path(spelling):
    b = tf.get_variable("b", [3])
    tf.train.init_from_checkpoint(f"{SAVERS}/plain/model.ckpt-3{spelling}".replace("/model.ckpt-3/..", ""), {"b": b})
    assert initialized(b)[0].tolist() == [0.5, -0.5, 0]


def test_a_variable_of_an_object_based_checkpoint_by_its_name():
    kernel = tf.get_variable("k", [2, 2])
    tf.train.init_from_checkpoint(SAVERS / "object_based" / "objects", {"layer/kernel": kernel})
    assert initialized(kernel)[0].tolist() == [[1, 2], [3, 4]]


def test_a_partitioned_variable_as_it_is(tmp_path):
    tf.save_checkpoint(tmp_path / "m", {"x": np.arange(4, dtype=np.float32)})
    x = tf.get_variable("x", [4], partitioner=tf.fixed_size_partitioner(2))
    tf.train.init_from_checkpoint(tmp_path / "m", {"x": x})
    assert [part.tolist() for part in initialized(*x)] == [[0, 1], [2, 3]]


def test_near_names(tmp_path):
    tf.save_checkpoint(tmp_path / "m", {"dense/kernel": np.zeros(2, np.float32)})
    v = tf.get_variable("v", [2])
    with pytest.raises(ValueError, match="did you mean dense/kernel"):
        tf.train.init_from_checkpoint(tmp_path / "m", {"dense/kernell": v})
    with pytest.raises(TypeError, match="expected a variable, a list of parts or a name for 'dense/kernel', got 3"):
        tf.train.init_from_checkpoint(tmp_path / "m", {"dense/kernel": 3})


def test_a_saver_restores_over_the_initialiser(tmp_path):
    """Of a restore with options, what is left is initialised by what it starts from."""
    tf.save_checkpoint(tmp_path / "old", {"x": np.float32(3)})
    tf.save_checkpoint(tmp_path / "new", {"y": np.float32(4)})
    x, y = tf.get_variable("x", []), tf.get_variable("y", [])
    tf.train.init_from_checkpoint(tmp_path / "old", {"x": x})
    with tf.Session() as session:
        report = tf.train.Saver().restore(session, tmp_path / "new", strict=False, init_missing=True)
        assert session.run([x, y]) == [3, 4]
        assert report.initialized == ("x",)
