"""Regularization losses of variables, which are built anew at each use, as in TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import register_tensor_conversion_function
from icefloe.graph.default_graph import add_to_collection, colocate_with, name_scope
from icefloe.graph.tensor import Tensor


class RebuiltTensor:
    """What `build()` gives: one tensor that stands for it when run, and a new one each time it is an op's input.

    A loss may be added inside a loop or a conditional, where a tensor from outside would not be enough.
    """

    __array_priority__ = 100

    def __init__(self, build: Callable[[], Tensor]) -> None:
        self._build = build
        self._first = build()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._first, name)

    def _as_graph_element(self) -> Tensor:
        return self._first

    def _as_tensor(self, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
        if dtype is not None and not datatypes.as_dtype(dtype).is_compatible_with(self._first.dtype):
            return NotImplemented
        return self._build()

    def __getitem__(self, key: Any) -> Tensor:
        return self._build()[key]

    def __str__(self) -> str:
        return str(self._first)


def _operator(name: str) -> Callable[..., Any]:
    def run(self: RebuiltTensor, *operands: Any) -> Any:
        return getattr(self._as_tensor(), name)(*operands)

    run.__name__ = name
    return run


register_tensor_conversion_function(RebuiltTensor, RebuiltTensor._as_tensor)
for _name in Tensor.OVERLOADABLE_OPERATORS - {"__eq__", "__ne__", "__getitem__"}:
    if hasattr(Tensor, _name):
        setattr(RebuiltTensor, _name, _operator(_name))


def add_regularization(variable: Any, name: str, regularizer: Callable[[Any], Any]) -> None:
    """Add what `regularizer(variable)` gives, if anything, to the regularization losses."""

    def build() -> Any:
        with colocate_with(variable), name_scope(name + "/Regularizer/"):
            return regularizer(variable)

    # TensorFlow calls it once to see whether it gives anything; the nodes of that call count for the names that follow.
    if regularizer(variable) is not None:
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, RebuiltTensor(build))
