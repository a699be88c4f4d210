"""Print and PrintV2 write what TensorFlow 2.21 writes; the texts here are its own, for these values."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.session import Session

FLOATS = [1, 2.5, 3.14159274, 1e10, 1e-7, np.nan, np.inf, -np.inf, -0.0, 100000, 1234567, 0.1, 1 / 3]
ALL = 100
CASES: list[tuple[Any, int, str]] = [
    (np.float32(FLOATS), 3, "[1 2.5 3.14159274...]"),
    (np.float32(FLOATS), ALL, "[1 2.5 3.14159274 1e+10 1e-07 nan inf -inf -0 100000 1234567 0.1 0.333333343]"),
    (np.float32(FLOATS), -1, "[1 2.5 3.14159274 1e+10 1e-07 nan inf -inf -0 100000 1234567 0.1 0.333333343]"),
    (
        np.float64([*FLOATS, 1e22]),
        ALL,
        "[1 2.5 3.14159274 10000000000 1e-07 nan inf -inf -0 100000 1234567 0.1 0.33333333333333331 1e+22]",
    ),
    (np.float16([1, 2.5, 3.14159274, 1 / 3, 65504]), ALL, "[1 2.5 3.140625 0.333251953 65504]"),
    (np.array([1, 2.5, 1 / 3], ml_dtypes.bfloat16), 3, "[1 2.5 0.333984375]"),
    (np.int32([1, -2, 3]), 3, "[1 -2 3]"),
    (np.int64(7), 3, "[7]"),
    (np.int8([[1, 2], [3, 4]]), 3, "[[1 2][3...]...]"),
    (np.int8([[1, 2], [3, 4]]), ALL, "[[1 2][3 4]]"),
    (np.arange(24).reshape(2, 3, 4), 1, "[[[0...]]...]"),
    (np.arange(24).reshape(2, 3, 4), 3, "[[[0 1 2...]]...]"),
    (np.arange(24).reshape(2, 3, 4), 4, "[[[0 1 2 3]]...]"),
    (np.arange(24).reshape(2, 3, 4), 5, "[[[0 1 2 3][4...]]...]"),
    (np.arange(24).reshape(2, 3, 4), 12, "[[[0 1 2 3][4 5 6 7][8 9 10 11]]...]"),
    (np.arange(24).reshape(2, 3, 4), 20, "[[[0 1 2 3][4 5 6 7][8 9 10 11]][[12 13 14 15][16 17 18 19]]...]"),
    (np.array([True, False]), 3, "[1 0]"),
    (np.array([b"abc", b'd"e'], object), 3, '[abc d"e]'),
    (np.complex64([1 + 2j, 3]), 3, "[? ?]"),
    (np.zeros(0, np.float32), 3, "[]"),
    (np.zeros((2, 0), np.float32), 3, "[]"),
    (np.uint8([200, 1]), 3, "[200 1]"),
]


@pytest.mark.parametrize(("value", "summarize", "text"), CASES)
def test_print(value: Any, summarize: int, text: str, capfd: Any) -> None:
    with Graph().as_default(), Session() as s:
        printed = apply_op("Print", np.int32(1), [value, np.int32(5)], message="M: ", summarize=summarize)
        assert s.run(printed) == 1
    captured = capfd.readouterr()
    assert captured.err == f"M: {text}[5]\n" and captured.out == ""


def test_print_in_the_first_runs_only(capfd: Any) -> None:
    with Graph().as_default(), Session() as s:
        printed = apply_op("Print", np.int32(1), [np.int32(2)], message="n=", first_n=2)
        again = apply_op("Identity", printed)
        for fetch in (printed, printed, again, printed):
            s.run(fetch)
    assert capfd.readouterr().err == "n=[2]\n" * 2


def test_print_v2(capfd: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "out.txt"
    with Graph().as_default(), Session() as s:

        def show(stream: str, **attrs: Any) -> None:
            s.run(apply_op("PrintV2", np.array(b"hello", object), output_stream=stream, **attrs))

        show("stderr")
        show("stdout", end="|\n")
        captured = capfd.readouterr()
        assert captured.err == "hello\n" and captured.out == "hello|\n"
        show(f"file://{path}")
        show(f"file://{path}", end="|\n")
        assert path.read_text() == "hello\nhello|\n"
        with caplog.at_level(logging.INFO, "icefloe"):
            for level in ("info", "warning", "error"):
                show(f"log({level})")
        assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
            ("INFO", "hello"),
            ("WARNING", "hello"),
            ("ERROR", "hello"),
        ]
        with pytest.raises((errors.InvalidArgumentError, ValueError), match="Unknown output stream: nope|nope"):
            show("nope")
        text = apply_op("PlaceholderWithDefault", np.array([b"a"], object), shape=None)
        with pytest.raises(errors.InvalidArgumentError, match=r"Input is expected to be scalar, but got \[1\]"):
            s.run(apply_op("PrintV2", text))
