"""Shuffles along the first dimension, and positions in a shuffle that is never made.

Source: tensorflow/core/kernels/shuffle_common.h, random_shuffle_op.cc, random_index_shuffle_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, unchanged
from icefloe.ops.random.requests import check_algorithm, check_key_counter_alg, keyed_stream
from icefloe.philox import discrete
from icefloe.resources import ResourceManager


def _has_one_order(value: Any) -> bool:
    return np.ndim(value) == 0 or value.size <= 1 or len(value) <= 1


@kernel("RandomShuffle", factory=True, returns=("view", 0))
def random_shuffle(*, seed: int, seed2: int, manager: ResourceManager, node: str) -> Callable[[Any], Any]:
    """Return `value` with its rows in random order."""
    stream = manager.stream(node, seed, seed2)

    def run(value: Any) -> Any:
        if _has_one_order(value):
            return value
        taken = stream.reserve(-(-(len(value) - 1) // 4))
        return value[discrete.permutation(taken, len(value))]

    return run


@kernel("StatelessShuffle", returns=("view", 0))
def stateless_shuffle(value: Any, key: Any, counter: Any, alg: Any) -> Any:
    """Return `value` with its rows in random order."""
    stream = keyed_stream(key, counter, alg)
    check_algorithm(int(alg))
    return value if _has_one_order(value) else value[discrete.permutation(stream, len(value))]


@kernel("RandomIndexShuffle")
def random_index_shuffle(index: Any, seed: Any, max_index: Any, *, rounds: int) -> Any:
    """Return where `index` goes in a random order of 0 .. max_index.

    index, max_index: a scalar or [n] each. seed: [3] or [n, 3].
    """
    index, seed, max_index = np.asarray(index), np.asarray(seed), np.asarray(max_index)
    if index.ndim > 1:
        raise errors.InvalidArgumentError("Index must be a scalar or vector.")
    if max_index.ndim > 1:
        raise errors.InvalidArgumentError("Max_index must be a scalar or vector.")
    count = max([1, *(len(v) for v in (index, max_index) if v.ndim), *([len(seed)] if seed.ndim == 2 else [])])
    if any(v.ndim and len(v) not in (1, count) for v in (index, max_index)):
        raise errors.InvalidArgumentError("Index must be a scalar or vector.")
    if seed.shape != (3,) and (seed.ndim != 2 or seed.shape[1] != 3 or len(seed) not in (1, count)):
        raise errors.InvalidArgumentError(
            f"Seed must be a vector of size [3] or a matrix of size [{count}, 3] but got "
            f"[{','.join(map(str, seed.shape))}]."
        )
    scalar = index.ndim == 0 and max_index.ndim == 0 and seed.ndim == 1
    if not scalar and 0 in (index.size, max_index.size, len(seed)):
        return np.empty(0, index.dtype)
    indices = np.broadcast_to(index, (count,)).tolist()
    limits = np.broadcast_to(max_index, (count,)).tolist()
    keys = np.broadcast_to(seed, (count, 3)).tolist()
    found = []
    for i, limit, key in zip(indices, limits, keys):
        if limit < i or i < 0:
            raise errors.InvalidArgumentError(f"max_index must be >= index, but {limit} < {i}")
        words = (key[0] & 0xFFFFFFFF, key[1] & 0xFFFFFFFF, key[2] & 0xFFFFFFFF)
        found.append(discrete.index_shuffle(i, words, limit, rounds))
    return np.array(found[0] if scalar else found, index.dtype)


shape("RandomShuffle")(unchanged)


@shape("StatelessShuffle")
def stateless_shuffle_shape(c: ShapeContext) -> list[Any]:
    """The shape of the value."""
    check_key_counter_alg(c, 1)
    return [c.shape(0)]


@shape("RandomIndexShuffle")
def random_index_shuffle_shape(c: ShapeContext) -> list[Any]:
    """A scalar where all inputs are single, else a vector of the longest's length."""
    index, seed, limit = c.shape(0), c.shape(1), c.shape(2)
    if index is None or seed is None or limit is None:
        return [None]
    if len(index) == 0 and len(seed) == 1 and len(limit) == 0:
        return [()]
    sizes = {s[0] for s, rank in ((index, 1), (seed, 2), (limit, 1)) if len(s) == rank} - {1}
    if len(sizes) > 1:
        return [(None,)]
    return [(sizes.pop() if sizes else 1,)]
