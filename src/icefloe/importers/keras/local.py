"""Layers of weights that no other has: of a product that an equation tells, and of convolutions without sharing."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.activations import activate
from icefloe.importers.keras.convolution import channels_back, channels_last
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.array_join import stack
from icefloe.lib.math_matrix import einsum


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


@layer("EinsumDense")
def einsum_dense(c: LayerContext, x: Tensor) -> Tensor:
    """Multiply by weights as an equation tells, add a bias, activate."""
    equation = str(c.get("equation", ""))
    kernel, *bias = c.weights.take(2 if c.get("bias_axes") else 1)
    if "..." in equation:
        letters = "".join(sorted(set("ABCDEFGHIJ") - set(equation)))
        inside = equation.partition(",")[0]
        extra = (x.shape.rank or 0) - len(inside.replace("...", ""))
        equation = equation.replace("...", letters[:extra])
    y = einsum(equation, x, c.weight(kernel, "kernel"))
    return activate(c, c.get("activation"), y + c.weight(bias[0], "bias") if bias else y)


def _windows(x: Tensor, sizes: list[int], size: list[int], strides: list[int]) -> list[Tensor]:
    """Return each window of images [n, h, w, channels] as rows [n, h' * w' * channels], row by row."""
    height, width, channels = sizes
    found = []
    for top in range(0, height - size[0] + 1, strides[0]):
        for left in range(0, width - size[1] + 1, strides[1]):
            window = x[:, top : top + size[0], left : left + size[1], :]
            found.append(_op("Reshape", window, [-1, size[0] * size[1] * channels]))
    return found


def _local(c: LayerContext, x: Tensor, size: list[int], strides: list[int], places: list[int]) -> Tensor:
    """Return the products of each window with weights of its own, [n, places, filters]."""
    if str(c.get("padding", "valid")).lower() != "valid" or int(c.get("implementation", 1)) != 1:
        raise c.refuse("other than valid padding, or another implementation than 1")
    kernel, *bias = c.weights.take(2 if c.get("use_bias", True) else 1)
    rows = stack(_windows(x, c.known_sizes(x), size, strides), 1)
    y = einsum("npk,pkf->npf", rows, c.weight(kernel, "kernel"))
    y = _op("Reshape", y, [-1, *places, int(kernel.shape[-1])])
    if bias:
        y = y + c.weight(np.asarray(bias[0]), "bias")
    return activate(c, c.get("activation"), y)


def _places(sizes: list[Any], window: list[int], strides: list[int]) -> list[int]:
    return [(n - k) // s + 1 for n, k, s in zip(sizes, window, strides) if n is not None]


@layer("LocallyConnected1D")
def locally_connected1d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve rows, each place with weights of its own."""
    if c.channels_first:
        raise c.refuse("channels first")
    size, strides = c.sizes("kernel_size", 1), c.sizes("strides", 1)
    places = _places(x.shape.as_list()[1:2], size, strides)
    return _local(c, _op("ExpandDims", x, 1), [1, *size], [1, *strides], places)


@layer("LocallyConnected2D")
def locally_connected2d(c: LayerContext, x: Tensor) -> Tensor:
    """Convolve images, each place with weights of its own."""
    if c.channels_first:
        raise c.refuse("channels first")
    x = channels_last(c, x, 4)
    size, strides = c.sizes("kernel_size", 2), c.sizes("strides", 2)
    return channels_back(c, _local(c, x, size, strides, _places(x.shape.as_list()[1:3], size, strides)), 4)
