"""Nodes that lack attrs which their inputs tell run all the same, and keep their bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.proto import GraphDef


def placeholder(definition: GraphDef, name: str = "x", dtype: int = 1) -> None:
    definition.node.add(name=name, op="Placeholder").attr["dtype"].type = dtype


def constant(definition: GraphDef, name: str, value: Any) -> None:
    node = definition.node.add(name=name, op="Const")
    node.attr["value"].tensor.CopyFrom(icefloe.make_tensor_proto(value))


def run(definition: GraphDef, fetch: str, feeds: dict[str, Any]) -> Any:
    graph = icefloe.load_graph(definition)
    assert graph.as_graph_def() == definition
    with icefloe.Session(graph=graph) as session:
        return session.run(fetch, feeds)


@pytest.mark.parametrize(
    ("op", "inputs", "expected"),
    [
        ("Add", ["x", "c"], [2.0, 4.0]),
        ("Relu", ["x"], [1.0, 2.0]),
        ("AddN", ["x", "c", "x"], [3.0, 6.0]),
        ("Sum", ["x", "zero"], 3.0),
        ("Pack", ["x", "c"], [[1.0, 2.0], [1.0, 2.0]]),
        ("ConcatV2", ["x", "c", "zero"], [1.0, 2.0, 1.0, 2.0]),
        ("Identity", ["x"], [1.0, 2.0]),
        ("Shape", ["x"], [2]),
        ("GatherV2", ["x", "zero", "zero"], 1.0),
        ("Reshape", ["x", "rows"], [[1.0], [2.0]]),
    ],
)
def test_types_and_numbers_are_those_of_inputs(op: str, inputs: list[str], expected: Any) -> None:
    definition = GraphDef()
    placeholder(definition)
    constant(definition, "c", np.array([1.0, 2.0], np.float32))
    constant(definition, "zero", np.array(0, np.int32))
    constant(definition, "rows", np.array([2, 1], np.int32))
    definition.node.add(name="y", op=op, input=inputs)
    assert np.asarray(run(definition, "y:0", {"x:0": [1.0, 2.0]})).tolist() == expected


def test_lists_of_types_are_those_of_inputs() -> None:
    definition = GraphDef()
    placeholder(definition)
    placeholder(definition, "n", 3)
    definition.node.add(name="y", op="IdentityN", input=["x", "n"])
    assert run(definition, "y:1", {"x:0": 1.0, "n:0": 7}) == 7


def test_a_long_chain_is_no_recursion() -> None:
    definition = GraphDef()
    placeholder(definition)
    last = "x"
    for i in range(5000):
        definition.node.add(name=f"r{i}", op="Relu", input=[last])
        last = f"r{i}"
    assert run(definition, f"{last}:0", {"x:0": [-1.0, 2.0]}).tolist() == [0.0, 2.0]


def test_a_loop_of_such_nodes_is_an_error() -> None:
    definition = GraphDef()
    definition.node.add(name="merge", op="Merge", input=["next", "next"])
    definition.node.add(name="next", op="NextIteration", input=["merge"])
    graph = icefloe.load_graph(definition)
    with pytest.raises(errors.InvalidArgumentError, match="NodeDef missing attr 'T'"):
        graph.get_operation_by_name("merge").outputs


def test_what_nothing_tells_is_named() -> None:
    definition = GraphDef()
    definition.node.add(name="x", op="Placeholder")
    graph = icefloe.load_graph(definition)
    with pytest.raises(errors.InvalidArgumentError, match="NodeDef missing attr 'dtype' from op Placeholder"):
        graph.get_operation_by_name("x").outputs


def test_an_old_fused_convolution_without_the_types_of_its_arguments() -> None:
    definition = GraphDef()
    placeholder(definition)
    constant(definition, "w", np.ones((1, 1, 2, 1), np.float32))
    constant(definition, "b", np.array([0.5], np.float32))
    node = definition.node.add(name="y", op="_FusedConv2D", input=["x", "w", "b"])
    node.attr["T"].type = 1
    node.attr["num_args"].i = 1
    node.attr["padding"].s = b"SAME"
    node.attr["strides"].list.i.extend([1, 1, 1, 1])
    node.attr["fused_ops"].list.s.append(b"BiasAdd")
    assert run(definition, "y:0", {"x:0": np.ones((1, 1, 1, 2), np.float32)}).tolist() == [[[[2.5]]]]


def test_an_op_that_nobody_knows_tells_nothing() -> None:
    definition = GraphDef()
    definition.node.add(name="x", op="NobodyKnows")
    definition.node.add(name="y", op="Relu", input=["x"])
    with pytest.raises(errors.InvalidArgumentError, match="NodeDef missing attr 'T'"):
        icefloe.load_graph(definition).get_operation_by_name("y").outputs
