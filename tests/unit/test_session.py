"""Session: life, defaults, fetches, feeds, callables, errors. Exact texts are TensorFlow's."""

from __future__ import annotations

import collections
import dataclasses
import gc
import os
import pickle
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import datatypes as dtypes
from icefloe import errors, stacks
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.proto import CallableOptions, ConfigProto
from icefloe.runtime import fetches
from icefloe.session import (
    Config,
    InteractiveSession,
    Session,
    get_default_session,
    register_session_run_conversion_functions,
)


@pytest.fixture
def graph() -> Any:
    made = Graph()
    with made.as_default():
        yield made


def placeholder(dtype: Any = dtypes.float32, shape: Any = (), name: str = "x") -> Any:
    return apply_op("Placeholder", dtype=dtype, shape=shape, name=name)


def constant(value: Any, name: str = "c") -> Any:
    array = np.asarray(value, np.float32)
    return apply_op("Identity", apply_op("Mul", array, np.float32(1)), name=name)


# Fetches


def test_fetch_structures_come_back_as_they_were_asked_for(graph: Graph) -> None:
    a, b = constant(1, "a"), constant([2, 3], "b")
    Point = collections.namedtuple("Point", ["x", "y"])

    @dataclasses.dataclass
    class Pair:
        left: Any
        right: Any

    class Attrs:
        def __init__(self, p: Any, q: Any) -> None:
            self.p, self.q = p, q

    Attrs.__attrs_attrs__ = [collections.namedtuple("A", "name")(n) for n in "pq"]  # type: ignore[attr-defined]
    with Session(graph=graph) as s:
        assert s.run(a) == 1 and type(s.run(a)) is np.float32
        assert s.run("a:0") == 1 and s.run("a") is None and s.run(a.op) is None
        got = s.run([a, b, a.op, (a, [b])])
        assert got[0] == 1 and got[1].tolist() == [2, 3] and got[2] is None
        assert type(got[3]) is tuple and got[3][1][0].tolist() == [2, 3]
        got = s.run(Point(a, {"k": b, "op": b.op}))
        assert type(got) is Point and got.x == 1 and got.y["k"].tolist() == [2, 3] and got.y["op"] is None
        got = s.run(collections.OrderedDict([("z", a), ("y", b)]))
        assert type(got) is collections.OrderedDict and list(got) == ["z", "y"]
        got = s.run(collections.defaultdict(list, {"k": a}))
        assert type(got) is collections.defaultdict and got["k"] == 1 and got["new"] == []
        got = s.run(Pair(a, [b]))
        assert type(got) is Pair and got.left == 1 and got.right[0].tolist() == [2, 3]
        got = s.run(Attrs(a, b))
        assert type(got) is Attrs and got.p == 1 and got.q.tolist() == [2, 3]
        assert s.run([]) == [] and s.run(()) == () and s.run({}) == {}


