"""Gradient rules of color spaces."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.graph.tensor import Tensor


def _inverse(x: Tensor) -> Tensor:
    """Return 1 / x, and 0 for 0."""
    return apply_op("DivNoNan", apply_op("Cast", 1.0, DstT=x.dtype), x)


def _square(x: Tensor) -> Tensor:
    return apply_op("Square", x)


@gradient("RGBToHSV")
def rgb_to_hsv(op: Operation, grad: Tensor) -> Tensor:
    """By parts: which channel is the greatest and which the least counts; of equal ones red comes before green before
    blue."""
    image, made = op.inputs[0], op.outputs[0]
    dtype = image.dtype
    saturation, value = made[..., 1], made[..., 2]
    by_hue, by_saturation, by_value = (grad[..., i] for i in range(3))
    red, green, blue = colors = [image[..., i] for i in range(3)]

    def number(condition: Any) -> Tensor:
        return apply_op("Cast", condition, DstT=dtype)

    most = [
        number((red >= blue) & (red >= green)),
        number((green > red) & (green >= blue)),
        number((blue > red) & (blue > green)),
    ]
    least = [
        number((red < blue) & (red < green)),
        number((green <= red) & (green < blue)),
        number((blue <= red) & (blue <= green)),
    ]
    bright = [number(color > 0) for color in colors]
    scale = _inverse(_square(saturation)) * _inverse(_square(value))
    parts = []
    for i, color in enumerate(colors):
        n, p = (i + 1) % 3, (i + 2) % 3  # the next color of the circle, and the one before
        after, before = colors[n], colors[p]
        d_saturation = bright[i] * (
            most[i] * (least[n] * after + least[p] * before) * _inverse(_square(color))
            - least[i] * _inverse(most[n] * after + most[p] * before)
        )
        d_hue = (
            -bright[i] * most[i] * (after - before) * scale
            + bright[n] * most[n] * least[i] * (before - after) * _inverse(_square(color - after))
            - bright[n] * most[n] * least[p] * _inverse(after - before)
            + bright[p] * most[p] * least[i] * (before - after) * _inverse(_square(before - color))
            + bright[p] * most[p] * least[n] * _inverse(before - after)
        )
        parts.append(by_value * most[i] + by_saturation * d_saturation + by_hue * d_hue / 6)
    return apply_op("Pack", parts, axis=-1)
