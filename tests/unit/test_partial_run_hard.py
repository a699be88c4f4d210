"""Partial runs next to all else that a session does. Values are TensorFlow 2.21's where it gives any."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.graph import registry
from icefloe.lib import own_kernels
from icefloe.runtime import partial

F = np.float32


@pytest.fixture
def s() -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def placeholders(*names: str, shape: Any = ()) -> list[Any]:
    return [tf.placeholder(tf.float32, shape, name) for name in names]


@pytest.mark.parametrize("through", [lambda x: x, tf.identity, lambda x: tf.reshape(x, [2])])
def test_an_array_may_be_used_again_after_it_was_fed(s: Any, through: Any) -> None:
    x, c = placeholders("x", shape=[2]) + placeholders("c")
    first, later = through(x) + 1.0, through(x) + c
    h = s.partial_run_setup([first, later], [x, c])
    array = np.ones(2, F)
    assert s.partial_run(h, first, {x: array}).tolist() == [2, 2]
    array[:] = 70
    assert s.partial_run(h, later, {c: 1}).tolist() == [2, 2]


@pytest.mark.parametrize("through", [lambda x: x, tf.identity, lambda x: tf.reshape(x, [2])])
def test_an_array_that_was_fed_last_may_be_used_again(s: Any, through: Any) -> None:
    (x,) = placeholders("x", shape=[2])
    same, more = through(x), x + 1
    h = s.partial_run_setup([same, more], [x])
    mine = np.array([1, 2], F)
    assert s.partial_run(h, more, {x: mine}).tolist() == [2, 3]
    mine[:] = 9
    assert s.partial_run(h, same).tolist() == [1, 2]


@pytest.mark.parametrize("loop", [False, True])
def test_a_fetched_array_may_be_changed_before_the_next_step(s: Any, loop: bool) -> None:
    x, c = placeholders("x", shape=[2]) + placeholders("c")
    first = x + 1.0
    later = tf.while_loop(lambda y: y[0] < 5, lambda y: y + c, [first]) if loop else first * c
    h = s.partial_run_setup([first, later], [x, c])
    found = s.partial_run(h, first, {x: [1, 1]})
    found[:] = 100
    assert s.partial_run(h, later, {c: 3}).tolist() == ([5, 5] if loop else [6, 6])


def test_a_control_edge_from_a_placeholder_waits_for_its_feed(s: Any) -> None:
    a, b, c = placeholders("a", "b", "c")
    v = tf.Variable(0.0, use_resource=False)
    with tf.control_dependencies([c]):
        direct = tf.assign_add(v, a)
        loop = tf.while_loop(lambda i: i < 5, lambda i: tf.assign_add(v, 10) * 0 + i + 1, [a])
    with tf.control_dependencies([tf.group(c.op)]):
        behind = tf.assign_add(v, 100 * a)
    s.run(v.initializer)
    for fetches, total in (([direct, behind], 101), ([direct, behind, loop], 141)):
        s.run(v.initializer)
        h = s.partial_run_setup([a + b, *fetches], [a, b, c])
        s.partial_run(h, [], {a: 1, b: 2})
        assert s.run(v) == 0
        missing = (
            r"^Fetch AssignAdd:0 can't be computed from the feeds that have been fed so far. Still missing: c:0\.$"
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=missing):
            s.partial_run(h, direct)
        s.partial_run(h, fetches, {c: 0})
        assert s.run(v) == total


def test_a_dead_fetch_leaves_the_others_as_they_were(s: Any) -> None:
    a, b, c = placeholders("a", "b", "c")
    p = tf.placeholder(tf.bool, [])
    dead = tf.raw_ops.Switch(data=a, pred=p).output_true
    first = a + b
    later = first + c
    h = s.partial_run_setup([dead, first, later], [a, b, c, p])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
        s.partial_run(h, [first, dead], {a: 1, b: 2, p: False})
    assert s.partial_run(h, later, {c: 1}) == 4
    assert s.partial_run(h, first) == 3


def test_a_tensor_inside_a_loop_is_refused_as_a_feed_at_once(s: Any) -> None:
    (a,) = placeholders("a")
    inside = []

    def body(i: Any) -> Any:
        inside.append(i * 2)
        return inside[0] + 1

    out = tf.while_loop(lambda i: i < 5, body, [a])
    with pytest.raises(ValueError, match="may not be fed"):
        s.partial_run_setup([out], [inside[0], a])


@pytest.mark.parametrize("waiting", [False, True])
def test_a_step_that_calls_for_another_of_its_own_run_is_refused(s: Any, waiting: bool) -> None:
    """It would wait for itself."""
    a, b = placeholders("a", "b")
    handles = []
    total = a + b
    call = tf.py_func(lambda _: s.partial_run(handles[0], total, {b: 1}), [a], tf.float32)
    taken = tf.FIFOQueue(3, [tf.float32], [[]]).dequeue()
    handles.append(s.partial_run_setup([call, total, *([taken] if waiting else [])], [a, b]))
    with pytest.raises(tf.errors.UnknownError, match="cannot make another one of it"):
        s.partial_run(handles[0], call, {a: 1})


def test_a_step_may_set_up_another_run(s: Any) -> None:
    a, b = placeholders("a", "b")
    total = a + b

    def work(x: Any) -> Any:
        return s.partial_run(s.partial_run_setup([total], [a, b]), total, {a: x, b: 10})

    call = tf.py_func(work, [a], tf.float32)
    h = s.partial_run_setup([call, total], [a, b])
    assert s.partial_run(h, call, {a: 1}) == 11
    assert s.partial_run(h, total, {b: 2}) == 3


def test_closing_the_session_ends_a_step_under_way() -> None:
    with tf.Graph().as_default():
        a, b = placeholders("a", "b")
        closed, begun = threading.Event(), threading.Event()

        def work(x: Any) -> Any:
            begun.set()
            assert closed.wait(10)
            return x

        call = tf.py_func(work, [a], tf.float32)
        s = tf.Session()
        h = s.partial_run_setup([call, a + b], [a, b])
        caught: list[BaseException] = []

        def run() -> None:
            try:
                s.partial_run(h, call, {a: 1})
            except BaseException as error:
                caught.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        assert begun.wait(10)
        s.close()
        closed.set()
        thread.join(10)
        assert [type(error) for error in caught] == [tf.errors.CancelledError]


def test_closing_the_session_ends_the_waiting_for_a_turn(monkeypatch: Any) -> None:
    """The step that has its turn is in a kernel that nothing interrupts."""
    done, begun = threading.Event(), threading.Event()
    monkeypatch.setattr(partial, "_LOOK_EVERY", 0.01)
    definition = tf.proto.GraphDef()
    for name, dtype in (("a", tf.string), ("b", tf.uint8)):
        definition.node.add(name=name, op="Placeholder").attr["dtype"].type = dtype.as_datatype_enum
    definition.node.add(name="long", op="DecodeWebP", input=["a"])

    @tf.register_kernel("DecodeWebP")
    def work(contents: bytes) -> np.ndarray:
        begun.set()
        assert done.wait(60)
        return np.zeros((1, 1, 3), np.uint8)

    try:
        s = tf.Session(graph=tf.load_graph(definition))
        h = s.partial_run_setup(["long:0", "b:0"], ["a:0", "b:0"])
        caught: dict[str, BaseException] = {}

        def run(name: str, feeds: dict[str, Any]) -> None:
            try:
                s.partial_run(h, name, feeds)
            except BaseException as error:
                caught[name] = error

        first = threading.Thread(target=run, args=("long:0", {"a:0": b""}))
        first.start()
        assert begun.wait(10)
        second = threading.Thread(target=run, args=("b:0", {"b:0": 1}))
        second.start()
        s.close()
        second.join(20)
        assert isinstance(caught["b:0"], tf.errors.CancelledError)
        assert first.is_alive()
    finally:
        done.set()
        first.join(20)
        assert isinstance(caught["long:0"], tf.errors.CancelledError)
        del own_kernels._OWN["DecodeWebP"], registry.KERNELS["DecodeWebP"]


def test_an_interrupted_step_does_not_run_again(s: Any) -> None:
    a, b = placeholders("a", "b")
    calls = []

    def interrupted(x: Any) -> Any:
        calls.append(x)
        raise KeyboardInterrupt

    total = a + b
    call = tf.py_func(interrupted, [total], tf.float32)
    h = s.partial_run_setup([call, total], [a, b])
    with pytest.raises(KeyboardInterrupt):
        s.partial_run(h, call, {a: 1, b: 1})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup'"):
        s.partial_run(h, total)
    assert len(calls) == 1


def test_a_deadline_ends_the_run() -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.Config(operation_timeout_in_ms=100)) as s:
        a, b = placeholders("a", "b")
        taken = tf.FIFOQueue(3, [tf.float32], [[]]).dequeue()
        total = a + b
        h = s.partial_run_setup([taken, total], [a, b])
        with pytest.raises(tf.errors.DeadlineExceededError):
            s.partial_run(h, taken)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup'"):
            s.partial_run(h, total, {a: 1, b: 1})


@pytest.mark.parametrize("loop", [False, True])
def test_numerics_are_checked_in_parts_too(loop: bool) -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.Config(check_numerics=True)) as s:
        a, b = placeholders("a", "b")
        out = tf.while_loop(lambda x: x > 0, lambda x: tf.log(x - b), [a]) if loop else tf.log(a - b)
        total = a + b
        h = s.partial_run_setup([out, total], [a, b])
        with pytest.raises(tf.errors.InvalidArgumentError, match="Log.*made 1 NaN"):
            s.partial_run(h, [out, total], {a: 1, b: 3})
        h = s.partial_run_setup([out, total], [a, b])
        assert s.partial_run(h, [], {a: 3}) == []
        assert s.partial_run(h, [total, out], {b: 2}) == [5, 0]


def test_copies_of_a_handle_are_the_handle(s: Any) -> None:
    a, b = placeholders("a", "b")
    doubled, total = a * 2, a + b
    h = s.partial_run_setup([doubled, total], [a, b])
    assert s.partial_run(copy.deepcopy({"h": h})["h"], doubled, {a: 1}) == 2
    assert s.partial_run(pickle.loads(pickle.dumps(h)), total, {b: 1}) == 2


def test_sparse_ragged_and_slices_in_parts(s: Any) -> None:
    sparse = tf.sparse_placeholder(tf.float32, name="sp")
    dense = tf.sparse_tensor_to_dense(sparse)
    twice = tf.SparseTensor(sparse.indices + 0, sparse.values * 2, sparse.dense_shape + 0)
    ragged = tf.ragged.placeholder(tf.float32, 1, [])
    sums = tf.reduce_sum(ragged, 1)
    slices = tf.IndexedSlices(tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [None]))
    whole = tf.convert_to_tensor(tf.IndexedSlices(slices.values * 1, slices.indices, tf.constant([4, 2])))
    h = s.partial_run_setup([twice, dense, sums, whole], [sparse, ragged, slices])
    for key, values in ((sparse, (3, None, (1,), "abc")), (ragged, (3, None, [[1.0]], "abc")), (slices, (3, [1]))):
        for value in values:
            with pytest.raises(TypeError, match="Cannot feed"):
                s.partial_run(h, [], {key: value})
    value = tf.SparseTensorValue([[0, 1], [2, 2]], [1, 2], [3, 3])
    assert s.partial_run(h, twice, {sparse: value}).values.tolist() == [2, 4]
    rows = tf.ragged.constant_value([[1.0, 2.0], [3.0]], dtype=F)
    assert s.partial_run(h, sums, {ragged: rows}).tolist() == [3, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="The feed sp/indices:0 has already been fed"):
        s.partial_run(h, dense, {sparse: value})
    assert s.partial_run(h, dense).tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 2]]
    found = s.partial_run(h, whole, {slices: (np.ones((2, 2)), [0, 2])})
    assert found.tolist() == [[1, 1], [0, 0], [1, 1], [0, 0]]


def test_a_shape_that_the_graph_knows_is_not_fed(s: Any) -> None:
    sparse = tf.sparse_placeholder(tf.float32, [2, 2])
    dense = tf.sparse_tensor_to_dense(sparse)
    h = s.partial_run_setup([dense], [sparse.indices, sparse.values])
    assert s.partial_run(h, dense, {sparse: ([[0, 1]], [5])}).tolist() == [[0, 5], [0, 0]]
    assert s.run(dense, {sparse: ([[1, 1]], [5])}).tolist() == [[0, 0], [0, 5]]


@pytest.mark.parametrize("nothing", [None, {}, "", 0, [], False])
def test_options_that_are_false_are_none(s: Any, nothing: Any) -> None:
    assert s.run(tf.constant(2) + 1, options=nothing, run_metadata=nothing) == 3


@pytest.mark.parametrize("wrong", [3, "x", {"timeout_in_ms": 1}, tf.ConfigProto()])
def test_options_of_another_kind_are_refused(s: Any, wrong: Any) -> None:
    out = tf.constant(2) + 1
    with pytest.raises(TypeError, match="must be a RunOptions message"):
        s.run(out, options=wrong)
    with pytest.raises(TypeError, match="must be a RunMetadata message"):
        s.run(out, run_metadata=wrong)


def test_a_feed_inside_of_a_loop_is_refused_as_in_a_plain_run() -> None:
    with tf.Graph().as_default() as graph:
        w = tf.placeholder_with_default([1.0, 2.0], [2], name="w")
        tf.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x + w], [0, tf.zeros([2])], name="l")
    graph = tf.load_graph(graph.as_graph_def())  # one that was read lets anything be fed
    with tf.Session(graph=graph) as session:
        for name, value in {"l/add_1/Enter:0": [5.0, 7.0], "l/Identity_1:0": [5.0, 7.0], "l/Less/y:0": 1}.items():
            with pytest.raises(tf.errors.InvalidArgumentError, match="inputs from different frames") as plain:
                session.run("l/Exit_1:0", {name: value})
            with pytest.raises(tf.errors.InvalidArgumentError) as parted:
                session.partial_run(session.partial_run_setup("l/Exit_1:0", [name]), "l/Exit_1:0", {name: value})
            assert parted.value.message == plain.value.message


def test_what_a_loop_never_gives_is_an_error_and_not_none() -> None:
    with tf.Graph().as_default() as graph:
        tf.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x + 1.0], [0, 0.0], name="l")
    graph = tf.load_graph(graph.as_graph_def())
    with tf.Session(graph=graph) as session:
        handle = session.partial_run_setup(["l/Exit_1:0"], ["l/add_1:0"])
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
            session.partial_run(handle, "l/Exit_1:0", {"l/add_1:0": 5.0})
        assert session.run("l/Exit_1:0") == 3.0
