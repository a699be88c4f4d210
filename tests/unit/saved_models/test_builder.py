"""Writing SavedModels: byte for byte what TensorFlow writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import icefloe as tf
from icefloe import errors
from icefloe.proto import POOL, CondContextDef, SavedModel, TensorInfo
from icefloe.saved_models.builder import SignatureSavedModelBuilder
from unit.saved_models.programs import PROGRAMS

GOLDENS = Path(__file__).resolve().parents[3] / "fixtures" / "saved_models"


def write(name: str, base: Path, monkeypatch: Any) -> Path:
    program = PROGRAMS[name]
    for file, content in program.files.items():
        (base / file).parent.mkdir(parents=True, exist_ok=True)
        (base / file).write_text(content)
    monkeypatch.chdir(base)
    with tf.Graph().as_default():
        program.write(tf, "model", SignatureSavedModelBuilder)
    return base / "model"


def parsed(data: bytes) -> tuple[SavedModel, list[Any]]:
    """Return the model and its cond contexts apart: TensorFlow writes their maps in any order."""
    model = SavedModel.FromString(data)
    contexts = []
    for graph in model.meta_graphs:
        if "cond_context" in graph.collection_def:
            contexts += [CondContextDef.FromString(v) for v in graph.collection_def["cond_context"].bytes_list.value]
            del graph.collection_def["cond_context"]
    return model, contexts


@pytest.mark.parametrize("name", PROGRAMS)
def test_bytes_are_those_of_tensorflow(name, tmp_path, monkeypatch):
    mine, golden = write(name, tmp_path, monkeypatch), GOLDENS / name
    files = sorted(str(f.relative_to(golden)) for f in golden.rglob("*") if f.is_file())
    assert sorted(str(f.relative_to(mine)) for f in mine.rglob("*") if f.is_file()) == files
    for file in files:
        if file != "saved_model.pb":
            assert (mine / file).read_bytes() == (golden / file).read_bytes(), file
    ours, theirs = (mine / "saved_model.pb").read_bytes(), (golden / "saved_model.pb").read_bytes()
    version = SavedModel.FromString(theirs).meta_graphs[0].meta_info_def.tensorflow_git_version
    (model, contexts), (wanted, wanted_contexts) = parsed(ours), parsed(theirs)
    assert contexts == wanted_contexts
    for graph in model.meta_graphs:
        assert graph.meta_info_def.tensorflow_git_version == tf.GIT_VERSION
        graph.meta_info_def.tensorflow_git_version = version
    assert model.SerializeToString(deterministic=True) == wanted.SerializeToString(deterministic=True)
    assert SavedModel.FromString(ours).SerializeToString(deterministic=True) == ours


@pytest.fixture
def model(tmp_path):
    """A session with one variable, and a builder."""
    with tf.Graph().as_default():
        tf.get_variable("v", initializer=np.float32(2), use_resource=True)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            yield sess, tf.saved_model.Builder(tmp_path / "model")


def test_variables_first_and_once(model):
    sess, builder = model
    with pytest.raises(AssertionError, match="has not been saved yet"):
        builder.add_meta_graph(["serve"])
    builder.add_meta_graph_and_variables(sess, ["serve"])
    with pytest.raises(errors.FailedPreconditionError, match="has already been saved"):
        builder.add_meta_graph_and_variables(sess, ["train"])


def test_the_graph_is_that_of_the_session(model, tmp_path):
    sess, builder = model
    with tf.Graph().as_default():
        builder.add_meta_graph_and_variables(sess, ["serve"])
    builder.save()
    with tf.load_saved_model(tmp_path / "model") as loaded:
        assert loaded.session.run("v/Read/ReadVariableOp:0") == 2


def test_directory_with_something_in_it(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        tf.saved_model.Builder(tmp_path)
    with pytest.raises(errors.AlreadyExistsError):
        tf.saved_model.Builder(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_text(model, tmp_path):
    sess, builder = model
    builder.add_meta_graph_and_variables(sess, ["serve"])
    path = builder.save(as_text=True)
    assert path == bytes(tmp_path / "model" / "saved_model.pbtxt")
    found = text_format.Parse(Path(path.decode()).read_text(), SavedModel(), descriptor_pool=POOL)
    assert [list(graph.meta_info_def.tags) for graph in found.meta_graphs] == [["serve"]]
    with tf.load_saved_model(tmp_path / "model") as loaded:
        assert loaded.session.run("v/Read/ReadVariableOp:0") == 2


def test_signatures_are_checked(model):
    sess, builder = model
    for bad in (TensorInfo(name="x:0"), TensorInfo(dtype=1), TensorInfo()):
        signature = tf.saved_model.build_signature_def({"x": bad})
        with pytest.raises(AssertionError, match="must have"):
            builder.add_meta_graph_and_variables(sess, ["serve"], {"s": signature})
    good = tf.saved_model.build_signature_def({"x": TensorInfo(name="x:0", dtype=1)})
    for key in ("__saved_model_init_op", "__saved_model_train_op"):
        with pytest.raises(KeyError, match="is reserved"):
            builder.add_meta_graph_and_variables(sess, ["serve"], {key: good})


def test_one_main_op(model):
    sess, builder = model
    op = tf.no_op()
    with pytest.raises(TypeError, match="to be an Operation"):
        builder.add_meta_graph_and_variables(sess, ["serve"], main_op=tf.constant(1))
    tf.add_to_collection("legacy_init_op", op)
    with pytest.raises(ValueError, match="already contains one or more main ops under the collection legacy_init_op"):
        builder.add_meta_graph_and_variables(sess, ["serve"], main_op=op)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: "file.txt", TypeError, "must be a Tensor"),
        (lambda: tf.placeholder(tf.string, []), TypeError, "must be of type constant"),
        (lambda: tf.constant(1), TypeError, "must be of dtype string"),
        (lambda: tf.constant(["a", "b"]), TypeError, "must be a scalar"),
        (lambda: tf.constant(""), ValueError, "is invalid"),
    ],
)
def test_assets_are_checked(model, make, error, text):
    sess, builder = model
    with pytest.raises(error, match=text):
        builder.add_meta_graph_and_variables(sess, ["serve"], assets_collection=[make()])


def test_assets_of_one_content_share_a_file(model, tmp_path):
    sess, builder = model
    tensors = []
    for folder, text in (("a", "same"), ("b", "same"), ("c", "other"), ("d", "third")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "words").write_text(text)
        tensors.append(tf.saved_model.Asset(tmp_path / folder / "words").asset_path)
    builder.add_meta_graph_and_variables(sess, ["serve"], assets_collection=tensors)
    builder.save()
    found = {f.name: f.read_text() for f in (tmp_path / "model" / "assets").iterdir()}
    assert found == {"words": "same", "words_1": "other", "words_2": "third"}
    with tf.load_saved_model(tmp_path / "model") as loaded:
        names = [Path(path).name for path in loaded.assets.values()]
    assert names == ["words", "words", "words_1", "words_2"]


@pytest.mark.parametrize("by", ["operation", "name"])
def test_main_op_with_restore(model, tmp_path, by):
    """It initialises first, and so does not undo what was restored."""
    sess, _ = model
    v = tf.global_variables()[0]
    saver = tf.train.Saver(filename=str(tmp_path / "saved"))
    sess.run(v.assign(9.0))
    saver.save(sess, tmp_path / "saved")
    name = saver.saver_def.restore_op_name
    main = tf.saved_model.main_op_with_restore(name if by == "name" else sess.graph.get_operation_by_name(name))
    sess.run(main)
    assert sess.run(v) == 9


def test_what_there_is_not(tmp_path):
    with pytest.raises(errors.UnimplementedError):
        tf.saved_model.Builder(tmp_path / "m").save(experimental_image_format=True)
