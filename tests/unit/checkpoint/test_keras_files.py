"""Weights in the files of Keras 2 and 3: names and values as Keras has them, to a checkpoint and back."""

import shutil
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from icefloe import errors, open_checkpoint
from icefloe.checkpoint.converting.conversion import convert
from icefloe.checkpoint.formats import keras_names
from icefloe.checkpoint.listing import ls

WEIGHTS = Path(__file__).resolve().parents[3] / "fixtures" / "weights"
FILES = ["keras2.h5", "keras2_weights.h5", "keras2.keras", "keras3.weights.h5", "keras3.keras", "keras3.h5"]
# A .weights.h5 of Keras 2 does not say what its layers are called: they have the names of their classes.
CLASSES = {"front": "conv1d", "norm": "batch_normalization", "memory": "lstm", "hidden": "dense", "head": "dense_1"}


def golden(file):
    with np.load(WEIGHTS / "values.npz") as values:
        return {n.partition("|")[2].replace("|", "/"): values[n] for n in values.files if n.startswith(f"{file}|")}


@pytest.mark.parametrize("file", [*FILES, "keras2.weights.h5"])
def test_every_weight_under_the_name_of_its_layer(file):
    expected = golden(file)
    assert len(expected) == 12
    with open_checkpoint(WEIGHTS / file) as reader:
        assert reader.left_out == {}
        for name, value in expected.items():
            layer, _, weight = name.partition("/")
            if file == "keras2.weights.h5":
                layer = CLASSES[layer]
            found = [key for key in reader if f"/{layer}/" in f"/{key}" and key.endswith(f"/{weight}")]
            found = [key for key in found if not key.startswith(("Adam", "optimizer"))]
            assert len(found) == 1, (name, found)
            np.testing.assert_array_equal(reader[found[0]], value)
            assert reader.entries[found[0]].shape == value.shape


def test_names_of_a_keras_2_file():
    with open_checkpoint(WEIGHTS / "keras2.h5") as reader:
        assert list(reader)[:3] == ["front/kernel", "front/bias", "norm/gamma"]
        assert "Adam/m/front/kernel" in reader
        for other in ("front/kernel:0", "model_weights/front/front/kernel:0", "model_weights/front/front/kernel"):
            assert reader.find(other) == "front/kernel"
        assert reader["memory/kernel"].shape == (3, 8)  # by layer, without its cell
        with pytest.raises(errors.NotFoundError, match="Did you mean"):
            reader["front/kernl"]


def test_names_of_a_keras_3_file():
    with open_checkpoint(WEIGHTS / "keras3.weights.h5") as reader:
        assert reader.find("layers/conv1d/vars/0") == "front/kernel"
        assert reader["optimizer/vars/0"].shape == ()
    with open_checkpoint(WEIGHTS / "keras3.keras") as reader:
        assert reader.format == "keras"
        assert reader.find("layers/conv1d/vars/0") == "front/kernel"


@pytest.mark.parametrize("file", FILES)
def test_to_a_checkpoint_and_back_into_the_same_layout(file, tmp_path):
    convert(WEIGHTS / file, tmp_path / "m")
    with open_checkpoint(WEIGHTS / file) as before, open_checkpoint(tmp_path / "m") as after:
        assert sorted(before) == sorted(after)
        for name in before:
            np.testing.assert_array_equal(before[name], after[name])
    if file.endswith(".keras"):
        return
    changed = {}
    with open_checkpoint(tmp_path / "m") as reader:
        changed = {name: np.asarray(reader[name] + 1, reader[name].dtype) for name in reader}
    np.savez(tmp_path / "changed.npz", **changed)
    done = convert(tmp_path / "changed.npz", tmp_path / "back.h5", template=WEIGHTS / file)
    assert (done.tensors, done.kept, done.dropped) == (len(changed), [], [])
    with h5py.File(WEIGHTS / file) as old, h5py.File(tmp_path / "back.h5") as new:
        paths = []
        old.visit(paths.append)
        for path in paths:
            assert dict(new[path].attrs).keys() == dict(old[path].attrs).keys()
            if isinstance(old[path], h5py.Dataset):
                np.testing.assert_array_equal(new[path][()], old[path][()] + 1)
        assert new.attrs.keys() == old.attrs.keys()


def test_a_template_that_does_not_fit(tmp_path):
    np.savez(tmp_path / "w.npz", **{"front/kernel": np.zeros((1, 1), np.float32)})
    with pytest.raises(errors.InvalidArgumentError, match=r"front/kernel: the template has float32 \[2, 4, 3\]"):
        convert(tmp_path / "w.npz", tmp_path / "x.h5", template=WEIGHTS / "keras2.h5")
    np.savez(tmp_path / "w.npz", other=1)
    with pytest.raises(errors.InvalidArgumentError, match="no tensor has the name of a weight"):
        convert(tmp_path / "w.npz", tmp_path / "x.h5", template=WEIGHTS / "keras2.h5")
    with pytest.raises(errors.InvalidArgumentError, match=r"a template is for an \.h5"):
        convert(tmp_path / "w.npz", tmp_path / "x.npz", template=WEIGHTS / "keras2.h5")
    assert [p.name for p in tmp_path.iterdir()] == ["w.npz"]


