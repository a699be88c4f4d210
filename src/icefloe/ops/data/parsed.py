"""Datasets of parsed Example messages, and of the names of files.

Source: tensorflow/core/kernels/data/parse_example_dataset_op.cc, experimental/matching_files_dataset_op.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.ops.data.making import dataset_op, number, spec_of, texts
from icefloe.ops.io.whole_files import matching_files
from icefloe.ops.parsing.examples import parse, read_batch
from icefloe.ops.sparse.serialization import serialize_sparse
from icefloe.resources.datasets.base import UNKNOWN, Context, Dataset, as_dataset
from icefloe.resources.datasets.mapping import Map
from icefloe.resources.datasets.sources import Slices
from icefloe.resources.elements import fits, shape_of
from icefloe.resources.manager import ResourceManager
from icefloe.resources.variants import Ragged
from icefloe.shapes import Dims, shape_text

_AUTOTUNE = -1


def _key(name: str | bytes) -> bytes:
    return name if isinstance(name, bytes) else name.encode()


@dataset_op("ParseExampleDataset", "ParseExampleDatasetV2")
def parse_example_dataset(
    input_dataset: Any,
    num_parallel_calls: Any,
    dense_defaults: tuple[Any, ...],
    *,
    sparse_keys: tuple[str | bytes, ...],
    dense_keys: tuple[str | bytes, ...],
    sparse_types: tuple[DType, ...],
    Tdense: tuple[DType, ...],
    dense_shapes: tuple[Dims, ...],
    ragged_keys: tuple[str | bytes, ...],
    ragged_value_types: tuple[DType, ...],
    ragged_split_types: tuple[DType, ...],
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    """The named features of each batch of serialized examples, a component each, in the order of their names.

    A sparse feature is a vector of its three parts as variants, a ragged one a variant.
    """
    calls = number(num_parallel_calls, "num_parallel_calls")
    if calls <= 0 and calls != _AUTOTUNE:
        raise errors.InvalidArgumentError("num_parallel_calls must be greater than zero.")
    sparse = list(zip(map(_key, sparse_keys), sparse_types, strict=True))
    defaults = [np.asarray(value) for value in dense_defaults]
    dense = list(zip(map(_key, dense_keys), Tdense, dense_shapes, defaults, strict=True))
    ragged = list(zip(map(_key, ragged_keys), ragged_value_types, ragged_split_types, strict=True))
    names = [feature[0] for feature in (*sparse, *dense, *ragged)]
    if len(set(names)) < len(names):
        raise errors.InvalidArgumentError("a feature comes twice")
    order = [i for _, i in sorted(zip(names, range(len(names))))]

    def parsed(values: Sequence[Any], run: Any) -> list[Any]:
        serialized = values[0]
        if np.ndim(serialized) > 1:
            raise errors.InvalidArgumentError(
                f"Expected serialized examples in a vector, got a tensor of rank {np.ndim(serialized)}"
            )
        parts = parse(read_batch(serialized, np.zeros(0, object)), sparse, dense, ragged)
        n, d, r = len(sparse), len(dense), len(ragged)
        found: list[Any] = []
        for i in range(n):
            whole = parts[i], parts[n + i], parts[2 * n + i]
            found.append(serialize_sparse(*whole, T=sparse[i][1], out_type=datatypes.variant))
        found += parts[3 * n : 3 * n + d]
        rest = parts[3 * n + d :]
        found += [Ragged((rest[r + i],), rest[i], ragged[i][1]) for i in range(r)]
        found = [found[i] for i in order]
        for i, (value, expected) in enumerate(zip(found, output_shapes)):
            if not fits(expected, shape_of(value)):
                raise errors.InvalidArgumentError(
                    f"Got wrong shape for FastParseExample return value {i} (expected {shape_text(expected)}, got "
                    f"{shape_text(shape_of(value))})."
                )
        return found

    source = as_dataset(input_dataset)
    if source.spec.dtypes != (datatypes.string,):
        raise errors.InvalidArgumentError("ParseExampleDataset takes elements of one string tensor")
    return Map(source, parsed, (), spec_of(output_types, output_shapes), True, "ParseExample")


class _Paths(Slices):
    """Rows whose number is not told in advance."""

    kind = "MatchingFiles"

    def cardinality(self, context: Context | None = None) -> int:
        return UNKNOWN


@dataset_op("MatchingFilesDataset")
def matching_files_dataset(patterns: Any, *, manager: ResourceManager) -> Dataset:
    """The paths that match any of the patterns, sorted; looked up when the dataset is made."""
    texts(patterns, "patterns")
    return _Paths((matching_files(np.asarray(patterns, object), manager=manager),), (datatypes.string,))
