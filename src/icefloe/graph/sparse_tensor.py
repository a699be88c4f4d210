"""`SparseTensor`: a tensor given by the positions and values of some of its elements."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

from icefloe import datatypes, shapes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.operators import true_divide_dtype
from icefloe.graph.partial_shape import constant_value_as_shape
from icefloe.graph.tensor import Tensor, default_session

if TYPE_CHECKING:
    from icefloe.graph.graph import Graph
    from icefloe.graph.operation import Operation

SparseTensorValue = collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


class SparseTensor:
    """The elements `values[i]` at positions `indices[i]` of a tensor of shape `dense_shape`.

    indices: int64 [n, rank]; values: [n]; dense_shape: int64 [rank].

    Raises: TypeError, ValueError if they cannot be that.
    """

    __array_priority__ = 100
    is_tensor_like = True

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices: Tensor = convert_to_tensor(indices, name="indices", dtype=datatypes.int64)
            self._values: Tensor = convert_to_tensor(values, name="values")
            self._dense_shape: Tensor = convert_to_tensor(dense_shape, name="dense_shape", dtype=datatypes.int64)
            self._static_shape = constant_value_as_shape(self._dense_shape)
        positions = self._indices.shape.with_rank(2)
        elements = self._values.shape.with_rank(1)
        rank = self._dense_shape.shape.with_rank(1)
        shapes.dimension_at_index(positions, 0).assert_is_compatible_with(shapes.dimension_at_index(elements, 0))
        shapes.dimension_at_index(positions, 1).assert_is_compatible_with(shapes.dimension_at_index(rank, 0))

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Return a SparseTensor of constants. Raises: TypeError if it is no SparseTensor or SparseTensorValue."""
        if not is_sparse(sparse_tensor_value):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor SparseTensorValue."
            )
        value = sparse_tensor_value
        return cls(indices=value.indices, values=value.values, dense_shape=value.dense_shape)

    @property
    def indices(self) -> Tensor:
        """The positions of the elements."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole tensor."""
        return self._dense_shape

    @property
    def shape(self) -> shapes.TensorShape:
        """The static shape of the whole tensor."""
        return self._static_shape

    def get_shape(self) -> shapes.TensorShape:
        """Return `shape`."""
        return self._static_shape

    def set_shape(self, shape: Any) -> None:
        """Add to what is known of the static shape. Raises: ValueError if it contradicts what is known."""
        self._static_shape = self._static_shape.merge_with(shape)

    def with_values(self, new_values: Any) -> SparseTensor:
        """Return a SparseTensor with other elements at the same positions."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

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
        """The graph it belongs to."""
        return self._indices.graph

    def consumers(self) -> list[Operation]:
        """Return the ops that take one of the tensors it consists of."""
        parts = (self._indices, self._values, self._dense_shape)
        return list(dict.fromkeys(op for part in parts for op in part.consumers()))

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """Return its value, run in `session` or the default one."""
        chosen = default_session(self.graph, session, "evaluate tensor", "`eval(session=sess)`")
        return SparseTensorValue(*chosen.run([self._indices, self._values, self._dense_shape], feed_dict))

    def _multiply_by_dense(self, dense: Any, name: str) -> SparseTensor:
        product = apply_op("SparseDenseCwiseMul", self._indices, self._values, self._dense_shape, dense, name=name)
        return SparseTensor(self._indices, product, self._dense_shape)

    def _with_dense(self, op_type: str, word: str, dense: Any) -> SparseTensor:
        with name_scope(None, word, [self._indices, self._values, self._dense_shape, dense]) as scope:
            dense = convert_to_tensor(dense, dtype=self.dtype.base_dtype, name="y")
            values = self._values
            wide = true_divide_dtype(values.dtype.base_dtype) if word == "truediv" else None
            if wide is not None:
                values = apply_op("Cast", values, DstT=wide)
                dense = apply_op("Cast", dense, DstT=wide)
            result = apply_op(op_type, self._indices, values, self._dense_shape, dense, name=scope)
            return SparseTensor(self._indices, result, self._dense_shape)

    def __mul__(self, dense: Any) -> SparseTensor:
        return self._with_dense("SparseDenseCwiseMul", "mul", dense)

    def __truediv__(self, dense: Any) -> SparseTensor:
        return self._with_dense("SparseDenseCwiseDiv", "truediv", dense)

    def __div__(self, dense: Any) -> SparseTensor:
        return self._with_dense("SparseDenseCwiseDiv", "div", dense)

    def __str__(self) -> str:
        return f"SparseTensor(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"


def is_sparse(x: Any) -> bool:
    """Whether `x` is a SparseTensor or SparseTensorValue."""
    return isinstance(x, (SparseTensor, SparseTensorValue))


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return sparse tensors as SparseTensor, all else as a tensor.

    Raises: RuntimeError if a sparse tensor has another dtype than `dtype`.
    """
    if dtype is not None:
        dtype = datatypes.as_dtype(dtype)
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if dtype is not None and not dtype.is_compatible_with(value.dtype):
            raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype.name},  Actual: {value.dtype.name}")
        return value
    return convert_to_tensor(value, dtype=dtype, name=name)
