"""Parts of graphs exported and imported: scopes, inputs from outside, devices, Savers, values that still flow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.meta_graph import export as exporting
from icefloe.proto import GraphDebugInfo, MetaGraphDef
from icefloe.saver.meta_files import import_meta_graph_with_return_elements


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def model() -> None:
    """`net/y = x * net/v`, with an input from outside the scope and a variable in it."""
    x = tf.placeholder(tf.float32, [2], name="x")
    with tf.variable_scope("net"):
        v = tf.get_variable("v", initializer=np.float32([2, 3]), use_resource=False)
        tf.add_to_collection("heads", tf.multiply(x, v, name="y"))
    with tf.variable_scope("net_2"):
        tf.get_variable("w", initializer=np.float32(1), use_resource=True)


def test_scope_without_its_neighbours(graph):
    model()
    meta = tf.train.export_meta_graph(export_scope="net")
    assert [n.name for n in meta.graph_def.node] == ["v/initial_value", "v", "v/Assign", "v/read", "y"]
    assert list(meta.graph_def.node[-1].input) == ["$unbound_inputs_x", "v/read"]
    assert list(meta.collection_def["heads"].node_list.value) == ["y:0"]
    assert list(meta.collection_def["unbound_inputs"].bytes_list.value) == [b"$unbound_inputs_x"]
    assert len(meta.collection_def["variables"].bytes_list.value) == 1
    assert tf.train.export_meta_graph(export_scope="net/") == meta


def test_unbound_inputs_must_be_mapped(graph):
    model()
    meta = tf.train.export_meta_graph(export_scope="net")
    with tf.Graph().as_default() as other:
        with pytest.raises(ValueError, match=r"Graph contains unbound inputs: \$unbound_inputs_x. Must provide these"):
            tf.train.import_meta_graph(meta, import_scope="copy")
        feed = tf.constant([10.0, 20.0])
        saver = tf.train.import_meta_graph(meta, import_scope="copy", input_map={"$unbound_inputs_x": feed})
        assert saver is not None  # made anew for the variable: an export without a Saver names none
        with tf.Session(graph=other) as session:
            session.run(tf.global_variables_initializer())
            assert session.run("copy/y:0").tolist() == [20, 60]
        assert other.get_collection("unbound_inputs") == []


def test_imported_twice_restores_apart(graph, tmp_path):
    """Two copies of a model in one graph, each with its own Saver and values."""
    model()
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = saver.save(session, str(tmp_path / "first"))
        session.run(tf.assign(graph.get_tensor_by_name("net/v:0"), [7, 8]))
        second = saver.save(session, str(tmp_path / "second"), write_meta_graph=False)
    with tf.Graph().as_default() as other, tf.Session(graph=other) as session:
        savers = [tf.train.import_meta_graph(first + ".meta", import_scope=scope) for scope in ("a", "a", "b")]
        for restorer, path in zip(savers, (first, second, second), strict=True):
            restorer.restore(session, path)
        names = ["a/net/v:0", "a_1/net/v:0", "b/net/v:0"]
        assert [v.tolist() for v in session.run(names)] == [[2, 3], [7, 8], [7, 8]]
        assert [s.as_saver_def().restore_op_name for s in savers] == [
            "a/save/restore_all",
            "a_1/save/restore_all",
            "b/save/restore_all",
        ]
        savers[1].save(session, str(tmp_path / "again"), write_meta_graph=False)
    assert [n for n, _ in tf.train.list_variables(tmp_path / "again")] == ["net/v", "net_2/w"]


def test_import_without_saver_or_variables(graph):
    tf.constant(1.0, name="c")
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        assert tf.train.import_meta_graph(meta) is None


def test_return_elements_and_message_of_bytes(graph, tmp_path):
    model()
    tf.train.export_meta_graph(tmp_path / "m.meta")
    with tf.Graph().as_default() as other:
        saver, elements = import_meta_graph_with_return_elements(
            str(tmp_path / "m.meta"), import_scope="in", return_elements=["net/y:0", "net/v"]
        )
        assert elements == [other.get_tensor_by_name("in/net/y:0"), other.get_operation_by_name("in/net/v")]
        assert saver is not None


def test_clear_devices_leaves_the_message_alone(graph):
    with tf.device("/cpu:0"):
        tf.constant(1.0, name="c")
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as other:
        tf.train.import_meta_graph(meta, clear_devices=True)
        assert other.get_operation_by_name("c").device == ""
    assert meta.graph_def.node[0].device == "/device:CPU:0"
    assert tf.train.export_meta_graph(clear_devices=True).graph_def.node[0].device == ""


def test_meta_info_is_kept_and_versions_set(graph):
    model()
    info = MetaGraphDef.MetaInfoDef(tags=["serve"], meta_graph_version="x", tensorflow_version="0")
    meta = tf.train.export_meta_graph(meta_info_def=info)
    assert (list(meta.meta_info_def.tags), meta.meta_info_def.meta_graph_version) == (["serve"], "x")
    assert meta.meta_info_def.tensorflow_version == tf.VERSION == "2.21.0"
    assert meta.meta_info_def.tensorflow_git_version == tf.GIT_VERSION
    assert info.tensorflow_version == "0"


@pytest.mark.parametrize("argument", ["meta_info_def", "graph_def", "saver_def"])
def test_arguments_of_another_type(graph, argument):
    with pytest.raises(TypeError, match=f"{argument} must be of type"):
        tf.train.export_meta_graph(**{argument: "x"})
    with pytest.raises(TypeError):
        tf.train.import_meta_graph(42)


def test_graph_def_in_place_of_the_graphs(graph):
    model()
    definition = graph.as_graph_def()
    del definition.node[1:]
    meta = tf.train.export_meta_graph(graph_def=definition, graph=graph)
    assert [n.name for n in meta.graph_def.node] == ["x"]
    assert "variables" in meta.collection_def


def test_too_large_is_said(graph, monkeypatch):
    model()
    monkeypatch.setattr(exporting, "_MAX_BYTES", 100)
    with pytest.raises(errors.InvalidArgumentError, match="GraphDef cannot be larger than 2GB. Received size:"):
        tf.train.export_meta_graph()


def test_debug_info_says_where_nodes_were_made(graph, tmp_path):
    """In the tables that TensorFlow fills: `op@` -> trace -> frames -> file and line."""
    model()
    made = tf.constant(1.0, name="here")
    tf.train.export_meta_graph(tmp_path / "m.meta", save_debug_info=True)
    info = GraphDebugInfo.FromString((tmp_path / "m.debug").read_bytes())
    assert set(info.name_to_trace_id) == {f"{op.name}@" for op in graph.get_operations()}
    (frame,) = info.traces_by_id[info.name_to_trace_id["here@"]].frame_id
    place = info.frames_by_id[frame]
    assert info.files[place.file_index] == __file__
    assert (place.line, place.func) == (made.op.traceback[0].lineno, "test_debug_info_says_where_nodes_were_made")


def test_loops_keep_their_frames_within_a_scope(graph):
    """An Enter's frame is named below the scope: the name goes with it."""
    with tf.name_scope("part"):
        x = tf.constant(1.0, name="x")
        tf.raw_ops.Enter(data=x, frame_name="part/while/context", name="enter")
    meta = tf.train.export_meta_graph(export_scope="part")
    assert meta.graph_def.node[1].attr["frame_name"].s == b"while/context"


def test_a_saver_of_another_scope_is_left_out(graph):
    model()
    keep = tf.train.Saver(name="keep")
    tf.train.Saver(name="drop")
    graph.add_to_collection("savers", keep)
    meta = tf.train.export_meta_graph(saver_def=keep.as_saver_def(), clear_extraneous_savers=True)
    names = {n.name.partition("/")[0] for n in meta.graph_def.node}
    assert "keep" in names
    assert "drop" not in names
    assert len(meta.collection_def["savers"].bytes_list.value) == 1
