"""Iterators whose elements go to several devices in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sequences import Node, Sequence

TYPES: dict[str, Any] = {"output_types": ["int64"], "output_shapes": [[]]}
DEVICES = ["/cpu:0", "/cpu:0"]


def i64(value: int) -> np.ndarray:
    return np.array(value, np.int64)


def started(count: int) -> list[Node]:
    """Nodes: an iterator over the numbers below `count`, and `begin`, which starts it."""
    return [
        Node("numbers", "RangeDataset", i64(0), i64(count), i64(1), **TYPES),
        Node("it", "MultiDeviceIterator", devices=DEVICES, shared_name="", container="", **TYPES),
        Node("begin", "MultiDeviceIteratorInit", "numbers", "it", i64(8)),
    ]


def drawn(name: str, shard: int, incarnation: int) -> Node:
    taken = np.array(shard, np.int32)
    return Node(name, "MultiDeviceIteratorGetNextFromShard", "it", taken, i64(incarnation), **TYPES)


SEQUENCES = [
    Sequence(
        "in turn",
        [*started(5), drawn("a", 0, 1), drawn("b", 1, 1)],
        [["begin:0"], *[["a:0"]] * 2, *[["b:0"]] * 3, *[["a:0"]] * 2],
    ),
    Sequence(
        "begun again",
        [*started(4), drawn("a", 0, 1), drawn("b", 1, 2)],
        [["begin:0"], ["a:0"], ["begin:0"], ["b:0"], ["a:0"]],
    ),
    Sequence(
        "by its string",
        [
            *started(4),
            Node("words", "MultiDeviceIteratorToStringHandle", "it"),
            Node("again", "MultiDeviceIteratorFromStringHandle", "words", **TYPES),
            Node(
                "a",
                "MultiDeviceIteratorGetNextFromShard",
                "again",
                np.array(1, np.int32),
                i64(1),
                **TYPES,
            ),
        ],
        [["begin:0"], ["a:0"]],
    ),
]
