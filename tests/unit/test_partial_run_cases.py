"""What people did with partial_run and what went wrong: each test is a case by its number, then what TensorFlow did.

a, b and c are fed; r1 = a + b, r2 = r1 * c, r3 = r1 - r2; inc adds a to the variable v, grp does so without output.
"""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import icefloe as tf

SETUP_FIRST = "Must run 'setup' before performing partial runs!"


@dataclass
class Model:
    a: Any
    b: Any
    c: Any
    r1: Any
    r2: Any
    r3: Any
    v: Any
    inc: Any
    grp: Any
    s: Any

    @property
    def feeds(self) -> list[Any]:
        return [self.a, self.b, self.c]

    def setup(self, *fetches: Any) -> str:
        return self.s.partial_run_setup(list(fetches), self.feeds)


@pytest.fixture
def m() -> Any:
    with tf.Graph().as_default():
        a, b, c = (tf.placeholder(tf.float32, [], name) for name in "abc")
        r1 = tf.add(a, b, name="r1")
        r2 = tf.multiply(r1, c, name="r2")
        v = tf.Variable(0.0, use_resource=False, name="v")
        inc = tf.assign_add(v, a, name="inc")
        with tf.Session() as s:
            s.run(v.initializer)
            yield Model(a, b, c, r1, r2, tf.subtract(r1, r2, name="r3"), v, inc, tf.group(inc, name="grp"), s)


def refused(text: str) -> Any:
    return pytest.raises(tf.errors.InvalidArgumentError, match=f"^{text}$")


def test_79_two_steps_with_a_value_computed_between(m: Model) -> None:
    h = m.setup(m.r1, m.r2)
    first = m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2})
    second = m.s.partial_run(h, m.r2, {m.c: first * 17})
    assert (first, second) == (3, 153)
    assert type(first) is np.float32


def test_feeding_twice_is_refused_and_the_handle_goes_on(m: Model) -> None:
    h = m.setup(m.r1, m.r2)
    m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2})
    with refused("The feed a:0 has already been fed."):
        m.s.partial_run(h, m.r2, {m.a: 2, m.c: 3})
    assert m.s.partial_run(h, m.r2, {m.c: 3}) == 9


def test_81_fetching_twice_is_refused(m: Model) -> None:
    h = m.setup(m.r1, m.r2)
    m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2})
    with refused("The fetch r1:0 has already been fetched."):
        m.s.partial_run(h, m.r1, {m.c: 3})
    assert m.s.partial_run(h, m.r2, {m.c: 3}) == 9


def test_82_what_was_not_declared_is_named(m: Model) -> None:
    h = m.s.partial_run_setup([m.r1], [m.a, m.b])
    with refused("The feed c:0 was not specified in partial_run_setup."):
        m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2, m.c: 1})
    with refused("The fetch r2:0 was not specified in partial_run_setup."):
        m.s.partial_run(h, m.r2, {m.a: 1, m.b: 2})
    assert m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2}) == 3


def test_too_early_names_the_fetch_and_every_feed_that_is_missing(m: Model) -> None:
    """TensorFlow names a feed as what cannot be computed, and one only."""
    h = m.setup(m.r1, m.r2)
    with refused("Fetch r2:0 can't be computed from the feeds that have been fed so far. Still missing: b:0, c:0."):
        m.s.partial_run(h, m.r2, {m.a: 1})
    assert m.s.partial_run(h, m.r2, {m.a: 1, m.b: 2, m.c: 3}) == 9


def test_84_used_up_and_unknown_handles(m: Model) -> None:
    h = m.s.partial_run_setup([m.r1], [m.a, m.b])
    assert m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2}) == 3
    for handle in (h, "nope"):
        with refused(SETUP_FIRST):
            m.s.partial_run(handle, m.r1)
    with tf.Session() as other, refused(SETUP_FIRST):
        other.partial_run(m.setup(m.r1), m.r1, {m.a: 1, m.b: 2})


def test_84_the_same_pair_is_set_up_ten_thousand_times(m: Model) -> None:
    for i in range(10_000):
        h = m.setup(m.r1, m.r2)
        assert m.s.partial_run(h, m.r1, {m.a: i % 100, m.b: 2}) == i % 100 + 2
        assert m.s.partial_run(h, m.r2, {m.c: 2}) == 2 * (i % 100 + 2)
    assert m.s.stats().partial_plans == 1 and m.s.stats().partial_runs == 0


