"""Programs that write SavedModels, run twice: by TensorFlow for the goldens (fixtures/make/saved_models.py), by icefloe in
the tests.

A program takes `tf`, `tensorflow.compat.v1` or `icefloe`, the directory to write to and the builder that names init ops in
signatures. Every path in the graph is relative to the working directory, so that no golden holds one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

VOCABULARY = "red\ngreen\nblue\n"


@dataclass(frozen=True)
class Program:
    """A SavedModel that is written, and calls of its signatures: tags, signature and inputs of each."""

    write: Callable[[Any, str, Any], Any]
    calls: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = ()
    # Files to put into the working directory first.
    files: dict[str, str] = field(default_factory=dict)


def simple(tf: Any, directory: str, builder: Any) -> None:
    """`simple_save` of reference variables."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.Variable(np.float32([[1, 2, 3], [4, 5, 6]]), name="w", use_resource=False)
    b = tf.Variable(np.float32([0.5, -0.5, 0]), name="b", use_resource=False)
    with tf.device("/cpu:0"):
        y = tf.add(tf.matmul(x, w), b, name="y")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(sess, directory, inputs={"x": x}, outputs={"y": y, "twice": y * 2.0})


def resource(tf: Any, directory: str, builder: Any) -> None:
    """Resource variables, a cond, no default attrs, a signature for regression beside that for prediction."""
    x = tf.placeholder(tf.float32, [None], name="x")
    texts = tf.placeholder(tf.string, [None], name="texts")
    with tf.variable_scope("net"):
        v = tf.get_variable("v", initializer=np.float32(3), use_resource=True)
        n = tf.get_variable("n", initializer=np.int64(7), trainable=False, use_resource=True)
    y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * v, lambda: x - v, name="choose")
    numbers = tf.string_to_number(texts, name="numbers")
    signatures = {
        "serving_default": tf.saved_model.predict_signature_def({"x": x}, {"y": y, "n": tf.identity(n)}),
        "regress": tf.saved_model.regression_signature_def(texts, numbers * v),
    }
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        made = tf.saved_model.Builder(directory)
        made.add_meta_graph_and_variables(sess, ["serve", "cpu"], signatures, strip_default_attrs=True)
        made.save()


def tables(tf: Any, directory: str, builder: Any) -> None:
    """Two graphs over one set of variables; a table filled from an asset by the main op."""

    def graph() -> Any:
        path = tf.constant("vocabulary.txt", name="path")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
        initializer = tf.lookup.TextFileInitializer(
            path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
        )
        table = tf.lookup.StaticHashTable(initializer, -1)
        scale = tf.get_variable("scale", initializer=np.int64(10), use_resource=False)
        words = tf.placeholder(tf.string, [None], name="words")
        ids = tf.multiply(table.lookup(words), scale, name="ids")
        signatures = {"serving_default": tf.saved_model.predict_signature_def({"words": words}, {"ids": ids})}
        return signatures, tf.group(tf.tables_initializer(), name="main")

    made = tf.saved_model.Builder(directory)
    with tf.Graph().as_default():
        signatures, main = graph()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
            made.add_meta_graph_and_variables(sess, ["serve"], signatures, assets_collection=assets, main_op=main)
    with tf.Graph().as_default():
        signatures, main = graph()
        assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        made.add_meta_graph(["serve", "again"], signatures, assets_collection=assets, main_op=main, clear_devices=True)
    made.save()


def signed(tf: Any, directory: str, builder: Any) -> None:
    """The builder that names init and train op in signatures; assets of one name and other content."""
    v = tf.get_variable("v", initializer=np.float32([1, 2]), use_resource=True)
    local = tf.get_variable(
        "local", initializer=np.float32(5), collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=True
    )
    init = tf.group(tf.local_variables_initializer(), name="init")
    train = tf.assign_add(v, [1.0, 1.0], name="train")
    first, second = tf.constant("a/words.txt", name="first"), tf.constant("b/words.txt", name="second")
    total = tf.reduce_sum(v + local, name="total")
    text = tf.string_join([first, second], name="text")
    infos = {"total": tf.saved_model.build_tensor_info(total), "text": tf.saved_model.build_tensor_info(text)}
    signature = tf.saved_model.build_signature_def({}, infos, "tensorflow/serving/predict")
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        made = builder(directory)
        made.add_meta_graph_and_variables(
            sess, ["serve"], {"sum": signature}, assets_list=[first, second], init_op=init, train_op=train.op
        )
        made.save()


def sparse(tf: Any, directory: str, builder: Any) -> None:
    """A SparseTensor as input, a partitioned variable."""
    sp = tf.sparse_placeholder(tf.float32, [2, 4], name="sp")
    with tf.variable_scope("part", partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable("w", [4, 1], initializer=tf.constant_initializer(2.0), use_resource=False)
    y = tf.sparse_tensor_dense_matmul(sp, tf.identity(w), name="y")
    signature = tf.saved_model.predict_signature_def({"sp": sp}, {"y": y})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        made = tf.saved_model.Builder(directory)
        made.add_meta_graph_and_variables(sess, [], {"serving_default": signature})
        made.save()


PROGRAMS = {
    "simple": Program(simple, ((("serve",), "serving_default", {"x": [[1.0, 2.0], [0.5, 0.0]]}),)),
    "resource": Program(
        resource,
        (
            (("serve", "cpu"), "serving_default", {"x": [1.0, 2.0]}),
            (("serve", "cpu"), "serving_default", {"x": [-1.0]}),
            (("serve", "cpu"), "regress", {"inputs": ["1.5", "2"]}),
        ),
    ),
    "tables": Program(
        tables,
        (
            (("serve",), "serving_default", {"words": ["blue", "red", "grey"]}),
            (("serve", "again"), "serving_default", {"words": ["green"]}),
        ),
        {"vocabulary.txt": VOCABULARY},
    ),
    "signed": Program(signed, ((("serve",), "sum", {}),), {"a/words.txt": "one\n", "b/words.txt": "two\n"}),
    "sparse": Program(sparse),
}
