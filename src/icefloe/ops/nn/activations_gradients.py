"""Gradient rules of activations, softmax, cross-entropy, biases and losses."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import (
    after,
    concat,
    expand_dims,
    ones_like,
    range_to,
    rank_of,
    reshape,
    shape_of,
    zeros_like,
)

# op -> the op of its gradient, and whether that takes the output
_OF_OUTPUT = ("Relu", "Relu6", "Elu", "Selu")


@gradient(*_OF_OUTPUT)
def by_output(op: Operation, grad: Tensor) -> Tensor:
    """As an op of its own computes it from the output."""
    return apply_op(f"{op.type}Grad", grad, op.outputs[0])


@gradient("Softsign")
def softsign(op: Operation, grad: Tensor) -> Tensor:
    """As an op of its own computes it."""
    return apply_op("SoftsignGrad", grad, op.inputs[0])


@gradient("LeakyRelu")
def leaky_relu(op: Operation, grad: Tensor) -> Tensor:
    """The gradient, times alpha where the input is negative."""
    return apply_op("LeakyReluGrad", grad, op.inputs[0], alpha=op.get_attr("alpha"))


@gradient("Softplus")
def softplus(op: Operation, grad: Tensor) -> Tensor:
    """sigmoid(x) dx."""
    return grad * apply_op("Sigmoid", op.inputs[0])


@gradient("ReluGrad", "Relu6Grad", "LeakyReluGrad")
def relu_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Linear in the gradient; a step in the input."""
    x = op.inputs[1]
    attrs = {"alpha": op.get_attr("alpha")} if op.type == "LeakyReluGrad" else {}
    return apply_op(op.type, grad, x, **attrs), zeros_like(x)


@gradient("EluGrad", "SeluGrad")
def elu_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """Linear in the gradient, and in the output where it is negative."""
    dy, x = op.inputs
    return apply_op(op.type, grad, x), apply_op("Select", x < 0, grad * dy, zeros_like(x))


@gradient("SoftplusGrad")
def softplus_grad(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """By the gradient, and by x: sigmoid'(x)."""
    dy, x = op.inputs
    with after(grad):
        first = apply_op("SoftplusGrad", grad, x)
        return first, grad * dy / (apply_op("Exp", -x) + 2.0 + apply_op("Exp", x))


@gradient("Softmax")
def softmax(op: Operation, grad: Tensor) -> Tensor:
    """(dy - sum(dy y)) y."""
    y = op.outputs[0]
    total = apply_op("Sum", grad * y, -1, keep_dims=True)
    return (grad - total) * y


@gradient("LogSoftmax")
def log_softmax(op: Operation, grad: Tensor) -> Tensor:
    """dy - sum(dy) softmax."""
    y = apply_op("Exp", op.outputs[0])
    return grad - apply_op("Sum", grad, -1, keep_dims=True) * y


def _is_zero(grad: Any) -> bool:
    """Whether a gradient is the zeros that stand for none."""
    if grad is None or grad.op.type == "ZerosLike":
        return True
    known = constant_value(grad)
    return known is not None and not known.any()


def _logits(op: Operation, loss: Tensor, back: Any) -> Tensor:
    """Return the gradient by the logits; `back` is that of the second output, which is used for second derivatives."""
    grad = expand_dims(loss, -1) * op.outputs[1]
    if _is_zero(back):
        return grad
    y = apply_op("Softmax", op.inputs[0])
    product = apply_op("BatchMatMulV2", expand_dims(back, 1), expand_dims(y, 2), name="MatMul")
    return grad + (back - apply_op("Squeeze", product, squeeze_dims=[1])) * y


@gradient("SoftmaxCrossEntropyWithLogits")
def cross_entropy(op: Operation, loss: Tensor, back: Any) -> tuple[Any, Any]:
    """By the logits and by the labels."""
    grad = _logits(op, loss, back)
    labels = -apply_op("LogSoftmax", op.inputs[0])
    return grad, expand_dims(loss, -1) * labels


@gradient("SparseSoftmaxCrossEntropyWithLogits")
def sparse_cross_entropy(op: Operation, loss: Tensor, back: Any) -> tuple[Any, None]:
    """By the logits."""
    return _logits(op, loss, back), None


@gradient("BiasAdd")
def bias_add(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """The gradient, and its sum over all axes but the channels."""
    return grad, apply_op("BiasAddGrad", out_backprop=grad, data_format=_format(op))


def _format(op: Operation) -> Any:
    return op.get_attr("data_format") if op.has_attr("data_format") else None


@gradient("BiasAddV1")
def bias_add_v1(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    """The gradient, and its sum over all axes but the last."""
    return grad, apply_op("Sum", grad, range_to(rank_of(grad) - 1))


@gradient("BiasAddGrad")
def bias_add_grad(op: Operation, grad: Tensor) -> Tensor:
    """The gradient, repeated over the axes that were summed."""
    size, bias = shape_of(op.inputs[0]), shape_of(grad)
    if _format(op) == b"NCHW":
        wide = concat([ones_like(size[:1]), bias, ones_like(size[2:])])
        multiples = concat([size[:1], [1], size[2:]])
    else:
        wide = concat([ones_like(size[:-1]), bias])
        multiples = concat([size[:-1], [1]])
    return apply_op("Tile", reshape(grad, wide), multiples)


@gradient("L2Loss")
def l2_loss(op: Operation, grad: Tensor) -> Tensor:
    """x dx."""
    return op.inputs[0] * grad


@gradient("LRN")
def local_response(op: Operation, grad: Tensor) -> Tensor:
    """As an op of its own computes it."""
    attrs = {name: op.get_attr(name) for name in ("depth_radius", "bias", "alpha", "beta")}
    return apply_op("LRNGrad", grad, op.inputs[0], op.outputs[0], **attrs)


@gradient("CTCLoss", "CTCLossV2")
def ctc_loss(op: Operation, grad: Tensor, _: Any) -> list[Any]:
    """The op's second output, times the gradient of each sequence's loss."""
    message = (
        "Currently there is no way to take the second derivative of ctc_loss due to the fused implementation's "
        "interaction with tf.gradients()"
    )
    kept = apply_op("PreventGradient", op.outputs[1], message=message)
    return [expand_dims(grad, -1) * kept, None, None, None]
