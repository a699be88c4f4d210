"""Products of matrices, one by one and in batches, through BLAS; 16-bit floats through float32.

Source: tensorflow/core/kernels/matmul_op_impl.h.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import (
    ShapeContext,
    broadcast_shapes,
    merge,
    scalar,
    shape_text,
    with_rank,
    with_rank_at_least,
)
from icefloe.machine import products

Function = Callable[..., Any]

_NARROW = (datatypes.float16, datatypes.bfloat16)


def matrix_product(T: DType) -> Function:
    """Return a function like np.matmul that computes and returns `T`."""
    if T in _NARROW:
        to = T.numpy
        return lambda a, b: products.product(a.astype(np.float32), b.astype(np.float32)).astype(to)
    return _integer_product if T.is_integer else products.product


# Below this many multiplications the loop for integers is quicker than looking at the values first.
_FEW = 1 << 14


def _integer_product(a: Any, b: Any) -> Any:
    """Return the product, wrapped around. BLAS has no integers, but float64 holds them where no sum passes 2^53."""
    if a.size * b.shape[-1] > _FEW and b.size:
        largest = [max(int(x.max()), -int(x.min())) for x in (a, b)]
        if largest[0] * largest[1] * a.shape[-1] <= 2**53:
            return products.product(a.astype(np.float64), b.astype(np.float64)).astype(np.int64).astype(a.dtype)
    return np.matmul(a, b)


def _transposed(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _adjoint(x: Any) -> Any:
    return np.conjugate(np.swapaxes(x, -1, -2))


def _incompatible(a: Any, b: Any) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(
        f"Matrix size-incompatible: In[0]: {shape_text(np.shape(a))}, In[1]: {shape_text(np.shape(b))}"
    )


@kernel("MatMul", factory=True)
def mat_mul(*, T: DType, transpose_a: bool, transpose_b: bool) -> Function:
    """Return the product of two matrices. Raises: InvalidArgumentError if they are none, or do not fit."""
    multiply = matrix_product(T)

    def product(a: Any, b: Any) -> Any:
        if a.ndim != 2 or b.ndim != 2:
            raise _not_matrices(a, b)
        if a.shape[0 if transpose_a else 1] != b.shape[1 if transpose_b else 0]:
            raise _incompatible(a, b)
        return multiply(a.T if transpose_a else a, b.T if transpose_b else b)

    return product


def _not_matrices(a: Any, b: Any) -> errors.InvalidArgumentError:
    if np.ndim(a) != np.ndim(b):
        return errors.InvalidArgumentError(
            f"In[0] and In[1] has different ndims: {shape_text(np.shape(a))} vs. {shape_text(np.shape(b))}"
        )
    return errors.InvalidArgumentError(f"In[0] and In[1] ndims must be == 2: {np.ndim(a)}")


@shape("MatMul")
def mat_mul_shape(c: ShapeContext) -> list[Any]:
    """[rows of a, columns of b]."""
    a, b = with_rank(c.shape(0), 2), with_rank(c.shape(1), 2)
    inner_a, rows = (a[0], a[1]) if c.attr("transpose_a") else (a[1], a[0])
    columns, inner_b = (b[0], b[1]) if c.attr("transpose_b") else (b[1], b[0])
    if inner_a is not None and inner_b is not None and inner_a != inner_b:
        raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {inner_a} and {inner_b}")
    return [(rows, columns)]


def _batch_product(multiply: Function, adj_x: bool, adj_y: bool, check: Function) -> Function:
    def product(x: Any, y: Any) -> Any:
        check(x, y)
        if x.shape[-2 if adj_x else -1] != y.shape[-1 if adj_y else -2]:
            raise _incompatible(x, y)
        return multiply(_adjoint(x) if adj_x else x, _adjoint(y) if adj_y else y)

    return product


def _check_ranks(x: Any, y: Any) -> None:
    for i, v in enumerate((x, y)):
        if np.ndim(v) < 2:
            raise errors.InvalidArgumentError(f"In[{i}] ndims must be >= 2: {np.ndim(v)}")


def _check_equal_batches(x: Any, y: Any) -> None:
    if np.ndim(x) != np.ndim(y):
        raise _not_matrices(x, y)
    _check_ranks(x, y)
    for i, (m, n) in enumerate(zip(x.shape[:-2], y.shape[:-2])):
        if m != n:
            raise errors.InvalidArgumentError(
                f"In[0].dim({i}) and In[1].dim({i}) must be the same: {shape_text(x.shape)} vs {shape_text(y.shape)}"
            )


def _check_batches(x: Any, y: Any) -> None:
    _check_ranks(x, y)
    try:
        np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        raise errors.InvalidArgumentError(
            f"In[0] and In[1] must have compatible batch dimensions: {shape_text(x.shape)} vs. {shape_text(y.shape)}"
        ) from None


@kernel("BatchMatMul", factory=True)
def batch_mat_mul(*, T: DType, adj_x: bool, adj_y: bool) -> Function:
    """Return the products of the matrices in the last two axes; the other axes of x and y are equal."""
    return _batch_product(matrix_product(T), adj_x, adj_y, _check_equal_batches)


@kernel("BatchMatMulV2", factory=True)
def batch_mat_mul_v2(*, T: DType, adj_x: bool, adj_y: bool) -> Function:
    """Return the products of the matrices in the last two axes; the other axes are broadcast."""
    return _batch_product(matrix_product(T), adj_x, adj_y, _check_batches)


@kernel("BatchMatMulV3", factory=True)
def batch_mat_mul_v3(*, Ta: DType, Tb: DType, Tout: DType, adj_x: bool, adj_y: bool) -> Function:
    """Return the products as `Tout`, which the inputs are converted to first."""
    multiply, to = matrix_product(Tout), Tout.numpy
    if Ta == Tb == Tout:
        return _batch_product(multiply, adj_x, adj_y, _check_batches)
    return _batch_product(lambda x, y: multiply(x.astype(to), y.astype(to)), adj_x, adj_y, _check_batches)


def _matrices_shape(c: ShapeContext, combine: Function) -> list[Any]:
    x, y = c.shape(0), c.shape(1)
    if x is None or y is None:
        return [None]
    for s in (x, y):
        if len(s) < 2:
            raise errors.InvalidArgumentError(f"Shape must be at least rank 2 but is rank {len(s)}")
    rows, inner_x = (x[-1], x[-2]) if c.attr("adj_x") else (x[-2], x[-1])
    inner_y, columns = (y[-1], y[-2]) if c.attr("adj_y") else (y[-2], y[-1])
    if inner_x is not None and inner_y is not None and inner_x != inner_y:
        raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {inner_x} and {inner_y}")
    return [(*combine(x[:-2], y[:-2]), rows, columns)]


@shape("BatchMatMul")
def batch_mat_mul_shape(c: ShapeContext) -> list[Any]:
    return _matrices_shape(c, merge)


@shape("BatchMatMulV2", "BatchMatMulV3")
def batch_mat_mul_v2_shape(c: ShapeContext) -> list[Any]:
    return _matrices_shape(c, broadcast_shapes)


@kernel("SparseMatMul", factory=True)
def sparse_mat_mul(*, transpose_a: bool, transpose_b: bool) -> Function:
    """Return the float32 product of two matrices, float32 or bfloat16; that they hold many zeros is only a hint."""

    def product(a: Any, b: Any) -> Any:
        for name, v in (("a", a), ("b", b)):
            if np.ndim(v) != 2:
                raise errors.InvalidArgumentError(f"{name} is not a matrix")
        if a.shape[0 if transpose_a else 1] != b.shape[1 if transpose_b else 0]:
            raise errors.InvalidArgumentError(
                f"Matrix size incompatible: a: {shape_text(a.shape)}, b: {shape_text(b.shape)}"
            )
        left, right = a.astype(np.float32), b.astype(np.float32)
        return np.matmul(left.T if transpose_a else left, right.T if transpose_b else right)

    return product


shape("SparseMatMul")(mat_mul_shape)


@kernel("Cross")
def cross(a: Any, b: Any) -> Any:
    """Return the cross products of the 3-vectors along the last axis."""
    if np.shape(a) != np.shape(b):
        raise errors.InvalidArgumentError(
            f"Both inputs must be of same shape: {shape_text(np.shape(a))} vs. {shape_text(np.shape(b))}"
        )
    if np.ndim(a) == 0:
        raise errors.InvalidArgumentError("Input must be at least 1D[]")
    if a.shape[-1] != 3:
        raise errors.FailedPreconditionError("Cross-products are only defined for 3-element vectors.")
    out = np.empty_like(a)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return out


@shape("Cross")
def cross_shape(c: ShapeContext) -> list[Any]:
    both = merge(with_rank_at_least(c.shape(0), 1), with_rank_at_least(c.shape(1), 1))
    if both is not None and both[-1] not in (None, 3):
        raise errors.InvalidArgumentError(f"Dimension must be 3 but is {both[-1]}")
    return [both]


@kernel("AddN", factory=True)
def add_n(*, T: DType, node: str) -> Function:
    """Return the sum of tensors of one shape; variants are added as their classes say.

    Raises: InvalidArgumentError for different shapes.
    """
    if T.name == "variant":
        return lambda inputs: functools.reduce(_add_variants, inputs)
    return lambda inputs: _sum(inputs, node)


def _add_variants(a: Any, b: Any) -> Any:
    if not hasattr(a, "__add__") or type(a) is not type(b):
        raise errors.InternalError(f"No binary variant op for addition of {type(a).__name__} and {type(b).__name__}")
    return a + b


def _sum(inputs: tuple[Any, ...], node: str) -> Any:
    first = inputs[0]
    for i, x in enumerate(inputs):
        if np.shape(x) != np.shape(first):
            raise errors.InvalidArgumentError(
                f"Inputs to operation {node} of type AddN must have the same size and shape.  "
                f"Input 0: {shape_text(np.shape(first))} != input {i}: {shape_text(np.shape(x))}"
            )
    if len(inputs) == 1:
        return np.array(first)
    if first.dtype.itemsize == 2 and first.dtype.kind not in "iu":
        total = np.add(first.astype(np.float32), inputs[1].astype(np.float32))
        for x in inputs[2:]:
            total = total + x.astype(np.float32)
        return total.astype(first.dtype)
    total = np.add(first, inputs[1])
    for x in inputs[2:]:
        total = np.add(total, x, out=total) if isinstance(total, np.ndarray) else total + x
    return total


@kernel("AccumulateNV2")
def accumulate_n(inputs: tuple[Any, ...], *, node: str) -> Any:
    """Return the sum of tensors of one shape."""
    return _sum(inputs, node)


@shape("AddN", "AccumulateNV2")
def add_n_shape(c: ShapeContext) -> list[Any]:
    result: Any = tuple(c.attr("shape")) if c.op == "AccumulateNV2" and c.attr("shape") is not None else None
    for i in range(c.num_inputs):
        result = merge(result, c.shape(i))
    return [result]


@kernel("IsTensorFloat32Enabled")
def is_tensor_float32_enabled() -> Any:
    """Return True, TensorFlow's default; products here are never that coarse."""
    return np.array(True)


shape("IsTensorFloat32Enabled")(scalar)
