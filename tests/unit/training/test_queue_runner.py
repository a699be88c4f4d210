"""QueueRunner: threads that fill queues, how they end, and what becomes of them in a MetaGraphDef."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.train import Coordinator, QueueRunner


@pytest.fixture
def graph() -> Iterator[Graph]:
    made = Graph()
    with made.as_default():
        yield made


def counted(limit: int) -> Any:
    """A local variable's number, at most `limit` times."""
    v = tf.Variable(0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="counter")
    return v.count_up_to(limit)


def joined(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


def test_it_fills_and_closes(graph: Graph) -> None:
    q = tf.FIFOQueue(10, tf.int32, [[]])
    runner = QueueRunner(q, [q.enqueue(counted(7))])
    with tf.Session() as s:
        s.run(tf.local_variables_initializer())
        threads = runner.create_threads(s)
        assert [t.name for t in threads] == [f"QueueRunnerThread-{q.name}-{runner.enqueue_ops[0].name}"]
        assert not threads[0].daemon and not threads[0].is_alive()
        for thread in threads:
            thread.start()
        joined(threads)
        assert runner.exceptions_raised == []
        assert s.run([q.size(), q.is_closed()]) == [7, True]
        assert s.run(q.dequeue_up_to(20)).tolist() == list(range(7))
        with pytest.raises(errors.OutOfRangeError):
            s.run(q.dequeue())


def test_several_threads(graph: Graph) -> None:
    q = tf.FIFOQueue(3, tf.int32, [[]])
    put = q.enqueue(counted(40))
    runner = QueueRunner(q, [put] * 4)
    take = q.dequeue()
    with tf.Session() as s:
        s.run(tf.local_variables_initializer())
        threads = runner.create_threads(s, start=True, daemon=True)
        assert len(threads) == 4 and runner.create_threads(s) == []  # those still run
        assert sorted(s.run(take) for _ in range(40)) == list(range(40))
        with pytest.raises(errors.OutOfRangeError):
            s.run(take)
        joined(threads)


def test_the_coordinator_stops_it(graph: Graph) -> None:
    """Threads that wait for room end when the coordinator says stop."""
    q = tf.FIFOQueue(2, tf.float32, [[]])
    tf.train.add_queue_runner(QueueRunner(q, [q.enqueue(1.0)] * 2))
    with tf.Session() as s:
        coord = Coordinator()
        threads = tf.train.start_queue_runners(s, coord)
        assert len(threads) == 3 and all(t.daemon for t in threads)
        assert s.run(q.dequeue_many(5)).tolist() == [1] * 5
        coord.request_stop()
        coord.join(threads)
        assert s.run(q.is_closed())


def test_the_coordinator_is_told(graph: Graph) -> None:
    q = tf.FIFOQueue(2, tf.float32, [[]])
    x = tf.placeholder(tf.float32, [])
    runner = QueueRunner(q, [q.enqueue(x)])
    with tf.Session() as s:
        coord = Coordinator()
        threads = runner.create_threads(s, coord, start=True)
        with pytest.raises(errors.InvalidArgumentError, match="You must feed a value for placeholder"):
            coord.join(threads)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_without_a_coordinator_it_remembers(graph: Graph) -> None:
    q = tf.FIFOQueue(2, tf.float32, [[]])
    runner = QueueRunner(q, [q.enqueue(tf.placeholder(tf.float32, []))])
    with tf.Session() as s:
        joined(runner.create_threads(s, start=True))
        (error,) = runner.exceptions_raised
        assert isinstance(error, errors.InvalidArgumentError)


def test_other_errors_that_mean_the_end(graph: Graph) -> None:
    q = tf.FIFOQueue(20, tf.float32, [[]])
    types = (errors.OutOfRangeError, errors.FailedPreconditionError)
    v = tf.Variable(1.0)
    runner = QueueRunner(q, [q.enqueue(v)], queue_closed_exception_types=types)
    assert runner.queue_closed_exception_types == types
    with tf.Session() as s:
        joined(runner.create_threads(s, start=True))
        assert runner.exceptions_raised == [] and s.run(q.is_closed())
    for bad in ((), [errors.OutOfRangeError], (ValueError,), (errors.OutOfRangeError, 1)):
        with pytest.raises(TypeError):
            QueueRunner(q, [q.enqueue(v)], queue_closed_exception_types=bad)  # type: ignore[arg-type]


def test_arguments(graph: Graph) -> None:
    q = tf.FIFOQueue(2, tf.float32, [[]])
    put, close = q.enqueue(1.0), tf.no_op(name="own")
    for arguments in ((), (q,), (None, [put])):
        with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
            QueueRunner(*arguments)
    runner = QueueRunner(q, [put], close_op=close)
    assert runner.close_op is close and runner.cancel_op.type == "QueueCloseV2" and runner.name == q.name
    with pytest.raises(ValueError, match="mutually exclusive"):
        QueueRunner(q, [put], queue_runner_def=runner.to_proto())
    tf.train.add_queue_runner(runner, "mine")
    assert tf.get_collection("mine") == [runner] and not tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)


def test_which_session(graph: Graph, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match="No default session is registered"):
        tf.train.start_queue_runners()
    with pytest.raises(TypeError, match="sess must be a `tf.Session` object. Given class: <class 'str'>"):
        tf.train.start_queue_runners("session")
    with tf.Session():
        assert tf.train.start_queue_runners() == []
    assert "no queue runners were defined" in caplog.text


