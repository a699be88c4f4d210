"""The graphs that functions of TensorFlow's API build: node for node those that TensorFlow builds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import icefloe as tf
from icefloe.graph import registry
from icefloe.proto import GraphDef
from icefloe.shapes import TensorShape
from unit.lib import graph_script

GOLDENS = {topic: graph_script.Golden(graph_script.GOLDENS / f"{topic}.zip") for topic in graph_script.topics()}
CASES = [
    pytest.param(topic, script, id=f"{topic}-{i}")
    for topic in GOLDENS
    for i, script in enumerate(graph_script.load(topic))
]


@pytest.fixture(autouse=True)
def _references() -> Iterator[None]:
    yield
    tf.disable_resource_variables()


def _attrs(node: Any) -> dict[str, Any]:
    return {key: value for key, value in node.attr.items() if key != "_output_shapes"}


def _summary(node: Any) -> tuple[Any, ...]:
    return node.name, node.op, list(node.input), node.device


@pytest.mark.parametrize(("topic", "script"), CASES)
def test_graph_is_tensorflows(topic: str, script: str) -> None:
    answer = GOLDENS[topic].answers[script]
    made = graph_script.run(script, tf)
    if isinstance(answer, str):
        assert isinstance(made, Exception), f"{script}\nexpected {answer}"
        assert graph_script.outcome(made) == answer
        return
    if isinstance(made, Exception):
        raise made
    wanted = GraphDef.FromString(answer)
    assert [_summary(n) for n in made.node] == [_summary(n) for n in wanted.node], script
    for ours, theirs in zip(made.node, wanted.node):
        assert _attrs(ours) == _attrs(theirs), f"{script}\n{ours.name}"


# Shapes of which one side knows less, for a reason: what they are called, and why.
SHAPES_APART = {
    "UnsortedSegmentSqrtN/Reshape": "known here: the number of ones that a rank gives",
    "UnsortedSegmentSqrtN/Maximum": "as above",
    "UnsortedSegmentSqrtN/Sqrt": "as above",
    "FractionalMaxPool": "TensorFlow tells the sequences' lengths from the pooling ratio",
    "SetSize": "known here: one number for each set",
    "SparseReduceSumSparse": "known here: the ranks of values and shape",
    "SparseReduceMaxSparse": "as above",
    "SparseSparseMaximum": "known here: the length of an index",
    "mi": "SparseSparseMinimum, as above",
    # TensorFlow computes sums of constants, and what is made of them, while it builds.
    "RaggedReduceMin/RaggedSegment/UnsortedSegmentMin": "splits that are running sums",
    "RaggedReduceSum/RaggedSegment/UnsortedSegmentSum": "as above",
    "RaggedSegmentSum/UnsortedSegmentSum": "as above",
    "RaggedSegmentMean/RaggedSegmentSum/UnsortedSegmentSum": "as above",
    "RaggedSegmentMean/RaggedSegmentSum_1/UnsortedSegmentSum": "as above",
    "RaggedSegmentMean/truediv/Cast": "as above",
    "RaggedSegmentMean/truediv/Cast_1": "as above",
    "RaggedSegmentMean/truediv": "as above",
    "RaggedGetItem/RaggedGetItem/strided_slice_4": "as above",
    "RaggedGetItem_1/RaggedGetItem/strided_slice_4": "as above",
    "RaggedCumSum_2/RaggedFromTensor/boolean_mask/Reshape": "as above",
    **{
        f"StringSplit/StringSplit/StringSplit/RaggedFromValueRowIds/RowPartitionFromValueRowIds/{name}": "as above"
        for name in ("bincount/DenseBincount", "Cumsum", "concat")
    },
}


def _shapes(node: Any) -> list[str]:
    return [str(TensorShape(shape)) for shape in node.attr["_output_shapes"].list.shape]


@pytest.mark.parametrize("topic", GOLDENS)
def test_static_shapes_are_tensorflows(topic: str) -> None:
    apart, seen = [], 0
    for script in graph_script.load(topic):
        answer = GOLDENS[topic].answers[script]
        made = graph_script.run(script, tf)
        tf.disable_resource_variables()
        if isinstance(answer, str) or isinstance(made, Exception):
            continue
        unknown: set[str] = set()
        for ours, theirs in zip(made.node, GraphDef.FromString(answer).node):
            # What comes after an op without a shape rule cannot be known.
            if registry.find_shape(ours.op) is None or unknown & {x.split(":")[0] for x in ours.input}:
                unknown.add(ours.name)
                continue
            seen += 1
            if _shapes(ours) != _shapes(theirs) and ours.name not in SHAPES_APART:
                apart.append((script, ours.name, _shapes(ours), _shapes(theirs)))
    assert not apart
    assert seen
