"""Several processes and threads save shards under one prefix: each checkpoint is of one of them (48, 50)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe import ckpt, errors
from icefloe.checkpoint.save_lock import one_at_a_time

HERE = Path(__file__).parent


@pytest.mark.slow
def test_processes_that_save_shards_under_one_prefix(tmp_path):
    writers = [
        subprocess.Popen(
            [sys.executable, str(HERE / "saving_shards.py"), str(tmp_path / "m"), "25", str(value)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for value in (1, 2, 3)
    ]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        path = tf.train.latest_checkpoint(tmp_path, wait=1)
        if path is not None:
            with tf.open_checkpoint(path) as reader:
                assert len(np.unique([reader[f"v{i}"] for i in range(4)])) == 1
            seen += 1
    for writer in writers:
        assert writer.communicate()[1] == ""
        assert writer.returncode == 0
    assert seen
    assert sorted(os.listdir(tmp_path)) == [
        "checkpoint", "m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"
    ]  # fmt: skip


@pytest.mark.usefixtures("no_waiting_for_the_disk")
def test_threads_that_save_shards_under_one_prefix(tmp_path):
    with tf.Graph().as_default() as graph:
        for i in range(2):
            with tf.device(f"/cpu:{i}"):
                tf.get_variable(f"v{i}", initializer=np.float32(i))
        saver = tf.train.Saver(sharded=True)
        failed = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())

            def save():
                try:
                    with graph.as_default():
                        for _ in range(10):
                            saver.save(session, tmp_path / "m", write_state=False, write_meta_graph=False)
                except Exception as error:
                    failed.append(error)

            threads = [threading.Thread(target=save) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert failed == []
    assert ckpt.verify(tmp_path / "m").ok
    assert not list(tmp_path.glob("*temp*"))


def test_a_lock_that_is_held_and_one_of_a_dead_process(tmp_path):
    prefix, mark = str(tmp_path / "m"), tmp_path / "m_temp.tmp-0000000000000000"
    with one_at_a_time(prefix):
        assert mark.exists()
        assert ckpt.clean(tmp_path, dry_run=False).removed == []
        with (
            pytest.raises(errors.UnavailableError, match="another is saving it and did not finish"),
            one_at_a_time(prefix, timeout=0.01),
        ):
            pass
    assert not mark.exists()
    mark.write_text("")
    with one_at_a_time(prefix, timeout=0.01):
        pass
    assert not mark.exists()
    mark.write_text("")
    assert [Path(one.path) for one in ckpt.clean(tmp_path, dry_run=False).removed] == [mark]


def test_a_lock_of_a_file_that_its_owner_has_removed(tmp_path, monkeypatch):
    """Between the opening and the locking of the file the former owner may be done with it."""
    prefix = str(tmp_path / "m")
    opening, opened = os.open, []

    def open_and_lose(path, *args):
        fd = opening(path, *args)
        if str(path).startswith(f"{prefix}_temp.tmp-") and not opened:
            os.unlink(path)
            opened.append(fd)
        return fd

    monkeypatch.setattr(os, "open", open_and_lose)
    with one_at_a_time(prefix):
        assert opened
        with pytest.raises(errors.UnavailableError), one_at_a_time(prefix, timeout=0.01):
            pass
