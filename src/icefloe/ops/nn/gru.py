"""GRUBlockCell, one time step of a gated recurrent unit, and its gradient.

    [r, u] = sigmoid([x, h_prev] @ w_ru + b_ru);  c = tanh([x, h_prev * r] @ w_c + b_c);  h = u * h_prev + (1 - u) * c

Source: tensorflow/core/kernels/rnn/gru_ops.cc, gru_ops.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, with_rank
from icefloe.ops.math.elementwise import sigmoid


def _check_rank(name: str, value: Any, rank: int) -> None:
    if np.ndim(value) != rank:
        raise errors.InvalidArgumentError(f"Rank of {name} must be {rank}, got {np.ndim(value)}")


def _check_inputs(x: Any, h_prev: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any) -> None:
    for name, value, rank in (
        ("x", x, 2),
        ("h_prev", h_prev, 2),
        ("w_ru_", w_ru, 2),
        ("w_c", w_c, 2),
        ("b_ru", b_ru, 1),
        ("b_c", b_c, 1),
    ):
        _check_rank(name, value, rank)
    (batch, inputs), cells = x.shape, h_prev.shape[1]
    for what, found, expected, size in (
        ("h_prev.dims(0)", h_prev.shape[0], "batch_size", batch),
        ("w_ru.dim_size(0)", w_ru.shape[0], "input_size + cell_size", inputs + cells),
        ("w_ru.dim_size(1)", w_ru.shape[1], "cell_size * 2", cells * 2),
        ("w_c.dim_size(0)", w_c.shape[0], "input_size + cell_size", inputs + cells),
        ("w_c.dim_size(1)", w_c.shape[1], "cell_size", cells),
        ("b_ru.dim_size(0)", b_ru.shape[0], "cell_size * 2", cells * 2),
        ("b_c.dim_size(0)", b_c.shape[0], "cell_size", cells),
    ):
        if found != size:
            raise errors.InvalidArgumentError(f"{what} != {expected}: {found} vs. {size}")


@kernel("GRUBlockCell")
def gru_block_cell(x: Any, h_prev: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any) -> tuple[Any, Any, Any, Any]:
    """Return r, u, c, h [batch, size] after one time step."""
    _check_inputs(x, h_prev, w_ru, w_c, b_ru, b_c)
    gates = sigmoid(np.concatenate([x, h_prev], axis=1) @ w_ru + b_ru)
    r, u = (np.ascontiguousarray(gate) for gate in np.split(gates, 2, axis=1))
    c = np.tanh(np.concatenate([x, h_prev * r], axis=1) @ w_c + b_c)
    return r, u, c, u * (h_prev - c) + c


@kernel("GRUBlockCellGrad")
def gru_block_cell_grad(
    x: Any, h_prev: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any, r: Any, u: Any, c: Any, d_h: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the gradients of x, h_prev, and of c and [r, u] before their nonlinearity."""
    _check_inputs(x, h_prev, w_ru, w_c, b_ru, b_c)
    for name, value in (("r", r), ("u", u), ("c", c), ("d_h", d_h)):
        _check_rank(name, value, 2)
        for axis, what in enumerate(("batch_size", "cell_size")):
            if value.shape[axis] != h_prev.shape[axis]:
                raise errors.InvalidArgumentError(
                    f"{name}.dims({axis}) != {what}: {value.shape[axis]} vs. {h_prev.shape[axis]}"
                )
    inputs = x.shape[1]
    d_c_bar = d_h * (1 - u) * (1 - c * c)
    d_u_bar = d_h * (h_prev - c) * u * (1 - u)
    through_c = d_c_bar @ w_c.T
    d_hr = through_c[:, inputs:]
    d_r_bar_u_bar = np.concatenate([d_hr * h_prev * r * (1 - r), d_u_bar], axis=1)
    through_gates = d_r_bar_u_bar @ w_ru.T
    d_x = through_gates[:, :inputs] + through_c[:, :inputs]
    return d_x, through_gates[:, inputs:] + d_hr * r + d_h * u, d_c_bar, d_r_bar_u_bar


@shape("GRUBlockCell")
def gru_block_cell_shape(c: ShapeContext) -> list[Dims]:
    """[batch, size] for each output."""
    return [(with_rank(c.shape(0), 2)[0], with_rank(c.shape(1), 2)[1])] * 4


@shape("GRUBlockCellGrad")
def gru_block_cell_grad_shape(c: ShapeContext) -> list[Dims]:
    """The shapes of x, h_prev, c and [r, u]."""
    x, h_prev, w_ru = (with_rank(c.shape(i), 2) for i in range(3))
    state = (x[0], h_prev[1])
    return [x, state, state, (x[0], w_ru[1])]
