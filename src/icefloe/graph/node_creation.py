"""Nodes made from their parts, as `Graph.create_op` and `Operation.from_node_def` take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from icefloe import datatypes, opdefs
from icefloe.graph import op_text
from icefloe.graph.attributes import as_attr, encode
from icefloe.graph.naming import VALID_OP_NAME
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import AttrValue, NodeDef

if TYPE_CHECKING:
    from icefloe.graph.graph import Graph


def complete_attrs(
    signature: opdefs.Signature, inputs: tuple[Tensor, ...], attrs: Mapping[str, Any] | None, node: str
) -> dict[str, AttrValue]:
    """Return `attrs` with those that the inputs tell, and defaults. Raises: ValueError if one is missing."""
    full = {key: as_attr(value) for key, value in (attrs or {}).items()}
    if any(key not in full and spec.default is None for key, spec in signature.attrs.items()):
        _infer_from_inputs(signature, inputs, full)
    for key, spec in signature.attrs.items():
        if key not in full:
            if spec.default is None:
                raise ValueError(op_text.missing_attr_text(key, signature, node))
            full[key] = spec.default
    return full


def _infer_from_inputs(signature: opdefs.Signature, inputs: tuple[Tensor, ...], attrs: dict[str, AttrValue]) -> None:
    """Add the types and lengths that the inputs tell; of several lists whose lengths are not given, nothing."""
    lists = [arg for arg in signature.inputs if arg.is_list and not _length_known(arg, attrs)]
    if len(lists) > 1:
        return
    known = sum(_length(arg, attrs) for arg in signature.inputs if arg not in lists)
    position = 0
    for arg in signature.inputs:
        length = len(inputs) - known if arg in lists else _length(arg, attrs)
        types = [t.dtype.base_dtype for t in inputs[position : position + length]]
        position += length
        if arg.number_attr and arg.number_attr not in attrs:
            attrs[arg.number_attr] = encode(length, "int", arg.number_attr)
        if arg.type_list_attr and arg.type_list_attr not in attrs:
            attrs[arg.type_list_attr] = encode(types, "list(type)", arg.type_list_attr)
        if arg.type_attr and arg.type_attr not in attrs and types:
            attrs[arg.type_attr] = encode(types[0], "type", arg.type_attr)


def _length_known(arg: opdefs.Arg, attrs: Mapping[str, AttrValue]) -> bool:
    return (arg.number_attr or arg.type_list_attr) in attrs


def _length(arg: opdefs.Arg, attrs: Mapping[str, AttrValue]) -> int:
    if arg.type_list_attr:
        return len(attrs[arg.type_list_attr].list.type)
    return attrs[arg.number_attr].i if arg.number_attr else 1


def operation_from_node_def(
    node_def: Any,
    graph: Graph,
    inputs: list[Tensor] | None,
    control_inputs: Iterable[Any] | None,
    input_types: list[datatypes.DType] | None,
    original_op: Operation | None,
) -> Operation:
    """Add the node of a NodeDef with these inputs to `graph`; see `Operation.from_node_def`."""
    from icefloe.graph.graph import Graph

    if not isinstance(graph, Graph):
        raise TypeError(f"Argument g must be a Graph. Received an instance of type {type(graph)}")
    if getattr(getattr(node_def, "DESCRIPTOR", None), "full_name", None) != NodeDef.DESCRIPTOR.full_name:
        raise TypeError(f"Argument node_def must be a NodeDef. Received an instance of type: {type(node_def)}.")
    if not VALID_OP_NAME.match(node_def.name):
        raise ValueError(
            f"`{node_def.name}` is not a valid node name. Accepted names conform to Regex /{VALID_OP_NAME}/"
        )
    if inputs is None:
        inputs = []
    elif not isinstance(inputs, list):
        raise TypeError(f"Argument inputs shall be a list of Tensors. Received an instance of type {type(inputs)}")
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Items of argument inputs shall be Tensor. Received an instance of type {type(tensor)}.")
    if input_types is not None and not all(x.is_compatible_with(i.dtype) for i, x in zip(inputs, input_types)):
        raise TypeError(
            f"In op '{node_def.name}', input types ({[i.dtype for i in inputs]}) are not compatible with expected "
            f"types ({input_types})"
        )
    controls = [_control_op(c) for c in control_inputs or ()]
    op = graph._create_op_internal(node_def.op, inputs, name=node_def.name + "/", attrs=dict(node_def.attr))
    if controls:
        mutations = graph.mutations
        op._add_control_inputs(controls)
        graph.mutations = mutations
    if node_def.device:
        op._device = node_def.device
    op._original_op = original_op
    return op


def _control_op(value: Any) -> Operation:
    if isinstance(value, Operation):
        return value
    found = getattr(value, "op", None)
    if not isinstance(found, Operation):
        raise TypeError(
            "Control input must be an Operation, a Tensor, or IndexedSlices. "
            f"Received an instance of type {type(value)}."
        )
    return found
