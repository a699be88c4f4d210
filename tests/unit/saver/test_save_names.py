"""What a save calls its files: steps of every kind, names that would take each other's place, names that are no UTF-8."""

from __future__ import annotations

import os

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.checkpoint.state_file import make_state


@pytest.fixture
def session():
    with tf.Graph().as_default():
        tf.get_variable("v", initializer=np.float32(1))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            yield session


def test_steps(session, tmp_path):
    steps = {
        3: [3, np.int8(3), np.uint64(3), np.array(3), np.array([3]), "n", b"n"],
        7: [tf.constant(7), tf.constant(7, tf.int64), "n:0", b"n:0"],
    }
    tf.constant(7, name="n")
    saver = tf.train.Saver(max_to_keep=None)
    for expected, given in steps.items():
        for step in given:
            if step in ("n", b"n"):
                with pytest.raises(TypeError, match="expected one number, but b?'n' gives .*None"):
                    saver.save(session, tmp_path / "m", step)
            else:
                assert saver.save(session, tmp_path / "m", step) == str(tmp_path / f"m-{expected}")
    before = sorted(os.listdir(tmp_path))
    for step in (1.5, np.float32(2), np.array([1, 2]), np.datetime64(1, "s")):
        with pytest.raises(TypeError, match="global_step: expected an integer, a tensor or the name of one"):
            saver.save(session, tmp_path / "m", step)
    with pytest.raises(TypeError, match="expected one number"):
        saver.save(session, tmp_path / "m", tf.constant([1, 2]))
    assert sorted(os.listdir(tmp_path)) == before
    assert tf.train.Saver(pad_step_number=True).save(session, tmp_path / "m", np.array(3)).endswith("m-00000003")


@pytest.mark.parametrize(
    "options",
    [
        {"meta_graph_suffix": "index"},
        {"meta_graph_suffix": "data-00000-of-00001"},
        {"latest_filename": "m.index"},
        {"latest_filename": "m.meta"},
        {"latest_filename": "m.data-00000-of-00001"},
        {"latest_filename": "m.graph", "meta_graph_suffix": "graph"},
        {"latest_filename": "."},
        {"latest_filename": ".."},
        {"latest_filename": "a/b"},
    ],
)
def test_files_that_would_take_each_others_place(session, tmp_path, options):
    saver = tf.train.Saver()
    saver.save(session, tmp_path / "m")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="latest_filename|meta_graph_suffix"):
        saver.save(session, tmp_path / "m", **options)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_a_state_file_of_another_name(session, tmp_path):
    saver = tf.train.Saver()
    for name in ("newest", b"newest"):
        path = saver.save(session, tmp_path / "m", latest_filename=name)
        assert tf.train.latest_checkpoint(tmp_path, "newest") == path


def test_less_than_nothing_keeps_all(session, tmp_path):
    saver = tf.train.Saver(max_to_keep=-1)
    for step in (1, 2, 3):
        saver.save(session, tmp_path / "m", step, write_meta_graph=False)
        assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / f"m-{step}")
    assert len(list(tmp_path.glob("*.index"))) == 3


def test_recovered_checkpoints_go_until_as_many_are_left(session, tmp_path):
    first = tf.train.Saver(max_to_keep=9)
    paths = [first.save(session, tmp_path / "m", step) for step in range(5)]
    saver = tf.train.Saver(max_to_keep=2)
    saver.recover_last_checkpoints(paths)
    saver.save(session, tmp_path / "m", 5)
    assert sorted(p.name for p in tmp_path.glob("*.meta")) == ["m-4.meta", "m-5.meta"]
    assert list(tf.train.get_checkpoint_state(tmp_path).all_model_checkpoint_paths) == saver.last_checkpoints


def test_no_session(session, tmp_path):
    saver = tf.train.Saver()
    path = saver.save(session, tmp_path / "m")
    for task in (lambda: saver.save(None, path), lambda: saver.restore(None, path)):
        with pytest.raises(TypeError, match="'sess' must be a Session"):
            task()


def test_directories_that_are_no_text(session, tmp_path):
    """A name in Latin-1: the state file, which holds UTF-8, has paths that are relative to it."""
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/Jos\xe9")
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("the file system takes names in UTF-8 only")
    saver = tf.train.Saver()
    path = saver.save(session, os.path.join(folder, "m"), 1)
    assert path == os.path.join(folder, "m-1")
    assert tf.train.latest_checkpoint(folder) == path
    saver.restore(session, path)
    with open(os.path.join(folder, "checkpoint"), encoding="utf-8") as file:
        assert file.readline() == 'model_checkpoint_path: "m-1"\n'
    with pytest.raises(errors.InvalidArgumentError, match=r"UTF-8 only, which b'.*Jos\\xe9'"):
        make_state(tmp_path, folder)


@pytest.mark.parametrize("keep", [1, 0])
def test_a_checkpoint_in_another_spelling_of_its_path(session, tmp_path, monkeypatch, keep):
    """It is the newest one, not an older one that is to be deleted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d")
    saver = tf.train.Saver(max_to_keep=keep)
    for prefix in ("d/m", "./d//m", tmp_path / "d" / "m", "link/m", "d/../d/m"):
        path = saver.save(session, prefix, 1)
        assert sorted(p.name for p in (tmp_path / "d").iterdir()) == [
            "checkpoint", "m-1.data-00000-of-00001", "m-1.index", "m-1.meta"
        ]  # fmt: skip
        assert saver.last_checkpoints == ([path] if keep else [])
        assert len(tf.train.get_checkpoint_state(tmp_path / "d").all_model_checkpoint_paths) == 1
        assert tf.open_checkpoint(tf.train.latest_checkpoint(tmp_path / "d"))["v"] == 1
