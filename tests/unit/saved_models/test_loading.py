"""Loading SavedModels that TensorFlow wrote, and what they give."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from google.protobuf import text_format

import icefloe as tf
from icefloe import errors
from icefloe.proto import POOL, SavedModel
from unit.saved_models.programs import PROGRAMS

GOLDENS = Path(__file__).resolve().parents[3] / "fixtures" / "saved_models"


def same(value, want):
    value = np.asarray(value)
    if value.dtype == object:
        value = value.astype("S")
    np.testing.assert_allclose(value, want, rtol=1e-6) if want.dtype.kind != "S" else np.testing.assert_equal(
        value, want
    )
    assert value.shape == want.shape


CALLS = [(name, number) for name, program in PROGRAMS.items() for number in range(len(program.calls))]


@pytest.mark.parametrize(("name", "number"), CALLS)
def test_signatures_give_what_tensorflow_gave(name, number):
    tags, key, inputs = PROGRAMS[name].calls[number]
    with np.load(GOLDENS / f"{name}.npz") as file:
        want = {k.partition("/")[2]: v for k, v in file.items() if k.startswith(f"{number}/")}
    with tf.load_saved_model(GOLDENS / name, tags) as model:
        assert set(model.tags) == set(tags)
        found = model.signatures[key](**inputs)
        assert found.keys() == want.keys()
        for output, value in found.items():
            same(value, want[output])


@pytest.mark.parametrize("name", PROGRAMS)
def test_load_into_a_session(name):
    """TensorFlow's own function gives the same; names get the scope."""
    for number, (tags, key, inputs) in enumerate(PROGRAMS[name].calls):
        with np.load(GOLDENS / f"{name}.npz") as file, tf.Session(graph=tf.Graph()) as sess:
            definition = tf.saved_model.load(sess, tags, str(GOLDENS / name), import_scope="below").signature_def[key]
            feed = {f"below/{definition.inputs[k].name}": v for k, v in inputs.items()}
            for output, info in definition.outputs.items():
                same(sess.run(f"below/{info.name}", feed), file[f"{number}/{output}"])


def test_what_a_model_says_of_itself():
    with tf.load_saved_model(GOLDENS / "simple") as model:
        signature = model.signatures["serving_default"]
        assert list(model.signatures) == ["serving_default"]
        assert signature.method_name == "tensorflow/serving/predict"
        x = signature.inputs["x"]
        assert (x.name, x.dtype, x.shape) == ("x:0", tf.float32, (None, 2))
        assert list(signature.outputs) == ["twice", "y"]
        assert model.meta_graph.graph_def.node[0].name == "x"
        assert model.graph.signature_defs.keys() == {"serving_default"}
        assert len(model.functions) == 0
    with pytest.raises(RuntimeError, match="closed"):
        model.session.run("x:0")


def test_init_op_of_a_signature_and_assets():
    with tf.load_saved_model(GOLDENS / "signed") as model:
        assert list(model.signatures) == ["sum"]  # not those that name the init and train ops
        assert model.assets == {
            "first:0": str(GOLDENS / "signed" / "assets" / "words.txt"),
            "second:0": str(GOLDENS / "signed" / "assets" / "words.txt_1"),
        }
        assert model.signatures["sum"]()["total"] == 13  # a local variable that the init op set


def test_sparse_inputs():
    value = tf.SparseTensorValue([[0, 1], [1, 3]], np.float32([1, 10]), [2, 4])
    with tf.load_saved_model(GOLDENS / "sparse") as model:
        assert model.tags == ()
        assert model.signatures["serving_default"].inputs["sp"].is_sparse
        np.testing.assert_array_equal(model.signatures["serving_default"](sp=value)["y"], [[2], [20]])


# Inputs


@pytest.fixture(scope="module")
def simple():
    with tf.load_saved_model(GOLDENS / "simple") as model:
        yield model.signatures["serving_default"]


def test_one_input_by_position(simple):
    np.testing.assert_array_equal(simple([[0, 0]])["y"], [[0.5, -0.5, 0]])


