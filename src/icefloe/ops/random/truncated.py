"""Normal numbers between bounds that are inputs.

Source: tensorflow/core/kernels/parameterized_truncated_normal_op.cc, as it works on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank_at_most
from icefloe.ops.random.requests import (
    check_seed_shape,
    count_of,
    requested_shape,
    seeded_stream,
    shape_of_request,
)
from icefloe.philox.bounded import MAX_ITERATIONS, bounded_normal
from icefloe.philox.stream import Stream
from icefloe.resources import ResourceManager

_BATCH = 100  # numbers in a batch where all have the same parameters


def _batches(stream: Stream, parameters: list[Any], sizes: list[int]) -> list[Any]:
    """Return `sizes[i]` numbers for each row i of the parameters, one batch after the other on the stream."""
    made, at = [], 0
    for (mean, stddev, low, high), size in zip(zip(*parameters), sizes):
        values, blocks = bounded_normal(stream.skip(at), mean, stddev, low, high, size)
        made.append(values)
        at += blocks
    return made


@kernel("ParameterizedTruncatedNormal", factory=True)
def parameterized_truncated_normal(*, seed: int, seed2: int, manager: ResourceManager, node: str) -> Callable[..., Any]:
    """Return numbers of the shape; its first dimension counts the batches, each with parameters of its own."""
    stream = manager.stream(node, seed, seed2)

    def run(shape: Any, means: Any, stdevs: Any, minvals: Any, maxvals: Any) -> Any:
        sizes = requested_shape(shape, means.dtype)
        if not sizes:
            raise errors.InvalidArgumentError("Shape tensor must not be empty, got a shape of no dimensions")
        given = {"means": means, "stddevs": stdevs, "minvals": minvals, "maxvals": maxvals}
        for name, value in given.items():
            if np.ndim(value) > 1:
                raise errors.InvalidArgumentError(
                    f"Input {name} should be a scalar or vector, got shape: {shape_text(np.shape(value))}"
                )
        batches, count = sizes[0], count_of(sizes)
        if all(np.size(v) == 1 for v in (means, stdevs)) and np.ndim(minvals) == 0 and np.ndim(maxvals) == 0:
            batches, samples = -(-count // _BATCH), _BATCH
        else:
            samples = count_of(sizes[1:])
            for name, value in given.items():
                if np.ndim(value) and len(value) not in (1, batches):
                    raise errors.InvalidArgumentError(
                        f"Input {name} should have length 1 or shape[0], got shape: {shape_text(np.shape(value))}"
                    )
        if not count:
            return np.empty(sizes, means.dtype)
        taken = stream.reserve(batches * 2 * MAX_ITERATIONS * (samples + 3) // 4)
        rows = [np.broadcast_to(np.ravel(v), (batches,)) for v in given.values()]
        each = [min(samples, count - b * samples) for b in range(batches)]
        return np.concatenate(_batches(taken, rows, each)).reshape(sizes)

    return run


@kernel("StatelessParameterizedTruncatedNormal")
def stateless_parameterized_truncated_normal(
    shape: Any, seed: Any, means: Any, stddevs: Any, minvals: Any, maxvals: Any
) -> Any:
    """Return numbers of the shape, which ends with what the parameters broadcast to."""
    stream = seeded_stream(seed)
    parameters = (means, stddevs, minvals, maxvals)
    try:
        broadcast = np.broadcast_shapes(*(np.shape(p) for p in parameters))
    except ValueError:
        raise errors.InvalidArgumentError(
            "means, stddevs, minvals, maxvals must have compatible batch dimensions: "
            + " vs. ".join(shape_text(np.shape(p)) for p in parameters)
        ) from None
    sizes = requested_shape(shape, means.dtype)
    kept = len(sizes) - len(broadcast)
    if kept < 0 or sizes[kept:] != broadcast:
        raise errors.InvalidArgumentError("Shape passed in must end with broadcasted shape.")
    if not count_of(sizes):
        return np.empty(sizes, means.dtype)
    rows = [np.broadcast_to(p, broadcast).ravel() for p in parameters]
    samples = count_of(sizes[:kept])
    made = _batches(stream, rows, [samples] * len(rows[0]))
    return np.stack(made, axis=1).reshape(sizes)


@shape("ParameterizedTruncatedNormal")
def parameterized_truncated_normal_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    for i in range(1, 5):
        with_rank_at_most(c.shape(i), 1)
    return [shape_of_request(c)]


@shape("StatelessParameterizedTruncatedNormal")
def stateless_parameterized_truncated_normal_shape(c: ShapeContext) -> list[Any]:
    """The shape that is asked for."""
    check_seed_shape(c, 1)
    return [shape_of_request(c)]
