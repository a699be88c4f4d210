"""The pipelines of tests/unit/ops/dataset_pipelines.py, built by icefloe, give what TensorFlow's give."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401 (its names become numpy dtypes)
import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_experimental import at
from icefloe.lib.data_function import DatasetFunction
from icefloe.lib.data_readers import CsvDataset
from icefloe.proto import GraphDef, NodeDef

ROOT = Path(__file__).resolve().parents[3]
FILES = ROOT / "fixtures" / "datasets" / "files"
sys.path.insert(0, str(ROOT / "tests" / "unit" / "ops"))

from dataset_pipelines import pipelines  # noqa: E402


def concrete(function: Any) -> Any:
    return DatasetFunction(function, "f()", TensorSpec([], tf.int64)).attr


PIPELINES = pipelines(tf, CsvDataset, at, Dataset, concrete)
ARCHIVE = zipfile.ZipFile(ROOT / "fixtures" / "datasets" / "pipelines.zip")
ANSWERS: dict[str, Any] = json.loads(ARCHIVE.read("answers.json"))
RAGGED = {name for name in PIPELINES if "ragged" in name}


def check(got: Any, wanted: dict[str, Any]) -> None:
    if wanted["dtype"] == "string":
        assert np.asarray(got, object).reshape(-1).tolist() == [bytes.fromhex(v) for v in wanted["hex"]]
        return
    array = np.asarray(got)
    assert (array.dtype.name, list(array.shape)) == (wanted["dtype"], wanted["shape"])
    assert array.tobytes().hex() == wanted["hex"]


def leaves(element: Any) -> list[Any]:
    """Return the tensors of an element."""
    found = []
    for leaf in nest.flatten(element):
        parts = (leaf.indices, leaf.values, leaf.dense_shape) if isinstance(leaf, tf.SparseTensor) else (leaf,)
        found += parts
    return found


@pytest.mark.parametrize("name", sorted(set(PIPELINES) - RAGGED))
def test_a_script_gives_the_same_elements(name: str) -> None:
    answers = ANSWERS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        directory = tf.placeholder(tf.string, [])
        dataset = PIPELINES[name](directory)
        iterator = tf.data.make_initializable_iterator(dataset)
        element = leaves(iterator.get_next())
        feeds = {directory: str(FILES)}
        if "start" in answers:
            with pytest.raises(errors.OpError) as raised:
                session.run(iterator.initializer, feeds)
            assert type(raised.value).__name__ == answers["start"]["error"]
            return
        assert session.run(dataset.cardinality(), feeds) == answers["size"]
        session.run(iterator.initializer, feeds)
        for outcome in answers["outcomes"]:
            if isinstance(outcome, dict):
                with pytest.raises(errors.OpError) as raised:
                    session.run(element)
                assert type(raised.value).__name__ == outcome["error"]
            else:
                for got, wanted in zip(session.run(element), outcome, strict=True):
                    check(got, wanted)


def plain(node: NodeDef) -> NodeDef:
    """Return a node without what no script decides: names of functions, full types."""
    made = NodeDef()
    made.CopyFrom(node)
    made.ClearField("experimental_type")
    made.attr.pop("_has_manual_control_dependencies", None)
    for value in made.attr.values():
        if value.HasField("func"):
            value.func.Clear()
    return made


# What the recorded graph has besides the pipeline.
OTHERS = ("pipeline", "DatasetCardinality", "SerializeIterator", "RestoreV2", "save")


@pytest.mark.parametrize("name", sorted(set(PIPELINES) - RAGGED))
def test_a_script_builds_the_same_nodes(name: str) -> None:
    wanted = GraphDef.FromString(ARCHIVE.read(f"{name}.pb"))
    with tf.Graph().as_default() as graph:
        directory = tf.placeholder(tf.string, [], name="pipeline/directory")
        iterator = tf.data.make_initializable_iterator(PIPELINES[name](directory))
        iterator.get_next()
    nodes = {node.name: plain(node) for node in graph.as_graph_def().node}
    for node in wanted.node:
        if not node.name.startswith(OTHERS):
            assert nodes.pop(node.name, None) == plain(node)
    assert not [other for other in nodes if not other.startswith(OTHERS)]
