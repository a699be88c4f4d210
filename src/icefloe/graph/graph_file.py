"""Graph files: a GraphDef, binary, text or JSON, or the graph inside a MetaGraphDef, read into a Graph and written.

What a file is, is told by its content, not by its name. A binary GraphDef is not parsed as a whole: each node keeps
its bytes, and only its name, op and inputs are looked at. Reading is tolerant where TensorFlow refuses: unknown ops,
names that begin with `_`, missing or unknown attrs, nodes in any order; what cannot run fails when it is run.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from icefloe import errors
from icefloe.graph import collector, node_bytes, sniff
from icefloe.graph.edges import split_input
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.proto import POOL, FunctionDefLibrary, GraphDef, MetaGraphDef, NodeDef, VersionDef
from icefloe.wire import message

# A file larger than this is not read: a protocol buffer holds at most 2 GiB.
MAX_FILE = (1 << 31) - 1
_LARGEST = re.compile(rb"([:\[,]\s*-?)3\.4028235[eE]\+?38(?=[\s,\]}])")
_QUOTED = 200  # characters kept of both ends of a parser's message


def read_graph(source: Any) -> Graph:
    """Return the graph that `source` holds: a path, bytes, or a GraphDef or MetaGraphDef message (TensorFlow's too).

    Raises: NotFoundError if there is no such file; InvalidArgumentError if it is of another kind or its graph is
    broken; DataLossError if its bytes are damaged.
    """
    if isinstance(source, Message):
        return _graph_from_message(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _graph_from_content(bytes(source))
    path = os.fspath(source)
    try:
        return _graph_from_content(read_file(path))
    except errors.OpError as error:
        raise error.add_context(path=path) from None


def read_file(path: str) -> bytes:
    """Return the bytes of a graph file. Raises: as `read_graph`, without the path."""
    try:
        if os.path.isdir(path):
            raise errors.InvalidArgumentError("a directory: expected a graph file")
        size = os.path.getsize(path)
        if size > MAX_FILE:
            raise errors.InvalidArgumentError(f"{size} bytes: a graph file holds at most {MAX_FILE}")
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise errors.NotFoundError("no such file") from None
    except NotADirectoryError:
        above = next((str(p) for p in Path(path).parents if p.is_file()), path.rstrip("/"))
        raise errors.NotFoundError(f"no such file: {above} is a file, not a directory") from None
    except PermissionError:
        raise errors.PermissionDeniedError("the system does not let it be read") from None
    except OSError as error:
        raise errors.UnknownError(f"cannot be read: {error.strerror}") from None


def _graph_from_message(message: Message) -> Graph:
    name = message.DESCRIPTOR.full_name
    data = message.SerializeToString(deterministic=True)
    if name == "tensorflow.GraphDef":
        return graph_from_bytes(data)
    if name == "tensorflow.MetaGraphDef":
        return graph_from_bytes(_graph_def_inside(data))
    raise errors.InvalidArgumentError(f"expected a GraphDef or MetaGraphDef message, got {name}")


def _graph_from_content(data: bytes) -> Graph:
    kind = sniff.kind_of(data)
    if kind == sniff.GRAPH_DEF:
        return graph_from_bytes(data)
    if kind == sniff.META_GRAPH_DEF:
        return graph_from_bytes(_graph_def_inside(data))
    if kind == sniff.GRAPH_DEF_TEXT:
        return _graph_from_message(_parse_text(data, GraphDef()))
    if kind == sniff.META_GRAPH_DEF_TEXT:
        return _graph_from_message(_parse_text(data, MetaGraphDef()))
    if kind == sniff.GRAPH_DEF_JSON:
        return _graph_from_message(_parse_json(data))
    raise errors.InvalidArgumentError(f"expected a graph, got {kind}")


def _parse_text(data: bytes, message: Any) -> Any:
    try:
        # Some editors begin a file with a byte order mark.
        return text_format.Parse(data.decode("utf-8-sig", "replace"), message, descriptor_pool=POOL)
    except (text_format.ParseError, RecursionError, ValueError) as error:
        raise errors.DataLossError(f"not a {message.DESCRIPTOR.name} in text form: {_shortened(error)}") from None


def _parse_json(data: bytes) -> GraphDef:
    from google.protobuf import json_format

    # The largest float32 is written in its shortest form, which as a float64 is larger: protobuf refuses what it wrote.
    text = _LARGEST.sub(rb"\g<1>3.4028234663852886e+38", data.removeprefix(codecs.BOM_UTF8))
    try:
        return json_format.Parse(text, GraphDef(), descriptor_pool=POOL, max_recursion_depth=100)
    except (json_format.ParseError, RecursionError, ValueError) as error:
        raise errors.DataLossError(f"not a GraphDef in JSON form: {_shortened(error)}") from None


def _shortened(error: BaseException) -> str:
    """Return what a parser says; it may quote a line, which in a graph may hold a whole constant."""
    text = str(error)
    return text if len(text) <= 2 * _QUOTED else f"{text[:_QUOTED]} … {text[-_QUOTED:]}"


def _graph_def_inside(data: bytes) -> bytes:
    """Return the bytes of a binary MetaGraphDef's graph; several pieces are merged, as protocol buffers are."""
    return b"".join(data[f.payload : f.end] for f in message.fields(data) if f.number == 2 and f.wire_type == 2)


def graph_from_bytes(data: bytes) -> Graph:
    """Return the graph of a binary GraphDef, which keeps `data`.

    Raises: DataLossError, InvalidArgumentError.
    """
    source = node_bytes.GraphSource(data)
    graph = Graph()
    graph._source = source
    graph._names = None
    with collector.paused():
        _add_nodes(graph, source)
    try:
        _add_library(graph, source)
        graph._versions = VersionDef()
        for payload in source.payloads(node_bytes.VERSIONS):
            graph._versions.MergeFromString(bytes(payload))
        for piece in source.others():
            GraphDef.FromString(bytes(piece))
    except DecodeError as error:
        raise errors.DataLossError(f"not a GraphDef: {error}") from None
    return graph


def _add_nodes(graph: Graph, source: node_bytes.GraphSource) -> None:
    ops, by_name = graph._ops, graph._by_name
    parse = NodeDef.FromString
    for payload in source.payloads(node_bytes.NODE):
        try:
            node = parse(payload)  # type: ignore[arg-type]
        except DecodeError as error:
            raise errors.DataLossError(f"node {len(ops)} cannot be parsed: {error}") from None
        name = node.name
        op = Operation(graph, len(ops), name, node.op)
        op._raw = payload
        names = node.input
        if names:
            op._input_names = tuple(names)
            op._inputs = op._control_inputs = None
        op._device = None
        if name in by_name:
            raise errors.InvalidArgumentError(f"Node '{name}' is not unique")
        by_name[name] = op
        ops.append(op)
    for op in ops:
        for text in op._input_names:
            if text in by_name:
                continue
            if text.startswith("^"):
                known = text[1:] in by_name
            else:
                known = split_input(text)[0] in by_name
            if not known:
                raise errors.InvalidArgumentError(f"Node '{op.name}': Unknown input node '{text}'")


def _add_library(graph: Graph, source: node_bytes.GraphSource) -> None:
    library = FunctionDefLibrary()
    for payload in source.payloads(node_bytes.LIBRARY):
        library.MergeFromString(bytes(payload))
    for function in library.function:
        graph.functions.setdefault(function.signature.name, function)
    for gradient in library.gradient:
        graph._function_gradients[gradient.function_name] = gradient.gradient_func


def write_graph(graph: Any, path: str | os.PathLike[str]) -> str:
    """Write a graph, or a GraphDef message, to `path` and return the path.

    The suffix gives the form: `.pbtxt` and `.txt` text, `.json` JSON, else binary, with untouched nodes as the bytes
    they were read from. The file is put in place whole.

    Raises: NotFoundError if the directory does not exist; FailedPreconditionError if `path` is one;
    PermissionDeniedError; InvalidArgumentError, which lists the largest nodes, if it would be over 2 GiB; TypeError if
    `graph` is neither.
    """
    path = os.fsdecode(path)
    graph = _checked(graph)
    suffix = os.path.splitext(path)[1]
    if suffix in (".pbtxt", ".txt"):
        parts = [graph_text(_message_of(graph)).encode()]
    elif suffix == ".json":
        parts = [graph_json(_message_of(graph)).encode()]
    elif isinstance(graph, Graph):
        parts = list(graph.serialized())
        if sum(map(len, parts)) > MAX_FILE:
            refuse_size(((op.name, len(op.node_def.SerializeToString())) for op in graph.get_operations()), path)
    else:
        if graph.ByteSize() > MAX_FILE:
            refuse_size(((node.name, node.ByteSize()) for node in graph.node), path)
        parts = [graph.SerializeToString(deterministic=True)]
    _replace_file(path, parts)
    return path


def refuse_size(sizes: Iterable[tuple[str, int]], path: str | None = None) -> NoReturn:
    """Raise InvalidArgumentError that lists the largest nodes of a graph too large to be written."""
    largest = sorted(sizes, key=lambda pair: -pair[1])
    total = sum(size for _, size in largest)
    listed = "".join(f"\n  {size:>14,} bytes  {name}" for name, size in largest[:10])
    raise errors.InvalidArgumentError(
        f"a graph of {total:,} bytes: no protocol buffer holds more than {MAX_FILE:,}. The largest nodes are{listed}\n"
        "Keep large constants as variables in a checkpoint beside the graph: icefloe.graphs.unconst, or `icefloe graph "
        "unconst`.",
        path=path,
    )


def graph_text(graph_def: GraphDef) -> str:
    """Return a GraphDef in text form, as TensorFlow's `write_graph` writes it."""
    return text_format.MessageToString(graph_def)


def graph_json(graph_def: GraphDef) -> str:
    """Return a GraphDef in JSON form, as TensorFlow.js has it; attrs in the order of their names."""
    from google.protobuf import json_format

    value = json_format.MessageToDict(graph_def, descriptor_pool=POOL)
    library = value.get("library", {}).get("function", [])
    for holder in (*value.get("node", []), *library, *(node for f in library for node in f.get("nodeDef", []))):
        if "attr" in holder:
            holder["attr"] = dict(sorted(holder["attr"].items()))
    return json.dumps(value, indent=2)


def _message_of(graph: Any) -> GraphDef:
    if isinstance(graph, Graph):
        return graph.as_graph_def()
    return graph if isinstance(graph, GraphDef) else GraphDef.FromString(graph.SerializeToString())


def _checked(graph: Any) -> Any:
    if not isinstance(graph, (Graph, Message)):
        raise TypeError(f"expected a Graph or a GraphDef message to write, got {type(graph).__name__}")
    return graph


def _replace_file(path: str, parts: list[bytes]) -> None:
    directory = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise errors.FailedPreconditionError("a directory: expected the path of a file", path=path)
    try:
        import tempfile

        handle, temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".tmp", dir=directory)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(parts)
            os.chmod(temporary, 0o666 & ~umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except FileNotFoundError:
        raise errors.NotFoundError("the directory does not exist", path=path) from None
    except PermissionError:
        raise errors.PermissionDeniedError("the system does not let it be written", path=path) from None
    except OSError as error:
        raise errors.UnknownError(f"cannot be written: {error.strerror}", path=path) from None


def umask() -> int:
    """Return the process's mask, which a file made by `tempfile` ignores."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
