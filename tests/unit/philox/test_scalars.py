"""Numbers drawn one by one are those of the stream's words."""

from __future__ import annotations

import numpy as np
import pytest

from icefloe.philox import distributions
from icefloe.philox.scalars import Scalars
from icefloe.philox.stream import Stream

STREAM = Stream(5, 77)


def test_words_and_floats() -> None:
    words = STREAM.words(400).tolist()
    scalars = Scalars(STREAM)
    assert [scalars.word() for _ in range(400)] == words
    singles, doubles = Scalars(STREAM), Scalars(STREAM)
    dtypes = np.dtype(np.float32), np.dtype(np.float64)
    np.testing.assert_array_equal([singles.single() for _ in range(9)], distributions.uniform(STREAM, 9, dtypes[0]))
    np.testing.assert_array_equal([doubles.double() for _ in range(9)], distributions.uniform(STREAM, 9, dtypes[1]))


@pytest.mark.parametrize("limit", [1, 2, 3, 10, 2**31 + 1])
def test_below_draws_again_what_would_make_some_likelier(limit: int) -> None:
    words = STREAM.words(400).tolist()
    refused = 2**32 % limit
    kept = [w % limit for w in words if limit & (limit - 1) == 0 or w >= refused]
    scalars = Scalars(STREAM)
    assert [scalars.below(limit) for _ in range(100)] == kept[:100]


def test_below_64_reads_the_low_word_first() -> None:
    first, second = STREAM.words(2).tolist()
    assert Scalars(STREAM).below_64(10**15) == (first | second << 32) % 10**15
