"""Restoring: all that does not fit in one error, the session untouched; any spelling of the path; whatever the format."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors

SAVERS = Path(__file__).resolve().parents[3] / "fixtures" / "savers"
PLAIN = SAVERS / "plain" / "model.ckpt-3"


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def variable(name: str, value: Any, resource: bool = False) -> Any:
    return tf.get_variable(name, initializer=value, use_resource=resource)


def initialized() -> Any:
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def test_needs_no_initialisation_in_another_graph(graph):
    b = variable("b", np.zeros(3, np.float32))
    with tf.Session() as session:
        tf.train.Saver().restore(session, str(PLAIN))
        np.testing.assert_array_equal(session.run(b), np.float32([0.5, -0.5, 0]))


@pytest.mark.parametrize("resource", [False, True])
def test_everything_that_is_wrong_in_one_error(graph, resource):
    old = {
        "w": variable("w", np.zeros((2, 4), np.float32), resource),
        "step": variable("step", np.int32(1), resource),
        "dense/b": variable("dense/b", np.zeros(3, np.float32), resource),
        "nowhere": variable("nowhere", np.float32(9), resource),
        "b": variable("b", np.ones(3, np.float32), resource),
    }
    saver = tf.train.Saver()
    with initialized() as session:
        before = session.run(list(old.values()))
        with pytest.raises(errors.NotFoundError) as caught:
            saver.restore(session, str(PLAIN))
        for value, was in zip(session.run(list(old.values())), before, strict=True):
            np.testing.assert_array_equal(value, was)
    assert str(caught.value) == (
        f"{PLAIN}: Restoring from checkpoint failed: 5 tensors wanted: 2 missing from the checkpoint, "
        "1 of another shape, 1 of another dtype. This is most likely due to a Variable name or other graph key that is "
        "missing from the checkpoint.\n"
        "  Key dense/b not found in checkpoint (wanted as float32 [3]); did you mean b?\n"
        "  Key nowhere not found in checkpoint (wanted as float32 [])\n"
        "  tensor_name = w; Assign requires shapes of both tensors to match. lhs shape= [2,4] rhs shape= [2,3]\n"
        "  tensor_name = step; expected dtype int32 does not equal original dtype int64\n"
        "strict=False restores what fits; cast=True converts dtypes; on_shape=... slices or pads."
    )
    report = caught.value.report
    assert [m.wanted.variable for m in report.shape_mismatch] == ["w"]


def test_suggestions_name_what_may_be_meant(graph):
    variable("net/w", np.zeros((2, 3), np.float32))
    with tf.Session() as session, pytest.raises(errors.NotFoundError, match=r"did you mean w\?"):
        tf.train.Saver().restore(session, str(PLAIN))


def test_mismatch_alone_is_invalid_argument(graph):
    variable("w", np.zeros((3, 2), np.float32), True)
    with (
        tf.Session() as session,
        pytest.raises(
            errors.InvalidArgumentError,
            match=r"w; Assign requires shapes of both tensors to match\. lhs shape= \[3,2\] rhs shape= \[2,3\]",
        ),
    ):
        tf.train.Saver().restore(session, str(PLAIN))


def test_match_tells_without_restoring(graph):
    b = variable("b", np.zeros(3, np.float32))
    saver = tf.train.Saver()
    report = saver.match(PLAIN)
    assert report.fits
    assert report.unexpected == ("step", "w")
    with tf.Session() as session, pytest.raises(errors.FailedPreconditionError):
        session.run(b)


def test_slices_that_do_not_fit(graph):
    tf.get_variable(
        "rows",
        shape=[8, 2],
        partitioner=tf.fixed_size_partitioner(2),
        initializer=tf.zeros_initializer(),
        use_resource=False,
    )
    with (
        tf.Session() as session,
        pytest.raises(errors.InvalidArgumentError, match=r"rows; .* spec \[8,2\] does not match .*: \[7,2\]"),
    ):
        tf.train.Saver().restore(session, SAVERS / "partitioned" / "model.ckpt-3")


def test_other_parts_than_were_saved(graph):
    """A variable saved in three parts restores whole, and one saved whole restores in parts."""
    variable("rows", np.zeros((7, 2), np.float32))
    parts = tf.get_variable(
        "w",
        shape=[2, 3],
        partitioner=tf.fixed_size_partitioner(3, axis=1),
        initializer=tf.zeros_initializer(),
        use_resource=True,
    )
    with tf.Session() as session:
        tf.train.Saver({"rows": graph.get_collection("variables")[0]}).restore(
            session, SAVERS / "partitioned" / "model.ckpt-3"
        )
        tf.train.Saver(list(parts)).restore(session, PLAIN)
        np.testing.assert_array_equal(session.run(graph.get_tensor_by_name("rows:0")), np.full((7, 2), 1.5))
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(parts)), [[1, 2, 3], [4, 5, 6]])


def test_reshape(graph):
    w = variable("w", np.zeros((3, 2), np.float32))
    b = variable("b", np.zeros((1, 3, 1), np.float32), True)
    with tf.Session() as session:
        tf.train.Saver(reshape=True).restore(session, PLAIN)
        np.testing.assert_array_equal(session.run(w), [[1, 2], [3, 4], [5, 6]])
        assert session.run(b).shape == (1, 3, 1)
    variable("step", np.zeros(2, np.int64))
    with (
        tf.Session() as session,
        pytest.raises(errors.InvalidArgumentError, match=r"step; a tensor of shape \[\] cannot be reshaped to \[2\]"),
    ):
        tf.train.Saver(reshape=True).restore(session, PLAIN)


def test_variable_of_unknown_shape_takes_any(graph):
    w = tf.Variable(tf.placeholder(tf.float32), name="w", validate_shape=False, use_resource=False)
    with tf.Session() as session:
        tf.train.Saver().restore(session, PLAIN)
        assert session.run(w).shape == (2, 3)


# The path


@pytest.mark.parametrize("spelling", ["", ".index", ".meta", ".data-00000-of-00001", "/..", "/../checkpoint"])
def test_any_spelling(graph, spelling):
    b = variable("b", np.zeros(3, np.float32))
    path = (PLAIN.parent / spelling[4:]) if spelling.startswith("/..") else f"{PLAIN}{spelling}"
    with tf.Session() as session:
        tf.train.Saver().restore(session, path)
        assert session.run(b)[0] == 0.5


def test_no_checkpoint(graph, tmp_path):
    variable("b", np.zeros(3, np.float32))
    saver = tf.train.Saver()
    with tf.Session() as session:
        with pytest.raises(ValueError, match=r"^Can't load save_path when it is None\.$"):
            saver.restore(session, None)
        with pytest.raises(ValueError, match=f"^The passed save_path is not a valid checkpoint: {tmp_path}/m"):
            saver.restore(session, tmp_path / "m")
        (tmp_path / "page").write_text("<html></html>")
        with pytest.raises(ValueError, match="not a checkpoint: this is an HTML page"):
            saver.restore(session, tmp_path / "page")


# Damage


def copied(name: str, directory: Path) -> Path:
    for path in (SAVERS / name).iterdir():
        shutil.copy(path, directory)
    return directory / "model.ckpt-3"


def test_damage_leaves_the_session_as_it_was(graph, tmp_path):
    prefix = copied("plain", tmp_path)
    data = tmp_path / "model.ckpt-3.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:-1] + b"\x55")
    b, w = variable("b", np.ones(3, np.float32)), variable("w", np.ones((2, 3), np.float32))
    with initialized() as session:
        with pytest.raises(errors.DataLossError):
            tf.train.Saver().restore(session, prefix)
        assert session.run(b).tolist() == [1, 1, 1]
        assert session.run(w).tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize("problem", ["missing", "damaged"])
def test_one_bad_shard_of_several_changes_nothing(graph, tmp_path, problem):
    """With one restore node per shard, the first shard's variables do not change when the last cannot be read."""
    prefix = copied("sharded", tmp_path)
    data = tmp_path / "model.ckpt-3.data-00002-of-00003"
    if problem == "missing":
        data.unlink()
    else:
        data.write_bytes(b"\x55" * 12)
    saver = tf.train.import_meta_graph(f"{prefix}.meta")
    with initialized() as session:
        session.run(tf.assign(graph.get_tensor_by_name("a:0"), [7, 7]))
        with pytest.raises(errors.OpError):
            saver.restore(session, prefix)
        assert session.run("a:0").tolist() == [7, 7]


