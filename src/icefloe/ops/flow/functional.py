"""Ops that call functions: PartitionedCall, If, Case, While, For. Their bodies are callables bound by the runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, unknown
from icefloe.shapes import Dims, shape_text

Function = Callable[..., list[Any]]


def truth(value: Any) -> bool:
    """Return a condition as TensorFlow reads it: whether a scalar is not zero or empty, another tensor has elements."""
    if np.ndim(value):
        return bool(np.size(value))
    item = np.asarray(value)[()]
    return len(item) > 0 if isinstance(item, bytes) else bool(item)


@kernel("ToBool")
def to_bool(value: Any) -> np.bool_:
    return np.bool_(truth(value))


shape("ToBool")(scalar)


@kernel("PartitionedCall", "StatefulPartitionedCall", per_run=True, returns="stored")
def partitioned_call(args: tuple[Any, ...], *, f: Function, run: Any) -> tuple[Any, ...]:
    return tuple(f(args, run))


@kernel("SymbolicGradient", per_run=True, returns="stored")
def symbolic_gradient(input: tuple[Any, ...], *, f: Function, run: Any) -> tuple[Any, ...]:
    """The gradients of a function's arguments; `f` is what computes them, of the arguments and results' gradients."""
    return tuple(f(input, run))


@kernel("RemoteCall", per_run=True, returns="stored")
def remote_call(target: Any, args: tuple[Any, ...], *, f: Function, run: Any) -> tuple[Any, ...]:
    """Call `f` here, on the one device there is."""
    return tuple(f(args, run))


@kernel("If", "StatelessIf", "_If", per_run=True, returns="stored")
def if_then_else(
    cond: Any, inputs: tuple[Any, ...], *, then_branch: Function, else_branch: Function, run: Any
) -> tuple[Any, ...]:
    return tuple((then_branch if truth(cond) else else_branch)(inputs, run))


@kernel("Case", "StatelessCase", per_run=True, returns="stored")
def case(index: Any, inputs: tuple[Any, ...], *, branches: tuple[Function, ...], run: Any) -> tuple[Any, ...]:
    """The branch of this index; the last one for any index out of range."""
    number = int(index)
    return tuple(branches[number if 0 <= number < len(branches) else -1](inputs, run))


@kernel("While", "StatelessWhile", "_While", per_run=True, returns="stored")
def while_loop(inputs: tuple[Any, ...], *, cond: Function, body: Function, run: Any) -> tuple[Any, ...]:
    values = list(inputs)
    while truth(_single(cond(values, run))):
        values = body(values, run)
        if len(values) != len(inputs):
            raise errors.InvalidArgumentError(
                f"the loop's body returned {len(values)} values, it takes and must return {len(inputs)}"
            )
    return tuple(values)


def _single(values: list[Any]) -> Any:
    if len(values) != 1:
        raise errors.InvalidArgumentError(f"the loop's condition returned {len(values)} values, expected one")
    return values[0]


@kernel("For", per_run=True, returns="stored")
def for_loop(
    start: Any, limit: Any, delta: Any, inputs: tuple[Any, ...], *, body: Function, run: Any
) -> tuple[Any, ...]:
    """`values = body(i, *values)` for i from `start` by `delta` up to, not including, `limit`."""
    for name, value in (("start", start), ("limit", limit), ("delta", delta)):
        if np.ndim(value):
            raise errors.InvalidArgumentError(f"{name} must be a scalar, not shape {shape_text(np.shape(value))}")
    first, last, step = int(start), int(limit), int(delta)
    if (step == 0 and first != last) or (step > 0 and first > last) or (step < 0 and first < last):
        raise errors.InvalidArgumentError(f"Invalid start/limit/delta: {first} {last} {step}")
    values = list(inputs)
    for i in range(first, last, step or 1):
        values = body([np.int32(i), *values], run)
    return tuple(values)


@shape("If", "StatelessIf", "Case", "StatelessCase")
def branches_shape(c: ShapeContext) -> list[Dims]:
    given = c.attr("output_shapes")
    return list(given) if len(given) == c.num_outputs else [None] * c.num_outputs


@shape("SymbolicGradient")
def symbolic_gradient_shape(c: ShapeContext) -> list[Dims]:
    """Of f(x, y), the gradient takes x, y and gradients of results, and gives those of x and y: of the same shapes."""
    if c.num_inputs < c.num_outputs:
        raise errors.InvalidArgumentError(f"len(inputs) < len(outputs): {c.num_inputs} < {c.num_outputs}")
    return [c.shape(i) for i in range(c.num_outputs)]


@shape("While", "StatelessWhile")
def while_shape(c: ShapeContext) -> list[Dims]:
    """What `output_shapes` says; without it, a loop's values may change their shapes at each turn."""
    given = c.attr("output_shapes")
    return list(given) if len(given) == c.num_outputs else [None] * c.num_outputs


# What a function returns is not looked into: its body may be large, and most nodes carry `_output_shapes`.
shape("PartitionedCall", "StatefulPartitionedCall", "RemoteCall", "For", "_If", "_While")(unknown)
