"""Saving: wherever it stops and whoever reads meanwhile, the old checkpoint or the new one is found (47, 48, 50)."""

from __future__ import annotations

import errno
import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from cases.damage import change, data_file, index_file, saved, values
from cases.directories import listed, save, state, steps_in
from icefloe import ckpt, errors
from icefloe.checkpoint import files
from unit.checkpoint.stopping import Machine

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

HERE = Path(__file__).parent


# 47: no room


def small_graph():
    for i, name in enumerate(("a", "b", "c")):
        with tf.device(f"/cpu:{i % 2}"):
            tf.get_variable(name, initializer=np.full((2, 2), i, np.float32), use_resource=False)


def failing(call, code, *, only_call=0, from_call=0, count=None):
    """Return a function that does as `call`, but for one call, or all from one on, that fail with a system error."""
    count = count or itertools.count(1)

    def run(*args):
        number = next(count)
        if number == only_call or 0 < from_call <= number:
            raise files.os_error(OSError(code, ""), str(args[-1]))
        return call(*args)

    return run


def error_of(task):
    """Return the OSError that a task raises, or None."""
    try:
        task()
    except OSError as error:
        return error
    return None


CODES = {
    "full": (errno.ENOSPC, "No space left"),
    "refused": (errno.EXDEV, "cross-device"),
    "read-only": (errno.EROFS, "Read-only"),
}
SAVERS = {"v2": {}, "sharded": {"sharded": True}, "v1": {"write_version": 1}, "relative": {"save_relative_paths": True}}


@pytest.mark.parametrize("what", ["full", "refused", "read-only"])
@pytest.mark.parametrize("kind", SAVERS)
def test_47_disk_full_at_every_call_of_a_saver(tmp_path, kind, what, monkeypatch):
    """Every write, rename and new file fails once: one clear OSError or a save that is done; old or new, nothing left."""
    code, words = CODES[what]
    calls = {"full": ("create", "write", "sync"), "refused": ("rename",), "read-only": ("create", "remove")}[what]
    with tf.Graph().as_default():
        small_graph()
        saver = tf.train.Saver(**SAVERS[kind])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            failures = 0
            for at in itertools.count(1):
                folder = tmp_path / str(at)
                folder.mkdir()
                saver.save(session, str(folder / "m"))
                before = sorted(p.name for p in folder.rglob("*"))
                count = itertools.count(1)
                with monkeypatch.context() as patch:
                    for name in calls:
                        patch.setattr(files, name, failing(getattr(files, name), code, only_call=at, count=count))
                    error = error_of(lambda folder=folder: saver.save(session, str(folder / "m")))
                if error is not None:
                    failures += 1
                    assert isinstance(error, errors.OpError)
                    assert words in str(error)
                    assert error.errno == code
                    assert str(folder) in str(error)
                latest = tf.train.latest_checkpoint(folder)
                assert ckpt.verify(latest).ok
                with tf.Graph().as_default():
                    tf.train.import_meta_graph(str(folder / "m.meta"))
                saver.save(session, str(folder / "m"))
                assert sorted(p.name for p in folder.rglob("*")) == before, at
                if next(count) <= at:
                    break
    # A sharded save has more than one rename that may be refused only once its index is committed.
    assert failures >= 2


@pytest.mark.parametrize("kind", SAVERS)
def test_47_nothing_left_after_a_full_disk(tmp_path, kind, monkeypatch):
    """From one call on nothing can be written any more, as on a disk that is full; deleting still works."""
    with tf.Graph().as_default():
        small_graph()
        saver = tf.train.Saver(**SAVERS[kind])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            saver.save(session, str(tmp_path / "m-1"))
            whole = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
            for at in range(1, 40):
                with monkeypatch.context() as patch:
                    patch.setattr(files, "write", failing(files.write, errno.ENOSPC, from_call=at))
                    try:
                        saver.save(session, str(tmp_path / "m-2"), write_state=False, write_meta_graph=False)
                    except OSError:
                        assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == whole, at
                    else:
                        break
            assert at > 1


