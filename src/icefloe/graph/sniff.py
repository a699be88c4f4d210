"""What form of graph some bytes are, or what else they are, told by their content alone."""

from __future__ import annotations

import json
import re

from icefloe import errors
from icefloe.wire import message
from icefloe.wire.foreign_kinds import foreign_kind, record_kind
from icefloe.wire.magic import TABLE_MAGIC, known_magic, markup

GRAPH_DEF = "a GraphDef"
GRAPH_DEF_TEXT = "a GraphDef in text form"
GRAPH_DEF_JSON = "a GraphDef in JSON form"
META_GRAPH_DEF = "a MetaGraphDef"
META_GRAPH_DEF_TEXT = "a MetaGraphDef in text form"
SAVED_MODEL = "a SavedModel"
SAVED_MODEL_TEXT = "a SavedModel in text form"

_UNKNOWN = "a binary file of unknown kind"
_HEAD = 4096

# The first field of a message in text form, after blank lines and comments.
_FIRST_FIELD = re.compile(r"(?:\s|#[^\n]*(?:\n|$))*([A-Za-z_][A-Za-z0-9_]*)\s*(?:[:{<]|$)")
_TEXT_FIELDS = {
    **dict.fromkeys(("node", "library", "versions", "version", "debug_info"), GRAPH_DEF_TEXT),
    **dict.fromkeys(
        (
            "meta_info_def",
            "graph_def",
            "saver_def",
            "collection_def",
            "signature_def",
            "asset_file_def",
            "object_graph_def",
        ),
        META_GRAPH_DEF_TEXT,
    ),
    **dict.fromkeys(("saved_model_schema_version", "meta_graphs"), SAVED_MODEL_TEXT),
    **dict.fromkeys(
        ("model_checkpoint_path", "all_model_checkpoint_paths"), "the state file of a checkpoint directory"
    ),
}


def kind_of(data: bytes) -> str:
    """Return one of the constants of this module, or in words what else `data` is."""
    if not data:
        return "an empty file"
    kind = _kind(data)
    if kind == GRAPH_DEF:  # the length of a record may look like the first field
        return record_kind(data[:_HEAD]) or kind
    return foreign_kind(data) or kind if kind in (_UNKNOWN, SAVED_MODEL) else kind


def _kind(data: bytes) -> str:
    known = known_magic(data[:_HEAD])
    if known is not None:
        return known[1]
    if data.endswith(TABLE_MAGIC.to_bytes(8, "little")):
        return "an sstable: the index of a V2 checkpoint, or a V1 checkpoint"
    text = _text_head(data)
    if text is not None:
        return _kind_of_text(text, data)
    return _kind_of_proto(data)


def _text_head(data: bytes) -> str | None:
    """Return the start of `data` as text, or None if it is none."""
    head = data[:_HEAD]
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4 or len(data) <= _HEAD:
            return None
        text = head[: error.start].decode("utf-8-sig")
    # A binary GraphDef begins with a line feed and a length, and so may look like text for a while.
    return None if any(c < " " and c not in "\t\n\r\f" for c in text) else text


def _kind_of_text(text: str, data: bytes) -> str:
    start = text.lstrip()
    if start.startswith("{"):
        return _kind_of_json(data)
    other = markup(start)
    if other is not None:
        return other[1]
    found = _FIRST_FIELD.match(text)
    kind = _TEXT_FIELDS.get(found[1]) if found else None
    if kind is None and data[:1] == b"\n":
        kind = _kind_of_proto(data)
        return kind if kind in (GRAPH_DEF, META_GRAPH_DEF) else "a text file"
    if kind is None and found is None and not start:
        return "a file of blanks"
    return kind or "a text file"


def _kind_of_json(data: bytes) -> str:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return "a JSON file that cannot be parsed"
    if not isinstance(value, dict):
        return "a JSON file"
    if "modelTopology" in value or "weightsManifest" in value:
        return "a TensorFlow.js model"
    return (
        GRAPH_DEF_JSON if not value.keys() - {"node", "library", "versions", "version", "debugInfo"} else "a JSON file"
    )


def _kind_of_proto(data: bytes) -> str:
    fields = []
    try:
        for field in message.fields(data):
            fields.append(field)
            if len(fields) > 8:
                break
    except errors.DataLossError:
        if not fields:
            return _UNKNOWN
        # Damaged further on: say so when it is read as what it began as.
    if fields[0].number == 1 and fields[0].wire_type == 0:
        # A TensorProto and a fingerprint begin so too.
        return SAVED_MODEL if all(f.number <= 2 for f in fields) else _UNKNOWN
    if _is_meta_graph(data, fields):
        return META_GRAPH_DEF
    return GRAPH_DEF if fields[0].number <= 5 else _UNKNOWN


def _is_meta_graph(data: bytes, fields: list[message.Field]) -> bool:
    """Tell a MetaGraphDef from a GraphDef; both have sub-messages at numbers 1 and 2.

    Field 2 of a MetaGraphDef is its graph, whose first node begins with a name; that of a GraphDef is its function
    library, whose first function begins with a signature, a sub-message that begins with a name.
    """
    for field in fields:
        if field.wire_type != 2:
            return False
        if field.number in (6, 7) or (field.number == 3):
            return True
        if field.number == 2:
            inner = data[field.payload : min(field.end, field.payload + 64)]
            if inner[:1] == b"\x12":
                # The library of a graph without nodes, which begins with a function, or the first gradient of a
                # library, which begins with a name; a function begins with a sub-message.
                library = inner[_payload_start(inner) :]
                return library[:1] == b"\x0a" and library[_payload_start(library) :][:1] == b"\x0a"
            if inner[:1] != b"\x0a":
                # No node and no function: versions of a graph, or a library of gradients alone.
                return inner[:1] == b"\x22"
            first = inner[_payload_start(inner) :]
            return first[:1] == b"\x0a" and first[_payload_start(first) :][:1] not in (b"\x0a", b"")
    return False


def _payload_start(message: bytes) -> int:
    at = 1
    while at < len(message) and message[at] >= 0x80:
        at += 1
    return at + 1
