"""Sampling of classes, and losses over sampled classes."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones, ones_like, zeros_like
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import slice, stop_gradient
from icefloe.lib.array_shape import expand_dims, reshape, shape
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import multiply
from icefloe.lib.math_matrix import matmul
from icefloe.lib.nn_embedding import embedding_lookup
from icefloe.lib.nn_losses import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2
from icefloe.lib.random_draws import seed_attrs
from icefloe.lib.variable_partitioned import PartitionedVariable


def _sampler(op: str, options: dict[str, Any]) -> Any:
    classes, seed = options.pop("true_classes"), options.pop("seed")
    return apply_op(op, classes, **options, **seed_attrs(seed))


def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return `(sampled, expected count of true classes, of sampled ones)`, drawn evenly from [0, range_max)."""
    return _sampler("UniformCandidateSampler", dict(locals()))


def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return what `uniform_candidate_sampler` does, small classes being more likely (Zipf)."""
    return _sampler("LogUniformCandidateSampler", dict(locals()))


def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return what `uniform_candidate_sampler` does, classes being as likely as they were seen to be.

    Raises: ValueError if `range_max` exceeds int32.
    """
    if range_max > datatypes.int32.max:
        raise ValueError(f"Value of range_max:{range_max} is too large to handle")
    return _sampler("LearnedUnigramCandidateSampler", dict(locals()))


def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return what `uniform_candidate_sampler` does, with the counts of `unigrams` or of a file, raised to
    `distortion`.
    """
    return _sampler("FixedUnigramCandidateSampler", dict(locals()))


def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: int | None = None, name: str | None = None
) -> Any:
    """Return all classes [0, num_sampled) and their expected counts."""
    return _sampler("AllCandidateSampler", dict(locals()))


def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: int | None = None, name: str | None = None
) -> Any:
    """Return `(indices, ids, weights)` of sampled candidates that are true classes of an example; weights are
    -FLOAT_MAX.
    """
    return apply_op(
        "ComputeAccidentalHits", true_classes, sampled_candidates, num_true=num_true, name=name, **seed_attrs(seed)
    )


def _row_sums(x: Tensor) -> Tensor:
    columns = shape(x)[1]
    ones_shape = stack([columns, 1])
    return reshape(matmul(x, ones(ones_shape, x.dtype)), [-1])


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None,
    seed: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return logits and labels of the true and of the sampled classes."""
    if isinstance(weights, PartitionedVariable):
        weights = list(weights)
    if not isinstance(weights, list):
        weights = [weights]
    with name_scope(name, "compute_sampled_logits", [*weights, biases, inputs, labels]):
        if labels.dtype != datatypes.int64:
            labels = cast(labels, datatypes.int64)
        flat_labels = reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
        sampled, true_count, sampled_count = (stop_gradient(s) for s in sampled_values)
        sampled = cast(sampled, datatypes.int64)
        ids = concat([flat_labels, sampled], 0)
        all_w = embedding_lookup(weights, ids, partition_strategy=partition_strategy)
        if all_w.dtype != inputs.dtype:
            all_w = cast(all_w, inputs.dtype)
        true_w = slice(all_w, [0, 0], stack([shape(flat_labels)[0], -1]))
        sampled_w = slice(all_w, stack([shape(flat_labels)[0], 0]), [-1, -1])
        sampled_logits = matmul(inputs, sampled_w, transpose_b=True)
        all_b = embedding_lookup(biases, ids, partition_strategy=partition_strategy)
        if all_b.dtype != inputs.dtype:
            all_b = cast(all_b, inputs.dtype)
        true_b = slice(all_b, [0], shape(flat_labels))
        sampled_b = slice(all_b, shape(flat_labels), [-1])
        true_logits = _dots(inputs, true_w, num_true)
        true_b = reshape(true_b, [-1, num_true])
        true_logits += true_b
        sampled_logits += sampled_b
        if remove_accidental_hits:
            sampled_logits += _hit_mask(labels, sampled, num_true, num_sampled, sampled_logits.dtype)
        true_logits -= apply_op("Log", true_count)
        sampled_logits -= apply_op("Log", sampled_count)
        logits = concat([true_logits, sampled_logits], 1)
        return logits, concat([ones_like(true_logits) / num_true, zeros_like(sampled_logits)], 1)


def _dots(inputs: Any, true_w: Tensor, num_true: int) -> Tensor:
    width = shape(true_w)[1:2]
    grouped = concat([[-1, num_true], width], 0)
    products = multiply(expand_dims(inputs, 1), reshape(true_w, grouped))
    rows = reshape(products, concat([[-1], width], 0))
    return reshape(_row_sums(rows), [-1, num_true])


def _hit_mask(labels: Tensor, sampled: Tensor, num_true: int, num_sampled: int, dtype: Any) -> Tensor:
    indices, ids, weights = compute_accidental_hits(labels, sampled, num_true=num_true)
    rows = reshape(indices, [-1, 1])
    columns = reshape(cast(ids, datatypes.int32), [-1, 1])
    places = concat([rows, columns], 1, "sparse_indices")
    full = concat([shape(labels)[:1], expand_dims(num_sampled, 0)], 0)
    if dtype != weights.dtype:
        weights = cast(weights, dtype)
    return apply_op("SparseToDense", places, full, weights, 0.0, validate_indices=False)


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = "nce_loss",
) -> Tensor:
    """Return the noise-contrastive estimation loss of each example."""
    logits, targets = _sampled_logits(**locals())
    losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    return _row_sums(losses)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str | None = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """Return the softmax cross entropy of each example over its true and the sampled classes."""
    logits, targets = _sampled_logits(**locals())
    targets = stop_gradient(targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)
