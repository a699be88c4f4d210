"""The part of a Graph that writes it out as a GraphDef, as a message and as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from icefloe import shapes
from icefloe.graph import node_bytes
from icefloe.graph.operation import Operation
from icefloe.proto import FunctionDefLibrary, GraphDef, NodeDef, VersionDef
from icefloe.wire.message import encode_bytes


class GraphDefs:
    """The part of a Graph that writes it out."""

    _ops: list[Operation]
    functions: dict[str, Any]
    _function_gradients: dict[str, str]
    _function_graphs: dict[str, Any]
    _versions: VersionDef
    _source: node_bytes.GraphSource | None

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> GraphDef:
        """Return the graph as a GraphDef.

        from_version: only nodes added since `version` was this. add_shapes: record static shapes in attr
        `_output_shapes`.
        """
        graph_def = GraphDef()
        source = self._source
        if source is not None:
            for piece in source.others():
                graph_def.MergeFromString(bytes(piece))
        for op in self._ops[from_version or 0 :]:
            node = graph_def.node.add()
            write_node(op, node)
            if add_shapes and op.outputs and (op._raw is None or "_output_shapes" not in node.attr):
                listed = node.attr["_output_shapes"].list
                listed.ClearField("shape")
                listed.shape.extend([shapes.dims_to_proto(t._static_dims()) for t in op.outputs])
        if self.functions:
            graph_def.library.CopyFrom(self._library())
            if add_shapes:
                self._add_function_shapes(graph_def.library)
        if source is None or source.versions_changed or any(source.payloads(node_bytes.VERSIONS)):
            graph_def.versions.CopyFrom(self._versions)
        return graph_def

    def _library(self) -> FunctionDefLibrary:
        library = FunctionDefLibrary()
        library.function.extend(self.functions.values())
        for name, gradient in self._function_gradients.items():
            library.gradient.add(function_name=name, gradient_func=gradient)
        return library

    def _add_function_shapes(self, library: FunctionDefLibrary) -> None:
        """Record the static shapes in functions that were built here: those of nodes that have kept their names."""
        for function in library.function:
            body = self._function_graphs.get(function.signature.name)
            if body is None:
                continue
            listed = function.attr["_input_shapes"].list
            if not listed.shape:
                for tensor, arg in zip(body.inputs, function.signature.input_arg):
                    listed.shape.append(shapes.dims_to_proto(tensor._static_dims()))
                    _write_handle_data(tensor, arg)
            for tensor, arg in zip(body.outputs, function.signature.output_arg):
                _write_handle_data(tensor, arg)
            for node in function.node_def:
                op = body._by_name.get(node.name)
                if op is not None:
                    shapes_of = node.attr["_output_shapes"].list
                    shapes_of.SetInParent()
                    shapes_of.shape.extend([shapes.dims_to_proto(t._static_dims()) for t in op.outputs])

    def serialized(self) -> Iterator[bytes]:
        """Yield the parts of the GraphDef's bytes: as they were read where nothing changed, else deterministic ones."""
        source = self._source
        if source is None:
            yield self.as_graph_def().SerializeToString(deterministic=True)
            return
        count = sum(1 for _ in source.payloads(node_bytes.NODE))
        if (
            len(self._ops) == count
            and not (source.library_changed or source.versions_changed)
            and all(op._raw is not None for op in self._ops)
        ):
            yield source.data
            return
        yield from source.assemble(
            (None if op._raw is not None else _node_data(op) for op in self._ops[:count]),
            b"".join(encode_bytes(node_bytes.NODE, _node_data(op)) for op in self._ops[count:]),
            encode_bytes(node_bytes.LIBRARY, self._library().SerializeToString(deterministic=True)),
            encode_bytes(node_bytes.VERSIONS, self._versions.SerializeToString(deterministic=True)),
        )

    def __reduce__(self) -> Any:
        from icefloe.graph.graph_file import graph_from_bytes

        return graph_from_bytes, (b"".join(self.serialized()),)


def _write_handle_data(tensor: Any, arg: Any) -> None:
    """Note in an argument of a signature what lies behind a resource."""
    if tensor.dtype.name == "resource" and tensor._handle_data:
        dtype, dims = tensor._handle_data[0]
        arg.handle_data.add(dtype=dtype.as_datatype_enum, shape=shapes.dims_to_proto(dims))


def write_node(op: Operation, node: NodeDef) -> None:
    """Write `op` into an empty NodeDef as a GraphDef holds it: control inputs sorted by name."""
    if op._raw is not None:
        node.MergeFromString(bytes(op._raw))
        return
    if op._extra:
        node.MergeFromString(op._extra)
    node.name = op.name
    node.op = op.type
    op._write_inputs(node, sort_controls=True)
    if op.device:
        node.device = op.device
    attrs = node.attr
    for key, value in op._node_attrs().items():
        attrs[key].CopyFrom(value)


def _node_data(op: Operation) -> bytes:
    node = NodeDef()
    write_node(op, node)
    return node.SerializeToString(deterministic=True)
