"""LSTM cells as one op: LSTMBlockCell for one time step, BlockLSTM for a sequence, and their gradients.

    [i, ci, f, o] = [x, h_prev] @ w + b     (BlockLSTMV2: [i, f, ci, o])
    i, f, o = sigmoid(i), sigmoid(f + forget_bias), sigmoid(o);  ci = tanh(ci)
    cs = ci * i + cs_prev * f;  co = tanh(cs);  h = co * o

With peepholes cs_prev * wci is added to i, cs_prev * wcf to f and cs * wco to o before the sigmoid.
float16 is rounded after each operation. Source: tensorflow/core/kernels/rnn/lstm_ops.cc, lstm_ops.h.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, with_rank
from icefloe.ops.math.elementwise import sigmoid

_NAMES = ("i", "cs", "f", "o", "ci", "co", "h")


def _product(a: Any, b: Any) -> Any:
    """Return the matrix product in the dtype of `a`, float16 summed in float32."""
    if a.dtype.itemsize == 2:
        return (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)
    return a @ b


def _sigmoid(x: Any) -> Any:
    if x.dtype.itemsize == 2:
        return sigmoid(x.astype(np.float32)).astype(x.dtype)
    return sigmoid(x)


@dataclass(frozen=True, slots=True)
class _Cell:
    """The weights of a cell.

    peepholes: (wci, wcf, wco), or None where none are used. forget_before_input: whether the gates stand in the order
    that BlockLSTMV2 has.
    """

    w: Any
    b: Any
    peepholes: tuple[Any, Any, Any] | None
    forget_bias: float = 0.0
    clip: float = 0.0
    forget_before_input: bool = False

    def gates(self, joined: Any) -> list[Any]:
        """Return views of the gates i, ci, f, o of `joined` [batch, 4 * size]."""
        i, second, third, o = np.split(joined, 4, axis=1)
        return [i, third, second, o] if self.forget_before_input else [i, second, third, o]

    def forward(self, x: Any, cs_prev: Any, h_prev: Any) -> tuple[Any, ...]:
        """Return i, cs, f, o, ci, co, h after one time step."""
        real = x.dtype.type
        i, ci, f, o = self.gates(_product(np.concatenate([x, h_prev], axis=1), self.w) + self.b)
        f = f + real(self.forget_bias)
        if self.peepholes:
            wci, wcf, _ = self.peepholes
            i, f = i + cs_prev * wci, f + cs_prev * wcf
        i, ci, f = _sigmoid(i), np.tanh(ci), _sigmoid(f)
        cs = i * ci + f * cs_prev
        if self.clip > 0:
            cs = np.clip(cs, real(-self.clip), real(self.clip))
        co = np.tanh(cs)
        if self.peepholes:
            o = o + cs * self.peepholes[2]
        o = _sigmoid(o)
        return i, cs, f, o, ci, co, o * co

    def backward(self, cs_prev: Any, state: Sequence[Any], cs_grad: Any, h_grad: Any) -> tuple[Any, Any, list[Any]]:
        """Return the gradients of cs_prev and of the gates before their nonlinearity, and of the peepholes, if any.

        state: i, cs, f, o, ci, co of this time step.
        """
        i, cs, f, o, ci, co = state
        one = cs_prev.dtype.type(1)
        do = o * (one - o) * h_grad * co
        dcs = (one - co * co) * h_grad * o + cs_grad
        if self.peepholes:
            dcs = dcs + do * self.peepholes[2]
        dci = (one - ci * ci) * dcs * i
        df = f * (one - f) * dcs * cs_prev
        di = i * (one - i) * dcs * ci
        cs_prev_grad = dcs * f
        peepholes = []
        if self.peepholes:
            wci, wcf, _ = self.peepholes
            cs_prev_grad = cs_prev_grad + di * wci + df * wcf
            peepholes = [(di * cs_prev).sum(axis=0), (df * cs_prev).sum(axis=0), (do * cs).sum(axis=0)]
        order = [di, df, dci, do] if self.forget_before_input else [di, dci, df, do]
        return cs_prev_grad, np.concatenate(order, axis=1), peepholes


def _size_error(what: str, found: int, expected: str, size: int) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(f"{what} != {expected}: {found} vs. {size}")


def _check_weights(x: Any, cs_prev: Any, h_prev: Any, w: Any, b: Any) -> None:
    """Raise InvalidArgumentError unless the matrices of one time step and the weights fit together."""
    for name, value, rank in (("x", x, 2), ("cs_prev", cs_prev, 2), ("h_prev", h_prev, 2), ("w", w, 2), ("b", b, 1)):
        if np.ndim(value) != rank:
            raise errors.InvalidArgumentError(f"{name} must be rank {rank} but is rank {np.ndim(value)}")
    (batch, inputs), cells = x.shape, cs_prev.shape[1]
    for what, found, expected, size in (
        ("cs_prev.dims(0)", cs_prev.shape[0], "batch_size", batch),
        ("h_prev.dims(0)", h_prev.shape[0], "batch_size", batch),
        ("h_prev.dims(1)", h_prev.shape[1], "cell_size", cells),
        ("w.dim_size(0)", w.shape[0], "input_size + cell_size", inputs + cells),
        ("w.dim_size(1)", w.shape[1], "cell_size * 4", cells * 4),
        ("b.dim_size(0)", b.shape[0], "cell_size * 4", cells * 4),
    ):
        if found != size:
            raise _size_error(what, found, expected, size)


def _check_peepholes(peepholes: Sequence[Any], cells: int) -> None:
    for name, value in zip(("wci", "wcf", "wco"), peepholes, strict=True):
        if np.ndim(value) != 1:
            raise errors.InvalidArgumentError(f"{name} must be rank 1 but is rank {np.ndim(value)}")
        if len(value) != cells:
            raise _size_error(f"{name}.dim_size(0)", len(value), "cell_size", cells)


@kernel("LSTMBlockCell", factory=True)
def lstm_block_cell(*, forget_bias: float, cell_clip: float, use_peephole: bool) -> Callable[..., Any]:
    """Return the gates and states i, cs, f, o, ci, co, h [batch, size] after one time step."""

    def run(x: Any, cs_prev: Any, h_prev: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any) -> tuple[Any, ...]:
        _check_weights(x, cs_prev, h_prev, w, b)
        if not cs_prev.size:
            rows, columns = cs_prev.shape
            raise errors.InvalidArgumentError(f"cs_prev_tensor is empty, has shape: ({rows},{columns}).")
        peepholes = (wci, wcf, wco) if use_peephole else None
        if peepholes:
            _check_peepholes(peepholes, cs_prev.shape[1])
        return _Cell(w, b, peepholes, forget_bias, cell_clip).forward(x, cs_prev, h_prev)

    return run


@kernel("LSTMBlockCellGrad", factory=True)
def lstm_block_cell_grad(*, use_peephole: bool) -> Callable[..., Any]:
    """Return the gradients of cs_prev, of the gates before their nonlinearity, and of the peepholes."""

    def run(
        x: Any, cs_prev: Any, h_prev: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any, *rest: Any
    ) -> tuple[Any, ...]:
        _check_weights(x, cs_prev, h_prev, w, b)
        *state, cs_grad, h_grad = rest
        _check_states(dict(zip((*_NAMES[:6], "cs_grad_tensor", "h_grad_tensor"), rest, strict=True)), cs_prev.shape)
        peepholes = (wci, wcf, wco) if use_peephole else None
        if peepholes:
            _check_peepholes(peepholes, cs_prev.shape[1])
        cell = _Cell(w, b, peepholes)
        cs_prev_grad, gates, sums = cell.backward(cs_prev, state, cs_grad, h_grad)
        return cs_prev_grad, gates, *(sums or map(np.zeros_like, (wci, wcf, wco)))

    return run


def _check_states(states: dict[str, Any], expected: tuple[int, ...]) -> None:
    for name, value in states.items():
        if np.ndim(value) != len(expected):
            raise errors.InvalidArgumentError(f"{name} must be rank {len(expected)} but is rank {np.ndim(value)}")
        for axis, (found, size) in enumerate(zip(value.shape, expected, strict=True)):
            if found != size:
                what = ("batch_size", "cell_size")[axis - len(expected)] if axis >= len(expected) - 2 else "timelen"
                raise _size_error(f"{name}.dim_size({axis})", found, what, size)


def _check_sequence(length: Any, x: Any, cs_prev: Any, h_prev: Any, w: Any, peepholes: Sequence[Any], b: Any) -> None:
    if np.ndim(length):
        raise errors.InvalidArgumentError(f"`seq_len_max_tensor` must be rank 0 but is rank {np.ndim(length)}")
    if x.ndim != 3:
        raise errors.InvalidArgumentError("x must be 3D")
    if not 0 <= length <= len(x):
        raise errors.InvalidArgumentError(f"seq_len_max must be between 0 and {len(x)}, got {length}")
    _check_weights(np.empty(x.shape[1:], np.bool_), cs_prev, h_prev, w, b)
    _check_peepholes(peepholes, cs_prev.shape[1])


def _block(forget_before_input: bool, forget_bias: float, cell_clip: float, use_peephole: bool) -> Callable[..., Any]:
    def run(
        length: Any, x: Any, cs_prev: Any, h_prev: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any
    ) -> tuple[Any, ...]:
        _check_sequence(length, x, cs_prev, h_prev, w, (wci, wcf, wco), b)
        peepholes = (wci, wcf, wco) if use_peephole else None
        cell = _Cell(w, b, peepholes, forget_bias, cell_clip, forget_before_input)
        outputs = tuple(np.zeros((len(x), *cs_prev.shape), x.dtype) for _ in _NAMES)
        for t in range(int(length)):
            step = cell.forward(x[t], cs_prev, h_prev)
            for out, value in zip(outputs, step, strict=True):
                out[t] = value
            cs_prev, h_prev = step[1], step[6]
        return outputs

    return run


@kernel("BlockLSTM", factory=True)
def block_lstm(*, forget_bias: float, cell_clip: float, use_peephole: bool) -> Callable[..., Any]:
    """Return i, cs, f, o, ci, co, h [times, batch, size]; zeros from time seq_len_max on."""
    return _block(False, forget_bias, cell_clip, use_peephole)


@kernel("BlockLSTMV2", factory=True)
def block_lstm_v2(*, cell_clip: float, use_peephole: bool) -> Callable[..., Any]:
    """Return what BlockLSTM does without forget bias, the gates in the order i, f, ci, o."""
    return _block(True, 0.0, cell_clip, use_peephole)


def _block_grad(forget_before_input: bool, use_peephole: bool) -> Callable[..., Any]:
    def run(
        length: Any, x: Any, cs_prev: Any, h_prev: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any, *rest: Any
    ) -> tuple[Any, ...]:
        _check_sequence(length, x, cs_prev, h_prev, w, (wci, wcf, wco), b)
        _check_states(dict(zip((*_NAMES, "cs_grad", "h_grad"), rest, strict=True)), (len(x), *cs_prev.shape))
        *states, h, cs_grad, h_grad = rest
        cs, inputs = states[1], x.shape[2]
        cell = _Cell(w, b, (wci, wcf, wco) if use_peephole else None, forget_before_input=forget_before_input)
        x_grad, cs_prev_grad, h_prev_grad = map(np.zeros_like, (x, cs_prev, h_prev))
        w_grad, b_grad, *peephole_grads = map(np.zeros_like, (w, b, wci, wcf, wco))
        for t in reversed(range(int(length))):
            cs_before, h_before = (cs[t - 1], h[t - 1]) if t else (cs_prev, h_prev)
            cs_prev_grad, gates, sums = cell.backward(
                cs_before, [state[t] for state in states], cs_prev_grad + cs_grad[t], h_prev_grad + h_grad[t]
            )
            joined_grad = _product(gates, w.T)
            x_grad[t], h_prev_grad = joined_grad[:, :inputs], joined_grad[:, inputs:]
            w_grad += _product(np.concatenate([x[t], h_before], axis=1).T, gates)
            b_grad += gates.sum(axis=0)
            for total, part in zip(peephole_grads, sums, strict=False):
                total += part
        return x_grad, cs_prev_grad, np.ascontiguousarray(h_prev_grad), w_grad, *peephole_grads, b_grad

    return run


@kernel("BlockLSTMGrad", factory=True)
def block_lstm_grad(*, use_peephole: bool) -> Callable[..., Any]:
    """Return the gradients of x, cs_prev, h_prev, w, wci, wcf, wco and b."""
    return _block_grad(False, use_peephole)


@kernel("BlockLSTMGradV2", factory=True)
def block_lstm_grad_v2(*, use_peephole: bool) -> Callable[..., Any]:
    """Return the gradients of the inputs of BlockLSTMV2."""
    return _block_grad(True, use_peephole)


def _times(size: int | None, factor: int) -> int | None:
    return None if size is None else size * factor


@shape("LSTMBlockCell")
def lstm_block_cell_shape(c: ShapeContext) -> list[Dims]:
    """[batch, size] for each output."""
    batch, size = with_rank(c.shape(0), 2)[0], with_rank(c.shape(1), 2)[1]
    return [(batch, size)] * 7


@shape("LSTMBlockCellGrad")
def lstm_block_cell_grad_shape(c: ShapeContext) -> list[Dims]:
    """[batch, size], [batch, 4 * size], and the peepholes' [size]."""
    batch, size = with_rank(c.shape(0), 2)[0], with_rank(c.shape(1), 2)[1]
    return [(batch, size), (batch, _times(size, 4)), *[(size,)] * 3]


@shape("BlockLSTM", "BlockLSTMV2")
def block_lstm_shape(c: ShapeContext) -> list[Dims]:
    """[times, batch, size] for each output."""
    times, batch, _ = with_rank(c.shape(1), 3)
    (gates,) = with_rank(c.shape(8), 1)
    if gates is not None and gates % 4:
        raise errors.InvalidArgumentError(f"Dimension size must be evenly divisible by 4 but is {gates}")
    return [(times, batch, None if gates is None else gates // 4)] * 7


@shape("BlockLSTMGrad", "BlockLSTMGradV2")
def block_lstm_grad_shape(c: ShapeContext) -> list[Dims]:
    """The shapes of the inputs that the gradients belong to."""
    return [with_rank(c.shape(i), rank) for i, rank in enumerate((3, 2, 2, 2, 1, 1, 1, 1), start=1)]
