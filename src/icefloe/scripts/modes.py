"""Decorators by which tests of TensorFlow programs say in which modes they run: here, always in graphs.

Source: tensorflow/python/framework/test_util.py.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])


def run_deprecated_v1(func: Test) -> Test:
    """Return the test: it runs in graphs only."""
    return func


def run_v1_only(reason: Any, func: Any = None) -> Any:
    """Return the test, or a decorator that does: version 1 is what there is."""
    if callable(reason):
        return reason
    return (lambda test: test) if func is None else func


def in_graphs_only(description: Any, func: Any = None) -> Any:
    """Return the test, or a decorator that does: there is no compiler and no other runtime."""
    return run_v1_only(description, func)


def run_in_graph_and_eager_modes(
    func: Any = None, config: Any = None, use_gpu: bool = True, assert_no_eager_garbage: bool = False
) -> Any:
    """Return the test within a session of its own, or a decorator that does."""

    def decorated(test: Any) -> Any:
        if isinstance(test, type):
            raise ValueError("`run_in_graph_and_eager_modes` only supports test methods.")  # noqa: TRY004

        @functools.wraps(test)
        def within_session(self: Any, *args: Any, **keywords: Any) -> None:
            with self.test_session(use_gpu=use_gpu, config=config):
                test(self, *args, **keywords)

        return within_session

    return decorated if func is None else decorated(func)


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Return a test case whose tests each run within a session of their own."""
    for name in dir(cls):
        value = getattr(cls, name, None)
        if name.startswith("test") and name != "test_session" and callable(value):
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


def build_as_function_and_v1_graph(func: Test) -> Test:
    """Return the test, which builds its graph as ever."""
    return func


def graph_mode() -> contextlib.AbstractContextManager[None]:
    """Return a context that changes nothing: this is the mode."""
    return contextlib.nullcontext()


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = True) -> Any:
    """Return the test case, or a decorator that does."""
    return (lambda test: test) if cls is None else cls


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[[Any], Any]:
    """Return a decorator of tests that are skipped where `pred()` is true when they run."""

    def decorated(test: Any) -> Any:
        @functools.wraps(test)
        def unless(self: Any, *args: Any, **keywords: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **keywords)

        return unless

    return decorated
