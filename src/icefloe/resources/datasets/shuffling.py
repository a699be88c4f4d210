"""Elements in random order, random elements and random choices.

Source: tensorflow/core/kernels/data/shuffle_dataset_op.cc, experimental/global_shuffle_dataset_op.cc,
experimental/random_dataset_op.cc, experimental/sampling_dataset_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import int64
from icefloe.philox.discrete import index_shuffle
from icefloe.resources.datasets.base import (
    INFINITE,
    UNKNOWN,
    Context,
    Dataset,
    Element,
    Ending,
    Iterator,
    OneInput,
    Spec,
    State,
)
from icefloe.resources.datasets.randomness import SeedGenerator, Words, actual_seeds

_INDEX_ROUNDS = 8


class Shuffle(OneInput):
    """The elements, each drawn at random from the next `buffer_size`.

    buffer_size: positive, or UNKNOWN for all. seeds: gives each iterator its seeds.

    Raises: InvalidArgumentError for another buffer size.
    """

    kind = "Shuffle"

    def __init__(self, source: Dataset, buffer_size: int, seeds: SeedGenerator) -> None:
        if buffer_size <= 0 and buffer_size != UNKNOWN:
            raise errors.InvalidArgumentError("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        super().__init__(source)
        self.buffer_size = buffer_size
        self.seeds = seeds
        self._order: list[int] | None = None

    def iterator(self, context: Context) -> Iterator:
        return _ShuffleIterator(self, context)

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        if self._order is None:
            words = Words(self.seeds.seed, self.seeds.seed2)
            order = list(range(self.cardinality(context)))
            for i in range(len(order)):
                j = i + words.next() % (len(order) - i)
                order[i], order[j] = order[j], order[i]
            self._order = order
        return self.source.get(self._order[index], context)


class _ShuffleIterator(Ending):
    """What was drawn and not given out yet is in `_buffer` at the places from `start` to `end`, which go on and on.

    The first one's element takes the place of the one that is given out, so there is no gap.
    """

    numbers = ("start", "end")

    def __init__(self, dataset: Shuffle, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._context = context
        self._limit = dataset.buffer_size
        self._generator = dataset.seeds
        self._seeds = dataset.seeds.seeds()
        self._generated = dataset.seeds.drawn
        self._words = Words(*self._seeds)
        self._buffer: dict[int, Element] = {}
        self.start = self.end = 0

    def next(self) -> Element | None:
        self._fill()
        count = self.end - self.start
        if not count:
            return None
        chosen = self.start + self._words.next() % count
        buffer = self._buffer
        element = buffer[chosen]
        if chosen != self.start:
            buffer[chosen] = buffer[self.start]
        del buffer[self.start]
        self.start += 1
        return element

    def _fill(self) -> None:
        while self.source is not None and (self._limit == UNKNOWN or self.end - self.start < self._limit):
            element = self.source.next()
            if element is None:
                self.source = None
                return
            self._buffer[self.end] = element
            self.end += 1
            if not self.end & 0xFF:
                self._context.check()

    def save(self) -> State:
        return {
            "seeds": list(self._seeds),
            "generated": self._generated,
            "drawn": self._words.drawn,
            "buffer": [self._buffer[i] for i in range(self.start, self.end)],
            **super().save(),
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        self._seeds = int(state["seeds"][0]), int(state["seeds"][1])
        self._generated = int(state["generated"])
        self._generator.reset(self._generated)
        self._words = Words(*self._seeds, drawn=int(state["drawn"]))
        elements = [tuple(e) for e in state["buffer"]]
        if len(elements) != self.end - self.start:
            raise ValueError("the saved buffer has another size")
        self._buffer = dict(enumerate(elements, self.start))


class GlobalShuffle(OneInput):
    """The elements in random order, taken by their index. seeds: gives each iterator its seeds.

    Raises: FailedPreconditionError if the input has no random access; InvalidArgumentError if its length is not known
    or 0.
    """

    kind = "GlobalShuffle"

    def __init__(self, source: Dataset, seeds: SeedGenerator) -> None:
        problem = source.indexing_problem()
        if problem is not None:
            raise errors.FailedPreconditionError(
                "`global_shuffle` requires all upstream transformations be compatible with random access. Got: "
                f"{problem}"
            )
        size = source.cardinality(Context())
        if size <= 0:
            raise errors.InvalidArgumentError(
                "`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got cardinality "
                f"{size} for dataset {source!r}"
            )
        super().__init__(source)
        self.size = size
        self.seeds = seeds

    def cardinality(self, context: Context | None = None) -> int:
        return self.size

    def iterator(self, context: Context) -> Iterator:
        return _GlobalShuffleIterator(self, context)

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        key = context.memo(self, self.key)
        return self.source.get(self.place(index, key), context)

    def indexing_problem(self) -> str | None:
        return None

    def key(self) -> tuple[int, int, int]:
        """Return the key of a new order."""
        (first, second), (third, _) = self.seeds.seeds(), self.seeds.seeds()
        return first & 0xFFFFFFFF, second & 0xFFFFFFFF, third & 0xFFFFFFFF

    def place(self, index: int, key: tuple[int, int, int]) -> int:
        """Return which element comes at `index`."""
        return index_shuffle(index, key, self.size - 1, _INDEX_ROUNDS)


class _GlobalShuffleIterator(Iterator):
    def __init__(self, dataset: GlobalShuffle, context: Context) -> None:
        self._dataset = dataset
        self._context = context
        self._size = dataset.size
        self._key = dataset.key()
        self._generated = dataset.seeds.drawn
        self._position = 0

    def next(self) -> Element | None:
        if self._position >= self._size:
            return None
        self._position += 1
        return self._dataset.source.get(self._dataset.place(self._position - 1, self._key), self._context)

    def save(self) -> State:
        return {"next": self._position, "key": list(self._key), "generated": self._generated}

    def restore(self, state: State) -> None:
        self._position = int(state["next"])
        first, second, third = state["key"]
        self._key = int(first), int(second), int(third)
        self._generated = int(state["generated"])
        self._dataset.seeds.reset(self._generated)


class Random(Dataset):
    """Random numbers of 32 bits, without end. seeds: gives each iterator its seeds."""

    kind = "Random"

    def __init__(self, seeds: SeedGenerator) -> None:
        super().__init__(Spec((int64,), ((),)))
        self.seeds = seeds

    def iterator(self, context: Context) -> Iterator:
        return _RandomIterator(self)

    def cardinality(self, context: Context | None = None) -> int:
        return INFINITE

    def get(self, index: int, context: Context) -> Element:
        words = context.memo(self, lambda: Words(*self.seeds.seeds()))
        words.drawn = index
        return (np.int64(words.next()),)


class _RandomIterator(Iterator):
    def __init__(self, dataset: Random) -> None:
        self._dataset = dataset
        self._seeds = dataset.seeds.seeds()
        self._generated = dataset.seeds.drawn
        self._words = Words(*self._seeds)

    def next(self) -> Element | None:
        return (np.int64(self._words.next()),)

    def save(self) -> State:
        return {"seeds": list(self._seeds), "generated": self._generated, "drawn": self._words.drawn}

    def restore(self, state: State) -> None:
        self._seeds = int(state["seeds"][0]), int(state["seeds"][1])
        self._generated = int(state["generated"])
        self._dataset.seeds.reset(self._generated)
        self._words = Words(*self._seeds, drawn=int(state["drawn"]))


class Sampling(OneInput):
    """Each element with probability `rate`."""

    kind = "Sampling"

    def __init__(self, source: Dataset, rate: Any, seed: int, seed2: int) -> None:
        super().__init__(source)
        self.rate = np.float32(rate)
        self.seeds = actual_seeds(seed, seed2)

    def iterator(self, context: Context) -> Iterator:
        return _SamplingIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        return UNKNOWN


class _SamplingIterator(Ending):
    def __init__(self, dataset: Sampling, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._rate = dataset.rate
        self._seeds = dataset.seeds
        self._words = Words(*dataset.seeds)
        self._context = context

    def next(self) -> Element | None:
        while self.source is not None:
            element = self.source.next()
            if element is None:
                self.source = None
                return None
            if np.float32((self._words.next() & 0x7FFFFF) * 2.0**-23) <= self._rate:
                return element
            self._context.check()
        return None

    def save(self) -> State:
        return {"seeds": list(self._seeds), "drawn": self._words.drawn, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._seeds = int(state["seeds"][0]), int(state["seeds"][1])
        self._words = Words(*self._seeds, drawn=int(state["drawn"]))
