"""The functions that make feature columns.

Source: tensorflow/python/feature_column/feature_column_v2.py, sequence_feature_column.py (arguments and messages).
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.lib import feature_column_ids as ids
from icefloe.lib import feature_column_numbers as numbers
from icefloe.lib import feature_columns as columns
from icefloe.lib import nest
from icefloe.lib.feature_column_embedding import EmbeddingColumn, SharedEmbeddingColumn
from icefloe.lib.files import Exists, GFile
from icefloe.lib.initializers import TruncatedNormal


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")  # noqa: TRY004


def _shape(shape: Any, key: Any) -> tuple[int, ...]:
    sizes = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return sizes


def _check_numbers(dtype: Any, normalizer_fn: Any, key: Any) -> Any:
    dtype = datatypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    return dtype


def _filled(shape: tuple[int, ...], value: Any) -> Any:
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _as_tuple(value: Any) -> Any:
    return tuple(_as_tuple(v) for v in value) if nest.is_nested(value) else value


def _has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    if nest.is_nested(value) != bool(shape):
        return False
    return not shape or (len(value) == shape[0] and all(_has_shape(v, shape[1:]) for v in value))


def _default(shape: tuple[int, ...], value: Any, dtype: Any, key: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, int) or (isinstance(value, float) and dtype.is_floating):
        return _filled(shape, value)
    if callable(getattr(value, "tolist", None)):
        value = value.tolist()
    if nest.is_nested(value):
        if not _has_shape(value, shape):
            raise ValueError(
                f"The shape of default_value must be equal to given shape. default_value: {value}, shape: {shape}, "
                f"key: {key}"
            )
        atoms = nest.flatten(value)
        whole = all(isinstance(v, int) for v in atoms)
        if whole or (dtype.is_floating and any(isinstance(v, float) for v in atoms)):
            return _as_tuple(value)
    raise TypeError(f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}")


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: Any = datatypes.float32,
    normalizer_fn: Any = None,
) -> Any:
    """Return a column of numbers, `shape` of them in an example. Raises: TypeError, ValueError for bad arguments."""
    shape = _shape(shape, key)
    dtype = _check_numbers(dtype, normalizer_fn, key)
    default_value = _default(shape, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    _check_key(key)
    return numbers.NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def bucketized_column(source_column: Any, boundaries: Any) -> Any:
    """Return a column of the intervals that numbers are in: n boundaries make n + 1. Raises: ValueError if unsorted."""
    if not isinstance(source_column, numbers.NumericColumn):
        raise ValueError(  # noqa: TRY004
            f"source_column must be a column generated with numeric_column(). Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)):
        raise ValueError("boundaries must be a sorted list.")  # noqa: TRY004
    if any(a >= b for a, b in itertools.pairwise(boundaries)):
        raise ValueError("boundaries must be a sorted list.")
    return numbers.BucketizedColumn(source_column, tuple(boundaries))


def categorical_column_with_hash_bucket(key: str, hash_bucket_size: int, dtype: Any = datatypes.string) -> Any:
    """Return a column of hashes of strings or integers. Raises: ValueError for bad arguments."""
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    _check_key(key)
    columns.check_string_or_int(datatypes.as_dtype(dtype), f"column_name: {key}")
    return ids.HashedCategoricalColumn(key, hash_bucket_size, datatypes.as_dtype(dtype))


def _check_oov(num_oov_buckets: Any, has_default: bool, key: Any) -> None:
    if num_oov_buckets:
        if has_default:
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if num_oov_buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = datatypes.string,
) -> Any:
    """Return a column of the lines of a file that words are in; others are `default_value` or in `num_oov_buckets`.

    Raises: ValueError for bad arguments or a missing file.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        if not Exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        with GFile(vocabulary_file) as lines:
            vocabulary_size = sum(1 for _ in lines)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_oov(num_oov_buckets, default_value is not None, key)
    columns.check_string_or_int(datatypes.as_dtype(dtype), f"column_name: {key}")
    _check_key(key)
    return ids.VocabularyFileCategoricalColumn(
        key=key,
        vocabulary_file=vocabulary_file,
        vocabulary_size=vocabulary_size,
        num_oov_buckets=num_oov_buckets or 0,
        default_value=-1 if default_value is None else default_value,
        dtype=datatypes.as_dtype(dtype),
    )


