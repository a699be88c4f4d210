"""Fingerprint: 64-bit hashes of a tensor's rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank, with_rank_at_least
from icefloe.ops.array.values import Array
from icefloe.ops.string.fingerprints import fingerprint64
from icefloe.shapes import Dims, shape_text


@kernel("Fingerprint")
def fingerprint(data: Any, method: Any) -> Array:
    """FarmHash of each row of `data` as 8 bytes: uint8 [n, 8]. A row of several strings is hashed by their hashes."""
    if np.ndim(method):
        raise errors.InvalidArgumentError(f"`method` should be a scalar string: {shape_text(np.shape(method))}")
    if method.item() != b"farmhash64":
        raise errors.InvalidArgumentError(f"Unsupported fingerprint method: {method.item().decode(errors='replace')}")
    if not np.ndim(data):
        raise errors.InvalidArgumentError(f"`data` should have at least one dimension: {shape_text(np.shape(data))}")
    rows = [row.tobytes() for row in data] if data.dtype != object else map(_joined, data)
    hashes = [fingerprint64(row) for row in rows]
    return np.array(hashes, "<u8").view(np.uint8).reshape(len(hashes), 8)


def _joined(row: Any) -> bytes:
    if isinstance(row, bytes):
        return row
    if row.size == 1:
        return row.item()
    return b"".join(fingerprint64(s).to_bytes(8, "little") for s in row.ravel().tolist())


@shape("Fingerprint")
def fingerprint_shape(c: ShapeContext) -> list[Dims]:
    known = with_rank_at_least(c.shape(0), 1)
    with_rank(c.shape(1), 0)
    size: int | None = None
    method = c.constant(1)
    if method is not None:
        if method.item() != b"farmhash64":
            raise errors.InvalidArgumentError("unsupported method")
        size = 8
    return [(None if known is None else known[0], size)]
