"""Gradients of a graph held against differences of its values, as in tf.test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import icefloe as tf


def _reals(values: np.ndarray) -> np.ndarray:
    """Return the elements as a vector of reals, of complex ones twice as many; a view of contiguous `values`."""
    flat = np.ascontiguousarray(values).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _jacobians(
    x: Any,
    x_shape: Sequence[int],
    y: Any,
    y_shape: Sequence[int],
    value: np.ndarray,
    delta: float,
    feeds: Mapping[Any, Any],
) -> tuple[np.ndarray, np.ndarray]:
    """Return dy/dx as tf.gradients computes it and by differences, [size of x, size of y], of the reals they hold."""
    session = tf.get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session: use `with session.as_default():`")
    value = value.reshape(x_shape)
    unit = np.zeros(y_shape, y.dtype.as_numpy_dtype)
    seed = tf.placeholder(y.dtype, y_shape)
    (gradient,) = tf.gradients(y, x, grad_ys=seed)
    rows, columns = _reals(value).size, _reals(unit).size
    theory = np.zeros((rows, columns), _reals(value).dtype)
    numbers = theory.copy()
    if gradient is not None:
        for j in range(columns):
            _reals(unit)[j] = 1
            found = session.run(gradient, {**feeds, x: value, seed: unit.copy()})
            _reals(unit)[j] = 0
            if hasattr(found, "indices"):
                dense = np.zeros(x_shape, value.dtype)
                np.add.at(dense, found.indices, found.values)
                found = dense
            theory[:, j] = _reals(np.asarray(found))
    for i in range(rows):
        ends = []
        for sign in (1, -1):
            moved = value.copy()
            _reals(moved)[i] += sign * delta
            ends.append(_reals(np.asarray(session.run(y, {**feeds, x: moved}))))
        numbers[i] = (ends[0] - ends[1]) / (2 * delta)
    return theory, numbers


def compute_gradient(
    x: Any,
    x_shape: Sequence[int] | Sequence[Sequence[int]],
    y: Any,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Any:
    """Return the Jacobian of `y` by `x` twice, [size of x, size of y]: from tf.gradients, and from differences.

    A complex number counts as two reals. x: a tensor, or a list of them, for which a list of pairs is returned.
    x_init_value: where, default random.
    init_targets: operations to run first. extra_feed_dict: what else to feed. Runs in the default session.

    Raises: ValueError without a default session.
    """
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            target.run()
    is_list = isinstance(x, (list, tuple))
    tensors = list(x) if is_list else [x]
    shapes: list[Any] = list(x_shape) if is_list else [x_shape]
    given = (list(x_init_value) if is_list else [x_init_value]) if x_init_value is not None else [None] * len(tensors)
    values = [
        np.asarray(v if v is not None else np.random.random_sample(tuple(s)), t.dtype.as_numpy_dtype)
        for t, s, v in zip(tensors, shapes, given)
    ]
    feeds = {**(extra_feed_dict or {}), **dict(zip(tensors, values))}
    found = [
        _jacobians(t, s, y, y_shape, v, delta, {k: f for k, f in feeds.items() if k is not t})
        for t, s, v in zip(tensors, shapes, values)
    ]
    return found if is_list else found[0]


def compute_gradient_error(
    x: Any,
    x_shape: Sequence[int] | Sequence[Sequence[int]],
    y: Any,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> float:
    """Return the largest difference between the two Jacobians of `compute_gradient`."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max((float(np.max(np.abs(a - b))) for a, b in pairs if a.size), default=0.0)
