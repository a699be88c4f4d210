"""Loops beside loops of another shape, and beside steps that wait: single steps where that changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import icefloe as tf

ENGINES = ("auto", "interpret", "codegen", "general")


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def plain(x: Any, turns: int = 5) -> Any:
    """A loop of the standard shape."""
    return tf.while_loop(lambda i, a: i < turns, lambda i, a: (i + 1, a * 0.5 + x), [0, x])[1]


def odd(start: Any, limit: Any, body: Callable[[Any], Any] = lambda i: i, name: str = "odd") -> Any:
    """A loop with a second LoopCond, which no `while_loop` makes: it counts from `start` to `limit`."""
    ops = tf.raw_ops
    one = ops.Enter(data=tf.constant(1), frame_name=name, is_constant=True)
    limit = ops.Enter(data=limit, frame_name=name, is_constant=True)
    enter = ops.Enter(data=start, frame_name=name)
    merge = ops.Merge(inputs=[enter, enter])
    condition = ops.LoopCond(input=ops.Less(x=merge.output, y=limit))
    second = ops.LoopCond(input=ops.Less(x=merge.output, y=limit))
    switch = ops.Switch(data=merge.output, pred=condition)
    with tf.control_dependencies([second]):
        inside = tf.identity(switch.output_true)
    back = ops.NextIteration(data=ops.AddV2(x=body(inside), y=one))
    merge.output.op._update_input(1, back)
    return ops.Exit(data=switch.output_false)


def program_of(session: Any) -> Any:
    (found,) = [p for p in session._programs.entries() if p.whole.has_loops]
    return found


def loops_in(program: Any) -> int:
    return sum(step.loop is not None for step in program.plan.steps)


@pytest.mark.parametrize("engine", ENGINES)
def test_beside_a_loop_of_another_shape(engine: str) -> None:
    x = tf.placeholder(tf.float32, [])
    n = tf.placeholder(tf.int32, [])
    fetches = [plain(x), odd(tf.constant(0), n), plain(tf.cast(odd(n, n * 2, name="second"), tf.float32))]
    with tf.Session(config=tf.Config(engine=engine)) as s:
        for _ in range(2):
            values = s.run(fetches, {x: 1.0, n: 3})
            np.testing.assert_array_equal(values, [1.96875, 3, 6 * 1.96875])
        assert loops_in(program_of(s)) == (0 if engine == "general" else 2)


@pytest.mark.parametrize("engine", ENGINES)
def test_inside_of_a_loop_of_another_shape(engine: str) -> None:
    """The inner loop's body is standard; the outer one runs node by node."""
    x = tf.placeholder(tf.int32, [])

    def body(i: Any) -> Any:
        ops = tf.raw_ops
        names = {"frame_name": "inner", "parallel_iterations": 10}
        enter = ops.Enter(data=i, **names)
        merge = ops.Merge(inputs=[enter, enter])
        ten = ops.Enter(
            data=ops.Enter(data=tf.constant(7), frame_name="odd", is_constant=True), is_constant=True, **names
        )
        condition = ops.LoopCond(input=ops.Less(x=merge.output, y=ten))
        switch = ops.Switch(data=merge.output, pred=condition)
        doubled = ops.AddV2(x=switch.output_true, y=switch.output_true)
        merge.output.op._update_input(1, ops.NextIteration(data=doubled))
        return ops.Exit(data=switch.output_false)

    result = odd(x, tf.constant(20), body)
    with tf.Session(config=tf.Config(engine=engine)) as s:
        assert s.run(result, {x: 1}) == 20  # 1 -> 8 + 1 -> 9 + 1 ... -> 20
        assert loops_in(program_of(s)) == (0 if engine == "general" else 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_behind_an_input_queue(engine: str) -> None:
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[]])
    enqueue = queue.enqueue(2.0)
    v = tf.Variable(1.0, use_resource=True)
    x = queue.dequeue()
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v + x), [0, x])[1]
    train = tf.train.GradientDescentOptimizer(0.5).minimize(y)
    with tf.Session(config=tf.Config(engine=engine)) as s:
        s.run(v.initializer)
        for _ in range(2):
            s.run(enqueue)
        assert s.run([y, train])[0] == 8
        assert s.run(v) == 1 - 0.5 * (2 + 2 + 2 + 2 + 2 + 2)
        program = program_of(s)
        assert loops_in(program) > 0 or engine == "general"
        assert (program.engine == "general") == (engine == "general")


@pytest.mark.parametrize("engine", ENGINES)
def test_beside_several_steps_that_wait(engine: str) -> None:
    queue = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    filled = queue.enqueue_many([np.arange(6, dtype=np.float32)])
    taken = queue.dequeue_many(6)
    y = plain(tf.reduce_sum(taken))
    with tf.Session(config=tf.Config(engine=engine)) as s:
        assert s.run([y, filled])[0] == 15 * 1.96875
        assert loops_in(program_of(s)) == (0 if engine == "general" else 1)


