"""StringNGrams: runs of neighbouring strings of a ragged tensor, joined."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.string.elements import Array, flat, strings
from icefloe.shapes import Dims


def _check_splits(splits: list[int], size: int) -> None:
    if splits[0] != 0:
        raise errors.InvalidArgumentError(f"First split value must be 0, got {splits[0]}")
    for before, split in itertools.pairwise(splits):
        if not before <= split <= size:
            raise errors.InvalidArgumentError(f"Invalid split value {split}, must be in [{before}, {size}]")
    if splits[-1] != size:
        raise errors.InvalidArgumentError(f"Last split value must be data size. Expected {size}, got {splits[-1]}")


@kernel("StringNGrams")
def string_ngrams(
    data: Any,
    splits: Any,
    *,
    separator: str,
    ngram_widths: tuple[int, ...],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[Array, Array]:
    """For each row of a ragged tensor, its runs of each width, joined by `separator`; and the splits of these.

    pad_width: how many `left_pad` and `right_pad` go around a row, at most width - 1; -1 means just that many.
    preserve_short_sequences: a row, padded, that is too short for every width gives one run, the whole of it.
    """
    if any(width <= 0 for width in ngram_widths):
        raise errors.InvalidArgumentError("ngram_widths must contain positive values")
    words = flat(data)
    ends = np.ravel(splits).tolist()
    if not ends:
        # TensorFlow leaves its output as it is then: as many empty strings as there are words.
        return strings([b""] * len(words)), np.zeros(0, splits.dtype)
    _check_splits(ends, len(words))
    if not words:  # rows that are empty are filled up only where others are not
        return strings([]), np.zeros(len(ends), splits.dtype)
    most = max(
        (width - 1 if pad_width == -1 else min(max(pad_width, 0), width - 1) for width in ngram_widths), default=0
    )
    check_shape((len(ends), 2 * most), np.dtype(object))
    between, left, right = separator.encode(), left_pad.encode(), right_pad.encode()

    def padding(width: int) -> int:
        return width - 1 if pad_width == -1 else min(pad_width, width - 1)

    def runs(row: list[bytes], width: int) -> list[bytes]:
        pads = padding(width)
        padded = [left] * pads + row + [right] * pads
        return [between.join(padded[i : i + width]) for i in range(len(padded) - width + 1)]

    grams: list[bytes] = []
    counts = [0]
    for start, end in itertools.pairwise(ends):
        row = words[start:end]
        found = [gram for width in ngram_widths for gram in runs(row, width)]
        if not found and preserve_short_sequences and row:
            # With pad_width -1 no row is too short, so the padding is the one that was asked for.
            found = runs(row, len(row) + 2 * max(pad_width, 0)) if pad_width > 0 else [between.join(row)]
        grams += found
        counts.append(len(grams))
    return strings(grams), np.array(counts, splits.dtype)


@shape("StringNGrams")
def string_ngrams_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 1)
    return [(None,), with_rank(c.shape(1), 1)]
