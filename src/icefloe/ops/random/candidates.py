"""Candidate samplers: negative classes for losses over many classes, with how often each was to be expected.

Source: tensorflow/core/kernels/candidate_sampler_ops.cc, range_sampler.cc, xla/tsl/lib/random/distribution_sampler.cc.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank
from icefloe.philox.scalars import Scalars
from icefloe.resources import ResourceManager

Kernel = Callable[[Any], tuple[Any, Any, Any]]

_WORDS_RESERVED = 2048  # for each sampled class
_MAX_TRIES = 10_000_000  # ours: TensorFlow goes on for 2**31


class Sampler(Protocol):
    """A distribution over the classes 0 .. limit - 1."""

    limit: int

    def sample(self, random: Scalars) -> int:
        """Return a class."""
        ...

    def probability(self, classes: Any) -> Any:
        """Return the float32 chances of int64 classes."""
        ...

    def update(self, classes: Any) -> None:
        """Learn from the true classes of a run."""
        ...


class _Uniform:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def sample(self, random: Scalars) -> int:
        return random.below_64(self.limit)

    def probability(self, classes: Any) -> Any:
        return np.full(classes.shape, np.float32(1.0 / self.limit))

    def update(self, classes: Any) -> None:
        """Learn nothing."""


class _LogUniform(_Uniform):
    """Class k has the chance log((k + 2) / (k + 1)) / log(limit + 1).

    Right for classes sorted by how common they are.
    """

    def sample(self, random: Scalars) -> int:
        return (int(math.exp(random.double() * math.log1p(self.limit))) - 1) % self.limit

    def probability(self, classes: Any) -> Any:
        return (np.log((classes + 2.0) / (classes + 1.0)) / math.log1p(self.limit)).astype(np.float32)


class _Learned(_Uniform):
    """Chances that grow with how often a class was seen; each starts with the weight 1."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.weights = np.ones(limit, np.int64)
        self._sums: Any = None
        self.lock = threading.Lock()

    def sample(self, random: Scalars) -> int:
        if self._sums is None:
            self._sums = np.cumsum(self.weights)
        return int(np.searchsorted(self._sums, random.below(int(self._sums[-1])), side="right"))

    def probability(self, classes: Any) -> Any:
        return self.weights[classes].astype(np.float32) / np.float32(self.weights.sum())

    def update(self, classes: Any) -> None:
        np.add.at(self.weights, classes.ravel(), 1)
        self._sums = None


class _FixedUnigram(_Uniform):
    """Chances that are given; sampled by Walker's alias method."""

    def __init__(self, limit: int, weights: Any) -> None:
        super().__init__(limit)
        if limit != len(weights):
            raise errors.InvalidArgumentError(f"range is {limit} must be equal to weights size  {len(weights)}")
        self.weights = weights
        total = np.float32(0)
        for weight in weights:
            total += weight
        self.total = total
        self.kept, self.other = _alias_table(weights)

    def sample(self, random: Scalars) -> int:
        r = random.single()
        index = random.below(self.limit)
        return index if r < self.kept[index] else self.other[index]

    def probability(self, classes: Any) -> Any:
        return self.weights[classes] / self.total


def _alias_table(weights: Any) -> tuple[Any, list[int]]:
    """Return (chance of keeping a bucket, the class taken else) for each bucket."""
    size = len(weights)
    total = float(sum(weights.astype(np.float64).tolist()))
    chance = [float(w) / total for w in weights * np.float32(size)]
    other = list(range(size))
    low = [i for i, p in enumerate(chance) if p < 1.0]
    high = [i for i, p in enumerate(chance) if not p < 1.0]
    while high and low:
        less, more = low.pop(), high.pop()
        other[less] = more
        chance[more] -= 1.0 - chance[less]
        (low if chance[more] < 1.0 else high).append(more)
    for i in high + low:  # rounding left them; they stand for themselves
        chance[i] = 1.0
    return np.array(chance, np.float32), other


