"""Restoring and matching (cases 30 to 38): one error that lists all, or what fits and a report of the rest; by the
library and by the command.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors

SAVERS = Path(__file__).resolve().parents[2] / "fixtures" / "savers"
EMA = "/ExponentialMovingAverage"
F = np.float32


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def variables(resource: bool = False, **values: Any) -> dict[str, Any]:
    """Make variables, `__` in their names standing for `/`."""
    names = {name: name.replace("__", "/") for name in values}
    return {
        names[n]: tf.get_variable(names[n], initializer=np.asarray(v), use_resource=resource) for n, v in values.items()
    }


def store(path: Path, **values: Any) -> Path:
    tf.save_checkpoint(path, {name.replace("__", "/"): value for name, value in values.items()})
    return path


def meta(path: Path) -> Path:
    """Write the default graph with a Saver of its variables."""
    tf.train.export_meta_graph(path, saver_def=tf.train.Saver().as_saver_def())
    return path


def test_30_one_error_with_missing_unused_and_suggested(tmp_path, cli):
    store(tmp_path / "m", dense__kernel=np.ones((3, 2), F), dense__kernel__Adam=np.zeros((3, 2), F), step=np.int64(7))
    variables(dense__weights=np.zeros((3, 2), F), other=F(1))
    with tf.Session() as session, pytest.raises(errors.NotFoundError) as caught:
        tf.train.Saver().restore(session, tmp_path / "m")
    report = caught.value.report
    assert [w.key for w in report.missing] == ["dense/weights", "other"]
    assert report.unexpected == ("dense/kernel", "dense/kernel/Adam", "step")
    assert report.suggestions["dense/weights"][0] == "dense/kernel"
    assert report.renames == {"dense/kernel": "dense/weights"}
    for part in ("dense/weights", "other", "did you mean dense/kernel", "not wanted: dense/kernel", "strict=False"):
        assert part in str(caught.value)
    assert str(caught.value).count("\n") < 8
    path = meta(tmp_path / "g.meta")
    result = cli("restore", path, tmp_path / "m")
    assert result.code == 1
    assert re.search(r"dense/weights .* missing; did you mean dense/kernel\?", result.out)
    assert "step" in result.out
    data = cli("graph", "match", path, tmp_path / "m", "--json").json()
    assert data["renames"] == {"dense/kernel": "dense/weights"}
    assert cli("graph", "match", path, tmp_path / "m").code == 1


def test_30_what_is_suggested_restores(tmp_path, cli):
    store(
        tmp_path / "m", old__kernel=np.ones((3, 2), F), old__bias=np.full(2, 5, F), old__kernel__Adam=np.ones((3, 2), F)
    )
    found = variables(
        new__weights=np.zeros((3, 2), F), new__biases=np.zeros(2, F), new__weights__Adam=np.zeros((3, 2), F)
    )
    saver = tf.train.Saver()
    renames = saver.match(tmp_path / "m").renames
    assert renames == {
        "old/bias": "new/biases", "old/kernel": "new/weights", "old/kernel/Adam": "new/weights/Adam"
    }  # fmt: skip
    with tf.Session() as session:
        report = saver.restore(session, tmp_path / "m", rename=renames)
        assert session.run(found["new/biases"]).tolist() == [5, 5]
    assert {r.wanted.key: r.key for r in report.restored} == {new: old for old, new in renames.items()}
    result = cli(
        "restore", meta(tmp_path / "g.meta"), tmp_path / "m", "--rename", "s,^old,new,", "--rename", "s/kernel/weights/",
        "--rename", "s/bias/biases/", "--fetch", "new/biases",
    )  # fmt: skip
    assert (result.code, result.out.splitlines()[-1]) == (0, "[5., 5.]")


@pytest.mark.parametrize("resource", [False, True])
def test_32_another_head(tmp_path, cli, resource):
    store(tmp_path / "m", body=np.full(4, 2, F), logits__w=np.ones((4, 1001), F), logits__b=np.ones(1001, F))
    found = variables(
        resource, body=np.zeros(4, F), logits__w=np.full((4, 5), 7, F), logits__b=np.full(5, 7, F), step=np.int64(1)
    )
    saver = tf.train.Saver([v for name, v in found.items() if name != "step"])
    with tf.Session() as session:
        with pytest.raises(errors.InvalidArgumentError) as caught:
            saver.restore(session, tmp_path / "m")
        assert "logits/b" in str(caught.value)
        assert "lhs shape= [4,5] rhs shape= [4,1001]" in str(caught.value)
        report = saver.restore(session, tmp_path / "m", strict=False)
        assert [r.wanted.key for r in report.restored] == ["body"]
        assert report.skipped == {
            "logits/b": "stored with shape [1001]",
            "logits/w": "stored with shape [4, 1001]",
        }
        assert report.uninitialized == ("logits/w", "logits/b", "step")
        session.run([found[name].initializer for name in report.uninitialized])
        assert session.run(found["body"]).tolist() == [2] * 4
        assert session.run(found["logits/b"]).tolist() == [7] * 5
        session.run(found["logits/b"].assign(np.full(5, 9, F)))
        report = saver.restore(session, tmp_path / "m", on_shape="skip")
        assert report.uninitialized == ()
        assert session.run(found["logits/b"]).tolist() == [9] * 5  # it keeps the value that it has
    path = meta(tmp_path / "g.meta")
    result = cli("restore", path, tmp_path / "m", "--exclude", "logits/", "--exclude", "step", "--fetch", "body")
    assert result.code == 0
    assert "left to their initialisers: logits/w, logits/b, step" in result.err
    result = cli("restore", path, tmp_path / "m", "--non-strict", "--init-missing", "--save", tmp_path / "start")
    assert result.code == 0
    with tf.open_checkpoint(tmp_path / "start") as reader:
        assert {name: reader[name].ravel()[0] for name in reader} == {
            "body": 2, "logits/w": 7, "logits/b": 7, "step": 1
        }  # fmt: skip


@pytest.mark.parametrize("parts", [0, 3])
@pytest.mark.parametrize(
    ("rule", "sizes", "expected"),
    [
        ("slice", (3, 2), [[0, 1], [3, 4], [6, 7]]),
        ("pad", (5, 3), [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [0, 0, 0]]),
        ("fit", (5, 2), [[0, 1], [3, 4], [6, 7], [9, 10], [-1, -1]]),
    ],
)
def test_32_a_vocabulary_of_another_size(tmp_path, parts, rule, sizes, expected):
    store(tmp_path / "m", w=np.arange(12, dtype=F).reshape(4, 3))
    w = tf.get_variable(
        "w",
        sizes,
        initializer=tf.constant_initializer(-1),
        partitioner=tf.fixed_size_partitioner(parts) if parts else None,
    )
    saver = tf.train.Saver()
    with tf.Session() as session:
        report = saver.restore(session, tmp_path / "m", on_shape=rule)
        assert "from [4,3]" in report.restored[0].how[0]
        assert session.run(tf.convert_to_tensor(w)).tolist() == expected
        others = {"slice", "pad"} - {rule} if rule != "fit" else {"slice", "pad"}
        for other in others:
            with pytest.raises(errors.InvalidArgumentError, match=r"tensor_name = w"):
                saver.restore(session, tmp_path / "m", on_shape=other)
            assert set(saver.restore(session, tmp_path / "m", on_shape=other, strict=False).skipped) == {"w"}


def test_32_another_rank_never_fits(tmp_path):
    store(tmp_path / "m", w=np.arange(4, dtype=F))
    variables(w=np.zeros((2, 2), F))
    for rule in ("error", "slice", "pad", "fit"):
        with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match=r"\[2,2\] rhs shape= \[4\]"):
            tf.train.Saver().restore(session, tmp_path / "m", on_shape=rule)


@pytest.mark.parametrize("resource", [False, True])
def test_34_a_step_of_another_dtype(tmp_path, cli, resource):
    store(tmp_path / "m", global_step=np.int64(7), w=np.float64([1.5, 1e300]), flag=np.bool_(True))
    step = tf.get_variable("global_step", initializer=np.int32(0), use_resource=resource)
    saver = tf.train.Saver()
    with tf.Session() as session:
        with pytest.raises(
            errors.InvalidArgumentError, match="expected dtype int32 does not equal original dtype int64"
        ):
            saver.restore(session, tmp_path / "m")
        report = saver.restore(session, tmp_path / "m", cast=True)
        assert report.restored[0].how == ("cast from int64",)
        assert session.run(step) == 7
    w = tf.get_variable("w", initializer=np.zeros(2, F), use_resource=resource)
    flag = tf.get_variable("flag", initializer=F(0), use_resource=resource)
    saver = tf.train.Saver()
    with tf.Session() as session:
        report = saver.restore(session, tmp_path / "m", strict=False, cast="global_step")
        assert report.skipped == {"flag": "stored as bool", "w": "stored as float64"}
        report = saver.restore(session, tmp_path / "m", cast=True)
        assert {r.key: r.how for r in report.restored}["w"] == ("cast from float64, 1 became infinite",)
        assert session.run([w, flag])[0].tolist() == [1.5, np.inf]
    path = meta(tmp_path / "g.meta")
    assert "stored as int64" in cli("restore", path, tmp_path / "m").out
    result = cli("restore", path, tmp_path / "m", "--cast", "--fetch", "global_step")
    assert result.out.splitlines()[-2:] == [f"global_step{'/Read/ReadVariableOp' if resource else ''}:0  int32 []", "7"]
    assert "fits (cast from int64)" in result.out


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [(np.int64(1 << 40), np.int32(1)), (np.float32(np.nan), np.int32(1)), (np.int32(-1), np.uint8(1))],
)
def test_34_a_number_that_the_dtype_has_not(tmp_path, stored, wanted):
    store(tmp_path / "m", a=F(3), step=stored)
    found = variables(a=F(0), step=wanted)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(errors.InvalidArgumentError, match=rf"tensor_name = step; {stored} is no {wanted.dtype}"):
            tf.train.Saver().restore(session, tmp_path / "m", cast=True)
        assert session.run(list(found.values())) == [0, 1]


def test_34_text_is_no_number(tmp_path):
    store(tmp_path / "m", a=np.array(b"3", object))
    variables(a=F(0))
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match="original dtype string"):
        tf.train.Saver().restore(session, tmp_path / "m", cast=True)


def test_35_names_from_objects(tmp_path, cli):
    """TensorFlow's `tf.train.Checkpoint` wrote it; the graph restores by names, and no message has an internal key."""
    source = SAVERS / "object_based" / "objects"
    kernel = tf.get_variable("layer/kernel", [2, 2], use_resource=True)
    saver = tf.train.Saver()
    with tf.Session() as session:
        saver.restore(session, source)
        assert session.run(kernel).tolist() == [[1, 2], [3, 4]]
        report = saver.restore(session, source, rename={"net/w": "layer/kernel"})
        assert report.restored[0].key == "net/w/.ATTRIBUTES/VARIABLE_VALUE"
    result = cli("restore", meta(tmp_path / "g.meta"), source, "--fetch", "layer/kernel")
    assert (result.code, "[3. 4.]" in result.out.replace(",", "")) == (0, True)
    tf.get_variable("layer/bias", [2])
    with tf.Session() as session, pytest.raises(errors.NotFoundError, match="Key layer/bias not found") as caught:
        tf.train.Saver().restore(session, source)
    assert "_CHECKPOINTABLE_OBJECT_GRAPH" not in str(caught.value)


