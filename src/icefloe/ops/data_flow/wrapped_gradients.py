"""Gradient rules of what puts tensors into variants and takes them out: ragged tensors and optionals."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor
from icefloe.ops.gradient_nodes import reshape, shape_of


@gradient("RaggedTensorFromVariant")
def ragged_from_variant(op: Operation, *grads: Any) -> list[Any]:
    """The gradient of the values, as a variant with the same rows."""
    rank = op.inputs[0].shape.rank
    if rank is not None and rank > 1:
        raise ValueError(
            "Unable to compute gradient: RaggedTensorToVariant can currently only generate 0D or 1D output."
        )
    batched = op.get_attr("output_ragged_rank") > 0 if rank is None else rank == 1
    return [apply_op("RaggedTensorToVariant", list(op.outputs[:-1]), grads[-1], batched_input=batched)]


@gradient("RaggedTensorToVariant")
def ragged_to_variant(op: Operation, grad: Tensor) -> list[Any]:
    *splits, values = op.inputs
    rows = splits[0] if splits else 0
    return [
        *[None] * len(splits),
        apply_op("RaggedTensorToVariantGradient", grad, rows, shape_of(values), Tvalues=values.dtype),
    ]


@gradient("RaggedTensorToSparse")
def ragged_to_sparse(op: Operation, _indices: Any, grad: Tensor, _size: Any) -> list[Any]:
    """The values are the same, in one dimension."""
    *splits, values = op.inputs
    return [*[None] * len(splits), reshape(grad, shape_of(values))]


@gradient("OptionalFromValue")
def optional_from_value(op: Operation, grad: Tensor) -> Any:
    types, shapes = [t.dtype for t in op.inputs], [t.shape for t in op.inputs]
    return apply_op("OptionalGetValue", grad, output_types=types, output_shapes=shapes)


@gradient("OptionalGetValue")
def optional_get_value(_op: Operation, *grads: Any) -> Any:
    return apply_op("OptionalFromValue", list(grads))
