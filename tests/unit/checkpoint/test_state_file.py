"""State files: as TensorFlow writes them, and found again when directories move."""

import os
from pathlib import Path

import numpy as np
import pytest

from icefloe import errors, save_checkpoint
from icefloe.checkpoint import state_file
from unit.checkpoint.stopping import Machine

GOLDENS = Path(__file__).resolve().parents[3] / "fixtures" / "checkpoints" / "state"

STATES = {
    "absolute": (("/models/m-2", ["/models/m-1", "/models/m-2"]), {}),
    "relative": (("m-3", ["m-1", "m-2"]), {}),
    "escaped": (('é "quoted" back\\slash\ttab-1', []), {}),
    "timestamps": (
        ("m-3", ["m-2", "m-3"]),
        {"timestamps": [1796034664.4984648, 1e20], "last_preserved_timestamp": 1.5},
    ),
}


def save(path):
    save_checkpoint(path, {"v": np.int32(1)})
    return str(path)


@pytest.mark.parametrize("name", STATES)
def test_written_as_tensorflow_does(name, tmp_path):
    arguments, options = STATES[name]
    state_file.write_state(tmp_path / name, state_file.make_state("/somewhere", *arguments, **options))
    assert (tmp_path / name).read_bytes() == (GOLDENS / name).read_bytes()
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", STATES)
def test_read_with_paths_joined(name):
    (latest, _), options = STATES[name]
    state = state_file.read_state(GOLDENS / name)
    assert state.model_checkpoint_path == os.path.join(GOLDENS, latest)
    assert state.all_model_checkpoint_paths[-1] == os.path.join(GOLDENS, latest)
    assert list(state.all_model_checkpoint_timestamps) == options.get("timestamps", [])


def test_paths_relative_to_a_relative_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    state = state_file.make_state("out", "out/m-2", ["out/m-1", "/abs/m-0"])
    assert state.model_checkpoint_path == "m-2"
    assert list(state.all_model_checkpoint_paths) == ["m-1", "/abs/m-0", "m-2"]


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match="must match checkpoint paths"):
        state_file.make_state("/d", "m-1", timestamps=[1.0, 2.0])
    with pytest.raises(RuntimeError, match="conflicts with path used for checkpoint state"):
        state_file.write_state(tmp_path / "c", state_file.make_state("/d", tmp_path / "c"))
    with pytest.raises(errors.NotFoundError, match="No such file"):
        state_file.read_state(tmp_path / "none")
    (tmp_path / "bad").write_text("model_checkpoint_path: [")
    with pytest.raises(errors.DataLossError, match="bad: not a checkpoint state file"):
        state_file.read_state(tmp_path / "bad")
    (tmp_path / "bad").write_bytes(b"\xff\xfe")
    with pytest.raises(errors.DataLossError):
        state_file.read_state(tmp_path / "bad")
    (tmp_path / "empty").write_text("")
    with pytest.raises(errors.InvalidArgumentError, match="names no latest"):
        state_file.read_state(tmp_path / "empty")


def test_latest_checkpoint(tmp_path, caplog):
    assert state_file.latest_checkpoint(tmp_path) is None
    one = save(tmp_path / "m-1")
    two = save(tmp_path / "m-2")
    state_file.write_state(tmp_path / "checkpoint", state_file.make_state(tmp_path, "m-1"))
    state_file.write_state(tmp_path / "other", state_file.make_state(tmp_path, two))
    assert state_file.latest_checkpoint(tmp_path) == one
    assert state_file.latest_checkpoint(tmp_path, "other") == two
    assert not caplog.records


def test_latest_checkpoint_of_a_moved_directory(tmp_path):
    (tmp_path / "old").mkdir()
    state_file.write_state(
        tmp_path / "old" / "checkpoint", state_file.make_state(tmp_path / "old", save(tmp_path / "old" / "m-1"))
    )
    save(tmp_path / "old" / "m-2")
    (tmp_path / "old").rename(tmp_path / "new")
    assert state_file.latest_checkpoint(tmp_path / "new") == str(tmp_path / "new" / "m-1")


def test_latest_checkpoint_where_the_state_is_lost_or_wrong(tmp_path, caplog):
    save(tmp_path / "m-9")
    ten = save(tmp_path / "m-10")
    assert state_file.latest_checkpoint(tmp_path) == ten
    assert "there is no state file" in caplog.text
    state_file.write_state(tmp_path / "checkpoint", state_file.make_state(tmp_path, "m-99"))
    assert state_file.latest_checkpoint(tmp_path) == ten
    assert "m-99, which is not there" in caplog.text
    (tmp_path / "checkpoint").write_text("{")
    assert state_file.latest_checkpoint(tmp_path) == ten


def test_existence_and_times(tmp_path):
    path = save(tmp_path / "m-1")
    (tmp_path / "v1").write_bytes(b"")
    os.utime(path + ".index", (5, 5.5))
    assert state_file.checkpoint_exists(path)
    assert state_file.checkpoint_exists(tmp_path / "v1")
    assert not state_file.checkpoint_exists(tmp_path / "m")
    assert state_file.checkpoint_mtimes([path, tmp_path / "none"]) == [5.5]


@pytest.mark.parametrize("what", ["kill", "torn"])
def test_killed_at_every_call(what, tmp_path):
    path = tmp_path / "checkpoint"
    seen = []
    for at in range(1, 30):
        state_file.write_state(path, state_file.make_state("/d", "old"))
        assert os.listdir(tmp_path) == ["checkpoint"]
        machine = Machine(at, what)
        with machine.running():
            state_file.write_state(path, state_file.make_state("/d", "new"))
        seen.append(os.path.basename(state_file.read_state(path).model_checkpoint_path))
        if not machine.struck:
            break
    assert seen == sorted(seen, reverse=True)
    assert {"old", "new"} == set(seen)
