"""Distributions of real numbers.

Source: tensorflow/python/ops/distributions/beta.py, exponential.py, gamma.py, laplace.py, normal.py, student_t.py,
uniform.py (nodes, names and messages).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
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


def _log(x: Any) -> Any:
    return apply_op("Log", x)


def _digamma(x: Any) -> Any:
    return apply_op("Digamma", x)


def _lgamma(x: Any) -> Any:
    return apply_op("Lgamma", x)


class _Broadcast(ScalarDistribution):
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


class Normal(_Broadcast):
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
        return unnormalized - (0.5 * math.log(2.0 * math.pi) + _log(self._scale))

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
        return 0.5 * math.log(2.0 * math.pi * math.e) + _log(scale)

    def _mean(self) -> Any:
        return self._loc * ones_like(self._scale)

    def _quantile(self, value: Any) -> Any:
        z = math_elementwise.ndtri(value)
        with name_scope("reconstruct", values=[z]):
            return z * self._scale + self._loc

    def _stddev(self) -> Any:
        return self._scale * ones_like(self._loc)

    def _mode(self) -> Any:
        return self._mean()

    def _z(self, x: Any) -> Any:
        with name_scope("standardize", values=[x]):
            return (x - self._loc) / self._scale


class Laplace(_Broadcast):
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
        return unnormalized - (math.log(2.0) + _log(self._scale))

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
        return math.log(2.0) + 1.0 + _log(scale)

    def _mean(self) -> Any:
        return self._loc + zeros_like(self._scale)

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self._scale + zeros_like(self._loc)

    def _mode(self) -> Any:
        return self._mean()

    def _z(self, x: Any) -> Any:
        return (x - self._loc) / self._scale


class Uniform(_Broadcast):
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
        return _log(self.range())

    def _mean(self) -> Any:
        return (self._low + self._high) / 2.0

    def _variance(self) -> Any:
        return apply_op("Square", self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)


class Gamma(_Broadcast):
    """The gamma distribution of shape `concentration` and inverse scale `rate`."""

    _PARAMETERS: tuple[str, ...] = ("concentration", "rate")
    _concentration: Tensor
    _rate: Tensor

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as name:
            given = (concentration, rate)
            found = [checks.assert_positive(t) for t in given] if validate_args else []
            self._take(found, concentration=concentration, rate=rate)
        super().__init__(
            self._concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._concentration, self._rate],
            name,
        )

    @property
    def concentration(self) -> Tensor:
        """The shape."""
        return self._concentration

    @property
    def rate(self) -> Tensor:
        """The inverse scale."""
        return self._rate

    def _given(self) -> list[Any]:
        return [self._concentration, self._rate]

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return random_gamma(shape=[n], alpha=self._concentration, beta=self._rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Any) -> Any:
        value = self._checked(value)
        unnormalized = apply_op("Xlogy", self._concentration - 1.0, value) - self._rate * value
        return unnormalized - (_lgamma(self._concentration) - self._concentration * _log(self._rate))

    def _cdf(self, value: Any) -> Any:
        value = self._checked(value)
        return apply_op("Igamma", self._concentration, self._rate * value)

    def _entropy(self) -> Any:
        a = self._concentration
        start = a - _log(self._rate) + _lgamma(a)
        return start + (1.0 - a) * _digamma(a)

    def _mean(self) -> Any:
        return self._concentration / self._rate

    def _variance(self) -> Any:
        return self._concentration / apply_op("Square", self._rate)

    def _stddev(self) -> Any:
        return math_elementwise.sqrt(self._concentration) / self._rate

    def _mode(self) -> Any:
        mode = (self._concentration - 1.0) / self._rate
        if self.allow_nan_stats:
            nan = fill(self.batch_shape_tensor(), self._nan(), name="nan")
            return where_v2(self._concentration > 1.0, mode, nan)
        said = "mode not defined when any concentration <= 1"
        one = ones([], self.dtype)
        return with_dependencies([checks.assert_less(one, self._concentration, message=said)], mode)

    def _checked(self, x: Any) -> Any:
        checks.assert_same_float_dtype(tensors=[x], dtype=self.dtype)
        return with_dependencies([checks.assert_positive(x)], x) if self.validate_args else x


class Exponential(Gamma):
    """The exponential distribution of inverse scale `rate`."""

    _PARAMETERS = ("rate",)

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as name:
            rate = convert_to_tensor(rate, name="rate")
        one = ones([], dtype=rate.dtype)
        super().__init__(one, rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters
        self._graph_parents.append(self._rate)

    def _log_survival_function(self, value: Any) -> Any:
        return self._log_prob(value) - _log(self._rate)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        shape = concat([[n], shape_of(self._rate)], 0)
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn = random_uniform(shape, minval=least, maxval=1.0, seed=seed, dtype=self.dtype)
        return -_log(drawn) / self._rate


class StudentT(_Broadcast):
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
        size = _log(math_elementwise.abs(self._scale)) + 0.5 * _log(self._df) + 0.5 * np.log(np.pi)
        gammas = size + _lgamma(0.5 * self._df)
        return unnormalized - (gammas - _lgamma(0.5 * (self._df + 1.0)))

    def _cdf(self, value: Any) -> Any:
        y = (value - self._loc) / math_elementwise.abs(self._scale)
        x = self._df / (y**2.0 + self._df)
        lower = 0.5 * apply_op("Betainc", 0.5 * self._df, constant(0.5, dtype=x.dtype, name="b"), x)
        return where_v2(apply_op("Less", y, 0.0), lower, 1.0 - lower)

    def _entropy(self) -> Any:
        v = self._batch_of(ones)[..., None]
        u = v * self._df[..., None]
        both = concat([u, v], -1) / 2.0
        size = _log(math_elementwise.abs(self._scale)) + 0.5 * _log(self._df) + lbeta(both)
        half = 0.5 * (self._df + 1.0)
        return size + half * (_digamma(0.5 * (self._df + 1.0)) - _digamma(0.5 * self._df))

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


class Beta(ScalarDistribution):
    """The beta distribution: density x^(concentration1 - 1) (1 - x)^(concentration0 - 1), up to a factor."""

    _PARAMETERS = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        parameters = dict(locals())

        def checked(value: Any, name: str) -> Any:
            tensor = convert_to_tensor(value, name=name)
            if not validate_args:
                return tensor
            said = "Concentration parameter must be positive."
            return with_dependencies([checks.assert_positive(tensor, message=said)], tensor)

        with name_scope(name, values=[concentration1, concentration0]) as name:
            self._concentration1 = checked(concentration1, "concentration1")
            self._concentration0 = checked(concentration0, "concentration0")
            checks.assert_same_float_dtype([self._concentration1, self._concentration0])
            self._total_concentration = self._concentration1 + self._concentration0
        super().__init__(
            self._total_concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._concentration1, self._concentration0, self._total_concentration],
            name,
        )

    @property
    def concentration1(self) -> Any:
        """The concentration at 1."""
        return self._concentration1

    @property
    def concentration0(self) -> Any:
        """The concentration at 0."""
        return self._concentration0

    @property
    def total_concentration(self) -> Any:
        """The sum of both concentrations."""
        return self._total_concentration

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._total_concentration)

    def _batch_shape(self) -> Any:
        return self._total_concentration.shape

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        total = self._total_concentration
        a = ones_like(total, dtype=self.dtype) * self._concentration1
        b = ones_like(total, dtype=self.dtype) * self._concentration0
        one = random_gamma(shape=[n], alpha=a, dtype=self.dtype, seed=seed)
        other = random_gamma(shape=[n], alpha=b, dtype=self.dtype, seed=parts.new_seed(seed, "beta"))
        return one / (one + other)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            found = [
                checks.assert_positive(value, message="sample must be positive"),
                checks.assert_less(value, ones([], self.dtype), message="sample must be less than `1`."),
            ]
            value = with_dependencies(found, value)
        first = apply_op("Xlogy", self._concentration1 - 1.0, value)
        power = self._concentration0 - 1.0
        unnormalized = first + power * apply_op("Log1p", -value)
        return unnormalized - self._log_normalization()

    def _prob(self, value: Any) -> Any:
        return math_elementwise.exp(self._log_prob(value))

    def _log_cdf(self, value: Any) -> Any:
        return _log(self._cdf(value))

    def _cdf(self, value: Any) -> Any:
        return apply_op("Betainc", self._concentration1, self._concentration0, value)

    def _log_normalization(self) -> Any:
        both = _lgamma(self._concentration1) + _lgamma(self._concentration0)
        return both - _lgamma(self._total_concentration)

    def _entropy(self) -> Any:
        result = self._log_normalization()
        for part in (self._concentration1, self._concentration0):
            power = part - 1.0
            result = result - power * _digamma(part)
        rest = self._total_concentration - 2.0
        return result + rest * _digamma(self._total_concentration)

    def _mean(self) -> Any:
        return self._concentration1 / self._total_concentration

    def _variance(self) -> Any:
        first = self._mean()
        return first * (1.0 - self._mean()) / (1.0 + self._total_concentration)

    def _mode(self) -> Any:
        mode = (self._concentration1 - 1.0) / (self._total_concentration - 2.0)
        if self.allow_nan_stats:
            nan = fill(self.batch_shape_tensor(), np.array(np.nan, dtype=self.dtype.as_numpy_dtype), name="nan")
            defined = apply_op("LogicalAnd", self._concentration1 > 1.0, self._concentration0 > 1.0)
            return where_v2(defined, mode, nan)
        found = [
            checks.assert_less(ones([], dtype=self.dtype), part, message=f"Mode undefined for {what} <= 1.")
            for part, what in (
                (self._concentration1, "concentration1"),
                (self._concentration0, "concentration0"),
            )
        ]
        return with_dependencies(found, mode)


@RegisterKL(Normal, Normal)
def _kl_normal(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
        one, two, half = (constant(x, dtype=a.dtype) for x in (1, 2, 0.5))
        square_a, square_b = apply_op("Square", a.scale), apply_op("Square", b.scale)
        ratio = square_a / square_b
        apart = apply_op("SquaredDifference", a.loc, b.loc) / (two * square_b)
        return apart + half * (ratio - one - _log(ratio))


@RegisterKL(Gamma, Gamma)
def _kl_gamma(a: Any, b: Any, name: str | None = None) -> Any:
    given = [a.concentration, a.rate, b.concentration, b.rate]
    with name_scope(name, "kl_gamma_gamma", values=given):
        difference = a.concentration - b.concentration
        result = difference * _digamma(a.concentration) + _lgamma(b.concentration) - _lgamma(a.concentration)
        result = result + b.concentration * _log(a.rate)
        result = result - b.concentration * _log(b.rate)
        return result + a.concentration * (b.rate / a.rate - 1.0)


@RegisterKL(Beta, Beta)
def _kl_beta(a: Any, b: Any, name: str | None = None) -> Any:
    given = [x for d in (a, b) for x in (d.concentration1, d.concentration0, d.total_concentration)]
    with name_scope(name, "kl_beta_beta", values=given):
        result = b._log_normalization() - a._log_normalization()
        result = result - _digamma(a.concentration1) * (b.concentration1 - a.concentration1)
        result = result - _digamma(a.concentration0) * (b.concentration0 - a.concentration0)
        return result + _digamma(a.total_concentration) * (b.total_concentration - a.total_concentration)
