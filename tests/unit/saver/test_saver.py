"""`Saver`'s constructor and methods, as TensorFlow's behave."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors

SAVERS = Path(__file__).resolve().parents[3] / "fixtures" / "savers"


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def two_variables() -> tuple[Any, Any]:
    a = tf.get_variable("a", initializer=np.float32([1, 2]), use_resource=False)
    b = tf.get_variable("b", initializer=np.int64(3), use_resource=True)
    return a, b


def session_with_values() -> Any:
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


# The constructor


def test_no_variables(graph):
    with pytest.raises(ValueError, match="^No variables to save$"):
        tf.train.Saver()


def test_allow_empty_does_nothing(graph, tmp_path):
    saver = tf.train.Saver(allow_empty=True)
    with tf.Session() as session:
        assert saver.save(session, tmp_path / "m") is None
        assert saver.restore(session, tmp_path / "m") is None
        assert saver.match(tmp_path / "m") is None
        with pytest.raises(RuntimeError, match="no variables to assign"):
            saver.assign(session, {})
    assert [p.name for p in tmp_path.iterdir()] == ["m.meta"]


def test_deferred_build(graph, tmp_path):
    saver = tf.train.Saver(defer_build=True)
    a, _ = two_variables()
    with session_with_values() as session:
        with pytest.raises(RuntimeError, match="should be called before save if defer_build==True"):
            saver.save(session, tmp_path / "m")
        with pytest.raises(RuntimeError, match="should be called before restore if defer_build==True"):
            saver.restore(session, tmp_path / "m")
        saver.build()
        saver.build()
        assert saver.save(session, str(tmp_path / "m")) == str(tmp_path / "m")
    with pytest.raises(ValueError, match="If `var_list` is provided then build cannot be deferred"):
        tf.train.Saver([a], defer_build=True)


def test_finalized_graph_needs_no_nodes(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver()
    session = session_with_values()
    graph.finalize()
    saver.restore(session, saver.save(session, str(tmp_path / "m")))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda a, b: 5, TypeError, "Variables to save should be passed in a dict or a list. Got 5"),
        (lambda a, b: {1: a}, TypeError, "Name is not a string: 1"),
        (lambda a, b: {"x": tf.constant(1.0)}, TypeError, "Not a variable"),
        (lambda a, b: [a, a], ValueError, "At least two variables have the same name: a"),
        (lambda a, b: {"x": a, "y": a}, ValueError, "The same saveable will be restored with two names: y"),
        (lambda a, b: {"x": [a]}, ValueError, "Slices must all be slices"),
    ],
)
def test_var_list_that_cannot_be_saved(graph, make, error, message):
    with pytest.raises(error, match=message):
        tf.train.Saver(make(*two_variables()))


def test_names_and_defaults(graph):
    two_variables()
    first, second = tf.train.Saver(), tf.train.Saver(name="mine", max_to_keep=None)
    assert first.as_saver_def().restore_op_name == "save/restore_all"
    assert second.as_saver_def().save_tensor_name == "mine/control_dependency:0"
    assert second.as_saver_def().max_to_keep == 0
    assert tf.train.Saver().as_saver_def().filename_tensor_name == "save_1/Const:0"


def test_saver_def_names_existing_nodes(graph, tmp_path):
    two_variables()
    original = tf.train.Saver(max_to_keep=2)
    count = len(graph.get_operations())
    again = tf.train.Saver(saver_def=original.as_saver_def())
    assert len(graph.get_operations()) == count
    with session_with_values() as session:
        again.restore(session, again.save(session, str(tmp_path / "m")))
    with pytest.raises(ValueError, match="saver_def must be a saver_pb2.SaverDef"):
        tf.train.Saver(saver_def="x")
    with pytest.raises(ValueError, match="saver_def must specify the save_tensor_name"):
        tf.train.Saver(saver_def=tf.train.SaverDef(restore_op_name="x"))


def test_builder_of_ones_own(graph, tmp_path):
    from icefloe.saver.builder import BaseSaverBuilder

    a, b = two_variables()
    tf.train.Saver([a, b], builder=BaseSaverBuilder())
    assert sum(op.type == "RestoreV2" for op in graph.get_operations()) == 2


def test_saveable_object(graph, tmp_path):
    """An object of the user's that saves two tensors and restores them its own way."""
    from icefloe.saver.saveables import SaveableObject, SaveSpec

    total = tf.get_variable("total", initializer=np.float32(0), use_resource=False)

    class Pair(SaveableObject):
        def __init__(self) -> None:
            x, y = tf.constant(2.0, name="x"), tf.constant(3.0, name="y")
            super().__init__(x, [SaveSpec(x, "", "pair/x"), SaveSpec(y, "", "pair/y")], "pair")

        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
            return tf.assign(total, restored_tensors[0] * restored_tensors[1])

    graph.add_to_collection("saveable_objects", Pair())
    saver = tf.train.Saver(graph.get_collection("saveable_objects"))
    with session_with_values() as session:
        path = saver.save(session, str(tmp_path / "m"))
        saver.restore(session, path)
        assert session.run(total) == 6
    assert sorted(tf.train.list_variables(path)) == [("pair/x", []), ("pair/y", [])]


