"""State files, retention and saving: a directory of checkpoints is found wherever it goes, and never found half."""

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
from cases.damage import change, copied, data_file, index_file, saved, values
from icefloe import ckpt, errors
from icefloe.checkpoint import files, state_file
from unit.checkpoint.stopping import Machine

HERE = Path(__file__).parent


def state(folder, latest, *kept):
    lines = [f'model_checkpoint_path: "{latest}"', *(f'all_model_checkpoint_paths: "{p}"' for p in kept or [latest])]
    (folder / "checkpoint").write_text("\n".join(lines) + "\n")


def save(prefix, value=1.0):
    tf.save_checkpoint(prefix, {"v": np.float32(value), "metric": np.float32(value)})
    return str(prefix)


def listed(folder):
    found = tf.train.get_checkpoint_state(folder)
    return [os.path.relpath(p, folder) for p in found.all_model_checkpoint_paths]


@pytest.fixture
def no_waiting_for_the_disk(monkeypatch):
    """The order of the calls is what is tested; that their data are on the disk cannot be."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)


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


# Pruning


def steps_in(folder):
    return sorted(int(p.stem.rpartition("-")[2]) for p in folder.glob("m-*.index"))


@pytest.fixture
def ten(tmp_path):
    """Ten checkpoints an hour apart, metric 5 at step 5 and less before and after, and files of others."""
    for step in range(1, 11):
        save(tmp_path / f"m-{step}", 5 - abs(step - 5))
        (tmp_path / f"m-{step}.meta").write_bytes(b"meta")
        os.utime(tmp_path / f"m-{step}.index", (step * 3600, step * 3600))
    save(tmp_path / "pretrained")
    save(tmp_path / "resnet-50")
    for name in ("events.out", "m-1.txt", "m-2.index.bak", "notes"):
        (tmp_path / name).write_text("mine")
    state(tmp_path, "m-10", *(f"m-{i}" for i in range(6, 11)))
    return tmp_path


def test_prune_shows_first_and_deletes_with_yes(ten, cli):
    before = sorted(os.listdir(ten))
    result = cli("ckpt", "prune", ten, "--last", "2")
    assert result.code == 0
    assert "8 checkpoints to delete" in result.out
    assert "--yes" in result.err
    assert sorted(os.listdir(ten)) == before
    result = cli("ckpt", "prune", ten, "--last", "2", "--yes", "--json")
    assert [Path(c["prefix"]).name for c in result.json()["deleted"]] == [f"m-{i}" for i in range(1, 9)]
    assert steps_in(ten) == [9, 10]
    assert listed(ten) == ["m-9", "m-10"]
    gone = {f"m-{i}.{s}" for i in range(1, 9) for s in ("index", "meta", "data-00000-of-00001")}
    assert set(before) - set(os.listdir(ten)) == gone


def test_prune_rules(ten):
    names = lambda report: [Path(c.prefix).name for c in report.kept]  # noqa: E731
    assert names(ckpt.prune(ten, keep=1, every_hours=3)) == ["m-1", "m-4", "m-7", "m-10"]
    assert names(ckpt.prune(ten, keep=1, patterns=["m-3", "*-6"])) == ["m-3", "m-6", "m-10"]
    assert names(ckpt.prune(ten, keep=1, best=3, metric="metric")) == ["m-4", "m-5", "m-6", "m-10"]
    assert names(ckpt.prune(ten, keep=0, best=1, metric="metric", mode="min")) == ["m-10"]
    assert names(ckpt.prune(ten, keep=0)) == ["m-10"]
    assert names(ckpt.prune(ten, keep=99)) == [f"m-{i}" for i in range(1, 11)]
    report = ckpt.prune(ten, keep=1, best=1, metric="metric")
    assert [c.reasons for c in report.kept] == [["the best"], ["the newest", "the latest"]]
    assert {Path(p).name for p in report.foreign} == {"pretrained", "resnet-50"}
    assert report.dry_run
    assert steps_in(ten) == list(range(1, 11))


@pytest.mark.parametrize("content", ['{"m-2": 9, "7": 8, "3": 1}', "step,loss\nm-2,9\n7,8\n3,1\n"], ids=["json", "csv"])
def test_prune_by_a_file_of_numbers(ten, content):
    path = ten / ("metrics.json" if content[0] == "{" else "metrics.csv")
    path.write_text(content)
    report = ckpt.prune(ten, keep=1, best=2, metric=path)
    assert [Path(c.prefix).name for c in report.kept] == ["m-2", "m-7", "m-10"]


def test_prune_refusals(ten, cli):
    before = sorted(os.listdir(ten))
    assert cli("ckpt", "prune", ten, "--best", "2").code == 2
    assert cli("ckpt", "prune", ten, "--best", "2", "--metric", "nothing").code == 1
    assert cli("ckpt", "prune", ten, "--best", "2", "--metric", ten / "gone.json").code == 1
    assert cli("ckpt", "prune", ten / "nowhere").code == 1
    with pytest.raises(errors.InvalidArgumentError):
        ckpt.prune(ten, keep=-1)
    (ten / "checkpoint").write_text("{")
    with pytest.raises(errors.DataLossError):  # it could not be kept true
        ckpt.prune(ten, keep=1, dry_run=False)
    assert sorted(os.listdir(ten)) == before


def test_prune_leaves_what_is_not_complete(tmp_path):
    """It may be being written, and does not count as one of the newest."""
    for step in (1, 2, 3):
        save(tmp_path / f"m-{step}")
    change(data_file(tmp_path / "m-3"), lambda data: data[:-1])
    report = ckpt.prune(tmp_path, keep=1, dry_run=False)
    assert steps_in(tmp_path) == [2, 3]
    assert "not complete" in report.kept[-1].reasons[0]


def test_prune_of_v1(tmp_path):
    copied("old_format_sharded", tmp_path)
    save(tmp_path / "model.ckpt-4")
    (tmp_path / "checkpoint").unlink()
    ckpt.prune(tmp_path, keep=1, dry_run=False)
    assert sorted(p.name for p in tmp_path.glob("model*")) == ["model.ckpt-4.data-00000-of-00001", "model.ckpt-4.index"]


def test_prune_killed_at_every_call(tmp_path, no_waiting_for_the_disk):
    """What the state file names is always there, and what is half deleted is no checkpoint."""
    for at in itertools.count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        for step in (1, 2, 3):
            save(folder / f"m-{step}", step)
        ckpt.state(folder, rebuild=True)
        machine = Machine(at)
        with machine.running():
            ckpt.prune(folder, keep=1, dry_run=False)
        for name in listed(folder):
            assert ckpt.verify(folder / name).ok
        assert tf.train.latest_checkpoint(folder) == str(folder / "m-3")
        assert all(ckpt.verify(p.with_suffix("")).ok for p in folder.glob("*.index"))
        if not machine.struck:
            break
    assert at > 5


# Cleaning


def test_clean_of_every_kind(tmp_path, cli):
    prefix = tmp_path / "m-1"
    saved(prefix)
    token = "0123456789abcdef"
    for name in (
        f"m-2.index.tmp-{token}",
        f"m-2.data-00000-of-00001.tmp-{token}",
        f"checkpoint.tmp-{token}",
        f"m-2.meta.tmp-{token}",
        "m-3.index.tempstate123456789",
        "m-3.data-00000-of-00001.tempstate99",
    ):
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / "m-3_temp").mkdir()
    (tmp_path / "m-3_temp" / "part-00000-of-00002.data-00000-of-00001").write_bytes(b"half")
    (tmp_path / "m-4_temp_0123456789abcdef0123456789abcdef").mkdir()
    mine = ["my_temp", "notes.tmp", "m-1.tmp-12", "x.tempstate", "mine_temp"]
    for name in mine:
        (tmp_path / name).mkdir()
        (tmp_path / name / "part-of-me.txt.d").mkdir()
    whole = {"m-1.index", "m-1.data-00000-of-00001", *mine}
    before = sorted(os.listdir(tmp_path))
    result = cli("ckpt", "clean", tmp_path, "--older-than", "0")
    assert result.code == 0
    assert "8 files to remove" in result.out
    assert sorted(os.listdir(tmp_path)) == before
    # TensorFlow's files do not say whether their writer lives: young ones stay.
    report = ckpt.clean(tmp_path, dry_run=False)
    assert {one.kind for one in report.left} == {"tempstate", "shards"}
    assert len(report.removed) == 4
    assert cli("ckpt", "clean", tmp_path, "--older-than", "0", "--yes").code == 0
    assert set(os.listdir(tmp_path)) == whole
    assert ckpt.verify(prefix).ok


def test_clean_finishes_a_save_that_had_committed(tmp_path, no_waiting_for_the_disk):
    for at in itertools.count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        save(folder / "m", 1)
        machine = Machine(at)
        with machine.running():
            save(folder / "m", 2)
        expected = float(tf.open_checkpoint(folder / "m")["v"])
        ckpt.clean(folder, dry_run=False)
        assert sorted(os.listdir(folder)) == ["m.data-00000-of-00001", "m.index"]
        assert tf.open_checkpoint(folder / "m")["v"] == expected
        if not machine.struck:
            break
    assert at > 8


def test_clean_spares_a_save_that_is_under_way(tmp_path):
    from icefloe.checkpoint.writer import BundleWriter

    with BundleWriter(tmp_path / "m") as writer:
        writer.add("v", np.float32(1))
        report = ckpt.clean(tmp_path, older_than=0, dry_run=False)
        assert [one.alive for one in report.left] == ["its writer lives"] * 2
        assert not report.removed
    assert tf.open_checkpoint(tmp_path / "m")["v"] == 1


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
def test_47_disk_full_at_every_call_of_a_saver(tmp_path, kind, what, no_waiting_for_the_disk, monkeypatch):
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
def test_47_nothing_left_after_a_full_disk(tmp_path, kind, no_waiting_for_the_disk, monkeypatch):
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
    assert len(set(seen)) > 5
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


def test_50_a_writer_at_every_call_of_a_reader(tmp_path, no_waiting_for_the_disk):
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