# Formats


def test_object_based_checkpoint_by_the_names_of_its_variables(graph, caplog):
    kernel = variable("layer/kernel", np.zeros((2, 2), np.float32), True)
    step = variable("step", np.int64(0))
    with tf.Session() as session:
        report = tf.train.Saver().restore(session, SAVERS / "object_based" / "objects")
        assert session.run(kernel).tolist() == [[1, 2], [3, 4]]
        assert session.run(step) == 5
    assert {r.wanted.key: r.key for r in report.restored} == {
        "layer/kernel": "net/w/.ATTRIBUTES/VARIABLE_VALUE",
        "step": "count/.ATTRIBUTES/VARIABLE_VALUE",
    }
    assert "object-based" in caplog.text


def test_a_variable_of_an_object_based_checkpoint_that_does_not_fit_goes_by_its_name(graph):
    variable("layer/kernel", np.zeros((2, 5), np.float32))
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError) as caught:
        tf.train.Saver().restore(session, SAVERS / "object_based" / "objects")
    assert "tensor_name = layer/kernel; Assign requires shapes" in str(caught.value)
    assert ".ATTRIBUTES" not in str(caught.value)


def test_object_based_checkpoint_that_lacks_a_variable(graph):
    variable("layer/kernel", np.zeros((2, 2), np.float32))
    variable("layer/bias", np.zeros(2, np.float32))
    with tf.Session() as session, pytest.raises(errors.NotFoundError, match="Key layer/bias not found"):
        tf.train.Saver().restore(session, SAVERS / "object_based" / "objects")


