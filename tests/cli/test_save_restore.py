"""`icefloe save` and `icefloe restore`."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import icefloe as tf


def test_save_initial_values(cli, savers, tmp_path):
    result = cli("save", savers / "mixed" / "model.ckpt-3.meta", tmp_path / "m", "--step", 3)
    assert result.code == 0
    assert result.out.splitlines()[1].split() == ["b", "int64", "[]", "initial"]
    assert result.err == f"{tmp_path}/m-3: 4 tensors, 40 B\n"
    for suffix in ("index", "data-00000-of-00001"):
        assert (tmp_path / f"m-3.{suffix}").read_bytes() == (savers / "mixed" / f"model.ckpt-3.{suffix}").read_bytes()
    assert {p.name for p in tmp_path.iterdir()} == {"checkpoint", "m-3.index", "m-3.data-00000-of-00001", "m-3.meta"}


def test_save_parts_without_meta_and_state(cli, savers, tmp_path):
    meta = savers / "partitioned" / "model.ckpt-3.meta"
    assert cli("save", meta, tmp_path / "m", "--no-meta", "--no-state").code == 0
    assert {p.name for p in tmp_path.iterdir()} == {"m.index", "m.data-00000-of-00001"}
    for suffix in ("index", "data-00000-of-00001"):
        golden = savers / "partitioned" / f"model.ckpt-3.{suffix}"
        assert (tmp_path / f"m.{suffix}").read_bytes() == golden.read_bytes()


@pytest.mark.parametrize("name", ["values.npz", "values.h5"])
def test_save_given_values(cli, savers, tmp_path, name):
    from icefloe_cli.arrays import write_arrays

    write_arrays(str(tmp_path / name), {"b": np.float32([7, 8, 9])})
    meta = savers / "plain" / "model.ckpt-3.meta"
    data = cli("save", meta, tmp_path / "m", "--values", tmp_path / name, "--json").json()
    assert {t["name"]: t["source"] for t in data["tensors"]} == {"b": "given", "step": "initial", "w": "initial"}
    np.testing.assert_array_equal(tf.open_checkpoint(tmp_path / "m")["b"], [7, 8, 9])


@pytest.mark.parametrize("name", ["w.npz", "w.h5"])
def test_what_was_converted_is_saved_as_it_was(cli, tmp_path, name):
    """The side entry is no tensor: it says what the tensors were."""
    values = {"scope/w": np.ones((2, 3), ml_dtypes.bfloat16), "s": np.array([b"a"], object), "n": np.int64(3)}
    tf.save_checkpoint(tmp_path / "m", values)
    tf.ckpt.convert(tmp_path / "m", tmp_path / name)
    result = cli("save", tmp_path / name, tmp_path / "back", "--json")
    assert {t["name"]: t["dtype"] for t in result.json()["tensors"]} == {
        "n": "int64",
        "s": "string",
        "scope/w": "bfloat16",
    }
    for suffix in ("index", "data-00000-of-00001"):
        assert (tmp_path / f"back.{suffix}").read_bytes() == (tmp_path / f"m.{suffix}").read_bytes()


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"steps": np.int64(3)}, "no variable of these names: steps (did you mean step?)"),
        (
            {"b": np.zeros(4, np.float32)},
            "b; Assign requires shapes of both tensors to match. lhs shape= [3] rhs shape= [4]",
        ),
        ({"b": np.zeros(3, np.float64)}, "b; expected dtype float32 does not equal original dtype float64"),
    ],
)
def test_values_that_do_not_fit(cli, savers, tmp_path, values, part):
    np.savez(tmp_path / "v.npz", **values)
    result = cli("save", savers / "plain" / "model.ckpt-3.meta", tmp_path / "m", "--values", tmp_path / "v.npz")
    assert result.code == 1
    assert part in result.err
    assert {p.name for p in tmp_path.iterdir()} == {"v.npz"}


def test_save_arrays_alone(cli, tmp_path):
    np.savez(tmp_path / "v.npz", **{"a/b": np.float32([1, 2]), "n": np.int64(3)})
    assert cli("save", tmp_path / "v.npz", tmp_path / "m").code == 0
    with tf.open_checkpoint(tmp_path / "m") as reader:
        assert {k: v.tolist() for k, v in reader.items()} == {"a/b": [1, 2], "n": 3}
    assert cli("save", tmp_path / "v.npz", tmp_path / "m", "--values", tmp_path / "v.npz").code == 2


def test_save_without_variables_or_directory(cli, savers, tmp_path):
    with tf.Graph().as_default() as graph:
        tf.constant(1)
    path = tf.save_graph(graph, tmp_path / "g.pb")
    assert "the graph has no variables" in cli("save", path, tmp_path / "m").err
    (tmp_path / "file").write_text("")
    result = cli("save", savers / "plain" / "model.ckpt-3.meta", tmp_path / "file" / "m")
    assert (result.code, "can't save" in result.err) == (1, True)


def test_a_graph_that_writes_files_is_refused(cli, tmp_path):
    """Initialisers are part of the graph: they may not touch files, though `save` writes where the user says."""
    with tf.Graph().as_default() as graph:
        write = tf.raw_ops.SaveV2(
            prefix=str(tmp_path / "evil"), tensor_names=["x"], shape_and_slices=[""], tensors=[1.0]
        )
        with tf.control_dependencies([write]):
            start = tf.identity(1.0)
        tf.get_variable("v", initializer=start, use_resource=False)
    path = tf.save_graph(graph, tmp_path / "g.pb")
    result = cli("save", path, tmp_path / "m")
    assert result.code == 1
    assert "may not write files" in result.err
    assert {p.name for p in tmp_path.iterdir()} == {"g.pb"}


def test_restore_reports_and_fetches(cli, savers):
    result = cli(
        "restore", savers / "plain" / "model.ckpt-3.meta", savers / "plain", "--fetch", "y", "--feed", "x=[[1, 1]]"
    )
    assert result.code == 0
    assert result.out == (
        "tensor  dtype    shape  status\nb       float32  [3]    fits\nstep    int64    []     fits\n"
        "w       float32  [2,3]  fits\n3 tensors wanted: all match\n"
        "y:0  float32 [1,3]\n[[5.5, 6.5, 9. ]]\n"
    )


def test_restore_of_parts_and_shards(cli, savers):
    result = cli("restore", savers / "partitioned" / "model.ckpt-3.meta", savers / "partitioned")
    assert "rows     float32  [7,2]  fits (slice 3,2:0,2)" in result.out
    for name in ("sharded", "old_format", "old_format_sharded", "name_map", "several"):
        assert cli("restore", savers / name / "model.ckpt-3.meta", savers / name / "model.ckpt-3").code == 0


def test_restore_that_does_not_fit(cli, savers):
    result = cli("restore", savers / "plain" / "model.ckpt-3.meta", savers / "mixed")
    assert result.code == 1
    assert "step" in result.out
    assert "stored as int64" in result.out
    assert result.out.endswith("3 tensors wanted: 2 missing from the checkpoint, 1 of another dtype\n")
    assert result.err == "Not restored: the checkpoint does not fit the graph. --non-strict restores what fits.\n"
    data = cli("restore", savers / "plain" / "model.ckpt-3.meta", savers / "mixed", "--json")
    assert data.code == 1
    assert [m["name"] for m in data.json()["missing"]] == ["step", "w"]
    assert data.json()["dtype_mismatch"][0]["stored_dtype"] == "int64"


@pytest.mark.parametrize("name", ["w.npz", "w.h5"])
def test_export(cli, savers, tmp_path, name):
    from icefloe_cli.arrays import read_arrays

    result = cli("restore", savers / "mixed" / "model.ckpt-3.meta", savers / "mixed", "--export", tmp_path / name)
    assert result.code == 0
    found = dict(read_arrays(str(tmp_path / name)))
    with tf.open_checkpoint(savers / "mixed") as reader:
        assert set(found) == set(reader)
        for key, value in found.items():
            np.testing.assert_array_equal(value, reader[key])
            assert value.dtype == reader[key].dtype


@pytest.mark.parametrize("name", ["w.npz", "w.h5"])
def test_export_and_save_give_the_checkpoint_back(cli, tmp_path, name):
    """Dtypes that the array formats do not know survive the round trip bit by bit."""
    values = {
        "a/bf16": np.array([1.5, -2], ml_dtypes.bfloat16),
        "f8": np.array([1.5, -2], ml_dtypes.float8_e5m2),
        "i4": np.array([-8, 7], ml_dtypes.int4),
        "q": np.array([(1,), (-2,)], [("qint8", "i1")]),
        "c": np.complex64([1 + 2j]),
        "flag": np.array(True),
        "text": np.array([b"a", b""], object),
        "none": np.zeros((0, 3), np.float16),
    }
    tf.save_checkpoint(tmp_path / "first", values)
    from icefloe_cli.arrays import write_arrays

    with tf.open_checkpoint(tmp_path / "first") as reader:
        write_arrays(str(tmp_path / name), reader)
    assert cli("save", tmp_path / name, tmp_path / "second").code == 0
    with tf.open_checkpoint(tmp_path / "second") as reader:
        assert set(reader) == set(values)
        for key, value in values.items():
            assert reader.entries[key].dtype == tf.open_checkpoint(tmp_path / "first").entries[key].dtype
            np.testing.assert_array_equal(reader[key], value)


def test_strings_that_a_format_cannot_hold_are_refused(cli, tmp_path):
    from icefloe_cli.arrays import write_arrays

    with pytest.raises(ValueError, match="zero byte"):
        write_arrays(str(tmp_path / "x.npz"), {"s": np.array([b"a\0"], object)})
    with pytest.raises(ValueError, match="zero byte"):
        write_arrays(str(tmp_path / "x.h5"), {"s": np.array([b"a\0b"], object)})
    assert list(tmp_path.iterdir()) == []


def test_a_variable_below_another_in_h5(cli, tmp_path):
    """HDF5 holds no dataset inside another, as a slot's name is inside its variable's; and it has `a//b` be `a/b`."""
    values = {"w/Momentum": 1.0, "w": 2.0, "w:0": 3.0, "a//b": 4.0, "a/b": 5.0, "/r": 6.0, ".": 7.0}
    tf.save_checkpoint(tmp_path / "m", values)
    from icefloe_cli.arrays import read_arrays, write_arrays

    with tf.open_checkpoint(tmp_path / "m") as reader:
        write_arrays(str(tmp_path / "x.h5"), reader)
    assert {name: value.item() for name, value in read_arrays(str(tmp_path / "x.h5"))} == values
    assert cli("save", tmp_path / "x.h5", tmp_path / "again").code == 0
    for suffix in ("index", "data-00000-of-00001"):
        assert len((tmp_path / f"again.{suffix}").read_bytes()) == len((tmp_path / f"m.{suffix}").read_bytes())
    assert dict(tf.open_checkpoint(tmp_path / "again")) == dict(tf.open_checkpoint(tmp_path / "m"))


def test_export_to_a_directory_that_is_not_there(cli, savers, tmp_path):
    meta = savers / "plain" / "model.ckpt-3.meta"
    result = cli("restore", meta, savers / "plain", "--export", tmp_path / "gone" / "w.npz")
    assert result.code == 2
    assert f"w.npz: there is no directory {tmp_path}/gone" in result.err


@pytest.mark.parametrize("command", ["restore", "save"])
def test_the_prefix_of_a_checkpoint_stands_for_its_meta(cli, savers, tmp_path, command):
    prefix = savers / "plain" / "model.ckpt-3"
    assert cli(command, prefix, prefix if command == "restore" else tmp_path / "m").code == 0
    result = cli(command, tmp_path / "gone", tmp_path / "m")
    assert (result.code, result.err) == (1, f"icefloe: {tmp_path}/gone: no such file\n")
