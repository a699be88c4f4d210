"""Ops that do nothing but be run: groups of control edges."""

from __future__ import annotations

import time

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import scalar


@kernel("NoOp", "ControlTrigger")
def no_op() -> tuple[()]:
    return ()


@kernel("Abort")
def abort(*, error_msg: str, exit_without_error: bool) -> tuple[()]:
    """Refuse: TensorFlow ends the process here, which no graph may do to its host."""
    raise errors.AbortedError(error_msg or "Abort_op intentional failure")


@kernel("Timestamp")
def timestamp() -> np.float64:
    """Seconds since the epoch."""
    return np.float64(time.time())


shape("Timestamp")(scalar)
