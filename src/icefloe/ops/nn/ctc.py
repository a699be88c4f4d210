"""Connectionist temporal classification: CTCLoss and the decoders.

Inputs are scores [times, batch, classes]; the blank is the last class, for CTCLossV2 the first one.
Source: tensorflow/core/kernels/ctc_loss_op.cc, ctc_decoder_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, merge, shape_text, with_rank
from icefloe.ops.nn.ctc_beam import BeamSearch
from icefloe.ops.nn.ctc_loss import loss_and_gradient
from icefloe.ops.sparse.components import check_bounds, starts_of_groups


def _check_loss_inputs(x: Any, indices: Any, values: Any, lengths: Any) -> None:
    def require(condition: bool, text: str) -> None:
        if not condition:
            raise errors.InvalidArgumentError(text)

    require(x.ndim == 3, "inputs is not a 3-Tensor")
    require(np.ndim(lengths) == 1, "sequence_length is not a vector")
    require(np.ndim(indices) == 2, "labels_indices is not a matrix")
    width = indices.shape[1]
    require(width > 1, f"labels_indices second dimension must be >= 1. Received {width}")
    require(np.ndim(values) == 1, "labels_values is not a vector")
    times, batch, _ = x.shape
    require(times != 0, "Max time or first dimension of input cannot be 0.")
    require(
        batch == len(lengths),
        f"len(sequence_length) != batch_size.  len(sequence_length):  {len(lengths)} batch_size: {batch}",
    )
    require(
        len(indices) == len(values),
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: "
        f"{shape_text(indices.shape)} vs. {shape_text(values.shape)}",
    )
    require(batch != 0, "batch_size must not be 0")
    require(x.shape[2] != 0, "num_classes must not be 0")


def _check_indices(indices: Any, batch: int) -> None:
    """Raise InvalidArgumentError unless the rows of `indices` ascend within a matrix of `batch` rows."""
    bounds = (batch, max(int(indices[:, 1].max(initial=-1)) + 1, 0))
    if indices.shape[1] != 2:
        raise errors.InvalidArgumentError(f"Index rank ({indices.shape[1]}) and shape rank (2) do not match")
    try:
        check_bounds(indices, bounds)
    except errors.InvalidArgumentError as error:
        raise errors.InvalidArgumentError(f"label SparseTensor is not valid: {error.message}") from None
    step = np.diff(indices, axis=0)
    first = np.where(step[:, 0] != 0, step[:, 0], step[:, 1])
    wrong = np.flatnonzero(first <= 0)
    if wrong.size:
        at = int(wrong[0]) + 1
        what = "is out of order. Many sparse ops require sorted indices." if first[at - 1] else "is repeated"
        raise errors.InvalidArgumentError(
            f"label SparseTensor is not valid: indices[{at}] = {shape_text(indices[at].tolist())} {what}"
        )


def _by_example(indices: Any, values: Any, batch: int) -> list[Any]:
    """Return the labels of each of `batch` examples."""
    labels: list[Any] = [values[:0]] * batch
    starts = starts_of_groups(indices[:, :1])
    for rows in np.split(np.arange(len(values)), starts[1:]):
        if len(rows):
            labels[indices[rows[0], 0]] = values[rows]
    return labels


def _joined(values: Any) -> str:
    return ",".join(map(str, values.tolist()))


def _targets(example: int, label: Any, classes: int, collapse: bool) -> Any:
    """Return the labels up to the first one that is no class but blank, with `collapse` runs of one label as one."""
    if not len(label):
        raise errors.InvalidArgumentError(f"Labels length is zero in batch {example}")
    kept = label
    if collapse:
        kept = label[np.concatenate([[True], label[1:] != label[:-1]])]
    is_blank = kept >= classes - 1
    end = int(np.argmax(is_blank)) if is_blank.any() else len(kept)
    target = kept[:end]
    if not is_blank[end:].all():
        raise errors.InvalidArgumentError(
            "Saw a non-null label (index >= num_classes - 1) following a null label, "
            f"batch: {example} num_classes: {classes} labels: {_joined(label)} labels seen so far: {_joined(target)}"
        )
    if (target < 0).any():
        raise errors.InvalidArgumentError(
            f"All labels must be nonnegative integers, batch: {example} labels: {_joined(target)}"
        )
    return target


def _check_lengths(lengths: Any, times: int) -> None:
    if (lengths > times).any():
        raise errors.InvalidArgumentError(f"sequence_length({int(np.argmax(lengths > times))}) <= {times}")
    if (lengths < 0).any():
        raise errors.InvalidArgumentError(f"seq_len({int(np.argmax(lengths < 0))}) < 0")


@kernel("CTCLoss")
def ctc_loss(
    x: Any,
    indices: Any,
    values: Any,
    lengths: Any,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> tuple[Any, Any]:
    """Return the negative logarithm of the probability of each example's labels, and the gradient of the scores.

    indices, values: the labels as a sparse matrix [batch, most]; `indices` ascend. lengths: how many times count.
    """
    _check_loss_inputs(x, indices, values, lengths)
    times, batch, classes = x.shape
    _check_indices(indices, batch)
    _check_lengths(lengths, times)
    labels = _by_example(indices, values, batch)
    targets = []
    for i, label in enumerate(labels):
        targets.append(_targets(i, label, classes, preprocess_collapse_repeated))
        if not ignore_longer_outputs_than_inputs and len(label) > lengths[i]:
            raise errors.InvalidArgumentError(
                f"Not enough time for target transition sequence (required: {len(label)}, available: {lengths[i]}){i}"
                "You can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs"
            )
    loss, gradient = np.zeros(batch, x.dtype), np.zeros_like(x)
    rows = np.flatnonzero((lengths > 0) & (lengths >= [len(label) for label in labels]))
    if rows.size:
        loss[rows], gradient[:, rows] = loss_and_gradient(
            x[:, rows], [targets[i] for i in rows], lengths[rows], merge_repeated=ctc_merge_repeated
        )
    return loss, gradient


@kernel("CTCLossV2")
def ctc_loss_v2(
    x: Any,
    indices: Any,
    values: Any,
    lengths: Any,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> tuple[Any, Any]:
    """Return what CTCLoss does where the blank is class 0."""
    loss, gradient = ctc_loss(
        np.roll(x, -1, axis=2) if x.ndim == 3 else x,
        indices,
        values - 1,
        lengths,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return loss, np.roll(gradient, 1, axis=2)


def _check_decoder_inputs(x: Any, lengths: Any) -> None:
    if x.ndim != 3:
        raise errors.InvalidArgumentError("inputs is not a 3-Tensor")
    if not x.size:
        raise errors.InvalidArgumentError("inputs must not be empty")
    if np.ndim(lengths) != 1:
        raise errors.InvalidArgumentError("sequence_length is not a vector")
    times, batch, _ = x.shape
    if batch != len(lengths):
        raise errors.FailedPreconditionError(
            f"len(sequence_length) != batch_size.  len(sequence_length):  {len(lengths)} batch_size: {batch}"
        )
    if (lengths > times).any():
        raise errors.FailedPreconditionError(f"sequence_length({int(np.argmax(lengths > times))}) <= {times}")


def _sparse(sequences: list[Any]) -> tuple[Any, Any, Any]:
    """Return label sequences as the indices, values and shape of a sparse matrix, all int64."""
    counts = np.array([len(sequence) for sequence in sequences], np.int64)
    rows = np.repeat(np.arange(len(sequences)), counts)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    values = np.concatenate([np.asarray(sequence, np.int64) for sequence in sequences])
    return np.stack([rows, columns], axis=1), values, np.array([len(sequences), counts.max()], np.int64)


@kernel("CTCGreedyDecoder")
def ctc_greedy_decoder(x: Any, lengths: Any, *, merge_repeated: bool, blank_index: int) -> tuple[Any, Any, Any, Any]:
    """Return the likeliest class at each time as labels, without blanks, and the negative sum of their scores."""
    _check_decoder_inputs(x, lengths)
    times, batch, classes = x.shape
    blank = blank_index + classes if blank_index < 0 else blank_index
    if not 0 <= blank < classes:
        raise errors.InvalidArgumentError(
            f"blank_index expected to be between {-classes} and {classes - 1} but was {blank_index}"
        )
    in_time = np.arange(times)[:, None] < lengths
    best = x.argmax(axis=2)
    kept = in_time & (best != blank)
    if merge_repeated:
        kept[1:] &= best[1:] != best[:-1]
    score = np.where(in_time, x.max(axis=2), x.dtype.type(0)).sum(axis=0)
    return (*_sparse([best[kept[:, i], i] for i in range(batch)]), (0 - score)[:, None])


@kernel("CTCBeamSearchDecoder")
def ctc_beam_search_decoder(
    x: Any, lengths: Any, *, beam_width: int, top_paths: int, merge_repeated: bool
) -> tuple[Any, ...]:
    """Return the likeliest label sequences: the indices of each, the values of each, the shapes; then the scores."""
    _check_decoder_inputs(x, lengths)
    batch = x.shape[1]
    paths: list[list[Any]] = [[] for _ in range(top_paths)]
    scores = np.empty((batch, top_paths), x.dtype)
    for i in range(batch):
        search = BeamSearch(beam_width)
        for t in range(int(lengths[i])):
            search.step(x[t, i])
        if top_paths > beam_width:
            raise errors.InvalidArgumentError("requested more paths than the beam width.")
        best = search.best()[:top_paths]
        if len(best) < top_paths:
            raise errors.InvalidArgumentError("Less leaves in the beam search than requested.")
        for path, entry in zip(paths, best, strict=True):
            path.append(entry.labels(merge_repeated))
        scores[i] = [entry.total for entry in best]
    parts = [_sparse(path) for path in paths]
    return (*(p[0] for p in parts), *(p[1] for p in parts), *(p[2] for p in parts), scores)


def _batch(c: ShapeContext, lengths: int) -> tuple[tuple[int | None, ...], int | None]:
    """Return the shape of the scores and the batch size. lengths: which input has one length per example."""
    x = with_rank(c.shape(0), 3)
    batch = merge(x[1:2], with_rank(c.shape(lengths), 1))
    assert batch is not None
    return (x[0], batch[0], x[2]), batch[0]


@shape("CTCLoss", "CTCLossV2")
def ctc_loss_shape(c: ShapeContext) -> list[Dims]:
    """One loss per example, and the shape of the scores."""
    merge(with_rank(c.shape(1), 2)[:1], with_rank(c.shape(2), 1))
    x, batch = _batch(c, 3)
    return [(batch,), x]


@shape("CTCGreedyDecoder")
def ctc_greedy_decoder_shape(c: ShapeContext) -> list[Dims]:
    """A sparse matrix with a number of elements that only the run knows, and a score per example."""
    _, batch = _batch(c, 1)
    return [(None, 2), (None,), (2,), (batch, 1)]


@shape("CTCBeamSearchDecoder")
def ctc_beam_search_decoder_shape(c: ShapeContext) -> list[Dims]:
    """As many sparse matrices as paths, and a score per example and path."""
    _, batch = _batch(c, 1)
    paths = c.attr("top_paths")
    return [*[(None, 2)] * paths, *[(None,)] * paths, *[(2,)] * paths, (batch, paths)]