def test_85_setup_without_feeds_and_without_fetches(m: Model) -> None:
    r = tf.constant(3.0) * 2
    assert m.s.partial_run(m.s.partial_run_setup([r]), r) == 6
    assert m.s.partial_run(m.s.partial_run_setup([r], []), r) == 6
    with refused("Must specify at least one target to fetch or execute."):
        m.s.partial_run_setup([], [m.a])


def test_86_an_operation_as_a_later_fetch(m: Model) -> None:
    """TensorFlow takes it in setup and refuses it with RuntimeError in the step."""
    h = m.setup(m.r1, m.grp)
    assert m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2}) == 3
    assert m.s.partial_run(h, m.grp) is None
    assert m.s.run(m.v) == 1
    h = m.setup(m.r1, m.inc)
    assert m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2}) == 3
    assert m.s.partial_run(h, m.inc) == 2 and m.s.run(m.v) == 2


def test_87_a_declared_assign_runs_as_soon_as_its_feeds_are_there(m: Model) -> None:
    h = m.setup(m.r1, m.r2, m.grp)
    m.s.partial_run(h, m.r1, {m.a: 5, m.b: 2})
    assert m.s.run(m.v) == 5
    m.s.partial_run(h, [m.r2, m.grp], {m.c: 1})
    assert m.s.run(m.v) == 5  # once


def test_89_two_handles_keep_their_values_apart(m: Model) -> None:
    first, second = m.setup(m.r1, m.r2), m.setup(m.r1, m.r2)
    assert first != second
    found = [m.s.partial_run(first, m.r1, {m.a: 1, m.b: 2}), m.s.partial_run(second, m.r1, {m.a: 10, m.b: 2})]
    found += [m.s.partial_run(first, m.r2, {m.c: 2}), m.s.partial_run(second, m.r2, {m.c: 2})]
    assert found == [3, 12, 6, 24]


def test_90_a_random_op_is_drawn_once_per_handle(m: Model) -> None:
    drawn = tf.random_uniform([])
    plain, shifted = drawn * 1.0, drawn * 1.0 + 0 * m.c
    seen = set()
    for _ in range(5):
        h = m.s.partial_run_setup([plain, shifted], [m.c])
        value = m.s.partial_run(h, plain)
        assert m.s.partial_run(h, shifted, {m.c: 0}) == value
        seen.add(float(value))
    assert len(seen) == 5


def test_92_nested_structures_and_duplicates_in_one_step(m: Model) -> None:
    h = m.setup(m.r1, m.r2)
    found = m.s.partial_run(h, {"x": m.r1, "y": [m.r1, (m.r2, m.r1)]}, {m.a: 1, m.b: 2, m.c: 2})
    assert found == {"x": 3, "y": [3, (6, 3)]}


def test_feeding_an_intermediate_tensor(m: Model) -> None:
    h = m.s.partial_run_setup([m.r2, m.r3], [m.r1, m.c])
    assert m.s.partial_run(h, m.r2, {m.r1: 3, m.c: 2}) == 6
    assert m.s.partial_run(h, m.r3) == -3


def test_94_steps_that_only_feed(m: Model) -> None:
    h = m.setup(m.r2)
    assert m.s.partial_run(h, [], {m.a: 1}) == []
    assert m.s.partial_run(h, {}, {m.b: 2}) == {}
    assert m.s.partial_run(h, m.r2, {m.c: 4}) == 12


def test_95_in_an_interactive_session_and_after_the_graph_grew() -> None:
    with tf.Graph().as_default():
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        first = a * 2.0
        second = first + b
        s = tf.InteractiveSession()
        try:
            h = s.partial_run_setup([first, second], [a, b])
            assert s.partial_run(h, first, {a: 2}) == 4
            grown = tf.identity(second) * 2.0
            assert s.partial_run(h, second, {b: 1}) == 5
            assert grown.eval({a: 2, b: 1}) == 10
            h = s.partial_run_setup([first, grown], [a, b])
            assert s.partial_run(h, first, {a: 1}) == 2 and s.partial_run(h, grown, {b: 1}) == 6
        finally:
            s.close()


