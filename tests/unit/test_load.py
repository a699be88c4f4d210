"""`load_graph` and `save_graph`: every form of graph, collections kept, what is no graph named."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.proto import GraphDef, MetaGraphDef

SAVERS = Path(__file__).resolve().parents[2] / "fixtures" / "savers"
META = SAVERS / "mixed" / "model.ckpt-3.meta"


def names(graph: tf.Graph) -> list[str]:
    return [op.name for op in graph.get_operations()]


@pytest.mark.parametrize("spelling", ["model.ckpt-3.meta", "model.ckpt-3", "model.ckpt-3.index"])
def test_a_checkpoint_stands_for_its_meta(spelling):
    graph = tf.load_graph(SAVERS / "mixed" / spelling)
    golden = MetaGraphDef.FromString(META.read_bytes())
    assert names(graph) == [node.name for node in golden.graph_def.node]
    assert set(graph.get_all_collection_keys()) == set(golden.collection_def)


def test_collections_have_their_objects():
    graph = tf.load_graph(META)
    assert [v.name for v in graph.get_collection("variables")] == ["scope/a:0", "scope/inner/s:0", "b:0", "h:0"]
    assert graph.get_collection("trainable_variables")[0] is graph.get_collection("variables")[0]
    assert graph.get_collection("sizes") == [3, 4]
    assert graph.get_collection("rates") == [0.5]
    assert graph.get_collection("note") == [b"hello", "wörld".encode()]
    assert graph.get_collection("train_op") == [graph.get_operation_by_name("done")]
    assert graph.get_collection("heads")[0] is graph.get_tensor_by_name("total:0")


@pytest.mark.parametrize("how", ["path", "str", "bytes", "memoryview", "message", "text"])
def test_sources(how):
    source = {
        "path": META,
        "str": str(META),
        "bytes": META.read_bytes(),
        "memoryview": memoryview(META.read_bytes()),
        "message": MetaGraphDef.FromString(META.read_bytes()),
        "text": str(MetaGraphDef.FromString(META.read_bytes())).encode(),
    }[how]
    graph = tf.load_graph(source)
    assert len(graph.get_operations()) == 49
    assert len(graph.get_collection("variables")) == 4


def test_meta_is_written_as_it_was(tmp_path):
    """Loaded and saved, a `.meta` is the same but for who wrote it."""
    path = tf.save_graph(tf.load_graph(META), tmp_path / "again.meta")
    mine, golden = MetaGraphDef.FromString(Path(path).read_bytes()), MetaGraphDef.FromString(META.read_bytes())
    golden.meta_info_def.tensorflow_git_version = mine.meta_info_def.tensorflow_git_version
    assert mine == golden


@pytest.mark.parametrize("name", ["g.pb", "g.pbtxt", "g.json", "g.meta"])
def test_forms_round_trip(tmp_path, name):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        tf.multiply(x, tf.get_variable("v", initializer=np.float32(2), use_resource=True), name="y")
    again = tf.load_graph(tf.save_graph(graph, tmp_path / name))
    assert names(again) == names(graph)
    with tf.Session(graph=again) as session:
        session.run(tf.initializers_of(again))
        assert session.run("y:0", {"x:0": [1, 2]}).tolist() == [2, 4]


def test_graph_def_message_is_saved(tmp_path):
    definition = GraphDef()
    definition.node.add(name="n", op="NoOp")
    assert names(tf.load_graph(tf.save_graph(definition, tmp_path / "g.pb"))) == ["n"]
    assert names(tf.load_graph(definition)) == ["n"]


def test_collections_that_do_not_fit_are_left_out(caplog):
    meta = MetaGraphDef.FromString(META.read_bytes())
    meta.collection_def["train_op"].node_list.value.append("gone:0")
    meta.collection_def["variables"].bytes_list.value.append(b"\xff\xff")
    graph = tf.load_graph(meta)
    assert len(graph.get_collection("variables")) == 4
    assert len(graph.get_collection("train_op")) == 1
    assert "gone" in caplog.text
    assert "no VariableDef" in caplog.text
    with tf.Graph().as_default(), pytest.raises(errors.OpError):
        tf.train.import_meta_graph(meta)


@pytest.mark.parametrize(
    ("content", "error", "part"),
    [
        (b"", errors.InvalidArgumentError, "an empty file"),
        (b"<html></html>", errors.InvalidArgumentError, "an HTML page"),
        (b"plain text", errors.InvalidArgumentError, "a text file"),
        (b"version https://git-lfs.github.com/spec/v1\n", errors.InvalidArgumentError, "git-LFS"),
        (b"PK\x03\x04" + b"\0" * 60, errors.DataLossError, "zip"),
        (b'meta_info_def { stripped_op_list { op { name: "', errors.DataLossError, "text form"),
    ],
)
def test_what_is_no_graph_is_named(tmp_path, content, error, part):
    (tmp_path / "g").write_bytes(content)
    with pytest.raises(error, match=part) as caught:
        tf.load_graph(tmp_path / "g")
    assert str(tmp_path / "g") in str(caught.value)
    if error is errors.InvalidArgumentError:
        with tf.Graph().as_default(), pytest.raises(error, match=part):
            tf.train.import_meta_graph(str(tmp_path / "g"))


def test_nothing_there(tmp_path):
    for read in (tf.load_graph, tf.train.import_meta_graph):
        with pytest.raises(errors.NotFoundError):
            read(str(tmp_path / "none"))
    shutil.copy(SAVERS / "plain" / "model.ckpt-3.index", tmp_path)
    with pytest.raises(errors.InvalidArgumentError, match="sstable"):
        tf.load_graph(tmp_path / "model.ckpt-3.index")
    with pytest.raises(errors.InvalidArgumentError, match="directory"):
        tf.load_graph(tmp_path)


def test_graph_file_given_as_meta(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
    path = tf.save_graph(graph, tmp_path / "g.pb")
    with tf.Graph().as_default(), pytest.raises(errors.InvalidArgumentError, match=r"got a GraphDef\n.*load_graph"):
        tf.train.import_meta_graph(path)


def test_every_truncation_of_a_meta_is_a_value_or_an_error(tmp_path):
    whole = (SAVERS / "plain" / "model.ckpt-3.meta").read_bytes()
    for size in range(0, len(whole), 61):
        try:
            tf.load_graph(whole[:size])
        except errors.OpError:
            continue


def test_every_flipped_byte_of_a_meta_is_a_value_or_an_error():
    whole = (SAVERS / "plain" / "model.ckpt-3.meta").read_bytes()
    for i in range(0, len(whole), 37):
        try:
            tf.load_graph(whole[:i] + bytes([whole[i] ^ 0xFF]) + whole[i + 1 :])
        except errors.OpError:
            continue


def test_paths_to_save_to(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    graph = tf.load_graph(META)
    assert tf.save_graph(graph, b"~/a.pb") == str(tmp_path / "a.pb")
    assert tf.save_graph(graph, "~/b.meta") == str(tmp_path / "b.meta")
    assert names(tf.load_graph("~/a.pb")) == names(tf.load_graph("~/b.meta")) == names(graph)


@pytest.mark.parametrize(
    "text",
    [
        'node { name: "a" op: "NoOp" }',
        '{"node": [{"name": "a", "op": "NoOp"}]}',
        'meta_info_def { } graph_def { node { name: "a" op: "NoOp" } }',
    ],
)
def test_a_byte_order_mark_is_skipped(text):
    assert names(tf.load_graph(text.encode("utf-8-sig"))) == ["a"]
