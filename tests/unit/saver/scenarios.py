"""Graphs with Savers, written once and built twice: by TensorFlow for the goldens (fixtures/make/savers.py), by icefloe in the tests.

A scenario's `build(tf)` makes the graph in the default graph and returns its Saver; `tf` is `tensorflow.compat.v1` or `icefloe`. `write` initialises, saves with
the scenario's keywords and returns the path that `save` returned. Every file name is relative to the working directory, so that no golden holds a path.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Scenario:
    """One graph and how it is saved.

    save: keywords of `Saver.save` beyond the session. fetch: what a reader fetches after restoring, with `feed` by tensor name.
    devices: CPU devices the graph names.
    """

    build: Callable[[Any], Any]
    save: dict[str, Any] = field(default_factory=lambda: {"save_path": "model.ckpt", "global_step": 3})
    fetch: tuple[str, ...] = ()
    feed: dict[str, Any] = field(default_factory=dict)
    devices: int = 1


def plain(tf: Any) -> Any:
    """Reference variables only, a matmul, two assigns."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.Variable(np.float32([[1, 2, 3], [4, 5, 6]]), name="w", use_resource=False)
    b = tf.Variable(np.float32([0.5, -0.5, 0]), name="b", use_resource=False)
    step = tf.Variable(np.int64(7), name="step", trainable=False, use_resource=False)
    y = tf.add(tf.matmul(x, w), b, name="y")
    tf.assign_add(step, 1, name="advance")
    tf.add_to_collection("outputs", y)
    return tf.train.Saver()


def resource(tf: Any) -> Any:
    """Resource variables only, of several dtypes."""
    x = tf.placeholder(tf.float32, [2], name="x")
    with tf.variable_scope("net"):
        w = tf.get_variable("w", initializer=np.float32([3, 4]), use_resource=True)
        n = tf.get_variable("n", initializer=np.int32(5), trainable=False, use_resource=True)
    flag = tf.get_variable("flag", initializer=np.array([True, False]), trainable=False, use_resource=True)
    tf.multiply(x, w, name="y")
    tf.identity(n, name="n_out")
    tf.identity(flag, name="flag_out")
    return tf.train.Saver()


def mixed(tf: Any) -> Any:
    """Both kinds, strings and float16, scopes, and collections of every kind."""
    with tf.variable_scope("scope"):
        a = tf.get_variable("a", initializer=np.arange(6, dtype=np.float32).reshape(2, 3), use_resource=False)
        with tf.variable_scope("inner"):
            tf.get_variable(
                "s", initializer=np.array([b"p", b"qq"], object), dtype=tf.string, trainable=False, use_resource=False
            )
    b = tf.get_variable("b", initializer=np.int64(-7), trainable=False, use_resource=True)
    h = tf.get_variable("h", initializer=np.float16([1, 2, 3]), use_resource=False)
    local = tf.get_variable(
        "local", initializer=np.float32(2), trainable=False, use_resource=False, collections=["local_variables"]
    )
    y = tf.reduce_sum(a, name="total")
    with tf.control_dependencies([tf.assign_add(h, np.float16([1, 1, 1]), name="bump").op]):
        done = tf.no_op(name="done")
    tf.group(tf.assign_add(b, np.int64(1)), done, name="train")
    tf.add_to_collection("note", "hello")
    tf.add_to_collection("note", "wörld")
    tf.add_to_collection("sizes", 3)
    tf.add_to_collection("sizes", 4)
    tf.add_to_collection("rates", 0.5)
    tf.add_to_collection("train_op", done)
    tf.add_to_collection("heads", y)
    tf.add_to_collection("heads", local)
    return tf.train.Saver()


