"""Variables of both kinds: made, read, assigned, counted up, destroyed.

A reference variable's output is its cell, and ops that assign return the cell. A resource variable's handle is the cell
too, but `ReadVariableOp` gives the array it holds at that moment.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, unchanged, with_rank
from icefloe.ops.state.existence import existing
from icefloe.ops.state.shapes import handle_shape, merged
from icefloe.ops.wording import dtype_name
from icefloe.resources import DEFAULT_CONTAINER, ResourceManager, ResourceVariable, Variable
from icefloe.shapes import Dims, shape_text

# A VarHandleOp with this shared name makes a variable that no other handle refers to.
ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"


@kernel("VariableV2", "Variable", returns="stored")
def variable_v2(
    *, shape: Dims, dtype: DType, container: str, shared_name: str, manager: ResourceManager, node: str
) -> Variable:
    """The cell of a reference variable. Of an unknown rank it starts as a scalar, as TensorFlow has it."""
    if shape is not None and None in shape:
        raise errors.InvalidArgumentError(f"Shape {shape_text(shape)} is not fully defined")
    home = container or DEFAULT_CONTAINER
    return manager.lookup_or_create(
        home, shared_name or node, Variable, lambda: Variable(dtype, shape or (), node, home)
    )


@shape("VariableV2")
def variable_v2_shape(c: ShapeContext) -> list[Dims]:
    return [c.attr("shape")]


@shape("Variable")
def variable_v1_shape(c: ShapeContext) -> list[Dims]:
    # The first version of the op had no way to say that the shape is unknown, so a scalar's may be any.
    return [c.attr("shape") or None]


@kernel("TemporaryVariable")
def temporary_variable(*, shape: Dims, dtype: DType, var_name: str, node: str) -> Variable:
    """A new cell in each run, with a value from the start: TensorFlow's is whatever the memory held, here zeros."""
    if shape is None or None in shape:
        raise errors.InvalidArgumentError(f"Shape {shape_text(shape)} is not fully defined")
    cell = Variable(dtype, shape, var_name or node, "")
    cell.assign(np.zeros([n for n in shape if n is not None], dtype.numpy), fresh=True)
    return cell


@shape("TemporaryVariable")
def temporary_variable_shape(c: ShapeContext) -> list[Dims]:
    return [c.attr("shape")]


@kernel("DestroyTemporaryVariable", takes_refs=True)
def destroy_temporary_variable(cell: Variable, *, var_name: str) -> Any:
    """Return the value of a temporary variable, which has none afterwards."""
    if cell.name != var_name:
        raise errors.NotFoundError(f"Resource {var_name} of this run does not exist: the variable is {cell.name!r}")
    value = cell.read()
    cell.clear()
    return value


shape("DestroyTemporaryVariable")(unchanged)


@kernel("IsVariableInitialized", takes_refs=True)
def is_variable_initialized(cell: Variable) -> np.bool_:
    return np.bool_(cell.initialized)


shape("IsVariableInitialized", "VarIsInitializedOp")(scalar)


@kernel("VarHandleOp", returns="stored")
def var_handle(
    *, shape: Dims, dtype: DType, container: str, shared_name: str, manager: ResourceManager, node: str
) -> ResourceVariable:
    """The cell of a resource variable; it exists, in the words of other ops, once it has a value."""
    name = shared_name or node
    home = container or DEFAULT_CONTAINER
    if shared_name == ANONYMOUS:
        return ResourceVariable(dtype, shape, node, home)
    return manager.lookup_or_create(home, name, ResourceVariable, lambda: ResourceVariable(dtype, shape, name, home))


@shape("VarHandleOp")
def var_handle_shape(c: ShapeContext) -> list[Dims]:
    c.set_handle(0, c.attr("dtype"), c.attr("shape"))
    return [()]


@kernel("_VarHandlesOp", returns="stored")
def var_handles(
    *,
    shapes: tuple[Dims, ...],
    dtypes: tuple[DType, ...],
    containers: tuple[str, ...],
    shared_names: tuple[str, ...],
    manager: ResourceManager,
    node: str,
) -> tuple[ResourceVariable, ...]:
    return tuple(
        [
            var_handle(shape=s, dtype=d, container=c, shared_name=n, manager=manager, node=node)
            for s, d, c, n in zip(shapes, dtypes, containers, shared_names)
        ]
    )


@shape("_VarHandlesOp")
def var_handles_shape(c: ShapeContext) -> list[Dims]:
    for i, (dtype, dims) in enumerate(zip(c.attr("dtypes"), c.attr("shapes"))):
        c.set_handle(i, dtype, dims)
    return [()] * c.num_outputs


def _check_dtype(cell: Variable, dtype: DType, verb: str) -> None:
    if cell.dtype != dtype:
        expected, got = (cell.dtype, dtype) if verb == "assign" else (dtype, cell.dtype)
        raise errors.InvalidArgumentError(
            f"Trying to {verb} variable with wrong dtype. Expected {dtype_name(expected)} got {dtype_name(got)}"
        )


@kernel("ReadVariableOp", returns="stored")
def read_variable(cell: ResourceVariable, *, dtype: DType) -> Any:
    value = cell.read()
    if cell.dtype != dtype:
        _check_dtype(cell, dtype, "read")
    return value


@shape("ReadVariableOp")
def read_variable_shape(c: ShapeContext) -> list[Dims]:
    return [handle_shape(c, 0, "dtype")]


@kernel("_ReadVariablesOp", returns="stored")
def read_variables(cells: tuple[ResourceVariable, ...], *, dtypes: tuple[DType, ...]) -> tuple[Any, ...]:
    return tuple([read_variable(cell, dtype=dtype) for cell, dtype in zip(cells, dtypes)])


