"""Sparse tensors added, multiplied, compared: with sparse and with dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array
from icefloe.ops.sparse.components import check_parts, merged
from icefloe.shapes import Dims, shape_text


def _check_add(a: tuple[Any, Any, Any], b: tuple[Any, Any, Any]) -> None:
    if np.ndim(a[0]) != 2 or np.ndim(b[0]) != 2:
        raise errors.InvalidArgumentError(
            f"Input indices should be matrices but received shapes: {shape_text(np.shape(a[0]))} and"
            f" {shape_text(np.shape(b[0]))}"
        )
    if np.ndim(a[1]) != 1 or np.ndim(b[1]) != 1:
        raise errors.InvalidArgumentError(
            f"Input values should be vectors but received shapes: {shape_text(np.shape(a[1]))} and"
            f" {shape_text(np.shape(b[1]))}"
        )
    if len(a[0]) != len(a[1]) or len(b[0]) != len(b[1]):
        raise errors.InvalidArgumentError(
            f"Expected {len(a[0])} and {len(b[0])} non-empty input values, got {len(a[1])} and {len(b[1])}"
        )
    if a[0].shape[1] != b[0].shape[1]:
        raise errors.InvalidArgumentError(
            f"Input indices must have the same dimension, got {a[0].shape[1]} and {b[0].shape[1]}"
        )
    if np.ndim(a[2]) != 1 or np.ndim(b[2]) != 1:
        raise errors.InvalidArgumentError(
            f"Input shapes should be a vector but received shapes: {shape_text(np.shape(a[2]))} and"
            f" {shape_text(np.shape(b[2]))}"
        )
    if len(a[2]) != len(b[2]) or len(a[2]) != a[0].shape[1]:
        raise errors.InvalidArgumentError(
            f"Operands' shapes do not match: got {shape_text(np.shape(a[2]))} and {shape_text(np.shape(b[2]))}"
        )
    _check_same_sizes(a[2], b[2])


def _check_same_sizes(a: Array, b: Array) -> None:
    for i, (m, n) in enumerate(zip(a.tolist(), b.tolist())):
        if m != n:
            raise errors.InvalidArgumentError(f"Operands' shapes do not match: got {m} and {n} for dimension {i}")


@kernel("SparseAdd")
def sparse_add(
    a_indices: Any, a_values: Any, a_sizes: Any, b_indices: Any, b_values: Any, b_sizes: Any, threshold: Any
) -> tuple[Array, Array, Array]:
    """The sum, without those sums of two elements whose magnitude is below `threshold`."""
    _check_add((a_indices, a_values, a_sizes), (b_indices, b_values, b_sizes))
    if np.ndim(threshold):
        raise errors.InvalidArgumentError(
            f"The magnitude threshold must be a scalar: got shape {shape_text(np.shape(threshold))}"
        )
    rows, a_places, b_places = merged(a_indices, b_indices)
    total = np.zeros(len(rows), a_values.dtype)
    np.add.at(total, a_places, a_values)
    np.add.at(total, b_places, b_values)
    in_a, in_b = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    in_a[a_places] = True
    in_b[b_places] = True
    alone = ~(in_a & in_b)
    kept = alone | (np.abs(total) >= threshold)
    return rows[kept], total[kept], a_sizes.copy()


@shape("SparseAdd")
def sparse_add_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank(c.shape(2), 1)
    return [(None, known[0]), (None,), known]


@kernel("SparseAddGrad")
def sparse_add_grad(gradient: Any, a_indices: Any, b_indices: Any, sum_indices: Any) -> tuple[Array, Array]:
    """For the elements of both operands the gradient of the sum at their places, 0 where the sum has dropped them."""
    for a in (a_indices, b_indices, sum_indices):
        if np.ndim(a) != 2:
            raise errors.InvalidArgumentError(
                "Input indices should be matrices but received shapes:"
                f" {shape_text(np.shape(a_indices))} and {shape_text(np.shape(b_indices))}"
            )
    if np.ndim(gradient) != 1:
        raise errors.InvalidArgumentError(
            f"Input backprop_val_grad should be a vector but received shape: {shape_text(np.shape(gradient))}"
        )
    if not a_indices.shape[1] == b_indices.shape[1] == sum_indices.shape[1]:
        raise errors.InvalidArgumentError(
            f"The densified operands should have the same ndims: got {a_indices.shape[1]} and {b_indices.shape[1]}"
        )
    if len(gradient) != len(sum_indices):
        raise errors.InvalidArgumentError(
            "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): got"
            f" {len(gradient)} and {len(sum_indices)}"
        )
    found = dict(zip(map(tuple, sum_indices.tolist()), range(len(sum_indices))))
    padded = np.append(gradient, np.zeros(1, gradient.dtype))
    a, b = (
        padded[np.array([found.get(tuple(row), -1) for row in rows.tolist()], np.int64)]
        for rows in (a_indices, b_indices)
    )
    return a, b


@shape("SparseAddGrad")
def sparse_add_grad_shape(c: ShapeContext) -> list[Dims]:
    return [(with_rank(c.shape(1), 2)[0],), (with_rank(c.shape(2), 2)[0],)]


@kernel("SparseTensorDenseAdd")
def sparse_tensor_dense_add(indices: Any, values: Any, sizes: Any, dense: Any) -> Array:
    """`dense` with the elements of a sparse tensor of the same shape added."""
    dense = np.asarray(dense)
    check_parts(indices, values, sizes)
    if len(sizes) != dense.ndim:
        raise errors.InvalidArgumentError(f"Two operands have different ranks; received: {len(sizes)} and {dense.ndim}")
    for i, (m, n) in enumerate(zip(sizes.tolist(), dense.shape)):
        if m != n:
            raise errors.InvalidArgumentError(
                f"Dimension {i} does not equal (no broadcasting is supported): sparse side {m} vs dense side {n}"
            )
    bad = (indices < 0) | (indices >= dense.shape)
    if bad.any():
        row, column = np.argwhere(bad)[0].tolist()
        raise errors.InvalidArgumentError(
            f"Sparse tensor has an invalid index on dimension {column}: a_indices({row},{column}) ="
            f" {indices[row, column]}, dense tensor shape: {' '.join(map(str, dense.shape))}"
        )
    result = dense.copy()
    np.add.at(result, tuple(indices.T), values)
    return result


@shape("SparseTensorDenseAdd")
def sparse_tensor_dense_add_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape(3)]


@kernel("SparseTensorDenseMatMul")
def sparse_tensor_dense_mat_mul(
    indices: Any, values: Any, sizes: Any, dense: Any, *, adjoint_a: bool, adjoint_b: bool
) -> Array:
    """The product of a sparse and a dense matrix, either of them transposed and conjugated where so asked."""
    if np.ndim(dense) != 2:
        raise errors.InvalidArgumentError("Tensor 'b' is not a matrix")
    if np.shape(sizes) != (2,):
        raise errors.InvalidArgumentError("Tensor 'a_shape' must have 2 elements")
    if np.ndim(values) != 1:
        raise errors.InvalidArgumentError("Tensor 'a_values' is not a vector")
    if np.ndim(indices) != 2:
        raise errors.InvalidArgumentError("Tensor 'a_indices' is not a matrix")
    if indices.shape != (len(values), 2):
        raise errors.InvalidArgumentError("Number of rows of a_indices does not match number of entries in a_values")
    m, k = (sizes[::-1] if adjoint_a else sizes).tolist()
    right = (np.conj(dense.T) if dense.dtype.kind == "c" else dense.T) if adjoint_b else dense
    if right.shape[0] != k:
        raise errors.InvalidArgumentError(
            f"Cannot multiply A and B because inner dimension does not match: {k} vs. {right.shape[0]}.  Did you forget"
            f" a transpose?  Dimensions of A: [{m}, {k}).  Dimensions of B: {shape_text(dense.shape)}"
        )
    row, column = (indices[:, ::-1] if adjoint_a else indices).T
    for name, at, limit, side in (("k", column, k, 1), ("m", row, m, 0)):
        bad = (at < 0) | (at >= limit)
        if bad.any():
            first = int(np.argmax(bad))
            place = 1 - side if adjoint_a else side
            raise errors.InvalidArgumentError(
                f"{name} ({at[first]}) from index[{first},{place}] out of bounds (>={limit})"
            )
    target = check_shape((m, right.shape[1]), values.dtype)
    weights = np.conj(values) if adjoint_a and values.dtype.kind == "c" else values
    # Half precision adds up in single, as TensorFlow does.
    wide = np.dtype(np.float32) if values.dtype.itemsize == 2 else values.dtype
    result = np.zeros(target, wide)
    order = np.argsort(row, kind="stable")
    if order.size:
        rows = row[order]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        terms = right[column[order]].astype(wide) * weights[order].astype(wide)[:, None]
        result[rows[starts]] = np.add.reduceat(terms, starts, axis=0)
    return result.astype(values.dtype, copy=False)


@shape("SparseTensorDenseMatMul")
def sparse_tensor_dense_mat_mul_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 2)
    with_rank(c.shape(1), 1)
    sizes = c.shape_value(2)
    dense = with_rank(c.shape(3), 2)
    if sizes is not None and len(sizes) != 2:
        raise errors.InvalidArgumentError(f"Shape must be rank 2 but is rank {len(sizes)}")
    m, k = (None, None) if sizes is None else (sizes[1], sizes[0]) if c.attr("adjoint_a") else (sizes[0], sizes[1])
    inner, n = (dense[1], dense[0]) if c.attr("adjoint_b") else (dense[0], dense[1])
    if k is not None and inner is not None and k != inner:
        raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {k} and {inner}")
    return [(m, n)]


def _dense_at(indices: Any, values: Any, sizes: Any, dense: Any) -> Array:
    """Return the elements of `dense`, broadcast to the sparse tensor's shape, at the places of its elements."""
    dense = np.asarray(dense)
    for what, part, rank in (("indices", indices, 2), ("values", values, 1), ("shape", sizes, 1)):
        if np.ndim(part) != rank:
            raise errors.InvalidArgumentError(
                f"Input sp_{what} should be a {'matrix' if rank == 2 else 'vector'} but received shape:"
                f" {shape_text(np.shape(part))}"
            )
    if len(values) != len(indices):
        raise errors.InvalidArgumentError(
            f"The first dimension of values and indices should match. ({len(values)} vs. {len(indices)})"
        )
    if len(sizes) != indices.shape[1]:
        raise errors.InvalidArgumentError(
            f"Number of dimensions must match second dimension of indices. Got {len(sizes)} dimensions, indices shape:"
            f" {shape_text(indices.shape)}"
        )
    target = tuple(sizes.tolist())
    fits = dense.ndim <= len(target) and all(n in (1, m) for n, m in zip(reversed(dense.shape), reversed(target)))
    if not fits:
        raise errors.InvalidArgumentError(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes:"
            f" {shape_text(target)} vs. {shape_text(dense.shape)}"
        )
    if ((indices < 0) | (indices >= sizes)).any():
        raise errors.InvalidArgumentError("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")
    return np.broadcast_to(dense, target)[tuple(indices.T)]


