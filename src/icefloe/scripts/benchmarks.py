"""`tf.test.Benchmark`: methods whose time is taken and reported.

Source: tensorflow/python/platform/benchmark.py (names, reports).
"""

from __future__ import annotations

import inspect
import numbers
import os
import re
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

import icefloe as tf
from icefloe.proto import BenchmarkEntries, BenchmarkEntry, RewriterConfig

# Reports go to files whose names begin with this variable's value; without it they are printed.
REPORT_PREFIX = "TEST_REPORT_FILE_PREFIX"
_CLASSES: list[type[Benchmark]] = []


class Benchmark:
    """A class of benchmarks: its methods whose names begin with `benchmark`.

    `tf.test.main()` runs those of all such classes that fit `--benchmark_filter=REGEX` (`all`: every one) if the
    script is called with that, and its tests otherwise.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.is_abstract():
            _CLASSES.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether it is a base of benchmarks only."""
        return len(cls.mro()) <= 2

    def _full_name(self, name: str | None) -> str:
        """Return class and name; by default, that of the outermost method of a benchmark that is running."""
        for frame in reversed(inspect.stack(context=0)):
            caller = frame.frame.f_locals.get("self")
            if isinstance(caller, Benchmark):
                return f"{type(caller).__name__}.{name or frame.function}"
        raise ValueError("Unable to determine calling Benchmark class.")

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Print a report, a BenchmarkEntries message; write it to a file if TEST_REPORT_FILE_PREFIX is set.

        cpu_time, wall_time: seconds. throughput: MB/s. extras: numbers or texts. name: in place of the method's.
        metrics: dicts with name, value and, if there are such bounds, min_value and max_value.

        Raises: TypeError for what is none of these; AlreadyExistsError if the file is there.
        """
        report: Any = BenchmarkEntries()
        entry: BenchmarkEntry = report.entry.add(name=self._full_name(name))
        given = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput}
        for field, value in given.items():
            if value is not None:
                setattr(entry, field, value)
        _add_extras(entry, extras)
        _add_metrics(entry, metrics)
        prefix = os.environ.get(REPORT_PREFIX)
        if prefix is None:
            print(report)
            return
        path = prefix + entry.name.replace("/", "__")
        try:
            with open(path, "xb") as file:
                file.write(report.SerializeToString())
        except FileExistsError:
            raise tf.errors.AlreadyExistsError(None, None, f"File already exists: {path}") from None

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Run an op `min_iters` times and report the median; return what was reported, with mean and deviation.

        burn_iters: runs before these. store_trace: give the trace of one more run in the extras, as
        `full_trace_chrome_format`. store_memory_usage: report the memory of one more run. mbs: MB that one run moves.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            seconds.append(time.perf_counter() - start)
        extras = {} if extras is None else extras
        unreported: dict[str, Any] = {}
        if store_trace or store_memory_usage:
            unreported = self._traced(sess, op_or_tensor, feed_dict, extras, store_trace, store_memory_usage)
        median = statistics.median(seconds) if seconds else -1
        values = {"iters": min_iters, "wall_time": median, "extras": extras, "name": name, "throughput": mbs / median}
        self.report_benchmark(**values)  # type: ignore[arg-type]
        unreported["wall_time_mean"] = statistics.mean(seconds) if seconds else -1
        unreported["wall_time_stdev"] = statistics.stdev(seconds) if len(seconds) > 1 else -1
        extras.update(unreported)
        return values

    @staticmethod
    def _traced(sess: Any, op: Any, feeds: Any, extras: Any, stores_trace: bool, stores_memory: bool) -> dict[str, Any]:
        metadata: Any = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(op, feed_dict=feeds, options=options, run_metadata=metadata)
        timeline = tf.timeline.Timeline(metadata.step_stats)
        found = {}
        if stores_trace:
            found["full_trace_chrome_format"] = timeline.generate_chrome_trace_format()
        if stores_memory:
            maximums = timeline.analyze_step_stats(show_memory=True).allocator_maximums
            extras.update((f"allocator_maximum_num_bytes_{name}", it.num_bytes) for name, it in maximums.items())
        return found

    def evaluate(self, tensors: Any) -> Any:
        """Return the values of tensors in the default session."""
        session = tf.get_default_session()
        if session is None:
            raise ValueError("Cannot evaluate tensors: no default session is registered.")
        return session.run(tensors)


def _add_extras(entry: Any, extras: Any) -> None:
    if extras is None:
        return
    if not isinstance(extras, dict):
        raise TypeError("extras must be a dict")
    for key, value in extras.items():
        if isinstance(value, numbers.Number):
            entry.extras[key].double_value = value
        else:
            entry.extras[key].string_value = str(value)


def _add_metrics(entry: Any, metrics: Any) -> None:
    if metrics is None:
        return
    if not isinstance(metrics, list):
        raise TypeError("metrics must be a list")
    for metric in metrics:
        for needed in ("name", "value"):
            if needed not in metric:
                raise TypeError(f"metric must has a '{needed}' field")
        added = entry.metrics.add(name=metric["name"], value=metric["value"])
        for bound in ("min_value", "max_value"):
            if bound in metric:
                getattr(added, bound).value = metric[bound]


def benchmark_config() -> Any:
    """Return a ConfigProto whose graphs keep their control edges as they are."""
    config: Any = tf.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = RewriterConfig.OFF
    return config


def requested(argv: list[str]) -> str | None:
    """Take `--benchmark_filter=REGEX` out of the arguments and return what it asks for, or None."""
    for argument in argv:
        option, _, pattern = argument.partition("=")
        if option in ("--benchmark_filter", "-benchmark_filter") and "=" in argument:
            argv.remove(argument)
            return pattern
    return None


def run(pattern: str) -> None:
    """Run the benchmarks whose `module.Class.method` the pattern is found in; "all": every one.

    Raises: ValueError if there are none.
    """
    ran = False
    for cls in _CLASSES:
        made = None
        for name in dir(cls):
            full_name = f"{cls.__module__}.{cls.__name__}.{name}"
            if not name.startswith("benchmark") or not callable(getattr(cls, name)):
                continue
            if pattern == "all" or re.search(pattern, full_name):
                made = made or cls()
                getattr(made, name)()
                ran = True
    if not ran:
        raise ValueError(f"No benchmarks matched the pattern: '{pattern}'")
