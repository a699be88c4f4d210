"""Random ops: every bit is TensorFlow's. Stateful ones run once here; tests/unit/ops/random follows their streams."""

from __future__ import annotations

import numpy as np

from ops.case import Case

F = np.float32
I = np.int32
FLOATS = ("float16", "bfloat16", "float32", "float64")
SEED = np.array([7, -3], I)
KEY = np.array([0x0123456789ABCDEF], np.uint64)
COUNTER = np.array([2**64 - 3, 5], np.uint64)
PHILOX = I(1)
AUTO = I(3)
LOGITS = np.array([[0, 1, 2, -1], [3, -np.inf, 1, 0], [2, 2, 2, 2]], F)
RATES = np.array([0, 0.5, 3, 9.5, 10, 12, 40, 1000], F)
ALPHAS = np.array([0.1, 0.5, 1, 1.5, 10, 1000], F)


def ints(*values: int) -> np.ndarray:
    return np.array(values, I)


def uints(*values: int) -> np.ndarray:
    return np.array(values, np.uint32)


def exact(op: str, *inputs: object, **attrs: object) -> Case:
    return Case(op, *inputs, tol=0, **attrs)


def floats() -> list[Case]:
    cases = []
    for dtype in FLOATS:
        stateful = ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
        cases += [exact(op, ints(3, 5), dtype=dtype, seed=11, seed2=7) for op in stateful]
        for op in ("Uniform", "Normal"):
            cases.append(exact(f"StatelessRandom{op}", ints(3, 5), SEED, dtype=dtype))
            cases.append(exact(f"StatelessRandom{op}V2", ints(3, 5), KEY, COUNTER, PHILOX, dtype=dtype))
        cases.append(exact("StatelessTruncatedNormal", ints(3, 5), SEED, dtype=dtype))
        cases.append(exact("StatelessTruncatedNormalV2", ints(3, 5), KEY, COUNTER, AUTO, dtype=dtype))
    cases += [
        exact("RandomUniform", np.array([2, 1, 3], np.int64), dtype="float32", seed=0, seed2=9),
        exact("RandomUniform", ints(2, 0), dtype="float32", seed=1, seed2=9),
        exact("RandomStandardNormal", np.zeros(0, I), dtype="float32", seed=1, seed2=9),
        exact("TruncatedNormal", ints(600), dtype="float32", seed=1, seed2=9),
        Case("RandomUniform", ints(2, -1), dtype="float32", seed=1),
        Case("RandomUniform", I(2), dtype="float32", seed=1),
        Case("StatelessRandomUniform", ints(3), ints(1, 2, 3), dtype="float32"),
        Case("StatelessRandomUniformV2", ints(3), KEY, COUNTER, I(2), dtype="float32"),
        exact("StatelessRandomUniformV2", ints(0), KEY, COUNTER, I(2), dtype="float32"),
        Case("StatelessRandomUniformV2", ints(3), np.array([1, 2], np.uint64), COUNTER, PHILOX, dtype="float32"),
        exact("StatelessRandomGetKeyCounter", SEED),
        exact("StatelessRandomGetKeyCounter", np.array([2**40, -1], np.int64)),
        Case("StatelessRandomGetKeyCounter", ints(1)),
        exact("StatelessRandomGetKeyCounterAlg", SEED),
        exact("StatelessRandomGetAlg"),
    ]
    return cases


def integers() -> list[Case]:
    wide = np.int64
    return [
        exact("RandomUniformInt", ints(4, 3), I(-5), I(17), seed=3, seed2=4),
        exact("RandomUniformInt", ints(7), wide(-(10**12)), wide(10**12), seed=3, seed2=4),
        exact("RandomUniformInt", ints(7), I(-(2**31)), I(2**31 - 1), seed=3, seed2=4),
        Case("RandomUniformInt", ints(7), I(3), I(3), seed=3, seed2=4),
        exact("RandomUniformInt", ints(0), I(3), I(3), seed=3, seed2=4),
        Case("RandomUniformInt", ints(7), ints(3), I(4), seed=3, seed2=4),
        exact("StatelessRandomUniformInt", ints(4, 3), SEED, I(-5), I(17)),
        exact("StatelessRandomUniformInt", ints(5), SEED, wide(-(10**12)), wide(10**12)),
        Case("StatelessRandomUniformInt", ints(5), SEED, I(2), I(-2)),
        exact("StatelessRandomUniformIntV2", ints(4, 3), KEY, COUNTER, PHILOX, I(-5), I(17)),
        exact("StatelessRandomUniformIntV2", ints(5), KEY, COUNTER, AUTO, wide(0), wide(10**12)),
        *(
            exact("StatelessRandomUniformFullInt", ints(5), SEED, dtype=d)
            for d in ("int32", "int64", "uint32", "uint64")
        ),
        *(
            exact("StatelessRandomUniformFullIntV2", ints(5), KEY, COUNTER, PHILOX, dtype=d)
            for d in ("int32", "int64", "uint32", "uint64")
        ),
    ]


