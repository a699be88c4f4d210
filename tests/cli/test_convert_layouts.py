"""Kernels in PyTorch's layout: what a layer computes with either, which tensors are kernels, and the way back.

PyTorch's layers are written here as its documentation defines them, over scipy's correlation; TensorFlow's layers are
the ops, whose values are held against TensorFlow's elsewhere.
"""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from scipy import signal

import icefloe as tf
from icefloe import errors
from icefloe.checkpoint.slices import parse_slice
from icefloe.checkpoint.writer import BundleWriter
from icefloe.ckpt import convert


def values(path):
    with tf.open_checkpoint(path) as reader:
        return {name: reader[name] for name in reader}


def run(tensor):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


def torch_conv(x, weight, groups=1):
    """Return `conv(x)` of x [N, C, ...] with weight [O, C / groups, ...], no padding, stride 1."""
    batch, outputs = len(x), len(weight)
    inputs = weight.shape[1]
    per_group = outputs // groups
    out = []
    for n, o in itertools.product(range(batch), range(outputs)):
        first = o // per_group * inputs
        out.append(sum(signal.correlate(x[n, first + i], weight[o, i], "valid") for i in range(inputs)))
    return np.stack(out).reshape(batch, outputs, *out[0].shape)


def torch_conv_transpose(x, weight):
    """Return the transposed convolution of x [N, I, ...] with weight [I, O, ...]: each element adds a scaled kernel."""
    batch, (inputs, outputs) = len(x), weight.shape[:2]
    out = [
        sum(signal.convolve(x[n, i], weight[i, o], "full") for i in range(inputs))
        for n, o in itertools.product(range(batch), range(outputs))
    ]
    return np.stack(out).reshape(batch, outputs, *out[0].shape)


def last_to_second(x):
    return np.moveaxis(x, -1, 1)


def second_to_last(x):
    return np.moveaxis(x, 1, -1)


