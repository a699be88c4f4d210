"""Transformations that pick or line up elements without a look at them: take, skip, shard, repeat, concatenate, zip."""

from __future__ import annotations

from icefloe import errors
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


class Take(OneInput):
    """The first `count` elements; all where it is negative."""

    kind = "Take"

    def __init__(self, source: Dataset, count: int) -> None:
        super().__init__(source)
        self.count = count

    def iterator(self, context: Context) -> Iterator:
        return _TakeIterator(self.source.iterator(context) if self.count else None, self.count)

    def cardinality(self, context: Context | None = None) -> int:
        size = self.source.cardinality(context)
        if self.count < 0 or size == UNKNOWN:
            return size
        return self.count if size == INFINITE else min(size, self.count)

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        return self.source.get(index, context)

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()


class _TakeIterator(Ending):
    numbers = ("taken",)

    def __init__(self, source: Iterator | None, count: int) -> None:
        super().__init__(source)
        self._count = count
        self.taken = 0

    def next(self) -> Element | None:
        if self.source is None:
            return None
        if self._count < 0 or self.taken < self._count:
            element = self.source.next()
            if element is not None:
                self.taken += 1
                return element
        self.source = None
        return None


class Skip(OneInput):
    """All but the first `count` elements; none where it is negative."""

    kind = "Skip"

    def __init__(self, source: Dataset, count: int) -> None:
        super().__init__(source)
        self.count = count

    def iterator(self, context: Context) -> Iterator:
        return _SkipIterator(self.source.iterator(context) if self.count >= 0 else None, self.count, context)

    def cardinality(self, context: Context | None = None) -> int:
        size = self.source.cardinality(context)
        if self.count < 0:
            return 0
        return size if size < 0 else max(size - self.count, 0)

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        return self.source.get(index + self.count, context)

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()


class _SkipIterator(Ending):
    numbers = ("left",)

    def __init__(self, source: Iterator | None, count: int, context: Context) -> None:
        super().__init__(source)
        self.left = count
        self._context = context

    def next(self) -> Element | None:
        if self.source is None:
            return None
        while self.left:
            if self.source.next() is None:
                self.source = None
                return None
            self.left -= 1
            self._context.check()
        element = self.source.next()
        if element is None:
            self.source = None
        return element


class Shard(OneInput):
    """Every `shards`th element, from `index` on.

    require_non_empty: no element at all is an error.

    Raises: InvalidArgumentError if there is no such shard.
    """

    kind = "Shard"

    def __init__(self, source: Dataset, shards: int, index: int, require_non_empty: bool) -> None:
        if shards <= 0:
            raise errors.InvalidArgumentError(
                f"Number of shards must be greater than zero (currently num_shards = {shards})."
            )
        if not 0 <= index < shards:
            raise errors.InvalidArgumentError(f"Index must be between 0 and {shards - 1} (currently index = {index}).")
        super().__init__(source)
        self.shards = shards
        self.index = index
        self.require_non_empty = require_non_empty

    def iterator(self, context: Context) -> Iterator:
        return _ShardIterator(self, context)

    def cardinality(self, context: Context | None = None) -> int:
        size = self.source.cardinality(context)
        return size if size < 0 else size // self.shards + (self.index < size % self.shards)

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        return self.source.get(self.index + self.shards * index, context)

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()


