"""`IndexedSlices`: a tensor given by some of its slices along the first dimension; the form of sparse gradients."""

from __future__ import annotations

import collections
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from icefloe import datatypes, shapes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import convert_to_tensor, register_tensor_conversion_function
from icefloe.graph.partial_shape import constant_value_as_shape
from icefloe.graph.tensor import Tensor

if TYPE_CHECKING:
    from icefloe.graph.graph import Graph
    from icefloe.graph.operation import Operation

_LARGE = 100_000_000

IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])


class IndexedSlices:
    """The slices `values[i]` at positions `indices[i]` of a tensor of shape `dense_shape`; all else of it is zero.

    values: [n, ...]; indices: int [n], not necessarily distinct; dense_shape: int vector, or None where it is not
    known.
    """

    is_tensor_like = True

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Tensor:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where each slice stands."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole tensor, or None."""
        return self._dense_shape

    @property
    def shape(self) -> shapes.TensorShape:
        """The static shape of the whole tensor."""
        return shapes.unknown_shape() if self._dense_shape is None else constant_value_as_shape(self._dense_shape)

    def get_shape(self) -> shapes.TensorShape:
        """Return `shape`."""
        return self.shape

    @property
    def name(self) -> str:
        """The name of `values`."""
        return self._values.name

    @property
    def device(self) -> str:
        """The device of `values`."""
        return self._values.device

    @property
    def op(self) -> Operation:
        """The op of `values`."""
        return self._values.op

    @property
    def dtype(self) -> datatypes.DType:
        """The dtype of `values`."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph of `values`."""
        return self._values.graph

    def consumers(self) -> list[Operation]:
        """Return the ops that take one of the tensors it consists of."""
        parts = [self._values, self._indices] + ([] if self._dense_shape is None else [self._dense_shape])
        return list(dict.fromkeys(op for part in parts for op in part.consumers()))

    def _as_graph_element(self) -> Tensor:
        return self._values

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"


def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return IndexedSlices, tensors and sparse tensors as they are, all else as a tensor.

    Raises: ValueError if it has another dtype than `dtype`.
    """
    if isinstance(value, (Tensor, IndexedSlices)):
        if dtype is not None and not datatypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Incompatible tensor conversion requested to `dtype` {datatypes.as_dtype(dtype).name} for `value` "
                f"({value}) with dtype {value.dtype.name}."
            )
        return value
    return convert_to_tensor(value, dtype=dtype, name=name)


def convert_n_to_tensor_or_indexed_slices(
    values: Iterable[Any], dtype: Any = None, name: str | None = None
) -> list[Any]:
    """Return each of `values` converted, None as it is; nodes are named `name_0`, `name_1`, ..."""
    if not isinstance(values, Iterable):
        raise TypeError("Argument `values` must be iterable.")
    return [
        None
        if value is None
        else convert_to_tensor_or_indexed_slices(value, dtype, None if name is None else f"{name}_{i}")
        for i, value in enumerate(values)
    ]


def _to_tensor(value: IndexedSlices, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    """Make the whole tensor: slices of one position are added."""
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {dtype.name} for IndexedSlices ({value}) "
            f"with dtype {value.dtype.name}"
        )
    if value.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {value!s}"
        )
    known = constant_value(value.dense_shape)
    if known is not None and int(known.prod()) >= _LARGE:
        warnings.warn(
            f"Converting sparse IndexedSlices to a dense Tensor with {int(known.prod())} elements. "
            "This may consume a large amount of memory.",
            stacklevel=2,
        )
    size = value.dense_shape[0]
    return apply_op("UnsortedSegmentSum", value.values, value.indices, size, name=name)


register_tensor_conversion_function(IndexedSlices, _to_tensor)
