"""Assertions: `Assert` and the comparisons that end in one.

What can be told without running the graph fails at once, with InvalidArgumentError, ValueError or TypeError as in
TensorFlow; the rest is an operation to depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import rank as rank_
from icefloe.lib.array_shape import shape
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import no_op, with_dependencies
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_elementwise import abs as abs_
from icefloe.lib.math_elementwise import equal, not_equal
from icefloe.lib.math_reduce import reduce_all
from icefloe.lib.nest import is_composite
from icefloe.shapes import TensorShape


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Operation:
    """Return an operation that fails with InvalidArgumentError, printing `data`, if `condition` is False.

    summarize: how many elements of each tensor to print, default 3.
    """
    with name_scope(name, "Assert", [condition, data]):
        tensors = [convert_to_tensor(item) for item in data]
        if all(x.dtype in (datatypes.string, datatypes.int32) for x in tensors):
            return apply_op("Assert", condition, data, summarize=_summary(summarize), name="Assert")
        condition = convert_to_tensor(condition, name="Condition")

        def failing() -> Operation:
            return apply_op("Assert", condition, data, summarize=_summary(summarize), name="Assert")

        guarded: Operation = cond(condition, no_op, failing, name="AssertGuard").op
        return guarded


def _summary(summarize: int | None) -> int:
    return 3 if summarize is None else summarize


def _prefix(message: str | None) -> str:
    return f"{message}.  " if message else ""


def _text(item: Any) -> str:
    value = get_static_value(item) if isinstance(item, Tensor) else item
    return str(item if value is None else value)


def _compare(
    symbol: str,
    name: str,
    op: Callable[[Any, Any], Tensor],
    static: Callable[[Any, Any], Any],
    arguments: tuple[Any, ...],
) -> Operation:
    x, y, data, summarize, message, own_name = arguments
    with name_scope(own_name, name, [x, y, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        if data is None:
            data = [f"Condition x {symbol} y did not hold element-wise:", f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        if message is not None:
            data = [message, *data]
        condition = reduce_all(op(x, y))
        known_x, known_y = get_static_value(x), get_static_value(y)
        if known_x is not None and known_y is not None and not np.all(static(known_x, known_y)):
            raise errors.InvalidArgumentError(None, None, "\n".join(_text(item) for item in data))
        return Assert(condition, data, summarize=summarize)


def _op(name: str) -> Callable[[Any, Any], Tensor]:
    return lambda x, y: apply_op(name, x, y)


def assert_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails if any element of `x` differs from `y`."""
    with name_scope(name, "assert_equal", [x, y, data]):
        if x is y:
            return no_op()
    return _compare("==", "assert_equal", equal, np.equal, (x, y, data, summarize, message, name))


def assert_none_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails if any element of `x` equals `y`."""
    return _compare("!=", "assert_none_equal", not_equal, np.not_equal, (x, y, data, summarize, message, name))


def assert_less(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails unless `x` < `y` everywhere."""
    return _compare("<", "assert_less", _op("Less"), np.less, (x, y, data, summarize, message, name))


def assert_less_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails unless `x` <= `y` everywhere."""
    return _compare("<=", "assert_less_equal", _op("LessEqual"), np.less_equal, (x, y, data, summarize, message, name))


def assert_greater(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails unless `x` > `y` everywhere."""
    return _compare(">", "assert_greater", _op("Greater"), np.greater, (x, y, data, summarize, message, name))


def assert_greater_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails unless `x` >= `y` everywhere."""
    op = _op("GreaterEqual")
    return _compare(">=", "assert_greater_equal", op, np.greater_equal, (x, y, data, summarize, message, name))


def _against_zero(
    what: str,
    lines: Callable[[str], list[str]],
    check: Callable[..., Operation],
    zero_first: bool,
    arguments: tuple[Any, ...],
) -> Operation:
    x, data, summarize, message, name = arguments
    with name_scope(name, what, [x, data]):
        x = convert_to_tensor(x, name="x")
        if data is None:
            data = [_prefix(message), *lines(x.name), x]
        zero = convert_to_tensor(0, dtype=x.dtype)
        operands = (zero, x) if zero_first else (x, zero)
        return check(*operands, data=data, summarize=summarize)


def _two_lines(symbol: str) -> Callable[[str], list[str]]:
    return lambda name: [f"Condition x {symbol} 0 did not hold element-wise:", f"x ({name}) = "]


def assert_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails unless `x` < 0 everywhere."""
    arguments = (x, data, summarize, message, name)
    return _against_zero("assert_negative", _two_lines("<"), assert_less, False, arguments)


