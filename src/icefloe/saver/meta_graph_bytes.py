"""A serialized MetaGraphDef as a graph with collections, read as tolerantly as `graph_file` reads a graph."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import graph_from_bytes
from icefloe.meta_graph.collections import restore_collections
from icefloe.proto import MetaGraphDef
from icefloe.saver.graph_variables import remember_saver_def
from icefloe.wire import message

_GRAPH_FIELD = 2  # MetaGraphDef.graph_def


def graph_from_meta_graph(data: bytes) -> Graph:
    """Return the graph of a binary MetaGraphDef; its nodes keep their bytes.

    A collection that does not fit the graph is left out with a warning. The SaverDef is noted for `saver_for`, the
    signatures and what it says of itself on the graph.

    Raises: DataLossError, InvalidArgumentError.
    """
    fields = list(message.fields(data))
    nodes = b"".join(data[f.payload : f.end] for f in fields if f.number == _GRAPH_FIELD and f.wire_type == 2)
    others = b"".join(data[f.start : f.end] for f in fields if f.number != _GRAPH_FIELD)
    try:
        meta_graph_def = MetaGraphDef.FromString(others)
    except DecodeError as error:
        raise errors.DataLossError(f"not a MetaGraphDef: {error}") from None
    graph = graph_from_bytes(nodes)
    with graph.as_default():
        restore_collections(meta_graph_def, graph, "", strict=False)
    if meta_graph_def.HasField("saver_def"):
        remember_saver_def(graph, meta_graph_def.saver_def)
    # A map has no order of its own; names of TensorFlow's own use come last.
    names = sorted(meta_graph_def.signature_def, key=lambda name: (name.startswith("__"), name))
    graph.signature_defs = {name: meta_graph_def.signature_def[name] for name in names}
    graph.meta_info_def = meta_graph_def.meta_info_def
    return graph
