"""The formulas of optimizer updates, elementwise and in place. Registers nothing.

Each function takes arrays of one shape, the variable first, then its slots, then the gradient, and scalars of the same
dtype by keyword: numpy's, which keep results in that dtype. The order of operations is TensorFlow's, because it decides
the last bits.

Source: tensorflow/core/kernels/training_ops.cc.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
Scalar: TypeAlias = Any


def _rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def _shrunk(x: Array, threshold: Any) -> Array:
    """Return `x` moved towards 0 by `threshold`, at most to 0."""
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0)


def gradient_descent(var: Array, delta: Array, *, alpha: Scalar) -> None:
    var -= alpha * delta


def proximal_gradient_descent(var: Array, delta: Array, *, alpha: Scalar, l1: Scalar, l2: Scalar) -> None:
    moved = var - alpha * delta
    if l1 > 0:
        moved = _shrunk(moved, alpha * l1)
    var[...] = moved / (1 + alpha * l2)


def adadelta(
    var: Array, accum: Array, accum_update: Array, grad: Array, *, lr: Scalar, rho: Scalar, epsilon: Scalar
) -> None:
    accum[...] = accum * rho + grad * grad * (1 - rho)
    update = np.sqrt(accum_update + epsilon) * _rsqrt(accum + epsilon) * grad
    var -= update * lr
    accum_update[...] = accum_update * rho + update * update * (1 - rho)


def adagrad(var: Array, accum: Array, grad: Array, *, lr: Scalar, update_slots: bool) -> None:
    if update_slots:
        accum += grad * grad
    var -= grad * lr * _rsqrt(accum)


def adagrad_v2(var: Array, accum: Array, grad: Array, *, lr: Scalar, epsilon: Scalar, update_slots: bool) -> None:
    if update_slots:
        accum += grad * grad
    var -= grad * lr / (np.sqrt(accum) + epsilon)


def proximal_adagrad(var: Array, accum: Array, grad: Array, *, lr: Scalar, l1: Scalar, l2: Scalar) -> None:
    accum += grad * grad
    rate = lr * _rsqrt(accum)
    moved = var - grad * rate
    if l1 > 0:
        moved = _shrunk(moved, rate * l1)
    var[...] = moved / (1 + l2 * rate)


def adagrad_da(
    var: Array,
    accum: Array,
    squared: Array,
    grad: Array,
    *,
    lr: Scalar,
    l1: Scalar,
    l2: Scalar,
    global_step: Any,
) -> None:
    step = accum.dtype.type(global_step)
    accum += grad
    squared += grad * grad
    top = _shrunk(accum, l1 * step) if l1 > 0 else accum
    var[...] = -lr * top / (l2 * step * lr + np.sqrt(squared))


def ftrl(
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    *,
    lr: Scalar,
    l1: Scalar,
    l2: Scalar,
    lr_power: Scalar,
    l2_shrinkage: Scalar = 0,
    multiply_linear_by_lr: bool = False,
) -> None:
    shrunk = grad + 2 * l2_shrinkage * var if l2_shrinkage else grad
    total = accum + grad * grad
    if lr_power == -0.5:
        root, old = np.sqrt(total), np.sqrt(accum)
    else:
        root, old = np.power(total, -lr_power), np.power(accum, -lr_power)
    if multiply_linear_by_lr:
        linear += shrunk * lr - (root - old) * var
        threshold, below = l1 * lr, root + 2 * l2 * lr
    else:
        linear += shrunk - (root - old) / lr * var
        threshold, below = l1, root / lr + 2 * l2
    var[...] = np.where(np.abs(linear) > threshold, (threshold * np.sign(linear) - linear) / below, 0)
    accum[...] = total


def momentum(var: Array, accum: Array, grad: Array, *, lr: Scalar, momentum: Scalar, use_nesterov: bool) -> None:
    accum[...] = accum * momentum + grad
    var -= grad * lr + accum * momentum * lr if use_nesterov else accum * lr


def keras_momentum(var: Array, accum: Array, grad: Array, *, lr: Scalar, momentum: Scalar, use_nesterov: bool) -> None:
    accum[...] = accum * momentum - grad * lr
    var += accum * momentum - grad * lr if use_nesterov else accum


def adam(
    var: Array,
    m: Array,
    v: Array,
    grad: Array,
    *,
    beta1_power: Scalar,
    beta2_power: Scalar,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
    use_nesterov: bool,
) -> None:
    rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
    step = np.subtract(grad, m, out=np.empty_like(m))
    step *= 1 - beta1
    m += step
    np.multiply(grad, grad, out=step)
    step -= v
    step *= 1 - beta2
    v += step
    if use_nesterov:
        step = grad * (1 - beta1) + beta1 * m
        step *= rate
    else:
        np.multiply(m, rate, out=step)
    root = np.sqrt(v)
    root += epsilon
    step /= root
    var -= step


def adam_amsgrad(
    var: Array,
    m: Array,
    v: Array,
    vhat: Array,
    grad: Array,
    *,
    beta1_power: Scalar,
    beta2_power: Scalar,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
) -> None:
    rate = lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)
    m += (grad - m) * (1 - beta1)
    v += (grad * grad - v) * (1 - beta2)
    np.maximum(vhat, v, out=vhat)
    var -= m * rate / (np.sqrt(vhat) + epsilon)


def ada_max(
    var: Array,
    m: Array,
    v: Array,
    grad: Array,
    *,
    beta1_power: Scalar,
    lr: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    epsilon: Scalar,
) -> None:
    m += (grad - m) * (1 - beta1)
    np.maximum(beta2 * v, np.abs(grad), out=v)
    var -= lr / (1 - beta1_power) * (m / (v + epsilon))


def rms_prop(
    var: Array, ms: Array, mom: Array, grad: Array, *, lr: Scalar, rho: Scalar, momentum: Scalar, epsilon: Scalar
) -> None:
    ms += (grad * grad - ms) * (1 - rho)
    mom[...] = mom * momentum + grad * lr * _rsqrt(ms + epsilon)
    var -= mom


def centered_rms_prop(
    var: Array,
    mg: Array,
    ms: Array,
    mom: Array,
    grad: Array,
    *,
    lr: Scalar,
    rho: Scalar,
    momentum: Scalar,
    epsilon: Scalar,
) -> None:
    ms += (grad * grad - ms) * (1 - rho)
    mg += (grad - mg) * (1 - rho)
    mom[...] = mom * momentum + grad * lr * _rsqrt(ms - mg * mg + epsilon)
    var -= mom


def add_sign(var: Array, m: Array, grad: Array, *, lr: Scalar, alpha: Scalar, sign_decay: Scalar, beta: Scalar) -> None:
    m[...] = m * beta + grad * (1 - beta)
    var -= lr * (alpha + sign_decay * np.sign(grad) * np.sign(m)) * grad


def power_sign(
    var: Array, m: Array, grad: Array, *, lr: Scalar, logbase: Scalar, sign_decay: Scalar, beta: Scalar
) -> None:
    m[...] = m * beta + grad * (1 - beta)
    var -= lr * np.exp(logbase * sign_decay * (np.sign(grad) * np.sign(m))) * grad
