"""Einsum of one or two operands, as transposes and one product of matrices.

An equation such as `...ij,...jk->...ik` gives each axis a label; what stands for `...` is broadcast. A label that is
repeated in an operand takes the diagonal, one repeated in the output fills a diagonal.
Source: tensorflow/core/kernels/linalg/einsum_op_impl.h.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank, with_rank_at_least
from icefloe.ops.math.products import matrix_product

Function = Callable[..., Any]
Labels = list[Hashable]  # a character, or ("...", k) for the k-th broadcast axis counted from the right


@dataclass(frozen=True)
class _Subscript:
    """One operand's or the output's labels: before and after the ellipsis, or all in `before`."""

    before: str
    after: str
    ellipsis: bool

    @property
    def named(self) -> int:
        return len(self.before) + len(self.after)

    def expanded(self, broadcast: int) -> Labels:
        middle = [("...", k) for k in range(broadcast, 0, -1)] if self.ellipsis else []
        return [*self.before, *middle, *self.after]


def _parse(equation: str, operands: int) -> tuple[list[_Subscript], _Subscript]:
    """Return the subscripts of operands and output.

    Raises: InvalidArgumentError for an equation that makes no sense.
    """
    if equation.count("->") != 1:
        raise errors.InvalidArgumentError(f"Expecting exactly one '->' in einsum equation: {equation}")
    left, right = equation.split("->")
    parts = left.split(",")
    if len(parts) > 2:
        raise errors.InvalidArgumentError(
            f"Expecting 1 or 2 input subscripts in equation '{equation}' but got: {len(parts)}"
        )
    if len(parts) != operands:
        raise errors.InvalidArgumentError(f"Expected {len(parts)} inputs for equation {equation} but got: {operands}")
    inputs = [_subscript(part, equation) for part in parts]
    output = _subscript(right, equation)
    known = set("".join(s.before + s.after for s in inputs))
    for label in output.before + output.after:
        if label not in known:
            raise errors.InvalidArgumentError(
                f"Einsum output subscripts for equation '{equation}' has label '{label}'"
                " which is not present in the input subscripts"
            )
    return inputs, output


def _subscript(text: str, equation: str) -> _Subscript:
    before, dots, after = text.partition("...")
    if "." in before or "." in after:
        raise errors.InvalidArgumentError(
            f"Expected at most one ellipsis (...), but found {text.count('.')} periods (.)"
            f" in the input subscript: {text}"
        )
    return _Subscript(before, after, bool(dots))


def _broadcast_rank(subscript: _Subscript, rank: int, i: int) -> int:
    if not subscript.ellipsis and rank != subscript.named:
        raise errors.InvalidArgumentError(f"Expected input {i} to have rank {subscript.named} but got: {rank}")
    if rank < subscript.named:
        raise errors.InvalidArgumentError(f"Expected input {i} to have rank at least {subscript.named} but got: {rank}")
    return rank - subscript.named


def _no_ellipsis(broadcast: int) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(
        f"Output contains {broadcast} broadcasting dimension(s) but no ellipsis (...) was found in the output"
        " subscripts."
    )


@dataclass(frozen=True, slots=True)
class _ProductPlan:
    """A product of two operands of known shapes as one of matrices: how both are turned and what comes out of it."""

    turn_x: tuple[int, ...]
    shape_x: tuple[int, ...]
    turn_y: tuple[int, ...]
    shape_y: tuple[int, ...]
    shape: tuple[int, ...]
    turn: tuple[int, ...]

    def run(self, x: Any, y: Any, multiply: Function) -> Any:
        """Return the product."""
        left = x.transpose(self.turn_x).reshape(self.shape_x)
        right = y.transpose(self.turn_y).reshape(self.shape_y)
        return multiply(left, right).reshape(self.shape).transpose(self.turn)


_UNPLANNED = _ProductPlan((), (), (), (), (), ())
_MOST_PLANS = 100


class _Einsum:
    """An equation that was parsed once, when the plan was built."""

    def __init__(self, equation: str, operands: int, T: DType) -> None:
        self.inputs, self.output = _parse(equation, operands)
        narrow = T in (datatypes.float16, datatypes.bfloat16)
        self.dtype = T.numpy
        self.compute = np.dtype(np.float32) if narrow else T.numpy
        self.multiply = matrix_product(datatypes.float32 if narrow else T)
        self.narrow = narrow
        self.plans: dict[tuple[Any, ...], _ProductPlan | None] = {}

    def __call__(self, operands: tuple[Any, ...]) -> Any:
        if len(operands) != 2 or self.narrow:
            return self._general(operands)
        x, y = operands
        shapes = (np.shape(x), np.shape(y))
        plan = self.plans.get(shapes, _UNPLANNED)
        if plan is None:
            return self._general(operands)
        if plan is not _UNPLANNED:
            return plan.run(x, y, self.multiply)
        result = self._general(operands)  # which checks the shapes
        if len(self.plans) >= _MOST_PLANS:
            self.plans.clear()
        self.plans[shapes] = self._plan(*shapes)
        return result

    def _plan(self, shape_x: tuple[int, ...], shape_y: tuple[int, ...]) -> _ProductPlan | None:
        """Return how the product of operands of these shapes goes; None if it is not one plain product of matrices."""
        ranks = [len(shape_x) - self.inputs[0].named, len(shape_y) - self.inputs[1].named]
        own_x, own_y = self.inputs[0].expanded(ranks[0]), self.inputs[1].expanded(ranks[1])
        wanted = self.output.expanded(max(ranks))
        if any(len(set(own)) != len(own) for own in (own_x, own_y, wanted)):
            return None
        both = [label for label in own_x if label in own_y]
        batch = [label for label in both if label in wanted]
        summed = [label for label in both if label not in wanted]
        free_x = [label for label in own_x if label not in both]
        free_y = [label for label in own_y if label not in both]
        sizes, sizes_y = dict(zip(own_x, shape_x)), dict(zip(own_y, shape_y))
        if not summed or not set(free_x) | set(free_y) <= set(wanted) or any(sizes[n] != sizes_y[n] for n in both):
            return None
        sizes.update(sizes_y)
        lead, inner = [sizes[n] for n in batch], _product_of([sizes[n] for n in summed])
        many_x, many_y = [sizes[n] for n in free_x], [sizes[n] for n in free_y]
        have = [*batch, *free_x, *free_y]
        return _ProductPlan(
            tuple([own_x.index(n) for n in (*batch, *free_x, *summed)]),
            (*lead, _product_of(many_x), inner),
            tuple([own_y.index(n) for n in (*batch, *summed, *free_y)]),
            (*lead, inner, _product_of(many_y)),
            (*lead, *many_x, *many_y),
            tuple([have.index(n) for n in wanted]),
        )

    def _general(self, operands: tuple[Any, ...]) -> Any:
        ranks = [_broadcast_rank(s, np.ndim(x), i) for i, (s, x) in enumerate(zip(self.inputs, operands))]
        labels = [s.expanded(r) for s, r in zip(self.inputs, ranks)]
        if max(ranks) and not self.output.ellipsis:
            raise _no_ellipsis(max(ranks))
        wanted = self.output.expanded(max(ranks))
        self._check_sizes(operands, labels)
        kept = list(dict.fromkeys(wanted))
        arrays = []
        for i, (x, own) in enumerate(zip(operands, labels)):
            others = {label for j, other in enumerate(labels) if j != i for label in other}
            x = np.asarray(x).astype(self.compute, copy=False)
            arrays.append(self._reduced(*_diagonal(x, own), {*kept, *others}))
        if len(arrays) == 1:
            result, have = arrays[0]
        else:
            result, have = self._product(*arrays[0], *arrays[1], kept)
        result = result.transpose([have.index(label) for label in kept])
        if len(kept) != len(wanted):
            result = _filled_diagonal(result, kept, wanted)
        result = np.asarray(result, self.dtype)
        # A result without sums is a view of the operand.
        return result.copy() if any(np.may_share_memory(result, x) for x in operands) else result

    def _check_sizes(self, operands: tuple[Any, ...], labels: list[Labels]) -> None:
        sizes: dict[Hashable, int] = {}
        for x, own in zip(operands, labels):
            for axis, (label, size) in enumerate(zip(own, np.shape(x))):
                known = sizes.setdefault(label, size)
                if known == size:
                    continue
                if isinstance(label, tuple) and 1 in (known, size):
                    sizes[label] = max(known, size) if 0 not in (known, size) else 0
                    continue
                if isinstance(label, tuple):
                    raise errors.InvalidArgumentError(
                        "Invalid broadcasting dimensions: "
                        + " vs. ".join(shape_text(np.shape(operand)) for operand in operands)
                    )
                raise errors.InvalidArgumentError(
                    f"Expected dimension {known} at axis {axis} of the input shaped {shape_text(np.shape(x))}"
                    f" but got dimension {size}"
                )

    def _reduced(self, x: Any, own: Labels, needed: set[Hashable]) -> tuple[Any, Labels]:
        gone = tuple(i for i, label in enumerate(own) if label not in needed)
        if not gone:
            return x, own
        return np.asarray(np.add.reduce(x, gone, self.compute)), [label for label in own if label in needed]

    def _product(self, x: Any, own_x: Labels, y: Any, own_y: Labels, kept: Labels) -> tuple[Any, Labels]:
        both = [label for label in own_x if label in own_y]
        batch = [label for label in both if label in kept]
        summed = [label for label in both if label not in kept]
        free_x = [label for label in own_x if label not in both]
        free_y = [label for label in own_y if label not in both]
        shape_x = dict(zip(own_x, x.shape))
        shape_y = dict(zip(own_y, y.shape))
        x = x.transpose([own_x.index(label) for label in (*batch, *free_x, *summed)])
        y = y.transpose([own_y.index(label) for label in (*batch, *summed, *free_y)])
        sizes_x, sizes_y = [shape_x[n] for n in free_x], [shape_y[n] for n in free_y]
        lead_x, lead_y = x.shape[: len(batch)], y.shape[: len(batch)]
        if not summed:
            result = x.reshape((*lead_x, *sizes_x, *(1,) * len(free_y))) * y.reshape(
                (*lead_y, *(1,) * len(free_x), *sizes_y)
            )
            return result, [*batch, *free_x, *free_y]
        inner = _product_of([shape_x[n] for n in summed])
        left = x.reshape((*lead_x, _product_of(sizes_x), inner))
        right = y.reshape((*lead_y, inner, _product_of(sizes_y)))
        result = self.multiply(left, right)
        return result.reshape((*result.shape[:-2], *sizes_x, *sizes_y)), [*batch, *free_x, *free_y]


def _product_of(sizes: Sequence[int]) -> int:
    result = 1
    for n in sizes:
        result *= n
    return result


def _diagonal(x: Any, own: Labels) -> tuple[Any, Labels]:
    """Return a view with one axis for each label, where repeated ones run together."""
    unique = list(dict.fromkeys(own))
    if len(unique) == len(own):
        return x, own
    strides = [sum(s for s, label in zip(x.strides, own) if label == u) for u in unique]
    sizes = [x.shape[own.index(u)] for u in unique]
    return np.lib.stride_tricks.as_strided(x, sizes, strides, writeable=False), unique


def _filled_diagonal(x: Any, unique: Labels, wanted: Labels) -> Any:
    """Return zeros with `x` on the diagonal of the axes that share a label."""
    sizes = dict(zip(unique, x.shape))
    out = np.zeros([sizes[label] for label in wanted], x.dtype)
    strides = [sum(s for s, label in zip(out.strides, wanted) if label == u) for u in unique]
    np.lib.stride_tricks.as_strided(out, x.shape, strides)[...] = x
    return out


@kernel("Einsum", factory=True)
def einsum(*, equation: str, N: int, T: DType) -> Function:
    """Return the sum of products that `equation` writes.

    Raises: InvalidArgumentError for an equation that makes no sense, or operands that do not fit it.
    """
    return _Einsum(equation, N, T)


@shape("Einsum")
def einsum_shape(c: ShapeContext) -> list[Any]:
    """The size of each output label, as far as the operands tell."""
    inputs, output = _parse(c.attr("equation"), c.num_inputs)
    sizes: dict[Hashable, int | None] = {}
    most: int | None = 0
    for i, subscript in enumerate(inputs):
        x = c.shape(i)
        if x is None:
            most = None if subscript.ellipsis else most
            continue
        if subscript.ellipsis:
            with_rank_at_least(x, subscript.named)
        else:
            with_rank(x, subscript.named)
        extra = len(x) - subscript.named
        most = None if most is None else max(most, extra)
        for label, n in zip(subscript.expanded(extra), x):
            sizes[label] = _merged_size(sizes.get(label, 1 if isinstance(label, tuple) else None), n, label)
    if output.ellipsis and most is None:
        return [None]
    if most and not output.ellipsis:
        raise errors.InvalidArgumentError(f"Shape must be at most rank 0 but is rank {most}")
    return [tuple(sizes.get(label) for label in output.expanded(most or 0))]


def _merged_size(known: int | None, n: int | None, label: Hashable) -> int | None:
    if isinstance(label, tuple):
        if known == 1:
            return n
        if n == 1:
            return known
    if known is not None and n is not None and known != n:
        raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {known} and {n}")
    return n if known is None else known
