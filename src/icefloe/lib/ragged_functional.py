"""Functions of tensors applied to the flat values of RaggedTensors.

Source: tensorflow/python/ops/ragged/ragged_functional_ops.py (nodes and names).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph.default_graph import name_scope
from icefloe.lib.ragged_partition import RowPartition
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged, is_ragged
from icefloe.shapes import dimension_at_index


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return `op` of the arguments, with the flat values of each RaggedTensor among them, in the same rows.

    Raises: ValueError if the RaggedTensors, or the result, are not divided alike.
    """
    partitions: list[tuple[RowPartition, ...]] = []
    counts: set[int] = set()
    inner_args = _flat(args, partitions, counts)
    inner_kwargs = _flat(kwargs, partitions, counts)
    if not partitions:
        return op(*args, **kwargs)
    if len(counts) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got sizes: " + str(counts)
        )
    if len({parts[0].dtype for parts in partitions}) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row partition dtypes; use RaggedTensor.with_row_splits_dtype() to "
            "convert them to compatible dtypes."
        )
    output = op(*inner_args, **inner_kwargs)
    if counts:
        count = counts.pop()
        if not output.shape[:1].is_compatible_with([count]):
            raise ValueError(
                "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as "
                f"flat_values of any ragged inputs. (output shape: {output.shape}; expected outer dimension size: "
                f"{count})"
            )
    merged = list(partitions[0])
    for parts in partitions[1:]:
        if len(parts) != len(merged):
            raise ValueError("All ragged inputs must have the same ragged_rank.")
        merged = [one.merged(other) for one, other in zip(merged, parts)]
    with name_scope(None, "RaggedFromNestedRowPartitions", [output]):
        result = output
        for partition in reversed(merged):
            result = RaggedTensor._from_row_partition(result, partition, validate=False)
        return result


def _flat(value: Any, partitions: list[tuple[RowPartition, ...]], counts: set[int]) -> Any:
    if is_ragged(value):
        ragged = as_tensor_or_ragged(value)
        partitions.append(ragged._nested_row_partitions)
        known = dimension_at_index(ragged.flat_values.shape, 0).value
        if known is not None:
            counts.add(known)
        return ragged.flat_values
    if isinstance(value, (list, tuple)):
        items = [_flat(item, partitions, counts) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _flat(item, partitions, counts) for key, item in value.items()}
    return value