@pytest.mark.parametrize("kind", SAVERS)
@pytest.mark.parametrize("code", [errno.EEXIST, errno.EACCES])
def test_49_a_file_system_that_replaces_no_file(tmp_path, kind, code, monkeypatch):
    """A rename onto a name that is taken is refused, as some network drives do: saves go on all the same."""
    replace = os.replace

    def refusing(source, target):
        if os.path.lexists(target):
            raise OSError(code, os.strerror(code), source)
        replace(source, target)

    monkeypatch.setattr(os, "replace", refusing)
    with tf.Graph().as_default():
        small_graph()
        a = tf.global_variables()[0]
        saver = tf.train.Saver(**SAVERS[kind])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            saver.save(session, str(tmp_path / "m"))
            before = sorted(os.listdir(tmp_path))
            for _ in range(3):
                session.run(tf.assign_add(a, tf.ones([2, 2])))
                saver.save(session, str(tmp_path / "m"))
            assert sorted(os.listdir(tmp_path)) == before
            np.testing.assert_array_equal(tf.open_checkpoint(tf.train.latest_checkpoint(tmp_path))["a"], session.run(a))


def test_49_a_file_system_that_renames_nothing(tmp_path, monkeypatch):
    """One error that names the file, the old checkpoint and state file as they were, nothing left."""
    saved(tmp_path / "m")
    state(tmp_path, tmp_path / "m")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def refusing(source, target):
        raise PermissionError(errno.EPERM, "Operation not permitted", source)

    monkeypatch.setattr(os, "replace", refusing)
    for task in (
        lambda: tf.save_checkpoint(tmp_path / "m", values(2)),
        lambda: ckpt.state(tmp_path, fix=True),
        lambda: ckpt.rescue(tmp_path / "m", tmp_path / "new"),
    ):
        error = error_of(task)
        assert isinstance(error, errors.PermissionDeniedError)
        assert str(tmp_path) in str(error)
        assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.slow
def test_47_a_real_limit_on_the_size_of_files(tmp_path):
    program = """
import resource, signal, sys
import numpy as np
import icefloe
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
icefloe.save_checkpoint(sys.argv[1], {"v": np.zeros(10, np.float32)})
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
try:
    icefloe.save_checkpoint(sys.argv[1], {"v": np.ones(1 << 20, np.float32)})
except OSError as error:
    print(type(error).__name__, error)
"""
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m")], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.startswith("ResourceExhaustedError")
    assert "File too large" in result.stdout
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00001", "m.index"]
    assert not tf.open_checkpoint(tmp_path / "m")["v"].any()


def test_47_directories_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for prefix in (tmp_path / "file" / "m", tmp_path / "file" / "below" / "m"):
        with pytest.raises(OSError) as caught:
            tf.save_checkpoint(prefix, {"v": 1.0})
        assert str(tmp_path / "file") in str(caught.value)
        assert isinstance(caught.value, errors.OpError)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("options", SAVERS.values(), ids=SAVERS)
def test_47_directories_are_made(tmp_path, options):
    """Where TensorFlow fails, or makes one level only."""
    with tf.Graph().as_default():
        small_graph()
        saver = tf.train.Saver(**options)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            saver.save(session, str(tmp_path / "a" / "b" / "m"))
    latest = tf.train.latest_checkpoint(tmp_path / "a" / "b")
    assert sorted(tf.open_checkpoint(latest)) == ["a", "b", "c"]


# 48: killed


