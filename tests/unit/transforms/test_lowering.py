"""Conditionals and loops that are functions as Switch and Merge nodes: effects, order, names, what has no such form."""

from __future__ import annotations

from typing import Any

import pytest

import icefloe as tf
from icefloe import errors


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.enable_control_flow_v2()
        yield made
        tf.disable_control_flow_v2()


def both(graph: Any, outputs: list[str], release: str = "1.4") -> list[Any]:
    """Return the graph as it is and as it was written for an older release."""
    done = tf.graphs.downgrade(graph, release, outputs)
    assert done.check is not None
    assert done.check.status == "equal"
    assert not {"If", "While", "Case", "StatelessIf", "StatelessWhile", "StatelessCase"} & {
        node.op for node in done.graph_def.node
    }
    assert not done.graph_def.library.function
    return [tf.load_graph(graph.as_graph_def()), tf.load_graph(done.graph_def)]


@pytest.mark.parametrize("value", [3.0, -3.0])
def test_the_effects_of_one_branch(graph: Any, value: float) -> None:
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    x = tf.placeholder(tf.float32, [], name="x")
    chosen = tf.cond(
        x > 0,
        lambda: tf.group(v.assign_add(x, read_value=False)),
        lambda: tf.group(v.assign_add(-100.0, read_value=False)),
    )
    with tf.control_dependencies([chosen]):
        tf.identity(v.read_value(), name="y")
    for made in both(graph, ["y"]):
        with tf.Session(graph=made) as session:
            session.run(made.get_operation_by_name(v.initializer.name))
            assert session.run("y:0", {"x:0": value}) == (4 if value > 0 else -99)


def test_the_effects_of_each_iteration(graph: Any) -> None:
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    x = tf.placeholder(tf.float32, [], name="x")

    def body(i: Any, same: Any) -> Any:
        with tf.control_dependencies([v.assign_add(same)]):
            return i + 1, same

    i, same = tf.while_loop(lambda i, same: i < 4, body, [0, x])
    with tf.control_dependencies([i]):
        tf.add(v.read_value(), same, name="y")
    for made in both(graph, ["y"]):
        with tf.Session(graph=made) as session:
            session.run(made.get_operation_by_name(v.initializer.name))
            assert session.run("y:0", {"x:0": 2}) == 11


@pytest.mark.parametrize("value", [3.0, -3.0])
def test_what_depends_on_invariants_alone_does_not_run_once_more(graph: Any, value: float) -> None:
    """Calls, conditionals and loops in a body whose inputs are the same in each iteration."""
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    x = tf.placeholder(tf.float32, [], name="x")
    add = tf.function(lambda y: v.assign_add(y))

    def body(i: Any, same: Any) -> Any:
        called = add(same)
        chosen = tf.cond(same > 0, lambda: v.assign_add(10.0), lambda: v.assign_add(same * 100.0))
        with tf.control_dependencies([called, chosen]):
            inner = tf.while_loop(lambda j, s: j < 2, lambda j, s: (j + 1, v.assign_add(s) * 0.0 + s), [0, same])
        with tf.control_dependencies(inner):
            return i + 1, same

    i, same = tf.while_loop(lambda i, same: i < 4, body, [0, x])
    with tf.control_dependencies([i]):
        tf.add(v.read_value(), same, name="y")
    for made in both(graph, ["y"]):
        with tf.Session(graph=made) as session:
            session.run(made.get_operation_by_name(v.initializer.name))
            grown = 3 * value + (10 if value > 0 else 100 * value)
            assert session.run("y:0", {"x:0": value}) == 1 + 4 * grown + value


