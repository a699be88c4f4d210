"""What `tf.parse_example` reads from examples: the features by kind."""

from __future__ import annotations

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


class Wanted:
    """The features asked for, as the ops take them: sparse and dense ones, each with keys and dtypes.

    Raises: ValueError for a feature of another kind, without what it needs, or at odds with another.
    """

    def __init__(self, features: Any, kinds: Iterable[type]) -> None:
        self.sparse: dict[str, datatypes.DType] = {}
        self.dense: dict[str, datatypes.DType] = {}
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

    def __len__(self) -> int:
        return len(self.sparse) + len(self.dense)

    def _add(self, key: str, feature: Any) -> None:
        # VarLenFeature's text has no full stop in TensorFlow either.
        stop = "" if isinstance(feature, VarLenFeature) else "."
        if isinstance(feature, SparseFeature):
            for name in ("index_key", "value_key"):
                if not getattr(feature, name):
                    raise ValueError(f"Missing {name} for SparseFeature {feature}.")
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}{stop}")
        if isinstance(feature, VarLenFeature):
            self._add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            keys = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
            for index_key in sorted(keys):
                self._add_sparse(index_key, datatypes.int64)
            self._add_sparse(feature.value_key, feature.dtype)
        else:
            self._add_dense(key, feature)

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