@shape("_ReadVariablesOp")
def read_variables_shape(c: ShapeContext) -> list[Dims]:
    return [handle_shape(c, i) for i in range(c.num_inputs)]


@kernel("VarIsInitializedOp")
def var_is_initialized(cell: ResourceVariable) -> np.bool_:
    return np.bool_(cell.initialized)


@kernel("VariableShape")
def variable_shape_of(cell: ResourceVariable, *, out_type: DType) -> Any:
    return np.array(existing(cell).shape, out_type.numpy)


@shape("VariableShape")
def variable_shape_shape(c: ShapeContext) -> list[Dims]:
    dims = handle_shape(c, 0)
    return [(None if dims is None else len(dims),)]


@kernel("DestroyResourceOp")
def destroy_resource(resource: Any, *, ignore_lookup_error: bool, manager: ResourceManager) -> tuple[()]:
    """Empty a variable; other resources are deleted from the session."""
    if isinstance(resource, ResourceVariable):
        if not resource.initialized and not ignore_lookup_error:
            raise resource.missing()
        resource.clear()
    elif not manager.forget(resource) and not ignore_lookup_error:
        raise errors.NotFoundError("Resource does not exist.")
    return ()


@kernel("DisableCopyOnRead")
def disable_copy_on_read(cell: ResourceVariable) -> tuple[()]:
    """Do nothing: reading never copies here."""
    return ()


@kernel("Assign", takes_refs=True, returns="stored")
def assign(cell: Variable, value: Any, *, validate_shape: bool, fresh: tuple[bool, ...]) -> Variable:
    cell.assign(value, fresh[1], validate_shape)
    return cell


@shape("Assign")
def assign_shape(c: ShapeContext) -> list[Dims]:
    if c.attr("validate_shape"):
        return [merged(c.shape(0), c.shape(1))]
    return [c.shape(1)]


@kernel("AssignAdd", takes_refs=True, returns="stored")
def assign_add(cell: Variable, value: Any) -> Variable:
    cell.update(lambda array: _combine(np.add, array, value))
    return cell


@kernel("AssignSub", takes_refs=True, returns="stored")
def assign_sub(cell: Variable, value: Any) -> Variable:
    cell.update(lambda array: _combine(np.subtract, array, value))
    return cell


@shape("AssignAdd", "AssignSub")
def assign_update_shape(c: ShapeContext) -> list[Dims]:
    return [merged(c.shape(0), c.shape(1))]


def _combine(ufunc: Any, array: Any, value: Any) -> None:
    if array.shape != value.shape:
        raise errors.InvalidArgumentError(
            f"Parameters and update must be the same size: {shape_text(array.shape)} and {shape_text(value.shape)}"
        )
    ufunc(array, value, out=array)


@kernel("AssignVariableOp")
def assign_variable(
    cell: ResourceVariable, value: Any, *, dtype: DType, validate_shape: bool, fresh: tuple[bool, ...]
) -> tuple[()]:
    if cell.dtype != dtype:
        cell.declare(dtype)
        _check_dtype(cell, dtype, "assign")
    declared = cell.shape
    if validate_shape and declared is not None:
        got = value.shape
        if len(got) != len(declared) or any(n not in (None, m) for n, m in zip(declared, got)):
            raise errors.InvalidArgumentError(
                "Trying to assign to variable with tensor with wrong shape. "
                f"Expected {shape_text(declared)} got {shape_text(got)}"
            )
    cell.assign(value, fresh[1], validate_shape=False)
    return ()


@shape("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
def assign_variable_shape(c: ShapeContext) -> list[Dims]:
    merged(handle_shape(c, 0, "dtype"), c.shape(1))
    return []


@kernel("AssignAddVariableOp")
def assign_add_variable(cell: ResourceVariable, value: Any) -> tuple[()]:
    _update_resource(np.add, cell, value)
    return ()


@kernel("AssignSubVariableOp")
def assign_sub_variable(cell: ResourceVariable, value: Any) -> tuple[()]:
    _update_resource(np.subtract, cell, value)
    return ()


def _update_resource(ufunc: Any, cell: ResourceVariable, value: Any) -> None:
    def combine(array: Any) -> None:
        if array.shape != value.shape:
            raise errors.InvalidArgumentError(
                f"Cannot update variable with shape {shape_text(array.shape)} using a Tensor with shape "
                f"{shape_text(value.shape)}, shapes must be equal."
            )
        ufunc(array, value, out=array)

    existing(cell)
    cell.update(combine)


@kernel("CountUpTo", takes_refs=True)
def count_up_to(cell: Variable, *, limit: int) -> Any:
    return _count(cell, limit)


@kernel("ResourceCountUpTo")
def resource_count_up_to(cell: ResourceVariable, *, limit: int) -> Any:
    existing(cell)
    return _count(cell, limit)


def _count(cell: Variable, limit: int) -> Any:
    """Return the value before it is raised by 1. Raises: OutOfRangeError where it has reached `limit`."""
    before: list[Any] = []

    def step(array: Any) -> None:
        if array.ndim:
            raise errors.InvalidArgumentError(f"input is not a scalar: {shape_text(array.shape)}")
        if array >= limit:
            raise errors.OutOfRangeError(f"Reached limit of {limit}")
        before.append(array[()])
        array += 1

    cell.update(step)
    return before[0]


@shape("CountUpTo")
def count_up_to_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return [()]


@shape("ResourceCountUpTo")
def resource_count_up_to_shape(c: ShapeContext) -> list[Dims]:
    with_rank(handle_shape(c, 0, "T"), 0)
    return [()]