def test_35_objects_from_names(tmp_path, cli):
    """A program that saves by objects restores what was saved by names, and so does its graph."""
    store(tmp_path / "m", x=F(5), layer__kernel=np.ones((2, 2), F))
    x = tf.get_variable("x", initializer=F(0), use_resource=True)
    with tf.Session() as session:
        tf.train.Checkpoint(anything=x).restore(str(tmp_path / "m")).run_restore_ops(session)
        assert session.run(x) == 5
    saver = tf.train.Saver({"x/.ATTRIBUTES/VARIABLE_VALUE": x})
    with tf.Session() as session:
        saver.restore(session, tmp_path / "m")
        assert session.run(x) == 5
        with pytest.raises(errors.NotFoundError) as caught:
            tf.train.Saver({"y/.ATTRIBUTES/VARIABLE_VALUE": x}).restore(session, tmp_path / "m")
    assert "_CHECKPOINTABLE_OBJECT_GRAPH" not in str(caught.value)
    path = tmp_path / "g.meta"
    tf.train.export_meta_graph(path, saver_def=saver.as_saver_def())
    assert cli("restore", path, tmp_path / "m", "--fetch", "x/Read/ReadVariableOp").out.endswith("float32 []\n5.\n")


def test_37_moving_averages_that_some_variables_have(tmp_path, cli):
    tf.save_checkpoint(tmp_path / "m", {"a": F(1), f"a{EMA}": F(2), "b": F(3), f"c{EMA}": F(4), "a/Adam": F(5)})
    found = variables(a=F(0), b=F(0), a__Adam=F(0))
    saver = tf.train.Saver()
    with tf.Session() as session:
        report = saver.restore(session, tmp_path / "m", ema="use")
        assert session.run(list(found.values())) == [2, 3, 5]
        assert report.fallbacks == ("b",)
        assert saver.restore(session, tmp_path / "m").fallbacks == ()
        assert session.run(found["a"]) == 1
    averaged = tf.train.Saver({f"a{EMA}": found["a"], f"b{EMA}": found["b"]})
    with tf.Session() as session:
        with pytest.raises(errors.NotFoundError, match=f"Key b{EMA} not found"):
            averaged.restore(session, tmp_path / "m")
        report = averaged.restore(session, tmp_path / "m", ema="fallback")
        assert session.run([found["a"], found["b"]]) == [2, 3]
        assert report.fallbacks == (f"b{EMA}",)
    c = tf.get_variable("c", initializer=F(0))
    with tf.Session() as session:
        report = tf.train.Saver().restore(session, tmp_path / "m", ema="fallback")
        assert session.run([found["a"], c]) == [1, 4]
        assert report.fallbacks == ("c",)
    data = cli("restore", meta(tmp_path / "g.meta"), tmp_path / "m", "--ema", "use", "--json").json()
    assert data["fallbacks"] == ["b"]
    assert {r["name"]: r["from"] for r in data["restored"]}["a"] == f"a{EMA}"