def test_part_of_the_weights(tmp_path):
    np.savez(tmp_path / "w.npz", **{"head/bias": np.full(2, 9, np.float32), "extra": 1})
    done = convert(tmp_path / "w.npz", tmp_path / "x.h5", template=WEIGHTS / "keras2_weights.h5")
    assert (done.tensors, len(done.kept), done.dropped) == (1, 11, ["extra"])
    with open_checkpoint(tmp_path / "x.h5") as reader:
        assert reader["head/bias"].tolist() == [9, 9]


def test_a_keras_archive_that_was_packed_anew(tmp_path):
    """An archive whose weights are deflated reads the same."""
    with (
        zipfile.ZipFile(WEIGHTS / "keras3.keras") as old,
        zipfile.ZipFile(tmp_path / "m.keras", "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    with open_checkpoint(WEIGHTS / "keras3.keras") as before, open_checkpoint(tmp_path / "m.keras") as after:
        assert list(before) == list(after)
        for name in before:
            np.testing.assert_array_equal(before[name], after[name])


def test_layers_of_one_name_are_told_apart(tmp_path):
    """Layers that share a weight's name, and lists of names in pieces, as in files of many layers."""
    with h5py.File(tmp_path / "w.h5", "w") as file:
        file.attrs["layer_names0"] = [b"one"]
        file.attrs["layer_names1"] = [b"two", b"empty"]
        for layer, weights in (("one", [b"kernel:0", b"bias:0"]), ("two", [b"kernel:0"])):
            group = file.create_group(layer)
            group.attrs["weight_names"] = weights
            for i, weight in enumerate(weights):
                group[weight.decode()] = np.float32(i + len(layer) * (layer == "two"))
        file.create_group("empty").attrs["weight_names"] = np.empty(0)
    with open_checkpoint(tmp_path / "w.h5") as reader:
        assert list(reader) == ["one/kernel", "bias", "two/kernel"]
        assert (reader["one/bias"], reader["two/kernel"]) == (1, 3)


def test_bfloat16_as_keras_3_stores_it(tmp_path):
    import ml_dtypes

    value = np.array([1.5, -2], ml_dtypes.bfloat16)
    with h5py.File(tmp_path / "w.weights.h5", "w") as file:
        file["layers/dense/vars/0"] = value
        file["layers/dense/vars/0"].attrs["dtype"] = "bfloat16"
        file["layers/dense/vars/1"] = value.view(np.uint16)
        file["layers/dense/vars/1"].attrs["dtype"] = "bfloat16"
    with open_checkpoint(tmp_path / "w.weights.h5") as reader:
        assert list(reader) == ["dense/kernel", "dense/bias"]
        for name in reader:
            assert reader[name].dtype == ml_dtypes.bfloat16
            np.testing.assert_array_equal(reader[name], value)


def test_other_files_and_links_are_left_out(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["secret"] = np.arange(3)
    (tmp_path / "raw").write_bytes(bytes(24))
    with h5py.File(tmp_path / "w.h5", "w") as file:
        file["plain"] = np.arange(3)
        file.create_dataset("external", (3,), "f8", external=[(str(tmp_path / "raw"), 0, 24)])
        layout = h5py.VirtualLayout((3,), "i8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "secret", (3,))
        file.create_virtual_dataset("virtual", layout)
        file["link"] = h5py.ExternalLink("other.h5", "secret")
        file["soft"] = h5py.SoftLink("/plain")
    with open_checkpoint(tmp_path / "w.h5") as reader:
        assert list(reader) == ["plain"]
        assert reader.left_out == {
            "external": "its elements are in another file",
            "virtual": "its elements are in another file",
        }
        with pytest.raises(errors.UnimplementedError, match="in another file"):
            reader["external"]
    assert ls(tmp_path / "w.h5").left_out.keys() == {"external", "virtual"}


@pytest.mark.parametrize(
    "name, group",
    [("Conv2D", "conv2d"), ("LSTM", "lstm"), ("BatchNormalization", "batch_normalization"), ("MyLayer", "my_layer")],
)
def test_groups_of_classes(name, group):
    assert keras_names.snake_case(name) == group


def test_closed_and_vanished(tmp_path):
    shutil.copy(WEIGHTS / "keras3.weights.h5", tmp_path / "w.h5")
    reader = open_checkpoint(tmp_path / "w.h5")
    reader.close()
    with pytest.raises(errors.FailedPreconditionError, match="closed"):
        reader["front/kernel"]


def test_a_file_that_the_program_has_open():
    with h5py.File(WEIGHTS / "keras3.weights.h5"), open_checkpoint(WEIGHTS / "keras3.weights.h5") as reader:
        assert "front/kernel" in reader
