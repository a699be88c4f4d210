"""`tf.nn.rnn_cell`: cells of recurrent networks, one step each, with TensorFlow 1's names of variables.

    cell = tf.nn.rnn_cell.LSTMCell(128)
    outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)

A cell maps (inputs [batch, size], state) to (output [batch, output_size], new state).

Source: the cells of TensorFlow 1 (tensorflow/python/ops/rnn_cell_impl.py): nodes, names and messages.
"""

from __future__ import annotations

import collections
from typing import Any

from icefloe import datatypes
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros
from icefloe.lib.array_join import concat, split
from icefloe.lib.array_select import slice as sliced
from icefloe.lib.array_shape import expand_dims
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.initializers import Constant, Zeros
from icefloe.lib.layer_base import InputSpec, Layer, activation_function, is_trained
from icefloe.lib.math_clip import clip_by_value
from icefloe.lib.math_elementwise import add, multiply, sigmoid
from icefloe.lib.math_matrix import matmul
from icefloe.lib.nest import flatten, is_nested, map_structure
from icefloe.lib.nn_activations import bias_add
from icefloe.lib.op_functions import op_function
from icefloe.lib.variable_partitioned import fixed_size_partitioner
from icefloe.lib.variable_scope import get_variable_scope, variable_scope
from icefloe.shapes import TensorShape

tanh = op_function("Tanh", "tanh", "icefloe")


def joined_sizes(prefix: Any, suffix: Any) -> Tensor:
    """Return two sizes, or shapes, that may be tensors as one vector. Raises: ValueError if one is not known."""
    parts = [_size_vector(part) for part in (prefix, suffix)]
    if any(part is None for part in parts):
        raise ValueError(f"Prefix or suffix can't be None. Received prefix = {prefix} and suffix = {suffix}")
    made: Tensor = concat(tuple(parts), 0)
    return made


def joined_shapes(prefix: Any, suffix: Any) -> TensorShape:
    """Return two sizes, or shapes, that may be tensors as one static shape.

    It adds the nodes of the vectors, too, which nothing uses, so that the names that follow are TensorFlow's.
    """
    for part in (prefix, suffix):
        _size_vector(part)
    return _static(prefix).concatenate(_static(suffix))


def _size_vector(size: Any) -> Tensor | None:
    if isinstance(size, Tensor):
        if size.shape.rank not in (0, 1):
            raise ValueError(f"Prefix tensor must be either a scalar or vector, but received tensor: {size}")
        return expand_dims(size, 0) if size.shape.rank == 0 else size
    shape = TensorShape(size)
    return constant(shape.as_list(), dtype=datatypes.int32) if shape.is_fully_defined() else None


def _static(size: Any) -> TensorShape:
    if not isinstance(size, Tensor):
        return TensorShape(size)
    known = constant_value(size)
    return TensorShape(None if known is None else known.tolist())


