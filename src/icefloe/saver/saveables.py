"""What a Saver saves: for each name in the checkpoint, the tensors to write and how to assign what was read.

A `SaveableObject` holds `SaveSpec`s, one per tensor, and adds the nodes that restore it. Variables become one each,
with the tensors that TensorFlow takes:

    reference variable `a`          a (the reference itself)
    part of one                     its read node, `a/part_0/read`, with the slice spec `6 2 0,2:0,2`
    resource variable `b`           the read node it was made with, `b/Read/ReadVariableOp`
    part of one                     a read of its own: DisableCopyOnRead, ReadVariableOp, Identity, Identity on CPU 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from icefloe.graph import build, conversion
from icefloe.graph.graph import get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.lib.saveable import SaveableObject as SaveableObject
from icefloe.lib.saveable import SaveSpec as SaveSpec
from icefloe.lib.variable import Variable
from icefloe.lib.variable_partitioned import PartitionedVariable

# Under which an object that gathers its own saveables gives its main value.
VALUE_ATTRIBUTE = "VARIABLE_VALUE"

_REF_VARIABLE_OPS = frozenset(("Variable", "VariableV2", "AutoReloadVariable"))
_VARIABLE_OPS = _REF_VARIABLE_OPS | {"VarHandleOp", "ReadVariableOp"}


class ReferenceVariableSaveable(SaveableObject):
    """A reference variable, or a part of one."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        super().__init__(var, [SaveSpec(var, slice_spec, name, dtype=var.dtype)], name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: list[Any] | None) -> Any:
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = build.apply_op("Reshape", value, restored_shapes[0])
        ref = conversion.convert_to_tensor(self.op, as_ref=True)
        validate = restored_shapes is None and ref.shape.is_fully_defined()
        return build.apply_op("Assign", ref, value, validate_shape=validate)


