"""TensorFlow 1's conditionals and loops, node by node, and prints, checks and groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sequences import Node, Sequence


def f32(value: object) -> np.ndarray:
    return np.array(value, np.float32)


def i32(value: object) -> np.ndarray:
    return np.array(value, np.int32)


def flag(value: bool) -> list[Node]:
    return [Node("p", "PlaceholderWithDefault", np.array(value), shape=None)]


def conditional(value: bool) -> list[Node]:
    """x * 10 where p, else x + 1; with pivots and a constant in each branch as `cond` makes them."""
    return [
        *flag(value),
        Node("x", "PlaceholderWithDefault", f32([1, 2]), shape=None),
        Node("pivot", "Switch", "p", "p"),
        Node("on_true", "Identity", "pivot:1"),
        Node("on_false", "Identity", "pivot:0"),
        Node("pred", "Identity", "p"),
        Node("x_switch", "Switch", "x", "pred"),
        Node("ten", "Const", value=f32_proto(10), dtype="float32", after=("on_true",)),
        Node("one", "Const", value=f32_proto(1), dtype="float32", after=("on_false",)),
        Node("times", "Mul", "x_switch:1", "ten"),
        Node("plus", "AddV2", "x_switch:0", "one"),
        Node("out", "Merge", ["plus", "times"]),
    ]


def f32_proto(value: float) -> Any:
    return ("tensor", np.float32(value))


def i32_proto(value: int) -> Any:
    return ("tensor", np.int32(value))


class Loop:
    """Nodes of one loop over variables; `body` adds what computes the next values."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[Node] = []

    def add(self, name: str, op: str, *inputs: Any, **attrs: Any) -> str:
        self.nodes.append(Node(f"{self.name}_{name}", op, *inputs, **attrs))
        return f"{self.name}_{name}"

    def enter(self, name: str, start: Any, *, constant: bool = False) -> str:
        entered = self.add(f"{name}_enter", "Enter", start, frame_name=self.name, is_constant=constant)
        return entered if constant else self.add(f"{name}_merge", "Merge", [entered, entered])

    def condition(self, name: str, value: str, limit: str) -> str:
        return self.add("cond", "LoopCond", self.add(name, "Less", value, limit))

    def turn(self, name: str, cond: str) -> tuple[str, str]:
        """Return the value for the body and the loop's result."""
        merged = f"{self.name}_{name}_merge"
        switched = self.add(f"{name}_switch", "Switch", merged, cond)
        return self.add(f"{name}_body", "Identity", f"{switched}:1"), self.add(f"{name}_exit", "Exit", f"{switched}:0")

    def again(self, name: str, value: str) -> None:
        following = self.add(f"{name}_next", "NextIteration", value)
        self.nodes.append(Node("", "BackEdge", f"{self.name}_{name}_merge", following))


def counting(limit: int, start: Any = None) -> list[Node]:
    """i from 0 to `limit`, acc = acc * 2 + i."""
    loop = Loop("w")
    i_start = i32(0) if start is None else start
    i, _ = loop.enter("i", i_start), loop.enter("acc", i32(1))
    top = loop.enter("limit", i32(limit), constant=True)
    cond = loop.condition("less", i, top)
    i_body, _ = loop.turn("i", cond)
    acc_body, _ = loop.turn("acc", cond)
    one = loop.add("one", "Const", value=i32_proto(1), dtype="int32", after=(i_body,))
    two = loop.add("two", "Const", value=i32_proto(2), dtype="int32", after=(i_body,))
    loop.again("acc", loop.add("sum", "AddV2", loop.add("twice", "Mul", acc_body, two), i_body))
    loop.again("i", loop.add("step", "AddV2", i_body, one))
    return loop.nodes


def nested() -> list[Node]:
    """for i in 0..3: for j in 0..i: total += i * j, where the inner loop may not run at all."""
    outer = Loop("o")
    i, _ = outer.enter("i", i32(0)), outer.enter("total", i32(0))
    cond = outer.condition("less", i, outer.enter("limit", i32(4), constant=True))
    i_body, _ = outer.turn("i", cond)
    total_body, _ = outer.turn("total", cond)
    one = outer.add("one", "Const", value=i32_proto(1), dtype="int32", after=(i_body,))
    zero = outer.add("zero", "Const", value=i32_proto(0), dtype="int32", after=(i_body,))
    inner = Loop("n")
    j, _ = inner.enter("j", zero), inner.enter("total", total_body)
    fixed = inner.enter("i", i_body, constant=True)
    step = inner.enter("one", one, constant=True)
    inner_cond = inner.condition("less", j, fixed)
    j_body, _ = inner.turn("j", inner_cond)
    inner_body, result = inner.turn("total", inner_cond)
    inner.again("total", inner.add("sum", "AddV2", inner_body, inner.add("product", "Mul", fixed, j_body)))
    inner.again("j", inner.add("step", "AddV2", j_body, step))
    outer.nodes += inner.nodes
    outer.again("total", result)
    outer.again("i", outer.add("step", "AddV2", i_body, one))
    return outer.nodes


