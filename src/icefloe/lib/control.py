"""Grouping and ordering of nodes."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import colocate_with, control_dependencies, device, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.constants import is_tensor


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, dict):
        for key in sorted(values):
            yield from _flat(values[key])
    elif isinstance(values, (list, builtins.tuple)):
        for value in values:
            yield from _flat(value)
    elif isinstance(values, (SparseTensor, IndexedSlices)):
        yield from (part for part in (values.indices, values.values, values.dense_shape) if part is not None)
    else:
        yield values


def no_op(name: str | None = None) -> Operation:
    """Return an operation that does nothing, for others to depend on."""
    return apply_op("NoOp", name=name)


def group(*inputs: Any, **kwargs: Any) -> Operation:
    """Return an operation that is done when all `inputs`, operations, tensors or nests of them, are; keyword: name.

    Inputs of several devices are grouped per device first.

    Raises: TypeError if one is none of these; ValueError for another keyword.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    with name_scope(name, "group_deps", inputs) as scope:
        if not inputs:
            return no_op(name=scope)
        by_device: dict[Any, list[Any]] = {}
        for item in _flat(inputs):
            if not hasattr(item, "device"):
                raise TypeError(
                    f"'inputs' should be zero or more (nested) Tensors. Received '{item}' with type '{type(item)}'."
                )
            by_device.setdefault(item.device, []).append(item)
        if len(by_device) == 1:
            ((where, items),) = by_device.items()
            return _done_on(where, items, scope)
        parts = [_done_on(where, by_device[where], None) for where in sorted(by_device, key=lambda d: d or "")]
        with control_dependencies(parts):
            return no_op(name=scope)


def _done_on(where: Any, items: list[Any], name: str | None) -> Operation:
    with control_dependencies(items):
        if not where:
            return no_op(name=name)
        with device(where):
            return no_op(name=name)


def tuple(tensors: Iterable[Any], name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """Return `tensors` such that none is available before all are computed, and `control_inputs` done; None stays None.

    Raises: ValueError if there is no tensor; TypeError if a control input is neither operation nor tensor.
    """
    tensors = list(tensors)
    with name_scope(name, "tuple", tensors):
        kept = [t if t is None or isinstance(t, Operation) or is_tensor(t) else convert_to_tensor(t) for t in tensors]
        gating = [t if isinstance(t, Operation) else t.op for t in kept if t is not None]
        for item in control_inputs or ():
            item = item.op if isinstance(item, Tensor) else item
            if not isinstance(item, Operation):
                raise TypeError(f"'control_inputs' must only contain Operation or Tensor. Received: {type(item)}")
            gating.append(item)
        if not gating:
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
        gate = group(*sorted(set(gating), key=lambda op: op._id))
        results: list[Any] = []
        for t in kept:
            if isinstance(t, Operation):
                with control_dependencies([gate]):
                    results.append(group(t))
            else:
                results.append(None if t is None else with_dependencies([gate], t))
        return results


def with_dependencies(dependencies: Any, output_tensor: Any, name: str | None = None) -> Any:
    """Return `output_tensor`, available only when `dependencies` are done."""
    with (
        name_scope(name, "control_dependency", [*dependencies, output_tensor]) as scope,
        colocate_with(output_tensor),
        control_dependencies(dependencies),
    ):
        if isinstance(output_tensor, IndexedSlices):
            values = same(output_tensor.values, name=scope)
            return IndexedSlices(values, output_tensor.indices, output_tensor.dense_shape)
        return same(convert_to_tensor(output_tensor), name=scope)


def same(tensor: Any, name: str | None = None) -> Tensor:
    """Return `tensor` through an Identity; a reference, or a variable that is one, through a RefIdentity."""
    tensor = convert_to_tensor(tensor, as_ref=True)
    return apply_op("RefIdentity" if tensor.dtype._is_ref_dtype else "Identity", tensor, name=name)


def identity(input: Any, name: str | None = None) -> Any:
    """Return `input`, a tensor, variable, SparseTensor or IndexedSlices, through Identity nodes."""
    if isinstance(input, SparseTensor):
        return SparseTensor(identity(input.indices), identity(input.values), identity(input.dense_shape))
    if isinstance(input, IndexedSlices):
        shape = None if input.dense_shape is None else identity(input.dense_shape)
        values = identity(input.values)
        return IndexedSlices(values, identity(input.indices), shape)
    return apply_op("Identity", input, name=name)


def add_check_numerics_ops() -> Operation:
    """Return an operation that fails where a float tensor of the default graph holds NaN or infinity, in order of
    creation.
    """
    last: list[Tensor] = []
    for op in get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype.name in ("float16", "float32", "float64"):
                if op._control_flow_context is not None:
                    raise ValueError(
                        "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow operations such "
                        "as `tf.cond()` or `tf.while_loop()`."
                    )
                with control_dependencies(last):
                    last = [apply_op("CheckNumerics", output, message=f"{op.name}:{output.value_index}")]
    return group(*last)


def verify_tensor_all_finite(
    t: Any = None, msg: Any = None, name: str | None = None, x: Any = None, message: Any = None
) -> Tensor:
    """Return `x`; running it fails with `message` if it holds NaN or infinity."""
    from icefloe.lib.arguments import renamed

    x = renamed("x", x, "t", t)
    message = renamed("message", message, "msg", msg)
    with name_scope(name, "VerifyFinite", [x]):
        x = convert_to_tensor(x, name="x")
        with colocate_with(x):
            checked = apply_op("CheckNumerics", x, message=message)
            return with_dependencies([checked], x)
