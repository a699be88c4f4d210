"""Each script of examples/scripts, written for TensorFlow 1, prints under `icefloe exec` what it prints under TensorFlow."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples" / "scripts").glob("*.py"))
EXPECTED = ROOT / "fixtures" / "scripts"
NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")


def run(script: Path, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "icefloe.exec", str(script), *args],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_ten() -> None:
    assert len(SCRIPTS) >= 10
    assert {script.stem for script in SCRIPTS} == {path.stem for path in EXPECTED.glob("*.txt")}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_tensorflow_prints(script: Path) -> None:
    """Numbers may differ in the last digit that is printed, where a sum in another order rounds otherwise."""
    text = script.read_text()
    assert "import tensorflow as tf\n" in text
    assert "icefloe" not in text.partition('"""')[2].partition('"""')[2]
    printed, expected = run(script), (EXPECTED / f"{script.stem}.txt").read_text()
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", expected).split()
    for ours, theirs in zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True):
        digits = len(theirs.partition(".")[2])
        assert abs(float(ours) - float(theirs)) <= 1.5 * 10**-digits, (ours, theirs)


def test_scripts_take_flags() -> None:
    script = ROOT / "examples" / "scripts" / "softmax_regression.py"
    printed = run(script, "--steps=51", "--learning_rate", "0.1")
    assert [line.partition(":")[0] for line in printed.splitlines()[:3]] == ["step 0", "step 50", "accuracy"]
