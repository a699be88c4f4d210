"""Checkpoints of objects, beyond what `test_loop_programs.py` holds against TensorFlow byte for byte."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icefloe as tf
from icefloe.lib.lookup_mutable import MutableHashTable
from icefloe.proto import TrackableObjectGraph
from icefloe.saver.object_view import match, view_of


@pytest.fixture(autouse=True)
def session() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def initialized(session: tf.Session) -> None:
    session.run(tf.global_variables_initializer())


def test_variables_of_one_initial_value_get_their_own(session: tf.Session, tmp_path: Path) -> None:
    initial = tf.zeros([2])
    parts = [tf.Variable(initial, name=f"v{i}", use_resource=i % 2 == 1) for i in range(4)]
    checkpoint = tf.train.Checkpoint(parts=parts)
    initialized(session)
    for i, part in enumerate(parts):
        part.load([i, i + 0.5], session)
    path = checkpoint.save(tmp_path / "m", session)
    initialized(session)
    checkpoint.restore(path).assert_consumed().run_restore_ops(session)
    np.testing.assert_array_equal(session.run(parts), [[i, i + 0.5] for i in range(4)])


def test_tables_and_iterators(session: tf.Session, tmp_path: Path) -> None:
    table = MutableHashTable(tf.string, tf.int64, -1, name="table")
    key = tf.placeholder(tf.string, [])
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(10))
    element = iterator.get_next()
    insert = table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    remove = table.remove(tf.constant(["a", "b"]))
    found = table.lookup(key)
    checkpoint = tf.train.Checkpoint(table=table, iterator=iterator, more={"table": table})
    session.run([iterator.initializer, insert])
    assert [session.run(element) for _ in range(3)] == [0, 1, 2]
    path = checkpoint.save(tmp_path / "m", session)
    session.run(remove)
    assert [session.run(element) for _ in range(3)] == [3, 4, 5]
    before = tf.get_default_graph().node_count
    for _ in range(2):
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        assert [session.run(found, {key: k}) for k in (b"a", b"b", b"c")] == [1, 2, -1]
        assert session.run(element) == 3
        made = tf.get_default_graph().node_count - before
    assert made < 20
    checkpoint.restore(path).run_restore_ops(session)
    checkpoint.save(tmp_path / "m", session)
    assert tf.get_default_graph().node_count - before == made, "nodes are added once"
    assert tf.train.list_variables(path)[1][0] == "iterator/.ATTRIBUTES/ITERATOR_STATE"


def test_a_finalized_graph_saves_and_restores(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    r = tf.Variable(b"text", name="r", use_resource=True)
    checkpoint = tf.train.Checkpoint(v=v, r=r)
    _ = checkpoint.save_counter
    initialized(session)
    tf.get_default_graph().finalize()
    path = checkpoint.write(tmp_path / "m", session)
    v.load([5.0, 6.0], session)
    r.load(b"other", session)
    checkpoint.read(path).assert_consumed().run_restore_ops(session)
    assert session.run(v).tolist() == [1.0, 2.0] and session.run(r) == b"text"


def test_objects_made_later_are_restored_with_the_others(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(3.0, name="v")
    optimizer = tf.train.MomentumOptimizer(1.0, 0.5)
    train = optimizer.minimize(v * v)
    first = tf.train.Checkpoint(v=v, optimizer=optimizer, more=[v])
    initialized(session)
    session.run(train)
    path = first.save(tmp_path / "m", session)
    with tf.Graph().as_default(), tf.Session() as other:
        second = tf.train.Checkpoint()
        status = second.restore(path)
        with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.v: "):
            status.assert_consumed()
        second.v = tf.Variable(0.0, name="other_name")
        second.optimizer = tf.train.MomentumOptimizer(1.0, 0.5)
        with pytest.raises(AssertionError, match=r"\(root\)\.optimizer's state 'momentum' for \(root\)\.v"):
            status.assert_consumed()
        second.optimizer.minimize(second.v * second.v)
        second.more = [second.v]
        status.assert_consumed().initialize_or_restore(other)
        assert other.run([second.v, second.optimizer.get_slot(second.v, "momentum")]) == [-3.0, 6.0]
        assert other.run(second.save_counter) == 1


def test_what_is_left_over_is_said(session: tf.Session, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    initialized(session)
    path = tf.train.Checkpoint(v=v, w=w).save(tmp_path / "m", session)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        tf.train.Checkpoint(v=v).restore(path).expect_partial().run_restore_ops(session)
        assert not caplog.records
        tf.train.Checkpoint(v=v).restore(path).run_restore_ops(session)
    assert "Unresolved object in checkpoint (root).w" in caplog.text


def test_slots_may_be_left_out(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(3.0, name="v")
    optimizer = tf.train.MomentumOptimizer(1.0, 0.5)
    optimizer.minimize(v * v)
    initialized(session)
    options = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer)
    path = checkpoint.save(tmp_path / "m", session, options)
    assert not any("SLOT" in name for name, _ in tf.train.list_variables(path))
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        checkpoint.restore(path).assert_consumed()
    checkpoint.restore(path, options).assert_consumed()
    whole = checkpoint.save(tmp_path / "m", session)
    checkpoint.restore(whole, options).assert_consumed()


def test_a_savers_checkpoint_is_restored_by_names(session: tf.Session, tmp_path: Path) -> None:
    v, r = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="r", use_resource=True)
    initialized(session)
    saver = tf.train.Saver()
    path = saver.save(session, str(tmp_path / "m"))
    for variable in (v, r):
        variable.load(9.0, session)
    checkpoint = tf.train.Checkpoint(anything=v, list=[r])
    status = checkpoint.restore(path)
    status.assert_consumed().assert_existing_objects_matched().initialize_or_restore(session)
    assert session.run([v, r, checkpoint.save_counter]) == [1.0, 2.0, 0]
    more = tf.train.Checkpoint(v=v, new=tf.Variable(3.0, name="new"))
    status = more.restore(path)
    with pytest.raises(AssertionError, match="Object not restored: <tf.Variable 'new:0'"):
        status.assert_consumed()
    with pytest.raises(tf.errors.NotFoundError, match="Key new not found"):
        status.run_restore_ops(session)
    # And the other way: the names in the object graph lead a Saver to its tensors.
    written = tf.train.Checkpoint(v=v, list=[r]).save(tmp_path / "objects", session)
    v.load(7.0, session)
    saver.restore(session, written)
    assert session.run(v) == 1.0


def test_what_does_not_fit_changes_nothing(session: tf.Session, tmp_path: Path) -> None:
    parts = [tf.Variable([1.0, 2.0], name="a"), tf.Variable([3.0], name="b")]
    initialized(session)
    path = tf.train.Checkpoint(parts=parts).save(tmp_path / "m", session)
    others = [tf.Variable([5.0, 6.0], name="c"), tf.Variable([7, 8], name="d")]
    initialized(session)
    status = tf.train.Checkpoint(parts=others).restore(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="parts/1/.ATTRIBUTES/VARIABLE_VALUE"):
        status.run_restore_ops(session)
    np.testing.assert_array_equal(session.run(others[0]), [5.0, 6.0])
    wider = tf.train.Checkpoint(parts=[tf.Variable(tf.zeros([3]), name="e")])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"lhs shape= \[3\] rhs shape= \[2\]"):
        wider.restore(path).expect_partial().run_restore_ops(session)


def test_sessions(session: tf.Session, tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0, name="v"))
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
        checkpoint.save(tmp_path / "m")
    initialized(session)  # the counter of saves, too
    path = checkpoint.save(tmp_path / "m")  # in the default session
    assert tf.train.latest_checkpoint(tmp_path) == path == str(tmp_path / "m-1")
    checkpoint.restore(path).run_restore_ops()
    with tf.Graph().as_default():
        lone = tf.train.Checkpoint(v=tf.Variable(1.0))
    with tf.Graph().as_default():
        import icefloe.stacks

        held = icefloe.stacks.SESSIONS.stack[:]
        icefloe.stacks.SESSIONS.stack.clear()
        try:
            with pytest.raises(RuntimeError, match="no default session"):
                lone.save(tmp_path / "n")
            with pytest.raises(RuntimeError, match="no default session"):
                lone.restore(path).run_restore_ops()
            with pytest.raises(RuntimeError, match="no default session"):
                tf.train.CheckpointManager(lone, tmp_path, 1).save()
        finally:
            icefloe.stacks.SESSIONS.stack[:] = held


def test_background_writing_is_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="in the background"):
        tf.train.CheckpointOptions(enable_async=True)
    with pytest.raises(tf.errors.UnimplementedError, match="one shard"):
        tf.train.CheckpointOptions(experimental_sharding_callback=object())


def test_callbacks_are_called_after_writing(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(1.0, name="v")
    initialized(session)
    told: list[Any] = []
    callbacks = [lambda path: told.append(Path(f"{path}.index").exists()), lambda: told.append("called")]
    tf.train.Checkpoint(v=v).write(tmp_path / "m", session, tf.train.CheckpointOptions(None, False, callbacks))
    assert told == [True, "called"]


def test_a_manager_keeps_some_for_good(session: tf.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    v = tf.Variable(1.0, name="v")
    initialized(session)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=1)
    for _ in range(6):
        now += 1800
        manager.save()
    assert [Path(p).name for p in manager.checkpoints] == ["ckpt-6"]
    kept = sorted(path.stem for path in tmp_path.glob("*.index"))
    assert kept == ["ckpt-2", "ckpt-4", "ckpt-6"]
    again = tf.train.CheckpointManager(checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=1)
    assert again.checkpoints == manager.checkpoints
    v.load(5.0, session)
    assert again.restore_or_initialize() == str(tmp_path / "ckpt-6")
    assert session.run(v) == 1.0
    called: list[int] = []
    empty = tf.train.CheckpointManager(checkpoint, tmp_path / "no", 1, init_fn=lambda: called.append(1))
    assert empty.restore_or_initialize() is None and called == [1]


def test_a_damaged_object_graph_is_data_loss(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(1.0, name="v")
    initialized(session)
    prefix = str(tmp_path / "m")
    raw = np.array(b"\xff\xff no message", object)
    tf.save_checkpoint(prefix, {"_CHECKPOINTABLE_OBJECT_GRAPH": raw, "v/.ATTRIBUTES/VARIABLE_VALUE": np.float32(2)})
    with pytest.raises(tf.errors.DataLossError, match="TrackableObjectGraph"):
        tf.train.Checkpoint(v=v).restore(prefix)


numbers = st.integers(-3, 6)
names = st.sampled_from(["a", "b", "v", "opt", "0", "1", ""])
stored_graphs = st.lists(
    st.tuples(
        st.lists(st.tuples(numbers, names), max_size=4),
        st.lists(st.tuples(numbers, st.sampled_from(["momentum", "x"]), numbers), max_size=3),
        st.lists(st.tuples(st.sampled_from(["VARIABLE_VALUE", "x"]), names), max_size=2),
    ),
    max_size=5,
)


@settings(max_examples=50, deadline=None)
@given(stored_graphs)
def test_any_object_graph_is_matched_or_refused(nodes: Any) -> None:
    graph = TrackableObjectGraph()
    for children, slots, attributes in nodes:
        node = graph.nodes.add()
        for number, name in children:
            node.children.add(node_id=number, local_name=name)
        for owner, name, slot in slots:
            node.slot_variables.add(original_variable_node_id=owner, slot_name=name, slot_variable_node_id=slot)
        for name, key in attributes:
            node.attributes.add(name=name, checkpoint_key=key)
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        optimizer.minimize(v * v)
        root = tf.train.Checkpoint(v=v, opt=optimizer, a=[v, tf.Variable(2.0)])
        view = view_of(root)
        found = match(view, graph)
    assert all(0 <= here < len(view.objects) and 0 <= there < len(nodes) for there, here in found.items())
    assert len(set(found.values())) == len(found)
    from icefloe.training.load_status import CheckpointLoadStatus
    from icefloe.training.restoring_values import Restorer

    status = CheckpointLoadStatus(lambda: view, "none", graph, Restorer())
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with contextlib.suppress(AssertionError):
            check()
