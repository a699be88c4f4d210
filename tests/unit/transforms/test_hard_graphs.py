"""Every transform on graphs that are hard to change: what it makes gives what TensorFlow computed with the old one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import graphs
from icefloe.transforms.optimizing import PASSES

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "transforms"
NAMES = sorted(path.stem for path in FOLDER.glob("*.pb"))
Transform = Callable[[icefloe.Graph, list[str]], Any]
TRANSFORMS: dict[str, Transform] = {
    "extract": lambda graph, outputs: graphs.extract(graph, outputs),
    "strip": lambda graph, outputs: graphs.strip(graph, outputs, devices=True, notes=True),
    "optimize": lambda graph, outputs: graphs.optimize(graph, outputs),
    "all passes": lambda graph, outputs: graphs.optimize(graph, outputs, passes=PASSES),
    "fix": lambda graph, outputs: graphs.fix(graph, outputs),
    "cast": lambda graph, outputs: graphs.cast(graph, outputs),
    "freeze": lambda graph, outputs: graphs.freeze(graph, outputs=outputs),
    "rename": lambda graph, outputs: graphs.rename(graph, lambda name: "scope/" + name, outputs),
    "downgrade": lambda graph, outputs: graphs.downgrade(graph, "2.0", outputs),
}


def load(name: str) -> tuple[icefloe.Graph, list[str], dict[str, np.ndarray], list[np.ndarray]]:
    """Return a graph, its outputs, what is fed, and what TensorFlow gives."""
    graph = icefloe.load_graph(FOLDER / f"{name}.pb")
    stored = np.load(FOLDER / f"{name}.npz")
    arrays = {key: plain(stored[key]) for key in stored}
    outputs = sorted((key[4:] for key in arrays if key.startswith("out/")), key=lambda n: int(n[4:-2]))
    feeds = {key[3:]: value for key, value in arrays.items() if key.startswith("in/")}
    return graph, outputs, feeds, [arrays[f"out/{name}"] for name in outputs]


def plain(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "U":
        return array
    values = np.empty(array.size, object)
    values[:] = [ast.literal_eval(text) for text in array.ravel().tolist()]
    return values.reshape(array.shape)


def hold(found: list[Any], expected: list[np.ndarray], tolerance: float) -> None:
    for got, want in zip(found, expected, strict=True):
        if want.dtype.kind in "Ob":
            assert np.asarray(got).tolist() == want.tolist()
        else:
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("change", TRANSFORMS)
@pytest.mark.parametrize("name", NAMES)
def test_the_new_graph_gives_what_the_old_one_gave(name: str, change: str) -> None:
    graph, outputs, feeds, expected = load(name)
    done = TRANSFORMS[change](graph, outputs)
    assert done.check.status == "equal", done.check.detail
    new = icefloe.load_graph(done.graph_def)
    prefix = "scope/" if change == "rename" else ""
    with icefloe.Session(graph=new) as session:
        session.run([new.get_operation_by_name(n) for n in done.initializers])
        found = session.run(list(done.outputs), {prefix + key: value for key, value in feeds.items()})
    hold(found, expected, 2e-2 if change == "cast" else 1e-4)


@pytest.mark.parametrize("change", TRANSFORMS)
@pytest.mark.parametrize("name", NAMES)
def test_the_new_graph_is_whole(name: str, change: str) -> None:
    graph, outputs, _, _ = load(name)
    definition = TRANSFORMS[change](graph, outputs).graph_def
    names = {node.name for node in definition.node}
    assert len(names) == len(definition.node)
    for node in definition.node:
        assert all(value.WhichOneof("value") is not None for value in node.attr.values()), node.name
        for place in node.attr["_class"].list.s if "_class" in node.attr else ():
            assert place.decode().removeprefix("loc:@") in names


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in ("colocation", "duplicates", "control_flow_v1")]
)
def test_constants_become_variables(name: str, tmp_path: Path) -> None:
    graph, outputs, feeds, expected = load(name)
    done = graphs.unconst(graph, tmp_path / "model", outputs, min_bytes=8)
    assert done.check.status == "equal", done.check.detail
    with icefloe.Graph().as_default() as new, icefloe.Session(graph=new) as session:
        saver = icefloe.train.import_meta_graph(str(tmp_path / "model.meta"))
        saver.restore(session, str(tmp_path / "model"))
        session.run([new.get_operation_by_name(n) for n in done.initializers])
        hold(session.run(list(done.outputs), feeds), expected, 1e-4)
