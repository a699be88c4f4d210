"""Dimension numbers and lists of one value per dimension, turned from one data format to another.

Source: tensorflow/core/kernels/data_format_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import shape_text, unchanged

Kernel = Callable[[Any], Any]


def _order(source: str, destination: str, lengths: tuple[int, ...]) -> list[int]:
    """Return for each dimension of `destination` where it is in `source`. Raises: InvalidArgumentError."""
    for name, value in (("Source", source), ("Destination", destination)):
        if len(value) not in lengths:
            raise errors.InvalidArgumentError(
                f"{name} format must be of length {' or '.join(map(str, lengths))}, "
                f"received {'src' if name == 'Source' else 'dst'}_format = {value}"
            )
    if len(set(source)) != len(source) or sorted(source) != sorted(destination):
        raise errors.InvalidArgumentError(
            f"Destination and source format must determine a permutation, got {source} and {destination}"
        )
    return [source.index(letter) for letter in destination]


@kernel("DataFormatDimMap", factory=True)
def data_format_dim_map(*, src_format: str, dst_format: str) -> Kernel:
    """Return dimension numbers of one format as those of another; negative ones count from the end."""
    _order(src_format, dst_format, (4, 5))
    table = np.array([dst_format.index(letter) for letter in src_format])

    def run(x: Any) -> Any:
        inside = (x >= -len(table)) & (x < len(table))
        if not np.all(inside):
            raise errors.InvalidArgumentError(f"dimension numbers must be in [{-len(table)}, {len(table)})")
        return table.astype(x.dtype)[x % len(table)]

    return run


@kernel("DataFormatVecPermute", factory=True)
def data_format_vec_permute(*, src_format: str, dst_format: str) -> Kernel:
    """Return a vector with a value per dimension, or a matrix with a pair, in another format's order.

    A vector that is two shorter has values for the spatial dimensions alone.
    """
    order = _order(src_format, dst_format, (4, 5))
    full = len(src_format)
    spatial = [letter for letter in src_format if letter not in "NC"]
    spatial_order = [spatial.index(letter) for letter in dst_format if letter not in "NC"]

    def run(x: Any) -> Any:
        if x.ndim not in (1, 2):
            raise errors.InvalidArgumentError(
                f"input must be a vector or 2D tensor, but got shape {shape_text(x.shape)}"
            )
        if len(x) not in (full, full - 2):
            what = "1D" if x.ndim == 1 else "First dimension of 2D"
            raise errors.InvalidArgumentError(
                f"{what} input must be of size {full - 2} or {full}, but got shape {shape_text(x.shape)}"
            )
        if x.ndim == 2 and x.shape[1] != 2:
            raise errors.InvalidArgumentError(
                f"Second dimension of 2D input must be of size 2, but got shape {shape_text(x.shape)}"
            )
        return x[order if len(x) == full else spatial_order]

    return run


shape("DataFormatDimMap", "DataFormatVecPermute")(unchanged)
