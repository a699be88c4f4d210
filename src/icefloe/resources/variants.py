"""Small values that variant tensors hold: optionals, ragged tensors, composite tensors, plain tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.resources import elements


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """Several tensors, or nothing where `components` is None. dtypes: of the components."""

    components: tuple[Any, ...] | None
    dtypes: tuple[DType, ...] = ()

    type_name = "tensorflow::data::Optional"

    def zeros_like(self) -> Optional:
        """Return zeros in the shapes of the components, nothing where there is none."""
        if self.components is None:
            return self
        return Optional(tuple([elements.zeros_like(c) for c in self.components]), self.dtypes)

    def __add__(self, other: Optional) -> Optional:
        """Return the sums of the components. Raises: InvalidArgumentError if only one has some, or their number
        differs."""
        if self.components is None or other.components is None:
            if self.components is other.components:
                return self
            raise errors.InvalidArgumentError("Cannot add optionals because one has a value and the other doesn't.")
        if len(self.components) != len(other.components):
            raise errors.InvalidArgumentError(
                "Cannot add optionals because they have different numbers of components "
                f"({len(self.components)} vs. {len(other.components)})."
            )
        sums = tuple([elements.add(a, b) for a, b in zip(self.components, other.components)])
        return Optional(sums, self.dtypes)


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """A ragged tensor. splits: row splits, the outermost first. values: the flat values, of dtype `dtype`."""

    splits: tuple[Any, ...]
    values: Any
    dtype: DType

    type_name = "RaggedTensorVariant"

    def zeros_like(self) -> Ragged:
        """Return zeros in the same rows."""
        return Ragged(self.splits, elements.zeros_like(self.values), self.dtype)

    def __add__(self, other: Ragged) -> Ragged:
        """Return the sum. Raises: InvalidArgumentError if dtypes or rows differ."""
        if self.dtype != other.dtype:
            raise errors.InvalidArgumentError(
                "Can't add RaggedTensorVariants of different dtypes. "
                f"One is {self.dtype.name} and the other is {other.dtype.name}"
            )
        if len(self.splits) != len(other.splits):
            raise errors.InvalidArgumentError(
                "Can't add RaggedTensorVariants of different ragged rank. "
                f"One is {len(self.splits)} and the other is {len(other.splits)}"
            )
        if not all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(self.splits, other.splits)):
            raise errors.InvalidArgumentError("Can't add RaggedTensorVariants with different row_splits.")
        return Ragged(self.splits, elements.add(self.values, other.values), self.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Composite:
    """The tensors of a composite tensor. metadata: a serialized CompositeTensorVariantMetadata that says of which
    kind it is. dtypes: of the components."""

    metadata: bytes
    components: tuple[Any, ...]
    dtypes: tuple[DType, ...]

    type_name = "CompositeTensorVariant"


class TensorVariant:
    """A variant that holds a tensor."""

    __slots__ = ("value",)

    def __init__(self, value: np.ndarray) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"TensorVariant(shape={self.value.shape}, dtype={self.value.dtype})"
