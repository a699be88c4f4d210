"""Distributions of real numbers.

Source: tensorflow/python/ops/distributions/laplace.py, normal.py, student_t.py, uniform.py (nodes, names and messages).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, math_elementwise
from icefloe.lib import distributions_parts as parts
from icefloe.lib.array_create import fill, ones, ones_like, zeros, zeros_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import where_v2
from icefloe.lib.array_shape import broadcast_dynamic_shape, broadcast_static_shape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import identity, with_dependencies
from icefloe.lib.distributions import FULLY_REPARAMETERIZED, RegisterKL, ScalarDistribution
from icefloe.lib.math_special import lbeta
from icefloe.lib.random_draws import random_gamma, random_normal, random_uniform


def log(x: Any) -> Any:
    """Return the logarithm."""
    return apply_op("Log", x)


def digamma(x: Any) -> Any:
    """Return the derivative of `lgamma`."""
    return apply_op("Digamma", x)


def lgamma(x: Any) -> Any:
    """Return the logarithm of the gamma function."""
    return apply_op("Lgamma", x)


class Broadcast(ScalarDistribution):
    """A distribution whose batch is the shape that its parameters `_PARAMETERS` broadcast to."""

    def _given(self) -> list[Any]:
        return [getattr(self, name) for name in self._PARAMETERS]

    def _batch_shape_tensor(self) -> Any:
        *others, last = self._given()
        sizes = [shape_of(t) for t in others]
        result: Any = shape_of(last)
        for size in reversed(sizes):
            result = broadcast_dynamic_shape(size, result)
        return result

    def _batch_shape(self) -> Any:
        first, *others = self._given()
        result = first.shape
        for t in others:
            result = broadcast_static_shape(result, t.shape)
        return result

    def _take(self, found: Sequence[Any], **given: Any) -> None:
        """Keep the parameters as tensors, after the checks `found`. Raises: ValueError if they are not of one float."""
        with control_dependencies(found):
            for key, value in given.items():
                setattr(self, f"_{key}", identity(value, name=key))
            checks.assert_same_float_dtype([getattr(self, f"_{key}") for key in given])

    def _nan(self) -> Any:
        return np.array(np.nan, dtype=self.dtype.as_numpy_dtype)


class Normal(Broadcast):
    """The normal distribution of mean `loc` and standard deviation `scale`."""

    _PARAMETERS = ("loc", "scale")
    _loc: Tensor
    _scale: Tensor

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            self._take([checks.assert_positive(scale)] if validate_args else [], loc=loc, scale=scale)
        super().__init__(
            self._scale.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._loc, self._scale],
            name,
        )

    @property
    def loc(self) -> Tensor:
        """The mean."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation."""
        return self._scale

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        drawn = random_normal(shape=shape, mean=0.0, stddev=1.0, dtype=self._loc.dtype, seed=seed)
        return drawn * self._scale + self._loc

    def _log_prob(self, value: Any) -> Any:
        unnormalized = -0.5 * apply_op("Square", self._z(value))
        return unnormalized - (0.5 * math.log(2.0 * math.pi) + log(self._scale))

    def _log_cdf(self, value: Any) -> Any:
        return parts.log_normal_cdf(self._z(value))

    def _cdf(self, value: Any) -> Any:
        return parts.normal_cdf(self._z(value))

    def _log_survival_function(self, value: Any) -> Any:
        return parts.log_normal_cdf(-self._z(value))

    def _survival_function(self, value: Any) -> Any:
        return parts.normal_cdf(-self._z(value))

    def _entropy(self) -> Any:
        scale = self._scale * ones_like(self._loc)
        return 0.5 * math.log(2.0 * math.pi * math.e) + log(scale)

    def _mean(self) -> Any:
        return self._loc * ones_like(self._scale)

    def _quantile(self, value: Any) -> Any:
        z = parts.normal_quantile(value)
        with name_scope("reconstruct", values=[z]):
            return z * self._scale + self._loc

    def _stddev(self) -> Any:
        return self._scale * ones_like(self._loc)

    def _mode(self) -> Any:
        return self._mean()

    def _z(self, x: Any) -> Any:
        with name_scope("standardize", values=[x]):
            return (x - self._loc) / self._scale


