"""Cells around a cell: dropout, a residual connection, a device.

Source: the wrappers of TensorFlow 1 (tensorflow/python/ops/rnn_cell_wrapper_impl.py): nodes, seeds and messages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import device as on_device
from icefloe.graph.default_graph import name_scope
from icefloe.lib.array_join import concat
from icefloe.lib.control_flow_values import is_tensor_array
from icefloe.lib.math_elementwise import divide, floor
from icefloe.lib.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as
from icefloe.lib.nn_activations import dropout
from icefloe.lib.random_draws import random_uniform
from icefloe.lib.rnn_cells import LSTMStateTuple, RNNCell, assert_like_rnncell
from icefloe.shapes import TensorShape


class _Wrapper(RNNCell):
    """A cell that calls another one."""

    def __init__(self, cell: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert_like_rnncell("cell", cell)
        self.cell = cell

    @property
    def state_size(self) -> Any:
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        with name_scope(f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return (output, new state)."""
        return self._call_wrapped(inputs, state, scope)

    def _call_wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        raise NotImplementedError


def _drops_of_state(substate: Any) -> Any:
    """What of a state may be dropped by default: of an LSTM's only `h`."""
    if isinstance(substate, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not is_tensor_array(substate)


class DropoutWrapper(_Wrapper):
    """A cell of whose inputs, outputs and state some elements are dropped.

    input_keep_prob, output_keep_prob, state_keep_prob: the part that stays, a number or a tensor.
    variational_recurrent: drop the same at each step; needs `dtype`, and `input_size` where inputs are dropped. seed:
    makes each place its own. dropout_state_filter_visitor: says of a state, or a part of it, whether it may be dropped.

    Raises: ValueError for a part below 0 or above 1; TypeError if the visitor is not callable.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError(f"dropout_state_filter_visitor must be callable. Received: {dropout_state_filter_visitor}")
        self._filter = dropout_state_filter_visitor or _drops_of_state
        self._variational = variational_recurrent
        self._seed = seed
        with name_scope("DropoutWrapperInit"):
            self._keep = {
                "input": _probability(input_keep_prob, "input_keep_prob"),
                "state": _probability(state_keep_prob, "state_keep_prob"),
                "output": _probability(output_keep_prob, "output_keep_prob"),
            }
        self._noise: dict[str, Any] = {}
        if variational_recurrent:
            self._make_noise(cell, input_size, dtype)

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    def _make_noise(self, cell: Any, input_size: Any, dtype: Any) -> None:
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": cell.state_size, "output": cell.output_size}
        if _drops(self._keep["input"]):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be "
                    "provided"
                )
            sizes = {"input": input_size, **sizes}

        def noise(salt: str, i: int, size: Any) -> Any:
            shape = concat(([1], TensorShape(size).as_list()), 0)
            return random_uniform(shape, seed=self._seed_of(salt, i), dtype=dtype)

        for salt, nest in sizes.items():
            made = [noise(salt, i, size) for i, size in enumerate(flatten(nest))]
            self._noise[salt] = pack_sequence_as(nest, made)

    def _seed_of(self, salt: str, index: int) -> int | None:
        """Return the seed of one place, which its name and the wrapper's seed determine."""
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _call_wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        if _drops(self._keep["input"]):
            inputs = self._dropped(inputs, "input", map_structure(lambda _: True, inputs))
        output, new_state = self.cell(inputs, state, scope=scope)
        if _drops(self._keep["state"]):
            new_state = self._dropped(new_state, "state", self._filtered(new_state))
        if _drops(self._keep["output"]):
            output = self._dropped(output, "output", map_structure(lambda _: True, output))
        return output, new_state

    def _filtered(self, state: Any) -> Any:
        """Return which parts of a state to drop: a nest of bools, False for a part as a whole."""
        wanted = self._filter(state)
        if not is_nested(state) or wanted is False:
            return bool(wanted)
        flags = list(state) if wanted is True else list(wanted)
        parts = [self._filtered(part) if wanted is True or flag else False for part, flag in zip(state, flags)]
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)

    def _dropped(self, values: Any, salt: str, wanted: Any) -> Any:
        count = iter(range(1_000_000))

        def each(flag: Any, value: Any, noise: Any) -> Any:
            if is_nested(flag):
                noises = noise if self._variational else [None] * len(value)
                parts = [each(f, v, n) for f, v, n in zip(flag, value, noises)]
                return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
            index = next(count)
            if isinstance(flag, bool) and not flag:
                return value
            keep = self._keep[salt]
            if not self._variational:
                return dropout(value, rate=1.0 - keep, seed=self._seed_of(salt, index))
            stays = floor(keep + noise)
            result = divide(value, keep) * stays
            result.set_shape(value.shape)
            return result

        return each(wanted, values, self._noise.get(salt))


def _probability(value: Any, name: str) -> Any:
    tensor = convert_to_tensor(value)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if known < 0 or known > 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1. Received {known}")
    return float(known)


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


class ResidualWrapper(_Wrapper):
    """A cell to whose output its input is added. residual_fn: of inputs and outputs, in place of the sum."""

    def __init__(self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _call_wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        outputs, new_state = self.cell(inputs, state, scope=scope)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), new_state
        assert_same_structure(inputs, outputs)
        map_structure(lambda x, y: x.shape.assert_is_compatible_with(y.shape), inputs, outputs)
        return map_structure(lambda x, y: x + y, inputs, outputs), new_state


class DeviceWrapper(_Wrapper):
    """A cell whose ops are put on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        with name_scope(f"{type(self).__name__}ZeroState"), on_device(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def _call_wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        with on_device(self._device):
            return self.cell(inputs, state, scope=scope)
