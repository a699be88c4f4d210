"""Time pipelines of tf.data per element, here and in another TensorFlow, and print the ratios.

    python benchmarks/pipeline.py                              # microseconds per element of this interpreter's icefloe
    python benchmarks/pipeline.py --reference /path/to/python  # and of the tensorflow of that interpreter
    python benchmarks/pipeline.py --only batch --elements 20000

An element is one of the source, before any batching; it is drawn by a session, batch by batch where there are batches.
The time is the least of several passes over the whole pipeline, the first of which is not counted. `startup` is the
time from making the iterator to its first element, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

PASSES = 4
Pipeline = Callable[[Any, int], Any]


def _scaled(tf: Any) -> Callable[[Any], Any]:
    return lambda x: tf.cast(x, tf.float32) * 2.0 + 1.0


PIPELINES: dict[str, Pipeline] = {
    "range": lambda tf, n: tf.data.Dataset.range(n).batch(256),
    "range map batch shuffle": lambda tf, n: tf.data.Dataset.range(n).map(_scaled(tf)).batch(32).shuffle(100, seed=1),
    "range shuffle map batch": lambda tf, n: tf.data.Dataset.range(n).shuffle(1000, seed=1).map(_scaled(tf)).batch(32),
    "element by element": lambda tf, n: tf.data.Dataset.range(n).map(_scaled(tf)),
    "filter": lambda tf, n: tf.data.Dataset.range(n).filter(lambda x: tf.equal(x % 2, 0)).batch(32),
    "flat_map": lambda tf, n: tf.data.Dataset.range(n // 10).flat_map(lambda x: tf.data.Dataset.range(10)).batch(32),
    "interleave": lambda tf, n: (
        tf.data.Dataset.range(n // 100).interleave(lambda x: tf.data.Dataset.range(100), cycle_length=4).batch(32)
    ),
    "images": lambda tf, n: (
        tf.data.Dataset.from_tensor_slices((np.zeros([n, 28, 28], np.uint8), np.arange(n) % 10))
        .shuffle(1000, seed=1)
        .repeat()
        .take(n)
        .map(lambda image, label: (tf.cast(image, tf.float32) / 255.0, tf.one_hot(label, 10)))
        .batch(64)
        .prefetch(1)
    ),
    "padded_batch": lambda tf, n: tf.data.Dataset.range(n).map(lambda x: tf.range(x % 7)).padded_batch(32, [None]),
    "zip window": lambda tf, n: tf.data.Dataset.zip((tf.data.Dataset.range(n), tf.data.Dataset.range(n).skip(1))).batch(
        32
    ),
}


def measure(engine: str, elements: int, only: str) -> dict[str, dict[str, float]]:
    """Return name -> microseconds per element and milliseconds to the first one."""
    if engine == "icefloe":
        import icefloe as tf
    else:
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow

        tf = tensorflow.compat.v1
        tf.disable_eager_execution()
    found = {}
    for name, pipeline in PIPELINES.items():
        if only not in name:
            continue
        with tf.Graph().as_default():
            iterator = tf.data.make_initializable_iterator(pipeline(tf, elements))
            element = iterator.get_next()
            with tf.Session() as session:
                starts, times = [], []
                for _ in range(PASSES):
                    begin = time.perf_counter()
                    session.run(iterator.initializer)
                    session.run(element)
                    starts.append(time.perf_counter() - begin)
                    try:
                        while True:
                            session.run(element)
                    except tf.errors.OutOfRangeError:
                        times.append(time.perf_counter() - begin)
        found[name] = {"element": min(times[1:]) / elements * 1e6, "startup": min(starts[1:]) * 1e3}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--elements", type=int, default=20000, help="of the source of each pipeline (default 20000)")
    parser.add_argument("--only", default="", help="pipelines whose names contain this")
    parser.add_argument("--measure", metavar="ENGINE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure, args.elements, args.only)))
        return
    sides = {"icefloe": sys.executable, **({"tensorflow": args.reference} if args.reference else {})}
    results = {}
    for engine, python in sides.items():
        command = [python, __file__, "--measure", engine, "--elements", str(args.elements), "--only", args.only]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        results[engine] = json.loads(done.stdout.splitlines()[-1])
    print(
        f"{'us per element':26s}"
        + "".join(f"{engine:>14s}" for engine in results)
        + ("     ratio" * (len(results) > 1))
    )
    for name in results["icefloe"]:
        times = [results[engine][name]["element"] for engine in results]
        ratio = f"{times[0] / times[1]:10.2f}" if len(times) > 1 else ""
        startups = ", ".join(f"{results[engine][name]['startup']:.1f}" for engine in results)
        print(f"{name:26s}" + "".join(f"{t:14.2f}" for t in times) + f"{ratio}   startup {startups} ms")


if __name__ == "__main__":
    main()