class Laplace(Broadcast):
    """The Laplace distribution of mean `loc`, whose density falls by e in each `scale`."""

    _PARAMETERS = ("loc", "scale")
    _loc: Tensor
    _scale: Tensor

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            self._take([checks.assert_positive(scale)] if validate_args else [], loc=loc, scale=scale)
            super().__init__(
                self._loc.dtype,
                FULLY_REPARAMETERIZED,
                validate_args,
                allow_nan_stats,
                parameters,
                [self._loc, self._scale],
                name,
            )

    @property
    def loc(self) -> Tensor:
        """The mean."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """In how much the density falls by e."""
        return self._scale

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        kind = self.dtype.as_numpy_dtype
        least = np.nextafter(kind(-1.0), kind(0.0))
        drawn = random_uniform(shape=shape, minval=least, maxval=1.0, dtype=self.dtype, seed=seed)
        side = self._scale * math_elementwise.sign(drawn)
        return self._loc - side * apply_op("Log1p", -math_elementwise.abs(drawn))

    def _log_prob(self, value: Any) -> Any:
        unnormalized = -math_elementwise.abs(self._z(value))
        return unnormalized - (math.log(2.0) + log(self._scale))

    def _prob(self, value: Any) -> Any:
        return math_elementwise.exp(self._log_prob(value))

    def _log_cdf(self, value: Any) -> Any:
        return parts.log_laplace_cdf(self._z(value))

    def _log_survival_function(self, value: Any) -> Any:
        return parts.log_laplace_cdf(-self._z(value))

    def _cdf(self, value: Any) -> Any:
        z = self._z(value)
        side = 0.5 * math_elementwise.sign(z)
        return 0.5 + side * (1.0 - math_elementwise.exp(-math_elementwise.abs(z)))

    def _entropy(self) -> Any:
        scale = self._scale + zeros_like(self._loc)
        return math.log(2.0) + 1.0 + log(scale)

    def _mean(self) -> Any:
        return self._loc + zeros_like(self._scale)

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self._scale + zeros_like(self._loc)

    def _mode(self) -> Any:
        return self._mean()

    def _z(self, x: Any) -> Any:
        return (x - self._loc) / self._scale


class Uniform(Broadcast):
    """The uniform distribution from `low` up to, and without, `high`."""

    _PARAMETERS = ("low", "high")
    _low: Tensor
    _high: Tensor

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[low, high]) as name:
            said = "uniform not defined when low >= high."
            found = [checks.assert_less(low, high, message=said)] if validate_args else []
            self._take(found, low=low, high=high)
        super().__init__(
            self._low.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._low, self._high],
            name,
        )

    @property
    def low(self) -> Tensor:
        """The least value."""
        return self._low

    @property
    def high(self) -> Tensor:
        """The bound above all values."""
        return self._high

    def range(self, name: str = "range") -> Tensor:
        """Return how far the bounds are apart."""
        with self._name_scope(name):
            result: Tensor = self._high - self._low
            return result

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        drawn = random_uniform(shape=shape, dtype=self.dtype, seed=seed)
        return self._low + self.range() * drawn

    def _prob(self, value: Any) -> Any:
        x = value * ones(self.batch_shape_tensor(), dtype=value.dtype)
        missing = apply_op("IsNan", x)
        outside = apply_op("LogicalOr", x < self._low, x >= self._high)
        zero = zeros_like(x)
        return where_v2(missing, x, where_v2(outside, zero, ones_like(x) / self.range()))

    def _cdf(self, value: Any) -> Any:
        sizes = broadcast_dynamic_shape(shape_of(value), self.batch_shape_tensor())
        zero = zeros(sizes, dtype=self.dtype)
        one = ones(sizes, dtype=self.dtype)
        x = value * one
        below = where_v2(value < self._low, zero, (x - self._low) / self.range())
        return where_v2(value >= self._high, one, below)

    def _entropy(self) -> Any:
        return log(self.range())

    def _mean(self) -> Any:
        return (self._low + self._high) / 2.0

    def _variance(self) -> Any:
        return apply_op("Square", self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)


class StudentT(Broadcast):
    """Student's distribution of `df` degrees of freedom, moved by `loc` and scaled by `scale`."""

    _PARAMETERS = ("df", "loc", "scale")
    _df: Tensor
    _loc: Tensor
    _scale: Tensor

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[df, loc, scale]) as name:
            found = [checks.assert_positive(df)] if validate_args else []
            self._take(found, df=df, loc=loc, scale=scale)
        super().__init__(
            self._scale.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._df, self._loc, self._scale],
            name,
        )

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df

    @property
    def loc(self) -> Tensor:
        """The middle."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self._scale

    def _batch_of(self, value: Any) -> Any:
        return value(self.batch_shape_tensor(), dtype=self.dtype)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        normal = random_normal(shape, dtype=self.dtype, seed=seed)
        df = self._df * self._batch_of(ones)
        salted = parts.new_seed(seed, "student_t")
        gamma = random_gamma([n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=salted)
        drawn = normal * math_elementwise.rsqrt(gamma / df)
        return drawn * self._scale + self._loc

    def _log_prob(self, value: Any) -> Any:
        y = (value - self._loc) / self._scale
        half = -0.5 * (self._df + 1.0)
        unnormalized = half * apply_op("Log1p", y**2.0 / self._df)
        size = log(math_elementwise.abs(self._scale)) + 0.5 * log(self._df) + 0.5 * np.log(np.pi)
        gammas = size + lgamma(0.5 * self._df)
        return unnormalized - (gammas - lgamma(0.5 * (self._df + 1.0)))

    def _cdf(self, value: Any) -> Any:
        y = (value - self._loc) / math_elementwise.abs(self._scale)
        x = self._df / (y**2.0 + self._df)
        lower = 0.5 * apply_op("Betainc", 0.5 * self._df, constant(0.5, dtype=x.dtype, name="b"), x)
        return where_v2(apply_op("Less", y, 0.0), lower, 1.0 - lower)

    def _entropy(self) -> Any:
        v = self._batch_of(ones)[..., None]
        u = v * self._df[..., None]
        both = concat([u, v], -1) / 2.0
        size = log(math_elementwise.abs(self._scale)) + 0.5 * log(self._df) + lbeta(both)
        half = 0.5 * (self._df + 1.0)
        return size + half * (digamma(0.5 * (self._df + 1.0)) - digamma(0.5 * self._df))

    def _where_defined(self, value: Any, what: str) -> Any:
        """Return a moment where there is more than one degree of freedom, else NaN or a failure."""
        if self.allow_nan_stats:
            enough = apply_op("Greater", self._df, self._batch_of(ones))
            return where_v2(enough, value, fill(self.batch_shape_tensor(), self._nan(), name="nan"))
        said = f"{what} not defined for components of df <= 1"
        one = ones([], dtype=self.dtype)
        return with_dependencies([checks.assert_less(one, self._df, message=said)], value)

    def _mean(self) -> Any:
        return self._where_defined(self._loc * self._batch_of(ones), "mean")

    def _variance(self) -> Any:
        more = apply_op("Greater", self._df, 2.0)
        divisor = where_v2(more, self._df - 2.0, ones_like(self._df))
        variance = self._batch_of(ones) * apply_op("Square", self._scale) * self._df / divisor
        infinite = np.array(np.inf, dtype=self.dtype.as_numpy_dtype)
        finite = self._df > fill(self.batch_shape_tensor(), np.array(2.0, self.dtype.as_numpy_dtype))
        defined = where_v2(finite, variance, fill(self.batch_shape_tensor(), infinite, name="inf"))
        return self._where_defined(defined, "variance")

    def _mode(self) -> Any:
        return identity(self._loc)


@RegisterKL(Normal, Normal)
def _kl_normal(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
        one, two, half = (constant(x, dtype=a.dtype) for x in (1, 2, 0.5))
        square_a, square_b = apply_op("Square", a.scale), apply_op("Square", b.scale)
        ratio = square_a / square_b
        apart = apply_op("SquaredDifference", a.loc, b.loc) / (two * square_b)
        return apart + half * (ratio - one - log(ratio))
