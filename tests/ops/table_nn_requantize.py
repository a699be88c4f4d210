"""Quantized tensors moved to another range."""

from __future__ import annotations

import numpy as np

from ops.case import Case

R = np.random.RandomState(5)


def q(values: object, name: str) -> np.ndarray:
    kinds = {"qint32": "i4", "quint8": "u1", "qint8": "i1"}
    return np.asarray(values, kinds[name]).view([(name, kinds[name])])


MANY = q(R.randint(-(2**31), 2**31 - 1, (4, 50)), "qint32")
FEW = q(R.randint(-100000, 2000000, 60), "qint32")
EDGE = q([-(2**31), 2**31 - 1, 0, -1, 1], "qint32")
LOW, HIGH = np.float32(-12.5), np.float32(7.25)

CASES = [
    Case("RequantizationRange", MANY, LOW, HIGH),
    Case("RequantizationRange", FEW, LOW, HIGH),
    Case("RequantizationRange", q([5, 9], "qint32"), np.float32(-1), np.float32(1)),
    Case("RequantizationRange", EDGE, np.float32(0), np.float32(0)),
    Case("Requantize", MANY, LOW, HIGH, np.float32(-3), np.float32(4), out_type="quint8"),
    Case("Requantize", FEW, LOW, HIGH, np.float32(-0.01), np.float32(0.02), out_type="quint8"),
    Case("Requantize", EDGE, LOW, HIGH, LOW, HIGH, out_type="quint8"),
    Case("Requantize", EDGE, LOW, HIGH, np.float32(0), np.float32(0), out_type="quint8"),
    Case("Requantize", EDGE, LOW, HIGH, np.float32(1), np.float32(2), out_type="quint8"),
    Case("Requantize", EDGE, LOW, HIGH, np.float32(-1), np.float32(-2), out_type="quint8"),
    Case("QuantizeDownAndShrinkRange", MANY, LOW, HIGH, out_type="quint8"),
    Case("QuantizeDownAndShrinkRange", FEW, LOW, HIGH, out_type="quint8"),
    Case("QuantizeDownAndShrinkRange", EDGE, np.float32(-1), np.float32(1), out_type="quint8"),
    Case("QuantizedReshape", q(np.arange(6), "quint8"), np.int32([2, -1]), np.float32(-1), np.float32(2)),
    Case("QuantizedReshape", q(np.arange(6), "qint32"), np.int64([3, 2]), np.float32(-1), np.float32(2)),
    Case("QuantizedReshape", q(np.arange(6), "quint8"), np.int32([4]), np.float32(-1), np.float32(2)),
]
CASES += [
    Case("Requantize", q(R.randint(-(2**31), 2**31 - 1, 400), "qint32"), low, high, low, high, out_type="quint8")
    for low, high in [
        (np.float32(-1), np.float32(1)),
        (np.float32(-0.3), np.float32(7)),
        (np.float32(-90), np.float32(0)),
    ]
]
