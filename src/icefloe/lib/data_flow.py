"""Barriers and conditional accumulators: what several threads bring together.

Source: tensorflow/python/ops/data_flow_ops.py (names, rules and messages).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.math_cast import cast
from icefloe.lib.queues import as_shape_list, as_type_list
from icefloe.shapes import TensorShape


class Barrier:
    """Collects the components of tuples by key, and gives tuples that are complete, in the order their keys came in.

    Waits where fewer are complete than asked for, until others insert more or the barrier is closed.
    """

    def __init__(self, types: Any, shapes: Any = None, shared_name: str | None = None, name: str = "barrier") -> None:
        """types, shapes: of the components. shared_name: by which other graphs' nodes mean the same barrier.

        Raises: ValueError for a shape without elements.
        """
        self._types = as_type_list(types)
        if shapes is not None:
            self._shapes = as_shape_list(shapes) or []
            for i, shape in enumerate(self._shapes):
                if shape.num_elements() == 0:
                    raise ValueError(f"Empty tensors are not supported, but received shape '{shape}' at index {i}")
        else:
            self._shapes = [TensorShape(None) for _ in self._types]
        self._barrier_ref = apply_op(
            "Barrier", component_types=self._types, shapes=self._shapes, shared_name=shared_name, name=name
        )
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The barrier's handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the barrier's node."""
        return self._barrier_ref.op.name

    def insert_many(self, component_index: int, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Return an operation that gives `values[i]` as component `component_index` to the tuple of `keys[i]`."""
        return apply_op(
            "BarrierInsertMany",
            self._barrier_ref,
            keys,
            values,
            component_index=component_index,
            name=name or f"{self._name}_BarrierInsertMany",
        )

    def take_many(
        self, num_elements: Any, allow_small_batch: bool = False, timeout: int | None = None, name: str | None = None
    ) -> Any:
        """Return indices, keys and values (a list) of `num_elements` tuples, as batches.

        allow_small_batch: fewer will do once the barrier is closed.
        """
        found = apply_op(
            "BarrierTakeMany",
            self._barrier_ref,
            num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            timeout_ms=timeout,
            name=name or f"{self._name}_BarrierTakeMany",
        )
        outputs = found[0].op.outputs
        count = None if allow_small_batch else constant_value(outputs[0].op.inputs[1])
        batch = TensorShape([count])
        outputs[0].set_shape(batch)
        outputs[1].set_shape(batch)
        for output, shape in zip(outputs[2:], self._shapes):
            output.set_shape(batch.concatenate(shape))
        return found

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Return an operation that lets no new keys in; with `cancel_pending_enqueues` it forgets incomplete tuples."""
        return apply_op(
            "BarrierClose",
            self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_BarrierClose",
        )

    def ready_size(self, name: str | None = None) -> Tensor:
        """Return the number of complete tuples."""
        return apply_op("BarrierReadySize", self._barrier_ref, name=name or f"{self._name}_BarrierReadySize")

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """Return the number of tuples that lack a component."""
        return apply_op("BarrierIncompleteSize", self._barrier_ref, name=name or f"{self._name}_BarrierIncompleteSize")


def _as_int64(value: Any) -> Tensor:
    return cast(convert_to_tensor(value), datatypes.int64)


class ConditionalAccumulatorBase:
    """An accumulator of gradients. Those computed at an earlier step than the accumulator's are dropped."""

    _generation = "Resource"

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Tensor) -> None:
        self._dtype = dtype
        self._shape = TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]

    @property
    def accumulator_ref(self) -> Tensor:
        """The accumulator's handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The last part of the name of the accumulator's node."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """Return the number of gradients that have come since some were taken."""
        op = f"{self._generation}AccumulatorNumAccumulated"
        return apply_op(op, self._accumulator_ref, name=name or f"{self._name}_NumAccumulated")

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """Return an operation that sets the step below which gradients are dropped."""
        op = f"{self._generation}AccumulatorSetGlobalStep"
        return apply_op(op, self._accumulator_ref, _as_int64(new_global_step), name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients that are tensors."""

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        """shape: what gradients' shapes fit. reduction_type: "MEAN" or "SUM"."""
        accumulator_ref = apply_op(
            "ResourceConditionalAccumulator",
            dtype=dtype,
            shape=shape,
            shared_name=shared_name,
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, accumulator_ref)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """Return an operation that adds a gradient computed at `local_step`. Raises: ValueError for another shape."""
        grad = convert_to_tensor(grad, self._dtype)
        grad.get_shape().assert_is_compatible_with(self._shape)
        op = "ResourceAccumulatorApplyGradient"
        return apply_op(op, self._accumulator_ref, local_step=_as_int64(local_step), gradient=grad, name=name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """Return the mean, or sum, of the gradients once `num_required` have come. The accumulator begins anew."""
        op = "ResourceAccumulatorTakeGradient"
        out: Tensor = apply_op(op, self._accumulator_ref, num_required, dtype=self._dtype, name=name)
        out.set_shape(self._shape)
        return out


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients that are slices, with indices in increasing order."""

    _generation = ""

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        """shape: what gradients' dense shapes fit. reduction_type: "MEAN" or "SUM"."""
        accumulator_ref = apply_op(
            "SparseConditionalAccumulator",
            dtype=dtype,
            shape=shape,
            shared_name=shared_name,
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, accumulator_ref)

    def apply_indexed_slices_grad(self, grad: IndexedSlices, local_step: Any = 0, name: str | None = None) -> Operation:
        """Return an operation that adds a gradient computed at `local_step`."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self, grad_indices: Any, grad_values: Any, grad_shape: Any = None, local_step: Any = 0, name: str | None = None
    ) -> Operation:
        """Return an operation that adds a gradient: `grad_values[i]` at index `grad_indices[i]`."""
        return apply_op(
            "SparseAccumulatorApplyGradient",
            self._accumulator_ref,
            local_step=_as_int64(local_step),
            gradient_indices=cast(grad_indices, datatypes.int64),
            gradient_values=grad_values,
            gradient_shape=cast([] if grad_shape is None else grad_shape, datatypes.int64),
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Return indices, values and shape of the mean, or sum, of the gradients once `num_required` have come.

        The mean of a slice is over the gradients that have it.
        """
        op = "SparseAccumulatorTakeGradient"
        return apply_op(op, self._accumulator_ref, num_required, dtype=self._dtype, name=name)

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """Return what `take_grad` does as IndexedSlices."""
        found = self.take_grad(num_required, name)
        return IndexedSlices(values=found.values, indices=found.indices, dense_shape=found.shape)
