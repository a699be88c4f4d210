"""Transforms and inspection of graphs with what is odd in graphs that other people made."""

from __future__ import annotations

from pathlib import Path

import pytest

import icefloe as tf
from icefloe.lib import defun as function
from icefloe.transforms import comparing


def node(graph_def, name, op, inputs=(), **types):
    made = graph_def.node.add(name=name, op=op, input=list(inputs))
    for key, value in types.items():
        made.attr[key].type = value
    return made


def test_a_call_of_a_function_without_results_is_no_output(tmp_path: Path) -> None:
    definition = tf.GraphDef()
    definition.library.function.add().signature.name = "nothing"
    node(definition, "call", "nothing")
    assert tf.graphs.io(definition).outputs == ()
    tf.save_graph(tf.load_graph(definition), tmp_path / "a.pb")
    assert tf.graphs.convert(tmp_path / "a.pb", tmp_path / "b.pbtxt").outputs == {}


def test_a_node_of_an_op_that_nobody_knows_is_shown_as_an_end() -> None:
    definition = tf.GraphDef()
    node(definition, "x", "Placeholder", dtype=1)
    node(definition, "detections", "CustomPostProcess", ["x"])
    (output,) = tf.graphs.io(definition).outputs
    assert (output.name, output.dtype) == ("detections:0", "unknown")
    node(definition, "unused", "NoOp")
    changed = [change(definition) for change in (tf.graphs.strip, tf.graphs.freeze, tf.graphs.extract)]
    for found in (*changed, tf.graphs.optimize(definition, ["detections", "detections:3"])):
        assert [n.name for n in found.graph_def.node] == ["x", "detections"]
        assert found.outputs[0] == "detections:0"
        assert found.check.status == "not checked"
        assert "The name 'detections:0' refers to a Tensor which does not exist" in found.check.detail
    with pytest.raises(ValueError, match="name"):
        tf.graphs.strip(definition, ["detections:x"])


