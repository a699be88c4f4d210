"""`icefloe saved-model`: the flags and texts of TensorFlow's saved_model_cli."""

from __future__ import annotations

import ast
import io
import logging
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.proto import Example

MODELS = Path(__file__).resolve().parents[2] / "fixtures" / "saved_models"
NAMES = ("simple", "resource", "tables", "signed", "sparse", "objects")


def lines_of(text: str) -> list[str]:
    """Return the lines without what differs from run to run in TensorFlow: the order of a graph's ops and that of a
    function's options, which it numbers by names that it draws when it loads. It ends containers by backspaces.
    """
    found = []
    for line in text.rstrip("\n").splitlines():
        start, mark, ops = line.partition("contains the following ops: ")
        found.append(f"{start}{mark}{sorted(ast.literal_eval(ops))}" if mark else line.replace(", \b\b", "").rstrip())
    functions = "\n".join(found).split("  Function Name: ")
    parts = [functions[0]]
    for function in functions[1:]:
        title, *options = re.split(r"    Option #\d+\n", function.rstrip())
        parts += [title.rstrip(), *sorted(option.rstrip() for option in options)]
    return parts


@pytest.mark.parametrize("name", NAMES)
def test_show_says_what_tensorflow_says(cli, name):
    tags = cli("saved-model", "show", "--dir", MODELS / name)
    everything = cli("saved-model", "show", "--dir", MODELS / name, "--all")
    assert (tags.code, everything.code) == (0, 0)
    assert lines_of(tags.out + everything.out) == lines_of((MODELS / f"{name}.txt").read_text())


def test_show_parts(cli):
    where = ("saved-model", "show", "--dir", MODELS / "simple", "--tag_set", "serve")
    assert cli(*where).out == (
        "The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:\n"
        'SignatureDef key: "serving_default"\n'
    )
    text = cli(*where, "--signature_def", "serving_default").out
    assert text.startswith(
        "The given SavedModel SignatureDef contains the following input(s):\n  inputs['x'] tensor_info:\n"
    )
    assert "'MatMul'" in cli(*where, "--list_ops").out
    assert "must be paired with a tag-set" in cli("saved-model", "show", "--dir", MODELS / "simple", "--list_ops").out
    data = cli("saved-model", "show", "--dir", MODELS / "simple", "--json").json()
    assert data["graphs"][0]["signatures"] == ["serving_default"]


def test_show_what_is_not_there(cli):
    result = cli("saved-model", "show", "--dir", MODELS / "simple", "--tag_set", "gpu")
    assert (result.code, "no graph with the tags gpu" in result.err) == (1, True)
    result = cli("saved-model", "show", "--dir", MODELS / "simple", "--tag_set", "serve", "--signature_def", "x")
    assert (result.code, 'Could not find signature "x"' in result.err) == (1, True)


def test_scan(cli, tmp_path):
    result = cli("saved-model", "scan", "--dir", MODELS / "simple")
    assert result.out == (
        "MetaGraph with tag set ['serve'] does not contain the default denylisted ops: "
        "{'PrintV2', 'ReadFile', 'WriteFile'}\n"
    )
    data = cli(
        "saved-model", "scan", "--dir", MODELS / "objects", "--op_denylist", "Collatz,StatelessWhile,While", "--json"
    )
    assert data.json()["graphs"] == [{"tags": ["serve"], "found": ["StatelessWhile"]}]
    text = cli(
        "saved-model", "scan", "--dir", MODELS / "simple", "--tag_set", "serve", "--op_denylist", "MatMul, Relu"
    ).out
    assert text == "MetaGraph with tag set ['serve'] contains the following denylisted ops: {'MatMul'}\n"


def test_scan_looks_into_loops():
    """A body that a loop alone calls is found, where TensorFlow's tool passes it over."""
    assert tf.scan_saved_model(MODELS / "objects", ops=["FloorDiv"]) == [(("serve",), ["FloorDiv"])]
    assert "FloorDiv" not in tf.show_saved_model(MODELS / "objects", ["serve"], ops=True)


RUN = ("saved-model", "run", "--tag_set", "serve", "--signature_def", "serving_default", "--dir")


def test_run_literals(cli, tmp_path):
    result = cli(*RUN, MODELS / "simple", "--input_exprs", "x=[[1, 2]]", "--outdir", tmp_path / "out")
    assert result.code == 0
    assert result.out.startswith("Result for output key twice:\n[[19. 23. 30.]]\nOutput twice is saved to ")
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "y.npy"), [[9.5, 11.5, 15]])
    again = cli(*RUN, MODELS / "simple", "--input_exprs", "x=[[1, 2]]", "--outdir", tmp_path / "out")
    assert (again.code, "--overwrite" in again.err) == (1, True)
    over = cli(*RUN, MODELS / "simple", "--input_exprs", "x=[[0, 0]]", "--outdir", tmp_path / "out", "--overwrite")
    assert over.code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "y.npy"), [[0.5, -0.5, 0]])


def test_run_as_json(cli):
    data = cli(*RUN, MODELS / "objects", "--input_exprs", 'words=["blue"]', "--json").json()
    assert data["outputs"][0]["value"] == [2]


def test_run_without_inputs(cli):
    result = cli(*RUN, MODELS / "simple")
    assert (result.code, "At least one of --inputs" in result.err) == (1, True)
    where = ("saved-model", "run", "--tag_set", "serve", "--signature_def", "sum", "--dir", MODELS / "signed")
    assert "Result for output key total:\n13.0\n" in cli(*where).out


