"""How queues and their like are found: by shared name, or each node's own. Registers nothing.

Source: tensorflow/core/framework/resource_op_kernel.h, resource_mgr.cc (ContainerInfo).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.ops.wording import dtype_name
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text

T = TypeVar("T")

# Node names and shared names are apart: no shared name begins so.
_OWN = "\0node "
_NUMBERS = "numbers of resources without a shared name"


def shared_or_own(
    manager: ResourceManager, kind: type[T], container: str, shared_name: str, node: str, make: Callable[[str], T]
) -> T:
    """Return the resource of a node, made if there is none: that of `shared_name`, or where that is empty its own.

    make: makes it of the name that messages call it by, which for a node's own is `_<number>_<node>`.
    """
    if shared_name:
        return manager.lookup_or_create(container, shared_name, kind, lambda: make(shared_name))
    numbers = manager.node_state(_NUMBERS, itertools.count)
    return manager.lookup_or_create(container, _OWN + node, kind, lambda: make(f"_{next(numbers)}_{node}"))


def behind(handle: Any, kind: type[T]) -> T:
    """Return what a handle stands for. Raises: InvalidArgumentError if that is no `kind`."""
    if isinstance(handle, kind):
        return handle
    raise errors.InvalidArgumentError(
        f"Trying to access a handle's resource using the wrong type. The handle points to a {type(handle).__name__}, "
        f"but you are trying to access the resource as type {kind.__name__}"
    )


def check_signature(signature: tuple[tuple[DType, ...], tuple[DType, ...]], inputs: Any, outputs: Any) -> None:
    """Do nothing where an op's dtypes are as its resource wants.

    inputs, outputs: the dtypes wanted, without the handle's.

    Raises: InvalidArgumentError otherwise.
    """
    have_inputs, have_outputs = signature
    handle = have_inputs[0]
    if have_inputs[1:] != tuple(inputs) or have_outputs != tuple(outputs):
        raise errors.InvalidArgumentError(
            f"Signature mismatch, have: {types_text(have_inputs)}->{types_text(have_outputs)} "
            f"expected: {types_text((handle, *inputs))}->{types_text(outputs)}"
        )


def full_shapes(shapes: Iterable[Dims]) -> tuple[Dims, ...]:
    """Return the shapes of components, which must be known; an unknown rank is a scalar's, as in TensorFlow.

    Raises: InvalidArgumentError if a size is not known.
    """
    found = tuple([() if dims is None else dims for dims in shapes])
    for dims in found:
        if None in dims:
            raise errors.InvalidArgumentError(f"Shape {shape_text(dims)} is not fully defined")
    return found


def types_text(dtypes: Iterable[DType]) -> str:
    """Return dtypes as messages list them: `float, string_ref`."""
    return ", ".join([f"{dtype_name(d.base_dtype)}_ref" if d._is_ref_dtype else dtype_name(d) for d in dtypes])


def shapes_text(shapes: Iterable[Dims]) -> str:
    """Return shapes as messages list them: `[[2], []]`."""
    return "[" + ", ".join(map(shape_text, shapes)) + "]"
