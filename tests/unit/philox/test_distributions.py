"""Random numbers equal TensorFlow's bit for bit (fixtures/random/streams.npz), at every position of a stream."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from icefloe.philox import discrete, distributions, rejection
from icefloe.philox.stream import Stream

GOLDEN = dict(np.load(Path(__file__).parents[3] / "fixtures" / "random" / "streams.npz"))
DRAW = {
    "RandomUniform": distributions.uniform,
    "RandomStandardNormal": distributions.normal,
    "TruncatedNormal": distributions.truncated_normal,
    "stateless_Uniform": distributions.uniform,
    "stateless_Normal": distributions.normal,
}
LOGITS = np.log(np.array([[1.0, 2, 3, 4], [4, 3, 1e-300, 1], [1, 1, 1, 1]]))
LOGITS[1, 2] = -np.inf
RATES = np.array([0.0, 0.5, 3, 9.5, 10, 12, 40, 1000])
ALPHAS = np.array([0.1, 0.5, 1, 1.5, 10, 1000])
COUNTS = np.array([0, 1, 5, 10, 20, 50, 100, 1000, 30000, 60000, 3], np.float32)
CHANCES = np.array([0.5, 0.3, 0.9, 0.05, 0.5, 0.25, 0.11, 0.7, 0.5, 0.999, 1.0], np.float32)


def named(dtype: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)


def keys(*ops: str) -> list:
    return [pytest.param(*k.split("/"), id=k) for k in GOLDEN if k.split("/")[0] in ops]


def seeds_of(text: str) -> tuple[int, int]:
    first, second = text.split(",")
    return int(first), int(second)


def assert_runs(name: str, stream: Stream, reserve: int, draw) -> None:
    """Hold two runs against the golden: the second starts where the first's reserve ends."""
    want = GOLDEN[name]
    for run in range(2):
        got = draw(stream.reserve(reserve))
        got = got.view(np.uint16) if got.dtype == ml_dtypes.bfloat16 else got
        assert got.dtype == want.dtype
        assert got.tobytes() == want[run].tobytes(), f"run {run}"


@pytest.mark.parametrize(("op", "dtype", "seeds"), keys("RandomUniform", "RandomStandardNormal", "TruncatedNormal"))
def test_stateful_floats(op: str, dtype: str, seeds: str) -> None:
    draw = functools.partial(DRAW[op], count=37, dtype=named(dtype))
    assert_runs(f"{op}/{dtype}/{seeds}", Stream.from_seeds(*seeds_of(seeds)), 37 * 256, draw)


@pytest.mark.parametrize(("op", "dtype", "rest"), [p for p in keys("RandomUniformInt") if len(p.values) == 3])
def test_stateful_integers(op: str, dtype: str, rest: str) -> None:
    low, high = (-5, 17) if dtype == "int32" else (0, 10**12)
    draw = functools.partial(distributions.uniform_int, count=37, low=low, high=high, dtype=named(dtype))
    assert_runs(f"{op}/{dtype}/{rest}", Stream.from_seeds(*seeds_of(rest)), 37 * 256, draw)


@pytest.mark.parametrize(("op", "dtype", "full", "rest"), [p for p in keys("RandomUniformInt") if len(p.values) == 4])
def test_integers_over_a_range_wider_than_int32(op: str, dtype: str, full: str, rest: str) -> None:
    draw = functools.partial(distributions.uniform_int, count=37, low=-(2**31), high=2**31 - 1, dtype=named(dtype))
    assert_runs(f"{op}/{dtype}/{full}/{rest}", Stream.from_seeds(*seeds_of(rest)), 37 * 256, draw)


@pytest.mark.parametrize(("op", "dtype", "seeds"), keys("RandomShuffle"))
def test_shuffle(op: str, dtype: str, seeds: str) -> None:
    draw = functools.partial(discrete.permutation, size=19)
    assert_runs(f"{op}/{dtype}/{seeds}", Stream.from_seeds(*seeds_of(seeds)), 5, draw)


