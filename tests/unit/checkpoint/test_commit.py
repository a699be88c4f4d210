"""Wherever a save stops, the old checkpoint or the new one is there, whole; and the next save leaves nothing behind."""

import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from icefloe import errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint import commit, files, names, state_file
from icefloe.checkpoint.merge import merge_checkpoints
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.writer import BundleWriter
from unit.checkpoint.stopping import Machine

CHANGES = [(1, 1), (2, 1), (1, 2), (3, 2)]


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    """The order of the calls is what is tested; that their data are on the disk cannot be."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)


def values(seed):
    rng = np.random.default_rng(seed)
    return {f"v{i}": rng.integers(0, 99, (seed + 2, i + 1)).astype(np.int32) for i in range(5)}


OLD, NEW, NEXT = values(1), values(2), values(3)


def save_at_once(prefix, content, shards):
    save_checkpoint(prefix, content, shards=shards)


def save_and_merge(prefix, content, shards):
    """What a sharded Saver does: a bundle per shard under a temporary directory, then the merge."""
    parts = [f"{prefix}_temp/part-{i:05d}-of-{shards:05d}" for i in range(shards)]
    for i, part in enumerate(parts):
        with BundleWriter(part) as writer:
            for name in list(content)[i::shards]:
                writer.add(name, content[name])
    merge_checkpoints(parts, prefix)


def which(prefix):
    got = dict(open_checkpoint(prefix))
    for name, expected in (("old", OLD), ("new", NEW), ("next", NEXT)):
        if got.keys() == expected.keys() and all(np.array_equal(got[k], expected[k]) for k in got):
            return name
    raise AssertionError(f"neither old nor new: {got}")


def names_in(folder):
    return sorted(os.path.relpath(os.path.join(d, f), folder) for d, dirs, fs in os.walk(folder) for f in fs + dirs)


def complete(shards):
    return sorted(["m.index", *(f"m.data-{i:05d}-of-{shards:05d}" for i in range(shards))])


@pytest.mark.parametrize("what", ["kill", "torn"])
@pytest.mark.parametrize("save", [save_at_once, save_and_merge])
@pytest.mark.parametrize("before, after", CHANGES)
def test_killed_at_every_call(before, after, save, what, tmp_path):
    seen = []
    for at in itertools.count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        prefix = str(folder / "m")
        save(prefix, OLD, before)
        machine = Machine(at, what)
        with machine.running():
            save(prefix, NEW, after)
        if not machine.struck:
            break
        seen.append(which(prefix))
        save(prefix, NEXT, after)
        assert names_in(folder) == complete(after), f"after call {at}"
        assert which(prefix) == "next"
    # The commit is one call: before it the old checkpoint is there, after it the new one.
    assert seen == sorted(seen, reverse=True)
    assert {"old", "new"} == set(seen)
    assert len(seen) > 10


@pytest.mark.parametrize("save", [save_at_once, save_and_merge])
@pytest.mark.parametrize("before, after", CHANGES)
def test_disk_full_at_every_call(before, after, save, tmp_path):
    for at in itertools.count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        prefix = str(folder / "m")
        save(prefix, OLD, before)
        machine = Machine(at, "full")
        with machine.running():
            error = None
            try:
                save(prefix, NEW, after)
            except errors.ResourceExhaustedError as e:
                error = e
        if not machine.struck:
            assert error is None
            break
        if error is None:  # only what cleans up afterwards may fail in silence
            assert which(prefix) == "new"
        else:
            assert "No space left" in str(error)
        state = which(prefix)
        if save is save_at_once and state == "old":
            assert names_in(folder) == complete(before), f"after call {at}"
        save(prefix, NEXT, after)
        assert names_in(folder) == complete(after), f"after call {at}"


@pytest.mark.parametrize("before, after", CHANGES)
def test_a_reader_at_every_call_finds_a_whole_checkpoint(before, after, tmp_path):
    prefix = str(tmp_path / "m")
    save_at_once(prefix, OLD, before)
    opened_before = open_checkpoint(prefix)
    seen = []
    with Machine(watch=lambda: seen.append(which(prefix))).running():
        save_at_once(prefix, NEW, after)
    assert seen == sorted(seen, reverse=True)
    assert {"old", "new"} == set(seen)
    assert all(np.array_equal(opened_before[k], v) for k, v in OLD.items())


def test_first_save_killed_leaves_nothing_that_looks_like_a_checkpoint(tmp_path):
    prefix = str(tmp_path / "m")
    for at in itertools.count(1):
        machine = Machine(at)
        with machine.running():
            save_at_once(prefix, NEW, 2)
        if not machine.struck:
            break
        if commit.locate(prefix) is None:
            with pytest.raises(errors.NotFoundError):
                open_checkpoint(prefix)
            assert not state_file.checkpoint_exists(prefix)
        else:
            assert which(prefix) == "new"
        commit.delete_checkpoint(prefix)
        assert os.listdir(tmp_path) == []


def test_committed_checkpoint_is_found_by_every_path_form(tmp_path):
    prefix = str(tmp_path / "m")
    for at in itertools.count(1):
        machine = Machine(at)
        with machine.running():
            save_at_once(prefix, NEW, 2)
        location = commit.locate(prefix)
        if location is not None and location.token is not None:
            break
    assert which(tmp_path) == "new"
    assert which(prefix + ".index") == "new"
    assert which(location.index) == "new"
    assert state_file.latest_checkpoint(tmp_path) == prefix
    assert state_file.checkpoint_exists(prefix)


def die_after_commit(prefix, content, shards):
    """Save so that the writer dies between its commit and the first renaming of a data file."""
    for at in itertools.count(1):
        with Machine(at).running():
            save_at_once(prefix, content, shards)
        location = commit.locate(prefix)
        if location is not None and location.token is not None:
            return location.index
    raise AssertionError


@pytest.mark.parametrize("later", ["old", "new"])
def test_of_two_saves_that_committed_and_died_the_later_one_counts(later, tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder, content, token, seconds in (
        ("a", OLD, "a" * 16, 2_000_000_000 if later == "old" else 1_000_000_000),
        ("b", NEW, "b" * 16, 1_500_000_000),
    ):
        monkeypatch.setattr(names, "new_token", lambda token=token: token)
        committed = die_after_commit(str(tmp_path / folder / "m"), content, 2)
        os.utime(committed, (seconds, seconds))
    for path in (tmp_path / "b").iterdir():
        path.rename(tmp_path / "a" / path.name)
    prefix = str(tmp_path / "a" / "m")
    assert which(prefix) == later
    commit.recover(prefix)
    assert which(prefix) == later
    assert names_in(tmp_path / "a") == complete(2)


def test_recovering_removes_the_shards_of_another_count(tmp_path):
    prefix = str(tmp_path / "m")
    save_at_once(prefix, OLD, 3)
    die_after_commit(prefix, NEW, 1)
    commit.recover(prefix)
    assert names_in(tmp_path) == complete(1)
    assert which(prefix) == "new"


def test_finishing_a_dead_save_leaves_the_files_of_a_live_one(tmp_path):
    prefix = str(tmp_path / "m")
    save_at_once(prefix, OLD, 1)
    with BundleWriter(prefix, shards=2) as slow:
        for name, value in NEW.items():
            slow.add(name, value)
        die_after_commit(prefix, NEXT, 2)
        commit.recover(prefix)
        assert which(prefix) == "next"
    assert which(prefix) == "new"
    assert names_in(tmp_path) == complete(2)


@pytest.mark.parametrize("save", [save_at_once, save_and_merge])
def test_files_are_on_the_disk_before_they_get_their_names(save, tmp_path, monkeypatch):
    """A rename may reach the disk before the bytes of the file; a later rename before an earlier one."""
    prefix = str(tmp_path / "m")
    synced, bare, renames = set(), set(), []

    def watch(name, note):
        call = getattr(files, name)

        def watched(*args):
            note(*args)
            return call(*args)

        monkeypatch.setattr(files, name, watched)

    def renaming(source, target):
        assert source in synced
        synced.add(target)
        if not target.startswith(f"{prefix}."):
            return  # a part that is merged
        if ".commit-" in target:
            assert not bare
        elif ".tmp-" in source:
            assert not any(".commit-" in path for path in bare)
        if ".tmp-" not in target:
            bare.add(target)
        renames.append(target)

    watch("sync", lambda fd, path: synced.add(path))
    watch("sync_file", synced.add)
    watch("sync_directory", lambda path: bare.clear())
    watch("rename", renaming)
    save(prefix, NEW, 2)
    assert not bare
    assert renames[-1] == f"{prefix}.index"


def test_a_live_writer_is_left_alone(tmp_path):
    prefix = str(tmp_path / "m")
    with BundleWriter(prefix) as slow:
        slow.add("v", np.int32(1))
        save_at_once(prefix, OLD, 1)
        assert which(prefix) == "old"
    assert open_checkpoint(prefix)["v"] == 1
    assert names_in(tmp_path) == complete(1)


def test_writers_at_the_same_time_leave_one_whole_checkpoint(tmp_path):
    prefix = str(tmp_path / "m")
    contents = [(OLD, 1), (NEW, 2), (NEXT, 3)]

    def work(content, shards):
        for _ in range(5):
            save_at_once(prefix, content, shards)

    threads = [threading.Thread(target=work, args=c) for c in contents]
    for thread in threads:
        thread.start()
    found = set()
    while any(thread.is_alive() for thread in threads):
        if commit.locate(prefix):
            found.add(which(prefix))
    for thread in threads:
        thread.join()
    assert which(prefix) in {"old", "new", "next"}
    assert found
    save_at_once(prefix, NEXT, 1)
    assert names_in(tmp_path) == complete(1)


def test_foreign_files_are_not_touched(tmp_path):
    token = names.new_token()
    foreign = ["m", "m.meta", "m.index.bak", f"mm.index.tmp-{token}", f"m-1.data-00000-of-00001.tmp-{token}",
               "m.data-00000-of-00001.tmp-xyz", "m.data-00000-of-00003.old", "checkpoint"]  # fmt: skip
    for name in foreign:
        (tmp_path / name).write_text("")
    save_at_once(str(tmp_path / "m"), OLD, 2)
    save_at_once(str(tmp_path / "m"), NEW, 1)
    assert names_in(tmp_path) == sorted(foreign + complete(1))


def test_commit_fails_if_another_process_holds_the_directory(tmp_path, monkeypatch):
    real = files.directory_lock
    monkeypatch.setattr(files, "directory_lock", lambda path, timeout=0.0: real(path, 0.0))
    with real(str(tmp_path)), pytest.raises(errors.UnavailableError, match="another process"):
        BundleWriter(tmp_path / "m")


def test_without_locks_a_fresh_file_is_not_taken_for_dead(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    path = tmp_path / "f"
    path.write_text("")
    assert not files.is_abandoned(str(path))
    os.utime(path, (0, 0))
    assert files.is_abandoned(str(path))
    save_at_once(str(tmp_path / "m"), OLD, 1)
    assert which(str(tmp_path / "m")) == "old"


CHILD = """
import os, signal, sys
from icefloe.checkpoint import files, save_checkpoint
import numpy as np
count = 0
def deadly(call):
    def wrapped(*args):
        global count
        count += 1
        if count == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args)
    return wrapped
