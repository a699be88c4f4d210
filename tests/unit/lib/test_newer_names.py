"""Names of TensorFlow 2: what they refuse, and what is not held against TensorFlow's values in `calls/`."""

from __future__ import annotations

import doctest
import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.enable_eager_execution(),
        lambda: tf.enable_v2_behavior(),
        lambda: tf.load_op_library("ops.so"),
        lambda: tf.load_library("ops.so"),
        lambda: tf.load_file_system_library("files.so"),
    ],
)
def test_what_graphs_cannot_be_raises_with_a_hint(call: Callable[[], None]) -> None:
    with pytest.raises(tf.errors.UnimplementedError) as raised:
        call()
    assert raised.value.hint


def test_a_branch_on_a_tensor_in_a_function_says_what_to_use() -> None:
    @tf.function
    def branching(a):
        return a if a > 0 else -a

    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"not translated: use tf\.cond"):
        branching(tf.constant(1.0))


def test_py_function_of_numpy_has_no_gradient() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        gradient = tf.gradients(tf.py_function(lambda a: np.sin(a.numpy()), [x], tf.float32), x)[0]
        with tf.Session() as session, pytest.raises(tf.errors.OpError, match="does not work on tensors"):
            session.run(gradient)


def test_a_function_does_not_keep_its_object_nor_its_graph_alive() -> None:
    class Model:
        @tf.function
        def __call__(self, a):
            return a * 2.0

    model, graph = Model(), tf.Graph()
    with graph.as_default():
        model(tf.constant(1.0))
    kept_graph, kept_model = weakref.ref(graph), weakref.ref(model)
    del graph, model
    gc.collect()
    assert kept_graph() is None
    assert kept_model() is None


def test_a_function_is_called_in_a_loaded_graph() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.Variable(3.0, use_resource=True, name="v")
        y = tf.identity(tf.function(lambda a: a * v)(x), name="y")
        gradient = tf.gradients(y, x)[0].name
        made = tf.train.export_meta_graph()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(made)
        session.run("v/Assign")
        assert session.run("y:0", {"x:0": [1.0, 2.0]}).tolist() == [3.0, 6.0]
        assert session.run(gradient, {"x:0": [1.0, 2.0]}).tolist() == [
            3.0,
            3.0,
        ]


def test_status_raises_the_error_of_its_code() -> None:
    with (
        pytest.raises(tf.errors.NotFoundError, match="no such"),
        tf.errors.raise_exception_on_not_ok_status() as status,
    ):
        status.set(tf.errors.NOT_FOUND, "no such thing")
    with tf.errors.raise_exception_on_not_ok_status():
        pass


def test_casts_of_specs() -> None:
    with tf.Graph().as_default():
        spec = tf.TensorSpec([2, None], tf.float32, "n")
        assert spec.cast([[1.0, 2.0], [3.0, 4.0]]).shape == [2, 2]
        with pytest.raises(TypeError, match="Can not cast TensorSpec"):
            spec.cast(tf.ones([3]))
        sparse = tf.SparseTensorSpec([2, None], tf.float32)
        assert sparse.cast(tf.SparseTensor([[0, 0]], [1.0], [2, 2])).dtype == tf.float32
        made = sparse.placeholder_value()
        assert made.dtype == tf.float32
        assert made.shape.as_list() == [2, None]
        assert spec.placeholder_value().op.type == "Placeholder"
        assert tf.NoneTensorSpec().cast(None) is None


def test_a_spec_message_of_another_class_is_refused() -> None:
    with pytest.raises(TypeError, match="IndexedSlicesSpec"):
        tf.IndexedSlicesSpec.experimental_from_proto(tf.SparseTensorSpec([2]).experimental_as_proto())


def test_the_examples_of_the_page_run() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "networks.md"
    with tf.Graph().as_default():
        result, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried >= 20
    assert result == 0


def test_the_spec_of_an_optional() -> None:
    with tf.Graph().as_default():
        optional = tf.data.experimental.Optional.from_value(tf.constant([1.0, 2.0]))
        assert tf.OptionalSpec.from_value(optional).flatten() == [tf.TensorSpec([], tf.variant)]


def test_log_sums_of_nested_ragged_tensors() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        deep = tf.ragged.constant([[[1.0], [2.0, 3.0]], [], [[700.0, 700.0]]])
        inner, kept, all_of_them = session.run(
            [
                tf.reduce_logsumexp(deep, axis=2),
                tf.reduce_logsumexp(deep, -1, keepdims=True),
                tf.reduce_logsumexp(deep),
            ]
        )
    wanted = [1.0, np.logaddexp(2.0, 3.0), 700.0 + np.log(2.0)]
    assert [len(row) for row in inner.to_list()] == [2, 0, 1]
    np.testing.assert_allclose(inner.values, wanted, rtol=1e-6)
    np.testing.assert_allclose(np.ravel(kept.flat_values), wanted, rtol=1e-6)
    np.testing.assert_allclose(all_of_them, 700.0 + np.log(2.0), rtol=1e-6)
