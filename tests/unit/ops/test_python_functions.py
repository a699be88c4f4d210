"""py_func: what the function gets and returns, TensorFlow's errors, effects, and functions that run their own session."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import datatypes as dtypes
from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.session import Config, Session


@pytest.fixture
def graph() -> Any:
    made = Graph()
    with made.as_default():
        yield made


def result(function: Callable[..., Any], inputs: Any, Tout: Any) -> Any:
    with Session() as session:
        return session.run(tf.py_func(function, inputs, Tout))


# Each was seen on TensorFlow 2.21.
@pytest.mark.parametrize(
    ("function", "Tout", "expected"),
    [
        (lambda: [1, 2], [dtypes.int64, dtypes.int64], [1, 2]),
        (lambda: (1.0,), [dtypes.float64], [1.0]),
        (lambda: 3, dtypes.int64, 3),
        (lambda: np.float16(1), dtypes.float16, 1),
        (lambda: "aé", dtypes.string, "aé".encode()),
        (lambda: b"a\0", dtypes.string, b"a\0"),
        (lambda: ["a", "bb"], [dtypes.string, dtypes.string], [b"a", b"bb"]),
        (lambda: np.array(["a", "bb"]), dtypes.string, [b"a", b"bb"]),
        (lambda: np.array([b"a\0", b"bb"]), dtypes.string, [b"a", b"bb"]),
        (lambda: [[b"a\0", b"b"]], dtypes.string, [b"a\0", b"b"]),
        (lambda: np.array(["a", b"b"], object), dtypes.string, [b"a", b"b"]),
        (lambda: None, [], None),
        (lambda: [[True, False]], [dtypes.bool], [[True, False]]),
    ],
)
def test_what_it_returns(graph: Graph, function: Any, Tout: Any, expected: Any) -> None:
    if Tout == []:
        with Session() as session:
            assert session.run(tf.py_func(function, [], Tout)) is None
        return
    got = result(function, [], Tout)
    plain = [g.tolist() if isinstance(g, np.ndarray) else g for g in got] if isinstance(got, list) else got
    assert (plain.tolist() if isinstance(plain, np.ndarray) else plain) == expected


@pytest.mark.parametrize(
    ("function", "Tout", "error", "message"),
    [
        (dict, dtypes.float32, errors.InternalError, "Unsupported object type dict"),
        (
            lambda: np.array([1.0], dtype=[("foo", np.float32)]),
            dtypes.float32,
            errors.InternalError,
            "Unsupported numpy data type",
        ),
        (lambda: np.array([object()]), dtypes.string, errors.InternalError, "Unsupported object type object"),
        (
            lambda: [1, 2],
            dtypes.int64,
            errors.InvalidArgumentError,
            "{} returns 2 values, but expects to see 1 values.",
        ),
        (lambda: None, dtypes.int64, errors.InvalidArgumentError, "{} returns 0 values, but expects to see 1 values."),
        (
            lambda: np.float32(1),
            dtypes.float64,
            errors.InvalidArgumentError,
            "0-th value returned by {} is float, but expects double",
        ),
        (lambda: next(iter([])), dtypes.float32, errors.OutOfRangeError, "StopIteration: \nTraceback"),
        (lambda: {}[1], dtypes.float32, errors.UnknownError, "KeyError: 1\nTraceback"),
        (lambda: int("x"), dtypes.float32, errors.InvalidArgumentError, "ValueError: invalid literal"),
        (lambda: len(3), dtypes.float32, errors.InvalidArgumentError, "TypeError: object of type 'int' has no len()"),
    ],
)
def test_errors(graph: Graph, function: Any, Tout: Any, error: Any, message: str) -> None:
    out = tf.py_func(function, [], Tout)
    with Session() as session, pytest.raises(error) as caught:
        session.run(out)
    assert type(caught.value) is error
    assert caught.value.message.startswith(message.format(out.op.get_attr("token").decode()))


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (NotImplementedError("no"), errors.UnimplementedError),
        (MemoryError("no"), errors.ResourceExhaustedError),
        (errors.NotFoundError("no"), errors.UnknownError),
        (RuntimeError("no"), errors.UnknownError),
    ],
)
def test_exceptions(graph: Graph, raised: Exception, error: Any) -> None:
    def function() -> None:
        raise raised

    with Session() as session, pytest.raises(error) as caught:
        session.run(tf.py_func(function, [], dtypes.float32))
    assert type(caught.value) is error
    assert "in function" in caught.value.message and caught.value.__cause__ is raised


def test_what_it_gets(graph: Graph) -> None:
    seen: list[Any] = []

    def function(*values: Any) -> int:
        seen.extend(values)
        values[3][0] = 7  # its own
        return 0

    array = np.array([1.0, 2.0], np.float32)
    fed = tf.placeholder(tf.float32, [2])
    out = tf.py_func(function, [1.5, "a", ["a"], fed, True], tf.int64)
    with Session() as session:
        assert session.run(out, {fed: array}) == 0
    assert [type(v).__name__ for v in seen] == ["float32", "bytes", "ndarray", "ndarray", "bool"]
    assert seen[2].dtype == object and seen[2].tolist() == [b"a"]
    assert array.tolist() == [1, 2]


def test_effects_and_shape(graph: Graph) -> None:
    numbers = iter(range(3))
    out = tf.py_func(lambda: next(numbers), [], tf.int64)
    assert out.shape.rank is None and out.op.type == "PyFunc"
    assert tf.py_func(lambda: 0, [], tf.int64, stateful=False, name="f").op.type == "PyFuncStateless"
    with Session() as session:
        assert [session.run(out) for _ in range(3)] == [0, 1, 2]


def test_numpy_function(graph: Graph) -> None:
    @tf.numpy_function(Tout=tf.float32)
    def add(x: Any, y: Any) -> Any:
        """Add."""
        return x + y

    assert add.__name__ == "add"
    with Session() as session:
        assert session.run(add(np.float32(1), np.float32(2))) == 3
        assert session.run(tf.numpy_function(np.negative, [np.float32(1)], tf.float32)) == -1
    with pytest.raises(TypeError, match="Missing required argument: 'Tout'"):
        tf.numpy_function(np.negative, [1])
    with pytest.raises(TypeError, match="Missing argument `inp`"):
        tf.numpy_function(np.negative, Tout=tf.float32)
    with pytest.raises(TypeError, match="as a decorator"):
        tf.numpy_function(inp=[1], Tout=tf.float32)
    with pytest.raises(ValueError, match="Expected func to be callable"):
        tf.py_func(3, [], tf.float32)


def test_numpy_warns_in_it(graph: Graph) -> None:
    out = tf.py_func(lambda x: x / np.float32(0), [np.float32([1])], tf.float32)
    with Session() as session:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert np.isinf(session.run(out)).all()
        assert any("divide by zero" in str(w.message) for w in caught)


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_it_may_run_its_session(graph: Graph, engine: str) -> None:
    v = apply_op("VariableV2", shape=[], dtype=dtypes.float32, name="v")
    init, add = apply_op("Assign", v, np.float32(1)), apply_op("AssignAdd", v, np.float32(10))
    session = Session(config=Config(engine=engine))
    out = tf.py_func(lambda x: session.run(add) + x, [v], tf.float32)
    with session:
        session.run(init)
        assert session.run(out) == 12
        assert session.run(v) == 11


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_it_may_wait_for_another_step_of_its_run(graph: Graph, engine: str) -> None:
    """It takes from a queue, in a run of its own, what another step of the run around it puts in."""
    queue = tf.FIFOQueue(1, [tf.float32], [[]])
    taken = queue.dequeue()
    session = Session(config=Config(engine=engine))
    out = tf.py_func(lambda: session.run(taken), [], tf.float32)
    second = tf.py_func(lambda: session.run(taken), [], tf.float32)
    put = queue.enqueue_many([np.float32([3, 4])])
    with session:
        first, other, _ = session.run([out, second, put])
    assert sorted([first, other]) == [3, 4]


def test_many_threads(graph: Graph) -> None:
    x = tf.placeholder(tf.float32, [])
    out = tf.py_func(lambda v: v * np.float32(2), [x], tf.float32)
    found: dict[int, Any] = {}
    with Session() as session:

        def run(i: int) -> None:
            for _ in range(20):
                found[i] = session.run(out, {x: i})

        threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {i: 2 * i for i in range(4)}


def test_a_graph_keeps_its_functions() -> None:
    class Function:
        def __call__(self) -> float:
            return 1.0

    function = Function()
    kept = weakref.ref(function)
    graph = Graph()
    with graph.as_default():
        out = tf.py_func(function, [], tf.float64)
    message = graph.as_graph_def()
    del function
    gc.collect()
    with Session(graph=graph) as session:
        assert session.run(out) == 1
    del graph, out, session
    gc.collect()
    assert kept() is None
    with Graph().as_default() as other:
        tf.import_graph_def(message, name="")
        with Session() as session, pytest.raises(errors.InvalidArgumentError, match="Could not find callback with key"):
            session.run(other.get_tensor_by_name("PyFunc:0"))
