"""What the begin, end, strides and five masks of a strided slice select, as numpy's index.

Bit i of a mask is about entry i of begin, end and strides. In this order of precedence: `ellipsis` stands for as many
whole dimensions as are left over, `new_axis` adds a dimension of 1, `shrink_axis` takes the one element at begin[i] and
drops the dimension; else the entry is Python's `begin[i]:end[i]:strides[i]`, with a bound left out where its mask says
so. Python's own slices clip as TensorFlow does.

Source: tensorflow/core/util/strided_slice_op.cc. Registers nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from icefloe import errors
from icefloe.shapes import shape_text

Entry: TypeAlias = tuple[Literal["new", "whole", "one", "range"], int, int]


@dataclass(frozen=True, slots=True)
class Masks:
    """The five masks of a strided slice, as their attrs give them."""

    begin: int = 0
    end: int = 0
    ellipsis: int = 0
    new_axis: int = 0
    shrink: int = 0

    def layout(self, rank: int, entries: int) -> list[Entry]:
        """Return (kind, input dimension, entry) for each dimension that the slice of a tensor of `rank` looks at.

        Raises: InvalidArgumentError for two ellipses or more entries than dimensions.
        """
        if self.ellipsis & (self.ellipsis - 1) & ((1 << entries) - 1):
            raise errors.InvalidArgumentError("Multiple ellipses in slice spec not allowed")
        ellipsis = next((i for i in range(entries) if self.ellipsis >> i & 1), entries)
        added = sum(1 for i in range(entries) if i != ellipsis and self.new_axis >> i & 1)
        taken = entries - added - (ellipsis < entries)
        result: list[Entry] = []
        dim = 0
        for i in range(entries):
            if i == ellipsis:
                for _ in range(max(rank - taken, 0)):
                    result.append(("whole", dim, -1))
                    dim += 1
            elif self.new_axis >> i & 1:
                result.append(("new", -1, i))
            elif dim >= rank:
                if not rank:
                    raise errors.InvalidArgumentError("Attempting to slice scalar input.")
                raise errors.InvalidArgumentError(
                    f"Index out of range using input dim {dim}; input has only {rank} dims"
                )
            else:
                result.append(("one" if self.shrink >> i & 1 else "range", dim, i))
                dim += 1
        result.extend(("whole", d, -1) for d in range(dim, rank))
        return result


def check_entries(begin: tuple[int, ...], end: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Raise InvalidArgumentError unless the shapes of begin, end and strides are those of equally long vectors."""
    if not (len(begin) == 1 and begin == end == strides):
        raise errors.InvalidArgumentError(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes"
            f" {shape_text(begin)}, {shape_text(end)}, and {shape_text(strides)} instead."
        )


def index_of(
    sizes: tuple[int, ...],
    layout: list[Entry],
    masks: Masks,
    begin: list[int],
    end: list[int],
    strides: list[int],
) -> tuple[Any, ...]:
    """Return the numpy index that selects the slice of a tensor of shape `sizes`.

    It ends with an Ellipsis, so that indexing gives an array, never an element.

    Raises: InvalidArgumentError for a stride of 0, or an element to take that is not there.
    """
    index: list[Any] = []
    for kind, dim, i in layout:
        if kind == "new":
            index.append(None)
        elif kind == "whole":
            index.append(slice(None))
        else:
            step = strides[i]
            if step == 0:
                raise errors.InvalidArgumentError(f"strides[{i}] must be non-zero")
            if kind == "one":
                index.append(element(begin[i], sizes[dim], step, dim))
            else:
                start = None if masks.begin >> i & 1 else begin[i]
                stop = None if masks.end >> i & 1 else end[i]
                index.append(slice(start, stop, step))
    index.append(Ellipsis)
    return tuple(index)


def element(at: int, size: int, step: int, dim: int) -> int:
    """Return the index, not negative, of the one element that a shrunk dimension keeps.

    Raises: InvalidArgumentError if the stride is negative or there is no such element.
    """
    if step <= 0:
        raise errors.InvalidArgumentError("only stride 1 allowed on non-range indexing.")
    forward = at + size if at < 0 else at
    if not 0 <= forward < size:
        raise errors.InvalidArgumentError(f"slice index {at if at >= 0 else forward} of dimension {dim} out of bounds.")
    return forward


def sliced_shape(
    sizes: tuple[int | None, ...],
    entries: int,
    masks: Masks,
    begin: np.ndarray | None,
    end: np.ndarray | None,
    strides: np.ndarray | None,
) -> tuple[int | None, ...]:
    """Return the shape of the slice, as far as begin, end and strides, each None where not known, tell it."""
    result: list[int | None] = []
    for kind, dim, i in masks.layout(len(sizes), entries):
        if kind == "new":
            result.append(1)
            continue
        size = sizes[dim]
        if kind == "whole":
            result.append(size)
            continue
        step = None if strides is None else int(strides[i])
        if step == 0:
            raise errors.InvalidArgumentError(f"strides[{i}] must be non-zero")
        if kind == "one":
            if size is not None and begin is not None and step is not None:
                element(int(begin[i]), size, step, dim)
            continue
        from_start, to_end = bool(masks.begin >> i & 1), bool(masks.end >> i & 1)
        known = (from_start or begin is not None) and (to_end or end is not None)
        if size is None or step is None or not known:
            result.append(None)
            continue
        start = None if from_start or begin is None else int(begin[i])
        stop = None if to_end or end is None else int(end[i])
        result.append(len(range(*slice(start, stop, step).indices(size))))
    return tuple(result)