def categorical_column_with_vocabulary_list(
    key: str, vocabulary_list: Any, dtype: Any = None, default_value: int = -1, num_oov_buckets: int = 0
) -> Any:
    """Return a column of the places of words in a list; others are `default_value` or in `num_oov_buckets`.

    Raises: ValueError for bad arguments.
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    own = datatypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_oov(num_oov_buckets, default_value != -1, key)
    columns.check_string_or_int(own, f"column_name: {key} vocabulary")
    dtype = own if dtype is None else datatypes.as_dtype(dtype)
    if dtype.is_integer != own.is_integer:
        raise ValueError(f"dtype {dtype} and vocabulary dtype {own} do not match, column_name: {key}")
    columns.check_string_or_int(dtype, f"column_name: {key}")
    _check_key(key)
    return ids.VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


def categorical_column_with_identity(key: str, num_buckets: int, default_value: int | None = None) -> Any:
    """Return a column of integers that are ids from 0 already. Raises: ValueError for bad arguments."""
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    _check_key(key)
    return ids.IdentityCategoricalColumn(key, num_buckets, default_value)


def indicator_column(categorical_column: Any) -> Any:
    """Return a dense column of how often each id occurs."""
    return numbers.IndicatorColumn(categorical_column)


def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = datatypes.float32
) -> Any:
    """Return a column of ids with weights from another feature. Raises: ValueError for a dtype that is no number."""
    kind = None if dtype is None else datatypes.as_dtype(dtype)
    if kind is None or not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return ids.WeightedCategoricalColumn(categorical_column, weight_feature_key, kind)


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> Any:
    """Return a column of hashes of combinations of features or columns. Raises: ValueError for bad arguments."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, columns.CategoricalColumn)):
            raise ValueError(  # noqa: TRY004
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, ids.HashedCategoricalColumn):
            raise ValueError(  # noqa: TRY004
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will "
                f"increase probability of collision. Instead, use the feature name as a string. Given: {key}"
            )
    return ids.CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


def _check_embedding(dimension: Any, ckpt: Any, tensor_name: Any) -> None:
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt is None) != (tensor_name is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")


def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: Any = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> Any:
    """Return a dense column of the combined embeddings of ids. Raises: ValueError for bad arguments."""
    _check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt)
    if initializer is not None and not callable(initializer):
        raise ValueError(
            f"initializer must be callable if specified. Embedding of column_name: {categorical_column.name}"
        )
    if initializer is None:
        initializer = TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))
    how = (ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup)
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, *how)


def shared_embedding_columns(
    categorical_columns: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: Any = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[Any]:
    """Return a dense column for each categorical one, whose embeddings are in one table.

    Raises: ValueError if the columns are of several kinds or sizes, or for bad arguments.
    """
    _check_embedding(dimension, ckpt_to_load_from, tensor_name_in_ckpt)
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified.")
    if initializer is None:
        initializer = TruncatedNormal(mean=0.0, stddev=1.0 / math.sqrt(dimension))
    ordered = sorted(categorical_columns, key=lambda c: str(c.name))

    def bare(column: Any) -> Any:
        while isinstance(column, (ids.WeightedCategoricalColumn, ids.SequenceCategoricalColumn)):
            column = column.categorical_column
        return column

    first = bare(ordered[0])
    if not isinstance(first, columns.CategoricalColumn):
        raise ValueError(  # noqa: TRY004
            f"All categorical_columns must be subclasses of _CategoricalColumn. Given: {first}, of type: {type(first)}"
        )
    for other in map(bare, ordered[1:]):
        if not isinstance(other, type(first)):
            raise ValueError(  # noqa: TRY004
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                f"weighted_categorical_column or sequence column of the same type. Given column: {first} of type: "
                f"{type(first)} does not match given column: {other} of type: {type(other)}"
            )
        if first.num_buckets != other.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. ven "
                f"column: {first} with buckets: {first.num_buckets} does  not match column: {other} with buckets: "
                f"{other.num_buckets}"
            )
    collection = shared_embedding_collection_name
    if not collection:
        collection = "_".join(c.name for c in ordered) + "_shared_embedding"
    how = (ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup)
    return [
        SharedEmbeddingColumn(column, dimension, combiner, initializer, collection, *how)
        for column in categorical_columns
    ]


def sequence_categorical_column_with_identity(key: str, num_buckets: int, default_value: int | None = None) -> Any:
    """Return a sequence column of ids; see `categorical_column_with_identity`."""
    return ids.SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key: str, hash_bucket_size: int, dtype: Any = datatypes.string) -> Any:
    """Return a sequence column of hashes; see `categorical_column_with_hash_bucket`."""
    return ids.SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = datatypes.string,
) -> Any:
    """Return a sequence column of lines of a file; see `categorical_column_with_vocabulary_file`."""
    how = (vocabulary_size, num_oov_buckets, default_value, dtype)
    return ids.SequenceCategoricalColumn(categorical_column_with_vocabulary_file(key, vocabulary_file, *how))


def sequence_categorical_column_with_vocabulary_list(
    key: str, vocabulary_list: Any, dtype: Any = None, default_value: int = -1, num_oov_buckets: int = 0
) -> Any:
    """Return a sequence column of places in a list; see `categorical_column_with_vocabulary_list`."""
    how = (dtype, default_value, num_oov_buckets)
    return ids.SequenceCategoricalColumn(categorical_column_with_vocabulary_list(key, vocabulary_list, *how))


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: Any = datatypes.float32,
    normalizer_fn: Any = None,
) -> Any:
    """Return a sequence column of numbers. Raises: TypeError, ValueError for bad arguments."""
    shape = _shape(shape, key)
    dtype = _check_numbers(dtype, normalizer_fn, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return numbers.SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)