# save


def test_global_step_as_number_tensor_and_name(graph, tmp_path):
    _, b = two_variables()
    saver = tf.train.Saver(pad_step_number=False)
    with session_with_values() as session:
        prefix = str(tmp_path / "m")
        assert saver.save(session, prefix, global_step=12) == prefix + "-12"
        assert saver.save(session, prefix, global_step=np.int32(13)) == prefix + "-13"
        assert saver.save(session, prefix, global_step=b) == prefix + "-3"
        assert saver.save(session, prefix, global_step="b/Read/ReadVariableOp:0") == prefix + "-3"
        padded = tf.train.Saver(pad_step_number=True)
        assert padded.save(session, prefix, global_step=7) == prefix + "-00000007"


@pytest.mark.parametrize(
    ("keywords", "files"),
    [
        ({}, {"checkpoint", "m.index", "m.data-00000-of-00001", "m.meta"}),
        ({"write_meta_graph": False}, {"checkpoint", "m.index", "m.data-00000-of-00001"}),
        ({"write_state": False}, {"m.index", "m.data-00000-of-00001", "m.meta"}),
        (
            {"latest_filename": "newest", "meta_graph_suffix": "graph"},
            {"newest", "m.index", "m.data-00000-of-00001", "m.graph"},
        ),
    ],
)
def test_which_files_are_written(graph, tmp_path, keywords, files):
    two_variables()
    with session_with_values() as session:
        tf.train.Saver().save(session, str(tmp_path / "m"), **keywords)
    assert {p.name for p in tmp_path.iterdir()} == files


