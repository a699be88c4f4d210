"""Strings taken apart: StringSplit, StringSplitV2; StringNGrams."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.string.elements import Array, flat, strings
from icefloe.shapes import Dims, shape_text


def _check_inputs(x: Any, separator: Any, name: str) -> None:
    if np.ndim(x) != 1:
        raise errors.InvalidArgumentError(f"input must be a vector, got shape: {shape_text(np.shape(x))}")
    if np.ndim(separator):
        raise errors.InvalidArgumentError(f"{name} must be a scalar, got shape: {shape_text(np.shape(separator))}")


def _sparse(rows: list[list[bytes]]) -> tuple[Array, Array, Array]:
    """Return indices, values and shape of the sparse matrix whose row i holds `rows[i]`."""
    pairs = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    indices = np.array(pairs, np.int64).reshape(len(pairs), 2)
    values = strings(itertools.chain.from_iterable(rows))
    return indices, values, np.array([len(rows), max(map(len, rows), default=0)], np.int64)


def _splitter(delimiters: bytes, skip_empty: bool) -> Callable[[bytes], list[bytes]]:
    if not delimiters:

        def split(s: bytes) -> list[bytes]:
            return [s[i : i + 1] for i in range(len(s))]

        return split
    any_of = re.compile(b"[" + b"".join(re.escape(delimiters[i : i + 1]) for i in range(len(delimiters))) + b"]")

    def split_at_any(s: bytes) -> list[bytes]:
        if not s:
            return []
        return [part for part in any_of.split(s) if part or not skip_empty]

    return split_at_any


@kernel("StringSplit")
def string_split(x: Any, delimiter: Any, *, skip_empty: bool) -> tuple[Array, Array, Array]:
    """Each string of a vector cut at every byte that is in `delimiter`, or between all bytes, into a sparse matrix."""
    _check_inputs(x, delimiter, "delimiter")
    return _sparse(list(map(_splitter(delimiter.item(), skip_empty), flat(x))))


def _split_at(s: bytes, separator: bytes, most: int) -> list[bytes]:
    if separator:
        return s.split(separator, most)
    if most == 0:
        return [s]
    if most < 0:
        return s.split()
    # What follows the last cut is a part even if it is empty, and keeps the white space at its end.
    parts = s.split(None, most)
    return [*parts, b""] if len(parts) == most else parts


@kernel("StringSplitV2")
def string_split_v2(x: Any, separator: Any, *, maxsplit: int) -> tuple[Array, Array, Array]:
    """Each string of a vector cut at `separator`, at most `maxsplit` times, into a sparse matrix.

    An empty separator stands for runs of white space, of which those at the ends separate nothing.
    """
    _check_inputs(x, separator, "sep")
    between = separator.item()
    return _sparse([_split_at(s, between, maxsplit) for s in flat(x)])


@shape("StringSplit", "StringSplitV2")
def string_split_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 1)
    with_rank(c.shape(1), 0)
    return [(None, 2), (None,), (2,)]
