"""What the edits of `edits.EDITS` write is what TensorFlow restored, byte for byte."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import icefloe
from icefloe import ckpt, open_checkpoint
from unit.checkpoint.edits import EDITS, EXPECTED

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
SOURCES = FIXTURES / "editing"
RESTORED = json.loads((SOURCES / "restored.json").read_text())


def hashes(folder):
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


def values(prefix):
    with open_checkpoint(prefix) as reader:
        return {name: reader[name] for name in reader}


@pytest.mark.parametrize("name", sorted(EDITS))
def test_edit_writes_what_tensorflow_restored(name, tmp_path):
    EDITS[name](SOURCES, tmp_path / "out")
    assert hashes(tmp_path) == RESTORED[name]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_edited_values(name, tmp_path):
    EDITS[name](SOURCES, tmp_path / "out")
    expected = EXPECTED[name]({s: values(SOURCES / s) for s in ("train", "later", "sharded")})
    got = values(tmp_path / "out")
    assert got.keys() == expected.keys()
    for key, value in expected.items():
        assert got[key].dtype == value.dtype, key
        assert got[key].tolist() == value.tolist(), key


def test_every_edit_is_listed():
    assert RESTORED.keys() == EDITS.keys()


@pytest.mark.parametrize(
    "name", sorted(p.name for p in (FIXTURES / "checkpoints").iterdir() if (p / "ckpt.index").exists())
)
def test_a_rename_and_back_gives_the_same_bytes(name, tmp_path):
    """Dtypes, strings, variants, slices, merged shards: also what is in no order of names."""
    source = FIXTURES / "checkpoints" / name / "ckpt"
    there = ckpt.rename(source, tmp_path / "there", ["s/$/_/"])
    ckpt.rename(tmp_path / "there", tmp_path / "ckpt", ["s/_$//"])
    if name == "big_endian":  # is little-endian now, as its original
        source = FIXTURES / "checkpoints" / "big_endian" / "ckpt"
        assert there.computed
        expected, got = values(source), values(tmp_path / "ckpt")
        assert all(expected[k].tobytes() == got[k].tobytes() or expected[k].dtype == object for k in expected)
        assert all(expected[k].tolist() == got[k].tolist() for k in expected if expected[k].dtype == object)
        return
    assert there.computed == 0
    for path in source.parent.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


@pytest.mark.parametrize("name", ["v1_dtypes", "v1_slices", "v1_sharded"])
def test_edits_of_v1_checkpoints_are_v2(name, tmp_path):
    source = FIXTURES / "checkpoints" / name
    ckpt.rename(source, tmp_path / "out", prefix="p/")
    expected, got = values(source), values(tmp_path / "out")
    assert got.keys() == {"p/" + k for k in expected}
    for key, value in expected.items():
        assert got["p/" + key].dtype == value.dtype
        assert got["p/" + key].tobytes() == value.tobytes() or value.dtype == object
    with pytest.raises(icefloe.errors.InvalidArgumentError, match="in place"):
        ckpt.rename(source, prefix="p/")


@pytest.mark.parametrize("edit, scope", [("rename", "new/"), ("rename_map", "net/"), ("rename_prefix", "a/b/net/")])
def test_renamed_meta_restores_here_too(edit, scope, tmp_path):
    """Case 54: graph, collections and Saver of the .meta have the names of the checkpoint."""
    EDITS[edit](SOURCES, tmp_path / "out")
    fetched = []
    for path, inside in ((SOURCES / "train", "net/"), (tmp_path / "out", scope)):
        with icefloe.Graph().as_default():
            saver = icefloe.train.import_meta_graph(f"{path}.meta")
            with icefloe.Session() as session:
                saver.restore(session, str(path))
                fetched.append([session.run(inside + "y:0", {inside + "flag:0": flag}) for flag in (True, False)])
            names = {v.name.partition(":")[0] for v in icefloe.global_variables()}
    assert np.array_equal(fetched[0], fetched[1])
    if edit == "rename_map":
        assert {"encoder/kernel", "table/part_0", "table/part_1"} <= names
    else:
        assert {scope + "w", scope + "p/part_0"} <= names


OPTIMIZERS = json.loads((SOURCES / "optimizers.json").read_text())


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_slim_leaves_the_model_of_any_optimizer(optimizer, tmp_path):
    content = {name: np.zeros(shape, dtype) for name, (shape, dtype) in OPTIMIZERS[optimizer].items()}
    icefloe.save_checkpoint(tmp_path / "m", content)
    ckpt.resize(tmp_path / "m", {"net/w": 6})
    assert all(len(v) == (6 if v.shape[1:] else 3) for v in values(tmp_path / "m").values() if v.ndim)
    ckpt.slim(tmp_path / "m")
    assert values(tmp_path / "m").keys() == {"net/w", "net/m"}


@pytest.mark.parametrize(
    "options, children, paths",
    [
        ({"strip_prefix": "model/"}, ["b", "optimizer", "save_counter", "w"], ["b", "w"]),
        ({"prefix": "top/"}, ["top"], ["top/model/b", "top/model/w"]),
        ({"rules": ["s,model/w,x/y/z.w,"]}, ["model", "optimizer", "save_counter", "x"], ["model/b", "x/y/z.w"]),
        ({"mapping": {"model/w": "net/w", "model/b": "net/bias"}}, ["net", "optimizer", "save_counter"], ["net/bias"]),
        ({"mapping": {"model/w": "x/kernel"}}, ["model", "optimizer", "save_counter", "x"], ["model/b", "x/kernel"]),
        ({"mapping": {"model/w": "w2"}}, ["model", "optimizer", "save_counter", "w2"], ["model/b", "w2"]),
    ],
)
def test_objects_move_with_their_paths(options, children, paths, tmp_path):
    from icefloe.proto import TrackableObjectGraph

    ckpt.rename(SOURCES / "legacy_objects-1", tmp_path / "m", **options)
    raw = values(tmp_path / "m")["_CHECKPOINTABLE_OBJECT_GRAPH"].item()
    nodes = TrackableObjectGraph.FromString(raw).nodes
    assert sorted(c.local_name for c in nodes[0].children) == children
    for path in paths:
        node = nodes[0]
        for part in path.split("/"):
            node = nodes[{c.local_name: c.node_id for c in node.children}[part]]
        assert node.attributes[0].checkpoint_key == path + "/.ATTRIBUTES/VARIABLE_VALUE"
        assert node.attributes[0].checkpoint_key in values(tmp_path / "m")
    assert sum(len(n.slot_variables) for n in nodes) == 4
    owner = next(n for n in nodes if n.slot_variables)
    assert {c.local_name for c in owner.children} == {"beta_1", "beta_2", "decay", "iter", "learning_rate"}
    if "strip_prefix" in options:
        assert all(n.children or n.attributes for n in nodes)  # nothing is left of `model`


SAVERS = FIXTURES / "savers"
# The fixture's own scenario -> the prefix of its checkpoint; each has a `.meta` beside it.
METAS = {
    p.parent.relative_to(SAVERS).as_posix(): p.with_suffix("")
    for p in sorted(SAVERS.rglob("*.meta"))
    if p.parent.parts[len(SAVERS.parts)] not in ("exports", "reexported")
}


@pytest.mark.parametrize("scenario", METAS)
@pytest.mark.parametrize("options", [{"prefix": "z/"}, {"rules": ["s/^/q_/", "s/_/-/g"]}], ids=["prefix", "rules"])
def test_a_renamed_meta_of_any_saver_fits_its_checkpoint(scenario, options, tmp_path):
    """Ref and resource variables, partitions, devices, shards, names of its own, V1 files, functions."""
    source = METAS[scenario]
    if not source.with_name(source.name + ".index").exists() and not source.exists():
        source = source.with_name(source.name + "-00000-of-00003")  # V1 shards
    report = ckpt.rename(source, tmp_path / "out", meta=True, **options)
    assert report.renamed_nodes
    new = variables_of(f"{tmp_path}/out.meta", str(tmp_path / "out"))
    old = variables_of(f"{METAS[scenario]}.meta", icefloe.open_checkpoint(source).prefix)
    assert len(new) == len(old) > 0
    for name, value in old.items():
        node, _, output = name.partition(":")
        assert np.array_equal(new[f"{report.renamed_nodes[node]}:{output}"], value)


def variables_of(meta, prefix):
    """Return the values that a graph's variables have once its Saver has restored; of one that it does not, None."""
    found = {}
    with icefloe.Graph().as_default():
        saver = icefloe.train.import_meta_graph(meta)
        with icefloe.Session(config=icefloe.ConfigProto(device_count={"CPU": 2})) as session:
            saver.restore(session, prefix)
            for variable in icefloe.global_variables():
                try:
                    found[variable.name] = session.run(variable)
                except icefloe.errors.FailedPreconditionError:
                    found[variable.name] = None
    return found
