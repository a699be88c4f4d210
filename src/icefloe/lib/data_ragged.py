"""`Dataset.ragged_batch`: tensors of other sizes as rows of a ragged tensor.

Source: tensorflow/python/data/ops/ragged_batch_op.py.
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.ragged_spec import RaggedTensorSpec
from icefloe.lib.ragged_tensor import RaggedTensor


def ragged_batch(
    dataset: Dataset, batch_size: Any, drop_remainder: Any, row_splits_dtype: Any, name: str | None
) -> Dataset:
    """See `Dataset.ragged_batch`."""
    spec = nest.map_structure(lambda leaf: _ragged_spec(leaf, row_splits_dtype), dataset.element_spec)

    def boxed(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        leaf = _ragged_spec(TensorSpec(value.shape, value.dtype), row_splits_dtype)
        if not isinstance(leaf, RaggedTensorSpec):
            return value
        if leaf.ragged_rank > 0:
            value = RaggedTensor.from_tensor(value, ragged_rank=leaf.ragged_rank, row_splits_dtype=row_splits_dtype)
        return leaf.box(value)

    def boxes(*values: Any) -> Any:
        if isinstance(dataset.element_spec, tuple):
            return nest.map_structure(boxed, values)
        return nest.map_structure(boxed, values[0])

    mapped = dataset.map(boxes)
    made = Dataset(mapped._variant_tensor, spec, (dataset,))
    return made.batch(batch_size, drop_remainder, name=name)


def _ragged_spec(leaf: Any, row_splits_dtype: Any) -> Any:
    """Return the spec of a component whose size is not known as a ragged tensor's; others as they are."""
    if not isinstance(leaf, TensorSpec) or leaf.shape.rank is None or leaf.shape.is_fully_defined():
        return leaf
    rank = max(axis for axis, size in enumerate(leaf.shape.as_list()) if size is None)
    return RaggedTensorSpec(leaf.shape, leaf.dtype, rank, row_splits_dtype)
