"""What k-means needs: first centers drawn by distance (k-means++, a chain of k-MC^2), and the centers next to points.

Distances are float32, computed from the points' norms and products. Source: tensorflow/core/kernels/clustering_ops.cc.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import scalar, unknown
from icefloe.ops.allocation import check_shape
from icefloe.ops.nn.topk import top_k
from icefloe.philox import distributions
from icefloe.philox.scalars import Scalars
from icefloe.philox.stream import Stream

F = np.float32
_BLOCK_ELEMENTS = 1 << 20  # distances computed at a time
_MAX_DRAWS = 10_000


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise errors.InvalidArgumentError(text)


def _stream(seed: Any) -> Stream:
    return Stream.from_key_counter(int(seed), (0, 0))


def _half_norms(points: Any) -> Any:
    """Return half the squared norm of each row."""
    return F(0.5) * np.einsum("ij,ij->i", points, points)


class _Sampler:
    """Draws rows of `points`, each as likely as its distance to the nearest row that was kept so far is long."""

    def __init__(self, points: Any, seed: Any) -> None:
        self._points, self._halves = points, _half_norms(points)
        self._scalars = Scalars(_stream(seed))
        self._nearest = np.full(len(points), np.inf, F)
        self._sums = self._nearest
        self.kept: list[int] = []
        self._taken: set[int] = set()

    def _draw(self) -> int:
        if not self.kept:
            return self._scalars.below_64(len(self._points))
        for _ in range(_MAX_DRAWS):
            index = int(np.searchsorted(self._sums, self._scalars.single() * self._sums[-1], side="right"))
            if index not in self._taken:
                return min(index, len(self._points) - 1)
        raise errors.InvalidArgumentError(f"No point but those sampled was drawn in {_MAX_DRAWS} attempts.")

    def _nearer(self, index: int) -> Any:
        """Return half the squared distances to the nearest row, if row `index` is kept too."""
        halves = self._halves - self._points @ self._points[index] + self._halves[index]
        return np.minimum(self._nearest, halves)

    def keep_one(self, draws: int) -> None:
        """Keep of `draws` rows the one after which the sum of distances is least."""
        if self.kept:
            self._sums = np.cumsum(self._nearest, dtype=F)
        best = None
        for _ in range(draws):
            index = self._draw()
            nearest = self._nearer(index)
            total = nearest.sum(dtype=F)
            if best is None or total < best[0]:
                best = total, index, nearest
        assert best is not None
        _, index, self._nearest = best
        self.kept.append(index)
        self._taken.add(index)


@kernel("KmeansPlusPlusInitialization")
def kmeans_plus_plus_initialization(points: Any, num_to_sample: Any, seed: Any, num_retries_per_sample: Any) -> Any:
    """Return `num_to_sample` rows of `points`, each the best of several draws by the distance to those before."""
    _require(np.ndim(points) == 2, "Input points should be a matrix.")
    _require(not np.ndim(num_to_sample), "Input num_to_sample should be a scalar.")
    _require(not np.ndim(seed), "Input seed should be a scalar.")
    _require(not np.ndim(num_retries_per_sample), "Input num_retries_per_sample should be a scalar.")
    wanted, retries = int(num_to_sample), int(num_retries_per_sample)
    _require(len(points) > 0, "Expected points.rows() > 0.")
    _require(wanted > 0, "Expected num_to_sample > 0.")
    _require(wanted <= len(points), f"Expected num_to_sample <= points.rows(). {wanted} vs {len(points)}.")
    if retries < 0:
        retries = 2 + int(math.log(wanted))
    sampler = _Sampler(points, seed)
    for _ in range(wanted):
        sampler.keep_one(1 + retries)
    return points[sampler.kept]


@kernel("KMC2ChainInitialization")
def kmc2_chain_initialization(distances: Any, seed: Any) -> Any:
    """Return the last state of a chain through all indices, which moves on to `i` if its distance is likely long."""
    _require(np.ndim(distances) == 1, "Input distances should be a vector.")
    _require(not np.ndim(seed), "Input seed should be a scalar.")
    _require(len(distances) > 0, "Expected distances_tensor.size() > 0.")
    draws = distributions.uniform(_stream(seed), len(distances) - 1, np.dtype(F))
    selected = 0
    for i, draw in enumerate(draws, start=1):
        if distances[i] > draw * distances[selected]:
            selected = i
    return np.int64(selected)


@kernel("NearestNeighbors")
def nearest_neighbors(points: Any, centers: Any, k: Any) -> tuple[Any, Any]:
    """Return for each of the `points` the indices of the `k` nearest centers [n, k], and their squared distances."""
    _require(np.ndim(points) == 2, "Input points should be a matrix.")
    _require(np.ndim(centers) == 2, "Input centers should be a matrix.")
    _require(not np.ndim(k), "Input k should be a scalar.")
    _require(len(points) > 0, "Expected points.rows() > 0.")
    sizes = points.shape[1], centers.shape[1]
    _require(sizes[0] == sizes[1], f"Expected point_dimensions == center_dimensions: {sizes[0]} vs {sizes[1]}.")
    count = min(len(centers), int(k))
    check_shape((len(points), count), np.dtype(np.int64))
    indices, distances = np.empty((len(points), count), np.int64), np.empty((len(points), count), F)
    if not count:
        return indices, distances
    halves = _half_norms(centers)
    step = max(1, _BLOCK_ELEMENTS // len(centers))
    for first in range(0, len(points), step):
        block = slice(first, first + step)
        partial = points[block] @ centers.T
        partial -= halves
        values, indices[block] = top_k(partial, count)
        distances[block] = F(2) * (_half_norms(points[block])[:, None] - values)
    return indices, distances


shape("KmeansPlusPlusInitialization", "NearestNeighbors")(unknown)
shape("KMC2ChainInitialization")(scalar)