def partitioned(tf: Any) -> Any:
    """Variables in parts, of both kinds, uneven and along the second axis."""
    rows = tf.get_variable(
        "rows",
        shape=[7, 2],
        dtype=tf.float32,
        partitioner=tf.fixed_size_partitioner(3),
        initializer=tf.constant_initializer(1.5),
        use_resource=False,
    )
    columns = tf.get_variable(
        "columns",
        shape=[2, 4],
        dtype=tf.float32,
        partitioner=tf.fixed_size_partitioner(2, axis=1),
        initializer=tf.ones_initializer(),
        use_resource=True,
    )
    whole = tf.get_variable("whole", initializer=np.float64([1, 2]), use_resource=False)
    tf.identity(rows, name="all_rows")
    tf.identity(columns, name="all_columns")
    tf.identity(whole, name="all_whole")
    return tf.train.Saver()


def _on_devices(tf: Any) -> None:
    a = tf.get_variable("a", initializer=np.float32([1, 2]), use_resource=False)
    with tf.device("/cpu:1"):
        b = tf.get_variable("b", initializer=np.float32([3, 4]), use_resource=False)
        c = tf.get_variable("c", initializer=np.int32([5]), use_resource=True)
    with tf.device("/cpu:0"):
        d = tf.get_variable("d", initializer=np.float64(6), use_resource=True)
    tf.add(a, b, name="y")
    tf.identity(c, name="c_out")
    tf.identity(d, name="d_out")


def devices(tf: Any) -> Any:
    """Variables on several devices, one file."""
    _on_devices(tf)
    return tf.train.Saver()


def sharded(tf: Any) -> Any:
    """Variables on several devices, one shard per device."""
    _on_devices(tf)
    return tf.train.Saver(sharded=True)


def name_map(tf: Any) -> Any:
    """Other names in the checkpoint than in the graph; one variable is left out."""
    a = tf.get_variable("a", initializer=np.float32([1, 2]), use_resource=False)
    b = tf.get_variable("b", initializer=np.float32([3, 4]), use_resource=True)
    tf.get_variable("c", initializer=np.float32([5]), use_resource=False)
    tf.add(a, b, name="y")
    return tf.train.Saver({"old/a:0": a, "z": b})


def several(tf: Any) -> Any:
    """Three Savers in one graph, one named; the last is kept in the `savers` collection and used."""
    a = tf.get_variable("a", initializer=np.float32([1, 2]), use_resource=False)
    b = tf.get_variable("b", initializer=np.float32([3, 4]), use_resource=True)
    tf.add(a, b, name="y")
    tf.train.Saver([a])
    tf.train.Saver([b], name="mine", max_to_keep=2, keep_checkpoint_every_n_hours=0.5)
    saver = tf.train.Saver([a, b], max_to_keep=0, filename="elsewhere")
    tf.add_to_collection("savers", saver)
    return saver


def reshape(tf: Any) -> Any:
    """reshape=True and one restore node per variable."""
    a = tf.get_variable("a", initializer=np.float32([[1, 2], [3, 4]]), use_resource=False)
    b = tf.get_variable("b", initializer=np.float32([3, 4]), use_resource=True)
    tf.reduce_sum(a, name="a_sum")
    tf.reduce_sum(b, name="b_sum")
    return tf.train.Saver(reshape=True, restore_sequentially=True)


def old_format(tf: Any) -> Any:
    """write_version V1."""
    tf.get_variable("a", initializer=np.float32([[1, 2], [3, 4]]), use_resource=False)
    b = tf.get_variable("b", initializer=np.float32([3, 4]), use_resource=True)
    tf.reduce_sum(b, name="b_sum")
    return tf.train.Saver(write_version=tf.train.SaverDef.V1)


def old_format_sharded(tf: Any) -> Any:
    """write_version V1, sharded."""
    _on_devices(tf)
    return tf.train.Saver(write_version=tf.train.SaverDef.V1, sharded=True)


