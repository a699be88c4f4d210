"""The newest stay, and one every so many hours."""

from __future__ import annotations

import math

import pytest

from icefloe.saver.retention import Retention


def test_newest_stay():
    kept = Retention(2, 10000, started=0)
    deleted = []
    for i in range(5):
        kept.record(f"m-{i}", float(i))
        deleted += kept.to_delete() or [None]
    assert kept.paths == ["m-3", "m-4"]
    assert deleted == [None, None, "m-0", "m-1", "m-2"]


def test_same_path_moves_to_the_end():
    kept = Retention(3, 10000, started=0)
    for path in ("a", "b", "a"):
        kept.record(path, 0.0)
        assert kept.to_delete() == []
    assert kept.paths == ["b", "a"]


@pytest.mark.parametrize("count", [0, -1])
def test_zero_or_less_keeps_all_and_no_list(count):
    kept = Retention(count, 10000, started=0)
    for path in ("a", "b"):
        kept.record(path, 0.0)
    assert kept.paths == []
    assert kept.to_delete() == []
    assert kept.listed == ["a", "b"]


def test_as_many_as_needed_go_after_a_restart():
    kept = Retention(2, 10000, started=10)
    kept.set((f"m-{i}", float(i)) for i in range(5))
    kept.record("m-5", 11.0)
    assert kept.to_delete() == ["m-0", "m-1", "m-2", "m-3"]
    assert kept.paths == ["m-4", "m-5"]
    assert kept.to_delete() == []


def test_one_every_hour():
    kept = Retention(1, 1, started=0)
    deleted = []
    for i, minute in enumerate((30, 61, 90, 119, 125, 170, 181, 200)):
        kept.record(f"m-{i}", minute * 60.0)
        deleted += kept.to_delete() or [None]
    # The first written after 60, 120 and 180 minutes stay; what falls out is decided one save later.
    assert deleted == [None, "m-0", None, "m-2", "m-3", None, "m-5", None]


def kept_of(hours, minutes):
    """Return the minutes at which what is kept for good was written, of one checkpoint a time."""
    kept = Retention(1, hours, started=0)
    gone = set()
    for minute in minutes:
        kept.record(str(minute), minute * 60.0)
        gone.update(kept.to_delete())
    return [minute for minute in minutes if str(minute) not in gone]


def test_a_pause_is_not_made_up_for():
    assert kept_of(1, [61, 610, 611, 612, 613, 661, 662]) == [61, 610, 661, 662]


def test_a_clock_that_is_set_back():
    assert kept_of(1, [100061, 101, 120, 161, 162, 163, 221, 222]) == [100061, 161, 221, 222]


def test_set_without_times_keeps_what_was_there_before():
    kept = Retention(1, 1, started=0)
    kept.set([("old", math.inf)])
    kept.record("new", 5.0)
    assert kept.to_delete() == []


def test_all_are_listed_once_whatever_the_spelling():
    kept = Retention(0, 1, started=0)
    kept.record("d/m-1", 1.0)
    kept.know(["./d/m-0", "d/../d/m-1"])
    assert kept.listed == ["./d/m-0", "d/m-1"]
    kept.record("d/./m-0", 2.0)
    assert kept.listed == ["d/m-1", "d/./m-0"]
    assert kept.to_delete() == []
