"""The front doors for graphs: `load_graph` and `save_graph`."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf.message import DecodeError, Message

from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import graph_from_bytes, read_file, read_graph, write_graph
from icefloe.graph.sniff import META_GRAPH_DEF, META_GRAPH_DEF_TEXT, kind_of
from icefloe.proto import MetaGraphDef
from icefloe.wire import message

_GRAPH_FIELD = 2  # MetaGraphDef.graph_def
# Names of graph files, which are of no checkpoint.
_GRAPH_SUFFIXES = (".pb", ".pbtxt", ".json")


def load_graph(source: Any) -> Graph:
    """Return the graph that `source` holds, with the collections of a MetaGraphDef.

        graph = icefloe.load_graph("frozen.pb")
        with icefloe.Session(graph=graph) as sess:
            y = sess.run("y:0", {"x:0": x})

    source: a path, bytes, or a GraphDef or MetaGraphDef message, TensorFlow's too. A file is told by its content:
    binary, text or JSON. For the prefix or a file of a checkpoint, the `.meta` beside it is read.

    Unknown ops, unknown or missing attrs and collections that do not fit are no errors: what cannot run fails when it
    is run.

    Raises: NotFoundError if there is no such file; InvalidArgumentError if it is of another kind, which is named, or
    its graph is broken; DataLossError if its bytes are damaged.
    """
    if isinstance(source, Message):
        if source.DESCRIPTOR.full_name == "tensorflow.MetaGraphDef":
            return _from_meta_graph(source.SerializeToString(deterministic=True))
        return read_graph(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_content(bytes(source))
    path = _graph_path(os.path.expanduser(os.fspath(source)))
    try:
        return _from_content(read_file(path))
    except errors.OpError as error:
        raise error.add_context(path=path) from None


def _graph_path(path: str) -> str:
    """Return the path of the graph that is meant: the `.meta` of a checkpoint where its prefix or another of its
    files is given.
    """
    if path.endswith(_GRAPH_SUFFIXES) and os.path.isfile(path):
        return path
    # Checkpoints and Savers take a while to import, and are not needed for a graph alone.
    from icefloe.checkpoint import files, names

    part = names.parse(path)
    prefix = path if part is None else part.prefix
    if (part is None and files.is_file(path)) or (part is not None and part.kind == "meta"):
        return path
    beside = names.meta_file(prefix)
    return beside if files.is_file(beside) else path


def _from_content(data: bytes) -> Graph:
    kind = kind_of(data)
    if kind == META_GRAPH_DEF:
        return _from_meta_graph(data)
    if kind == META_GRAPH_DEF_TEXT:
        from icefloe.saver.meta_files import parse_meta_graph

        return _from_meta_graph(parse_meta_graph(data).SerializeToString(deterministic=True))
    return read_graph(data)


def _from_meta_graph(data: bytes) -> Graph:
    """Return the graph of a binary MetaGraphDef; its nodes keep their bytes."""
    from icefloe.meta_graph.collections import restore_collections
    from icefloe.saver.graph_variables import remember_saver_def

    fields = list(message.fields(data))
    nodes = b"".join(data[f.payload : f.end] for f in fields if f.number == _GRAPH_FIELD)
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
    graph.signature_defs = dict(meta_graph_def.signature_def)
    graph.meta_info_def = meta_graph_def.meta_info_def
    return graph


def save_graph(graph: Any, path: str | os.PathLike[str]) -> str:
    """Write a graph, or a GraphDef message, to `path`, and return the path.

    The suffix gives the form: `.pbtxt` and `.txt` text, `.json` JSON, `.meta` a MetaGraphDef with collections, else a
    binary GraphDef. In a binary one, nodes that were read from a file and not changed keep their bytes. The file is
    put in place whole.

    Raises: NotFoundError if the directory does not exist; PermissionDeniedError and others as the system says.
    """
    path = os.path.expanduser(os.fsdecode(path))
    if path.endswith(".meta") and isinstance(graph, Graph):
        from icefloe.saver.graph_variables import known_saver_def
        from icefloe.saver.meta_files import export_meta_graph

        export_meta_graph(path, graph=graph, saver_def=known_saver_def(graph))
        return path
    return write_graph(graph, path)
