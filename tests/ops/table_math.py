"""Elementwise functions, arithmetic and comparisons."""

import numpy as np
from ml_dtypes import bfloat16

from ops.case import Case

INF, NAN = np.inf, np.nan
EDGES = np.array([NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.5, -3.5, 0.5, -0.25, 100.0, -100.0, 1e-6], np.float32)
UNIT = np.array([[-1.0, -0.75, -0.1], [0.0, 0.3, 1.0]], np.float32)
PLAIN = np.array([0.25, -1.5, 3.0, 7.0, -0.1], np.float32)
COMPLEX = np.array([1 + 2j, -0.5 + 0.1j, 3 - 4j, 0.25, 2j], np.complex64)
INTS = np.array([0, 1, -1, 5, -7, 127, -128], np.int8)

FUNCTIONS = (
    "Abs Neg Sign Square Sqrt Rsqrt Reciprocal Inv Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan"
    " Sinh Cosh Tanh Asinh Acosh Atanh Sigmoid Floor Ceil Round"
)
NO_COMPLEX = {"Abs", "Floor", "Ceil", "Round"}

CASES = [Case("Rint", EDGES), Case("Rint", np.array([0.5, 1.5, 2.5, -0.5]))]
for op in FUNCTIONS.split():
    CASES += [
        Case(op, UNIT if op in ("Asin", "Acos", "Atanh") else EDGES),
        Case(op, PLAIN.astype(np.float64)),
        Case(op, PLAIN.astype(np.float16)),
        Case(op, PLAIN.astype(bfloat16)),
        Case(op, np.float32(0.5)),
        Case(op, np.zeros((0, 3), np.float32)),
    ]
    if op not in NO_COMPLEX:
        CASES += [Case(op, COMPLEX), Case(op, COMPLEX.astype(np.complex128))]
for op in ("Abs", "Neg", "Sign", "Square"):
    CASES += [Case(op, INTS), Case(op, INTS.astype(np.int64)), Case(op, np.int32(-3)), Case(op, INTS.astype(np.int16))]
CASES += [
    Case("Round", np.array([0.5, 1.5, 2.5, -2.5], np.float32)),
    Case("Sign", np.array([0, 3 + 4j], np.complex64)),
    Case("Square", np.array([255, 3], np.uint8)),
    Case("Invert", INTS),
    Case("Invert", np.array([0, 7, 65535], np.uint16)),
    Case("LogicalNot", np.array([True, False])),
    Case("LogicalNot", np.bool_(True)),
    Case("PopulationCount", INTS),
    Case("PopulationCount", np.array([[2**63, 2**64 - 1], [5, 0]], np.uint64)),
    Case("PopulationCount", np.int32(-1)),
    Case("PopulationCount", np.zeros((0, 2), np.int16)),
    Case("ClipByValue", PLAIN, np.float32(-1), np.float32(2)),
    Case("ClipByValue", PLAIN, np.zeros(5, np.float32), np.ones(5, np.float32)),
    Case("ClipByValue", np.array([1, 9, -4]), np.int64(0), np.int64(5)),
    Case("ClipByValue", PLAIN, np.zeros(2, np.float32), np.float32(1)),
    Case("ApproximateEqual", PLAIN, PLAIN + np.float32(1e-6)),
    Case("ApproximateEqual", PLAIN, PLAIN + np.float32(0.01), tolerance=0.1),
    Case("ApproximateEqual", np.array([1, 5], np.float64), np.array([2, 5], np.float64), tolerance=1.5),
    Case("ApproximateEqual", PLAIN, np.float32(1)),
]
for op in ("IsNan", "IsInf", "IsFinite"):
    CASES += [Case(op, EDGES.astype(t)) for t in (np.float32, np.float64, np.float16, bfloat16)]
    CASES.append(Case(op, np.float32(NAN)))
for op in ("SqrtGrad", "RsqrtGrad", "TanhGrad", "SigmoidGrad", "ReciprocalGrad", "InvGrad"):
    CASES += [Case(op, PLAIN.astype(t), PLAIN[::-1].astype(t)) for t in (np.float32, np.float64, np.float16, bfloat16)]
    CASES += [Case(op, COMPLEX, COMPLEX[::-1]), Case(op, np.float32(2), np.float32(3)), Case(op, PLAIN, np.float32(3))]

LEFT = np.array([5, -5, 5, -5, 7.5, 0, -0.0, INF, 1, NAN, 1, -1], np.float32)
RIGHT = np.array([3, 3, -3, -3, 0, 0, 3, 2, -INF, 1, 0, 0], np.float32)
FLOATS = (np.float64, np.float16, bfloat16)
for op in [
    "AddV2",
    "Sub",
    "Mul",
    "Div",
    "RealDiv",
    "FloorDiv",
    "FloorMod",
    "TruncateDiv",
    "Pow",
    "Maximum",
    "Minimum",
    "SquaredDifference",
    "Xlogy",
    "Xdivy",
    "Xlog1py",
    "DivNoNan",
    "MulNoNan",
    "Atan2",
]:
    CASES.append(Case(op, LEFT, RIGHT))
    CASES += [Case(op, LEFT.astype(t), RIGHT.astype(t)) for t in FLOATS]
    CASES += [
        Case(op, PLAIN, np.float32(2)),
        Case(op, np.float32(2), PLAIN),
        Case(op, np.float32(7), np.float32(2)),
        Case(op, UNIT.reshape(2, 1, 3), np.arange(1, 5, dtype=np.float32).reshape(4, 1)),
        Case(op, np.zeros((0, 3), np.float32), np.ones(3, np.float32)),
        Case(op, np.ones((2, 3), np.float32), np.ones((2, 2), np.float32)),
    ]