@pytest.mark.parametrize("resource", [False, True])
def test_38_all_uninitialized_variables_in_one_error(resource):
    found = variables(resource, a=F(1), b=F(2), c=F(3), d=F(4))
    total = tf.add_n([found["a"] * 2, found["b"] * 3, tf.identity(found["c"])])
    with tf.Session() as session:
        with pytest.raises(errors.FailedPreconditionError) as caught:
            session.run(total)
        for name in "abc":
            assert re.search(rf"\b{name}\b", caught.value.hint)
        assert not re.search(r"\bd\b", caught.value.hint)
        session.run(found["b"].initializer)
        with pytest.raises(errors.FailedPreconditionError, match="this run uses: a, c"):
            session.run(total)


def test_38_in_branches_and_loops():
    found = variables(a=F(1), b=F(2), c=F(3))
    either = tf.cond(tf.constant(True), lambda: found["a"] + found["b"], lambda: found["c"] + 1)
    with tf.Session() as session, pytest.raises(errors.FailedPreconditionError) as caught:
        session.run(either)
    assert "a, b" in str(caught.value)


# What the numbers leave out, of the same kind


def test_including_and_excluding(tmp_path):
    store(tmp_path / "m", enc__w=F(1), enc__b=F(2), dec__w=F(3), dec__w__Adam=F(4))
    found = variables(enc__w=F(0), enc__b=F(0), dec__w=F(0), dec__w__Adam=F(0))
    saver = tf.train.Saver()

    def restored(**options: Any) -> set[str]:
        with tf.Session() as session:
            return {r.wanted.key for r in saver.restore(session, tmp_path / "m", **options).restored}

    everything = set(found)
    assert restored(include="enc/") == restored(include="enc") == {"enc/w", "enc/b"}
    assert restored(include=["*/w"]) == {"enc/w", "dec/w"}
    assert restored(include=re.compile(r"^dec/w$")) == restored(include=r"re:^dec/w$") == {"dec/w"}
    assert restored(include=found["dec/w"]) == restored(include="dec/w") == restored(include=["dec/w:0"]) == {"dec/w"}
    assert restored(include=tf.get_collection("variables", "enc")) == {"enc/w", "enc/b"}
    assert restored(exclude=[found["enc/w"], "*Adam*"]) == {"enc/b", "dec/w"}
    assert restored(include="enc/", exclude="*/b") == {"enc/w"}
    assert restored(exclude="nothing/") == everything
    with pytest.raises(errors.NotFoundError, match="no tensor matches 'enk/w'"):
        restored(include="enk/w")
    with pytest.raises(TypeError, match="expected a name, a pattern or a variable, got int"):
        restored(include=[3])


