"""Calling Python functions to build the bodies of functions that conditionals, loops and cases call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from icefloe.graph import func_graph
from icefloe.graph.attributes import encode
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.func_graph import FuncGraph
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.shape_inference import handle_data
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec
from icefloe.lib import automatic_control
from icefloe.lib.automatic_control import READ_ONLY, reads_resource_only
from icefloe.lib.control_flow_values import (
    flat_tensors,
    is_tensor_array,
    pack_tensors,
    to_tensor_or_composite,
    variables_to_tensors,
)
from icefloe.lib.nest import flatten, is_nested, map_structure
from icefloe.lib.variable_scope import get_variable_scope
from icefloe.proto import AttrValue
from icefloe.shapes import TensorShape


def trace(
    graph: FuncGraph, function: Callable[..., Any], signature: Sequence[Any] = (), op_result: Tensor | None = None
) -> FuncGraph:
    """Fill `graph` with what `function` builds, and return it.

    signature: nests of TypeSpecs; `function` gets Placeholders that fit them. op_result: the tensor to return in place
    of an operation that `function` returns.

    Raises: TypeError if it returns what is no tensor.
    """
    with graph.as_default():
        scope = get_variable_scope()
        use_resource = scope.use_resource
        # In a function a variable is a resource; a reference could not be passed to it.
        scope.set_use_resource(True)
        try:
            arguments = _arguments(signature)
            flat = [tensor for argument in arguments for tensor in flat_tensors(argument)]
            graph.inputs = list(flat)

            def converted(value: Any) -> Any:
                result = _converted(value, function, op_result)
                # A node of its own can wait for the ops that must have run.
                return apply_op("Identity", result) if graph.orders_effects and isinstance(result, Tensor) else result

            returned = variables_to_tensors(function(*arguments))
            returned = map_structure(converted, returned, expand_composites=True)
        finally:
            scope.set_use_resource(use_resource)  # type: ignore[arg-type]
        graph.inputs = flat + graph.internal_captures
        graph.structured_outputs = returned
        graph.outputs.extend(graph.capture(tensor) for tensor in flat_tensors(returned) if tensor is not None)
        if graph.orders_effects:
            graph.control_outputs = automatic_control.order(graph.get_operations(), graph.outputs)
    return graph


def _arguments(signature: Sequence[Any]) -> list[Any]:
    """Return values of Placeholders that fit a nest of specs; those of a dict are made in the order of its keys."""
    made: dict[int, list[Any]] = {}
    for spec in _specs_in_order(signature):
        value = spec.from_tensors([_placeholder(part) for part in spec.flatten()])
        made.setdefault(id(spec), []).append(value)
    found: list[Any] = map_structure(lambda spec: made[id(spec)].pop(0), list(signature))
    return found


def _specs_in_order(signature: Any) -> Iterator[TypeSpec]:
    if isinstance(signature, Mapping):
        for item in signature.values():
            yield from _specs_in_order(item)
    elif is_nested(signature):
        for item in signature:
            yield from _specs_in_order(item)
    else:
        yield signature


def _placeholder(spec: TensorSpec) -> Tensor:
    tensor = func_graph.placeholder(get_default_graph(), spec.dtype, spec.shape._dims, spec.name)
    if spec.name is not None:
        tensor.op._set_attr("_user_specified_name", AttrValue(s=spec.name.encode()))
    return tensor


def _converted(value: Any, function: Callable[..., Any], op_result: Tensor | None) -> Any:
    if value is None:
        return None
    if op_result is not None and isinstance(value, Operation):
        with control_dependencies([value]):
            return apply_op("Identity", op_result)
    if is_tensor_array(value):
        return value
    return as_result(value, function)


def as_result(value: Any, function: Callable[..., Any]) -> Any:
    """Return what a function returned as a tensor or composite. Raises: TypeError if it is neither."""
    try:
        if isinstance(value, Operation):
            raise TypeError(value.name)
        return to_tensor_or_composite(value)
    except (ValueError, TypeError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
            f"None values; in compilation of {function}, found return value of type {type(value).__name__}, which is "
            "not a Tensor or ExtensionType."
        ) from None


def pack_results(structure: Any, tensors: Iterable[Tensor]) -> Any:
    """Return a structure like what a function returned, of these tensors; None stays where it was."""
    rest = iter(tensors)
    items = [None if item is None else next(rest) for item in flatten(structure, expand_composites=True)]
    return pack_tensors(structure, items)


# What ops that call functions have in common


def set_read_only_inputs(op: Operation, bodies: Sequence[FuncGraph], offset: int) -> None:
    """Note on `op` which resources none of the functions it calls changes; `offset` inputs of it are not passed on."""
    read_only = [
        i + offset for i in range(len(op.inputs) - offset) if all(_is_only_read(body.inputs[i]) for body in bodies)
    ]
    op._set_attr(READ_ONLY, encode(read_only, "list(int)", READ_ONLY))


def _is_only_read(tensor: Tensor) -> bool:
    return tensor.dtype.name == "resource" and all(reads_resource_only(op, tensor) for op in tensor.consumers())


def set_lowering(op: Operation, lower: bool = True) -> None:
    """Note on `op` whether it may be run as Switch, Merge and loop nodes, so that only what is asked for runs."""
    op._set_attr("_lower_using_switch_merge", encode(lower, "bool", "_lower_using_switch_merge"))


def merge_handles(sources: Sequence[Sequence[Tensor]], targets: Sequence[Tensor]) -> None:
    """Tell what lies behind each of `targets` what is known of it of all tensors at its place in `sources`."""
    for target, *group in zip(targets, *sources):
        known = [handle_data(tensor) for tensor in group]
        if all(data is not None and len(data) == 1 for data in known):
            (dtype, dims), *others = [data[0] for data in known if data is not None]
            shape = TensorShape(dims)
            for other_dtype, other_dims in others:
                if other_dtype != dtype:
                    break
                shape = shape.most_specific_compatible_shape(TensorShape(other_dims))
            else:
                target._handle_data = ((dtype, shape._dims),)


def copy_handles(sources: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
    """Tell what lies behind resources and variants of `targets` as it is known of `sources`."""
    for source, target in zip(sources, targets):
        data = handle_data(source)
        if data:
            target._static_dims()
            target._handle_data = data
