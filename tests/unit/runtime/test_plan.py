"""Plans: what is pruned, the order of steps, slots, liveness, optimization, engines as such."""

from __future__ import annotations

import linecache
import traceback
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import datatypes as dtypes
from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.runtime import codegen, plan, program, prune
from icefloe.runtime.cache import Cache
from icefloe.session import Session


@pytest.fixture
def graph() -> Any:
    made = Graph()
    with made.as_default():
        yield made


def placeholder(name: str = "x", shape: Any = (2,)) -> Any:
    return apply_op("Placeholder", dtype=dtypes.float32, shape=shape, name=name)


def names(steps: Any) -> list[str]:
    return [getattr(s, "node", s).name for s in steps]


def made(fetches: list[Any], feeds: list[Any], *, optimized: bool = True) -> program.Program:
    session = Session()
    return program.Program(plan.build(fetches, [], feeds), session._scope, "interpret", optimized=optimized)


def test_only_what_is_needed_up_to_the_feeds(graph: Graph) -> None:
    x = placeholder()
    a = apply_op("Neg", x, name="a")
    b = apply_op("Neg", a, name="b")
    apply_op("Neg", b, name="unused")
    assert names(prune.ordered(prune.needed([b], [], [x]), [x])) == ["a", "b"]
    assert names(prune.ordered(prune.needed([b], [], [a]), [a])) == ["b"]
    assert names(prune.ordered(prune.needed([b], [], [b]), [b])) == []
    assert names(prune.ordered(prune.needed([], [a.op], [x]), [x])) == ["a"]


def test_unordered_steps_run_in_creation_order_and_writes_last(graph: Graph) -> None:
    v = apply_op("VarHandleOp", dtype=dtypes.float32, shape=[], name="v")
    first_write = apply_op("AssignVariableOp", v, np.float32(1), name="w1")
    second_write = apply_op("AssignVariableOp", v, np.float32(2), name="w2")
    read = apply_op("ReadVariableOp", v, dtype=dtypes.float32, name="r")
    far = apply_op("Neg", apply_op("Neg", read, name="n1"), name="n2")
    with graph.control_dependencies([first_write]):
        after = apply_op("ReadVariableOp", v, dtype=dtypes.float32, name="r_after")
    order = names(prune.ordered(prune.needed([far, after], [first_write, second_write], []), []))
    order = [n for n in order if "/" not in n]
    assert order == ["v", "r", "n1", "n2", "w1", "r_after", "w2"]


def test_control_edges_order(graph: Graph) -> None:
    a = apply_op("NoOp", name="a")
    with graph.control_dependencies(None):
        b = apply_op("NoOp", name="b")
    a._add_control_input(b)
    assert names(prune.ordered(prune.needed([], [a], []), [])) == ["b", "a"]


def test_a_cycle_is_refused(graph: Graph) -> None:
    a, b = apply_op("NoOp", name="a"), apply_op("NoOp", name="b")
    a._add_control_input(b)
    b._add_control_input(a)
    with (
        Session() as s,
        pytest.raises(errors.InvalidArgumentError, match="Graph is invalid, contains a cycle with 2 nodes"),
    ):
        s.run(a)


def test_slots_and_last_uses(graph: Graph) -> None:
    x = placeholder()
    a = apply_op("Neg", x)
    b = apply_op("AddV2", a, x)
    c = apply_op("Mul", a, b)
    p = plan.build([c], [], [x])
    assert p.feeds == (0,) and len(p.tensors) == 4
    steps = plan.with_liveness(p.steps, p.fetches)
    assert [s.dead for s in steps] == [(), (0,), (1, 2)]


def test_outputs_that_nobody_reads_die_at_once(graph: Graph) -> None:
    x = placeholder(shape=(4,))
    parts = apply_op("Split", np.int32(0), x, num_split=2)
    p = plan.build([parts[0]], [], [x])
    last = plan.with_liveness(p.steps, p.fetches)[-1]
    assert last.outputs[1] in last.dead and last.outputs[0] not in last.dead


def test_constants_are_folded(graph: Graph) -> None:
    x = placeholder()
    two = apply_op("AddV2", np.float32(1), np.float32(1), name="two")
    shape = apply_op("Pack", [np.int32(1), np.int32(2)], axis=0)
    y = apply_op("Reshape", apply_op("Mul", x, apply_op("Identity", two)), shape)
    found = made([y], [x])
    assert [s.node.type for s in found.steps] == ["Mul", "Reshape"]
    assert found.run([np.ones(2, np.float32)])[0].tolist() == [[2, 2]]
    assert len(made([y], [x], optimized=False).steps) > 5
    assert made([two], [two]).run([np.float32(7)]) == [7]  # what is fed is not folded