def loop_with_conditional() -> list[Node]:
    """for i in 0..6: total += i if i < 3 else total."""
    loop = Loop("w")
    i, _ = loop.enter("i", i32(0)), loop.enter("total", i32(1))
    cond = loop.condition("less", i, loop.enter("limit", i32(6), constant=True))
    i_body, _ = loop.turn("i", cond)
    total_body, _ = loop.turn("total", cond)
    one = loop.add("one", "Const", value=i32_proto(1), dtype="int32", after=(i_body,))
    three = loop.add("three", "Const", value=i32_proto(3), dtype="int32", after=(i_body,))
    small = loop.add("small", "Less", i_body, three)
    i_way = loop.add("i_way", "Switch", i_body, small)
    total_way = loop.add("total_way", "Switch", total_body, small)
    plus = loop.add("plus", "AddV2", f"{total_way}:1", f"{i_way}:1")
    twice = loop.add("double", "AddV2", f"{total_way}:0", f"{total_way}:0")
    loop.again("total", loop.add("both", "Merge", [twice, plus]))
    loop.again("i", loop.add("step", "AddV2", i_body, one))
    return loop.nodes


def loop_in_a_branch(value: bool) -> list[Node]:
    """The loop's first value comes through a Switch: in the branch not taken nothing of it runs."""
    return [
        *flag(value),
        Node("way", "Switch", i32(0), "p"),
        *counting(3, "way:1"),
        Node("neg", "Neg", "way:0"),
        Node("out", "Merge", ["neg", "w_i_exit"]),
        Node("after", "Identity", "out"),
    ]


def loop_with_a_variable() -> list[Node]:
    """v += 1 in each of four iterations, by control edge before the counter goes on."""
    loop = Loop("w")
    i = loop.enter("i", i32(0))
    cond = loop.condition("less", i, loop.enter("limit", i32(4), constant=True))
    i_body, _ = loop.turn("i", cond)
    handle = loop.enter("v", "v", constant=True)
    one = loop.add("one", "Const", value=i32_proto(1), dtype="int32", after=(i_body,))
    amount = loop.add("amount", "Const", value=f32_proto(0.5), dtype="float32", after=(i_body,))
    loop.add("add", "AssignAddVariableOp", handle, amount)
    loop.again("i", loop.add("step", "AddV2", i_body, one, after=("w_add",)))
    return [
        Node("v", "VarHandleOp", shape=[], dtype="float32", shared_name="v"),
        Node("v_init", "AssignVariableOp", "v", f32(1)),
        *loop.nodes,
        Node("read", "ReadVariableOp", "v", dtype="float32", after=("w_i_exit",)),
    ]


def failing_loop() -> list[Node]:
    loop = Loop("w")
    i = loop.enter("i", i32(0))
    cond = loop.condition("less", i, loop.enter("limit", i32(6), constant=True))
    i_body, _ = loop.turn("i", cond)
    one = loop.add("one", "Const", value=i32_proto(1), dtype="int32", after=(i_body,))
    three = loop.add("three", "Const", value=i32_proto(3), dtype="int32", after=(i_body,))
    ok = loop.add("ok", "Less", i_body, three)
    loop.add("check", "Assert", ok, [i_body], summarize=3)
    loop.again("i", loop.add("step", "AddV2", i_body, one, after=("w_check",)))
    return loop.nodes


def ref_conditional(value: bool) -> list[Node]:
    """A reference through RefSwitch and RefMerge is still the variable."""
    return [
        *flag(value),
        Node("v", "VariableV2", shape=[2], dtype="float32"),
        Node("init", "Assign", "v", f32([1, 2])),
        Node("way", "RefSwitch", "v", "p"),
        Node("add", "AssignAdd", "way:1", f32([10, 20])),
        Node("sub", "AssignSub", "way:0", f32([1, 1])),
        Node("out", "RefMerge", ["sub", "add"]),
        Node("value", "Identity", "out"),
        Node("again", "AssignAdd", "out", f32([0.5, 0.5])),
    ]


