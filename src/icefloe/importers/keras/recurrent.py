"""Recurrent layers: SimpleRNN, LSTM, GRU, their cells, ConvLSTM2D, and both directions at once.

Steps are a loop. Where a mask says that a step does not count, states stay and the output is that of the step before.
The gates are in Keras' order: input, forget, cell, output for LSTM; update, reset, new for GRU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras import config
from icefloe.importers.keras.activations import activate
from icefloe.importers.keras.registry import LayerContext, find, layer
from icefloe.importers.keras.weights import Weights, grouped
from icefloe.lib.array_create import fill
from icefloe.lib.array_join import concat, split, stack
from icefloe.lib.array_shape import shape, transpose
from icefloe.lib.control_flow_while import while_loop
from icefloe.lib.tensor_array import TensorArray

# A cell: takes a step's input and the states, returns the output and the new states.
Cell = Callable[[Tensor, list[Tensor]], tuple[Tensor, list[Tensor]]]
# A cell, and the size of each of its states without the batch.
Made = tuple[Cell, list[list[int]]]


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def _times_first(x: Tensor) -> Tensor:
    rank = x.shape.rank or 3
    return transpose(x, [1, 0, *range(2, rank)])


def _masked(keep: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """Return `new` for the examples that count at this step, `old` for the others."""
    for _ in range((new.shape.rank or 2) - 1):
        keep = _op("ExpandDims", keep, -1)
    return _op("SelectV2", keep, new, old)


def _zeros(x: Tensor, sizes: Sequence[int]) -> Tensor:
    made = fill(stack([shape(x)[0], *sizes]), np.asarray(0, x.dtype.as_numpy_dtype))
    made.set_shape([x.shape.as_list()[0], *sizes])
    return made


def _loop(c: LayerContext, x: Tensor, made: Made, output: list[int]) -> Any:
    """Run a cell over the steps of x [batch, steps, ...]; return what the layer's settings ask for."""
    cell, sizes = made
    backwards = bool(c.get("go_backwards", False))
    steps = _times_first(x)
    mask = None if c.mask is None else transpose(c.mask, [1, 0])
    if backwards:
        steps = _op("ReverseV2", steps, [0])
        mask = None if mask is None else _op("ReverseV2", mask, [0])
    count = shape(steps)[0]
    states = list(c.initial_state) or [_zeros(x, size) for size in sizes]
    inputs = TensorArray(x.dtype, size=count, element_shape=steps.shape[1:]).unstack(steps)
    results = TensorArray(x.dtype, size=count)
    masks = None
    if mask is not None:
        masks = TensorArray(mask.dtype, size=count, element_shape=mask.shape[1:]).unstack(mask)

    def body(i: Tensor, collected: Any, last: Tensor, *before: Tensor) -> Any:
        y, after = cell(inputs.read(i), list(before))
        if masks is not None:
            keep = masks.read(i)
            y = _masked(keep, y, last)
            after = [_masked(keep, new, old) for new, old in zip(after, before)]
        return (i + 1, collected.write(i, y), y, *after)

    first = _zeros(x, output)
    _, collected, last, *final = while_loop(lambda i, *_: i < count, body, (0, results, first, *states))
    if not c.get("return_sequences", False):
        y = last
    else:
        y = _times_first(collected.stack())
        y.set_shape([x.shape.as_list()[0], x.shape.as_list()[1], *output])
        c.out_mask = c.mask
    return [y, *final] if c.get("return_state", False) else y


def _with_states(c: LayerContext, inputs: tuple[Tensor, ...]) -> Tensor:
    """Take the initial states among the inputs of a layer; return its first input."""
    x, *states = inputs
    given = c.kwargs.get("initial_state")
    if given is not None:
        states = list(given) if isinstance(given, (list, tuple)) else [given]
    if states:
        c.initial_state = states
    return x


def _activation(c: LayerContext, x: Tensor, name: str = "activation", default: str = "tanh") -> Tensor:
    return activate(c, c.settings.get(name, default), x)


def _simple_cell(c: LayerContext, weights: Weights) -> Made:
    kernel, recurrent, *bias = weights.take(3 if c.get("use_bias", True) else 2)
    w, u = c.weight(kernel, "kernel"), c.weight(recurrent, "recurrent_kernel")
    b = c.weight(bias[0], "bias") if bias else None

    def cell(x: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        total = _op("MatMul", x, w)
        total = total if b is None else _op("BiasAdd", total, b)
        y = _activation(c, total + _op("MatMul", states[0], u))
        return y, [y]

    return cell, [[recurrent.shape[0]]]


def _lstm_weights(c: LayerContext, weights: Weights) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, str]:
    """Return kernel, recurrent kernel, bias, and the default of the inner activation."""
    arrays = weights.take(12, 3, 2)
    inner = "hard_sigmoid" if c.version < 3 else "sigmoid"
    if len(arrays) == 12:  # Keras 1: i, c, f, o, each with its own three
        order = (0, 2, 1, 3)
        parts = [np.concatenate([arrays[3 * g + k] for g in order], axis=-1) for k in range(3)]
        return parts[0], parts[1], parts[2], inner
    kernel, recurrent, *bias = arrays
    if bias and bias[0].size == 2 * kernel.shape[-1]:  # cuDNN keeps two biases
        halves = bias[0].reshape(2, -1)
        return kernel, recurrent, halves[0] + halves[1], "sigmoid"
    return kernel, recurrent, bias[0] if bias else None, inner


