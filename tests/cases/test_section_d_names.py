"""Names of a graph and of a checkpoint that was saved by objects, whole scopes, and odd options of a restore (30, 34, 35)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.checkpoint.object_graph import ObjectTensor
from icefloe.saver.restoring import _name_of

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
F = np.float32


def variables(**shapes):
    return {
        name: tf.get_variable(name.replace("__", "/"), shape, initializer=tf.zeros_initializer())
        for name, shape in shapes.items()
    }


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize("scope", ["", "net/"])
@pytest.mark.parametrize("name", ["legacy_objects-1", "tf1_objects-1"])
def test_35_slots_of_a_checkpoint_saved_by_objects(name, scope, cli, tmp_path):
    """TensorFlow wrote it, from Keras's optimizer and from its own: `w/Adam` of a graph is found as the slot m of w."""
    for variable, shape in (("w", (2, 3)), ("b", (3,))):
        for slot in ("", "/Adam", "/Adam_1"):
            tf.get_variable(f"{scope}{variable}{slot}", shape, initializer=tf.zeros_initializer())
    source = FIXTURES / "editing" / name
    saver = tf.train.Saver()
    with tf.open_checkpoint(source) as reader, tf.Session() as session:
        report = saver.match(source)
        if scope or name == "legacy_objects-1":
            with pytest.raises(errors.NotFoundError) as caught:
                saver.restore(session, source)
            assert "did you mean model/w/.OPTIMIZER_SLOT/optimizer/v?" in str(caught.value)
            assert "_CHECKPOINTABLE_OBJECT_GRAPH" not in str(caught.value)
            assert "VARIABLE_VALUE" not in str(caught.value)
        saver.restore(session, source, rename=report.renames)
        for slot, key in (
            ("", ""),
            ("/Adam", "/.OPTIMIZER_SLOT/optimizer/m"),
            ("/Adam_1", "/.OPTIMIZER_SLOT/optimizer/v"),
        ):
            found = session.run(f"{scope}w{slot}:0")
            np.testing.assert_array_equal(found, reader[f"model/w{key}"])
    path = tmp_path / "g.meta"
    tf.train.export_meta_graph(path, saver_def=saver.as_saver_def())
    data = cli("graph", "match", path, source, "--json").json()
    assert data["renames"] == report.renames


def test_35_what_keras_calls_slots_since_2_11():
    def shown(full_name):
        return _name_of(ObjectTensor("k", "optimizer/_variables/1", "VARIABLE_VALUE", full_name, 3))

    assert shown("Adam/m/dense/kernel") == "dense/kernel/m"
    assert shown("SGD/velocity/dense/kernel") == "dense/kernel/velocity"
    assert shown("dense/kernel") == "dense/kernel"
    assert _name_of(None) == ""


def test_35_a_damaged_object_graph_keeps_nobody_from_restoring(tmp_path):
    """What fits by keys is restored; names that need the graph are not found."""
    key = "x/.ATTRIBUTES/VARIABLE_VALUE"
    tf.save_checkpoint(tmp_path / "m", {"_CHECKPOINTABLE_OBJECT_GRAPH": np.array(b"\xff\xff", object), key: F(5)})
    x = tf.get_variable("x", [])
    with tf.Session() as session:
        tf.train.Saver({key: x}).restore(session, tmp_path / "m")
        assert session.run(x) == 5
        with pytest.raises(errors.NotFoundError, match=f"did you mean {key}"):
            tf.train.Saver().restore(session, tmp_path / "m")


def test_30_thousands_of_names_in_another_scope(tmp_path, cli):
    """One scope and one kind of name differ: two substitutions say so, and the message stays a page."""
    count = 100
    tensors = {f"old/layer_{i}/{n}": np.full(i % 5 + 1, i, F) for i in range(count) for n in ("kernel", "bias")}
    tf.save_checkpoint(tmp_path / "m", tensors)
    for i in range(count):
        for n in ("weights", "bias"):
            tf.get_variable(f"new/layer_{i}/{n}", i % 5 + 1, initializer=tf.zeros_initializer())
    saver = tf.train.Saver()
    with tf.Session() as session:
        with pytest.raises(errors.NotFoundError) as caught:
            saver.restore(session, tmp_path / "m")
        assert len(str(caught.value)) < 4000
        rules = [r"s/^old\//new\//", r"s/\/kernel$/\/weights/"]
        saver.restore(session, tmp_path / "m", rename=rules)
        assert session.run("new/layer_97/weights:0").tolist() == [97] * 3
    tf.train.export_meta_graph(tmp_path / "g.meta", saver_def=saver.as_saver_def())
    result = cli("graph", "match", tmp_path / "g.meta", tmp_path / "m")
    assert [line.strip() for line in result.out.splitlines()[-2:]] == rules