@pytest.mark.parametrize(("op", "dtype", "seeds"), keys("Multinomial"))
def test_multinomial(op: str, dtype: str, seeds: str) -> None:
    draw = functools.partial(discrete.multinomial, logits=LOGITS, samples=9, dtype=named(dtype))
    assert_runs(f"{op}/{dtype}/{seeds}", Stream.from_seeds(*seeds_of(seeds)), 3 * 12 * 2 * 256, draw)


@pytest.mark.parametrize(("op", "dtype", "seeds"), keys("RandomGamma"))
def test_gamma(op: str, dtype: str, seeds: str) -> None:
    draw = functools.partial(rejection.gamma, alpha=ALPHAS, samples=20)
    assert_runs(f"{op}/{dtype}/{seeds}", Stream.from_seeds(*seeds_of(seeds)), 120 * 256, draw)


@pytest.mark.parametrize(("op", "dtype", "seeds"), keys("RandomPoissonV2"))
def test_poisson(op: str, dtype: str, seeds: str) -> None:
    draw = functools.partial(rejection.poisson, rate=RATES, samples=20, largest=1e300)
    assert_runs(f"{op}/{dtype}/{seeds}", Stream.from_seeds(*seeds_of(seeds)), 160 * 256, draw)


@pytest.mark.parametrize(("op", "dtype", "seeds"), keys("stateless_Uniform", "stateless_Normal"))
def test_stateless_floats(op: str, dtype: str, seeds: str) -> None:
    got = DRAW[op](Stream.scrambled(seeds_of(seeds)), 37, named(dtype))
    assert got.tobytes() == GOLDEN[f"{op}/{dtype}/{seeds}"].tobytes()


@pytest.mark.parametrize(("op", "dtype", "seeds"), keys("full_int"))
def test_full_range_integers(op: str, dtype: str, seeds: str) -> None:
    got = distributions.uniform_full_int(Stream.scrambled(seeds_of(seeds)), 37, named(dtype))
    assert got.tobytes() == GOLDEN[f"{op}/{dtype}/{seeds}"].tobytes()


@pytest.mark.parametrize(("op", "seeds"), keys("key_counter"))
def test_scrambled_seeds(op: str, seeds: str) -> None:
    stream = Stream.scrambled(seeds_of(seeds))
    key, low, high = GOLDEN[f"{op}/{seeds}"].tolist()
    assert (stream.key, stream.counter) == (key, low | high << 64)


@pytest.mark.parametrize(("op", "dtype", "seeds"), keys("binomial"))
def test_binomial(op: str, dtype: str, seeds: str) -> None:
    with np.errstate(all="ignore"):
        got = rejection.binomial(Stream.scrambled(seeds_of(seeds)), COUNTS, CHANCES, 20)
    np.testing.assert_array_equal(got, GOLDEN[f"{op}/{dtype}/{seeds}"])


@pytest.mark.parametrize(("op", "what", "seeds"), keys("index_shuffle"))
def test_index_shuffle(op: str, what: str, seeds: str) -> None:
    index, limit = seeds_of(what)
    first, second = seeds_of(seeds)
    key = (first & 0xFFFFFFFF, second & 0xFFFFFFFF, 5)
    assert discrete.index_shuffle(index, key, limit, 4) == int(GOLDEN[f"{op}/{what}/{seeds}"])


@pytest.mark.parametrize(("big", "op", "dtype", "seeds"), keys("big"))
def test_many_elements(big: str, op: str, dtype: str, seeds: str) -> None:
    value = DRAW[op](Stream.from_seeds(*seeds_of(seeds)), 400_003, named(dtype))
    digest = np.frombuffer(hashlib.sha256(value.tobytes()).digest(), np.uint8)
    np.testing.assert_array_equal(digest, GOLDEN[f"{big}/{op}/{dtype}/{seeds}"])


@pytest.mark.parametrize("draw", [distributions.uniform, distributions.normal, distributions.truncated_normal])
def test_no_elements(draw) -> None:
    assert draw(Stream(1), 0, np.dtype(np.float32)).shape == (0,)
