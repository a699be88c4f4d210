"""Collections become CollectionDefs and back: by kind, by proto, within scopes, and from old files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph import collections as graph_collections
from icefloe.proto import MetaGraphDef, QueueRunnerDef, VariableDef


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def exported(key: Any, **options: Any) -> Any:
    return tf.train.export_meta_graph(**options).collection_def[key]


@pytest.mark.parametrize(
    ("items", "kind", "values"),
    [
        (["a", "ä"], "bytes_list", [b"a", "ä".encode()]),
        ([b"\xff"], "bytes_list", [b"\xff"]),
        ([3, -4], "int64_list", [3, -4]),
        ([True], "int64_list", [1]),
        ([0.5, 2], "float_list", [0.5, 2.0]),
    ],
)
def test_plain_items(graph, items, kind, values):
    for item in items:
        graph.add_to_collection("things", item)
    collection = exported("things")
    assert collection.WhichOneof("kind") == kind
    assert list(getattr(collection, kind).value) == values


def test_nodes_and_tensors(graph):
    t = tf.constant(1.0, name="t")
    graph.add_to_collection("things", t)
    graph.add_to_collection("things", t.op)
    assert list(exported("things").node_list.value) == ["t:0", "t"]


@pytest.mark.parametrize("items", [[1, "a"], [0.5, "a"], [object()], ["a", 1]])
def test_what_does_not_fit_is_left_out_with_a_warning(graph, items, caplog):
    for item in items:
        graph.add_to_collection("things", item)
    assert "things" not in tf.train.export_meta_graph().collection_def
    assert "Issue encountered when serializing things" in caplog.text


def test_keys_that_are_no_text(graph, caplog):
    graph.add_to_collection(("a", "tuple"), 1)
    graph.add_to_collection("empty", 1)
    graph.get_collection_ref("empty").clear()
    assert not tf.train.export_meta_graph(collection_list=[("a", "tuple"), "empty"]).collection_def
    assert "Only collections with string type keys will be serialized" in caplog.text


def test_any_protos_of_any_pool(graph):
    from google.protobuf import any_pb2

    graph.add_to_collection("things", any_pb2.Any(type_url="t/x", value=b"v"))
    meta = tf.train.export_meta_graph()
    assert meta.collection_def["things"].any_list.value[0].value == b"v"
    with tf.Graph().as_default() as other:
        tf.train.import_meta_graph(meta)
        assert other.get_collection("things")[0].type_url == "t/x"


def test_registered_protos(graph, monkeypatch):
    """A collection of the user's own, with functions both ways; items out of scope give None."""
    assert tf.train.Saver  # its module registers the functions of a collection too
    monkeypatch.setattr(graph_collections, "_PROTO_FUNCTIONS", dict(graph_collections._PROTO_FUNCTIONS))

    class Runner:
        def __init__(self, name: str) -> None:
            self.name = name

    def to_proto(runner: Runner, export_scope: str | None = None) -> Any:
        return QueueRunnerDef(queue_name=runner.name) if runner.name != "skip" else None

    def from_proto(proto: Any, import_scope: str | None = None) -> Runner:
        return Runner(f"{import_scope}|{proto.queue_name}")

    graph_collections.register_proto_function("my_runners", QueueRunnerDef, to_proto, from_proto)
    for name in ("one", "skip", "two"):
        graph.add_to_collection("my_runners", Runner(name))
    tf.constant(1.0)
    meta = tf.train.export_meta_graph()
    assert [QueueRunnerDef.FromString(v).queue_name for v in meta.collection_def["my_runners"].bytes_list.value] == [
        "one",
        "two",
    ]
    with tf.Graph().as_default() as other:
        tf.train.import_meta_graph(meta, import_scope="in")
        assert [r.name for r in other.get_collection("my_runners")] == ["in|one", "in|two"]