@pytest.mark.parametrize(
    ("args", "inputs", "text"),
    [
        ((), {}, "missing input 'x'; given were none"),
        ((), {"x": [[1, 2]], "z": 1}, "no input 'z'; its inputs are 'x'"),
        ((), {"x": [1, 2]}, r"input 'x': expected shape \[\?, 2\], got \[2\]"),
        ((), {"x": [[1, 2, 3]]}, r"expected shape \[\?, 2\], got \[1, 3\]"),
        ((), {"x": [[1, 2], [3]]}, "input 'x'"),
        ((), {"x": [["a", "b"]]}, "serving_default"),
        (([[1, 2]], 1), {}, "inputs are given by name: 'x'"),
    ],
)
def test_inputs_that_do_not_fit(simple, args, inputs, text):
    with pytest.raises(errors.InvalidArgumentError, match=text):
        simple(*args, **inputs)


def test_default_values(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        x, c = tf.placeholder(tf.float32, [], name="x"), tf.placeholder(tf.float32, [], name="c")
        signature = tf.saved_model.build_signature_def(
            {k: tf.saved_model.build_tensor_info(t) for k, t in (("x", x), ("c", c))},
            {"y": tf.saved_model.build_tensor_info(x * c)},
            "m",
            defaults={"c": tf.constant(3.0)},
        )
        builder = tf.saved_model.Builder(tmp_path / "m")
        builder.add_meta_graph_and_variables(sess, ["serve"], {"s": signature})
        builder.save()
    with tf.load_saved_model(tmp_path / "m") as model:
        found = model.signatures["s"]
        assert found.optional == {"c"}
        assert found(x=2.0)["y"] == 6
        assert found(x=2.0, c=5.0)["y"] == 10


# Tags


def test_tags_are_a_set():
    for tags in (["again", "serve"], ("serve", "again", "serve"), {"again", "serve"}):
        with tf.load_saved_model(GOLDENS / "tables", tags) as model:
            assert model.tags == ("serve", "again")
    with tf.load_saved_model(GOLDENS / "tables", "serve") as model:
        assert model.tags == ("serve",)
    with tf.load_saved_model(GOLDENS / "tables") as model:
        assert model.tags == ("serve",)


def test_missing_tags_are_named_with_what_there_is():
    with pytest.raises(errors.NotFoundError, match="no graph with the tags gpu, serve; .* are: serve; serve, again"):
        tf.load_saved_model(GOLDENS / "tables", ["serve", "gpu"])
    with pytest.raises(RuntimeError, match=r"MetaGraphDef associated with tags 'x' could not be found .*'again'"):
        tf.saved_model.load(tf.Session(graph=tf.Graph()), ["x"], str(GOLDENS / "tables"))
    with pytest.raises(LookupError, match='Could not find signature "predict". Please choose from: serving_default'):
        tf.load_saved_model(GOLDENS / "simple").signatures["predict"]


def test_load_graph_of_a_directory():
    graph = tf.load_graph(GOLDENS / "tables", tags=["serve", "again"])
    assert graph.get_operation_by_name("main").type == "NoOp"
    assert [v.name for v in graph.get_collection("variables")] == ["scale:0"]
    stored = SavedModel.FromString((GOLDENS / "tables" / "saved_model.pb").read_bytes())
    serving = tf.load_graph(GOLDENS / "tables" / "saved_model.pb")
    assert [op.name for op in serving.get_operations()] == [n.name for n in stored.meta_graphs[0].graph_def.node]
    data = (GOLDENS / "simple" / "saved_model.pb").read_bytes()
    assert tf.load_graph(data).get_operation_by_name("y").type == "AddV2"


# Files


@pytest.mark.parametrize("form", ["pbtxt", "text in .pb"])
def test_text(tmp_path, form):
    shutil.copytree(GOLDENS / "tables", tmp_path / "m")
    binary = tmp_path / "m" / "saved_model.pb"
    text = text_format.MessageToString(SavedModel.FromString(binary.read_bytes()), descriptor_pool=POOL)
    binary.unlink()
    (tmp_path / "m" / f"saved_model.pb{'txt' if form == 'pbtxt' else ''}").write_text(text)
    with tf.load_saved_model(tmp_path / "m") as model:
        np.testing.assert_array_equal(model.signatures["serving_default"](words=["green"])["ids"], [10])


def test_a_session_that_may_not_read_reads_its_own_model(tmp_path):
    shutil.copytree(GOLDENS / "tables", tmp_path / "m")
    (tmp_path / "secret").write_text("secret")
    with tf.load_saved_model(tmp_path / "m", config=tf.Config(files="none")) as model:
        np.testing.assert_array_equal(model.signatures["serving_default"](words=["green"])["ids"], [10])
        with model.graph.as_default():
            content = tf.read_file(str(tmp_path / "secret"))
            copy = tf.write_file(str(tmp_path / "m" / "assets" / "new"), "x")
        for op in (content, copy):
            with pytest.raises(errors.PermissionDeniedError):
                model.session.run(op)
    with tf.load_saved_model(GOLDENS / "objects", config=tf.Config(files="none")) as model:
        assert model.signatures["dense"](x=[[1, 2]])["output_0"].shape == (1, 2)


def test_no_variables_directory(tmp_path, caplog):
    shutil.copytree(GOLDENS / "simple", tmp_path / "m")
    shutil.rmtree(tmp_path / "m" / "variables")
    with tf.load_saved_model(tmp_path / "m") as model:
        assert "there is no checkpoint" in caplog.text
        with pytest.raises(errors.FailedPreconditionError):
            model.signatures["serving_default"](x=[[1, 2]])


def test_data_of_variables_missing(tmp_path):
    shutil.copytree(GOLDENS / "simple", tmp_path / "m")
    (tmp_path / "m" / "variables" / "variables.data-00000-of-00001").unlink()
    with pytest.raises(errors.NotFoundError, match="data-00000-of-00001"):
        tf.load_saved_model(tmp_path / "m")


@pytest.mark.parametrize("version", [1, 2])
def test_variables_of_another_format_or_name(tmp_path, version):
    """SavedModels of 2016 have V1 checkpoints, the first of them under another name."""
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=np.float32([1, 2]), use_resource=False)
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver(sharded=True, write_version=version)
        builder = tf.saved_model.Builder(tmp_path / "m")
        builder.add_meta_graph_and_variables(sess, ["serve"], saver=saver)
        builder.save()
        shutil.rmtree(tmp_path / "m" / "variables")
        (tmp_path / "m" / "variables").mkdir()
        saver.save(sess, tmp_path / "m" / "variables" / "saved_model_variables", write_meta_graph=False)
        name = v.name
    with tf.load_saved_model(tmp_path / "m") as model:
        np.testing.assert_array_equal(model.session.run(name), [1, 2])


