"""docs/semantics.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
# A file, perhaps without its folder, and a test of it; or a test of the file named last.
NAMED = re.compile(r"`([\w/]*\w+\.py)(?:::(test_\w+))?`|`(test_\w+)`")


def test_every_test_named_is_there() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    last = None
    count = 0
    for line in TEXT.splitlines():
        for file, test, alone in NAMED.findall(line):
            if file:
                found = [path for path in texts if str(path).endswith(f"/{file}")]
                assert found, f"{file} is not there"
                last = found[0]
            name = test or alone
            if name:
                assert last is not None and f"def {name}(" in texts[last], f"{name} is not in {last}"
                count += 1
    assert count > 20
