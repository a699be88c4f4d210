"""`PersistentVector`: a sequence whose changes leave the old sequence as it was, at the cost of a few small tuples.

A tensor list is a value: setting an item gives a new list, and the old one may still be read. Counting references would
tell when it is not, but a run's slots, the arguments of a loop and the stack hold lists longer than they are needed.
So a list is a tree of tuples of up to 32: setting, appending or dropping an item copies the path to it, which is six
tuples for a billion items, and shares all else. A loop that fills n items takes time n log n, whoever else holds them.

Items that were never set are None; whole stretches of them are one shared node, so that reserving costs nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

_BITS = 5
_WIDTH = 1 << _BITS
_MASK = _WIDTH - 1

Node: TypeAlias = tuple[Any, ...]

# A full node without items for each height.
_VOID: list[Node] = [(None,) * _WIDTH]


def _void(size: int, shift: int) -> Node:
    """Return a node of `size` items that are None, whose children hold 2**shift items each."""
    while len(_VOID) <= shift // _BITS:
        _VOID.append((_VOID[-1],) * _WIDTH)
    if not shift:
        return _VOID[0][:size]
    full, rest = divmod(size, 1 << shift)
    node = _VOID[shift // _BITS][:full]
    return (*node, _void(rest, shift - _BITS)) if rest else node


def _put(node: Node, index: int, value: Any, shift: int) -> Node:
    """Return `node` with an item set, or appended where `index` is one past the last."""
    at = index >> shift
    if shift:
        child = node[at] if at < len(node) else ()
        value = _put(child, index & ((1 << shift) - 1), value, shift - _BITS)
    return (*node[:at], value, *node[at + 1 :])


def _resized(node: Node, size: int, wanted: int, shift: int) -> Node:
    """Return a node of `size` items, which may be 0, cut or continued to `wanted` items, at least 1."""
    if not shift:
        return node[:wanted] + (None,) * (wanted - size)
    span = 1 << shift
    children = list(node[: -(-wanted // span)])
    if children:
        last = len(children) - 1
        has, gets = (min(span, n - last * span) for n in (size, wanted))
        if has != gets:
            children[last] = _resized(children[last], has, gets, shift - _BITS)
    done = len(children) * span
    if done < wanted:
        full, rest = divmod(wanted - done, span)
        children.extend(_void(span, shift - _BITS) for _ in range(full))
        if rest:
            children.append(_void(rest, shift - _BITS))
    return tuple(children)


def _is_void(node: Node, shift: int) -> bool:
    """Return whether a node whose children hold 2**shift items each is the shared one without items."""
    height = shift // _BITS
    return height < len(_VOID) and node is _VOID[height]


def _mapped(node: Node, function: Callable[[Any], Any], shift: int) -> Node:
    if not shift:
        return tuple([None if item is None else function(item) for item in node])
    below = shift - _BITS
    return tuple([child if _is_void(child, below) else _mapped(child, function, below) for child in node])


def _combined(a: Node, b: Node, function: Callable[[Any, Any], Any], shift: int) -> Node:
    if _is_void(a, shift):
        return b
    if _is_void(b, shift):
        return a
    if not shift:
        return tuple([y if x is None else x if y is None else function(x, y) for x, y in zip(a, b)])
    return tuple([_combined(x, y, function, shift - _BITS) for x, y in zip(a, b)])


class PersistentVector:
    """An immutable sequence; items are None where they were not set."""

    __slots__ = ("_root", "_shift", "_size")

    def __init__(self, items: Iterable[Any] = ()) -> None:
        level: list[Any] = list(items)
        self._size = len(level)
        self._shift = -_BITS
        while self._shift < 0 or len(level) > 1:
            level = [tuple(level[i : i + _WIDTH]) for i in range(0, len(level), _WIDTH)] or [()]
            self._shift += _BITS
        self._root: Node = level[0]

    @classmethod
    def _make(cls, root: Node, shift: int, size: int) -> PersistentVector:
        made = cls.__new__(cls)
        made._root, made._shift, made._size = root, shift, size
        return made

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> Any:
        """Return the item at `index`, which may not be negative. Raises: IndexError past the end."""
        if not 0 <= index < self._size:
            raise IndexError(f"index {index} is not in [0, {self._size})")
        node, shift = self._root, self._shift
        while shift:
            node = node[index >> shift & _MASK]
            shift -= _BITS
        return node[index & _MASK]

    def __iter__(self) -> Iterator[Any]:
        level: Iterable[Any] = self._root
        for _ in range(self._shift // _BITS):
            level = itertools.chain.from_iterable(level)
        return iter(level)

    def present(self) -> Iterator[Any]:
        """Yield the items that are not None, without a look at shared stretches of them."""
        pending: list[tuple[Node, int]] = [(self._root, self._shift)]
        while pending:
            node, shift = pending.pop()
            if not shift:
                yield from (item for item in node if item is not None)
                continue
            below = shift - _BITS
            pending.extend((child, below) for child in reversed(node) if not _is_void(child, below))

    def set(self, index: int, value: Any) -> PersistentVector:
        """Return this sequence with `value` at `index`, which may not be negative. Raises: IndexError past the end."""
        if not 0 <= index < self._size:
            raise IndexError(f"index {index} is not in [0, {self._size})")
        return self._make(_put(self._root, index, value, self._shift), self._shift, self._size)

    def append(self, value: Any) -> PersistentVector:
        """Return this sequence with `value` behind it."""
        root, shift = self._root, self._shift
        if self._size == _WIDTH << shift:
            root, shift = (root,), shift + _BITS
        return self._make(_put(root, self._size, value, shift), shift, self._size + 1)

    def resize(self, size: int) -> PersistentVector:
        """Return the first `size` items, with None behind them where there are fewer."""
        if not size:
            return PersistentVector()
        root, shift = self._root, self._shift
        while size > _WIDTH << shift:
            root, shift = (root,) if self._size else (), shift + _BITS
        root = _resized(root, self._size, size, shift)
        while shift and len(root) == 1:
            root, shift = root[0], shift - _BITS
        return self._make(root, shift, size)

    def mapped(self, function: Callable[[Any], Any]) -> PersistentVector:
        """Return what `function` gives for each item; what is None stays None."""
        return self._make(_mapped(self._root, function, self._shift), self._shift, self._size)

    def combined(self, other: PersistentVector, function: Callable[[Any, Any], Any]) -> PersistentVector:
        """Return what `function` gives for each two items of vectors of one length; where one is None, the other."""
        return self._make(_combined(self._root, other._root, function, self._shift), self._shift, self._size)
