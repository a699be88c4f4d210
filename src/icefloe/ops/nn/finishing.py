"""What is done to a convolution or product block by block while it is in the cache: a bias and an activation.

Registers nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from icefloe.machine.products import Finish

Array: TypeAlias = np.ndarray[Any, Any]

_LONG = 1 << 10  # elements that one inner loop of numpy should have


_CLIPPED = (np.dtype(np.float32), np.dtype(np.float64))


def between(x: Array, low: float, high: float, out: Array | None = None) -> Any:
    """Return `x` kept between two numbers; NaN stays NaN.

    numpy's `clip` takes a fifth of the time of `maximum` with a single number, but more to call, and not every dtype.
    """
    if x.size > _LONG and x.dtype in _CLIPPED:
        return np.clip(x, x.dtype.type(low), x.dtype.type(high), out=out)
    made = np.maximum(x, x.dtype.type(low), out=out)
    return made if high == np.inf else np.minimum(made, x.dtype.type(high), out=out)


def _relu(x: Array) -> None:
    between(x, 0, np.inf, x)


def _relu6(x: Array) -> None:
    between(x, 0, 6, x)


def _tanh(x: Array) -> None:
    np.tanh(x, out=x)


# Activations that need no second array, as functions that change theirs.
ACTIVATIONS: dict[str, Callable[[Array], None]] = {"Relu": _relu, "Relu6": _relu6, "Tanh": _tanh}


def finishing(bias: Array | None, activation: str | None) -> Finish:
    """Return what adds `bias` [channels] to blocks [places, channels] and applies an activation of `ACTIVATIONS`."""
    act = None if activation is None else ACTIVATIONS[activation]
    repeats = 1 if bias is None else max(1, _LONG // max(1, len(bias)))
    wide = bias if bias is None or repeats == 1 else np.tile(bias, repeats)

    def finish(block: Array, rows: slice, columns: slice) -> None:
        if bias is not None and wide is not None:
            part = bias[columns]
            whole = 0
            if repeats > 1 and block.flags.c_contiguous and len(part) == len(bias):
                whole = len(block) // repeats * repeats
                long = block[:whole].reshape(-1, len(wide))
                long += wide
            rest = block[whole:]
            rest += part
        if act is not None:
            act(block)

    return finish
