"""`Operation`: a node of the graph.

A node built here keeps its attrs as AttrValue messages and its inputs as tensors. A node read from a file keeps the
bytes of its NodeDef and the names of its inputs; attrs, inputs and outputs come from them when first asked for, and
the bytes are written back unless the node is changed.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from icefloe import datatypes, errors, opdefs, shapes
from icefloe.graph import attributes, missing_attrs, op_text
from icefloe.graph.tensor import Tensor, default_session
from icefloe.proto import TFT_PRODUCT, TFT_UNSET, AttrValue, DataType, NodeDef, OpDef

if TYPE_CHECKING:
    from icefloe.graph.graph import Graph

# A NodeDef larger than this is parsed again when asked for, not kept twice.
_KEEP_ATTRS = 1 << 14

_VALUE_TYPES = {n: datatypes.as_dtype(n) for n in DataType.values() if 0 < n < 100}

# Attrs whose change has no part in what a node computes: a plan made before stays right.
_COMMENTS = frozenset(("_has_manual_control_dependencies", "_class", "_output_shapes", "_gradient_op_type"))


class Operation:
    """A node: op type, attrs, inputs, control inputs and outputs. Made by building ops or loading a graph."""

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_attrs",
        "_control_flow_context",
        "_control_inputs",
        "_defined_at",
        "_device",
        "_extra",
        "_id",
        "_input_names",
        "_inputs",
        "_original_op",
        "_outputs",
        "_raw",
        "_signature",
        "graph",
        "name",
        "type",
    )

    def __init__(self, graph: Graph, op_id: int, name: str, op_type: str) -> None:
        self.graph = graph
        self._id = op_id
        self.name = name
        self.type = op_type
        self._device: str | None = ""
        self._attrs: dict[str, AttrValue] | None = None
        self._inputs: tuple[Tensor, ...] | None = ()
        self._control_inputs: list[Operation] | None = []
        self._outputs: list[Tensor] | None = None
        self._signature: Any = None
        # Only of a node read from a file: its NodeDef's bytes and the names of its inputs as they stand there.
        self._raw: Any = None
        self._input_names: tuple[str, ...] = ()
        # Fields of the NodeDef that are none of the above, unknown ones too, as a serialized NodeDef.
        self._extra = b""
        self._original_op: Operation | None = None
        self._control_flow_context: Any = None
        # Where the user's code made it: (file, line, function).
        self._defined_at: tuple[str, int, str] | None = None

    @classmethod
    def from_node_def(
        cls,
        node_def: Any,
        g: Graph,
        inputs: list[Tensor] | None = None,
        output_types: Any = None,
        control_inputs: Iterable[Any] | None = None,
        input_types: list[datatypes.DType] | None = None,
        original_op: Operation | None = None,
        op_def: Any = None,
    ) -> Operation:
        """Add the node that `node_def` describes to graph `g` and return it; its `input` field is not looked at.

        Raises: TypeError, ValueError in TensorFlow's words if the parts do not fit.
        """
        from icefloe.graph.node_creation import operation_from_node_def

        return operation_from_node_def(node_def, g, inputs, control_inputs, input_types, original_op)

    # What a node consists of

    def _node_attrs(self) -> dict[str, AttrValue]:
        attrs = self._attrs
        if attrs is None:
            attrs = dict(self._parsed().attr)
            if len(self._raw) <= _KEEP_ATTRS:
                self._attrs = attrs
        return attrs

    def _parsed(self) -> NodeDef:
        return NodeDef.FromString(self._raw)

    @property
    def signature(self) -> opdefs.Signature | None:
        """The signature of the registered op or of the library function it calls; None if it is neither."""
        if self._signature is None:
            self._signature = self.graph._find_signature(self.type)
        return self._signature

    @property
    def device(self) -> str:
        """The device string; empty where none was asked for."""
        if self._device is None:
            self._device = self._parsed().device
        return self._device

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The input tensors.

        Raises: InvalidArgumentError, for a node read from a file, if one is an output that its node does not have.
        """
        if self._inputs is None:
            self._inputs = self.graph._resolve_inputs(self)
        return self._inputs

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must run before this one."""
        if self._control_inputs is None:
            by_name = self.graph._by_name
            self._control_inputs = [by_name[n[1:]] for n in self._input_names if n.startswith("^")]
        return list(self._control_inputs)

    @property
    def _control_outputs(self) -> list[Operation]:
        return self.graph._control_consumers_of(self)

    @property
    def outputs(self) -> list[Tensor]:
        """The output tensors. Of an op that the op table does not know, those that other nodes use."""
        if self._outputs is None:
            self._outputs = self.graph._make_outputs(self)
        return self._outputs

    def values(self) -> tuple[Tensor, ...]:
        """Return `outputs` as a tuple."""
        return tuple(self.outputs)

    @property
    def op_def(self) -> OpDef:
        """A copy of its OpDef. Raises: NotFoundError if the op table does not know the op."""
        signature = self.signature
        return OpDef.FromString((opdefs.get(self.type) if signature is None else signature.op_def).SerializeToString())

    @property
    def node_def(self) -> NodeDef:
        """A fresh NodeDef of this node."""
        if self._raw is not None:
            return self._parsed()
        node = NodeDef.FromString(self._extra)
        node.name = self.name
        node.op = self.type
        self._write_inputs(node, sort_controls=False)
        if self._device:
            node.device = self._device
        for key, value in self._node_attrs().items():
            node.attr[key].CopyFrom(value)
        return node

    def _write_inputs(self, node: NodeDef, *, sort_controls: bool) -> None:
        names = [t._as_node_def_input() for t in self.inputs]
        controls = [c.name for c in self.control_inputs]
        names.extend("^" + name for name in (sorted(controls) if sort_controls else controls))
        node.input.extend(names)

    @property
    def _input_types(self) -> list[datatypes.DType]:
        signature = self.signature
        if signature is None:
            return [t.dtype for t in self.inputs]
        types = argument_types(self, signature.inputs)
        return types if len(types) == len(self.inputs) else [t.dtype for t in self.inputs]

    @property
    def _output_types(self) -> list[int]:
        return [t.dtype.as_datatype_enum for t in self.outputs]

    @property
    def _is_stateful(self) -> bool:
        return self.signature is not None and self.signature.is_stateful

    # Attrs

    def has_attr(self, name: str) -> bool:
        """Whether the node itself holds attr `name`."""
        return name in self._node_attrs()

    def _find_attr(self, name: str) -> AttrValue | None:
        """Return the attr, of the node or by default of its op, or None."""
        value = self._node_attrs().get(name)
        if value is not None and value.WhichOneof("value") is not None:
            return value
        signature = self.signature
        spec = signature.attrs.get(name) if signature is not None else None
        if spec is not None and spec.default is not None:
            return spec.default
        return value if self._raw is None else missing_attrs.told_by_inputs(self, name) or value

    def get_attr(self, name: str) -> Any:
        """Return attr `name`: int, float, bool, bytes, DType, a message, or a list.

        Raises: ValueError if there is none.
        """
        value = self._node_attrs().get(name)
        if value is None and self._raw is not None:
            value = self._find_attr(name)
        if value is None:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        found = attributes.decode(value)
        return type(found).FromString(found.SerializeToString()) if hasattr(found, "SerializeToString") else found

    def kernel_attr(self, name: str) -> Any:
        """Return attr `name` as a kernel takes it (see `graph.registry`), or its default.

        Raises: InvalidArgumentError, which names node and attr, if there is neither or the value is broken.
        """
        value = self._find_attr(name)
        if value is None:
            raise errors.InvalidArgumentError(f"NodeDef missing attr '{name}' from op {self.type}", node=self.name)
        signature = self.signature
        spec = signature.attrs.get(name) if signature is not None else None
        try:
            return attributes.decode_for_kernel(value, None if spec is None else spec.type)
        except TypeError as error:
            raise errors.InvalidArgumentError(f"attr '{name}': {error}", node=self.name) from None
        except errors.OpError as error:
            raise error.add_context(node=self.name) from None

    def colocation_groups(self) -> list[bytes]:
        """Return the `loc:@name` entries of attr `_class`, or its own."""
        own = [b"loc:@" + self.name.encode()]
        value = self._node_attrs().get("_class")
        groups = [s for s in value.list.s if s.startswith(b"loc:@")] if value is not None else []
        return groups or own

    # Changes. A node read from a file is first turned into one held as parts.

    def _thaw(self) -> None:
        if self._raw is None:
            return
        node = self._parsed()
        self._inputs = self.inputs
        self._control_inputs = self.control_inputs
        self._attrs = dict(node.attr)
        self._device = node.device
        self._extra = other_fields(node)
        self._raw = None
        self._input_names = ()

    def _changed(self) -> None:
        self.graph._mutated()

    def _set_attr(self, name: str, value: AttrValue) -> None:
        """Replace attr `name`."""
        self._thaw()
        assert self._attrs is not None
        self._attrs[name] = attributes.as_attr(value)
        if name not in _COMMENTS:
            self._changed()

    def _clear_attr(self, name: str) -> None:
        self._thaw()
        assert self._attrs is not None
        if self._attrs.pop(name, None) is not None and name not in _COMMENTS:
            self._changed()

    def _set_func_attr(self, name: str, func_name: str) -> None:
        self._set_attr(name, attributes.encode(func_name, "func", name))

    def _set_func_list_attr(self, name: str, func_names: list[str]) -> None:
        self._set_attr(name, attributes.encode(func_names, "list(func)", name))

    def _set_type_list_attr(self, name: str, data_types: list[Any]) -> None:
        if data_types:
            self._set_attr(name, attributes.encode(data_types, "list(type)", name))

    def _set_shape_list_attr(self, name: str, values: list[Any]) -> None:
        self._set_attr(name, attributes.encode(values, "list(shape)", name))

    def _set_device(self, device: Any) -> None:
        """Set the device string; a DeviceSpec is written out."""
        self._thaw()
        self._device = device if isinstance(device, str) else device.to_string()

    _set_device_from_string = _set_device

    def _update_input(self, index: int, tensor: Tensor) -> None:
        """Replace input `index`. Raises: TypeError, ValueError, IndexError if `tensor` is no tensor of this graph."""
        if not isinstance(tensor, Tensor):
            raise TypeError(f"tensor must be a Tensor: {tensor}")
        if tensor.graph is not self.graph:
            raise ValueError(
                f"{tensor} must be from the same graph as {self} (graphs are {tensor.graph} and {self.graph})."
            )
        self._thaw()
        inputs = list(self.inputs)
        if not 0 <= index < len(inputs):
            raise errors.OutOfRangeError(
                f"Cannot update edge. Input index [{index}] is greater than the number of total inputs "
                f"[{len(inputs)}].",
                node=self.name,
            )
        old = inputs[index].dtype
        if old.base_dtype != tensor.dtype.base_dtype:
            raise errors.InvalidArgumentError(op_text.input_type_text(index, self.name, tensor.name, tensor.dtype, old))
        if not shapes.TensorShape(tensor._static_dims()).is_compatible_with(inputs[index].shape):
            new, known = shapes.shape_text(tensor._static_dims()), shapes.shape_text(inputs[index]._static_dims())
            raise errors.InvalidArgumentError(f"Cannot update edge, incompatible shapes: {new} and {known}.")
        inputs[index] = tensor
        self._inputs = tuple(inputs)
        self._changed()

    def _add_while_inputs(self, tensors: Iterable[Tensor]) -> None:
        self._thaw()
        self._inputs = (*self.inputs, *tensors)
        self._changed()

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops: Iterable[Operation]) -> None:
        """Make this node run after each of `ops`."""
        self._thaw()
        assert self._control_inputs is not None
        added = False
        for op in ops:
            if not isinstance(op, Operation):
                raise TypeError(f"op must be an Operation: {op}")
            if op.graph is not self.graph:
                raise ValueError(
                    f"{op} must be from the same graph as {self} (graphs are {op.graph} and {self.graph})."
                )
            if op not in self._control_inputs:
                self._control_inputs.append(op)
                added = True
        if added:
            self._changed()

    def _remove_all_control_inputs(self) -> None:
        self._thaw()
        if self._control_inputs:
            self._control_inputs = []
            self._changed()

    def experimental_set_type(self, type_proto: Any) -> None:
        """Set the full type of the outputs, a FullTypeDef. Raises: ValueError if it is neither unset nor a product."""
        if type_proto.type_id not in (TFT_UNSET, TFT_PRODUCT):
            raise ValueError(
                "error setting the type of ", self.name, ": expected TFT_UNSET or TFT_PRODUCT, got ", type_proto.type_id
            )
        self._thaw()
        node = NodeDef.FromString(self._extra)
        node.experimental_type.MergeFromString(type_proto.SerializeToString())
        self._extra = node.SerializeToString(deterministic=True)

    @property
    def traceback(self) -> list[traceback.FrameSummary]:
        """Where the user's code made this operation: one frame; none for a node that was read or imported."""
        return [] if self._defined_at is None else [traceback.FrameSummary(*self._defined_at)]

    # Control-flow contexts

    def _get_control_flow_context(self) -> Any:
        return self._control_flow_context

    def _set_control_flow_context(self, context: Any) -> None:
        self._control_flow_context = context

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run this in `session` or the default one. Raises: ValueError if there is no session of this graph."""
        default_session(
            self.graph, session, "execute operation", "run(session=sess)", block="`with sess.as_default():`"
        ).run(self, feed_dict)

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle {self!r}: it belongs to its graph, which pickles as a whole")

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        raise TypeError(f"can't convert Operation '{self.name}' to Tensor")

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


def other_fields(node: NodeDef) -> bytes:
    """Return the fields of a NodeDef that no part of an Operation holds, serialized; `node` is left with them only."""
    for field in ("name", "op", "input", "device", "attr"):
        node.ClearField(field)
    return node.SerializeToString(deterministic=True)


def argument_types(op: Operation, args: tuple[opdefs.Arg, ...]) -> list[datatypes.DType]:
    """Return the dtype of each tensor of `args`, which are the op's inputs or outputs.

    Raises: InvalidArgumentError if an attr that gives a type or a number is missing or broken.
    """
    types: list[datatypes.DType] = []
    attrs = op._node_attrs()
    for arg in args:
        if not (arg.number_attr or arg.type_list_attr or arg.is_ref):
            value = None if arg.dtype else attrs.get(arg.type_attr)
            dtype = _VALUE_TYPES.get(arg.dtype if value is None else value.type)
            if dtype is not None:
                types.append(dtype)
                continue
        if arg.type_list_attr:
            group = list(op.kernel_attr(arg.type_list_attr))
        else:
            one = datatypes.as_dtype(arg.dtype) if arg.dtype else op.kernel_attr(arg.type_attr)
            group = [one]
            if arg.number_attr:
                number = op.kernel_attr(arg.number_attr)
                if not isinstance(number, int) or not 0 <= number <= 1 << 20:
                    raise errors.InvalidArgumentError(f"attr '{arg.number_attr}' is {number}", node=op.name)
                group *= number
        if not all(isinstance(t, datatypes.DType) for t in group):
            attr = arg.type_list_attr or arg.type_attr
            raise errors.InvalidArgumentError(f"attr '{attr}': expected a type, got {group}", node=op.name)
        types.extend([t._as_ref for t in group] if arg.is_ref else group)
    return types