def test_a_loop_that_waits_stays_as_it_is() -> None:
    queue = tf.FIFOQueue(2, tf.float32, shapes=[[]])

    def produce(i: Any) -> Any:
        with tf.control_dependencies([queue.enqueue(tf.cast(i, tf.float32))]):
            return i + 1

    produced = tf.while_loop(lambda i: i < 8, produce, [0])
    consumed = tf.while_loop(lambda i, a: i < 8, lambda i, a: (i + 1, a + queue.dequeue()), [0, 0.0])[1]
    beside = plain(tf.constant(1.0) + tf.random_uniform([]) * 0)
    with tf.Session() as s:
        assert s.run([produced, consumed, beside]) == [8, 28, 1.96875]
        assert loops_in(program_of(s)) == 1


def test_a_loop_that_is_ended_from_outside_stays_as_it_is() -> None:
    """It turns until a step behind one that waits has written to a variable."""
    stop = tf.Variable(False, use_resource=True)
    queue = tf.FIFOQueue(1, tf.bool, shapes=[[]])
    put = queue.enqueue(True)
    turns = tf.while_loop(lambda i: tf.logical_not(stop.read_value()), lambda i: i + 1, [0])
    with tf.control_dependencies([turns.op]):
        done = tf.identity(turns)
    stopping = stop.assign(queue.dequeue())
    with tf.Session() as s:
        s.run(stop.initializer)
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(s.run([done, stopping.op])))
        thread.start()
        s.run(put)
        thread.join(30)
        assert not thread.is_alive()
        assert found[0][0] >= 0


def test_a_loop_that_wakes_what_it_waits_for_stays_as_it_is() -> None:
    """The loop closes a queue, which a step waits on whose result the loop uses in a later iteration."""
    queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
    left = tf.reduce_sum(queue.dequeue_up_to(5))

    def body(i: Any, total: Any) -> Any:
        close = tf.cond(tf.equal(i, 0), lambda: tf.group(queue.close()), tf.no_op)
        with tf.control_dependencies([close]):
            return i + 1, total + i

    _, total = tf.while_loop(lambda i, total: i < 3, body, [0, 0])
    with tf.Session() as s:
        s.run(queue.enqueue(4))
        assert s.run([left, total]) == [4, 3]


def test_errors_name_the_node_inside() -> None:
    queue = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    taken = queue.dequeue_many(2)
    bad = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, tf.check_numerics(a / tf.cast(i - 1, tf.float32), "bad", name="check")),
        [0, taken[0]],
        name="loop",
    )[1]
    with tf.Session() as s, pytest.raises(tf.errors.InvalidArgumentError, match="bad") as caught:
        s.run([bad, queue.enqueue_many([[1.0, 2.0]])])
    assert caught.value.node == "loop/check"


def test_in_the_branch_not_taken() -> None:
    """All of a loop that is one step on the general engine is dead with what leads into it."""
    x = tf.placeholder(tf.float32, [])
    n = tf.constant(3) + tf.cast(x * 0, tf.int32)
    y = tf.cond(x > 0, lambda: plain(x), lambda: -x)
    with tf.Session() as s:
        for value, expected in ((2.0, 2 * 1.96875), (-3.0, 3.0)):
            found, count = s.run([y, odd(tf.constant(0), n, name=f"odd{value}")], {x: value})
            assert (found, count) == (expected, 3)


def test_in_a_run_in_parts() -> None:
    """The loop runs once all that it needs is fed, and once."""
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    counted = tf.Variable(0, use_resource=True)

    def body(i: Any, a: Any) -> Any:
        with tf.control_dependencies([counted.assign_add(1)]):
            return i + 1, a * 0.5 + y

    first = plain(x)
    second = tf.while_loop(lambda i, a: i < 5, body, [0, first])[1]
    third = odd(tf.constant(0), tf.cast(second, tf.int32))
    with tf.Session() as s:
        s.run(counted.initializer)
        with s.partial([first, second, third], [x, y]) as run:
            assert run.run(first, {x: 1.0}) == 1.96875
            with pytest.raises(tf.errors.InvalidArgumentError, match="Still missing"):
                run.run(second)
            assert s.run(counted) == 0
            assert run.run([second, third], {y: 2.0}) == [1.96875 / 32 + 2 * 1.9375, 3]
            assert s.run(counted) == 5
        (made,) = s._partial_plans.entries()
        assert sum(step.loop is not None for step in made.plan.steps) == 2


def test_a_part_may_ask_for_an_operation_of_a_loop() -> None:
    """Then the loop stays as it is. Of a graph that was imported: what a `while_loop` made is not fetchable."""
    tf.identity(plain(tf.placeholder(tf.float32, [], name="x")), name="y")
    definition = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(definition, name="")
        with tf.Session() as s, s.partial(["y:0", "while/LoopCond"], ["x:0"]) as run:
            assert run.run(["while/LoopCond", "y:0"], {"x:0": 1.0}) == [None, 1.96875]
    assert imported.get_operation_by_name("while/LoopCond").type == "LoopCond"
