"""Values that are known without running the graph.

`constant_value` is TensorFlow's `get_static_value`: it sees through the ops that TensorFlow's Python sees through.
`known_value` and `known_shape` serve shape rules. All of them walk the graph by a list, and give up after `MAX_NODES`
nodes.

Source: tensorflow/python/framework/tensor_util.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from icefloe import errors, shapes
from icefloe.graph import registry

if TYPE_CHECKING:
    from icefloe.graph.tensor import Tensor

MAX_NODES = 1000
# Bytes of a value that an op other than Const may have here.
MAX_BYTES = 64 << 20

Inputs = list[Any]


def _axis(value: Any) -> int:
    return int(np.asarray(value).reshape(()))


def _static_size(tensor: Tensor, dtype: Any) -> Any:
    count = shapes.TensorShape(tensor._static_dims()).num_elements()
    return None if count is None else np.array(count, dtype)


def _shape(t: Tensor, values: Inputs) -> Any:
    dims = t.op.inputs[0]._static_dims()
    return None if dims is None or None in dims else np.array(dims, t.dtype.base_dtype.numpy).reshape(len(dims))


def _size(t: Tensor, values: Inputs) -> Any:
    return _static_size(t.op.inputs[0], t.dtype.base_dtype.numpy)


def _rank(t: Tensor, values: Inputs) -> Any:
    dims = t.op.inputs[0]._static_dims()
    return None if dims is None else np.array(len(dims), np.int32)


def _range(t: Tensor, values: Inputs) -> Any:
    start, limit, delta = (np.asarray(v).reshape(()).item() for v in values)
    if delta == 0 or abs((float(limit) - float(start)) / float(delta)) * 8 > MAX_BYTES:
        return None
    return np.arange(start, limit, delta, dtype=t.dtype.base_dtype.numpy)


def _cast(t: Tensor, values: Inputs) -> Any:
    return values[0].astype(t.dtype.base_dtype.numpy)


def _concat(t: Tensor, values: Inputs) -> Any:
    return np.concatenate(values[1:], axis=_axis(values[0]))


def _concat_v2(t: Tensor, values: Inputs) -> Any:
    return np.concatenate(values[:-1], axis=_axis(values[-1]))


def _pack(t: Tensor, values: Inputs) -> Any:
    if not values or t.op.kernel_attr("axis") != 0:
        return None
    if any(v is None for v in values):
        result = np.empty(len(values), object)
        result[:] = [None if v is None else v[()] for v in values]
        return result
    return np.stack(values)


def _unpack(t: Tensor, values: Inputs) -> Any:
    element = None if t.op.kernel_attr("axis") != 0 else values[0][t.value_index]
    return None if element is None else np.asarray(element)


def _split(t: Tensor, values: Inputs) -> Any:
    return np.split(values[1], t.op.kernel_attr("num_split"), _axis(values[0]))[t.value_index]


def _fill(t: Tensor, values: Inputs) -> Any:
    dims = t._static_dims()
    if dims is None or None in dims or shapes.TensorShape(dims).num_elements() * values[0].itemsize > MAX_BYTES:
        return None
    return np.full(dims, values[0], dtype=values[0].dtype)


def _all(t: Tensor) -> list[Tensor]:
    return list(t.op.inputs)


def _first(t: Tensor) -> list[Tensor]:
    return [t.op.inputs[0]]


def _second_of_fill(t: Tensor) -> list[Tensor]:
    return [t.op.inputs[1]]


def _none(t: Tensor) -> list[Tensor]:
    return []


def _constant(t: Tensor, values: Inputs) -> Any:
    value = t.op.kernel_attr("value")
    if not isinstance(value, np.ndarray) or value.dtype != t.dtype.numpy:
        return None  # a variant, or a node that fails when it runs
    return value


def _same(t: Tensor, values: Inputs) -> Any:
    return values[0]


# op -> the inputs whose values it needs, the function of those values, and whether it may work with some of them
# unknown.
_FOLD: dict[str, tuple[Callable[[Any], list[Any]], Callable[[Any, Inputs], Any], bool]] = {
    "Const": (_none, _constant, False),
    "Shape": (_none, _shape, False),
    "Size": (_none, _size, False),
    "Rank": (_none, _rank, False),
    "Range": (_all, _range, False),
    "Cast": (_first, _cast, False),
    "Concat": (_all, _concat, False),
    "ConcatV2": (_all, _concat_v2, False),
    "Pack": (_all, _pack, True),
    "Unpack": (_first, _unpack, True),
    "Split": (_all, _split, False),
    "Fill": (_second_of_fill, _fill, False),
    "Equal": (_all, lambda t, values: np.equal(*values), False),
    "NotEqual": (_all, lambda t, values: np.not_equal(*values), False),
    **dict.fromkeys(("StopGradient", "Identity", "CheckNumericsV2", "DebugIdentityV2"), (_first, _same, True)),
}


# Ops whose kernels shape inference runs on small constants: their outputs are no larger than what their inputs
# broadcast to, or else as `_GROWING` tells.
_SMALL = 1000
_COMPUTED = (
    *("Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "TruncateDiv", "Mod", "Pow", "Neg"),
    *("Abs", "Minimum", "Maximum", "Floor", "Ceil", "Round", "Sqrt", "Square", "Sign"),
    *("Sum", "Prod", "Max", "Min", "Mean", "Any", "All"),
    *("Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr", "LogicalNot", "Select", "SelectV2"),
    *("Reshape", "Squeeze", "ExpandDims", "Slice", "StridedSlice", "Gather", "GatherV2", "Transpose", "ReverseV2"),
    *("ZerosLike", "OnesLike", "BroadcastArgs", "InvertPermutation", "Pack", "Unpack", "SplitV", "ConcatOffset"),
    *("BroadcastTo", "Tile", "ListDiff", "Where", "Unique", "TopKV2", "ArgMax", "ArgMin", "Cumsum", "Cumprod"),
    *("LinSpace", "SparseReshape"),
)
_GROWING: dict[str, Callable[[Inputs], float]] = {
    "BroadcastTo": lambda values: np.prod(values[1], dtype=np.float64),
    "Tile": lambda values: np.size(values[0]) * np.prod(values[1], dtype=np.float64),
    "LinSpace": lambda values: float(values[2]),
}


def _compute(t: Tensor, values: Inputs) -> Any:
    """Return an output of a small stateless op by running its kernel; None where it has none or fails."""
    op = t.op
    signature = op.signature
    kernel = registry.find_kernel(op.type)
    if kernel is None or signature is None or sum(np.size(v) for v in values) > _SMALL:
        return None
    growth = _GROWING.get(op.type)
    if growth is not None and not 0 <= growth(values) <= _SMALL:
        return None
    attrs: dict[str, Any] = {}
    for name in kernel.attrs:
        if name in signature.attrs:
            attrs[name] = op.kernel_attr(name)
        elif name == "signature":
            attrs[name] = (tuple(i.dtype for i in op.inputs), tuple(o.dtype for o in op.outputs))
        elif name == "node":
            attrs[name] = op.name
        else:
            return None
    arguments: list[Any] = []
    left = list(values)
    for arg in signature.inputs:
        if not arg.is_list:
            arguments.append(left.pop(0))
            continue
        size = op.kernel_attr(arg.number_attr) if arg.number_attr else len(op.kernel_attr(arg.type_list_attr))
        arguments.append(tuple(left[:size]))
        del left[:size]
    function = kernel.function(**attrs) if kernel.factory else functools.partial(kernel.function, **attrs)
    with np.errstate(all="ignore"):
        results = function(*arguments)
    found = results if signature.returns_bare else results[t.value_index]
    return np.asarray(found)


def _shape_element(t: Tensor) -> int | None:
    """Return the size that a StridedSlice or Unpack picks right out of a Shape of a partly known shape, or None."""
    op = t.op
    source = op.inputs[0].op
    if source.type != "Shape":
        return None
    dims = source.inputs[0]._static_dims()
    if dims is None:
        return None
    if op.type == "Unpack":
        return dims[t.value_index] if t.value_index < len(dims) else None
    if op.kernel_attr("shrink_axis_mask") != 1 or op.inputs[1].op.type != "Const":
        return None
    if any(op.kernel_attr(mask) for mask in ("begin_mask", "ellipsis_mask", "new_axis_mask")):
        return None
    index = int(np.ravel(op.inputs[1].op.kernel_attr("value"))[0])
    return dims[index] if -len(dims) <= index < len(dims) else None


def _needed(t: Tensor) -> list[Tensor]:
    return [] if _shape_element(t) is not None else _all(t)


def _element_or_compute(t: Tensor, values: Inputs) -> Any:
    return _compute(t, values) if values else np.asarray(_shape_element(t), t.dtype.as_numpy_dtype)


def _taken(t: Tensor, values: Inputs) -> Any:
    """Return what a Switch hands on where it is known which way it goes."""
    return values[0] if t.value_index == int(values[1]) else None


_KNOWN: dict[str, Any] = {
    **_FOLD,
    **dict.fromkeys(_COMPUTED, (_all, _compute, False)),
    **dict.fromkeys(("StridedSlice", "Unpack"), (_needed, _element_or_compute, False)),
    "Switch": (_all, _taken, False),
    "Enter": (_first, _same, False),
}


def _evaluate(tensor: Tensor, table: dict[str, Any], *, partial: bool) -> Any:
    """Return the value of `tensor` by the rules of `table`, or None."""
    known: dict[tuple[int, int], Any] = {}
    stack = [tensor]
    opened: set[tuple[int, int]] = set()
    while stack:
        current = stack[-1]
        key = (current.op._id, current.value_index)
        if key in known:
            stack.pop()
            continue
        rule = table.get(current.op.type)
        if rule is None:
            known[key] = None
            continue
        needs, function, takes_partial = rule
        try:
            inputs = needs(current)
            missing = [t for t in inputs if (t.op._id, t.value_index) not in known]
            if missing:
                # Seen before and still waiting: it depends on itself, through a loop's back edge.
                if key in opened or len(opened) == MAX_NODES:
                    return None
                opened.add(key)
                stack.extend(missing)
                continue
            values = [known[t.op._id, t.value_index] for t in inputs]
            if any(v is None for v in values) and not (partial and takes_partial and current.op.type == "Pack"):
                known[key] = None
            else:
                known[key] = function(current, values)
        except (errors.OpError, ValueError, TypeError, IndexError, ArithmeticError):
            known[key] = None
    return known[tensor.op._id, tensor.value_index]


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """Return the value of `tensor` as an array where it is known without running, else None; what is no tensor as it
    is.

    The tensor may not be fed any more once its value was told.
    partial: an array of objects with None for the elements of a Pack that are not known.
    """
    from icefloe.graph.tensor import Tensor

    if not isinstance(tensor, Tensor):
        return tensor
    value = _evaluate(tensor, _FOLD, partial=partial)
    if value is not None:
        tensor.graph.prevent_feeding(tensor)
    return value


def known_value(tensor: Tensor) -> np.ndarray | None:
    """Return the value of `tensor` for shape inference, or None; also through small stateless ops, by their kernels."""
    return _evaluate(tensor, _KNOWN, partial=False)
