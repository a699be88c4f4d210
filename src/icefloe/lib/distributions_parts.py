"""What the distributions share: logits and probabilities, checks, normal and Laplace integrals.

Source: tensorflow/python/ops/distributions/util.py, special_math.py (nodes, names and messages).
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, math_elementwise
from icefloe.lib.array_create import zeros_like
from icefloe.lib.array_select import where_v2
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import no_op, with_dependencies
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.nn_activations import softmax

_INTEGERS = {
    datatypes.float16: datatypes.int16,
    datatypes.float32: datatypes.int32,
    datatypes.float64: datatypes.int64,
}
# How many integers from 0 a float of the dtype tells apart: 2 to its number of digits.
_EXACT = {datatypes.float16: 2**11, datatypes.float32: 2**24, datatypes.float64: 2**53}
# Beyond the first the normal integral is 1 less the other tail; below the second a series is used.
_TAILS = {np.float64: (8.0, -20.0), np.float32: (5.0, -10.0)}


def logits_and_probs(
    logits: Any, probs: Any, name: str, *, vectors: bool = False, validate_args: bool = False
) -> tuple[Tensor, Tensor]:
    """Return both of the pair from the one that is given.

    vectors: the last axis is one of classes. Raises: ValueError if both or none are given; TypeError if it is no float.
    """
    with name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError("Must pass probs or logits, but not both.")
        if probs is None:
            logits = convert_to_tensor(logits, name="logits")
            if not logits.dtype.is_floating:
                raise TypeError("logits must having floating type.")
            if not vectors:
                return logits, math_elementwise.sigmoid(logits, name="probs")
            if validate_args:
                logits = checked_classes(logits)
            return logits, softmax(logits, name="probs")
        probs = convert_to_tensor(probs, name="probs")
        if not probs.dtype.is_floating:
            raise TypeError("probs must having floating type.")
        if validate_args:
            with name_scope("validate_probs"):
                one = constant(1.0, probs.dtype)
                found = [checks.assert_non_negative(probs)]
                if vectors:
                    probs = checked_classes(probs)
                    said = "probs does not sum to 1."
                    found.append(checks.assert_near(reduce_sum(probs, -1), one, message=said))
                else:
                    said = "probs has components greater than 1."
                    found.append(checks.assert_less_equal(probs, one, message=said))
                probs = with_dependencies(found, probs)
        with name_scope("logits"):
            if vectors:
                return apply_op("Log", probs), probs
            return apply_op("Log", probs) - apply_op("Log1p", -1.0 * probs), probs


def checked_classes(parameter: Any) -> Any:
    """Return a parameter with an axis of classes, checked to have at least 2 and no more than its dtype counts."""
    with name_scope("embed_check_categorical_event_shape", values=[parameter]):
        x = convert_to_tensor(parameter, name="categorical_param")
        most = _EXACT.get(x.dtype.base_dtype)
        if most is None:
            raise TypeError(f"Unable to validate size of unrecognized dtype ({x.dtype.base_dtype.name}).")
        if x.shape.ndims == 0:
            raise ValueError("A categorical-distribution parameter must have at least 1 dimension.")
        known = None if x.shape.ndims is None else x.shape.as_list()[-1]
        few = "A categorical-distribution parameter must have at least 2 events."
        if known is not None:
            if known < 2:
                raise ValueError(few)
            if known > most:
                raise ValueError(
                    f"Number of classes exceeds `dtype` precision, i.e., {x.dtype.name} implies shape ({known}) cannot "
                    f"exceed {most}."
                )
            return x
        count = shape_of(x, name="x_shape")[-1]
        none = "A categorical-distribution parameter must have at least 1 dimension."
        many = f"Number of classes exceeds `dtype` precision, i.e., {x.dtype.name} dtype cannot exceed {most} shape."
        found = [
            checks.assert_rank_at_least(x, 1, message=none),
            checks.assert_greater_equal(shape_of(x)[-1], 2, message=few),
            checks.assert_less_equal(count, most, message=many),
        ]
        return with_dependencies(found, x)


def _whole(x: Any, message: str, integer: Any = None) -> Any:
    with name_scope("assert_integer_form", values=[x]):
        if x.dtype.is_integer:
            return no_op()
        kind = integer or _INTEGERS[x.dtype.base_dtype]
        back = cast(cast(x, kind), x.dtype)
        return checks.assert_equal(x, back, message=message, name="assert_integer_form")


def checked_counts(x: Any) -> Any:
    """Return `x`, checked to be whole and not negative."""
    with name_scope("embed_check_nonnegative_integer_form", values=[x]):
        x = convert_to_tensor(x, name="x")
        found = [checks.assert_non_negative(x, message=f"'{x}' must be non-negative.")]
        if not x.dtype.is_integer:
            found.append(_whole(x, f"'{x}' cannot contain fractional components."))
        return with_dependencies(found, x)


def checked_integers(x: Any, target: Any) -> Any:
    """Return `x`, checked to be whole, not negative and within the values of the dtype `target`."""
    with name_scope("embed_check_casting_closed", values=[x]):
        x = convert_to_tensor(x, name="x")
        found = [checks.assert_non_negative(x, message="Elements must be non-negative.")]
        most = 1 if target == datatypes.bool else int(np.iinfo(target.as_numpy_dtype).max)
        if x.dtype.is_floating:
            found.append(_whole(x, f"Elements must be {target.name}-equivalent.", target))
        elif np.iinfo(x.dtype.as_numpy_dtype).max > most:
            found.append(checks.assert_less_equal(x, most, message=f"Elements cannot exceed {most}."))
        return with_dependencies(found, x)


def log_combinations(n: Any, counts: Any) -> Tensor:
    """Return the logarithm of the multinomial coefficient."""
    with name_scope("log_combinations", values=[n, counts]):
        n = convert_to_tensor(n, name="n")
        counts = convert_to_tensor(counts, name="counts")
        total = apply_op("Lgamma", n + 1)
        factorials = apply_op("Lgamma", counts + 1)
        result: Tensor = total - reduce_sum(factorials, axis=[-1])
        return result


def new_seed(seed: Any, salt: str) -> int | None:
    """Return another seed that follows from `seed`."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def normal_cdf(x: Any) -> Tensor:
    """Return the integral of the standard normal density up to `x`. Raises: TypeError for half floats."""
    with name_scope("ndtr", values=[x]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.as_numpy_dtype not in _TAILS:
            raise TypeError(f"x.dtype={x.dtype} is not handled, see docstring for supported types.")
        return _normal_cdf(x)


def _normal_cdf(x: Tensor) -> Any:
    half_root = constant(0.5 * np.sqrt(2.0), dtype=x.dtype, name="half_sqrt_2")
    w = x * half_root
    z = math_elementwise.abs(w)
    # The order in which TensorFlow makes these nodes.
    middle = apply_op("Less", z, half_root)
    of_middle = 1.0 + apply_op("Erf", w)
    right = apply_op("Greater", w, 0.0)
    of_right = 2.0 - apply_op("Erfc", z)
    y = where_v2(middle, of_middle, where_v2(right, of_right, apply_op("Erfc", z)))
    return 0.5 * y


def log_normal_cdf(x: Any) -> Tensor:
    """Return the logarithm of the normal integral, exact also far below 0. Raises: TypeError for half floats."""
    with name_scope("log_ndtr", values=[x]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.as_numpy_dtype not in _TAILS:
            raise TypeError(f"x.dtype={x.dtype} is not supported.")
        upper, lower = _TAILS[x.dtype.as_numpy_dtype]
        high = apply_op("Greater", x, np.array(upper, x.dtype.as_numpy_dtype))
        of_high = -_normal_cdf(-x)
        bound = np.array(lower, x.dtype.as_numpy_dtype)
        middle = apply_op("Greater", x, bound)
        of_middle = apply_op("Log", _normal_cdf(apply_op("Maximum", x, bound)))
        of_low = _log_lower_tail(apply_op("Minimum", x, bound))
        return where_v2(high, of_high, where_v2(middle, of_middle, of_low))


def _log_lower_tail(x: Tensor) -> Any:
    """Return the asymptotic series of three terms."""
    squared = apply_op("Square", x)
    scale = -0.5 * squared - apply_op("Log", -x) - 0.5 * np.log(2.0 * np.pi)
    dtype = x.dtype.as_numpy_dtype
    square = apply_op("Square", x)
    even: Any = zeros_like(x)
    odd: Any = zeros_like(x)
    power: Any = square
    for n, factorial in enumerate((1, 3, 15), 1):
        term = np.array(factorial, dtype) / power
        if n % 2:
            odd = odd + term
        else:
            even = even + term
        power = power * square
    return scale + apply_op("Log", 1.0 + even - odd)


def log_laplace_cdf(x: Any) -> Tensor:
    """Return the logarithm of the integral of the standard Laplace density up to `x`."""
    with name_scope("log_cdf_laplace", values=[x]):
        x = convert_to_tensor(x, name="x")
        lower = -np.log(2.0) + x
        tail = math_elementwise.exp(-math_elementwise.abs(x))
        upper = apply_op("Log1p", -0.5 * tail)
        return where_v2(x < 0.0, lower, upper)


def normal_quantile(p: Any) -> Tensor:
    """Return the quantile function of the standard normal distribution, whose gradient is 0 where it is infinite."""
    below, above = p <= 0.0, p >= 1.0
    infinity = constant(np.inf, dtype=p.dtype)
    within = where_v2(apply_op("LogicalOr", below, above), constant(0.5, dtype=p.dtype), p)
    return where_v2(below, -infinity, where_v2(above, infinity, math_elementwise.ndtri(within)))
