"""Sizes that come from data: an op asked for more than the memory holds says so before it takes any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.graph import build

HUGE = 2**52
ONE = np.ones(1, np.float32)


@pytest.mark.parametrize(
    ("op", "inputs", "attrs"),
    [
        ("Range", (np.int64(0), np.int64(HUGE), np.int64(1)), {}),
        ("LinSpace", (np.float64(0), np.float64(1), np.int64(HUGE)), {}),
        ("DenseBincount", (np.ones(1, np.int64), np.int64(HUGE), np.ones(0, np.float32)), {}),
        ("UnsortedSegmentSum", (ONE, np.zeros(1, np.int64), np.int64(HUGE)), {}),
        ("SegmentSum", (ONE, np.array([HUGE])), {}),
        ("SparseSegmentSumWithNumSegments", (ONE, np.zeros(1, np.int64), np.zeros(1, np.int64), np.int64(HUGE)), {}),
        ("RaggedRange", (np.int64(0), np.int64(HUGE), np.int64(1)), {}),
        ("SetSize", (np.zeros((1, 2), np.int64), np.ones(1, np.int64), np.array([HUGE, 2])), {}),
        (
            "RaggedTensorToTensor",
            (np.array([HUGE, 4]), ONE, np.float32(0), [np.array([0, 1])]),
            {"row_partition_types": ["ROW_SPLITS"]},
        ),
        (
            "RaggedTensorToTensor",
            (np.array([-1, -1]), ONE, np.float32(0), [np.int64(HUGE), np.array([0])]),
            {"row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]},
        ),
        ("RaggedFillEmptyRows", (np.zeros(1, np.int64), ONE, np.int64(HUGE), np.float32(0)), {}),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_more_than_the_memory_holds(op: str, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> None:
    with icefloe.Graph().as_default():
        out = build.apply_op(op, *inputs, **attrs)
        with icefloe.Session() as session, pytest.raises(errors.ResourceExhaustedError):
            session.run(out[0] if isinstance(out, tuple) else out)
