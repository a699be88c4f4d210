"""Ops that put complex numbers together and take them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import broadcast, unchanged
from icefloe.ops.wording import dtype_name


@kernel("Complex")
def make_complex(real: Any, imag: Any, *, Tout: DType) -> Any:
    """Return real + i imag, the parts broadcast against each other."""
    out = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), Tout.numpy)
    out.real, out.imag = real, imag
    return out


shape("Complex")(broadcast)


@kernel("Real")
def real(x: Any) -> Any:
    return np.array(x.real)


@kernel("Imag")
def imag(x: Any) -> Any:
    return np.array(x.imag)


@kernel("Angle")
def angle(x: Any) -> Any:
    """Return the argument of each number, in (-pi, pi]."""
    return np.arctan2(x.imag, x.real)


@kernel("Conj", returns=("view", 0))
def conj(x: Any) -> Any:
    """Return the conjugate; a variant, or a real number, is itself."""
    return np.conjugate(x) if getattr(getattr(x, "dtype", None), "kind", "") == "c" else x


@kernel("ComplexAbs", factory=True)
def complex_abs(*, T: DType, Tout: DType) -> Callable[[Any], Any]:
    """The magnitude, as a float of the size of the parts."""
    real = T.real_dtype
    if Tout != real:
        raise errors.InvalidArgumentError(
            f"Signature mismatch, have: {dtype_name(T)}->{dtype_name(Tout)} "
            f"expected: {dtype_name(T)}->{dtype_name(real)}"
        )
    return np.abs


shape("Real", "Imag", "Angle", "Conj", "ComplexAbs")(unchanged)
