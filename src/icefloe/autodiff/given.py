"""The gradients of results that a caller of `gradients` gives."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.tensor import Tensor


def passed_on(grad: Any, name: str) -> Any:
    """Return a gradient that a caller gave, in nodes of this name."""
    if isinstance(grad, Tensor):
        return apply_op("Identity", grad, name=name)
    parts = (grad.values, "values"), (grad.indices, "indices"), (grad.dense_shape, "shape")
    made = {
        what: apply_op("Identity", part, name=f"{name}_{what}") if isinstance(part, Tensor) else part
        for part, what in (parts[1], parts[0], parts[2])
    }
    return IndexedSlices(made["values"], made["indices"], made["shape"])


def check_given(y: Any, grad: Any) -> None:
    """Raise TypeError if a gradient of this dtype cannot be that of `y`."""
    kind, given = y.dtype.base_dtype, grad.dtype.base_dtype
    text = f"Gradient type {given.name} generated for {{}} tensor {y} with type {kind.name} must be {{}}"
    if kind.is_floating or kind.is_integer:
        if not given.is_floating and not given.is_integer:
            raise TypeError(text.format("real or integer-valued", "real or integer"))
    elif kind.is_complex:
        if not given.is_complex:
            raise TypeError(text.format("complex-valued", "real"))
    elif kind == datatypes.variant:
        if given != datatypes.variant:
            raise TypeError(text.format("variant", "variant"))
    elif kind == datatypes.resource:
        if given == datatypes.resource:
            raise TypeError(f"Input gradient {grad} for resource tensor {y} should not be a resource")
    else:
        raise TypeError(f"Tensor {y} with type {kind.name} must be numeric to obtain a default gradient")