def test_bad_arguments_of_save(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver()
    with session_with_values() as session:
        with pytest.raises(ValueError, match="'latest_filename' must not contain path components"):
            saver.save(session, str(tmp_path / "m"), latest_filename="a/b")
        with pytest.raises(ValueError, match="'latest_filename' collides with 'save_path': 'checkpoint' and"):
            saver.save(session, str(tmp_path / "checkpoint"))
        (tmp_path / "file").write_text("")
        below = str(tmp_path / "file" / "m")
        with pytest.raises(ValueError, match=f"^Parent directory of {below} doesn't exist, can't save.$"):
            saver.save(session, below)
        made = saver.save(session, str(tmp_path / "no" / "dir" / "m"))
        assert tf.train.checkpoint_exists(made)
    with pytest.raises(TypeError, match="'sess' must be a Session; None"):
        saver.save(None, str(tmp_path / "m"))


def test_uninitialised_variables_are_named_and_nothing_is_written(graph, tmp_path, monkeypatch):
    two_variables()
    monkeypatch.chdir(tmp_path)
    with tf.Session() as session, pytest.raises(errors.FailedPreconditionError, match="a"):
        tf.train.Saver().save(session, "m")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_checkpoint(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver()
    with session_with_values() as session:
        path = saver.save(session, str(tmp_path / "m"))
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with tf.Session() as session, pytest.raises(errors.FailedPreconditionError):
        saver.save(session, path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_paths_may_be_objects_with_spaces_and_patterns(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver()
    with session_with_values() as session:
        for name in ("with space", "brackets[2]", "stär*?"):
            path = saver.save(session, tmp_path / name)
            saver.restore(session, Path(path))
            assert tf.train.checkpoint_exists(path)


# Retention and the state file


def prefixes(directory: Path) -> list[str]:
    return sorted(p.name.removesuffix(".index") for p in directory.glob("*.index"))


def test_old_checkpoints_are_deleted(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver(max_to_keep=2)
    with session_with_values() as session:
        for step in range(4):
            saver.save(session, str(tmp_path / "m"), global_step=step)
    assert prefixes(tmp_path) == ["m-2", "m-3"]
    assert sorted(p.name for p in tmp_path.glob("m-*.meta")) == ["m-2.meta", "m-3.meta"]
    assert saver.last_checkpoints == [str(tmp_path / "m-2"), str(tmp_path / "m-3")]
    assert (tmp_path / "checkpoint").read_text() == (
        f'model_checkpoint_path: "{tmp_path}/m-3"\n'
        f'all_model_checkpoint_paths: "{tmp_path}/m-2"\nall_model_checkpoint_paths: "{tmp_path}/m-3"\n'
    )


@pytest.mark.parametrize("keep", [0, None])
def test_keep_all(graph, tmp_path, keep):
    two_variables()
    saver = tf.train.Saver(max_to_keep=keep)
    with session_with_values() as session:
        for step in range(7):
            saver.save(session, str(tmp_path / "m"), global_step=step, write_meta_graph=False)
    assert len(prefixes(tmp_path)) == 7
    assert saver.last_checkpoints == []
    # TensorFlow lists the newest only, and a program that looks for the others does not find them.
    listed = tf.train.get_checkpoint_state(tmp_path).all_model_checkpoint_paths
    assert listed == [str(tmp_path / f"m-{step}") for step in range(7)]


def test_one_is_kept_per_hour(graph, tmp_path, monkeypatch):
    two_variables()
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1)
    with session_with_values() as session:
        for step in range(6):
            now[0] += 1300
            saver.save(session, str(tmp_path / "m"), global_step=step, write_meta_graph=False)
    # 3,600 s after the start and again 3,600 s later a checkpoint is kept: those of 3,900 s and 7,800 s, and the newest.
    assert prefixes(tmp_path) == ["m-2", "m-5"]


def test_lists_can_be_set_and_recovered(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver(max_to_keep=1)
    with session_with_values() as session:
        old = saver.save(session, str(tmp_path / "m"), global_step=1)
        fresh = tf.train.Saver(max_to_keep=1)
        fresh.recover_last_checkpoints([str(tmp_path / "gone"), old])
        assert fresh.last_checkpoints == [old]
        fresh.save(session, str(tmp_path / "m"), global_step=2)
        assert prefixes(tmp_path) == ["m-2"]
        fresh.set_last_checkpoints([str(tmp_path / "m-2")])
        fresh.save(session, str(tmp_path / "m"), global_step=3)
        assert prefixes(tmp_path) == ["m-2", "m-3"]  # one without a time is kept
        fresh.set_last_checkpoints_with_time([(str(tmp_path / "m-2"), 0.0)])
        fresh.save(session, str(tmp_path / "m"), global_step=4)
        assert prefixes(tmp_path) == ["m-3", "m-4"]
    with pytest.raises(AssertionError):
        fresh.set_last_checkpoints("m")


def test_relative_paths_survive_a_move(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver(save_relative_paths=True)
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    with session_with_values() as session:
        saver.save(session, str(first / "m"), global_step=1)
    os.rename(first, second)
    assert 'model_checkpoint_path: "m-1"' in (second / "checkpoint").read_text()
    assert tf.train.latest_checkpoint(second) == str(second / "m-1")


def test_relative_directory_is_left_out_of_the_state_file(graph, tmp_path, monkeypatch):
    two_variables()
    monkeypatch.chdir(tmp_path)
    os.mkdir("sub")
    with session_with_values() as session:
        assert tf.train.Saver().save(session, "sub/m") == "sub/m"
    assert 'model_checkpoint_path: "m"' in Path("sub/checkpoint").read_text()
    assert tf.train.latest_checkpoint("sub") == "sub/m"


def test_old_format_is_deleted_too(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver(write_version=tf.train.SaverDef.V1, max_to_keep=1)
    with session_with_values() as session:
        for step in (1, 2):
            saver.save(session, str(tmp_path / "m"), global_step=step)
    assert {p.name for p in tmp_path.iterdir()} == {"checkpoint", "m-2", "m-2.meta"}


# Protos


def test_to_proto_with_scope(graph):
    two_variables()
    saver = tf.train.Saver(name="outer/inner")
    assert saver.to_proto() is saver.as_saver_def()
    assert saver.to_proto("outer").restore_op_name == "inner/restore_all"
    assert saver.to_proto("elsewhere") is None
    again = tf.train.Saver.from_proto(saver.to_proto("outer"), import_scope="outer")
    assert again.as_saver_def().filename_tensor_name == "outer/inner/Const:0"


def test_file_urls_are_paths(graph, tmp_path):
    two_variables()
    saver = tf.train.Saver()
    with session_with_values() as session:
        path = saver.save(session, f"file://{tmp_path}/m")
        assert path == str(tmp_path / "m")
        saver.restore(session, f"file://{path}")


def test_object_that_gathers_its_saveables(graph, tmp_path):
    """An object that owns variables is saved by what it gathers: its main value under its name, others beside it."""
    value, extra = two_variables()

    class Owner:
        name = "owner"

        def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
            return {"VARIABLE_VALUE": value, "extra": lambda name=None: extra}

    tf.train.Saver({"mine": Owner()})
    saver = tf.train.Saver([Owner()])
    with session_with_values() as session:
        path = saver.save(session, str(tmp_path / "m"))
        saver.restore(session, path)
    assert [name for name, _ in tf.train.list_variables(path)] == ["a", "b"]


def test_import_of_a_graph_without_saver_looks_in_its_scope_only(graph, tmp_path):
    with tf.Graph().as_default():
        tf.constant(1.0, name="x")
        meta = tf.train.export_meta_graph()
    two_variables()
    assert tf.train.import_meta_graph(meta, import_scope="elsewhere") is None
    tf.get_variable("scope/v", initializer=np.float32(1), use_resource=False)
    assert isinstance(tf.train.import_meta_graph(meta, import_scope="scope"), tf.train.Saver)


def test_errors_of_meta_files_are_oserrors(graph, tmp_path):
    (tmp_path / "m.meta").write_text("nonsense")
    with pytest.raises(OSError, match=f"Cannot parse file {tmp_path}/m.meta: expected a MetaGraphDef, got a text file"):
        tf.train.import_meta_graph(str(tmp_path / "m.meta"))
    with pytest.raises(OSError, match=f"File {tmp_path}/none.meta does not exist"):
        tf.train.import_meta_graph(str(tmp_path / "none.meta"))


def test_what_is_no_variable_is_told(graph):
    with pytest.raises(TypeError, match="Variable to save is not a Variable: 3"):
        tf.train.Saver([3])


def test_paths_may_be_bytes(graph, tmp_path):
    a, _ = two_variables()
    saver = tf.train.Saver()
    with session_with_values() as session:
        path = saver.save(session, os.fsencode(tmp_path / "m"), global_step=3)
        assert path == str(tmp_path / "m-3")
        session.run(a.assign([7.0, 7.0]))
        saver.restore(session, os.fsencode(path))
        np.testing.assert_array_equal(session.run(a), [1, 2])
