"""Calls of functions written out: order of effects, names, functions in functions."""

from __future__ import annotations

from typing import Any

import pytest

import icefloe as tf
from icefloe import errors
from icefloe.transforms import inlining, inlining_in_functions
from icefloe.transforms.node_edits import Nodes

CALLS = {"PartitionedCall", "StatefulPartitionedCall"}


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.enable_control_flow_v2()
        yield made
        tf.disable_control_flow_v2()


def ops(nodes: Nodes) -> set[str]:
    inside = {node.op for f in nodes.functions.values() for node in f.node_def}
    return {node.op for node in nodes} | inside


def run(nodes: Nodes, fetches: Any, feeds: Any = None, init: Any = ()) -> Any:
    graph = tf.load_graph(nodes.to_graph_def())
    with tf.Session(graph=graph) as session:
        session.run([graph.get_operation_by_name(name) for name in init])
        return session.run(fetches, feeds)


def test_what_a_call_waits_for_is_waited_for_by_all_of_it(graph: Any) -> None:
    """Nodes that take arguments alone, and a result that is an argument, wait too."""
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    x = tf.placeholder(tf.float32, [], name="x")
    read = tf.function(lambda: (v.read_value(), v * 10.0))
    same = tf.function(lambda y: y)
    with tf.control_dependencies([v.assign_add(x, read_value=False)]):
        found = [*read(), same(x)]
    with tf.control_dependencies([found[2]]):
        later = v.read_value()
    for i, tensor in enumerate([*found, later]):
        tf.identity(tensor, name=f"out_{i}")
    nodes = Nodes(graph)
    inlining.inline_calls(nodes)
    assert not ops(nodes) & CALLS
    feeds, init = {"x:0": 4}, [v.initializer.name]
    assert run(nodes, [f"out_{i}:0" for i in range(4)], feeds, init) == [5, 50, 4, 5]


@pytest.mark.parametrize("positive", [True, False])
def test_calls_in_the_branches_of_a_conditional(graph: Any, positive: bool) -> None:
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    x = tf.placeholder(tf.float32, [], name="x")
    inner = tf.function(lambda y: (y + 1.0, y * 3.0))
    outer = tf.function(lambda y: inner(y)[1] + inner(y)[0])
    read = tf.function(lambda: v.read_value())

    def update() -> Any:
        with tf.control_dependencies([v.assign_add(x, read_value=False)]):
            return read() + outer(x)

    tf.identity(tf.cond(x > 0, update, lambda: inner(outer(x))[0]), name="y")
    nodes = Nodes(graph)
    inlining_in_functions.inline_in_functions(nodes)
    nodes.prune_library()
    assert not ops(nodes) & CALLS
    value = 2.0 if positive else -2.0
    expected = (1 + value) + 4 * value + 1 if positive else 4 * value + 2
    assert run(nodes, "y:0", {"x:0": value}, [v.initializer.name]) == expected


def test_effects_of_calls_in_a_loop(graph: Any) -> None:
    v = tf.get_variable("v", initializer=0.0, use_resource=True)
    count = tf.function(lambda y: v.assign_add(y) * 1.0)

    def body(i: Any) -> Any:
        with tf.control_dependencies([count(i)]):
            return i + 1.0

    done = tf.while_loop(lambda i: i < 4, body, [1.0])
    with tf.control_dependencies([done]):
        tf.identity(v.read_value(), name="y")
    nodes = Nodes(graph)
    inlining_in_functions.inline_in_functions(nodes)
    nodes.prune_library()
    assert not ops(nodes) & CALLS
    assert run(nodes, "y:0", None, [v.initializer.name]) == 6


def recursive(stops: bool) -> Any:
    """f(x) = f(x), or f(x) = x > 0 ? g(x) : x, g(x) = f(x - 1)."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        g = tf.function(lambda y: y - 1.0)
        tf.cond(x > 0, lambda: g(x), lambda: tf.identity(x))
    definition = graph.as_graph_def()
    names = {f.signature.name: f for f in definition.library.function}
    inner = next(f for name, f in names.items() if "lambda" in name or name.startswith("__inference"))
    node = inner.node_def.add(name="again", op=inner.signature.name, input=[inner.signature.input_arg[0].name])
    if stops:
        branch = next(n for n in definition.node if n.op in ("If", "StatelessIf")).attr["then_branch"].func.name
        node.op = branch
    return definition


def test_a_function_that_calls_itself(graph: Any) -> None:
    """It is refused where it is to be written out, and stays where it is in a function."""
    definition = recursive(stops=False)
    nodes = Nodes(definition)
    assert inlining_in_functions.inline_in_functions(nodes).removed == 1
    call = definition.node.add(name="call", op="PartitionedCall", input=["x"])
    inner = next(f.signature.name for f in definition.library.function if any(n.name == "again" for n in f.node_def))
    call.attr["f"].func.name = inner
    call.attr["Tin"].list.type.append(1)
    call.attr["Tout"].list.type.append(1)
    with pytest.raises(errors.InvalidArgumentError, match=f"function '{inner}' calls itself, by node 'call/again'"):
        inlining.inline_calls(Nodes(definition))


def test_functions_that_call_each_other_end(graph: Any) -> None:
    nodes = Nodes(recursive(stops=True))
    assert inlining_in_functions.inline_in_functions(nodes).removed == 1
    nodes.to_graph_def()
