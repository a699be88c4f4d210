"""Time kernels one by one, here and in another TensorFlow, and print the ratios, the slowest first.

    python benchmarks/kernels.py                                         # milliseconds of this interpreter's icefloe
    python benchmarks/kernels.py --reference /path/to/python             # and of the tensorflow of that interpreter
    python benchmarks/kernels.py --reference PYTHON --only Conv,Pool     # ops whose names contain one of these

Each row of `kernel_rows.py` is one op with inputs of middling size. It is built by `raw_ops`, fed and run as a target,
so that nothing is folded or fetched. The time is the least of many runs; with `--cpu` it is processor time, which tells
more on a busy machine. Both sides use `--threads` threads, by default one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from kernel_rows import ROWS, Row

SECONDS = 0.25  # spent on a row, after the first runs
MOST_RUNS = 200


def session(engine: str, threads: int) -> tuple[Any, Any]:
    """Return (module with TensorFlow 1's names, a function that makes a session of a graph)."""
    if engine == "icefloe":
        import icefloe as tf

        return tf, lambda graph: tf.Session(graph=graph, config=tf.Config(intra_op_parallelism_threads=threads))
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_eager_execution()
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    return tf, lambda graph: tf.Session(graph=graph, config=config)


def built(tf: Any, row: Row) -> tuple[Any, Any, dict[Any, Any], Any]:
    """Return (graph, operation, feeds, what to run before the first time or None) of a row."""
    feeds: dict[Any, Any] = {}
    starts: list[Any] = []

    def given(value: Any) -> Any:
        if isinstance(value, list):
            return [given(v) for v in value]
        if isinstance(value, Row.Variable):
            variable = tf.Variable(value.value, use_resource=value.is_resource)
            starts.append(variable.initializer)
            return variable.handle if value.is_resource else variable._variable
        if isinstance(value, Row.Constant):
            return tf.constant(value.value)
        fed = tf.placeholder(tf.as_dtype(value.dtype if value.dtype != object else "string"), value.shape)
        feeds[fed] = value
        return fed

    with tf.Graph().as_default() as graph:
        made = getattr(tf.raw_ops, row.op)(**{name: given(v) for name, v in row.inputs.items()}, **row.attrs)
        while isinstance(made, (list, tuple)):
            made = made[0]
        operation = made.op if hasattr(made, "op") else made
    return graph, operation, feeds, starts


def timed(run: Any, clock: Any) -> float:
    """Return the least time of a run in milliseconds."""
    for _ in range(2):
        run()
    best, end = float("inf"), time.perf_counter() + SECONDS
    for _ in range(MOST_RUNS):
        start = clock()
        run()
        best = min(best, clock() - start)
        if time.perf_counter() > end:
            break
    return best * 1e3


def measure(engine: str, threads: int, cpu: bool, only: list[str]) -> dict[str, float | str]:
    """Return milliseconds, or the error, of each row by its label."""
    tf, make_session = session(engine, threads)
    clock = time.process_time if cpu else time.perf_counter
    found: dict[str, float | str] = {}
    for row in ROWS:
        if only and not any(part.lower() in row.label.lower() for part in only):
            continue
        try:
            graph, operation, feeds, starts = built(tf, row)
            with make_session(graph) as sess:
                sess.run(starts)
                found[row.label] = timed(lambda: sess.run(operation, feeds), clock)  # noqa: B023
        except Exception as error:  # a row that one side cannot run is shown as such
            found[row.label] = f"{type(error).__name__}: {error}".splitlines()[0][:100]
        print(f"{engine:10s} {row.label:44s}", file=sys.stderr, end="\r")
    return found


def elsewhere(python: str, arguments: list[str]) -> dict[str, float | str]:
    """Return what `measure` does of `tensorflow` in another interpreter."""
    command = [python, __file__, "--engine", "tensorflow", "--json", *arguments]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, float | str] = json.loads(answer.splitlines()[-1])
    return found


def show(mine: dict[str, float | str], theirs: dict[str, float | str]) -> None:
    """Print a table, the greatest ratio first."""
    lines = []
    for label, own in mine.items():
        other = theirs.get(label)
        ratio = own / other if isinstance(own, float) and isinstance(other, float) else None
        cells = [f"{v:10.3f}" if isinstance(v, float) else f"{'-':>10s}" for v in (own, other)]
        notes = [f"{who}: {v}" for who, v in (("here", own), ("reference", other)) if isinstance(v, str)]
        first = np.inf if ratio is None and notes else ratio or (own if isinstance(own, float) else 0)
        text = f"{ratio:7.2f}" if ratio is not None else f"{'':7s}"
        lines.append((first, f"{label:44s} {cells[0]} ms {cells[1]} ms {text}  {'; '.join(notes)}".rstrip()))
    print(f"{'op':44s} {'icefloe':>13s} {'reference':>13s} {'ratio':>7s}")
    for _, line in sorted(lines, key=lambda entry: -entry[0]):
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", metavar="PYTHON", help="an interpreter that has tensorflow")
    parser.add_argument("--only", default="", help="names of ops, or parts of them, with commas")
    parser.add_argument("--threads", type=int, default=1, help="threads that may share an op's work; 0: all cores")
    parser.add_argument("--cpu", action="store_true", help="processor time instead of the time that passes")
    parser.add_argument("--engine", choices=("icefloe", "tensorflow"), default="icefloe", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print the times as JSON")
    options = parser.parse_args()
    only = [part for part in options.only.split(",") if part]
    found = measure(options.engine, options.threads, options.cpu, only)
    if options.json:
        print(json.dumps(found))
        return
    passed_on = ["--threads", str(options.threads), "--only", options.only, *(["--cpu"] if options.cpu else [])]
    show(found, elsewhere(options.reference, passed_on) if options.reference else {})


if __name__ == "__main__":
    main()
