"""Variables that start from a checkpoint, as in TensorFlow: its nodes, values and messages."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import icefloe as tf

spec = importlib.util.spec_from_file_location("warm_start_programs", Path(__file__).parent / "warm_start_programs.py")
assert spec is not None
assert spec.loader is not None
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)

GOLDEN: dict[str, Any] = json.loads(programs.GOLDEN.read_text())


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_a_program_does_what_it_does_on_tensorflow(name: str, tmp_path: Path) -> None:
    told = json.loads(json.dumps(programs.run(tf, name, str(tmp_path))))
    assert told == GOLDEN[name]
