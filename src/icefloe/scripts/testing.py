"""Tests of programs, as in tf.test: a TestCase with sessions and comparisons of arrays, and `main`."""

from __future__ import annotations

import atexit
import contextlib
import random
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock as mock

import numpy as np
from absl import app as absl_app
from absl.testing import absltest

import icefloe as tf
from icefloe.scripts import benchmarks
from icefloe.scripts.comparing import ArrayComparisons, graph_difference

_SEED = 87654321


class TestCase(ArrayComparisons, absltest.TestCase):
    """A test with a graph of its own, sessions in it, and comparisons of arrays; absl's assertions, too.

    Each test begins with an empty default graph and set seeds.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._threads: list[_CheckedThread] = []
        self._temporary: str | None = None
        self._cached: Any = None

    def setUp(self) -> None:
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        tf.reset_default_graph()
        tf.set_random_seed(_SEED)

    def tearDown(self) -> None:
        for thread in self._threads:
            thread.check_termination()
        if self._cached is not None:
            self._cached.close()
            self._cached = None
        super().tearDown()

    def get_temp_dir(self) -> str:
        """Return a folder of this test, empty at first; it is deleted when the program ends, which may be in it."""
        if self._temporary is None:
            self._temporary = tempfile.mkdtemp()
            atexit.register(shutil.rmtree, self._temporary, ignore_errors=True)
        return self._temporary

    @contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Any]:
        """Give a new session of `graph`, default the test's, as the default session."""
        with tf.Session(graph=graph, config=config) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Any]:
        """Give the one session of this test as the default session: its variables keep their values.

        Raises: ValueError if it is asked for with another graph or configuration.
        """
        if self._cached is None:
            self._cached = tf.Session(graph=graph, config=config)
            self._cached_for = graph, config
        elif self._cached_for != (graph, config):
            raise ValueError("The cached session was made with another graph or config.")
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    def test_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Any:
        """Return a session as a context: the test's one where no graph is given, else a new one."""
        if self.id().endswith(".test_session"):  # unittest takes it for a test, from its name
            self.skipTest("Not a test.")
        if graph is None:
            return self.cached_session(graph, config, use_gpu, force_gpu)
        return self.session(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: Any) -> Any:
        """Return the values of tensors, nested as they are, in the default session or the test's."""
        session = tf.get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.cached_session() as own:
            return own.run(tensors)

    def checkedThread(
        self, target: Callable[..., object], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> _CheckedThread:
        """Return a thread whose failure is the test's: its `join` raises what ended it."""
        thread = _CheckedThread(self, target, args, kwargs or {})
        self._threads.append(thread)
        return thread

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """Collect what is written to a stream that has a file descriptor; `contents()` gives it afterwards."""
        import os

        descriptor = stream.fileno()
        stream.flush()
        kept = os.dup(descriptor)
        with tempfile.TemporaryFile() as file:
            captured = _Captured()
            os.dup2(file.fileno(), descriptor)
            try:
                yield captured
            finally:
                stream.flush()
                os.dup2(kept, descriptor)
                os.close(kept)
                file.seek(0)
                captured.text = file.read().decode()

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Demand an exception whose text holds a pattern, or which a function takes for the right one."""
        fits = expected_err_re_or_predicate

        def matches(error: BaseException) -> bool:
            text = error.message if isinstance(error, tf.errors.OpError) else str(error)
            node = error.op.name if isinstance(error, tf.errors.OpError) and error.op is not None else ""
            return re.search(fits, f"{text} {node}") is not None

        try:
            yield
        except exception_type as error:
            if not (fits(error) if callable(fits) else matches(error)):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
        else:
            self.fail(f"{exception_type} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Demand an OpError whose text holds a pattern, or which a function takes for the right one."""
        return self.assertRaisesWithPredicateMatch(tf.errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type: Any = None) -> Any:
        """Demand the error of an op whose inputs' shapes do not go together."""
        return self.assertRaisesWithPredicateMatch(
            exception_type or (tf.errors.InvalidArgumentError, ValueError),
            r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes",
        )


class _Captured:
    text = ""

    def contents(self) -> str:
        """Return what was written."""
        return self.text


class _CheckedThread:
    """A thread that keeps what ended it, for `join`."""

    def __init__(self, case: TestCase, target: Callable[..., object], args: Any, kwargs: Any) -> None:
        self._case = case
        self._target, self._args, self._kwargs = target, args, kwargs
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._error: BaseException | None = None
        self._is_joined = False

    def _run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except BaseException as error:
            self._error = error

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end. Raises: AssertionError if the thread ended with an exception."""
        self._is_joined = True
        self._thread.join()
        if self._error is not None:
            self._case.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Whether it goes on."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Raises: AssertionError if it goes on, or was not waited for."""
        if not self._is_joined:
            self._case.fail("A checked thread was not joined." if not self.is_alive() else "A checked thread goes on.")


def main(argv: list[str] | None = None) -> None:
    """Run the tests of the script and exit, with code 0 if all passed; its benchmarks with `--benchmark_filter`."""
    argv = sys.argv if argv is None else argv
    pattern = benchmarks.requested(argv)
    if pattern is None:
        absltest.main(argv=argv)
    else:
        absl_app.run(lambda _: benchmarks.run(pattern), argv=argv)


def get_temp_dir() -> str:
    """Return a folder for files of tests."""
    return absltest.TEST_TMPDIR.value if tf.flags.FLAGS.is_parsed() else tempfile.mkdtemp()


def test_src_dir_path(relative_path: str) -> str:
    """Return a path of the library's sources as an absolute one."""
    import os

    return os.path.join(tf.sysconfig.get_lib(), relative_path)


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]


def assert_equal_graph_def(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Raises: AssertionError that names the first node in which two GraphDefs differ; their order does not count."""
    difference = graph_difference(actual, expected)
    if difference:
        raise AssertionError(difference)


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Return False: kernels run on the CPU."""
    return False


def is_cpu_target_available(target: str) -> bool:
    """Whether kernels are compiled for a processor: no, none are."""
    return False


def gpu_device_name() -> str:
    """Return "": there is no GPU."""
    return ""


def is_built_with_cuda() -> bool:
    """Return False."""
    return False


def is_built_with_gpu_support() -> bool:
    """Return False."""
    return False


def is_built_with_rocm() -> bool:
    """Return False."""
    return False


def is_built_with_xla() -> bool:
    """Return False."""
    return False
