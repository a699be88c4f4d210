"""SparseTensors added, multiplied, reduced, crossed, counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_shape import broadcast_static_shape, rank, reshape, transpose
from icefloe.lib.checks import assert_equal
from icefloe.lib.control import identity
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import range
from icefloe.lib.sparse_convert import as_sparse, parts

_SPARSE = (SparseTensor, SparseTensorValue)
_DEFAULT_HASH_KEY = 956888297470


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """Return the sum, sparse if both are, else dense.

    threshold: elements of a sparse sum of a magnitude not above it are left out; default 0. Raises: TypeError if
    neither is sparse.
    """
    threshold = renamed("threshold", threshold, "thresh", thresh)
    threshold = 0 if threshold is None else threshold
    if not isinstance(a, _SPARSE) and not isinstance(b, _SPARSE):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not isinstance(a, _SPARSE) or not isinstance(b, _SPARSE):
        sparse, dense = (b, a) if isinstance(b, _SPARSE) else (a, b)
        return apply_op("SparseTensorDenseAdd", *parts(as_sparse(sparse)), dense)
    a, b = as_sparse(a), as_sparse(b)
    threshold = convert_to_tensor(threshold, dtype=a.values.dtype.real_dtype.base_dtype, name="threshold")
    indices, values, dense_shape = apply_op("SparseAdd", *parts(a), *parts(b), threshold)
    a.shape.assert_is_compatible_with(b.shape)
    static = broadcast_static_shape(a.shape, b.shape)
    return SparseTensor(indices, values, static.as_list() if static.is_fully_defined() else dense_shape)


def _axes(sp_input: SparseTensor, axis: Any) -> Any:
    if axis is not None:
        return axis
    count = sp_input.dense_shape.shape.as_list()[0]
    if count is not None:
        return constant(np.arange(count), dtype=datatypes.int32)
    return range(0, rank(sp_input))


def _reduced(op: str, sp_input: SparseTensor, *given: Any) -> Any:
    axis, keepdims, reduction_axes, keep_dims = given
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    axis = renamed("axis", axis, "reduction_axes", reduction_axes)
    return apply_op(op, *parts(sp_input), _axes(sp_input, axis), keep_dims=bool(keepdims))


def sparse_reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> Tensor:
    """Return the dense tensor of sums along `axis`, default all."""
    result: Tensor = _reduced("SparseReduceSum", sp_input, axis, keepdims, reduction_axes, keep_dims)
    return result


def sparse_reduce_max(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> Tensor:
    """Return the dense tensor of maxima along `axis`, default all; 0 where there are no elements."""
    result: Tensor = _reduced("SparseReduceMax", sp_input, axis, keepdims, reduction_axes, keep_dims)
    return result


def sparse_reduce_sum_sparse(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> SparseTensor:
    """Return the SparseTensor of sums along `axis`, default all."""
    return SparseTensor(*_reduced("SparseReduceSumSparse", sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max_sparse(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> SparseTensor:
    """Return the SparseTensor of maxima along `axis`, default all."""
    return SparseTensor(*_reduced("SparseReduceMaxSparse", sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_tensor_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """Return the product of a sparse and a dense matrix; either may come first."""
    if isinstance(b, _SPARSE):
        turned = (adjoint_a, adjoint_b) if adjoint_a != adjoint_b else (not adjoint_a, not adjoint_b)
        return transpose(sparse_tensor_dense_matmul(b, sp_a, *turned))
    sp_a = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, sp_a.values, b]):
        b = convert_to_tensor(b, name="b")
        how: dict[str, Any] = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
        return apply_op("SparseTensorDenseMatMul", *parts(sp_a), b, **how)


def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Return the softmax over the elements of each row of the last axis."""
    with name_scope(name, "SparseSoftmax", [sp_input.indices, sp_input.values]):
        values = apply_op("SparseSoftmax", *parts(sp_input))
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _either(op: str, sp_a: Any, sp_b: Any, name: str | None) -> SparseTensor:
    with name_scope(name, op, [sp_a.indices, sp_a.values, sp_b.indices, sp_b.values]) as name:
        indices, values = apply_op(op, *parts(sp_a), *parts(sp_b), name=name)
    return SparseTensor(indices, values, sp_a.dense_shape)


def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Return the larger element at each position of either; a missing one is 0."""
    return _either("SparseSparseMaximum", sp_a, sp_b, name)


def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Return the smaller element at each position of either; a missing one is 0."""
    return _either("SparseSparseMinimum", sp_a, sp_b, name)


