"""Products and convolutions of quantized tensors together with bias, ReLU and a new range."""

from __future__ import annotations

import numpy as np

from ops.case import Case

F = np.float32
rng = np.random.default_rng(33)


def q(*shape: int, name: str = "quint8") -> np.ndarray:
    inner = np.dtype({"quint8": "u1", "qint8": "i1"}[name])
    limits = np.iinfo(inner)
    return rng.integers(limits.min, limits.max, shape, inner, endpoint=True).view([(name, inner)])


def whole(*shape: int) -> np.ndarray:
    return rng.integers(-5000, 5000, shape, np.int32).view([("qint32", np.int32)])


def floats(*shape: int) -> np.ndarray:
    return (rng.standard_normal(shape) * 6).astype(F)


INPUT = (F(0), F(6.5))
FILTER = (F(-1.75), F(2))
CHANNELS = (F([-1, -0.5, -2, -3]), F([1.5, 0.75, 1, 2.5]))
NEW = (F(-3), F(20))
CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}


def kinds_of_window() -> list[dict[str, object]]:
    return [
        CONV,
        CONV | {"padding": "VALID"},
        CONV | {"strides": [1, 2, 2, 1]},
        CONV | {"dilations": [1, 2, 1, 1]},
    ]


def convolutions() -> list[Case]:
    x, s, w = q(2, 5, 4, 3), q(2, 5, 4, 3, name="qint8"), q(3, 2, 3, 4, name="qint8")
    bias, whole_bias = floats(4), whole(4)
    out = {"out_type": "qint32"}
    cases = []
    for window in kinds_of_window():
        cases += [
            Case("QuantizedConv2DAndRelu", x, w, *INPUT, *FILTER, **window, **out),
            Case("QuantizedConv2DPerChannel", x, w, *INPUT, *CHANNELS, **window, **out),
            Case("QuantizedConv2DWithBias", x, w, bias, *INPUT, *FILTER, **window, **out),
            Case("QuantizedConv2DWithBiasAndRelu", x, w, bias, *INPUT, *FILTER, **window, **out),
            Case("QuantizedConv2DAndRequantize", x, w, *INPUT, *FILTER, *NEW, **window, out_type="qint8"),
            Case("QuantizedConv2DAndReluAndRequantize", x, w, *INPUT, *FILTER, *NEW, **window, out_type="quint8"),
        ]
        for b in (bias, whole_bias):
            op = "QuantizedConv2DWithBiasAndRequantize"
            cases += [
                Case(op, x, w, b, *INPUT, *FILTER, *NEW, **window, out_type="qint8"),
                Case(op, x, w, b, *INPUT, *CHANNELS, *NEW, **window, out_type="qint8"),
                Case(op, s, w, b, F(-4), F(3), *FILTER, *NEW, **window, out_type="qint8"),
            ]
            op = "QuantizedConv2DWithBiasAndReluAndRequantize"
            cases += [
                Case(op, x, w, b, *INPUT, *FILTER, *NEW, **window, out_type="quint8"),
                Case(op, x, w, b, *INPUT, *CHANNELS, *NEW, **window, out_type="quint8"),
            ]
    cases += [
        Case("QuantizedConv2DWithBias", s, w, bias, F(-4), F(3), *FILTER, **CONV, **out),
        Case("QuantizedConv2DWithBias", x, w, bias, F(-1), F(3), *FILTER, **CONV, **out),
        Case("QuantizedConv2DWithBias", x, w, bias, *INPUT, *CHANNELS, **CONV, **out),
        Case("QuantizedConv2DWithBias", x, w[:, :, :2], bias, *INPUT, *FILTER, **CONV, **out),
        Case("QuantizedConv2DWithBias", x[0], w, bias, *INPUT, *FILTER, **CONV, **out),
        Case("QuantizedConv2DWithBias", x, w, bias, *INPUT, *FILTER, **CONV | {"strides": [2, 1, 1, 1]}, **out),
        Case(
            "QuantizedConv2DWithBias",
            *(x, w, bias, *INPUT, *FILTER),
            **CONV | {"padding": "VALID", "padding_list": [0, 0, 1, 2, 0, 1, 0, 0]},
            **out,
        ),
    ]
    return cases


def depthwise() -> list[Case]:
    x, w = q(2, 5, 4, 3), q(3, 2, 3, 2, name="qint8")
    bias = floats(6)
    out = {"out_type": "qint32"}
    cases = []
    for window in (CONV, CONV | {"padding": "VALID"}, CONV | {"strides": [1, 2, 2, 1]}):
        cases += [
            Case("QuantizedDepthwiseConv2D", x, w, *INPUT, *FILTER, **window, **out),
            Case("QuantizedDepthwiseConv2DWithBias", x, w, bias, *INPUT, *FILTER, **window, **out),
            Case("QuantizedDepthwiseConv2DWithBiasAndRelu", x, w, bias, *INPUT, *FILTER, **window, **out),
        ]
        for b in (bias, whole(6)):
            op = "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize"
            per_channel = (F([-1, -2, -1, -3, -1, -2]), F([1, 1, 2, 2, 3, 3]))
            cases += [
                Case(op, x, w, b, *INPUT, *FILTER, *NEW, **window, out_type="quint8"),
                Case(op, x, w, b, *INPUT, *per_channel, *NEW, **window, out_type="quint8"),
            ]
    return cases


def products() -> list[Case]:
    a, b = q(4, 6), q(6, 3, name="qint8")
    cases = []
    for mode in ("MIN_FIRST", "SCALED"):
        for high in (F(6.5), F(0.25)):
            limits = (F(0), high, *FILTER)
            attrs = {"input_quant_mode": mode}
            for bias in (floats(3), whole(3)):
                op = "QuantizedMatMulWithBias"
                cases += [
                    Case(op, a, b, bias, *limits, **attrs, Toutput="qint32"),
                    Case(op + "AndDequantize", a, b, bias, *limits, *NEW, **attrs, Toutput="float32"),
                    Case(op + "AndRequantize", a, b, bias, *limits, *NEW, **attrs, Toutput="quint8"),
                    Case(op + "AndReluAndRequantize", a, b, bias, *limits, *NEW, **attrs, Toutput="quint8"),
                ]
            cases.append(Case(op + "AndRelu", a, b, floats(3), *limits, **attrs, Toutput="qint32"))
    attrs = {"Toutput": "qint32"}
    op = "QuantizedMatMulWithBias"
    cases += [
        Case(op, a, b[1:], floats(3), *INPUT, *FILTER, **attrs),
        Case(op, a[0], b, floats(3), *INPUT, *FILTER, **attrs),
        Case(op, a[:0], b, floats(3), *INPUT, *FILTER, **attrs),
        Case(op, q(2, 6, name="qint8"), b, floats(3), F(-3), F(2), *FILTER, **attrs, input_quant_mode="SCALED"),
        Case(op, q(2, 6, name="qint8"), b, floats(3), F(-3), F(2), *FILTER, **attrs),
    ]
    return cases


CASES = convolutions() + depthwise() + products()