SCENARIOS: dict[str, Scenario] = {
    "plain": Scenario(plain, fetch=("y:0", "step:0"), feed={"x:0": np.float32([[1, 1], [2, 0]])}),
    "resource": Scenario(resource, fetch=("y:0", "n_out:0", "flag_out:0"), feed={"x:0": np.float32([1, 2])}),
    "mixed": Scenario(mixed, fetch=("total:0", "h:0", "scope/inner/s:0")),
    "partitioned": Scenario(partitioned, fetch=("all_rows:0", "all_columns:0", "all_whole:0")),
    "devices": Scenario(devices, fetch=("y:0", "c_out:0", "d_out:0"), devices=2),
    "sharded": Scenario(sharded, fetch=("y:0", "c_out:0", "d_out:0"), devices=2),
    "name_map": Scenario(name_map, fetch=("y:0",)),
    "several": Scenario(several, fetch=("y:0",)),
    "reshape": Scenario(reshape, fetch=("a_sum:0", "b_sum:0")),
    "old_format": Scenario(old_format, fetch=("b_sum:0",)),
    "old_format_sharded": Scenario(old_format_sharded, fetch=("y:0",), devices=2),
    "stripped": Scenario(
        plain, {"save_path": "sub/model", "strip_default_attrs": True}, ("y:0",), {"x:0": np.float32([[1, 1]])}
    ),
}


@contextlib.contextmanager
def inside(directory: Path) -> Iterator[None]:
    """Work in `directory`, which is made."""
    directory.mkdir(parents=True, exist_ok=True)
    before = os.getcwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def write(tf: Any, name: str, directory: Path) -> str:
    """Build the scenario with `tf`, initialise it and save it below `directory`; return what `save` returned."""
    scenario = SCENARIOS[name]
    with tf.Graph().as_default() as graph, inside(directory):
        saver = scenario.build(tf)
        with tf.Session(graph=graph) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            os.makedirs(os.path.dirname(scenario.save["save_path"]) or ".", exist_ok=True)
            return saver.save(session, **scenario.save)


def _scoped(tf: Any) -> Any:
    """A scope that uses a tensor from outside, on a device, colocated, with two Savers."""
    outside = tf.placeholder(tf.float32, [2], name="outside")
    with tf.variable_scope("scope"), tf.device("/cpu:0"):
        w = tf.get_variable("w", initializer=np.float32([1, 2]), use_resource=False)
        r = tf.get_variable("r", initializer=np.float32([3, 4]), use_resource=True)
        with tf.control_dependencies([outside.op]):
            y = tf.add(tf.multiply(outside, w), r, name="y")
        with tf.colocate_with(w.op):
            tf.identity(y, name="beside")
        tf.add_to_collection("heads", y)
    tf.add_to_collection("heads", tf.identity(y, name="last"))
    tf.train.Saver([w], name="scope/first")
    saver = tf.train.Saver({"w": w, "r": r}, name="scope/keep")
    tf.add_to_collection("savers", saver)
    return saver


# Options of export_meta_graph; the file's name is the key.
EXPORTS: dict[str, dict[str, Any]] = {
    "whole.meta": {},
    "whole.pbtxt": {"as_text": True},
    "scope.meta": {"export_scope": "scope"},
    "no_devices.meta": {"clear_devices": True},
    "one_saver.meta": {"clear_extraneous_savers": True},
    "stripped.meta": {"strip_default_attrs": True},
    "few_collections.meta": {"collection_list": ["heads", "trainable_variables"]},
}


def export(tf: Any, name: str, directory: Path) -> Any:
    """Export the scoped graph with the options of `name`, as a file of that name below `directory`; return the MetaGraphDef."""
    options = EXPORTS[name]
    with tf.Graph().as_default(), inside(directory):
        saver = _scoped(tf)
        saver_def = {"saver_def": saver.as_saver_def()} if "clear_extraneous_savers" in options else {}
        return tf.train.export_meta_graph(filename=name, **options, **saver_def)


# `.meta` files that are imported and exported again; those without a SaverDef get a Saver that is not exported.
REEXPORTED = (
    "devices/model.ckpt-3.meta",
    "mixed/model.ckpt-3.meta",
    "partitioned/model.ckpt-3.meta",
    "sharded/model.ckpt-3.meta",
    "several/model.ckpt-3.meta",
    "stripped/sub/model.meta",
    "v2_functions/model.meta",
    "exports/one_saver.meta",
    "exports/whole.meta",
)
NO_SAVER = frozenset(("exports/whole.meta",))
