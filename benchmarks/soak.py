"""Run a session for long and watch its memory; add nodes between runs and watch its plans.

    200,000 runs of a training step and an inference     memory must stay as it is after the first thousand
    20,000 partial runs, each left after its first step   likewise
    100,000 nodes, added between runs of one fetch        the plan of that fetch is made once

Run: python benchmarks/soak.py [--runs N] [--handles N] [--nodes N]        Exit status 1 if one does not hold.
"""

from __future__ import annotations

import argparse
import gc
import os
import time

import numpy as np

import icefloe as tf

# What the allocator may keep for itself, in MiB.
SLACK = 4.0


def resident() -> float:
    """Return the memory of this process in MiB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Watch:
    """Tells whether memory grows after a warm-up."""

    def __init__(self, name: str) -> None:
        self.name = name
        gc.collect()
        self.before = resident()
        self.start = time.perf_counter()

    def report(self, count: int) -> bool:
        gc.collect()
        grown = resident() - self.before
        seconds = time.perf_counter() - self.start
        ok = grown < SLACK
        print(
            f"{self.name:34s} {count:8,}  {seconds:7.1f} s  {seconds / count * 1e6:8.2f} us each  "
            f"memory {self.before:6.1f} MiB {grown:+6.2f} MiB  {'ok' if ok else 'GROWS'}"
        )
        return ok


def many_runs(count: int) -> bool:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 16], name="x")
        w = tf.Variable(np.full((16, 4), 0.1, np.float32))
        hidden = tf.nn.relu(tf.matmul(x, w)) + tf.random_uniform([4], seed=1)
        _, summed = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y + hidden), [0, tf.zeros_like(hidden)])
        step = tf.assign_sub(w, 1e-6 * tf.matmul(x, summed, transpose_a=True))
        with tf.Session() as s:
            s.run(w.initializer)
            rng = np.random.default_rng(0)
            batches = [rng.random((n, 16), dtype=np.float32) for n in (1, 7, 32)]

            def run(i: int) -> None:
                s.run([step.op, summed] if i % 2 else summed, {x: batches[i % 3]})

            for i in range(1000):
                run(i)
            watch = Watch("runs")
            for i in range(count):
                run(i)
            return watch.report(count) and s.stats().plans == 3


def abandoned_handles(count: int) -> bool:
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [64, 64]), tf.placeholder(tf.float32, [64, 64])
        first = tf.matmul(x, x)
        second = tf.matmul(first, y)
        value = np.full((64, 64), 1 / 64, np.float32)
        with tf.Session() as s:

            def leave() -> None:
                handle = s.partial_run_setup([first, second], [x, y])
                s.partial_run(handle, first, {x: value})

            for _ in range(1000):
                leave()
            watch = Watch("partial runs left half-way")
            for _ in range(count):
                leave()
            return watch.report(count) and s.stats().partial_runs == 0


def added_nodes(count: int) -> bool:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        y = x * 2.0
        with tf.Session() as s:
            s.run(y, {x: 1})
            start = time.perf_counter()
            for i in range(count):
                tf.no_op(name=f"n{i}")
                if i % 100 == 0:
                    s.run(y, {x: i})
            misses = s.stats().misses
            seconds = time.perf_counter() - start
            print(f"{'nodes added between runs':34s} {count:8,}  {seconds:7.1f} s  plans made: {misses}")
            return misses == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--handles", type=int, default=20_000)
    parser.add_argument("--nodes", type=int, default=100_000)
    options = parser.parse_args()
    held = [many_runs(options.runs), abandoned_handles(options.handles), added_nodes(options.nodes)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
