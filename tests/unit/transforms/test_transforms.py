"""Extracting, stripping, optimizing and fixing graphs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import icefloe as tf

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "freezing"


def run(transformed, feeds, names):
    with tf.Session(graph=tf.load_graph(transformed.graph_def)) as session:
        return session.run(names, feeds)


def kinds(transformed):
    return [node.op for node in transformed.graph_def.node]


def test_extract_cuts_on_both_sides():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        middle = tf.exp(x, name="middle")
        tf.negative(middle, name="y")
        tf.square(middle, name="other")
    found = tf.graphs.extract(graph, ["y"], ["middle"])
    assert kinds(found) == ["Placeholder", "Neg"]
    assert found.check.status == "equal"
    assert run(found, {"middle:0": [1.0, 2.0]}, "y:0").tolist() == [-1.0, -2.0]


def test_extract_at_one_of_several_outputs():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        first, second = tf.split(x, 2, name="parts")
        tf.add(first, second, name="y")
    found = tf.graphs.extract(graph, ["y"], ["parts:1"])
    assert sorted(found.inputs) == ["parts_1:0", "x:0"]
    assert found.check.status == "equal"


def test_extract_of_what_is_not_there():
    with pytest.raises((KeyError, ValueError)):
        tf.graphs.extract(tf.Graph(), ["y"])


def test_strip_takes_checks_summaries_and_training_nodes_out():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        with tf.control_dependencies([tf.Assert(tf.reduce_all(x > -5), [x]), tf.summary.scalar("s", x[0])]):
            y = tf.identity(x)
        tf.add(tf.stop_gradient(y), 1.0, name="y")
    found = tf.graphs.strip(graph, ["y"])
    assert sorted(kinds(found)) == ["AddV2", "Const", "Placeholder"]
    assert found.check.status == "equal"
    kept = tf.graphs.strip(graph, ["y"], checks=False, summaries=False, training=False)
    assert {"ScalarSummary", "StopGradient"} <= set(kinds(kept))


def test_strip_takes_devices_and_notes_out():
    with tf.Graph().as_default() as graph, tf.device("/gpu:1"):
        tf.add(tf.placeholder(tf.float32, name="x"), 1.0, name="y")
    graph.get_operation_by_name("y")._set_attr("_output_shapes", tf.proto.AttrValue())
    found = tf.graphs.strip(graph, ["y"], devices=True, notes=True)
    assert not [node for node in found.graph_def.node if node.device or "_output_shapes" in node.attr]


def conv_graph(kind):
    rng = np.random.default_rng(3)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 5, 5, 3], name="x")
        if kind == "depthwise":
            y = tf.nn.depthwise_conv2d(x, tf.constant(rng.normal(size=(3, 3, 3, 2)), tf.float32), [1, 1, 1, 1], "SAME")
        elif kind == "matmul":
            y = tf.matmul(tf.reshape(x, [50, 3]), tf.constant(rng.normal(size=(6, 3)), tf.float32), transpose_b=True)
        else:
            y = tf.nn.conv2d(x, tf.constant(rng.normal(size=(3, 3, 3, 6)), tf.float32), 1, "SAME")
        scale, offset, mean = (tf.constant(rng.normal(size=6), tf.float32) for _ in range(3))
        variance = tf.constant(rng.uniform(0.5, 2, size=6), tf.float32)
        if kind in ("matmul", "written out"):
            factor = tf.rsqrt(variance + 1e-3) * scale
            y = y * factor + (offset - mean * factor)
        else:
            y = tf.nn.fused_batch_norm(y, scale, offset, mean, variance, is_training=False)[0]
        tf.nn.relu(y, name="y")
    return graph


@pytest.mark.parametrize("kind", ["conv", "depthwise", "matmul", "written out"])
def test_batch_normalisations_are_folded(kind):
    found = tf.graphs.optimize(conv_graph(kind), ["y"])
    assert not {"FusedBatchNormV3", "Mul", "Rsqrt"} & set(kinds(found))
    assert found.check.status == "equal"


def test_a_layer_that_others_use_keeps_its_normalisation():
    graph = conv_graph("conv")
    with graph.as_default():
        tf.add(graph.get_tensor_by_name("Conv2D:0"), graph.get_tensor_by_name("y:0"), name="z")
    found = tf.graphs.optimize(graph, ["z"])
    assert "FusedBatchNormV3" in kinds(found)
    assert found.check.status == "equal"


def test_constants_shapes_identities_and_duplicates():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3, 4], name="x")
        size = tf.cast(tf.size(x) + 2, tf.float32)
        a = tf.exp(tf.identity(x)) * size
        b = tf.exp(x) * size
        tf.add(a, b, name="y")
    found = tf.graphs.optimize(graph, ["y"])
    assert sorted(kinds(found)) == ["AddV2", "Const", "Exp", "Mul", "Placeholder"]
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_allclose(run(found, {"x:0": x}, "y:0"), 2 * np.exp(x) * 14, rtol=1e-6)


def test_what_is_random_waits_or_fails_is_not_folded():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [], name="x")
        tf.add(tf.random_uniform([2], seed=1), tf.random_uniform([2], seed=1), name="noise")
        zero = tf.constant(0)
        tf.add(x, tf.cond(x > 0, lambda: tf.constant(6), lambda: tf.constant(6) // zero), name="y")
    found = tf.graphs.optimize(graph, ["y", "noise"], check=False)
    assert kinds(found).count("RandomUniform") == 2
    assert run(found, {"x:0": 1}, "y:0") == 7


def test_outputs_keep_their_names():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.identity(tf.exp(x), name="a")
        tf.identity(tf.exp(x), name="b")
        tf.identity(tf.constant([1.0]) + 2.0, name="c")
    found = tf.graphs.optimize(graph, ["a", "b", "c"])
    assert found.check.status == "equal"
    values = run(found, {"x:0": [0.0, 1.0]}, ["a:0", "b:0", "c:0"])
    np.testing.assert_allclose(values[0], values[1])
    assert values[2].tolist() == [3.0]


def test_dropout_is_taken_out_when_asked_for():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [100], name="x")
        tf.add(tf.nn.dropout(x, keep_prob=0.5), 1.0, name="y")
    assert "RandomUniform" in kinds(tf.graphs.optimize(graph, ["y"]))
    found = tf.graphs.optimize(graph, ["y"], passes=["dropout"])
    assert kinds(found) == ["Placeholder", "Const", "AddV2"]


def test_an_unknown_pass_is_refused():
    with pytest.raises(ValueError, match="there are identities"):
        tf.graphs.optimize(tf.Graph(), [], passes=["magic"])


def test_optimizing_conditionals_and_loops():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.identity(v) * (1.0 + 1.0)), [0, x])[1]
        tf.cond(y > 0, lambda: tf.identity(y) + (2.0 * tf.constant(3.0)), lambda: tf.identity(y), name="z")
    found = tf.graphs.optimize(graph, ["z/Merge"])
    assert found.check.status == "equal"
    assert run(found, {"x:0": 1.0}, "z/Merge:0") == 14.0


def test_graph_frozen_with_references_is_fixed():
    broken = tf.load_graph(FIXTURES / "averages" / "frozen_by_tensorflow.pb")
    assert {"AssignSub", "RefSwitch"} & {op.type for op in broken.get_operations()}
    found = tf.graphs.fix(broken, ["y"])
    assert not {"AssignSub", "RefSwitch", "Assign"} & set(kinds(found))
    with np.load(FIXTURES / "averages" / "expected.npz") as expected:
        np.testing.assert_allclose(run(found, {"x:0": expected["in/x:0"]}, "y:0"), expected["out/y:0"], rtol=1e-6)


def definition(*nodes):
    result = tf.proto.GraphDef()
    for name, op, inputs, attrs in nodes:
        node = result.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            if isinstance(value, int):
                node.attr[key].type = value
            else:
                node.attr[key].MergeFrom(value)
    return result


def test_missing_and_unknown_attrs_are_fixed():
    graph = tf.load_graph(
        definition(
            ("x", "Placeholder", [], {"dtype": 1}),
            ("sum", "Add", ["x", "x"], {}),
            ("y", "Neg", ["sum"], {"future": tf.proto.AttrValue(b=True)}),
        )
    )
    found = tf.graphs.fix(graph, ["y"])
    assert [node.attr["T"].type for node in found.graph_def.node[1:]] == [1, 1]
    assert "future" not in found.graph_def.node[2].attr
    assert run(found, {"x:0": 2.0}, "y:0") == -4.0


def test_wrong_recorded_shapes_and_lost_control_inputs_are_fixed():
    shape = tf.proto.AttrValue()
    shape.list.shape.add().dim.add(size=7)
    graph_def = definition(
        ("x", "Placeholder", [], {"dtype": 1, "shape": tf.proto.AttrValue(shape={"dim": [{"size": 2}]})}),
        ("y", "Neg", ["x", "^gone"], {"T": 1, "_output_shapes": shape}),
    )
    found = tf.graphs.fix(graph_def, ["y"])
    assert found.check.status == "not checked"
    node = found.graph_def.node[1]
    assert list(node.input) == ["x"]
    assert "_output_shapes" not in node.attr


def test_tpu_wrappers_are_fixed():
    graph_def = definition(
        ("x", "Placeholder", [], {"dtype": 1}),
        ("meta", "TPUReplicateMetadata", [], {}),
        ("in", "TPUReplicatedInput", ["x"], {"T": 1}),
        ("y", "Neg", ["in", "^meta"], {"T": 1, "_tpu_replicate": tf.proto.AttrValue(s=b"cluster")}),
    )
    found = tf.graphs.fix(tf.load_graph(graph_def), ["y"])
    assert kinds(found) == ["Placeholder", "Identity", "Neg"]
    assert run(found, {"x:0": 2.0}, "y:0") == -2.0


def test_lost_inputs_are_listed():
    graph_def = definition(("y", "Neg", ["gone:1"], {"T": 1}))
    with pytest.raises(tf.errors.InvalidArgumentError, match="y takes gone:1"):
        tf.graphs.fix(graph_def)


def test_a_transform_that_changes_values_is_refused(monkeypatch):
    from icefloe.transforms import optimizing
    from icefloe.transforms.reports import PassReport

    def spoil(nodes, outputs):
        nodes["two"].attr["value"].tensor.float_val[:] = [3.0]
        return PassReport("spoil")

    with tf.Graph().as_default() as graph:
        tf.multiply(tf.placeholder(tf.float32, [2], name="x"), tf.constant(2.0, name="two"), name="y")
    monkeypatch.setitem(optimizing.PASSES, "constants", spoil)
    with pytest.raises(tf.errors.InternalError, match="gives other values"):
        tf.graphs.optimize(graph, ["y"])


def test_resizing_and_padding_join_the_convolution():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 4, 4, 2], name="x")
        image = tf.image.resize_bilinear(x, [8, 8], align_corners=True)
        image = tf.pad(image, [[0, 0], [1, 1], [2, 2], [0, 0]], mode="SYMMETRIC")
        weights = tf.constant(np.random.default_rng(1).normal(size=(3, 3, 2, 4)), tf.float32)
        tf.nn.conv2d(image, weights, 1, "VALID", name="y")
    found = tf.graphs.optimize(graph, ["y"], passes=["resizing"])
    assert "FusedResizeAndPadConv2D" in kinds(found)
    assert not {"Conv2D", "MirrorPad", "ResizeBilinear"} & set(kinds(found))
    assert found.check.status == "equal"
