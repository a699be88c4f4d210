"""Identifying graphs: GraphDef, MetaGraphDef, SavedModel, whole or cut short."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.checkpoint.locating.sniff import Finding
from icefloe.graph import node_bytes
from icefloe.identification.finding import Identification, count, named
from icefloe.proto import GraphDebugInfo, MetaGraphDef, VersionDef
from icefloe.wire import message

# A file larger than this is named, but not looked through.
_LOOK_THROUGH = 512 << 20


def _proto_fields(path: str) -> tuple[bytes, list[message.Field], str | None]:
    """Return the bytes of a binary proto, its top-level fields as far as they can be read, and what is wrong after
    these.
    """
    with open(path, "rb") as file:
        data = file.read()
    found: list[message.Field] = []
    try:
        found.extend(message.fields(data))  # on an error, those before it are there
    except errors.DataLossError as error:
        return data, found, error.message
    return data, found, None


def _counts(data: bytes, fields: list[message.Field]) -> dict[str, Any]:
    """Return how many nodes and functions a GraphDef has, and its producer version."""
    nodes = functions = 0
    versions = VersionDef()
    for f in fields:
        if f.number == node_bytes.NODE:
            nodes += 1
        elif f.number == node_bytes.LIBRARY and f.wire_type == 2:
            functions += sum(inner.number == 1 for inner in message.fields(data, f.payload, f.end))
        elif f.number == node_bytes.VERSIONS and f.wire_type == 2:
            versions.MergeFromString(data[f.payload : f.end])
    return {"nodes": nodes, "functions": functions, "producer": versions.producer}


def _damage(words: str, problem: str | None) -> str:
    return words if problem is None else f"{words}, cut short or damaged: {problem}"


def graph(path: str, finding: Finding) -> Identification:
    """Identify a binary GraphDef."""
    if os.path.getsize(path) > _LOOK_THROUGH:
        return named(path, finding)
    data, fields, problem = _proto_fields(path)
    try:
        details = _counts(data, fields)
    except (errors.OpError, DecodeError) as error:
        return Identification(path, "graph", _damage(finding.description, str(error)))
    words = f"{finding.description} of {count(details['nodes'], 'node')}"
    if details["functions"]:
        words += f" and {count(details['functions'], 'function')}"
    return Identification(path, "graph", _damage(words, problem), details)


def _is_debug_info(data: bytes) -> bool:
    """Whether the bytes are a GraphDebugInfo, whose first field is a file name: a path of Python code."""
    try:
        files = GraphDebugInfo.FromString(data).files
    except DecodeError:
        return False
    return bool(files) and all(isinstance(name, str) and name.endswith((".py", ">")) for name in files)


def meta_graph(path: str, finding: Finding) -> Identification:
    """Identify a binary MetaGraphDef."""
    if os.path.getsize(path) > _LOOK_THROUGH:
        return named(path, finding)
    data, fields, problem = _proto_fields(path)
    if _is_debug_info(data):
        return Identification(
            path, "debug_info", "a GraphDebugInfo: where in Python code the nodes of a graph were made"
        )
    try:
        inside = [
            g for f in fields if f.number == 2 and f.wire_type == 2 for g in message.fields(data, f.payload, f.end)
        ]
        details = _counts(data, inside)
        rest = MetaGraphDef.FromString(b"".join(data[f.start : f.end] for f in fields if f.number != 2))
    except (errors.OpError, DecodeError) as error:
        return Identification(path, "meta_graph", _damage("a MetaGraphDef", str(error)))
    info = rest.meta_info_def
    details |= {
        "tensorflow_version": info.tensorflow_version,
        "tags": list(info.tags),
        "collections": sorted(rest.collection_def),
        "signatures": sorted(rest.signature_def),
        "saver": rest.saver_def.restore_op_name or None,
    }
    version = f", written by TensorFlow {info.tensorflow_version}" if info.tensorflow_version else ""
    words = (
        f"a MetaGraphDef of {count(details['nodes'], 'node')}{version}: a graph, without the values of its variables"
    )
    return Identification(path, "meta_graph", _damage(words, problem), details)


def saved_model(path: str, finding: Finding) -> Identification:
    """Identify a binary SavedModel."""
    if os.path.getsize(path) > _LOOK_THROUGH:
        return named(path, finding)
    data, fields, problem = _proto_fields(path)
    graphs = []
    try:
        for f in fields:
            if f.number == 2 and f.wire_type == 2:
                inner = list(message.fields(data, f.payload, f.end))
                rest = MetaGraphDef.FromString(b"".join(data[g.start : g.end] for g in inner if g.number != 2))
                graphs.append({"tags": list(rest.meta_info_def.tags), "signatures": sorted(rest.signature_def)})
    except (errors.OpError, DecodeError) as error:
        return Identification(path, "saved_model", _damage(finding.description, str(error)))
    words = f"{finding.description} of {_graphs_text(graphs)}"
    return Identification(path, "saved_model", _damage(words, problem), {"graphs": graphs})


def _graphs_text(graphs: list[dict[str, Any]]) -> str:
    tags = "; ".join(", ".join(g["tags"]) or "no tags" for g in graphs)
    return count(len(graphs), "graph") + (f" ({tags})" if graphs else "")


def saved_model_text(path: str, finding: Finding) -> Identification:
    """Identify a SavedModel in text form, or in chunks."""
    from icefloe.saved_models.reading import read_saved_model

    if os.path.getsize(path) > _LOOK_THROUGH:
        return named(path, finding)
    try:
        found = [
            {"tags": list(g.tags), "signatures": sorted(g.info.signature_def)} for g in read_saved_model(path).graphs
        ]
    except errors.OpError as error:
        return Identification(path, finding.kind, _damage(finding.description, error.message))
    return Identification(path, finding.kind, f"{finding.description} of {_graphs_text(found)}", {"graphs": found})


_FORMS = {
    "saved_model.pb": "a SavedModel",
    "saved_model.pbtxt": "a SavedModel in text form",
    "saved_model.cpb": "a SavedModel in chunks",
    "export.meta": "a model exported by TensorFlow before it had SavedModels,",
}


def saved_model_directory(
    path: str, listed: list[str], identify: Callable[[str], Identification]
) -> Identification | None:
    """Identify the directory of a SavedModel; None if there is no file of one."""
    name = next((name for name in _FORMS if name in listed), None)
    if name is None:
        return None
    file = os.path.join(path, name)
    if name == "saved_model.pb":
        inner = identify(file)
        fits = inner.kind in ("saved_model", "saved_model_text")
    else:
        inner, fits = saved_model_text(file, Finding("saved_model_directory", _FORMS[name])), True
    words = (
        f"the directory of {inner.words}" if fits else f"the directory of a SavedModel, but its file is {inner.words}"
    )
    if "tfhub_module.pb" in listed:
        words += ", a module of TensorFlow Hub"
    return Identification(path, "saved_model_directory", words, {"file": name, **inner.details})