@pytest.mark.parametrize("k", [-1, 0, 1, 2, 9])
def test_a_case_in_a_loop(graph: Any, k: int) -> None:
    """Its numbers are constants of the loop."""
    start = tf.placeholder(tf.int32, [], name="start")
    x = tf.placeholder(tf.float32, [], name="x")

    def body(i: Any, y: Any) -> Any:
        branches = [lambda: y + 1.0, lambda: y * 2.0, lambda: tf.constant(0.5) - y]
        return i + 1, tf.switch_case(i, branches)

    tf.identity(tf.while_loop(lambda i, y: i < start + 3, body, [start, x])[1], name="y")
    first, second = both(graph, ["y"], "1.0")
    feeds = {"start:0": k, "x:0": 3.0}
    with tf.Session(graph=first) as old, tf.Session(graph=second) as new:
        assert new.run("y:0", feeds) == old.run("y:0", feeds)


def test_results_keep_their_names(graph: Any) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    one = tf.cond(x > 0, lambda: x * 2, lambda: -x, name="one")
    made = one.op.inputs[0].op.name if one.op.type == "Identity" else one.op.name
    for found in both(graph, [f"{made}:0"]):
        with tf.Session(graph=found) as session:
            assert session.run(f"{made}:0", {"x:0": -4}) == 4


@pytest.mark.parametrize(("release", "names"), [("1.4", ["c:0", "c:1"]), ("1.3", ["c/output_0:0", "c/output_1:0"])])
def test_several_results_that_are_asked_for(graph: Any, release: str, names: list[str]) -> None:
    """A release without IdentityN has no node of several tensors for them."""
    x = tf.placeholder(tf.float32, [], name="x")
    branches = [
        tf.function(lambda y: (y * 2, y + 1)).get_concrete_function(tf.TensorSpec([], tf.float32)),
        tf.function(lambda y: (-y, y)).get_concrete_function(tf.TensorSpec([], tf.float32)),
    ]
    types = [tf.float32, tf.float32]
    tf.raw_ops.If(cond=x > 0, input=[x], Tout=types, then_branch=branches[0], else_branch=branches[1], name="c")
    done = tf.graphs.downgrade(graph, release, ["c:0", "c:1"])
    assert done.check is not None
    assert (done.check.status, list(done.outputs)) == ("equal", names)
    with tf.Session(graph=tf.load_graph(done.graph_def)) as session:
        assert session.run(names, {"x:0": 3}) == [6, 4]


def test_what_has_no_such_form_is_listed(graph: Any) -> None:
    x = tf.placeholder(tf.string, [], name="x")
    branches = [
        tf.function(lambda: tf.constant(1)).get_concrete_function(),
        tf.function(lambda: tf.constant(2)).get_concrete_function(),
    ]
    tf.raw_ops.If(cond=x, input=[], Tout=[tf.int32], then_branch=branches[0], else_branch=branches[1], name="odd")
    with pytest.raises(errors.InvalidArgumentError, match="If is of 1.8; there is no older form: odd"):
        tf.graphs.downgrade(graph, "1.4")
    assert tf.graphs.downgrade(graph, "1.8").graph_def.node


def test_a_function_inside_of_itself_is_refused(graph: Any) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    tf.identity(tf.cond(x > 0, lambda: x - 1.0, lambda: tf.identity(x)), name="y")
    definition = graph.as_graph_def()
    call = next(node for node in definition.node if node.op in ("If", "StatelessIf"))
    branch = next(f for f in definition.library.function if f.signature.name == call.attr["then_branch"].func.name)
    inner = branch.node_def.add()
    inner.CopyFrom(call)
    inner.name = "again"
    constant = next((n for n in definition.node if n.op == "Greater"), None)
    assert constant is not None
    argument = branch.signature.input_arg[0].name
    zero = branch.node_def.add(name="zero", op="Const")
    zero.attr["dtype"].type = 1
    zero.attr["value"].tensor.dtype = 1
    zero.attr["value"].tensor.float_val.append(0)
    zero.attr["value"].tensor.tensor_shape.SetInParent()
    more = branch.node_def.add(name="more", op="Greater", input=[argument, "zero:output:0"])
    more.attr["T"].type = 1
    del inner.input[:]
    inner.input.extend(["more:z:0", *[argument] * (len(call.input) - 1)])
    with pytest.raises(errors.InvalidArgumentError, match="calls itself, by node"):
        tf.graphs.downgrade(definition, "1.4", ["y"])
