"""Editing (cases 54 to 63; 61 has a file of its own), and what editing has to do with cases 28 and 37."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe import ckpt
from unit.checkpoint.test_edit_memory import sparse

EDITING = Path(__file__).resolve().parents[2] / "fixtures" / "editing"
EMA = "/ExponentialMovingAverage"


def values(prefix):
    with tf.open_checkpoint(prefix) as reader:
        return {name: reader[name] for name in reader}


def test_28_colon_names(tmp_path, cli):
    """`a:0` is a name like any other; `a` is not it, but it is suggested."""
    tf.save_checkpoint(tmp_path / "m", {"a:0": np.ones(2, np.float32), "b": np.ones(2, np.float32)})
    assert ckpt.rename(tmp_path / "m", tmp_path / "n", mapping={"a:0": "c:1"}).renamed == {"a:0": "c:1"}
    assert ckpt.rename(tmp_path / "m", tmp_path / "n", ["s/:0$//"]).renamed == {"a:0": "a"}
    got = cli("ckpt", "set", tmp_path / "m", "a=1", "--only-existing")
    assert got.code == 1
    assert "a:0" in got.err
    assert cli("ckpt", "set", tmp_path / "m", "a:0=5").code == 0
    assert values(tmp_path / "m")["a:0"].tolist() == [5, 5]
    (tmp_path / "map.json").write_text(json.dumps({"a": "x"}))
    got = cli("ckpt", "rename", tmp_path / "m", "--map", tmp_path / "map.json")
    assert "did you mean a:0?" in got.err


def test_37_ema_fallback(tmp_path, cli):
    """`a` has an average, `b` has none: each gets the best there is, and the fallback is listed."""
    tf.save_checkpoint(tmp_path / "m", {"a": np.float32(1), "a" + EMA: np.float32(2), "b": np.float32(3)})
    got = cli("ckpt", "slim", tmp_path / "m", tmp_path / "n", "--ema", "use", "--json").json()
    assert (got["averaged"], got["fallbacks"]) == (["a"], ["b"])
    assert values(tmp_path / "n") == {"a": 2, "b": 3}


def test_54_rename_meta(tmp_path, cli):
    """Scope renamed in the checkpoint and in the .meta: importing and restoring succeeds, training goes on, and a new
    Saver of the graph has the new names.
    """
    out = tmp_path / "out"
    assert cli("ckpt", "rename", EDITING / "train", out, "-s", "s,^net/,new/,", "--meta").code == 0
    results = []
    for prefix, scope in ((EDITING / "train", "net/"), (out, "new/")):
        with tf.Graph().as_default():
            saver = tf.train.import_meta_graph(f"{prefix}.meta")
            with tf.Session() as session:
                saver.restore(session, str(prefix))
                before = session.run(scope + "y:0")
                session.run("Adam")
                results.append((before, session.run(scope + "y:0")))
                if prefix == out:
                    tf.train.Saver().save(session, str(tmp_path / "again"), write_meta_graph=False)
            variables = {v.name for v in tf.trainable_variables()}
    assert np.array_equal(results[0], results[1])
    assert variables == {"new/w:0", "new/b:0", "new/p/part_0:0", "new/p/part_1:0"}
    assert values(tmp_path / "again").keys() == values(out).keys()


def test_56_average_int(tmp_path):
    """A step stays an integer, a narrow float narrow."""
    for i in (1, 2):
        content = {"global_step": np.int64(10 * i), "w": np.full(3, i, np.float16), "v": np.full(3, i, np.float32)}
        tf.save_checkpoint(tmp_path / f"m-{i}", content)
    ckpt.average(tmp_path / "avg", [tmp_path / "m-1", tmp_path / "m-2"])
    got = values(tmp_path / "avg")
    assert {n: (v.dtype.name, v.tolist()) for n, v in got.items()} == {
        "global_step": ("int64", 20),
        "w": ("float16", [1.5] * 3),
        "v": ("float32", [1.5] * 3),
    }


def test_58_slim(tmp_path, cli):
    """Three-fold becomes one-fold, the step goes unless asked for, and objects lose their slot variables."""
    weights = {f"bert/{i}/kernel": np.ones((64, 64), np.float32) for i in range(4)}
    content = dict(weights, global_step=np.int64(7))
    for name, value in weights.items():
        content |= {f"{name}/adam_m": value, f"{name}/adam_v": value}
    tf.save_checkpoint(tmp_path / "m", content)
    report = ckpt.slim(tmp_path / "m", tmp_path / "n")
    assert report.bytes * 3 + 8 == sum(v.nbytes for v in content.values())
    assert values(tmp_path / "n").keys() == weights.keys()
    assert cli("ckpt", "slim", tmp_path / "m", "--keep-step").code == 0
    assert values(tmp_path / "m").keys() == weights.keys() | {"global_step"}
    from icefloe.proto import TrackableObjectGraph

    for source in ("tf1_objects-1", "legacy_objects-1", "keras_objects-1"):
        ckpt.slim(EDITING / source, tmp_path / source)
        got = values(tmp_path / source)
        raw = got.pop("_CHECKPOINTABLE_OBJECT_GRAPH").item()
        assert {n.partition("/.ATTRIBUTES")[0] for n in got} == {"model/w", "model/b", "save_counter"}
        graph = TrackableObjectGraph.FromString(raw)
        assert not any(node.slot_variables for node in graph.nodes)
        assert {a.checkpoint_key for node in graph.nodes for a in node.attributes} == got.keys()
        assert [c.local_name for c in graph.nodes[0].children] == ["model", "save_counter"]


def test_60_vocab_grow(tmp_path, cli):
    """A vocabulary in 16 variables, each with Adam's slots: rows are added at the end of the whole."""
    table = np.arange(160, dtype=np.float32).reshape(80, 2)
    content = {}
    for i in range(16):
        for slot in ("", "/Adam", "/Adam_1"):
            content[f"emb/weights_{i}{slot}"] = table[5 * i : 5 * i + 5]
    tf.save_checkpoint(tmp_path / "m", content, shards=2)
    assert cli("ckpt", "resize", tmp_path / "m", "emb/weights_*=85", "--as-one", "--init", "normal:1").code == 0
    got = values(tmp_path / "m")
    assert len(got) == 48
    for slot in ("", "/Adam", "/Adam_1"):
        whole = np.concatenate([got[f"emb/weights_{i}{slot}"] for i in range(16)])
        assert whole.shape == (85, 2)
        assert np.array_equal(whole[:80], table)
        assert whole[80:].any() == (not slot)


CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
from icefloe_cli.main import cli
try:
    cli(sys.argv[1:])
finally:
    # The peak of this program alone: `ru_maxrss` counts that of the process it was forked from.
    status = open("/proc/self/status").read()
    print(int(status.split("VmHWM:")[1].split()[0]) >> 10, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is Linux's")
@pytest.mark.parametrize(
    "command",
    [
        ["ckpt", "rename", "big", "out", "-s", "s,^,x/,"],
        ["ckpt", "slim", "big", "out"],
        *(["convert", "big", f"out.{kind}"] for kind in ("npz", "safetensors", "h5")),
        ["convert", "big", "out", "--to", "v1"],
    ],
    ids=lambda command: command[-1] if command[0] == "convert" else command[1],
)
def test_63_low_mem(tmp_path, command):
    """One tensor of 640 MB in a sparse file, in an address space of 600 MB. benchmarks/edit4g.py and convert4g.py do
    this with 4 GB.
    """
    slots = {} if command[0] == "convert" else {"w/Adam": (640, 1 << 18)}
    sparse(tmp_path / "big", {"w": (640, 1 << 18), "b": (1, 1 << 18)} | slots)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *command], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert int(done.stderr.split()[-1]) < 200
    (out,) = {path.name.removesuffix(".index").partition(".data-")[0] for path in tmp_path.glob("out*")}
    with tf.open_checkpoint(tmp_path / out) as reader:
        name = "x/w" if command[1] == "rename" else "w"
        assert reader.entries[name].shape == (640, 1 << 18)
        assert reader[name.replace("w", "b")].tolist() == np.zeros((1, 1 << 18)).tolist()


def test_set_keeps_every_digit_or_refuses(tmp_path, cli):
    """A value is what was typed, in the tensor's own dtype: no detour by a narrower one, nothing wraps or overflows."""
    content = {"d": np.float64(0), "u": np.uint64(1), "i": np.int8(0), "h": np.zeros(2, np.float16), "b": np.bool_(0)}
    tf.save_checkpoint(tmp_path / "m", content)
    for text, wanted in {
        "d=1.1": 1.1, "d=1e300": 1e300, "u=18446744073709551615": 2**64 - 1, "i=-128": -128, "h=65504": [65504.0] * 2,
        "h=inf": [np.inf] * 2, "b=1": True, "d=true": 1.0, "i=3.0": 3,
    }.items():  # fmt: skip
        assert cli("ckpt", "set", tmp_path / "m", text, "-o", tmp_path / "n").code == 0, text
        assert values(tmp_path / "n")[text[0]].tolist() == wanted
    for text in ("u=-1", "u=1e20", "i=128", "i=1.5", "i=nan", "h=65520", "h=1e9", "b=2", "b=0.5", f"d={2**70}"):
        got = cli("ckpt", "set", tmp_path / "m", text, "-o", tmp_path / "o")
        assert got.code == 1, text
        assert f"tensor '{text[0]}': " in got.err
    assert not list(tmp_path.glob("o*"))
    assert cli("ckpt", "set", tmp_path / "m", "new=1.1", "--dtype", "float64").code == 0
    assert values(tmp_path / "m")["new"] == 1.1