def test_renaming_in_every_way(tmp_path):
    store(tmp_path / "m", old__w=F(1), old__b=F(2), w=F(9))
    found = variables(w=F(0), b=F(0))
    (tmp_path / "map.csv").write_text("old/w,w\nold/b,b\n")
    saver = tf.train.Saver()
    for rename in (
        {"old/w": "w", "old/b": "b"},
        {"old/w": found["w"], "old/b": found["b"]},
        {"w": "old/w", "b": "old/b", "old/w": "w"},
        "s,^old/,,",
        ["s/old/new/", "s,new/,,"],
        [("^old/", "")],
        lambda name: name.removeprefix("old/"),
        lambda name: name[4:] if name.startswith("old/") else None,
        tmp_path / "map.csv",
        [{"old/w": "w"}, "s,^old/,,"],
    ):
        with tf.Session() as session:
            saver.restore(session, tmp_path / "m", rename=rename)
            assert session.run(list(found.values())) == [1, 2], rename
    with tf.Session() as session:
        with pytest.raises(errors.InvalidArgumentError, match="2 tensors have the name b: old/b and old/w"):
            saver.restore(session, tmp_path / "m", rename="s,^old/.*,b,")
        with pytest.raises(errors.InvalidArgumentError, match="expected a rule such as s/old/new/"):
            saver.restore(session, tmp_path / "m", rename="old")


