"""Every scenario of TensorFlow's: our files are its files byte for byte, and its files restore here and run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from unit.saver.scenarios import SCENARIOS, inside, write

SAVERS = Path(__file__).resolve().parents[3] / "fixtures" / "savers"


def golden_files(name: str) -> dict[str, bytes]:
    root = SAVERS / name
    paths = [p for p in root.rglob("*") if p.is_file() and p.name != "expected.npz" and p.suffix != ".meta"]
    return {str(p.relative_to(root)): p.read_bytes() for p in paths}


@pytest.mark.parametrize("name", SCENARIOS)
def test_saves_the_same_bytes(name, tmp_path):
    path = write(tf, name, tmp_path)
    assert path == str(np.load(SAVERS / name / "expected.npz")["path"])
    assert {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file() and p.suffix != ".meta"} == set(
        golden_files(name)
    )
    for file, content in golden_files(name).items():
        assert (tmp_path / file).read_bytes() == content, file


def same(value: Any, golden: np.ndarray) -> None:
    value = np.asarray(value)
    np.testing.assert_array_equal(value.astype("S") if value.dtype == object else value, golden)


@pytest.mark.parametrize("name", SCENARIOS)
def test_restores_what_tensorflow_saved(name):
    """Nothing is initialised: the `.meta` is imported, its Saver restores, the fetches are TensorFlow's."""
    scenario = SCENARIOS[name]
    expected = np.load(SAVERS / name / "expected.npz")
    (meta,) = (SAVERS / name).rglob("*.meta")
    with tf.Graph().as_default() as graph, inside(SAVERS / name):
        saver = tf.train.import_meta_graph(str(meta))
        with tf.Session(graph=graph) as session:
            report = saver.restore(session, str(expected["path"]))
            values = session.run(list(scenario.fetch), scenario.feed)
    assert report is not None
    assert report.fits
    for key, value in zip(scenario.fetch, values, strict=True):
        same(value, expected[key.replace("/", "|")])


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_second_save_after_restoring_has_the_same_bytes(name, tmp_path):
    (meta,) = (SAVERS / name).rglob("*.meta")
    path = str(np.load(SAVERS / name / "expected.npz")["path"])
    with tf.Graph().as_default() as graph:
        saver = tf.train.import_meta_graph(str(meta))
        with tf.Session(graph=graph) as session:
            with inside(SAVERS / name):
                saver.restore(session, path)
            with inside(tmp_path):
                save = {**SCENARIOS[name].save, "write_meta_graph": False}
                (tmp_path / Path(save["save_path"]).parent).mkdir(exist_ok=True)
                saver.save(session, **save)
    for file, content in golden_files(name).items():
        assert (tmp_path / file).read_bytes() == content, file


@pytest.mark.parametrize("name", ["plain", "resource", "mixed", "partitioned", "sharded"])
def test_load_graph_and_saver_for(name):
    """The same by the front door, which keeps collections and finds the Saver."""
    expected = np.load(SAVERS / name / "expected.npz")
    scenario = SCENARIOS[name]
    graph = tf.load_graph(SAVERS / name / "model.ckpt-3.meta")
    with tf.Session(graph=graph) as session:
        tf.saver_for(graph).restore(session, SAVERS / name / "model.ckpt-3")
        for key, value in zip(scenario.fetch, session.run(list(scenario.fetch), scenario.feed), strict=True):
            same(value, expected[key.replace("/", "|")])


@pytest.mark.parametrize("name", ["plain", "resource", "mixed", "partitioned", "sharded"])
def test_saver_for_a_bare_graph(name, tmp_path):
    """A GraphDef without collections has variables all the same: they are found, initialised, saved and restored."""
    with tf.Graph().as_default() as original:
        SCENARIOS[name].build(tf)
    path = tf.save_graph(original, tmp_path / "graph.pb")
    graph = tf.load_graph(path)
    saver = tf.saver_for(graph)
    with tf.Session(graph=graph) as session:
        session.run(tf.initializers_of(graph))
        prefix = saver.save(session, tmp_path / "model", write_meta_graph=False)
    with tf.open_checkpoint(prefix) as reader, tf.open_checkpoint(SAVERS / name / "model.ckpt-3") as golden:
        for key in reader:
            if key in golden:
                np.testing.assert_array_equal(reader[key], golden[key])
        assert set(reader) - set(golden) <= {"local"} | {k for k in reader if "/part_" in k}