def test_protos(graph: Graph) -> None:
    with tf.name_scope("s"):
        q = tf.FIFOQueue(4, tf.int32, [[]], name="q")
        put = q.enqueue(counted(3), name="put")
        types = (errors.OutOfRangeError, errors.CancelledError)
        runner = QueueRunner(q, [put], queue_closed_exception_types=types)
    message = runner.to_proto()
    assert message.queue_name == "s/q" and list(message.enqueue_op_name) == ["s/put"]
    assert (message.close_op_name, message.cancel_op_name) == ("s/q_Close", "s/q_Close_1")
    assert list(message.queue_closed_exception_types) == [11, 1]
    assert runner.to_proto(export_scope="s").queue_name == "q"
    assert runner.to_proto(export_scope="t") is None
    same = QueueRunner.from_proto(message)
    assert same.enqueue_ops == [put] and same.queue_closed_exception_types == types
    tf.train.add_queue_runner(runner)
    meta = tf.train.export_meta_graph()
    with Graph().as_default():
        tf.train.import_meta_graph(meta, import_scope="in")
        (found,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        assert found.name == "in/s/q"
        take = tf.raw_ops.QueueDequeueV2(handle=found.queue.outputs[0], component_types=[tf.int32])[0]
        with tf.Session() as s:
            s.run(tf.local_variables_initializer())
            coord = Coordinator()
            threads = tf.train.start_queue_runners(s, coord)
            assert [s.run(take) for _ in range(3)] == [0, 1, 2]
            coord.request_stop()
            coord.join(threads)


def test_names() -> None:
    assert tf.train.queue_runner.QueueRunner is QueueRunner
    assert tf.train.queue_runner.start_queue_runners is tf.train.start_queue_runners
    assert tf.train.queue_runner.add_queue_runner is tf.train.add_queue_runner


def run_all(fetch: Any) -> list[Any]:
    """Start the queue runners and run until there is no more."""
    found = []
    with tf.Session() as s:
        s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = Coordinator()
        threads = tf.train.start_queue_runners(s, coord)
        try:
            while not coord.should_stop():
                found.append(s.run(fetch))
        except errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    return found


def test_pipeline_in_order(graph: Graph) -> None:
    """Names of files, records, batches: what a TensorFlow 1 training script begins with."""
    i, x = tf.train.slice_input_producer([np.arange(10), np.arange(20.0).reshape(10, 2)], 2, shuffle=False)
    batches = run_all(tf.train.batch({"i": i, "x": x}, 6, allow_smaller_final_batch=True))
    assert [b["i"].tolist() for b in batches] == [
        [0, 1, 2, 3, 4, 5],
        [6, 7, 8, 9, 0, 1],
        [2, 3, 4, 5, 6, 7],
        [8, 9],
    ]
    assert batches[3]["x"].tolist() == [[16, 17], [18, 19]]


def test_pipeline_of_files(graph: Graph, tmp_path: Any) -> None:
    for name in "ab":
        (tmp_path / name).write_text("".join(f"{name}{i}\n" for i in range(4)))
    files = tf.train.string_input_producer([str(tmp_path / name) for name in "ab"], num_epochs=2, seed=3)
    _, line = tf.TextLineReader(skip_header_lines=1).read(files)
    batches = run_all(tf.train.shuffle_batch([line], 4, 20, 8, num_threads=2, seed=5))
    lines = [item for b in batches for item in b.tolist()]
    assert sorted(lines) == sorted(f"{name}{i}".encode() for name in "ab" for i in range(1, 4) for _ in range(2))
    assert lines != sorted(lines)


def test_pipeline_of_several(graph: Graph) -> None:
    parts = [tf.train.range_input_producer(n, 1, shuffle=False).dequeue() for n in (5, 7)]
    batches = run_all(tf.train.batch_join([[p, tf.range(p)] for p in parts], 4, dynamic_pad=True))
    assert sorted(int(n) for b in batches for n in b[0]) == sorted([*range(5), *range(7)])
    for numbers, padded in batches:
        assert padded.shape == (4, max(numbers))


def test_pipeline_that_chooses(graph: Graph) -> None:
    i = tf.train.range_input_producer(10, 1, shuffle=False).dequeue()
    batches = run_all(tf.train.maybe_batch([i], tf.equal(i % 3, 0), 2, allow_smaller_final_batch=True))
    assert [b.tolist() for b in batches] == [[0, 3], [6, 9]]


def test_pipeline_of_sparse_tensors(graph: Graph) -> None:
    i = tf.cast(tf.train.range_input_producer(4, 1, shuffle=False).dequeue(), tf.int64)
    sparse = tf.SparseTensor(tf.stack([[i, i]]), tf.expand_dims(i * 10, 0), tf.constant([5, 5], tf.int64))
    batches = run_all(tf.train.batch([i, sparse], 2))
    assert [b[0].tolist() for b in batches] == [[0, 1], [2, 3]]
    assert batches[1][1].indices.tolist() == [[0, 2, 2], [1, 3, 3]]
    assert batches[1][1].values.tolist() == [20, 30] and batches[1][1].dense_shape.tolist() == [2, 5, 5]