SEQUENCES = [
    Sequence("cond_true", conditional(True), [["out:0", "out:1"], ["times:0"], ["plus:0"], ["x_switch:0"]]),
    Sequence("cond_false", conditional(False), [["out:0", "out:1"], ["times:0"], ["plus:0"]]),
    Sequence(
        "pred_that_is_no_scalar",
        [
            Node("p", "PlaceholderWithDefault", np.array([True]), shape=None),
            Node("s", "Switch", f32(1), "p"),
            Node("out", "Merge", ["s:0", "s:1"]),
        ],
        [["out:0"]],
    ),
    Sequence("loop", counting(5), [["w_i_exit:0", "w_acc_exit:0"], ["w_acc_exit:0"]]),
    Sequence("loop_not_entered", counting(0), [["w_i_exit:0", "w_acc_exit:0"]]),
    Sequence("nested_loops", nested(), [["o_total_exit:0", "o_i_exit:0"]]),
    Sequence("loop_with_conditional", loop_with_conditional(), [["w_total_exit:0"]]),
    Sequence("loop_in_branch_taken", loop_in_a_branch(True), [["after:0", "out:1"], ["w_acc_exit:0"]]),
    Sequence("loop_in_branch_not_taken", loop_in_a_branch(False), [["after:0", "out:1"], ["w_i_exit:0"]]),
    Sequence("loop_with_a_variable", loop_with_a_variable(), [["v_init"], ["read:0", "w_i_exit:0"], ["read:0"]]),
    Sequence("loop_that_fails", failing_loop(), [["w_i_exit:0"], ["w_i_exit:0"]]),
    *[
        Sequence(f"ref_cond_{value}", ref_conditional(value), [["init:0"], ["value:0"], ["again:0"], ["v:0"]])
        for value in (True, False)
    ],
    Sequence(
        "ref_select",
        [
            Node("a", "VariableV2", shape=[], dtype="float32"),
            Node("b", "VariableV2", shape=[], dtype="float32"),
            Node("a_init", "Assign", "a", f32(1)),
            Node("b_init", "Assign", "b", f32(2)),
            Node("pick", "RefSelect", i32(1), ["a", "b"]),
            Node("add", "AssignAdd", "pick", f32(5)),
            Node("bad", "RefSelect", i32(2), ["a", "b"]),
        ],
        [["a_init:0", "b_init:0"], ["add:0"], ["a:0", "b:0"], ["bad:0"]],
    ),
    Sequence(
        "asserts",
        [
            Node("yes", "Assert", np.array(True), [f32(1)]),
            Node("no", "Assert", np.array(False), [np.array(b"msg", object), f32([1.5, 2]), i32([1, 2, 3, 4])]),
            Node("all", "Assert", np.array(False), [f32([[1, 2], [3, 4]])], summarize=-1),
            Node("vector", "Assert", np.array([True]), [f32(1)]),
        ],
        [["yes"], ["no"], ["all"], ["vector"]],
    ),
    Sequence(
        "numerics",
        [
            Node(f"{op}{i}", op, f32(value), message="here")
            for op in ("CheckNumerics", "CheckNumericsV2")
            for i, value in enumerate(
                (
                    [1, 2],
                    [np.nan],
                    [np.inf, 1],
                    [-np.inf],
                    [np.nan, np.inf],
                    [np.nan, np.inf, -np.inf],
                    [np.inf, -np.inf],
                )
            )
        ],
        [[f"{op}{i}:0"] for op in ("CheckNumerics", "CheckNumericsV2") for i in range(7)],
    ),
    Sequence(
        "functional_scalars",
        [
            Node("zero", "ToBool", f32(0)),
            Node("one", "ToBool", i32(1)),
            Node("text", "ToBool", np.array(b"", object)),
            Node("empty", "ToBool", f32([])),
            Node("vector", "ToBool", f32([0])),
        ],
        [["zero:0", "one:0", "text:0", "empty:0", "vector:0"]],
    ),
    Sequence(
        "groups",
        [
            *[
                n
                for name in ("a", "b")
                for n in (
                    Node(name, "VariableV2", shape=[], dtype="float32"),
                    Node(f"{name}_init", "Assign", name, f32(1)),
                )
            ],
            Node("all", "NoOp", after=("a_init", "b_init")),
            Node("trigger", "ControlTrigger", after=("all",)),
            Node("c", "Identity", f32(3), after=("trigger",)),
        ],
        [["c:0"], ["a:0", "b:0"], ["all"]],
    ),
]
