"""What else a variant holds, and what lives for one run: maps, stacks, optionals, composite and ragged tensors, mutexes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sequences import Node, Sequence

WORDS = np.array([b"brain", b"salad", b"surgery"], object)


def f32(value: Any) -> np.ndarray:
    return np.array(value, np.float32)


def i32(value: Any) -> np.ndarray:
    return np.array(value, np.int32)


def i64(value: Any) -> np.ndarray:
    return np.array(value, np.int64)


def word(text: bytes) -> np.ndarray:
    return np.array(text, object)


ROWS = f32([[1, 2], [3, 4], [5, 6]])


def outcome(name: str, *nodes: Node, fetch: str | None = None) -> Sequence:
    """Nodes, and one run of the last."""
    return Sequence(name, list(nodes), [[fetch or f"{nodes[-1].name}:0"]])


# Maps


def filled(*pairs: tuple[Any, Any]) -> list[Node]:
    """Return nodes `m`, the empty map, `m0`, `m1`, … each with one pair more."""
    made = [Node("m", "EmptyTensorMap")]
    for i, (key, value) in enumerate(pairs):
        made.append(Node(f"m{i}", "TensorMapInsert", made[-1].name, key, value))
    return made


def lookup(name: str, handle: str, key: Any, dtype: str = "float32") -> Node:
    return Node(name, "TensorMapLookup", handle, key, value_dtype=dtype)


def erase(name: str, handle: str, key: Any, dtype: str = "float32") -> Node:
    return Node(name, "TensorMapErase", handle, key, value_dtype=dtype)


def keys(name: str, handle: str, dtype: str = "int32") -> Node:
    return Node(name, "TensorMapStackKeys", handle, key_dtype=dtype)


def count(name: str, handle: str) -> Node:
    return Node(name, "TensorMapSize", handle)


PAIRS = ((i32(1), f32(10)), (i32(2), f32([20, 21])), (i32(1), f32(30)))

MAPS = [
    outcome("map_empty", *filled(), count("n", "m")),
    outcome("map_size", *filled(*PAIRS), count("n", "m2")),
    outcome("map_found", *filled(*PAIRS), lookup("v", "m2", i32(2))),
    outcome("map_replaced", *filled(*PAIRS), lookup("v", "m2", i32(1))),
    outcome("map_replaced_before", *filled(*PAIRS), lookup("v", "m1", i32(1))),
    outcome("map_has", *filled(*PAIRS), Node("h", "TensorMapHasKey", "m2", i32(2))),
    outcome("map_has_not", *filled(*PAIRS), Node("h", "TensorMapHasKey", "m2", i32(3))),
    outcome("map_erased", *filled(*PAIRS), erase("e", "m2", i32(1)), keys("k", "e")),
    outcome(
        "map_erased_kept", *filled(*PAIRS), erase("e", "m2", i32(1)), count("n", "m2"), count("o", "e"), fetch="n:0"
    ),
    outcome("map_words", *filled((word(b"a"), WORDS)), lookup("v", "m0", word(b"a"), "string")),
    outcome("map_key_vector", *filled((i32([1, 2]), f32(5))), lookup("v", "m0", i32([1, 2]))),
    outcome("map_key_other_dtype", *filled((i32(1), f32(5))), Node("h", "TensorMapHasKey", "m0", i64(1))),
    outcome("map_keys", *filled((i32([1, 2]), f32(5))), keys("k", "m0")),
    outcome("map_keys_words", *filled((word(b"a"), f32(5))), keys("k", "m0", "string")),
    outcome("map_refused", *filled(*PAIRS), lookup("v", "m2", i32(3))),
    outcome("map_refused_vector", *filled(*PAIRS), lookup("v", "m2", i32([3, 4]))),
    outcome("map_refused_matrix", *filled(*PAIRS), lookup("v", "m2", i32([[3, 4], [5, 6]]))),
    outcome("map_refused_word", *filled(*PAIRS), lookup("v", "m2", word(b"a"))),
    outcome("map_refused_float", *filled(*PAIRS), lookup("v", "m2", f32([0.5, 1e20]))),
    outcome("map_refused_erase", *filled(*PAIRS), erase("e", "m2", i32(3)), count("n", "e")),
    outcome("map_refused_keys", *filled(), keys("k", "m")),
    outcome("map_refused_keys_dtype", *filled(*PAIRS), keys("k", "m2", "int64")),
    outcome("map_refused_keys_shapes", *filled((i32(1), f32(1)), (i32([1]), f32(1))), keys("k", "m1")),
    outcome(
        "map_keys_left",
        *filled((i32(1), f32(1)), (i32([1]), f32(1))),
        erase("e", "m1", i32(1)),
        keys("k", "e"),
    ),
    outcome("map_zeros_like", *filled((i32(1), f32([3, 4]))), Node("z", "ZerosLike", "m0"), lookup("v", "z", i32(1))),
    outcome("map_added", *filled((i32(1), f32([3, 4]))), Node("z", "AddN", ["m0", "m0"]), lookup("v", "z", i32(1))),
    outcome(
        "map_in_list",
        *filled(*PAIRS),
        Node("l", "EmptyTensorList", i32(-1), i32(-1), element_dtype="variant"),
        Node("p", "TensorListPushBack", "l", "m2"),
        Node("o", "TensorListGetItem", "p", i32(0), i32(-1), element_dtype="variant"),
        lookup("v", "o", i32(2)),
    ),
]

# Stacks


def stack(size: Any = -1, **attrs: Any) -> Node:
    return Node("s", "StackV2", i32(size), **{"elem_type": "float32", **attrs})


def push(name: str, value: Any, after: tuple[str, ...] = ()) -> Node:
    return Node(name, "StackPushV2", "s", value, after=after)


def pop(name: str, after: tuple[str, ...] = (), dtype: str = "float32") -> Node:
    return Node(name, "StackPopV2", "s", after=after, elem_type=dtype)


STACKS = [
    Sequence(
        "stack",
        [
            stack(),
            push("a", f32(1)),
            push("b", f32([2, 3]), after=("a",)),
            pop("c", after=("b",)),
            pop("d", after=("c",)),
            Node("end", "StackCloseV2", "s", after=("d",)),
        ],
        [["a:0", "b:0", "c:0", "d:0", "end"], ["d:0"]],
    ),
    Sequence("stack_words", [stack(elem_type="string"), push("a", WORDS), pop("b", ("a",), "string")], [["b:0"]]),
    Sequence("stack_emptied", [stack(), push("a", f32(1)), pop("b", ("a",)), pop("c", ("b",))], [["c:0"]]),
    Sequence("stack_empty", [stack(), pop("a")], [["a:0"]]),
]

# Optionals


def optional(*values: Any, name: str = "o") -> Node:
    return Node(name, "OptionalFromValue", list(values))


def value(name: str, handle: str, types: list[str], shapes: list[Any]) -> Node:
    return Node(name, "OptionalGetValue", handle, output_types=types, output_shapes=shapes)


HIDDEN = (Node("k", "Pack", ["o", "o"]), Node("h", "Unpack", "k", num=2))

OPTIONALS = [
    outcome("optional_has", optional(f32(1)), Node("h", "OptionalHasValue", "o")),
    outcome("optional_has_not", Node("o", "OptionalNone"), Node("h", "OptionalHasValue", "o")),
    outcome("optional", optional(ROWS, WORDS), value("v", "o", ["float32", "string"], [[3, 2], [3]]), fetch="v:1"),
    outcome("optional_unknown", optional(ROWS), *HIDDEN, value("v", "h", ["float32"], [None])),
    outcome("optional_partly", optional(ROWS), *HIDDEN, value("v", "h", ["float32"], [[None, 2]])),
    outcome("optional_refused", Node("o", "OptionalNone"), value("v", "o", ["float32"], [None])),
    outcome("optional_refused_count", optional(ROWS, WORDS), *HIDDEN, value("v", "h", ["float32"], [None])),
    outcome("optional_refused_dtype", optional(ROWS), *HIDDEN, value("v", "h", ["int32"], [None])),
    outcome("optional_refused_shape", optional(ROWS), *HIDDEN, value("v", "h", ["float32"], [[2, 3]])),
    outcome("optional_zeros_like", optional(ROWS), Node("z", "ZerosLike", "o"), value("v", "z", ["float32"], [None])),
    outcome(
        "optional_zeros_like_none",
        Node("o", "OptionalNone"),
        Node("z", "ZerosLike", "o"),
        Node("h", "OptionalHasValue", "z"),
    ),
    outcome("optional_added", optional(ROWS), Node("z", "AddN", ["o", "o"]), value("v", "z", ["float32"], [None])),
    outcome(
        "optional_added_nones",
        Node("o", "OptionalNone"),
        Node("z", "AddN", ["o", "o"]),
        Node("h", "OptionalHasValue", "z"),
    ),
    outcome(
        "optional_refused_added",
        optional(ROWS),
        Node("q", "OptionalNone"),
        Node("z", "AddN", ["o", "q"]),
        Node("h", "OptionalHasValue", "z"),
    ),
]

# Composite tensors


def spec(kind: int, name: bytes) -> bytes:
    """Return metadata that holds a TypeSpecProto: number and name of the class, and that there are two parts."""
    made = bytes([0x08, kind, 0x1A, len(name)]) + name + bytes([0x20, 2])
    return bytes([0x0A, len(made)]) + made


RAGGED = spec(3, b"RaggedTensorSpec")
INDEXED = spec(2, b"IndexedSlices")


def composed(*values: Any, metadata: bytes = RAGGED) -> Node:
    return Node("c", "CompositeTensorVariantFromComponents", list(values), metadata=metadata)


def parts(handle: str, types: list[str], metadata: bytes = RAGGED) -> Node:
    return Node("p", "CompositeTensorVariantToComponents", handle, metadata=metadata, Tcomponents=types)


COMPOSITES = [
    outcome("composite", composed(ROWS, i64([0, 3])), parts("c", ["float32", "int64"]), fetch="p:1"),
    outcome("composite_refused_class", composed(ROWS, i64([0, 3])), parts("c", ["float32", "int64"], INDEXED)),
    outcome("composite_refused_count", composed(ROWS, i64([0, 3])), parts("c", ["float32"])),
    outcome("composite_refused_dtype", composed(ROWS, i64([0, 3])), parts("c", ["float32", "int32"])),
    outcome("composite_refused_metadata", composed(ROWS, metadata=b"\xff\xff"), parts("c", ["float32", "int64"])),
]

# Ragged tensors


def encoded(splits: list[Any], values: Any, batched: bool = True) -> Node:
    return Node("e", "RaggedTensorToVariant", list(splits), values, batched_input=batched)


def decoded(handle: str, rank: int, output_rank: int, dtype: str = "float32", splits: str = "int64") -> Node:
    attrs = {"Tvalues": dtype, "Tsplits": splits}
    return Node("d", "RaggedTensorFromVariant", handle, input_ragged_rank=rank, output_ragged_rank=output_rank, **attrs)


SPLITS = i64([0, 2, 2, 3])

RAGGEDS = [
    outcome("ragged", encoded([SPLITS], ROWS), decoded("e", 0, 1), fetch="d:0"),
    outcome("ragged_values", encoded([SPLITS], ROWS), decoded("e", 0, 1), fetch="d:1"),
    outcome("ragged_guessed_rank", encoded([SPLITS], ROWS), decoded("e", -1, 1), fetch="d:1"),
    outcome("ragged_whole", encoded([SPLITS], ROWS, batched=False), decoded("e", 1, 1), fetch="d:0"),
    outcome("ragged_two", encoded([i64([0, 1, 3]), SPLITS], ROWS), decoded("e", 1, 2), fetch="d:1"),
    outcome("ragged_two_outer", encoded([i64([0, 1, 3]), SPLITS], ROWS), decoded("e", 1, 2), fetch="d:0"),
    outcome("ragged_words", encoded([i32([0, 2, 3])], WORDS), decoded("e", 0, 1, "string", "int32"), fetch="d:1"),
    outcome("ragged_rows", encoded([SPLITS], ROWS), Node("s", "Shape", "e")),
    outcome(
        "ragged_gradient",
        encoded([SPLITS], ROWS),
        Node("g", "RaggedTensorToVariantGradient", "e", SPLITS, i32([3, 2]), Tvalues="float32"),
    ),
    outcome("ragged_refused_dtype", encoded([SPLITS], ROWS), decoded("e", 0, 1, "int32"), fetch="d:0"),
    outcome("ragged_refused_splits_dtype", encoded([SPLITS], ROWS), decoded("e", 0, 1, splits="int32"), fetch="d:0"),
    outcome("ragged_refused_rank", encoded([SPLITS], ROWS), decoded("e", 1, 2), fetch="d:0"),
    outcome("ragged_refused_splits", encoded([i64([0, 2, 1, 3])], ROWS), Node("s", "Shape", "e")),
    outcome("ragged_refused_first", encoded([i64([1, 3])], ROWS), Node("s", "Shape", "e")),
    outcome("ragged_refused_last", encoded([i64([0, 4])], ROWS), Node("s", "Shape", "e")),
    outcome("ragged_refused_empty", encoded([i64([])], ROWS), Node("s", "Shape", "e")),
    outcome("ragged_refused_variant", optional(ROWS), decoded("o", 1, 1), fetch="d:0"),
]

# Tensors that a session keeps, mutexes

KEPT = [
    Sequence("deleted", [Node("d", "DeleteSessionTensor", word(b"none"))], [["d"]]),
    Sequence("refused_kept", [Node("t", "GetSessionTensor", word(b"none"), dtype="float32")], [["t:0"]]),
    Sequence(
        "mutex",
        [
            Node("m", "MutexV2", shared_name="m"),
            Node("l", "MutexLock", "m"),
            Node("one", "Identity", f32(1), after=("l",)),
            Node("end", "ConsumeMutexLock", "l", after=("one",)),
        ],
        [["one:0", "end"], ["one:0", "end"]],
    ),
]

SEQUENCES = [*MAPS, *STACKS, *OPTIONALS, *COMPOSITES, *RAGGEDS, *KEPT]
