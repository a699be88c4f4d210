"""Graph files: read in every form, written as TensorFlow writes them, untouched nodes byte for byte."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import graph_from_bytes, read_graph, write_graph
from icefloe.proto import (
    AttrValue,
    FullTypeDef,
    FunctionDef,
    GraphDef,
    MetaGraphDef,
    SavedModel,
    TensorProto,
    TensorShapeProto,
)
from icefloe.wire.coding import encode_varint

FILES = Path(__file__).resolve().parents[3] / "fixtures" / "graphs" / "files"
GRAPHS = ("plain", "loops", "functions", "every_attr")


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("suffix", [".pb", ".pbtxt"])
def test_a_file_read_and_written_is_the_same_file(tmp_path: Path, name: str, suffix: str) -> None:
    data = (FILES / f"{name}{suffix}").read_bytes()
    path = write_graph(read_graph(FILES / f"{name}{suffix}"), tmp_path / f"again{suffix}")
    assert Path(path).read_bytes() == data


@pytest.mark.parametrize("name", GRAPHS)
def test_json_differs_at_most_in_the_order_of_attrs(tmp_path: Path, name: str) -> None:
    """protobuf's JSON form has map entries in no order of its own."""
    data = (FILES / f"{name}.json").read_text()
    again = Path(write_graph(read_graph(FILES / f"{name}.json"), tmp_path / "again.json")).read_text()
    assert json.loads(again) == json.loads(data)
    assert sorted(again.replace(",", "").splitlines()) == sorted(data.replace(",", "").splitlines())


@pytest.mark.parametrize("name", GRAPHS)
def test_all_forms_hold_the_same_graph(name: str) -> None:
    binary, text, other = (
        read_graph(FILES / f"{name}{suffix}").as_graph_def() for suffix in (".pb", ".pbtxt", ".json")
    )
    assert str(binary) == str(text) == str(other)
    assert str(binary) == str(GraphDef.FromString((FILES / f"{name}.pb").read_bytes()))


@pytest.mark.parametrize("name", ["plain.meta", "plain_text.meta"])
def test_a_meta_file_gives_its_graph(name: str) -> None:
    meta = MetaGraphDef.FromString((FILES / "plain.meta").read_bytes())
    assert [op.name for op in read_graph(FILES / name).get_operations()] == [n.name for n in meta.graph_def.node]


def test_what_a_file_is_is_told_by_its_content(tmp_path: Path) -> None:
    disguised = tmp_path / "text.pb"
    disguised.write_bytes(b"# a comment\n" + (FILES / "plain.pbtxt").read_bytes())
    assert read_graph(disguised).node_count == read_graph(FILES / "plain.pb").node_count


@pytest.mark.parametrize("message", [GraphDef, MetaGraphDef])
def test_messages_and_bytes_are_sources_too(message: type) -> None:
    definition = GraphDef.FromString((FILES / "plain.pb").read_bytes())
    source = definition if message is GraphDef else MetaGraphDef(graph_def=definition)
    names = [n.name for n in definition.node]
    assert [op.name for op in read_graph(source).get_operations()] == names
    assert [op.name for op in read_graph(source.SerializeToString()).get_operations()] == names


