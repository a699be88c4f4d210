"""Functions of RaggedTensors that TensorFlow defines one by one: products, sums along rows, softmax, joined strings.

Source: tensorflow/python/ops/ragged/ragged_math_ops.py, ragged_string_ops.py, ragged_embedding_ops.py (nodes and
names).
"""

from __future__ import annotations

import functools
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import (
    array_shape,
    checks,
    control,
    math_elementwise,
    math_matrix,
    math_range,
    nn_activations,
    nn_embedding,
    strings,
)
from icefloe.lib.arguments import renamed
from icefloe.lib.array_batch_gather import repeat
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import gather
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.ragged_axis import positive_axis
from icefloe.lib.ragged_elementwise import binary, unary
from icefloe.lib.ragged_functional import map_flat_values
from icefloe.lib.ragged_partition import RowPartition
from icefloe.lib.ragged_reduce import reduce_max, reduce_rows, reduce_sum
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged, is_ragged, row_count


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product of matrices, or of batches of them, that may have different numbers of rows.

    Raises: ValueError if dtypes or ranks differ.
    """
    if transpose_a and adjoint_a:
        raise ValueError("Only one of transpose_a and adjoint_a can be True.")
    if transpose_b and adjoint_b:
        raise ValueError("Only one of transpose_b and adjoint_b can be True.")
    how: dict[str, Any] = {
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "adjoint_a": adjoint_a,
        "adjoint_b": adjoint_b,
        "a_is_sparse": a_is_sparse,
        "b_is_sparse": b_is_sparse,
        "output_type": output_type,
    }
    with name_scope(name, "RaggedMatMul", [a, b]):
        a = as_tensor_or_ragged(a, name="a")
        b = as_tensor_or_ragged(b, name="b")
        if a.dtype != b.dtype:
            raise ValueError("`a` and `b` must have the same dtype.")
        rank = b.shape.rank if a.shape.rank is None else a.shape.rank
        if rank is None:
            raise ValueError("matmul requires at least one input to have known rank if either input is ragged.")
        if rank < 2 or (None not in (a.shape.rank, b.shape.rank) and a.shape.rank != b.shape.rank):
            raise ValueError("`a` and `b` must have the same rank.")
        if rank == 2:
            return _matrix_product(a, b, how)
        if rank > 3:
            a, b = (t if isinstance(t, RaggedTensor) else RaggedTensor.from_tensor(t, ragged_rank=1) for t in (a, b))
            said = "Batch dimensions of `a` and `b` do not have the same size."
            with control_dependencies([checks.assert_equal(a.row_splits, b.row_splits, message=said)]):
                return a.with_values(matmul(a.values, b.values, **how))
        if getattr(a, "ragged_rank", 0) == 1 and not (isinstance(b, RaggedTensor) or transpose_a or adjoint_a):
            rows = array_shape.expand_dims(a.values, 1)
            product = math_matrix.matmul(rows, repeat(b, a.row_lengths(), axis=0), **how)
            return a.with_values(array_shape.squeeze(product, axis=1))
        return _product_of_each(a, b, how)


def _matrix_product(a: Any, b: Any, how: dict[str, Any]) -> Tensor:
    said = "The matrices in `a` and `b` may not be ragged in their innermost dimension."
    found, dense = [], []
    for t in (a, b):
        if isinstance(t, RaggedTensor):
            count = array_shape.size(t.flat_values)
            t = t.to_tensor()
            found.append(checks.assert_equal(count, array_shape.size(t), message=said))
        dense.append(t)
    with control_dependencies(found):
        return math_matrix.matmul(*dense, **how)


def _product_of_each(a: Any, b: Any, how: dict[str, Any]) -> Any:
    from icefloe.lib.map_fn import map_fn
    from icefloe.lib.ragged_spec import RaggedTensorSpec

    turned_a, turned_b = (how[f"transpose_{x}"] or how[f"adjoint_{x}"] for x in "ab")
    deep = isinstance(b, RaggedTensor) and (b.ragged_rank == 2 or turned_b)

    def product(pair: Any) -> Any:
        made = _matrix_product(pair[0], pair[1], how)
        return RaggedTensor.from_tensor(made) if deep else made

    splits = (a if isinstance(a, RaggedTensor) else b).row_splits
    spec = RaggedTensorSpec(None, how["output_type"] or a.dtype, 1 if deep else 0, splits.dtype)
    result = map_fn(product, elems=(a, b), fn_output_signature=spec)
    sizes_a, sizes_b = a.shape.as_list(), b.shape.as_list()
    result.set_shape([*sizes_a[:-2], sizes_a[-1] if turned_a else sizes_a[-2], None])
    result.set_shape([*sizes_b[:-2], None, sizes_b[-2] if turned_b else sizes_b[-1]])
    return result


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Return the softmax of rows of different lengths."""
    axis = renamed("axis", axis, "dim", dim)
    axis = -1 if axis is None else axis
    with name_scope(name, "RaggedSoftmax", [logits]):
        largest = reduce_max(logits, axis=axis, keepdims=True)
        powers = unary(math_elementwise.exp, binary(math_elementwise.subtract, logits, largest))
        total = reduce_sum(powers, axis=axis, keepdims=True)
        return binary(math_elementwise.divide, powers, total)


