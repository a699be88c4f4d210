"""TensorLists: made, read, changed, joined, cut, copied, and what goes wrong."""

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


ROWS = f32([[1, 2], [3, 4], [5, 6]])
ANY = i32(-1)


def empty(name: str = "l", element_shape: Any = ANY, limit: Any = -1, dtype: str = "float32") -> Node:
    return Node(name, "EmptyTensorList", element_shape, i32(limit), element_dtype=dtype)


def reserve(size: Any, element_shape: Any = ANY, name: str = "l", dtype: str = "float32") -> Node:
    return Node(name, "TensorListReserve", element_shape, i32(size), element_dtype=dtype)


def of(tensor: Any, element_shape: Any = ANY, name: str = "l") -> Node:
    return Node(name, "TensorListFromTensor", tensor, element_shape)


def get(name: str, handle: str, index: Any, element_shape: Any = ANY, dtype: str = "float32") -> Node:
    return Node(name, "TensorListGetItem", handle, i32(index), element_shape, element_dtype=dtype)


def put(name: str, handle: str, index: Any, value: Any, **attrs: Any) -> Node:
    return Node(name, "TensorListSetItem", handle, i32(index), value, **attrs)


def push(name: str, handle: str, value: Any) -> Node:
    return Node(name, "TensorListPushBack", handle, value)


def pop(name: str, handle: str, element_shape: Any = ANY, dtype: str = "float32") -> Node:
    return Node(name, "TensorListPopBack", handle, element_shape, element_dtype=dtype)


def stack(name: str, handle: str, element_shape: Any = ANY, dtype: str = "float32", **attrs: Any) -> Node:
    return Node(name, "TensorListStack", handle, element_shape, element_dtype=dtype, **attrs)


def gather(name: str, handle: str, indices: Any, element_shape: Any = ANY, dtype: str = "float32") -> Node:
    return Node(name, "TensorListGather", handle, i32(indices), element_shape, element_dtype=dtype)


def scatter(tensor: Any, indices: Any, element_shape: Any = ANY, size: Any = -1) -> Node:
    return Node("l", "TensorListScatterV2", tensor, i32(indices), element_shape, i32(size))


def concat(name: str, handle: str, element_shape: Any = ANY, dims: Any = (), dtype: str = "float32") -> Node:
    return Node(name, "TensorListConcatV2", handle, element_shape, i64(dims), element_dtype=dtype)


def split(tensor: Any, element_shape: Any, lengths: Any) -> Node:
    return Node("l", "TensorListSplit", tensor, element_shape, i64(lengths))


def length(name: str, handle: str) -> Node:
    return Node(name, "TensorListLength", handle)


def shape_of(name: str, handle: str, shape_type: str = "int32") -> Node:
    return Node(name, "TensorListElementShape", handle, shape_type=shape_type)


def resize(name: str, handle: str, size: Any) -> Node:
    return Node(name, "TensorListResize", handle, i32(size))


def outcome(name: str, *nodes: Node, fetch: str | None = None) -> Sequence:
    """Nodes, and one run of the last."""
    return Sequence(name, list(nodes), [[fetch or f"{nodes[-1].name}:0"]])


# Through these a list gets where the shape rules cannot see of which dtype it is.
HIDDEN = (Node("k", "Pack", ["l", "l"]), Node("h", "Unpack", "k", num=2))


