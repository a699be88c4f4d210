"""No size that comes from data makes icefloe ask for more memory than there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.graph import build
from icefloe.ops import allocation
from icefloe.ops.allocation import check_shape

FLOAT = np.dtype(np.float32)
HUGE = 1 << 40


def test_check_shape() -> None:
    assert check_shape([2, np.int64(3)], FLOAT) == (2, 3)
    assert check_shape([0, HUGE], FLOAT) == (0, HUGE)
    with pytest.raises(errors.InvalidArgumentError, match="Dimension -1 must be >= 0"):
        check_shape([2, -1], FLOAT)
    with pytest.raises(errors.InvalidArgumentError, match="more than 2\\*\\*63 - 1 elements"):
        check_shape([HUGE, HUGE], FLOAT)
    with pytest.raises(errors.ResourceExhaustedError, match="shape\\[1024,1099511627776\\] and type float"):
        check_shape([1024, HUGE], FLOAT)


def test_limit_is_what_the_system_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocation, "available_memory", lambda: 1 << 30)
    assert check_shape([1 << 28], FLOAT) == (1 << 28,)
    with pytest.raises(errors.ResourceExhaustedError):
        check_shape([(1 << 28) + 1], FLOAT)


def test_memory_is_found() -> None:
    assert 1 << 26 < allocation.available_memory() < 1 << 60


SMALL = np.ones((1, 1), np.float32)
WORDS = np.array([b"a", b"b"], object)
LARGE = np.array([HUGE, 1], np.int64)
CASES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Fill", (LARGE, np.float32(1)), {}),
    ("Fill", (LARGE, b"text"), {}),
    ("Empty", (np.array([1 << 30] * 2, np.int32),), {"dtype": "float64"}),
    ("Tile", (SMALL, LARGE), {}),
    ("BroadcastTo", (SMALL, LARGE), {}),
    ("Pad", (SMALL, np.array([[0, HUGE], [0, 0]], np.int64)), {}),
    ("PadV2", (SMALL, np.array([[0, HUGE], [0, 0]], np.int64), np.float32(1)), {}),
    ("OneHot", (np.zeros(1 << 12, np.int32), np.int32(2**31 - 1), np.float32(1), np.float32(0)), {}),
    ("ScatterNd", (np.zeros((1, 1), np.int64), SMALL[0], LARGE[:1]), {}),
    ("StridedSliceGrad", (LARGE, np.array([0]), np.array([1]), np.array([1]), SMALL), {}),
    ("DynamicStitch", ([np.array([2**31 - 1], np.int32)], [np.ones((1, 1 << 12), np.float32)]), {}),
    ("MatrixDiagV3", (SMALL, np.int32(2**30), np.int32(-1), np.int32(-1), np.float32(0)), {}),
    ("SpaceToBatchND", (SMALL, np.array([1]), np.array([[0, HUGE]])), {}),
    ("UnsortedSegmentJoin", (WORDS, np.array([0, 1]), np.int64(HUGE)), {}),
    ("SparseToDense", (np.array([[0]]), LARGE[:1], SMALL[0], np.float32(0)), {}),
    ("SparseFillEmptyRows", (np.array([[0, 0]]), SMALL[0], LARGE, np.float32(0)), {}),
    ("SparseReduceSum", (np.array([[0, 0]]), SMALL[0], LARGE, np.array([1], np.int32)), {}),
    ("SparseTensorDenseMatMul", (np.array([[0, 0]]), SMALL[0], LARGE, SMALL), {}),
    ("SerializeManySparse", (np.array([[0, 0]]), SMALL[0], LARGE), {}),
    ("AsString", (SMALL,), {"width": 2**31 - 1}),
    ("DecodePaddedRaw", (np.full(100, b"x", object), np.int32(2**30)), {"out_type": "uint8"}),
]


@pytest.mark.parametrize(("op", "inputs", "attrs"), CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_absurd_sizes_are_refused(
    op: str, inputs: tuple[Any, ...], attrs: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allocation, "available_memory", lambda: 1 << 30)
    with icefloe.Graph().as_default() as graph:
        out = build.apply_op(op, *inputs, **attrs)
        with icefloe.Session(graph=graph) as session, pytest.raises(errors.ResourceExhaustedError, match="OOM"):
            session.run(out[0] if isinstance(out, (list, tuple)) else out)
