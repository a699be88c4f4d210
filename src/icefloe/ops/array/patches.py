"""Every window of an image or a volume as one vector of depth: ExtractImagePatches, ExtractVolumePatches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.values import Array
from icefloe.shapes import Dims, shape_text


def _check_lists(rank: int, **lists: tuple[int, ...]) -> None:
    for name, values in lists.items():
        if len(values) != rank:
            raise errors.InvalidArgumentError(f"{name} must have {rank} values, got {len(values)}")
    for name, values in lists.items():
        if values[0] != 1 or values[-1] != 1:
            raise errors.UnimplementedError(f"Only support {name} across space.")
    for name, values in lists.items():
        if min(values) < 1:
            raise errors.OutOfRangeError(f"{name} is out of range.")


def _windows(size: int, window: int, stride: int, padding: str) -> tuple[int, int]:
    """Return the number of windows along one dimension and the padding before it, below 0 where that is left out.

    Raises: InvalidArgumentError where the window is longer than the dimension by its step or more.
    """
    if padding == "VALID":
        room = size - window + stride
        if room <= -stride:
            raise errors.InvalidArgumentError(
                f"Computed output size would be negative: {-(-room // stride)} "
                f"[input_size: {size}, effective_filter_size: {window}, stride: {stride}]"
            )
        return max(room // stride, 0), 0
    count = -(-size // stride)
    missing = (count - 1) * stride + window - size
    return count, missing // 2 if missing > 0 else -(-missing // 2)


def _patches(
    x: Array, ksizes: tuple[int, ...], strides: tuple[int, ...], rates: tuple[int, ...], padding: str
) -> Array:
    """Return [n, windows..., product of ksizes * depth]: pixels outside of the image are zeros."""
    spatial = x.shape[1:-1]
    reach = [(k - 1) * r + 1 for k, r in zip(ksizes, rates)]
    counts, before = zip(*(_windows(*args, padding) for args in zip(spatial, reach, strides)))
    if x.ndim == 5:  # windows with gaps between them stand in the middle of a volume, but at the start of an image
        x = x[(slice(None), *(slice(max(-b, 0), None) for b in before))]
        spatial = x.shape[1:-1]
    before = tuple(max(b, 0) for b in before)
    target = check_shape((x.shape[0], *counts, math.prod(ksizes) * x.shape[-1]), x.dtype)
    if not math.prod(target):
        return np.zeros(target, x.dtype)
    check_shape((x.shape[0], *map(max, reach, spatial), x.shape[-1]), x.dtype)
    ends = [(n - 1) * s + w for n, s, w in zip(counts, strides, reach)]
    padded = np.zeros((x.shape[0], *(max(e, b + n) for e, b, n in zip(ends, before, spatial)), x.shape[-1]), x.dtype)
    padded[(slice(None), *(slice(b, b + n) for b, n in zip(before, spatial)))] = x
    views = np.lib.stride_tricks.sliding_window_view(padded, tuple(reach), axis=tuple(range(1, x.ndim - 1)))
    steps = tuple(slice(0, (n - 1) * s + 1, s) for n, s in zip(counts, strides))
    taken = views[(slice(None), *steps, slice(None), *(slice(None, None, r) for r in rates))]
    # [n, windows..., depth, kernel...] -> [n, windows..., kernel..., depth]
    return np.moveaxis(taken, len(spatial) + 1, -1).reshape(target)


@kernel("ExtractImagePatches")
def extract_image_patches(
    images: Any, *, ksizes: tuple[int, ...], strides: tuple[int, ...], rates: tuple[int, ...], padding: str
) -> Array:
    """For each place of the window of `ksizes` in [n, h, w, c], its pixels, `rates` apart, one after the other."""
    if images.ndim != 4:
        raise errors.InvalidArgumentError(f"input must be 4-dimensional{shape_text(images.shape)}")
    _check_lists(4, ksizes=ksizes, strides=strides, rates=rates)
    return _patches(images, ksizes[1:-1], strides[1:-1], rates[1:-1], padding)


@kernel("ExtractVolumePatches")
def extract_volume_patches(volumes: Any, *, ksizes: tuple[int, ...], strides: tuple[int, ...], padding: str) -> Array:
    """The same in three dimensions: [n, d, h, w, c]."""
    if volumes.ndim != 5:
        raise errors.InvalidArgumentError(f"input must be 5-dimensional{shape_text(volumes.shape)}")
    _check_lists(5, ksizes=ksizes, strides=strides)
    return _patches(volumes, ksizes[1:-1], strides[1:-1], (1, 1, 1), padding)


@shape("ExtractImagePatches", "ExtractVolumePatches")
def extract_patches_shape(c: ShapeContext) -> list[Dims]:
    rank = 4 if c.op == "ExtractImagePatches" else 5
    sizes = with_rank(c.shape(0), rank)
    ksizes, strides, padding = c.attr("ksizes"), c.attr("strides"), c.attr("padding")
    rates = c.attr("rates") if rank == 4 else (1,) * rank
    for name, values in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
        if len(values) != rank:
            raise errors.InvalidArgumentError(
                f"ExtractPatches requires the {name} attribute to contain {rank} values, but got: {len(values)}"
            )
    counts = [
        None if size is None else _windows(size, (k - 1) * r + 1, s, padding)[0]
        for size, k, s, r in zip(sizes[1:-1], ksizes[1:-1], strides[1:-1], rates[1:-1])
    ]
    depth = None if sizes[-1] is None else sizes[-1] * math.prod(ksizes[1:-1])
    return [(sizes[0], *counts, depth)]
