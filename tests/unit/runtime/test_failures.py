"""What numpy's exceptions become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from icefloe import errors
from icefloe.runtime.failures import as_error


def raised(function: Callable[[], Any]) -> Exception:
    try:
        function()
    except Exception as e:
        return e
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda: np.add(np.ones((2, 3)), np.ones(2)), "Incompatible shapes: [2,3] vs. [2]"),
        (lambda: np.add(np.ones((2, 3)), np.ones((0, 1, 2))), "Incompatible shapes: [2,3] vs. [0,1,2]"),
        (lambda: np.broadcast_shapes((3,), (2, 2)), "Incompatible shapes: [3] vs. [2,2]"),
        (lambda: np.broadcast_arrays(np.ones(3), np.ones(2)), "Incompatible shapes: [3] vs. [2]"),
    ],
)
def test_shapes_that_do_not_broadcast_are_told_in_tensorflow_s_words(function: Callable[[], Any], text: str) -> None:
    error = as_error(raised(function))
    assert type(error) is errors.InvalidArgumentError
    assert error.message == text


@pytest.mark.parametrize(
    ("exception", "expected"),
    [
        (MemoryError("x"), errors.ResourceExhaustedError),
        (ValueError("x"), errors.InvalidArgumentError),
        (np.linalg.LinAlgError("Singular matrix"), errors.InvalidArgumentError),
        (NotImplementedError("x"), errors.UnimplementedError),
        (FileNotFoundError("x"), errors.NotFoundError),
        (KeyError("x"), errors.InternalError),
    ],
)
def test_classes(exception: Exception, expected: type[errors.OpError]) -> None:
    assert type(as_error(exception)) is expected


def test_too_many_dimensions() -> None:
    error = as_error(raised(lambda: np.ones(1).reshape((1,) * 100)))
    assert type(error) is errors.InvalidArgumentError
    assert error.message == "shape has too many dimensions: 100, at most 64 can be held"