# Sessions that may not touch files


@pytest.mark.parametrize("resource", [False, True])
def test_the_callers_path_is_not_the_graphs(graph, tmp_path, resource):
    """`files="none"` binds the graph's own ops; saving and restoring where the caller says works."""
    w = variable("w", np.float32([[1, 2, 3], [4, 5, 6]]), resource)
    tf.get_variable(
        "parts",
        shape=[4],
        partitioner=tf.fixed_size_partitioner(2),
        initializer=tf.ones_initializer(),
        use_resource=resource,
    )
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        free = saver.save(session, tmp_path / "free", write_state=False)
    with tf.Session(config=tf.Config(files="none")) as session:
        session.run(tf.global_variables_initializer())
        bound = saver.save(session, tmp_path / "bound", write_state=False)
        saver.restore(session, free)
        assert session.run(w).tolist() == [[1, 2, 3], [4, 5, 6]]
    for suffix in (".index", ".data-00000-of-00001"):
        assert Path(bound + suffix).read_bytes() == Path(free + suffix).read_bytes()


def test_old_format_is_not_written_where_files_are_refused(graph, tmp_path):
    variable("w", np.float32(1))
    saver = tf.train.Saver(write_version=tf.train.SaverDef.V1)
    with tf.Session(config=tf.Config(files="none")) as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(errors.PermissionDeniedError):
            saver.save(session, tmp_path / "m")


# Values that come from elsewhere


def test_assign(graph):
    w = variable("w", np.zeros((2, 2), np.float32), True)
    step = variable("step", np.int64(1))
    parts = tf.get_variable(
        "parts",
        shape=[4],
        partitioner=tf.fixed_size_partitioner(2),
        initializer=tf.zeros_initializer(),
        use_resource=False,
    )
    saver = tf.train.Saver()
    with initialized() as session:
        saver.assign(session, {"w": np.float32([[1, 2], [3, 4]]), "parts": np.float32([1, 2, 3, 4])})
        assert session.run(w).tolist() == [[1, 2], [3, 4]]
        assert session.run(step) == 1
        assert session.run(tf.convert_to_tensor(parts)).tolist() == [1, 2, 3, 4]
        with pytest.raises(errors.NotFoundError, match="no variable of these names: stap"):
            saver.assign(session, {"stap": np.int64(2), "w": np.zeros((2, 2), np.float32)})
        with pytest.raises(errors.InvalidArgumentError, match="w; Assign requires shapes"):
            saver.assign(session, {"step": np.int64(2), "w": np.zeros(4, np.float32)})
        assert session.run(step) == 1


@pytest.mark.parametrize("suffix", [".index", ".data-00000-of-00001"])
@pytest.mark.parametrize("harm", ["flip", "cut"])
def test_a_damaged_checkpoint_restores_or_says_so(graph, tmp_path, suffix, harm):
    """Whatever byte is wrong or missing: an icefloe error and the session as it was, or the right values."""
    prefix = copied("plain", tmp_path)
    path = Path(f"{prefix}{suffix}")
    whole = path.read_bytes()
    names = [("w", (2, 3), np.float32), ("b", (3,), np.float32), ("step", (), np.int64)]
    variables = [variable(name, np.ones(shape, dtype)) for name, shape, dtype in names]
    saver = tf.train.Saver()
    with initialized() as session:
        for i in range(0, len(whole), 5):
            flipped = whole[:i] + bytes([whole[i] ^ 0x10]) + whole[i + 1 :]
            path.write_bytes(flipped if harm == "flip" else whole[:i])
            try:
                saver.restore(session, prefix)
            except errors.OpError:
                assert all((value == 1).all() for value in session.run(variables))
            else:
                assert session.run(variables[0]).tolist() == [[1, 2, 3], [4, 5, 6]]
                session.run(tf.global_variables_initializer())
