"""The graph that a Saver extends, and the MetaGraphDef of it, are TensorFlow's field by field; only who wrote it differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

import icefloe
from icefloe.proto import POOL, MetaGraphDef
from unit.saver.scenarios import EXPORTS, NO_SAVER, REEXPORTED, SCENARIOS, export, inside

SAVERS = Path(__file__).resolve().parents[3] / "fixtures" / "savers"


def read(path: Path) -> Any:
    if path.suffix == ".pbtxt":
        return text_format.Parse(path.read_text(), MetaGraphDef(), descriptor_pool=POOL)
    return MetaGraphDef.FromString(path.read_bytes())


def differences(mine: Any, golden: Any) -> list[str]:
    """Return what differs between two MetaGraphDefs, node by node and attr by attr.

    Nothing may but the git version, and the order of functions, which TensorFlow takes from a hash table.
    """
    for meta_graph in (mine, golden):
        meta_graph.graph_def.library.function.sort(key=lambda function: function.signature.name)
    assert mine.meta_info_def.tensorflow_git_version == f"icefloe-{icefloe.__version__}"
    golden.meta_info_def.tensorflow_git_version = mine.meta_info_def.tensorflow_git_version
    if mine == golden:
        return []
    found = []
    names = [[n.name for n in m.graph_def.node] for m in (mine, golden)]
    if names[0] != names[1]:
        found.append(
            f"nodes: {[n for n in names[0] if n not in names[1]]} {[n for n in names[1] if n not in names[0]]}"
        )
    ours = {n.name: n for n in mine.graph_def.node}
    for theirs in golden.graph_def.node:
        node = ours.get(theirs.name)
        if node is not None and node != theirs:
            attrs = [k for k in {*node.attr, *theirs.attr} if k not in node.attr or node.attr[k] != theirs.attr[k]]
            found.append(
                f"{theirs.name}: {attrs} {list(node.input)} {list(theirs.input)} {node.device} {theirs.device}"
            )
    found += [f for f in ("meta_info_def", "saver_def") if getattr(mine, f) != getattr(golden, f)]
    keys = {*mine.collection_def, *golden.collection_def}
    found += [f"collection {k}" for k in sorted(keys) if mine.collection_def[k] != golden.collection_def[k]]
    return found or ["something else"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_meta_graph_of_a_saver(name, tmp_path):
    scenario = SCENARIOS[name]
    with icefloe.Graph().as_default(), inside(tmp_path):
        saver = scenario.build(icefloe)
        # As in `write`: a session has been initialised when the file is written.
        icefloe.global_variables_initializer()
        icefloe.local_variables_initializer()
        mine = saver.export_meta_graph(strip_default_attrs=scenario.save.get("strip_default_attrs", False))
    (golden,) = (SAVERS / name).rglob("*.meta")
    assert differences(mine, read(golden)) == []


@pytest.mark.parametrize("name", EXPORTS)
def test_export_options(name, tmp_path):
    returned = export(icefloe, name, tmp_path)
    assert differences(returned, read(SAVERS / "exports" / name)) == []
    assert read(tmp_path / name) == returned


@pytest.mark.parametrize("name", [n for n in EXPORTS if n.endswith(".meta")])
def test_export_writes_deterministic_bytes(name, tmp_path):
    returned = export(icefloe, name, tmp_path)
    assert (tmp_path / name).read_bytes() == returned.SerializeToString(deterministic=True)


@pytest.mark.parametrize("name", REEXPORTED)
def test_import_and_export(name):
    """A `.meta` that was imported is exported as TensorFlow exports it: with the devices and attrs that importing gives."""
    with icefloe.Graph().as_default():
        saver = icefloe.train.import_meta_graph(str(SAVERS / name))
        saver_def = None if name in NO_SAVER else saver.as_saver_def()
        mine = icefloe.train.export_meta_graph(saver_def=saver_def)
    assert differences(mine, read(SAVERS / "reexported" / name.replace("/", "_"))) == []