def assert_like_rnncell(cell_name: str, cell: Any) -> None:
    """Raise TypeError if `cell` cannot be used as a cell."""
    wanted = [
        (hasattr(cell, "output_size"), "'output_size' property is missing"),
        (hasattr(cell, "state_size"), "'state_size' property is missing"),
        (
            hasattr(cell, "get_initial_state") or hasattr(cell, "zero_state"),
            "either 'zero_state' or 'get_initial_state' method is required",
        ),
        (callable(cell), "is not callable"),
    ]
    missing = [text for there, text in wanted if not there]
    if missing:
        raise TypeError(f"The argument {cell_name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


class RNNCell(Layer):
    """Base of cells. A subclass has `state_size`, `output_size` and `call(inputs, state)`.

    Variables that `call` makes by `get_variable` are its own.
    """

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(trainable, name, dtype, **kwargs)
        self._rnn_scope: Any = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return (output, new state). scope: variable scope, by default one named by the cell's class."""
        if scope is not None:
            with variable_scope(scope, custom_getter=self._rnn_get_variable) as entered:
                return super().__call__(inputs, state, scope=entered)
        if self._rnn_scope is None:
            self._rnn_scope = get_variable_scope()
        with variable_scope(self._rnn_scope, custom_getter=self._rnn_get_variable):
            return super().__call__(inputs, state)

    def _rnn_get_variable(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        variable = getter(*args, **kwargs)
        kept = self._trainable_weights if is_trained(variable) else self._non_trainable_weights
        if all(variable is not other for other in kept):
            kept.append(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """The size of the state, or a nest of sizes."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output, or a nest of sizes."""
        raise NotImplementedError("Abstract method")

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """Return a state of zeros, for the batch of `inputs` or one of `batch_size`.

        Raises: ValueError if neither is given, or both and they differ.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            known = inputs.shape[0].value
            if batch_size is not None:
                size = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
                if known != size:
                    raise ValueError(
                        "batch size from input tensor is different from the input param. Input tensor batch: "
                        f"{known}, batch_size: {batch_size}"
                    )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    "dtype from input tensor is different from the input param. Input tensor dtype: "
                    f"{inputs.dtype}, dtype: {dtype}"
                )
            batch_size, dtype = known or shape_of(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                f"batch_size and dtype cannot be None while constructing initial state: batch_size={batch_size}, "
                f"dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros for a batch of `batch_size`."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return map_structure(lambda size: _zeros(batch_size, size, dtype), self.state_size)


def _zeros(batch_size: Any, size: Any, dtype: Any) -> Tensor:
    made: Tensor = zeros(joined_sizes(batch_size, size), dtype=dtype)
    made.set_shape(joined_shapes(batch_size, size))
    return made


class LayerRNNCell(RNNCell):
    """Base of cells that make their variables in `build`."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return (output, new state)."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _input_depth(self, input_shape: Any) -> int:
        size = TensorShape(input_shape)[-1].value
        if size is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, received shape: {input_shape}")
        check_floating(self.dtype)
        return int(size)


def check_floating(dtype: Any) -> None:
    """Raise ValueError if a cell cannot compute in `dtype`."""
    if dtype is None:
        return
    dtype = datatypes.as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_complex):
        raise ValueError(f"RNN cell only supports floating point inputs, but received dtype: {dtype}")


class BasicRNNCell(LayerRNNCell):
    """`activation(concat(inputs, state) @ kernel + bias)`, which is output and new state."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_floating(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_function(activation) if activation else tanh

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, input_shape: Any) -> None:
        depth = self._input_depth(input_shape)
        self._kernel = self.add_weight("kernel", [depth + self._num_units, self._num_units])
        self._bias = self.add_weight("bias", [self._num_units], initializer=Zeros(dtype=self.dtype))
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        _check_inputs(inputs, state)
        made = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(made)
        return output, output


def _check_inputs(*values: Any) -> None:
    for value in flatten(list(values)):
        check_floating(value.dtype)


class GRUCell(LayerRNNCell):
    """A gated recurrent unit: reset and update gates, and a candidate for the new state."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_floating(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_function(activation) if activation else tanh
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, input_shape: Any) -> None:
        depth, units = self._input_depth(input_shape), self._num_units
        kernel, bias = self._kernel_initializer, self._bias_initializer
        self._gate_kernel = self.add_weight("gates/kernel", [depth + units, 2 * units], initializer=kernel)
        self._gate_bias = self.add_weight(
            "gates/bias", [2 * units], initializer=Constant(1.0, dtype=self.dtype) if bias is None else bias
        )
        self._candidate_kernel = self.add_weight("candidate/kernel", [depth + units, units], initializer=kernel)
        self._candidate_bias = self.add_weight(
            "candidate/bias", [units], initializer=Zeros(dtype=self.dtype) if bias is None else bias
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        _check_inputs(inputs, state)
        gates = sigmoid(bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias))
        r, u = split(value=gates, num_or_size_splits=2, axis=1)
        r_state = r * state
        candidate = bias_add(matmul(concat([inputs, r_state], 1), self._candidate_kernel), self._candidate_bias)
        c = self._activation(candidate)
        new = u * state + (1 - u) * c
        return new, new


class LSTMStateTuple(collections.namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM cell: `c` and `h`."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The dtype of both. Raises: TypeError if they have not the same."""
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent dtypes for internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


class BasicLSTMCell(LayerRNNCell):
    """A long short-term memory without peepholes, clipping and projection.

    forget_bias: added to the forget gate. state_is_tuple: the state is an LSTMStateTuple, and not `c` and `h` side by
    side.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_floating(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._forget_bias, self._state_is_tuple = num_units, forget_bias, state_is_tuple
        self._activation = activation_function(activation) if activation else tanh

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, input_shape: Any) -> None:
        depth, units = self._input_depth(input_shape), self._num_units
        self._kernel = self.add_weight("kernel", [depth + units, 4 * units])
        self._bias = self.add_weight("bias", [4 * units], initializer=Zeros(dtype=self.dtype))
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        _check_inputs(inputs, state)
        one = constant(1, dtype=datatypes.int32)
        c, h = state if self._state_is_tuple else split(value=state, num_or_size_splits=2, axis=one)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(value=gates, num_or_size_splits=4, axis=one)
        forget_bias = constant(self._forget_bias, dtype=f.dtype)
        kept = multiply(c, sigmoid(add(f, forget_bias)))
        new_c = add(kept, multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else concat([new_c, new_h], 1)


class LSTMCell(LayerRNNCell):
    """A long short-term memory.

    use_peepholes: the gates see `c`. cell_clip, proj_clip: bounds of `c` and of the projected output. num_proj: size
    of the output, made of `h` by a matrix. num_unit_shards, num_proj_shards: parts that variables are split into.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_floating(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._use_peepholes, self._initializer = num_units, use_peepholes, initializer
        self._cell_clip, self._proj_clip = cell_clip, proj_clip
        self._num_proj = num_proj
        self._num_unit_shards, self._num_proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = activation_function(activation) if activation else tanh
        self._output_size = num_proj or num_units

    @property
    def state_size(self) -> Any:
        sizes = self._num_units, self._output_size
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        return self._output_size

    def build(self, input_shape: Any) -> None:
        depth, units = self._input_depth(input_shape), self._num_units
        hidden = units if self._num_proj is None else self._num_proj
        options: dict[str, Any] = {"initializer": self._initializer}
        self._kernel = self.add_weight(
            "kernel", [depth + hidden, 4 * units], partitioner=_shards(self._num_unit_shards), **options
        )
        self._bias = self.add_weight("bias", [4 * units], initializer=Zeros(dtype=self.dtype))
        if self._use_peepholes:
            self._w_f_diag = self.add_weight("w_f_diag", [units], **options)
            self._w_i_diag = self.add_weight("w_i_diag", [units], **options)
            self._w_o_diag = self.add_weight("w_o_diag", [units], **options)
        if self._num_proj is not None:
            self._proj_kernel = self.add_weight(
                "projection/kernel", [units, self._num_proj], partitioner=_shards(self._num_proj_shards), **options
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        _check_inputs(inputs, state)
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = sliced(state, [0, 0], [-1, self._num_units])
            m_prev = sliced(state, [0, self._num_units], [-1, self._output_size])
        if inputs.shape.with_rank(2)[1].value is None:
            raise ValueError(
                f"Could not infer input size from inputs.get_shape()[-1].Received input shape: {inputs.shape}"
            )
        gates = bias_add(matmul(concat([inputs, m_prev], 1), self._kernel), self._bias)
        i, j, f, o = split(value=gates, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            kept = sigmoid(f + self._forget_bias + self._w_f_diag * c_prev) * c_prev
            c = kept + sigmoid(i + self._w_i_diag * c_prev) * self._activation(j)
        else:
            c = sigmoid(f + self._forget_bias) * c_prev + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            m = sigmoid(o + self._w_o_diag * c) * self._activation(c)
        else:
            m = sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else concat([c, m], 1)


def _shards(count: int | None) -> Any:
    return None if count is None else fixed_size_partitioner(count)


class MultiRNNCell(RNNCell):
    """Cells one above the other: each takes the output of the one before.

    state_is_tuple: the state is a tuple of theirs, and not theirs side by side.

    Raises: ValueError if there are none; TypeError if `cells` is no sequence.
    """

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but received: {cells}.")
        self._cells = cells
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set. State sizes are: "
                f"{[cell.state_size for cell in cells]}"
            )

    @property
    def state_size(self) -> Any:
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        with name_scope(f"{type(self).__name__}ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self) -> list[Any]:
        cells = [cell for cell in self._cells if isinstance(cell, Layer)]
        return [w for cell in cells for w in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        cells = [cell for cell in self._cells if isinstance(cell, Layer)]
        others = [w for cell in cells for w in cell.non_trainable_weights]
        return others if self.trainable else [w for cell in cells for w in cell.trainable_weights] + others

    def call(self, inputs: Any, state: Any) -> Any:
        start = 0
        states = []
        for i, cell in enumerate(self._cells):
            with variable_scope(f"cell_{i}"):
                if self._state_is_tuple:
                    if not is_nested(state):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}"
                        )
                    own = state[i]
                else:
                    own = sliced(state, [0, start], [-1, cell.state_size])
                    start += cell.state_size
                inputs, new = cell(inputs, own)
                states.append(new)
        return inputs, tuple(states) if self._state_is_tuple else concat(states, 1)
