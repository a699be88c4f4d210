"""docs/keras.md lists just the layers, operations and functions that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from icefloe.importers.keras import registry, tf_calls

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "keras.md").read_text()
registry.find("Dense")  # it imports the modules that register


def listed(mark: str) -> list[str]:
    paragraph = TEXT.partition(f"<!-- {mark} -->\n")[2].partition("\n\n")[0]
    return re.findall(r"`([^`]+)`", paragraph)


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ("layers", [kind for kind in registry.LAYERS if not kind.startswith("ops.")]),
        ("operations", [kind[4:] for kind in registry.LAYERS if kind.startswith("ops.")]),
        ("functions", list(tf_calls.FUNCTIONS)),
    ],
)
def test_the_page_lists_what_there_is(mark: str, names: list[str]) -> None:
    assert listed(mark) == sorted(names)
