"""`foldl`, `foldr` and `scan`: a function of an accumulator and an element, applied to one element after the other.

Elements lie along the first axis of tensors, or of all tensors of a nest.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import shape
from icefloe.lib.control_flow_while import while_loop
from icefloe.lib.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as
from icefloe.lib.tensor_array import TensorArray
from icefloe.lib.variable_scope import get_variable_scope
from icefloe.shapes import Dimension, TensorShape, dimension_value


@contextlib.contextmanager
def variables_cached() -> Iterator[None]:
    """Let variables got in a block be read once, where they are, not in each iteration; unless a scope says where."""
    scope = get_variable_scope()
    unset = scope.caching_device is None
    if unset:
        scope.set_caching_device(lambda op: op.device)
    try:
        yield
    finally:
        if unset:
            scope.set_caching_device(None)


def checked_function(fn: Any) -> None:
    """Raise TypeError if `fn` cannot be called."""
    if not callable(fn):
        name = getattr(fn, "__name__", repr(fn))
        raise TypeError(f"{name} is not callable. Please provide a callable function.")


def _length(tensor: Tensor) -> Any:
    """Return the number of elements, an int where it is known and not zero."""
    return dimension_value(tensor.shape[0]) or shape(tensor)[0]


def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Return `fn(... fn(fn(initializer, e0), e1) ..., en)`; without `initializer` it begins with `e0` and `e1`.

    The other arguments are those of `while_loop`.

    Raises: TypeError if `fn` cannot be called.
    """
    return _fold("foldl", fn, elems, initializer, name, forward=True, **_options(locals()))


def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Return `fn(... fn(fn(initializer, en), en-1) ..., e0)`; without `initializer` it begins with the last two.

    The other arguments are those of `while_loop`.

    Raises: TypeError if `fn` cannot be called.
    """
    return _fold("foldr", fn, elems, initializer, name, forward=False, **_options(locals()))


def _options(arguments: dict[str, Any]) -> dict[str, Any]:
    return {key: arguments[key] for key in ("parallel_iterations", "back_prop", "swap_memory")}


def _fold(
    word: str, fn: Callable[..., Any], elems: Any, initializer: Any, name: str | None, *, forward: bool, **options: Any
) -> Any:
    checked_function(fn)
    with name_scope(name, word, [elems]), variables_cached():
        flat = [convert_to_tensor(elem, name="elem") for elem in flatten(elems)]
        n = _length(flat[0])

        def array(elem: Any) -> TensorArray:
            return TensorArray(elem.dtype, size=n, dynamic_size=False, infer_shape=True).unstack(elem)

        arrays = map_structure(array, elems)
        start, first = initializer, 0
        if initializer is None:
            at: Any = 0 if forward else n - 1
            start, first = map_structure(lambda array: array.read(at), arrays), 1
        if forward:
            counter: Any = constant(first)
        elif initializer is None:
            counter = at
        else:
            counter = n

        def step(i: Any, a: Any) -> Any:
            if not forward:
                i = i - 1
            result = fn(a, map_structure(lambda array: array.read(i), arrays))
            return [i + 1 if forward else i, result]

        def more(i: Any, a: Any) -> Any:
            return i < n if forward else i > 0

        return while_loop(more, step, [counter, start], maximum_iterations=n, **options)[1]


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Return all accumulators of `foldl`, stacked along the first axis.

    infer_shape: the accumulators have one shape. reverse: begin with the last element. The other arguments are those of
    `while_loop`.

    Raises: TypeError if `fn` cannot be called; TypeError or ValueError if it returns another structure than that of
    `initializer`, or of `elems` without one.
    """
    checked_function(fn)
    like_elems = _Nest(elems)
    like_result = like_elems if initializer is None else _Nest(initializer)
    flat = like_elems.flat(elems)
    with name_scope(name, "scan", flat), variables_cached():
        flat = [convert_to_tensor(elem, name="elem") for elem in flat]
        n: Any = dimension_value(flat[0].shape[0])
        if n is None:
            n = shape(flat[0])[0]
        arrays = [
            TensorArray(e.dtype, size=n, dynamic_size=False, element_shape=e.shape[1:], infer_shape=True) for e in flat
        ]
        arrays = [array.unstack(elem) for array, elem in zip(arrays, flat)]
        if initializer is None:
            start = [array.read(n - 1 if reverse else 0) for array in arrays]
            first = 1
        else:
            start = [convert_to_tensor(value) for value in like_result.flat(initializer)]
            first = 0
        results = [
            TensorArray(
                value.dtype,
                size=n,
                element_shape=value.shape if infer_shape else None,
                dynamic_size=False,
                infer_shape=infer_shape,
            )
            for value in start
        ]
        if initializer is None:
            results = [array.write(n - 1 if reverse else 0, value) for array, value in zip(results, start)]

        def step(i: Any, accumulators: Any, written: Any) -> Any:
            elements = like_elems.packed([array.read(i) for array in arrays])
            result = fn(like_result.packed(accumulators), elements)
            assert_same_structure(elems if initializer is None else initializer, result)
            values = like_result.flat(result)
            written = [array.write(i, value) for array, value in zip(written, values)]
            return (i - 1 if reverse else i + 1, values, written)

        def more(i: Any, accumulators: Any, written: Any) -> Any:
            return i >= 0 if reverse else i < n

        counter = n - 1 - first if reverse else first
        variables = (counter, start, results)
        results = while_loop(
            more,
            step,
            variables,
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=n,
        )[2]
        stacked = [array.stack() for array in results]
        set_lengths(stacked, static_length(flat))
        return like_result.packed(stacked)


class _Nest:
    """The structure of a value; one that is no nest is taken for a single element, whatever it holds."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._is_nested = is_nested(value)

    def flat(self, value: Any) -> list[Any]:
        return flatten(value) if self._is_nested else [value]

    def packed(self, items: Any) -> Any:
        return pack_sequence_as(self._value, items) if self._is_nested else items[0]


def static_length(tensors: list[Tensor]) -> Dimension:
    """Return what is known of the number of elements. Raises: ValueError if tensors contradict each other."""
    length = Dimension(dimension_value(tensors[0].shape.with_rank_at_least(1)[0]))
    for tensor in tensors[1:]:
        other = Dimension(dimension_value(tensor.shape.with_rank_at_least(1)[0]))
        length.assert_is_compatible_with(other)
    return length


def set_lengths(tensors: list[Tensor], length: Dimension) -> None:
    """Put what is known of the number of elements on the stacked results."""
    for tensor in tensors:
        tensor.set_shape(TensorShape([length.value]).concatenate(tensor.shape[1:]))
