"""Training loops as TensorFlow runs them: the nodes, files, events, values and messages of its own runs."""

from __future__ import annotations

import gzip
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import icefloe as tf
from icefloe.lib import moving_averages

spec = importlib.util.spec_from_file_location("loop_programs", Path(__file__).parent / "loop_programs.py")
assert spec is not None
assert spec.loader is not None
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)

programs.NOT_PUBLIC.append(moving_averages)
GOLDEN: dict[str, Any] = json.loads(gzip.decompress(programs.GOLDEN.read_bytes()))


@pytest.fixture(autouse=True)
def no_open_writers() -> Iterator[None]:
    yield
    tf.summary.FileWriterCache.clear()


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_a_program_does_what_it_does_on_tensorflow(name: str, tmp_path: Path) -> None:
    told = json.loads(json.dumps(programs.run(tf, name, str(tmp_path))))
    assert told == GOLDEN[name]
