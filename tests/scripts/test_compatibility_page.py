"""docs/compatibility.md says of every public name of TensorFlow 1 whether it is there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import icefloe

ROOT = Path(__file__).resolve().parents[2]


def generator():
    spec = importlib.util.spec_from_file_location("compatibility", ROOT / "fixtures" / "make" / "compatibility.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current() -> None:
    assert generator().PAGE.read_text() == generator().page(), "run fixtures/make/public_names.py"


def test_the_page_tells_the_truth() -> None:
    text = (ROOT / "docs" / "compatibility.md").read_text()
    rows = re.findall(r"^\| `tf(?:\.([\w.]+))?` \| (\d+) of (\d+) \| (.*) \|$", text, re.M)
    assert len(rows) > 40
    for namespace, here, total, missing in rows:
        found = icefloe
        for part in filter(None, namespace.split(".")):
            found = getattr(found, part)
        absent = re.findall(r"`(\w+)`", missing)
        assert len(absent) == int(total) - int(here)
        assert not [name for name in absent if hasattr(found, name)], namespace
    have, total = map(int, re.search(r"^(\d+) of (\d+) names are here", text, re.M).groups())
    assert have == sum(int(here) for _, here, _, _ in rows)
    assert total > 3500
