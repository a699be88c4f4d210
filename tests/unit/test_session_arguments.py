"""Arguments of the wrong type are refused by name, and the session goes on."""

from __future__ import annotations

import pytest

import icefloe as tf


@pytest.mark.parametrize("wrong", ["full", 3, {"trace_level": 1}, [0], 0.5], ids=repr)
def test_options_and_metadata_are_messages(wrong):
    ran = []
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.py_func(lambda: ran.append(1) or 2.0, [], tf.double)
        with pytest.raises(TypeError, match="`options` must be a RunOptions message, but got"):
            session.run(y, options=wrong)
        with pytest.raises(TypeError, match="`run_metadata` must be a RunMetadata message, but got"):
            session.run(y, run_metadata=wrong)
        assert not ran
        assert session.run(y, options=tf.RunOptions(timeout_in_ms=60_000), run_metadata=tf.RunMetadata()) == 2.0


@pytest.mark.parametrize("wrong", [None, 3, b"a", ["a"]], ids=repr)
def test_the_name_of_a_variable_is_a_string(tmp_path, wrong):
    tf.save_checkpoint(tmp_path / "m", {"a": 1.0})
    with pytest.raises(TypeError, match="expected the name of a variable"):
        tf.train.load_variable(str(tmp_path / "m"), wrong)