@pytest.mark.slow
@pytest.mark.parametrize("what", ["plain", "saver", "sharded", "v1", "steps"])
def test_48_kill_between(tmp_path, what):
    """Real child processes, killed before each call while they save over a checkpoint; see `killing.py`."""
    result = subprocess.run(
        [sys.executable, str(HERE / "killing.py"), what, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    assert int(result.stdout) >= 10


# 50: readers and writers at once


@pytest.mark.slow
def test_50_reader_during_save(tmp_path):
    """A writer saves 200 times and keeps one; what the reader finds is complete, or has vanished and says so."""
    writer = subprocess.Popen(
        [sys.executable, str(HERE / "saving_and_pruning.py"), str(tmp_path), "200"],
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
    )
    seen: list[int] = []
    vanished = 0
    try:
        while writer.poll() is None:
            path = tf.train.latest_checkpoint(tmp_path, wait=30)
            assert path is not None
            try:
                with tf.open_checkpoint(path) as reader:
                    found = dict(reader)
            except (errors.NotFoundError, errors.AbortedError):
                vanished += 1
                continue
            steps = {int(v.flat[0]) for v in found.values()}
            assert len(steps) == 1, found
            assert all((v == v.flat[0]).all() for v in found.values())
            assert len(found) == 9
            seen.append(*steps)
    finally:
        writer.kill()
        writer.wait()
    assert writer.returncode == 0
    assert seen == sorted(seen)
    assert len(set(seen)) > 2
    assert tf.open_checkpoint(tf.train.latest_checkpoint(tmp_path))["step"] == 200
    assert steps_in(tmp_path) == [200]


def test_50_wait(tmp_path):
    start = time.monotonic()
    assert tf.train.latest_checkpoint(tmp_path, wait=0.05) is None
    assert time.monotonic() - start >= 0.05
    timer = threading.Timer(0.1, save, [tmp_path / "m-1"])
    timer.start()
    assert tf.train.latest_checkpoint(tmp_path, wait=30) == str(tmp_path / "m-1")
    timer.join()


@pytest.mark.parametrize("how", ["cut", "gone", "index cut", "index gone", "empty index"])
def test_50_only_complete_ones(tmp_path, how, caplog):
    for step in (1, 2):
        saved(tmp_path / f"m-{step}")
    state(tmp_path, "m-2", "m-1", "m-2")
    latest = tmp_path / "m-2"
    if how == "gone":
        data_file(latest).unlink()
    elif how == "index gone":
        index_file(latest).unlink()
    else:
        path = data_file(latest) if how == "cut" else index_file(latest)
        change(path, lambda data: b"" if how == "empty index" else data[:-1])
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-1")
    assert "m-2" in caplog.text
    assert ckpt.state(tmp_path).problems
    assert listed(tmp_path) == ["m-1", "m-2"]
    ckpt.state(tmp_path, fix=True)
    assert listed(tmp_path) == ["m-1"]


def test_50_none_is_complete(tmp_path):
    saved(tmp_path / "m-1")
    data_file(tmp_path / "m-1").unlink()
    assert tf.train.latest_checkpoint(tmp_path) is None
    assert tf.train.latest_checkpoint(tmp_path, wait=0.02) is None
    with pytest.raises(errors.NotFoundError, match="No such file"):
        tf.open_checkpoint(tmp_path / "m-1")["layer0/w"]
    # An index that is something else is told by opening it.
    index_file(tmp_path / "m-1").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-1")
    with pytest.raises(errors.DataLossError, match="LFS"):
        tf.open_checkpoint(tmp_path)


def test_50_a_writer_at_every_call_of_a_reader(tmp_path):
    """Between any two calls of a save that replaces the latest checkpoint, the latest one is complete."""
    saved(tmp_path / "m")
    state(tmp_path, "m")
    seen = []

    def look():
        path = tf.train.latest_checkpoint(tmp_path)
        assert path == str(tmp_path / "m")
        with tf.open_checkpoint(path) as reader:
            seen.append(len(dict(reader)))

    with Machine(watch=look).running():
        tf.save_checkpoint(tmp_path / "m", values(3), shards=2)
    assert set(seen) == {8, 3}
    assert seen == sorted(seen, reverse=True)
