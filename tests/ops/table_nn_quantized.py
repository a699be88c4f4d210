"""Products, convolutions, pooling, sums and activations of quantized tensors."""

from __future__ import annotations

import numpy as np

from ops.case import Case

F = np.float32
rng = np.random.default_rng(21)


def q(*shape: int, name: str = "quint8") -> np.ndarray:
    inner = np.dtype({"quint8": "u1", "qint8": "i1", "qint32": "i4"}[name])
    limits = np.iinfo(inner)
    return rng.integers(limits.min, limits.max, shape, inner, endpoint=True).view([(name, inner)])


def products() -> list[Case]:
    limits = [F(v) for v in (-1.5, 2, -3, 1)]
    a, b = q(4, 6), q(6, 3)
    mat = {"Toutput": "qint32"}
    cases = [
        Case("QuantizedMatMul", a, b, *limits, **mat),
        Case("QuantizedMatMul", a.T.copy(), b.T.copy(), *limits, transpose_a=True, transpose_b=True, **mat),
        Case("QuantizedMatMul", a, b, F(0), F(255), F(0), F(1), **mat),
        Case("QuantizedMatMul", a, b, F(1), F(2), F(-2), F(-1), **mat),
        Case("QuantizedMatMul", a, b, F(2), F(2), F(-2), F(-1), **mat),
        Case("QuantizedMatMul", a, b, F(1), F(2), F(-2), F(-2), **mat),
        Case("QuantizedMatMul", a, b[1:], *limits, **mat),
        Case("QuantizedMatMul", a[0], b, *limits, **mat),
    ]
    x, w = q(2, 5, 4, 3), q(3, 2, 3, 4)
    conv = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    cases += [
        Case("QuantizedConv2D", x, w, *limits, **conv),
        Case("QuantizedConv2D", x, w, *limits, **(conv | {"strides": [1, 2, 2, 1]})),
        Case("QuantizedConv2D", x, w, *limits, **(conv | {"padding": "VALID"})),
        Case("QuantizedConv2D", x, w, F(0), F(255), F(0), F(255), **conv),
        Case("QuantizedConv2D", x, w, F(1), F(2), F(0), F(255), **(conv | {"padding": "VALID"})),
        Case("QuantizedConv2D", x, w[:, :, :2], *limits, **conv),
        Case("QuantizedConv2D", x[:0], w, *limits, **conv),
        Case("QuantizedConv2D", x[0], w, *limits, **conv),
        Case("QuantizedConv2D", x, w, F([0, 1]), *limits[1:], **conv),
        Case("QuantizedConv2D", x, w, *limits, **(conv | {"strides": [2, 1, 1, 1]})),
        Case("QuantizedConv2D", x, w, *limits, **(conv | {"strides": [1, 1, 1]})),
    ]
    for op in ("QuantizedAdd", "QuantizedMul"):
        cases += [
            Case(op, q(3, 4), q(3, 4), *limits, **mat),
            Case(op, q(3, 4), q(4), *limits, **mat),
            Case(op, q(4), q(3, 4), *limits, **mat),
            Case(op, q(3, 4), q(1)[0], *limits, **mat),
            Case(op, q(5), q(5), F(0), F(10), F(0), F(0.1), **mat),
            Case(op, q(3), q(4), *limits, **mat),
            Case(op, q(3), q(3), F(1), F(1), F(0), F(1), **mat),
            Case(op, q(3), q(3), F(0), F(1), F(1), F(1), **mat),
        ]
    return cases


def others() -> list[Case]:
    limits = [F(v) for v in (-1.5, 2, -3, 1)]
    add = {"out_type": "qint32"}
    cases = [
        Case("QuantizedBiasAdd", q(2, 3, 4), q(4), *limits, **add),
        Case("QuantizedBiasAdd", q(6, 4), q(4), F(0), F(6), F(-0.5), F(0.25), **add),
        Case(
            "QuantizedBiasAdd",
            q(6, 4, name="qint8"),
            q(4, name="qint8"),
            *limits,
            out_type="qint32",
        ),
        Case("QuantizedBiasAdd", q(6, 4), q(3), *limits, **add),
        Case("QuantizedBiasAdd", q(4), q(4), *limits, **add),
        Case("QuantizedBiasAdd", q(6, 4), q(4), F([1]), *limits[1:], **add),
    ]
    for op in ("QuantizedRelu", "QuantizedRelu6"):
        cases += [
            Case(op, q(20), F(-2), F(9)),
            Case(op, q(20), F(1), F(3)),
            Case(op, q(20, name="qint32"), F(-20), F(20), out_type="qint32"),
            Case(op, q(0), F(-2), F(9)),
            Case(op, q(20), F([-2]), F(9)),
        ]
    at = {"ksize": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}
    for op in ("QuantizedMaxPool", "QuantizedAvgPool"):
        cases += [
            Case(op, q(2, 5, 4, 3), F(-2), F(9), **at),
            Case(op, q(2, 5, 4, 3), F(-2), F(9), **(at | {"padding": "VALID"})),
            Case(op, q(5, 4, 3), F(-2), F(9), **at),
            Case(op, q(2, 5, 4, 3), F([-2]), F(9), **at),
            Case(op, q(2, 5, 4, 3), F(-2), F(9), **(at | {"ksize": [2, 2, 2, 1]})),
        ]
    one, two, wide = q(2, 3), q(2, 5), q(2, 2, name="qint32")
    cases += [
        Case("QuantizedConcat", np.int32(1), [one, two], [F(-1), F(-2)], [F(3), F(2)]),
        Case("QuantizedConcat", np.int32(0), [one, one], [F(1), F(1)], [F(3), F(3)]),
        Case("QuantizedConcat", np.int32(1), [one, two], [F(0), F(0)], [F(3), F(3)]),
        Case("QuantizedConcat", np.int32(1), [wide, wide], [F(-1), F(-2)], [F(3), F(2)]),
        Case("QuantizedConcat", np.int32(0), [one, two], [F(0), F(0)], [F(3), F(3)]),
        Case("QuantizedConcat", np.int32(2), [one, two], [F(0), F(0)], [F(3), F(3)]),
        Case("QuantizedConcat", np.int32(1), [one, two[0]], [F(0), F(0)], [F(3), F(3)]),
    ]
    return cases


CASES = [*products(), *others()]
