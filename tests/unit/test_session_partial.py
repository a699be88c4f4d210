"""Partial runs: values, order of effects, refusals, isolation, release. Exact texts are TensorFlow's where it has one."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from icefloe import datatypes as dtypes
from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.session import InteractiveSession, Session


@pytest.fixture
def graph() -> Any:
    made = Graph()
    with made.as_default():
        yield made


def placeholder(name: str, shape: Any = ()) -> Any:
    return apply_op("Placeholder", dtype=dtypes.float32, shape=shape, name=name)


@pytest.fixture
def abc(graph: Graph) -> Any:
    """a, b, c fed; r1 = a + b, r2 = r1 * c."""
    a, b, c = (placeholder(n) for n in "abc")
    r1 = apply_op("AddV2", a, b, name="r1")
    return a, b, c, r1, apply_op("Mul", r1, c, name="r2")


def test_two_steps(abc: Any) -> None:
    a, b, c, r1, r2 = abc
    with Session() as s:
        h = s.partial_run_setup([r1, r2], [a, b, c])
        assert isinstance(h, str) and h.startswith("a:0,b:0,c:0->r1:0,r2:0//1/;")
        first = s.partial_run(h, r1, {a: 1, b: 2})
        assert first == 3
        assert s.partial_run(h, r2, {c: first * 17}) == 153


def test_the_expensive_first_part_runs_once(graph: Graph, capfd: Any) -> None:
    x = placeholder("x")
    first = apply_op("Print", x, [x], message="expensive ")
    second = apply_op("Neg", first)
    with Session() as s:
        h = s.partial_run_setup([first, second], [x])
        assert s.partial_run(h, first, {x: 4}) == 4
        assert s.partial_run(h, second) == -4
    assert capfd.readouterr().err == "expensive [4]\n"


def test_refusals_leave_the_handle_as_it_was(abc: Any) -> None:
    a, b, c, r1, r2 = abc
    other = apply_op("Neg", a, name="other")
    cases: list[tuple[Any, Any, str]] = [
        (r1, {a: 9}, "The feed a:0 has already been fed."),
        (other, None, "The fetch other:0 was not specified in partial_run_setup."),
        (r1, {other: 1}, "The feed other:0 was not specified in partial_run_setup."),
        (r1, {r1: 1}, "The feed r1:0 was not specified in partial_run_setup."),
        (r2, None, "Fetch r2:0 can't be computed from the feeds that have been fed so far. Still missing: b:0, c:0."),
        (
            [r1, r2],
            {b: 1},
            "Fetch r2:0 can't be computed from the feeds that have been fed so far. Still missing: c:0.",
        ),
    ]
    with Session() as s:
        h = s.partial_run_setup([r1, r2], [a, b, c])
        s.partial_run(h, [], {a: 1})
        for fetch, feed, text in cases:
            with pytest.raises(errors.InvalidArgumentError) as caught:
                s.partial_run(h, fetch, feed)
            assert caught.value.message == text
        assert s.partial_run(h, r1, {b: 2}) == 3
        with pytest.raises(errors.InvalidArgumentError, match=r"^The fetch r1:0 has already been fetched\.$"):
            s.partial_run(h, r1)
        assert s.partial_run(h, r2, {c: 2}) == 6


def test_handles_that_are_used_up_foreign_or_unknown(abc: Any) -> None:
    a, b, _, r1, _ = abc
    text = "Must run 'setup' before performing partial runs!"
    with Session() as s, Session() as other:
        h = s.partial_run_setup([r1], [a, b])
        for session, handle in ((other, h), (s, "nonsense"), (s, 3)):
            with pytest.raises(errors.InvalidArgumentError, match=text):
                session.partial_run(handle, r1, {a: 1, b: 2})
        assert s.partial_run(h, r1, {a: 1, b: 2}) == 3
        with pytest.raises(errors.InvalidArgumentError, match=text):
            s.partial_run(h, r1)


def test_setup(abc: Any) -> None:
    a, b, _, r1, _ = abc
    constant = apply_op("Neg", apply_op("Identity", np.float32(6)))
    with Session() as s:
        with pytest.raises(errors.InvalidArgumentError, match="Must specify at least one target to fetch or execute"):
            s.partial_run_setup([])
        assert s.partial_run(s.partial_run_setup(constant), constant) == -6
        assert s.partial_run(s.partial_run_setup(constant, None), constant) == -6
        h = s.partial_run_setup([r1], "a:0")
        with pytest.raises(errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'b'"):
            s.partial_run(h, r1, {a: 1})
        with pytest.raises(TypeError, match="Cannot interpret argument `feed` key as Tensor"):
            s.partial_run_setup(r1, ["nope:0"])
        for _ in range(50):  # the same pair again and again
            h = s.partial_run_setup([r1], [a, b])
            assert s.partial_run(h, r1, {a: 1, b: 2}) == 3
        assert len(s._partial_plans) == 3


def test_structures_duplicates_and_steps_that_only_feed(abc: Any) -> None:
    a, b, c, r1, r2 = abc
    with Session() as s:
        h = s.partial_run_setup({"x": r1, "y": [r2, r2]}, [a, b, c])
        assert s.partial_run(h, [], {a: 1}) == []
        assert s.partial_run(h, {}, {b: 2}) == {}
        assert s.partial_run(h, []) == []
        assert s.partial_run(h, {"x": r1, "y": [r1]}) == {"x": 3, "y": [3]}
        assert s.partial_run(h, (r2, [r2]), {c: 4}) == (12, [12])


def test_feeding_an_intermediate_tensor_and_fetching_what_is_fed(abc: Any) -> None:
    a, _, c, r1, r2 = abc
    with Session() as s:
        h = s.partial_run_setup([r2, r1, a], [r1, c, a])
        assert s.partial_run(h, a, {a: 8}) == 8
        assert s.partial_run(h, [r1], {r1: 5}) == [5]
        assert s.partial_run(h, r2, {c: 3}) == 15


def test_operations_as_fetches(graph: Graph) -> None:
    v = apply_op("VariableV2", dtype=dtypes.float32, shape=[], name="v")
    x = placeholder("x")
    init, add = apply_op("Assign", v, np.float32(1)), apply_op("AssignAdd", v, x)
    with Session() as s:
        s.run(init)
        h = s.partial_run_setup([x, add.op], [x])
        assert s.partial_run(h, x, {x: 10}) == 10
        assert s.run(v) == 11  # what can run does, asked for or not
        assert s.partial_run(h, add.op) is None
        assert s.run(v) == 11
        with pytest.raises(errors.InvalidArgumentError, match="Must run 'setup'"):
            s.partial_run(h, add.op)


def test_effects_happen_as_soon_as_their_feeds_are_there_and_once(graph: Graph) -> None:
    handle = apply_op("VarHandleOp", dtype=dtypes.float32, shape=[], name="v")
    x, y = placeholder("x"), placeholder("y")
    init = apply_op("AssignVariableOp", handle, np.float32(0))
    add = apply_op("AssignAddVariableOp", handle, x)
    read = apply_op("ReadVariableOp", handle, dtype=dtypes.float32)
    with graph.control_dependencies([add, y]):
        late = apply_op("ReadVariableOp", handle, dtype=dtypes.float32)
    with Session() as s:
        s.run(init)
        h = s.partial_run_setup([add, late], [x, y])
        s.partial_run(h, [], {x: 5})
        assert s.run(read) == 5
        assert s.partial_run(h, late, {y: 0}) == 5
        assert s.run(read) == 5


def test_a_random_op_draws_once_per_handle(graph: Graph) -> None:
    x = placeholder("x")
    r = apply_op("RandomUniform", np.array([2], np.int32), dtype=dtypes.float32, seed=3, seed2=4)
    later = apply_op("Mul", r, x)
    with Session() as s:
        draws = []
        for _ in range(2):
            h = s.partial_run_setup([r, later], [x])
            drawn = s.partial_run(h, r)
            assert s.partial_run(h, later, {x: 2}).tolist() == (drawn * 2).tolist()
            draws.append(drawn.tolist())
        assert draws[0] != draws[1]


def test_handles_interleave_and_do_not_share_values(abc: Any) -> None:
    a, b, c, r1, r2 = abc
    with Session() as s:
        h1, h2 = s.partial_run_setup([r1, r2], [a, b, c]), s.partial_run_setup([r1, r2], [a, b, c])
        assert h1 != h2
        assert s.partial_run(h1, r1, {a: 1, b: 2}) == 3
        assert s.partial_run(h2, r1, {a: 10, b: 2}) == 12
        assert s.partial_run(h1, r2, {c: 2}) == 6
        assert s.partial_run(h2, r2, {c: 2}) == 24


def test_a_failing_step_harms_nothing_else(graph: Graph) -> None:
    x, y = placeholder("x", None), placeholder("y")
    product = apply_op("MatMul", x, x, name="product")
    neg = apply_op("Neg", y)
    with Session() as s:
        bad, good = s.partial_run_setup([product], [x]), s.partial_run_setup([product, neg], [x, y])
        with pytest.raises(errors.InvalidArgumentError) as caught:
            s.partial_run(bad, product, {x: np.zeros((2, 3))})
        assert caught.value.node == "product"
        with pytest.raises(errors.InvalidArgumentError, match="Must run 'setup'"):
            s.partial_run(bad, product)
        assert s.run(neg, {y: 1}) == -1
        assert s.partial_run(good, neg, {y: 2}) == -2
        assert s.partial_run(good, product, {x: [[2.0]]}) == [[4.0]]


def test_handles_from_several_threads(abc: Any) -> None:
    a, b, c, r1, r2 = abc
    wrong: list[Any] = []
    with Session() as s:

        def work(n: int) -> None:
            for i in range(60):
                h = s.partial_run_setup([r1, r2], [a, b, c])
                first = s.partial_run(h, r1, {a: n, b: i})
                if s.partial_run(h, r2, {c: 2}) != 2 * (n + i) or first != n + i:
                    wrong.append((n, i))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not wrong


def test_unfinished_handles_are_released(abc: Any) -> None:
    a, b, c, r1, r2 = abc
    s = Session()
    h = s.partial_run_setup([r1, r2], [a, b, c])
    s.partial_run(h, r1, {a: 1, b: 2})
    run = weakref.ref(h.run)
    del h
    gc.collect()
    assert run() is None and len(s._partial_runs) == 0
    h = s.partial_run_setup([r1, r2], [a, b, c])
    s.close()
    assert h.run.is_over


def test_in_a_block(abc: Any) -> None:
    a, b, c, r1, r2 = abc
    with Session() as s:
        with s.partial([r1, r2], [a, b, c]) as p:
            assert p.pending_fetches == [r1, r2] and p.pending_feeds == [a, b, c]
            assert p.run(r1, {a: 1, b: 2}) == 3
            assert p.pending_fetches == [r2] and p.pending_feeds == [c]
        assert p.handle.run.is_over and p.pending_feeds == []
        with pytest.raises(errors.InvalidArgumentError, match="Must run 'setup'"):
            p.run(r2, {c: 1})


def test_interactive_and_with_a_graph_that_grows(abc: Any) -> None:
    a, b, c, r1, r2 = abc
    s = InteractiveSession()
    try:
        h = s.partial_run_setup([r1, r2], [a, b, c])
        assert s.partial_run(h, r1, {a: 1, b: 2}) == 3
        grown = apply_op("Neg", r2)
        assert s.run(grown, {a: 1, b: 1, c: 1}) == -2
        assert s.partial_run(h, r2, {c: 2}) == 6
    finally:
        s.close()


def test_values_are_dropped_when_nothing_needs_them(graph: Graph) -> None:
    x, y = placeholder("x", (None,)), placeholder("y")
    big = apply_op("Neg", x)
    total = apply_op("Sum", big, np.int32(0))
    out = apply_op("Mul", total, y)
    with Session() as s:
        h = s.partial_run_setup([total, out], [x, y])
        assert s.partial_run(h, total, {x: np.ones(1000)}) == -1000
        held = [v for v in h.run._slots if isinstance(v, np.ndarray) and v.size > 1]
        assert held == []
        assert s.partial_run(h, out, {y: 2}) == -2000