def _columns(inputs: Any, refusal: str) -> tuple[list[SparseTensor], list[Tensor], list[Tensor]]:
    """Return the sparse columns, their values and the dense columns, both strings or int64."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(x, (SparseTensor, Tensor)) for x in inputs):
        raise TypeError(refusal)
    sparse = [x for x in inputs if isinstance(x, SparseTensor)]
    dense = [x for x in inputs if isinstance(x, Tensor)]

    def wide(x: Tensor) -> Any:
        return x if x.dtype == datatypes.string else cast(x, datatypes.int64)

    return sparse, [wide(x.values) for x in sparse], [wide(x) for x in dense]


def sparse_cross(inputs: Any, name: str | None = None, separator: Any = None) -> SparseTensor:
    """Return, for each row, every combination of one feature of each input as a text joined by `separator`, "_X_"."""
    separator = convert_to_tensor("_X_" if separator is None else separator, datatypes.string)
    sparse, values, dense = _columns(inputs, "All inputs must be Tensor or SparseTensor.")
    indices, sizes = [x.indices for x in sparse], [x.dense_shape for x in sparse]
    lists = {"indices": indices, "values": values, "shapes": sizes, "dense_inputs": dense}
    return SparseTensor(*apply_op("SparseCrossV2", **lists, sep=separator, name=name))


def sparse_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Return, for each row, every combination of one feature of each input as a hash.

    num_buckets: the hash is below it unless it is 0.
    """
    sparse, values, dense = _columns(inputs, "All inputs must be SparseTensors")
    indices, sizes = [x.indices for x in sparse], [x.dense_shape for x in sparse]
    lists = {"indices": indices, "values": values, "shapes": sizes, "dense_inputs": dense}
    numbers = any(x.values.dtype != datatypes.string for x in sparse)
    numbers = numbers or any(isinstance(x, Tensor) and x.dtype != datatypes.string for x in inputs)
    attrs: dict[str, Any] = {
        "hashed_output": True,
        "num_buckets": num_buckets,
        "hash_key": hash_key or _DEFAULT_HASH_KEY,
        "out_type": datatypes.int64,
        "internal_type": datatypes.int64 if numbers else datatypes.string,
    }
    return SparseTensor(*apply_op("SparseCross", **lists, **attrs, name=name))


def sparse_bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Return how often, or with what total weight, each number occurs, of each row if `axis` is -1.

    Raises: ValueError for another axis or weights that do not fit.
    """
    with name_scope(name, "count", [values, weights]):
        if not isinstance(values, SparseTensor):
            values = convert_to_tensor(values, name="values")
        if weights is not None and not isinstance(weights, SparseTensor):
            weights = convert_to_tensor(weights, name="weights")
        if weights is not None and binary_output:
            raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
        axis = 0 if axis is None else axis
        if axis not in (0, -1):
            raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
        limits: dict[str, Any] = {
            "minlength": -1 if minlength is None else minlength,
            "maxlength": -1 if maxlength is None else maxlength,
            "binary_output": binary_output,
        }
        if axis == 0 and isinstance(values, SparseTensor):
            weights = None if weights is None else _sparse_weights(values, weights)
            values = values.values
        elif axis == 0:
            weights = None if weights is None else reshape(weights, [-1])
            values = reshape(values, [-1])
        if isinstance(values, SparseTensor):
            counted = apply_op("SparseCountSparseOutput", *parts(values), _sparse_weights(values, weights), **limits)
        else:
            weights = _dense_weights(values, weights)
            counted = apply_op("DenseCountSparseOutput", values, weights=weights, **limits)
        return SparseTensor(*counted)


def _dense_weights(values: Tensor, weights: Any) -> Tensor:
    if weights is None:
        return constant([], dtype=values.dtype)
    if not isinstance(weights, Tensor):
        raise ValueError(  # noqa: TRY004 (as TensorFlow)
            f"Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. Received weights={weights} of type: "
            f"{type(weights).__name__}"
        )
    return weights


def _sparse_weights(values: SparseTensor, weights: Any) -> Tensor:
    if weights is None:
        return constant([], dtype=values.values.dtype)
    if not isinstance(weights, SparseTensor):
        raise ValueError(  # noqa: TRY004 (as TensorFlow)
            "Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
            f"weights={weights} of type: {type(weights).__name__}"
        )
    checks = []
    if weights.dense_shape is not values.dense_shape:
        message = "'weights' and 'values' must have the same dense shape."
        checks.append(assert_equal(weights.dense_shape, values.dense_shape, message=message))
    if weights.indices is not values.indices:
        message = "'weights' and 'values' must have the same indices."
        checks.append(assert_equal(weights.indices, values.indices, message=message))
    if not checks:
        return weights.values
    with control_dependencies(checks):
        same: Tensor = identity(weights.values)
        return same
