"""TensorArrays: written, read, joined, cut, with gradient arrays beside them, and what goes wrong."""

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


def made(size: Any = 3, name: str = "ta", **attrs: Any) -> Node:
    return Node(name, "TensorArrayV3", i32(size), **{"dtype": "float32", **attrs})


def write(name: str, index: Any, value: Any, flow: str = "ta:1", handle: str = "ta:0") -> Node:
    return Node(name, "TensorArrayWriteV3", handle, i32(index), value, flow)


def read(
    name: str, index: Any, flow: str, dtype: str = "float32", handle: str = "ta:0", after: tuple[str, ...] = ()
) -> Node:
    return Node(name, "TensorArrayReadV3", handle, i32(index), flow, after=after, dtype=dtype)


def gather(name: str, indices: Any, flow: str, handle: str = "ta:0", **attrs: Any) -> Node:
    return Node(name, "TensorArrayGatherV3", handle, i32(indices), flow, **{"dtype": "float32", **attrs})


def scatter(name: str, indices: Any, value: Any, flow: str = "ta:1", handle: str = "ta:0") -> Node:
    return Node(name, "TensorArrayScatterV3", handle, i32(indices), value, flow)


def size(name: str, flow: str, handle: str = "ta:0") -> Node:
    return Node(name, "TensorArraySizeV3", handle, flow)


def concat(name: str, flow: str, handle: str = "ta:0", **attrs: Any) -> Node:
    return Node(name, "TensorArrayConcatV3", handle, flow, **{"dtype": "float32", **attrs})


def split(name: str, value: Any, lengths: Any, flow: str = "ta:1", handle: str = "ta:0") -> Node:
    return Node(name, "TensorArraySplitV3", handle, value, i64(lengths), flow)


def grad(name: str, flow: str, source: str = "gradients", handle: str = "ta:0") -> Node:
    return Node(name, "TensorArrayGradV3", handle, flow, source=source)


def outcome(name: str, *nodes: Node, fetch: str | None = None, **attrs: Any) -> Sequence:
    """A new array of three, nodes over it, and one run of the last."""
    return Sequence(name, [made(**attrs), *nodes], [[fetch or f"{nodes[-1].name}:0"]])


