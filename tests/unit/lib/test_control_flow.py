"""Conditionals, loops and functions: node for node what TensorFlow builds, and its answers, on each engine."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.lib import defun
from icefloe.proto import CondContextDef, MetaGraphDef, WhileContextDef
from unit.lib import flow_programs

GOLDEN = zipfile.ZipFile(Path(__file__).resolve().parents[3] / "fixtures" / "control_flow" / "programs.zip")
ERRORS = json.loads(GOLDEN.read("failures.json"))
CONTEXTS = {"cond_context": CondContextDef, "while_context": WhileContextDef}
CASES = [pytest.param(name, v2, id=f"{name}.v2" if v2 else name) for name, v2 in flow_programs.cases()]
CALLING = [case for case in CASES if case.values[1] or str(case.values[0]).startswith("defun")]

flow_programs.defuns = defun


@pytest.fixture(scope="module")
def made() -> dict[tuple[str, bool], Any]:
    """What icefloe makes of each program, made once."""
    return {}


def _made(made: dict[tuple[str, bool], Any], name: str, v2: bool) -> Any:
    if (name, v2) not in made:
        meta, fetches, feeds = flow_programs.build(tf, name, v2)
        made[name, v2] = flow_programs.renamed_functions(meta), fetches, feeds
    return made[name, v2]


def _key(name: str, v2: bool) -> str:
    return f"{name}.v2" if v2 else name


def _wanted(name: str, v2: bool) -> Any:
    return MetaGraphDef.FromString(GOLDEN.read(f"{_key(name, v2)}.pb"))


def _nodes(nodes: Any) -> list[tuple[Any, ...]]:
    return [(n.name, n.op, list(n.input), n.device) for n in nodes]


def _assert_nodes(ours: Any, theirs: Any) -> None:
    assert _nodes(ours) == _nodes(theirs)
    for a, b in zip(ours, theirs):
        assert dict(a.attr) == dict(b.attr), a.name


@pytest.mark.parametrize(("name", "v2"), CASES)
def test_nodes_and_shapes_are_tensorflows(made: Any, name: str, v2: bool) -> None:
    meta = _made(made, name, v2)[0]
    _assert_nodes(meta.graph_def.node, _wanted(name, v2).graph_def.node)


@pytest.mark.parametrize(("name", "v2"), CASES)
def test_contexts_are_tensorflows(made: Any, name: str, v2: bool) -> None:
    meta = _made(made, name, v2)[0]
    wanted = _wanted(name, v2)
    assert sorted(meta.collection_def) == sorted(wanted.collection_def)
    for key, collection in wanted.collection_def.items():
        ours = meta.collection_def[key]
        if key in CONTEXTS:  # messages: the order of their maps' entries is nobody's
            parse = CONTEXTS[key].FromString
            assert [parse(v) for v in ours.bytes_list.value] == [parse(v) for v in collection.bytes_list.value]
        else:
            assert ours == collection, key


@pytest.mark.parametrize(("name", "v2"), CALLING)
def test_functions_are_tensorflows(made: Any, name: str, v2: bool) -> None:
    ours, theirs = _made(made, name, v2)[0].graph_def.library, _wanted(name, v2).graph_def.library
    assert [f.signature for f in ours.function] == [f.signature for f in theirs.function]
    for a, b in zip(ours.function, theirs.function):
        _assert_nodes(a.node_def, b.node_def)
        assert a == b
    assert sorted(map(str, ours.gradient)) == sorted(map(str, theirs.gradient))


@pytest.mark.parametrize("engine", ["auto", "general"])
@pytest.mark.parametrize(("name", "v2"), CASES)
def test_answers_are_tensorflows(made: Any, name: str, v2: bool, engine: str) -> None:
    _, fetches, feeds = _made(made, name, v2)
    results = flow_programs.answers(tf, fetches, feeds, config=tf.Config(engine=engine))
    wanted = np.load(io.BytesIO(GOLDEN.read(f"{_key(name, v2)}.npz")))
    assert results
    for i, run in enumerate(results):
        for j, value in enumerate(run):
            if value is None:
                continue
            expected = wanted[f"{i}.{j}"]
            if value.dtype.kind in "SO":
                assert value[()] == expected[0]
            else:
                assert value.dtype == expected.dtype
                np.testing.assert_allclose(value, expected, rtol=1e-6)


@pytest.mark.parametrize("name", flow_programs.FAILURES)
def test_errors_are_tensorflows(name: str) -> None:
    assert flow_programs.outcome(tf, name) == ERRORS[name]
