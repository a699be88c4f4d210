"""tf.logging: messages go to the logger named `tensorflow`, at the verbosity that was set."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

import icefloe as tf


@pytest.fixture(autouse=True)
def _verbosity() -> Iterator[None]:
    before = tf.logging.get_verbosity()
    yield
    tf.logging.set_verbosity(before)


def test_messages_below_the_verbosity_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    tf.logging.set_verbosity(tf.logging.WARN)
    tf.logging.info("quiet %d", 1)
    tf.logging.warning("loud %d", 2)
    tf.logging.log(tf.logging.ERROR, "louder")
    tf.logging.fatal("loudest")
    assert [(r.name, r.levelname, r.getMessage()) for r in caplog.records] == [
        ("tensorflow", "WARNING", "loud 2"),
        ("tensorflow", "ERROR", "louder"),
        ("tensorflow", "CRITICAL", "loudest"),
    ]
    assert {r.filename for r in caplog.records} == {"test_messages.py"}
    assert tf.logging.get_verbosity() == logging.WARNING


def test_counted_messages_are_counted_by_line(caplog: pytest.LogCaptureFixture) -> None:
    tf.logging.set_verbosity(tf.logging.INFO)
    for i in range(5):
        tf.logging.log_first_n(tf.logging.INFO, "first %d", 2, i)
        tf.logging.log_every_n(tf.logging.INFO, "every %d", 3, i)
        tf.logging.log_if(tf.logging.INFO, "if %d", i == 4, i)
    assert [r.getMessage() for r in caplog.records] == ["first 0", "every 0", "first 1", "every 3", "if 4"]
