"""Ops that hand their input on, some of them after a check."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, unchanged
from icefloe.ops.array.values import boxed
from icefloe.resources import Variable
from icefloe.shapes import Dims, shape_text

_IDENTITIES = (
    "Identity",
    "Snapshot",
    "StopGradient",
    "PreventGradient",
    "CheckPinned",
    "Copy",
    "CopyHost",
    "DebugGradientIdentity",
    "_EagerConst",
)


@kernel(*_IDENTITIES, returns=("view", 0))
def identity(x: Any) -> Any:
    return x


@kernel("GuaranteeConst", returns=("view", 0))
def guarantee_const(x: Any) -> Any:
    if isinstance(x, Variable):
        raise errors.InvalidArgumentError("Input tensor cannot be a resource variable handle.")
    return x


@kernel("DeepCopy")
def deep_copy(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


shape(*_IDENTITIES, "GuaranteeConst", "DeepCopy")(unchanged)


@kernel("IdentityN")
def identity_n(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of the inputs: several outputs cannot be declared views of several inputs."""
    return tuple(deep_copy(x) for x in inputs)


@shape("IdentityN")
def identity_n_shape(c: ShapeContext) -> list[Dims]:
    return [c.shape(i) for i in range(c.num_inputs)]


@kernel("EnsureShape", returns=("view", 0))
def ensure_shape(x: Any, *, shape: Dims) -> Any:
    """`x` itself. Raises: InvalidArgumentError if its shape does not fit the attr."""
    actual = boxed(x).shape
    if shape is not None and (
        len(shape) != len(actual) or any(want is not None and want != got for want, got in zip(shape, actual))
    ):
        raise errors.InvalidArgumentError(
            f"Shape of tensor {shape_text(actual)} is not compatible with expected shape {shape_text(shape)}."
        )
    return x


@shape("EnsureShape")
def ensure_shape_rule(c: ShapeContext) -> list[Dims]:
    return [merge(c.shape(0), c.attr("shape"))]
