"""Time loops: what an iteration costs beyond its kernels, by engine and kind of loop.

Run: python benchmarks/loops.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import icefloe as tf

ITERATIONS = 20_000
NODES = 8


def build(v2: bool) -> tuple[Any, Any]:
    """Return the limit to feed and the result of a loop with `NODES` kernels in each iteration."""
    (tf.enable_control_flow_v2 if v2 else tf.disable_control_flow_v2)()
    limit = tf.placeholder(tf.int32, [])

    def body(i: Any, y: Any) -> Any:
        for _ in range(NODES - 2):  # the others are Less and the counter's Add
            y = y + y
        return i + 1, y

    result = tf.while_loop(lambda i, _: i < limit, body, [0, tf.constant(0.0)])[1]
    tf.disable_control_flow_v2()
    return limit, result


def best(function: Callable[[], Any], times: int = 5) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    x, i, top = np.float32(0), np.int32(1), np.int32(5)

    def kernels() -> None:
        for _ in range(ITERATIONS):
            np.less(i, top)
            np.add(i, i)
            for _ in range(NODES - 2):
                np.add(x, x)

    alone = best(kernels) / ITERATIONS
    print(f"{NODES} kernels alone                {alone * 1e6:8.3f} us")
    for v2 in (False, True):
        for engine in ("interpret", "codegen", "general"):
            count = ITERATIONS if engine != "general" else ITERATIONS // 20
            with tf.Graph().as_default():
                limit, y = build(v2)
                with tf.Session(config=tf.Config(engine=engine)) as s:
                    s.run(y, {limit: 3})
                    each = best(lambda s=s, y=y, limit=limit, count=count: s.run(y, {limit: count})) / count
            name = "functions" if v2 else "nodes"
            print(f"loop of {name:9s} {engine:10s} {each * 1e6:8.3f} us, beyond kernels {(each - alone) * 1e6:8.3f} us")


if __name__ == "__main__":
    main()
