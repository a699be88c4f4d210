"""Uniform quantization, and quantized tensors whose channels have ranges of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.case import Case

R = np.random.RandomState(8)
F = np.float32
KINDS = {"qint32": "i4", "quint8": "u1", "qint8": "i1"}


def q(values: Any, name: str) -> np.ndarray:
    return np.asarray(values, KINDS[name]).view([(name, KINDS[name])])


def f(*values: float) -> np.ndarray:
    return np.array(values, F)


def i(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def limits(prefix: str, name: str, axis: int = -1) -> dict[str, int]:
    info = np.iinfo(KINDS[name])
    return {
        f"{prefix}quantization_axis": axis,
        f"{prefix}quantization_min_val": int(info.min),
        f"{prefix}quantization_max_val": int(info.max),
    }


X = (R.standard_normal((3, 4)) * 5).astype(F)
EDGE = f(-1e9, -12.8, -0.25, 0, 0.25, 0.05, 1e9)
SMALL = R.randint(-128, 128, (3, 4))
WIDE = R.randint(-(2**20), 2**20, (3, 4))
ONE, SEVERAL = (F(0.1), np.int32(3)), (f(0.1, 0.5, 2, 0.03), i(0, -3, 5, 100))

CASES = []
for out in ("qint8", "quint8", "qint32"):
    CASES += [
        Case("UniformQuantize", X, *ONE, Tout=out, **limits("", out)),
        Case("UniformQuantize", X, *SEVERAL, Tout=out, **limits("", out, 1)),
        Case("UniformDequantize", q(SMALL & 127, out), *ONE, Tout="float32", **limits("", out)),
        Case("UniformDequantize", q(SMALL & 127, out), *SEVERAL, Tout="float32", **limits("", out, 1)),
    ]
CASES += [
    Case("UniformQuantize", EDGE, F(0.1), np.int32(-7), Tout="qint8", **limits("", "qint8")),
    Case("UniformQuantize", X, *SEVERAL, Tout="qint8", **limits("", "qint8", 0)),
    Case("UniformQuantize", X, *SEVERAL, Tout="qint8", **limits("", "qint8", 2)),
    Case("UniformQuantize", X, *SEVERAL, Tout="qint8", **limits("", "qint8")),
    Case("UniformQuantize", X, f(1, 1), i(0), Tout="qint8", **limits("", "qint8", 1)),
    Case("UniformQuantize", X[:0], *ONE, Tout="qint8", **limits("", "qint8")),
]


def requantize(values: Any, given: str, first: Any, second: Any, a: int = -1, b: int = -1) -> Case:
    attrs = {"Tout": "qint8", **limits("input_", given, a), **limits("output_", "qint8", b)}
    return Case("UniformRequantize", q(values, given), *first, *second, **attrs)


CASES += [
    requantize(SMALL, "qint8", ONE, (F(0.25), np.int32(-5))),
    requantize(SMALL, "qint8", ONE, SEVERAL, b=1),
    requantize(SMALL, "qint8", SEVERAL, ONE, a=1),
    requantize(WIDE, "qint32", (F(1e-4), np.int32(0)), (F(0.5), np.int32(1))),
    requantize(WIDE, "qint32", SEVERAL, SEVERAL, a=1, b=1),
    requantize(SMALL, "qint8", (F(-0.1), np.int32(0)), ONE),
]
for low, high, scale, axis in (
    (np.array(-50), np.array(60), ONE, -1),
    (np.array([-5, 0, 10, -100]), np.array([5, 1, 60, 100]), SEVERAL, 1),
    (np.array([-5, 0]), np.array([5, 1]), SEVERAL, 1),
):
    CASES.append(
        Case(
            "UniformQuantizedClipByValue",
            q(SMALL, "qint32"),
            q(low, "qint32"),
            q(high, "qint32"),
            *scale,
            **limits("", "qint32", axis),
        )
    )

RIGHT = q(R.randint(-128, 128, (4, 5)), "qint8")
COLUMNS = (f(0.1, 0.2, 0.05, 0.4, 1), i(0, 0, 0, 0, 0))


def dot(lhs: Any, rhs: Any, right: Any, out: Any, right_axis: int = -1, out_axis: int = -1) -> Case:
    attrs = {
        "Tout": "qint32",
        **limits("lhs_", "qint8"),
        **limits("rhs_", "qint8", right_axis),
        **limits("output_", "qint32", out_axis),
    }
    return Case("UniformQuantizedDot", lhs, rhs, *ONE, *right, *out, **attrs)


CASES += [
    dot(q(SMALL, "qint8"), RIGHT, (F(0.2), np.int32(-4)), (F(0.01), np.int32(7))),
    dot(q(SMALL, "qint8"), RIGHT, COLUMNS, (F(0.01), np.int32(7)), 1),
    dot(q(SMALL, "qint8"), RIGHT, COLUMNS, (f(1, 2, 3, 4, 5), i(1, 2, 3, 4, 5)), 1, 1),
    dot(q(SMALL, "qint8"), RIGHT[:3], (F(0.2), np.int32(-4)), (F(0.01), np.int32(7))),
    *[
        Case("UniformQuantizedDotHybrid", x, RIGHT, *right, Tout="float32", **limits("rhs_", "qint8", axis))
        for x in (X, X * 0, np.abs(X), -np.abs(X))
        for right, axis in (((F(0.2), np.int32(-4)), -1), (COLUMNS, 1))
    ],
]

IMAGE = q(R.randint(-(2**31), 2**31 - 1, (1, 2, 3, 4)), "qint32")
POSITIVE = q(R.randint(0, 2**28, (1, 2, 3, 4)), "qint32")
LOW, HIGH = f(-1, -2, -0.5, -4), f(1, 1.5, 3, 4)
CASES += [
    *[
        Case("RequantizationRangePerChannel", x, LOW, HIGH, clip_value_max=m)
        for x in (IMAGE, POSITIVE)
        for m in (1e30, 0.25)
    ],
    Case("RequantizationRangePerChannel", IMAGE, LOW[:3], HIGH, clip_value_max=6.0),
    Case("RequantizationRangePerChannel", IMAGE[0], LOW, HIGH, clip_value_max=6.0),
    *[
        Case("RequantizePerChannel", x, LOW, HIGH, F(-3), F(2.5), out_type=t)
        for x in (IMAGE, POSITIVE)
        for t in ("qint8", "quint8")
    ],
    Case("RequantizePerChannel", IMAGE, LOW, HIGH, F(0), F(2.5), out_type="qint8"),
    Case("RequantizePerChannel", IMAGE, LOW, HIGH[:3], F(-1), F(2.5), out_type="qint8"),
    Case("RequantizePerChannel", IMAGE[0], LOW, HIGH, F(-1), F(2.5), out_type="qint8"),
]
