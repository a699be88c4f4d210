"""Servers of this process, where TensorFlow's have a network behind them, or sessions share less."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import icefloe as tf


@pytest.fixture
def server() -> tf.train.Server:
    return tf.train.Server.create_local_server()


def test_reset_empties_the_default_container_or_those_named(server: tf.train.Server) -> None:
    with tf.Graph().as_default():
        plain = tf.Variable(1.0)
        with tf.container("own"):
            kept = tf.Variable(2.0)
        sess = tf.Session(server.target)
        sess.run([plain.initializer, kept.initializer])
        tf.Session.reset(server.target)
        again = tf.Session(server.target)
        assert again.run(kept) == 2.0
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            again.run(plain)
        tf.Session.reset(server.target, ["own"])
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            again.run(kept)


def test_a_server_that_was_not_started_has_no_target() -> None:
    server = tf.train.Server({"w": ["a:1"]}, start=False)
    with pytest.raises(tf.errors.FailedPreconditionError, match="start"):
        server.target
    server.start()
    server.start()
    with tf.Graph().as_default():
        assert tf.Session(server.target).run(tf.constant(3)) == 3


def test_what_needs_other_processes_is_refused(server: tf.train.Server) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="2 tasks"):
        tf.train.Server({"w": ["a:1", "b:1"]}, "w", 0)
    with pytest.raises(tf.errors.UnimplementedError, match="this process"):
        server.join()
    with pytest.raises(tf.errors.NotFoundError, match="No session factory registered"):
        tf.Session("grpc://localhost:2222", tf.Graph())
    with pytest.raises(tf.errors.NotFoundError, match="No session factory registered"):
        tf.Session.reset("grpc://localhost:2222")


def test_a_description_can_be_made_into_another_server(server: tf.train.Server) -> None:
    description = tf.train.Server(server.server_def, task_index=0, protocol="other").server_def
    assert (description.job_name, description.protocol) == ("localhost", "other")
    assert server.server_def.protocol == "grpc"


def test_what_a_session_says_of_files_counts_before_what_the_server_says(tmp_path: Path) -> None:
    server = tf.train.Server({"w": ["a:1"]}, config=tf.Config(files="none"))
    with tf.Graph().as_default():
        save = tf.raw_ops.SaveV2(
            prefix=os.fspath(tmp_path / "c"), tensor_names=["a"], shape_and_slices=[""], tensors=[tf.constant(1.0)]
        )
        with pytest.raises(tf.errors.PermissionDeniedError):
            tf.Session(server.target).run(save)
        tf.Session(server.target, config=tf.Config()).run(save)
        assert (tmp_path / "c.index").exists()


def test_partial_runs_of_one_server_are_apart(server: tf.train.Server) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        one, two = tf.Session(server.target), tf.Session(server.target)
        handle = one.partial_run_setup([x + 1.0], [x])
        with pytest.raises(tf.errors.InvalidArgumentError):
            two.partial_run(handle, x + 1.0, {x: 1.0})


def test_tasks_of_a_local_cluster_share_variables() -> None:
    workers, parameters = tf.test.create_local_cluster(num_workers=2, num_ps=1, worker_config=tf.ConfigProto())
    assert (len(workers), len(parameters)) == (2, 1)
    assert len({server.target for server in [*workers, *parameters]}) == 3
    assert [server.server_def.task_index for server in workers] == [0, 1]
    assert {job.name: len(job.tasks) for job in parameters[0].server_def.cluster.job} == {"worker": 2, "ps": 1}
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            total = tf.Variable(1.0)
        more = total.assign_add(2.0)
        first, second, third = (tf.Session(server.target) for server in [*workers, *parameters])
        first.run(total.initializer)
        assert second.run(more) == 3.0
        assert third.run(total) == 3.0
        alone = tf.Session(tf.train.Server.create_local_server().target)
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            alone.run(total)


def test_a_local_cluster_may_lack_workers_or_parameter_servers() -> None:
    assert tf.test.create_local_cluster(0, 0) == ([], [])
    assert [len(servers) for servers in tf.test.create_local_cluster(1, 0)] == [1, 0]