@kernel("SparseDenseCwiseAdd")
def sparse_dense_cwise_add(indices: Any, values: Any, sizes: Any, dense: Any) -> Array:
    """The values plus what a dense tensor, broadcast, has at their places."""
    return np.add(values, _dense_at(indices, values, sizes, dense), dtype=values.dtype)


@kernel("SparseDenseCwiseMul")
def sparse_dense_cwise_mul(indices: Any, values: Any, sizes: Any, dense: Any) -> Array:
    return np.multiply(values, _dense_at(indices, values, sizes, dense), dtype=values.dtype)


@kernel("SparseDenseCwiseDiv")
def sparse_dense_cwise_div(indices: Any, values: Any, sizes: Any, dense: Any) -> Array:
    """The quotient; of integers rounded towards zero."""
    divisor = _dense_at(indices, values, sizes, dense)
    if values.size and not np.all(dense):
        raise errors.InvalidArgumentError(
            "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero "
        )
    if values.dtype.kind not in "iu":
        return np.divide(values, divisor).astype(values.dtype, copy=False)
    quotient = values // divisor
    return quotient + ((quotient < 0) & (quotient * divisor != values)).astype(values.dtype)


@shape("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv")
def sparse_dense_cwise_shape(c: ShapeContext) -> list[Dims]:
    n, _ = with_rank(c.shape(0), 2)
    return [(n,)]


