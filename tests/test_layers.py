"""Imports point down: every import of `src` and `cli` is held against the floors of docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"

# A module's place is the longest prefix that matches. On one floor, only what stands in a row of BELOW may be imported from a neighbour.
FLOORS = {
    "icefloe.errors": 0,
    "icefloe.datatypes": 0,
    "icefloe.stacks": 0,
    "icefloe.machine": 0,
    "icefloe.trace_types": 0,
    "icefloe.near_names": 0,
    "icefloe._version": 0,
    "icefloe.wire": 1,
    "icefloe.proto": 1,
    "icefloe.opdefs": 1,
    "icefloe.shapes": 1,
    "icefloe.process_options": 1,
    "icefloe.graph": 2,
    "icefloe.resources": 2,
    "icefloe.philox": 2,
    "icefloe.checkpoint": 2,
    "icefloe.ops": 3,
    "icefloe.lib": 4,
    "icefloe.autodiff": 5,
    "icefloe.optimizers": 5,
    "icefloe.runtime": 6,
    "icefloe.session": 7,
    "icefloe.meta_graph": 8,
    "icefloe.saver": 8,
    "icefloe.analysis": 9,
    "icefloe.importers": 9,
    "icefloe.saved_models": 9,
    "icefloe.transforms": 9,
    "icefloe.load": 10,
    "icefloe.identification": 10,
    "icefloe.graph_conversion": 10,
    "icefloe.training": 10,
    "icefloe.scripts": 11,
}
TOP = 11
BELOW = {
    # neighbours on one floor that may be imported: importer -> imported
    "icefloe.opdefs": {"icefloe.proto"},
    "icefloe.wire": {"icefloe.proto"},
    "icefloe.datatypes": {"icefloe.errors", "icefloe.trace_types"},
    "icefloe.shapes": {"icefloe.proto"},
    "icefloe.process_options": {"icefloe.proto"},
    "icefloe.resources": {"icefloe.philox"},
    "icefloe.saver": {"icefloe.meta_graph"},
    "icefloe.optimizers": {"icefloe.autodiff"},
    "icefloe.importers": {"icefloe.saved_models"},
    "icefloe.transforms": {"icefloe.analysis", "icefloe.importers", "icefloe.saved_models"},
    "icefloe.identification": {"icefloe.load"},
    "icefloe.graph_conversion": {"icefloe.load"},
}


def place(module: str) -> str | None:
    parts = module.split(".")
    for n in range(len(parts), 1, -1):
        if ".".join(parts[:n]) in FLOORS:
            return ".".join(parts[:n])
    return None


def module_name(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield node.lineno, whole if place(whole) else str(node.module)


LIBRARY = sorted(SRC.rglob("*.py"))


@pytest.mark.parametrize("path", LIBRARY, ids=lambda p: module_name(p))
def test_imports_point_down(path: Path) -> None:
    module = module_name(path)
    here = place(module)
    floor = FLOORS[here] if here else TOP
    for line, name in imported(path):
        if not name.startswith("icefloe") or name == "icefloe._version":
            continue
        there = place(name)
        if there is None:
            assert floor == TOP or name == "icefloe", f"{path}:{line}: {name} stands on the top floor"
            assert floor == TOP, f"{path}:{line}: the top floor is imported from below"
            continue
        if there == here:
            continue
        allowed = FLOORS[there] < floor or there in BELOW.get(here or "", ())
        assert allowed, f"{path}:{line}: {module} (floor {floor}) imports {name} (floor {FLOORS[there]})"


def test_every_module_has_a_floor() -> None:
    top = {p.stem for p in (SRC / "icefloe").glob("*.py")}
    folders = {p.name for p in (SRC / "icefloe").iterdir() if (p / "__init__.py").exists()}
    public = {f for f in folders if f"icefloe.{f}" not in FLOORS}
    for folder in public:  # namespaces of the top floor: re-exports only
        for path in (SRC / "icefloe" / folder).rglob("*.py"):
            assert not re.search(r"^(def|class) ", path.read_text(), re.M), f"{path}: logic on the top floor"
    assert {"__init__", "errors", "datatypes"} <= top


@pytest.mark.parametrize("path", sorted((ROOT / "cli").rglob("*.py")), ids=lambda p: p.stem)
def test_the_command_uses_public_names_only(path: Path) -> None:
    for line, name in imported(path):
        if name.startswith("icefloe.") and not name.startswith("icefloe_cli"):
            public = name.split(".")[1]
            assert f"icefloe.{public}" not in FLOORS or public == "errors", f"{path}:{line}: {name} is not public"


@pytest.mark.parametrize(
    "path", [*LIBRARY, *sorted((ROOT / "cli").rglob("*.py"))], ids=lambda p: str(p.relative_to(ROOT))
)
def test_files_stay_small(path: Path) -> None:
    lines = path.read_text().count("\n")
    assert lines <= 600, f"{lines} lines: split by concept"