def without_saver(directory: Path, *, init: bool = False) -> None:
    """Remove the SaverDef, and the main op unless `init`."""
    file = directory / "saved_model.pb"
    model = SavedModel.FromString(file.read_bytes())
    for graph in model.meta_graphs:
        graph.ClearField("saver_def")
        if not init:
            graph.collection_def.pop("saved_model_main_op", None)
    file.write_bytes(model.SerializeToString())


@pytest.mark.parametrize("name", ["simple", "resource", "tables", "sparse"])
def test_without_a_saver_variables_are_restored_by_name(tmp_path, name):
    """As modules of TensorFlow Hub are written: no SaverDef, no main op."""
    shutil.copytree(GOLDENS / name, tmp_path / "m")
    without_saver(tmp_path / "m")
    for number, (tags, key, inputs) in enumerate(PROGRAMS[name].calls):
        with np.load(GOLDENS / f"{name}.npz") as file, tf.load_saved_model(tmp_path / "m", tags) as model:
            for output, value in model.signatures[key](**inputs).items():
                same(value, file[f"{number}/{output}"])


def test_without_a_saver_objects_are_restored_by_their_paths(tmp_path):
    """Its variables all have one name."""
    shutil.copytree(GOLDENS / "objects", tmp_path / "m")
    without_saver(tmp_path / "m", init=True)
    with tf.load_saved_model(tmp_path / "m") as model:
        np.testing.assert_array_equal(model.signatures["dense"](x=[[1, 2]])["output_0"], [[17, 30]])
        assert model.functions["inner.shift"](1.0) == 3


def test_without_a_saver_what_is_not_stored_stays_uninitialised(tmp_path, caplog):
    with tf.Graph().as_default(), tf.Session() as sess:
        a = tf.get_variable("a", initializer=np.float32(1), use_resource=True)
        tf.get_variable("b", initializer=np.float32(2), use_resource=True)
        sess.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(tmp_path / "m")
        builder.add_meta_graph_and_variables(sess, ["serve"], saver=tf.train.Saver([a]))
        builder.save()
    without_saver(tmp_path / "m")
    with tf.load_saved_model(tmp_path / "m") as model:
        assert "stay uninitialised" in caplog.text
        assert model.session.run("a/Read/ReadVariableOp:0") == 1
        with pytest.raises(errors.FailedPreconditionError):
            model.session.run("b/Read/ReadVariableOp:0")


