"""Monitored sessions, supervisors and synchronous workers, beyond what `test_loop_programs.py` holds against
TensorFlow.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.training.sync_replicas import SyncReplicasOptimizer


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as graph:
        yield graph
    tf.summary.FileWriterCache.clear()


@pytest.mark.parametrize("kind", ["MonitoredSession", "SingularMonitoredSession"])
def test_partial_runs_go_through(kind: str) -> None:
    calls: list[str] = []

    class Hook(tf.train.SessionRunHook):
        def before_run(self, run_context: Any) -> None:
            calls.append("run")

    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    doubled = a * 2.0
    total = doubled + b
    with getattr(tf.train, kind)(hooks=[Hook()]) as session:
        handle = session.partial_run_setup([doubled, total], [a, b])
        first = session.partial_run(handle, doubled, {a: 3.0})
        assert session.partial_run(handle, total, {b: first + 1.0}) == 13.0
        with session.partial([doubled, total], [a, b]) as part:
            assert part.run(doubled, {a: 1.0}) == 2.0
            assert part.run(total, {b: 1.0}) == 3.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup' before"):
            session.partial_run(handle, total)
        assert not session.should_stop()
        assert calls == []


def test_a_threads_error_ends_the_session() -> None:
    bad = tf.placeholder(tf.float32, [], name="bad")
    queue = tf.FIFOQueue(3, tf.float32)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(bad)]))
    other = tf.constant(1.0)

    def loop() -> None:
        with tf.train.MonitoredSession(stop_grace_period_secs=2) as session:
            while not session.should_stop():
                session.run(other)

    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        loop()


def test_the_graph_may_be_changed_again_afterwards(graph: tf.Graph) -> None:
    with tf.train.MonitoredSession() as session:
        assert session.graph is graph and graph.finalized
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(1)
    assert session.graph is None and not graph.finalized
    graph.finalize()
    with tf.train.MonitoredSession():
        pass
    assert graph.finalized


def test_untraced_runs_are_compiled(graph: tf.Graph) -> None:
    """Hooks always get RunMetadata; that alone must not take a run off the fast engines."""
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    with tf.train.SingularMonitoredSession() as session:
        for i in range(60):
            assert session.run(y, {x: float(i)}) == i + 1.0
        metadata = tf.RunMetadata()
        session.run(y, {x: 1.0}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    assert metadata.step_stats.dev_stats


def test_a_scaffold_saves_a_checkpoint_of_objects(tmp_path: Path) -> None:
    step = tf.train.get_or_create_global_step()
    count = tf.assign_add(step, 1)
    scaffold = tf.train.Scaffold(saver=tf.train.Checkpoint(step=step, more=[tf.Variable([1.0, 2.0], name="v")]))
    for expected in (2, 4):
        hooks = [tf.train.StopAtStepHook(num_steps=2)]
        with tf.train.MonitoredTrainingSession(checkpoint_dir=tmp_path, scaffold=scaffold, hooks=hooks) as session:
            while not session.should_stop():
                last = session.run(count)
        assert last == expected
    reader = tf.train.load_checkpoint(tmp_path)
    assert reader.get_tensor("step/.ATTRIBUTES/VARIABLE_VALUE") == 4
    np.testing.assert_array_equal(reader.get_tensor("more/0/.ATTRIBUTES/VARIABLE_VALUE"), [1.0, 2.0])
    with tf.Session() as session:
        status = tf.train.Checkpoint(step=step).restore(tf.train.latest_checkpoint(tmp_path))
        status.expect_partial().initialize_or_restore(session)
        assert session.run(step) == 4


def test_checkpoints_by_time(tmp_path: Path) -> None:
    step = tf.train.get_or_create_global_step()
    count = tf.assign_add(step, 1)
    with tf.train.MonitoredTrainingSession(checkpoint_dir=tmp_path, save_checkpoint_secs=0.02) as session:
        session.run(count)
        time.sleep(0.03)
        session.run(count)
        assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "model.ckpt-2")
        session.run(count)
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "model.ckpt-3")


def test_a_worker_waits_for_the_chief() -> None:
    server = tf.train.Server.create_local_server()
    with tf.device("/cpu:0"):
        step = tf.train.get_or_create_global_step()
        weight = tf.get_variable("w", initializer=3.0)
    found: list[float] = []
    scaffold = tf.train.Scaffold()
    scaffold.finalize()
    manager = tf.train.SessionManager(ready_op=scaffold.ready_op, recovery_wait_secs=0.01)
    graph = tf.get_default_graph()

    def work() -> None:
        with graph.as_default():
            session = manager.wait_for_session(server.target, max_wait_secs=30)
            found.append(session.run(weight))

    worker = threading.Thread(target=work)
    worker.start()
    chief = tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold, master=server.target))
    worker.join(30)
    assert found == [3.0]
    assert chief.run(step) == 0
    chief.close()


def test_a_supervisor_writes_in_the_background(tmp_path: Path) -> None:
    step = tf.train.get_or_create_global_step()
    count = tf.assign_add(step, 1)
    tf.summary.scalar("step", tf.cast(step, tf.float32))
    sv = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0.01, save_model_secs=0.01)
    end = time.monotonic() + 20
    with sv.managed_session() as session:
        while time.monotonic() < end:
            session.run(count)
            sv.summary_writer.flush()
            tags = {v.tag for path in tmp_path.glob("events*") for e in events(path) for v in e.summary.value}
            if {"step", "global_step/sec"} <= tags and (sv.saver.last_checkpoints or [""])[-1].endswith(
                tuple(f"-{i}" for i in range(2, 10**4))
            ):
                break
    kinds = [
        e.session_log.status for path in tmp_path.glob("events*") for e in events(path) if e.HasField("session_log")
    ]
    assert kinds[0] == tf.SessionLog.START and kinds[-1] == tf.SessionLog.STOP
    assert tf.SessionLog.CHECKPOINT in kinds
    assert {"step", "global_step/sec"} <= tags
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state is not None and int(state.model_checkpoint_path.rpartition("-")[2]) >= 2
    again = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0, save_model_secs=0)
    with again.managed_session() as session:
        assert session.run(step) == int(state.model_checkpoint_path.rpartition("-")[2])


def events(path: Path) -> list[Any]:
    return list(tf.train.summary_iterator(path))


def test_a_supervisors_old_names() -> None:
    sv = tf.train.Supervisor()
    session = sv.PrepareSession()
    assert not sv.ShouldStop()
    thread = sv.Loop(0.001, sv.RequestStop)
    thread.join(10)
    assert sv.ShouldStop()
    sv.Stop()
    session.close()


def test_two_workers_train_in_step() -> None:
    """Both gradients of a step are taken at the same weights, and their mean is applied once."""
    server = tf.train.Server.create_local_server()
    steps = 3
    ready = threading.Barrier(2, timeout=30)
    weights: dict[int, list[float]] = {0: [], 1: []}
    failed: list[BaseException] = []

    def work(index: int) -> None:
        try:
            with tf.Graph().as_default(), tf.device("/cpu:0"):
                step = tf.train.get_or_create_global_step()
                weight = tf.get_variable("w", initializer=0.0)
                optimizer = SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 2)
                train = optimizer.minimize(weight * float(index + 1), global_step=step)
                hook = optimizer.make_session_run_hook(index == 0, num_tokens=0)
                scaffold = tf.train.Scaffold()
                creator: Any = tf.train.ChiefSessionCreator(scaffold, master=server.target)
                if index:
                    ready.wait()
                    creator = tf.train.WorkerSessionCreator(scaffold, master=server.target, max_wait_secs=30)
                session = tf.train.MonitoredSession(creator, [hook], stop_grace_period_secs=0.1)
                if not index:
                    ready.wait()
                for _ in range(steps):
                    session.run(train)
                    weights[index].append(float(session._tf_sess().run(weight)))
                ready.wait()
                session.close()
        except BaseException as error:
            failed.append(error)
            ready.abort()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed
    # The mean of the gradients 1 and 2, each step.
    assert weights[0] == weights[1] == [-1.5, -3.0, -4.5]
