"""A GraphDef as bytes: split into its top-level fields without parsing them, and put together again.

    GraphDef := (node: 1 | library: 2 | version: 3 | versions: 4 | debug_info: 5 | unknown)*

Each node keeps its place and its bytes, so that a file whose nodes were not touched is written back byte for byte:
the order of fields, encodings that are longer than need be, and unknown fields included. Source:
tensorflow/core/framework/graph.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from icefloe import errors
from icefloe.wire.message import encode_bytes

NODE = 1
LIBRARY = 2
VERSION = 3
VERSIONS = 4

_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = 0, 1, 2, 3, 4, 5


class Field(NamedTuple):
    """One field as it stands in the bytes: number and wire type, where tag, payload and end are."""

    number: int
    wire_type: int
    start: int
    payload: int
    end: int


def _varint(data: bytes, pos: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while pos < end and shift < 70:
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, pos
        shift += 7
    raise errors.DataLossError("not a protocol buffer: a number does not end", offset=pos)


def scan(data: bytes, start: int = 0, end: int | None = None) -> Iterator[Field]:
    """Yield the fields of a serialized message between `start` and `end`, without copying.

    Raises: DataLossError at the byte that cannot be.
    """
    end = len(data) if end is None else end
    pos = start
    while pos < end:
        begin = pos
        byte = data[pos]
        if byte < 0x80:
            tag, pos = byte, pos + 1
        else:
            tag, pos = _varint(data, pos, end)
        number, wire_type = tag >> 3, tag & 7
        payload = pos
        if wire_type == _LENGTH:
            size, payload = _varint(data, pos, end)
            pos = payload + size
        elif wire_type == _VARINT:
            _, pos = _varint(data, pos, end)
        elif wire_type == _FIXED64:
            pos += 8
        elif wire_type == _FIXED32:
            pos += 4
        elif wire_type == _START_GROUP:
            pos = _skip_group(data, pos, end, number)
        else:
            raise errors.DataLossError(f"not a protocol buffer: wire type {wire_type}", offset=begin)
        if number == 0 or pos > end:
            what = "field 0" if number == 0 else f"field {number} ends {pos - end} bytes past the end"
            raise errors.DataLossError(f"not a protocol buffer: {what}", offset=begin)
        yield Field(number, wire_type, begin, payload, pos)


def _skip_group(data: bytes, pos: int, end: int, number: int) -> int:
    """Return where the group of `number` that begins at `pos` ends; nested groups are counted, not recursed into."""
    open_groups = [number]
    while open_groups:
        tag, pos = _varint(data, pos, end)
        field, wire_type = tag >> 3, tag & 7
        if wire_type == _VARINT:
            _, pos = _varint(data, pos, end)
        elif wire_type == _LENGTH:
            size, pos = _varint(data, pos, end)
            pos += size
        elif wire_type == _FIXED64:
            pos += 8
        elif wire_type == _FIXED32:
            pos += 4
        elif wire_type == _START_GROUP:
            open_groups.append(field)
        elif wire_type == _END_GROUP and open_groups.pop() == field:
            pass
        else:
            raise errors.DataLossError("not a protocol buffer: a group does not end", offset=pos)
        if pos > end or len(open_groups) > 100:
            raise errors.DataLossError("not a protocol buffer: a group does not end", offset=pos)
    return pos


class GraphSource:
    """The bytes a graph was read from, and where each top-level field stands in them.

    library_changed, versions_changed: the graph's library or versions are no longer those of the bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.fields = list(scan(data))
        self.library_changed = False
        self.versions_changed = False

    def payloads(self, number: int) -> Iterator[memoryview]:
        """Yield the payload of each length-delimited field of this number."""
        view = memoryview(self.data)
        for field in self.fields:
            if field.number == number and field.wire_type == _LENGTH:
                yield view[field.payload : field.end]

    def others(self) -> Iterator[memoryview]:
        """Yield each field that is neither a node, nor the library, nor the versions, tag included."""
        view = memoryview(self.data)
        for field in self.fields:
            if field.number not in (NODE, LIBRARY, VERSIONS) or field.wire_type != _LENGTH:
                yield view[field.start : field.end]

    def assemble(
        self, nodes: Iterable[bytes | None], new_nodes: bytes, library: bytes, versions: bytes
    ) -> Iterator[bytes]:
        """Yield the parts of the GraphDef: what did not change as it was read.

        nodes: for each node of the source its new NodeDef, or None where it did not change. new_nodes: fields to put
        after the last node. library, versions: the fields to write where they changed.
        """
        replacements = iter(nodes)
        last_node = max((i for i, f in enumerate(self.fields) if _is_node(f)), default=-1)
        if last_node < 0:
            yield new_nodes
        for i, field in enumerate(self.fields):
            original = self.data[field.start : field.end]
            if _is_node(field):
                changed = next(replacements)
                yield original if changed is None else encode_bytes(NODE, changed)
                if i == last_node:
                    yield new_nodes
            elif (field.number == LIBRARY and self.library_changed) or (
                field.number == VERSIONS and self.versions_changed
            ):
                continue
            else:
                yield original
        if self.library_changed:
            yield library
        if self.versions_changed:
            yield versions


def _is_node(field: Field) -> bool:
    return field.number == NODE and field.wire_type == _LENGTH
