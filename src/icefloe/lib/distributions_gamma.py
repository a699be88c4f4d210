"""Distributions that are made of gamma functions: gamma, exponential, beta.

Source: tensorflow/python/ops/distributions/beta.py, exponential.py, gamma.py (nodes, names and messages).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, math_elementwise
from icefloe.lib import distributions_parts as parts
from icefloe.lib.array_create import fill, ones, ones_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import where_v2
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import with_dependencies
from icefloe.lib.distributions import FULLY_REPARAMETERIZED, RegisterKL, ScalarDistribution
from icefloe.lib.distributions_continuous import Broadcast, digamma, lgamma, log
from icefloe.lib.random_draws import random_gamma, random_uniform


class Gamma(Broadcast):
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
        return unnormalized - (lgamma(self._concentration) - self._concentration * log(self._rate))

    def _cdf(self, value: Any) -> Any:
        value = self._checked(value)
        return apply_op("Igamma", self._concentration, self._rate * value)

    def _entropy(self) -> Any:
        a = self._concentration
        start = a - log(self._rate) + lgamma(a)
        return start + (1.0 - a) * digamma(a)

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
        return self._log_prob(value) - log(self._rate)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        shape = concat([[n], shape_of(self._rate)], 0)
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn = random_uniform(shape, minval=least, maxval=1.0, seed=seed, dtype=self.dtype)
        return -log(drawn) / self._rate


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
        return log(self._cdf(value))

    def _cdf(self, value: Any) -> Any:
        return apply_op("Betainc", self._concentration1, self._concentration0, value)

    def _log_normalization(self) -> Any:
        both = lgamma(self._concentration1) + lgamma(self._concentration0)
        return both - lgamma(self._total_concentration)

    def _entropy(self) -> Any:
        result = self._log_normalization()
        for part in (self._concentration1, self._concentration0):
            power = part - 1.0
            result = result - power * digamma(part)
        rest = self._total_concentration - 2.0
        return result + rest * digamma(self._total_concentration)

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


@RegisterKL(Gamma, Gamma)
def _kl_gamma(a: Any, b: Any, name: str | None = None) -> Any:
    given = [a.concentration, a.rate, b.concentration, b.rate]
    with name_scope(name, "kl_gamma_gamma", values=given):
        difference = a.concentration - b.concentration
        result = difference * digamma(a.concentration) + lgamma(b.concentration) - lgamma(a.concentration)
        result = result + b.concentration * log(a.rate)
        result = result - b.concentration * log(b.rate)
        return result + a.concentration * (b.rate / a.rate - 1.0)


@RegisterKL(Beta, Beta)
def _kl_beta(a: Any, b: Any, name: str | None = None) -> Any:
    given = [x for d in (a, b) for x in (d.concentration1, d.concentration0, d.total_concentration)]
    with name_scope(name, "kl_beta_beta", values=given):
        result = b._log_normalization() - a._log_normalization()
        result = result - digamma(a.concentration1) * (b.concentration1 - a.concentration1)
        result = result - digamma(a.concentration0) * (b.concentration0 - a.concentration0)
        return result + digamma(a.total_concentration) * (b.total_concentration - a.total_concentration)
