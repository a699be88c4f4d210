"""Learning rates that fall with the step of training."""

from __future__ import annotations

import functools
import math
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_select import where_v2
from icefloe.lib.control_flow_case import case
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add, ceil, divide, equal, floor, multiply, pow, sqrt
from icefloe.lib.nest import flatten
from icefloe.lib.random_draws import random_normal


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return learning_rate * decay_rate ** (global_step / decay_steps), the exponent a whole number if `staircase`."""
    with name_scope(name or "ExponentialDecay") as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        decay_steps = cast(decay_steps, rate.dtype)
        decay_rate = cast(decay_rate, rate.dtype)
        part = cast(global_step, rate.dtype) / decay_steps
        if staircase:
            part = floor(part)
        return multiply(rate, pow(decay_rate, part), name=scope)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return learning_rate * exp(-decay_rate * global_step / decay_steps), the quotient whole if `staircase`."""
    natural_rate = apply_op("Exp", apply_op("Neg", decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, natural_rate, staircase, name)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return learning_rate / (1 + decay_rate * global_step / decay_steps), the quotient whole if `staircase`."""
    with name_scope(name or "InverseTimeDecay") as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        decay_steps = cast(decay_steps, rate.dtype)
        decay_rate = cast(decay_rate, rate.dtype)
        part = cast(global_step, rate.dtype) / decay_steps
        if staircase:
            part = floor(part)
        one = cast(constant(1), rate.dtype)
        return divide(rate, add(one, multiply(decay_rate, part)), name=scope)


def _itself(value: Tensor) -> Tensor:
    return value


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Tensor:
    """Return values[i] where x is above boundaries[i - 1] and not above boundaries[i].

    Raises: ValueError if there is not one value more than boundaries, or dtypes differ.
    """
    boundaries = [convert_to_tensor(bound) for bound in flatten(boundaries)]
    values = [convert_to_tensor(value) for value in flatten(values)]
    step: Any = convert_to_tensor(x)
    for i, bound in enumerate(boundaries):
        dtypes = bound.dtype.base_dtype, step.dtype.base_dtype
        if dtypes[0] != dtypes[1]:
            if dtypes != (datatypes.int32, datatypes.int64):
                raise ValueError(f"Boundaries ({dtypes[0]}) must have the same dtype as x ({dtypes[1]}).")
            boundaries[i] = cast(bound, datatypes.int64)
    for value in values[1:]:
        dtypes = values[0].dtype.base_dtype, value.dtype.base_dtype
        if dtypes[0] != dtypes[1]:
            raise ValueError(f"Values must have elements all with the same dtype ({dtypes[0]} vs {dtypes[1]}).")
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    with name_scope(name or "PiecewiseConstant"):
        step = convert_to_tensor(x)
        pairs: list[Any] = [(step <= boundaries[0], lambda: values[0]), (step > boundaries[-1], lambda: values[-1])]
        for low, high, value in zip(boundaries[:-1], boundaries[1:], values[1:-1]):
            pairs.append(((step > low) & (step <= high), functools.partial(_itself, value)))
        chosen: Tensor = case(pairs, lambda: values[0], exclusive=True)
        return chosen


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return a rate that falls to `end_learning_rate` over `decay_steps` as a power of what is left.

    cycle: whether it begins anew, over a multiple of the steps, once they are over.
    """
    with name_scope(name or "PolynomialDecay") as scope:
        rate: Any = convert_to_tensor(learning_rate, name="initial_learning_rate")
        end_rate = cast(end_learning_rate, rate.dtype)
        power = cast(power, rate.dtype)
        step = cast(global_step, rate.dtype)
        steps = cast(decay_steps, rate.dtype)
        if cycle:
            rounds = where_v2(equal(step, 0), 1.0, ceil(step / decay_steps))
            steps = multiply(steps, rounds)
        else:
            step = apply_op("Minimum", step, steps)
        part: Any = divide(step, steps)
        return add(multiply(rate - end_rate, pow(1 - part, power)), end_rate, name=scope)


def _half_cosine(fraction: Any, factor: Any = None) -> Any:
    """Return half of 1 + cos(pi * fraction), times `factor`."""
    half = 0.5 if factor is None else 0.5 * factor
    return half * (1.0 + apply_op("Cos", constant(math.pi) * fraction))


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None
) -> Tensor:
    """Return a rate that falls to `alpha` times itself over `decay_steps`, along half a cosine."""
    with name_scope(name or "CosineDecay"):
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        steps = cast(decay_steps, rate.dtype)
        step = apply_op("Minimum", cast(global_step, rate.dtype), steps)
        fraction = step / steps
        cosine = _half_cosine(fraction)
        return multiply(rate, (1 - alpha) * cosine + alpha)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Return a rate that falls along half a cosine again and again, each time over `t_mul` times as many steps.

    m_mul: what the rate is multiplied by at each restart.
    """
    with name_scope(name or "SGDRDecay") as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        steps = cast(first_decay_steps, rate.dtype)
        alpha, t_mul, m_mul = (cast(x, rate.dtype) for x in (alpha, t_mul, m_mul))
        completed = cast(global_step, rate.dtype) / steps

        def even() -> tuple[Any, Any]:
            restarts = floor(completed)
            return restarts, completed - restarts

        def geometric() -> tuple[Any, Any]:
            done = apply_op("Log", 1.0 - completed * (1.0 - t_mul))
            restarts: Any = floor(done / apply_op("Log", t_mul))
            before = (1.0 - t_mul**restarts) / (1.0 - t_mul)
            return restarts, (completed - before) / t_mul**restarts

        restarts, fraction = cond(equal(t_mul, 1.0), even, geometric)
        cosine = _half_cosine(fraction, m_mul**restarts)
        return multiply(rate, (1 - alpha) * cosine + alpha, name=scope)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """Return a rate that falls along a line times a cosine of `num_periods`."""
    with name_scope(name or "LinearCosineDecay") as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        steps, periods, alpha, beta = (cast(x, rate.dtype) for x in (decay_steps, num_periods, alpha, beta))
        step = apply_op("Minimum", cast(global_step, rate.dtype), steps)
        linear = (steps - step) / steps
        completed = step / steps
        fraction = 2.0 * periods * completed
        cosine = _half_cosine(fraction)
        return multiply(rate, (alpha + linear) * cosine + beta, name=scope)


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """Return what `linear_cosine_decay` does with noise of a falling variance added to the line."""
    with name_scope(name or "NoisyLinearCosineDecay") as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        given = (decay_steps, initial_variance, variance_decay, num_periods, alpha, beta)
        steps, variance, falling, periods, alpha, beta = (cast(x, rate.dtype) for x in given)
        step: Any = apply_op("Minimum", cast(global_step, rate.dtype), steps)
        linear = (steps - step) / steps
        deviation = sqrt(variance / pow(1.0 + step, falling))
        noisy = linear + random_normal(linear.shape, stddev=deviation)
        completed = step / steps
        fraction = 2.0 * periods * completed
        cosine = _half_cosine(fraction)
        return multiply(rate, (alpha + noisy) * cosine + beta, name=scope)