def test_run_does_not_touch_other_files(cli, tmp_path):
    outcome = cli(*RUN, MODELS / "tables", "--input_exprs", 'words=["red"]')
    assert outcome.out == "Result for output key ids:\n[0]\n"


# Inputs


def test_files(tmp_path, caplog):
    x = np.arange(6).reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "one.npz", a=x)
    np.savez(tmp_path / "two.npz", a=x, b=x + 1)
    with open(tmp_path / "x.pkl", "wb") as file:
        pickle.dump({"a": x, "n": 5, "t": "text", "s": np.float32(2), "o": np.array(["a", b"b"], object)}, file)
    text = ";".join(
        f"{key}={tmp_path}/{place}"
        for key, place in (("a", "x.npy"), ("b", "one.npz"), ("c", "two.npz[b]"), ("d", "x.pkl[a]"), ("e", "x.pkl[s]"))
    )
    found = tf.saved_model_inputs(text)
    assert list(found) == ["a", "b", "c", "d", "e"]
    for key, want in (("a", x), ("b", x), ("c", x + 1), ("d", x), ("e", 2)):
        np.testing.assert_array_equal(found[key], want)
    with caplog.at_level(logging.WARNING, "icefloe"):
        tf.saved_model_inputs(f"a={tmp_path}/x.npy[name]", "a=1")
    assert "Name key" in caplog.text
    assert "specified twice" in caplog.text


class Runs:
    """A pickle of it runs code when it is read."""

    def __reduce__(self):
        return print, ("it ran",)


@pytest.mark.parametrize("name", ["object", "eval", "numpy"])
def test_pickles_run_nothing(tmp_path, capsys, name):
    payload = {
        "object": pickle.dumps(Runs()),
        "eval": b"\x80\x02cbuiltins\neval\nX\x10\x00\x00\x00print('it ran')\x85R.",
        "numpy": b"\x80\x02cnumpy\nsave\nX\x01\x00\x00\x00a\x85R.",
    }[name]
    (tmp_path / "x.pkl").write_bytes(payload)
    with pytest.raises(errors.InvalidArgumentError, match="is not read from a file"):
        tf.saved_model_inputs(f"x={tmp_path}/x.pkl")
    assert "it ran" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("[1, 2.5]", [1, 2.5]),
        ('"a;b"'.replace(";", ","), "a,b"),
        ("np.ones((2, 3))", np.ones((2, 3))),
        ("numpy.zeros([2], dtype=np.int32)", np.zeros(2, np.int32)),
        ("[np.arange(2), [3, 4]]", [np.arange(2), [3, 4]]),
        ("-1", -1),
    ],
)
def test_expressions(text, want):
    found = tf.saved_model_inputs(exprs=f"x={text}")["x"]
    np.testing.assert_array_equal(np.asarray(found), np.asarray(want))


@pytest.mark.parametrize(
    "text",
    [
        "os.system('x')",
        "__import__('os')",
        "np.load('x')",
        "np.random.rand(2)",
        "open('x')",
        "(lambda: 1)()",
        "1 +",
        "np.ones",
    ],
)
def test_expressions_that_are_none(text):
    with pytest.raises(RuntimeError, match="is not a valid python literal"):
        tf.saved_model_inputs(exprs=f"x={text}")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"inputs": "x:file"}, "--inputs .* format is incorrect"),
        ({"inputs": "x=file[[a]"}, "--inputs .* format is incorrect"),
        ({"exprs": "x"}, "--input_exprs .* format is incorrect"),
        ({"examples": 'x={"a": [1]}'}, "must be a list of dictionaries"),
        ({"examples": 'x=[{"a": 1}]'}, "feature value must be a list"),
        ({"examples": 'x=[{"a": [[1]]}]'}, "is not supported"),
        ({"examples": 'x=[{"a": [1, "b"]}]'}, "feature a"),
    ],
)
def test_inputs_that_cannot_be_read(arguments, text):
    with pytest.raises(errors.InvalidArgumentError, match=text):
        tf.saved_model_inputs(**arguments)


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "x.npy").write_bytes(b"not an array")
    np.savez(tmp_path / "two.npz", a=1, b=2)
    for place, text in (("x.npy", "cannot be read"), ("two.npz", "more than one"), ("two.npz[c]", "does not contain")):
        with pytest.raises(errors.InvalidArgumentError, match=text):
            tf.saved_model_inputs(f"x={tmp_path}/{place}")
    with pytest.raises(errors.NotFoundError):
        tf.saved_model_inputs(f"x={tmp_path}/nothing.npy")


def test_examples():
    (data,) = tf.saved_model_inputs(examples='x=[{"f": [1.5], "i": [1, 2], "t": ["a"], "b": [b"\\xff"]}]')["x"]
    features = Example.FromString(data).features.feature
    assert list(features["f"].float_list.value) == [1.5]
    assert list(features["i"].int64_list.value) == [1, 2]
    assert list(features["t"].bytes_list.value) == [b"a"]
    assert list(features["b"].bytes_list.value) == [b"\xff"]


def test_help_has_examples(cli):
    assert "icefloe saved-model show --dir" in cli("saved-model", "show", "--help").out
    assert io.StringIO(cli("saved-model", "--help").out).read().count("scan") == 2
