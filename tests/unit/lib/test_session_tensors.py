"""Tensors kept by a session: handles, feeding them, deleting them, and letting go."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.resources.session_tensor import SessionTensor


@pytest.fixture
def session() -> Any:
    with Graph().as_default(), tf.Session() as made:
        yield made


def kept(session: tf.Session) -> int:
    return len(session._manager.resources(SessionTensor))


def test_keep_and_use(session: tf.Session) -> None:
    c = tf.constant([1.0, 2.0]) * 3.0
    handle, value = session.run([tf.get_session_handle(c, name="keep"), c])
    assert value.tolist() == [3, 6] and handle.dtype == tf.float32
    assert str(handle) == handle.handle == "keep;0;/job:localhost/replica:0/task:0/device:CPU:0"
    holder, tensor = tf.get_session_tensor(handle.handle, tf.float32)
    assert holder.device == tensor.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert session.run(tensor * 2.0, {holder: handle.handle}).tolist() == [6, 12]
    got = handle.eval()
    got[:] = 0
    assert handle.eval().tolist() == [3, 6]


def test_a_handle_is_fed_as_its_value(session: tf.Session) -> None:
    handle = session.run({"h": tf.get_session_handle(tf.constant(5, tf.int64))})["h"]
    x = tf.placeholder(tf.int64, [])
    assert session.run(x + 1, {x: handle}) == 6
    wrong = tf.placeholder(tf.int64, [2])
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        session.run(wrong, {wrong: handle})


def test_delete(session: tf.Session) -> None:
    op = tf.get_session_handle(tf.constant(1.0))
    first, second = session.run(op), session.run(op)
    first.delete()
    with pytest.raises(TypeError, match="may have already been deleted"):
        first.eval()
    with pytest.raises(TypeError, match="may have already been deleted"):
        first.delete()
    with pytest.raises(errors.InvalidArgumentError, match="is not in the session store"):
        first.to_numpy_array()
    raw = second.get_raw_handle()
    del second
    holder, deleter = tf.delete_session_tensor(raw)
    session.run(deleter, {holder: raw})
    with pytest.raises(errors.InvalidArgumentError, match="Failed to delete a tensor with handle"):
        session.run(deleter, {holder: raw})
    assert kept(session) == 0


def test_who_lets_go_of_a_handle_lets_go_of_the_tensor(session: tf.Session) -> None:
    op = tf.get_session_handle(tf.placeholder(tf.float32, name="x"))
    handles = [session.run(op, {"x:0": np.zeros(3)}) for _ in range(20)]
    assert kept(session) == 20
    del handles[5:]
    gc.collect()
    assert kept(session) == 5
    raw = handles.pop().get_raw_handle()
    handles.clear()
    gc.collect()
    assert kept(session) == 1
    holder, tensor = tf.get_session_tensor(raw, tf.float32)
    assert session.run(tensor, {holder: raw}).tolist() == [0, 0, 0]


def test_what_is_no_tensor(session: tf.Session) -> None:
    with pytest.raises(TypeError, match="`data` must be of type Tensor"):
        tf.get_session_handle([1.0])
