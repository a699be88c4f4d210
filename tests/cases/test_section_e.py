"""State files and retention: a directory of checkpoints is found wherever it goes (cases 41 to 44)."""

from __future__ import annotations

import os

import numpy as np
import pytest

import icefloe as tf
from cases.damage import copied
from cases.directories import listed, save, state
from icefloe import ckpt, errors
from icefloe.checkpoint import state_file

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

# 41 to 43: moved, relative, lost


def test_41_moved_abs(tmp_path, cli):
    """A state file of absolute paths in a directory that was moved: found, shown, and mended."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    for step in (1, 2):
        save(old / f"m-{step}", step)
    state(old, old / "m-2", old / "m-1", old / "m-2")
    old.rename(new)
    assert tf.train.latest_checkpoint(new) == str(new / "m-2")
    assert tf.open_checkpoint(new)["v"] == 2
    report = ckpt.state(new)
    assert report.latest == str(new / "m-2")
    assert len(report.problems) == 2
    assert cli("ckpt", "state", new, "--fix").code == 0
    assert (new / "checkpoint").read_text() == (
        'model_checkpoint_path: "m-2"\nall_model_checkpoint_paths: "m-1"\nall_model_checkpoint_paths: "m-2"\n'
    )
    assert not ckpt.state(new).problems
    assert not ckpt.state(new, fix=True).changed
    new.rename(tmp_path / "again")
    assert tf.train.latest_checkpoint(tmp_path / "again") == str(tmp_path / "again" / "m-2")


def test_41_moved_from_windows_and_into_a_folder_below(tmp_path):
    (tmp_path / "sub").mkdir()
    save(tmp_path / "m-1")
    save(tmp_path / "sub" / "m-2")
    state(tmp_path, r"C:\\models\\run\\m-1")
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-1")
    state(tmp_path, "/old/place/sub/m-2")
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "sub" / "m-2")
    assert ckpt.state(tmp_path, fix=True).stored_latest == "sub/m-2"


def test_41_timestamps_stay_with_their_checkpoints(tmp_path):
    for step in (2, 3):
        save(tmp_path / f"m-{step}")
    (tmp_path / "checkpoint").write_text(
        'model_checkpoint_path: "/x/m-3"\n'
        + "".join(f'all_model_checkpoint_paths: "/x/m-{i}"\n' for i in (1, 2, 3))
        + "".join(f"all_model_checkpoint_timestamps: {i}.5\n" for i in (1, 2, 3))
        + "last_preserved_timestamp: 0.25\n"
    )
    ckpt.state(tmp_path, fix=True)
    found = state_file.read_state(tmp_path / "checkpoint")
    assert list(found.all_model_checkpoint_timestamps) == [2.5, 3.5]
    assert found.last_preserved_timestamp == 0.25
    assert listed(tmp_path) == ["m-2", "m-3"]


@pytest.mark.parametrize("cwd", ["above", "inside", "elsewhere"])
def test_42_relative_doubling(tmp_path, monkeypatch, cwd):
    """`test/model-0` in the state file of `test`: it means that file, from wherever it is asked."""
    folder = tmp_path / "test"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    save(folder / "model-0")
    state(folder, "test/model-0")
    monkeypatch.chdir({"above": tmp_path, "inside": folder, "elsewhere": tmp_path / "elsewhere"}[cwd])
    assert tf.train.latest_checkpoint(folder) == str(folder / "model-0")
    relative = os.path.relpath(folder)
    assert os.path.samefile(tf.train.latest_checkpoint(relative) + ".index", folder / "model-0.index")
    assert ckpt.state(relative, fix=True).stored_latest == "model-0"


def test_42_both_readings(tmp_path, monkeypatch):
    """What the path says literally comes first."""
    (tmp_path / "test" / "test").mkdir(parents=True)
    save(tmp_path / "test" / "m-1", 1)
    save(tmp_path / "test" / "test" / "m-1", 2)
    state(tmp_path / "test", "test/m-1")
    monkeypatch.chdir(tmp_path)
    assert tf.train.latest_checkpoint("test") == "test/test/m-1"
    # A path that was relative to the working directory only.
    (tmp_path / "other").mkdir()
    save(tmp_path / "kept-9")
    state(tmp_path / "other", "kept-9")
    assert tf.train.latest_checkpoint("other") == "kept-9"
    assert ckpt.state("other", fix=True).stored_latest == str(tmp_path / "kept-9")


def test_43_state_lost(tmp_path, cli, caplog):
    for step in (9, 10, 2):
        save(tmp_path / f"m-{step}", step)
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-10")
    assert "there is no state file" in caplog.text
    result = cli("ckpt", "state", tmp_path, "--rebuild", "--dry-run")
    assert "would be rebuilt" in result.out
    assert not (tmp_path / "checkpoint").exists()
    assert cli("ckpt", "state", tmp_path, "--rebuild").code == 0
    assert listed(tmp_path) == ["m-2", "m-9", "m-10"]


def test_43_padded_steps_and_other_files(tmp_path):
    for name in ("m-00000009", "m-00000100", "pretrained"):
        save(tmp_path / name)
    (tmp_path / "notes-500").write_text("no checkpoint")
    (tmp_path / "m-700.data-00000-of-00001").write_bytes(b"no index")
    ckpt.state(tmp_path, rebuild=True)
    assert listed(tmp_path) == ["m-00000009", "m-00000100"]
    assert ckpt.state(tmp_path).unlisted == [str(tmp_path / "pretrained")]


def test_43_indexes_that_cannot_be_read(tmp_path, caplog):
    """Where there is no other, the latest is named all the same, and opening it says what is wrong."""
    for step in (9, 10):
        (tmp_path / f"m-{step}.index").write_bytes(b"")
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-10")
    assert "m-10.index is an empty file" in caplog.text
    with pytest.raises(errors.DataLossError, match="empty"):
        tf.open_checkpoint(tmp_path)
    save(tmp_path / "m-8")
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-8")


@pytest.mark.parametrize("name", ["old_format", "old_format_sharded"])
def test_43_state_lost_of_v1(tmp_path, name):
    copied(name, tmp_path)
    (tmp_path / "checkpoint").unlink()
    expected = tmp_path / ("model.ckpt-3" if name == "old_format" else "model.ckpt-3-?????-of-00003")
    assert tf.train.latest_checkpoint(tmp_path) == str(expected)
    ckpt.state(tmp_path, rebuild=True)
    assert listed(tmp_path) == [expected.name]
    assert len(tf.open_checkpoint(tmp_path)) == (2 if name == "old_format" else 4)


def test_43_under_another_name(tmp_path, caplog):
    """`checkpoint.txt`, as some browsers save it: the scan finds the checkpoint, and the message says so."""
    save(tmp_path / "m-3")
    save(tmp_path / "m-4")
    state(tmp_path, "m-3")
    (tmp_path / "checkpoint").rename(tmp_path / "checkpoint.txt")
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-4")
    assert "checkpoint.txt looks like one" in caplog.text
    assert ckpt.state(tmp_path / "checkpoint.txt").latest == str(tmp_path / "m-3")


def test_43_set(tmp_path, cli):
    for step in (1, 2, 3):
        save(tmp_path / f"m-{step}")
    ckpt.state(tmp_path, rebuild=True)
    for spelling in ("m-2", str(tmp_path / "m-2"), "m-2.index"):
        assert cli("ckpt", "state", tmp_path, "--set", spelling).code == 0
        assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-2")
        assert listed(tmp_path) == ["m-1", "m-3", "m-2"]
    result = cli("ckpt", "state", tmp_path, "--set", "m-9")
    assert result.code == 1
    assert "no checkpoint m-9" in result.err
    assert cli("ckpt", "state", tmp_path, "--set", "m-1", "--fix").code == 2


def test_43_refusals(tmp_path):
    with pytest.raises(errors.NotFoundError):
        ckpt.state(tmp_path)
    with pytest.raises(errors.NotFoundError, match="--rebuild"):
        ckpt.state(tmp_path, fix=True)
    with pytest.raises(errors.NotFoundError, match="no complete checkpoint"):
        ckpt.state(tmp_path, rebuild=True)
    (tmp_path / "checkpoint").write_text("{")
    assert "not a checkpoint state file" in ckpt.state(tmp_path / "checkpoint").problems[0]
    with pytest.raises(errors.DataLossError, match="--rebuild"):
        ckpt.state(tmp_path, fix=True)
    state(tmp_path, "m-1")
    before = (tmp_path / "checkpoint").read_bytes()
    with pytest.raises(errors.NotFoundError, match="none of the 1 checkpoints"):
        ckpt.state(tmp_path, fix=True)
    assert (tmp_path / "checkpoint").read_bytes() == before


# 44: how many are kept


@pytest.mark.parametrize("keep", [0, None])
def test_44_keep_zero(tmp_path, keep):
    """All are recorded; and a second run does not forget those of the first."""
    for first in (0, 3):
        with tf.Graph().as_default():
            tf.get_variable("v", initializer=np.float32(1), use_resource=False)
            saver = tf.train.Saver(max_to_keep=keep)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for step in range(first, first + 3):
                    saver.save(session, str(tmp_path / "m"), global_step=step, write_meta_graph=False)
    assert listed(tmp_path) == [f"m-{step}" for step in range(6)]
    assert saver.last_checkpoints == []