class Wrapper:
    """A session as hooks and debuggers wrap it: it hands calls through and keeps count."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.calls.append(name)
        return getattr(self._session, name)


def test_98_a_wrapper_passes_partial_calls_through(m: Model) -> None:
    wrapped = Wrapper(m.s)
    h = wrapped.partial_run_setup([m.r1, m.r2], m.feeds)
    assert wrapped.partial_run(h, m.r1, feed_dict={m.a: 1, m.b: 2}) == 3
    assert wrapped.partial_run(handle=h, fetches=m.r2, feed_dict={m.c: 2}) == 6
    assert wrapped.calls == ["partial_run_setup", "partial_run", "partial_run"]


def test_a_fed_tensor_may_be_fetched(m: Model) -> None:
    """TensorFlow refuses this in partial runs only."""
    h = m.setup(m.a, m.r1)
    assert m.s.partial_run(h, [m.a, m.r1], {m.a: 1, m.b: 2}) == [1, 3]


def test_a_placeholder_that_is_no_feed_is_named_with_the_way_to_it(m: Model) -> None:
    h = m.s.partial_run_setup([m.r1, m.r3], [m.a, m.b])
    assert m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2}) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'c'") as e:
        m.s.partial_run(h, m.r3)
    assert e.value.trail == ("r3", "r2", "c")


def test_across_conditionals(m: Model) -> None:
    pred = tf.placeholder(tf.bool, [], name="pred")
    out = tf.cond(pred, lambda: m.a * 2, lambda: m.b * 3)
    dead = tf.raw_ops.Switch(data=m.a, pred=pred).output_true * 2.0
    for value, expected in ((False, 6), (True, 2)):
        h = m.s.partial_run_setup([m.r1, out], [m.a, m.b, pred])
        assert m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2}) == 3
        assert m.s.partial_run(h, out, {pred: value}) == expected
    h = m.s.partial_run_setup([dead], [m.a, m.b, pred])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
        m.s.partial_run(h, dead, {m.a: 1, m.b: 2, pred: False})


@pytest.mark.parametrize("v2", [False, True])
def test_across_loops_and_calls(m: Model, v2: bool) -> None:
    (tf.enable_control_flow_v2 if v2 else tf.disable_control_flow_v2)()
    try:
        out = tf.while_loop(lambda i: i < 5.0, lambda i: i + m.c, [m.a])
        chosen = tf.cond(m.b > 0, lambda: out * m.c, lambda: out)
    finally:
        tf.disable_control_flow_v2()
    h = m.setup(m.r1, out, chosen)
    assert m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2}) == 3
    assert m.s.partial_run(h, out, {m.c: 2}) == 5
    assert m.s.partial_run(h, chosen) == 10


def test_a_failing_step_poisons_nothing(m: Model) -> None:
    """After this TensorFlow cancels every later run of the session."""
    shape = tf.placeholder(tf.int32, [1], name="shape")
    bad = tf.reshape(m.a * tf.ones([2]), shape)
    other = m.setup(m.r1)
    h = m.s.partial_run_setup([m.r1, bad], [m.a, m.b, shape])
    with pytest.raises(tf.errors.InvalidArgumentError, match="reshape"):
        m.s.partial_run(h, bad, {m.a: 1, m.b: 2, shape: [3]})
    with refused(SETUP_FIRST):
        m.s.partial_run(h, m.r1)
    assert m.s.partial_run(other, m.r1, {m.a: 1, m.b: 2}) == 3
    assert m.s.run(m.r1, {m.a: 1, m.b: 2}) == 3


def test_handles_in_several_threads(m: Model) -> None:
    found: dict[int, list[float]] = {}

    def work(i: int) -> None:
        found[i] = []
        for j in range(50):
            h = m.setup(m.r1, m.r2)
            first = m.s.partial_run(h, m.r1, {m.a: i, m.b: j})
            found[i].append(m.s.partial_run(h, m.r2, {m.c: first}))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: [(i + j) ** 2 for j in range(50)] for i in range(4)}


def test_unfinished_handles_are_released(m: Model) -> None:
    handles = [m.setup(m.r1, m.r2) for _ in range(20)]
    for h in handles:
        m.s.partial_run(h, m.r1, {m.a: 1, m.b: 2})
    assert m.s.stats().partial_runs == 20
    del h, handles
    gc.collect()
    assert m.s.stats().partial_runs == 0
    with m.s.partial([m.r1, m.r2], m.feeds) as p:
        assert p.run(m.r1, {m.a: 1, m.b: 2}) == 3
        assert p.pending_feeds == [m.c] and p.pending_fetches == [m.r2]
    assert m.s.stats().partial_runs == 0


def test_a_closed_session(m: Model) -> None:
    s = tf.Session()
    h = s.partial_run_setup([m.r1], [m.a, m.b])
    s.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        s.partial_run(h, m.r1, {m.a: 1, m.b: 2})