for op in [
    "AddV2",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "RealDiv",
    "Pow",
    "SquaredDifference",
    "Xlogy",
    "Xdivy",
    "Xlog1py",
    "DivNoNan",
    "MulNoNan",
]:
    CASES += [
        Case(op, COMPLEX, COMPLEX[::-1]),
        Case(op, COMPLEX.astype(np.complex128), np.complex128(2 - 1j)),
    ]
for op in ("Mod", "TruncateMod", "NextAfter"):
    CASES += [Case(op, LEFT, RIGHT), Case(op, LEFT.astype(np.float64), RIGHT.astype(np.float64))]

DIVIDEND = np.array([5, -5, 5, -5, 7, 0, 127, -128], np.int8)
DIVISOR = np.array([3, 3, -3, -3, 1, 3, -1, 2], np.int8)
for op in ["AddV2", "Add", "Sub", "Mul", "Div", "FloorDiv", "FloorMod", "TruncateDiv", "Maximum", "Minimum"]:
    CASES += [
        Case(op, DIVIDEND.astype(t), DIVISOR.astype(t)) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8)
    ]
    CASES += [Case(op, np.int32(-7), np.int32(2)), Case(op, np.zeros((0,), np.int32), np.int32(0))]
    if op != "Add":
        CASES += [Case(op, DIVIDEND.astype(t), DIVISOR.astype(t)) for t in (np.uint16, np.uint32, np.uint64)]
for op in ["Div", "FloorDiv", "FloorMod", "TruncateDiv", "Mod", "TruncateMod"]:
    CASES += [
        Case(op, np.array([1, 2], np.int32), np.array([1, 0], np.int32)),
        Case(op, np.int64(4), np.int64(0)),
        Case(op, np.array([-(2**31), 7], np.int32), np.array([-1, 2], np.int32)),
    ]
for op in ("Mod", "TruncateMod"):
    CASES += [Case(op, DIVIDEND.astype(t), DIVISOR.astype(t)) for t in (np.int32, np.int64)]
CASES += [
    Case("Add", np.array([b"a", b"", b"\xff"], object), b"-x"),
    Case("Add", b"a", b"b"),
    Case("Add", PLAIN, PLAIN),
    Case("SquaredDifference", np.array([1, -9], np.int32), np.array([4, 2], np.int32)),
    Case("SquaredDifference", np.array([1, -9]), np.int64(2)),
    Case("Pow", np.array([2, -3, 0, 3, 1, -1], np.int32), np.array([31, 3, 0, 40, 1, 5], np.int32)),
    Case("Pow", np.array([2, 3]), np.array([70, 41])),
    Case("Pow", np.array([2, 3], np.int16), np.int16(2)),
    Case("Pow", np.array([2, 3], np.int8), np.array([-1, 2], np.int8)),
    Case("Pow", np.array([1, 1], np.int32), np.int32(-1)),
    Case("Pow", EDGES, np.float32(0.5)),
    Case("Pow", EDGES, np.float32(2)),
    Case("Pow", EDGES, np.float32(0)),
    Case("Pow", EDGES, np.float32(1)),
    Case("Pow", EDGES, np.float32(-0.5)),
    Case("Maximum", np.array([1, NAN, NAN], np.float32), np.array([NAN, 1, NAN], np.float32)),
    Case("Minimum", np.array([1, NAN, NAN], np.float32), np.array([NAN, 1, NAN], np.float32)),
]
for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"):
    for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        CASES.append(Case(op, np.array([1, 5, 127, 64], np.int8).astype(t), np.array([0, 3, 7, 1], np.int8).astype(t)))
    CASES += [
        Case(op, np.array([-1, -128, 8], np.int32), np.array([1, 40, -2], np.int32)),
        Case(op, np.int8(-128), np.array([[7], [8]], np.int8)),
        Case(op, np.ones(2, np.int32), np.ones(3, np.int32)),
    ]
for op in ("LogicalAnd", "LogicalOr"):
    CASES += [
        Case(op, np.array([[True], [False]]), np.array([True, False])),
        Case(op, np.bool_(True), np.bool_(False)),
        Case(op, np.ones(2, bool), np.ones(3, bool)),
    ]
for op in ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"):
    for t in (np.float32, np.float64, np.float16, bfloat16, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16):
        CASES.append(Case(op, np.array([[1], [2]]).astype(t), np.array([1, 2, 3]).astype(t)))
    CASES += [
        Case(op, np.array([2**32 - 1, 0], np.uint32), np.uint32(5)),
        Case(op, np.array([2**64 - 1, 0], np.uint64), np.uint64(5)),
        Case(op, np.float32(NAN), np.float32(NAN)),
        Case(op, np.ones(2, np.float32), np.ones(3, np.float32)),
    ]
for op in ("Equal", "NotEqual"):
    CASES += [
        Case(op, np.array([b"a", b"b"], object), b"a"),
        Case(op, b"a", b"a"),
        Case(op, np.array([True, False]), np.array([True, True])),
        Case(op, COMPLEX, COMPLEX[:1]),
        Case(op, COMPLEX.astype(np.complex128), COMPLEX[::-1].astype(np.complex128)),
        Case(op, np.ones(2, np.int32), np.ones(3, np.int32), incompatible_shape_error=False),
        Case(op, np.ones((2, 1), np.int32), np.ones(3, np.int32), incompatible_shape_error=False),
        Case(op, np.array([b"a"] * 2, object), np.array([b"a"] * 3, object), incompatible_shape_error=False),
    ]
