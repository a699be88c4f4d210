"""The README's examples run: the Python session as a doctest, the shell lines with exit status 0."""

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
TEXT = (ROOT / "README.md").read_text()


def test_python_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (result, tried) = doctest.testfile(
        str(ROOT / "README.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert tried >= 8
    assert result == 0


SHELL = re.findall(r"^\$ (icefloe .*)$", TEXT, re.M)


@pytest.mark.parametrize("line", SHELL)
def test_shell_examples(line: str) -> None:
    command = [str(Path(sys.executable).parent / "icefloe"), *shlex.split(line)[1:]]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, env={**os.environ, "COLUMNS": "100"}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (ROOT / target).exists(), target


def test_every_page_is_linked() -> None:
    for page in (ROOT / "docs").glob("*.md"):
        assert f"](docs/{page.name})" in TEXT, page.name


def test_there_is_a_shell_example() -> None:
    assert len(SHELL) >= 3