@pytest.mark.parametrize(
    ("fetch", "kind", "text"),
    [
        (None, TypeError, 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'),
        ([None], TypeError, 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'),
        (
            3,
            TypeError,
            'Argument `fetch` = 3 has invalid type "int" must be a string or Tensor. '
            "(Can not convert a int into a Tensor or Operation.)",
        ),
        (
            "nope",
            ValueError,
            "Argument `fetch` = nope cannot be interpreted as a Tensor. "
            "(\"The name 'nope' refers to an Operation not in the graph.\")",
        ),
        (
            "nope:0",
            ValueError,
            "Argument `fetch` = nope:0 cannot be interpreted as a Tensor. (\"The name 'nope:0' refers to a Tensor which "
            "does not exist. The operation, 'nope', does not exist in the graph.\")",
        ),
    ],
)
def test_what_cannot_be_fetched(graph: Graph, fetch: Any, kind: type[Exception], text: str) -> None:
    constant(1)
    with Session(graph=graph) as s, pytest.raises(kind) as caught:
        s.run(fetch)
    assert str(caught.value) == text


def test_a_tensor_of_another_graph_cannot_be_fetched(graph: Graph) -> None:
    constant(1)
    with Graph().as_default():
        other = constant(1)
    with Session(graph=graph) as s, pytest.raises(ValueError, match="is not an element of this graph"):
        s.run(other)


def test_an_operation_marked_as_not_fetchable(graph: Graph) -> None:
    a = constant(1)
    graph.prevent_fetching(a.op)
    with Session(graph=graph) as s, pytest.raises(ValueError, match="Operation c has been marked as not fetchable"):
        s.run(a)


def test_registered_conversions(graph: Graph) -> None:
    @dataclasses.dataclass(eq=False)
    class Doubled:
        inner: Any

    register_session_run_conversion_functions(
        Doubled,
        lambda d: ([d.inner], lambda values: values[0] * 2),
        lambda d, value: [(d.inner, value / 2)],
        lambda d: [d.inner],
    )
    try:
        x = placeholder()
        with Session(graph=graph) as s:
            assert s.run(Doubled(x), {x: 3}) == 6
            assert s.run(x, {Doubled(x): 3}) == 1.5
            handle = s.partial_run_setup([Doubled(x)], [Doubled(x)])
            assert s.partial_run(handle, [Doubled(x)], {x: 1}) == [2]
        with pytest.raises(ValueError, match="has already been registered so ignore it"):
            register_session_run_conversion_functions(Doubled, lambda d: ([], list))
    finally:
        fetches.CONVERSIONS[:] = [c for c in fetches.CONVERSIONS if c.kind is not Doubled]


def test_sparse_tensors_and_indexed_slices(graph: Graph) -> None:
    sparse = SparseTensor(
        apply_op("Placeholder", dtype=dtypes.int64, shape=[None, 1]),
        placeholder(shape=(None,), name="v"),
        apply_op("Placeholder", dtype=dtypes.int64, shape=[1]),
    )
    value = SparseTensorValue(np.array([[1], [3]]), np.array([5.0, 6.0], np.float32), np.array([4]))
    slices = IndexedSlices(sparse.values, apply_op("Placeholder", dtype=dtypes.int32, shape=[None]))
    with Session(graph=graph) as s:
        got = s.run(sparse, {sparse: value})
        assert type(got) is SparseTensorValue and got.indices.tolist() == [[1], [3]] and got.dense_shape.tolist() == [4]
        got = s.run([sparse], {sparse: tuple(value)})[0]
        assert got.values.tolist() == [5, 6]
        got = s.run(slices, {slices: ([1, 2], [0, 7])})
        assert type(got) is IndexedSlicesValue and got.indices.tolist() == [0, 7] and got.dense_shape is None
        handle = s.partial_run_setup([sparse], [sparse])
        assert s.partial_run(handle, sparse, {sparse: value}).values.tolist() == [5, 6]


def test_fetched_values_are_the_callers_own(graph: Graph) -> None:
    x = placeholder(shape=(3,))
    same = apply_op("Identity", x)
    c = apply_op("Identity", np.array([1, 2, 3], np.float32))
    view = apply_op("Reshape", c, np.array([3, 1], np.int32))
    fed = np.array([1, 2, 3], np.float32)
    with Session(graph=graph) as s:
        for _ in range(2):
            values = s.run([x, same, c, view, apply_op("Neg", c)], {x: fed})
            for i, value in enumerate(values):
                assert value.flags.writeable and value.flags.c_contiguous
                value[...] = 100 + i
            assert fed.tolist() == [1, 2, 3]
            assert [v.ravel()[0] for v in values] == [100, 101, 102, 103, 104]
            assert s.run(c).tolist() == [1, 2, 3]


def test_scalars_and_strings(graph: Graph) -> None:
    t = placeholder(dtypes.string, name="t")
    v = placeholder(dtypes.string, (None,), name="v")
    b = placeholder(dtypes.bool, name="b")
    with Session(graph=graph) as s:
        assert s.run(t, {t: "é"}) == "é".encode() and type(s.run(t, {t: "a"})) is bytes
        got = s.run(v, {v: ["abc", b"\xff"]})
        assert got.dtype == object and got.tolist() == [b"abc", b"\xff"]
        assert s.run(v, {v: np.array(["a", "bc"])}).tolist() == [b"a", b"bc"]
        assert s.run(v, {v: np.array([b"a", b"bc"])}).tolist() == [b"a", b"bc"]
        assert type(s.run(b, {b: True})) is np.bool_
        with pytest.raises(TypeError, match="not compatible with Tensor t:0 of dtype string"):
            s.run(t, {t: 3})


# Feeds


def test_feeds(graph: Graph) -> None:
    x = placeholder(shape=(2,))
    y = apply_op("Mul", x, np.float32(2), name="y")
    z = apply_op("AddV2", y, np.float32(1))
    with Session(graph=graph) as s:
        assert s.run(z, {x: [1, 2]}).tolist() == [3, 5]
        assert s.run(z, {"x:0": np.array([1, 2])}).tolist() == [3, 5]
        assert s.run(z, {"x": (1, 2)}).tolist() == [3, 5]
        assert s.run(z, {y: [10, 20]}).tolist() == [11, 21]
        assert s.run([z, y], {y: [10, 20], x: [0, 0]})[0].tolist() == [11, 21]
        assert s.run((x, y), {(x, y): ([1, 2], [3, 4])})[1].tolist() == [3, 4]
        assert s.run(x, {x: [1, 2], "x:0": [5, 6]}).tolist() == [5, 6]


@pytest.mark.parametrize(
    ("key", "value", "kind", "text"),
    [
        ("x:0", [1, 2, 3], ValueError, "Cannot feed value of shape (3,) for Tensor x:0, which has shape (2,)"),
        ("x:0", 1, ValueError, "Cannot feed value of shape () for Tensor x:0, which has shape (2,)"),
        (
            "y:0",
            1,
            TypeError,
            "Cannot interpret feed_dict key as Tensor: The name 'y:0' refers to a Tensor which does not exist. "
            "The operation, 'y', does not exist in the graph.",
        ),
        (
            "i:0",
            2**40,
            TypeError,
            "Type of feed value 1099511627776 with type <class 'int'> is not compatible with Tensor type "
            "<class 'numpy.int32'>. Try explicitly setting the type of the feed tensor to a larger type (e.g. int64).",
        ),
        (7, 1, TypeError, "Cannot interpret feed_dict key as Tensor: Can not convert a int into a Tensor."),
    ],
)
def test_feeds_that_do_not_fit(graph: Graph, key: Any, value: Any, kind: type[Exception], text: str) -> None:
    placeholder(shape=(2,))
    placeholder(dtypes.int32, name="i")
    with Session(graph=graph) as s, pytest.raises(kind) as caught:
        s.run("x:0", {key: value})
    assert str(caught.value) == text


def test_more_feeds_that_do_not_fit(graph: Graph) -> None:
    x = placeholder(shape=(2,))
    n = placeholder(shape=(None, 2), name="n")
    with Session(graph=graph) as s:
        with pytest.raises(TypeError, match=r"The value of a feed cannot be a tf.Tensor object"):
            s.run(x, {x: constant(1)})
        with pytest.raises(ValueError, match="for Tensor x:0 of dtype float32: could not convert string to float"):
            s.run(x, {x: ["a", "b"]})
        with pytest.raises(ValueError, match="inhomogeneous"):
            s.run(x, {x: [[1], [2, 3]]})
        with pytest.raises(ValueError, match=r"shape \(2,\) for Tensor n:0, which has shape \((None|\?), 2\)"):
            s.run(n, {n: [1, 2]})
        with pytest.raises(TypeError, match="`feed_dict` must be a dictionary"):
            s.run(x, [1])  # type: ignore[arg-type]
        graph.prevent_feeding(x)
        with pytest.raises(ValueError, match="Tensor x:0 may not be fed"):
            s.run(x, {x: [1, 2]})
        a, b = placeholder(name="a"), placeholder(name="b")
        with pytest.raises(ValueError, match="Could not pack sequence"):
            s.run(a, {(a, b): (1,)})


def test_the_name_of_an_operation_with_several_outputs_is_no_feed(graph: Graph) -> None:
    apply_op("Split", np.int32(0), np.zeros(4, np.float32), num_split=2, name="split")
    with Session(graph=graph) as s, pytest.raises(TypeError, match="The name 'split' refers to an Operation"):
        s.run("split:0", {"split": [1, 2]})


def test_integers_fit_floats_and_bools(graph: Graph) -> None:
    h, b = placeholder(dtypes.float16, name="h"), placeholder(dtypes.bool, name="b")
    with Session(graph=graph) as s:
        assert s.run(h, {h: 70000}) == np.inf
        assert s.run(b, {b: 1}) == np.True_
        with pytest.raises(TypeError, match="Type of feed value 2"):
            s.run(b, {b: 2})


def test_a_missing_feed_tells_the_way_to_it(graph: Graph) -> None:
    x = placeholder(shape=(2,))
    other = placeholder(name="other")
    y = apply_op("Neg", x, name="y")
    z = apply_op("Mul", y, other, name="z")
    printed = apply_op("Print", z, [z], message="never")
    with Session(graph=graph) as s:
        with pytest.raises(errors.InvalidArgumentError) as caught:
            s.run(printed)
        error = caught.value
        assert error.message == "You must feed a value for placeholder tensor 'x' with dtype float and shape [2]"
        assert error.trail == (printed.op.name, "z", "y", "x") and error.op is x.op
        assert f"needed by: {printed.op.name} <- z <- y <- x" in str(error) and "Not fed either: 'other'" in str(error)
        with pytest.raises(errors.InvalidArgumentError, match="placeholder tensor 'x'"):
            s.run(x.op, {x: [1, 2]})


def test_fed_nodes_do_not_run_and_order_still_holds(graph: Graph, capfd: Any) -> None:
    printed = apply_op("Print", np.float32(1), [np.float32(1)], message="ran ")
    loud = apply_op("Identity", printed, name="loud")
    x = placeholder()
    with graph.control_dependencies([loud]):
        after_loud = apply_op("Identity", np.float32(3))
    with graph.control_dependencies([x]):
        after_x = apply_op("Identity", np.float32(4))
    with Session(graph=graph) as s:
        assert s.run(loud, {loud: 7}) == 7
        assert capfd.readouterr().err == ""
        assert s.run(after_loud, {loud: 7}) == 3  # a control input that is no placeholder runs all the same
        assert capfd.readouterr().err == "ran [1]\n"
        assert s.run(after_x, {x: 1}) == 4


# Life


def test_closed_session(graph: Graph) -> None:
    x = constant(1)
    s = Session(graph=graph)
    handle = s.partial_run_setup(x)
    s.close()
    s.close()
    for use in (
        lambda: s.run(x),
        lambda: s.make_callable(x),
        lambda: s.partial_run_setup(x),
        lambda: s.partial_run(handle, x),
    ):
        with pytest.raises(RuntimeError, match=r"^Attempted to use a closed Session\.$"):
            use()


def test_an_empty_graph_is_refused() -> None:
    with Session(graph=Graph()) as s, pytest.raises(RuntimeError, match="The Session graph is empty"):
        s.run([])


def test_arguments_are_checked(graph: Graph) -> None:
    with pytest.raises(TypeError, match='Argument `graph` must be a tf.Graph, but got "int"'):
        Session(graph=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match='Argument `config` must be a tf.ConfigProto, but got "int"'):
        Session(config=3)
    with pytest.raises(TypeError, match=r'Did you do "Session\(config\)" instead of "Session\(config=config\)"'):
        Session(ConfigProto())
    with pytest.raises(TypeError, match="Argument `target` must be a string"):
        Session(7)
    with pytest.raises(errors.NotFoundError):
        Session("grpc://somewhere:1")
    assert Session(config=ConfigProto(allow_soft_placement=True)).graph is graph
    Session.reset("")
    devices = Session(config=ConfigProto(device_count={"CPU": 3})).list_devices()
    assert len(devices) == 3
    assert str(devices[2]) == "_DeviceAttributes(/job:localhost/replica:0/task:0/device:CPU:2, CPU, 0, 3)"


def test_callable_of_options(graph: Graph) -> None:
    x = placeholder()
    y = apply_op("Neg", x, name="y")
    options = CallableOptions(feed=["x:0"], fetch=["y:0", "x:0"], target=["y"])
    with Session() as s:
        call = s._make_callable_from_options(options)
        assert call(np.float32(2)) == [-2, 2] and call(3) == [-3, 3]
    assert y.op.name == "y"


def test_an_interactive_session_that_nobody_holds_is_closed(graph: Graph, caplog: pytest.LogCaptureFixture) -> None:
    InteractiveSession()
    stacks.SESSIONS.reset()
    gc.collect()
    InteractiveSession().close()
    assert "already active" not in caplog.text


def test_with_block_sets_defaults_and_closes() -> None:
    g = Graph()
    with g.as_default():
        x = constant(2)
    assert get_default_session() is None
    s = Session(graph=g)
    with s as entered:
        assert entered is s and get_default_session() is s and stacks.GRAPHS.top() is g
        assert x.eval() == 2
        assert x.op.run() is None
        with pytest.raises(RuntimeError, match="Session context managers are not re-entrant"):
            s.__enter__()
    assert get_default_session() is None and stacks.GRAPHS.top() is not g
    with pytest.raises(RuntimeError, match="closed"):
        s.run(x)
    with pytest.raises(ValueError, match="No default session is registered"):
        x.eval()


def test_as_default_leaves_open(graph: Graph) -> None:
    x = constant(2)
    s = Session()
    with s.as_default():
        assert get_default_session() is s and x.eval() == 2
    assert s.run(x) == 2 and get_default_session() is None


def test_interactive_session(graph: Graph, caplog: pytest.LogCaptureFixture) -> None:
    x = constant(3)
    s = InteractiveSession()
    assert get_default_session() is s and x.eval() == 3
    second = InteractiveSession()
    assert "already active" in caplog.text
    s.close()
    assert get_default_session() is second
    second.close()
    assert get_default_session() is None
    other = Graph()
    third = InteractiveSession(graph=other)
    assert stacks.GRAPHS.top() is other
    third.close()
    assert stacks.GRAPHS.top() is graph


def test_properties(graph: Graph) -> None:
    constant(1)
    with Session() as s:
        assert s.graph is graph and s.sess_str == b"" and s.graph_def.node[-1].name == "c"
        device = s.list_devices()[0]
        assert device.name == "/job:localhost/replica:0/task:0/device:CPU:0" and device.device_type == "CPU"
        with pytest.raises(TypeError, match="a Session cannot be pickled"):
            pickle.dumps(s)


def test_a_forked_child_must_not_use_it(graph: Graph) -> None:
    x = constant(1)
    with Session() as s:
        s.run(x)
        pid = os.fork()
        if not pid:
            try:
                s.run(x)
            except RuntimeError as error:
                os._exit(7 if "fork" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        assert s.run(x) == 1


def test_the_graph_may_grow_and_change(graph: Graph) -> None:
    a = constant(1, "a")
    b = constant(5, "b")
    y = apply_op("Neg", a)
    with Session() as s:
        assert s.run(y) == -1
        plans = len(s._programs)
        z = apply_op("Neg", y)
        assert s.run(y) == -1 and len(s._programs) == plans  # adding nodes makes no new plan
        assert s.run(z) == 1
        y.op._update_input(0, b)
        assert s.run(y) == -5 and s.run(z) == 5


# Runs


def test_each_op_runs_once_per_run(graph: Graph, capfd: Any) -> None:
    """Six fetches in six runs execute a Print node six times, in one run once."""
    x = apply_op("Print", np.float32(2), [np.float32(2)], message="x = ")
    outs = [apply_op("Mul", x, np.float32(i)) for i in range(6)]
    with Session() as s:
        assert [s.run(o) for o in outs] == [0, 2, 4, 6, 8, 10]
        assert capfd.readouterr().err == "x = [2]\n" * 6
        assert s.run(outs) == [0, 2, 4, 6, 8, 10]
        captured = capfd.readouterr()
        assert captured.err == "x = [2]\n" and captured.out == ""


def test_make_callable(graph: Graph) -> None:
    x, y = placeholder(name="x"), placeholder(name="y")
    z = apply_op("Sub", x, y)
    with Session() as s:
        assert s.make_callable(z, [x, y])(5, 2) == 3
        assert s.make_callable([z, z.op], [x, y])(5, 2) == [3, None]
        assert s.make_callable(z, ["x:0", "y"])(1, 2) == -1
        assert s.make_callable(constant(4))() == 4
        assert s.make_callable(z, [x, y], accept_options=True)(5, 2, options=None, run_metadata=None) == 3
        with pytest.raises(TypeError, match="Argument `feed_list` must be a list or tuple"):
            s.make_callable(z, x)
        call = s.make_callable(z)  # as in TensorFlow it is the call that fails
        with pytest.raises(errors.InvalidArgumentError, match="placeholder tensor 'x'"):
            call()


def test_errors_name_node_op_and_way(graph: Graph) -> None:
    x = placeholder(shape=None)
    bad = apply_op("MatMul", x, x, name="product")
    out = apply_op("Neg", bad, name="out")
    for engine in ("interpret", "codegen"):
        with Session(config=Config(engine=engine)) as s:
            with pytest.raises(errors.InvalidArgumentError) as caught:
                s.run(out, {x: np.zeros((2, 3))})
            error = caught.value
            assert error.node == "product" and error.op is bad.op and error.node_def.op == "MatMul"
            assert error.trail == ("out", "product")


def test_an_op_without_kernel_fails_when_it_is_fetched(graph: Graph) -> None:
    x = constant(1)
    later = apply_op("TPUReplicatedInput", [x], name="later")
    y = apply_op("Neg", later, name="y")
    with Session() as s:
        assert s.run(x) == 1
        with pytest.raises(errors.UnimplementedError) as caught:
            s.run(y)
        assert caught.value.node == "later" and caught.value.trail == ("y", "later")
        assert "op 'TPUReplicatedInput' has no kernel" in str(caught.value)


def test_all_uninitialized_variables_of_a_run_are_named(graph: Graph) -> None:
    refs = [apply_op("VariableV2", dtype=dtypes.float32, shape=[], name=f"v{i}") for i in range(3)]
    sum3 = apply_op("AddN", [apply_op("Identity", r) for r in refs])
    handles = [apply_op("VarHandleOp", dtype=dtypes.float32, shape=[], name=f"h{i}") for i in range(2)]
    reads = [apply_op("ReadVariableOp", h, dtype=dtypes.float32) for h in handles]
    init = apply_op("Assign", refs[1], np.float32(1))
    unused = apply_op("VariableV2", dtype=dtypes.float32, shape=[], name="unused")
    with Session() as s:
        s.run(init)
        with pytest.raises(errors.FailedPreconditionError) as caught:
            s.run([sum3, *reads])
        text = str(caught.value)
        assert "Attempting to use uninitialized value v0" in text
        assert "Uninitialized variables that this run uses: v0, v2, h0, h1." in text
        with pytest.raises(errors.FailedPreconditionError, match="Could not find variable h0.") as caught:
            s.run(reads)
        assert "Uninitialized variables that this run uses: h0, h1." in str(caught.value)
        with pytest.raises(errors.FailedPreconditionError, match="Attempting to use uninitialized value unused"):
            s.run(unused)


def test_a_session_shows_what_it_runs():
    with tf.Graph().as_default() as graph:
        x = tf.constant(1)
    session = tf.Session(graph=graph)
    assert repr(session) == f"<icefloe.Session of {graph!r}>"
    session.close()
    assert repr(session) == "<icefloe.Session, closed>"
    with pytest.raises(AttributeError, match="no attribute 'numpy': there is no eager execution"):
        x.numpy()
