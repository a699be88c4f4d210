"""Which stored name stands for which missing one, and as few rules as say so."""

from __future__ import annotations

import pytest

from icefloe.checkpoint.editing.rules import Names
from icefloe.saver.likely_renames import as_rules, likely_renames


def test_a_stored_name_stands_for_one_missing_name():
    suggestions = {"net/a": ["a"], "net/b": ["a", "b"], "net/c": ["a"]}
    assert likely_renames(["a", "b"], suggestions) == {"a": "net/a", "b": "net/b"}


def test_a_name_that_is_wanted_itself_is_not_taken():
    assert likely_renames(["b"], {"net/a": ["a", "b"]}) == {"b": "net/a"}
    assert likely_renames([], {"net/a": ["a"]}) == {}


@pytest.mark.parametrize("others", [(), ("kept/old/w", "bold/w")])
def test_rules_make_all_renames_and_change_nothing_else(others):
    renames = {"old/w": "new/w", "old/b": "new/b", "old/c/w": "new/c/w"}
    rules = as_rules(renames, others)
    new_name = Names(rules).of
    assert len(rules) == 1
    assert {old: new_name(old) for old in renames} == renames
    assert [new_name(other) for other in others] == list(others)


def test_no_rules_where_each_would_change_another_name():
    renames = {"old/w": "new/w", "old/b": "new/b", "old/c/w": "new/c/w"}
    assert as_rules(renames, ["old/kept"]) == []
