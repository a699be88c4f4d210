"""Time what the runtime adds to kernels: per step of an engine, per call of `run`, per partial run, per planned node.

Run: python benchmarks/dispatch.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes as dtypes
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.session import Config, Session

STEPS = 500


def best(call: Callable[[], Any], repeat: int) -> float:
    """Return the seconds of the fastest of five rounds, per call."""
    call()
    rounds = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(repeat):
            call()
        rounds.append((time.perf_counter() - start) / repeat)
    return min(rounds)


def placeholder(name: str) -> Any:
    return apply_op("Placeholder", dtype=dtypes.float32, shape=[8], name=name)


def dispatch() -> None:
    with Graph().as_default() as graph:
        x = placeholder("x")
        chain = x
        for _ in range(STEPS):
            chain = apply_op("AddV2", chain, x)
        small = apply_op("Mul", apply_op("AddV2", x, x), x)
    value = np.zeros(8, np.float32)
    kernel = best(lambda: np.add(value, value), 20_000)
    print(f"np.add of 8 elements                  {kernel * 1e6:8.3f} us")
    for engine in ("interpret", "codegen"):
        with Session(graph=graph, config=Config(engine=engine)) as s:
            step = best(lambda: s.run(chain, {x: value}), 20) / STEPS
            run = best(lambda: s.run(small, {x: value}), 2000)
        print(f"{engine:10s} per step beyond the kernel {(step - kernel) * 1e6:8.3f} us")
        print(f"{engine:10s} run of 2 steps, fixed part {(run - 2 * kernel) * 1e6:8.3f} us")


def parts() -> None:
    with Graph().as_default() as graph:
        x, y = placeholder("x"), placeholder("y")
        first = apply_op("AddV2", x, x)
        second = apply_op("Mul", first, y)
    value = np.zeros(8, np.float32)
    with Session(graph=graph) as s:

        def run() -> None:
            handle = s.partial_run_setup([first, second], [x, y])
            s.partial_run(handle, first, {x: value})
            s.partial_run(handle, second, {y: value})

        print(f"partial run: setup and two steps      {best(run, 1000) * 1e6:8.3f} us")


def planning() -> None:
    for nodes in (25_000, 50_000, 100_000):
        with Graph().as_default() as graph:
            x = placeholder("x")
            y = x
            for _ in range(nodes):
                y = apply_op("AddV2", y, x)
        value = np.zeros(8, np.float32)
        with Session(graph=graph) as s:
            start = time.perf_counter()
            s.run(y, {x: value})
            planned = time.perf_counter() - start
            start = time.perf_counter()
            s.run(y, {x: value})
            again = time.perf_counter() - start
        print(f"chain of {nodes:7,} nodes: first run {planned:6.2f} s, next {again:6.3f} s")


if __name__ == "__main__":
    dispatch()
    parts()
    planning()
