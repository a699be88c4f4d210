"""Damaged graph files: every truncation and every flipped byte gives a graph or an `icefloe.errors` exception, and nothing else."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from icefloe import errors
from icefloe.graph.function_graph import instantiate
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.graph.import_graph import import_graph_def
from icefloe.proto import AttrValue, GraphDef
from icefloe.session import Session

FILES = Path(__file__).resolve().parents[2] / "fixtures" / "graphs" / "files"
SMALL = (FILES / "every_attr.pb").read_bytes()
PLAIN = (FILES / "plain.pb").read_bytes()
FUNCTIONS = (FILES / "functions.pb").read_bytes()


def use(data: bytes) -> None:
    """Read a graph and look at all of it; only errors of icefloe may come out."""
    try:
        graph = read_graph(data)
    except errors.OpError:
        return
    for op in graph.get_operations():
        with contextlib.suppress(errors.OpError):
            for tensor in (*op.outputs, *op.inputs):
                str(tensor)
            list(op.control_inputs)
            for name in op._node_attrs():
                op.get_attr(name)
                op.kernel_attr(name)
    for name in graph.functions:
        with contextlib.suppress(errors.OpError):
            instantiate(graph, name)
    with contextlib.suppress(errors.OpError):
        graph.as_graph_def()
        b"".join(graph.serialized())


@pytest.mark.parametrize("part", range(8))
def test_every_truncation(part: int) -> None:
    for data in (SMALL, PLAIN):
        for cut in range(part, len(data), 8):
            use(data[:cut])


@pytest.mark.parametrize("part", range(8))
def test_every_flipped_byte(part: int) -> None:
    for flip in (0x01, 0x80, 0xFF):
        for at in range(part, len(SMALL), 8):
            use(SMALL[:at] + bytes([SMALL[at] ^ flip]) + SMALL[at + 1 :])


@pytest.mark.parametrize("part", range(8))
def test_flipped_bytes_of_an_ordinary_graph(part: int) -> None:
    for at in range(part, len(PLAIN), 8):
        use(PLAIN[:at] + bytes([PLAIN[at] ^ (1 << at % 8)]) + PLAIN[at + 1 :])


@pytest.mark.parametrize("part", range(8))
def test_flipped_bytes_of_functions(part: int) -> None:
    for at in range(part, len(FUNCTIONS), 16):
        use(FUNCTIONS[:at] + bytes([FUNCTIONS[at] ^ (1 << at % 8)]) + FUNCTIONS[at + 1 :])


@pytest.mark.parametrize("suffix", [".pbtxt", ".json"])
def test_truncated_text(suffix: str) -> None:
    data = (FILES / f"every_attr{suffix}").read_bytes()
    for cut in range(0, len(data), 7):
        use(data[:cut])


def test_importing_a_damaged_graph_is_a_value_error_and_adds_nothing() -> None:
    """`import_graph_def` speaks TensorFlow's language: ValueError or TypeError."""
    refused = 0
    for at in range(0, len(PLAIN), 3):
        data = PLAIN[:at] + bytes([PLAIN[at] ^ (1 << at % 8)]) + PLAIN[at + 1 :]
        try:
            definition = GraphDef.FromString(data)
        except Exception:  # protobuf's own refusal
            continue
        graph = Graph()
        with graph.as_default():
            try:
                import_graph_def(definition, name="")
            except (ValueError, TypeError):
                refused += 1
                assert graph.node_count == 0
    assert refused > 20


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a\xff\xff\xff\xff\x0f",  # a node of 4 GiB
        b"\x0a" + b"\xff" * 20,  # a length that does not end
        b"\x0b" * 5000,  # groups in groups
        b"\x0a\x05\x0a\x03\xff\xfe\xfd",  # a name that is no UTF-8
        b"\x12\x02\x0a\x00\x22\x00",  # an empty function
        b"\x03",
        b"\x00",
    ],
)
def test_impossible_bytes(data: bytes) -> None:
    use(data)


def test_a_name_that_is_no_text_is_data_loss() -> None:
    with pytest.raises(errors.DataLossError, match="node 0 cannot be parsed"):
        read_graph(b"\x0a\x07\x0a\x03\xff\xfe\xfd\x12\x00")


