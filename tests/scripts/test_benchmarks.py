"""Benchmarks of a script: `tf.test.main` with a filter, reports on stdout and in files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import icefloe as tf
from icefloe.proto import BenchmarkEntries

SCRIPT = """
import icefloe as tf

class Sums(tf.test.Benchmark):
    def benchmarkSmall(self):
        with tf.Session() as session:
            self.run_op_benchmark(session, tf.constant(1.0) + 2.0, min_iters=2, store_memory_usage=False)

    def benchmarkNamed(self):
        self.report_benchmark(
            iters=3, cpu_time=0.5, name="a/b", extras={"text": "x", "number": 2},
            metrics=[{"name": "m", "value": 1.0, "min_value": 0.0, "max_value": 9.0}],
        )

class Case(tf.test.TestCase):
    def test_it(self):
        print("a test ran")

tf.test.main()
"""


def run(folder: Path, *arguments: str, prefix: str | None = None) -> subprocess.CompletedProcess[str]:
    import os

    (folder / "script.py").write_text(SCRIPT)
    environment = dict(os.environ) | ({} if prefix is None else {"TEST_REPORT_FILE_PREFIX": prefix})
    command = [sys.executable, "script.py", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_a_filter_runs_benchmarks_in_place_of_tests(tmp_path: Path) -> None:
    done = run(tmp_path, "--benchmark_filter=Sums.benchmark.mall")
    assert done.returncode == 0, done.stderr
    assert 'name: "Sums.benchmarkSmall"' in done.stdout and "wall_time" in done.stdout
    assert "Named" not in done.stdout and "a test ran" not in done.stdout
    tests = run(tmp_path)
    assert tests.returncode == 0 and "a test ran" in tests.stdout and "Sums" not in tests.stdout


def test_reports_go_to_files_that_are_not_there_yet(tmp_path: Path) -> None:
    prefix = str(tmp_path / "report_")
    assert run(tmp_path, "--benchmark_filter=Named", prefix=prefix).returncode == 0
    (entry,) = BenchmarkEntries.FromString((tmp_path / "report_Sums.a__b").read_bytes()).entry
    assert (entry.name, entry.iters, entry.cpu_time) == ("Sums.a/b", 3, 0.5)
    assert (entry.extras["text"].string_value, entry.extras["number"].double_value) == ("x", 2.0)
    assert entry.metrics[0].max_value.value == 9.0
    again = run(tmp_path, "--benchmark_filter=Named", prefix=prefix)
    assert again.returncode == 1
    assert "File already exists" in again.stderr


def test_a_filter_that_nothing_fits_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "--benchmark_filter=nothing")
    assert done.returncode == 1
    assert "No benchmarks matched the pattern: 'nothing'" in done.stderr


def test_a_report_is_of_a_benchmark() -> None:
    with pytest.raises(ValueError, match="Unable to determine calling Benchmark class"):
        tf.test.Benchmark._full_name(object(), None)  # type: ignore[arg-type]
