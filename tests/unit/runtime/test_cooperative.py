"""Steps that wait: they let others run, hold no lock, and are woken by what they wait for, by close and by deadlines."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from icefloe import datatypes as dtypes
from icefloe import errors
from icefloe.graph import registry
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.proto import ConfigProto, RunOptions
from icefloe.resources.waiting import Pending
from icefloe.session import Config, Session


@pytest.fixture
def graph() -> Any:
    made = Graph()
    with made.as_default():
        yield made


class Box:
    """What one step puts in and another waits for."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.waiting: list[Pending] = []
        self.given_up = 0

    def take(self, x: Any) -> Iterator[Pending]:
        while not self.items:
            pending = Pending()
            self.waiting.append(pending)
            try:
                yield from pending.outcome()
            except GeneratorExit:
                self.given_up += 1
                raise
        return x + self.items.pop(0)  # type: ignore[return-value]

    def give(self, x: Any) -> Any:
        self.items.append(x)
        while self.waiting:
            self.waiting.pop(0).end()
        return x


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Box:
    """Make two ops that have no kernel of their own a pair that waits and gives."""
    made = Box()
    for op, function, waits in (
        ("TPUReplicatedInput", lambda xs: made.take(xs[0]), True),
        ("TPUReplicatedOutput", lambda x: (made.give(x),), False),
    ):
        monkeypatch.setitem(
            registry.KERNELS, op, registry.Kernel(op, function, (), False, ("view", 0), False, False, waits)
        )
    return made


def take(x: Any, name: str = "take") -> Any:
    return apply_op("TPUReplicatedInput", [x], name=name)


def give(x: Any, name: str = "give") -> Any:
    return apply_op("TPUReplicatedOutput", x, num_replicas=1, name=name)[0]


@pytest.mark.parametrize("engine", ["auto", "interpret", "codegen", "general"])
def test_a_step_that_waits_lets_others_run(graph: Graph, box: Box, engine: str) -> None:
    x = apply_op("Placeholder", dtype=dtypes.float32, shape=[])
    taken = take(x)
    given = give(apply_op("Neg", x))
    out = apply_op("Mul", taken, np.float32(10))
    with Session(config=Config(engine=engine)) as s:
        for _ in range(3):
            assert s.run([out, given], {x: 3}) == [0, -3]


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_several_steps_wait(graph: Graph, box: Box, engine: str) -> None:
    """The second item is only given when the first has been taken."""
    first = take(np.float32(1), "first")
    second = take(np.float32(2), "second")
    given = give(np.float32(5))
    with graph.control_dependencies([first]):
        again = give(np.float32(7), "again")
    with Session(config=Config(engine=engine)) as s:
        values = s.run([first, second, given, again])
    assert values == [1 + 5, 2 + 7, 5, 7]


def test_a_partial_run_returns_while_a_step_waits(graph: Graph, box: Box) -> None:
    x, y = (apply_op("Placeholder", dtype=dtypes.float32, shape=[], name=n) for n in "xy")
    taken, given, negative = take(x), give(y), apply_op("Neg", x)
    with Session() as s:
        h = s.partial_run_setup([taken, given, negative], [x, y])
        assert s.partial_run(h, negative, {x: 1}) == -1
        assert s.partial_run(h, [taken, given], {y: 5}) == [6, 5]


def test_a_partial_run_that_is_released_gives_up(graph: Graph, box: Box) -> None:
    x, y = (apply_op("Placeholder", dtype=dtypes.float32, shape=[], name=n) for n in "xy")
    taken, negative = take(x), apply_op("Neg", x)
    with Session() as s:
        with s.partial([taken, negative, y], [x, y]) as p:
            p.run(negative, {x: 1})
            assert box.given_up == 0
        assert box.given_up == 1


def test_a_deadline(graph: Graph, box: Box) -> None:
    taken = take(np.float32(1))
    with Session() as s, pytest.raises(errors.DeadlineExceededError, match="Timed out waiting for notification"):
        s.run(taken, options=RunOptions(timeout_in_ms=5))
    for config in (Config(operation_timeout_in_ms=5), ConfigProto(operation_timeout_in_ms=5)):
        with Session(config=config) as s, pytest.raises(errors.DeadlineExceededError):
            s.run(taken)
    assert len(box.waiting) == 3 == box.given_up


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_close_wakes_runs_that_wait(graph: Graph, box: Box, engine: str) -> None:
    taken = take(np.float32(1))
    s = Session(config=Config(engine=engine))
    caught: list[Exception] = []

    def run() -> None:
        try:
            s.run(taken)
        except errors.CancelledError as error:
            caught.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    while len(box.waiting) < 3:
        pass
    s.close()
    for thread in threads:
        thread.join()
    assert len(caught) == 3 and box.given_up == 3


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_another_thread_wakes_a_run(graph: Graph, box: Box, engine: str) -> None:
    out = apply_op("Neg", take(np.float32(1)))
    given = give(np.float32(4))
    with Session(config=Config(engine=engine)) as s:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(s.run(out)))
        thread.start()
        while not box.waiting:
            pass
        s.run(given)
        thread.join()
    assert found == [-5]


def test_a_step_that_fails_ends_what_waits(graph: Graph, box: Box) -> None:
    x = apply_op("Placeholder", dtype=dtypes.float32, shape=[])
    checks = [apply_op("CheckNumerics", x, message="here"), take(x, "a"), take(x, "b")]
    with Session() as s:
        with pytest.raises(errors.InvalidArgumentError, match="Tensor had NaN") as caught:
            s.run(checks, {x: np.nan})
        assert caught.value.node == "CheckNumerics"


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_an_error_of_a_step_that_waits(graph: Graph, box: Box, engine: str) -> None:
    taken = take(np.float32(1))
    box.items.append("no number")
    with Session(config=Config(engine=engine)) as s, pytest.raises(errors.OpError) as caught:
        s.run(taken)
    assert caught.value.node == "take"


def test_what_waits_alone_comes_after_what_others_wait_for(graph: Graph, box: Box) -> None:
    """Everything that does not depend on it has run when a step waits; also a write to a variable."""
    variable = apply_op("VariableV2", shape=[], dtype=dtypes.float32, name="v")
    init = apply_op("Assign", variable, np.float32(1), name="init")
    out = apply_op("Neg", take(np.float32(1)))
    write = apply_op("AssignAdd", variable, np.float32(1))
    given = give(np.float32(4))
    with Session() as s:
        s.run(init)
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(s.run([out, write])))
        thread.start()
        while s.run(variable) != 2:
            pass
        s.run(given)
        thread.join()
    assert found == [[-5, 2]]