def assert_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails unless `x` > 0 everywhere."""
    arguments = (x, data, summarize, message, name)
    return _against_zero("assert_positive", _two_lines(">"), assert_less, True, arguments)


def assert_non_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails unless `x` >= 0 everywhere."""
    arguments = (x, data, summarize, message, name)
    return _against_zero("assert_non_negative", _two_lines(">="), assert_less_equal, True, arguments)


def assert_non_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """Return an operation that fails unless `x` <= 0 everywhere."""

    def one_line(x_name: str) -> list[str]:
        return [f"Condition x <= 0 did not hold element-wise:x ({x_name}) = "]

    arguments = (x, data, summarize, message, name)
    return _against_zero("assert_non_positive", one_line, assert_less_equal, False, arguments)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Return an operation that fails unless |x - y| < atol + rtol |y| everywhere; default 10 machine epsilons each."""
    with name_scope(name, "assert_near", [x, y, rtol, atol, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype)
        dtype = x.dtype.real_dtype
        default = 10 * np.finfo(dtype.as_numpy_dtype).eps
        rtol = convert_to_tensor(default if rtol is None else rtol, name="rtol", dtype=dtype)
        atol = convert_to_tensor(default if atol is None else atol, name="atol", dtype=dtype)
        if data is None:
            data = [
                _prefix(message),
                f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        tolerance = atol + rtol * abs_(y)
        difference = abs_(x - y)
        condition = reduce_all(apply_op("Less", difference, tolerance))
        return Assert(condition, data, summarize=summarize)


class _StaticFailure(Exception):
    """The rank is known and does not fit."""


def _check_rank(
    x: Any,
    ranks: list[Tensor],
    static: Callable[[int, list[int]], bool],
    dynamic: Callable[[Tensor, list[Tensor]], Tensor],
    data: list[Any],
    summarize: int | None,
) -> Operation:
    for item in ranks:
        assert_type(item, datatypes.int32)
    known = [get_static_value(item) for item in ranks]
    if all(value is not None for value in known):
        if any(value.ndim != 0 for value in known):
            raise ValueError("Rank must be a scalar.")
        if x.shape.rank is not None:
            if not static(x.shape.rank, [int(value) for value in known]):
                raise _StaticFailure
            return no_op(name="static_checks_determined_all_ok")
    condition = dynamic(rank_(x), ranks)
    for item, value in zip(ranks, known):
        if value is None:
            scalar = assert_rank(item, 0, data=["Rank must be a scalar. Received rank: ", item])
            condition = with_dependencies([scalar], condition)
    return Assert(condition, data, summarize=summarize)


def _assert_rank(
    what: str,
    words: str,
    x: Any,
    ranks: Any,
    static: Any,
    dynamic: Any,
    data: Any,
    summarize: Any,
    message: Any,
    name: Any,
) -> Operation:
    several = isinstance(ranks, (list, tuple))
    with name_scope(name, what, [x, *(ranks if several else [ranks]), *(data or [])]):
        if not isinstance(x, SparseTensor):
            x = convert_to_tensor(x, name="x")
        tensors = [convert_to_tensor(item, name="rank") for item in (ranks if several else [ranks])]
        prefix = _prefix(message)
        x_name = "" if isinstance(x, SparseTensor) else x.name
        if data is None:
            data = [prefix, f"Tensor {x_name} must have {words}", *tensors, "Received shape: ", shape(x)]
        try:
            return _check_rank(x, tensors, static, dynamic, data, summarize)
        except _StaticFailure:
            wanted = [int(get_static_value(item)) for item in tensors]
            raise ValueError(
                f"{prefix}Tensor {x_name} must have {words} {tuple(wanted) if several else wanted[0]}.  Received rank "
                f"{x.shape.rank}, shape {x.shape}"
            ) from None


def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Return an operation that fails unless `x` has this rank. Raises: ValueError if that is known."""

    def static(actual: int, wanted: list[int]) -> bool:
        return actual == wanted[0]

    def dynamic(actual: Tensor, wanted: list[Tensor]) -> Tensor:
        return equal(actual, wanted[0])

    return _assert_rank("assert_rank", "rank", x, rank, static, dynamic, data, summarize, message, name)


