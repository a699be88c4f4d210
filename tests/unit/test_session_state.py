"""State of sessions: variables, random streams, threads, files; and graphs that are long or not known."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from icefloe import datatypes as dtypes
from icefloe import errors, stacks
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.proto import GraphDef
from icefloe.session import Config, Session
from unit.test_session import graph as graph
from unit.test_session import placeholder


def variable(value: Any, *, resource: bool) -> tuple[Any, Any, Any, Any]:
    """Return (fetch, initializer, add 1, set to a placeholder `new`)."""
    array = np.asarray(value, np.float32)
    new = placeholder(shape=array.shape, name="new")
    one = np.ones_like(array)
    if resource:
        handle = apply_op("VarHandleOp", dtype=dtypes.float32, shape=array.shape, name="v")
        read = apply_op("ReadVariableOp", handle, dtype=dtypes.float32)
        init = apply_op("AssignVariableOp", handle, array)
        add = apply_op("AssignAddVariableOp", handle, one)
        with stacks.GRAPHS.top().control_dependencies([add]):  # type: ignore[union-attr]
            added = apply_op("ReadVariableOp", handle, dtype=dtypes.float32)
        return read, init, added, apply_op("AssignVariableOp", handle, new)
    ref = apply_op("VariableV2", dtype=dtypes.float32, shape=array.shape, name="v")
    return ref, apply_op("Assign", ref, array), apply_op("AssignAdd", ref, one), apply_op("Assign", ref, new)


@pytest.mark.parametrize("engine", ["interpret", "codegen"])
@pytest.mark.parametrize(("resource", "expected"), [(False, [2, 2]), (True, [1, 2])])
def test_a_variable_fetched_with_its_update(graph: Graph, resource: bool, expected: list[int], engine: str) -> None:
    v, init, add, _ = variable(1, resource=resource)
    with Session(config=Config(engine=engine)) as s:
        s.run(init)
        assert s.run([v, add]) == expected
        s.run(init)
        assert s.run([add, v]) == expected[::-1]


@pytest.mark.parametrize("resource", [False, True])
def test_a_fetched_variable_is_a_snapshot(graph: Graph, resource: bool) -> None:
    v, init, add, assign = variable([1, 2], resource=resource)
    with Session() as s:
        s.run(init)
        held = s.run(v)
        s.run(add)
        assert held.tolist() == [1, 2] and held.flags.writeable
        held[:] = 50
        assert s.run(v).tolist() == [2, 3]
        fed = np.array([7, 8], np.float32)
        s.run(assign, {"new:0": fed})
        fed[:] = 0
        assert s.run(v).tolist() == [7, 8]


@pytest.mark.parametrize("resource", [False, True])
def test_reads_of_other_threads_are_never_torn(graph: Graph, resource: bool) -> None:
    v, init, add, _ = variable(np.zeros(5000), resource=resource)
    with Session() as s:
        s.run(init)
        stop = threading.Event()
        failed: list[BaseException] = []

        def write() -> None:
            try:
                while not stop.is_set():
                    s.run(add)
            except BaseException as error:
                failed.append(error)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(300):
                got = s.run(v)
                assert (got == got[0]).all()
        finally:
            stop.set()
            writer.join()
        assert not failed


def test_many_threads_may_run_one_session(graph: Graph) -> None:
    x = placeholder(shape=(4,))
    y = apply_op("Mul", x, np.float32(3))
    with Session() as s:
        wrong: list[Any] = []

        def work(n: int) -> None:
            for i in range(150):
                got = s.run(y, {x: np.full(4, n * 1000 + i)})
                if got.tolist() != [3 * (n * 1000 + i)] * 4:
                    wrong.append(got)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not wrong


def test_state_is_of_the_session_not_of_the_graph(graph: Graph) -> None:
    v, init, add, _ = variable(1, resource=False)
    with Session() as a, Session() as b:
        a.run(init)
        a.run(add)
        with pytest.raises(errors.FailedPreconditionError):
            b.run(v)
        b.run(init)
        assert a.run(v) == 2 and b.run(v) == 1


def test_random_ops_go_on_over_runs_and_plans(graph: Graph) -> None:
    shape = np.array([2], np.int32)
    r = apply_op("RandomUniform", shape, dtype=dtypes.float32, seed=1, seed2=2)
    again = apply_op("Identity", r)
    with Session() as s:
        first, second, third = s.run(r), s.run(again), s.run([r, again])
        assert first.tolist() != second.tolist() != third[0].tolist()
        assert third[0].tolist() == third[1].tolist()
    with Session() as s:
        assert s.run(again).tolist() == first.tolist()


def test_files_setting_reaches_ops(graph: Graph, tmp_path: Any) -> None:
    path = tmp_path / "out.txt"
    write = apply_op("PrintV2", np.array(b"hello", object), output_stream=f"file://{path}")
    with Session(config=Config(files="read")) as s, pytest.raises(errors.PermissionDeniedError):
        s.run(write)
    with Session(config=Config(files="none", allow_files=(tmp_path,))) as s:
        s.run(write)
    assert path.read_text() == "hello\n"


@pytest.mark.slow
def test_a_long_chain_runs_without_recursion(graph: Graph) -> None:
    x = placeholder()
    y = x
    for _ in range(20_000):
        y = apply_op("AddV2", y, x)
    with Session() as s:
        assert s.run(y, {x: 1}) == 20_001
        assert s.make_callable(y, [x])(1) == 20_001


def test_what_a_resource_is_not_is_refused(graph: Graph) -> None:
    handle = apply_op("VarHandleOp", dtype=dtypes.float32, shape=(), shared_name="v")
    read = apply_op("ReadVariableOp", handle, dtype=dtypes.float32)
    with Session(graph=graph) as session:
        session.run(apply_op("AssignVariableOp", handle, np.float32(4)))
        for value in (3, 2.0, "v", b"v", [1], np.zeros(2), np.float32(1)):
            with pytest.raises(TypeError, match="of dtype resource: expected the resource itself"):
                session.run(read, {handle: value})
        assert session.run(read, {handle: session.run(handle)}) == 4


def test_the_output_of_an_unknown_op_may_be_fed() -> None:
    graph_def = GraphDef()
    graph_def.node.add(name="new", op="OpOfTomorrow")
    graph_def.node.add(name="y", op="Neg", input=["new"]).attr["T"].type = 1
    graph = read_graph(graph_def)
    with Session(graph=graph) as session:
        assert session.run("y:0", {"new:0": 3.0}) == -3
        np.testing.assert_array_equal(session.run("y:0", {"new:0": np.float32([1, 2])}), [-1, -2])
        with pytest.raises(errors.UnimplementedError, match="'OpOfTomorrow' is not registered"):
            session.run("y:0")
        with pytest.raises(ValueError, match="Cannot feed value for Tensor new:0 of unknown dtype"):
            session.run("y:0", {"new:0": None})
