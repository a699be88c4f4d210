"""Values that are known without running the graph.

`constant_value` is TensorFlow's `get_static_value`: it sees through the ops that TensorFlow's Python sees through.
`known_value` and `known_shape` serve shape rules. All of them walk the graph by a list, and give up after `MAX_NODES`
nodes.

Source: tensorflow/python/framework/tensor_util.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from icefloe import datatypes, errors, shapes
from icefloe.shapes import Dims

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
    return None if t.op.kernel_attr("axis") != 0 else np.asarray(values[0][t.value_index])


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


def _same(t: Tensor, values: Inputs) -> Any:
    return values[0]


# op -> the inputs whose values it needs, the function of those values, and whether it may work with some of them
# unknown.
_FOLD: dict[str, tuple[Callable[[Any], list[Any]], Callable[[Any, Inputs], Any], bool]] = {
    "Const": (_none, lambda t, values: t.op.kernel_attr("value"), False),
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
        except (errors.OpError, ValueError, TypeError, IndexError):
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
    """Return the value of `tensor` for shape inference, or None."""
    return _evaluate(tensor, _FOLD, partial=False)


def known_shape(tensor: Tensor) -> Dims:
    """Return what is known of `tensor`, an integer vector, read as a shape; a scalar -1 is an unknown rank.

    Raises: InvalidArgumentError if it is known and no shape.
    """
    dims = tensor._static_dims()
    if dims is not None and len(dims) == 0:
        value = known_value(tensor)
        if value is not None and int(value) != -1:
            raise errors.InvalidArgumentError(
                f"Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape). "
                f"Saw value: {int(value)}"
            )
        return None
    if dims is not None and len(dims) != 1:
        raise errors.InvalidArgumentError(f"Shape must be rank 1 but is rank {len(dims)}")
    return _partial_shape(tensor)


def _partial_shape(tensor: Tensor) -> Dims:
    """Read a vector as a shape through Shape, Pack, ConcatV2, StridedSlice, Cast and Identity."""
    op = tensor.op
    while op.type in ("Identity", "StopGradient") or (
        op.type == "Cast" and op.inputs[0].dtype.base_dtype in (datatypes.int32, datatypes.int64)
    ):
        tensor = op.inputs[0]
        op = tensor.op
    if op.type == "Shape":
        return op.inputs[0]._static_dims()
    value = known_value(tensor)
    if value is not None:
        return _sizes(value.ravel().tolist())
    if op.type == "Pack" and op.kernel_attr("axis") == 0:
        return _sizes([_known_size(t) for t in op.inputs])
    if op.type == "ConcatV2":
        return _joined([_partial_shape(t) for t in op.inputs[:-1]])
    if op.type == "StridedSlice":
        return _sliced(tensor)
    dims = tensor._static_dims()
    return None if dims is None or dims[0] is None else (None,) * dims[0]


def _known_size(tensor: Tensor) -> int | None:
    value = known_value(tensor)
    if value is None and tensor.op.type == "StridedSlice":
        return _sliced_element(tensor)
    return None if value is None or np.asarray(value).size != 1 else int(np.asarray(value).reshape(()))


def _sizes(values: list[int | None]) -> Dims:
    for v in values:
        if v is not None and v < -1:
            raise errors.InvalidArgumentError(f"Invalid value in tensor used for shape: {v}")
    return tuple([None if v is None or v < 0 else v for v in values])


def _joined(parts: list[Dims]) -> Dims:
    result: tuple[int | None, ...] = ()
    for part in parts:
        if part is None:
            return None
        result += part
    return result


def _bounds(tensor: Tensor) -> tuple[Any, Any, int] | None:
    op = tensor.op
    found = [known_value(t) for t in op.inputs[1:4]]
    if any(v is None or np.asarray(v).size != 1 for v in found):
        return None
    if op.kernel_attr("ellipsis_mask") or op.kernel_attr("new_axis_mask"):
        return None
    begin, end, stride = (int(np.asarray(v).reshape(())) for v in found)
    return (
        None if op.kernel_attr("begin_mask") & 1 else begin,
        None if op.kernel_attr("end_mask") & 1 else end,
        stride,
    )


def _sliced(tensor: Tensor) -> Dims:
    bounds = _bounds(tensor)
    whole = _partial_shape(tensor.op.inputs[0]) if bounds is not None else None
    if bounds is None or whole is None or bounds[2] == 0 or tensor.op.kernel_attr("shrink_axis_mask"):
        dims = tensor._static_dims()
        return None if dims is None or len(dims) != 1 or dims[0] is None else (None,) * dims[0]
    return whole[bounds[0] : bounds[1] : bounds[2]]


def _sliced_element(tensor: Tensor) -> int | None:
    bounds = _bounds(tensor)
    if bounds is None or tensor.op.kernel_attr("shrink_axis_mask") != 1 or bounds[0] is None:
        return None
    source = tensor.op.inputs[0]
    dims = source._static_dims()
    whole = _partial_shape(source) if dims is not None and len(dims) == 1 else None
    return whole[bounds[0]] if whole is not None and -len(whole) <= bounds[0] < len(whole) else None


def constant_value_as_shape(tensor: Tensor) -> shapes.TensorShape:
    """Return what is known of an integer vector read as a shape.

    Raises: ValueError for a scalar that is not known to be -1.
    """
    if tensor._static_dims() == ():
        value = constant_value(tensor)
        if value is None:
            raise ValueError(
                "Received a scalar with unknown value as shape; require a statically known scalar with value '-1' to "
                "describe an unknown shape."
            )
        if value != -1:
            raise ValueError(
                f"Received a scalar value '{value}' as shape; require a statically known scalar with value '-1' to "
                "describe an unknown shape."
            )
        return shapes.unknown_shape()
    try:
        return shapes.TensorShape(known_shape(tensor))
    except errors.InvalidArgumentError as error:
        raise ValueError(error.message) from None
