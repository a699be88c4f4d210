"""What kind of file something is, told by its content: to name what was given in place of a checkpoint, and to find
out what can be opened.

Only a few kilobytes at both ends are read, whatever the size.
"""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint import names
from icefloe.checkpoint.files import Source, is_directory
from icefloe.wire import message
from icefloe.wire.coding import decode_varint
from icefloe.wire.magic import known_magic, markup
from icefloe.wire.sstable import FOOTER_SIZE, TABLE_MAGIC, Table

_HEAD = 4096
_STATE = re.compile(r"^[ \t]*(?:all_)?model_checkpoint_paths?[ \t]*[:=]", re.MULTILINE)


_UNPACK = "Unpack it first."
_RESCUE = "`icefloe ckpt verify` says what is damaged, `icefloe ckpt rescue` keeps what is whole."
# What can be done about a file of a kind.
HINTS = {
    "git_lfs": "Fetch the file itself with `git lfs pull`.",
    "git_annex": "Fetch the file itself with `git annex get`.",
    "html": "Most likely a web page was saved in place of the file it links to.",
    "zeros": "The download or copy was cut short: nothing was written but its size.",
    "appledouble": "Give the file whose name lacks the `._`; such files come along where a Mac makes an archive.",
    "unfinished": "Load it down anew, or wait until that is done.",
    **dict.fromkeys(("cut_v1", "sstable"), _RESCUE),
    "tempstate": "Give a checkpoint that is whole; this can be deleted.",
    **dict.fromkeys(("zip", "tar", "gzip", "bzip2", "xz", "7z", "rar", "zstd", "lz4", "compress", "snappy"), _UNPACK),
}
_UNFINISHED = re.compile(r".*\.(crdownload|part|partial|download|opdownload|aria2|icloud)", re.DOTALL)
_TEMPSTATE = re.compile(r".*\.tempstate[0-9]+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Finding:
    """kind: a short word, one of those in this module.   description: the same for people, after "this is"."""

    kind: str
    description: str


def sniff(path: str) -> Finding:
    """Return what the file at `path` is. Raises: NotFoundError and the system's errors; a directory is `directory`."""
    if is_directory(path):
        return Finding("directory", "a directory")
    source = Source(path)
    try:
        head = source.read(0, min(_HEAD, source.size))
        return _sniff(path, head, source)
    finally:
        source.close()


def _sniff(path: str, head: bytes, source: Source) -> Finding:
    size = source.size
    if not size:
        return Finding("empty", "an empty file")
    if size >= FOOTER_SIZE and source.read(size - 8, 8) == TABLE_MAGIC.to_bytes(8, "little"):
        return _sniff_table(source)
    part = names.parse(os.path.basename(path))
    if part is not None and part.kind == "data":
        # Its bytes may begin like anything; only what is long and plain counts.
        text = _sniff_text(head)
        if text is not None and text.kind in ("git_lfs", "html", "xml"):
            return text
        return Finding("data_shard", f"shard {part.shard} of {part.count} of the data of a checkpoint")
    known = known_magic(head)
    if known is not None:
        return _sniff_zip(source) if known[0] == "zip" else Finding(*known)
    if size > 262 and source.read(257, 5) == b"ustar":
        return Finding("tar", "a tar archive")
    if size >= 10 and head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= size - 8:
        return Finding("safetensors", "a safetensors file")
    if not head.strip(b"\0"):
        return Finding("zeros", "a file of zero bytes")
    if begins_as_v1(head):
        return Finding("cut_v1", "by its beginning a V1 checkpoint, whose end is lost or damaged")
    return _by_name(path) or _sniff_text(head) or _sniff_proto(head, source) or Finding("unknown", _UNKNOWN)


_UNKNOWN = "a binary file of unknown kind"


def begins_as_v1(head: bytes) -> bool:
    """Whether a file begins as a V1 checkpoint does: an entry without a key, whose value lists tensors."""
    if head[:2] != b"\0\0":
        return False
    try:
        size, pos = decode_varint(head, 2)
        inner, start = decode_varint(head, pos + 1)
    except errors.DataLossError:
        return False
    return head[pos] == 0x0A and start < len(head) and head[start] in (0x0A, 0x12) and inner < size


def _by_name(path: str) -> Finding | None:
    """Tell what is by its name not there as a whole."""
    name = os.path.basename(path)
    if _UNFINISHED.fullmatch(name):
        return Finding("unfinished", "by its name a download that is not done")
    if _TEMPSTATE.fullmatch(name):
        return Finding("tempstate", "what a save of TensorFlow that did not finish left behind")
    return None


def _sniff_table(source: Source) -> Finding:
    try:
        table = Table(source.read, source.size)
        first = table.read_block(table.handles[0])
        # The first entry has the empty key: shared, unshared and value size are varints, then the value. That of a
        # V1 file is SavedTensorSlices, which begins with its field 1; a bundle's header begins with the number of
        # shards.
        start = 3 if first[2] < 0x80 else 4 if first[3] < 0x80 else 5 if first[4] < 0x80 else 6
        is_v1 = first[1] == 0 and first[start] == 0x0A
    except (errors.OpError, IndexError):
        return Finding("sstable", "an sstable whose blocks are damaged")
    if is_v1:
        return Finding("v1", "a V1 checkpoint")
    return Finding("v2_index", "the index of a V2 checkpoint")


def _sniff_zip(source: Source) -> Finding:
    tail = source.read(max(0, source.size - 65536), min(65536, source.size))
    if b"model.weights.h5" in tail:
        return Finding("keras", "a Keras model (.keras)")
    if b"saved_model.pb" in tail:
        return Finding("zip", "a zip archive of a SavedModel")
    if b".npyPK" in tail or tail.count(b".npy"):
        return Finding("npz", "a NumPy archive (.npz)")
    if b"data.pkl" in tail:
        return Finding("pytorch", "a PyTorch file")
    return Finding("zip", "a zip archive")


def _sniff_text(head: bytes) -> Finding | None:
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        if e.start < len(head) - 4:  # not merely cut in the middle of a character
            # Names in UTF-16 or Latin-1: nothing else of ours is text in these.
            is_wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            return _state_of(head.decode("utf-16", "replace") if is_wide else head.decode("latin-1"))
        text = head[: e.start].decode("utf-8-sig")
    if any(c < " " and c not in "\t\n\r\f\x1b" for c in text):
        return None
    start = text.lstrip()
    other = known_magic(start.encode()) or markup(start)
    if other is not None:
        return Finding(*other)
    if (state := _state_of(text)) is not None:
        return state
    if start.startswith("{"):
        if '"modelTopology"' in text or '"weightsManifest"' in text or '"format": "graph-model"' in text:
            return Finding("tfjs", "a TensorFlow.js model")
        return Finding("json", "a JSON file")
    if start.startswith("saved_model_schema_version:"):
        return Finding("saved_model_text", "a SavedModel in text form")
    if start.startswith("meta_info_def"):
        return Finding("meta_graph_text", "a MetaGraphDef in text form")
    if start.startswith(("node {", "node{", "versions {", "library {")) or "\nnode {" in text:
        return Finding("graph_text", "a GraphDef in text form")
    if start.startswith(("/annex/objects/", "../.git/annex/objects/")):
        return Finding("git_annex", "a git-annex pointer, not the file itself")
    line = start.split("\n", 1)[0].rstrip()
    return Finding("text", f"a text file that begins {line!r}" if 0 < len(line) <= 60 else "a text file")


def _state_of(text: str) -> Finding | None:
    found = _STATE.search(text)
    return Finding("state", "the state file of a checkpoint directory") if found else None


def _sniff_proto(head: bytes, source: Source) -> Finding | None:
    """Tell a GraphDef, MetaGraphDef or SavedModel by its first fields."""
    whole = len(head) == source.size
    seen: list[tuple[int, int, bytes]] = []
    if head[:1] == b"\x0a" and b"_tf_keras_" in head:
        return Finding("keras_metadata", "what Keras notes beside a SavedModel, without the values of its variables")
    try:
        # Beyond the head nothing is looked at, but sizes are held against the length of the file.
        pos = 0
        while pos < len(head) and len(seen) < 8:
            tag, after = decode_varint(head, pos)
            number, wire_type = tag >> 3, tag & 7
            if wire_type == message.BYTES:
                size, start = decode_varint(head, after)
                pos = start + size
                seen.append((number, wire_type, head[start : min(pos, start + 64)]))
            elif wire_type == message.VARINT:
                _, pos = decode_varint(head, after)
                seen.append((number, wire_type, b""))
            else:
                return None
            is_cut = pos > source.size
            if is_cut and [(n, t) for n, t, _ in seen] == [(1, message.VARINT), (2, message.BYTES)]:
                return Finding("saved_model", "a SavedModel")  # its only graph is nearly all of it
            if not 0 < number < 32 or is_cut:
                return None
    except errors.DataLossError:
        if whole or not seen:
            return None
    return _proto_of(seen)


def _proto_of(seen: list[tuple[int, int, bytes]]) -> Finding | None:
    if not seen:
        return None
    number, wire_type, content = seen[0]
    if number == 1 and wire_type == message.VARINT and all(n in (1, 2) for n, _, _ in seen):
        return Finding("saved_model", "a SavedModel")
    if wire_type != message.BYTES:
        return None
    # A NodeDef begins with its name, printable text; a MetaInfoDef with a sub-message or a version string at a
    # higher number.
    if number == 1 and content[:1] == b"\x0a" and len(content) > 2 and content[2:3].isascii() and content[2] > 0x20:
        return Finding("graph", "a GraphDef")
    if number == 2 and _is_library(content):
        return Finding("graph", "a GraphDef")
    if number in (1, 2) and all(n <= 7 and t == message.BYTES for n, t, _ in seen):
        return Finding("meta_graph", "a MetaGraphDef: a graph, without the values of its variables")
    if number == 4 and len(seen) <= 3:
        return Finding("graph", "a GraphDef")
    return None


def _is_library(content: bytes) -> bool:
    """Whether it is the start of a library, as a GraphDef without nodes begins, and not that of a GraphDef.

    Functions begin with a signature, a sub-message that begins with a name; gradients begin with a name.
    """
    inner = _inside(content)
    if inner[:1] != b"\x0a":
        return False
    return (content[:1] == b"\x0a") == (_inside(inner)[:1] == b"\x0a") and content[:1] in (b"\x0a", b"\x12")


def _inside(field: bytes) -> bytes:
    """Return what follows the tag and the length of a field."""
    at = 1
    while at < len(field) and field[at] >= 0x80:
        at += 1
    return field[at + 1 :]