@pytest.mark.parametrize(
    ("content", "error", "text"),
    [
        (b"", errors.DataLossError, "Cannot parse file .*saved_model.pb: not a SavedModel, but an empty file"),
        (b"invalid content", errors.DataLossError, "but a text file"),
        (b"saved_model_schema_version: x", errors.DataLossError, "not a SavedModel in text form"),
        (b"\x89HDF\r\n\x1a\n", errors.InvalidArgumentError, "expected a SavedModel, got an HDF5 file"),
        (b"version https://git-lfs.github.com/spec/v1\n", errors.InvalidArgumentError, "git-LFS pointer"),
        (b"\x08\x01\x12\x03\xff\xfe\xfd", errors.DataLossError, "Cannot parse file"),
        (b"\x08\x01\x12\x03abc", errors.InvalidArgumentError, "expected a SavedModel, got an ONNX model"),
    ],
)
def test_files_that_are_something_else(tmp_path, content, error, text):
    (tmp_path / "saved_model.pb").write_bytes(content)
    for load in (tf.load_saved_model, tf.load_graph, tf.saved_model.load_v2):
        with pytest.raises(error, match=text) as caught:
            load(tmp_path)
        assert isinstance(caught.value, OSError)


def test_a_graph_in_its_place(tmp_path):
    tf.save_graph(tf.load_graph(GOLDENS / "simple"), tmp_path / "saved_model.pb")
    with pytest.raises(errors.InvalidArgumentError, match="expected a SavedModel, got a GraphDef") as caught:
        tf.load_saved_model(tmp_path)
    assert caught.value.hint == "icefloe.load_graph reads it."


def test_no_model(tmp_path):
    with pytest.raises(OSError, match="SavedModel file does not exist at: .*{saved_model"):
        tf.load_saved_model(tmp_path / "nowhere")
    with pytest.raises(errors.NotFoundError) as caught:
        tf.load_saved_model(GOLDENS)
    assert str(GOLDENS / "objects") in caught.value.hint
    assert not tf.saved_model.contains_saved_model(GOLDENS)
    assert tf.saved_model.maybe_saved_model_directory(GOLDENS / "simple")


def rename(graph, old: str, new: str) -> None:
    for node in graph.node:
        node.name = new if node.name == old else node.name
        for i, name in enumerate(node.input):
            node.input[i] = new if name == old else name


def test_what_tensorflow_is_strict_about(tmp_path):
    """Names that begin with `_`, odd versions, unknown and missing attrs and ops, shapes that contradict each other."""
    shutil.copytree(GOLDENS / "simple", tmp_path / "m")
    file = tmp_path / "m" / "saved_model.pb"
    model = SavedModel.FromString(file.read_bytes())
    graph = model.meta_graphs[0]
    graph.meta_info_def.tensorflow_version = "0.12.head"
    rename(graph.graph_def, "MatMul", "_MatMul")
    rename(graph.graph_def, "x", "_x")
    graph.signature_def["serving_default"].inputs["x"].name = "_x:0"
    nodes = {node.name: node for node in graph.graph_def.node}
    nodes["_MatMul"].attr["of_a_later_version"].b = False
    del nodes["_MatMul"].attr["transpose_b"]
    del nodes["y"].attr["_output_shapes"]
    for dims in nodes["_MatMul"].attr["_output_shapes"].list.shape:
        dims.dim.add(size=77)
    graph.graph_def.node.add(name="_strange", op="OpOfALaterVersion", input=["y"])
    graph.collection_def["variables"].bytes_list.value.append(b"\xff\xff")
    file.write_bytes(model.SerializeToString())
    with tf.load_saved_model(tmp_path / "m") as loaded:
        np.testing.assert_array_equal(loaded.signatures["serving_default"](x=[[1, 2]])["y"], [[9.5, 11.5, 15]])
        with pytest.raises(errors.UnimplementedError):
            loaded.session.run("_strange", {"_x:0": [[1, 2]]})


def test_two_init_ops(tmp_path):
    shutil.copytree(GOLDENS / "tables", tmp_path / "m")
    file = tmp_path / "m" / "saved_model.pb"
    model = SavedModel.FromString(file.read_bytes())
    model.meta_graphs[0].collection_def["saved_model_main_op"].node_list.value.append("main")
    file.write_bytes(model.SerializeToString())
    with pytest.raises(RuntimeError, match="Expected exactly one SavedModel init op"):
        tf.load_saved_model(tmp_path / "m")
