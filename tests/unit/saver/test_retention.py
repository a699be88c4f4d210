"""The newest stay, and one every so many hours."""

from __future__ import annotations

import math

from icefloe.saver.retention import Retention


def test_newest_stay():
    kept = Retention(2, 10000, started=0)
    deleted = []
    for i in range(5):
        kept.record(f"m-{i}", float(i))
        deleted.append(kept.next_to_delete())
    assert kept.paths == ["m-3", "m-4"]
    assert deleted == [None, None, "m-0", "m-1", "m-2"]


def test_same_path_moves_to_the_end():
    kept = Retention(3, 10000, started=0)
    for path in ("a", "b", "a"):
        kept.record(path, 0.0)
        assert kept.next_to_delete() is None
    assert kept.paths == ["b", "a"]


def test_zero_keeps_no_list():
    kept = Retention(0, 10000, started=0)
    kept.record("a", 0.0)
    assert kept.paths == []
    assert kept.next_to_delete() is None


def test_one_every_hour():
    kept = Retention(1, 1, started=0)
    deleted = []
    for i, minute in enumerate((30, 61, 90, 119, 125, 170, 181, 200)):
        kept.record(f"m-{i}", minute * 60.0)
        deleted.append(kept.next_to_delete())
    # The first written after 60, 120 and 180 minutes stay; what falls out is decided one save later.
    assert deleted == [None, "m-0", None, "m-2", "m-3", None, "m-5", None]


def test_set_without_times_keeps_what_was_there_before():
    kept = Retention(1, 1, started=0)
    kept.set([("old", math.inf)])
    kept.record("new", 5.0)
    assert kept.next_to_delete() is None
