"""The front doors for graphs: `load_graph` and `save_graph`.

What a source is, is told by its content; `_DIRECTORIES` and `_CONTENTS` say which function reads it. Each imports its
reader when it is called: most take a while to import, and are not needed for a graph alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import Message

from icefloe import errors
from icefloe.graph import sniff
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_file, read_graph, write_graph
from icefloe.wire.riegeli import is_riegeli

Tags = Iterable[str] | None

# Names of graph files, which are of no checkpoint.
_GRAPH_SUFFIXES = (".pb", ".pbtxt", ".json", ".cpb")


def load_graph(source: Any, tags: Tags = None) -> Graph:
    """Return the graph that `source` holds, with the collections of a MetaGraphDef.

        graph = icefloe.load_graph("frozen.pb")
        with icefloe.Session(graph=graph) as sess:
            y = sess.run("y:0", {"x:0": x})

    source: a path, bytes, or a GraphDef or MetaGraphDef message, TensorFlow's too. A file is told by its content:
    binary, text or JSON. For the prefix or a file of a checkpoint, the `.meta` beside it is read; for a directory,
    the SavedModel in it, or the `.meta` of its latest checkpoint, and so for its state file, `checkpoint`.
    tags: of a SavedModel's graphs that with just these tags; None is the only one, else that for serving.

    Unknown ops, unknown or missing attrs and collections that do not fit are no errors: what cannot run fails when it
    is run. Variables have no values yet: `load_saved_model` and Savers give them.

    Raises: NotFoundError if there is no such file or no graph of these tags; InvalidArgumentError if it is of another
    kind, which is named, or its graph is broken; DataLossError if its bytes are damaged.
    """
    if isinstance(source, Message):
        if source.DESCRIPTOR.full_name == "tensorflow.MetaGraphDef":
            return _meta_graph(source.SerializeToString(deterministic=True), tags)
        return read_graph(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_content(bytes(source), tags)
    path = os.path.expanduser(os.fsdecode(source))
    for names, load in _DIRECTORIES:
        if any(os.path.isfile(os.path.join(path, name)) for name in names):
            return load(path, tags)
    path = _graph_path(path)
    try:
        data = read_file(path)
        load_model = _MODELS.get(sniff.kind_of(data))
        return _from_content(data, tags) if load_model is None else load_model(path)
    except errors.OpError as error:
        raise error.add_context(path=path) from None


def _graph_path(path: str) -> str:
    """Return the path of the graph that is meant: the `.meta` of a checkpoint where its prefix, another of its files
    or its directory is given.
    """
    if path.endswith(_GRAPH_SUFFIXES) and os.path.isfile(path):
        return path
    from icefloe.checkpoint import files, names, state_file

    if os.path.isdir(path) or os.path.basename(path) == "checkpoint":
        latest = state_file.latest_checkpoint(path if os.path.isdir(path) else os.path.dirname(path) or ".")
        beside = path if latest is None else names.meta_file(latest)
        return beside if files.is_file(beside) else path
    part = names.parse(path)
    prefix = path if part is None else part.prefix
    if (part is None and files.is_file(path)) or (part is not None and part.kind == "meta"):
        return path
    beside = names.meta_file(prefix)
    return beside if files.is_file(beside) else path


def _from_content(data: bytes, tags: Tags) -> Graph:
    if is_riegeli(data):
        from icefloe.saved_models import chunked

        data = chunked.merge(data)
    load = _CONTENTS.get(sniff.kind_of(data))
    return read_graph(data) if load is None else load(data, tags)


def _meta_graph(data: bytes, tags: Tags) -> Graph:
    from icefloe.saver.meta_graph_bytes import graph_from_meta_graph

    return graph_from_meta_graph(data)


def _meta_graph_text(data: bytes, tags: Tags) -> Graph:
    from icefloe.saver.meta_files import parse_meta_graph

    return _meta_graph(parse_meta_graph(data).SerializeToString(deterministic=True), tags)


def _saved_model(data: bytes, tags: Tags) -> Graph:
    from icefloe.saved_models.reading import model_from_bytes

    return _meta_graph(model_from_bytes(data).choose(tags).data, tags)


def _saved_model_directory(path: str, tags: Tags) -> Graph:
    from icefloe.saved_models.loading import load_graph

    return load_graph(path, tags)


def _tfjs_model(path: str, tags: Tags = None) -> Graph:
    from icefloe.importers import tfjs

    return tfjs.load(path)


def _keras_model(path: str) -> Graph:
    from icefloe.importers.keras.model import load

    return load(path)


# Files that make a directory a model, and what reads it.
_DIRECTORIES: list[tuple[tuple[str, ...], Callable[[str, Tags], Graph]]] = [
    (("saved_model.pb", "saved_model.pbtxt", "saved_model.cpb", "export.meta"), _saved_model_directory),
    (("model.json",), _tfjs_model),
]
# What some bytes are, as `sniff.kind_of` calls it, and what reads them; all else is for `read_graph`.
_CONTENTS: dict[str, Callable[[bytes, Tags], Graph]] = {
    sniff.META_GRAPH_DEF: _meta_graph,
    sniff.META_GRAPH_DEF_TEXT: _meta_graph_text,
    sniff.SAVED_MODEL: _saved_model,
    sniff.SAVED_MODEL_TEXT: _saved_model,
}
# What files are, as `sniff.kind_of` calls it, that are read with others beside them or in pieces.
_MODELS: dict[str, Callable[[str], Graph]] = {
    "a TensorFlow.js model": _tfjs_model,
    "an HDF5 file": _keras_model,
    "a zip archive": _keras_model,
}


def save_graph(graph: Any, path: str | os.PathLike[str]) -> str:
    """Write a graph, or a GraphDef message, to `path`, and return the path.

    The suffix gives the form: `.pbtxt` and `.txt` text, `.json` JSON, `.meta` a MetaGraphDef with collections and
    signatures, else a binary GraphDef. In a binary one, nodes that were read from a file and not changed keep their
    bytes. The file is put in place whole.

    Raises: NotFoundError if the directory does not exist; PermissionDeniedError and others as the system says.
    """
    path = os.path.expanduser(os.fsdecode(path))
    if path.endswith(".meta") and isinstance(graph, Graph):
        from icefloe.saver.graph_variables import known_saver_def
        from icefloe.saver.meta_files import export_meta_graph
        from icefloe.saver.meta_files import write_graph as write_message

        meta = export_meta_graph(graph=graph, saver_def=known_saver_def(graph))
        for key, signature in graph.signature_defs.items():
            meta.signature_def[key].CopyFrom(signature)
        directory, name = os.path.split(path)
        write_message(meta, directory, name, as_text=False)
        return path
    return write_graph(graph, path)
