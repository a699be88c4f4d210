"""`MethodNameUpdater`, as TensorFlow's behaves."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from google.protobuf import text_format

import icefloe as tf
from icefloe.proto import POOL, SavedModel

GOLDENS = Path(__file__).resolve().parents[3] / "fixtures" / "saved_models"


def methods(directory: Path) -> list[str]:
    data = (directory / "saved_model.pb").read_bytes()
    return [g.signature_def["serving_default"].method_name for g in SavedModel.FromString(data).meta_graphs]


@pytest.fixture
def model(tmp_path):
    shutil.copytree(GOLDENS / "tables", tmp_path / "m")
    return tmp_path / "m"


PREDICT = "tensorflow/serving/predict"


@pytest.mark.parametrize(
    ("tags", "want"),
    [(None, ["new", "new"]), ("serve", ["new", PREDICT]), (["again", "serve"], [PREDICT, "new"])],
)
def test_replace(model, tags, want):
    updater = tf.saved_model.signature_def_utils.MethodNameUpdater(model)
    updater.replace_method_name("serving_default", "new", tags)
    assert methods(model) == [PREDICT, PREDICT]
    updater.save()
    assert methods(model) == want
    with tf.load_saved_model(model) as loaded:
        assert loaded.signatures["serving_default"].method_name == want[0]


def test_nothing_else_changes(model):
    before = (model / "saved_model.pb").read_bytes()
    tf.saved_model.signature_def_utils.MethodNameUpdater(model).save()
    assert (model / "saved_model.pb").read_bytes() == before


def test_save_elsewhere_and_text(model, tmp_path):
    binary = model / "saved_model.pb"
    stored = SavedModel.FromString(binary.read_bytes())
    (model / "saved_model.pbtxt").write_text(text_format.MessageToString(stored, descriptor_pool=POOL))
    binary.unlink()
    updater = tf.saved_model.signature_def_utils.MethodNameUpdater(model)
    updater.replace_method_name("serving_default", "new")
    (tmp_path / "other").mkdir()
    updater.save(tmp_path / "other")
    found = text_format.Parse(
        (tmp_path / "other" / "saved_model.pbtxt").read_text(), SavedModel(), descriptor_pool=POOL
    )
    assert found.meta_graphs[0].signature_def["serving_default"].method_name == "new"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("", "m"), "`signature_key` must be defined"),
        (("serving_default", ""), "`method_name` must be defined"),
        (("other", "m"), "does not have a signature_def with key: 'other'"),
        (("serving_default", "m", "gpu"), r"MetaGraphDef associated with tags \['gpu'\] could not be found"),
    ],
)
def test_what_is_not_there(model, arguments, text):
    with pytest.raises(ValueError, match=text):
        tf.saved_model.signature_def_utils.MethodNameUpdater(model).replace_method_name(*arguments)


def test_no_model(tmp_path):
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.signature_def_utils.MethodNameUpdater(tmp_path)
