"""The streams of random nodes: each run goes on where the last one stopped, in a session of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe.graph.build import apply_op

GOLDEN = dict(np.load(Path(__file__).parents[4] / "fixtures" / "random" / "streams.npz"))
LOGITS = np.log(np.array([[1.0, 2, 3, 4], [4, 3, 1e-300, 1], [1, 1, 1, 1]]))
LOGITS[1, 2] = -np.inf
SEEDS = {"seed": -5, "seed2": 2**40 + 3}
STATEFUL = {
    "RandomUniform/float32": lambda: apply_op("RandomUniform", [37], dtype="float32", **SEEDS),
    "RandomStandardNormal/float64": lambda: apply_op("RandomStandardNormal", [37], dtype="float64", **SEEDS),
    "TruncatedNormal/float16": lambda: apply_op("TruncatedNormal", [37], dtype="float16", **SEEDS),
    "RandomUniformInt/int32": lambda: apply_op("RandomUniformInt", [37], np.int32(-5), np.int32(17), **SEEDS),
    "RandomShuffle/int64": lambda: apply_op("RandomShuffle", np.arange(19), **SEEDS),
    "Multinomial/int64": lambda: apply_op("Multinomial", LOGITS, 9, **SEEDS),
    "RandomGamma/float64": lambda: apply_op("RandomGamma", [20], np.array([0.1, 0.5, 1, 1.5, 10, 1000]), **SEEDS),
}
PHILOX = np.int64(1)
GENERATORS = {
    "StatefulUniform": lambda h: apply_op("StatefulUniform", h, PHILOX, [37]),
    "StatefulStandardNormalV2": lambda h: apply_op("StatefulStandardNormalV2", h, PHILOX, [37], dtype="float64"),
    "StatefulTruncatedNormal": lambda h: apply_op("StatefulTruncatedNormal", h, PHILOX, [37]),
    "StatefulUniformFullInt": lambda h: apply_op("StatefulUniformFullInt", h, PHILOX, [37], dtype="uint64"),
    "StatefulUniformInt": lambda h: apply_op("StatefulUniformInt", h, PHILOX, [37], np.int64(-3), np.int64(12)),
    "RngReadAndSkip": lambda h: apply_op("RngReadAndSkip", h, np.int32(1), np.uint64(2**62)),
}


@pytest.mark.parametrize("name", STATEFUL)
def test_runs_follow_each_other(name: str) -> None:
    want = GOLDEN[f"{name}/-5,1099511627779"]
    with icefloe.Graph().as_default():
        tensor = STATEFUL[name]()
        for _ in range(2):  # a new session starts anew
            with icefloe.Session() as session:
                for run in range(2):
                    assert session.run(tensor).tobytes() == want[run].tobytes(), f"run {run}"


def test_another_fetch_set_goes_on_with_the_stream() -> None:
    with icefloe.Graph().as_default():
        tensor = STATEFUL["RandomUniform/float32"]()
        other = apply_op("Neg", tensor)
        with icefloe.Session() as session:
            first, second = session.run(tensor), session.run(other)
    want = GOLDEN["RandomUniform/float32/-5,1099511627779"]
    np.testing.assert_array_equal(first, want[0])
    np.testing.assert_array_equal(-second, want[1])


def test_one_run_draws_once_for_all_fetches() -> None:
    with icefloe.Graph().as_default():
        tensor = apply_op("RandomUniform", [3], dtype="float32")
        with icefloe.Session() as session:
            a, b = session.run([apply_op("Identity", tensor), apply_op("Identity", tensor)])
    np.testing.assert_array_equal(a, b)


def test_nodes_without_seeds_differ() -> None:
    with icefloe.Graph().as_default():
        tensors = [apply_op("RandomUniform", [8], dtype="float32") for _ in range(2)]
        with icefloe.Session() as session:
            a, b = session.run(tensors)
            c = session.run(tensors[0])
    assert len({a.tobytes(), b.tobytes(), c.tobytes()}) == 3


def test_threads_share_one_stream() -> None:
    with icefloe.Graph().as_default():
        tensor = apply_op("RandomUniform", [4], dtype="float64", seed=3, seed2=4)
        with icefloe.Session() as session:
            alone = [session.run(tensor).tobytes() for _ in range(40)]
        with icefloe.Session() as session, ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _: session.run(tensor).tobytes(), range(40)))
    assert sorted(alone) == sorted(together)


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_keep_their_place_in_a_variable(name: str) -> None:
    with icefloe.Graph().as_default():
        handle = apply_op("VarHandleOp", dtype="int64", shape=[3])
        start = apply_op("AssignVariableOp", handle, np.array([-5, 7, 99]))
        tensor: Any = GENERATORS[name](handle)
        state = apply_op("ReadVariableOp", handle, dtype="int64")
        with icefloe.Session() as session:
            session.run(start)
            runs = [session.run(tensor) for _ in range(2)]
            left = session.run(state)
    assert np.stack(runs).tobytes() == GOLDEN[f"generator/{name}"].tobytes()
    np.testing.assert_array_equal(left, GOLDEN[f"generator_state/{name}"])
