"""SparseTensors made of dense tensors and of strings, and back."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones, zeros, zeros_like
from icefloe.lib.array_join import stack
from icefloe.lib.array_select import gather_nd, where_v2
from icefloe.lib.array_shape import shape
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import not_equal
from icefloe.lib.math_range import range


def as_sparse(sp_input: Any) -> SparseTensor:
    """Return a SparseTensor, of a SparseTensorValue one of constants. Raises: TypeError for anything else."""
    if isinstance(sp_input, SparseTensorValue):
        return SparseTensor.from_value(sp_input)
    if not isinstance(sp_input, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return sp_input


def parts(sp_input: SparseTensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return indices, values and dense shape."""
    return sp_input.indices, sp_input.values, sp_input.dense_shape


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return a tensor that has `sparse_values` at `sparse_indices` and `default_value` elsewhere."""
    inputs = {"default_value": default_value, "validate_indices": validate_indices}
    return apply_op("SparseToDense", sparse_indices, output_shape, sparse_values, **inputs, name=name)


def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """Return the dense tensor, with `default_value`, default 0, where the SparseTensor has no element."""
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = zeros([], dtype=sp_input.dtype)
    return sparse_to_dense(
        sp_input.indices, sp_input.dense_shape, sp_input.values, default_value, validate_indices, name
    )


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Return the SparseTensor of the elements that are not 0."""
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        indices = where_v2(not_equal(tensor, zeros_like(tensor)))
        values = gather_nd(tensor, indices)
        return SparseTensor(indices, values, shape(tensor, out_type=datatypes.int64))


def _size(value: Any, name: str) -> Tensor:
    if isinstance(value, Integral):
        return convert_to_tensor(value, name=name, dtype=datatypes.int64)
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be an integer value")
    size: Tensor = cast(value, datatypes.int64)
    return size


def sparse_eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = datatypes.float32, name: str | None = None
) -> SparseTensor:
    """Return the matrix with ones on its diagonal."""
    with name_scope(name, "eye", [num_rows, num_columns]):
        num_rows = _size(num_rows, "num_rows")
        num_columns = num_rows if num_columns is None else _size(num_columns, "num_columns")
        length = apply_op("Minimum", num_rows, num_columns)
        place = range(length, dtype=datatypes.int64)
        indices = stack([place, place], axis=1)
        return SparseTensor(indices, ones(length, dtype=dtype), [num_rows, num_columns])


def serialize_sparse(sp_input: Any, name: str | None = None, out_type: Any = datatypes.string) -> Tensor:
    """Return a SparseTensor as three serialized tensors, strings or variants."""
    return apply_op("SerializeSparse", *parts(as_sparse(sp_input)), out_type=out_type, name=name)


def serialize_many_sparse(sp_input: Any, name: str | None = None, out_type: Any = datatypes.string) -> Tensor:
    """Return each entry of a SparseTensor along its first axis as a row of three serialized tensors."""
    return apply_op("SerializeManySparse", *parts(as_sparse(sp_input)), out_type=out_type, name=name)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Return the SparseTensor of a batch that `serialize_many_sparse` made.

    rank: that of the result if it is known.
    """
    indices, values, dense_shape = apply_op("DeserializeManySparse", serialized_sparse, dtype=dtype, name=name)
    indices.set_shape([None, rank])
    dense_shape.set_shape([rank])
    return SparseTensor(indices, values, dense_shape)