def rand(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def layer(name):
    """Return (TensorFlow's kernel, its answer, function from a kernel of PyTorch's to PyTorch's answer)."""
    with tf.Graph().as_default():
        if name == "dense":
            x, w = rand(5, 3), rand(3, 4)
            return w, run(tf.matmul(x, w)), lambda weight: x @ weight.T
        if name == "conv1d":
            x, w = rand(2, 9, 3), rand(4, 3, 5)
            y = run(tf.nn.conv1d(x, w, 1, "VALID"))
        elif name == "conv2d":
            x, w = rand(2, 8, 7, 3), rand(3, 2, 3, 5)
            y = run(tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID"))
        elif name == "conv3d":
            x, w = rand(1, 5, 6, 7, 2), rand(2, 3, 4, 2, 3)
            y = run(tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "VALID"))
        elif name == "depthwise2d":
            x, w = rand(2, 6, 5, 3), rand(2, 3, 3, 2)
            y = run(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID"))
            return w, y, lambda weight: second_to_last(torch_conv(last_to_second(x), weight, groups=3))
        else:
            x, w = rand(2, 4, 5, 3), rand(3, 2, 6, 3)  # H W O I
            y = run(tf.nn.conv2d_transpose(x, w, [2, 6, 6, 6], [1, 1, 1, 1], "VALID"))
            return w, y, lambda weight: second_to_last(torch_conv_transpose(last_to_second(x), weight))
    return w, y, lambda weight: second_to_last(torch_conv(last_to_second(x), weight))


NAMES = {
    "dense": "fc/kernel",
    "conv1d": "conv1d/kernel",
    "conv2d": "Conv_1/weights",
    "conv3d": "conv3d/kernel",
    "depthwise2d": "block/depthwise_kernel",
    "conv2d_transpose": "up/conv2d_transpose/kernel",
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_layer_computes_the_same(tmp_path, kind):
    kernel, wanted, torch_layer = layer(kind)
    tf.save_checkpoint(tmp_path / "m", {NAMES[kind]: kernel})
    done = convert(tmp_path / "m", tmp_path / "x.safetensors", layout="torch")
    change = done.layouts[NAMES[kind]]
    assert (change.kind, change.before, change.why) == (kind, list(kernel.shape), "its name")
    weight = values(tmp_path / "x.safetensors")[NAMES[kind]]
    assert list(weight.shape) == change.after
    assert np.allclose(torch_layer(weight), wanted, atol=1e-5)


@pytest.fixture
def model(tmp_path):
    """A network of every kind, with Adam's slots, averages, odd dtypes and a partitioned kernel."""
    content = {
        "conv/kernel": rand(3, 3, 2, 4),
        "conv/kernel/Adam": rand(3, 3, 2, 4) + 1,
        "conv/kernel/ExponentialMovingAverage": rand(3, 3, 2, 4) + 2,
        "conv/bias": rand(4),
        "fc/weights": rand(8, 5).astype(ml_dtypes.bfloat16),
        "embedding/table": rand(7, 5),
        "lstm/lstm_cell/kernel": rand(6, 8),
        "attention/query/kernel": rand(6, 2, 3),
        "beta1_power": np.float32(0.9),
        "global_step": np.int64(3),
    }
    with BundleWriter(tmp_path / "m") as writer:
        for name, value in content.items():
            writer.add(name, value)
        for spec in ("0,2:-", "2,3:-"):
            chosen = parse_slice(spec)
            writer.add_slice("cut/kernel", (5, 3), chosen, rand(5, 3)[chosen.index((5, 3))])
    return tmp_path / "m"


@pytest.mark.parametrize("suffix", ["npz", "h5", "safetensors"])
def test_there_and_back_bit_for_bit(tmp_path, model, suffix, cli):
    torch = tmp_path / f"x.{suffix}"
    there = cli("convert", model, torch, "--layout", "torch", "--map", "s,/,.,g", "--json")
    assert there.code == 0, there.err
    report = there.json()
    assert report["layouts"]["conv/kernel"] == {
        "kind": "conv2d", "before": [3, 3, 2, 4], "after": [4, 2, 3, 3], "why": "its name"
    }  # fmt: skip
    assert report["layouts"]["conv/kernel/Adam"]["why"] == "as conv/kernel"
    assert report["layouts"]["conv/kernel/ExponentialMovingAverage"]["kind"] == "conv2d"
    assert report["layouts"]["cut/kernel"]["after"] == [3, 5]
    assert report["layout_kept"].keys() == {"embedding/table", "lstm/lstm_cell/kernel", "attention/query/kernel"}
    assert report["renamed"]["conv/kernel"] == "conv.kernel"
    stored = values(torch)
    assert stored["conv.kernel"].tolist() == rand(3, 3, 2, 4).transpose(3, 2, 0, 1).tolist()
    assert stored["fc.weights"].dtype == ml_dtypes.bfloat16
    assert stored["cut.kernel"].tolist() == rand(5, 3).T.tolist()
    back = cli("convert", torch, tmp_path / "back", "--json").json()
    assert back["layouts"]["conv.kernel"]["why"] == "the side entry"
    for end in ("index", "data-00000-of-00001"):
        assert (tmp_path / f"back.{end}").read_bytes() == (tmp_path / f"m.{end}").read_bytes()


def test_through_other_formats_and_v1(tmp_path, model):
    """What the side entry says goes along from file to file."""
    convert(model, tmp_path / "a.safetensors", layout="torch", mapping={"fc/weights": "head.weight"})
    done = convert(tmp_path / "a.safetensors", tmp_path / "b.npz", layout="torch")
    assert done.layouts.keys() == set()
    assert done.layout_kept["head.weight"] == "in this layout already"
    convert(tmp_path / "b.npz", tmp_path / "back")
    assert (tmp_path / "back.index").read_bytes() == (tmp_path / "m.index").read_bytes()
    tf.ckpt.cast(model, tmp_path / "wide", "float32")
    convert(tmp_path / "wide", tmp_path / "wide.h5", layout="torch")
    convert(tmp_path / "wide.h5", tmp_path / "old", to="v1")
    old = values(tmp_path / "old")
    assert {n: v.tolist() for n, v in old.items()} == {n: v.tolist() for n, v in values(tmp_path / "wide").items()}
    convert(tmp_path / "b.npz", tmp_path / "torch", layout="stored")
    assert values(tmp_path / "torch")["head.weight"].shape == (5, 8)
    assert values(tmp_path / "torch")["cut/kernel"].shape == (3, 5)
    kept = convert(tmp_path / "b.npz", tmp_path / "named", rules=["s/head/tail/"])
    assert values(tmp_path / "named")["tail.weight"].shape == (8, 5)
    assert kept.renamed == {"head.weight": "tail.weight"}


def test_rules_come_first(tmp_path, model, cli):
    rules = ["lstm/*=dense", "re:query/kernel$=keep", "fc/weights=keep", "nothing/*=conv"]
    done = convert(model, tmp_path / "x.npz", layout="torch", layout_rules=rules)
    assert done.layouts["lstm/lstm_cell/kernel"].why == "rule lstm/*=dense"
    assert done.layout_kept["fc/weights"] == "rule fc/weights=keep"
    assert done.unmatched == ["nothing/*"]
    wide = convert(model, tmp_path / "w.npz", layout="torch", layout_rules="conv/*=conv2d")
    assert "conv/bias" not in wide.layouts | wide.layout_kept
    assert wide.layouts["conv/kernel/Adam"].why == "rule conv/*=conv2d"
    with pytest.raises(
        errors.InvalidArgumentError, match=r"conv/kernel=dense: tensor conv/kernel has the shape \[3, 3"
    ):
        convert(model, tmp_path / "y.npz", layout="torch", layout_rules={"conv/kernel": "dense"})
    assert not (tmp_path / "y.npz").exists()
    said = cli("convert", model, tmp_path / "z.npz", "--layout", "torch", "--layout-rule", "embedding/table=dense")
    assert said.code == 0
    assert "  embedding/table: dense [7, 5] -> [5, 7] (rule embedding/table=dense)" in said.err.splitlines()


@pytest.mark.parametrize(
    "options",
    [
        {"layout": "keras"},
        {"layout": 3},
        {"layout_rules": ["a=dense"]},
        {"layout": "torch", "layout_rules": ["a=matrix"]},
        {"layout": "torch", "layout_rules": ["dense"]},
        {"layout": "torch", "to": "v2"},
        {"layout": "torch", "to": "v1"},
        {"rules": ["s/a/"]},
        {"rules": ["s/.*/w/"]},
        {"to": 5},
        {"strings": 5},
        {"naming": None},
    ],
)
def test_refusals(tmp_path, model, options):
    with pytest.raises(errors.InvalidArgumentError):
        convert(model, tmp_path / "new" / "x.npz", **options)
    assert not (tmp_path / "new").exists()


def test_dropping_the_optimizer(tmp_path, model, cli):
    got = cli("convert", model, tmp_path / "x.safetensors", "--drop-optimizer", "--json").json()
    assert sorted(got["dropped"]) == ["beta1_power", "conv/kernel/Adam", "global_step"]
    assert "conv/kernel/Adam" not in values(tmp_path / "x.safetensors")


def test_a_graph_knows_best(tmp_path):
    """Ops say what names do not: a kernel by any name, a table that is also multiplied by, one that is used as it is."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 8, 8, 3])
        a = tf.get_variable("a", [3, 3, 3, 4])
        b = tf.get_variable("b", [2, 2, 4, 2], use_resource=True)
        up = tf.get_variable("up", [2, 2, 5, 8])
        one = tf.get_variable("one", [3, 3, 6])
        w = tf.get_variable("w", [6, 5], partitioner=tf.fixed_size_partitioner(2))
        kernel = tf.get_variable("out/kernel", [4, 5])
        both = tf.get_variable("both/kernel", [5, 5])
        table = tf.get_variable("shared/weights", [9, 5])
        y = tf.nn.depthwise_conv2d(tf.nn.conv2d(x, a, [1, 1, 1, 1], "SAME"), b, [1, 1, 1, 1], "SAME")
        z = tf.nn.conv2d_transpose(y, up, [1, 8, 8, 5], [1, 1, 1, 1], "SAME")
        v = tf.matmul(tf.nn.conv1d(z[:, :, 0, :3], one, 1, "SAME")[:, 0], tf.convert_to_tensor(w))
        v = tf.matmul(tf.matmul(v, both), both, transpose_b=True)
        v = tf.matmul(v, kernel, transpose_b=True)[:, :1] + tf.matmul(tf.nn.embedding_lookup(table, [1]), both)
        tf.train.AdamOptimizer().minimize(tf.reduce_sum(v))
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, str(tmp_path / "m"))
    done = convert(tmp_path / "m", tmp_path / "x.npz", layout="torch")
    kinds = {name: change.kind for name, change in done.layouts.items() if "Adam" not in name}
    assert kinds == {"a": "conv2d", "b": "depthwise2d", "up": "conv2d_transpose", "one": "conv1d", "w": "dense"}
    assert done.layouts["a"].why == "read by Conv2D Conv2D"
    assert done.layouts["w/Adam"].kind == "dense"
    assert done.layout_kept["shared/weights"].startswith("read by GatherV2")
    assert done.layout_kept["out/kernel"].startswith("read by MatMul")
    assert done.layout_kept["both/kernel"].startswith("read in two ways: MatMul")
    convert(tmp_path / "x.npz", tmp_path / "back")
    assert (tmp_path / "back.index").read_bytes() == (tmp_path / "m.index").read_bytes()
    (tmp_path / "m.meta").write_bytes(b"\xff\xff")
    again = convert(tmp_path / "m", tmp_path / "y.npz", layout="torch")
    assert again.layouts["out/kernel"].why == "its name"
    assert "names alone" in again.left_out[str(tmp_path / "m.meta")]


@pytest.mark.parametrize(
    "old, new", [("[5,3]", "[3,5]"), ("conv2d", "dense"), ("conv2d", "spiral"), ("dense", "conv2d")]
)
def test_a_side_entry_that_lies(tmp_path, old, new):
    tf.save_checkpoint(tmp_path / "m", {"fc/kernel": rand(5, 3), "conv/kernel": rand(1, 2, 3, 4)})
    convert(tmp_path / "m", tmp_path / "x.safetensors", layout="torch")
    raw = (tmp_path / "x.safetensors").read_bytes()
    size = int.from_bytes(raw[:8], "little")
    head = raw[8 : 8 + size].replace(old.encode(), new.encode())
    (tmp_path / "y.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + raw[8 + size :])
    with pytest.raises(errors.DataLossError):
        tf.open_checkpoint(tmp_path / "y.safetensors")


def test_a_map_file_whose_path_looks_like_a_rule(tmp_path, model, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s" / "a" / "b").mkdir(parents=True)
    (tmp_path / "s" / "a" / "b" / "names.csv").write_text("old,new\nfc/weights,fc/weight\n")
    said = cli("convert", "m", "x.npz", "--map", "s/a/b/names.csv", "--map", "s,conv,c,", "--json").json()
    assert said["renamed"]["fc/weights"] == "fc/weight"
    assert said["renamed"]["conv/bias"] == "c/bias"
