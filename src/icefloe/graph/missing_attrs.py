"""Attrs that a node of a file lacks and its inputs tell: dtypes, numbers of inputs, the dtype of a constant.

Other programs write such nodes; TensorFlow refuses them. The node keeps its bytes.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from icefloe import errors, opdefs
from icefloe.proto import AttrValue

if TYPE_CHECKING:
    from icefloe.graph.operation import Operation

_THREAD = threading.local()  # `busy`: nodes whose inputs are being asked, so that a loop ends


def told_by_inputs(op: Operation, name: str) -> AttrValue | None:
    """Return attr `name` of a node as its inputs, or the value of a constant, tell it; None if they do not."""
    signature = op.signature
    if signature is None or name not in signature.attrs or signature.attrs[name].default is not None:
        return None
    if op.type == "Const" and name == "dtype":
        value = op._node_attrs().get("value")
        return AttrValue(type=value.tensor.dtype) if value is not None and value.tensor.dtype else None
    count = sum(not text.startswith("^") for text in op._input_names)
    at = 0
    for arg in signature.inputs:
        size = _size(op, signature, arg, count)
        if size is None or at + size > count:
            return None
        if arg.number_attr == name:
            return AttrValue(i=size)
        if name in (arg.type_attr, arg.type_list_attr) and size:
            types = _dtypes(op, at, size if arg.type_list_attr else 1)
            if types is None:
                return None
            return AttrValue(list=AttrValue.ListValue(type=types)) if arg.type_list_attr else AttrValue(type=types[0])
        at += size
    return None


def _size(op: Operation, signature: opdefs.Signature, arg: opdefs.Arg, count: int) -> int | None:
    """Return how many inputs an argument has; of the only list that is not told, those that are left."""
    known = _told_size(op, signature, arg)
    if known is not None:
        return known
    others = [_told_size(op, signature, other) for other in signature.inputs if other is not arg]
    return None if None in others else count - sum(n for n in others if n is not None)


def _told_size(op: Operation, signature: opdefs.Signature, arg: opdefs.Arg) -> int | None:
    if not arg.is_list:
        return 1
    name = arg.number_attr or arg.type_list_attr
    value = op._node_attrs().get(name)
    if value is None or value.WhichOneof("value") is None:
        value = signature.attrs[name].default
    if value is None:
        return None
    return value.i if arg.number_attr else len(value.list.type)


def _dtypes(op: Operation, first: int, count: int) -> list[int] | None:
    """Return the DataType numbers of inputs `first`, ...; what gives them is looked at before, not by recursion."""
    busy: set[Operation] = _THREAD.__dict__.setdefault("busy", set())
    if op in busy:
        return None
    busy.add(op)
    try:
        return _dtypes_of_givers(op, first, count, set(busy))
    finally:
        busy.discard(op)


def _dtypes_of_givers(op: Operation, first: int, count: int, seen: set[Operation]) -> list[int] | None:
    stack = [op]
    while stack:
        above = _unknown_givers(stack[-1], seen)
        if above:
            seen.update(above)
            stack += above
            continue
        node = stack.pop()
        if node is not op:
            try:
                node.outputs  # noqa: B018 (it works them out)
            except errors.OpError:
                return None
    try:
        tensors = op.inputs[first : first + count]
    except errors.OpError:
        return None
    dtypes = [tensor.dtype for tensor in tensors if tensor.dtype is not None]  # None: of an op that nobody knows
    return [dtype.base_dtype.as_datatype_enum for dtype in dtypes] if len(dtypes) == count else None


def _unknown_givers(op: Operation, seen: set[Operation]) -> list[Operation]:
    """Return the nodes that give inputs of a node and whose outputs are not worked out yet."""
    by_name = op.graph._by_name
    names = [text.partition(":")[0] for text in op._input_names if not text.startswith("^")]
    givers = [by_name[name] for name in names if name in by_name]
    return [giver for giver in dict.fromkeys(givers) if giver._outputs is None and giver not in seen]