def test_a_library_alone_is_no_meta_graph() -> None:
    definition = GraphDef()
    signature = definition.library.function.add().signature
    signature.name = "f"
    signature.input_arg.add(name="x" * 200, type=1)
    assert list(read_graph(definition.SerializeToString()).functions) == ["f"]
    meta = MetaGraphDef(graph_def=GraphDef(node=[{"name": "n" * 200, "op": "NoOp"}]))
    assert read_graph(meta.SerializeToString()).node_count == 1


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "an empty file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a git-LFS pointer"),
        (b"<!DOCTYPE html>\n<html></html>", "an HTML page"),
        (b"PK\x03\x04rest", "a zip archive"),
        (b"\x89HDF\r\n\x1a\nrest", "an HDF5 file"),
        (b"\x93NUMPY rest", "a NumPy array"),
        (b'{"modelTopology": {}}', "a TensorFlow.js model"),
        (b'{"a": 1}', "a JSON file"),
        (b"[1, 2]", "a text file"),
        (b'model_checkpoint_path: "m"\n', "the state file of a checkpoint directory"),
        (b"saved_model_schema_version: 1\n", "a SavedModel in text form"),
        (b"\x08\x01\x12\x02\x0a\x00", "a SavedModel"),
        (b"just words", "a text file"),
        (b"\xff\xfe\x00\x01" * 4, "a binary file of unknown kind"),
        (bytes(20) + bytes.fromhex("57fb808b247547db"), "an sstable"),
    ],
)
def test_another_kind_of_file_is_named(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "graph.pb"
    path.write_bytes(data)
    with pytest.raises(errors.InvalidArgumentError, match=f"graph.pb: expected a graph, got {kind}"):
        read_graph(path)


def test_no_file_and_a_directory_are_named(tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError, match=r"gone\.pb: no such file"):
        read_graph(tmp_path / "gone.pb")
    with pytest.raises(errors.InvalidArgumentError, match="a directory: expected a graph file"):
        read_graph(tmp_path)
    with pytest.raises(errors.NotFoundError, match="the directory does not exist"):
        write_graph(Graph(), tmp_path / "gone" / "g.pb")


# What is kept as bytes


def spelled_out(number: int, payload: bytes) -> bytes:
    """A field whose length takes more bytes than it needs."""
    size = encode_varint(len(payload))
    return encode_varint(number << 3 | 2) + size[:-1] + bytes([size[-1] | 0x80]) + b"\x00" + payload


def odd_bytes() -> bytes:
    """A GraphDef as no writer of ours would write it: versions first, a long length, unknown fields, a group, version as a number."""
    return (
        b"\x22\x02\x08\x1b"
        + spelled_out(1, b"\x0a\x01b\x12\x08Identity\x1a\x01a\xaa\x06\x03abc")
        + b"\xa3\x06\x08\x01\xa4\x06"
        + b"\x18\x07"
        + b"\x0a\x1f\x12\x0bPlaceholder\x0a\x01a\x2a\x0d\x0a\x05dtype\x12\x04\x30\x01\x40\x00"
        + b"\xf2\x07\x02hi"
    )  # fmt: skip


def test_any_binary_graph_def_is_written_back_byte_for_byte() -> None:
    graph = graph_from_bytes(odd_bytes())
    assert [op.name for op in graph.get_operations()] == ["b", "a"]
    assert b"".join(graph.serialized()) == odd_bytes()


def test_untouched_nodes_keep_their_bytes_beside_changed_and_new_ones() -> None:
    graph = graph_from_bytes(odd_bytes())
    graph.get_operation_by_name("a")._set_device("/cpu:0")
    with graph.as_default():
        apply_op("NoOp", name="new")
    written = b"".join(graph.serialized())
    assert spelled_out(1, b"\x0a\x01b\x12\x08Identity\x1a\x01a\xaa\x06\x03abc") in written
    assert b"\xf2\x07\x02hi" in written
    assert b"\xa3\x06\x08\x01\xa4\x06" in written
    names = [(n.name, n.device) for n in GraphDef.FromString(written).node]
    assert names == [("b", ""), ("a", "/cpu:0"), ("new", "")]
    assert graph_from_bytes(written).get_operation_by_name("b").inputs[0].name == "a:0"


def test_a_changed_node_keeps_fields_that_nobody_knows() -> None:
    graph = graph_from_bytes(odd_bytes())
    b = graph.get_operation_by_name("b")
    b._update_input(0, graph.get_tensor_by_name("a:0"))
    full_type = FullTypeDef(type_id=3)
    b.experimental_set_type(full_type)
    node = GraphDef.FromString(b"".join(graph.serialized())).node[0]
    assert node.experimental_type == full_type
    assert b"\xaa\x06\x03abc" in node.SerializeToString()
    assert b"\xaa\x06\x03abc" in b.node_def.SerializeToString()
    with pytest.raises(ValueError, match="expected TFT_UNSET or TFT_PRODUCT"):
        b.experimental_set_type(FullTypeDef(type_id=100))


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_whose_every_node_was_touched_is_still_the_same_graph(name: str) -> None:
    graph = read_graph(FILES / f"{name}.pb")
    for op in graph.get_operations():
        op._set_device(op.device)
    again = GraphDef.FromString(b"".join(graph.serialized()))
    assert str(again) == str(GraphDef.FromString((FILES / f"{name}.pb").read_bytes()))


def test_a_new_function_joins_the_library() -> None:
    graph = read_graph(FILES / "functions.pb")
    before = len(graph.functions)
    function = FunctionDef()
    function.signature.name = "added"
    graph.add_function(function)
    again = graph_from_bytes(b"".join(graph.serialized()))
    assert len(again.functions) == before + 1
    assert again._function_gradients == graph._function_gradients
    assert [op.name for op in again.get_operations()] == [op.name for op in graph.get_operations()]


def test_a_graph_pickles_as_its_graph_def() -> None:
    graph = read_graph(FILES / "plain.pb")
    again = pickle.loads(pickle.dumps(graph))
    assert b"".join(again.serialized()) == (FILES / "plain.pb").read_bytes()


# Tolerance


def test_unknown_ops_load_and_have_the_outputs_others_use() -> None:
    graph = read_graph(FILES / "every_attr.pb")
    odd = graph.get_operation_by_name("_odd/name")
    assert odd.signature is None
    assert [t.name for t in odd.outputs] == ["_odd/name:0", "_odd/name:1", "_odd/name:2"]
    assert [t.name for t in graph.get_operation_by_name("user").inputs] == ["_odd/name:2", "_odd/name:0"]
    assert [c.name for c in graph.get_operation_by_name("user").control_inputs] == ["_odd/name"]
    assert str(odd.outputs[0]) == 'Tensor("_odd/name:0", device=/job:x/device:GPU:1)'
    assert graph.graph_def_versions.producer == 27


def test_loops_load_with_their_back_edges() -> None:
    graph = read_graph(FILES / "loops.pb")
    merges = [op for op in graph.get_operations() if op.type == "Merge" and op.inputs[1].op.type == "NextIteration"]
    assert len(merges) == 4
    for op in graph.get_operations():
        assert all(t.shape is not None for t in op.outputs)


def test_a_cycle_without_a_loop_loads() -> None:
    graph = read_graph(
        GraphDef(
            node=[
                {"name": "a", "op": "Identity", "input": ["b"], "attr": {"T": AttrValue(type=1)}},
                {"name": "b", "op": "Identity", "input": ["a"], "attr": {"T": AttrValue(type=1)}},
            ]
        )
    )
    assert [t.name for t in graph.get_operation_by_name("a").inputs] == ["b:0"]
    assert graph.get_tensor_by_name("a:0").shape.rank is None


def test_a_missing_attr_is_told_when_it_is_needed() -> None:
    graph = read_graph(GraphDef(node=[{"name": "a", "op": "Identity", "input": ["b"]}, {"name": "b", "op": "NoOp"}]))
    with pytest.raises(errors.InvalidArgumentError, match="node 'a': NodeDef missing attr 'T'"):
        _ = graph.get_operation_by_name("a").outputs
    with pytest.raises(errors.InvalidArgumentError, match="invalid output 0 of source node b which has 0 outputs"):
        _ = graph.get_operation_by_name("a").inputs


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (["gone"], "Node 'b': Unknown input node 'gone'"),
        (["gone:1"], "Node 'b': Unknown input node 'gone:1'"),
        (["^gone"], r"Node 'b': Unknown input node '\^gone'"),
        (["a:x"], "'a:x' is no input name"),
    ],
)
def test_an_input_that_does_not_exist_is_refused(inputs: list[str], words: str) -> None:
    definition = GraphDef(node=[{"name": "a", "op": "NoOp"}, {"name": "b", "op": "Identity", "input": inputs}])
    with pytest.raises(errors.InvalidArgumentError, match=words):
        read_graph(definition)