def add_n(inputs: Any, name: str | None = None) -> Any:
    """Return the sum of RaggedTensors of the same rows."""
    with name_scope(name, "RaggedAddN", inputs):
        return map_flat_values(math_elementwise.add_n, inputs)


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    """Return the values with some of them dropped and the rest scaled up. Raises: ValueError for a noise shape."""
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    with name_scope(name, "RaggedNNDropout", [x, rate]):
        x = as_tensor_or_ragged(x, name="x")
        return x.with_flat_values(nn_activations.dropout(x.flat_values, keep_prob=keep_prob, seed=seed, rate=rate))


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """Return running sums along `axis`."""
    with name_scope(name, "RaggedCumSum", [x, axis, exclusive, reverse]):
        axis = positive_axis(axis, x.shape.rank, ndims_name="rank")
        if axis == x.ragged_rank:
            rows = x._nested_row_partitions[-1]
            return x.with_flat_values(_running_sums(rows, x.flat_values, exclusive, reverse))
        if axis > x.ragged_rank:
            along = functools.partial(
                math_range.cumsum, axis=axis - x.ragged_rank, exclusive=exclusive, reverse=reverse
            )
            return map_flat_values(along, x)
        sums = math_range.cumsum(x.to_tensor(), axis, exclusive=exclusive, reverse=reverse, name=name)
        return RaggedTensor.from_tensor(sums, lengths=x.nested_row_lengths())


def _running_sums(rows: RowPartition, values: Tensor, exclusive: bool, reverse: bool) -> Tensor:
    if not exclusive:
        return _running_sums(rows, values, True, reverse) + values
    if reverse:
        edge = gather(rows.row_splits(), rows.value_rowids() + 1) - 1
    else:
        edge = gather(rows.row_splits(), rows.value_rowids())
    sums = math_range.cumsum(values, exclusive=True, reverse=reverse)
    return sums - gather(sums, edge)


