"""The steps of docs/quickstart.md work, in their order."""

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
PAGE = ROOT / "docs" / "quickstart.md"
TEXT = PAGE.read_text()
PLACE = "/tmp/quickstart"


def test_all_steps_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    text = TEXT.replace(PLACE, str(tmp_path))
    examples = doctest.DocTestParser().get_doctest(text, {}, "quickstart", str(PAGE), 0)
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples)
    assert result.attempted >= 15 and result.failed == 0
    lines = re.findall(r"^\$ (icefloe .*)$", text, re.M)
    assert len(lines) >= 10
    for line in lines:
        command = [str(Path(sys.executable).parent / "icefloe"), *shlex.split(line)[1:]]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, env={**os.environ})
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout or done.stderr
    assert (tmp_path / "frozen.pb").is_file()


def test_links_lead_somewhere() -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]+)(?:#([^)]+))?\)", TEXT):
        page = PAGE.parent / target
        assert page.is_file(), target
        titles = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
        assert not anchor or anchor in [title.lower().replace(" ", "-") for title in titles]


def test_messages_of_the_table_are_the_library_s() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "src" / "icefloe").rglob("*.py"))
    for message in ("uninitialized value", "You must feed a value for placeholder", "Restoring from checkpoint failed"):
        assert message in TEXT and message in sources