CALLS = [
    outcome("one_element", write("w", 1, f32([1, 2])), read("r", 1, "w:0")),
    outcome("text", write("w", 0, WORDS), read("r", 0, "w:0", dtype="string"), dtype="string"),
    outcome(
        "elements_of_two_shapes",
        write("w", 0, f32([1, 2])),
        write("w2", 1, f32([[3]]), flow="w:0"),
        read("r", 1, "w2:0"),
    ),
    outcome("size", size("n", "ta:1")),
    outcome("size_grown", write("w", 6, f32(1)), size("n", "w:0"), dynamic_size=True),
    outcome("gap_read", write("w", 2, f32([1, 2])), read("r", 0, "w:0"), element_shape=[2]),
    outcome("gap_read_written_shape", write("w", 2, f32([1, 2])), read("r", 0, "w:0"), identical_element_shapes=True),
    outcome("gap_read_unknown_shape", write("w", 2, f32([1, 2])), read("r", 0, "w:0")),
    outcome("read_twice", write("w", 0, f32(7)), read("r", 0, "w:0"), read("r2", 0, "w:0", after=("r",))),
    outcome(
        "read_twice_kept",
        write("w", 0, f32(7)),
        read("r", 0, "w:0"),
        read("r2", 0, "w:0", after=("r",)),
        clear_after_read=False,
    ),
    outcome("gathered", scatter("s", [0, 1, 2], ROWS), gather("g", [2, 0], "s:0")),
    outcome("gathered_again", scatter("s", [0, 1, 2], ROWS), gather("g", [1, 1], "s:0")),
    outcome("gathered_again_kept", scatter("s", [0, 1, 2], ROWS), gather("g", [1, 1], "s:0"), clear_after_read=False),
    outcome("gathered_none", scatter("s", [0, 1, 2], ROWS), gather("g", np.zeros(0), "s:0", element_shape=[2])),
    outcome("gathered_none_unknown", scatter("s", [0, 1, 2], ROWS), gather("g", np.zeros(0), "s:0")),
    outcome("gathered_merged_shape", scatter("s", [0, 1, 2], ROWS), gather("g", [0], "s:0", element_shape=[None])),
    outcome(
        "gathered_text", scatter("s", [0, 1, 2], WORDS), gather("g", [2, 1], "s:0", dtype="string"), dtype="string"
    ),
    outcome("scattered_sparse", scatter("s", [2, 0], ROWS[:2]), gather("g", [0, 2], "s:0")),
    outcome("scattered_grown", scatter("s", [4, 5], ROWS[:2]), size("n", "s:0"), dynamic_size=True),
    outcome("scattered_none", scatter("s", np.zeros(0), ROWS[:0]), size("n", "s:0")),
    outcome("joined", split("s", ROWS, [1, 0, 2]), concat("c", "s:0")),
    outcome("joined_lengths", split("s", ROWS, [1, 0, 2]), concat("c", "s:0"), fetch="c:1"),
    outcome("joined_piece", split("s", ROWS, [1, 0, 2]), read("r", 2, "s:0")),
    outcome("joined_text", split("s", WORDS, [2, 0, 1]), concat("c", "s:0", dtype="string"), dtype="string"),
    outcome("joined_nothing", concat("c", "ta:1", element_shape_except0=[2]), size=0, element_shape=[None, 2]),
    outcome("joined_nothing_unknown", concat("c", "ta:1"), size=0),
    outcome("cut_grown", split("s", ROWS, [1, 1, 1, 0]), size("n", "s:0"), dynamic_size=True),
    outcome("bools", write("w", 0, np.array([True, False])), read("r", 0, "w:0", dtype="bool"), dtype="bool"),
    outcome("halves", write("w", 0, np.float16([1, 2])), read("r", 0, "w:0", dtype="float16"), dtype="float16"),
    outcome("complex", write("w", 0, np.complex64([1j])), read("r", 0, "w:0", dtype="complex64"), dtype="complex64"),
    Sequence("fresh_each_run", [made(), write("w", 0, f32(1)), size("n", "w:0")], [["n:0"], ["n:0"]]),
    Sequence(
        "many_outputs",
        [
            made(dynamic_size=True, clear_after_read=False),
            scatter("s", [0, 1, 2], ROWS),
            write("w", 3, f32([7, 8]), flow="s:0"),
            gather("g", [3, 2, 1, 0], "w:0"),
            read("r", 3, "w:0"),
            size("n", "w:0"),
            Node("end", "TensorArrayCloseV3", "ta:0", after=("g", "r", "n")),
        ],
        [["g:0", "r:0", "n:0", "end"]],
    ),
]

