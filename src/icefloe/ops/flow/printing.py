"""Print, PrintV2, Assert and the checks for NaN and Inf."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, unchanged, with_rank
from icefloe.ops.flow.summary import element_text, summarize
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text

_LOG_LEVELS = {"log(info)": logging.INFO, "log(warning)": logging.WARNING, "log(error)": logging.ERROR}


class _Count:
    """How often a Print node still prints."""

    def __init__(self, first: int) -> None:
        self._left = first
        self._lock = threading.Lock()

    def take(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left >= 0


@kernel("Print", returns=("view", 0))
def print_v1(
    value: Any,
    data: tuple[Any, ...],
    *,
    message: str | bytes,
    first_n: int,
    summarize: int,
    manager: ResourceManager,
    node: str,
) -> Any:
    """Hand `value` on and write message and data to stderr, in the first `first_n` runs where that is not negative."""
    if first_n >= 0 and not manager.node_state(node, lambda: _Count(first_n)).take():
        return value
    start = message if isinstance(message, str) else message.decode("utf-8", "backslashreplace")
    _write(sys.stderr, start + "".join(f"[{_summarized(part, summarize)}]" for part in data) + "\n")
    return value


# `summarize` is an attr's name in the kernels here.
_summarized = summarize
shape("Print", "CheckNumerics", "CheckNumericsV2")(unchanged)


def _write(stream: Any, text: str) -> None:
    stream.write(text)
    stream.flush()


@kernel("PrintV2", factory=True)
def print_v2(*, output_stream: str, end: str, manager: ResourceManager) -> Callable[[Any], tuple[()]]:
    """Write a string to stdout, stderr, a logger of Python's logging, or the end of a file (`file://PATH`)."""
    if output_stream.startswith("file://"):
        path = output_stream.removeprefix("file://")

        def write(text: str) -> None:
            manager.check_file(path, "write")
            with open(path, "a", encoding="utf-8", errors="surrogateescape", newline="") as file:
                file.write(text + end)

    elif output_stream in _LOG_LEVELS:
        level = _LOG_LEVELS[output_stream]

        def write(text: str) -> None:
            logging.getLogger("icefloe").log(level, "%s", text + end.removesuffix("\n"))

    elif output_stream in ("stdout", "stderr"):

        def write(text: str) -> None:
            _write(getattr(sys, output_stream), text + end)

    else:
        streams = ", ".join(["stdout", "stderr", *_LOG_LEVELS, "file://..."])
        raise errors.InvalidArgumentError(f"Unknown output stream: {output_stream}, Valid streams are: {streams}")

    def run(text: Any) -> tuple[()]:
        if np.ndim(text):
            raise errors.InvalidArgumentError(f"Input is expected to be scalar, but got {shape_text(np.shape(text))}")
        write(element_text(np.asarray(text, object).item()))
        return ()

    return run


@shape("PrintV2")
def print_v2_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return []


@kernel("Assert")
def assert_true(condition: Any, data: tuple[Any, ...], *, summarize: int) -> tuple[()]:
    if np.ndim(condition):
        raise errors.InvalidArgumentError(f"In[0] should be a scalar: {shape_text(np.shape(condition))}")
    if not condition:
        said = " ".join(f"[{_summarized(part, summarize)}]" for part in data)
        raise errors.InvalidArgumentError(f"assertion failed: {said}")
    return ()


@kernel("CheckNumerics", returns=("view", 0))
def check_numerics(value: Any, *, message: str) -> Any:
    if not np.isfinite(value).all():
        bad = ["Inf"] * bool(np.isinf(value).any()) + ["NaN"] * bool(np.isnan(value).any())
        raise errors.InvalidArgumentError(f"{message} : Tensor had {' and '.join(bad)} values")
    return value


@kernel("CheckNumericsV2", returns=("view", 0))
def check_numerics_v2(value: Any, *, message: str) -> Any:
    if not np.isfinite(value).all():
        bad = [
            name
            for name, found in (
                ("-Inf", np.isneginf(np.asarray(value, np.float64))),
                ("+Inf", np.isposinf(np.asarray(value, np.float64))),
                ("NaN", np.isnan(value)),
            )
            if found.any()
        ]
        listed = ", ".join(bad[:-1]) + ", and " + bad[-1] if len(bad) > 2 else " and ".join(bad)
        raise errors.InvalidArgumentError(f"{message} : Tensor had {listed} values")
    return value
