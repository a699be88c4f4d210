"""Composite tensors as variants: their component tensors, and what they are.

Source: tensorflow/core/kernels/composite_tensor_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import scalar, unknown
from icefloe.ops.data_flow.handles import describe
from icefloe.proto import DataType, TypeSpecProto
from icefloe.resources.variants import Composite
from icefloe.wire.message import BYTES, scan

# The number of the only field of a CompositeTensorVariantMetadata.
_TYPE_SPEC = 1


def _class_of(metadata: bytes, what: str) -> int:
    """Return the number of the class of composite tensors that a CompositeTensorVariantMetadata names."""
    spec = TypeSpecProto()
    try:
        for number, kind, value, stop in scan(metadata):
            if number == _TYPE_SPEC and kind == BYTES:
                spec.MergeFromString(metadata[value:stop])
    except (errors.DataLossError, DecodeError) as error:
        raise errors.InvalidArgumentError(f"Error parsing {what}") from error
    return spec.type_spec_class


def _class_name(number: int) -> str:
    known = TypeSpecProto.DESCRIPTOR.enum_types_by_name["TypeSpecClass"].values_by_number.get(number)
    return str(number) if known is None else known.name


def _bytes(attr: str | bytes) -> bytes:
    return attr.encode() if isinstance(attr, str) else attr


@kernel("CompositeTensorVariantFromComponents", factory=True, returns="stored")
def composite_from_components(
    *, metadata: str | bytes, Tcomponents: tuple[DType, ...]
) -> Callable[[tuple[Any, ...]], Composite]:
    data = _bytes(metadata)
    _class_of(data, "metadata")
    return lambda components: Composite(data, components, Tcomponents)


@kernel("CompositeTensorVariantToComponents", factory=True, returns="stored")
def composite_to_components(
    *, metadata: str | bytes, Tcomponents: tuple[DType, ...]
) -> Callable[[Any], tuple[Any, ...]]:
    """The components. Raises: InvalidArgumentError if it is no composite tensor of the class in `metadata`."""
    expected = _class_of(_bytes(metadata), "`metadata`")

    def run(encoded: Any) -> tuple[Any, ...]:
        found = encoded.reshape(-1)[0] if isinstance(encoded, np.ndarray) and encoded.size else encoded
        if isinstance(found, np.ndarray):
            raise errors.InvalidArgumentError("Input `encoded` must not be an empty variant tensor")
        if not isinstance(found, Composite):
            raise errors.InvalidArgumentError(
                f"The input `encoded` is not a valid CompositeTensorVariant tensor, got {describe(found)}"
            )
        actual = _class_of(found.metadata, "metadata")
        if actual != expected:
            raise errors.InvalidArgumentError(
                f"Expected a {_class_name(expected)} (based on `type_spec`), but `encoded` contains a "
                f"{_class_name(actual)}"
            )
        if len(found.components) != len(Tcomponents):
            raise errors.InvalidArgumentError(
                f"Encoded value has {len(found.components)} tensor components; expected {len(Tcomponents)} components "
                "based on type_spec"
            )
        for i, (got, dtype) in enumerate(zip(found.dtypes, Tcomponents)):
            if got != dtype:
                raise errors.InvalidArgumentError(
                    f"Tensor component {i} had dtype {DataType.Name(got.as_datatype_enum)}; expected dtype "
                    f"{DataType.Name(dtype.as_datatype_enum)}"
                )
        return found.components

    return run


shape("CompositeTensorVariantFromComponents")(scalar)
shape("CompositeTensorVariantToComponents")(unknown)
