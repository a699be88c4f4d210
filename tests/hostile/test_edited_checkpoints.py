"""Checkpoints whose records were tampered with, under valid checksums of the index: an edit works or says why not."""

import contextlib
import os
import random
import shutil
from pathlib import Path

import pytest

from icefloe import ckpt, errors
from icefloe.checkpoint.entries import Header
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.writer import encode_index
from icefloe.proto import TrackableObjectGraph

SOURCES = Path(__file__).resolve().parents[2] / "fixtures" / "editing"
GRAPH = b"_CHECKPOINTABLE_OBJECT_GRAPH"
EDITS = [
    lambda p, o: ckpt.rename(p, o, ["s,model/,x/y/,", "s/net/x/"]),
    lambda p, o: ckpt.slim(p, o, ema="use"),
    lambda p, o: ckpt.cast(p, o, "half"),
    lambda p, o: ckpt.reshard(p, o, shards=3, partition={"*w*": 2}),
    lambda p, o: ckpt.reshard(p, o, unpartition="*"),
    lambda p, o: ckpt.average(o, [p, p]),
    lambda p, o: ckpt.merge(o, [(p, "a"), (p, "b")]),
    lambda p, o: ckpt.resize(p, {"*": 4}, o, init="mean"),
    lambda p, o: ckpt.extract(p, o, "*w*"),
    lambda p, o: ckpt.extract(p, f"{o}.npz", "*w*"),
    lambda p, o: ckpt.set(p, {"net/w": 3}, o),
]


def tampered(rng, source, folder):
    """Write the checkpoint with some records changed, cut or under another key; return its prefix."""
    reader = BundleReader(SOURCES / source)
    items = dict(reader.index.raw_items())
    for path in SOURCES.glob(source + ".data-*"):
        shutil.copy(path, folder / ("m" + path.name[len(source) :]))
    for _ in range(rng.randint(0, 3)):
        key = rng.choice(list(items))
        raw = bytearray(items[key] or b"\0")
        what = rng.random()
        if what < 0.6:
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        elif what < 0.8:
            raw = raw[: rng.randrange(len(raw))]
        else:
            del items[key]
            key = key[:-1] + bytes([rng.randrange(256)])
        items[key] = bytes(raw)
    (folder / "m.index").write_bytes(encode_index(Header(reader.num_shards), items))
    return folder / "m"


@pytest.mark.parametrize("seed", range(12))
def test_tampered_records(seed, tmp_path):
    rng = random.Random(seed)
    for _ in range(12):
        source = rng.choice(["train", "sharded", "legacy_objects-1", "keras_objects-1"])
        prefix = tampered(rng, source, tmp_path)
        before = {p: p.read_bytes() for p in tmp_path.glob("m.*")}
        with contextlib.suppress(errors.OpError):
            rng.choice(EDITS)(prefix, tmp_path / "o")
        assert not [n for n in os.listdir(tmp_path) if ".tmp-" in n]
        assert {p: p.read_bytes() for p in tmp_path.glob("m.*")} == before
        for path in before:
            path.unlink()


@pytest.mark.parametrize("seed", range(8))
def test_tampered_object_graphs(seed, tmp_path):
    rng = random.Random(seed)
    source = SOURCES / rng.choice(["legacy_objects-1", "keras_objects-1", "tf1_objects-1"])
    graph = BundleReader(source).read(GRAPH.decode()).item()
    for _ in range(10):
        raw = bytearray(graph)
        for _ in range(rng.randint(1, 4)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        ckpt.set(source, {GRAPH.decode(): bytes(raw)}, tmp_path / "m")
        with contextlib.suppress(errors.OpError):
            rng.choice(EDITS[:2] + EDITS[6:9])(tmp_path / "m", tmp_path / "o")
        assert not [n for n in os.listdir(tmp_path) if ".tmp-" in n]


def test_object_graphs_in_circles(tmp_path):
    """Children that lead back to the root, and to themselves."""
    graph = TrackableObjectGraph()
    for _ in range(3):
        graph.nodes.add()
    for number, child in ((0, 1), (1, 0), (1, 1), (1, 2)):
        graph.nodes[number].children.add(node_id=child, local_name=f"c{number}{child}")
    graph.nodes[2].attributes.add(name="VARIABLE_VALUE", checkpoint_key="c01/c12/.ATTRIBUTES/VARIABLE_VALUE")
    from icefloe import save_checkpoint

    content = {"c01/c12/.ATTRIBUTES/VARIABLE_VALUE": 1.0, GRAPH.decode(): graph.SerializeToString()}
    save_checkpoint(tmp_path / "m", content)
    assert ckpt.rename(tmp_path / "m", rules=["s/c01/d/"]).renamed
    assert ckpt.slim(tmp_path / "m").removed == {}
    assert ckpt.extract(tmp_path / "m", tmp_path / "o", "*d*").names
    renamed = TrackableObjectGraph.FromString(BundleReader(tmp_path / "o").read(GRAPH.decode()).item())
    assert [c.local_name for c in renamed.nodes[0].children] == ["d"]
