"""Training step by step as TensorFlow does it, with the same nodes."""

from __future__ import annotations

import gzip
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf

spec = importlib.util.spec_from_file_location("training_programs", Path(__file__).parent / "training_programs.py")
assert spec is not None
assert spec.loader is not None
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)

GOLDEN: dict[str, Any] = json.loads(gzip.decompress(programs.GOLDEN.read_bytes()))


@pytest.mark.parametrize("case", programs.CASES)
def test_training(case: str) -> None:
    made, expected = programs.run(tf, case), GOLDEN[case]
    np.testing.assert_allclose(made.pop("losses"), expected["losses"], rtol=1e-5)
    assert made == {key: value for key, value in expected.items() if key != "losses"}


def _model() -> tuple[Any, Any]:
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    return v, tf.reduce_sum(v * v)


def test_what_cannot_be_trained_is_refused() -> None:
    with tf.Graph().as_default():
        v, loss = _model()
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        with pytest.raises(ValueError, match="No gradients provided for any variable"):
            optimizer.minimize(tf.constant(1.0) * 2.0)
        with pytest.raises(ValueError, match="No variables to optimize"):
            optimizer.minimize(loss, var_list=[])
        with pytest.raises(ValueError, match="gate_gradients must be one of"):
            optimizer.compute_gradients(loss, gate_gradients=7)
        with pytest.raises(ValueError, match="Invalid type tf.int32 for"):
            optimizer.compute_gradients(tf.constant(3), var_list=[v])
        with pytest.raises(TypeError, match="Gradient must be"):
            optimizer.apply_gradients([(object(), v)])
        with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
            optimizer.apply_gradients([(tf.constant([1.0, 1.0]), tf.constant([1.0, 1.0]))])
        with pytest.raises(ValueError, match="initial_accumulator_value must be positive: 0"):
            tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0)
        with pytest.raises(ValueError, match="Must specify the optimizer name"):
            tf.train.GradientDescentOptimizer(0.1, name="")


@pytest.mark.parametrize("gate", [0, 1, 2])
def test_gates_change_no_value(gate: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v, loss = _model()
        train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, gate_gradients=gate)
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_allclose(session.run(v), [0.5, 1.0])
        assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [train]


def test_constraint_holds_after_a_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=[1.0, 2.0], constraint=lambda x: tf.clip_by_value(x, 0.0, 0.75))
        train = tf.train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(v * v))
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_allclose(session.run(v), [0.5, 0.75])


def test_adam_may_keep_its_powers_in_a_scope_of_its_own() -> None:
    with tf.Graph().as_default():
        _, loss = _model()
        optimizer = tf.train.AdamOptimizer(0.1, use_own_namescope_for_non_slot_vars=True)
        optimizer.minimize(loss)
        names = [v.name for v in optimizer.variables()]
        assert names == ["Adam/beta1_power:0", "Adam/beta2_power:0", "v/Adam:0", "v/Adam_1:0"]


def test_double_precision_trains() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=np.array([1.0, 2.0]))
        train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(v * v))
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_allclose(session.run(v), [0.9, 1.9], rtol=1e-6)
