"""Elements kept in memory after the first time they were made."""

from __future__ import annotations

from icefloe import errors
from icefloe.resources.datasets.base import Context, Dataset, Element, Ending, Iterator, OneInput, Spec, State


class MemoryCache:
    """The elements of a dataset, once all have been made. elements: None until then."""

    def __init__(self) -> None:
        self.elements: list[Element] | None = None


class Cache(OneInput):
    """The elements of the input, which is iterated once only: its elements are kept in `cache`."""

    kind = "Cache"

    def __init__(self, source: Dataset, cache: MemoryCache, spec: Spec) -> None:
        super().__init__(source, spec)
        self.cache = cache

    def iterator(self, context: Context) -> Iterator:
        return _CacheIterator(self, context)

    def get(self, index: int, context: Context) -> Element:
        """Return the element at `index`; the input is iterated as far as that."""
        elements, source = context.memo(self, lambda: (list[Element](), self.source.iterator(context)))
        while 0 <= len(elements) <= index:
            element = source.next()
            if element is None:
                break
            elements.append(element)
            context.check()
        if not 0 <= index < len(elements):
            raise errors.OutOfRangeError(f"Index out of range [0, {len(elements)}):{index}")
        return elements[index]

    def indexing_problem(self) -> str | None:
        return self.source.indexing_problem()


class _CacheIterator(Ending):
    """Reads the cache if that is complete; else draws from the input and completes it at the end."""

    numbers = ("at",)

    def __init__(self, dataset: Cache, context: Context) -> None:
        self._cache = dataset.cache
        self._read = dataset.cache.elements
        super().__init__(dataset.source.iterator(context) if self._read is None else None)
        self._made: list[Element] = []
        self.at = 0

    def next(self) -> Element | None:
        if self.source is not None:
            element = self.source.next()
            if element is not None:
                self._made.append(element)
                self.at += 1
                return element
            self.source = None
            if self._cache.elements is None:
                self._cache.elements = self._made
            self._read = self._made
            self.at = len(self._made)
            return None
        assert self._read is not None
        if self.at >= len(self._read):
            return None
        self.at += 1
        return self._read[self.at - 1]

    def save(self) -> State:
        elements = self._cache.elements
        return {
            "cache": None if elements is None else list(elements),
            "made": list(self._made if self.source is not None else self._read or ()),
            **super().save(),
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        self._made = [tuple(e) for e in state["made"]]
        if state["cache"] is not None:
            self._cache.elements = [tuple(e) for e in state["cache"]]
        self._read = self._made if self.source is None else None