def _expected(probability: Any, sampled: int, tries: int) -> Any:
    """Return how often a class of this chance was to be expected in a batch that took so many tries."""
    if tries == sampled:
        return probability * np.float32(sampled)
    return -np.expm1(np.float32(tries) * np.log1p(-probability))


def _draw(sampler: Sampler, random: Scalars, count: int, *, unique: bool) -> tuple[list[int], int]:
    if not unique:
        return [sampler.sample(random) for _ in range(count)], count
    found: dict[int, None] = {}
    tries = 0
    while len(found) < count:
        tries += 1
        if tries > _MAX_TRIES:
            raise errors.InvalidArgumentError(f"{count} different classes cannot be sampled")
        found.setdefault(sampler.sample(random))
    return list(found), tries


def _checked(true_classes: Any, num_true: int, limit: int) -> None:
    if true_classes.ndim != 2:
        raise errors.InvalidArgumentError("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        raise errors.InvalidArgumentError(
            f"true_classes must have num_true columns, expected: {true_classes.shape[1]} was: {num_true}"
        )
    outside = (true_classes < 0) | (true_classes >= limit)
    if outside.any():
        raise errors.InvalidArgumentError(
            f"`true_candidate` out of range [0, {limit}), received {true_classes[outside][0]}"
        )


