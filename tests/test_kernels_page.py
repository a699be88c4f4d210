"""The Python examples of docs/kernels.md run."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from pathlib import Path

import pytest

from icefloe import opdefs
from icefloe.graph import registry
from icefloe.lib import own_kernels

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    yield
    for op in list(own_kernels._OWN):
        del own_kernels._OWN[op], registry.KERNELS[op]
    opdefs._table().pop("Clamp", None)


def test_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (result, tried) = doctest.testfile(
        str(ROOT / "docs" / "kernels.md"),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert tried >= 9
    assert result == 0
