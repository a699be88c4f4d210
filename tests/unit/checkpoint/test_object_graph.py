"""Object-based checkpoints, written by TensorFlow: every name of a tensor finds it."""

from pathlib import Path

import numpy as np
import pytest

from icefloe import errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint.listing import ls, rows_of, tree
from icefloe.checkpoint.object_graph import KEY, ObjectGraph
from icefloe.proto import TrackableObjectGraph

WEIGHTS = Path(__file__).resolve().parents[3] / "fixtures" / "weights"
OBJECTS = WEIGHTS / "objects" / "ckpt-1"
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture
def reader():
    with open_checkpoint(OBJECTS) as opened:
        yield opened


def test_every_key_is_what_tensorflow_reads(reader):
    with np.load(WEIGHTS / "objects.npz") as golden:
        assert sorted(golden.files) == sorted(set(reader) - {KEY})
        for key in golden.files:
            expected = golden[key]
            if expected.dtype.kind == "S":
                expected = expected.astype(object)
            np.testing.assert_array_equal(reader[key], expected)


@pytest.mark.parametrize(
    "name",
    [
        "model/dense/kernel",
        "model/again/kernel",
        "dense/kernel",
        f"model/dense/kernel{VALUE}",
        f"model/again/kernel{VALUE}",
    ],
)
def test_all_names_of_a_variable(reader, name):
    assert reader.find(name) == f"model/dense/kernel{VALUE}"
    assert name in reader
    assert reader[name].shape == reader.entry(name).shape == (2, 3)
    np.testing.assert_array_equal(reader.get(name), reader[f"model/dense/kernel{VALUE}"])


def test_slots_have_owners(reader):
    key = reader.find("Adam/dense/kernel/m")
    assert key == f"model/dense/kernel/.OPTIMIZER_SLOT/optimizer/m{VALUE}"
    slot = reader.object_graph.tensors[key].slot
    assert (slot.slot, slot.owner_key, slot.owner_name, slot.owner_path, slot.optimizer) == (
        "m",
        f"model/dense/kernel{VALUE}",
        "dense/kernel",
        "model/dense/kernel",
        "optimizer",
    )
    assert reader.object_graph.tensors[f"model/dense/kernel{VALUE}"].slot is None


def test_a_name_that_several_have_is_ambiguous(reader):
    with pytest.raises(errors.InvalidArgumentError, match="2 tensors have the name twice") as caught:
        reader["twice"]
    assert "model/one" in str(caught.value) and "model/two" in str(caught.value)
    assert "twice" not in reader
    assert "twice" not in reader.names
    assert reader["model/one"] == 1 and reader["model/two"] == 2


def test_tables_and_registered_savers(reader):
    assert reader["table/.ATTRIBUTES/table-keys"].tolist() in ([b"a", b"b"], [b"b", b"a"])
    with pytest.raises(errors.InvalidArgumentError, match="2 tensors have the name table"):
        reader.find("table")
    assert reader.object_graph.registered_savers == [("Fixture.counted", "counted", "counted")]
    assert reader["counted/times_two"] == 14
    assert reader["counted/count"] == 7


def test_names_lists_every_unambiguous_name(reader):
    names = reader.names
    assert set(reader) <= set(names)
    for name in ("dense/kernel", "model/dense/kernel", "Adam/iter", "save_counter"):
        assert names[name] == reader.find(name)


def test_a_missing_name_is_answered_in_the_users_words(reader):
    for name in ("dense/kernl", "model/dense/kernel/nothing", "encoder/w"):
        with pytest.raises(errors.NotFoundError) as caught:
            reader[name]
        assert KEY not in str(caught.value)
        assert ".ATTRIBUTES" not in str(caught.value)
    with pytest.raises(errors.NotFoundError, match="Did you mean 'dense/kernel'"):
        reader["dense/kernl"]


def test_keys_of_objects_find_what_was_saved_by_name(tmp_path):
    save_checkpoint(tmp_path / "m", {"dense/kernel": 3})
    with open_checkpoint(tmp_path / "m") as reader:
        assert reader.object_graph is None
        assert reader[f"dense/kernel{VALUE}"] == 3
        assert f"dense/kernel{VALUE}" in reader
        with pytest.raises(errors.NotFoundError) as caught:
            reader[KEY]
        assert KEY not in str(caught.value)
        assert "saved by the names of variables" in str(caught.value)


def test_rows_have_all_names():
    rows = {row.name: row for row in ls(OBJECTS).rows}
    kernel = rows["model/dense/kernel"]
    assert (kernel.full_name, kernel.shape, kernel.dtype, kernel.bytes) == ("dense/kernel", (2, 3), "float32", 24)
    assert [row.name for row in ls(OBJECTS, ["dense/*"]).rows] == ["model/dense/bias", "model/dense/kernel"]
    assert [row.name for row in ls(OBJECTS, ["^twice$"], regex=True).rows] == ["model/one", "model/two"]
    listing, scopes = tree(OBJECTS, depth=1)
    assert {s.path: s.tensors for s in scopes} == {
        "": len(listing.rows),
        "counted": 2,
        "model": 6,
        "optimizer": 5,
        "table": 2,
    }


def damaged(tmp_path, raw):
    value = np.empty((), object)
    value[()] = raw
    save_checkpoint(tmp_path / "m", {KEY: value, f"a{VALUE}": 1})
    return open_checkpoint(tmp_path / "m")


def test_a_damaged_graph_leaves_the_tensors(tmp_path):
    with damaged(tmp_path, b"\xff\xff\xff") as reader:
        with pytest.raises(errors.DataLossError, match="the object graph of the checkpoint cannot be read"):
            reader.object_graph
        assert reader[f"a{VALUE}"] == 1
        with pytest.raises(errors.NotFoundError):
            reader["b"]
        assert [row.key for row in rows_of(reader)] == [KEY, f"a{VALUE}"]


def test_a_graph_with_cycles_and_numbers_that_are_no_nodes(tmp_path):
    graph = TrackableObjectGraph()
    node = graph.nodes.add()
    node.children.add(node_id=0, local_name="self")
    node.children.add(node_id=1, local_name="a")
    node.children.add(node_id=99, local_name="gone")
    node.children.add(node_id=-5, local_name="negative")
    node.slot_variables.add(original_variable_node_id=77, slot_name="m", slot_variable_node_id=1)
    leaf = graph.nodes.add()
    leaf.children.add(node_id=0, local_name="up")
    leaf.attributes.add(name="VARIABLE_VALUE", full_name="a", checkpoint_key=f"a{VALUE}")
    leaf.attributes.add(name="VARIABLE_VALUE", full_name="gone", checkpoint_key="not/stored")
    with damaged(tmp_path, graph.SerializeToString()) as reader:
        assert reader["self/self/self/a/up/a"] == 1
        assert "gone" not in reader
        assert "negative" not in reader
        assert "a/up/up/a" not in reader


def test_escapes_in_paths():
    graph = TrackableObjectGraph()
    graph.nodes.add().children.add(node_id=1, local_name="a/b.c")
    graph.nodes.add().attributes.add(name="VARIABLE_VALUE", full_name="x", checkpoint_key=f"a.Sb..c{VALUE}")
    view = ObjectGraph(graph.SerializeToString())
    assert view.keys_of("a.Sb..c") == view.keys_of("x") == (f"a.Sb..c{VALUE}",)
    assert view.tensors[f"a.Sb..c{VALUE}"].path == "a.Sb..c"
