"""The examples of docs/scripts.md run."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scripts.md"


def test_python_examples() -> None:
    result, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried >= 4
    assert result == 0


@pytest.mark.parametrize("line", re.findall(r"^\$ (.*)$", PAGE.read_text(), re.M))
def test_shell_examples(line: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", line], cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_line_about_a_missing_name_is_what_is_said(tmp_path: Path) -> None:
    (wanted,) = re.findall(r"^    (icefloe: train\.py.*)$", PAGE.read_text(), re.M)
    script = tmp_path / "train.py"
    script.write_text("import tensorflow as tf\n" + "\n" * 10 + "tf.contrib.layers.xavier_initializer()\n")
    command = [sys.executable, "-m", "icefloe.exec", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stderr == wanted + "\n"
