"""Numeric checks of gradients as TensorFlow 2 spells them, on graphs and a default session.

Source: tensorflow/python/ops/gradient_checker_v2.py (signature, step, layout of the Jacobians).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import icefloe as tf
from icefloe.graph.indexed_slices import IndexedSlicesValue

Jacobians = tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]


def to_numpy(value: Any) -> Any:
    """Return a fetched gradient as an array, IndexedSlices as the array that they are rows of."""
    if not isinstance(value, IndexedSlicesValue):
        return value
    dense = np.zeros(value.dense_shape, value.values.dtype)
    np.add.at(dense, value.indices, value.values)
    return dense


def _reals(array: np.ndarray) -> np.ndarray:
    """Return the elements as a vector of reals, a complex one as two."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def compute_gradient(f: Callable[..., Any], x: Sequence[Any], delta: float | None = None) -> Jacobians:
    """Return the Jacobians of `f` for each argument, by its gradients and by differences.

    Each has a row for each element of the result and a column for each element of the argument.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"`x` must be a list or tuple of values convertible to a Tensor, not a {type(x)}")  # noqa: TRY004
    step = 1.0 / 1024 if delta is None else delta
    session = tf.get_default_session()
    tensors = [tf.convert_to_tensor(value) for value in x]
    values = [np.array(session.run(tensor)) for tensor in tensors]
    places = [tf.placeholder(tensor.dtype, shape=tensor.shape) for tensor in tensors]
    y = tf.convert_to_tensor(f(*places))
    result = np.asarray(session.run(y, dict(zip(places, values, strict=True))))
    incoming = tf.placeholder(y.dtype, shape=result.shape)
    gradients = tf.gradients(y, places, grad_ys=incoming)
    by_rule, by_step = [], []
    for number, (place, gradient) in enumerate(zip(places, gradients, strict=True)):
        feeds = dict(zip(places, values, strict=True))
        by_rule.append(_by_rule(session, gradient, incoming, result, feeds, values[number]))
        by_step.append(_by_step(session, y, result, place, feeds, values[number], step))
    return tuple(by_rule), tuple(by_step)


def _by_rule(session: Any, gradient: Any, incoming: Any, result: Any, feeds: Any, value: Any) -> np.ndarray:
    seed = np.zeros(result.shape, result.dtype)
    rows = np.zeros((_reals(seed).size, _reals(value).size), _reals(value).dtype)
    for row in range(len(rows)):
        _reals(seed)[row] = 1
        if gradient is not None:
            found = to_numpy(session.run(gradient, {**feeds, incoming: seed.copy()}))
            rows[row] = _reals(np.asarray(found)).astype(rows.dtype)
        _reals(seed)[row] = 0
    if not len(rows) and gradient is not None:
        found = to_numpy(session.run(gradient, {**feeds, incoming: seed}))
        if found.shape != value.shape:
            raise ValueError(f"Empty gradient has wrong shape: expected {value.shape}, got {found.shape}")
        if np.any(found):
            raise ValueError("Empty tensor with nonzero gradients")
    return rows


def _by_step(session: Any, y: Any, result: Any, place: Any, feeds: Any, value: Any, step: float) -> np.ndarray:
    columns = np.zeros((_reals(result).size, _reals(value).size), _reals(value).dtype)
    for column in range(columns.shape[1]):
        found = []
        for direction in (step, -step):
            moved = value.copy()
            _reals(moved)[column] += direction
            found.append(_reals(np.asarray(session.run(y, {**feeds, place: moved}))))
        columns[:, column] = (found[0] - found[1]) / np.asarray(2 * step, found[0].dtype)
    return columns


def max_error(by_rule: Sequence[np.ndarray], by_step: Sequence[np.ndarray]) -> float:
    """Return the greatest difference between two lists of Jacobians."""
    return max([float(np.abs(a - b).max()) for a, b in zip(by_rule, by_step, strict=True) if a.size], default=0.0)


class AbstractGradientTape:
    """A tape, or with `use_tape` False what answers as one by `gradients`."""

    def __init__(self, use_tape: bool, persistent: bool = False) -> None:
        self._made: Any = tf.GradientTape(persistent=persistent) if use_tape else _without_tape()

    def __enter__(self) -> Any:
        return self._made.__enter__()

    def __exit__(self, *exc_info: Any) -> None:
        self._made.__exit__(*exc_info)


class _Gradients:
    def watch(self, x: Any) -> None:
        """Do nothing: `gradients` needs no notice."""

    def gradient(self, y: Any, x: Any, grad_ys: Any = None) -> Any:
        found = tf.gradients(y, x, grad_ys)
        return found if isinstance(x, (list, tuple)) else found[0]


@contextlib.contextmanager
def _without_tape() -> Iterator[_Gradients]:
    yield _Gradients()
