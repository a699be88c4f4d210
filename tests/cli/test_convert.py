"""`icefloe convert`, `ckpt tree`, and `ckpt ls` and `ckpt cat` of what is no plain V2 checkpoint."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import icefloe

WEIGHTS = Path(__file__).resolve().parents[2] / "fixtures" / "weights"
OBJECTS = WEIGHTS / "objects" / "ckpt-1"


def words(*items):
    out = np.empty(len(items), object)
    out[:] = items
    return out


@pytest.fixture
def mixed(tmp_path):
    values = {
        "enc/w": np.arange(12, dtype=np.float32).reshape(4, 3),
        "enc/b": np.ones(3, ml_dtypes.bfloat16),
        "enc/attention/q": np.zeros((2, 2)),
        "step": np.int64(7),
        "text": words(b"a,b", b'say "x"', b"\xff"),
    }
    icefloe.save_checkpoint(tmp_path / "m", values)
    return tmp_path / "m"


@pytest.mark.parametrize("name", ["x.npz", "x.h5", "x.safetensors", "x"])
def test_convert_there_and_back(cli, mixed, name, tmp_path):
    there = cli("convert", mixed, tmp_path / name)
    assert (there.code, there.out) == (0, "")
    assert "5 tensors" in there.err
    back = cli("convert", tmp_path / name, tmp_path / "back", "--json")
    assert (back.code, back.err) == (0, "")
    data = back.json()
    assert (data["schema"], data["format"], data["tensors"], data["bytes"]) == ("icefloe.convert/1", "V2", 5, 94)
    for suffix in (".index", ".data-00000-of-00001"):
        assert (tmp_path / f"back{suffix}").read_bytes() == (tmp_path / f"m{suffix}").read_bytes()


def test_convert_says_what_it_did(cli, mixed, tmp_path):
    assert cli("convert", mixed, tmp_path / "x.npz").err.splitlines() == [
        f"{tmp_path}/x.npz: npz, 5 tensors, 94 B",
        "in the side entry: text",
    ]
    assert "dropped: text" in cli("convert", mixed, tmp_path / "y.safetensors", "--strings", "drop").err
    refused = cli("convert", mixed, tmp_path / "z.npz", "--plain")
    assert refused.code == 1
    assert "text is a tensor of strings" in refused.err
    assert not (tmp_path / "z.npz").exists()


def test_convert_to_the_old_format(cli, mixed, tmp_path):
    refused = cli("convert", mixed, tmp_path / "old", "--to", "v1")
    assert refused.code == 1
    assert "a V1 checkpoint cannot hold bfloat16: enc/b" in refused.err
    icefloe.save_checkpoint(tmp_path / "plain", {"a": 1.5})
    assert cli("convert", tmp_path / "plain", tmp_path / "old", "--to", "V1").code == 0
    assert "1 tensor" in cli("ckpt", "ls", tmp_path / "old").out


def test_convert_names(cli, tmp_path):
    ambiguous = cli("convert", OBJECTS, tmp_path / "full", "--names", "full")
    assert ambiguous.code == 1
    assert "two tensors have the name twice" in ambiguous.err
    assert cli("convert", OBJECTS, tmp_path / "paths", "--names", "path").code == 0
    assert "model/dense/kernel " in cli("ckpt", "ls", tmp_path / "paths").out


def test_convert_into_a_template(cli, tmp_path):
    assert cli("convert", WEIGHTS / "keras2_weights.h5", tmp_path / "m").code == 0
    done = cli("convert", tmp_path / "m", tmp_path / "back.h5", "--template", WEIGHTS / "keras2_weights.h5")
    assert (done.code, done.err) == (0, f"{tmp_path}/back.h5: h5, 12 tensors, 404 B\n")


@pytest.mark.parametrize(
    "source, target, code, says",
    [
        ("none", "x", 1, "Failed to find any matching files"),
        ("m", "x.onnx", 1, "cannot be converted to a .onnx file"),
        ("m", "x.npz --to zarr", 1, "no format 'zarr'"),
        ("page.html", "x.npz", 1, "this is an HTML page"),
        ("m", "", 1, "give the name of what to write"),
    ],
)
def test_convert_refuses(cli, mixed, tmp_path, source, target, code, says):
    (tmp_path / "page.html").write_text("<!DOCTYPE html><html></html>")
    name, *options = target.split(" ")
    result = cli("convert", tmp_path / source, f"{tmp_path}/{name}", *options)
    assert result.code == code
    assert says in result.err


def test_ls_of_an_object_based_checkpoint(cli):
    lines = cli("ckpt", "ls", OBJECTS, "model/dense/*").out.splitlines()
    assert lines[0].split() == ["name", "full", "name", "dtype", "shape", "size", "slot"]
    assert lines[2].split() == ["model/dense/kernel", "dense/kernel", "float32", "[2,3]", "24", "B"]
    assert lines[3].endswith("m of dense/kernel")
    data = cli("ckpt", "ls", OBJECTS, "Adam/dense/kernel/m", "--json").json()
    (row,) = data["tensors"]
    assert row["name"] == "model/dense/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE"
    assert row["full_name"] == "Adam/dense/kernel/m"
    assert row["slot"] == {
        "name": "m",
        "owner": "model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE",
        "owner_full_name": "dense/kernel",
        "optimizer": "optimizer",
    }


def test_ls_by_regex_shape_and_scope(cli, mixed):
    def names(result):
        return [line.split()[0] for line in result.out.splitlines()[1:-1]]

    assert names(cli("ckpt", "ls", mixed, "--regex", "^enc/.$")) == ["enc/b", "enc/w"]
    assert names(cli("ckpt", "ls", mixed, "--sort", "shape")) == ["enc/w", "enc/attention/q", "enc/b", "text", "step"]
    assert cli("ckpt", "ls", mixed, "--by-scope").out == (
        "scope  tensors  elements  size\nenc          3        19  86 B\n5 tensors, 23 elements, 112 B\n"
    )
    assert names(cli("ckpt", "ls", mixed, "--by-scope", "2")) == ["enc", "enc/attention"]
    data = cli("ckpt", "ls", mixed, "--by-scope", "2", "--json").json()
    assert data["scopes"][1] == {"scope": "enc/attention", "tensors": 1, "elements": 4, "bytes": 32}
    bad = cli("ckpt", "ls", mixed, "--regex", "(")
    assert (bad.code, bad.out) == (1, "")
    assert "is no regular expression" in bad.err


def test_ls_of_both_formats_at_one_prefix(cli, mixed):
    from icefloe.checkpoint.v1.writer import V1Writer

    writer = V1Writer(mixed)
    writer.add("old", 1)
    writer.finish()
    result = cli("ckpt", "ls", mixed)
    assert "enc/w" in result.out
    assert result.err == f"there is also the V1 checkpoint {mixed}, which is not read\n"
    assert cli("ckpt", "ls", mixed, "--json").json()["also"] == f"the V1 checkpoint {mixed}"


def test_ls_of_what_is_left_out(cli, tmp_path):
    np.savez(tmp_path / "x.npz", a=np.arange(2), o=np.array([{}], object))
    result = cli("ckpt", "ls", tmp_path / "x.npz")
    assert "a     int64" in result.out
    assert "left out: o: Python objects are stored as a pickle" in result.err


def test_tree(cli, mixed):
    assert (
        cli("ckpt", "tree", mixed).out
        == f"""\
{mixed}
├─ enc  3 tensors, 19 elements, 86 B
│  ├─ attention  1 tensor, 4 elements, 32 B
│  │  └─ q  float64 [2,2] 32 B
│  ├─ b  bfloat16 [3] 6 B
│  └─ w  float32 [4,3] 48 B
├─ step  int64 [] 8 B
└─ text  string [3] 18 B
5 tensors, 23 elements, 112 B
"""
    )
    assert (
        cli("ckpt", "tree", mixed, "--depth", "1").out
        == f"""\
{mixed}
├─ enc  3 tensors, 19 elements, 86 B
├─ step  int64 [] 8 B
└─ text  string [3] 18 B
5 tensors, 23 elements, 112 B
"""
    )
    data = cli("ckpt", "tree", mixed, "enc/*", "--json").json()
    assert [(s["scope"], s["depth"], s["tensors"]) for s in data["scopes"]] == [
        ("", 0, 3),
        ("enc", 1, 3),
        ("enc/attention", 2, 1),
    ]
    assert len(data["tensors"]) == 3


def test_a_name_of_thousands_of_parts(cli, tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"a/" * 3000 + "w": 1})
    assert len(cli("ckpt", "tree", tmp_path / "m").out.splitlines()) == 3003
    assert cli("ckpt", "tree", tmp_path / "m", "--json").code == 0


def test_cat_of_parts(cli, mixed):
    assert cli("ckpt", "cat", mixed, "enc/w[0:2,1]").out == "enc/w[0:2,1]  float32 [4,3]\n[1., 4.]\n"
    assert cli("ckpt", "cat", mixed, "enc/w[-1]", "--json").json()["tensors"] == [
        {"name": "enc/w", "dtype": "float32", "shape": [3], "value": [9.0, 10.0, 11.0]}
    ]
    assert cli("ckpt", "cat", mixed, "enc/w[::-2,0]").out.endswith("[9., 3.]\n")
    for name, says in (
        ("enc/w[9]", "out of bounds"),
        ("enc/w[x]", "expected an index"),
        ("enc/q[0]", "enc/q not found"),
    ):
        result = cli("ckpt", "cat", mixed, name)
        assert (result.code, result.out) == (1, "")
        assert says in result.err
    both = cli("ckpt", "cat", mixed, "enc/w[0]", "--slice", "1")
    assert both.code == 2


def test_cat_by_any_name_of_an_object(cli):
    for name in ("dense/kernel[0,:2]", "model/again/kernel[0,:2]"):
        assert cli("ckpt", "cat", OBJECTS, name).out.splitlines()[1] == "[-0.90000015, -0.7750002 ]"
    ambiguous = cli("ckpt", "cat", OBJECTS, "twice")
    assert ambiguous.code == 1
    assert "2 tensors have the name twice" in ambiguous.err


def test_cat_as_csv(cli, mixed):
    assert cli("ckpt", "cat", mixed, "enc/w[:2]", "--csv").out == "0.0,1.0,2.0\n3.0,4.0,5.0\n"
    assert cli("ckpt", "cat", mixed, "enc/b", "--csv").out == "1\n1\n1\n"
    assert cli("ckpt", "cat", mixed, "step", "--csv").out == "7\n"
    assert cli("ckpt", "cat", mixed, "text", "--csv").out == '"a,b"\n"say ""x"""\n\\xff\n'
    assert cli("ckpt", "cat", mixed, "--csv").code == 2
    icefloe.save_checkpoint(mixed, {"w": np.zeros((2, 2, 2))})
    assert "two dimensions" in cli("ckpt", "cat", mixed, "w", "--csv").err


def test_cat_in_full(cli, tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"w": np.arange(1000)})
    assert "..." in cli("ckpt", "cat", tmp_path / "m", "w").out
    full = cli("ckpt", "cat", tmp_path / "m", "w", "--full").out
    assert "..." not in full and " 500," in full


def test_names_that_hold_brackets(cli, tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"w[0]": np.arange(3)})
    assert cli("ckpt", "cat", tmp_path / "m", "w[0]").out == "w[0]  int64 [3]\n[0, 1, 2]\n"
    assert cli("ckpt", "cat", tmp_path / "m", "w[0][1:]").out.endswith("[1, 2]\n")
    assert "w[0]" in cli("ckpt", "ls", tmp_path / "m", "w[0]").out
