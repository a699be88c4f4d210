"""How a slice of a partitioned tensor is put together from those that are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint import slices
from icefloe.checkpoint.slices import TensorSlice


@dataclass(frozen=True, slots=True)
class Piece:
    """What one stored slice gives: its part `origin` goes to `target` of the result."""

    stored: TensorSlice
    origin: tuple[slice, ...]
    target: tuple[slice, ...]


def pieces(
    name: str, shape: tuple[int, ...], stored: Sequence[TensorSlice], chosen: TensorSlice
) -> tuple[tuple[int, ...], list[Piece]]:
    """Return the shape of `chosen`, a slice of a tensor of `shape`, and the pieces that fill it.

    Raises: InternalError if stored slices overlap or do not fit the shape, InvalidArgumentError if they do not cover
    `chosen`.
    """
    slices.check_disjoint(stored, shape)
    wanted = chosen.bounds(shape)
    out = []
    covered = 0
    for candidate in stored:
        bounds = candidate.bounds(shape)
        common = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(wanted, bounds)]
        if any(a >= b for a, b in common):
            continue
        origin = tuple(slice(a - s, b - s) for (a, b), (s, _) in zip(common, bounds))
        target = tuple(slice(a - w, b - w) for (a, b), (w, _) in zip(common, wanted))
        out.append(Piece(candidate, origin, target))
        covered += slices.volume(tuple(b - a for a, b in common))
    sizes = tuple(b - a for a, b in wanted)
    if covered != slices.volume(sizes):
        raise errors.InvalidArgumentError(
            f"Does not have sufficient slices for partitioned tensor {name} to restore in slice_spec: {chosen}"
        )
    return sizes, out
