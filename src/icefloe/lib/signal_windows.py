"""Window functions of signal processing."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones
from icefloe.lib.array_join import concat
from icefloe.lib.constants import get_static_value
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import equal, pow, sqrt
from icefloe.lib.math_range import cumsum, range
from icefloe.lib.math_special import bessel_i0e


def _length(window_length: Any, dtype: Any) -> Tensor:
    _floating(dtype)
    window_length = convert_to_tensor(window_length, dtype=datatypes.int32)
    window_length.shape.assert_has_rank(0)
    return window_length


def _floating(dtype: datatypes.DType) -> None:
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")


def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = datatypes.float32, name: str | None = None
) -> Tensor:
    """Return the Kaiser window of shape [window_length]."""
    with name_scope(name, "kaiser_window"):
        window_length = _length(window_length, dtype)
        if get_static_value(window_length) == 1:
            return ones([1], dtype=dtype)
        half: Any = (cast(window_length, dtype=datatypes.float32) - 1.0) / 2.0
        place = cast(range(-half, half + 0.1, dtype=datatypes.float32), dtype=dtype)
        beta = cast(beta, dtype=dtype)
        one = cast(1.0, dtype=dtype)
        half = cast(half, dtype=dtype)
        argument = beta * sqrt(apply_op("Relu", one - apply_op("Square", place / half)))
        scale = apply_op("Exp", argument - beta)
        return scale * (bessel_i0e(argument) / bessel_i0e(beta))


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = datatypes.float32, name: str | None = None
) -> Tensor:
    """Return the Kaiser-Bessel derived window of shape [window_length]."""
    with name_scope(name, "kaiser_bessel_derived_window"):
        window_length = _length(window_length, dtype)
        total = cumsum(kaiser_window(window_length // 2 + 1, beta, dtype=dtype))
        half = sqrt(total[:-1] / total[-1])
        return concat((half, half[::-1]), axis=0)


def vorbis_window(window_length: Any, dtype: Any = datatypes.float32, name: str | None = None) -> Tensor:
    """Return the Vorbis power complementary window of shape [window_length]."""
    with name_scope(name, "vorbis_window"):
        window_length = _length(window_length, dtype)
        place = cast(range(window_length), dtype=dtype)
        sine = apply_op("Sin", np.pi / cast(window_length, dtype=dtype) * (place + 0.5))
        return apply_op("Sin", np.pi / 2.0 * pow(sine, 2.0))


def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = datatypes.float32, name: str | None = None
) -> Tensor:
    """Return the Hann window of shape [window_length]."""
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = datatypes.float32, name: str | None = None
) -> Tensor:
    """Return the Hamming window of shape [window_length]."""
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(
    name: str | None, default: str, window_length: Any, periodic: Any, dtype: Any, level: float, swing: float
) -> Tensor:
    _floating(dtype)
    with name_scope(name, default, [window_length, periodic]):
        window_length = convert_to_tensor(window_length, dtype=datatypes.int32, name="window_length")
        window_length.shape.assert_has_rank(0)
        static = get_static_value(window_length)
        if static == 1:
            return ones([1], dtype=dtype)
        periodic = cast(convert_to_tensor(periodic, dtype=datatypes.bool, name="periodic"), datatypes.int32)
        periodic.shape.assert_has_rank(0)
        even = 1 - apply_op("FloorMod", window_length, 2, name="mod")
        count = cast(window_length + periodic * even - 1, dtype=dtype)
        place = cast(range(window_length), dtype)
        argument = constant(2 * np.pi, dtype=dtype) * place / count

        def window() -> Tensor:
            result: Tensor = cast(level - swing * apply_op("Cos", argument), dtype=dtype)
            return result

        if static is not None:
            return window()
        chosen: Tensor = cond(equal(window_length, 1), lambda: ones([window_length], dtype=dtype), window)
        return chosen
