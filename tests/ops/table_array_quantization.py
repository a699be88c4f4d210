"""Floats rounded to few bits, and turned into small integers and back."""

import numpy as np

from ops.case import Case

X = np.array([[5.25, -1.3, 0.29], [-5.6, 0.83, -1.06], [0.0, -1.9, 2.65], [0.5, 1.5, -2.5]], np.float32)
LOW, HIGH = np.float32(-2.5), np.float32(3)
LOWS, HIGHS = np.array([-1, -2, -0.5], np.float32), np.array([1, 0.75, 3], np.float32)


def quantized(values, name):
    inner = {"qint8": "i1", "quint8": "u1", "qint32": "i4", "qint16": "i2", "quint16": "u2"}[name]
    return np.array(values, inner).view([(name, inner)])


CASES = []
for signed in (True, False):
    for bits in (2, 8):
        for narrow in (True, False):
            how = {"signed_input": signed, "num_bits": bits, "narrow_range": narrow}
            CASES += [
                Case("QuantizeAndDequantizeV2", X, LOW, HIGH, range_given=True, **how),
                Case("QuantizeAndDequantizeV4", X, LOW, HIGH, range_given=False, round_mode="HALF_UP", **how),
                Case("QuantizeAndDequantizeV3", X, LOW, HIGH, np.int32(bits), signed_input=signed, narrow_range=narrow),
            ]
    CASES.append(Case("QuantizeAndDequantizeV2", X, LOWS, HIGHS, signed_input=signed, axis=1))
CASES += [
    Case("QuantizeAndDequantizeV2", X.astype(np.float64), np.float64(-1), np.float64(2), range_given=True),
    Case("QuantizeAndDequantizeV2", X * 0, LOW, HIGH),
    Case("QuantizeAndDequantizeV2", X, HIGH, LOW, range_given=True),
    Case("QuantizeAndDequantizeV2", X, LOW, HIGH, num_bits=64),
    Case("QuantizeAndDequantizeV4Grad", X, X, LOW, HIGH),
    Case("QuantizeAndDequantizeV4Grad", X, X, LOWS, HIGHS, axis=1),
]
for bits, narrow in ((8, False), (8, True), (3, False)):
    how = {"num_bits": bits, "narrow_range": narrow}
    for low, high in ((-6.0, 6.0), (-1.25, 2.75), (0.5, 3.0), (-3.0, -0.5)):
        ends = np.float32(low), np.float32(high)
        CASES += [
            Case("FakeQuantWithMinMaxArgs", X, min=low, max=high, **how),
            Case("FakeQuantWithMinMaxArgsGradient", X + 1, X, min=low, max=high, **how),
            Case("FakeQuantWithMinMaxVars", X, *ends, **how),
            Case("FakeQuantWithMinMaxVarsGradient", X + 1, X, *ends, **how),
        ]
    CASES += [
        Case("FakeQuantWithMinMaxVarsPerChannel", X, LOWS, HIGHS, **how),
        Case("FakeQuantWithMinMaxVarsPerChannelGradient", X + 1, X, LOWS, HIGHS, **how),
    ]
ZERO = np.float32(0)
CASES += [
    Case("FakeQuantWithMinMaxVars", X, ZERO, ZERO),
    Case("FakeQuantWithMinMaxVarsGradient", X, X, ZERO, ZERO),
    Case("FakeQuantWithMinMaxVars", X[:0], LOW, HIGH),
    Case("FakeQuantWithMinMaxArgs", X, min=3.0, max=2.0),
    Case("FakeQuantWithMinMaxVars", X, LOW, HIGH, num_bits=1),
    Case("FakeQuantWithMinMaxVarsPerChannel", X, LOWS[:2], HIGHS),
]
for name in ("qint8", "quint8", "qint16", "quint16"):
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        for narrow in (True, False):
            CASES.append(Case("QuantizeV2", X, LOW, HIGH, T=name, mode=mode, narrow_range=narrow))
        CASES.append(Case("QuantizeV2", X, ZERO, np.float32(1), T=name, mode=mode))
        steps = quantized([[0, 1, 127], [5, 100, 64]], name)
        CASES += [
            Case("Dequantize", steps, LOW, HIGH, mode=mode),
            Case("Dequantize", steps, LOWS, HIGHS, mode=mode, axis=1),
        ]
CASES += [
    Case("QuantizeV2", X, LOWS, HIGHS, T="qint8", mode="SCALED", narrow_range=True, axis=1),
    Case("QuantizeV2", X, LOW, HIGH, T="qint8", mode="SCALED", round_mode="HALF_TO_EVEN", narrow_range=True),
    Case("Dequantize", quantized([-128, 0, 127], "qint8"), LOW, HIGH),
    Case("Dequantize", quantized([-128, 0, 127], "qint8"), LOW, HIGH, mode="SCALED", narrow_range=True),
    Case("Dequantize", quantized([-128, 0, 127], "qint8"), LOW, HIGH, dtype="bfloat16"),
    Case("QuantizeV2", X, HIGH, LOW, T="qint8"),
    Case("QuantizeV2", X, LOW, HIGH, T="qint8", round_mode="HALF_TO_EVEN"),
    Case("Dequantize", quantized([1], "qint8"), LOW, HIGH, mode="SCALED", dtype="bfloat16"),
]