def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Return an operation that fails unless `x` has this rank or more. Raises: ValueError if that is known."""

    def static(actual: int, wanted: list[int]) -> bool:
        return actual >= wanted[0]

    def dynamic(actual: Tensor, wanted: list[Tensor]) -> Tensor:
        return apply_op("GreaterEqual", actual, wanted[0])

    return _assert_rank(
        "assert_rank_at_least", "rank at least", x, rank, static, dynamic, data, summarize, message, name
    )


def assert_rank_in(
    x: Any,
    ranks: Iterable[Any],
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Return an operation that fails unless the rank of `x` is one of `ranks`. Raises: ValueError if that is known."""

    def static(actual: int, wanted: list[int]) -> bool:
        return actual in wanted

    def dynamic(actual: Tensor, wanted: list[Tensor]) -> Tensor:
        if not wanted:
            return convert_to_tensor(False)
        result = equal(wanted[0], actual)
        for item in wanted[1:]:
            result = apply_op("LogicalOr", result, equal(item, actual))
        return result

    wanted = list(ranks)
    return _assert_rank("assert_rank_in", "rank in", x, wanted, static, dynamic, data, summarize, message, name)


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Operation:
    """Return an operation that does nothing. Raises: TypeError if `x` is no integer."""
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(f'{_prefix(message)}Expected "x" to be integer type.  Found: {x.name} of dtype {x.dtype}')
        return no_op("statically_determined_was_integer")


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> Operation:
    """Return an operation that does nothing. Raises: TypeError if `tensor` has another dtype."""
    tf_type = datatypes.as_dtype(tf_type)
    with name_scope(name, "assert_type", [tensor]):
        if not is_composite(tensor):
            tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            name = getattr(tensor, "name", "tensor")
            raise TypeError(f"{_prefix(message)}{name} must be of type {tf_type!r}; got {tensor.dtype!r}")
        return no_op("statically_determined_correct_type")


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """Return `tensor`. Raises: ValueError if it is not known to be a scalar."""
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            raise ValueError(f"{_prefix(message)}Expected scalar shape for {tensor.name}, saw shape: {tensor.shape}.")
        return tensor


def assert_proper_iterable(values: Any) -> None:
    """Raises: TypeError if `values` is no iterable, or one only by accident: a tensor, an array, a string."""
    if isinstance(values, (Tensor, SparseTensor, np.ndarray, str, bytes)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> datatypes.DType:
    """Return the dtype that all `tensors` have, float32 if there is none.

    Raises: ValueError if they differ or it is no float.
    """
    first = None
    found = dtype
    for item in tensors or ():
        if item is None:
            continue
        if not found:
            found, first = item.dtype.base_dtype, getattr(item, "name", str(item))
        elif item.dtype.base_dtype != found:
            where = f" as {first}" if first else ""
            raise ValueError(
                f"{getattr(item, 'name', item)}, type={item.dtype.base_dtype}, must be of the same type "
                f"({found}){where}."
            )
    found = found or datatypes.float32
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found}.")
    return found


def is_numeric_tensor(tensor: Any) -> bool:
    """Return whether `tensor` is a tensor of numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return `x` with the static shape `shape`; running it fails if its shape is another."""
    return apply_op("EnsureShape", x, shape=TensorShape(shape), name=name)
