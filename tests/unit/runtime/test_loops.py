"""Loops as steps of the fast engines: which fit, what becomes of them, errors and deadlines in them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.graph.build import apply_op
from icefloe.runtime import loop_runner, loops, plan
from icefloe.runtime.codegen import CHUNK
from icefloe.runtime.function_loops import FunctionLoop

from ops import sequences_flow
from ops.sequences import Node, Sequence
from ops.test_sequences import build

ENGINES = ["interpret", "codegen", "general"]


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def structured(graph: Any, *names: str) -> plan.Plan | None:
    return loops.structured(plan.build([graph.get_tensor_by_name(n) for n in names], [], []))


def changed(nodes: list[Node], extra: list[Node]) -> Any:
    return build(Sequence("s", [*nodes, *extra], []))


def whole(nodes: list[Node], extra: list[Node], *names: str) -> list[Any]:
    """Return what fetching `names` gives, the same on all engines."""
    found = []
    for engine in ("auto", *ENGINES):
        with tf.Session(graph=changed(nodes, extra), config=tf.Config(engine=engine)) as s:
            found.append(np.array(s.run(list(names))).tolist())
    assert all(f == found[0] for f in found)
    return found[0]


@pytest.mark.parametrize("name", ["loop", "loop_not_entered", "nested_loops", "loop_with_conditional"])
def test_standard_loops_become_one_step(name: str) -> None:
    (sequence,) = [s for s in sequences_flow.SEQUENCES if s.name == name]
    found = structured(build(sequence), *sequence.runs[0])
    assert found is not None and not found.has_loops
    (step,) = [step for step in found.steps if step.loop is not None]
    assert step.node.type == "LoopCond"
    assert not any(step.node.type in ("Enter", "Exit", "NextIteration") for step in found.steps)


# Loops of other shapes that TensorFlow runs, too.
OTHERS: dict[str, tuple[list[Node], list[str], list[Any]]] = {
    "the index of a loop's Merge is used": (
        [
            Node("w_index", "Identity", "w_i_merge:1"),
            Node("w_index_switch", "Switch", "w_index", "w_cond"),
            Node("w_index_exit", "Exit", "w_index_switch:0"),
        ],
        ["w_index_exit:0", "w_i_exit:0"],
        [1, 5],
    ),
    "the value that leaves is computed": (
        [Node("w_neg", "Neg", "w_i_switch:0"), Node("w_neg_exit", "Exit", "w_neg")],
        ["w_neg_exit:0"],
        [-5],
    ),
    "an Exit waits for a node": (
        [
            Node("w_idle", "Identity", "w_i_merge"),
            Node("w_late_exit", "Exit", "w_i_switch:0", after=("w_idle",)),
        ],
        ["w_late_exit:0"],
        [5],
    ),
}


@pytest.mark.parametrize("shape", OTHERS)
def test_other_loops_run_on_the_general_engine(shape: str) -> None:
    extra, names, values = OTHERS[shape]
    assert structured(changed(sequences_flow.counting(5), extra), *names) is None
    assert whole(sequences_flow.counting(5), extra, *names) == values


def test_a_loop_of_which_a_part_is_in_a_branch_does_not_fit() -> None:
    made = build(Sequence("s", sequences_flow.loop_in_a_branch(True), []))
    assert structured(made, "after:0") is None


def test_deep_nesting_does_not_fit() -> None:
    def nest(depth: int, value: Any) -> Any:
        if not depth:
            return value + 1
        return tf.while_loop(lambda i, _: i < 1, lambda i, x: (i + 1, nest(depth - 1, x)), [0, value])[1]

    for depth, fits in ((3, True), (loops.MAX_DEPTH + 1, False)):
        out = nest(depth, tf.constant(1))
        assert (structured(out.graph, out.name) is not None) == fits
        with tf.Session() as s:
            assert s.run(out) == 2


def runner(session: Any) -> loop_runner.LoopRunner:
    """Return what runs the only loop of the only program of a session."""
    ((program, _),) = session._programs._entries.values()
    (found,) = [b.function for b in program.bindings if isinstance(b.function, loop_runner.LoopRunner)]
    return found


def test_what_stays_the_same_is_outside() -> None:
    """An invariant, a loop variable that never changes, and constants in the body cost nothing per iteration."""
    weights = tf.constant(np.eye(2, dtype=np.float32) * 2)
    x = tf.placeholder(tf.float32, [1, 2])

    def body(i: Any, y: Any, w: Any) -> Any:
        return i + 1, tf.matmul(y, tf.transpose(w)) + tf.transpose(weights)[0], tf.identity(w)

    _, y, _ = tf.while_loop(lambda i, *_: i < 3, body, [0, x, weights])
    with tf.Session(config=tf.Config(engine="codegen")) as s:
        assert s.run(y, {x: [[1, 2]]}).tolist() == [[22, 16]]
        source = runner(s).source
        assert source is not None
        lines = source.partition("while True:")[2].splitlines()
        assert sum(" = k" in line for line in lines) <= 4  # Less, MatMul, AddV2, i + 1


def test_a_long_loop_is_compiled_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, _: i < 1000, lambda i, y: (i + 1, y + x), [0, 0.0])
    with tf.Session() as s:
        assert s.run(y, {x: 2}) == 2000
        assert runner(s).turns == loop_runner.HOT_TURNS and runner(s).source is not None
        assert s.run(y, {x: 3}) == 3000


def test_a_body_too_long_to_compile() -> None:
    def body(i: Any, y: Any) -> Any:
        for _ in range(CHUNK + 10):
            y = tf.add(y, 1.0)
        return i + 1, y

    _, y = tf.while_loop(lambda i, _: i < 3, body, [0, 0.0])
    with tf.Session(config=tf.Config(engine="codegen")) as s:
        assert s.run(y) == 3 * (CHUNK + 10)
        assert runner(s).source is None


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_name_the_node_and_the_way(engine: str) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    shape = tf.TensorShape([None])
    _, y = tf.while_loop(
        lambda i, _: i < 9, lambda i, y: (i + 1, tf.concat([tf.add(y, x, name="sum"), x], 0)), [0, x],
        shape_invariants=[tf.TensorShape([]), shape],
    )  # fmt: skip
    out = tf.identity(y, name="out")
    with tf.Session(config=tf.Config(engine=engine)) as s, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        s.run(out, {x: [1, 2]})
    assert caught.value.node == "while/sum" and caught.value.trail[0] == "out"
    assert caught.value.message == "Incompatible shapes: [4] vs. [2]"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_predicate_that_is_no_scalar(engine: str) -> None:
    loop = sequences_flow.Loop("w")
    i = loop.enter("i", np.array([0, 1], np.int32))
    cond = loop.condition("less", i, loop.enter("limit", np.int32(3), constant=True))
    i_body, _ = loop.turn("i", cond)
    loop.again("i", i_body)
    made = build(Sequence("s", loop.nodes, []))
    text = r"The second input must be a scalar, but it has shape \[2\]"
    s = tf.Session(graph=made, config=tf.Config(engine=engine))
    with s, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        s.run("w_i_exit:0")


def endless() -> Any:
    return tf.while_loop(lambda i: i >= 0, lambda i: tf.minimum(i + 1, 5), [0])


@pytest.mark.parametrize("engine", ["auto", *ENGINES])
def test_a_loop_without_end_has_a_deadline(engine: str) -> None:
    y = endless()
    with tf.Session(config=tf.Config(engine=engine)) as s, pytest.raises(tf.errors.DeadlineExceededError):
        s.run(y, options=tf.RunOptions(timeout_in_ms=20))


@pytest.mark.parametrize("engine", ENGINES)
def test_closing_the_session_ends_a_loop(engine: str) -> None:
    y = endless()
    s = tf.Session(config=tf.Config(engine=engine))
    threading.Timer(0.02, s.close).start()
    with pytest.raises(tf.errors.CancelledError, match="closed"):
        s.run(y)


def test_a_deadline_without_loops() -> None:
    """It is looked at between steps."""
    x = y = tf.placeholder(tf.float32, [None, None])
    for _ in range(200):
        y = tf.matmul(y, x)
    value = np.eye(300, dtype=np.float32)
    with tf.Session() as s:
        with pytest.raises(tf.errors.DeadlineExceededError):
            s.run(y, {x: value}, options=tf.RunOptions(timeout_in_ms=2))
        assert s.run(y, {x: value}, options=tf.RunOptions(timeout_in_ms=60_000))[0, 0] == 1


def both_ways(make: Callable[[], Any], feeds: dict[str, Any]) -> Any:
    """Return what a graph gives on all engines, which must be the same."""
    with tf.Graph().as_default() as graph:
        out = make()
    found = []
    for engine in ENGINES:
        with tf.Session(graph=graph, config=tf.Config(engine=engine)) as s:
            s.run(tf.initializers_of(graph))
            found.append([s.run(out, feeds) for _ in range(2)])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
    return found[0]


def test_a_reference_as_an_invariant_is_the_variable() -> None:
    def make() -> Any:
        v = tf.Variable([1.0, 2.0], use_resource=False)

        def body(i: Any) -> Any:
            with tf.control_dependencies([tf.assign_add(v, [1.0, 1.0])]):
                return i + 1

        with tf.control_dependencies([tf.while_loop(lambda i: i < 4, body, [0])]):
            return tf.identity(v)

    assert [v.tolist() for v in both_ways(make, {})] == [[5, 6], [9, 10]]


def test_a_trigger_after_both_branches_runs_every_time() -> None:
    def make() -> Any:
        v = tf.Variable(0, use_resource=True)

        def body(i: Any) -> Any:
            on_true = tf.cond(i < 2, lambda: tf.identity(i), lambda: i + 0)
            switched = apply_op("Switch", i, i < 2)
            branches = [tf.identity(switched[0]), tf.identity(switched[1])]
            with tf.control_dependencies([b.op for b in branches]):
                trigger = apply_op("ControlTrigger")
            with tf.control_dependencies([trigger, on_true]):
                added = tf.assign_add(v, i + 1)
            with tf.control_dependencies([added]):
                return i + 1

        with tf.control_dependencies([tf.while_loop(lambda i: i < 4, body, [0])]):
            return tf.identity(v)

    assert both_ways(make, {}) == [10, 20]


@pytest.fixture
def v2() -> Any:
    tf.enable_control_flow_v2()
    yield
    tf.disable_control_flow_v2()


def test_a_loop_of_functions_runs_like_one_of_nodes(v2: None, graph: Any) -> None:
    x = tf.placeholder(tf.float32, [])
    y = tf.while_loop(lambda i, _: i < 1000, lambda i, y: (i + 1, y + x), [0, 0.0])[1]
    with tf.Session(config=tf.Config(debug_aliasing=False)) as s:
        assert s.run(y, {x: 2}) == 2000
        ((program, _),) = s._programs._entries.values()
        (found,) = [b.function for b in program.bindings if isinstance(b.function, FunctionLoop)]
        assert isinstance(found._run, loop_runner.LoopRunner) and found._run.source is not None
        assert s.run(y, {x: 3}) == 3000


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_in_loops_of_functions(v2: None, graph: Any, engine: str) -> None:
    with tf.Session(config=tf.Config(engine=engine)) as s:
        y = tf.while_loop(
            lambda i: i < 9,
            lambda i: tf.strided_slice([0, 1, 2, 3], [i], [i + 1], shrink_axis_mask=1, name="pick") + 1,
            [tf.constant(2)],
            name="w",
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 4 of dimension 0") as caught:
            s.run(tf.identity(y, name="out"))
    assert caught.value.node == "w/body/pick"
