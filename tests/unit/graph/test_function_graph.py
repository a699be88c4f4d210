"""Functions become graphs: names resolved, attrs bound, side effects listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from icefloe import datatypes, errors
from icefloe.graph.function_graph import instantiate
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.proto import AttrValue, FunctionDef

FILES = Path(__file__).resolve().parents[3] / "fixtures" / "graphs" / "files"


def function(**fields: Any) -> Graph:
    """Return a graph whose library holds one function `f` with these fields."""
    graph = Graph()
    definition = FunctionDef(**fields)
    definition.signature.name = "f"
    graph.add_function(definition)
    return graph


def test_functions_that_tensorflow_wrote_have_their_arguments_and_results() -> None:
    graph = read_graph(FILES / "functions.pb")
    told = {}
    for name in graph.functions:
        body = instantiate(graph, name)
        told[name.rstrip("0123456789").rstrip("_")] = (
            [t.name for t in body.inputs],
            [t.name for t in body.outputs],
            [t.dtype.name for t in body.outputs],
        )
    assert told["loop_body"] == (
        ["loop_loop_counter:0", "loop_maximum_iterations_0:0", "placeholder:0", "placeholder_1:0"],
        ["add_1_0:0", "loop_maximum_iterations_0:0", "add_0:0", "mul_0:0"],
        ["int32", "int32", "int32", "float32"],
    )
    assert told["square"] == (["a:0"], ["mul_0:0"], ["float32"])


def test_types_and_list_lengths_come_from_the_call() -> None:
    graph = function(
        signature={
            "input_arg": [{"name": "xs", "type_attr": "T", "number_attr": "N"}, {"name": "y", "type_attr": "T"}],
            "output_arg": [{"name": "first", "type_attr": "T"}, {"name": "all", "type_attr": "T", "number_attr": "N"}],
            "attr": [{"name": "T", "type": "type"}, {"name": "N", "type": "int"}],
        },
        node_def=[
            {"name": "sum", "op": "AddV2", "input": ["xs:1", "y"], "attr": {"T": AttrValue(placeholder="T")}},
            {
                "name": "split",
                "op": "IdentityN",
                "input": ["sum:z:0", "xs:0"],
                "attr": {"T": AttrValue(list={"type": [3, 3]})},
            },
        ],
        ret={"first": "split:output:1", "all": "split:output"},
    )
    body = instantiate(graph, "f", {"T": AttrValue(type=3), "N": AttrValue(i=2)})
    assert [t.name for t in body.inputs] == ["xs_0:0", "xs_1:0", "y:0"]
    assert [t.name for t in body.graph.get_operation_by_name("sum").inputs] == ["xs_1:0", "y:0"]
    assert body.graph.get_tensor_by_name("sum:0").dtype == datatypes.int32
    assert [t.name for t in body.outputs] == ["split:1", "split:0", "split:1"]


def test_stateful_ops_and_control_results_must_run() -> None:
    graph = function(
        signature={"output_arg": [{"name": "y", "type": 20}], "control_output": ["done"]},
        node_def=[
            {"name": "handle", "op": "VarHandleOp", "attr": {"dtype": AttrValue(type=1), "shape": AttrValue(shape={})}},
            {"name": "end", "op": "NoOp", "input": ["^handle"]},
            {"name": "idle", "op": "NoOp"},
        ],
        ret={"y": "handle:resource:0"},
        control_ret={"done": "end"},
    )
    assert [op.name for op in instantiate(graph, "f").must_run] == ["handle", "end"]


def test_a_function_may_return_its_argument_and_call_another() -> None:
    graph = function(
        signature={"input_arg": [{"name": "x", "type": 1}], "output_arg": [{"name": "x_out", "type": 1}, {"name": "y", "type": 1}]},
        node_def=[{"name": "call", "op": "g", "input": ["x"]}],
        ret={"x_out": "x", "y": "call:out:0"},
    )  # fmt: skip
    other = FunctionDef()
    other.signature.name = "g"
    other.signature.input_arg.add(name="a", type=1)
    other.signature.output_arg.add(name="out", type=1)
    other.ret["out"] = "a"
    graph.add_function(other)
    body = instantiate(graph, "f")
    assert [t.name for t in body.outputs] == ["x:0", "call:0"]
    assert body.graph.functions is graph.functions


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"node_def": [{"name": "n", "op": "LoopCond", "input": ["gone"]}]}, "Node 'n': Unknown input node 'gone'"),
        ({"node_def": [{"name": "n", "op": "NoOp", "input": ["^gone"]}]}, r"Node 'n': Unknown input node '\^gone'"),
        ({"node_def": [{"name": "n", "op": "NoOp"}, {"name": "n", "op": "NoOp"}]}, "Node 'n' is not unique"),
        (
            {"node_def": [{"name": "n", "op": "Identity", "attr": {"T": AttrValue(placeholder="T")}}]},
            "attr 'T', which was not",
        ),
        ({"signature": {"output_arg": [{"name": "y", "type": 1}]}}, "Return value 'y' is missing"),
        ({"signature": {"output_arg": [{"name": "y", "type": 1}]}, "ret": {"y": "gone:z:0"}}, "Unknown input node"),
        ({"control_ret": {"y": "gone"}}, "refers to unknown node 'gone'"),
        ({"signature": {"input_arg": [{"name": "x", "type_attr": "T"}]}}, "attr 'T' of 'f' is missing"),
        (
            {
                "signature": {
                    "input_arg": [{"name": "x", "type": 1, "number_attr": "N"}],
                    "attr": [{"name": "N", "type": "int", "default_value": {"i": 1 << 40}}],
                }
            },
            "attr 'N' of 'f' is 1099511627776",
        ),
    ],
)
def test_a_broken_function_is_an_invalid_argument(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"function 'f': .*{words}"):
        instantiate(function(**fields), "f")


def test_no_function_is_not_found() -> None:
    with pytest.raises(errors.NotFoundError, match="function 'f' is not in the library"):
        instantiate(Graph(), "f")