for name in ("create", "write", "sync", "sync_directory", "rename", "remove"):
    setattr(files, name, deadly(getattr(files, name)))
save_checkpoint(sys.argv[1], {"v": np.full(1000, 2, np.int32)}, shards=2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("at", [3, 7, 9, 10, 11, 12, 13])
def test_killed_by_the_system(at, tmp_path):
    prefix = str(tmp_path / "m")
    save_checkpoint(prefix, {"v": np.full(1000, 1, np.int32)})
    done = subprocess.run([sys.executable, "-c", CHILD, prefix, str(at)], check=False)
    assert done.returncode == -9
    assert set(open_checkpoint(prefix)["v"].tolist()) in ({1}, {2})
    save_checkpoint(prefix, {"v": np.int32(3)})
    assert names_in(tmp_path) == complete(1)


def test_reader_with_many_shards_says_that_it_was_replaced(tmp_path):
    prefix = str(tmp_path / "m")
    content = {f"v{i}": np.full(3, i, np.int32) for i in range(70)}
    save_checkpoint(prefix, content, shards=70)
    reader = BundleReader(prefix)
    assert len(os.listdir(tmp_path)) == 71
    save_checkpoint(prefix, OLD)
    assert reader["v3"].tolist() == [3, 3, 3]  # one that it had open
    with pytest.raises(errors.AbortedError, match="replaced"):
        reader["v69"]
