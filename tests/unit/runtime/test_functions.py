"""Functions of a graph's library: TensorFlow's graphs give TensorFlow's answers; recursion, state by path, errors inside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from icefloe import datatypes as dtypes
from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.proto import FunctionDef, NameAttrList
from icefloe.session import Config, Session

FIXTURES = Path(__file__).parents[3] / "fixtures" / "functions"
ANSWERS = json.loads((FIXTURES / "answers.json").read_text())


@pytest.mark.parametrize("engine", ["interpret", "codegen", "general"])
@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_graphs_of_tensorflow(name: str, engine: str) -> None:
    graph = read_graph(FIXTURES / f"{name}.pb")
    with Session(graph=graph, config=Config(engine=engine)) as session:
        for i, answer in enumerate(ANSWERS[name]):
            if "error" in answer:
                with pytest.raises(getattr(errors, answer["error"])):
                    session.run(answer["fetches"], answer["feeds"])
                continue
            got = [v for v in session.run(answer["fetches"], answer["feeds"]) if v is not None]
            assert len(got) == len(answer["values"])
            for fetch, value, want in zip(answer["fetches"], got, answer["values"]):
                assert value.dtype == want["dtype"], f"run {i}: {fetch}"
                np.testing.assert_allclose(value, want["value"], rtol=1e-6, err_msg=f"run {i}: {fetch}")


def factorial() -> FunctionDef:
    """f(n) = 1 if n < 1 else n * f(n - 1), by an If whose branch calls f."""
    function = FunctionDef()
    function.signature.name = "Factorial"
    function.signature.input_arg.add(name="n", type=3)
    function.signature.output_arg.add(name="out", type=3)
    node = function.node_def
    node.add(name="one", op="Const")
    node[-1].attr["dtype"].type = 3
    node[-1].attr["value"].tensor.dtype = 3
    node[-1].attr["value"].tensor.int_val.append(1)
    node.add(name="less", op="Less", input=["n", "one:output:0"])
    node[-1].attr["T"].type = 3
    node.add(name="if", op="If", input=["less:z:0", "n"])
    node[-1].attr["Tcond"].type = 10
    node[-1].attr["Tin"].list.type.append(3)
    node[-1].attr["Tout"].list.type.append(3)
    node[-1].attr["then_branch"].func.name = "One"
    node[-1].attr["else_branch"].func.name = "Times"
    function.ret["out"] = "if:output:0"
    return function


def branch(name: str, *, recursive: bool) -> FunctionDef:
    function = FunctionDef()
    function.signature.name = name
    function.signature.input_arg.add(name="n", type=3)
    function.signature.output_arg.add(name="out", type=3)
    node = function.node_def
    node.add(name="one", op="Const")
    node[-1].attr["dtype"].type = 3
    node[-1].attr["value"].tensor.dtype = 3
    node[-1].attr["value"].tensor.int_val.append(1)
    if recursive:
        node.add(name="less", op="Sub", input=["n", "one:output:0"])
        node[-1].attr["T"].type = 3
        node.add(name="rest", op="Factorial", input=["less:z:0"])
        node.add(name="times", op="Mul", input=["n", "rest:out:0"])
        node[-1].attr["T"].type = 3
        function.ret["out"] = "times:z:0"
    else:
        function.ret["out"] = "one:output:0"
    return function


def test_recursion_ends_where_calls_do() -> None:
    graph = Graph()
    for function in (factorial(), branch("One", recursive=False), branch("Times", recursive=True)):
        graph.functions[function.signature.name] = function
    with graph.as_default():
        n = apply_op("Placeholder", dtype=dtypes.int32, shape=[])
        call = NameAttrList(name="Factorial")
        (out,) = apply_op("PartitionedCall", [n], f=call, Tout=[dtypes.int32])
    with Session(graph=graph) as session:
        assert [session.run(out, {n: i}) for i in (0, 1, 5, 3)] == [1, 1, 120, 6]


def test_a_function_that_is_not_there_or_takes_other_arguments() -> None:
    graph = Graph()
    graph.functions["One"] = branch("One", recursive=False)
    with graph.as_default():
        x = apply_op("Placeholder", dtype=dtypes.int32, shape=[])
        missing = apply_op("PartitionedCall", [x], f=NameAttrList(name="Nope"), Tout=["int32"], name="a")[0]
        wrong = apply_op("PartitionedCall", [x, x], f=NameAttrList(name="One"), Tout=["int32"], name="b")[0]
    with Session(graph=graph) as session:
        with pytest.raises(errors.NotFoundError, match="function 'Nope' is not in the library") as caught:
            session.run(missing, {x: 1})
        assert caught.value.node == "a"
        with pytest.raises(errors.InvalidArgumentError, match="takes 1 arguments, got 2") as caught:
            session.run(wrong, {x: 1})
        assert caught.value.node == "b"


def test_an_error_inside_names_the_node_by_its_path() -> None:
    graph = read_graph(FIXTURES / "by_op_type.pb")
    with Session(graph=graph) as session, pytest.raises(errors.InvalidArgumentError) as caught:
        session.run("checked:0", {"x:0": 5.0})
    assert caught.value.message == "assertion failed: [5]"
    assert caught.value.node is not None and caught.value.node.startswith("Fails/") and caught.value.op.type == "Assert"


def test_state_inside_goes_by_the_path_of_the_call() -> None:
    graph = read_graph(FIXTURES / "seeds_inside.pb")
    with Session(graph=graph) as session:
        first, second = session.run(["first:0", "second:0"])
        assert first.tolist() == second.tolist()
        again, _ = session.run(["first:0", "second:0"])
        assert again.tolist() != first.tolist()
        assert set(session._manager._streams) == {"one/RandomUniform", "two/RandomUniform"}


def test_results_of_a_function_are_the_callers_own() -> None:
    graph = read_graph(FIXTURES / "calls.pb")
    fed = np.array([2, 3], np.float32)
    with Session(graph=graph) as session:
        for _ in range(2):
            values: list[Any] = session.run(["out0:0", "out1:0", "out2:0"], {"x:0": fed})
            assert [v.tolist() for v in values] == [[19, 49], [3, 4], [2, 3]]
            for value in values:
                value[...] = 0
    assert fed.tolist() == [2, 3]