def test_what_is_not_folded(graph: Graph) -> None:
    random = apply_op("RandomUniform", np.array([2], np.int32), dtype=dtypes.float32)
    printed = apply_op("Print", np.float32(1), [])
    fails = apply_op("Reshape", np.zeros(4, np.float32), apply_op("Identity", np.array([4], np.int32)))
    big = apply_op("Fill", np.array([3 << 20], np.int32), np.float32(1))
    for tensor, kind in ((random, "RandomUniform"), (printed, "Print"), (big, "Fill")):
        assert [s.node.type for s in made([tensor], []).steps] == [kind]
    assert [s.node.type for s in made([fails], []).steps] == []
    bad = apply_op(
        "MatMul", apply_op("PlaceholderWithDefault", np.ones((2, 3), "f4"), shape=None), np.ones((2, 3), "f4")
    )
    with pytest.raises(errors.InvalidArgumentError) as caught:
        made([bad], []).run([])
    assert caught.value.node == "MatMul"


def test_what_only_a_control_edge_asks_for_and_nobody_reads(graph: Graph) -> None:
    """TensorFlow leaves it out too, unless it is a target or does more than make a value."""
    x = placeholder(shape=None)
    apart = apply_op("Reshape", apply_op("Neg", x, name="neg"), np.array([7, -1], np.int32), name="apart")
    checked = apply_op("CheckNumerics", x, message="bad")
    with graph.control_dependencies([apart, checked]):
        y = apply_op("Mul", x, x)
    found = made([y], [x])
    assert names(found.steps) == ["CheckNumerics", "Mul"]
    assert found.run([np.ones(2, np.float32)])[0].tolist() == [1, 1]
    with Session() as s:
        assert s.run(y, {x: [1, 2]}).tolist() == [1, 4]
        for asked in (apart.op, apart):
            with pytest.raises(errors.InvalidArgumentError) as caught:
                s.run([y, asked], {x: [1, 2]})
            assert caught.value.node == "apart"


def test_order_survives_folding(graph: Graph, capfd: Any) -> None:
    """A constant that must come after a Print still comes after it, and so does what follows the constant."""
    first = apply_op("Print", np.float32(1), [], message="first")
    with graph.control_dependencies([first]):
        c = apply_op("Identity", np.float32(2))
    with graph.control_dependencies([c]):
        second = apply_op("Print", np.float32(1), [], message="second")
    found = made([second], [])
    assert found.run([]) == [1]
    assert capfd.readouterr().err == "first\nsecond\n"


def test_a_value_may_be_kept_only_where_nobody_else_reads_it(graph: Graph) -> None:
    x = placeholder()
    v = apply_op("VariableV2", dtype=dtypes.float32, shape=[2])
    fresh = apply_op("Neg", x)
    view = apply_op("Reshape", fresh, np.array([2], np.int32))
    assign = apply_op("Assign", v, fresh)
    from_view = apply_op("Assign", v, view)
    from_feed = apply_op("Assign", v, x)

    def kept(fetches: list[Any]) -> Any:
        found = made(fetches, [x])
        return [b.keywords["fresh"][1] for b in found.bindings if "fresh" in b.keywords]

    assert kept([assign]) == [True]
    assert kept([from_view]) == [True]
    assert kept([assign, fresh]) == [False]
    assert kept([assign, view]) == [False]
    assert kept([from_feed]) == [False]
    assert kept([assign, from_view]) == [False, True]


def test_generated_source(graph: Graph) -> None:
    x = placeholder(shape=(2, 2))
    y = apply_op("Cumsum", x, np.int32(0), reverse=True, name="y")
    z = apply_op("CheckNumerics", apply_op("AddN", [y, y, x]), message="here", name="z")
    found = made([z], [x])
    compiled = found.compile()
    assert compiled.source.splitlines()[0] == "def call(x0, run):"
    assert "message='here'" in compiled.source and "; del " in compiled.source
    assert found.run([np.eye(2, dtype=np.float32)])[0].tolist() == [[3, 2], [0, 3]]
    with pytest.raises(errors.InvalidArgumentError) as caught:
        found.run([np.float32(1)])
    assert caught.value.node == "y"
    shown = "".join(traceback.format_exception(caught.value.__cause__ or caught.value))
    assert "<icefloe plan" in shown and "x0" in shown


