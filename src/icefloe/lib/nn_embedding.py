"""Lookup of rows in tables that may be split over several tensors."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import colocate_with, device, name_scope
from icefloe.graph.indexed_slices import convert_n_to_tensor_or_indexed_slices
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones, ones_like, zeros_like
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import gather, unique, where
from icefloe.lib.array_select import slice as slice_
from icefloe.lib.array_shape import expand_dims, rank, reshape, shape, size
from icefloe.lib.constants import is_tensor
from icefloe.lib.math_cast import cast
from icefloe.lib.math_clip import clip_by_norm
from icefloe.lib.math_elementwise import pow
from icefloe.lib.math_range import range as range_
from icefloe.lib.math_reduce import reduce_prod, reduce_sum
from icefloe.lib.sparse_layout import sparse_fill_empty_rows, sparse_reshape, sparse_retain
from icefloe.lib.variable_partitioned import PartitionedVariable
from icefloe.lib.variable_resource import ResourceVariable
from icefloe.shapes import unknown_shape


def _listed(params: Any) -> list[Any]:
    if isinstance(params, PartitionedVariable):
        return list(params)
    return params if isinstance(params, list) else [params]


def _clipped(rows: Tensor, ids: Any, max_norm: Any) -> Tensor:
    if max_norm is None:
        return rows
    ids_rank, rows_rank = convert_to_tensor(ids).shape.rank, rows.shape.rank
    if ids_rank and rows_rank:
        return clip_by_norm(rows, max_norm, axes=list(range(ids_rank, rows_rank)))
    first = ids_rank or rank(ids)
    last = rows_rank or rank(rows)
    return clip_by_norm(rows, max_norm, axes=range_(first, last))


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """Return the rows `ids` of a table; validate_indices has no effect.

    params: the table, or a list of its parts. partition_strategy: row i is in part i % n ("mod"), or the parts are
    blocks of rows ("div"). max_norm: rows are scaled down to this norm.

    Raises: ValueError if there is no table, or for another strategy.
    """
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    parts = _listed(params)
    with name_scope(name, "embedding_lookup", [*parts, ids]) as scope:
        if not any(getattr(type(part), "gathers_itself", False) for part in parts):
            parts = convert_n_to_tensor_or_indexed_slices(parts, name="params")
        ids = convert_to_tensor(ids, name="ids")
        if len(parts) == 1:
            with colocate_with(parts[0]):
                rows = _clipped(gather(parts[0], ids, name=scope), ids, max_norm)
            return apply_op("Identity", rows)
        return _clipped(_from_parts(parts, ids, partition_strategy, scope), ids, max_norm)


def _from_parts(parts: list[Any], ids: Tensor, partition_strategy: str, name: str) -> Tensor:
    n = len(parts)
    flat = reshape(ids, [-1])
    places = range_(size(flat, out_type=datatypes.int32))
    if partition_strategy == "mod":
        owners = flat % n
        rows = flat // n
    elif partition_strategy == "div":
        owners, rows = _divided(parts, flat)
    else:
        raise ValueError(f"Unrecognized partition strategy: {partition_strategy}.Must be one of either `mod` or `div`.")
    owners = cast(owners, datatypes.int32)
    rows_of = apply_op("DynamicPartition", rows, owners, num_partitions=n)
    places_of = apply_op("DynamicPartition", places, owners, num_partitions=n)
    found = []
    for i, part in enumerate(parts):
        with device(None), colocate_with(part):
            found.append(gather(part, rows_of[i]))
    result = apply_op("ParallelDynamicStitch", places_of, found, name=name)
    inner = parts[0].shape[1:]
    for part in parts[1:]:
        inner = inner.merge_with(part.shape[1:])
    if inner.is_fully_defined():
        inner_sizes: Any = inner
    else:
        with colocate_with(parts[0]):
            first_shape = shape(parts[0])
        inner_sizes = first_shape[1:]
    result = reshape(result, concat([shape(ids), inner_sizes], 0))
    result.set_shape(ids.shape.concatenate(inner))
    return result


def _divided(parts: list[Any], flat: Tensor) -> tuple[Tensor, Tensor]:
    """Return `(part, row in it)` of each id where the parts are blocks of rows, the first ones longer by one."""
    n = len(parts)
    lengths: list[Any] = [part.shape.as_list()[0] for part in parts]
    if None not in lengths and sum(lengths):
        total: Any = constant(sum(lengths), flat.dtype)
    else:
        for i, part in enumerate(parts):
            if lengths[i] is None:
                with colocate_with(part):
                    lengths[i] = shape(part)[0]
        total = reduce_sum(cast(stack(lengths), flat.dtype))
    each = total // n
    extras = total % n
    owners = apply_op("Maximum", flat // (each + 1), (flat - extras) // each)
    return owners, where(owners < extras, flat % (each + 1), (flat - extras) % each)


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Return for each row of the SparseTensor `sp_ids` the rows it names in a table, combined.

    sp_weights: a SparseTensor of weights of the same form, or None for 1. combiner: "mean" (default), "sum" or "sqrtn".
    Other arguments as for `embedding_lookup`.

    Raises: TypeError, ValueError for arguments of another kind.
    """
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    parts = _listed(params)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None:
        if not isinstance(sp_weights, SparseTensor):
            raise TypeError(f"sp_weights must be either None or SparseTensor,got {type(sp_weights)}")
        for part in ("values", "indices", "dense_shape"):
            getattr(sp_ids, part).shape.assert_is_compatible_with(getattr(sp_weights, part).shape)
    with name_scope(name, "embedding_lookup_sparse", [*parts, sp_ids]) as scope:
        segments = convert_to_tensor(sp_ids.indices[:, 0], name="segment_ids")
        ids = sp_ids.values
        if len(parts) == 1 and not is_tensor(parts[0]):
            parts = [convert_to_tensor(parts[0], name="params")]
        direct = len(parts) == 1 and parts[0].device == segments.device and max_norm is None
        sparse_gradient = False
        if direct and (allow_fast_lookup or sp_weights is None):
            index = ids
            table = parts[0]
            if getattr(type(table), "gathers_itself", False):
                table = table.read_value_no_copy()
            sparse_gradient = not allow_fast_lookup
        else:
            ids, index = unique(ids)
            table = embedding_lookup(parts, ids, partition_strategy=partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            op = {"sum": "SparseSegmentSum", "mean": "SparseSegmentMean", "sqrtn": "SparseSegmentSqrtN"}[combiner]
            return apply_op(op, table, index, segments, sparse_gradient=sparse_gradient, name=scope)
        return _weighted(table, index, segments, sp_weights.values, combiner, scope)


def _weighted(table: Any, index: Any, segments: Tensor, weights: Tensor, combiner: str, name: str) -> Tensor:
    if segments.dtype != datatypes.int32:
        segments = cast(segments, datatypes.int32)
    rows = gather(table, index)
    original = rows.dtype
    if original in (datatypes.float16, datatypes.bfloat16):
        rows = cast(rows, datatypes.float32)
    if weights.dtype != rows.dtype:
        weights = cast(weights, rows.dtype)
    inner_rank = expand_dims(rank(rows) - 1, 0)
    weights_shape = shape(weights)
    inner = ones(inner_rank, dtype=weights_shape.dtype)
    full = concat([weights_shape, inner], 0)
    static = weights.shape
    weights = reshape(weights, full)
    if rows.shape.rank is not None:
        weights.set_shape(static.concatenate([1] * (rows.shape.rank - 1)))
    rows *= weights
    if combiner == "sum":
        result = apply_op("SegmentSum", rows, segments, name=name)
    else:
        total = apply_op("SegmentSum", rows, segments)
        if combiner == "mean":
            divisor = apply_op("SegmentSum", weights, segments)
        else:
            divisor = apply_op("Sqrt", apply_op("SegmentSum", pow(weights, 2), segments))
        result = apply_op("DivNoNan", total, divisor, name=name)
    return cast(result, original) if result.dtype != original else result


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Return what `embedding_lookup_sparse` does of ids of any rank, ids below 0 and weights not above 0 left out.

    default_id: the row for entries without ids; zeros by default. Raises: ValueError without a table.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    tables = _listed(embedding_weights)
    if not tables:
        raise ValueError(f"Missing embedding_weights {tables}.")
    dtype = None if sparse_weights is None else sparse_weights.dtype
    tables = [
        table
        if isinstance(table, ResourceVariable) and dtype in (None, table.dtype)
        else convert_to_tensor(table, dtype=dtype)
        for table in tables
    ]
    with name_scope(name, "embedding_lookup", [*tables, sparse_ids, sparse_weights]) as scope:
        old_shape = sparse_ids.dense_shape
        known_rank = old_shape.shape[0].value
        ndims: Any = size(old_shape) if known_rank is None else known_rank
        rows = reduce_prod(slice_(old_shape, [0], [ndims - 1]))
        ids = sparse_reshape(sparse_ids, [rows, gather(old_shape, ndims - 1)])
        weights = sparse_weights
        if weights is not None:
            weights = SparseTensor(ids.indices, weights.values, ids.dense_shape)
        ids, weights = _valid(ids, weights, combiner)
        ids, empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, 1.0)
        result = embedding_lookup_sparse(
            tables,
            ids,
            weights,
            combiner=combiner,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope,
            max_norm=max_norm,
            allow_fast_lookup=allow_fast_lookup,
        )
        if default_id is None:
            empty = apply_op("Tile", reshape(empty, [-1, 1]), stack([1, shape(result)[1]]))
            result = where(empty, zeros_like(result), result, name=scope)
        outer = slice_(cast(old_shape, datatypes.int32), [0], [ndims - 1])
        final = reshape(result, concat([outer, slice_(shape(result), [1], [-1])], 0))
        outer_rank = None if known_rank is None else known_rank - 1
        final.set_shape(unknown_shape(outer_rank).concatenate(result.shape[1:]))
        return final


def _valid(ids: SparseTensor, weights: SparseTensor | None, combiner: str) -> tuple[SparseTensor, SparseTensor | None]:
    """Return ids from 0 on and, unless they are summed, of positive weight."""
    valid = apply_op("GreaterEqual", ids.values, 0)
    if weights is None:
        return sparse_retain(ids, valid), None
    valid = apply_op("LogicalAnd", valid, ones_like(weights.values, dtype=datatypes.bool))
    ids, weights = sparse_retain(ids, valid), sparse_retain(weights, valid)
    if combiner != "sum":
        positive = apply_op("Greater", weights.values, 0)
        ids, weights = sparse_retain(ids, positive), sparse_retain(weights, positive)
    return ids, weights
