"""Casts between all classes of dtypes, and the parts of complex numbers."""

import ml_dtypes
import numpy as np

from ops.case import Case

FLOATS = ("float64", "float32", "float16", "bfloat16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def of(values: list, name: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.array(values).astype(getattr(ml_dtypes, name) if hasattr(ml_dtypes, name) else name)


# Vectors stay shorter than the vector units, beyond which TensorFlow's own answers vary.
CASES = []
for source in FLOATS:
    CASES += [
        Case("Cast", of([1.9, -1.9, 0.5, -0.0, 100.25], source), DstT=t)
        for t in (*FLOATS, *INTEGERS, "bool", "complex64", "complex128")
    ]
    CASES += [Case("Cast", of([[np.nan, np.inf, -np.inf]], source), DstT=t) for t in (*FLOATS, *INTEGERS, "bool")]
    CASES += [Case("Cast", of([300, -300, 70000], source), DstT=t) for t in (*FLOATS, *INTEGERS)]
    CASES += [Case("Cast", of([3e9, -3e9, 1e19], source), DstT=t) for t in INTEGERS]
    CASES += [
        Case("Cast", of([1.0, -3.14, 300, 1e9, 1e-9, np.nan, np.inf], source), DstT=t)
        for t in ("float8_e5m2", "float8_e4m3fn")
    ]
    CASES += [Case("Cast", of([1.2345678, -1.999999, 65530], source), DstT=t, Truncate=True) for t in FLOATS]
for source in INTEGERS:
    CASES += [
        Case("Cast", of([0, 1, 127, -1 & 0x7F, 100], source), DstT=t) for t in (*FLOATS, *INTEGERS, "bool", "complex64")
    ]
for t in INTEGERS:
    CASES.append(Case("Cast", np.array([300, -1, -129, 70000, 2**31, 2**40 + 5]), DstT=t))
CASES += [
    Case("Cast", np.array([True, False]), DstT=t) for t in (*FLOATS, *INTEGERS, "bool", "complex64", "complex128")
]
CASES += [Case("Cast", of([1.5 + 2j, -3j, 0], "complex64"), DstT=t) for t in (*FLOATS, *INTEGERS, "bool", "complex128")]
CASES += [Case("Cast", of([1.5, -0.25, 8], t), DstT=d) for t in ("float8_e5m2", "float8_e4m3fn") for d in FLOATS]
QUANTIZED = {"qint8": np.int8, "quint8": np.uint8, "qint16": np.int16, "quint16": np.uint16, "qint32": np.int32}
for name, t in QUANTIZED.items():
    x = np.array([(1,), (100,), (0,)], [(name, t)])
    CASES += [Case("Cast", x, DstT=d) for d in ("float32", "int32", "int8", "bool", "qint32", "qint8", "complex64")]
    CASES += [Case("Cast", of([1.9, -3, 300], d), DstT=name) for d in ("float32", "int32", "int64")]
    CASES += [Case(op, x, x[:1]) for op in ("Equal", "NotEqual")]
CASES += [
    Case("Cast", np.array([300, -1, 5]), DstT="int4"),
    Case("Cast", np.array([300, -1, 5], np.int32), DstT="uint4"),
    Case("Cast", of([3, -4], "int4"), DstT="int32"),
    Case("Cast", np.float32(3.7), DstT="int32"),
    Case("Cast", np.zeros((0, 3), np.float32), DstT="int64"),
    Case("Cast", np.array([2.0**31, 4e9, -5.0]), DstT="uint32"),
    Case("Cast", np.array([2.0**63, 1.5e19, -5.0]), DstT="uint64"),
    Case("Cast", np.array([b"x"], object), DstT="string"),
    Case("Cast", np.array([b"1"], object), DstT="float32"),
    Case("Cast", np.array([1.0], np.float32), DstT="string"),
]

REAL = np.array([1, -2, 0.5], np.float32)
NUMBERS = np.array([1 + 2j, -3 + 0.5j, -1, 0, 1 - 1j], np.complex64)
CASES += [
    Case("Complex", REAL, REAL[::-1].copy()),
    Case("Complex", REAL.astype(np.float64), np.array([[1.0], [2.0]]), Tout="complex128"),
    Case("Complex", np.float32(1), np.float32(2)),
    Case("Complex", REAL, np.ones(2, np.float32)),
]
for op in ("Real", "Imag", "Angle", "ComplexAbs"):
    CASES += [
        Case(op, NUMBERS),
        Case(op, NUMBERS.astype(np.complex128), Tout="float64"),
        Case(op, np.array(3 - 4j, np.complex64)),
        Case(op, np.zeros((0, 2), np.complex64)),
    ]
CASES += [Case("Conj", NUMBERS), Case("Conj", NUMBERS.astype(np.complex128)), Case("Conj", np.array(1j, np.complex64))]