def test_cast_only_of_a_dtype(tmp_path, cli):
    """`--only` takes a dtype's name too, unless a tensor is called that; a regular expression without `re:` is hinted."""
    tf.save_checkpoint(tmp_path / "m", {"w": np.ones(2, np.float32), "d": np.ones(2), "bn": np.ones(2, np.float32)})
    got = cli("ckpt", "cast", tmp_path / "m", tmp_path / "n", "--to", "float16", "--only", "float32", "--skip", "bn|x")
    assert got.code == 0
    assert "a regular expression stands after re:" in got.err
    assert {n: v.dtype.name for n, v in values(tmp_path / "n").items()} == dict.fromkeys(("w", "bn"), "float16") | {
        "d": "float64"
    }
    tf.save_checkpoint(tmp_path / "t", {"float32": np.ones(2, np.float32), "w": np.ones(2, np.float32)})
    ckpt.cast(tmp_path / "t", dtype="float16", only="float32")
    assert values(tmp_path / "t")["w"].dtype == np.float32


@pytest.mark.parametrize("name", ["w.npz", "w.h5", "w.SafeTensors", "m.meta", "checkpoint", "frozen.pb", "x.pt"])
def test_no_edit_makes_a_checkpoint_of_another_files_name(tmp_path, name, cli):
    """Whoever says `out.npz` wants an .npz; `checkpoint` and `.meta` are other files of TensorFlow's."""
    tf.save_checkpoint(tmp_path / "m", {"w": np.ones(2, np.float32)})
    for arguments in (
        ["slim", tmp_path / "m", tmp_path / name],
        ["rename", tmp_path / "m", tmp_path / name, "--prefix", "a/"],
        ["merge", tmp_path / name, tmp_path / "m"],
        ["average", tmp_path / name, tmp_path / "m"],
        ["set", tmp_path / "m", "w=1", "-o", tmp_path / name],
        *([] if name == "w.npz" else [["extract", tmp_path / "m", tmp_path / name, "w"]]),
    ):
        got = cli("ckpt", *arguments)
        assert got.code == 1, arguments
        assert "prefix" in got.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.data-00000-of-00001", "m.index"]
    if name != "checkpoint":  # a Saver may have been given such a name: that checkpoint can be edited
        tf.save_checkpoint(tmp_path / name, {"w": np.ones(2, np.float32)})
        assert ckpt.rename(tmp_path / f"{name}.index", tmp_path / name, prefix="a/").renamed == {"w": "a/w"}


def test_a_data_file_as_output_means_its_prefix(tmp_path):
    tf.save_checkpoint(tmp_path / "m", {"w": np.ones(2, np.float32)})
    for name in ("m.data-00000-of-00001", "m.index"):
        assert ckpt.set(tmp_path / "m", {"w": 2.0}, tmp_path / name).output == str(tmp_path / "m")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    "odd", [None, 5, 1.5, True, object(), np.int64(3), Path("p"), [1], [None], b"x", (i for i in ())]
)
def test_arguments_of_a_wrong_type(tmp_path, odd):
    """What is no such argument is named, before anything is written; no error comes from the inside."""
    tf.save_checkpoint(tmp_path / "m", {"w": np.ones((2, 2), np.float32)})
    m, o = tmp_path / "m", tmp_path / "o"
    for call in (
        lambda: ckpt.rename(m, o, odd),
        lambda: ckpt.rename(m, o, prefix=odd),
        lambda: ckpt.rename(m, o, mapping=odd, prefix="x"),
        lambda: ckpt.cast(m, o, "float16", only=odd),
        lambda: ckpt.cast(m, o, "float16", source_dtypes=odd),
        lambda: ckpt.average(o, odd),
        lambda: ckpt.average(o, [m, m], weights=odd),
        lambda: ckpt.merge(o, odd),
        lambda: ckpt.merge(o, [(m,)] if odd is None else [(m, odd)]),
        lambda: ckpt.resize(m, {"w": odd}, o),
        lambda: ckpt.resize(m, {"w": 3}, o, axis=odd),
        lambda: ckpt.reshard(m, o, shards=odd),
        lambda: ckpt.reshard(m, o, max_shard_bytes=odd),
        lambda: ckpt.reshard(m, o, partition=odd),
        lambda: ckpt.convert(m, tmp_path / "o.npz", rules=odd),
        lambda: ckpt.convert(m, tmp_path / "o.npz", mapping=odd),
        lambda: ckpt.convert(m, tmp_path / "o.npz", to=odd),
        lambda: tf.save_checkpoint(o, {"w": 1.0}, shards=odd),
    ):
        try:
            call()
        except (tf.errors.OpError, TypeError) as e:
            text = str(e)
            assert not any(
                t in text for t in ("object is not iterable", "not supported between", "concatenate", "unpack")
            )
    assert values(m)["w"].tolist() == [[1, 1], [1, 1]]
