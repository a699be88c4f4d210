"""Operations of Keras 3 among the layers of a model: `keras.ops` called on its tensors, and the masks of layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.activations import softmax
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import transpose
from icefloe.lib.math_matrix import matmul
from icefloe.lib.math_reduce import reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def _unary(op: str) -> Callable[..., Tensor]:
    return lambda c, x, *_: _op(op, x)


def _binary(op: str) -> Callable[..., Tensor]:
    def build(c: LayerContext, a: Any, b: Any) -> Tensor:
        dtype = next(v.dtype for v in (a, b) if isinstance(v, Tensor))
        a, b = (v if isinstance(v, Tensor) else np.asarray(v, dtype.as_numpy_dtype) for v in (a, b))
        return _op(op, a, b)

    return build


for _name in ("Exp", "Log", "Sqrt", "Rsqrt", "Square", "Abs", "Tanh", "Sin", "Cos", "Floor", "Ceil", "Sign", "Relu"):
    layer(f"ops.{_name}")(_unary(_name))
for _name, _tf in (("Absolute", "Abs"), ("Negative", "Neg"), ("Sigmoid", "Sigmoid"), ("LogicalNot", "LogicalNot")):
    layer(f"ops.{_name}")(_unary(_tf))
for _name, _tf in (
    ("Add", "AddV2"),
    ("Subtract", "Sub"),
    ("Multiply", "Mul"),
    ("Divide", "RealDiv"),
    ("TrueDivide", "RealDiv"),
    ("Power", "Pow"),
    ("Maximum", "Maximum"),
    ("Minimum", "Minimum"),
    ("Equal", "Equal"),
    ("NotEqual", "NotEqual"),
    ("Greater", "Greater"),
    ("GreaterEqual", "GreaterEqual"),
    ("Less", "Less"),
    ("LessEqual", "LessEqual"),
    ("LogicalAnd", "LogicalAnd"),
    ("LogicalOr", "LogicalOr"),
):
    layer(f"ops.{_name}")(_binary(_tf))


def _reduction(reduce: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def build(c: LayerContext, x: Tensor, *_: Any) -> Tensor:
        axis = c.get("axis")
        return reduce(x, axis, keepdims=bool(c.get("keepdims", False)))

    return build


for _name, _reduce in (
    ("Any", reduce_any),
    ("All", reduce_all),
    ("Sum", reduce_sum),
    ("Mean", reduce_mean),
    ("Max", reduce_max),
    ("Min", reduce_min),
    ("Prod", reduce_prod),
):
    layer(f"ops.{_name}")(_reduction(_reduce))


@layer("ops.Matmul")
def matmul_op(c: LayerContext, a: Tensor, b: Tensor) -> Tensor:
    """Multiply matrices."""
    return matmul(a, b)


@layer("ops.Reshape")
def reshape_op(c: LayerContext, x: Tensor, *shape: Any) -> Tensor:
    """Give a tensor another shape."""
    target = c.get("newshape") or (shape[0] if shape else [-1])
    return _op("Reshape", x, [-1 if n is None else n for n in target])


@layer("ops.Transpose")
def transpose_op(c: LayerContext, x: Tensor, *_: Any) -> Tensor:
    """Exchange dimensions."""
    return transpose(x, c.get("axes"))


@layer("ops.ExpandDims")
def expand_dims_op(c: LayerContext, x: Tensor, *_: Any) -> Tensor:
    """Add a dimension of one."""
    return _op("ExpandDims", x, c.get("axis", -1))


@layer("ops.Squeeze")
def squeeze_op(c: LayerContext, x: Tensor, *_: Any) -> Tensor:
    """Take dimensions of one out."""
    axis = c.get("axis")
    return _op("Squeeze", x, squeeze_dims=[] if axis is None else [axis] if isinstance(axis, int) else list(axis))


@layer("ops.Concatenate")
def concatenate_op(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Join tensors."""
    return concat(list(inputs), int(c.get("axis", 0)))


@layer("ops.Stack")
def stack_op(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Join tensors along a new dimension."""
    return stack(list(inputs), int(c.get("axis", 0)))


@layer("ops.Cast")
def cast_op(c: LayerContext, x: Tensor, *_: Any) -> Tensor:
    """Change the dtype."""
    return _op("Cast", convert_to_tensor(x), DstT=c.get("dtype", "float32"))


for _name, _tf in (
    ("Log1p", "Log1p"),
    ("Erf", "Erf"),
    ("Round", "Round"),
    ("Elu", "Elu"),
    ("Selu", "Selu"),
    ("Relu6", "Relu6"),
    ("Softplus", "Softplus"),
    ("Softsign", "Softsign"),
    ("Reciprocal", "Reciprocal"),
    ("ConvertToTensor", "Identity"),
    ("StopGradient", "Identity"),
):
    layer(f"ops.{_name}")(_unary(_tf))


@layer("ops.Silu")
def silu_op(c: LayerContext, x: Tensor, *_: Any) -> Tensor:
    """Multiply by the sigmoid."""
    return x * _op("Sigmoid", x)


@layer("ops.Clip")
def clip_op(c: LayerContext, x: Tensor, *_: Any) -> Tensor:
    """Cut off what is low and what is high."""
    real = x.dtype.as_numpy_dtype
    return _op("ClipByValue", x, np.asarray(c.get("x_min"), real), np.asarray(c.get("x_max"), real))


@layer("ops.Softmax")
def softmax_op(c: LayerContext, x: Tensor, *_: Any) -> Tensor:
    """Return the softmax along an axis."""
    return softmax(x, int(c.get("axis", -1)))


@layer("ops.Where")
def where_op(c: LayerContext, condition: Tensor, a: Any, b: Any) -> Tensor:
    """Choose between two, element by element."""
    dtype = next(v.dtype for v in (a, b) if isinstance(v, Tensor)).as_numpy_dtype
    a, b = (v if isinstance(v, Tensor) else np.asarray(v, dtype) for v in (a, b))
    return _op("SelectV2", condition, a, b)
