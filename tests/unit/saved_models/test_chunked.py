"""SavedModels in chunks: `saved_model.cpb`."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.proto import GraphDef, SavedModel
from icefloe.saved_models import chunked
from icefloe.wire.coding import encode_varint
from unit.wire.riegeli_files import riegeli_file

GOLDENS = Path(__file__).resolve().parents[3] / "fixtures" / "saved_models"


def field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return encode_varint(number << 3) + encode_varint(value)
    return encode_varint(number << 3 | 2) + encode_varint(len(value)) + value


def tag(step: int | str | tuple[int]) -> bytes:
    """Return a field_tag: a field number, a map key or, in a tuple, an index."""
    if isinstance(step, str):
        return field(1, field(2, field(1, step.encode())))
    return field(1, field(3, step[0])) if isinstance(step, tuple) else field(1, field(1, step))


def metadata(kinds: list[int], placed: list[tuple[list[int | str | tuple[int]], int]], root: int | None = 0) -> bytes:
    """Return ChunkMetadata: the chunk of the whole message, and of others the path and the chunk."""
    inner = b"" if root is None else field(1, root)
    for path, chunk in placed:
        inner += field(2, b"".join(map(tag, path)) + field(3, field(1, chunk)))
    return b"".join(field(2, field(1, kind)) for kind in kinds) + field(3, inner)


def test_a_model_in_chunks(tmp_path):
    """The weights of a constant, a node and a signature apart from the rest."""
    whole = SavedModel.FromString((GOLDENS / "simple" / "saved_model.pb").read_bytes())
    rest = SavedModel.FromString(whole.SerializeToString())
    graph = rest.meta_graphs[0]
    position = next(i for i, node in enumerate(graph.graph_def.node) if node.name == "w/initial_value")
    weights = graph.graph_def.node[position].attr["value"].tensor
    data = weights.tensor_content
    assert len(data) == 24
    weights.ClearField("tensor_content")
    last = graph.graph_def.node.pop()
    signature = graph.signature_def["serving_default"].SerializeToString()
    del graph.signature_def["serving_default"]
    chunks = [rest.SerializeToString(), data, last.SerializeToString(), signature]
    places = [
        ([2, (0,), 2, 1, (position,), 5, "value", 8, 4], 1),
        ([2, (0,), 2, 1, (len(graph.graph_def.node),)], 2),
        ([2, (0,), 5, "serving_default"], 3),
    ]
    shutil.copytree(GOLDENS / "simple", tmp_path / "m")
    (tmp_path / "m" / "saved_model.pb").unlink()
    (tmp_path / "m" / "saved_model.cpb").write_bytes(riegeli_file([*chunks, metadata([1, 2, 1, 1], places)]))
    merged = chunked.merge((tmp_path / "m" / "saved_model.cpb").read_bytes())
    assert SavedModel.FromString(merged) == whole
    with tf.load_saved_model(tmp_path / "m") as model:
        np.testing.assert_array_equal(model.signatures["serving_default"](x=[[1, 0]])["y"], [[1.5, 1.5, 3]])


def test_a_graph_in_chunks(tmp_path):
    """Chunks of the whole message are put together in their order."""
    nodes = [GraphDef(node=[{"name": name, "op": "NoOp"}]).SerializeToString() for name in "ab"]
    versions = GraphDef(versions={"producer": 24}).SerializeToString()
    file = riegeli_file([*nodes, versions, metadata([1, 1, 1], [([], 1), ([], 2)])])
    (tmp_path / "graph.cpb").write_bytes(file)
    graph = tf.load_graph(tmp_path / "graph.cpb")
    assert [op.name for op in graph.get_operations()] == ["a", "b"]
    assert graph.graph_def_versions.producer == 24


A_NODE = GraphDef(node=[{"name": "a", "op": "NoOp"}]).SerializeToString()


@pytest.mark.parametrize(
    ("records", "text"),
    [
        ([], "without records"),
        ([A_NODE, b""], "1 chunks, the metadata describe 0"),
        ([A_NODE, metadata([1, 1], [])], "1 chunks, the metadata describe 2"),
        ([A_NODE, metadata([1], [([1, (0,)], 0)])], "used twice"),
        ([A_NODE, metadata([1], [([1, (0,)], 7)])], "chunk 7 is not there"),
        ([A_NODE, b"x", metadata([1, 1], [([1, (5,)], 1)])], "element 5 of field 1"),
        ([A_NODE, b"x", metadata([1, 1], [([(0,)], 1)])], "an index without a field"),
        ([A_NODE, b"x", metadata([1, 1], [([1, (0,), 5], 1)])], None),
        ([A_NODE, field(3, field(2, b"\x0a\x00"))], "an empty tag"),
        ([A_NODE, b"\x12\xff"], None),
    ],
)
def test_metadata_that_cannot_be(tmp_path, records, text):
    (tmp_path / "graph.cpb").write_bytes(riegeli_file(records))
    with pytest.raises(errors.OpError, match=text):
        tf.load_graph(tmp_path / "graph.cpb")


def test_nested_without_end(tmp_path):
    inner = b""
    for _ in range(200):
        inner = field(2, tag(1) + field(3, inner))
    with pytest.raises(errors.DataLossError, match="nested too deep"):
        chunked.merge(riegeli_file([A_NODE, field(2, field(1, 1)) + field(3, inner)]))