def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Return the bits of the values as another type. Raises: ValueError if the values lack an axis to join."""
    type = datatypes.as_dtype(type)
    with name_scope(name, "Bitcast", [input]):
        ragged = as_tensor_or_ragged(input, name="input")
        rank = ragged.flat_values.shape.rank
        if ragged.dtype.size < type.size and rank is not None and rank < 2:
            raise ValueError(
                "`input.flat_values` is required to have rank >= 2 when input.dtype.size < type.size. Actual rank: "
                f"{rank}"
            )
        return ragged.with_flat_values(apply_op("Bitcast", ragged.flat_values, type=type))


def identity(input: RaggedTensor, name: str | None = None) -> Any:
    """Return a RaggedTensor through Identity nodes."""
    return input.with_component_tensors([control.identity(part) for part in input.component_tensors()])


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """Return the embeddings of ids in ragged rows.

    Raises: ValueError if there are no parameters or the ids no integers.
    """
    if params is None:
        raise ValueError("params must be specified.")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("params should not be empty.")
    if ids.dtype not in (datatypes.int32, datatypes.int64):
        raise ValueError(
            f"The values contained by the inputs have type {ids.dtype} and cannot be processed. All values should be "
            "indices, either of type `int32` or `int64`."
        )
    with name_scope(name, "embedding_lookup_ragged"):
        made = nn_embedding.embedding_lookup(
            params, ids.flat_values, partition_strategy=partition_strategy, max_norm=max_norm
        )
        return ids.with_flat_values(made)


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: Any = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Return the combined embeddings of each row of ids."""
    ids = sp_ids.to_sparse()
    weights = sp_weights.to_sparse() if is_ragged(sp_weights) else sp_weights
    return nn_embedding.embedding_lookup_sparse(
        params, ids, weights, partition_strategy=partition_strategy, name=name, combiner=combiner, max_norm=max_norm
    )


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: Any = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: Any = None,
) -> Any:
    """Return the strings of rows joined over `axis`, default all."""
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    scope = name or "RaggedSegmentJoin"
    return reduce_rows(
        strings.reduce_join, strings.unsorted_segment_join, inputs, axis, keepdims, scope, separator=separator
    )


def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Return RaggedTensors of strings joined elementwise."""
    with name_scope(name, "RaggedStringJoin", inputs):
        return map_flat_values(strings.string_join, inputs, separator)


def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """Return `template` with each placeholder replaced by a printed tensor or RaggedTensor.

    Raises: ValueError if their numbers differ.
    """
    if isinstance(inputs, Tensor) or is_ragged(inputs):
        inputs = [inputs]
    parts = template.split(placeholder)
    if len(inputs) != len(parts) - 1:
        raise ValueError(f"num placeholders in template and num inputs must match: {len(parts) - 1} vs {len(inputs)}")
    with name_scope(name, "StringFormat", [inputs]):
        pieces: list[Any] = [constant(parts[0])]
        for given, text in zip(inputs, parts[1:]):
            if is_ragged(given):
                pieces.append(_as_text(given, summarize))
            else:
                pieces.append(strings.string_format("{}", [given], summarize=summarize))
            pieces.append(constant(text))
        return strings.reduce_join(pieces)


def _as_text(ragged: Any, summarize: int | None) -> Tensor:
    if summarize is not None and summarize != -1 and not (isinstance(summarize, int) and summarize > 0):
        raise ValueError(f"Expected summarize to be -1 or a positive int, got {summarize!r}")
    with name_scope(None, "AsString", [ragged]):
        ragged = as_tensor_or_ragged(ragged)
        if ragged.shape.rank is None:
            raise ValueError("RaggedTensor to_string requires that rt.shape.rank is not None.")
        if ragged.dtype == datatypes.string:
            escaped = strings.regex_replace(ragged.flat_values, r"(['\\])", r"\\\1")
            texts = ragged.with_flat_values("'" + escaped + "'")
        else:
            texts = ragged.with_flat_values(apply_op("AsString", ragged.flat_values))
        return _bracketed(texts, summarize)


def _bracketed(texts: Any, summarize: int | None) -> Tensor:
    from icefloe.lib.map_fn import map_fn

    if texts.shape.rank == 1:
        pieces = texts
    else:
        spec = TensorSpec(None, datatypes.string)
        pieces = map_fn(lambda row: _bracketed(row, summarize), texts, fn_output_signature=spec)
    if summarize not in (-1, None):
        assert summarize is not None
        all_pieces, shown = pieces, summarize
        pieces = cond(
            row_count(texts) <= 2 * shown,
            lambda: all_pieces,
            lambda: concat([all_pieces[:shown], ["..."], all_pieces[-shown:]], axis=0),
        )
    return "[" + strings.reduce_join(pieces, separator=", ") + "]"
