"""A GraphDef as bytes: split into its top-level fields without parsing them, and put together again.

    GraphDef := (node: 1 | library: 2 | version: 3 | versions: 4 | debug_info: 5 | unknown)*

Each node keeps its place and its bytes, so that a file whose nodes were not touched is written back byte for byte:
the order of fields, encodings that are longer than need be, and unknown fields included. Source:
tensorflow/core/framework/graph.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from icefloe.wire.message import BYTES, Field, encode_bytes, fields

NODE = 1
LIBRARY = 2
VERSION = 3
VERSIONS = 4


class GraphSource:
    """The bytes a graph was read from, and where each top-level field stands in them.

    library_changed, versions_changed: the graph's library or versions are no longer those of the bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.fields = list(fields(data))
        self.library_changed = False
        self.versions_changed = False

    def payloads(self, number: int) -> Iterator[memoryview]:
        """Yield the payload of each length-delimited field of this number."""
        view = memoryview(self.data)
        for field in self.fields:
            if field.number == number and field.wire_type == BYTES:
                yield view[field.payload : field.end]

    def others(self) -> Iterator[memoryview]:
        """Yield each field that is neither a node, nor the library, nor the versions, tag included."""
        view = memoryview(self.data)
        for field in self.fields:
            if field.number not in (NODE, LIBRARY, VERSIONS) or field.wire_type != BYTES:
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
    return field.number == NODE and field.wire_type == BYTES
