"""The loss of connectionist temporal classification, and its gradient. Registers nothing.

The probability of a label sequence is the sum over all paths through its labels with blanks between, before and after
them: forwards (alpha) for each time and place the paths that lead there, backwards (beta) those that lead on. All
examples of a batch go through time together; places past the end of a shorter sequence are never reached.

Source: tensorflow/core/util/ctc/ctc_loss_calculator.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def places(labels: list[Any], blank: int) -> tuple[Any, Any]:
    """Return the labels of each example with blanks around them [batch, most], and how many of these it has."""
    counts = np.array([2 * len(sequence) + 1 for sequence in labels])
    out = np.full((len(labels), counts.max()), blank)
    for row, sequence in zip(out, labels, strict=True):
        row[1 : 2 * len(sequence) : 2] = sequence
    return out, counts


def _moves(classes: Any, blank: int, merge_repeated: bool) -> tuple[Any, Any]:
    """Return as logarithms of 1 and 0 whether a path may stay at a place, and skip to it from two places before."""
    is_label = classes != blank
    stay = ~is_label | merge_repeated
    skip = is_label.copy()
    skip[:, :2] = False
    if merge_repeated:
        skip[:, 2:] &= classes[:, 2:] != classes[:, :-2]
    with np.errstate(divide="ignore"):
        return np.log(stay.astype(np.float64)), np.log(skip.astype(np.float64))


def _back(x: Any, distance: int) -> Any:
    """Return `x` moved by `distance` places to higher indices of the last axis; nothing leads into the first ones."""
    out = np.full_like(x, -np.inf)
    out[:, distance:] = x[:, :-distance]
    return out


def _ahead(x: Any, distance: int) -> Any:
    out = np.full_like(x, -np.inf)
    out[:, :-distance] = x[:, distance:]
    return out


def _forwards(steps: Any, stay: Any, skip: Any) -> Any:
    """Return for each time, example and place the probability of the paths there. steps: [times, n, places]."""
    alpha = np.full_like(steps, -np.inf)
    alpha[0, :, :2] = steps[0, :, :2]
    for t in range(1, len(steps)):
        last = alpha[t - 1]
        reached = np.logaddexp(last + stay, _back(last, 1))
        if skip.shape[1] > 2:
            reached = np.logaddexp(reached, _back(last, 2) + skip)
        alpha[t] = steps[t] + reached
    return alpha


def _backwards(steps: Any, stay: Any, skip: Any, lengths: Any, counts: Any) -> Any:
    """Return for each time, example and place the probability of the paths that lead on from there to the end."""
    rows, most = np.arange(len(counts)), steps.shape[2]
    end = np.full(steps.shape[1:], -np.inf)
    end[rows, counts - 1] = 0
    end[rows, np.maximum(counts - 2, 0)] = 0
    beta = np.full_like(steps, -np.inf)
    for t in reversed(range(len(steps))):
        if t + 1 < len(steps):
            following = beta[t + 1] + steps[t + 1]
            onward = np.logaddexp(following + stay, _ahead(following, 1))
            if most > 2:
                onward = np.logaddexp(onward, _ahead(following + skip, 2))
            beta[t] = onward
        ends = lengths == t + 1
        beta[t, ends] = end[ends]
    return beta


def loss_and_gradient(x: Any, labels: list[Any], lengths: Any, *, merge_repeated: bool) -> tuple[Any, Any]:
    """Return the loss of each example [n], and the gradient of the sum of these [times, n, classes].

    x: floats [times, n, classes], scores before a softmax, the last class blank. labels: n sequences of other classes.
    lengths: [n], from 1 to times. merge_repeated: whether a class at several times in turn is one label.
    An example whose labels no path can give has the loss infinity, and as gradient its probabilities.
    """
    blank = x.shape[2] - 1
    classes, counts = places(labels, blank)
    y = np.exp(x - x.max(axis=2, keepdims=True))
    y /= y.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        log_y = np.log(y.astype(np.float64))
    steps = np.take_along_axis(log_y, np.broadcast_to(classes, (len(x), *classes.shape)), axis=2)
    stay, skip = _moves(classes, blank, merge_repeated)
    alpha = _forwards(steps, stay, skip)
    passing = alpha + _backwards(steps, stay, skip, lengths, counts)
    log_p = np.logaddexp.reduce(passing[0], axis=1)
    gradient = np.where(np.arange(len(x))[:, None] < lengths, 1, 0)[..., None] * y
    for i in np.flatnonzero(log_p > -np.inf):
        share = np.exp(passing[: lengths[i], i] - log_p[i])
        at = classes[i, None, :] == np.arange(blank + 1)[:, None]
        gradient[: lengths[i], i] -= share @ at.T.astype(np.float64)
    return (-log_p).astype(x.dtype), gradient.astype(x.dtype, copy=False)
