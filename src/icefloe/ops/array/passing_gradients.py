"""Gradient rules of ops that hand on values, change their shape, or tell about them."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient, not_differentiable
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import reshape, shape_of, sum_over, transpose


@gradient(
    "Identity",
    "RefIdentity",
    "PlaceholderWithDefault",
    "Snapshot",
    "EnsureShape",
    "DeepCopy",
    "Copy",
)
def same(op: Operation, grad: Any) -> Any:
    """The gradient as it is."""
    return grad


@gradient("IdentityN")
def same_list(op: Operation, *grads: Any) -> tuple[Any, ...]:
    """The gradients as they are."""
    return grads


@gradient("Print", "Assert", "PrintV2")
def observed(op: Operation, *grads: Any) -> list[Any]:
    """The gradient of the value that is handed on."""
    first = grads[0] if grads and op.type == "Print" else None
    return [first, *[None] * (len(op.inputs) - 1)]


@gradient("PreventGradient")
def prevented(op: Operation, grad: Any) -> Any:
    """Raise LookupError with the reason that the op gives."""
    raise LookupError(f"Gradient explicitly disabled. Reason: {op.get_attr('message')!r}")


@gradient("CheckNumerics", "CheckNumericsV2")
def checked(op: Operation, grad: Tensor) -> Tensor:
    """The gradient, checked too."""
    text = op.get_attr("message").decode(errors="replace")
    message = f"Not a number (NaN) or infinity (Inf) values detected in gradient. b'{text}'"
    return apply_op(op.type, grad, message=message)


@gradient("Reshape")
def reshaped(op: Operation, grad: Any) -> list[Any]:
    """The gradient in the shape of the input."""
    x = op.inputs[0]
    if x.shape.rank is not None and not x.shape.is_fully_defined():
        sizes = x.shape.as_list()
        if sizes.count(None) == 1 and 0 not in sizes:
            return [reshape(grad, [-1 if size is None else size for size in sizes]), None]
    return [reshape(grad, shape_of(x)), None]


@gradient("ExpandDims")
def expanded(op: Operation, grad: Any) -> list[Any]:
    """The gradient in the shape of the input."""
    return [reshape(grad, shape_of(op.inputs[0])), None]


@gradient("Squeeze")
def squeezed(op: Operation, grad: Any) -> Tensor:
    """The gradient in the shape of the input."""
    return reshape(grad, shape_of(op.inputs[0]))


@gradient("Transpose")
def transposed(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient with the axes put back."""
    return [transpose(grad, apply_op("InvertPermutation", op.inputs[1])), None]


@gradient("ConjugateTranspose")
def conjugate_transposed(op: Operation, grad: Tensor) -> list[Any]:
    """The conjugate of the gradient with the axes put back."""
    back = apply_op("InvertPermutation", op.inputs[1])
    return [apply_op("ConjugateTranspose", grad, back, name="transpose"), None]


@gradient("Fill")
def filled(op: Operation, grad: Tensor) -> tuple[None, Any]:
    """The sum of the gradient."""
    return None, sum_over(grad)


@gradient("ReverseSequence")
def reversed_sequence(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient, reversed again."""
    attrs = {name: op.get_attr(name) for name in ("seq_dim", "batch_dim")}
    return [apply_op("ReverseSequence", grad, op.inputs[1], **attrs), None]


@gradient("Reverse", "ReverseV2")
def reversed_axes(op: Operation, grad: Tensor) -> tuple[Any, None]:
    """The gradient, reversed again."""
    return apply_op(op.type, grad, op.inputs[1]), None


@gradient("Roll")
def rolled(op: Operation, grad: Tensor) -> tuple[Any, None, None]:
    """The gradient, rolled back."""
    return apply_op("Roll", grad, -op.inputs[1], op.inputs[2]), None, None


@gradient("QuantizeAndDequantize")
def quantized(op: Operation, grad: Tensor) -> Tensor:
    """The gradient as it is."""
    return grad


@gradient("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3")
def quantized_in_range(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient as it is; none for the range."""
    return [grad, *[None] * (len(op.inputs) - 1)]


not_differentiable(
    "Const",
    "StopGradient",
    "Shape",
    "ShapeN",
    "Rank",
    "Size",
    "ZerosLike",
    "OnesLike",
    "InvertPermutation",
    "OneHot",
    "Range",
    "LinSpace",
    "Where",
    "EditDistance",
    "BroadcastGradientArgs",
    "ConcatOffset",
    "ListDiff",
    "Unique",
    "Bucketize",
    "FakeQuantWithMinMaxArgsGradient",
    "FakeQuantWithMinMaxVarsGradient",
    "FakeQuantWithMinMaxVarsPerChannelGradient",
)


@gradient("FakeQuantWithMinMaxArgs")
def fake_quantized(op: Operation, grad: Tensor) -> Tensor:
    """The gradient inside of the range."""
    attrs = {name: op.get_attr(name) for name in ("min", "max", "num_bits", "narrow_range")}
    return apply_op("FakeQuantWithMinMaxArgsGradient", grad, op.inputs[0], **attrs)


@gradient("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def fake_quantized_by(op: Operation, grad: Tensor) -> Any:
    """The gradient inside of the range; that of a bound is what lies beyond it."""
    attrs = {name: op.get_attr(name) for name in ("num_bits", "narrow_range")}
    return apply_op(f"{op.type}Gradient", grad, *op.inputs, **attrs)
