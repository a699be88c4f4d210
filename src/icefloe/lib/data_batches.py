"""`Dataset.padded_batch`, `unbatch`, `rebatch` and `sparse_batch`.

Source: tensorflow/python/data/ops/padded_batch_op.py, unbatch_op.py, rebatch_op.py, sparse_batch_op.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.partial_shape import constant_value_as_shape
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import SparseTensorSpec, TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure
from icefloe.lib.data_arguments import INT64, arguments, flag, number
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_functional import mapped
from icefloe.shapes import TensorShape, as_shape


def padded_batch(
    dataset: Dataset, batch_size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: Any, name: str | None
) -> Dataset:
    """See `Dataset.padded_batch`. Raises: TypeError for components that are no tensors; ValueError for shapes they do
    not fit in."""
    spec = dataset.element_spec
    for leaf in nest.flatten(spec):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                f"`padded_batch` is only supported for datasets that produce tensor elements but got {leaf}."
            )
    shapes = structure.legacy_shapes(spec)
    if padded_shapes is None:
        padded_shapes = shapes
        for i, shape in enumerate(nest.flatten(shapes)):
            if shape.rank is None:
                raise ValueError(f"You must provide `padded_shapes` argument because component {i} has unknown rank.")
    size = number(batch_size, "batch_size")
    values = nest.flatten(_padding(spec, padding_values))
    targets = [_shape_tensor(p, s) for p, s in zip(_leaves(spec, padded_shapes), nest.flatten(shapes), strict=True)]
    fills = [_fill(v, leaf.dtype) for v, leaf in zip(values, nest.flatten(spec), strict=True)]
    drop = flag(drop_remainder, "drop_remainder")
    known = constant_value(size) if constant_value(drop) else None
    first = TensorShape([None if known is None else int(known)])
    made = [
        TensorSpec(first.concatenate(constant_value_as_shape(t)), leaf.dtype)
        for t, leaf in zip(targets, nest.flatten(spec))
    ]
    result = nest.pack_sequence_as(spec, made)
    given = arguments(result, name)
    variant = apply_op(
        "PaddedBatchDatasetV2",
        dataset._variant_tensor,
        size,
        targets,
        fills,
        drop,
        output_shapes=given["output_shapes"],
        metadata=given["metadata"],
    )
    return Dataset(variant, result, (dataset,))


def _leaves(spec: Any, values: Any) -> list[Any]:
    """Return what a nest that may go deeper, such as one of lists, has where `spec` has leaves."""
    found: list[Any] = []
    nest.map_up_to(spec, found.append, values)
    return found


def _padding(spec: Any, values: Any) -> Any:
    def default(leaf: TensorSpec) -> Any:
        if leaf.dtype == datatypes.string:
            return ""
        if leaf.dtype == datatypes.variant:
            raise TypeError("Unable to create default padding value for variant types.")
        if leaf.dtype == datatypes.bfloat16:
            return convert_to_tensor(0, dtype=datatypes.bfloat16)
        return np.zeros((), leaf.dtype.as_numpy_dtype)

    if values is None:
        return nest.map_structure(default, spec)
    if nest.is_nested(spec) and not nest.is_nested(values):
        return nest.map_structure(lambda leaf: values, spec)
    given = _leaves(spec, values)
    leaves = [default(leaf) if v is None else v for v, leaf in zip(given, nest.flatten(spec), strict=True)]
    return nest.pack_sequence_as(spec, leaves)


def _fill(value: Any, dtype: Any) -> Tensor:
    tensor = convert_to_tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with(TensorShape([])):
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got {tensor.shape}."
        )
    if tensor.dtype != dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype} does not match type {dtype} of the "
            "corresponding input component."
        )
    return tensor


def _shape_tensor(padded: Any, shape: TensorShape) -> Tensor:
    try:
        target = as_shape(padded)
        tensor = convert_to_tensor([-1 if d is None else d for d in target.as_list()], dtype=INT64)
    except (TypeError, ValueError):
        tensor = convert_to_tensor(padded, preferred_dtype=INT64)
        if tensor.shape.rank not in (None, 1):
            raise ValueError(
                f"Padded shape {padded} must be a `tf.int64` vector tensor, but its shape was {tensor.shape}."
            ) from None
        if tensor.dtype != INT64:
            raise TypeError(
                f"Padded shape {padded} must be a `tf.int64` vector tensor, but its element type was "
                f"{tensor.dtype.name}."
            ) from None
        target = constant_value_as_shape(tensor)
    if target.rank is not None and shape.rank is not None:
        if target.rank != shape.rank or any(
            p is not None and s is not None and p < s for p, s in zip(target.as_list(), shape.as_list())
        ):
            raise ValueError(
                f"The padded shape {target} is not compatible with the shape {shape} of the input component."
            )
    return tensor


def unbatch(dataset: Dataset, name: str | None = None) -> Dataset:
    """See `Dataset.unbatch`."""
    spec = nest.map_structure(lambda leaf: leaf.unbatch(), dataset.element_spec)
    rows = _row_tensors(dataset)
    return Dataset(apply_op("UnbatchDataset", rows._variant_tensor, **arguments(spec, name)), spec, (dataset,))


def _row_tensors(dataset: Dataset) -> Dataset:
    """Return the elements as tensors whose rows carry their rows."""
    spec = dataset.element_spec

    def normalize(*args: Any) -> Any:
        return tuple(structure.to_row_tensors(spec, args if type(spec) is tuple else args[0]))

    normalize.__name__ = "normalize"
    return mapped(dataset, normalize)


def rebatch(dataset: Dataset, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Dataset:
    """See `Dataset.rebatch`."""
    rows = _row_tensors(dataset)
    sizes = convert_to_tensor(batch_size, dtype=INT64, name="batch_sizes")
    drop = flag(drop_remainder, "drop_remainder")
    known = constant_value(sizes) if constant_value(drop) else None
    length = int(np.reshape(known, -1)[0]) if known is not None and np.size(known) == 1 else None
    spec = nest.map_structure(lambda leaf: leaf.unbatch().batch(length), dataset.element_spec)
    attrs = arguments(spec, name)
    del attrs["metadata"]
    variant = apply_op("RebatchDatasetV2", rows._variant_tensor, batch_size, drop_remainder, **attrs)
    return Dataset(variant, spec, (dataset,))


def sparse_batch(dataset: Dataset, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
    """See `Dataset.sparse_batch`. Raises: TypeError unless elements are single tensors."""
    if not isinstance(dataset.element_spec, TensorSpec):
        raise TypeError(
            "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the given "
            f"dataset has the following component types: {dataset.output_types}."
        )
    shape = as_shape(row_shape)
    row = convert_to_tensor([-1 if d is None else d for d in shape.as_list()], dtype=INT64)
    spec = SparseTensorSpec(TensorShape([None]).concatenate(shape), dataset.element_spec.dtype)
    attrs = arguments(spec, name)
    attrs.pop("metadata")
    variant = apply_op("DenseToSparseBatchDataset", dataset._variant_tensor, batch_size, row, **attrs)
    return Dataset(variant, spec, (dataset,))
