"""Graphs, errors and answers equal TensorFlow's for the same program (see programs.py)."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import text_format

from icefloe import datatypes, shapes
from icefloe.graph import conversion, default_graph, graph, seeds
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.device_spec import DeviceSpec
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.import_graph import import_graph_def
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.partial_shape import constant_value_as_shape
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.proto import POOL, AttrValue, GraphDef
from unit.graph.programs import ANSWERS, BUILDERS, FAILURES

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "graphs"


def op(kind: str, name: str | None = None, **arguments: Any) -> Any:
    return apply_op(kind, name=name, **arguments)


def create_op(kind: str, inputs: list[Any], **arguments: Any) -> Any:
    return get_default_graph().create_op(kind, inputs, **arguments)


def graph_def(text: str, producer: int) -> GraphDef:
    definition = text_format.Parse(text, GraphDef(), descriptor_pool=POOL)
    definition.versions.producer = producer
    return definition


API = SimpleNamespace(
    graph_def=graph_def,
    import_graph_def=import_graph_def,
    op=op,
    create_op=create_op,
    constant=conversion.constant,
    constant_value=constant_value,
    constant_value_as_shape=constant_value_as_shape,
    convert_to_tensor=conversion.convert_to_tensor,
    register_tensor_conversion_function=conversion.register_tensor_conversion_function,
    name_scope=default_graph.name_scope,
    control_dependencies=default_graph.control_dependencies,
    device=default_graph.device,
    container=default_graph.container,
    colocate_with=default_graph.colocate_with,
    get_seed=seeds.get_seed,
    set_random_seed=seeds.set_random_seed,
    Graph=Graph,
    get_default_graph=get_default_graph,
    reset_default_graph=graph.reset_default_graph,
    DeviceSpec=DeviceSpec,
    AttrValue=AttrValue,
    TensorShape=shapes.TensorShape,
    Dimension=shapes.Dimension,
    SparseTensor=SparseTensor,
    IndexedSlices=IndexedSlices,
    float16=datatypes.float16,
    float32=datatypes.float32,
    float64=datatypes.float64,
    int32=datatypes.int32,
    int64=datatypes.int64,
    bool=datatypes.bool,
    complex64=datatypes.complex64,
)


@contextlib.contextmanager
def new_graph() -> Iterator[Graph]:
    with Graph().as_default() as made:
        yield made


def described(node: Any) -> dict[str, Any]:
    return {
        "op": node.op,
        "input": list(node.input),
        "device": node.device,
        **{f"attr {key}": str(value) for key, value in node.attr.items() if key != "_output_shapes"},
    }


@pytest.mark.parametrize("name", sorted(BUILDERS))
def test_graph_equals_tensorflows(name: str) -> None:
    with new_graph() as made:
        BUILDERS[name](API)
    expected = GraphDef.FromString((GOLDEN / "built" / f"{name}.pb").read_bytes())
    got = made.as_graph_def()
    assert [n.name for n in got.node] == [n.name for n in expected.node]
    for ours, theirs in zip(got.node, expected.node):
        assert described(ours) == described(theirs), ours.name
    assert got.versions == expected.versions


@pytest.mark.parametrize("name", sorted(BUILDERS))
def test_static_shapes_fit_tensorflows(name: str) -> None:
    """No static shape contradicts TensorFlow's; what a rule leaves open is no contradiction."""
    with new_graph() as made:
        BUILDERS[name](API)
    for node in GraphDef.FromString((GOLDEN / "built" / f"{name}.pb").read_bytes()).node:
        theirs = [shapes.TensorShape(s) for s in node.attr["_output_shapes"].list.shape]
        ours = [t.shape for t in made.get_operation_by_name(node.name).outputs]
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            assert a.is_compatible_with(b), f"{node.name}: {a} for {b}"


# The texts of messages that are ours, because TensorFlow's speak of its own internals.
OWN_TEXT = {"truth_of_tensor"}


@pytest.mark.parametrize("name", sorted(FAILURES))
def test_error_equals_tensorflows(name: str) -> None:
    kind, text = json.loads((GOLDEN / "failures.json").read_text())[name]
    with new_graph(), pytest.raises(Exception) as caught:
        FAILURES[name](API)
    error = caught.value
    assert kind in {c.__name__ for c in type(error).__mro__}, f"{type(error).__name__}: {error}"
    if name not in OWN_TEXT:
        assert re.sub(r" Did you mean [^?]*\?", "", stable(str(error))) == stable(text)


def stable(text: str) -> str:
    """Return a message without addresses and object numbers of the process that made it."""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    return re.sub(r"<(tensorflow\.python\.framework\.ops|icefloe)\.Graph[^>]*>", "<Graph>", text)


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_answer_equals_tensorflows(name: str) -> None:
    expected = json.loads((GOLDEN / "answers.json").read_text())[name]
    run: Callable[[Any], Any] = ANSWERS[name]
    with new_graph():
        assert json.loads(json.dumps(run(API))) == expected
