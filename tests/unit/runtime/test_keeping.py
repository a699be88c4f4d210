"""What outlives a run keeps its own copy of a fed array; other runs do not copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.runtime import keeping


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def list_of(x: Any) -> Any:
    empty = tf.raw_ops.EmptyTensorList(element_shape=[2], max_num_elements=-1, element_dtype=tf.float32)
    return tf.raw_ops.TensorListPushBack(input_handle=empty, tensor=x)


def stacked(handle: Any) -> Any:
    return tf.raw_ops.TensorListStack(input_handle=handle, element_shape=[2], element_dtype=tf.float32)[0]


def called(x: Any) -> Any:
    """A list that a function makes."""
    tf.enable_control_flow_v2()
    try:
        return tf.cond(x[0] > 0, lambda: list_of(x), lambda: list_of(-x))
    finally:
        tf.disable_control_flow_v2()


MAKERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "list": (list_of, stacked),
    "view": (lambda x: list_of(tf.reshape(x, [2])), stacked),
    "function": (called, stacked),
    "optional": (
        lambda x: tf.raw_ops.OptionalFromValue(components=[x]),
        lambda v: tf.raw_ops.OptionalGetValue(optional=v, output_types=[tf.float32], output_shapes=[[2]])[0],
    ),
    "map": (
        lambda x: tf.raw_ops.TensorMapInsert(input_handle=tf.raw_ops.EmptyTensorMap(), key=1, value=x),
        lambda v: tf.raw_ops.TensorMapLookup(input_handle=v, key=1, value_dtype=tf.float32),
    ),
}


def check(store: Callable[[Any], None], load: Callable[[], Any]) -> None:
    fed = np.array([1, 2], np.float32)
    store(fed)
    fed[:] = 9
    np.testing.assert_array_equal(load(), [1, 2])


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_fetched_and_fed_again(kind: str, partial: bool) -> None:
    make, read = MAKERS[kind]
    x = tf.placeholder(tf.float32, [2])
    made = make(x)
    result = read(made)
    held: list[Any] = []
    with tf.Session() as s:

        def store(fed: Any) -> None:
            if partial:
                with s.partial(made, [x]) as run:
                    held.append(run.run(made, {x: fed}))
            else:
                held.append(s.run(made, {x: fed}))

        check(store, lambda: s.run(result, {made: held[0]}))


@pytest.mark.parametrize("kind", MAKERS)
def test_what_a_queue_or_variable_stores(kind: str) -> None:
    make, read = MAKERS[kind]
    x = tf.placeholder(tf.float32, [2])
    made = make(x)
    queue = tf.FIFOQueue(1, [tf.variant], shapes=[[]])
    enqueue, dequeued = queue.enqueue(made), read(queue.dequeue())
    handle = tf.raw_ops.VarHandleOp(dtype=tf.variant, shape=[], shared_name="v", container="")
    assign = tf.raw_ops.AssignVariableOp(resource=handle, value=made)
    value = read(tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.variant))
    with tf.Session() as s:
        check(lambda fed: s.run(enqueue, {x: fed}), lambda: s.run(dequeued))
        check(lambda fed: s.run(assign, {x: fed}), lambda: s.run(value))


def test_the_elements_of_a_dataset() -> None:
    x = tf.placeholder(tf.float32, [2])
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.from_tensors(x))
    following = iterator.get_next()
    with tf.Session() as s:
        check(lambda fed: s.run(iterator.initializer, {x: fed}), lambda: s.run(following))


def test_no_other_run_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(values: Any) -> Any:
        raise AssertionError("feeds were copied")

    monkeypatch.setattr(keeping, "own", refused)
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable([1.0, 2.0], use_resource=True)
    plain = [tf.exp(x), v.assign_add(x), stacked(list_of(x))]
    with tf.Session() as s:
        s.run(v.initializer)
        s.run(plain, {x: [1.0, 2.0]})
        with pytest.raises(AssertionError, match="copied"):
            s.run(list_of(x), {x: [1.0, 2.0]})
