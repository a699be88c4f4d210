"""What static and dynamic recurrent networks have in common: batch sizes, dtypes, steps past the ends of sequences.

Source: tensorflow/python/ops/rnn.py (nodes and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from icefloe.graph.default_graph import colocate_with
from icefloe.graph.graph import get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_select import where
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.control_flow_values import is_tensor_array
from icefloe.lib.nest import assert_same_structure, flatten, is_nested, pack_sequence_as


def cache_variables(scope: Any) -> None:
    """Let variables of `scope` be read once where they are used, unless a loop is being built."""
    context = get_default_graph()._get_control_flow_context()
    in_loop = context is not None and context.GetWhileContext() is not None
    if not in_loop and scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


def batch_size_of(flat_input: Iterable[Tensor]) -> Any:
    """Return the size of the second axis, a tensor if it is not known. Raises: ValueError if an input has no such."""
    inputs = list(flat_input)
    for x in inputs:
        rank = x.shape.rank
        if rank is None:
            continue
        if rank < 2:
            raise ValueError(f"Input tensor should have rank >= 2. Received input={x} of rank {rank}")
        size = x.shape[1].value
        if size is not None:
            return size
    return shape_of(inputs[0])[1]


def dtype_of_state(dtype: Any, state: Any) -> Any:
    """Return `dtype`, or that of all tensors of `state`. Raises: ValueError if they have several, or there are none."""
    if dtype is not None:
        return dtype
    if not is_nested(state):
        return state.dtype
    dtypes = [element.dtype for element in flatten(state)]
    if not dtypes:
        raise ValueError(f"Unable to infer dtype from argument state={state}.")
    if any(other != dtypes[0] for other in dtypes):
        raise ValueError(
            f"Argument state={state} has tensors of different inferred dtypes. Unable to infer a single representative "
            f"dtype. Dtypes received: {dtypes}"
        )
    return dtypes[0]


def initial_state_of(cell: Any, initial_state: Any, batch_size: Any, dtype: Any) -> Any:
    """Return the state to begin with. Raises: ValueError if neither it nor `dtype` is given."""
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def step(
    time: Any,
    sequence_length: Tensor,
    bounds: tuple[Tensor, Tensor],
    zero_output: Any,
    state: Any,
    call_cell: Callable[[], Any],
    *,
    always_calls: bool = False,
) -> tuple[Any, Any]:
    """Return (output, state) of one step: past a sequence's end zeros and the state as it was.

    bounds: the least and the greatest of `sequence_length`. always_calls: call the cell also where no sequence needs
    it, and not inside of a conditional.
    """
    flat_state, flat_zero = flatten(state), flatten(zero_output)
    done = time >= sequence_length

    def kept(old: Any, new: Any) -> Any:
        if is_tensor_array(old) or old.shape.rank == 0:
            return new
        with colocate_with(new):
            return where(done, old, new)

    def called() -> tuple[list[Any], list[Any]]:
        new_output, new_state = call_cell()
        assert_same_structure(zero_output, new_output)
        assert_same_structure(state, new_state)
        return flatten(new_output), flatten(new_state)

    def some_kept(outputs: list[Any], states: list[Any]) -> list[Any]:
        made = [kept(old, new) for old, new in zip(flat_zero, outputs)]
        return made + [kept(old, new) for old, new in zip(flat_state, states)]

    def called_and_kept() -> Any:
        new_outputs, new_states = called()
        return cond(time < bounds[0], lambda: new_outputs + new_states, lambda: some_kept(new_outputs, new_states))

    if always_calls:
        outputs, states = called()
        final = some_kept(outputs, states)
    else:
        final = cond(time >= bounds[1], lambda: flat_zero + flat_state, called_and_kept)
    outputs, states = final[: len(flat_zero)], final[len(flat_zero) :]
    for made, like in zip(outputs, flat_zero):
        made.set_shape(like.shape)
    for made, like in zip(states, flat_state):
        if not is_tensor_array(made):
            made.set_shape(like.shape)
    return pack_sequence_as(zero_output, outputs), pack_sequence_as(state, states)
