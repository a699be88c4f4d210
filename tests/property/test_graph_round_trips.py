"""Random graphs, names, tensors and slices: what is written is read again, and equals what numpy or a plain model says."""

from __future__ import annotations

import contextlib
from typing import Any

import ml_dtypes
import numpy as np
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from icefloe import datatypes, errors, shapes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import constant
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import graph_from_bytes, graph_json, read_graph
from icefloe.graph.import_graph import import_graph_def
from icefloe.graph.shape_inference import broadcast_shapes
from icefloe.graph.tensor_proto import make_ndarray, make_tensor_proto

NAMES = st.text("abAB_1/", min_size=1, max_size=4).filter(lambda n: n[0] in "abAB1" and n[-1] != "/")
quick = settings(max_examples=40, deadline=None)


@st.composite
def graphs(draw: Any) -> Graph:
    """A graph of constants, sums, identities with control inputs, unpacks and scopes."""
    graph = Graph()
    with graph.as_default():
        tensors = [apply_op("Placeholder", dtype="float32", shape=draw(st.sampled_from([None, [2], [None]])), name="x")]
        for _ in range(draw(st.integers(0, 8))):
            pick = st.sampled_from(tensors)
            with contextlib.ExitStack() as stack:
                stack.enter_context(graph.name_scope(draw(st.sampled_from(["s", "S", "t/u"]))))
                kind = draw(st.integers(0, 3))
                name = draw(NAMES)
                # Shapes that do not fit are refused; the graph is then one op smaller.
                stack.enter_context(contextlib.suppress(ValueError))
                if kind == 0:
                    tensors.append(constant(draw(st.floats(width=32)), name=name))
                elif kind == 1:
                    tensors.append(apply_op("AddN", [draw(pick), draw(pick)], name=name))
                elif kind == 2:
                    with graph.control_dependencies([draw(pick), draw(pick)]):
                        tensors.append(apply_op("Identity", draw(pick), name=name))
                else:
                    tensors.extend(apply_op("Unpack", draw(pick), num=2, name=name))
    return graph


@quick
@given(graphs())
def test_a_graph_survives_every_form(graph: Graph) -> None:
    definition = graph.as_graph_def()
    data = b"".join(graph.serialized())
    again = graph_from_bytes(data)
    assert b"".join(again.serialized()) == data
    assert str(again.as_graph_def()) == str(definition)
    for text in (text_format.MessageToString(definition), graph_json(definition)):
        assert str(read_graph(text.encode()).as_graph_def()) == str(definition)
    for ours, theirs in zip(graph.get_operations(), again.get_operations()):
        assert [t.name for t in ours.inputs] == [t.name for t in theirs.inputs]
        assert [t.dtype for t in ours.outputs] == [t.dtype for t in theirs.outputs]
        assert [t.shape for t in ours.outputs] == [t.shape for t in theirs.outputs]
        assert {c.name for c in ours.control_inputs} == {c.name for c in theirs.control_inputs}


@quick
@given(graphs(), st.randoms())
def test_importing_keeps_the_graph_whatever_the_order_of_nodes(graph: Graph, random: Any) -> None:
    definition = graph.as_graph_def()
    nodes = list(definition.node)
    random.shuffle(nodes)
    del definition.node[:]
    definition.node.extend(nodes)
    with Graph().as_default() as target:
        import_graph_def(definition, name="p")
        import_graph_def(definition, name="p")
    made = set()
    for op in target.get_operations():
        assert all(t.op.name in made for t in op.inputs)
        made.add(op.name)
    for op in graph.get_operations():
        for prefix in ("p", "p_1"):
            twin = target.get_operation_by_name(f"{prefix}/{op.name}")
            assert [t.name for t in twin.inputs] == [f"{prefix}/{t.name}" for t in op.inputs]
            assert twin.type == op.type


@quick
@given(st.lists(NAMES, max_size=30))
def test_names_are_unique_whatever_their_case(names: list[str]) -> None:
    graph = Graph()
    given_out = [graph.unique_name(name) for name in names]
    assert len({name.lower() for name in given_out}) == len(given_out)
    for asked, got in zip(names, given_out):
        assert got == asked or got.rpartition("_")[0] == asked