CALLS = [
    outcome("empty", empty(), length("n", "l")),
    outcome("element_shape", empty(element_shape=i32([2, -1])), shape_of("s", "l")),
    outcome("element_shape_int64", empty(element_shape=i64([2, -1])), shape_of("s", "l", "int64")),
    outcome("element_shape_unknown", empty(), shape_of("s", "l")),
    outcome("element_shape_scalar", empty(element_shape=np.zeros(0, np.int32)), shape_of("s", "l")),
    outcome("reserved", reserve(3), length("n", "l")),
    outcome("reserved_item", reserve(3, i32([2])), get("v", "l", 1)),
    outcome("reserved_item_asked", reserve(3), get("v", "l", 1, i32([2, 1]))),
    outcome("reserved_item_as_others", reserve(3), put("p", "l", 0, ROWS[0]), get("v", "p", 2)),
    outcome("reserved_text", reserve(2, i32([2]), dtype="string"), stack("v", "l", dtype="string")),
    outcome("reserved_stack", reserve(3, i32([2])), put("p", "l", 1, ROWS[0]), stack("v", "p")),
    outcome("reserved_gather", reserve(3), put("p", "l", 1, ROWS[0]), gather("v", "p", [1, 2])),
    outcome("from_rows", of(ROWS), get("v", "l", 2)),
    outcome("from_rows_shape", of(ROWS, i32([2])), shape_of("v", "l")),
    outcome("from_rows_partly", of(ROWS, i32([-1])), shape_of("v", "l")),
    outcome("from_words", of(WORDS, np.zeros(0, np.int32)), stack("v", "l", dtype="string")),
    outcome("from_nothing", of(ROWS[:0], i32([2])), stack("v", "l")),
    outcome("pushed", empty(), push("a", "l", ROWS[0]), push("b", "a", f32([[7]])), get("v", "b", 1)),
    outcome("popped", of(ROWS), pop("p", "l"), fetch="p:1"),
    outcome("popped_left", of(ROWS), pop("p", "l"), stack("v", "p:0")),
    outcome("popped_unset", reserve(2, i32([2])), pop("p", "l"), fetch="p:1"),
    outcome("popped_unset_asked", reserve(2), pop("p", "l", i32([1])), fetch="p:1"),
    outcome("set", of(ROWS), put("p", "l", 1, f32([8, 9])), stack("v", "p")),
    outcome("set_grows", of(ROWS), put("p", "l", 5, f32([8, 9]), resize_if_index_out_of_bounds=True), length("n", "p")),
    outcome("stacked_count", of(ROWS), stack("v", "l", num_elements=3)),
    outcome("stacked_shape", of(ROWS), stack("v", "l", i32([-1]))),
    outcome("stacked_nothing", empty(), stack("v", "l", i32([3, 2]))),
    outcome("gathered", of(ROWS), gather("v", "l", [2, 0, 2])),
    outcome("gathered_none", of(ROWS), gather("v", "l", np.zeros(0), i32([2]))),
    outcome("scattered", scatter(ROWS, [2, 0, 1]), stack("v", "l")),
    outcome("scattered_gaps", scatter(ROWS[:2], [3, 0], i32([2])), stack("v", "l")),
    outcome("scattered_room", scatter(ROWS[:2], [3, 0], i32([2]), 6), length("n", "l")),
    outcome("scattered_twice", scatter(ROWS[:2], [0, 0]), stack("v", "l")),
    outcome("scattered_v1", Node("l", "TensorListScatter", ROWS, i32([2, 0, 1]), i32([2])), stack("v", "l")),
    outcome(
        "scattered_into",
        of(ROWS),
        Node("p", "TensorListScatterIntoExistingList", "l", f32([[7, 8], [9, 10]]), i32([0, 3])),
        stack("v", "p", i32([2])),
    ),
    outcome("joined", split(ROWS, i32([-1, 2]), [1, 0, 2]), concat("v", "l", i32([-1, 2]))),
    outcome("joined_lengths", split(ROWS, i32([-1, 2]), [1, 0, 2]), concat("v", "l", i32([-1, 2])), fetch="v:1"),
    outcome("joined_unset", reserve(2, i32([-1, 2])), put("p", "l", 0, ROWS), concat("v", "p", i32([-1, 2]), [9, 2])),
    outcome("joined_unset_fixed", reserve(2, i32([3, 2])), put("p", "l", 0, ROWS), concat("v", "p", i32([3, 2]))),
    outcome("joined_nothing", empty(), concat("v", "l", i32([-1, 2]))),
    outcome("joined_nothing_lengths", empty(), concat("v", "l", i32([-1, 2])), fetch="v:1"),
    outcome(
        "joined_v1", split(ROWS, i32([-1, 2]), [1, 2]), Node("v", "TensorListConcat", "l", element_dtype="float32")
    ),
    outcome("cut_piece", split(ROWS, i32([-1, 2]), [1, 0, 2]), get("v", "l", 2)),
    outcome("cut_text", split(WORDS, ANY, [1, 2]), get("v", "l", 1, dtype="string")),
    outcome("resized_down", of(ROWS), resize("r", "l", 1), stack("v", "r")),
    outcome("resized_up", of(ROWS, i32([2])), resize("r", "l", 4), stack("v", "r")),
    outcome("resized_same", of(ROWS), resize("r", "l", 3), stack("v", "r")),
    outcome(
        "lists_joined",
        of(ROWS),
        of(f32([[7, 8]]), name="m"),
        Node("j", "TensorListConcatLists", "l", "m", element_dtype="float32"),
        stack("v", "j"),
    ),
    outcome(
        "pushed_batch",
        empty("a"),
        empty("b"),
        Node("ab", "Pack", ["a", "b"]),
        Node("p", "TensorListPushBackBatch", "ab", ROWS[:2]),
        Node("u", "Unpack", "p", num=2),
        get("v", "u:1", 0),
    ),
    outcome("zeros_like", of(ROWS, i32([2])), Node("z", "ZerosLike", "l"), stack("v", "z")),
    outcome("zeros_like_unset", reserve(2, i32([2])), Node("z", "ZerosLike", "l"), stack("v", "z")),
    outcome("added", of(ROWS), of(ROWS, name="m"), Node("s", "AddN", ["l", "m", "l"]), stack("v", "s")),
    outcome(
        "added_unset",
        of(ROWS, i32([2])),
        reserve(3, i32([2]), name="m"),
        Node("s", "AddN", ["l", "m"]),
        stack("v", "s"),
    ),
    outcome(
        "list_of_lists",
        of(ROWS, name="m"),
        empty(dtype="variant"),
        push("a", "l", "m"),
        get("o", "a", 0, dtype="variant"),
        stack("v", "o"),
    ),
    Sequence(
        "kept_apart",
        [
            of(ROWS),
            put("p", "l", 0, f32([8, 9])),
            put("q", "l", 0, f32([0, 0])),
            push("a", "p", f32([10, 11])),
            pop("o", "q"),
            *[stack(f"v{i}", h) for i, h in enumerate(["l", "p", "q", "a", "o:0"])],
        ],
        [[f"v{i}:0" for i in range(5)], ["v0:0"]],
    ),
]

