"""How the nodes of a graph hang together: names to elements, inputs to outputs, outputs to their consumers.

All of it is worked out when asked for: a graph of 100,000 nodes that was read from a file makes tensors only for the
part that is used.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from icefloe import errors, opdefs
from icefloe.graph.operation import Operation, argument_types
from icefloe.graph.tensor import Tensor
from icefloe.near_names import near_names, question


def split_input(text: str) -> tuple[str, int]:
    """Return (node name, output index) of a NodeDef's data input.

    Raises: InvalidArgumentError if the index is no number.
    """
    name, colon, index = text.partition(":")
    if not colon:
        return name, 0
    if not (index.isascii() and index.isdigit()) or len(index) > 9:
        raise errors.InvalidArgumentError(f"'{text}' is no input name: expected <node> or <node>:<output index>")
    return name, int(index)


def _hint(name: str, known: Collection[str], index: str = "") -> str:
    """Return a sentence that names what was perhaps meant, after a space; empty if nothing is near.

    index: what follows the name of an operation in the name of its tensor.
    """
    asked = question([other + index for other in near_names(name, known, likeness=0.7)])
    return f" {asked}" if asked else ""


class Edges:
    """The part of a Graph that finds operations and tensors."""

    _ops: list[Operation]
    _by_name: dict[str, Operation]
    _consumers: dict[int, dict[int, list[Operation]]]
    _control_consumers: dict[int, list[Operation]]
    _indexed: int
    _used_outputs: dict[str, int] | None
    functions: dict[str, Any]
    _function_signatures: dict[str, opdefs.Signature]
    mutations: int

    # By name or id

    def operation_by_id(self, op_id: int) -> Operation:
        """Return the operation with this `_id`: 0, 1, 2, ... in the order they were made."""
        return self._ops[op_id]

    @property
    def node_count(self) -> int:
        """The number of operations."""
        return len(self._ops)

    @property
    def num_operations(self) -> int:
        """The number of operations."""
        return len(self._ops)

    @property
    def operations(self) -> list[Operation]:
        """All operations in the order they were made."""
        return list(self._ops)

    def get_operations(self) -> list[Operation]:
        """Return all operations in the order they were made."""
        return list(self._ops)

    def get_operation_by_name(self, name: str) -> Operation:
        """Return the operation of this name.

        Raises: TypeError if `name` is no str; ValueError if it names a tensor; KeyError if there is none.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def _get_operation_by_name(self, name: str) -> Operation:
        return self._by_name[name]

    def get_tensor_by_name(self, name: str) -> Tensor:
        """Return the tensor `<op name>:<output index>`.

        Raises: TypeError if `name` is no str; ValueError if it is no tensor name; KeyError if there is none.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """Return the Tensor or Operation that `obj` is or names; objects with `_as_graph_element()` (variables) too.

        Raises: TypeError if it can be neither; ValueError if it is of another graph or kind; KeyError if the name is
        unknown.
        """
        kinds = {
            (True, True): "Tensor or Operation",
            (True, False): "Tensor",
            (False, True): "Operation",
        }.get((bool(allow_tensor), bool(allow_operation)))
        if kinds is None:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None and not isinstance(obj, (Tensor, Operation)):
            obj = convert()
        if isinstance(obj, (str, bytes)):
            name = obj if isinstance(obj, str) else obj.decode()
            return self._element_by_name(name, allow_tensor, allow_operation, kinds)
        for cls, allowed in ((Tensor, allow_tensor), (Operation, allow_operation)):
            if isinstance(obj, cls) and allowed:
                if obj.graph is not self:
                    raise ValueError(f"{cls.__name__} {obj} is not an element of this graph.")
                return obj
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool, kinds: str) -> Any:
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {kinds}.")
            return self._tensor_by_name(name)
        op = self._by_name.get(name)
        if allow_operation:
            if op is None:
                raise KeyError(
                    f"The name {name!r} refers to an Operation not in the graph.{_hint(name, self._by_name)}"
                )
            return op
        what = "refers to an Operation" if op is not None else "looks like an (invalid) Operation name"
        if op is None:
            hint = _hint(name, self._by_name, ":0")
        else:
            hint = f" Did you mean '{name}:0'?" if op.outputs else ""
        raise ValueError(
            f'The name {name!r} {what}, not a {kinds}. Tensor names must be of the form "<op_name>:<output_index>".'
            + hint
        )

    def _tensor_by_name(self, name: str) -> Tensor:
        try:
            op_name, number = name.split(":")
            index = int(number)
        except ValueError:
            raise ValueError(
                f"The name {name!r} looks a like a Tensor name, but is not a valid one. "
                'Tensor names must be of the form "<op_name>:<output_index>".'
            ) from None
        op = self._by_name.get(op_name)
        if op is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. "
                f"The operation, {op_name!r}, does not exist in the graph." + _hint(op_name, self._by_name, f":{index}")
            )
        outputs = op.outputs
        if not -len(outputs) <= index < len(outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. "
                f"The operation, {op_name!r}, exists but only has {len(outputs)} outputs."
            )
        return outputs[index]

    # Signatures, inputs, outputs

    def _find_signature(self, op_type: str) -> opdefs.Signature | None:
        found = self._function_signatures.get(op_type)
        if found is not None:
            return found
        if opdefs.find(op_type) is not None:
            return opdefs.signature(op_type)
        function = self.functions.get(op_type)
        if function is None:
            return None
        found = self._function_signatures[op_type] = opdefs.signature_of(function.signature)
        return found

    def _make_outputs(self, op: Operation) -> list[Tensor]:
        signature = op.signature
        if signature is not None:
            return [Tensor(op, i, dtype) for i, dtype in enumerate(argument_types(op, signature.outputs))]
        if self._used_outputs is None:
            self._used_outputs = self._highest_used_outputs()
        return [Tensor(op, i, None) for i in range(self._used_outputs.get(op.name, -1) + 1)]

    def _highest_used_outputs(self) -> dict[str, int]:
        highest: dict[str, int] = {}
        for op in self._ops:
            for text in op._input_names:
                if not text.startswith("^"):
                    name, index = split_input(text)
                    if index >= highest.get(name, 0) and index < 1 << 16:
                        highest[name] = index
        return highest

    def _resolve_inputs(self, op: Operation) -> tuple[Tensor, ...]:
        """Return the input tensors of a node read from a file."""
        found = []
        by_name = self._by_name
        for text in op._input_names:
            if text.startswith("^"):
                continue
            name, index = split_input(text)
            source = by_name[name]
            outputs = source.outputs
            if index >= len(outputs):
                raise errors.InvalidArgumentError(
                    f"Node '{op.name}': Connecting to invalid output {index} of source node {name} "
                    f"which has {len(outputs)} outputs"
                )
            found.append(outputs[index])
        return tuple(found)

    # Consumers

    def _mutated(self) -> None:
        """Note that an existing node was changed: what was derived from edges is stale, and so are plans."""
        self.mutations += 1
        self._forget_consumers()

    def _forget_consumers(self) -> None:
        self._indexed = 0
        self._consumers = {}
        self._control_consumers = {}

    def _index_consumers(self) -> None:
        """Take the nodes made since the last time into the maps from output to consumers."""
        for op in self._ops[self._indexed :]:
            for tensor in op.inputs:
                self._consumers.setdefault(tensor.op._id, {}).setdefault(tensor.value_index, []).append(op)
            for source in op.control_inputs:
                self._control_consumers.setdefault(source._id, []).append(op)
        self._indexed = len(self._ops)

    def _consumers_of(self, tensor: Tensor) -> list[Operation]:
        if self._indexed < len(self._ops):
            self._index_consumers()
        return list(self._consumers.get(tensor.op._id, {}).get(tensor.value_index, ()))

    def _control_consumers_of(self, op: Operation) -> list[Operation]:
        if self._indexed < len(self._ops):
            self._index_consumers()
        return list(self._control_consumers.get(op._id, ()))