def _lstm_cell(c: LayerContext, weights: Weights) -> Made:
    kernel, recurrent, bias, inner = _lstm_weights(c, weights)
    w, u = c.weight(kernel, "kernel"), c.weight(recurrent, "recurrent_kernel")
    b = None if bias is None else c.weight(bias, "bias")

    def cell(x: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        h, memory = states
        total = _op("MatMul", x, w) + _op("MatMul", h, u)
        total = total if b is None else _op("BiasAdd", total, b)
        i, f, g, o = split(total, 4, axis=1)
        i, f, o = (_activation(c, gate, "recurrent_activation", inner) for gate in (i, f, o))
        memory = f * memory + i * _activation(c, g)
        y = o * _activation(c, memory)
        return y, [y, memory]

    units = recurrent.shape[0]
    return cell, [[units], [units]]


def _gru_cell(c: LayerContext, weights: Weights) -> Made:
    arrays = weights.take(9, 3, 2)
    inner = "hard_sigmoid" if c.version < 3 else "sigmoid"
    if len(arrays) == 9:  # Keras 1: z, r, h, each with its own three
        arrays = [np.concatenate([arrays[3 * g + k] for g in range(3)], axis=-1) for k in range(3)]
    kernel, recurrent, *rest = arrays
    bias = rest[0] if rest else None
    if bias is not None and bias.size == 2 * kernel.shape[-1]:
        bias = bias.reshape(2, -1)
    after = bool(c.get("reset_after", c.version >= 3)) or (bias is not None and bias.ndim == 2)
    if "reset_after" not in c.settings and bias is not None and bias.ndim == 2:
        inner = "sigmoid"
    units = recurrent.shape[0]
    w = c.weight(kernel, "kernel")
    b = None if bias is None else c.weight(bias[0] if bias.ndim == 2 else bias, "bias")
    u = c.weight(recurrent, "recurrent_kernel")
    u_gates = c.weight(recurrent[:, : 2 * units], "recurrent_gates")
    u_new = c.weight(recurrent[:, 2 * units :], "recurrent_new")
    b_after = c.weight(bias[1], "recurrent_bias") if bias is not None and bias.ndim == 2 else None

    def cell(x: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        (h,) = states
        given = _op("MatMul", x, w)
        given = given if b is None else _op("BiasAdd", given, b)
        x_z, x_r, x_h = split(given, 3, axis=1)
        if after:
            kept = _op("MatMul", h, u)
            kept = kept if b_after is None else _op("BiasAdd", kept, b_after)
            h_z, h_r, h_h = split(kept, 3, axis=1)
        else:
            h_z, h_r = split(_op("MatMul", h, u_gates), 2, axis=1)
        z = _activation(c, x_z + h_z, "recurrent_activation", inner)
        r = _activation(c, x_r + h_r, "recurrent_activation", inner)
        new = _activation(c, x_h + (r * h_h if after else _op("MatMul", r * h, u_new)))
        y = z * h + (1.0 - z) * new
        return y, [y]

    return cell, [[units]]


_CELLS: dict[str, Callable[[LayerContext, Weights], Made]] = {
    "SimpleRNNCell": _simple_cell,
    "LSTMCell": _lstm_cell,
    "GRUCell": _gru_cell,
}


def _cell_weights(c: LayerContext) -> Weights:
    return c.weights.part("cell") if any(p.startswith("cell/") for p in c.weights.paths) else c.weights


@layer("SimpleRNN")
def simple_rnn(c: LayerContext, *inputs: Tensor) -> Any:
    """The plainest recurrence."""
    x = _with_states(c, inputs)
    made = _simple_cell(c, _cell_weights(c))
    return _loop(c, x, made, made[1][0])


@layer("LSTM")
def lstm(c: LayerContext, *inputs: Tensor) -> Any:
    """Long short-term memory."""
    x = _with_states(c, inputs)
    made = _lstm_cell(c, _cell_weights(c))
    return _loop(c, x, made, made[1][0])


@layer("GRU")
def gru(c: LayerContext, *inputs: Tensor) -> Any:
    """Gated recurrent units."""
    x = _with_states(c, inputs)
    made = _gru_cell(c, _cell_weights(c))
    return _loop(c, x, made, made[1][0])


@layer("RNN")
def rnn(c: LayerContext, *inputs: Tensor) -> Any:
    """A recurrence of a cell, or of several that are stacked."""
    x = _with_states(c, inputs)
    inner = config.wrapped(c.get("cell"), c.version)
    weights = _cell_weights(c)
    if inner.kind != "StackedRNNCells":
        made = _named_cell(c, inner, weights)
        return _loop(c, x, made, made[1][0])
    items = [config.wrapped(item, c.version) for item in inner.settings.get("cells", ())]
    if any(p.startswith("cells/") for p in weights.paths):
        groups = grouped([item.kind for item in items], weights.part("cells"))
    else:
        groups = weights.split(len(items))
    cells = [_named_cell(c, item, group) for item, group in zip(items, groups)]

    def cell(step: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        left, after = list(states), []
        for run, sizes in cells:
            own, left = left[: len(sizes)], left[len(sizes) :]
            step, new = run(step, own)
            after += new
        return step, after

    return _loop(c, x, (cell, [size for _, sizes in cells for size in sizes]), cells[-1][1][0])


def _named_cell(c: LayerContext, inner: config.Layer, weights: Weights) -> Made:
    build = _CELLS.get(inner.kind)
    if build is None:
        raise c.refuse(f"cell {inner.kind!r} is not known")
    return build(replace(c, settings={**inner.settings, "name": c.name}), weights)


@layer("Bidirectional")
def bidirectional(c: LayerContext, *inputs: Tensor) -> Any:
    """Run a recurrent layer in both directions, and merge the results."""
    inner = config.wrapped(c.get("layer"), c.version)
    builder = find(inner.kind)
    if builder is None:
        raise c.refuse(f"the layer inside is a {inner.kind}, which is not known")
    if any(p.startswith("forward_layer/") for p in c.weights.paths):
        parts = [c.weights.part("forward_layer"), c.weights.part("backward_layer")]
    else:
        parts = c.weights.split(2)
    x, *states = inputs
    half = len(states) // 2
    made = []
    for weights, goes_back, own in ((parts[0], False, states[:half]), (parts[1], True, states[half:])):
        settings = {**inner.settings, "go_backwards": goes_back != bool(inner.settings.get("go_backwards", False))}
        context = LayerContext(inner.kind, c.name, settings, weights, c.version, mask=c.mask, initial_state=own)
        made.append(builder(context, x))
    returns_state = bool(inner.settings.get("return_state", False))
    outputs = [m[0] if returns_state else m for m in made]
    final = [state for m in made for state in m[1:]] if returns_state else []
    if inner.settings.get("return_sequences", False):
        outputs[1] = _op("ReverseV2", outputs[1], [1])
        c.out_mask = c.mask
    merged = _merged(c, outputs)
    merged = merged if isinstance(merged, list) else [merged]
    return [*merged, *final] if len(merged) + len(final) > 1 else merged[0]


def _merged(c: LayerContext, outputs: list[Tensor]) -> Any:
    mode = c.settings.get("merge_mode", "concat")
    forward, backward = outputs
    if mode is None:
        return outputs
    if mode == "concat":
        return concat(outputs, -1)
    if mode == "sum":
        return forward + backward
    if mode == "mul":
        return forward * backward
    if mode == "ave":
        return (forward + backward) / 2.0
    raise c.refuse(f"merge_mode {mode!r}")


@layer("ConvLSTM2D")
def conv_lstm2d(c: LayerContext, *inputs: Tensor) -> Any:
    """Long short-term memory whose products are convolutions of images; the channels are last."""
    x = _with_states(c, inputs)
    if c.channels_first:
        raise c.refuse("channels first")
    kernel, recurrent, *bias = _cell_weights(c).take(3 if c.get("use_bias", True) else 2)
    strides, rates = c.sizes("strides", 2), c.sizes("dilation_rate", 2)
    padding = str(c.get("padding", "valid")).upper()
    w, u = c.weight(kernel, "kernel"), c.weight(recurrent, "recurrent_kernel")
    inner = "hard_sigmoid" if c.version < 3 else "sigmoid"

    def cell(step: Tensor, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        h, memory = states
        given = _op("Conv2D", step, w, strides=[1, *strides, 1], dilations=[1, *rates, 1], padding=padding)
        total = given + _op("Conv2D", h, u, strides=[1, 1, 1, 1], padding="SAME")
        total = _op("BiasAdd", total, c.weight(bias[0], "bias")) if bias else total
        i, f, g, o = split(total, 4, axis=3)
        i, f, o = (_activation(c, gate, "recurrent_activation", inner) for gate in (i, f, o))
        memory = f * memory + i * _activation(c, g)
        y = o * _activation(c, memory)
        return y, [y, memory]

    sizes = x.shape.as_list()
    places = []
    for size, window, stride, rate in zip(sizes[2:4], kernel.shape[:2], strides, rates):
        if size is None:
            raise c.refuse("images of unknown size")
        span = (window - 1) * rate + 1
        places.append(-(-size // stride) if padding == "SAME" else (size - span) // stride + 1)
    one = [*places, recurrent.shape[2]]
    return _loop(c, x, (cell, [one, one]), one)