class _ShardIterator(Ending):
    numbers = ("seen",)

    def __init__(self, dataset: Shard, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._dataset = dataset
        self._context = context
        self.seen = 0

    def next(self) -> Element | None:
        shards, index = self._dataset.shards, self._dataset.index
        while self.source is not None:
            element = self.source.next()
            if element is None:
                self.source = None
                if self._dataset.require_non_empty and self.seen < shards:
                    raise errors.InvalidArgumentError(
                        f"Could not apply FILE based sharding: the dataset only has {self.seen} file(s), which is not "
                        f"enough for the required {shards} shards/workers."
                    )
                return None
            self.seen += 1
            if (self.seen - 1) % shards == index:
                return element
            self._context.check()
        return None


class Repeat(OneInput):
    """The elements `count` times over; without end where it is negative, unless there are none."""

    kind = "Repeat"

    def __init__(self, source: Dataset, count: int) -> None:
        super().__init__(source)
        self.count = count

    def iterator(self, context: Context) -> Iterator:
        return _RepeatIterator(self.source, self.count, context)

    def cardinality(self, context: Context | None = None) -> int:
        size = self.source.cardinality(context)
        if self.count < 0:
            return INFINITE if size else 0
        if self.count == 0:
            return 0
        return size if size < 0 else size * self.count

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        return self.source.get(index % self.source.cardinality(context), context)

    def indexing_problem(self) -> str | None:
        found = self.source.indexing_problem()
        if found is None and self.count <= 0:
            return f"FAILED_PRECONDITION: `repeat({self.count})` does not support random access of tf.data datasets."
        return found


class _RepeatIterator(Ending):
    numbers = ("turn", "is_new")

    def __init__(self, dataset: Dataset, count: int, context: Context) -> None:
        super().__init__(dataset.iterator(context) if count else None)
        self._dataset = dataset
        self._count = count
        self._context = context
        self.turn = 0
        self.is_new = 1

    def next(self) -> Element | None:
        while self.source is not None:
            element = self.source.next()
            if element is not None:
                self.is_new = 0
                return element
            self.turn += 1
            if self.turn == self._count or (self._count < 0 and self.is_new):
                self.source = None
                return None
            self._context.check()
            self.source = self._dataset.iterator(self._context)
            self.is_new = 1
        return None


class Concatenate(Dataset):
    """The elements of one dataset, then those of the other.

    Raises: InvalidArgumentError if their dtypes differ.
    """

    kind = "Concatenate"

    def __init__(self, first: Dataset, second: Dataset, spec: Spec) -> None:
        if first.spec.dtypes != second.spec.dtypes:
            names = [", ".join(d.name for d in dataset.spec.dtypes) for dataset in (first, second)]
            raise errors.InvalidArgumentError(
                f"input dataset and dataset to concatenate have different output_types {names[0]} and {names[1]}"
            )
        # Many put together one by one are one sequence of datasets, not a nest as deep as they are many.
        super().__init__(spec, *(first.inputs if isinstance(first, Concatenate) else (first,)), second)

    def iterator(self, context: Context) -> Iterator:
        return _ConcatenateIterator(self.inputs, context)

    def cardinality(self, context: Context | None = None) -> int:
        sizes = [dataset.cardinality(context) for dataset in self.inputs]
        if INFINITE in sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in sizes else sum(sizes)

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        for dataset in self.inputs:
            size = dataset.cardinality(context)
            if index < size:
                return dataset.get(index, context)
            index -= size
        raise errors.OutOfRangeError(f"Index out of range: {index}")

    def indexing_problem(self) -> str | None:
        return next((p for p in (dataset.indexing_problem() for dataset in self.inputs) if p), None)


class _ConcatenateIterator(Ending):
    def __init__(self, datasets: tuple[Dataset, ...], context: Context) -> None:
        super().__init__(datasets[0].iterator(context))
        self._datasets = datasets
        self._context = context
        self._at = 0

    def next(self) -> Element | None:
        while self.source is not None:
            element = self.source.next()
            if element is not None:
                return element
            self._move(self._at + 1)
        return None

    def _move(self, at: int) -> None:
        self._at = at
        self.source = self._datasets[at].iterator(self._context) if at < len(self._datasets) else None

    def save(self) -> State:
        return {"at": self._at, **super().save()}

    def restore(self, state: State) -> None:
        if state["at"]:
            self._move(int(state["at"]))
        super().restore(state)


class Zip(Dataset):
    """Elements of several datasets side by side, as long as all have one."""

    kind = "Zip"

    def __init__(self, *datasets: Dataset) -> None:
        dtypes = tuple([d for dataset in datasets for d in dataset.spec.dtypes])
        shapes = tuple([s for dataset in datasets for s in dataset.spec.shapes])
        super().__init__(Spec(dtypes, shapes), *datasets)

    def iterator(self, context: Context) -> Iterator:
        return _ZipIterator([dataset.iterator(context) for dataset in self.inputs])

    def cardinality(self, context: Context | None = None) -> int:
        sizes = [dataset.cardinality(context) for dataset in self.inputs]
        if UNKNOWN in sizes:
            return UNKNOWN
        return min([size for size in sizes if size != INFINITE], default=INFINITE)

    def get(self, index: int, context: Context) -> Element:
        self.check_index(index, context)
        return tuple([c for dataset in self.inputs for c in dataset.get(index, context)])

    def indexing_problem(self) -> str | None:
        return next((p for p in (dataset.indexing_problem() for dataset in self.inputs) if p), None)


class _ZipIterator(Iterator):
    def __init__(self, sources: list[Iterator]) -> None:
        self._sources: list[Iterator] | None = sources

    def next(self) -> Element | None:
        if self._sources is None:
            return None
        parts: list[object] = []
        failed: errors.OpError | None = None
        for source in self._sources:
            # After an error the others move on all the same, so that they stay side by side.
            try:
                element = source.next()
            except errors.OpError as error:
                failed = failed or error
                continue
            if element is None:
                self._sources = None
                break
            parts.extend(element)
        if failed is not None:
            raise failed
        return None if self._sources is None else tuple(parts)

    def save(self) -> State:
        return {"inputs": None if self._sources is None else [source.save() for source in self._sources]}

    def restore(self, state: State) -> None:
        if state["inputs"] is None:
            self._sources = None
        elif self._sources is not None:
            for source, saved in zip(self._sources, state["inputs"], strict=True):
                source.restore(saved)
