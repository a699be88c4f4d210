"""Operations on sets, which are the rows of a tensor's last axis."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from icefloe.graph.tensor import Tensor

_DTYPES = frozenset(
    (
        *(datatypes.int8, datatypes.int16, datatypes.int32, datatypes.int64),
        *(datatypes.uint8, datatypes.uint16, datatypes.string),
    )
)


def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """Return how many different elements each set of the SparseTensor `a` has. Raises: TypeError if it is no such."""
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    if a.values.dtype.base_dtype not in _DTYPES:
        raise TypeError(f"Invalid dtype `{a.values.dtype}` not in supported dtypes: `{_DTYPES}`.")
    return apply_op("SetSize", a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


def set_intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Return the elements that are in both sets, row by row."""
    a, b, _ = _operands(a, b)
    return _operation(a, b, "intersection", validate_indices)


def set_difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Return the elements of `a` that are not in `b`, or the other way round if not `aminusb`, row by row."""
    a, b, swapped = _operands(a, b)
    return _operation(a, b, "a-b" if aminusb != swapped else "b-a", validate_indices)


def set_union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Return the elements that are in either set, row by row."""
    a, b, _ = _operands(a, b)
    return _operation(a, b, "union", validate_indices)


def _operands(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Return both as tensors, a sparse one last, and whether they changed places."""
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if a.dtype.base_dtype not in _DTYPES:
        raise TypeError(f"'a' has invalid dtype `{a.dtype}` not in supported dtypes: `{_DTYPES}`.")
    b = convert_to_tensor_or_sparse_tensor(b, name="b")
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        return b, a, True
    return a, b, False


def _operation(a: Any, b: Any, operation: str, validate_indices: bool) -> SparseTensor:
    parts: list[Any] = []
    for operand in (a, b):
        sparse = isinstance(operand, SparseTensor)
        parts += [operand.indices, operand.values, operand.dense_shape] if sparse else [operand]
    op = {2: "DenseToDenseSetOperation", 4: "DenseToSparseSetOperation", 6: "SparseToSparseSetOperation"}[len(parts)]
    result = apply_op(op, *parts, set_operation=operation, validate_indices=validate_indices)
    return SparseTensor(*result)
