"""`assert_shapes`: sizes of several tensors that must be the same, by letters.

Source: tensorflow/python/ops/check_ops.py (nodes, messages).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import rank as rank_
from icefloe.lib.array_shape import shape
from icefloe.lib.checks import Assert, assert_rank, assert_rank_at_least, assert_rank_in
from icefloe.lib.control import group
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_elementwise import equal


class _Sizes(NamedTuple):
    """A tensor, the sizes it has and those it shall have. innermost: these are its last ones."""

    x: Any
    innermost: bool
    actual: Any
    wanted: Sequence[Any]


class _Specified(NamedTuple):
    """The size that a symbol stands for, and where it was taken from."""

    size: Any
    x: Any
    dimension: int


def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Return an operation that fails with InvalidArgumentError unless tensors have the shapes that are said.

    shapes: pairs of a tensor and a shape, or a dict of them. An item of a shape is a size, a symbol (the same size
    wherever it stands), or None or "." for any size; `...` or "*" as the first: any dimensions before the others. A
    scalar is taken for one dimension of size 1. A shape of None demands nothing. data: what to print in place of the
    default. summarize: how many elements of each.

    Raises: ValueError for what is known not to fit while the graph is built, or is no shape.
    """
    pairs: Iterable[Any] = shapes.items() if isinstance(shapes, dict) else shapes
    prefix = f"{message}.  " if message else ""
    with name_scope(name, "assert_shapes", [shapes, data]):
        asked = [(x if isinstance(x, SparseTensor) else convert_to_tensor(x), s) for x, s in pairs if s is not None]
        sizes = [_sizes(x, wanted, prefix) for x, wanted in asked]
        options: Any = {"data": data, "summarize": summarize, "message": message, "name": name}
        ranks = [made for made in (_rank_check(item, options) for item in sizes) if made is not None]
        checks = _size_checks(sizes, ranks, data, summarize, prefix)
    with control_dependencies(ranks):
        return group(checks)


def _name(x: Any) -> str:
    if isinstance(x, SparseTensor):
        return f"Tensor shape={x.shape} dtype={x.dtype.name}"
    return str(x.name)


def _sizes(x: Any, wanted: Any, prefix: str) -> _Sizes:
    if not (hasattr(wanted, "__iter__") or hasattr(wanted, "__getitem__")):
        raise ValueError(
            f"{prefix}Tensor {_name(x)}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {wanted}"
        )
    symbols = tuple(wanted)
    for i, symbol in enumerate(symbols):
        if i and (symbol is Ellipsis or symbol == "*"):
            raise ValueError(
                f"{prefix}Tensor {_name(x)} specified shape index {i}.  Symbol `...` or `*` for a variable number of "
                "unspecified dimensions is only allowed as the first entry"
            )
    innermost = bool(symbols) and (symbols[0] is Ellipsis or symbols[0] == "*")
    return _Sizes(x, innermost, _actual_sizes(x), (symbols[1:] if innermost else symbols) or (1,))


def _actual_sizes(x: Any) -> Any:
    """Return the sizes of a tensor: a list of numbers and tensors, or one tensor of all if its rank is unknown."""
    dynamic = shape(x)
    static = x.shape
    if static.rank is None:
        scalar = equal(rank_(x), 0)
        return cond(scalar, lambda: constant([1]), lambda: dynamic)
    if static.rank == 0:
        return (1,)
    return [int(size) if size is not None else dynamic[i] for i, size in enumerate(static.as_list())]


def _rank_check(sizes: _Sizes, options: dict[str, Any]) -> Any:
    rank = len(sizes.wanted)
    if sizes.innermost:
        return None if rank < 2 else assert_rank_at_least(sizes.x, rank, **options)
    if rank < 2:  # a scalar has as many elements as a vector of one
        return assert_rank_in(sizes.x, [0, 1], **options)
    return assert_rank(sizes.x, rank, **options)


def _known(size: Any) -> int | None:
    if isinstance(size, Tensor):
        return None
    try:
        return int(size)
    except (ValueError, TypeError):
        return None


def _size_checks(sizes: list[_Sizes], ranks: list[Any], data: Any, summarize: int | None, prefix: str) -> list[Any]:
    checks: list[Any] = []
    specified: dict[Any, _Specified] = {}
    for item in sizes:
        for i, symbol in enumerate(item.wanted):
            if symbol is None or symbol == ".":
                continue
            dimension = i - len(item.wanted) if item.innermost else i
            # Taking a size out of a shape fails if the rank is too low: that is to be told first.
            with control_dependencies(ranks):
                actual = item.actual[dimension]
            wanted: Any = _known(symbol)
            if wanted is not None:
                origin = "Specified explicitly"
            elif symbol in specified:
                wanted, other, at = specified[symbol]
                origin = f"Specified by tensor {_name(other)} dimension {at}"
            else:
                specified[symbol] = _Specified(actual, item.x, dimension)
                continue
            if _known(actual) is not None and _known(wanted) is not None:
                if _known(actual) != _known(wanted):
                    raise ValueError(
                        f"{prefix}{origin}.  Tensor {_name(item.x)} dimension {dimension} must have size {wanted}.  "
                        f"Received size {actual}, shape {item.x.shape}"
                    )
                continue
            condition = equal(convert_to_tensor(actual), convert_to_tensor(wanted))
            shown = data
            if data is None:
                shown = [prefix, origin, f"Tensor {_name(item.x)} dimension", dimension, "must have size", wanted]
                shown += ["Received shape: ", shape(item.x)]
            checks.append(Assert(condition, shown, summarize=summarize))
    return checks
