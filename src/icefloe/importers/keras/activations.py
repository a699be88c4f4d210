"""The activations of Keras."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.registry import LayerContext


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def activate(c: LayerContext, name: Any, x: Tensor) -> Tensor:
    """Return `x` after the activation of a name or a configuration.

    Raises: UnimplementedError for one that is not known.
    """
    settings: dict[str, Any] = {}
    if isinstance(name, dict):
        inner = name.get("config")
        settings = inner if isinstance(inner, dict) else {}
        name = inner if isinstance(inner, str) else name.get("class_name")
    if name is None or name == "linear":
        return x
    plain = _PLAIN.get(str(name))
    if plain is not None:
        return _op(plain, x)
    made = _composite(c, str(name), settings, x)
    if made is None:
        raise c.refuse(f"activation {name!r} is not known")
    return made


_PLAIN = {
    "relu": "Relu",
    "relu6": "Relu6",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "softplus": "Softplus",
    "softsign": "Softsign",
    "elu": "Elu",
    "selu": "Selu",
    "exponential": "Exp",
    "exp": "Exp",
}


def _composite(c: LayerContext, name: str, settings: dict[str, Any], x: Tensor) -> Tensor | None:
    if name in ("softmax", "log_softmax"):
        return _softmax(x, -1, log=name == "log_softmax")
    if name == "hard_sigmoid":
        return hard_sigmoid(c, x)
    if name in ("swish", "silu"):
        return x * _op("Sigmoid", x)
    if name in ("hard_silu", "hard_swish"):
        return x * (_op("Relu6", x + 3.0) * (1.0 / 6.0))
    if name == "gelu":
        return gelu(x, approximate=bool(settings.get("approximate", False)))
    if name == "mish":
        return x * _op("Tanh", _op("Softplus", x))
    if name in ("leaky_relu", "LeakyReLU"):
        slope = settings.get("negative_slope", settings.get("alpha", 0.2 if c.version >= 3 else 0.3))
        return _op("LeakyRelu", x, alpha=float(slope))
    if name in ("relu", "ReLU"):
        return _op("Relu", x)
    return None


def hard_sigmoid(c: LayerContext, x: Tensor) -> Tensor:
    """Return the sigmoid made of straight lines; Keras 3 has other ones than before."""
    if c.version >= 3:
        return _op("Relu6", x + 3.0) * (1.0 / 6.0)
    return _op("ClipByValue", x * 0.2 + 0.5, np.float32(0.0), np.float32(1.0))


def gelu(x: Tensor, *, approximate: bool) -> Tensor:
    """Return x times the normal distribution at x, by tanh or by erf."""
    if approximate:
        inner = np.float32(np.sqrt(2.0 / np.pi)) * (x + 0.044715 * _op("Pow", x, 3.0))
        return 0.5 * x * (1.0 + _op("Tanh", inner))
    return 0.5 * x * (1.0 + _op("Erf", x / np.float32(np.sqrt(2.0))))


def _softmax(x: Tensor, axis: int, *, log: bool = False) -> Tensor:
    rank = x.shape.rank
    name = "LogSoftmax" if log else "Softmax"
    if rank is None or axis in (-1, rank - 1):
        return _op(name, x)
    axis %= rank
    order = [*(i for i in range(rank) if i != axis), axis]
    back = [order.index(i) for i in range(rank)]
    return _op("Transpose", _op(name, _op("Transpose", x, order)), back)


def softmax(x: Tensor, axis: int) -> Tensor:
    """Return the softmax along an axis."""
    return _softmax(x, axis)
