"""The general engine: frames and dead values in partial runs, steps that wait, what cannot be fetched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from icefloe import datatypes as dtypes
from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.session import Session

from ops import sequences_flow
from ops.sequences import Sequence
from ops.test_sequences import build


@pytest.fixture
def graph() -> Any:
    made = Graph()
    with made.as_default():
        yield made


def flow(name: str) -> Graph:
    (found,) = [s for s in sequences_flow.SEQUENCES if s.name == name]
    assert isinstance(found, Sequence)
    return build(found)


def test_partial_run_over_a_loop() -> None:
    graph = flow("loop")
    with graph.as_default():
        start = graph.get_operation_by_name("w_i_enter").inputs[0]
        later = apply_op("Placeholder", dtype=dtypes.int32, shape=[], name="later")
        out = apply_op("Mul", graph.get_tensor_by_name("w_acc_exit:0"), later, name="out")
    limit = graph.get_operation_by_name("w_limit_enter").inputs[0]
    with Session(graph=graph) as s:
        h = s.partial_run_setup(["w_i_exit:0", out], [start, limit, later])
        s.partial_run(h, [], {start: 2})
        with pytest.raises(errors.InvalidArgumentError, match="w_i_exit:0 can't be computed") as caught:
            s.partial_run(h, "w_i_exit:0")
        assert f"Still missing: {limit.name}." in caught.value.message
        assert s.partial_run(h, "w_i_exit:0", {limit: 4}) == 4
        assert s.partial_run(h, out, {later: 10}) == ((1 * 2 + 2) * 2 + 3) * 10


def test_what_comes_round_in_a_loop_is_needed_too(graph: Graph) -> None:
    """The result of a loop needs what only the second iteration brings in."""
    loop = sequences_flow.Loop("w")
    i, _ = loop.enter("i", np.int32(0)), loop.enter("a", np.int32(1))
    cond = loop.condition("less", i, loop.enter("limit", np.int32(2), constant=True))
    i_body, _ = loop.turn("i", cond)
    _, exit_a = loop.turn("a", cond)
    fed = loop.enter("fed", "x", constant=True)
    one = loop.add("one", "Const", value=("tensor", np.int32(1)), dtype="int32", after=(i_body,))
    loop.again("a", loop.add("copy", "Identity", fed, after=(i_body,)))
    loop.again("i", loop.add("step", "AddV2", i_body, one))
    x = sequences_flow.Node("x", "Placeholder", dtype="int32", shape=[])
    made = build(Sequence("s", [x, *loop.nodes], []))
    with Session(graph=made) as s:
        h = s.partial_run_setup([f"{exit_a}:0"], ["x:0"])
        with pytest.raises(errors.InvalidArgumentError, match="Still missing: x:0"):
            s.partial_run(h, f"{exit_a}:0")
        assert s.partial_run(h, f"{exit_a}:0", {"x:0": 7}) == 7


@pytest.mark.parametrize(("pred", "expected"), [(True, [10, 20]), (False, [2, 3])])
def test_partial_run_over_a_conditional(pred: bool, expected: list[int]) -> None:
    graph = flow("cond_true")
    with Session(graph=graph) as s:
        h = s.partial_run_setup(["pred:0", "out:0"], ["p:0", "x:0"])
        assert s.partial_run(h, "pred:0", {"p:0": pred}) == pred
        assert s.partial_run(h, "out:0", {"x:0": [1, 2]}).tolist() == expected
        h = s.partial_run_setup(["times:0"], ["p:0", "x:0"])
        if not pred:
            with pytest.raises(errors.InvalidArgumentError, match=r"Retval\[0\] does not have value"):
                s.partial_run(h, "times:0", {"p:0": pred, "x:0": [1, 2]})


def test_what_is_inside_a_loop_cannot_be_fetched() -> None:
    with Session(graph=flow("loop")) as s:
        with pytest.raises(errors.InvalidArgumentError, match="w_step is inside a loop") as caught:
            s.run("w_step:0")
        assert caught.value.node == "w_step"
        assert s.run("w_i_exit:0") == 5


def test_inputs_that_never_meet(graph: Graph) -> None:
    a, b = (apply_op("Identity", np.float32(1), name=n) for n in "ab")
    entered = apply_op("Enter", a, frame_name="f", name="e")
    bad = apply_op("AddV2", entered, b, name="bad")
    out = apply_op("Exit", b, name="out")
    text = "{{node bad}} has inputs from different frames. The input {{node e}} is in frame 'f'."
    with Session() as s:
        with pytest.raises(errors.InvalidArgumentError) as caught:
            s.run(bad)
        assert caught.value.message == f"{text} The input {{{{node b}}}} is in frame ''."
        with pytest.raises(errors.InvalidArgumentError, match="Cannot find a corresponding Enter op"):
            s.run(out)


def test_a_failing_iteration_names_node_and_way() -> None:
    with Session(graph=flow("loop_that_fails")) as s, pytest.raises(errors.InvalidArgumentError) as caught:
        s.run("w_i_exit:0")
    assert caught.value.node == "w_check" and caught.value.trail[0] == "w_i_exit"


def test_a_long_loop_keeps_no_iterations() -> None:
    graph = flow("loop")
    limit = graph.get_operation_by_name("w_limit_enter").inputs[0]
    with Session(graph=graph) as s:
        assert s.run("w_i_exit:0", {limit: 3000}) == 3000
