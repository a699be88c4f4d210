"""The examples of docs/graphs.md run."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "graphs.md"
SHELL = re.findall(r"^\$ (icefloe .*)$", PAGE.read_text(), re.M)


def test_python_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert tried >= 15
    assert result == 0


@pytest.mark.parametrize("line", SHELL)
def test_shell_examples(line: str) -> None:
    command = [str(Path(sys.executable).parent / "icefloe"), *shlex.split(line)[1:]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, env={**os.environ})
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_every_command_is_on_the_page() -> None:
    from icefloe_cli.graph import COMMANDS

    table = PAGE.read_text().partition("|---|")[2].partition("\n\n")[0]
    assert COMMANDS.keys() <= set(re.findall(r"`(\w+)`", table))