def test_a_name_that_is_there_twice_is_refused() -> None:
    definition = GraphDef(node=[{"name": "a", "op": "NoOp"}, {"name": "a", "op": "NoOp"}])
    with pytest.raises(errors.InvalidArgumentError, match="Node 'a' is not unique"):
        read_graph(definition)


def test_ops_join_a_loaded_graph_under_names_that_are_free() -> None:
    graph = read_graph(FILES / "plain.pb")
    with graph.as_default():
        assert apply_op("NoOp", name="X").name == "X_1"
        x = graph.get_tensor_by_name("x:0")
        y = x * 2.0
    assert y.shape.as_list() == [None, 3]
    assert [op.name for op in x.consumers()] == ["layer/MatMul", y.op.name]


def test_a_parsers_message_does_not_quote_a_whole_constant() -> None:
    text = f'node {{ name: "a" op: "Const" attr {{ key: "v" value {{ type: DT_FOO s: "{"x" * 100000}" }} }} }}'
    with pytest.raises(errors.DataLossError, match="DT_FOO") as caught:
        read_graph(text.encode())
    assert len(str(caught.value)) < 600


def test_damage_outside_of_nodes_is_told_when_reading() -> None:
    debug_info = bytes([5 << 3 | 2, 2, 0xFF, 0xFF])
    with pytest.raises(errors.DataLossError, match="not a GraphDef"):
        read_graph(GraphDef(node=[{"name": "a", "op": "NoOp"}]).SerializeToString() + debug_info)