REFUSED = [
    outcome("refused_size", write("w", 0, f32(1)), size=-1),
    outcome("refused_written_twice", write("w", 0, f32(1)), write("w2", 0, f32(1), flow="w:0")),
    outcome("refused_index", write("w", 3, f32(1))),
    outcome("refused_negative_index", write("w", -1, f32(1))),
    outcome("refused_index_read", read("r", 3, "ta:1")),
    outcome("refused_read_unwritten", read("r", 1, "ta:1")),
    outcome("refused_write_dtype", write("w", 0, i32(1))),
    outcome("refused_read_dtype", write("w", 0, f32(1)), read("r", 0, "w:0", dtype="int32")),
    outcome("refused_shape", write("w", 0, f32([1, 2])), element_shape=[3]),
    outcome(
        "refused_identical",
        write("w", 0, f32([1, 2])),
        write("w2", 1, f32([1]), flow="w:0"),
        identical_element_shapes=True,
    ),
    outcome(
        "refused_write_read",
        write("w", 0, f32(1)),
        read("r", 0, "w:0"),
        Node("n", "Identity", "r:0"),
        write("w2", 0, "n:0", flow="w:0"),
    ),
    outcome("refused_gather_index", scatter("s", [0, 1, 2], ROWS), gather("g", [0, 3], "s:0")),
    outcome("refused_gather_rank", scatter("s", [0, 1, 2], ROWS), gather("g", [[0]], "s:0")),
    outcome("refused_gather_shape", scatter("s", [0, 1, 2], ROWS), gather("g", [0], "s:0", element_shape=[3])),
    outcome("refused_gather_dtype", scatter("s", [0, 1, 2], ROWS), gather("g", [0], "s:0", dtype="int32")),
    outcome(
        "refused_gather_shapes",
        write("w", 0, f32([1, 2])),
        write("w2", 1, f32([3]), flow="w:0"),
        gather("g", [0, 1], "w2:0"),
    ),
    outcome("refused_gather_unwritten", scatter("s", [0], ROWS[:1]), gather("g", [0, 1], "s:0")),
    outcome("refused_scatter_count", scatter("s", [0, 1], ROWS)),
    outcome("refused_scatter_index", scatter("s", [0, 3], ROWS[:2])),
    outcome("refused_scatter_twice", scatter("s", [1, 1], ROWS[:2])),
    outcome("refused_scatter_scalar", scatter("s", [1], f32(1))),
    outcome("refused_scatter_shape", scatter("s", [0, 1, 2], ROWS), element_shape=[3]),
    outcome("refused_split_sum", split("s", ROWS, [1, 1, 0])),
    outcome("refused_split_count", split("s", ROWS, [1, 2])),
    outcome("refused_split_count_grown", split("s", ROWS, [1, 2]), dynamic_size=True),
    outcome("refused_split_scalar", split("s", f32(1), [1])),
    outcome("refused_split_lengths", split("s", ROWS, [[1]])),
    outcome("refused_split_dtype", split("s", i32([1, 2, 3]), [1, 1, 1])),
    outcome("refused_concat_scalars", scatter("s", [0, 1, 2], f32([1, 2, 3])), concat("c", "s:0")),
    outcome(
        "refused_concat_shapes",
        write("w", 0, f32([[1, 2]])),
        write("w2", 1, f32([[3]]), flow="w:0"),
        concat("c", "w2:0"),
        size=2,
    ),
    outcome("refused_concat_dtype", split("s", ROWS, [1, 0, 2]), concat("c", "s:0", dtype="int32")),
    outcome("refused_concat_except", split("s", ROWS, [1, 0, 2]), concat("c", "s:0", element_shape_except0=[3])),
    outcome("refused_unwritten_concat", concat("c", "ta:1")),
]

# Arrays of gradients


def pair(*nodes: Node, **attrs: Any) -> list[Node]:
    return [made(clear_after_read=False, **attrs), scatter("s", [0, 1, 2], ROWS), grad("g", "s:0"), *nodes]


def into(name: str, index: Any, value: Any, flow: str = "g:1") -> Node:
    return write(name, index, value, flow, "g:0")


def out_of(name: str, index: Any, flow: str) -> Node:
    return read(name, index, flow, handle="g:0")


