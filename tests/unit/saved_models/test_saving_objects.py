"""Objects that icefloe saves, and objects of loaded models, against what TensorFlow 2.21 wrote and computed
(fixtures/make/saved_objects.py).
"""

import os
from pathlib import Path

import numpy as np
import pytest
from google.protobuf.message import DecodeError

import icefloe as tf
from icefloe import errors
from unit.saved_models.object_programs import CALLS, VOCABULARY, described, make, signatures

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "saved_models"
GOLDEN = np.load(FIXTURES / "saved_objects.npz")


@pytest.fixture
def written(tmp_path):
    """A model that icefloe wrote, whose vocabulary is nowhere else any more."""
    vocabulary = tmp_path / "words.txt"
    vocabulary.write_text(VOCABULARY)
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_creator_scope(lambda make_one, **kw: make_one(**{**kw, "use_resource": True})):
            model = make(tf, str(vocabulary))
        sess.run(tf.global_variables_initializer())
        tf.saved_model.save(model, tmp_path / "model", signatures=signatures(model))
    vocabulary.unlink()
    return tmp_path / "model"


@pytest.fixture(params=["icefloe", "tensorflow"])
def loaded(request):
    """The same model, from either writer."""
    if request.param == "icefloe":
        directory = request.getfixturevalue("written")
    else:
        directory = FIXTURES / "saved_objects"
    with tf.load_saved_model(directory) as model:
        yield model


def of_path(value, path):
    for part in path.split("."):
        if part.isdecimal():
            value = value[int(part)]
        else:
            value = value[part] if isinstance(value, dict) else getattr(value, part)
    return value


def test_functions_give_what_they_gave(loaded):
    for number, (path, args, kwargs) in enumerate(CALLS):
        found = tf.nest.flatten(of_path(loaded, path)(*args, **kwargs))
        for leaf, value in enumerate(found):
            np.testing.assert_array_equal(value, GOLDEN[f"{number}/{leaf}"], err_msg=path)
    y = loaded.signatures["serving_default"](x=[[1, 2]])["y"]
    np.testing.assert_array_equal(y, GOLDEN["0/1"])


def test_the_object_graph_is_that_of_tensorflow(written):
    with tf.load_saved_model(written) as model:
        assert described(model.meta_graph.object_graph_def) == (FIXTURES / "saved_objects.txt").read_text()
    assert (written / "assets" / "words.txt").read_text() == VOCABULARY


def test_variables_are_variables(loaded, tmp_path):
    assert [v.trainable for v in (loaded.kernel, loaded.steps)] == [True, False]
    assert len(loaded.variables) == 8
    assert len(loaded.trainable_variables) == 7
    with loaded.graph.as_default(), loaded.session.as_default() as sess:
        assert loaded.signatures["count"](2)["output_0"] == 5
        assert sess.run(loaded.steps) == 5
        checkpoint = tf.train.Checkpoint(model=loaded.root)
        prefix = checkpoint.save(tmp_path / "objects")
        saver = tf.train.Saver({"kernel": loaded.kernel})
        saved = saver.save(sess, tmp_path / "named")
        sess.run([loaded.kernel.assign(np.zeros((2, 2))), loaded.steps.assign(0)])
        np.testing.assert_array_equal(loaded.dense([[1, 2]])["y"], [[11, 22]])
        saver.restore(sess, saved)
        np.testing.assert_array_equal(sess.run(loaded.kernel), [[1, 2], [3, 4]])
        checkpoint.restore(prefix).assert_consumed().run_restore_ops()
        assert sess.run(loaded.steps) == 5
        gradient = tf.gradients(tf.reduce_sum(loaded.kernel * 3.0), loaded.kernel)[0]
        np.testing.assert_array_equal(sess.run(gradient), np.full((2, 2), 3))


def test_reference_variables_become_resources(tmp_path):
    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.by = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def scaled(self, x):
            return x * self.by, self.by

    with tf.Graph().as_default(), tf.Session() as sess:
        model = Scaled()
        sess.run(model.by.initializer)
        tf.saved_model.save(model, tmp_path / "m")
        sess.run(model.by.assign(9.0))
        assert sess.run(model.scaled(tf.constant(1.0))) == (9, 9)
    with tf.load_saved_model(tmp_path / "m") as found:
        assert found.scaled(3) == (6, 2)
        found.session.run(found.by.assign(5.0))
        assert found.scaled(3) == (15, 5)
        assert found.signatures["serving_default"](3) == {"output_0": 15, "output_1": 5}


