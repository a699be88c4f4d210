"""`vectorized_map` and `nondifferentiable_batch_function`: functions over the rows of tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from icefloe.graph.build import build_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.func_graph import FuncGraph, placeholder
from icefloe.graph.graph import get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib.array_select import gather
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.function_tracing import pack_results
from icefloe.lib.map_fn import map_fn
from icefloe.lib.math_range import range as tensor_range
from icefloe.lib.nest import flatten, map_structure
from icefloe.lib.traced_functions import function


def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """Return the results of `fn` for each row of `elems`, a tensor or a nest of them, along a new first axis.

    The rows are computed one after the other, as by `map_fn`; the results are those of TensorFlow, which computes them
    at once where it can. A tensor of one row is taken for all rows.

    Raises: ValueError if there are no tensors, or their first sizes differ.
    """
    elems = map_structure(convert_to_tensor, elems)
    flat = flatten(elems)
    if not flat:
        raise ValueError("vectorized_map needs at least one tensor")
    sizes = {x.shape[0].value for x in flat} - {None, 1}
    if len(sizes) > 1:
        raise ValueError(f"The first sizes of the tensors differ: {[x.shape[0].value for x in flat]}")
    longest = max(flat, key=lambda x: x.shape[0].value or 0)
    shared = [x.shape[0].value == 1 and x is not longest and bool(sizes) for x in flat]

    def row(i: Any) -> Any:
        rows = iter([gather(x, 0 if is_shared else i) for x, is_shared in zip(flat, shared)])
        return fn(map_structure(lambda _: next(rows), elems))

    # What the rows give is found out by building one apart: a loop must know the dtypes of its results.
    with FuncGraph("vectorized_map_row").as_default():
        like = fn(map_structure(_placeholder, elems))
        dtypes = map_structure(lambda x: convert_to_tensor(x).dtype, like)
    return map_fn(row, tensor_range(shape_of(longest)[0]), dtype=dtypes)


def _placeholder(x: Tensor) -> Tensor:
    return placeholder(get_default_graph(), x.dtype, x.shape[1:]._dims)


def nondifferentiable_batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
    enable_large_batch_splitting: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator: runs that call the function at the same time are computed as one batch.

    max_batch_size: rows of a batch. batch_timeout_micros: how long a batch waits for more rows, microseconds.
    allowed_batch_sizes: sizes that batches are padded to. autograph: without effect.
    """

    def decorator(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def decorated(*args: Any) -> Any:
            specs = [TensorSpec(x.shape, x.dtype, f"batch_{i}") for i, x in enumerate(args)]
            computation = function(lambda *inner: fn(*inner)).get_concrete_function(*specs)
            with name_scope("batch") as name:
                for x in args:
                    if not isinstance(x, Tensor):
                        raise ValueError(  # noqa: TRY004 (TensorFlow's class)
                            "All arguments to functions decorated with `batch_function`  are supposed to be Tensors; "
                            f"found {x!r}."
                        )
                computation.add_to_graph()
                attrs = {
                    "num_batch_threads": num_batch_threads,
                    "max_batch_size": max_batch_size,
                    "batch_timeout_micros": batch_timeout_micros,
                    "allowed_batch_sizes": list(allowed_batch_sizes or ()),
                    "max_enqueued_batches": max_enqueued_batches,
                    "shared_name": name,
                    "enable_large_batch_splitting": enable_large_batch_splitting,
                    "f": computation.name.decode(),
                    "Tout": [x.dtype for x in computation.outputs],
                }
                op = build_op("BatchFunction", (list(args), computation.captured_inputs), attrs)
            return pack_results(computation.structured_outputs, op.outputs)

        return decorated

    return decorator
