"""Sparse tensors in another order, shape or division: SparseReorder, -Reshape, -Slice, -Split, -Concat."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, with_rank
from icefloe.ops.array.values import Array
from icefloe.ops.sparse.components import check_parts, row_order, sparse_shapes
from icefloe.shapes import Dims, shape_text


@kernel("SparseReorder")
def sparse_reorder(indices: Any, values: Any, sizes: Any) -> tuple[Array, Array]:
    """The elements in row-major order."""
    check_parts(indices, values, sizes)
    order = row_order(indices)
    return indices[order], values[order]


@shape("SparseReorder")
def sparse_reorder_shape(c: ShapeContext) -> list[Dims]:
    n, rank = sparse_shapes(c)
    return [(n, rank), (n,)]


def _text(sizes: list[int]) -> str:
    return shape_text(tuple(sizes))


def _resolved(sizes: list[int], wanted: list[int]) -> list[int]:
    """Return the shape `wanted` with what its -1 stands for."""
    for size in sizes:
        if size < 0:
            raise errors.InvalidArgumentError(f"Expected shape dimensions to be non-negative, got {size}")
    total = math.prod(sizes)
    if total > 2**63 - 1:
        raise errors.InvalidArgumentError(f"Encountered overflow when multiplying the dimensions {_text(sizes)}")
    left_out = -1
    count = 1
    for i, size in enumerate(wanted):
        if size == -1:
            if left_out >= 0:
                raise errors.InvalidArgumentError(f"only one output dimension may be -1, not both {left_out} and {i}")
            left_out = i
        elif size < 0:
            raise errors.InvalidArgumentError(f"size {i} must be non-negative, not {size}")
        else:
            count *= size
    if left_out >= 0:
        if not count:
            raise errors.InvalidArgumentError(
                "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are"
                " non-zero"
            )
        wanted[left_out] = total // count
        if total % count:
            raise errors.InvalidArgumentError(
                f"Input to reshape is a SparseTensor with {total} dense values, but the requested shape requires a"
                f" multiple of {count}. input_shape={_text(sizes)} output_shape={_text(wanted)}"
            )
    elif count != total:
        raise errors.InvalidArgumentError(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has {count}."
            f" input_shape={_text(sizes)} output_shape={_text(wanted)}"
        )
    return wanted


@kernel("SparseReshape")
def sparse_reshape(indices: Any, sizes: Any, new_sizes: Any) -> tuple[Array, Array]:
    """The indices that the elements have in a tensor of another shape; one of `new_sizes` may be -1."""
    if np.ndim(indices) != 2:
        raise errors.InvalidArgumentError("Input must be a matrix.")
    if np.ndim(sizes) != 1:
        raise errors.InvalidArgumentError("Input shape must be a vector.")
    if indices.shape[1] != len(sizes):
        raise errors.InvalidArgumentError("Input tensor rank must match input shape length.")
    if np.ndim(new_sizes) != 1:
        raise errors.InvalidArgumentError(
            f"Target shape should be a vector but received shape {shape_text(np.shape(new_sizes))}"
        )
    old = sizes.tolist()
    new = _resolved(old, new_sizes.tolist())
    if new == old:
        return indices.copy(), np.array(new, np.int64)
    flat = np.zeros(len(indices), np.int64)
    for column, size in zip(indices.T, old):
        flat = flat * size + column
    result = np.empty((len(indices), len(new)), np.int64)
    step = math.prod(new)
    for i, size in enumerate(new):
        step = step // size if size else 0
        result[:, i] = flat // step if step else 0
        flat = flat - result[:, i] * step
    return result, np.array(new, np.int64)


@shape("SparseReshape")
def sparse_reshape_shape(c: ShapeContext) -> list[Dims]:
    n, _ = with_rank(c.shape(0), 2)
    with_rank(c.shape(1), 1)
    (rank,) = with_rank(c.shape(2), 1)
    return [(n, rank), (rank,)]


def _check_slice(indices: Any, values: Any, sizes: Any, start: Any, size: Any) -> None:
    if np.ndim(indices) != 2:
        raise errors.InvalidArgumentError(
            f"Input indices should be a matrix but received shape {shape_text(np.shape(indices))}"
        )
    for name, vector in (("values", values), ("shape", sizes), ("start", start), ("size", size)):
        if np.ndim(vector) != 1:
            raise errors.InvalidArgumentError(
                f"Input {name} should be a vector but received shape {shape_text(np.shape(vector))}"
            )
    rank = len(sizes)
    for name, vector in (("start", start), ("size", size)):
        if len(vector) != rank:
            raise errors.InvalidArgumentError(
                f"Expected {name} to be a vector of length {rank} but got length {len(vector)}"
            )
    check_parts(indices, values, sizes)
    for n in size.tolist():
        if n < 0:
            raise errors.InvalidArgumentError(f"Expected a non-negative size, got {n}")


@kernel("SparseSlice")
def sparse_slice(indices: Any, values: Any, sizes: Any, start: Any, size: Any) -> tuple[Array, Array, Array]:
    """The elements from `start` on, up to `size` places in each dimension, and the shape of what there is of that."""
    _check_slice(indices, values, sizes, start, size)
    end = np.minimum(start + size, sizes)
    inside = ((indices >= start) & (indices < start + size)).all(axis=1)
    return indices[inside] - start, values[inside], np.where(start < sizes, end - start, 0)


@shape("SparseSlice")
def sparse_slice_shape(c: ShapeContext) -> list[Dims]:
    _, rank = sparse_shapes(c)
    for i in (3, 4):
        with_rank(c.shape(i), 1)
    return [(None, rank), (None,), (rank,)]


@kernel("SparseSliceGrad")
def sparse_slice_grad(gradient: Any, indices: Any, start: Any, sliced: Any) -> Array:
    """For each of the `indices` the gradient of the element it became in the slice, else 0."""
    if np.ndim(gradient) != 1 or np.ndim(indices) != 2 or np.ndim(sliced) != 2:
        raise errors.InvalidArgumentError(
            "Input backprop_val_grad should be a vector, input_indices and output_indices matrices, but received shapes"
            f" {shape_text(np.shape(gradient))}, {shape_text(np.shape(indices))}, {shape_text(np.shape(sliced))}"
        )
    if indices.shape[1] != sliced.shape[1]:
        raise errors.InvalidArgumentError(
            f"The input and output should have the same ndims: got {indices.shape[1]} and {sliced.shape[1]}"
        )
    if len(gradient) != len(sliced):
        raise errors.InvalidArgumentError(
            "# elements of backprop_val_grad and # rows of output_indices should match (#nnz of sum): got"
            f" {len(gradient)} and {len(sliced)}"
        )
    if np.shape(start) != (indices.shape[1],):
        raise errors.InvalidArgumentError(
            f"The input_start should be a vector of length {indices.shape[1]}, got shape {shape_text(np.shape(start))}"
        )
    result = np.zeros(len(indices), gradient.dtype)
    # Both are in order, so that the elements of the slice are met one after the other.
    at = 0
    wanted = (sliced + start).tolist()
    for i, row in enumerate(indices.tolist()):
        if at < len(wanted) and row == wanted[at]:
            result[i] = gradient[at]
            at += 1
    if at != len(wanted):
        raise errors.InvalidArgumentError(
            f"Elements of backprop_val_grad aren't all propagated. Num elements: {len(wanted)}, used: {at}"
        )
    return result


@shape("SparseSliceGrad")
def sparse_slice_grad_shape(c: ShapeContext) -> list[Dims]:
    n, _ = with_rank(c.shape(1), 2)
    with_rank(c.shape(0), 1)
    return [(n,)]


@kernel("SparseSplit")
def sparse_split(dim: Any, indices: Any, values: Any, sizes: Any, *, num_split: int) -> tuple[Array, ...]:
    """`num_split` parts along `dim`, the first ones a place longer where it does not divide."""
    if np.ndim(dim):
        raise errors.InvalidArgumentError(
            f"Input axis should be a scalar but received shape {shape_text(np.shape(dim))}"
        )
    check_parts(indices, values, sizes)
    rank = len(sizes)
    if not -rank <= dim < rank:
        raise errors.InvalidArgumentError(f"Input axis should be in range [{-rank}, {rank}), got {dim}")
    axis = int(dim) % rank
    size = int(sizes[axis])
    if not 1 <= num_split <= size:
        raise errors.InvalidArgumentError(
            f"Input num_split should be between 1 and the splitting dimension size ({size}), got {num_split}"
        )
    base, longer = divmod(size, num_split)
    lengths = [base + (i < longer) for i in range(num_split)]
    parts: list[tuple[Array, Array, Array]] = []
    start = 0
    for length in lengths:
        inside = (indices[:, axis] >= start) & (indices[:, axis] < start + length)
        moved = indices[inside]
        moved[:, axis] -= start
        part_sizes = sizes.copy()
        part_sizes[axis] = length
        parts.append((moved, values[inside], part_sizes))
        start += length
    return tuple(part[i] for i in range(3) for part in parts)


@shape("SparseSplit")
def sparse_split_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank(c.shape(3), 1)
    num = c.num_outputs // 3
    indices: list[Dims] = [(None, known[0])] * num
    values: list[Dims] = [(None,)] * num
    shapes: list[Dims] = [known] * num
    return [*indices, *values, *shapes]


@kernel("SparseConcat")
def sparse_concat(
    indices: tuple[Array, ...], values: tuple[Array, ...], shapes: tuple[Array, ...], *, concat_dim: int
) -> tuple[Array, Array, Array]:
    """Sparse tensors one after the other along a dimension, the elements in row-major order."""
    for i, (rows, elements, sizes) in enumerate(zip(indices, values, shapes)):
        if rows.ndim != 2:
            raise errors.InvalidArgumentError(
                f"Input indices should be a matrix but received shape {shape_text(rows.shape)} at position {i}"
            )
        if elements.ndim != 1:
            raise errors.InvalidArgumentError(
                f"Input values should be a vector but received shape {shape_text(elements.shape)} at position {i}"
            )
        if sizes.ndim != 1:
            raise errors.InvalidArgumentError(
                f"Input shapes should be a vector but received shape {shape_text(sizes.shape)} at position {i}"
            )
        check_parts(rows, elements, sizes)
    rank = len(shapes[0])
    if not -rank <= concat_dim < rank:
        raise errors.InvalidArgumentError(f"Concat dimension must be in range [{-rank}, {rank}), got {concat_dim}")
    axis = concat_dim % rank
    for i, sizes in enumerate(shapes[1:], 1):
        if len(sizes) != rank:
            raise errors.InvalidArgumentError(
                f"Ranks of all input tensors must match: expected {rank} but got {len(sizes)} at position {i}"
            )
        for d in range(rank):
            if d != axis and sizes[d] != shapes[0][d]:
                raise errors.InvalidArgumentError(
                    f"Input shapes must match: expected {shapes[0][d]} for dimension {d} but got {sizes[d]} at position"
                    f" {i}"
                )
    moved = []
    start = 0
    for rows, sizes in zip(indices, shapes):
        rows = rows.copy()
        rows[:, axis] += start
        start += int(sizes[axis])
        moved.append(rows)
    together = np.concatenate(moved)
    order = row_order(together)
    total = shapes[0].copy()
    total[axis] = start
    return together[order], np.concatenate(values)[order], total


@shape("SparseConcat")
def sparse_concat_shape(c: ShapeContext) -> list[Dims]:
    n: int | None = 0
    rank: Dims = (None,)
    for i, j, k in zip(c.group("indices"), c.group("values"), c.group("shapes")):
        rows, columns = with_rank(c.shape(i), 2)
        (count,) = with_rank(c.shape(j), 1)
        rows = rows if rows is not None else count
        n = None if n is None or rows is None else n + rows
        rank = merge(merge(rank, (columns,)), with_rank(c.shape(k), 1))
    assert rank is not None
    return [(n, rank[0]), (n,), rank]
