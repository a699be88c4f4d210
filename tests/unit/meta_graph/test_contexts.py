"""Conditionals and loops of TensorFlow's MetaGraphDefs: imported, their contexts are what they were, and they run."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.proto import CondContextDef, MetaGraphDef, WhileContextDef
from unit.lib import flow_programs

GOLDEN = zipfile.ZipFile(Path(__file__).resolve().parents[3] / "fixtures" / "control_flow" / "programs.zip")
NAMES = [name for name, v2 in flow_programs.cases() if not v2]
CONTEXTS = {"cond_context": CondContextDef, "while_context": WhileContextDef}


def _meta(name: str) -> Any:
    return MetaGraphDef.FromString(GOLDEN.read(f"{name}.pb"))


def _contexts(meta: Any) -> dict[str, list[Any]]:
    return {
        key: [kind.FromString(value) for value in meta.collection_def[key].bytes_list.value]
        for key, kind in CONTEXTS.items()
        if key in meta.collection_def
    }


@pytest.mark.parametrize("name", NAMES)
def test_contexts_survive_import_and_export(name: str) -> None:
    meta = _meta(name)
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta)
        again = tf.train.export_meta_graph(graph=graph)
    assert _contexts(again) == _contexts(meta)


@pytest.mark.parametrize("name", ["while_with_cond", "loop_in_branch_in_loop", "while_nested", "cond_nested"])
def test_contexts_move_with_their_scope(name: str) -> None:
    meta = _meta(name)
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta, import_scope="moved")
        for op in graph.get_operations():
            assert op.name.startswith("moved/")
            if op.type == "Enter":
                assert op.get_attr("frame_name").startswith(b"moved/")
                assert op._get_control_flow_context().name == op.get_attr("frame_name").decode()
        again = tf.train.export_meta_graph(graph=graph, export_scope="moved")
    assert _contexts(again) == _contexts(meta)


@pytest.mark.parametrize("engine", ["auto", "general"])
@pytest.mark.parametrize("name", ["while_with_cond", "loop_in_branch_in_loop", "while_nested", "cond_nested", "folds"])
def test_imported_graphs_run(name: str, engine: str) -> None:
    """Fetches have the names that they had in the program."""
    _, fetches, feeds = flow_programs.build(tf, name, False)
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(_meta(name), import_scope="moved")
        again = [graph.get_tensor_by_name(f"moved/{tensor.name}") for tensor in fetches]
        moved = [{f"moved/{key}": value for key, value in feed.items()} for feed in feeds]
        results = flow_programs.answers(tf, again, moved, config=tf.Config(engine=engine))
    wanted = np.load(io.BytesIO(GOLDEN.read(f"{name}.npz")))
    for i, run in enumerate(results):
        for j, value in enumerate(run):
            np.testing.assert_allclose(value, wanted[f"{i}.{j}"], rtol=1e-6)


def test_ops_can_be_added_inside_an_imported_loop() -> None:
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(_meta("while_simple"))
        outside = tf.constant(5, name="outside")
        context = graph.get_collection(tf.GraphKeys.WHILE_CONTEXT)[0]
        context.Enter()
        added = tf.add(graph.get_tensor_by_name("while/Identity:0"), outside)
        context.Exit()
    assert [t.op.type for t in added.op.inputs] == ["Identity", "Enter"]
    assert added.op.inputs[1].op.get_attr("frame_name") == b"while/while_context"


@pytest.mark.parametrize("field", ["pivot_name", "context_name", "loop_exit_names", "pivot_for_body_name"])
def test_a_context_of_other_nodes_is_refused(field: str) -> None:
    meta = _meta("while_simple")
    context = _contexts(meta)["while_context"][0]
    if field == "loop_exit_names":
        context.loop_exit_names[0] = "nowhere:0"
    elif field == "context_name":
        context.values_def.values.append("nowhere:0")
    else:
        setattr(context, field, "nowhere:0")
    meta.collection_def["while_context"].bytes_list.value[0] = context.SerializeToString()
    with tf.Graph().as_default(), pytest.raises(errors.InvalidArgumentError, match="nowhere"):
        tf.train.import_meta_graph(meta)


def test_bytes_that_are_no_context_are_refused() -> None:
    meta = _meta("while_simple")
    meta.collection_def["while_context"].bytes_list.value[0] = b"\xff\xff"
    with tf.Graph().as_default(), pytest.raises(errors.DataLossError):
        tf.train.import_meta_graph(meta)


def test_a_process_that_only_imports_knows_the_contexts(tmp_path: Path) -> None:
    path = tmp_path / "graph.meta"
    path.write_bytes(_meta("while_simple").SerializeToString())
    program = (
        "import sys, icefloe as tf; tf.train.import_meta_graph(sys.argv[1]); "
        "print(type(tf.get_collection('while_context')[0]).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "WhileContext"