def test_what_is_refused_leaves_nothing_behind(tmp_path):
    class Model(tf.Module):
        pass

    spec = tf.TensorSpec([], tf.float32)

    def refused(error, match, **attributes):
        model = Model()
        vars(model).update(attributes)
        with pytest.raises(error, match=match):
            tf.saved_model.save(model, tmp_path / "m")
        assert os.listdir(tmp_path) == []

    with tf.Graph().as_default(), tf.Session() as sess:
        own = tf.Variable(1.0, use_resource=True)
        changed = tf.Variable(1.0)
        fed = tf.placeholder(tf.float32, [])
        sess.run(tf.global_variables_initializer())
        with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
            tf.saved_model.save(object(), tmp_path / "m")
        refused(AssertionError, "'untracked' resource", f=tf.function(lambda x: x * own, [spec]))
        refused(errors.UnimplementedError, "depends on 'Placeholder'", f=tf.function(lambda x: x * fed, [spec]))
        refused(
            errors.UnimplementedError,
            "may change it",
            v=changed,
            f=tf.function(lambda x: changed.assign_add(x), [spec]),
        )
        refused(errors.UnimplementedError, "Dataset", data=tf.data.Dataset.range(3))
        table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2)
        refused(errors.UnimplementedError, "DenseHashTable", table=table)
        refused(ValueError, "named 'signatures'", signatures=[])
        with pytest.raises(ValueError, match="Only `tf.functions` with an input signature"):
            tf.saved_model.save(Model(), tmp_path / "m", signatures=tf.function(lambda x: x))
        tf.Variable(2.0, name="later")
        model = Model()
        model.later = tf.Variable(2.0, name="later")
        with pytest.raises(errors.FailedPreconditionError):  # not initialized
            tf.saved_model.save(model, tmp_path / "m")
    with tf.Graph().as_default():
        model = Model()
        model.v = tf.Variable(1.0)
        with pytest.raises(RuntimeError, match="no default session"):
            tf.saved_model.save(model, tmp_path / "m")
    assert os.listdir(tmp_path) == []


def test_a_model_is_replaced_as_a_whole(tmp_path, monkeypatch):
    class Model(tf.Module):
        def __init__(self, value):
            super().__init__()
            self.v = tf.Variable(value)

    directory = tmp_path / "m"
    with tf.Graph().as_default(), tf.Session() as sess:
        models = [Model(1.0), Model(2.0), Model(3.0)]
        sess.run(tf.global_variables_initializer())
        tf.saved_model.save(models[0], directory)
        (directory / "assets.extra").mkdir()
        tf.saved_model.save(models[1], directory)
        before = sorted(os.listdir(directory))
        assert before == ["assets.extra", "saved_model.pb", "variables"]
        monkeypatch.setattr("icefloe.saved_models.assets.copy_all", lambda *_: os.stat(tmp_path / "nowhere"))
        with pytest.raises(errors.NotFoundError):
            tf.saved_model.save(models[2], directory)
    assert os.listdir(tmp_path) == ["m"]
    with tf.load_saved_model(directory) as found:
        assert found.session.run(found.v) == 2


def test_loops_optimizers_and_objects_that_own_each_other(tmp_path):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable([1.0, 2.0], use_resource=True)
            self.child = tf.Module()
            self.child.parent = self

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def looped(self, x):
            _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * self.v), (tf.constant(0), x))
            return tf.cond(tf.reduce_sum(y) > 0, lambda: y + self.v, lambda: y)

        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
        def ragged(self, rows):
            return tf.reduce_sum(rows, axis=1)

    with tf.Graph().as_default(), tf.Session() as sess:
        model = Model()
        model.optimizer = tf.train.AdamOptimizer(0.1)
        train = model.optimizer.minimize(tf.reduce_sum(model.v), var_list=[model.v])
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        expected = sess.run(model.looped(tf.constant([1.0, 1.0])))
        tf.saved_model.save(tf.train.Checkpoint(model=model), tmp_path / "m")
    with tf.load_saved_model(tmp_path / "m") as found:
        np.testing.assert_array_equal(found.model.looped([1, 1]), expected)
        assert found.model.child.parent is found.model
        assert found.model.optimizer.beta1_power in found.variables
        assert len(found.variables) == 3
        with pytest.raises(errors.UnimplementedError, match="RaggedTensorSpec"):
            found.model.ragged([[1.0]])
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = found.nothing


def test_damaged_object_graphs_give_errors_or_objects():
    with tf.load_saved_model(FIXTURES / "saved_objects") as model:
        message = model.meta_graph
    whole = message.object_graph_def.SerializeToString()
    random = np.random.default_rng(0)
    refused = 0
    for place in random.integers(0, len(whole), 40):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(random.integers(8))
        try:
            message.object_graph_def.ParseFromString(bytes(damaged))
        except DecodeError:
            continue
        with tf.load_saved_model(FIXTURES / "saved_objects") as found:
            found._stored.info.object_graph_def.CopyFrom(message.object_graph_def)
            try:
                assert found.root is not None
                assert all(isinstance(v, tf.Variable) for v in found.variables)
            except errors.OpError:
                refused += 1
    assert refused < 40
