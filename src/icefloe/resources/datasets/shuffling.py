"""Elements in random order, random elements and random choices.

Source: tensorflow/core/kernels/data/shuffle_dataset_op.cc, experimental/global_shuffle_dataset_op.cc,
experimental/random_dataset_op.cc, experimental/sampling_dataset_op.cc.
"""

from __future__ import annotations

from collections import deque
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

_MAX_EPOCHS_IN_BUFFER = 3
_INDEX_ROUNDS = 8


class Shuffle(OneInput):
    """The elements, `count` times over, each drawn at random from the next `buffer_size`.

    buffer_size: positive, or UNKNOWN for all. count: -1 for ever. seeds: gives each iterator its seeds.

    Raises: InvalidArgumentError for another buffer size or count.
    """

    kind = "Shuffle"

    def __init__(self, source: Dataset, buffer_size: int, seeds: SeedGenerator, count: int = 1) -> None:
        if buffer_size <= 0 and buffer_size != UNKNOWN:
            raise errors.InvalidArgumentError("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        if count <= 0 and count != -1:
            raise errors.InvalidArgumentError("count must be greater than zero or equal to -1.")
        super().__init__(source)
        self.buffer_size = buffer_size
        self.seeds = seeds
        self.count = count
        self._order: list[int] | None = None

    def iterator(self, context: Context) -> Iterator:
        return _ShuffleIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        size = self.source.cardinality(context)
        if self.count == -1:
            return INFINITE if size else 0
        return size if size < 0 else size * self.count

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
    """Elements of one epoch leave the buffer before those of the next; `_epochs` counts what it holds of each."""

    def __init__(self, dataset: Shuffle, context: Context) -> None:
        super().__init__(None)
        self._dataset = dataset
        self._context = context
        self._seeds = dataset.seeds.seeds()
        self._generated = dataset.seeds.drawn
        self._words = Words(*self._seeds)
        self._epoch = 0
        self._epochs: deque[list[int]] = deque()
        self._slots: dict[int, Element] = {}
        self._has_drawn = False

    def next(self) -> Element | None:
        if not self._fill():
            return None
        while self._epochs[0][0] == self._epochs[0][1]:
            self._epochs.popleft()
        start, end = self._epochs[0]
        # The buffer's places go on and on: taking the first one's element to the chosen place leaves no gap.
        chosen = start + self._words.next() % (end - start)
        element = self._slots[chosen]
        if chosen != start:
            self._slots[chosen] = self._slots[start]
        del self._slots[start]
        self._epochs[0][0] += 1
        return element

    def _fill(self) -> bool:
        """Draw elements until the buffer is full; return whether there are any."""
        slots, limit = self._slots, self._dataset.buffer_size
        while limit == UNKNOWN or len(slots) < limit:
            if len(self._epochs) > _MAX_EPOCHS_IN_BUFFER and slots:
                break
            if self.source is None and not self._begin_epoch():
                break
            assert self.source is not None
            element = self.source.next()
            if element is not None:
                last = self._epochs[-1]
                slots[last[1]] = element
                last[1] += 1
                self._has_drawn = True
                if not last[1] & 0xFF:
                    self._context.check()
                continue
            self.source = None
            if not self._has_drawn and self._dataset.count == -1:
                break  # an empty input would be drawn from for ever
            self._context.check()
        return bool(slots)

    def _begin_epoch(self) -> bool:
        """Start on the input anew; return whether there is an epoch left."""
        if self._dataset.count != -1 and self._epoch >= self._dataset.count:
            return False
        end = self._epochs[-1][1] if self._epochs else 0
        self._epochs.append([end, end])
        self.source = self._dataset.source.iterator(self._context)
        self._epoch += 1
        return True

    def save(self) -> State:
        return {
            "seeds": list(self._seeds),
            "generated": self._generated,
            "drawn": self._words.drawn,
            "epoch": self._epoch,
            "has_drawn": self._has_drawn,
            "epochs": [list(e) for e in self._epochs],
            "buffer": [[place, element] for place, element in self._slots.items()],
            **super().save(),
        }

    def restore(self, state: State) -> None:
        self._seeds = int(state["seeds"][0]), int(state["seeds"][1])
        self._generated = int(state["generated"])
        self._dataset.seeds.reset(self._generated)
        self._words = Words(*self._seeds, drawn=int(state["drawn"]))
        self._epoch = int(state["epoch"])
        self._has_drawn = bool(state["has_drawn"])
        self._epochs = deque([[int(a), int(b)] for a, b in state["epochs"]])
        self._slots = {int(place): tuple(element) for place, element in state["buffer"]}
        if state["input"] is not None:
            self.source = self._dataset.source.iterator(self._context)
        super().restore(state)


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
