"""Calls that give plain Python values give what TensorFlow gives."""

from __future__ import annotations

import json

import pytest

import icefloe as tf
from unit.lib import python_calls


@pytest.mark.parametrize("topic", python_calls.topics())
def test_calls_give_tensorflows_values(topic: str) -> None:
    wanted = json.loads((python_calls.GOLDENS / f"calls_{topic}.json").read_text())
    got = python_calls.run(topic, tf)
    assert list(got) == list(wanted)
    for call, value in got.items():
        assert value == wanted[call], call
