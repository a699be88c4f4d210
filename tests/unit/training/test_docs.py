"""The examples of docs/training.md run."""

from __future__ import annotations

import doctest
from pathlib import Path

import icefloe as tf

PAGE = Path(__file__).resolve().parents[3] / "docs" / "training.md"


def test_examples() -> None:
    with tf.Graph().as_default():
        result, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    tf.summary.FileWriterCache.clear()
    assert tried >= 15
    assert result == 0


def test_the_tests_named_are_there() -> None:
    import re

    text = PAGE.read_text()
    tests = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    for name in re.findall(r"\b(test_\w+)`", text):
        assert f"def {name}(" in tests, name