def parametric() -> list[Case]:
    cases = []
    for dtype in ("float16", "float32", "float64"):
        alpha = ALPHAS.astype(dtype)
        cases.append(exact("RandomGamma", ints(3, 4), alpha, seed=5, seed2=6))
        cases.append(exact("StatelessRandomGammaV2", ints(8, 6), SEED, alpha))
        cases.append(exact("StatelessRandomGammaV3", ints(8, 6), KEY, COUNTER, PHILOX, alpha))
        cases.append(exact("RandomPoissonV2", ints(9), RATES.astype(dtype), dtype="int32", seed=5, seed2=6))
        cases.append(exact("StatelessRandomPoisson", ints(9, 8), SEED, RATES, dtype=dtype))
        cases.append(
            exact(
                "StatelessRandomBinomial",
                ints(9, 2, 2),
                SEED,
                np.array([7, 90], dtype),
                np.array([[0.3], [0.8]], dtype),
                dtype="int64",
            )
        )
    cases += [
        exact("RandomGamma", ints(2), np.ones((2, 1), F), seed=5, seed2=6),
        exact("RandomGamma", ints(2), np.zeros(0, F), seed=5, seed2=6),
        Case("StatelessRandomGammaV2", ints(3), SEED, ALPHAS),
        exact("RandomPoissonV2", ints(2, 2), ints(3, 20), dtype="float64", seed=5, seed2=6),
        exact("RandomPoissonV2", ints(2, 2), np.float64(4), dtype="int64", seed=5, seed2=6),
        exact("RandomPoissonV2", ints(0), RATES, dtype="float32", seed=5, seed2=6),
        Case("StatelessRandomPoisson", ints(3), SEED, RATES, dtype="float32"),
        Case("StatelessRandomBinomial", ints(2), SEED, F([1, 2, 3]), F([0.1, 0.2]), dtype="float32"),
        exact("StatelessRandomBinomial", ints(3), SEED, F(0), F(0.5), dtype="float32"),
    ]
    for dtype in FLOATS:
        logits = LOGITS.astype(np.dtype(dtype)) if dtype != "bfloat16" else None
        if logits is not None:
            cases.append(exact("Multinomial", logits, I(11), seed=3, seed2=4))
            cases.append(exact("StatelessMultinomial", logits, I(11), SEED))
    cases += [
        exact("Multinomial", LOGITS, I(5), seed=3, seed2=4, output_dtype="int32"),
        exact("Multinomial", LOGITS, I(0), seed=3, seed2=4),
        exact("Multinomial", LOGITS[:0], I(2), seed=3, seed2=4),
        exact("Multinomial", np.full((2, 3), -np.inf, F), I(2), seed=3, seed2=4),
        Case("Multinomial", LOGITS[0], I(2), seed=3, seed2=4),
        Case("Multinomial", LOGITS, I(-1), seed=3, seed2=4),
        Case("Multinomial", LOGITS[:, :0], I(1), seed=3, seed2=4),
        Case("StatelessMultinomial", LOGITS, I(1), ints(1)),
    ]
    return cases


def shuffles() -> list[Case]:
    return [
        exact("RandomShuffle", np.arange(19), seed=3, seed2=4),
        exact("RandomShuffle", np.arange(24, dtype=F).reshape(6, 2, 2), seed=3, seed2=4),
        exact("RandomShuffle", np.array([b"a", b"b", b"c", b"d"], object), seed=3, seed2=4),
        exact("RandomShuffle", np.array([True, False, False, True]), seed=3, seed2=4),
        exact("RandomShuffle", F(2), seed=3, seed2=4),
        exact("RandomShuffle", np.zeros((0, 2), F), seed=3, seed2=4),
        exact("RandomShuffle", np.zeros((3, 0), F), seed=3, seed2=4),
        exact("StatelessShuffle", np.arange(19), KEY, COUNTER, PHILOX),
        exact("StatelessShuffle", np.arange(24, dtype=F).reshape(6, 2, 2), KEY, COUNTER, AUTO),
        exact("StatelessShuffle", F(2), KEY, COUNTER, PHILOX),
        Case("StatelessShuffle", np.arange(19), KEY, COUNTER, I(2)),
        exact("RandomIndexShuffle", I(5), uints(1, 2, 3), I(10)),
        exact("RandomIndexShuffle", np.arange(6), uints(1, 2, 3), np.int64(5)),
        exact("RandomIndexShuffle", np.arange(6), np.arange(18, dtype=np.uint32).reshape(6, 3), np.int64(70000)),
        exact("RandomIndexShuffle", I(5), ints(1, -2, 3), ints(10, 11, 120), rounds=8),
        exact("RandomIndexShuffle", I(0), uints(1, 2, 3), I(0)),
        Case("RandomIndexShuffle", I(8), uints(1, 2, 3), I(5)),
        Case("RandomIndexShuffle", I(2), uints(1, 2), I(5)),
    ]


