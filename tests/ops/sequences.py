"""Recorded sequences: a small graph with state and runs of it, in order, in one session.

Modules `sequences_*.py` hold them; `fixtures/make/sequences.py` runs them on TensorFlow once, every test run on icefloe.
"""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent
GOLDENS = FOLDER.parents[1] / "fixtures" / "sequences"


@dataclass
class Node:
    """A node of op type `op`. inputs: names of nodes made before, as `n` or `n:1`, lists of them, or constants.

    A numpy array or scalar goes in as a placeholder with a default, so that its value is not known when the graph is built.
    after: names of nodes that a control edge puts before it. attrs: ("tensor", value) is a tensor.
    Op type "BackEdge" makes no node: it lets its second input, a NextIteration, be input 1 of its first, a Merge.
    """

    name: str
    op: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]
    after: tuple[str, ...] = ()

    def __init__(self, name: str, op: str, *inputs: Any, after: tuple[str, ...] = (), **attrs: Any) -> None:
        self.name, self.op, self.inputs, self.attrs, self.after = name, op, inputs, attrs, after


@dataclass
class Sequence:
    """runs: lists of what each run fetches: names of tensors (`n:0`) and of nodes."""

    name: str
    nodes: list[Node]
    runs: list[list[str]]
    tol: float | None = None
    answers: list[Any] = field(default_factory=list)

    def fingerprint(self) -> str:
        """Return a digest of nodes and runs, so that a golden made from an older module is noticed."""
        digest = hashlib.sha256(repr(self.runs).encode())
        for node in self.nodes:
            digest.update(repr((node.name, node.op, sorted(node.attrs.items()), node.after)).encode())
            for value in node.inputs:
                array = value if isinstance(value, (str, list)) else np.asarray(value)
                if isinstance(array, np.ndarray):
                    digest.update(f"{array.dtype}{array.shape}".encode())
                    value = array.tolist()
                digest.update(repr(value).encode())
        return digest.hexdigest()[:16]


def modules() -> list[Path]:
    return sorted(FOLDER.glob("sequences_*.py"))


def load(path: Path) -> list[Sequence]:
    """Return the SEQUENCES of a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = [s.name for s in module.SEQUENCES]
    assert len(set(names)) == len(names), f"{path.name}: a name comes twice"
    return list(module.SEQUENCES)
