"""Programs that go on from a directory of checkpoints: one that was moved, lost its state file or its latest (41, 43, 50)."""

from __future__ import annotations

import os

import numpy as np
import pytest

import icefloe as tf
from cases.damage import change, data_file
from cases.directories import state
from icefloe import errors

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
F = np.float32


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def trained(folder, *, steps=3):
    """Save a variable as often as there are steps, each time with the number of the step."""
    folder.mkdir(exist_ok=True)
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=F(0))
        saver = tf.train.Saver(max_to_keep=None)
        with tf.Session() as session:
            for step in range(1, steps + 1):
                session.run(v.initializer, {v.initializer.inputs[1]: step})
                saver.save(session, folder / "model.ckpt", step, write_meta_graph=False)


def resumed(folder):
    """Return what the variable has after a session manager has begun a session, and the checkpoints the Saver knows."""
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=F(0))
        saver = tf.train.Saver(max_to_keep=2)
        manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
        with manager.prepare_session("", init_op=v.initializer, saver=saver, checkpoint_dir=str(folder)) as session:
            return session.run(v), [os.path.basename(path) for path in saver.last_checkpoints]


def test_41_a_session_goes_on_in_a_directory_that_was_moved(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    trained(old)
    state(old, old / "model.ckpt-3", old / "model.ckpt-2", old / "model.ckpt-3")
    old.rename(new)
    assert resumed(new) == (3, ["model.ckpt-2", "model.ckpt-3"])
    v = tf.get_variable("v", initializer=F(0))
    scaffold = tf.train.Scaffold(saver=tf.train.Saver([v]))
    creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_dir=str(new))
    with tf.train.MonitoredSession(creator) as session:
        assert session.run(v) == 3


def test_50_a_session_goes_on_from_the_newest_complete_one(tmp_path, caplog):
    trained(tmp_path)
    change(data_file(tmp_path / "model.ckpt-3"), lambda data: data[:-1])
    assert resumed(tmp_path)[0] == 2
    assert "model.ckpt-3 is not complete" in caplog.text


def test_43_a_session_says_that_it_begins_anew(tmp_path, caplog):
    """As in TensorFlow, what no state file names is not restored; but that is said, with what to do."""
    trained(tmp_path)
    (tmp_path / "checkpoint").unlink()
    assert resumed(tmp_path) == (0, [])
    assert "model.ckpt-3, but no state file" in caplog.text
    assert f"icefloe ckpt state {tmp_path} --rebuild" in caplog.text
    tf.ckpt.state(tmp_path, rebuild=True)
    assert resumed(tmp_path)[0] == 3


def test_restarted_retention_deletes_as_many_as_needed(tmp_path):
    trained(tmp_path, steps=6)
    v = tf.get_variable("v", initializer=F(0))
    saver = tf.train.Saver(max_to_keep=2)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    with manager.prepare_session("", init_op=v.initializer, saver=saver, checkpoint_dir=str(tmp_path)) as session:
        saver.save(session, tmp_path / "model.ckpt", 7)
    assert sorted(p.name for p in tmp_path.glob("*.index")) == ["model.ckpt-6.index", "model.ckpt-7.index"]


def test_41_a_checkpoint_manager_in_a_directory_that_was_moved(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    v = tf.get_variable("v", initializer=F(4), use_resource=True)
    checkpoint = tf.train.Checkpoint(v=v)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        manager = tf.train.CheckpointManager(checkpoint, old, max_to_keep=2)
        manager.save()
        manager.save()
        text = (old / "checkpoint").read_text().replace('"ckpt-', f'"{old}/ckpt-')
        (old / "checkpoint").write_text(text)
        old.rename(new)
        manager = tf.train.CheckpointManager(checkpoint, new, max_to_keep=2)
        assert manager.checkpoints == [str(new / "ckpt-1"), str(new / "ckpt-2")]
        session.run(v.initializer, {v.initializer.inputs[1]: 5})
        assert manager.restore_or_initialize() == str(new / "ckpt-2")
        assert session.run(v) == 4
        manager.save()
    assert sorted(p.name for p in new.glob("*.index")) == ["ckpt-2.index", "ckpt-3.index"]


def test_a_checkpoint_manager_knows_a_path_in_another_spelling(tmp_path, monkeypatch):
    """The state file has absolute paths, the directory is given as a relative one; a number comes again."""
    monkeypatch.chdir(tmp_path)
    checkpoint = tf.train.Checkpoint(v=tf.get_variable("v", initializer=F(4), use_resource=True))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.train.CheckpointManager(checkpoint, "d", max_to_keep=1).save(checkpoint_number=5)
        file = tmp_path / "d" / "checkpoint"
        file.write_text(file.read_text().replace('"ckpt-', f'"{tmp_path}/d/ckpt-'))
        manager = tf.train.CheckpointManager(checkpoint, "d", max_to_keep=1)
        assert manager.checkpoints == [str(tmp_path / "d" / "ckpt-5")]
        manager.save(checkpoint_number=5)
    assert manager.checkpoints == ["d/ckpt-5"]
    assert tf.ckpt.verify("d/ckpt-5").ok


def test_what_a_checkpoint_manager_refuses(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.get_variable("v", initializer=F(4), use_resource=True))
    for options in ({"max_to_keep": "3"}, {"max_to_keep": 3, "keep_checkpoint_every_n_hours": "x"}):
        with pytest.raises(TypeError, match="expected a number or None, got '"):
            tf.train.CheckpointManager(checkpoint, tmp_path, **options)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert manager.save(checkpoint_number=np.array(10)) == str(tmp_path / "ckpt-10")
        with pytest.raises(TypeError, match=r"checkpoint_number: expected an integer.*9\.5"):
            manager.save(checkpoint_number=9.5)


def test_what_init_from_checkpoint_and_warm_start_refuse(tmp_path):
    tf.save_checkpoint(tmp_path / "m", {f"v{i}": F(i) for i in range(100)})
    tf.get_variable("w", [])
    for given in (5, None, "v1", [("v1", "w", 1)], {5: "w"}, {5: "w", "v1": "w"}):
        with pytest.raises(TypeError, match="assignment_map: expected a dict or pairs"):
            tf.train.init_from_checkpoint(tmp_path / "m", given)
    with pytest.raises(ValueError, match=r"Tensor v100 is not found in .*, and 80 more\}; did you mean v10"):
        tf.train.init_from_checkpoint(tmp_path / "m", {"v100": "w"})
    tf.train.init_from_checkpoint(os.fsencode(tmp_path / "m"), {b"v7": b"w"})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run("w:0") == 7
    with pytest.raises(errors.InvalidArgumentError, match="no regular expression"):
        tf.train.warm_start(tmp_path / "m", "(")
    with pytest.raises(TypeError, match="expected a VocabInfo for w, got 5"):
        tf.train.warm_start(tmp_path / "m", "w", var_name_to_vocab_info={"w": 5})