def truncated() -> list[Case]:
    cases = []
    bounds = [(0, 1, -2, 2), (0, 1, -1, 1), (0, 1, 3, 4), (0, 1, 3, np.inf), (0, 1, -np.inf, -5), (0, 1, 0.1, 0.2)]
    for dtype in ("float16", "float32", "float64"):
        for bound in bounds:
            parameters = [np.array(b, dtype) for b in bound]
            cases.append(exact("StatelessParameterizedTruncatedNormal", ints(23), SEED, *parameters))
            cases.append(exact("ParameterizedTruncatedNormal", ints(23, 5), *parameters, seed=3, seed2=4))
    mean, stddev, low, high = F([0, 5, -3]), F([1, 2, 3]), F([-1, 0, -100]), F([1, 20, 100])
    cases += [
        exact("StatelessParameterizedTruncatedNormal", ints(5, 2, 3), SEED, mean, stddev, low, F([[2], [30]])),
        exact("ParameterizedTruncatedNormal", ints(3, 7), mean, stddev, low, high, seed=3, seed2=4),
        exact("ParameterizedTruncatedNormal", ints(0, 7), mean[:1], stddev[:1], F(-1), F(1), seed=3, seed2=4),
        Case("ParameterizedTruncatedNormal", ints(2, 7), mean, stddev, low, high, seed=3, seed2=4),
        Case("ParameterizedTruncatedNormal", ints(2, 7), F(0), F(1), F(2), F(1), seed=3, seed2=4),
        Case("StatelessParameterizedTruncatedNormal", ints(5), SEED, mean, stddev, low, high),
        Case("StatelessParameterizedTruncatedNormal", ints(3), SEED, mean, -stddev, low, high),
    ]
    return cases


def candidates() -> list[Case]:
    true = np.array([[3, 1], [0, 6]], np.int64)
    at = {"num_true": 2, "num_sampled": 5, "seed": 5, "seed2": 6}
    cases = []
    for op in ("UniformCandidateSampler", "LogUniformCandidateSampler", "LearnedUnigramCandidateSampler"):
        for unique in (True, False):
            cases += [
                Case(op, true, range_max=10, unique=unique, **at),
                Case(op, true, range_max=16, unique=unique, **at),
            ]
        cases += [
            Case(op, true, range_max=4, unique=True, **at),
            Case(op, true[0], range_max=10, unique=True, **at),
        ]
    weights = [0.1, 3.0, 1.0, 1.0, 0.5, 2.0, 0.0, 9.0]
    fixed = "FixedUnigramCandidateSampler"
    cases += [
        Case(fixed, true, range_max=8, unique=False, unigrams=weights, **at),
        Case(fixed, true, range_max=9, unique=True, unigrams=weights, num_reserved_ids=1, distortion=0.75, **at),
        Case(fixed, true, range_max=9, unique=True, unigrams=weights, **at),
        Case(fixed, true, range_max=8, unique=True, **at),
        Case("AllCandidateSampler", true, unique=True, num_true=2, num_sampled=7),
        Case("AllCandidateSampler", true, unique=True, num_true=2, num_sampled=6),
        Case("ComputeAccidentalHits", true, np.array([6, 2, 3, 3], np.int64), num_true=2),
        Case("ComputeAccidentalHits", true, np.array([9], np.int64), num_true=2),
        Case("ComputeAccidentalHits", true, np.array([9], np.int64), num_true=3),
    ]
    return cases


def sobol() -> list[Case]:
    def case(dim: object, count: object, skip: object, **attrs: object) -> Case:
        return Case("SobolSample", *np.array([dim, count, skip], np.int32), tol=0, **attrs)

    return [
        case(5, 20, 0, dtype="float32"),
        case(40, 70, 0, dtype="float64"),
        case(200, 3, 1000, dtype="float32"),
        case(1, 1, 0, dtype="float32"),
        case(2, 9, 2**24 + 1, dtype="float32"),
        case(0, 1, 0),
        case(21201, 1, 0),
        case(1, 0, 0),
        case(1, 1, -1),
        case(1, 2**30, 2**30),
        case(3, 2**30, 0),
        Case("SobolSample", np.array([2], np.int32), np.int32(1), np.int32(0)),
    ]


CASES = [*floats(), *integers(), *parametric(), *shuffles(), *truncated(), *candidates(), *sobol()]
