"""Queues of all kinds and both generations: order, batches, closing, refusals, and runs that hold both ends of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sequences import Node, Sequence
from ops.sequences_flow import Loop, i32_proto


def f32(value: object) -> np.ndarray:
    return np.array(value, np.float32)


def i32(value: object) -> np.ndarray:
    return np.array(value, np.int32)


def i64(value: object) -> np.ndarray:
    return np.array(value, np.int64)


def text(*values: bytes) -> np.ndarray:
    return np.array(values, object)


class Ends:
    """Nodes around one queue of generation `v`, "" or "V2". types: of its components."""

    def __init__(self, kind: str, types: list[str], v: str, **attrs: Any) -> None:
        self.v = v
        self.types = [*(["int64"] if kind == "PriorityQueue" else []), *types]
        self.nodes = [Node("q", kind + v, component_types=types, shared_name="shared", **{"capacity": -1, **attrs})]

    def add(self, name: str, op: str, *inputs: Any, **attrs: Any) -> Ends:
        self.nodes.append(Node(name, op + self.v, "q", *inputs, **attrs))
        return self

    def put(self, name: str, *values: Any, many: bool = False, **attrs: Any) -> Ends:
        return self.add(name, "QueueEnqueueMany" if many else "QueueEnqueue", list(values), timeout_ms=-1, **attrs)

    def take(self, name: str, **attrs: Any) -> Ends:
        return self.add(name, "QueueDequeue", component_types=self.types, timeout_ms=-1, **attrs)

    def batch(self, name: str, n: Any, small: bool = False, **attrs: Any) -> Ends:
        op = "QueueDequeueUpTo" if small else "QueueDequeueMany"
        return self.add(name, op, i32(n), component_types=self.types, timeout_ms=-1, **attrs)

    def rest(self) -> Ends:
        self.add("size", "QueueSize").add("closed", "QueueIsClosed")
        self.add("close", "QueueClose", cancel_pending_enqueues=False)
        return self.add("cancel", "QueueClose", cancel_pending_enqueues=True)


def state(name: str, outputs: int) -> list[str]:
    return [f"{name}:{i}" for i in range(outputs)]


STATE = ["size:0", "closed:0"]


def pairs(v: str) -> list[Sequence]:
    """One at a time and in batches, two components."""
    ends = Ends("FIFOQueue", ["float32", "string"], v, shapes=[[2], []], capacity=5)
    ends.put("one", f32([1, 2]), np.array(b"a", object))
    ends.put("three", f32([[3, 4], [5, 6], [7, 8]]), text(b"b", b"", b"d"), many=True)
    ends.put("none", f32(np.zeros((0, 2))), text(), many=True)
    ends.take("first").batch("two", 2).batch("zero", 0).batch("up", 3, small=True).batch("vector", [1, 7])
    ends.batch("negative", -1).batch("up_negative", -2, small=True).rest()
    return [
        Sequence(
            f"fifo{v}",
            ends.nodes,
            [
                ["q"],
                ["one"],
                ["three"],
                STATE,
                state("first", 2),
                state("two", 2),
                STATE,
                state("zero", 2),
                ["none"],
                ["negative:0"],
                ["up_negative:0"],
                state("vector", 2),
                ["three"],
                ["close"],
                STATE,
                ["close"],
                ["one"],
                ["three"],
                ["cancel"],
                state("up", 2),
                state("up", 2),
                state("first", 2),
                ["one"],
            ],
        ),
        Sequence(
            f"closed_with_too_little{v}",
            ends.nodes,
            [["three"], ["close"], state("two", 2), state("two", 2), STATE, state("up", 2), STATE],
        ),
    ]


def refusals(v: str) -> list[Sequence]:
    ends = Ends("FIFOQueue", ["float32", "int32"], v, shapes=[[2], []])
    ends.put("shape", f32([1, 2, 3]), i32(1)).put("second", f32([1, 2]), i32([1]))
    ends.put("types", i32([1, 2]), i32(1)).put("number", f32([1, 2]))
    ends.put("many", f32([[1, 2], [3, 4]]), i32([1]), many=True)
    ends.put("rank", f32([1, 2]), i32([1, 2]), many=True)
    ends.add("other", "QueueDequeue", component_types=["float32"], timeout_ms=-1)
    ends.add("timeout", "QueueDequeue", component_types=["float32", "int32"], timeout_ms=5)
    ends.rest()
    free = Ends("FIFOQueue", ["float32", "int32"], v, shapes=[])
    free.put("any", f32([1, 2, 3]), i32(1)).put("more", f32(4), i32([[5]])).take("take").batch("batch", 1)
    free.put("many", f32([[1, 2], [3, 4]]), i32([5, 6]), many=True)
    free.put("uneven", f32([[1, 2], [3, 4]]), i32([5]), many=True).rest()
    return [
        Sequence(
            f"refused{v}",
            ends.nodes,
            [
                *([n] for n in ("shape", "second", "types", "number", "many", "rank")),
                ["other:0"],
                ["timeout:0"],
                STATE,
            ],
        ),
        Sequence(
            f"without_shapes{v}",
            free.nodes,
            [
                ["any"],
                ["more"],
                ["many"],
                ["uneven"],
                ["batch:0"],
                STATE,
                *[state("take", 2) for _ in range(4)],
            ],
        ),
    ]


def both_ends(v: str) -> list[Sequence]:
    """Both ends of a small queue in one run, several ways."""
    ends = Ends("FIFOQueue", ["float32"], v, shapes=[[2]], capacity=3)
    ten = np.arange(20, dtype=np.float32).reshape(10, 2)
    ends.put("put", ten, many=True).batch("take", 10).batch("four", 4).batch("six", 6, after=("four",)).take("one")
    ends.put("single", f32([1, 2])).rest()
    after = Ends("FIFOQueue", ["float32"], v, shapes=[[]], capacity=1)
    after.take("first").put("answer", "first").take("second", after=("first",)).put("question", f32(7))
    after.nodes.append(Node("sum", "AddV2", "first", "second"))
    closing = Ends("FIFOQueue", ["float32"], v, shapes=[[]], capacity=2)
    closing.put("put", f32([1, 2, 3, 4, 5]), many=True).batch("all", 9, small=True)
    closing.add("close", "QueueClose", cancel_pending_enqueues=False)
    return [
        Sequence(f"both_ends{v}", ends.nodes, [["put", "take:0"], STATE, ["four:0", "put", "six:0"], STATE]),
        Sequence(f"one_after_the_other{v}", after.nodes, [["question", "answer", "sum:0"]]),
        Sequence(f"close_behind_what_waits{v}", closing.nodes, [["put", "close", "all:0"], ["all:0"]]),
    ]


def other_kinds(v: str) -> list[Sequence]:
    padding = Ends("PaddingFIFOQueue", ["float32", "string"], v, shapes=[[None, 2], [None]])
    padding.put("a", f32([[1, 2]]), text(b"x", b"y")).put("b", f32(np.ones((3, 2))), text())
    padding.put("bad", f32([1, 2]), text(b"x")).put("bad_size", f32([[1, 2, 3]]), text(b"x"))
    padding.put("many", f32(np.ones((2, 1, 2))), np.array([[b"k", b"l"], [b"m", b"n"]], object), many=True)
    padding.put("bad_many", f32(np.ones((2, 2))), text(b"k", b"l"), many=True)
    padding.take("one").batch("two", 2).batch("none", 0).batch("up", 3, small=True).rest()
    priority = Ends("PriorityQueue", ["string", "float32"], v, shapes=[[], [2]])
    order = np.random.RandomState(0).randint(0, 4, 60)
    names = np.array([b"%d" % i for i in range(60)], object)
    priority.put("many", i64(order), names, f32(np.arange(120).reshape(60, 2)), many=True)
    priority.put("one", i64(-5), np.array(b"first", object), f32([1, 2])).take("take").batch("batch", 23)
    priority.put("vector", i64([1]), np.array(b"x", object), f32([1, 2]))
    priority.put("matrix", i64([[1]]), text(b"x"), f32([[1, 2]]), many=True)
    priority.batch("seven", 7).put("few", i64([3, 1, 2]), text(b"c", b"a", b"b"), f32(np.ones((3, 2))), many=True)
    priority.rest()
    shuffled = Ends(
        "RandomShuffleQueue", ["int32", "float32"], v, shapes=[[], [1]], min_after_dequeue=3, seed=7, seed2=2
    )
    shuffled.put("many", i32(range(40)), f32(np.arange(40).reshape(40, 1)), many=True)
    shuffled.take("take").batch("batch", 20).batch("up", 30, small=True).batch("all", 40).rest()
    return [
        Sequence(
            f"padding{v}",
            padding.nodes,
            [
                ["a"],
                ["b"],
                ["bad"],
                ["bad_size"],
                ["many"],
                ["bad_many"],
                STATE,
                state("two", 2),
                state("one", 2),
                state("none", 2),
                ["a"],
                ["close"],
                state("up", 2),
                state("up", 2),
            ],
        ),
        Sequence(
            f"priority{v}",
            priority.nodes,
            [
                ["many"],
                state("take", 3),
                state("batch", 3),
                ["one"],
                state("take", 3),
                ["few"],
                state("batch", 3),
                ["vector"],
                ["matrix"],
                STATE,
                state("seven", 3),
                ["few"],
                ["close"],
                state("seven", 3),
                state("seven", 3),
                STATE,
                state("batch", 3),
            ],
        ),
        Sequence(
            f"shuffle{v}",
            shuffled.nodes,
            [
                ["many"],
                state("take", 2),
                state("batch", 2),
                state("take", 2),
                ["many"],
                state("batch", 2),
                STATE,
                ["close"],
                state("all", 2),
                STATE,
                state("up", 2),
                state("up", 2),
                state("up", 2),
                state("take", 2),
            ],
        ),
    ]


def shared(v: str) -> list[Sequence]:
    """Several nodes that ask for one queue."""

    def queue(name: str, kind: str = "FIFOQueue", **attrs: Any) -> Node:
        given = {"component_types": ["float32"], "shapes": [[2]], "capacity": 4, "shared_name": "s", **attrs}
        return Node(name, kind + v, **given)

    def shuffle(name: str, **attrs: Any) -> Node:
        return queue(name, "RandomShuffleQueue", **{"min_after_dequeue": 1, "seed": 1, "seed2": 2, **attrs})

    return [
        Sequence(
            f"same_queue{v}",
            [
                queue("q"),
                queue("same"),
                queue("elsewhere", container="other"),
                queue("capacity", capacity=5),
                queue("unbounded", capacity=-1),
                queue("types", component_types=["int32"]),
                queue("shapes", shapes=[[3]]),
                queue("no_shapes", shapes=[]),
                queue("kind", "PaddingFIFOQueue"),
                Node("put", "QueueEnqueue" + v, "q", [f32([1, 2])], timeout_ms=-1),
                Node("size", "QueueSize" + v, "same"),
                Node("size_elsewhere", "QueueSize" + v, "elsewhere"),
            ],
            [
                ["q"],
                ["put"],
                ["size:0", "size_elsewhere:0"],
                *([n] for n in ("capacity", "unbounded", "types", "shapes", "no_shapes", "kind")),
            ],
        ),
        Sequence(
            f"same_shuffle_queue{v}",
            [
                shuffle("q"),
                shuffle("least", min_after_dequeue=0),
                shuffle("seed", seed2=3),
                shuffle("no_seed", seed=0, seed2=0),
                shuffle("negative", min_after_dequeue=-1),
                shuffle("large", min_after_dequeue=4),
                queue("kind", "PriorityQueue"),
            ],
            [["q"], *([n] for n in ("least", "seed", "no_seed", "negative", "large", "kind"))],
        ),
        Sequence(
            f"same_padding_queue{v}",
            [
                queue("q", "PaddingFIFOQueue", shapes=[[None, 2]]),
                queue("fits", "PaddingFIFOQueue", shapes=[[3, None]]),
                queue("rank", "PaddingFIFOQueue", shapes=[[None]]),
                queue("size", "PaddingFIFOQueue", shapes=[[None, 3]]),
                queue("none", "PaddingFIFOQueue", shapes=[]),
                queue("unknown", "PaddingFIFOQueue", shapes=[None]),
                queue("two", "PaddingFIFOQueue", shapes=[[2], [2]]),
                queue("kind", "RandomShuffleQueue", min_after_dequeue=0),
            ],
            [["q"], *([n] for n in ("fits", "rank", "size", "none", "unknown", "two", "kind"))],
        ),
        Sequence(
            f"priority_without_shapes{v}",
            [queue("q", "PriorityQueue", shapes=[]), queue("two", "FIFOQueue", shapes=[[2], [2]])],
            [["q"], ["two"]],
        ),
    ]


def loops(v: str, count: int = 9) -> Sequence:
    """One loop puts `count` numbers into a queue of two, another takes them out and adds them up."""
    queue = Node("q", "FIFOQueue" + v, component_types=["int32"], shapes=[[]], capacity=2, shared_name="shared")
    enter = "Enter" if v else "RefEnter"
    nodes = [queue]
    for name in ("p", "c"):
        loop = Loop(name)
        i, _ = loop.enter("i", i32(0)), loop.enter("total", i32(0))
        cond = loop.condition("less", i, loop.enter("limit", i32(count), constant=True))
        i_body, _ = loop.turn("i", cond)
        total_body, _ = loop.turn("total", cond)
        handle = loop.add("q", enter, "q", frame_name=name, is_constant=True)
        one = loop.add("one", "Const", value=i32_proto(1), dtype="int32", after=(i_body,))
        if name == "p":
            done = loop.add("put", "QueueEnqueue" + v, handle, [i_body], timeout_ms=-1, after=(i_body,))
            value = i_body
        else:
            attrs = {"component_types": ["int32"], "timeout_ms": -1}
            done = value = loop.add("take", "QueueDequeue" + v, handle, after=(i_body,), **attrs)
        twice = loop.add("twice", "AddV2", total_body, total_body)
        loop.again("total", loop.add("sum", "AddV2", twice, value))
        loop.again("i", loop.add("step", "AddV2", i_body, one, after=(done,)))
        nodes += loop.nodes
    nodes.append(Node("size", "QueueSize" + v, "q"))
    return Sequence(f"two_loops{v}", nodes, [["p_total_exit:0", "c_total_exit:0", "c_i_exit:0"], ["size:0"]])


SEQUENCES = [
    sequence
    for v in ("", "V2")
    for sequence in (*pairs(v), *refusals(v), *both_ends(v), *other_kinds(v), *shared(v), loops(v))
]
