"""Barriers, staging areas and conditional accumulators: what goes in and comes out, also within one run, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sequences import Node, Sequence


def f32(value: object) -> np.ndarray:
    return np.array(value, np.float32)


def i32(value: object) -> np.ndarray:
    return np.array(value, np.int32)


def i64(value: object) -> np.ndarray:
    return np.array(value, np.int64)


def text(*values: bytes) -> np.ndarray:
    return np.array(values, object)


# Barriers


def barrier(**attrs: Any) -> Node:
    given = {"component_types": ["float32", "int32"], "shapes": [[2], []], "capacity": -1, "shared_name": "b"}
    return Node(str(attrs.pop("name", "b")), "Barrier", **{**given, **attrs})


def insert(name: str, component: int, keys: np.ndarray, values: np.ndarray, after: tuple[str, ...] = ()) -> Node:
    return Node(name, "BarrierInsertMany", "b", keys, values, component_index=component, after=after)


def take(name: str, n: object, small: bool = False, types: tuple[str, ...] = ("float32", "int32")) -> Node:
    attrs = {"component_types": list(types), "allow_small_batch": small, "wait_for_incomplete": False, "timeout_ms": -1}
    return Node(name, "BarrierTakeMany", "b", i32(n), **attrs)


BARRIER = [
    barrier(),
    insert("first", 0, text(b"x", b"y", b"z"), f32([[1, 2], [3, 4], [5, 6]])),
    insert("second", 1, text(b"z", b"x"), i32([30, 10])),
    insert("then_second", 1, text(b"z", b"x"), i32([30, 10]), after=("first",)),
    insert("rest", 1, text(b"y"), i32([20])),
    insert("again", 1, text(b"w", b"y", b"v"), i32([1, 2, 3])),
    insert("nothing", 0, text(), f32(np.zeros((0, 2)))),
    insert("empty", 0, text(b"a"), f32(np.zeros((1, 0)))),
    insert("shape", 0, text(b"w"), f32([[1, 2, 3]])),
    insert("component", 2, text(b"w"), i32([1])),
    insert("type", 0, text(b"w"), i32([1])),
    take("two", 2),
    take("small", 5, small=True),
    take("many", 5),
    take("vector", [1]),
    take("types", 1, types=("float32",)),
    Node("ready", "BarrierReadySize", "b"),
    Node("incomplete", "BarrierIncompleteSize", "b"),
    Node("close", "BarrierClose", "b", cancel_pending_enqueues=False),
    Node("cancel", "BarrierClose", "b", cancel_pending_enqueues=True),
]
SIZES = ["ready:0", "incomplete:0"]


def parts(name: str) -> list[str]:
    return [f"{name}:{i}" for i in range(4)]


BARRIERS = [
    Sequence(
        "barrier",
        BARRIER,
        [
            SIZES,
            ["first"],
            SIZES,
            ["second"],
            SIZES,
            parts("two"),
            ["nothing"],
            ["first"],
            SIZES,
            ["rest"],
            ["again"],
            SIZES,
            *([n] for n in ("empty", "shape", "component", "type", "vector:0", "types:0")),
        ],
    ),
    Sequence("barrier_one_run", BARRIER, [["first", "then_second", *parts("two")], SIZES]),
    Sequence(
        "barrier_closed",
        BARRIER,
        [
            ["first"],
            ["second"],
            ["close"],
            ["first"],
            ["close"],
            parts("many"),
            parts("small"),
            parts("small"),
            ["rest"],
            ["nothing"],
            ["again"],
            SIZES,
            parts("small"),
            ["cancel"],
            ["cancel"],
        ],
    ),
    Sequence(
        "barrier_cancelled",
        BARRIER,
        [["first"], ["second"], ["cancel"], SIZES, ["rest"], ["nothing"], ["close"], ["cancel"], parts("small")],
    ),
    Sequence(
        "barrier_shared",
        [
            barrier(),
            barrier(name="types", component_types=["float32", "int64"]),
            barrier(name="shapes", shapes=[[3], []]),
            barrier(name="none", shapes=[]),
            barrier(name="capacity", capacity=3),
        ],
        [["b"], ["types"], ["shapes"], ["none"], ["capacity"]],
    ),
]

# Staging

AREA = {"capacity": 2, "memory_limit": 0, "container": "", "shared_name": "s"}
PAIR = {**AREA, "dtypes": ["float32", "string"]}


def stage(name: str, *values: object, after: tuple[str, ...] = (), **attrs: Any) -> Node:
    given = {k: v for k, v in PAIR.items() if k != "dtypes"}
    return Node(name, "Stage", list(values), after=after, **{**given, **attrs})


STAGE = [
    stage("a", f32([1, 2]), np.array(b"a", object)),
    stage("b", f32([3]), np.array(b"b", object)),
    stage("then_b", f32([3]), np.array(b"b", object), after=("a",)),
    stage("then_c", f32([4]), np.array(b"c", object), after=("then_b",)),
    Node("get", "Unstage", **PAIR),
    Node("get_one", "Unstage", **{**PAIR, "dtypes": ["float32"]}),
    Node("next", "Unstage", after=("get",), **PAIR),
    Node("third", "Unstage", after=("next",), **PAIR),
    Node("peek", "StagePeek", i32(1), **PAIR),
    Node("peek_vector", "StagePeek", i32([1]), **PAIR),
    Node("size", "StageSize", **PAIR),
    Node("clear", "StageClear", **PAIR),
]

LIMIT = {"capacity": 0, "memory_limit": 16, "container": "", "shared_name": "m"}
LIMITED = [
    stage("large", f32(range(5)), **LIMIT),
    stage("put", f32(range(3)), **LIMIT),
    stage("text", text(b"", b""), **{**LIMIT, "shared_name": "n"}),
    Node("get", "Unstage", dtypes=["float32"], **LIMIT),
    stage("more", f32(range(2)), after=("put",), **LIMIT),
    Node("next", "Unstage", dtypes=["float32"], after=("get",), **LIMIT),
    Node("size", "StageSize", dtypes=["float32"], **LIMIT),
]

STAGES = [
    Sequence(
        "stage",
        STAGE,
        [
            ["size:0"],
            ["a"],
            ["b"],
            ["size:0"],
            ["peek:0", "peek:1"],
            ["get:0", "get:1"],
            ["peek_vector:0"],
            ["get_one:0"],
            ["a"],
            ["clear"],
            ["size:0"],
            ["a", "get:0", "get:1"],
            ["get:1", "next:1", "third:1", "a", "then_b", "then_c"],
            ["size:0"],
        ],
    ),
    Sequence("stage_memory", LIMITED, [["large"], ["text"], ["put"], ["more", "get:0", "next:0", "put"], ["size:0"]]),
]


def maps(prefix: str) -> list[Sequence]:
    def put(name: str, key: object, indices: object, *values: object, **attrs: Any) -> Node:
        return Node(name, f"{prefix}Stage", i64(key), i32(indices), list(values), **{**PAIR, "capacity": 0, **attrs})

    def out(name: str, op: str, *inputs: object, types: tuple[str, ...] = ("float32", "string"), **attrs: Any) -> Node:
        return Node(name, prefix + op, *inputs, **{**PAIR, "capacity": 0, "dtypes": list(types), **attrs})

    both = i32([0, 1])
    nodes = [
        put("seven", 7, [0, 1], f32([7]), np.array(b"g", object)),
        put("three", 3, [0, 1], f32([3]), np.array(b"c", object)),
        put("five_first", 5, [0], f32([5])),
        put("five_second", 5, [1], np.array(b"e", object)),
        put("order", 5, [1, 0], np.array(b"e", object), f32([5])),
        put("no_indices", 5, [], f32([5])),
        put("out_of_range", 9, [2], f32([5])),
        put("no_key", [], [0], f32([5])),
        put("two_keys", [1, 2], [0], f32([5])),
        out("get_seven", "Unstage", i64(7), both),
        out("get_three_first", "Unstage", i64(3), i32([0]), types=("float32",)),
        out("get_three_second", "Unstage", i64(3), i32([1]), types=("string",)),
        out("get_bad", "Unstage", i64(3), i32([2]), types=("float32",)),
        out("get_vector", "Unstage", i64([3]), both),
        out("peek_three", "Peek", i64(3), both),
        out("any", "UnstageNoKey", both),
        out("size", "Size"),
        out("incomplete", "IncompleteSize"),
        out("clear", "Clear"),
    ]
    sizes = ["size:0", "incomplete:0"]
    pair = ["peek_three:0", "peek_three:1"]
    anything = ["any:0", "any:1", "any:2"]
    return [
        Sequence(
            f"{prefix}_stage",
            nodes,
            [
                sizes,
                ["seven"],
                ["three"],
                ["five_first"],
                sizes,
                ["five_first"],
                ["five_second"],
                sizes,
                ["get_seven:0", "get_seven:1"],
                pair,
                ["get_bad:0"],
                ["get_three_first:0"],
                pair,
                ["get_three_first:0"],
                ["get_three_second:0"],
                sizes,
                anything,
                ["seven"],
                ["clear"],
                sizes,
                ["seven", "get_seven:0"],
                *([n] for n in ("order", "no_indices", "out_of_range", "no_key", "two_keys", "get_vector:0")),
            ],
        ),
        Sequence(f"{prefix}_any", nodes, [["three"], anything, ["seven"], ["three"], anything, anything]),
    ]


# Conditional accumulators


def dense(name: str, v: str, dtype: str, reduction: str) -> Sequence:
    given = {"dtype": dtype, "shape": [None, 2], "shared_name": "acc", "reduction_type": reduction}
    values = np.array([[1.1, -2.2], [3.3, 0.7]], dtype)
    nodes = [
        Node("acc", f"{v}ConditionalAccumulator", **given),
        Node("add", f"{v}AccumulatorApplyGradient", "acc", i64(0), values),
        Node("add_one", f"{v}AccumulatorApplyGradient", "acc", i64(1), values * 3),
        Node("late", f"{v}AccumulatorApplyGradient", "acc", i64(2), values * 5),
        Node("late_too", f"{v}AccumulatorApplyGradient", "acc", i64(9), values),
        Node("other_rows", f"{v}AccumulatorApplyGradient", "acc", i64(5), values[:1]),
        Node("bad", f"{v}AccumulatorApplyGradient", "acc", i64(5), values[0]),
        Node("stale_and_bad", f"{v}AccumulatorApplyGradient", "acc", i64(-1), values[0]),
        Node("vector", f"{v}AccumulatorApplyGradient", "acc", i64([0]), values),
        Node("take", f"{v}AccumulatorTakeGradient", "acc", i32(1), dtype=dtype),
        Node("take_two", f"{v}AccumulatorTakeGradient", "acc", i32(2), dtype=dtype),
        Node("take_none", f"{v}AccumulatorTakeGradient", "acc", i32(0), dtype=dtype),
        Node("count", f"{v}AccumulatorNumAccumulated", "acc"),
        Node("step", f"{v}AccumulatorSetGlobalStep", "acc", i64(3)),
        Node("type", f"{v}AccumulatorApplyGradient", "acc", i64(0), i32([[1, 2]])),
    ]
    return Sequence(
        name,
        nodes,
        [
            ["count:0"],
            ["add"],
            ["add"],
            ["add"],
            ["count:0"],
            ["other_rows"],
            ["take_two:0"],
            ["count:0"],
            ["add"],
            ["count:0"],
            ["add_one"],
            ["bad"],
            ["stale_and_bad"],
            ["take:0"],
            ["late", "late_too", "take_two:0"],
            ["step"],
            ["add_one"],
            ["other_rows", "take:0"],
            *([n] for n in ("take_none:0", "vector", "type")),
        ],
    )


def sparse(name: str, reduction: str, shape: list[int | None] | None) -> Sequence:
    given = {"dtype": "float32", "shape": shape, "shared_name": "acc", "reduction_type": reduction}

    def add(node: str, step: int, indices: object, values: object, dims: object = None) -> Node:
        has_shape = dims is not None
        inputs = i64(step), i64(indices), f32(values), i64(dims if has_shape else [])
        return Node(node, "SparseAccumulatorApplyGradient", "acc", *inputs, has_known_shape=has_shape)

    nodes = [
        Node("acc", "SparseConditionalAccumulator", **given),
        add("a", 0, [0, 2], [[1, 2], [3, 4]], [4, 2]),
        add("b", 0, [1, 2, 3], [[10, 20], [30, 40], [50, 60]]),
        add("c", 0, [0], [[100, 200]]),
        add("stale", -1, [0], [[1, 1]]),
        add("none", 0, np.zeros(0), np.zeros((0, 2))),
        add("row", 0, [0], [[1, 2, 3]]),
        add("rank", 0, [0], [1]),
        add("scalar", 0, [0], 1),
        add("matrix", 0, [[0]], [[1, 2]]),
        add("length", 0, [0, 1], [[1, 2]]),
        add("limit", 0, [0, 9], [[1, 2], [3, 4]]),
        add("known", 0, [0], [[1, 2]], [5, 2]),
        add("known_rank", 0, [0], [[1, 2]], [4]),
        Node("take", "SparseAccumulatorTakeGradient", "acc", i32(1), dtype="float32"),
        Node("take_two", "SparseAccumulatorTakeGradient", "acc", i32(2), dtype="float32"),
        Node("count", "AccumulatorNumAccumulated", "acc"),
        Node("step", "AccumulatorSetGlobalStep", "acc", i64(0)),
    ]
    taken = ["take:0", "take:1", "take:2"]
    refused = ("row", "rank", "scalar", "matrix", "length", "limit", "known", "known_rank")
    return Sequence(
        name,
        nodes,
        [
            ["a"],
            ["b"],
            ["c"],
            ["stale"],
            ["none"],
            ["count:0"],
            *([n] for n in refused),
            taken,
            ["step"],
            *([n] for n in refused if n not in ("row", "limit", "known", "known_rank") or shape),
            ["count:0"],
            ["take_two:0", "take_two:1", "take_two:2", "a", "b"] if shape and shape[0] else ["count:0"],
        ],
    )


SEQUENCES = [
    *BARRIERS,
    *STAGES,
    *maps("Map"),
    *maps("OrderedMap"),
    *[
        dense(f"{v}accumulator_{dtype}_{reduction}", v, dtype, reduction)
        for v in ("", "Resource")
        for dtype, reduction in (("float32", "MEAN"), ("float16", "MEAN"), ("float64", "SUM"))
    ],
    sparse("sparse_accumulator", "MEAN", [4, 2]),
    sparse("sparse_accumulator_sum", "SUM", [None, 2]),
    sparse("sparse_accumulator_of_any_shape", "MEAN", None),
]
