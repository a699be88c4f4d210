"""What `with` blocks set for the ops made inside: control inputs, devices, colocation, container, extra attrs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from icefloe.graph.device_spec import DeviceScope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import AttrValue

_MANUAL_CONTROL = AttrValue(b=True)


class ControlDependencies:
    """A `with graph.control_dependencies(...)` block, and the ops made inside it."""

    def __init__(self, graph: Scopes, control_inputs: list[Operation] | None) -> None:
        self._graph = graph
        self._new_stack = control_inputs is None
        self.control_inputs: list[Operation] = control_inputs or []
        self._seen: set[Operation] = set()
        self._old_stack: list[ControlDependencies] = []
        self._old_context: Any = None

    def __enter__(self) -> None:
        graph = self._graph
        if self._new_stack:
            self._old_stack = graph._control_dependencies_stack
            graph._control_dependencies_stack = []
            self._old_context = graph._get_control_flow_context()
            graph._set_control_flow_context(None)
        graph._control_dependencies_stack.append(self)

    def __exit__(self, *exc_info: object) -> None:
        graph = self._graph
        if graph._control_dependencies_stack[-1] is not self:
            raise RuntimeError("Exiting control_dependencies scope without proper scope nesting.")
        graph._control_dependencies_stack.pop()
        if self._new_stack:
            graph._control_dependencies_stack = self._old_stack
            graph._set_control_flow_context(self._old_context)

    def add_op(self, op: Operation) -> None:
        """Note that `op` was made inside."""
        self._seen.add(op)

    def op_in_group(self, op: Operation) -> bool:
        """Whether `op` was made inside."""
        return op in self._seen


class Scopes:
    """The part of a Graph that keeps the scopes ops are made in."""

    _container: str
    _default_original_op: Operation | None
    _control_flow_context: Any
    _control_dependencies_stack: list[ControlDependencies]
    _device_stack: list[DeviceScope]
    _colocation_stack: list[Any]
    _attr_scope_map: dict[str, Any]
    _op_to_kernel_label_map: dict[str, str]
    _gradient_override_map: dict[str, str]

    if TYPE_CHECKING:  # `Edges` has it

        def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any: ...

    def _get_control_flow_context(self) -> Any:
        return self._control_flow_context

    def _set_control_flow_context(self, context: Any) -> None:
        self._control_flow_context = context

    # Control inputs

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> ControlDependencies:
        """Make ops of the block run after `control_inputs` (ops, tensors, variables, names); None leaves all such
        blocks.

        Raises: TypeError, ValueError, KeyError if one is no op or tensor of this graph.
        """
        if control_inputs is None:
            return ControlDependencies(self, None)
        current = {op for block in self._control_dependencies_stack for op in block.control_inputs}
        found = []
        for c in control_inputs:
            if (
                not isinstance(c, (Tensor, Operation, str, bytes))
                and hasattr(c, "op")
                and (hasattr(c, "_handle") or hasattr(c, "indices"))
            ):
                c = c.op
            element = self.as_graph_element(c)
            op = element.op if isinstance(element, Tensor) else element
            if op not in current:
                current.add(op)
                found.append(op)
                op._set_attr("_has_manual_control_dependencies", _MANUAL_CONTROL)
        return ControlDependencies(self, found)

    def _current_control_dependencies(self) -> set[Operation]:
        return {op for block in self._control_dependencies_stack for op in block.control_inputs}

    def _control_dependencies_for_inputs(self, input_ops: Iterable[Operation]) -> list[Operation]:
        """Return the control inputs of an op with these inputs; a block counts not if an input was made inside it."""
        ops = set(input_ops)
        result: list[Operation] = []
        for block in self._control_dependencies_stack:
            if not any(block.op_in_group(op) for op in ops):
                result.extend(c for c in block.control_inputs if c not in ops)
        return result

    def _record_op_seen_by_control_dependencies(self, op: Operation) -> None:
        for block in self._control_dependencies_stack:
            block.add_op(op)

    # Devices and colocation

    @contextlib.contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Give ops of the block a device: a string, a DeviceSpec, a function of the op; None ignores outer blocks."""
        scope = DeviceScope(device_name_or_function)
        self._device_stack.append(scope)
        try:
            yield
        finally:
            if not self._device_stack or self._device_stack[-1] is not scope:
                raise RuntimeError("Exiting device scope without proper scope nesting.")
            self._device_stack.pop()

    def _apply_device_functions(self, op: Operation) -> None:
        for scope in reversed(self._device_stack):
            if scope.is_null_merge:
                continue
            if scope.function is None:
                break
            device = scope.device_for(op)
            if device != op.device:
                op._set_device(device)

    @property
    def _device_functions_outer_to_inner(self) -> list[Any]:
        return [scope.function for scope in self._device_stack]

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Put ops of the block where `op` is (attr `_class`), whatever device blocks are around.

        ignore_existing: leave outer colocation blocks; with it `op` may be None.
        """
        if op is None and not ignore_existing:
            raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
        target = None if op is None else self._colocation_target(op)
        devices, self._device_stack = self._device_stack, []
        stack = self._colocation_stack
        base = [] if ignore_existing else stack
        self._colocation_stack = base if target is None else [*base, target]
        try:
            yield
        finally:
            self._device_stack = devices
            self._colocation_stack = stack

    def _colocation_target(self, value: Any) -> Operation:
        if isinstance(value, Operation):
            return value
        if isinstance(value, Tensor):
            return value.op
        handle = getattr(value, "handle", None)
        if isinstance(handle, Tensor):
            return handle.op
        found = getattr(value, "op", None)
        if isinstance(found, Operation):
            return found
        from icefloe.graph.conversion import convert_to_tensor

        return convert_to_tensor(value, as_ref=True).op

    @contextlib.contextmanager
    def _colocate_with_for_gradient(self, op: Any, gradient_uid: Any, ignore_existing: bool = False) -> Iterator[None]:
        with self.colocate_with(op, ignore_existing):
            context = self._control_flow_context
            if gradient_uid is None or context is None:
                yield
                return
            context.EnterGradientColocation(op, gradient_uid)
            try:
                yield
            finally:
                context.ExitGradientColocation(op, gradient_uid)

    def _apply_colocation(self, op: Operation) -> None:
        groups: set[bytes] = set()
        device = ""
        for target in reversed(self._colocation_stack):
            groups.update(target.colocation_groups())
            device = device or target.device
        if device:
            op._set_device(device)
        op._set_attr("_class", AttrValue(list=AttrValue.ListValue(s=sorted(groups))))

    # Container and attrs

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Keep the state of ops of the block in the resource container of this name."""
        old, self._container = self._container, container_name
        try:
            yield container_name
        finally:
            self._container = old

    @contextlib.contextmanager
    def _original_op(self, op: Operation) -> Iterator[None]:
        old, self._default_original_op = self._default_original_op, op
        try:
            yield
        finally:
            self._default_original_op = old

    @contextlib.contextmanager
    def _attr_scope(self, attr_map: dict[str, Any]) -> Iterator[None]:
        """Add attrs to ops of the block that lack them: AttrValues, functions of the NodeDef; None takes one away."""
        message = "attr_map must be a dictionary mapping strings to AttrValue protocol buffers"
        if not isinstance(attr_map, dict):
            raise TypeError(message)
        old = dict(self._attr_scope_map)
        for name, attr in attr_map.items():
            if not isinstance(name, str) or not (attr is None or callable(attr) or hasattr(attr, "SerializeToString")):
                raise TypeError(f"{message} or callables that emit AttrValue protocol buffers")
            if attr is None:
                self._attr_scope_map.pop(name, None)
            else:
                self._attr_scope_map[name] = attr
        try:
            yield
        finally:
            self._attr_scope_map = old

    @contextlib.contextmanager
    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]) -> Iterator[None]:
        """Choose kernels by label (attr `_kernel`) for ops of the block, by op type."""
        _check_strings(op_to_kernel_label_map, "op_to_kernel_label_map")
        old = self._op_to_kernel_label_map
        self._op_to_kernel_label_map = {**old, **op_to_kernel_label_map}
        try:
            yield
        finally:
            self._op_to_kernel_label_map = old

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Use other gradient rules for ops of the block (attr `_gradient_op_type`), by op type."""
        _check_strings(op_type_map, "op_type_map")
        old = self._gradient_override_map
        self._gradient_override_map = {**old, **op_type_map}
        try:
            yield
        finally:
            self._gradient_override_map = old

    def _apply_scope_attrs(self, op: Operation) -> None:
        for key, value in self._attr_scope_map.items():
            if op.has_attr(key):
                continue
            if callable(value):
                value = value(op.node_def)
                if value is not None and not hasattr(value, "SerializeToString"):
                    raise TypeError(
                        f"Callable for scope map key '{key}' must return either None or an AttrValue protocol buffer; "
                        f"but it returned: {value}"
                    )
            if value is not None:
                op._set_attr(key, value)
        label = self._op_to_kernel_label_map.get(op.type)
        if label is not None:
            op._set_attr("_kernel", AttrValue(s=label.encode()))
        gradient = self._gradient_override_map.get(op.type)
        if gradient is not None:
            op._set_attr("_gradient_op_type", AttrValue(s=gradient.encode()))

    def _apply_container(self, op: Operation) -> None:
        if self._container and op._is_stateful and op.has_attr("container") and not op.get_attr("container"):
            op._set_attr("container", AttrValue(s=self._container.encode()))

    def _apply_scopes(self, op: Operation) -> None:
        """Give a new op what the scopes around it say."""
        if self._attr_scope_map or self._op_to_kernel_label_map or self._gradient_override_map:
            self._apply_scope_attrs(op)
        if self._control_dependencies_stack:
            self._record_op_seen_by_control_dependencies(op)
        if self._device_stack:
            self._apply_device_functions(op)
        if self._colocation_stack:
            self._apply_colocation(op)
        if self._container:
            self._apply_container(op)


def _check_strings(mapping: Any, name: str) -> None:
    if not isinstance(mapping, dict) or not all(isinstance(k, str) and isinstance(v, str) for k, v in mapping.items()):
        raise TypeError(f"{name} must be a dictionary mapping strings to strings")
