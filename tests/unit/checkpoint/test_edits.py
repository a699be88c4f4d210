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
