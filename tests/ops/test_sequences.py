"""Every recorded sequence gives what TensorFlow gave, on all engines: values, dtypes and shapes, or class and text of the error."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pytest

from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.graph.tensor_proto import make_tensor_proto
from icefloe.session import Config, Session

from ops import sequences
from ops.case import Golden, difference

ALL = [
    pytest.param(path.stem, sequence, id=f"{path.stem.removeprefix('sequences_')}:{sequence.name}")
    for path in sequences.modules()
    for sequence in sequences.load(path)
]


@functools.cache
def golden(module: str) -> Golden:
    return Golden(sequences.GOLDENS / f"{module}.npz")


def source(value: Any, graph: Graph) -> Any:
    if isinstance(value, str):
        return graph.get_tensor_by_name(value if ":" in value else f"{value}:0")
    if isinstance(value, list):
        return [source(v, graph) for v in value]
    return apply_op("PlaceholderWithDefault", np.asarray(value), shape=None)


def build(sequence: sequences.Sequence) -> Graph:
    with Graph().as_default() as graph:
        for node in sequence.nodes:
            if node.op == "BackEdge":
                graph.get_operation_by_name(node.inputs[0])._update_input(1, source(node.inputs[1], graph))
                continue
            inputs = [source(v, graph) for v in node.inputs]
            with graph.control_dependencies([graph.get_operation_by_name(n) for n in node.after]):
                attrs = {k: make_tensor_proto(v[1]) if isinstance(v, tuple) else v for k, v in node.attrs.items()}
                apply_op(node.op, *inputs, name=node.name, **attrs)
    return graph


@pytest.mark.parametrize("engine", ["interpret", "codegen", "general"])
@pytest.mark.parametrize(("module", "sequence"), ALL)
def test_sequence(module: str, sequence: sequences.Sequence, engine: str) -> None:
    with Session(graph=build(sequence), config=Config(engine=engine)) as session:
        for i, fetches in enumerate(sequence.runs):
            answer = golden(module).answers.get(f"{sequence.name}/{i}")
            assert answer is not None, "no golden: run fixtures/make/sequences.py"
            assert answer["fingerprint"] == sequence.fingerprint(), "the golden is of an older module"
            if "error" in answer:
                with pytest.raises(getattr(errors, answer["error"])) as caught:
                    session.run(fetches)
                assert type(caught.value).__name__ == answer["error"]
                assert same_text(caught.value.message, answer["message"]), caught.value.message
                continue
            got = [v for v in session.run(fetches) if v is not None]
            tensors = [name for name in fetches if ":" in name]
            for fetch, value, want in zip(tensors, got, answer["outputs"], strict=True):
                assert not (why := difference(value, want, sequence.tol)), f"run {i}, {fetch}: {why}"


def same_text(got: str, want: str) -> bool:
    """Return whether the message begins as TensorFlow's, or both name the missing resource.

    Numbers that count arrays and stacks do not matter, nor does how a variant's value looks.
    """
    got, want = (re.sub(r"\b(_tensor_array_gradsta|ta|s)_\d+(?=[:@\]]|$)", r"\1", text) for text in (got, want))
    want = re.sub(r"(<type: [\w:]+) value: .*", r"\1", want)
    if got.startswith(want):
        return True
    resource = "(Could not find resource: "
    if resource in want:
        return want[want.index(resource) :] in got
    return want.startswith("Could not find variable") and got.startswith(want.partition(" Debug info")[0])
