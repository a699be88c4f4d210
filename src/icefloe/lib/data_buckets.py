"""`Dataset.bucket_by_sequence_length`. Source: tensorflow/python/data/ops/dataset_ops.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.tensor import Tensor
from icefloe.lib import data_nest as nest
from icefloe.lib.data_arguments import INT64
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_functional import group_by_window
from icefloe.shapes import TensorShape


def bucket_by_sequence_length(
    dataset: Dataset,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: str | None = None,
) -> Dataset:
    """Return padded batches of elements whose lengths, by `element_length_func`, lie between the same boundaries.

    Raises: ValueError unless there is a batch size more than boundaries.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
            f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
        )
    sizes = convert_to_tensor(list(bucket_batch_sizes), dtype=INT64)
    limits = np.iinfo(np.int32)

    def element_to_bucket_id(*args: Any) -> Any:
        length = element_length_func(*args)
        lowest = convert_to_tensor([limits.min, *bucket_boundaries], dtype=length.dtype)
        highest = convert_to_tensor([*bucket_boundaries, limits.max], dtype=length.dtype)
        inside = apply_op("LogicalAnd", apply_op("LessEqual", lowest, length), apply_op("Less", length, highest))
        return apply_op("Min", apply_op("Where", inside), [0, 1])

    def entry(values: Tensor, bucket_id: Tensor) -> Tensor:
        chosen: Tensor = apply_op("GatherV2", values, bucket_id, 0)
        return chosen

    def window_size_fn(bucket_id: Tensor) -> Tensor:
        return entry(sizes, bucket_id)

    def batching_fn(bucket_id: Tensor, grouped: Dataset) -> Dataset:
        size = window_size_fn(bucket_id)
        if no_padding:
            return grouped.batch(size, drop_remainder=drop_remainder, name=name)
        filler: Any = None
        if pad_to_bucket_boundary:
            message = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
            is_inner = apply_op("Less", bucket_id, convert_to_tensor(len(bucket_batch_sizes) - 1, dtype=INT64))
            with control_dependencies([apply_op("Assert", is_inner, [message])]):
                bounds = convert_to_tensor(list(bucket_boundaries), dtype=INT64)
                filler = apply_op("Sub", entry(bounds, bucket_id), convert_to_tensor(1, dtype=INT64))
        wanted = padded_shapes or grouped.output_shapes
        shapes = [_filled(s, filler) for s in nest.flatten(wanted)]
        packed = nest.pack_sequence_as(wanted, shapes)
        return grouped.padded_batch(size, packed, padding_values, drop_remainder=drop_remainder, name=name)

    return group_by_window(dataset, element_to_bucket_id, batching_fn, None, window_size_fn, name)


def _filled(shape: Any, filler: Any) -> Any:
    known = TensorShape(shape).as_list()
    if filler is None:
        return known
    parts = [filler if d is None else convert_to_tensor(d, dtype=datatypes.int64) for d in known]
    return apply_op("Pack", parts) if parts else known
