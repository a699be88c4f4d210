"""The three maps from an op's name to what is known about it: kernel, shape rule, gradient rule.

    @kernel("Sum")
    def reduce_sum(x, axes, *, keep_dims): ...

    @shape("Sum")
    def reduce_sum_shape(op): ...

    @gradient("Sum")
    def reduce_sum_grad(op, dy): ...

A kernel takes the op's inputs in signature order, positionally, each an ndarray or numpy scalar (strings: object
arrays of bytes); a list argument arrives as one tuple. Attrs are keyword-only: of those that the function names, the
runtime passes the values when a plan is built. It returns the bare array where the signature has one output that is
no list, else a tuple of all output tensors.

What an attr's value looks like to a kernel: int, float, bool as such; string -> str (bytes where it is no UTF-8);
type -> DType; shape -> a tuple of int with None for an unknown size, or None for unknown rank; tensor -> ndarray, but
the TensorProto of variants; func -> a callable `(values, run) -> list of values` where `run` is the RunContext;
list(...) -> a tuple. These keyword-only names are no attrs but are given by the runtime:

    manager   the session's ResourceManager          node    the full name of the node, str
    signature the input and output dtypes as `(tuple[DType], tuple[DType])`
    run       the RunContext of the run under way; only for `per_run` kernels, which take it at each call

A missing entry is data for reports, never an import error. A module below `icefloe.ops` is imported when one of its
ops is first asked for.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from icefloe import opdefs

F = TypeVar("F", bound=Callable[..., Any])

Returns = Literal["fresh", "stored"] | tuple[Literal["view"], int]


class Kernel(NamedTuple):
    """How an op is computed.

    function: the kernel, or with `factory` a function that takes the attrs and returns the kernel.
    attrs: keyword-only names that `function` wants.
    returns: "fresh", memory nobody else holds; ("view", i), memory of input i (or fresh); "stored", that of a resource.
    takes_refs: reference inputs arrive as the Variable cell, not as its array.
    per_run: the kernel takes `run=RunContext` at each call.
    waits: the kernel may have to wait for another step or thread (queues, barriers). It is a generator function that
        yields the `resources.waiting.Pending` it waits for, and returns its outputs; other steps run in between.
    blocks: the kernel may block its thread for that (Python functions): where other steps could go on, it is called on
        a thread of its own.
    """

    op: str
    function: Callable[..., Any]
    attrs: tuple[str, ...]
    factory: bool
    returns: Returns
    takes_refs: bool
    per_run: bool
    waits: bool
    blocks: bool = False


KERNELS: dict[str, Kernel] = {}
SHAPES: dict[str, Callable[..., Any]] = {}
GRADIENTS: dict[str, Callable[..., Any] | None] = {}


def _keyword_only(function: Callable[..., Any]) -> tuple[str, ...]:
    if isinstance(function, FunctionType) and not function.__dict__:
        code = function.__code__  # `inspect` would say the same, at ten times the cost, for hundreds of kernels
        return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    if isinstance(function, (type, np.ufunc, _BUILTIN)):
        return ()
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


_BUILTIN = type(len)


def _put(table: dict[str, Any], what: str, op: str, value: Any) -> None:
    if op in table:
        raise ValueError(f"{what} of {op!r} is registered twice")
    table[op] = value


def kernel(
    *ops: str,
    factory: bool = False,
    returns: Returns = "fresh",
    takes_refs: bool = False,
    per_run: bool = False,
    waits: bool = False,
    blocks: bool = False,
) -> Callable[[F], F]:
    """Register the decorated function as the kernel of each of `ops`; the arguments are those of `Kernel`."""

    def register(function: F) -> F:
        attrs = _keyword_only(function)
        if per_run and not factory:
            attrs = tuple(a for a in attrs if a != "run")
        for op in ops:
            made = Kernel(op, function, attrs, factory, returns, takes_refs, per_run, waits, blocks)
            _put(KERNELS, "kernel", op, made)
        return function

    return register


def shape(*ops: str) -> Callable[[F], F]:
    """Register the decorated function as the shape rule of each of `ops`.

    A rule takes a `ShapeContext` (see `icefloe.graph.shape_inference`) and returns a list with one shape per output:
    a tuple of int with None for an unknown size, or None for unknown rank.
    """

    def register(function: F) -> F:
        for op in ops:
            _put(SHAPES, "shape rule", op, function)
        return function

    return register


def gradient(*ops: str) -> Callable[[F], F]:
    """Register the decorated function `(op, *grads) -> grads of inputs` as the gradient rule of each of `ops`."""

    def register(function: F) -> F:
        for op in ops:
            _put(GRADIENTS, "gradient rule", op, function)
        return function

    return register


def not_differentiable(*ops: str) -> None:
    """Declare that `ops` pass no gradient: their inputs get None."""
    for op in ops:
        _put(GRADIENTS, "gradient rule", op, None)


def load(op: str) -> None:
    """Import the module that registers `op`, if any does."""
    name = opdefs.module(op)
    if name is not None:
        importlib.import_module(f"icefloe.ops.{name}")


def load_gradient(op: str) -> None:
    """Import the module that holds the gradient rule of `op`, if one does."""
    if op not in GRADIENTS:
        name = opdefs.gradient_module(op)
        if name is not None:
            importlib.import_module(f"icefloe.{name}")


def find_kernel(op: str) -> Kernel | None:
    """Return the kernel of `op`, importing its module first, or None."""
    if op not in KERNELS:
        load(op)
    return KERNELS.get(op)


def find_shape(op: str) -> Callable[..., Any] | None:
    """Return the shape rule of `op`, importing its module first, or None."""
    if op not in SHAPES:
        load(op)
    return SHAPES.get(op)
