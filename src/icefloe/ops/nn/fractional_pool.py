"""Pooling over regions of random size, one element more or less, and its gradients.

A pooling sequence lists where the regions of a dimension start, and at last its length. With `deterministic` every run
draws from the same place of the node's stream, else from a new one.
Source: tensorflow/core/kernels/fractional_pool_common.cc, fractional_max_pool_op.cc, fractional_avg_pool_op.cc;
B. Graham, "Fractional max-pooling" (2014).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.nn.pooling import lowest
from icefloe.philox.discrete import permutation
from icefloe.philox.distributions import unit_doubles
from icefloe.philox.stream import Stream
from icefloe.resources import ResourceManager

Kernel = Callable[..., Any]


def _pseudo_random_steps(length: int, regions: int, stream: Stream) -> list[int]:
    """Return the sizes of regions that start at ceil(alpha * (i + u)), u drawn so that none is too large or small."""
    alpha = length / regions
    whole = length // regions
    largest = min((whole + 2) / alpha - 1, (length + 1 - whole) / alpha - (regions - 1))
    words = stream.reserve(1).words(2)
    u = float(unit_doubles(words[:1], words[1:])[0]) * largest
    starts = [1, *(math.ceil(alpha * (i + u)) for i in range(1, regions)), length + 1]
    return np.diff(starts).tolist()


def _random_steps(length: int, regions: int, stream: Stream) -> list[int]:
    """Return sizes of regions, the larger ones in random places."""
    whole, larger = divmod(length, regions)
    steps = np.array([whole + 1] * larger + [whole] * (regions - larger), np.int64)
    shuffled: list[int] = steps[permutation(stream.reserve(-(-regions // 4)), regions)].tolist()
    return shuffled


def _sequence(length: int, regions: int, stream: Stream, *, pseudo_random: bool) -> Any:
    if regions == 0:
        return np.zeros(1, np.int64)
    steps = (_pseudo_random_steps if pseudo_random else _random_steps)(length, regions, stream)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(np.array(steps, np.int64))))


def _regions(sequence: Any, length: int, *, overlapping: bool) -> list[slice]:
    """Return the elements of each region; overlapping ones share the element where the next starts."""
    more = 1 if overlapping else 0
    return [slice(a, min(b + more, length)) for a, b in zip(sequence.tolist(), sequence.tolist()[1:])]


def _output_sizes(sizes: Sequence[int], ratio: Sequence[float]) -> list[int]:
    for size, r in zip(sizes, ratio):
        if size < r:
            raise errors.InvalidArgumentError(
                f"pooling_ratio must not be larger than the input size, got {r} and {size}"
            )
    return [int(np.floor(np.float32(n) / np.float32(r))) for n, r in zip(sizes, ratio)]


def _pool(
    reduce: Callable[[Any, list[slice], list[slice]], Any],
    *,
    pooling_ratio: Sequence[float],
    pseudo_random: bool,
    overlapping: bool,
    deterministic: bool,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    if len(pooling_ratio) != 4:
        raise errors.InvalidArgumentError("pooling_ratio field must specify 4 dimensions")
    if min(pooling_ratio) < 1.0:
        raise errors.InvalidArgumentError(f"pooling_ratio cannot be smaller than 1, got: {min(pooling_ratio)}")
    if pooling_ratio[0] != 1 or pooling_ratio[3] != 1:
        raise errors.UnimplementedError("Fractional pooling is not yet supported on the batch nor channel dimension.")
    if not deterministic and (seed or seed2):
        raise errors.InvalidArgumentError("Both seed and seed2 should be 0 if deterministic is false.")
    kept = manager.stream(node, seed, seed2) if deterministic else None

    def run(x: Any) -> tuple[Any, Any, Any]:
        if x.ndim != 4:
            raise errors.InvalidArgumentError("tensor_in must be 4-dimensional")
        sizes = _output_sizes(x.shape, pooling_ratio)
        stream = Stream.from_seeds(0, 0) if kept is None else kept.skip(0)
        sequences = [_sequence(x.shape[i], sizes[i], stream, pseudo_random=pseudo_random) for i in (1, 2)]
        rows, columns = (_regions(s, x.shape[i], overlapping=overlapping) for s, i in zip(sequences, (1, 2)))
        return reduce(x, rows, columns), *(s.copy() for s in sequences)

    return run


def _maxima(x: Any, rows: list[slice], columns: list[slice]) -> Any:
    if not x.size:
        return np.empty((len(x), len(rows), len(columns), x.shape[-1]), x.dtype)
    larger = np.maximum if x.dtype.kind in "iu" else np.fmax
    bands = np.stack([larger.reduce(x[:, r], axis=1) for r in rows], axis=1)
    out = np.stack([larger.reduce(bands[:, :, c], axis=2) for c in columns], axis=2)
    return larger(out, x.dtype.type(lowest(x.dtype)))


def _means(x: Any, rows: list[slice], columns: list[slice]) -> Any:
    if not x.size:
        return np.empty((len(x), len(rows), len(columns), x.shape[-1]), x.dtype)
    bands = np.stack([x[:, r].sum(axis=1, dtype=x.dtype) for r in rows], axis=1)
    out = np.stack([bands[:, :, c].sum(axis=2, dtype=x.dtype) for c in columns], axis=2)
    counts = np.array([[(r.stop - r.start) * (c.stop - c.start) for c in columns] for r in rows])[:, :, None]
    if x.dtype.kind in "iu":
        return np.trunc(out / counts).astype(x.dtype)
    return out / counts.astype(x.dtype)


@kernel("FractionalMaxPool", factory=True)
def fractional_max_pool(
    *,
    pooling_ratio: Any,
    pseudo_random: bool,
    overlapping: bool,
    deterministic: bool,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    """Return (the greatest element of each region, row sequence, column sequence)."""
    return _pool(
        _maxima,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        manager=manager,
        node=node,
    )


@kernel("FractionalAvgPool", factory=True)
def fractional_avg_pool(
    *,
    pooling_ratio: Any,
    pseudo_random: bool,
    overlapping: bool,
    deterministic: bool,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    """Return (the mean of each region, row sequence, column sequence)."""
    return _pool(
        _means,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        manager=manager,
        node=node,
    )


def _checked_sequences(sequences: Sequence[Any], sizes: Sequence[int], dy: Any) -> None:
    """Raise InvalidArgumentError unless these are pooling sequences over `sizes` [n, h, w, c] that made `dy`."""
    if dy.ndim != 4:
        raise errors.InvalidArgumentError(f"out_backprop must be 4-dimensional, got shape {shape_text(dy.shape)}")
    for name, sequence, length, made in zip(("row", "col"), sequences, sizes[1:3], dy.shape[1:3]):
        if sequence.ndim != 1 or len(sequence) != made + 1:
            raise errors.InvalidArgumentError(
                f"{name}_pooling_sequence must be a vector of {made + 1} elements, "
                f"got shape {shape_text(sequence.shape)}"
            )
        if sequence.min() < 0:
            raise errors.InvalidArgumentError(f"{name}_pooling_sequence contains negative values")
        if (np.diff(sequence) <= 0).any():
            raise errors.InvalidArgumentError(f"{name}_pooling_sequence must be strictly increasing")
        if len(sequence) > 1 and sequence[-2] >= length:
            raise errors.InvalidArgumentError(f"{name}_pooling_sequence goes past the input's {length} elements")
    if dy.shape[0] != sizes[0] or dy.shape[3] != sizes[3]:
        raise errors.InvalidArgumentError(
            f"out_backprop must have the batch and channels of the input, got {shape_text(dy.shape)}"
        )


@kernel("FractionalMaxPoolGrad")
def fractional_max_pool_grad(x: Any, y: Any, dy: Any, rows: Any, columns: Any, *, overlapping: bool) -> Any:
    """Return the gradient of the input: the first maximum of each region gets all of it."""
    if x.ndim != 4:
        raise errors.InvalidArgumentError(f"orig_input must be 4-dimensional, got shape {shape_text(x.shape)}")
    if y.shape != dy.shape:
        raise errors.InvalidArgumentError(
            f"orig_output and out_backprop must have the same shape: {shape_text(y.shape)} vs. {shape_text(dy.shape)}"
        )
    _checked_sequences((rows, columns), x.shape, dy)
    dx = np.zeros(x.shape, dy.dtype)
    batch, channel = np.ogrid[: x.shape[0], : x.shape[3]]
    for i, r in enumerate(_regions(rows, x.shape[1], overlapping=overlapping)):
        for j, c in enumerate(_regions(columns, x.shape[2], overlapping=overlapping)):
            region = x[:, r, c]
            best = region.reshape(len(x), -1, x.shape[3]).argmax(axis=1)
            height, width = np.divmod(best, region.shape[2])
            dx[batch, r.start + height, c.start + width, channel] += dy[:, i, j]
    return dx


@kernel("FractionalAvgPoolGrad")
def fractional_avg_pool_grad(
    orig_input_tensor_shape: Any, dy: Any, rows: Any, columns: Any, *, overlapping: bool
) -> Any:
    """Return the gradient of the input: the elements of each region share it."""
    if orig_input_tensor_shape.shape != (4,):
        raise errors.InvalidArgumentError("original input tensor shape must be 1-dimensional and 4 elements")
    sizes = check_shape(orig_input_tensor_shape.tolist(), np.dtype(np.float64))
    _checked_sequences((rows, columns), sizes, dy)
    dx = np.zeros(sizes)
    for i, r in enumerate(_regions(rows, sizes[1], overlapping=overlapping)):
        for j, c in enumerate(_regions(columns, sizes[2], overlapping=overlapping)):
            count = (r.stop - r.start) * (c.stop - c.start)
            dx[:, r, c] += (dy[:, i, j].astype(np.float64) / count)[:, None, None]
    return dx.astype(dy.dtype)


@shape("FractionalMaxPool", "FractionalAvgPool")
def fractional_pool_shape(c: ShapeContext) -> list[Any]:
    """The sizes divided by the ratios, and two sequences."""
    ratio = c.attr("pooling_ratio")
    x = with_rank(c.shape(0), 4)
    if len(ratio) != 4:
        raise errors.InvalidArgumentError("pooling_ratio field must specify 4 dimensions")
    if min(ratio) < 1.0:
        raise errors.InvalidArgumentError(f"pooling_ratio cannot be smaller than 1, got: {min(ratio)}")
    made = [None if n is None else int(np.floor(np.float32(n) / np.float32(r))) for n, r in zip(x, ratio)]
    return [tuple(made), (None,), (None,)]


@shape("FractionalMaxPoolGrad")
def fractional_max_pool_grad_shape(c: ShapeContext) -> list[Any]:
    """The shape of the input."""
    return [with_rank(c.shape(0), 4)]


@shape("FractionalAvgPoolGrad")
def fractional_avg_pool_grad_shape(c: ShapeContext) -> list[Any]:
    """The shape that `orig_input_tensor_shape` gives."""
    return [c.shape_value(0)]
