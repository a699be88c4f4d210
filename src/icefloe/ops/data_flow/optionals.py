"""Optionals: variants that hold several tensors or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar
from icefloe.ops.array.values import unboxed
from icefloe.ops.wording import dtype_name
from icefloe.resources import elements
from icefloe.resources.variants import Optional
from icefloe.shapes import Dims, shape_text


def _optional(value: Any, op: str) -> Optional:
    if isinstance(value, np.ndarray) and value.ndim:
        raise errors.InvalidArgumentError(
            f"Input to {op} must be a scalar tensor containing an OptionalVariant object."
        )
    found = unboxed(value)
    if not isinstance(found, Optional):
        raise errors.InvalidArgumentError(f"Input to {op} must be an OptionalVariant object.")
    return found


@kernel("OptionalNone")
def optional_none() -> Optional:
    return Optional(None)


@kernel("OptionalFromValue", returns="stored")
def optional_from_value(components: tuple[Any, ...], *, Toutput_types: tuple[DType, ...]) -> Optional:
    return Optional(components, Toutput_types)


@kernel("OptionalHasValue")
def optional_has_value(optional: Any) -> Any:
    return np.bool_(_optional(optional, "OptionalHasValue").components is not None)


@kernel("OptionalGetValue", returns="stored")
def optional_get_value(
    optional: Any, *, output_types: tuple[DType, ...], output_shapes: tuple[Dims, ...]
) -> tuple[Any, ...]:
    """The components. Raises: InvalidArgumentError if there are none, or others than the attrs say."""
    found = _optional(optional, "OptionalGetValue")
    if found.components is None:
        raise errors.InvalidArgumentError("The given optional does not have a value.")
    if len(found.components) != len(output_types):
        raise errors.InvalidArgumentError(
            f"The given optional has {len(found.components)} components, expected {len(output_types)}"
        )
    for i, (value, got, dtype, dims) in enumerate(zip(found.components, found.dtypes, output_types, output_shapes)):
        if got != dtype:
            raise errors.InvalidArgumentError(
                f"The given optional does not match the expected type for component {i}. "
                f"Expected: {dtype_name(dtype)}. Actual: {dtype_name(got)}."
            )
        if not elements.fits(dims, elements.shape_of(value)):
            raise errors.InvalidArgumentError(
                f"The given optional does not match the expected shape for component {i}. "
                f"Expected: {shape_text(dims)}. Actual: {shape_text(elements.shape_of(value))}."
            )
    return found.components


shape("OptionalNone", "OptionalHasValue")(scalar)


@shape("OptionalFromValue")
def optional_from_value_shape(c: ShapeContext) -> list[Dims]:
    c.set_handles(0, [(dtype, c.shape(i)) for i, dtype in enumerate(c.attr("Toutput_types"))])
    return [()]


@shape("OptionalGetValue")
def optional_get_value_shape(c: ShapeContext) -> list[Dims]:
    dims = c.attr("output_shapes")
    if len(dims) != c.num_outputs:
        raise errors.InvalidArgumentError("`output_shapes` must be the same length as `output_types`")
    return list(dims)