def test_a_graph_that_takes_nothing_becomes_a_saved_model(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.add(tf.constant([1.0, 2.0]), 1.0, name="y")
    tf.save_graph(graph, tmp_path / "frozen.pb")
    found = tf.graphs.convert(tmp_path / "frozen.pb", tmp_path / "model", outputs="y:0")
    assert (found.inputs, list(found.outputs.values())) == ({}, ["y:0"])
    assert tf.load_saved_model(tmp_path / "model").session.run("y:0").tolist() == [2.0, 3.0]


def test_old_and_new_are_compared_where_a_variable_holds_text_or_complex_numbers() -> None:
    with tf.Graph().as_default() as graph:
        words = tf.get_variable("words", [2], tf.string, initializer=tf.constant_initializer("a"))
        phases = tf.Variable(tf.constant([1j, 2j]), name="phases")
        tf.identity(words, name="text")
        tf.multiply(phases, 2.0, name="turned")
    for outputs in (["text"], ["turned"]):
        found = tf.graphs.extract(graph, outputs).check
        assert (found.status, found.detail) == ("equal", "1 outputs on random feeds")


def test_constants_in_loops_and_branches_are_moved_to_a_checkpoint(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")

        def inner(i, total):
            return tf.while_loop(
                lambda j, _: j < 2,
                lambda j, t: [j + 1, t + tf.constant([1.0, 2.0, 3.0], name="row")],
                [0, total],
                name="inner",
            )[1]

        _, total = tf.while_loop(
            lambda i, _: i < 3, lambda i, t: [i + 1, inner(i, t) + tf.constant([0.5], name="half")], [0, tf.zeros([3])]
        )
        picked = tf.cond(x > 0, lambda: tf.constant([10.0, 20.0, 30.0], name="a"), lambda: tf.constant([1.0], name="b"))
        tf.add(total, picked, name="y")
    with tf.Session(graph=graph) as session:
        expected = [session.run("y:0", {"x:0": value}).tolist() for value in (1.0, -1.0)]
    found = tf.graphs.unconst(graph, tmp_path / "model", ["y"], min_bytes=1)
    assert found.check.status == "equal"
    with tf.Graph().as_default():
        saver = tf.train.import_meta_graph(str(tmp_path / "model.meta"))
        with tf.Session() as session:
            saver.restore(session, str(tmp_path / "model"))
            assert [session.run("y:0", {"x:0": value}).tolist() for value in (1.0, -1.0)] == expected


def test_a_table_that_a_function_fills_is_filled_after_every_transform() -> None:
    with tf.Graph().as_default() as graph:
        table = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, name="table")

        @function.Defun(tf.resource)
        def fill(handle):
            with tf.control_dependencies(
                [
                    tf.raw_ops.InitializeTableV2(
                        table_handle=handle, keys=["a", "b"], values=tf.constant([7, 8], tf.int64)
                    )
                ]
            ):
                return tf.constant(1)

        @function.Defun(tf.resource)
        def fill_all(handle):
            return fill(handle)

        fill_all(table, name="init")
        word = tf.placeholder(tf.string, [None], name="word")
        default = tf.constant(-1, tf.int64)
        found = tf.raw_ops.LookupTableFindV2(table_handle=table, keys=word, default_value=default)
        tf.identity(found, name="found")
    for change in (tf.graphs.freeze, tf.graphs.extract, tf.graphs.strip, tf.graphs.optimize):
        made = change(graph, outputs=["found"])
        assert (made.check.detail, made.check.status) == ("1 outputs on random feeds", "equal")
        with tf.Session(graph=tf.load_graph(made.graph_def)) as session:
            session.run([session.graph.get_operation_by_name(name) for name in made.initializers])
            assert session.run("found:0", {"word:0": [b"b", b"c"]}).tolist() == [8, -1]
    renamed = tf.graphs.rename(graph, lambda name: f"scope/{name}", ["found"])
    assert (renamed.initializers, renamed.check.status) == (("scope/init",), "equal")


def test_old_and_new_are_not_compared_where_that_would_wait_for_ever() -> None:
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(4, [tf.float32], shapes=[[2]], name="queue")
        tf.negative(queue.dequeue(name="record"), name="y")
        with tf.control_dependencies([queue.enqueue([[1.0, 2.0]])]):
            tf.negative(queue.dequeue(name="own"), name="z")
    check = tf.graphs.strip(graph, ["y"]).check
    assert (check.status, check.detail) == (
        "not checked",
        "the graph would wait for what record (QueueDequeueV2) takes: give it as an input",
    )
    assert tf.graphs.strip(graph, ["y"], ["record:0"]).check.status == "equal"
    assert tf.graphs.extract(graph, ["z"]).check.status == "equal"
    joined = tf.graphs.stitch(graph, graph, {"record:0": "y:0"}, ["y"], prefix="second")
    assert "would wait" in joined.check.detail


def test_comparing_old_and_new_has_an_end(monkeypatch) -> None:
    monkeypatch.setattr(comparing, "RUN_OPTIONS", tf.RunOptions(timeout_in_ms=30))
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        tf.identity(tf.while_loop(lambda v: v < 1e30, tf.identity, [x]), name="y")
    check = tf.graphs.extract(graph, ["y"]).check
    assert check.status == "not checked"
    assert check.detail.startswith("the graph runs for too long")


def test_fixing_a_graph_of_a_tpu_whose_end_is_taken_out() -> None:
    definition = tf.GraphDef()
    node(definition, "setup", "ConfigureDistributedTPU")
    node(definition, "x", "Placeholder", dtype=1)
    node(definition, "y", "Neg", ["x", "^setup"], T=1)
    assert [n.name for n in tf.graphs.fix(definition).graph_def.node] == ["x", "y"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="setup:0: only a TPU has this"):
        tf.graphs.fix(definition, ["setup"])


def test_stitching_moves_control_edges_and_outputs_too() -> None:
    with tf.Graph().as_default() as first:
        tf.negative(tf.placeholder(tf.float32, [2], name="x"), name="y")
    with tf.Graph().as_default() as second:
        given = tf.placeholder(tf.float32, [2], name="given")
        with tf.control_dependencies([given]):
            tf.constant(7.0, name="after")
        tf.exp(given, name="z")
    found = tf.graphs.stitch(first, second, {"given:0": "y:0"}, ["given", "z", "after"], prefix="b")
    assert found.outputs == ("y:0", "b/z:0", "b/after:0")
    assert (found.inputs, found.check.status) == (("x:0",), "equal")
    assert {n.name: list(n.input) for n in found.graph_def.node}["b/after"] == ["^y"]


def test_a_meta_graph_whose_graph_is_a_library_alone_is_told(tmp_path: Path) -> None:
    definition = tf.GraphDef()
    definition.library.function.add().signature.name = "f"
    definition.library.gradient.add(function_name="f", gradient_func="g")
    meta = tf.MetaGraphDef(graph_def=definition)
    meta.meta_info_def.tensorflow_version = "2.21.0"
    (tmp_path / "m.meta").write_bytes(meta.SerializeToString())
    (tmp_path / "g.pb").write_bytes(definition.SerializeToString())
    assert [tf.identify(tmp_path / name).kind for name in ("m.meta", "g.pb")] == ["meta_graph", "graph"]
    assert len(tf.load_graph(tmp_path / "m.meta").as_graph_def().library.function) == 1


def test_what_a_signature_feeds_stays_also_in_the_middle_of_the_graph() -> None:
    with tf.Graph().as_default() as graph:
        record = tf.placeholder(tf.float32, [2], name="record")
        x = tf.identity(record * 2.0, name="x")
        tf.negative(tf.identity(x, name="again"), name="y")
        infos = [{key: tf.saved_model.build_tensor_info(graph.get_tensor_by_name(f"{key}:0"))} for key in "xy"]
    graph.signature_defs["serving_default"] = tf.saved_model.build_signature_def(*infos)
    for found in (tf.graphs.strip(graph), tf.graphs.optimize(graph)):
        names = [n.name for n in found.graph_def.node]
        assert ("x" in names, "again" in names) == (True, False)
        with tf.Session(graph=tf.load_graph(found.graph_def)) as session:
            assert session.run("y:0", {"x:0": [1.0, 2.0]}).tolist() == [-1.0, -2.0]


def test_constants_on_devices_that_are_none_are_moved_to_a_checkpoint(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.negative(tf.constant([1.0, 2.0], name="c"), name="y")
    definition = graph.as_graph_def()
    definition.node[0].device = "1"
    found = tf.graphs.unconst(definition, tmp_path / "m", min_bytes=1)
    assert (found.check.status, found.graph_def.node[0].device) == ("equal", "")


def test_types_are_mended_that_constants_and_lists_of_inputs_tell() -> None:
    definition = tf.GraphDef()
    node(definition, "c", "Const").attr["value"].tensor.CopyFrom(tf.make_tensor_proto(3))
    node(definition, "y", "Neg", ["c"], T=0)
    node(definition, "z", "Pack", ["c", "y"]).attr["N"].i = 2
    found = tf.graphs.fix(definition)
    with tf.Session(graph=tf.load_graph(found.graph_def)) as session:
        assert session.run("z:0").tolist() == [3, -3]
    assert [report.changed for report in found.passes if report.name == "attrs"] == [3]


def test_a_saved_model_keeps_inputs_that_its_outputs_do_not_need(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, unused = (tf.placeholder(tf.float32, [2], name=f"{name}_given") for name in ("x", "unused"))
        z = tf.negative(x, name="z_made")
        infos = [
            {key: tf.saved_model.build_tensor_info(tensor) for key, tensor in side.items()}
            for side in ({"x": x, "unused": unused}, {"z": z})
        ]
        builder = tf.saved_model.Builder(str(tmp_path / "old"))
        signature = tf.saved_model.build_signature_def(*infos, tf.saved_model.PREDICT_METHOD_NAME)
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    done = tf.graphs.convert(tmp_path / "old", tmp_path / "new", to="saved_model")
    assert (done.inputs, done.outputs) == ({"unused": "unused_given:0", "x": "x_given:0"}, {"z": "z_made:0"})
    with tf.load_saved_model(tmp_path / "new") as model:
        found = model.signatures["serving_default"](x=[1.0, 2.0], unused=[0.0, 0.0])
    assert found["z"].tolist() == [-1.0, -2.0]


def test_scatters_into_frozen_variables_are_mended_or_left_with_a_note() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [3], tf.float32, use_resource=False)
        tf.identity(tf.raw_ops.ScatterNdSub(ref=v._ref(), indices=[[1]], updates=[2.0]), name="sub")
        tf.identity(tf.raw_ops.ScatterAdd(ref=v._ref(), indices=[2, 2, 0], updates=[1.0, 1.0, 5.0]), name="add")
        tf.identity(tf.raw_ops.ScatterDiv(ref=v._ref(), indices=[1], updates=[2.0]), name="div")
        tf.identity(tf.raw_ops.ScatterMin(ref=v._ref(), indices=2, updates=1.0), name="min")
    definition = graph.as_graph_def()
    for item in definition.node:
        if item.name == "v":  # what another tool made of the variable
            item.op = "Const"
            item.ClearField("attr")
            item.attr["dtype"].type = 1
            item.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([4.0, 6.0, 8.0]))
    found = tf.graphs.fix(definition, ["sub", "add", "div", "min"])
    ops = {n.op for n in found.graph_def.node if "catter" in n.op}
    assert ops == {"TensorScatterSub", "TensorScatterAdd", "ScatterDiv", "ScatterMin"}
    assert any("ScatterDiv has no form for a value" in line for report in found.passes for line in report.notes)
    with tf.Session(graph=tf.load_graph(found.graph_def)) as session:
        sub, add, div = session.run(["sub:0", "add:0", "div:0"])
    assert (sub.tolist(), add.tolist(), div.tolist()) == ([4.0, 4.0, 8.0], [9.0, 6.0, 10.0], [4.0, 3.0, 8.0])


def test_recorded_shapes_of_a_table_do_not_outlive_its_handle() -> None:
    with tf.Graph().as_default() as graph:
        tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, name="table")
    (item,) = tf.graphs.downgrade(graph.as_graph_def(add_shapes=True), "1.0").graph_def.node
    assert (item.op, "_output_shapes" in item.attr) == ("HashTable", False)
