"""`tf.data.experimental`: lookup tables filled with the elements of a dataset.

Source: tensorflow/python/data/experimental/ops/lookup_ops.py.
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import add_to_collection, name_scope
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.lookup import StaticHashTable, TableInitializerBase, check_table_dtypes
from icefloe.lib.lookup_vocabulary import FastHashSpec, HasherSpec, with_oov_buckets

_WANTED = (
    "Datasets used to initialize lookup tables must produce elements in the form (key, value), where the keys and "
    "values are scalar tensors. However, the given dataset produces "
)


def _check_pairs(spec: Any) -> None:
    if len(spec) != 2:
        raise ValueError(
            f"{_WANTED}{len(spec)} components instead of two (key, value) components. Full dataset element "
            f"spec: {spec}."
        )
    for word, leaf in zip(("key", "value"), spec):
        if not isinstance(leaf, TensorSpec):
            raise ValueError(f"{_WANTED}non-Tensor {word}s of type {type(leaf)}.")  # noqa: TRY004 (as TensorFlow)
        if leaf.shape.rank not in (None, 0):
            raise ValueError(f"{_WANTED}non-scalar {word} Tensors of rank {leaf.shape.rank}.")


class DatasetInitializer(TableInitializerBase):
    """Fills a table with the elements of a dataset of pairs, a key and a value.

    Raises: ValueError for a dataset of other elements.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        spec = dataset.element_spec
        _check_pairs(spec)
        super().__init__(spec[0].dtype, spec[1].dtype)

    def initialize(self, table: Any) -> Any:
        """Return the operation that fills `table`. Raises: TypeError if the table has other dtypes."""
        check_table_dtypes(table, self.key_dtype, self.value_dtype)
        op = apply_op("InitializeTableFromDataset", table.resource_handle, self.dataset._variant_tensor)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        return op


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = None,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: datatypes.DType = datatypes.string,
    name: str | None = None,
) -> Any:
    """Return a table of the pairs of a dataset.

    num_oov_buckets: how many numbers, from `vocab_size` on, keys that are not in it get by their hash.
    default_value: of keys that are not there, default -1.

    Raises: ValueError, TypeError if an argument makes no sense.
    """
    spec = dataset.element_spec
    _check_pairs(spec)
    if default_value is None:
        default_value = -1
        if not (spec[1].dtype.is_integer or spec[1].dtype.is_floating):
            raise ValueError(
                "`default_value` must be specified when creating a table from a dataset that produces values of type "
                f"{spec[1].dtype}."
            )
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if not key_dtype.is_integer and key_dtype.base_dtype != datatypes.string:
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {key_dtype}")
    if vocab_size is not None:
        if vocab_size <= 0:
            raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
        from icefloe.lib.data_experimental import assert_cardinality

        dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    with name_scope(name, "string_to_index"):
        init = DatasetInitializer(dataset)
        with name_scope(None, "hash_table"):
            table = StaticHashTable(init, default_value)
        return with_oov_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: datatypes.DType = datatypes.string,
    name: str | None = None,
) -> Any:
    """Return a table from the elements of a dataset to their places in it; see `table_from_dataset`."""
    pairs = dataset.enumerate().map(lambda place, key: (key, place))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)
