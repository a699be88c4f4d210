"""Gradients against TensorFlow's: values of all programs, and nodes where they are the same ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf

spec = importlib.util.spec_from_file_location("gradient_programs", Path(__file__).parent / "gradient_programs.py")
assert spec is not None
assert spec.loader is not None
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)

NODES, VALUES = programs.read()

# Programs whose gradients icefloe builds with other nodes than TensorFlow, to the same values.
OTHER_NODES = frozenset((Path(__file__).parent / "other_nodes.txt").read_text().split())


def test_golden_has_every_program() -> None:
    assert {key.split("|")[0] for key in NODES} == set(programs.PROGRAMS)
    assert set(NODES) >= OTHER_NODES


@pytest.mark.parametrize("key", sorted(NODES))
def test_program(key: str) -> None:
    name, mode = key.split("|")
    graph_def, values = programs.run(tf, name, mode)
    expected = {k.rpartition("|")[2]: v for k, v in VALUES.items() if k.startswith(f"{key}|")}
    assert values.keys() == expected.keys()
    for x, value in values.items():
        assert value.dtype == expected[x].dtype
        np.testing.assert_allclose(value, expected[x], rtol=2e-4, atol=2e-5)
    same: Any = programs.nodes(graph_def) == NODES[key]
    assert same != (key in OTHER_NODES), "list it in other_nodes.txt" if not same else "strike it from other_nodes.txt"
