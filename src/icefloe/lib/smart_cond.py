"""Conditionals that are decided when the graph is built, where that can be.

Source: tensorflow/python/framework/smart_cond.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph.constant_value import constant_value
from icefloe.graph.tensor import Tensor
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.variable import Variable


def smart_cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None) -> Any:
    """Return what one of the functions returns, or where the value of `pred` is not known what `cond` does."""
    known = constant_value(pred) if isinstance(pred, Tensor) else None if isinstance(pred, Variable) else pred
    if known is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if known else false_fn()
