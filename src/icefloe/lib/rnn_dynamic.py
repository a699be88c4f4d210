"""`dynamic_rnn`, `bidirectional_dynamic_rnn`, `raw_rnn`: recurrent networks as loops.

Source: tensorflow/python/ops/rnn.py (nodes and messages).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import colocate_with, control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import reverse_sequence, where
from icefloe.lib.array_shape import rank as rank_of
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.array_shape import transpose
from icefloe.lib.checks import Assert
from icefloe.lib.control import identity
from icefloe.lib.control_flow_values import is_tensor_array
from icefloe.lib.control_flow_while import while_loop
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import equal
from icefloe.lib.math_range import range as tensor_range
from icefloe.lib.math_reduce import reduce_all, reduce_max, reduce_min
from icefloe.lib.nest import assert_same_structure, flatten, map_structure, pack_sequence_as
from icefloe.lib.rnn_cells import assert_like_rnncell, joined_shapes, joined_sizes
from icefloe.lib.rnn_steps import batch_size_of, cache_variables, dtype_of_state, initial_state_of, step
from icefloe.lib.tensor_array import TensorArray
from icefloe.lib.variable_scope import variable_scope
from icefloe.shapes import TensorShape, dimension_at_index, dimension_value


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Return (outputs, state) of a cell that goes over `inputs` [batch, time, ...], or a nest of such, in a loop.

    sequence_length: int [batch], how many steps each sequence has; past its end the output is zero and the state stays.
    dtype: of the state to begin with, if that is not given. time_major: inputs and outputs are [time, batch, ...].
    scope: variable scope, by default "rnn".

    Raises: TypeError if `cell` is no cell; ValueError if sizes do not fit or are not known.
    """
    assert_like_rnncell("cell", cell)
    with variable_scope(scope or "rnn") as entered:
        cache_variables(entered)
        flat_input = flatten(inputs)
        if not time_major:
            flat_input = [convert_to_tensor(x) for x in flat_input]
            flat_input = [_transposed(x) for x in flat_input]
        parallel_iterations = parallel_iterations or 32
        if sequence_length is not None:
            sequence_length = cast(sequence_length, datatypes.int32)
            if sequence_length.shape.rank not in (None, 1):
                raise ValueError(
                    "Argument sequence_length must be a vector of length batch_size. Received sequence_length="
                    f"{sequence_length} of shape: {sequence_length.shape}"
                )
            sequence_length = identity(sequence_length, name="sequence_length")
        batch_size = batch_size_of(flat_input)
        state = initial_state_of(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            with control_dependencies([_assert_shape(sequence_length, [batch_size])]):
                sequence_length = identity(sequence_length, name="CheckSeqLen")
        inputs = pack_sequence_as(inputs, flat_input)
        loop = _Loop(cell, inputs, flat_input, state, sequence_length, dtype)
        outputs, final_state = loop.run(parallel_iterations, swap_memory)
        if not time_major:
            outputs = map_structure(_transposed, outputs)
        return outputs, final_state


def _transposed(x: Tensor) -> Tensor:
    """Return `x` with its first two axes exchanged."""
    shape = x.shape
    if shape.rank is not None and shape.rank < 2:
        return x
    turned: Tensor = transpose(x, concat(([1, 0], tensor_range(2, rank_of(x))), axis=0))
    turned.set_shape(TensorShape([shape[1].value, shape[0].value]).concatenate(shape[2:]))
    return turned


def _assert_shape(x: Tensor, sizes: list[Any]) -> Any:
    shape = shape_of(x)
    wanted = stack(sizes)
    said = [f"Expected shape for Tensor {x.name} is ", wanted, " but saw shape: ", shape]
    return Assert(reduce_all(equal(shape, wanted)), said)


class _Loop:
    """A cell's loop over inputs [time, batch, ...]."""

    def __init__(
        self, cell: Any, inputs: Any, flat_input: list[Tensor], state: Any, sequence_length: Any, dtype: Any
    ) -> None:
        self.cell, self.inputs, self.flat_input, self.state = cell, inputs, flat_input, state
        self.sequence_length = sequence_length
        self.output_sizes = flatten(cell.output_size)
        self.time_steps = shape_of(flat_input[0])[0]
        self.batch_size = batch_size_of(flat_input)
        self.shapes = [x.shape.with_rank_at_least(3) for x in flat_input]
        self.static_steps, self.static_batch = self.shapes[0].as_list()[:2]
        self._check_shapes()
        zero = [
            zeros(stack(joined_sizes(self.batch_size, size)), dtype_of_state(dtype, state))
            for size in self.output_sizes
        ]
        self.zero_output = pack_sequence_as(cell.output_size, zero)
        self.dtype = dtype

    def _check_shapes(self) -> None:
        for x, shape in zip(self.flat_input, self.shapes):
            if not shape[2:].is_fully_defined():
                raise ValueError(
                    "Input size (depth of inputs) must be accessible via shape inference, but saw value None for "
                    f"input={x}."
                )
            if shape[0].value != self.static_steps:
                raise ValueError(
                    "Time steps is not the same for all the elements in the input in a batch. Received time steps="
                    f"{shape[0].value} for input={x}."
                )
            if shape[1].value != self.static_batch:
                raise ValueError(
                    "Batch_size is not the same for all the elements in the input. Received batch size="
                    f"{shape[1].value} for input={x}."
                )

    def run(self, parallel_iterations: int, swap_memory: bool) -> tuple[Any, Any]:
        """Return (outputs, state)."""
        longest = self.time_steps
        self.bounds: Any = None
        if self.sequence_length is not None:
            self.bounds = reduce_min(self.sequence_length), reduce_max(self.sequence_length)
            longest = self.bounds[1]
        time = constant(0, dtype=datatypes.int32, name="time")
        with name_scope("dynamic_rnn") as base:
            pass
        outputs = tuple(
            TensorArray(
                dtype=dtype_of_state(self.dtype, self.state),
                size=self.time_steps,
                element_shape=TensorShape([self.static_batch]).concatenate(_static_size(size)),
                tensor_array_name=f"{base}output_{i}",
            )
            for i, size in enumerate(self.output_sizes)
        )
        arrays = [
            TensorArray(
                dtype=x.dtype, size=self.time_steps, element_shape=x.shape[1:], tensor_array_name=f"{base}input_{i}"
            )
            for i, x in enumerate(self.flat_input)
        ]
        self.input_arrays = [array.unstack(x) for array, x in zip(arrays, self.flat_input)]
        bound = apply_op("Minimum", self.time_steps, apply_op("Maximum", 1, longest))
        _, arrays_after, final_state = while_loop(
            cond=lambda time, *_: time < bound,
            body=self._turn,
            loop_vars=(time, outputs, self.state),
            parallel_iterations=parallel_iterations,
            maximum_iterations=self.time_steps,
            swap_memory=swap_memory,
        )
        made = [array.stack() for array in arrays_after]
        for output, size in zip(made, self.output_sizes):
            output.set_shape(joined_shapes([self.static_steps, self.static_batch], size))
        return pack_sequence_as(self.cell.output_size, made), final_state

    def _turn(self, time: Any, arrays: Any, state: Any) -> Any:
        read = [array.read(time) for array in self.input_arrays]
        for x, shape in zip(read, self.shapes):
            x.set_shape(shape[1:])
        x = pack_sequence_as(self.inputs, read)
        if self.sequence_length is None:
            output, new_state = self.cell(x, state)
        else:
            output, new_state = step(
                time,
                self.sequence_length,
                self.bounds,
                self.zero_output,
                state,
                lambda: self.cell(x, state),
                always_calls=True,
            )
        written = tuple(array.write(time, out) for array, out in zip(arrays, flatten(output)))
        return time + 1, written, new_state


def _static_size(size: Any) -> Any:
    return TensorShape(constant_value(size)) if isinstance(size, Tensor) else size


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return ((outputs forward, backward), (state forward, backward)) of two cells, one from each end of `inputs`.

    Arguments as of `dynamic_rnn`; the variables are in the scopes "fw" and "bw" of `scope`, by default
    "bidirectional_rnn".
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    options = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def turned(x: Any) -> Any:
        if sequence_length is None:
            return apply_op("ReverseV2", x, axis=[time_axis])
        return reverse_sequence(x, sequence_length, seq_axis=time_axis, batch_axis=batch_axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw:
            forward, state_fw = dynamic_rnn(cell_fw, inputs, initial_state=initial_state_fw, scope=fw, **options)
        with variable_scope("bw") as bw:
            behind = map_structure(turned, inputs)
            backward, state_bw = dynamic_rnn(cell_bw, behind, initial_state=initial_state_bw, scope=bw, **options)
    return (forward, map_structure(turned, backward)), (state_fw, state_bw)


def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Return (TensorArrays of what was emitted, state, loop state) of a cell in a loop that `loop_fn` leads.

    loop_fn: `(time, cell_output, cell_state, loop_state)`, at first `(0, None, None, None)`; it returns
    `(finished bool [batch], next_input, next_state, emit_output, next_loop_state)`.

    Raises: TypeError if `loop_fn` is not callable.
    """
    assert_like_rnncell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn") as entered:
        cache_variables(entered)
        return _RawLoop(cell, loop_fn).run(parallel_iterations or 32, swap_memory)


class _RawLoop:
    def __init__(self, cell: Any, loop_fn: Callable[..., Any]) -> None:
        self.cell, self.loop_fn = cell, loop_fn
        self.time = constant(0, dtype=datatypes.int32)
        self.finished, self.next_input, state, emit, self.given_loop_state = loop_fn(self.time, None, None, None)
        flat_input = flatten(self.next_input)
        has_state = self.given_loop_state is not None
        self.loop_state = self.given_loop_state if has_state else constant(0, dtype=datatypes.int32)
        static_batch = dimension_at_index(flat_input[0].shape, 0)
        for x in flat_input:
            static_batch.assert_is_compatible_with(dimension_at_index(x.shape, 0))
        known = dimension_value(static_batch)
        batch_size = shape_of(flat_input[0])[0] if known is None else known
        assert_same_structure(state, cell.state_size)
        self.state = pack_sequence_as(state, [convert_to_tensor(part) for part in flatten(state)])
        if emit is not None:
            sizes = [x.shape if x.shape.is_fully_defined() else shape_of(x) for x in flatten(emit)]
            dtypes = [x.dtype for x in flatten(emit)]
        else:
            emit = cell.output_size
            sizes = flatten(emit)
            dtypes = [flatten(self.state)[0].dtype] * len(sizes)
        arrays = [
            TensorArray(
                dtype=dtype,
                dynamic_size=True,
                element_shape=TensorShape([known]).concatenate(_static_size(size)),
                size=0,
                name=f"rnn_output_{i}",
            )
            for i, (dtype, size) in enumerate(zip(dtypes, sizes))
        ]
        self.arrays = pack_sequence_as(emit, arrays)
        zero = [zeros(joined_sizes(batch_size, size), dtype) for size, dtype in zip(sizes, dtypes)]
        self.zero = pack_sequence_as(emit, zero)

    def run(self, parallel_iterations: int, swap_memory: bool) -> tuple[Any, Any, Any]:
        returned = while_loop(
            lambda _, finished, *rest: apply_op("LogicalNot", reduce_all(finished)),
            self._turn,
            loop_vars=[self.time, self.finished, self.next_input, self.arrays, self.state, self.loop_state],
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
        )
        arrays, state, loop_state = returned[-3:]
        return arrays, state, None if self.given_loop_state is None else loop_state

    def _turn(self, time: Any, finished: Any, x: Any, arrays: Any, state: Any, loop_state: Any) -> Any:
        output, cell_state = self.cell(x, state)
        assert_same_structure(state, cell_state)
        assert_same_structure(self.cell.output_size, output)
        next_time = time + 1
        next_finished, next_input, next_state, emitted, next_loop_state = self.loop_fn(
            next_time, output, cell_state, loop_state
        )
        assert_same_structure(state, next_state)
        assert_same_structure(x, next_input)
        assert_same_structure(arrays, emitted)
        loop_state = loop_state if next_loop_state is None else next_loop_state

        def kept(old: Any, new: Any) -> Any:
            if is_tensor_array(old) or old.shape.rank == 0:
                return new
            with colocate_with(new):
                return where(finished, old, new)

        emitted = map_structure(kept, self.zero, emitted)
        next_state = map_structure(kept, state, next_state)
        arrays = map_structure(lambda array, value: array.write(time, value), arrays, emitted)
        return next_time, apply_op("LogicalOr", finished, next_finished), next_input, arrays, next_state, loop_state