def _kernel(
    sampler: Sampler,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    stream = manager.stream(node, seed, seed2)
    lock = getattr(sampler, "lock", None) or threading.Lock()

    def run(true_classes: Any) -> tuple[Any, Any, Any]:
        if unique and num_sampled > sampler.limit:
            raise errors.InvalidArgumentError("Sampler's range is too small.")
        _checked(true_classes, num_true, sampler.limit)
        random = Scalars(stream.reserve(_WORDS_RESERVED * num_sampled // 4))
        with lock:
            found, tries = _draw(sampler, random, num_sampled, unique=unique)
            sampled = np.array(found, np.int64)
            expected = [_expected(sampler.probability(c), num_sampled, tries) for c in (true_classes, sampled)]
            sampler.update(true_classes)
        return sampled, expected[0], expected[1]

    return run


def _check_range(range_max: int) -> int:
    if range_max <= 0:
        raise errors.InvalidArgumentError("range_max must be positive")
    return range_max


@kernel("UniformCandidateSampler", factory=True)
def uniform_candidate_sampler(
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    """Return (sampled classes, expected counts of the true ones, of the sampled ones); all classes are as likely."""
    at = {"num_true": num_true, "num_sampled": num_sampled, "seed": seed, "seed2": seed2}
    return _kernel(_Uniform(_check_range(range_max)), unique=unique, manager=manager, node=node, **at)


@kernel("LogUniformCandidateSampler", factory=True)
def log_uniform_candidate_sampler(
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    """Return (sampled classes, expected counts of the true ones, of the sampled ones) of Zipf's distribution."""
    at = {"num_true": num_true, "num_sampled": num_sampled, "seed": seed, "seed2": seed2}
    return _kernel(_LogUniform(_check_range(range_max)), unique=unique, manager=manager, node=node, **at)


@kernel("LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler", factory=True)
def learned_unigram_candidate_sampler(
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    """Return (sampled classes, expected counts of the true ones, of the sampled ones), learning from the true ones."""
    if _check_range(range_max) >= 2**31 - 1:
        raise errors.InvalidArgumentError(
            f"range_max must be less than {2**31 - 1} for unigram samplers, got {range_max}"
        )
    sampler = manager.node_state(node, lambda: _Learned(range_max))
    at = {"num_true": num_true, "num_sampled": num_sampled, "seed": seed, "seed2": seed2}
    return _kernel(sampler, unique=unique, manager=manager, node=node, **at)


@kernel("FixedUnigramCandidateSampler", factory=True)
def fixed_unigram_candidate_sampler(
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str,
    distortion: float,
    num_reserved_ids: int,
    num_shards: int,
    shard: int,
    unigrams: Any,
    seed: int,
    seed2: int,
    manager: ResourceManager,
    node: str,
) -> Kernel:
    """Return (sampled classes, expected counts of the true ones, of the sampled ones) of given chances."""
    if not vocab_file and not unigrams:
        raise errors.InvalidArgumentError("Must provide either vocab_file or unigrams.")
    if vocab_file and unigrams:
        raise errors.InvalidArgumentError("Must only provide one of vocab_file and unigrams.")
    given = _read_weights(vocab_file, manager) if vocab_file else list(unigrams)
    weights = [0.0 for i in range(num_reserved_ids) if i % num_shards == shard]
    for i, weight in enumerate(given, len(weights)):
        if i % num_shards == shard:
            weights.append(float(np.power(np.float32(weight), np.float32(distortion))))
    sampler = _FixedUnigram(range_max, np.array(weights, np.float32))
    at = {"num_true": num_true, "num_sampled": num_sampled, "seed": seed, "seed2": seed2}
    return _kernel(sampler, unique=unique, manager=manager, node=node, **at)


def _read_weights(path: str, manager: ResourceManager) -> list[float]:
    """Return the last column of a file of comma-separated values."""
    manager.check_file(path, "read")
    weights = []
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                try:
                    weights.append(float(line.rstrip("\n").rsplit(",", 1)[-1]))
                except ValueError:
                    raise errors.InvalidArgumentError(f"Wrong vocabulary format at line: {line.rstrip()}") from None
    except OSError as error:
        raise errors.NotFoundError(f"{path}; {error.strerror}", path=path) from error
    return weights


@kernel("AllCandidateSampler")
def all_candidate_sampler(true_classes: Any, *, num_true: int, num_sampled: int) -> tuple[Any, Any, Any]:
    """Return all classes, each expected once."""
    _checked(true_classes, num_true, num_sampled)
    ones = np.ones(num_sampled, np.float32)
    return np.arange(num_sampled, dtype=np.int64), np.ones(true_classes.shape, np.float32), ones


@kernel("ComputeAccidentalHits")
def compute_accidental_hits(true_classes: Any, sampled: Any, *, num_true: int) -> tuple[Any, Any, Any]:
    """Return (rows, positions in `sampled`, weights) of true classes that were sampled.

    The weight is the least float.
    """
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise errors.InvalidArgumentError(
            f"true_candidates must be a batch_size * num_true matrix, got shape {shape_text(true_classes.shape)}"
        )
    if sampled.ndim != 1:
        raise errors.InvalidArgumentError(
            "sampled_candidates must be a vector, which is typically an output from CandidateSampler"
        )
    place = {value: i for i, value in enumerate(sampled.tolist())}
    hits = [(i, place[v]) for i, row in enumerate(true_classes.tolist()) for v in row if v in place]
    weights = np.full(len(hits), -np.finfo(np.float32).max, np.float32)
    return np.array([h[0] for h in hits], np.int32), np.array([h[1] for h in hits], np.int64), weights


@shape(
    "UniformCandidateSampler",
    "LogUniformCandidateSampler",
    "LearnedUnigramCandidateSampler",
    "ThreadUnsafeUnigramCandidateSampler",
    "FixedUnigramCandidateSampler",
    "AllCandidateSampler",
)
def candidate_sampler_shape(c: ShapeContext) -> list[Any]:
    """A vector of samples, a count for each true class, a count for each sample."""
    batch = with_rank(c.shape(0), 2)[0]
    sampled = (c.attr("num_sampled"),)
    return [sampled, (batch, c.attr("num_true")), sampled]


@shape("ComputeAccidentalHits")
def compute_accidental_hits_shape(c: ShapeContext) -> list[Any]:
    """Three vectors of unknown, equal length."""
    with_rank(c.shape(0), 2)
    with_rank(c.shape(1), 1)
    return [(None,)] * 3
