"""`static_rnn` and its like: recurrent networks over a list of inputs, one cell's nodes for each.

Source: tensorflow/python/ops/rnn.py (nodes and messages).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat, stack, unstack
from icefloe.lib.array_select import reverse_sequence
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import identity
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_max, reduce_min
from icefloe.lib.nest import flatten, is_nested, pack_sequence_as
from icefloe.lib.rnn_cells import assert_like_rnncell, joined_shapes, joined_sizes
from icefloe.lib.rnn_steps import cache_variables, dtype_of_state, initial_state_of, step
from icefloe.lib.variable_scope import variable_scope
from icefloe.shapes import dimension_at_index, dimension_value, unknown_shape


def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Return (outputs, state) of a cell that goes over a list of inputs [batch, size], or of nests of them.

    sequence_length: int [batch], how many steps each sequence has; past its end the output is zero and the state stays.
    dtype: of the state to begin with, if that is not given. scope: variable scope, by default "rnn".

    Raises: TypeError if `cell` is no cell or `inputs` no sequence; ValueError if sizes do not fit.
    """
    assert_like_rnncell("cell", cell)
    _check_inputs(inputs)
    outputs = []
    with variable_scope(scope or "rnn") as entered:
        cache_variables(entered)
        fixed = _static_batch(inputs)
        batch_size = dimension_value(fixed) or shape_of(_first(inputs))[0]
        state = initial_state_of(cell, initial_state, batch_size, dtype)
        zero_output: Any = None
        bounds: Any = None
        if sequence_length is not None:
            sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if sequence_length.shape.rank not in (None, 1):
                raise ValueError(
                    f"Argument `sequence_length` must be a vector of length {batch_size}. Received sequence_length="
                    f"{sequence_length}."
                )
            zero_output = pack_sequence_as(
                cell.output_size,
                [_zero(batch_size, fixed, size, dtype_of_state(dtype, state)) for size in flatten(cell.output_size)],
            )
            sequence_length = cast(sequence_length, datatypes.int32)
            bounds = reduce_min(sequence_length), reduce_max(sequence_length)
        for time, x in enumerate(inputs):
            if time > 0:
                entered.reuse_variables()
            if sequence_length is None:
                output, state = cell(x, state)
            else:
                before = state

                def call(x: Any = x, before: Any = before) -> Any:
                    return cell(x, before)

                output, state = step(time, sequence_length, bounds, zero_output, state, call)
            outputs.append(output)
    return outputs, state


def _check_inputs(inputs: Any) -> None:
    if not is_nested(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")


def _first(inputs: Any) -> Tensor:
    while is_nested(inputs):
        inputs = inputs[0]
    first: Tensor = inputs
    return first


def _static_batch(inputs: Any) -> Any:
    """Return the first size of all inputs. Raises: ValueError if they differ, or another size is not known."""
    first = _first(inputs)
    if first.shape.rank == 1:
        return dimension_at_index(first.shape, 0)
    fixed = dimension_at_index(first.shape.with_rank_at_least(2), 0)
    for x in flatten(inputs):
        shape = x.shape.with_rank_at_least(2)
        fixed.assert_is_compatible_with(dimension_at_index(shape, 0))
        for i, size in enumerate(shape[1:].as_list()):
            if size is None:
                raise ValueError(
                    f"Input size (dimension {i} of input {x}) must be accessible via shape inference, but saw value "
                    "None."
                )
    return fixed


def _zero(batch_size: Any, fixed: Any, size: Any, dtype: Any) -> Tensor:
    made: Tensor = zeros(stack(joined_sizes(batch_size, size)), dtype)
    made.set_shape(joined_shapes(dimension_value(fixed), size))
    return made


def static_state_saving_rnn(
    cell: Any, inputs: Any, state_saver: Any, state_name: Any, sequence_length: Any = None, scope: Any = None
) -> tuple[list[Any], Any]:
    """Return what `static_rnn` does of a state that `state_saver` gives and takes.

    state_saver: has `state(name)` and `save_state(name, value)`. state_name: a name, or a nest of them like the state.

    Raises: ValueError if `state_name` is not nested as the state is.
    """
    size = cell.state_size
    nested = is_nested(size)
    if nested != is_nested(state_name):
        raise ValueError(
            f"Argument `state_name` should be the same type as `cell.state_size`. Received: state_name={state_name!s}, "
            f"cell.state_size={size!s}."
        )
    names = flatten(state_name)
    if nested and len(names) != len(flatten(size)):
        raise ValueError(
            "Number of elements in argument `state_name` and `cell.state_size` are mismatched. Received state_name="
            f"{state_name} with {len(names)} elements and cell.state_size={size} with {len(flatten(size))} elements."
        )
    initial = pack_sequence_as(size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial_state=initial, sequence_length=sequence_length, scope=scope)
    flat = flatten(state)
    saved = [state_saver.save_state(name, part) for name, part in zip(names, flat)]
    with control_dependencies(saved):
        outputs[-1] = pack_sequence_as(outputs[-1], [identity(part) for part in flatten(outputs[-1])])
        state = pack_sequence_as(state, [identity(part) for part in flat])
    return outputs, state


def _reversed(sequence: Any, lengths: Any) -> list[Any]:
    """Return a list of inputs from its end, or each sequence from its own."""
    if lengths is None:
        return list(reversed(sequence))
    results: list[list[Any]] = [[] for _ in sequence]
    for group in zip(*(flatten(x) for x in sequence)):
        shape = unknown_shape(rank=group[0].shape.rank)
        for x in group:
            shape.assert_is_compatible_with(x.shape)
            x.set_shape(shape)
        turned = reverse_sequence(stack(group), lengths, 0, 1)
        for made, result in zip(unstack(turned), results):
            made.set_shape(shape)
            result.append(made)
    return [pack_sequence_as(x, flat) for x, flat in zip(sequence, results)]


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Return (outputs, state forward, state backward) of two cells that go over `inputs` from both ends.

    An output has that of both cells side by side. Arguments as of `static_rnn`; the variables are in the scopes "fw"
    and "bw" of `scope`, by default "bidirectional_rnn".
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    _check_inputs(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw:
            forward, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=fw)
        with variable_scope("bw") as bw:
            turned = _reversed(inputs, sequence_length)
            backward, state_bw = static_rnn(cell_bw, turned, initial_state_bw, dtype, sequence_length, scope=bw)
    backward = _reversed(backward, sequence_length)
    joined = tuple(concat([x, y], 1) for x, y in zip(flatten(forward), flatten(backward)))
    return pack_sequence_as(forward, joined), state_fw, state_bw