def _elementwise(a: tuple[Any, Any, Any], b: tuple[Any, Any, Any], function: Any) -> tuple[Array, Array]:
    """Return `function` of two sparse tensors of one shape where either has an element; the other counts as 0."""
    check_parts(*a)
    check_parts(*b)
    if len(a[2]) != len(b[2]):
        raise errors.InvalidArgumentError(
            "Operands do not have the same ranks; got shapes:"
            f" {' '.join(map(str, a[2].tolist()))} and {' '.join(map(str, b[2].tolist()))}"
        )
    _check_same_sizes(a[2], b[2])
    rows, a_places, b_places = merged(a[0], b[0])
    sides = []
    for places, values in ((a_places, a[1]), (b_places, b[1])):
        side = np.zeros(len(rows), a[1].dtype)
        side[places] = values
        sides.append(side)
    return rows, function(*sides).astype(a[1].dtype, copy=False)


@kernel("SparseSparseMaximum")
def sparse_sparse_maximum(
    a_indices: Any, a_values: Any, a_sizes: Any, b_indices: Any, b_values: Any, b_sizes: Any
) -> tuple[Array, Array]:
    return _elementwise((a_indices, a_values, a_sizes), (b_indices, b_values, b_sizes), np.maximum)


@kernel("SparseSparseMinimum")
def sparse_sparse_minimum(
    a_indices: Any, a_values: Any, a_sizes: Any, b_indices: Any, b_values: Any, b_sizes: Any
) -> tuple[Array, Array]:
    return _elementwise((a_indices, a_values, a_sizes), (b_indices, b_values, b_sizes), np.minimum)


@shape("SparseSparseMaximum", "SparseSparseMinimum")
def sparse_sparse_shape(c: ShapeContext) -> list[Dims]:
    _, rank = with_rank(c.shape(0), 2)
    return [(None, rank), (None,)]
