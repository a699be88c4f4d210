"""Protos that were split into chunks because they are larger than 2 GB: `saved_model.cpb`, and graphs of the same form.

The file is a Riegeli file. Its last record is a ChunkMetadata, which says where each of the others belongs:

    ChunkMetadata   2 chunks: ChunkInfo (1 type: 1 a message, 2 bytes), 3 message: ChunkedMessage
    ChunkedMessage  1 chunk_index, 2 chunked_fields: ChunkedField
    ChunkedField    1 field_tag: FieldIndex (a path), 3 message: ChunkedMessage
    FieldIndex      1 field number, or 2 map_key: MapKey, or 3 index in a repeated field
    MapKey          1 string, 2 to 6 integers

The chunks are put together as bytes: a message never has to fit what a protobuf library can serialize.

Source: tensorflow/tools/proto_splitter/chunk.proto, merge.cc.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from icefloe import errors
from icefloe.wire import message, riegeli
from icefloe.wire.coding import decode_varint, encode_varint

_BYTES_CHUNK = 2
_MAX_DEPTH = 50


@dataclass(slots=True)
class _Patch:
    """What is added to a message: whole chunks, and patches of its fields by number, then by index, map key or None."""

    chunks: list[int] = field(default_factory=list)
    fields: dict[int, dict[int | bytes | None, _Patch]] = field(default_factory=dict)


def merge(data: bytes) -> bytes:
    """Return the message that a chunked file holds, serialized.

    Raises: DataLossError if the file is damaged; UnimplementedError for Riegeli chunks that are not read.
    """
    parts = list(riegeli.records(data))
    if not parts:
        raise errors.DataLossError("a chunked file without records")
    metadata = parts.pop()
    try:
        return _merge(parts, metadata)
    except IndexError:
        raise errors.DataLossError("the metadata of a chunked file end early") from None


def _merge(parts: list[bytes], metadata: bytes) -> bytes:
    kinds = []
    root = _Patch()
    unused = set(range(len(parts)))
    for f in message.fields(metadata):
        if f.number == 2 and f.wire_type == message.BYTES:
            kinds.append(next((n for number, n in _numbers(metadata, f) if number == 1), 0))
        elif f.number == 3 and f.wire_type == message.BYTES:
            _read_message(metadata, f, root, unused, 0)
    if len(kinds) != len(parts):
        raise errors.DataLossError(f"{len(parts)} chunks, the metadata describe {len(kinds)}")
    return _Merger(parts, kinds).apply(b"", root)


def _numbers(data: bytes, parent: message.Field) -> Iterator[tuple[int, int]]:
    for f in message.fields(data, parent.payload, parent.end):
        if f.wire_type == message.VARINT:
            yield f.number, decode_varint(data, f.payload)[0]


def _read_message(data: bytes, parent: message.Field, patch: _Patch, unused: set[int], depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise errors.DataLossError("chunks nested too deep", offset=parent.start)
    for f in message.fields(data, parent.payload, parent.end):
        if f.number == 1 and f.wire_type == message.VARINT:
            index = decode_varint(data, f.payload)[0]
            if index not in unused:
                raise errors.DataLossError(f"chunk {index} is not there or used twice", offset=f.start)
            unused.remove(index)
            patch.chunks.append(index)
        elif f.number == 2 and f.wire_type == message.BYTES:
            inner = list(message.fields(data, f.payload, f.end))
            target = _at_path(patch, [_tag(data, g) for g in inner if g.number == 1 and g.wire_type == message.BYTES])
            for g in inner:
                if g.number == 3 and g.wire_type == message.BYTES:
                    _read_message(data, g, target, unused, depth + 1)


def _tag(data: bytes, parent: message.Field) -> tuple[int, int | bytes]:
    """Return the kind of a FieldIndex (1 field, 2 map key, 3 index) and its value; a key as it stands in an entry."""
    for f in message.fields(data, parent.payload, parent.end):
        if f.number in (1, 3) and f.wire_type == message.VARINT:
            return f.number, decode_varint(data, f.payload)[0]
        if f.number == 2 and f.wire_type == message.BYTES:
            for key in message.fields(data, f.payload, f.end):
                return 2, data[key.payload : key.end]
    raise errors.DataLossError("an empty tag in the metadata of a chunked file", offset=parent.start)


def _at_path(patch: _Patch, path: Sequence[tuple[int, int | bytes]]) -> _Patch:
    at = 0
    while at < len(path):
        kind, number = path[at]
        at += 1
        if kind != 1 or not isinstance(number, int):
            raise errors.DataLossError("an index without a field in the metadata of a chunked file")
        key: int | bytes | None = None
        if at < len(path) and path[at][0] != 1:
            key = path[at][1]
            at += 1
        patch = patch.fields.setdefault(number, {}).setdefault(key, _Patch())
    return patch


class _Merger:
    def __init__(self, parts: list[bytes], kinds: list[int]) -> None:
        self.parts = parts
        self.kinds = kinds

    def apply(self, data: bytes, patch: _Patch) -> bytes:
        """Return the message `data` with what `patch` adds."""
        for index in sorted(patch.chunks):
            replaces = self.kinds[index] == _BYTES_CHUNK
            data = self.parts[index] if replaces else data + self.parts[index]
        if not patch.fields:
            return data
        out: list[bytes] = []
        seen: dict[int, int] = {}
        done: dict[int, set[int | bytes | None]] = {number: set() for number in patch.fields}
        whole: dict[int, list[bytes]] = {}
        for f in message.fields(data):
            keys = patch.fields.get(f.number) if f.wire_type == message.BYTES else None
            if keys is None:
                out.append(data[f.start : f.end])
                continue
            payload = data[f.payload : f.end]
            if None in keys:
                whole.setdefault(f.number, []).append(payload)
                continue
            key: int | bytes | None = seen.get(f.number, 0)
            seen[f.number] = seen.get(f.number, 0) + 1
            if key not in keys:
                key = _entry_key(payload) if any(isinstance(k, bytes) for k in keys) else None
            if key is None or key not in keys:
                out.append(data[f.start : f.end])
                continue
            done[f.number].add(key)
            out += _field(f.number, self._patched(payload, key, keys[key]))
        for number, keys in patch.fields.items():
            if None in keys:
                out += _field(number, self.apply(b"".join(whole.get(number, [])), keys[None]))
                continue
            self._append(out, number, {k: p for k, p in keys.items() if k not in done[number]}, seen.get(number, 0))
        return b"".join(out)

    def _patched(self, payload: bytes, key: int | bytes, patch: _Patch) -> bytes:
        if isinstance(key, int):
            return self.apply(payload, patch)
        return self.apply(payload, _Patch(fields={2: {None: patch}}))

    def _append(self, out: list[bytes], number: int, keys: dict[int | bytes | None, _Patch], count: int) -> None:
        """Add the elements and map entries that are not there yet."""
        for index in sorted(k for k in keys if isinstance(k, int)):
            if index != count:
                raise errors.DataLossError(f"element {index} of field {number} of a chunked message: there are {count}")
            out += _field(number, self.apply(b"", keys[index]))
            count += 1
        for key, patch in keys.items():
            if isinstance(key, bytes):
                entry = b"".join(_field(1, key))
                out += _field(number, self.apply(entry, _Patch(fields={2: {None: patch}})))


def _entry_key(payload: bytes) -> bytes | None:
    """Return the key of a map entry as it stands there."""
    return next((payload[f.payload : f.end] for f in message.fields(payload) if f.number == 1), None)


def _field(number: int, payload: bytes) -> list[bytes]:
    return [encode_varint(number << 3 | message.BYTES), encode_varint(len(payload)), payload]
