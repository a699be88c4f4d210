"""With `Config(debug_aliasing=True)`, a kernel that writes into its input or hands it out unseen fails with its node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.graph import registry
from icefloe.runtime.settings import Config

ENGINES = ("interpret", "codegen", "general")


def write_in_place(x: Any) -> Any:
    x += 1
    return np.array(x)


def hand_out(x: Any) -> Any:
    return x[...]


def write_to_first(values: tuple[Any, ...]) -> Any:
    values[0][...] = 0
    return sum(values)


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neg writes into its input, Abs hands it out as its own, AddN writes into the first of a list."""
    for op, function in (("Neg", write_in_place), ("Abs", hand_out), ("AddN", write_to_first)):
        known = registry.find_kernel(op)
        assert known is not None
        made = registry.Kernel(op, function, (), False, "fresh", False, False, False)
        monkeypatch.setitem(registry.KERNELS, op, made)


def build(op: str, source: str) -> tuple[Any, Any]:
    x = tf.placeholder(tf.float32, [3], name="x")
    given = {
        "fed": lambda: x,
        "constant": lambda: tf.constant([1.0, 2, 3]),
        "variable": lambda: tf.Variable([1.0, 2, 3], use_resource=True).read_value(),
        "reference": lambda: tf.Variable([1.0, 2, 3], use_resource=False)._ref(),
        "view": lambda: tf.reshape(x, [3]),
        "made": lambda: tf.exp(x),
        "in a loop": lambda: x,
    }[source]()

    def call(value: Any) -> Any:
        return (
            tf.raw_ops.AddN(inputs=[value, x], name="bad")
            if op == "AddN"
            else getattr(tf.raw_ops, op)(x=value, name="bad")
        )

    if source == "in a loop":
        return tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, call(v)), [0, given])[1], x
    return call(given), x


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", ["fed", "constant", "variable", "reference", "view", "made", "in a loop"])
@pytest.mark.parametrize(
    ("op", "says"),
    [("Neg", "writes into an input"), ("AddN", "writes into an input"), ("Abs", "output 0 shares memory with input 0")],
)
def test_a_faulty_kernel_is_named(op: str, says: str, source: str, engine: str) -> None:
    with tf.Graph().as_default():
        y, x = build(op, source)
        fed = np.array([1, 2, 3], np.float32)
        with tf.Session(config=Config(engine=engine, debug_aliasing=True)) as s:
            s.run(tf.global_variables_initializer())
            with pytest.raises(tf.errors.InternalError, match=says) as caught:
                s.run(y, {x: fed})
        assert caught.value.node.endswith("bad")
        np.testing.assert_array_equal(fed, [1, 2, 3])


def test_what_is_fetched_is_writable_and_the_callers_own() -> None:
    with tf.Graph().as_default(), tf.Session(config=Config(debug_aliasing=True)) as s:
        x = tf.placeholder(tf.float32, [2, 2])
        v = tf.Variable(tf.ones([2, 2]))
        s.run(v.initializer)
        fed = np.zeros((2, 2), np.float32)
        for value in s.run([x, tf.constant([[1.0, 2]]), v, tf.transpose(x), tf.exp(x), v.assign_add(x + 1)], {x: fed}):
            value += 5
        np.testing.assert_array_equal(fed, np.zeros((2, 2)))
        np.testing.assert_array_equal(s.run(v), np.full((2, 2), 2))


def test_nothing_is_wrapped_without_the_mode() -> None:
    with tf.Graph().as_default(), tf.Session(config=Config(debug_aliasing=False)) as s:
        x = tf.placeholder(tf.float32, [2])
        s.run(tf.exp(x), {x: [0.0, 1.0]})
        (program,) = s._programs.entries()
        kernel = registry.find_kernel("Exp")
        assert kernel is not None
        assert kernel.function in [binding.function for binding in program.bindings]


def test_the_environment_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, expected in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("ICEFLOE_DEBUG_ALIASING", value)
        assert Config().debug_aliasing is expected
    assert Config(debug_aliasing=True).debug_aliasing
