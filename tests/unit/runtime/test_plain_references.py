"""Ops that take a reference run on a variable of their own where the reference is fed or became a constant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf

ENGINES = ("interpret", "codegen", "general")
START = np.array([5, 6, 7], np.float32)


def _gradient_step(v: Any) -> Any:
    return tf.raw_ops.ApplyGradientDescent(var=v, alpha=0.5, delta=[2.0, 0, 0])


CASES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "Assign": (lambda v: tf.raw_ops.Assign(ref=v, value=[1.0, 1, 1]), [1, 1, 1]),
    "AssignAdd": (lambda v: tf.raw_ops.AssignAdd(ref=v, value=[1.0, 1, 1]), [6, 7, 8]),
    "AssignSub": (lambda v: tf.raw_ops.AssignSub(ref=v, value=[1.0, 1, 1]), [4, 5, 6]),
    "ScatterUpdate": (lambda v: tf.raw_ops.ScatterUpdate(ref=v, indices=[2], updates=[0.0]), [5, 6, 0]),
    "ScatterNdAdd": (lambda v: tf.raw_ops.ScatterNdAdd(ref=v, indices=[[0]], updates=[1.0]), [6, 6, 7]),
    "StridedSliceAssign": (
        lambda v: tf.raw_ops.StridedSliceAssign(ref=v, begin=[1], end=[2], strides=[1], value=[0.0]),
        [5, 0, 7],
    ),
    "IsVariableInitialized": (lambda v: tf.raw_ops.IsVariableInitialized(ref=v), True),
    "ApplyGradientDescent": (_gradient_step, [4, 6, 7]),
    "through RefIdentity": (
        lambda v: tf.raw_ops.AssignAdd(ref=tf.raw_ops.RefIdentity(input=v), value=[1.0, 1, 1]),
        [6, 7, 8],
    ),
    "twice": (
        lambda v: tf.raw_ops.AssignAdd(ref=tf.raw_ops.AssignAdd(ref=v, value=[1.0, 1, 1]), value=[1.0, 1, 1]),
        [7, 8, 9],
    ),
    "in a branch": (
        lambda v: tf.cond(
            tf.less(tf.reduce_sum(tf.identity(v)), 100.0),
            lambda: tf.raw_ops.AssignAdd(ref=v, value=[1.0, 1, 1]) + 0.0,
            lambda: tf.zeros([3]),
        ),
        [6, 7, 8],
    ),
}


def graph_of(build: Callable[[Any], Any]) -> tuple[Any, str]:
    with tf.Graph().as_default() as graph:
        v = tf.raw_ops.VariableV2(shape=[3], dtype=tf.float32, name="v")
        return graph, build(v).name


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_fed(case: str, engine: str) -> None:
    build, expected = CASES[case]
    graph, name = graph_of(build)
    fed = START.copy()
    with tf.Session(graph=graph, config=tf.Config(engine=engine, debug_aliasing=True)) as s:
        for _ in range(2):
            np.testing.assert_array_equal(s.run(name, {"v:0": fed}), expected)
        np.testing.assert_array_equal(fed, START)


@pytest.mark.parametrize("case", CASES)
def test_frozen(case: str, tmp_path: Path) -> None:
    """A graph in which somebody made the variable a constant: each run starts from the constant."""
    build, expected = CASES[case]
    graph, name = graph_of(build)
    graph_def = graph.as_graph_def()
    (node,) = [n for n in graph_def.node if n.name == "v"]
    node.op = "Const"
    node.attr.clear()
    node.attr["dtype"].type = tf.float32.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(START))
    (tmp_path / "frozen.pb").write_bytes(graph_def.SerializeToString())
    with tf.Session(graph=tf.load_graph(tmp_path / "frozen.pb")) as s:
        for _ in range(2):
            np.testing.assert_array_equal(s.run(name), expected)
        np.testing.assert_array_equal(s.run("v:0"), START)


def test_the_variable_itself_is_left_alone() -> None:
    graph, name = graph_of(CASES["AssignAdd"][0])
    with tf.Session(graph=graph) as s:
        s.run(name, {"v:0": START})
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
            s.run(name)
