"""Philox itself and moving about in its output."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from icefloe import errors
from icefloe.philox import exactmath, rejection, substreams
from icefloe.philox.stream import Stream, blocks

# The known answers of the reference implementation (Random123's kat_vectors): counter, key, result.
KNOWN = [
    (0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((1 << 128) - 1, (1 << 64) - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        0x243F6A88 | 0x85A308D3 << 32 | 0x13198A2E << 64 | 0x03707344 << 96,
        0xA4093822 | 0x299F31D0 << 32,
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_known_answers(counter: int, key: int, words: tuple[int, ...]) -> None:
    assert tuple(blocks(key, counter, np.zeros(1, np.uint64))[:, 0].tolist()) == words


@pytest.mark.parametrize("counter", [0, 2**64 - 2, 2**128 - 2])
def test_blocks_follow_the_counter_across_a_carry(counter: int) -> None:
    together = Stream(3, counter).blocks(np.arange(4, dtype=np.uint64))
    apart = [Stream(3, counter).skip(i).blocks(np.zeros(1, np.uint64))[:, 0] for i in range(4)]
    np.testing.assert_array_equal(together.T, apart)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 40_000])
def test_words_are_the_blocks_in_order(count: int) -> None:
    stream = Stream(9, 77)
    every = stream.blocks(np.arange(-(-count // 4), dtype=np.uint64)).T.reshape(-1)
    np.testing.assert_array_equal(stream.words(count), every[:count])


def test_reserve_hands_out_positions_once() -> None:
    stream = Stream(1, 2**64 - 5)
    with ThreadPoolExecutor(8) as pool:
        taken = [s.counter for s in pool.map(lambda _: stream.reserve(3), range(200))]
    assert sorted(taken) == [2**64 - 5 + 3 * i for i in range(200)]
    assert stream.counter == 2**64 - 5 + 600


def test_seeds_are_twos_complement() -> None:
    stream = Stream.from_seeds(-1, -2)
    assert (stream.key, stream.counter) == (2**64 - 1, (2**64 - 2) << 64)


def test_no_seeds_differ_from_call_to_call() -> None:
    first, second = Stream.from_seeds(0, 0), Stream.from_seeds(0, 0)
    assert (first.key, first.counter) != (second.key, second.counter)


def test_float_functions_are_those_of_the_c_library() -> None:
    """Against double precision rounded once.

    At most the last bit differs, and it does for some arguments as the C library's does.
    """
    x = (np.arange(1, 2**23, 997, dtype=np.float32) * np.float32(2**-23)).astype(np.float32)
    log = exactmath.logf(x)
    np.testing.assert_array_max_ulp(log, np.log(x.astype(np.float64)).astype(np.float32), 1)
    angle = (x.astype(np.float64) * 2 * np.pi).astype(np.float32)
    sin, cos = exactmath.sincosf(angle)
    np.testing.assert_allclose(sin, np.sin(angle.astype(np.float64)), rtol=0, atol=6e-8)
    np.testing.assert_allclose(cos, np.cos(angle.astype(np.float64)), rtol=0, atol=6e-8)


@pytest.mark.parametrize("x", [0.0, 1e-30, 2.0**-13, 0.785, 0.786, 1.5707963, 3.1415927, 4.712389, 6.2831855, 100.0])
def test_sincosf_at_the_seams(x: float) -> None:
    sin, cos = exactmath.sincosf(np.array([x], np.float32))
    y = float(np.float32(x))
    assert sin[0] == pytest.approx(np.sin(y), rel=1e-6, abs=1e-9)
    assert cos[0] == pytest.approx(np.cos(y), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("draw", ["gamma", "poisson"])
def test_a_parameter_that_fits_no_number_is_an_error(draw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(substreams, "MAX_ROUNDS", 50)
    bad = np.array([np.nan])
    with pytest.raises(errors.InvalidArgumentError, match="no number"), np.errstate(all="ignore"):
        rejection.gamma(Stream(1), bad, 2) if draw == "gamma" else rejection.poisson(Stream(1), bad, 2, 1e300)