def test_nothing_at_all_is_told(tmp_path, caplog):
    store(tmp_path / "m", a=F(1))
    variables(other=F(0))
    with tf.Session() as session:
        report = tf.train.Saver().restore(session, tmp_path / "m", strict=False)
        assert report.uninitialized == ("other",)
        assert "Nothing was restored" in caplog.text
        tf.train.Saver().restore(session, tmp_path / "m", strict=False, rename="s/b/c/")
        assert "apply to nothing in the checkpoint or the graph: rename s/b/c/" in caplog.text


def test_in_a_monitored_session(tmp_path):
    store(tmp_path / "m", a=F(1))
    found = variables(a=F(0), b=F(5))
    local = tf.get_variable("c", initializer=F(0), collections=["elsewhere"])
    saver = tf.train.Saver(list(found.values()))
    with tf.train.MonitoredSession() as session:
        report = saver.restore(session, tmp_path / "m", strict=False)
        assert report.uninitialized == (local.op.name,)
        assert session.run(list(found.values())) == [1, 5]


@pytest.mark.parametrize("kind", ["npz", "h5", "safetensors", "v1"])
@pytest.mark.parametrize("parts", [0, 2])
def test_options_in_every_format(tmp_path, kind, parts):
    store(tmp_path / "m", dense__kernel=np.arange(12, dtype=F).reshape(4, 3), step=np.int64(4))
    tf.ckpt.convert(tmp_path / "m", tmp_path / f"x.{kind}", to=kind)
    kernel = tf.get_variable("kernel", [5, 2], partitioner=tf.fixed_size_partitioner(parts) if parts else None)
    step = tf.get_variable("step", initializer=np.int32(0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        last = session.run(tf.convert_to_tensor(kernel))[-1].tolist()
        options = {"rename": "s,^dense/,,", "on_shape": "fit", "cast": True}
        tf.train.Saver().restore(session, tmp_path / f"x.{kind}", **options)
        assert session.run(tf.convert_to_tensor(kernel)).tolist() == [[0, 1], [3, 4], [6, 7], [9, 10], last]
        assert session.run(step) == 4


def test_one_tensor_for_several_variables(tmp_path):
    store(tmp_path / "m", shared=F(3))
    found = variables(a=F(0), b=F(0))
    for rename in ({"shared": ["a", "b"]}, {"a": "shared", "b": "shared"}):
        with tf.Session() as session:
            tf.train.Saver().restore(session, tmp_path / "m", rename=rename)
            assert session.run(list(found.values())) == [3, 3]


def test_a_damaged_checkpoint_changes_nothing(tmp_path):
    store(tmp_path / "m", a=np.ones(4, F), b=np.ones(4, F))
    data = tmp_path / "m.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:-1] + b"\x01")
    found = variables(a=np.zeros(4, F), b=np.zeros(4, F), c=F(1))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(errors.DataLossError):
            tf.train.Saver().restore(session, tmp_path / "m", strict=False)
        assert session.run(found["a"]).tolist() == [0] * 4
        tf.train.Saver().restore(session, tmp_path / "m", strict=False, exclude="b")
        assert session.run(found["a"]).tolist() == [1] * 4


def test_a_table_of_which_one_half_is_stored(tmp_path):
    """Keys and values of a table are restored together or not at all."""
    table = tf.raw_ops.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="t")
    keys, values = tf.raw_ops.RestoreV2(
        prefix=tf.placeholder_with_default("model", [], name="save/Const"),
        tensor_names=["t-keys", "t-values"],
        shape_and_slices=["", ""],
        dtypes=[tf.string, tf.int64],
    )
    done = tf.raw_ops.LookupTableImportV2(table_handle=table, keys=keys, values=values)
    with tf.control_dependencies([done]):
        tf.no_op(name="save/restore_all")
    saver_def = tf.train.SaverDef(
        filename_tensor_name="save/Const:0",
        save_tensor_name="save/Const:0",
        restore_op_name="save/restore_all",
        version=2,
    )
    words = np.empty(2, object)
    words[:] = [b"x", b"y"]
    tf.save_checkpoint(tmp_path / "half", {"t-keys": words})
    tf.save_checkpoint(tmp_path / "whole", {"t-keys": words, "t-values": np.int64([1, 2])})
    size = tf.raw_ops.LookupTableSizeV2(table_handle=table)
    saver = tf.train.Saver(saver_def=saver_def)
    with tf.Session() as session:
        report = saver.restore(session, tmp_path / "half", strict=False)
        assert report.restored == ()
        assert report.skipped["t-keys"] == "t-values, which belongs to it, is not restored"
        assert session.run(size) == 0
        assert len(saver.restore(session, tmp_path / "whole", strict=False).restored) == 2
        assert session.run(size) == 2
