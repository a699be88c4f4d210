"""Damaged and crafted object graphs: a view or one typed error, in memory of the size of the graph."""

import random
import tracemalloc
from pathlib import Path

import numpy as np

from icefloe import errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint.listing import ls, rows_of
from icefloe.checkpoint.object_graph import KEY, ObjectGraph
from icefloe.proto import TrackableObjectGraph

OBJECTS = Path(__file__).resolve().parents[2] / "fixtures" / "weights" / "objects" / "ckpt-1"


def look(raw):
    """Ask a graph for everything."""
    graph = ObjectGraph(raw)
    for name in (*graph.tensors, *graph.by_full_name, *graph.by_path, "model/again/kernel", "a//b", ""):
        assert isinstance(graph.keys_of(name), tuple)
    return graph


def test_mutations():
    with open_checkpoint(OBJECTS) as reader:
        raw = reader.object_graph.raw
    read = 0
    for seed in range(300):
        r = random.Random(seed)
        data = bytearray(raw)
        for _ in range(r.choice([1, 1, 2, 8])):
            i = r.randrange(len(data))
            if r.random() < 0.6:
                data[i] = r.randrange(256)
            elif r.random() < 0.5:
                del data[i : i + r.randrange(1, 30)]
            else:
                data[i:i] = r.randbytes(r.randrange(1, 12))
        try:
            look(bytes(data))
            read += 1
        except errors.DataLossError:
            continue
    assert 0 < read < 300


def chain(length):
    """Objects one inside the other, each with a slot: all paths together are far longer than the graph."""
    graph = TrackableObjectGraph()
    for i in range(length):
        node = graph.nodes.add()
        if i + 1 < length:
            node.children.add(node_id=i + 1, local_name=f"{'x' * 40}{i}")
        node.attributes.add(name="VARIABLE_VALUE", full_name=f"v{i}", checkpoint_key=f"k{i}")
        node.slot_variables.add(original_variable_node_id=i, slot_name="m", slot_variable_node_id=i)
        node.registered_saver.name = "r"
    return graph.SerializeToString()


def test_a_long_chain():
    raw = chain(2000)
    tracemalloc.start()
    graph = look(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(graph) == 2000
    assert peak < 64 << 20


def test_in_a_checkpoint(tmp_path):
    value = np.empty((), object)
    for raw in (b"", b"\x0a", b"\xff" * 100, chain(50), b"\x0a\x00" * 5000):
        value[()] = raw
        save_checkpoint(tmp_path / "m", {KEY: value, "k1": 1})
        ls(tmp_path / "m")
        with open_checkpoint(tmp_path / "m") as reader:
            assert reader["k1"] == 1
            assert len(rows_of(reader)) == 2
            assert "nothing" not in reader
    save_checkpoint(tmp_path / "m", {KEY: np.arange(3), "k1": 1})
    with open_checkpoint(tmp_path / "m") as reader:
        assert reader["k1"] == 1
        assert "x" not in reader