GRADIENTS = [
    Sequence("gradient", pair(into("w", 1, f32([1, 2])), out_of("r", 1, "w:0")), [["r:0"]]),
    Sequence(
        "gradient_summed",
        pair(
            into("w", 1, f32([1, 2])),
            into("w2", 1, f32([10, 20]), "w:0"),
            into("w3", 1, f32([100, 200]), "w2:0"),
            out_of("r", 1, "w3:0"),
        ),
        [["r:0"]],
    ),
    Sequence("gradient_unwritten", pair(out_of("r", 2, "g:1")), [["r:0"]]),
    Sequence("gradient_size", pair(size("n", "g:1", "g:0")), [["n:0"]]),
    Sequence(
        "gradient_gathered", pair(into("w", 1, f32([1, 2])), gather("all", [0, 1, 2], "w:0", handle="g:0")), [["all:0"]]
    ),
    Sequence(
        "gradient_same_source",
        pair(into("w", 0, f32([1, 2])), grad("h", "w:0"), read("r", 0, "h:1", handle="h:0")),
        [["r:0"]],
    ),
    Sequence(
        "gradient_other_source",
        pair(into("w", 0, f32([1, 2])), grad("h", "w:0", "more"), read("r", 0, "h:1", handle="h:0")),
        [["r:0"]],
    ),
    Sequence(
        "gradient_shape_written_again", pair(into("w", 1, f32([1, 2])), into("w2", 1, f32([1]), "w:0")), [["w2:0"]]
    ),
    Sequence("gradient_shape", pair(into("w", 1, f32([1, 2, 3]))), [["w:0"]]),
    Sequence("gradient_of_gradient", pair(grad("h", "g:1", handle="g:0")), [["h:1"]]),
    Sequence("gradient_of_growing", pair(dynamic_size=True), [["g:1"]]),
    Sequence("gradient_after_growth", [*pair(dynamic_size=True), into("w", 3, f32([1, 2]))], [["w:0"]]),
    Sequence(
        "gradient_of_read",
        [made(), scatter("s", [0, 1, 2], ROWS), read("r", 0, "s:0"), grad("g", "s:0"), into("w", 0, f32([1, 2]))],
        [["w:0"]],
    ),
    Sequence(
        "gradient_after_read",
        [
            made(),
            scatter("s", [0, 1, 2], ROWS),
            read("r", 0, "s:0"),
            Node("g", "TensorArrayGradV3", "ta:0", "s:0", source="gradients", after=("r",)),
        ],
        [["g:1"]],
    ),
    Sequence(
        "gradient_with_shape",
        [
            made(clear_after_read=False, element_shape=[2]),
            scatter("s", [0, 1, 2], ROWS),
            Node("g", "TensorArrayGradWithShape", "ta:0", "s:0", i32([3]), source="gradients"),
            into("w", 0, f32(np.ones((3, 2)))),
            out_of("r", 0, "w:0"),
            out_of("r1", 1, "w:0"),
        ],
        [["r:0"], ["r:0", "r1:0"]],
    ),
    Sequence(
        "gradient_with_shape_refused",
        [
            made(clear_after_read=False, element_shape=[2]),
            scatter("s", [0, 1, 2], ROWS),
            Node("g", "TensorArrayGradWithShape", "ta:0", "s:0", i32([3]), source="gradients"),
            into("w", 0, f32([1, 2])),
        ],
        [["w:0"]],
    ),
]

# Within a loop: each round adds to what the round before wrote

LOOP = [
    made(5, clear_after_read=False),
    Node("zero", "Const", value=("tensor", i32(0)), dtype="int32"),
    Node("i", "Enter", "zero", frame_name="loop"),
    Node("f", "Enter", "ta:1", frame_name="loop"),
    Node("h", "Enter", "ta:0", frame_name="loop", is_constant=True),
    Node("mi", "Merge", ["i", "i"]),
    Node("mf", "Merge", ["f", "f"]),
    Node("five", "Const", value=("tensor", i32(5)), dtype="int32", after=("mi",)),
    Node("less", "Less", "mi", "five"),
    Node("go", "LoopCond", "less"),
    Node("si", "Switch", "mi", "go"),
    Node("sf", "Switch", "mf", "go"),
    Node("x", "Cast", "si:1", DstT="float32"),
    Node("w", "TensorArrayWriteV3", "h", "si:1", "x", "sf:1"),
    Node("one", "Const", value=("tensor", i32(1)), dtype="int32", after=("si",)),
    Node("next", "AddV2", "si:1", "one"),
    Node("ni", "NextIteration", "next"),
    Node("nf", "NextIteration", "w"),
    Node("bi", "BackEdge", "mi", "ni"),
    Node("bf", "BackEdge", "mf", "nf"),
    Node("ei", "Exit", "si:0"),
    Node("ef", "Exit", "sf:0"),
    gather("all", [0, 1, 2, 3, 4], "ef:0"),
]

SEQUENCES = [*CALLS, *REFUSED, *GRADIENTS, Sequence("in_loop", LOOP, [["all:0", "ei:0"]])]