class ResourceVariableSaveable(SaveableObject):
    """A resource variable, a part of one, or a read of one."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        self._device = var.device
        self._shape = var.shape
        if isinstance(var, Tensor):
            self.handle_op = var.op.inputs[0]
            tensor: Any = var
        else:
            self.handle_op = var.handle
            tensor = self._reader(var)
        super().__init__(var, [SaveSpec(tensor, slice_spec, name, dtype=var.dtype, device=var.device)], name)

    @staticmethod
    def _reader(var: Any) -> Callable[[], Tensor]:
        def read() -> Tensor:
            graph = get_default_graph()
            with graph.device(var.device):
                with graph.name_scope("Read"):
                    build.apply_op("DisableCopyOnRead", var.handle)
                    value = build.apply_op("ReadVariableOp", var.handle, dtype=var.dtype)
                value = build.apply_op("Identity", value)
                with graph.device("/device:CPU:0"):
                    return build.apply_op("Identity", value)

        return read

    def restore(self, restored_tensors: list[Tensor], restored_shapes: list[Any] | None) -> Any:
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = build.apply_op("Reshape", value, restored_shapes[0])
        with get_default_graph().device(self._device):
            value = build.apply_op("Identity", value)
            if not self._shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"Received incompatible tensor with shape {value.shape} when attempting to restore variable with "
                    f"shape {self._shape} and name {self.name}."
                )
            return build.apply_op("AssignVariableOp", self.handle_op, value)


def _element(variable: Any) -> Any:
    """Return the tensor that stands for a whole variable: the reference, or the read node of a resource variable.

    Raises: TypeError if it is no variable.
    """
    if isinstance(variable, Variable) and variable.op.type == "VarHandleOp":
        return variable._as_graph_element()
    tensor = conversion.convert_to_tensor(variable, as_ref=True)
    if tensor.op.type not in _VARIABLE_OPS:
        raise TypeError(
            f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {tensor}"
        )
    return tensor


def _saveable(value: Any, spec: str, name: str) -> SaveableObject:
    if value.op.type in _REF_VARIABLE_OPS:
        return ReferenceVariableSaveable(value, spec, name)
    return ResourceVariableSaveable(value, spec, name)


def saveable_objects_for_op(op: Any, name: Any) -> Iterator[SaveableObject]:
    """Yield the SaveableObjects that save `op` as `name`: a variable, its tensor, a list of its parts, or a
    SaveableObject.

    Raises: TypeError if `name` is no string or `op` cannot be saved; ValueError if parts are not of one variable.
    """
    if not isinstance(name, str):
        raise TypeError(
            "names_to_saveables must be a dict mapping string names to trackable operations. "
            f"Name is not a string: {name}"
        )
    if isinstance(op, SaveableObject):
        yield op
    elif isinstance(op, (list, tuple, PartitionedVariable)):
        whole = None
        for part in op:
            if isinstance(part, SaveableObject):
                yield part
                continue
            if not isinstance(part, Variable):
                raise ValueError(f"Slices must all be Variables: {part}")  # noqa: TRY004 (so TensorFlow)
            info = part._save_slice_info
            if not info:
                raise ValueError(f"Slices must all be slices: {part}")
            if whole is None:
                whole = info.full_name
            elif whole != info.full_name:
                raise ValueError(f"Slices must all be from the same tensor: {whole} != {info.full_name}")
            yield _saveable(part, info.spec, name)
    elif hasattr(op, "_gather_saveables_for_checkpoint"):
        for attribute, made in op._gather_saveables_for_checkpoint().items():
            full_name = name if attribute == VALUE_ATTRIBUTE else f"{name}_{attribute}"
            made = made(full_name) if callable(made) else made
            yield from saveable_objects_for_op(made, getattr(made, "name", full_name))
    else:
        yield _saveable(_element(op), "", name)


def _flatten(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple, set)):
            yield from _flatten(value)
        else:
            yield value


def op_list_to_dict(op_list: Any) -> dict[str, Any]:
    """Return what is to be saved by its name in the checkpoint; the parts of a variable are a list under its full name.

    Raises: TypeError if `op_list` is no list or holds what is no variable; ValueError if two have one name.
    """
    if not isinstance(op_list, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {op_list}")
    out: dict[str, Any] = {}
    variables = list(_flatten(op_list))
    for var in variables:
        if not hasattr(var, "name"):
            raise TypeError(f"Variable to save is not a Variable: {var!r}")
    for var in sorted(variables, key=lambda v: v.name):
        if isinstance(var, SaveableObject):
            out[var.name] = var
        elif isinstance(var, PartitionedVariable):
            if var.name in out:
                raise ValueError(f"At least two variables have the same name: {var.name}")
            out[var.name] = var
        elif isinstance(var, Variable) and var._save_slice_info:
            name = var._save_slice_info.full_name or ""
            if not isinstance(out.setdefault(name, []), list):
                raise ValueError(f"Mixing slices and non-slices with the same name: {name}")  # noqa: TRY004 (so TensorFlow)
            out[name].append(var)
        elif not isinstance(var, Variable) and hasattr(var, "_gather_saveables_for_checkpoint"):
            made = var._gather_saveables_for_checkpoint().values()
            out.update(op_list_to_dict([m() if callable(m) else m for m in made]))
        else:
            element = _element(var)
            name = element.op.inputs[0].op.name if element.op.type == "ReadVariableOp" else element.op.name
            if name in out:
                raise ValueError(f"At least two variables have the same name: {name}")
            out[name] = element
    return out


def validate_and_slice_inputs(names_to_saveables: Mapping[str, Any]) -> list[SaveableObject]:
    """Return the SaveableObjects of a dict of names, sorted by name.

    Raises: ValueError if one object is to be saved under two names; TypeError as `saveable_objects_for_op`.
    """
    saveables: list[SaveableObject] = []
    seen: set[int] = set()  # ids: tensors and variables compare by value
    for name, op in sorted(names_to_saveables.items(), key=lambda pair: pair[0]):
        for saveable in saveable_objects_for_op(op, name):
            if saveable.op is not None:
                if id(saveable.op) in seen:
                    raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
                seen.add(id(saveable.op))
            saveables.append(saveable)
    return saveables
