"""What `tf.parse_example` reads from examples: the features by kind."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from icefloe import datatypes
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import reshape
from icefloe.shapes import TensorShape, as_shape


class VarLenFeature(NamedTuple):
    """A feature of any number of values; read as a SparseTensor."""

    dtype: Any


class SparseFeature(NamedTuple):
    """Two features, of indices and of values, read as one SparseTensor with a last axis of `size`."""

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class FixedLenFeature(NamedTuple):
    """A feature of a fixed shape; without a default value every example must have it."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of entries of a fixed shape, read as a dense tensor filled up with `default_value`."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class RaggedFeature(
    collections.namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])
):
    """A feature of any number of values; read as a RaggedTensor.

    value_key: the name of the values, default that of the feature. partitions: how the values of an example are
    divided, the outermost first. validate: add checks that the partitions fit.

    Raises: TypeError, ValueError for bad arguments.
    """

    RowSplits = collections.namedtuple("RowSplits", ["key"])
    RowLengths = collections.namedtuple("RowLengths", ["key"])
    RowStarts = collections.namedtuple("RowStarts", ["key"])
    RowLimits = collections.namedtuple("RowLimits", ["key"])
    ValueRowIds = collections.namedtuple("ValueRowIds", ["key"])
    UniformRowLength = collections.namedtuple("UniformRowLength", ["length"])

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = datatypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key}")
        if value_key is not None and not value_key:
            raise ValueError("Argument `value_key` must not be empty")
        dtype = datatypes.as_dtype(dtype)
        if dtype not in (datatypes.int64, datatypes.float32, datatypes.string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {dtype!r}")
        row_splits_dtype = datatypes.as_dtype(row_splits_dtype)
        if row_splits_dtype not in (datatypes.int32, datatypes.int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got{row_splits_dtype!r}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(
                f"Argument `partitions` must be a list or tuple. Receivedpartitions={partitions} of type "
                f"{type(partitions).__name__}."
            )
        kinds = (cls.RowSplits, cls.RowLengths, cls.RowStarts, cls.RowLimits, cls.ValueRowIds, cls.UniformRowLength)
        for partition in partitions:
            if not isinstance(partition, kinds):
                raise TypeError(
                    f"Argument `partitions` cannot be cast to any of the partition types in {kinds}; got: "
                    f"{partition!r} with type {type(partition)}"
                )
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)


class Wanted:
    """The features asked for, as the ops take them: sparse, dense and ragged ones, each with keys and dtypes.

    Raises: ValueError for a feature of another kind, without what it needs, or at odds with another.
    """

    def __init__(self, features: Any, kinds: Iterable[type]) -> None:
        self.sparse: dict[str, datatypes.DType] = {}
        self.dense: dict[str, datatypes.DType] = {}
        # The dtypes of the values and of the splits.
        self.ragged: dict[str, tuple[Any, Any]] = {}
        self.shapes: list[TensorShape] = []
        self.defaults: dict[str, Any] = {}
        for key in sorted(features or {}):
            feature = features[key]
            if not isinstance(feature, tuple(kinds)):
                raise ValueError(  # noqa: TRY004 (as TensorFlow)
                    f"Unsupported {type(feature).__name__} {feature} for key '{key}'"
                )
            self._add(key, feature)
        both = set(self.dense) & set(self.sparse)
        if both:
            raise ValueError(
                f"Dense and sparse keys must not intersect; dense_keys: {list(self.dense)}, sparse_keys: "
                f"{list(self.sparse)}, intersection: {both}"
            )

        for name, other in (("Dense", self.dense), ("Sparse", self.sparse)):
            common = set(other) & set(self.ragged)
            if common:
                raise ValueError(f"{name} and ragged keys must not intersect; intersection: {common}")

    def __len__(self) -> int:
        return len(self.sparse) + len(self.dense) + len(self.ragged)

    def _add(self, key: str, feature: Any) -> None:
        # VarLenFeature's text has no full stop in TensorFlow either.
        stop = "" if isinstance(feature, VarLenFeature) else "."
        if isinstance(feature, SparseFeature):
            for name in ("index_key", "value_key"):
                if not getattr(feature, name):
                    raise ValueError(f"Missing {name} for SparseFeature {feature}.")
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}{stop}")
        if isinstance(feature, RaggedFeature):
            self._add_ragged(feature.value_key or key, feature.dtype, feature.row_splits_dtype)
            for partition in feature.partitions:
                if not isinstance(partition, RaggedFeature.UniformRowLength):
                    self._add_ragged(partition.key, datatypes.int64, feature.row_splits_dtype)
        elif isinstance(feature, VarLenFeature):
            self._add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            keys = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
            for index_key in sorted(keys):
                self._add_sparse(index_key, datatypes.int64)
            self._add_sparse(feature.value_key, feature.dtype)
        else:
            self._add_dense(key, feature)

    def _add_ragged(self, key: str, dtype: Any, splits: Any) -> None:
        known, known_splits = self.ragged.setdefault(key, (dtype, splits))
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")
        if known_splits != splits:
            raise ValueError(f"Conflicting partition type {known_splits} vs {splits} for feature {key}.")

    def _add_sparse(self, key: str, dtype: Any) -> None:
        known = self.sparse.setdefault(key, datatypes.as_dtype(dtype))
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")

    def _add_dense(self, key: str, feature: Any) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = as_shape(feature.shape)
        if isinstance(feature, FixedLenFeature):
            if feature.shape and shape.rank and shape.as_list()[0] is None:
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. "
                    f"Received feature={feature}."
                )
            if not shape.is_fully_defined():
                raise ValueError(
                    f"All dimensions of shape for feature {key} need to be known but received {feature.shape!s}."
                )
        elif feature.allow_missing:
            self.defaults[key] = None
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value
        self.dense[key] = datatypes.as_dtype(feature.dtype)
        self.shapes.append(shape)

    def default_tensors(self) -> list[Any]:
        """Return the default of each dense feature: an empty tensor where there is none."""
        return [self._default(key, shape, dtype) for (key, dtype), shape in zip(self.dense.items(), self.shapes)]

    def _default(self, key: str, shape: TensorShape, dtype: datatypes.DType) -> Any:
        value = self.defaults.get(key)
        if shape.rank and shape.as_list()[0] is None:
            if value is None:
                return convert_to_tensor("" if dtype == datatypes.string else 0, dtype=dtype)
            return reshape(convert_to_tensor(value, dtype=dtype, name=_safe("padding_", key)), [])
        if value is None:
            return constant([], dtype=dtype)
        if isinstance(value, Tensor):
            return value
        return reshape(convert_to_tensor(value, dtype=dtype, name=_safe("key_", key)), shape)


def _safe(prefix: str, key: str) -> str:
    return prefix + re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)
