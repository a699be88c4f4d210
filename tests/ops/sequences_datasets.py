"""What is known of datasets without drawing from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sequences import Node, Sequence

PLAIN: dict[str, Any] = {"output_types": ["int64"], "output_shapes": [[]]}
ROWS: dict[str, Any] = {"output_types": ["int64"], "output_shapes": [[None]]}


def i64(value: int) -> np.ndarray:
    return np.array(value, np.int64)


def numbers(name: str = "numbers") -> Node:
    return Node(name, "RangeDataset", i64(0), i64(9), i64(1), **PLAIN)


def batched(name: str, source: str, size: int) -> Node:
    return Node(name, "BatchDatasetV2", source, i64(size), np.array(False), parallel_copy=False, metadata="", **ROWS)


def taken(name: str, source: str) -> Node:
    return Node(name, "TakeDataset", source, i64(2), metadata="", **ROWS)


def optioned(name: str, source: str, options: bytes) -> Node:
    return Node(name, "OptionsDataset", source, serialized_options=options, metadata="", **PLAIN)


def size_of(title: str, *nodes: Node) -> Sequence:
    return Sequence(title, [*nodes, Node("size", "ComputeBatchSize", nodes[-1].name)], [["size:0"]])


def options_of(title: str, *nodes: Node) -> Sequence:
    return Sequence(title, [*nodes, Node("options", "GetOptions", nodes[-1].name)], [["options:0"]])


# Options messages: deterministic = 1, threading_options = 5 {max_intra_op_parallelism = 1, private_threadpool_size = 2}.
ORDERED, NOT_ORDERED, THREADS, POOL = b"\x08\x01", b"\x08\x00", b"*\x02\x08\x01", b"*\x02\x10\x05"

SEQUENCES = [
    size_of("of a batch", numbers(), batched("a", "numbers", 4)),
    size_of("of what was taken", numbers(), batched("a", "numbers", 4), taken("b", "a")),
    size_of("of numbers", numbers()),
    size_of(
        "of two alike",
        numbers(),
        batched("a", "numbers", 4),
        batched("b", "numbers", 4),
        Node("both", "ConcatenateDataset", "a", "b", metadata="", **ROWS),
    ),
    size_of(
        "of two others",
        numbers(),
        batched("a", "numbers", 4),
        batched("b", "numbers", 3),
        Node("both", "ConcatenateDataset", "a", "b", metadata="", **ROWS),
    ),
    options_of("no options", numbers()),
    options_of("options", numbers(), optioned("a", "numbers", ORDERED + THREADS)),
    options_of("options twice", numbers(), optioned("a", "numbers", THREADS + ORDERED), optioned("b", "a", POOL)),
    options_of(
        "options again", numbers(), optioned("a", "numbers", ORDERED), optioned("b", "a", NOT_ORDERED + THREADS)
    ),
]
