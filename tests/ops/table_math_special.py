"""Special functions. Where TensorFlow's float32 kernels are less exact than scipy's, the tolerance says by how much."""

import numpy as np
from ml_dtypes import bfloat16

from ops.case import Case

INF, NAN = np.inf, np.nan
EDGES = np.array([NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, -2.0, -3.5, 0.5, 2.0, 10.0, -10.5, 0.1])
PLAIN = np.array([[0.25, 0.5, 0.9], [0.75, 0.1, 0.6]])

CASES = []
for op in ["Erf", "Erfc", "Erfinv", "Ndtri", "Lgamma", "Digamma"] + [
    f"Bessel{kind}" for kind in ["I0", "I0e", "I1", "I1e", "J0", "J1", "K0", "K0e", "K1", "K1e", "Y0", "Y1"]
]:
    CASES += [
        Case(op, PLAIN, tol=1e-12),
        Case(op, PLAIN.astype(np.float32), tol=1e-5),
        Case(op, np.float32(0.5), tol=1e-5),
        Case(op, np.zeros((0, 2), np.float32)),
    ]
    if op != "Erf":  # TensorFlow's float64 erf of infinity is NaN
        CASES.append(Case(op, EDGES, tol=1e-12))
    if op != "BesselY1":  # its float32 kernel has NaN at 0
        CASES.append(Case(op, EDGES.astype(np.float32), tol=1e-5))
for op in ["Dawsn", "Expint", "FresnelCos", "FresnelSin", "Spence"]:
    CASES += [
        Case(op, EDGES, tol=1e-12),
        Case(op, EDGES.astype(np.float32), tol=1e-5),
    ]
for op in [
    "Erf",
    "Erfc",
    "Lgamma",
    "Digamma",
    "BesselI0e",
    "BesselI1e",
    "BesselK0e",
    "BesselK1",
    "BesselJ1",
    "BesselY0",
    "BesselY1",
]:
    CASES.append(Case(op, PLAIN.astype(np.float16)))
CASES += [Case("Erf", PLAIN.astype(bfloat16)), Case("Erfc", PLAIN.astype(bfloat16))]

AXIS = np.array([0, 1, 2, 0.5, -1, -0.5, 30, NAN, INF, 1e-3, 3.5])
FIRST, SECOND = AXIS[:, None], AXIS[None, :]
for op in ["Igamma", "Igammac", "Zeta", "Polygamma", "IgammaGradA", "RandomGammaGrad"]:
    tol = 2e-5
    CASES += [
        Case(op, PLAIN + 1, PLAIN, tol=1e-11),
        Case(op, (PLAIN + 1).astype(np.float32), np.float32(0.7), tol=tol),
        Case(op, np.zeros((0, 2), np.float32), np.ones((1, 2), np.float32)),
        Case(op, np.ones(2, np.float32), np.ones(3, np.float32)),
    ]
    if op == "Polygamma":
        CASES.append(Case(op, np.arange(5.0)[:, None], AXIS[None, :], tol=1e-11))
        CASES.append(Case(op, np.array([0.5, -1.0]), np.array([1.0, 1.0])))
    elif op in ("IgammaGradA", "RandomGammaGrad"):
        # TensorFlow has 0 for samples too small to be, where the density underflows
        grid = np.array([0.1, 0.5, 1.0, 3.0, 10.0, 50.0] if op == "IgammaGradA" else [0.1, 0.5, 1.0, 3.0, 10.0])
        CASES.append(Case(op, grid[:, None], grid[None, :], tol=1e-9))
        CASES.append(Case(op, grid[:, None].astype(np.float32), grid[None, :].astype(np.float32), tol=tol))
    else:
        CASES.append(Case(op, FIRST, SECOND, tol=1e-11))
P = np.array([1.0, 2.0, 0.5, 30.0, 0.0, -1.0])
CASES += [
    Case("Betainc", P, P[::-1].copy(), np.array([0.1, 0.5, 0.9, 0.3, 0.2, 0.1]), tol=1e-10),
    Case("Betainc", P.astype(np.float32), np.full(6, 2, np.float32), np.full(6, 0.4, np.float32), tol=2e-5),
    Case("Betainc", np.array(2.0), np.array(3.0), np.array([0, 1, -0.1, 1.1, NAN, 0.5]), tol=1e-10),
    Case("Betainc", np.float32(2), np.float32(3), np.float32(0.25), tol=2e-5),
    Case("Betainc", np.ones(2), np.ones(3), np.ones(2)),
    Case("Betainc", np.array(1.0), np.ones(3), np.ones(2)),
    Case("Betainc", np.ones(3), np.array(1.0), np.ones(2)),
]