DTYPES = [
    *(np.float32, np.float64, np.float16, np.int8, np.int16, np.int32, np.int64),
    *(np.uint8, np.uint16, np.uint32, np.uint64, np.bool_, np.complex64, np.complex128),
]


@quick
@given(
    st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    )
)
def test_arrays_survive_as_tensor_protos(array: np.ndarray) -> None:
    again = make_ndarray(make_tensor_proto(array))
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert again.tobytes() == array.tobytes()


@quick
@given(st.sampled_from(["bfloat16", "float8_e5m2", "int4", "uint4", "int2"]), st.lists(st.integers(-2, 1), max_size=5))
def test_small_types_survive_as_tensor_protos(name: str, values: list[int]) -> None:
    if name.startswith("u"):
        values = [abs(v) for v in values]
    array = np.array(values, np.float32).astype(getattr(ml_dtypes, name))
    again = make_ndarray(make_tensor_proto(array))
    assert again.dtype == array.dtype
    assert again.astype(np.float32).tolist() == array.astype(np.float32).tolist()


@quick
@given(
    arrays.array_shapes(min_dims=1, max_dims=3, max_side=4).flatmap(
        lambda s: st.tuples(st.just(s), arrays.basic_indices(s, allow_newaxis=True))
    )
)
def test_slices_have_the_static_shape_that_numpy_gives(case: Any) -> None:
    shape, index = case
    expected = np.empty(shape)[index].shape if not _reverses_past_the_end(index) else None
    with Graph().as_default():
        x = apply_op("Placeholder", dtype="float32", shape=shape)
        got = x[index].shape
    assert expected is None or got.is_compatible_with(expected)


def _reverses_past_the_end(index: Any) -> bool:
    items = index if isinstance(index, tuple) else (index,)
    return any(isinstance(i, slice) and i.step == 0 for i in items)


DIMS = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=3).map(tuple)


@settings(max_examples=150, deadline=None)
@given(DIMS, DIMS)
def test_broadcasting_agrees_with_numpy_on_every_shape_that_fits(a: Any, b: Any) -> None:
    try:
        result = broadcast_shapes(a, b)
    except errors.InvalidArgumentError:
        result = "impossible"
    for x in _fitting(a):
        for y in _fitting(b):
            try:
                whole = np.broadcast_shapes(x, y)
            except ValueError:
                continue
            assert result != "impossible"
            assert shapes.TensorShape(result).is_compatible_with(whole)


def _fitting(dims: Any) -> list[tuple[int, ...]]:
    if dims is None:
        return [(), (2,), (3, 1)]
    found: list[tuple[int, ...]] = [()]
    for d in dims:
        found = [(*f, size) for f in found for size in ([d] if d is not None else [1, 2])]
    return found


@quick
@given(DIMS, DIMS)
def test_merging_shapes_keeps_what_fits_both(a: Any, b: Any) -> None:
    one, other = shapes.TensorShape(a), shapes.TensorShape(b)
    if one.is_compatible_with(other):
        merged = one.merge_with(other)
        assert merged.is_subtype_of(one)
        assert merged.is_subtype_of(other)
        assert merged == other.merge_with(one)
    assert one.most_specific_compatible_shape(other) == other.most_specific_compatible_shape(one)
    assert shapes.TensorShape(one.as_proto()) == one


@quick
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=4), st.sampled_from(["int32", "int64"]))
def test_values_are_known_through_the_ops_that_pass_them_on(values: list[int], dtype: str) -> None:
    with Graph().as_default():
        t = constant(values, dtype=dtype)
        for _ in range(3):
            t = apply_op("Identity", apply_op("StopGradient", t))
        joined = apply_op("ConcatV2", [t, apply_op("Cast", t, DstT=dtype)], 0)
        assert constant_value(joined).tolist() == values + values
        assert constant_value(apply_op("Unpack", t, num=len(values))[-1]).tolist() == values[-1]
        assert constant_value(joined).dtype == datatypes.as_dtype(dtype).numpy
