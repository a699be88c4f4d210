"""The example of restoring in docs/checkpoints.md prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "checkpoints.md"


def test_restoring(tmp_path, capsys):
    section = PAGE.read_text().partition("## Restoring\n")[2].partition("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.S)
    exec(code.replace("/tmp/demo", str(tmp_path)), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"print\(.*\)  # (.*)", code)
