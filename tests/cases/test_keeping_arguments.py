"""Directories and arguments of the functions that look after checkpoints: odd ones are named, none hangs or deletes."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest

import icefloe as tf
from cases.directories import listed, save, state, steps_in
from icefloe import ckpt, errors

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


@pytest.fixture
def seven(tmp_path):
    for step in range(1, 8):
        save(tmp_path / f"m-{step}", step)
    ckpt.state(tmp_path, rebuild=True)
    return tmp_path


def test_another_state_file_keeps_its_latest(seven):
    """A Saver with a `latest_filename` has one of its own in the directory: it never names what is gone."""
    (seven / "best_checkpoint").write_text(
        'model_checkpoint_path: "m-3"\nall_model_checkpoint_paths: "m-2"\nall_model_checkpoint_paths: "m-3"\n'
    )
    (seven / "notes").write_text("model_checkpoint_path is in the state file")
    report = ckpt.prune(seven, keep=2, dry_run=False)
    assert [c.reasons for c in report.kept][0] == ["the latest of best_checkpoint"]
    assert steps_in(seven) == [3, 6, 7]
    assert listed(seven) == ["m-3", "m-6", "m-7"]
    assert (seven / "best_checkpoint").read_text() == (
        'model_checkpoint_path: "m-3"\nall_model_checkpoint_paths: "m-3"\n'
    )


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"keep": "2"}, TypeError, "keep: expected a whole number, got str '2'"),
        ({"keep": 1.5}, TypeError, "keep: expected a whole number"),
        ({"keep": None}, TypeError, "keep: expected a whole number"),
        ({"every_hours": "1"}, TypeError, "every_hours: expected a number"),
        ({"every_hours": float("nan")}, ValueError, "expected a number of hours"),
        ({"patterns": [None]}, TypeError, "as strings, got None"),
        ({"best": 1, "metric": {"m-3": "x"}}, ValueError, "metric: expected numbers"),
        ({"best": 1, "metric": "v", "mode": "avg"}, ValueError, "expected mode max or min"),
    ],
)
def test_what_prune_refuses(seven, options, error, text):
    with pytest.raises(error, match=text):
        ckpt.prune(seven, dry_run=False, **options)
    assert steps_in(seven) == list(range(1, 8))


def test_bytes_and_numpy_numbers(seven):
    folder = os.fsencode(seven)
    assert len(ckpt.prune(folder, keep=np.int64(6)).deleted) == 1
    assert ckpt.clean(folder).removed == []
    assert ckpt.state(folder).latest == str(seven / "m-7")
    assert tf.train.latest_checkpoint(folder, b"checkpoint") == str(seven / "m-7")
    assert tf.train.get_checkpoint_state(folder).model_checkpoint_path == str(seven / "m-7")
    assert tf.train.checkpoint_exists(folder + b"/m-7")
    assert len(tf.train.get_checkpoint_mtimes(seven / "m-7")) == len(tf.train.get_checkpoint_mtimes(str(seven / "m-7")))
    tf.train.remove_checkpoint(folder + b"/m-1")
    assert steps_in(seven) == list(range(2, 8))


@pytest.mark.parametrize("wait", [float("nan"), -1, "1"])
def test_a_wait_without_end_is_refused(tmp_path, wait):
    with pytest.raises(ValueError, match="wait: expected a number of seconds"):
        tf.train.latest_checkpoint(tmp_path, wait=wait)


def test_lists_of_every_kind():
    for kept in (("m-1",), np.array(["m-1"]), "m-1", iter(["m-1"])):
        made = tf.train.generate_checkpoint_state_proto("d", "m-2", kept)
        assert [os.path.basename(p) for p in made.all_model_checkpoint_paths] == ["m-1", "m-2"]
    with pytest.raises(TypeError, match="older_than: expected a number"):
        ckpt.clean(".", older_than="1")


def test_a_checkpoint_in_place_of_its_directory(seven, caplog):
    assert tf.train.latest_checkpoint(seven / "m-7") is None
    assert "is a file or a checkpoint, not a directory" in caplog.text


@pytest.mark.parametrize(
    ("taken", "options"),
    [
        ("m.index", {}),
        ("m.data-00000-of-00001", {}),
        ("m.data-00001-of-00002", {"sharded": True}),
        ("m.meta", {}),
        ("checkpoint", {}),
        ("m", {"write_version": 1}),
    ],
)
def test_a_directory_has_the_name_of_a_file(tmp_path, taken, options):
    """The error names it, and what was there is there."""
    with tf.Graph().as_default():
        for i in range(2):
            with tf.device(f"/cpu:{i}"):
                tf.get_variable(f"v{i}", initializer=np.float32(1), use_resource=False)
        saver = tf.train.Saver(**options)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            (tmp_path / taken).mkdir()
            with pytest.raises(errors.FailedPreconditionError, match=f"{tmp_path}/{taken}; Is a directory"):
                saver.save(session, tmp_path / "m")
            assert not [p for p in tmp_path.rglob("*") if "tmp-" in p.name or "commit-" in p.name or "_temp" in p.name]
            (tmp_path / taken).rmdir()
            saver.save(session, tmp_path / "m")
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m")


def test_a_directory_that_may_not_be_read(tmp_path, monkeypatch, caplog):
    """What may not be looked at is not called empty or missing."""
    folder = str(tmp_path / "d")
    save(tmp_path / "d" / "m-1")
    state(tmp_path / "d", "m-1")

    def refusing(call):
        def run(path=".", *args, **options):
            inside = isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(f"{folder}/")
            if inside or (path == folder and call is not os_stat):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            return call(path, *args, **options)

        return run

    os_stat = os.stat
    for name in ("stat", "lstat", "open", "listdir", "scandir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    for task in (
        lambda: tf.open_checkpoint(folder),
        lambda: tf.open_checkpoint(f"{folder}/m-1"),
        lambda: ckpt.state(folder),
        lambda: ckpt.state(folder, rebuild=True),
        lambda: ckpt.prune(folder),
        lambda: ckpt.clean(folder),
    ):
        with pytest.raises(errors.PermissionDeniedError, match=f"{folder}; Permission denied"):
            task()
    assert tf.train.latest_checkpoint(folder) is None
    assert "Permission denied" in caplog.text
