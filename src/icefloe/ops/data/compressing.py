"""Elements in one compressed variant: CompressElement, UncompressElement.

Source: tensorflow/core/kernels/data/experimental/compression_ops.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cramjam
import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext, scalar
from icefloe.ops.wording import dtype_name
from icefloe.resources.datasets.base import check_shapes
from icefloe.resources.elements import shape_of
from icefloe.shapes import Dims

not_differentiable("CompressElement", "UncompressElement")


@dataclass(frozen=True, slots=True, eq=False)
class CompressedElement:
    """Components: of numbers, their shapes and all their bytes as one snappy block; of objects, they themselves."""

    dtypes: tuple[DType, ...]
    kept: tuple[Any, ...]
    block: bytes

    type_name = "tensorflow::data::CompressedElement"


@kernel("CompressElement", returns="stored")
def compress_element(components: tuple[Any, ...], *, input_types: tuple[DType, ...]) -> CompressedElement:
    kept: list[Any] = []
    data = bytearray()
    for value in components:
        if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            kept.append(value.shape)
            data += np.ascontiguousarray(value).tobytes()
        else:
            kept.append([value])
    return CompressedElement(input_types, tuple(kept), bytes(cramjam.snappy.compress_raw(bytes(data))))


@kernel("UncompressElement")
def uncompress_element(
    compressed: Any, *, output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> tuple[Any, ...]:
    """The components again. Raises: FailedPreconditionError if they are of other dtypes than is said."""
    element = compressed.item() if isinstance(compressed, np.ndarray) and not compressed.ndim else compressed
    if not isinstance(element, CompressedElement):
        raise errors.InvalidArgumentError(
            f"Tensor must be a compressed element, got a variant of {type(element).__name__}"
        )
    if len(element.dtypes) != len(output_types):
        raise errors.FailedPreconditionError(
            f"Expected {len(output_types)} outputs from uncompress, but got {len(element.dtypes)}"
        )
    for have, want in zip(element.dtypes, output_types):
        if have != want:
            raise errors.FailedPreconditionError(
                f"Expected a tensor of type {dtype_name(want)} but got a tensor of type {dtype_name(have)}"
            )
    data = bytes(cramjam.snappy.decompress_raw(element.block))
    found: list[Any] = []
    at = 0
    for dtype, kept in zip(element.dtypes, element.kept):
        if isinstance(kept, list):
            found.append(kept[0])
            continue
        count = int(np.prod(kept, dtype=np.int64))
        found.append(np.frombuffer(data, dtype.numpy, count, at).reshape(kept).copy())
        at += count * dtype.numpy.itemsize
    check_shapes(output_shapes, [shape_of(value) for value in found])
    return tuple(found)


shape("CompressElement")(scalar)


@shape("UncompressElement")
def uncompress_element_shape(c: ShapeContext) -> list[Dims]:
    given: Sequence[Dims] = c.attr("output_shapes")
    if len(given) != c.num_outputs:
        raise errors.InvalidArgumentError("`output_shapes` and `output_types` must be of the same length")
    return list(given)
