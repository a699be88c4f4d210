"""How a row of an elementwise table becomes an op: the function of each dtype class, chosen when the plan is built.

numpy's ufuncs keep the dtype for floats, complex numbers and (through ml_dtypes) for bfloat16, so most rows are bare
ufuncs. Where a function has no loop for half and bfloat16, the row wraps it so that the result has the dtype of the
first input, as TensorFlow's has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import broadcast, unchanged

Function = Callable[..., Any]

_NARROW = (datatypes.float16, datatypes.bfloat16)


def through_float32(function: Function) -> Function:
    """Return `function` of 16-bit floats: computed in float32 and rounded once, as TensorFlow's CPU kernels do."""

    def narrow(*values: Any) -> Any:
        return function(*[v.astype(np.float32) for v in values]).astype(values[0].dtype)

    return narrow


def _elementwise(
    op: str,
    function: Function,
    integer: Function | None,
    complex_: Function | None,
    narrow: Function | None,
) -> None:
    if integer is None and complex_ is None and narrow is None:
        kernel(op)(function)
        return

    def choose(*, T: DType) -> Function:
        if T.is_complex:
            return complex_ or function
        if T.is_integer:
            return integer or function
        return (narrow or function) if T in _NARROW else function

    kernel(op, factory=True)(choose)


def unary(
    *ops: str,
    function: Function,
    integer: Function | None = None,
    complex_: Function | None = None,
    narrow: Function | None = None,
) -> None:
    """Register `function` for each of `ops`; others for integers, complex numbers and 16-bit floats where given."""
    for op in ops:
        _elementwise(op, function, integer, complex_, narrow)
        shape(op)(unchanged)


def binary(
    *ops: str,
    function: Function,
    integer: Function | None = None,
    complex_: Function | None = None,
    narrow: Function | None = None,
) -> None:
    """Register `function` of two broadcast inputs, as `unary` does."""
    for op in ops:
        _elementwise(op, function, integer, complex_, narrow)
        shape(op)(broadcast)
