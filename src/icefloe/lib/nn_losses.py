"""Losses from logits."""

from __future__ import annotations

import math
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_create import ones_like, zeros_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import slice, stop_gradient, where
from icefloe.lib.array_shape import rank, reshape, shape, transpose
from icefloe.lib.checks import assert_equal
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import abs, add, subtract
from icefloe.lib.math_range import range


def _same_shape(labels: Tensor, logits: Tensor, what: str, other: str) -> None:
    if not labels.shape.is_compatible_with(logits.shape):
        shapes = (logits.shape, labels.shape)
        raise ValueError(f"`{what}` and `{other}` must have the same shape, received ({shapes[0]} vs {shapes[1]}).")


def _both(name: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for {name}Received: labels={labels} and logits={logits}"
        )


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """Return exp(log_input) - log_input * targets, with Stirling's term if `compute_full_loss`.

    Raises: ValueError if the shapes differ.
    """
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        _same_shape(targets, log_input, "log_input", "targets")
        result = apply_op("Exp", log_input) - log_input * targets
        if compute_full_loss:
            half = constant(0.5, dtype=targets.dtype)
            two_pi = constant(2 * math.pi, dtype=targets.dtype)
            stirling = targets * apply_op("Log", targets) - targets + half * apply_op("Log", two_pi * targets)
            zero = zeros_like(targets, dtype=targets.dtype)
            one = ones_like(targets, dtype=targets.dtype)
            small = apply_op("LogicalAnd", targets >= zero, targets <= one)
            result += where(small, zero, stirling)
        return result


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Return the cross entropy of independent yes-or-no labels in [0, 1]. Raises: ValueError if the shapes differ."""
    _both("sigmoid_cross_entropy_with_logits", labels, logits)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _same_shape(labels, logits, "logits", "labels")
        zero = zeros_like(logits, dtype=logits.dtype)
        positive = logits >= zero
        relu = where(positive, logits, zero)
        minus_abs = where(positive, -logits, logits)
        linear = relu - logits * labels
        return add(linear, apply_op("Log1p", apply_op("Exp", minus_abs)), name=scope)


def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None, targets: Any = None
) -> Tensor:
    """Return the cross entropy of yes-or-no labels, that of a yes times `pos_weight`.

    Raises: ValueError if shapes differ.
    """
    labels = renamed("labels", labels, "targets", targets)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _same_shape(labels, logits, "logits", "labels")
        weight = 1 + (pos_weight - 1) * labels
        linear = (1 - labels) * logits
        soft = apply_op("Log1p", apply_op("Exp", -abs(logits)))
        return add(linear, weight * (soft + apply_op("Relu", -logits)), name=scope)


def _as_matrix(tensor: Tensor) -> Tensor:
    """Return `tensor` with all axes but the last made one."""
    ndims = rank(tensor)
    last = slice(shape(tensor), [subtract(ndims, 1)], [1])
    output = reshape(tensor, concat([[-1], last], 0))
    if tensor.shape.rank is not None:
        sizes = tensor.shape.as_list()
        if None not in sizes[:-1]:
            output.set_shape([math.prod(sizes[:-1]), sizes[-1]])
    return output


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """Return the cross entropy of class probabilities over `axis`, default the last; 16-bit floats through float32."""
    axis = renamed("axis", axis, "dim", dim)
    axis = -1 if axis is None else axis
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        widened = logits.dtype in (datatypes.float16, datatypes.bfloat16)
        precise = cast(logits, datatypes.float32) if widened else logits
        labels = cast(labels, precise.dtype)
        ndims = rank(precise)
        if axis != -1:
            precise = _to_end(precise, axis, ndims)
            labels = _to_end(labels, axis, ndims)
        input_shape = shape(precise)
        precise = _as_matrix(precise)
        labels = _as_matrix(labels)
        cost, _ = apply_op("SoftmaxCrossEntropyWithLogits", precise, labels, name=scope)
        cost = reshape(cost, slice(input_shape, [0], [subtract(ndims, 1)]))
        if logits.shape.rank is not None:
            sizes = logits.shape.as_list()
            del sizes[axis]
            cost.set_shape(sizes)
        return cast(cost, logits.dtype) if widened else cost


def _to_end(tensor: Tensor, axis: Any, ndims: Tensor) -> Tensor:
    return transpose(tensor, concat([range(axis), range(axis + 1, ndims), [axis]], 0))


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None, axis: Any = None
) -> Tensor:
    """Return `softmax_cross_entropy_with_logits_v2` without a gradient to the labels."""
    dim = axis if axis is not None else dim
    _both("softmax_cross_entropy_with_logits", labels, logits)
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = stop_gradient(labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=dim, name=scope)


def sparse_softmax_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Return the cross entropy of class numbers, of the shape of `labels`.

    Raises: ValueError if the shapes do not fit.
    """
    _both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        precise = cast(logits, datatypes.float32) if logits.dtype == datatypes.float16 else logits
        static = labels.shape
        labels_shape = shape(labels)
        known = static.is_fully_defined() and logits.shape.rank != 0 and logits.shape[:-1].is_fully_defined()
        _check_ranks(labels, logits, known)
        if logits.shape.rank == 2:
            cost, _ = apply_op("SparseSoftmaxCrossEntropyWithLogits", precise, labels, name=name)
            return cast(cost, datatypes.float16) if logits.dtype == datatypes.float16 else cost
        checks = [] if known else [assert_equal(shape(labels), shape(logits)[:-1])]
        with control_dependencies(checks):
            classes = shape(logits)[rank(logits) - 1]
            precise = reshape(precise, [-1, classes])
            labels = reshape(labels, [-1])
            cost, _ = apply_op("SparseSoftmaxCrossEntropyWithLogits", precise, labels, name=name)
            cost = reshape(cost, labels_shape)
            cost.set_shape(static)
            return cast(cost, datatypes.float16) if logits.dtype == datatypes.float16 else cost


def _check_ranks(labels: Tensor, logits: Tensor, known: bool) -> None:
    if logits.shape.rank == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    ranks = (labels.shape.rank, logits.shape.rank)
    if None not in ranks and ranks[0] != ranks[1] - 1:  # type: ignore[operator]
        raise ValueError(
            f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={labels.shape} of rank "
            f"{ranks[0]} and logits.shape={logits.shape} of rank {ranks[1]}"
        )
    if known and labels.shape.as_list() != logits.shape[:-1].as_list():
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
