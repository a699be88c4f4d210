"""`RaggedTensorSpec`: what is known, before running, of a RaggedTensor.

Source: tensorflow/python/ops/ragged/ragged_tensor.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec
from icefloe.lib.ragged_conversion import from_variant, to_variant
from icefloe.lib.ragged_partition import RowPartition
from icefloe.lib.ragged_tensor import RaggedTensor, is_ragged
from icefloe.lib.ragged_value import RaggedTensorValue
from icefloe.shapes import TensorShape, as_shape, dimension_value


class RaggedTensorSpec(TypeSpec):
    """Shape, dtype, number of ragged dimensions and dtype of the splits of a RaggedTensor.

    ragged_rank: default all dimensions but the last; 0: a tensor. flat_values_spec: of values that are no tensor.

    Raises: ValueError, TypeError if they contradict each other.
    """

    value_type = RaggedTensor

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = datatypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = datatypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._row_splits_dtype = datatypes.as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            if dtype is None:
                dtype = flat_values_spec.dtype
            elif dtype != flat_values_spec.dtype:
                raise ValueError("dtype must be the same as flat_values_spec.dtype")
        elif dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        self._dtype = datatypes.as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
        self._ragged_rank = ragged_rank
        if ragged_rank <= 0:
            self.value_type = Tensor  # type: ignore[assignment,misc]

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """Return the spec of a RaggedTensor or RaggedTensorValue."""
        return cls(
            shape=value.shape,
            dtype=value.values.dtype,
            ragged_rank=value.ragged_rank,
            row_splits_dtype=value.row_splits.dtype,
        )

    @property
    def dtype(self) -> datatypes.DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known; a ragged dimension is None."""
        return self._shape

    @property
    def ragged_rank(self) -> int:
        """The number of dimensions that are divided into rows."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> datatypes.DType:
        """The dtype of the splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of values that are no tensor, or None."""
        return self._flat_values_spec

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether some value fits both this and another spec, or the value given."""
        if self._ragged_rank == 0 and isinstance(spec_or_value, (Tensor, TensorSpec)):
            return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    def _serialize(self) -> tuple[Any, ...]:
        known = self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype
        return known if self._flat_values_spec is None else (*known, self._flat_values_spec)

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        if self._ragged_rank <= 0:
            return (self._flat_values_spec or TensorSpec(self._shape, self._dtype),)
        below = self._shape[self._ragged_rank + 1 :] if self._shape.rank is not None else None
        flat = self._flat_values_spec or TensorSpec(TensorShape([None]).concatenate(as_shape(below)), self._dtype)
        rows = dimension_value(self._shape[0]) if self._shape.rank is not None else None
        outer = TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)
        inner = TensorSpec([None], self._row_splits_dtype)
        return (flat, outer, *[inner] * (self._ragged_rank - 1))

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return (value.flat_values, *value.nested_row_splits) if is_ragged(value) else (value,)

    def _from_components(self, components: Sequence[Any]) -> Any:
        result, *nested_splits = components
        if all(isinstance(part, np.ndarray) for part in components):
            for splits in reversed(nested_splits):
                result = RaggedTensorValue(result, splits)
            return result
        for splits in reversed(nested_splits):
            result = RaggedTensor(result, RowPartition.from_row_splits(splits, validate=False), internal=True)
        return self._with_shape(result)

    def _with_shape(self, value: Any) -> Any:
        if self._shape.ndims is not None:
            value.set_shape(self._shape)
        return value

    def batch(self, size: Any) -> RaggedTensorSpec:
        shape = TensorShape([size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def unbatch(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self._shape[1:], self._dtype, self._ragged_rank - 1, self._row_splits_dtype)

    def _boxed(self, value: Any, *, rows: bool) -> Tensor:
        if isinstance(value, RaggedTensor):
            if value.ragged_rank != self._ragged_rank:
                raise ValueError(
                    f"Ragged rank of value {value.ragged_rank} does not match ragged rank of type {self._ragged_rank}."
                )
            return to_variant(value, batched_input=rows)
        if self._ragged_rank > 0:
            raise ValueError(
                f"Expected a RaggedTensor if ragged rank={self._ragged_rank} but got {type(value).__name__}."
            )
        boxed: Tensor = apply_op("RaggedTensorToVariant", [], value, Tsplits=datatypes.int64, batched_input=rows)
        return boxed

    def box_rows(self, value: Any) -> Tensor:
        return self._boxed(value, rows=True)

    def box(self, value: Any) -> Tensor:
        return self._boxed(value, rows=False)

    def box_spec(self) -> TensorSpec:
        return TensorSpec(None, datatypes.variant)

    def unbox(self, tensor: Tensor) -> Any:
        made = from_variant(
            tensor,
            dtype=self._dtype,
            row_splits_dtype=self._row_splits_dtype,
            output_ragged_rank=self._ragged_rank,
        )
        return self._with_shape(made)
