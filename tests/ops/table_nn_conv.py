"""Convolutions of two and three dimensions, grouped, dilated, and their gradients."""

from __future__ import annotations

import numpy as np

from ops.case import Case

F = np.float32
I = np.int32
rng = np.random.default_rng(1)


def x(*shape: int, dtype: str = "float32") -> np.ndarray:
    """Numbers between -4 and 4 that 16 bits hold exactly."""
    return (rng.integers(-16, 17, shape) / 4).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, I)


def conv(op: str, *inputs: object, s: tuple = (1, 1), d: tuple = (1, 1), pad: str = "SAME", **attrs: object) -> Case:
    first = attrs.get("data_format") in ("NCHW", "NCDHW")
    wrap = (lambda v: [1, 1, *v]) if first else (lambda v: [1, *v, 1])
    return Case(op, *inputs, strides=wrap(s), dilations=wrap(d), padding=pad, **attrs)


def forward() -> list[Case]:
    cases = [
        conv("Conv2D", x(2, 5, 6, 3), x(3, 3, 3, 4)),
        conv("Conv2D", x(2, 5, 6, 3), x(3, 2, 3, 4), pad="VALID"),
        conv("Conv2D", x(2, 5, 6, 3), x(3, 2, 3, 4), s=(2, 3)),
        conv("Conv2D", x(2, 7, 6, 3), x(3, 2, 3, 4), s=(2, 1), pad="VALID"),
        conv("Conv2D", x(1, 7, 8, 2), x(3, 2, 2, 4), d=(2, 3)),
        conv("Conv2D", x(1, 7, 8, 2), x(3, 2, 2, 4), d=(3, 2), pad="VALID"),
        conv("Conv2D", x(1, 4, 5, 2), x(3, 2, 2, 3), pad="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 3, 0, 0]),
        conv("Conv2D", x(2, 4, 5, 3), x(1, 1, 3, 4)),
        conv("Conv2D", x(2, 4, 5, 3), x(1, 1, 3, 4), s=(2, 2), pad="VALID"),
        conv("Conv2D", x(1, 4, 4, 6), x(3, 3, 2, 9)),
        conv("Conv2D", x(1, 2, 5, 5), x(3, 3, 2, 3), data_format="NCHW"),
        conv("Conv2D", x(1, 2, 5, 5), x(3, 3, 2, 3), s=(2, 1), pad="VALID", data_format="NCHW"),
        # TensorFlow gives an empty result the shape of the input, so as many channels come out as go in here.
        conv("Conv2D", x(0, 4, 4, 2), x(2, 2, 2, 2)),
        conv("Conv2D", x(1, 0, 4, 2), x(2, 2, 2, 2)),
        conv("Conv2D", x(1, 300, 40, 8), np.ones((3, 3, 8, 2), F) / 8, s=(7, 9)),
        conv("Conv2D", x(1, 4, 4, 2, dtype="int32"), x(2, 2, 2, 3, dtype="int32")),
        conv("Conv2D", x(1, 4, 4, 2), x(2, 2, 3, 3)),
        conv("Conv2D", x(1, 4, 4, 2), x(2, 2, 0, 3)),
        conv("Conv2D", x(1, 2, 4, 2), x(4, 2, 2, 3), pad="VALID"),
        conv("Conv2D", x(4, 4, 2), x(2, 2, 2, 3)),
        conv("Conv2D", x(1, 4, 4, 2), x(2, 2, 2, 3), s=(0, 1)),
        conv("Conv2D", x(1, 4, 4, 2), x(2, 2, 2, 3), d=(0, 1)),
        conv("Conv2D", x(1, 4, 4, 2), x(2, 2, 2, 3), pad="EXPLICIT"),
        Case("Conv2D", x(2, 4, 4, 2), x(2, 2, 2, 3), strides=[2, 1, 1, 1], padding="SAME"),
        conv("Conv3D", x(1, 3, 4, 5, 2), x(2, 2, 3, 2, 3), s=(1, 1, 1), d=(1, 1, 1)),
        conv("Conv3D", x(2, 3, 4, 5, 2), x(2, 2, 3, 2, 3), s=(1, 2, 2), d=(1, 1, 1), pad="VALID"),
        conv("Conv3D", x(1, 5, 4, 5, 2), x(2, 2, 3, 2, 3), s=(1, 1, 1), d=(2, 1, 1)),
        conv("Conv3D", x(1, 3, 4, 5, 2), x(2, 2, 3, 3, 3), s=(1, 1, 1), d=(1, 1, 1)),
        Case("Conv", x(2, 5, 6, 3), x(3, 3, 3, 4), strides=[1, 2, 1, 1], padding="SAME"),
        Case("Conv", x(2, 4, 5, 6, 3), x(2, 3, 3, 3, 4), strides=[1, 1, 1, 1, 1], padding="VALID"),
        Case("Conv", x(2, 2, 5, 6, 3), x(3, 3, 3, 4), strides=[1, 1, 1, 1], padding="VALID", batch_dims=2),
    ]
    for dtype in ("float16", "bfloat16", "float64"):
        at = np.dtype(dtype) if dtype != "bfloat16" else None
        if at is not None:
            cases.append(conv("Conv2D", x(1, 5, 5, 3, dtype=dtype), x(2, 2, 3, 4, dtype=dtype)))
            cases.append(
                conv("Conv3D", x(1, 2, 4, 5, 2, dtype=dtype), x(2, 2, 3, 2, 3, dtype=dtype), s=(1, 1, 1), d=(1, 1, 1))
            )
    return cases


def gradients() -> list[Case]:
    cases = []
    shapes = [
        # input, filter, output, strides, dilations, padding, explicit
        ((2, 5, 6, 3), (3, 2, 3, 4), (2, 5, 6, 4), (1, 1), (1, 1), "SAME", None),
        ((2, 5, 6, 3), (3, 2, 3, 4), (2, 3, 5, 4), (1, 1), (1, 1), "VALID", None),
        ((2, 5, 6, 3), (3, 2, 3, 4), (2, 3, 2, 4), (2, 3), (1, 1), "SAME", None),
        ((1, 8, 6, 2), (3, 2, 2, 4), (1, 3, 5, 4), (2, 1), (1, 1), "VALID", None),
        ((1, 7, 8, 2), (3, 2, 2, 4), (1, 3, 6, 4), (1, 1), (2, 2), "VALID", None),
        ((1, 4, 5, 2), (3, 2, 2, 3), (1, 5, 5, 3), (1, 1), (1, 1), "EXPLICIT", [0, 0, 1, 2, 0, 1, 0, 0]),
        ((1, 4, 5, 2), (2, 2, 2, 3), (1, 9, 6, 3), (1, 1), (1, 1), "EXPLICIT", [0, 0, 3, 3, 1, 1, 0, 0]),
        ((2, 4, 5, 3), (1, 1, 3, 4), (2, 4, 5, 4), (1, 1), (1, 1), "SAME", None),
        ((2, 4, 5, 3), (1, 1, 3, 4), (2, 2, 3, 4), (2, 2), (1, 1), "SAME", None),
        ((2, 9, 9, 1), (2, 2, 1, 2), (2, 2, 2, 2), (4, 4), (1, 1), "VALID", None),
    ]
    for image, filters, made, s, d, pad, explicit in shapes:
        more = {} if explicit is None else {"explicit_paddings": explicit}
        cases.append(conv("Conv2DBackpropInput", ints(*image), x(*filters), x(*made), s=s, d=d, pad=pad, **more))
        cases.append(conv("Conv2DBackpropFilter", x(*image), ints(*filters), x(*made), s=s, d=d, pad=pad, **more))
    nchw = {"data_format": "NCHW", "pad": "VALID"}
    cases += [
        conv("Conv2DBackpropInput", ints(1, 2, 4, 4), x(2, 2, 2, 3), x(1, 3, 3, 3), **nchw),
        conv("Conv2DBackpropFilter", x(1, 2, 4, 4), ints(2, 2, 2, 3), x(1, 3, 3, 3), **nchw),
        conv("Conv2DBackpropInput", ints(4, 4), x(2, 2, 2, 3), x(2, 3, 3, 3), pad="VALID"),
        conv("Conv2DBackpropInput", ints(0, 4, 4, 2), x(2, 2, 2, 3), x(0, 3, 3, 3), pad="VALID"),
        conv("Conv2DBackpropFilter", x(0, 4, 4, 2), ints(2, 2, 2, 3), x(0, 3, 3, 3), pad="VALID"),
        conv("Conv2DBackpropInput", ints(1, 4, 4, 3), x(2, 2, 2, 3), x(1, 3, 3, 3), pad="VALID"),
        conv("Conv2DBackpropFilter", x(1, 4, 4, 2), ints(2, 2, 2), x(1, 3, 3, 3), pad="VALID"),
        conv("Conv2DBackpropFilter", x(1, 4, 4, 2), ints(2, 2, 3, 3), x(1, 3, 3, 3), pad="VALID"),
    ]
    three = {"s": (1, 2, 1), "d": (1, 1, 1)}
    cases += [
        conv("Conv3DBackpropInputV2", ints(1, 3, 4, 5, 2), x(2, 2, 3, 2, 3), x(1, 3, 2, 5, 3), **three),
        conv("Conv3DBackpropFilterV2", x(1, 3, 4, 5, 2), ints(2, 2, 3, 2, 3), x(1, 3, 2, 5, 3), **three),
        conv("Conv3DBackpropInputV2", ints(1, 3, 4, 5, 2), x(2, 2, 3, 2, 3), x(1, 2, 2, 3, 3), pad="VALID", **three),
        conv("Conv3DBackpropFilterV2", x(1, 3, 4, 5, 2), ints(2, 2, 3, 2, 3), x(1, 2, 2, 3, 3), pad="VALID", **three),
    ]
    for dtype in ("float16", "float64"):
        k, dy = x(2, 2, 2, 3, dtype=dtype), x(1, 3, 3, 3, dtype=dtype)
        cases.append(conv("Conv2DBackpropInput", ints(1, 4, 4, 2), k, dy, pad="VALID"))
        cases.append(conv("Conv2DBackpropFilter", x(1, 4, 4, 2, dtype=dtype), ints(2, 2, 2, 3), dy, pad="VALID"))
    return cases


CASES = [*forward(), *gradients()]
