"""The functions around checkpoints and state files, and `load_checkpoint` and its kin."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors

SAVERS = Path(__file__).resolve().parents[3] / "fixtures" / "savers"
PLAIN = SAVERS / "plain" / "model.ckpt-3"


def test_state_proto_of_an_absolute_directory():
    state = tf.train.generate_checkpoint_state_proto("/d", "/d/m-2", ["/d/m-1", "/d/m-2"])
    assert state.model_checkpoint_path == "/d/m-2"
    assert state.all_model_checkpoint_paths == ["/d/m-1", "/d/m-2"]


def test_state_proto_adds_the_latest_and_makes_paths_relative():
    state = tf.train.generate_checkpoint_state_proto("d", "d/m-2", ["d/m-1"], [1.5, 2.5], 0.5)
    assert state.model_checkpoint_path == "m-2"
    assert state.all_model_checkpoint_paths == ["m-1", "m-2"]
    assert (list(state.all_model_checkpoint_timestamps), state.last_preserved_timestamp) == ([1.5, 2.5], 0.5)
    with pytest.raises(ValueError, match="Checkpoint timestamps, if provided, must match checkpoint paths"):
        tf.train.generate_checkpoint_state_proto("d", "d/m-2", ["d/m-1"], [1.5])


def test_the_callers_list_gets_the_latest():
    paths = ["/d/m-1"]
    tf.train.generate_checkpoint_state_proto("/d", "/d/m-2", paths)
    assert paths == ["/d/m-1", "/d/m-2"]


def test_update_and_get(tmp_path):
    assert tf.train.get_checkpoint_state(tmp_path) is None
    tf.train.update_checkpoint_state(tmp_path, "m-2", ["m-1", "m-2"])
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == str(tmp_path / "m-2")
    assert state.all_model_checkpoint_paths == [str(tmp_path / "m-1"), str(tmp_path / "m-2")]
    with pytest.raises(RuntimeError, match="conflicts with path used for checkpoint state"):
        tf.train.update_checkpoint_state(tmp_path, str(tmp_path / "checkpoint"))


def test_damaged_state_file_is_ignored(tmp_path, caplog):
    (tmp_path / "checkpoint").write_text("model_checkpoint_path {")
    assert tf.train.get_checkpoint_state(tmp_path) is None
    assert "Checkpoint ignored" in caplog.text
    (tmp_path / "checkpoint").write_text("")
    with pytest.raises(ValueError, match="Invalid checkpoint state loaded from"):
        tf.train.get_checkpoint_state(tmp_path)


def test_latest(tmp_path):
    assert tf.train.latest_checkpoint(tmp_path) is None
    assert tf.train.latest_checkpoint(SAVERS / "plain") == str(PLAIN)
    shutil.copytree(SAVERS / "plain", tmp_path / "moved")
    os.remove(tmp_path / "moved" / "checkpoint")
    assert tf.train.latest_checkpoint(tmp_path / "moved") == str(tmp_path / "moved" / "model.ckpt-3")


def test_exists_and_mtimes():
    old = SAVERS / "old_format_sharded" / "model.ckpt-3-?????-of-00003"
    gone = SAVERS / "plain" / "gone"
    assert tf.train.checkpoint_exists(PLAIN)
    assert tf.train.checkpoint_exists(str(old))
    assert not tf.train.checkpoint_exists(gone)
    times = tf.train.get_checkpoint_mtimes([PLAIN, gone, old])
    assert times[0] == pytest.approx(os.stat(f"{PLAIN}.index").st_mtime)
    assert len(times) == 2


@pytest.mark.parametrize(("name", "version"), [("sharded", 2), ("old_format", 1), ("old_format_sharded", 1)])
def test_remove(tmp_path, name, version):
    shutil.copytree(SAVERS / name, tmp_path / "d")
    prefix = tf.train.latest_checkpoint(tmp_path / "d")
    tf.train.remove_checkpoint(prefix, version)
    tf.train.remove_checkpoint(prefix, version)
    assert {p.name for p in (tmp_path / "d").iterdir()} == {"checkpoint", "expected.npz"}


def test_list_and_load():
    for path in (PLAIN, PLAIN.parent):
        assert tf.train.list_variables(path) == [("b", [3]), ("step", []), ("w", [2, 3])]
    np.testing.assert_array_equal(tf.train.load_variable(PLAIN, "w:0"), [[1, 2, 3], [4, 5, 6]])
    for path in (PLAIN, SAVERS / "old_format" / "model.ckpt-3"):
        with pytest.raises(errors.NotFoundError, match="Key nope not found in checkpoint"):
            tf.train.load_variable(path, "nope")


def test_reader():
    reader = tf.train.NewCheckpointReader(str(SAVERS / "mixed" / "model.ckpt-3"))
    assert reader.get_variable_to_shape_map()["scope/a"] == [2, 3]
    assert reader.get_variable_to_dtype_map()["h"] == tf.float16
    assert reader.has_tensor("b")
    assert reader.has_tensor(b"b")
    assert not reader.has_tensor("c")
    assert reader.get_tensor("scope/inner/s").tolist() == [b"p", b"qq"]
    assert reader.get_tensor(b"b") == -7
    assert b"scope/a (DT_FLOAT) [2,3]" in reader.debug_string()
    objects = tf.train.load_checkpoint(SAVERS / "object_based" / "objects")
    assert isinstance(objects.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"), bytes)


def test_reader_of_nothing(tmp_path):
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file or checkpoints in given directory"):
        tf.train.load_checkpoint(tmp_path)
    with pytest.raises(errors.NotFoundError, match="Failed to find any matching files for"):
        tf.train.NewCheckpointReader(str(tmp_path / "m"))


def test_iterator(tmp_path, monkeypatch):
    from icefloe.saver import inspection

    slept = []
    monkeypatch.setattr(inspection.time, "sleep", slept.append)
    saved = iter(("m-1", "m-2"))

    def save_next() -> bool:
        name = next(saved, None)
        if name is not None:
            tf.save_checkpoint(tmp_path / name, {"v": 1.0})
            tf.train.update_checkpoint_state(tmp_path, str(tmp_path / name))
        return name is None

    save_next()
    found = list(tf.train.checkpoints_iterator(tmp_path, min_interval_secs=100, timeout=0, timeout_fn=save_next))
    assert found == [str(tmp_path / "m-1"), str(tmp_path / "m-2")]
    assert any(seconds > 99 for seconds in slept)
    assert list(tf.train.checkpoints_iterator(tmp_path / "empty", timeout=0)) == []


def test_write_graph(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.constant([1.0, 2.0], name="c")
    path = tf.train.write_graph(graph, tmp_path / "new" / "dir", "g.pbtxt")
    assert path == str(tmp_path / "new" / "dir" / "g.pbtxt")
    assert Path(path).read_text().startswith('node {\n  name: "c"\n')
    binary = tf.train.write_graph(graph.as_graph_def(), str(tmp_path), "g.pb", as_text=False)
    assert Path(binary).read_bytes() == graph.as_graph_def().SerializeToString(deterministic=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.OpError):
        tf.train.write_graph(graph, tmp_path / "file" / "dir", "g.pb")
    assert {p.name for p in tmp_path.iterdir()} == {"new", "g.pb", "file"}
