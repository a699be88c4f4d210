"""Elementwise functions of RaggedTensors, and Python's operators on them.

Operands that share their rows give TensorFlow's nodes; where rows are broadcast, the values are TensorFlow's and the
nodes
those of an earlier version of it.

Source: tensorflow/python/ops/ragged/ragged_dispatch.py, ragged_operators.py, ragged_tensor_shape.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.lib import math_elementwise
from icefloe.lib.array_shape import shape
from icefloe.lib.math_cast import cast
from icefloe.lib.ragged_broadcast import DynamicShape, broadcast_rows, common_shape
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged, is_ragged, matching_splits


def unary(function: Callable[[Any], Any], x: Any) -> Any:
    """Return `function` of each value of `x`, in the rows of `x`."""
    x = as_tensor_or_ragged(x)
    values = x.values
    return x.with_values(unary(function, values) if isinstance(values, RaggedTensor) else function(values))


def _same_rows(x: Any, y: Any) -> bool:
    if not (isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor)):
        return False
    ours, theirs = x._nested_row_partitions, y._nested_row_partitions
    return len(ours) == len(theirs) and all(a is b for a, b in zip(ours, theirs))


def binary(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """Return `function` of the values of `x` and `y`, one of them ragged, broadcast to the same rows."""
    x_ragged, y_ragged = is_ragged(x), is_ragged(y)
    x = as_tensor_or_ragged(x, preferred_dtype=y.dtype if y_ragged else None)
    y = as_tensor_or_ragged(y, preferred_dtype=x.dtype)
    if x_ragged and y_ragged:
        matching_splits(x, y)
    if (
        (x_ragged and y_ragged)
        or (x_ragged and x.flat_values.shape.ndims <= y.shape.ndims)
        or (y_ragged and y.flat_values.shape.ndims <= x.shape.ndims)
    ):
        if _same_rows(x, y):
            for t in (x, y):  # TensorFlow notes the shapes, where nothing reads them; the nodes stay.
                cast(shape(t.flat_values), x.row_splits.dtype)
            return x.with_flat_values(function(x.flat_values, y.flat_values))
        ragged = x if isinstance(x, RaggedTensor) else y
        if not (x_ragged and y_ragged) and all(p.is_uniform for p in ragged._nested_row_partitions):
            return _on_uniform_rows(function, x, y, ragged)
        dtype = ragged.row_splits.dtype
        x_shape = DynamicShape.of(x, dtype)
        y_shape = DynamicShape.of(y, dtype)
        both = common_shape(x_shape, y_shape)
        x = broadcast_rows(x, both)
        y = broadcast_rows(y, both)
    flat_x, flat_y = (t.flat_values if isinstance(t, RaggedTensor) else t for t in (x, y))
    made = function(flat_x, flat_y)
    if isinstance(made, bool):
        return made
    return (x if isinstance(x, RaggedTensor) else y).with_flat_values(made)


def _on_uniform_rows(function: Callable[[Any, Any], Any], x: Any, y: Any, ragged: RaggedTensor) -> Any:
    """Return `function` of a tensor and of `ragged`, whose rows are all of one length: tensors broadcast as ever."""
    x, y = (t.to_tensor() if isinstance(t, RaggedTensor) else t for t in (x, y))
    made = function(x, y)
    return RaggedTensor.from_tensor(made, ragged_rank=ragged.ragged_rank, row_splits_dtype=ragged.row_splits.dtype)


def _node(op: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: apply_op(op, x, y)


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": math_elementwise.add,
    "sub": math_elementwise.subtract,
    "mul": math_elementwise.multiply,
    "div": math_elementwise.div,
    "truediv": math_elementwise.truediv,
    "floordiv": math_elementwise.floordiv,
    "mod": _node("FloorMod"),
    "pow": math_elementwise.pow,
    "and": _node("LogicalAnd"),
    "or": _node("LogicalOr"),
    "xor": math_elementwise.logical_xor,
}
_BINARY.update({"lt": _node("Less"), "le": _node("LessEqual"), "gt": _node("Greater"), "ge": _node("GreaterEqual")})
_UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": lambda x: apply_op("Neg", x),
    "invert": lambda x: apply_op("LogicalNot", x),
    "abs": math_elementwise.abs,
}


def operate(word: str, *operands: Any) -> Any:
    """Return what Python's operator `__word__` gives for one or two operands."""
    if len(operands) == 1:
        return unary(_UNARY[word], *operands)
    return binary(_BINARY[word], *operands)