REFUSED = [
    outcome("refused_limit", empty(limit=1), push("a", "l", f32(1)), push("b", "a", f32(2)), length("n", "b")),
    outcome("refused_limit_shape", empty(limit=[1, 2]), length("n", "l")),
    outcome("refused_element_shape", empty(element_shape=i32(3)), length("n", "l")),
    outcome("refused_element_shape_rank", empty(element_shape=i32([[3]])), length("n", "l")),
    outcome("refused_reserve", reserve(-1), length("n", "l")),
    outcome("refused_reserve_shape", reserve([1, 2]), length("n", "l")),
    outcome("refused_scalar_rows", of(f32(1)), length("n", "l")),
    outcome("refused_rows_shape", of(ROWS, i32([3])), length("n", "l")),
    outcome("refused_get_index", of(ROWS), get("v", "l", 3)),
    outcome("refused_get_negative", of(ROWS), get("v", "l", -1)),
    outcome("refused_get_dtype", of(ROWS), *HIDDEN, get("v", "h", 0, dtype="int32")),
    outcome("refused_get_unset", reserve(3), get("v", "l", 0)),
    outcome("refused_get_unset_partly", reserve(3, i32([-1])), get("v", "l", 0)),
    outcome("refused_get_shape", reserve(3, i32([2])), get("v", "l", 0, i32([3]))),
    outcome("refused_set_index", of(ROWS), put("p", "l", 3, f32([1, 2])), length("n", "p")),
    outcome("refused_set_dtype", of(ROWS), put("p", "l", 0, i32([1, 2])), length("n", "p")),
    outcome("refused_set_shape", of(ROWS, i32([2])), put("p", "l", 0, f32([1])), length("n", "p")),
    outcome("refused_push_dtype", of(ROWS), *HIDDEN, push("p", "h", i32([1, 2])), length("n", "p")),
    outcome("refused_push_shape", of(ROWS, i32([2])), push("p", "l", f32([1])), length("n", "p")),
    outcome("refused_pop_empty", empty(), pop("p", "l"), fetch="p:1"),
    outcome("refused_pop_dtype", of(ROWS), *HIDDEN, pop("p", "h", dtype="int32"), fetch="p:1"),
    outcome("refused_pop_unset", reserve(1), pop("p", "l"), fetch="p:1"),
    outcome("refused_stack_count", of(ROWS), stack("v", "l", num_elements=2)),
    outcome("refused_stack_dtype", of(ROWS), *HIDDEN, stack("v", "h", dtype="int32")),
    outcome("refused_stack_shape", of(ROWS), stack("v", "l", i32([3]))),
    outcome("refused_stack_shapes", empty(), push("a", "l", f32([1])), push("b", "a", f32([1, 2])), stack("v", "b")),
    outcome("refused_stack_nothing", empty(), stack("v", "l")),
    outcome("refused_stack_unset", reserve(2), stack("v", "l")),
    outcome("refused_gather_index", of(ROWS), gather("v", "l", [0, 3])),
    outcome("refused_gather_dtype", of(ROWS), *HIDDEN, gather("v", "h", [0], dtype="int32")),
    outcome("refused_gather_none", empty(), gather("v", "l", np.zeros(0))),
    outcome("refused_scatter_negative", scatter(ROWS, [0, -1, 1]), length("n", "l")),
    outcome("refused_scatter_index", scatter(ROWS, [0, 4, 1], ANY, 3), length("n", "l")),
    outcome("refused_scatter_count", scatter(ROWS, [0, 1]), length("n", "l")),
    outcome("refused_scatter_size", scatter(ROWS, [0, 1, 2], ANY, -2), length("n", "l")),
    outcome("refused_scatter_shape", scatter(ROWS, [0, 1, 2], i32([3])), length("n", "l")),
    outcome(
        "refused_scatter_into_dtype",
        of(ROWS),
        *HIDDEN,
        Node("p", "TensorListScatterIntoExistingList", "h", i32([[7, 8]]), i32([0])),
        length("n", "p"),
    ),
    outcome("refused_concat_scalars", of(f32([1, 2])), concat("v", "l")),
    outcome("refused_concat_asked_scalars", of(ROWS), concat("v", "l", np.zeros(0, np.int32))),
    outcome("refused_concat_nothing", empty(), concat("v", "l")),
    outcome("refused_concat_unset", reserve(2), concat("v", "l")),
    outcome("refused_concat_lengths", reserve(2, i32([-1, 2])), concat("v", "l", ANY, [1])),
    outcome("refused_concat_no_lengths", reserve(2, i32([-1, 2])), concat("v", "l", ANY)),
    outcome(
        "refused_concat_shapes",
        empty(),
        push("a", "l", f32([[1, 2]])),
        push("b", "a", f32([[3]])),
        concat("v", "b"),
    ),
    outcome("refused_concat_dtype", of(ROWS), *HIDDEN, concat("v", "h", dtype="int32")),
    outcome("refused_split_sum", split(ROWS, i32([-1, 2]), [1, 1]), length("n", "l")),
    outcome("refused_split_more", split(ROWS, i32([-1, 2]), [1, 3]), length("n", "l")),
    outcome("refused_split_negative", split(ROWS, i32([-1, 2]), [4, -1]), length("n", "l")),
    outcome("refused_split_scalar", split(f32(1), ANY, [1]), length("n", "l")),
    outcome("refused_split_lengths", split(ROWS, ANY, [[1]]), length("n", "l")),
    outcome("refused_split_shape", split(ROWS, i32([-1, 3]), [1, 2]), length("n", "l")),
    outcome("refused_resize", of(ROWS), resize("r", "l", -1), length("n", "r")),
    outcome("refused_resize_shape", of(ROWS), resize("r", "l", [1]), length("n", "r")),
    outcome(
        "refused_lists_dtype",
        of(ROWS),
        of(i32([[7, 8]]), name="m"),
        Node("k", "Pack", ["l", "m"]),
        Node("h", "Unpack", "k", num=2),
        Node("j", "TensorListConcatLists", "h:0", "h:1", element_dtype="float32"),
        length("n", "j"),
    ),
    outcome(
        "refused_lists_shape",
        of(ROWS, i32([2])),
        of(f32([[7]]), i32([1]), name="m"),
        Node("j", "TensorListConcatLists", "l", "m", element_dtype="float32"),
        length("n", "j"),
    ),
    outcome(
        "refused_batch_count",
        empty("a"),
        empty("b"),
        Node("ab", "Pack", ["a", "b"]),
        Node("p", "TensorListPushBackBatch", "ab", ROWS),
        Node("u", "Unpack", "p", num=2),
        length("n", "u:0"),
    ),
    outcome("refused_added_lengths", of(ROWS), of(ROWS[:2], name="m"), Node("s", "AddN", ["l", "m"]), length("n", "s")),
]

SEQUENCES = [*CALLS, *REFUSED]
