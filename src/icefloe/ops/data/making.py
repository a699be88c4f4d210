"""How kernels of dataset ops are registered: what made a dataset is noted on it, so that it can become a graph."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from icefloe import errors, opdefs
from icefloe.datatypes import DType
from icefloe.graph import registry
from icefloe.graph.attributes import decode_for_kernel
from icefloe.graph.shape_inference import scalar
from icefloe.resources.datasets.base import Dataset, Recipe, Spec
from icefloe.resources.elements import shape_of
from icefloe.shapes import Dims

F = TypeVar("F", bound=Callable[..., Dataset])


def dataset_op(*ops: str) -> Callable[[F], F]:
    """Register the decorated function, which makes a dataset, as the kernel of each of `ops`.

    It takes what a kernel takes; `run` too, if it asks for it. A dataset that it made, as against one it was given,
    gets its recipe. The op of the same name with `Experimental` before it is the same.
    """

    def register(function: F) -> F:
        per_run = "run" in inspect.signature(function).parameters
        older = [f"Experimental{op}" for op in ops if opdefs.find(f"Experimental{op}") is not None]
        for op in (*ops, *older):
            registry.kernel(op, returns="stored", per_run=per_run)(_noted(op, function))
            registry.shape(op)(scalar)
        registry.not_differentiable(*ops, *older)
        return function

    return register


def _noted(op: str, function: Callable[..., Dataset]) -> Callable[..., Dataset]:
    parameters = inspect.signature(function).parameters
    named = [name for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
    attrs = tuple(opdefs.signature(op).attrs)
    # What an older op does not have is as the newer one's default says.
    newer = opdefs.signature(op.removeprefix("Experimental")).attrs
    absent = {n: _default(newer[n]) for n in named if n in newer and n not in attrs}
    wanted = [name for name in named if name not in absent]

    @functools.wraps(function)
    def make(*inputs: Any, **given: Any) -> Dataset:
        dataset = function(*inputs, **{name: given[name] for name in wanted}, **absent)
        if dataset.recipe is None:
            dataset.recipe = Recipe(op, inputs, {name: given[name] for name in attrs})
        return dataset

    keywords = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in dict.fromkeys([*attrs, *wanted])]
    positional = [p for p in parameters.values() if p.kind is not p.KEYWORD_ONLY]
    make.__signature__ = inspect.Signature([*positional, *keywords])  # type: ignore[attr-defined]
    return make


def _default(spec: opdefs.AttrSpec) -> Any:
    assert spec.default is not None
    return decode_for_kernel(spec.default, spec.type)


def spec_of(output_types: Sequence[DType], output_shapes: Sequence[Dims]) -> Spec:
    """Return what the attrs of a dataset op say of its elements."""
    return Spec(tuple(output_types), tuple(output_shapes))


def number(value: Any, name: str) -> int:
    """Return a scalar int argument. Raises: InvalidArgumentError if it has another shape."""
    if shape_of(value) != ():
        raise errors.InvalidArgumentError(f"{name} must be a scalar")
    return int(value)


def flag(value: Any, name: str) -> bool:
    """Return a scalar bool argument. Raises: InvalidArgumentError if it has another shape."""
    return bool(number(value, name))


def text(value: Any, name: str) -> bytes:
    """Return a scalar string argument. Raises: InvalidArgumentError if it has another shape."""
    if isinstance(value, bytes):
        return value
    if shape_of(value) != ():
        raise errors.InvalidArgumentError(f"{name} must be a scalar")
    item: bytes = value[()]
    return item


def texts(value: Any, name: str) -> list[bytes]:
    """Return a scalar or vector of strings. Raises: InvalidArgumentError if it has more dimensions."""
    if isinstance(value, bytes):
        return [value]
    if len(shape_of(value)) > 1:
        raise errors.InvalidArgumentError(f"`{name}` must be a scalar or a vector.")
    found: list[bytes] = value.reshape(-1).tolist()
    return found