def nested_function_attr(depth: int) -> bytes:
    """A node with an attr that is a function with an attr that is a function, and so on."""
    value = b""
    for _ in range(depth):
        inner = b"\x0a\x01f\x12" + length(len(entry(value))) + entry(value)
        value = b"\x52" + length(len(inner)) + inner
    node = b"\x0a\x01a\x12\x04NoOp\x2a" + length(len(entry(value))) + entry(value)
    return b"\x0a" + length(len(node)) + node


def entry(value: bytes) -> bytes:
    return b"\x0a\x01k\x12" + length(len(value)) + value


def length(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


@pytest.mark.parametrize("depth", [3, 30, 300])
def test_attrs_nested_without_end(depth: int) -> None:
    use(nested_function_attr(depth))


def test_a_million_outputs_are_refused() -> None:
    definition = GraphDef()
    node = definition.node.add(name="a", op="Unpack")
    node.attr["num"].i = 1 << 40
    node.attr["T"].type = 1
    op = read_graph(definition).get_operation_by_name("a")
    with pytest.raises(errors.InvalidArgumentError, match="attr 'num' is 1099511627776"):
        _ = op.outputs


def test_a_constant_of_another_dtype_than_its_node_says() -> None:
    """A shape rule must not read it, and running it fails, as in TensorFlow."""
    graph_def = GraphDef()
    size = graph_def.node.add(name="size", op="Const")
    size.attr["dtype"].type = 3
    size.attr["value"].tensor.dtype = 1
    size.attr["value"].tensor.tensor_shape.dim.add(size=1)
    size.attr["value"].tensor.float_val.append(2.5)
    fill = graph_def.node.add(name="fill", op="Fill", input=["size", "size:0"])
    fill.attr["T"].type = fill.attr["index_type"].type = 3
    graph = read_graph(graph_def)
    assert graph.get_tensor_by_name("fill:0").shape.ndims is None
    with (
        Session(graph=graph) as session,
        pytest.raises(errors.InvalidArgumentError, match=r"Type mismatch between value \(float\) and dtype \(int32\)"),
    ):
        session.run("size:0")


def test_import_refuses_what_is_no_op_list() -> None:
    with Graph().as_default(), pytest.raises(TypeError, match="must be an OpList proto"):
        import_graph_def(GraphDef(), producer_op_list=3)


def loaded(op: str, inputs: list[str], **attrs: AttrValue) -> Graph:
    """Return a graph, as read from a file, with node `y` of type `op`, and float32 constant `x`."""
    graph_def = GraphDef()
    x = graph_def.node.add(name="x", op="Const")
    x.attr["dtype"].type = x.attr["value"].tensor.dtype = 1
    x.attr["value"].tensor.tensor_shape.dim.add(size=1)
    y = graph_def.node.add(name="y", op=op, input=inputs)
    for name, value in attrs.items():
        y.attr[name].CopyFrom(value)
    return read_graph(graph_def.SerializeToString())


FLOAT, INT = AttrValue(type=1), AttrValue(type=3)


@pytest.mark.parametrize(
    "graph, told",
    [
        (loaded("Add", ["x"], T=FLOAT), "NodeDef expected inputs 'float, float' do not match 1 inputs specified"),
        (loaded("Neg", ["x", "x"], T=FLOAT), "NodeDef expected inputs 'float' do not match 2 inputs specified"),
        (loaded("Neg", ["x"], T=INT), "Input 0 of node y was passed float from x:0 incompatible with expected int32"),
        (loaded("AddN", ["x"], T=FLOAT, N=AttrValue(i=1 << 40)), "attr 'N' is 1099511627776"),
        (
            loaded("MatMul", ["x", "x"], T=FLOAT, transpose_a=AttrValue(list=AttrValue.ListValue(f=[1.0]))),
            r"attr 'transpose_a': AttrValue had value with type 'list\(float\)' when 'bool' expected",
        ),
        (
            loaded("Squeeze", ["x"], T=FLOAT, squeeze_dims=AttrValue(i=1)),
            r"attr 'squeeze_dims': AttrValue had value with type 'int' when 'list\(int\)' expected",
        ),
    ],
)
def test_a_loaded_node_that_its_op_does_not_take_fails_when_it_runs(graph: Graph, told: str) -> None:
    with Session(graph=graph) as session, pytest.raises(errors.InvalidArgumentError, match=told):
        session.run("y:0")