def test_writing_to_a_directory_or_what_is_no_graph(tmp_path: Path) -> None:
    with pytest.raises(errors.FailedPreconditionError, match="a directory"):
        write_graph(Graph(), tmp_path)
    with pytest.raises(TypeError, match="expected a Graph or a GraphDef message to write, got int"):
        write_graph(3, tmp_path / "x.pb")


def test_a_tensor_is_not_taken_for_a_saved_model() -> None:
    tensor = TensorProto(dtype=1, tensor_shape=TensorShapeProto(dim=[{"size": 1}]), tensor_content=bytes(4))
    with pytest.raises(errors.InvalidArgumentError, match="expected a graph, got a binary file of unknown kind"):
        read_graph(tensor.SerializeToString())
    with pytest.raises(errors.InvalidArgumentError, match="expected a graph, got a SavedModel"):
        read_graph(SavedModel(saved_model_schema_version=1, meta_graphs=[MetaGraphDef()]).SerializeToString())


@pytest.mark.parametrize("end", ["/", "/saved_model.pb"])
def test_a_path_through_a_file_is_not_found(tmp_path: Path, end: str) -> None:
    (tmp_path / "graph.pb").write_bytes(Graph().as_graph_def().SerializeToString())
    with pytest.raises(errors.NotFoundError, match="graph.pb is a file, not a directory"):
        read_graph(f"{tmp_path}/graph.pb{end}")


def test_the_largest_float32_in_json(tmp_path: Path) -> None:
    """Its shortest form, which protobuf writes, is more than protobuf reads."""
    definition = GraphDef()
    node = definition.node.add(name="c: 3.4028235e+38", op="Const")
    node.attr["dtype"].type = 1
    node.attr["value"].tensor.dtype = 1
    node.attr["value"].tensor.tensor_shape.dim.add(size=3)
    largest = float(np.finfo(np.float32).max)
    node.attr["value"].tensor.float_val.extend([largest, -largest, 1])
    node.attr["_one"].f = -largest
    path = write_graph(definition, tmp_path / "g.json")
    assert "3.4028235e+38" in Path(path).read_text()
    read = read_graph(path).as_graph_def().node[0]
    assert read.name == node.name
    assert list(read.attr["value"].tensor.float_val) == [largest, -largest, 1]
    assert read.attr["_one"].f == -largest
