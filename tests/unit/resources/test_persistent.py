"""PersistentVector against plain lists: every version keeps its items; stretches without items cost nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest

from icefloe.resources import persistent
from icefloe.resources.persistent import PersistentVector

SIZES = [0, 1, 2, 31, 32, 33, 63, 64, 1023, 1024, 1025, 1056, 32768, 32769, 40000]
HUGE = 2**31 - 1


def nodes(vector: PersistentVector) -> int:
    """Return how many different tuples a vector consists of."""
    seen: set[int] = set()
    pending: list[Any] = [vector._root]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple) and id(node) not in seen:
            seen.add(id(node))
            pending.extend(node)
    return len(seen)


@pytest.mark.parametrize("size", SIZES)
def test_holds_the_items_it_is_made_of(size: int) -> None:
    vector = PersistentVector(range(size))
    assert len(vector) == size
    assert list(vector) == list(range(size))
    assert [vector[i] for i in range(0, size, 7)] == list(range(0, size, 7))
    assert list(vector.present()) == list(range(size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("wanted", SIZES)
def test_resize_cuts_and_continues(size: int, wanted: int) -> None:
    vector = PersistentVector(range(size)).resize(wanted)
    assert len(vector) == wanted
    assert list(vector) == [*range(min(size, wanted)), *[None] * (wanted - size)]
    grown = vector.append("new")
    assert len(grown) == wanted + 1
    assert grown[wanted] == "new"
    assert list(grown)[:wanted] == list(vector)


@pytest.mark.parametrize("seed", range(20))
def test_versions_stay_as_they_were(seed: int) -> None:
    choose = random.Random(seed)
    versions: list[tuple[PersistentVector, list[Any]]] = [(PersistentVector(), [])]
    for step in range(300):
        vector, plain = choose.choice(versions[-5:])
        plain = list(plain)
        what = choose.randrange(4)
        if what == 0 and plain:
            index = choose.randrange(len(plain))
            vector, plain[index] = vector.set(index, step), step
        elif what == 1:
            size = choose.choice([0, 1, len(plain) // 2, len(plain) + choose.randrange(80), choose.randrange(2000)])
            vector, plain = vector.resize(size), plain[:size] + [None] * (size - len(plain))
        else:
            vector = vector.append(step)
            plain.append(step)
        versions.append((vector, plain))
    for vector, plain in versions:
        assert list(vector) == plain
        assert list(vector.present()) == [item for item in plain if item is not None]


@pytest.mark.parametrize("size", SIZES)
def test_mapped_and_combined_leave_what_is_none(size: int) -> None:
    plain = [i if i % 3 else None for i in range(size)]
    other = [i if i % 2 else None for i in range(size)]
    vector = PersistentVector(plain)
    assert list(vector.mapped(str)) == [None if i is None else str(i) for i in plain]
    summed = [b if a is None else a if b is None else a + b for a, b in zip(plain, other)]
    assert list(vector.combined(PersistentVector(other), int.__add__)) == summed
    assert list(vector.combined(PersistentVector().resize(size), int.__add__)) == plain
    assert list(PersistentVector().resize(size).combined(vector, int.__add__)) == plain


@pytest.mark.parametrize("index", [-1, 3, 1000])
def test_refuses_what_is_not_in_it(index: int) -> None:
    vector = PersistentVector("abc")
    with pytest.raises(IndexError):
        vector[index]
    with pytest.raises(IndexError):
        vector.set(index, 0)


def test_room_for_billions_takes_no_memory() -> None:
    vector = PersistentVector().resize(HUGE)
    assert len(vector) == HUGE
    assert vector[HUGE - 1] is None
    changed = vector.set(HUGE - 1, "last").set(12345, "early").append("behind")
    assert (changed[HUGE - 1], changed[12345], changed[HUGE]) == ("last", "early", "behind")
    assert list(changed.present()) == ["early", "last", "behind"]
    assert nodes(changed) < 60
    assert list(changed.resize(12346).present()) == ["early"]
    assert list(changed.mapped(str.upper).present()) == ["EARLY", "LAST", "BEHIND"]
    assert list(changed.combined(changed, str.__add__).present()) == ["earlyearly", "lastlast", "behindbehind"]


def test_a_change_shares_all_but_the_path_to_it() -> None:
    vector = PersistentVector(range(100_000))
    before = {id(child) for child in vector._root}
    changed = vector.set(50_000, "x")
    assert len({id(child) for child in changed._root} - before) == 1
    assert nodes(changed) == nodes(vector)


def test_filling_makes_few_tuples_for_each_item(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    put = persistent._put

    def counted(*args: Any) -> Any:
        nonlocal count
        count += 1
        return put(*args)

    monkeypatch.setattr(persistent, "_put", counted)
    vector = PersistentVector().resize(5000)
    held = [vector]
    for i in range(5000):
        vector = vector.set(i, i)
        held.append(vector)
    assert count <= 3 * 5000
    assert list(vector) == list(range(5000))
    assert held[100][99] == 99
    assert held[100][100] is None