def test_variables_are_one_object_in_all_collections(graph):
    v = tf.get_variable("v", initializer=np.float32(1), use_resource=True)
    graph.add_to_collection("model_variables", v)
    graph.add_to_collection("global_step", v)
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as other:
        tf.train.import_meta_graph(meta)
        (again,) = other.get_collection("variables")
        assert other.get_collection("trainable_variables") == [again]
        assert other.get_collection("model_variables") == [again]
        assert [s.name for s in other.get_collection("global_step")] == ["v:0"]
        assert type(again) is type(v)


def test_files_of_old_versions_tell_trainable_by_membership(graph):
    """VariableDefs before 1.9 do not say whether the variable is trainable."""
    tf.get_variable("a", initializer=np.float32(1), use_resource=False)
    tf.get_variable("b", initializer=np.float32(1), trainable=False, use_resource=False)
    meta = tf.train.export_meta_graph()
    for key in ("variables", "trainable_variables"):
        values = meta.collection_def[key].bytes_list.value
        for i, value in enumerate(values):
            proto = VariableDef.FromString(value)
            proto.ClearField("trainable")
            values[i] = proto.SerializeToString()
    for version, trainable in (("1.4.0", ["a:0"]), ("0.12.head", ["a:0"]), ("1.15.2", []), ("", [])):
        meta.meta_info_def.tensorflow_version = version
        with tf.Graph().as_default() as other:
            tf.train.import_meta_graph(meta)
            assert [v.name for v in other.get_collection("variables") if v.trainable] == trainable, version


def test_old_node_lists_of_variables(graph, caplog):
    """Files of 2015 list variables by name: the tensors are taken, with a warning."""
    tf.get_variable("v", initializer=np.float32(1), use_resource=False)
    meta = tf.train.export_meta_graph(collection_list=[])
    meta.collection_def["trainable_variables"].node_list.value.append("v:0")
    with tf.Graph().as_default() as other:
        tf.train.import_meta_graph(meta)
        assert other.get_collection("trainable_variables") == [other.get_tensor_by_name("v:0")]
    assert "should be of type 'bytes_list'" in caplog.text


def test_text_below_a_scope(graph):
    """Text items get the scope in front, as TensorFlow does; without a scope they stay bytes."""
    tf.constant(1.0, name="c")
    graph.add_to_collection("notes", "hello")
    graph.add_to_collection("notes", b"\xff")
    graph.add_to_collection("numbers", 4)
    meta = tf.train.export_meta_graph()
    for scope, notes in (("in", ["in/hello", b"\xff"]), (None, [b"hello", b"\xff"])):
        with tf.Graph().as_default() as other:
            tf.train.import_meta_graph(meta, import_scope=scope)
            assert other.get_collection("notes") == notes
            assert other.get_collection("numbers") == [4]


@pytest.mark.parametrize(
    ("change", "error", "part"),
    [
        (lambda c: c["things"].node_list.value.append("gone:0"), errors.InvalidArgumentError, "collection 'things'"),
        (lambda c: c["variables"].bytes_list.value.append(b"\x0f"), errors.DataLossError, "no VariableDef"),
        (
            lambda c: c["variables"].bytes_list.value.append(VariableDef(variable_name="x:0").SerializeToString()),
            errors.InvalidArgumentError,
            "collection 'variables' does not fit the graph",
        ),
    ],
)
def test_collections_that_do_not_fit(graph, change, error, part):
    tf.constant(1.0)
    meta = tf.train.export_meta_graph()
    change(meta.collection_def)
    with tf.Graph().as_default(), pytest.raises(error, match=part):
        tf.train.import_meta_graph(meta)


def test_collection_without_a_kind_is_skipped(graph, caplog):
    tf.constant(1.0)
    meta = tf.train.export_meta_graph()
    meta.collection_def["odd"].SetInParent()
    with tf.Graph().as_default() as other:
        tf.train.import_meta_graph(MetaGraphDef.FromString(meta.SerializeToString()))
        assert other.get_collection("odd") == []
    assert "Cannot identify data type for collection odd" in caplog.text