@pytest.mark.parametrize(
    ("stored", "wanted", "value", "how"),
    [
        (np.int64(1 << 40), np.float16(0), np.inf, "1 became infinite"),
        (np.int64(1 << 40), F(0), float(1 << 40), ""),
        (np.float64(1e300), np.complex64(0), complex(np.inf, 0), "1 became infinite"),
        (np.complex128(1e300), np.complex64(0), complex(np.inf, 0), "1 became infinite"),
        (np.float64(np.inf), F(0), np.inf, ""),
    ],
)
def test_34_what_a_cast_does_to_large_numbers(tmp_path, stored, wanted, value, how):
    tf.save_checkpoint(tmp_path / "m", {"x": stored})
    x = tf.get_variable("x", initializer=wanted)
    with tf.Session() as session:
        report = tf.train.Saver().restore(session, tmp_path / "m", cast=True)
        assert session.run(x) == value
    assert report.restored[0].how == (f"cast from {stored.dtype}{', ' if how else ''}{how}",)


def test_odd_options(tmp_path):
    tf.save_checkpoint(tmp_path / "m", {"a": np.float64(1), "b": np.float64(2), "c": np.float64(3)})
    found = variables(a=[], b=[], d=[])
    saver = tf.train.Saver()

    def restored(**options):
        with tf.Session() as session:
            report = saver.restore(session, tmp_path / "m", strict=False, cast=options.pop("cast", True), **options)
        return [r.wanted.key for r in report.restored]

    assert restored(include=b"a") == ["a"]
    assert restored(include=[b"a", found["b"]]) == ["a", "b"]
    assert restored(exclude=b"a", cast=np.True_) == ["b"]
    assert restored(cast=[b"a"]) == ["a"]
    assert restored(rename=b"s/c/d/") == ["a", "b", "d"]
    assert restored(rename=[(re.compile("C", re.IGNORECASE), "d")]) == ["a", "b", "d"]
    assert restored(rename=[]) == restored(rename=()) == restored(rename={}) == ["a", "b"]
    for rename in (1, object(), [None], [("c",)], [("c", "d", "e")], [1], np.True_):
        with pytest.raises(TypeError, match="rename: expected rules such as s/old/new/"):
            restored(rename=rename)


@pytest.mark.parametrize("resource", [False, True])
def test_38_hundreds_of_uninitialized_variables(tmp_path, resource):
    """The first are named, and how many more; also where they are to be saved in a directory that is not there yet."""
    found = [tf.get_variable(f"v{i:03}", initializer=F(i), use_resource=resource) for i in range(300)]
    total = tf.add_n([v * 2 for v in found])
    saver = tf.train.Saver()
    with tf.Session() as session:
        for task in (lambda: session.run(total), lambda: saver.save(session, tmp_path / "none" / "m")):
            with pytest.raises(errors.FailedPreconditionError) as caught:
                task()
            assert re.search(r"this run uses: v000, v001, .*, v019 and 280 more\.", str(caught.value))
            assert len(str(caught.value)) < 2000
    assert not (tmp_path / "none" / "m.index").exists()


def test_34_another_dtype_and_another_shape_at_once(tmp_path):
    """One error says both, so that nobody mends one to meet the other."""
    tf.save_checkpoint(tmp_path / "m", {"head": np.zeros(1001, np.float64)})
    variables(head=[5])
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError) as caught:
        tf.train.Saver().restore(session, tmp_path / "m")
    assert (
        "tensor_name = head; expected dtype float32 does not equal original dtype float64; and Assign requires shapes of "
        "both tensors to match. lhs shape= [5] rhs shape= [1001]"
    ) in str(caught.value)