def test_sources_do_not_outlive_their_plan(graph: Graph) -> None:
    x = placeholder()
    before = set(linecache.cache)
    found = made([apply_op("Neg", x)], [x])
    found.compile()
    (name,) = set(linecache.cache) - before
    del found
    assert name not in linecache.cache


def test_chunks_hand_values_on(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codegen, "CHUNK", 3)
    x = placeholder()
    y = apply_op("Neg", x)
    parts = [y]
    for i in range(10):
        parts.append(apply_op("AddV2", parts[-1], y if i % 2 else x))
    pieces = apply_op("Unpack", parts[-1], num=2, axis=0)
    fetches = [parts[4], apply_op("Sub", pieces[0], pieces[1])]
    found = made(fetches, [x])
    want = found.run([np.array([1, 5], np.float32)])
    assert found.compile().source.count("def chunk_") == 5
    got = found.run([np.array([1, 5], np.float32)])
    assert [g.tolist() for g in got] == [w.tolist() for w in want]


def test_a_program_is_compiled_once_it_is_hot(graph: Graph) -> None:
    x = placeholder()
    y = apply_op("Neg", x)
    with Session() as s:
        for _ in range(program.HOT + 1):
            s.run(y, {x: [1, 2]})
        (found,) = [entry for entry, _ in s._programs._entries.values()]
        assert found._compiled is not None


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (MemoryError("m"), errors.ResourceExhaustedError),
        (ValueError("v"), errors.InvalidArgumentError),
        (IndexError("i"), errors.InvalidArgumentError),
        (ZeroDivisionError("z"), errors.InvalidArgumentError),
        (FileNotFoundError(2, "f"), errors.NotFoundError),
        (PermissionError(13, "p"), errors.PermissionDeniedError),
        (OSError(28, "full"), errors.ResourceExhaustedError),
        (OSError(5, "io"), errors.UnknownError),
        (NotImplementedError("n"), errors.UnimplementedError),
        (TypeError("t"), errors.InternalError),
        (AttributeError("a"), errors.InternalError),
        (errors.AbortedError("own"), errors.AbortedError),
    ],
)
def test_exceptions_of_kernels_become_errors(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, raised: Exception, expected: type[Exception]
) -> None:
    from icefloe.graph import registry

    def kernel(x: Any) -> Any:
        raise raised

    x = placeholder()
    y = apply_op("Softsign", x, name="y")
    monkeypatch.setitem(
        registry.KERNELS, "Softsign", registry.Kernel("Softsign", kernel, (), False, "fresh", False, False, False)
    )
    for engine in ("interpret", "codegen"):
        found = program.Program(plan.build([y], [], [x]), Session()._scope, engine)
        with pytest.raises(expected) as caught:
            found.run([np.zeros(2, np.float32)])
        assert type(caught.value) is expected and caught.value.node == "y"  # type: ignore[attr-defined]
        assert caught.value is raised or caught.value.__cause__ is raised


def test_a_kernel_for_another_dtype_is_refused_in_words(graph: Graph) -> None:
    t = apply_op("Placeholder", dtype=dtypes.float32, shape=None)
    with Session() as s, pytest.raises(errors.InvalidArgumentError):
        s.run(apply_op("MatMul", t, t), {t: np.zeros(3)})


def test_cache_is_bounded_and_drops_what_was_used_longest_ago() -> None:
    cache: Cache[str] = Cache(capacity=2, weight=10)
    for key in "ab":
        cache.get(key, lambda key=key: key, lambda made: 1)
    cache.get("a", lambda: "again", lambda made: 1)
    cache.get("c", lambda: "c", lambda made: 1)
    assert list(cache._entries) == ["a", "c"] and cache.hits == 1 and cache.misses == 3
    cache.get("heavy", lambda: "heavy", lambda made: 100)
    assert list(cache._entries) == ["heavy"]
    cache.get("d", lambda: "d", lambda made: 1)
    assert list(cache._entries) == ["d"]
    cache.clear()
    assert len(cache) == 0


def test_a_check_that_a_control_edge_asks_for_runs():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([tf.check_numerics(x, "bad")]):
            y = tf.constant(1.0)
        assert session.run(y, {x: 2.0}) == 1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
            session.run(y, {x: float("nan")})
