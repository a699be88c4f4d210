"""Distributions of classes and counts, and of the probabilities of classes.

Source: tensorflow/python/ops/distributions/bernoulli.py, categorical.py, dirichlet.py, dirichlet_multinomial.py,
multinomial.py (nodes, names and messages).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, math_elementwise
from icefloe.lib import distributions_parts as parts
from icefloe.lib.array_create import fill, one_hot, ones, ones_like, sequence_mask, zeros_like
from icefloe.lib.array_diagonal import matrix_set_diag
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import where, where_v2
from icefloe.lib.array_shape import rank, reshape, transpose
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.control import identity, with_dependencies
from icefloe.lib.distributions import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    RegisterKL,
    ScalarDistribution,
)
from icefloe.lib.math_cast import cast
from icefloe.lib.math_matrix import matmul
from icefloe.lib.math_reduce import argmax, reduce_all, reduce_sum
from icefloe.lib.math_special import lbeta
from icefloe.lib.nn_activations import log_softmax, softmax, softplus
from icefloe.lib.nn_losses import sigmoid_cross_entropy_with_logits, sparse_softmax_cross_entropy_with_logits
from icefloe.lib.random_draws import multinomial, random_gamma, random_uniform
from icefloe.shapes import TensorShape


class Bernoulli(ScalarDistribution):
    """1 with probability `probs`, whose logarithmic odds are `logits`, else 0; one of both is given."""

    _PARAMETERS = ("logits",)

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = datatypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as name:
            self._logits, self._probs = parts.logits_and_probs(logits, probs, name, validate_args=validate_args)
        super().__init__(
            datatypes.as_dtype(dtype),
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._logits, self._probs],
            name,
        )

    @property
    def logits(self) -> Tensor:
        """The logarithmic odds of 1."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probability of 1."""
        return self._probs

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._logits)

    def _batch_shape(self) -> Any:
        return self._logits.shape

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        drawn = random_uniform(sizes, seed=seed, dtype=self._probs.dtype)
        return cast(apply_op("Less", drawn, self._probs), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            value = parts.checked_integers(value, datatypes.bool)
        value, logits = cast(value, self._logits.dtype), self._logits
        known = value.shape.is_fully_defined() and logits.shape.is_fully_defined()
        if not (known and value.shape == logits.shape):
            logits, value = ones_like(value) * logits, ones_like(logits) * value
        return -sigmoid_cross_entropy_with_logits(labels=value, logits=logits)

    def _entropy(self) -> Any:
        first = -self._logits * (math_elementwise.sigmoid(self._logits) - 1)
        return first + softplus(-self._logits)

    def _mean(self) -> Any:
        return identity(self._probs)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._probs)

    def _mode(self) -> Any:
        return cast(self._probs > 0.5, self.dtype)


class Categorical(ScalarDistribution):
    """A class from 0, of probabilities `probs` or of unnormalized logarithms `logits`, along the last axis."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = datatypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = parts.logits_and_probs(
                logits, probs, name, vectors=True, validate_args=validate_args
            )
            if validate_args:
                self._logits = parts.checked_classes(self._logits)
            known = self._logits.shape.with_rank_at_least(1)
            self._batch_rank: Any
            if known.ndims is not None:
                self._batch_rank = convert_to_tensor(known.ndims - 1, dtype=datatypes.int32, name="batch_rank")
            else:
                with name_scope("batch_rank"):
                    self._batch_rank = rank(self._logits) - 1
            sizes = shape_of(self._logits, name="logits_shape")
            classes = None if known.ndims is None else known.as_list()[-1]
            self._event_size: Any
            if classes is not None:
                self._event_size = convert_to_tensor(classes, dtype=datatypes.int32, name="event_size")
            else:
                with name_scope("event_size"):
                    self._event_size = sizes[self._batch_rank]
            self._batch_sizes: Any
            if known[:-1].is_fully_defined():
                self._batch_sizes = constant(known[:-1].as_list(), dtype=datatypes.int32, name="batch_shape")
            else:
                with name_scope("batch_shape"):
                    self._batch_sizes = sizes[:-1]
        super().__init__(
            datatypes.as_dtype(dtype),
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._logits, self._probs],
            name,
        )

    @property
    def event_size(self) -> Tensor:
        """The number of classes."""
        size: Tensor = self._event_size
        return size

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, up to a sum."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of the classes."""
        return self._probs

    def _batch_shape_tensor(self) -> Any:
        return identity(self._batch_sizes)

    def _batch_shape(self) -> Any:
        return self._logits.shape[:-1]

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        flat = self._logits if self._logits.shape.ndims == 2 else reshape(self._logits, [-1, self._event_size])
        kind = datatypes.int64 if self.dtype.size > 4 else datatypes.int32
        drawn = multinomial(flat, n, seed=seed, output_dtype=kind)
        by_draw = transpose(drawn)
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        return cast(reshape(by_draw, sizes), self.dtype)

    def _with(self, k: Any, parameter: Any) -> tuple[Any, Any]:
        """Return classes and a parameter broadcast to one batch."""
        k = convert_to_tensor(k, name="k")
        if self.validate_args:
            k = parts.checked_integers(k, datatypes.int32)
        if k.dtype.is_floating:
            k = cast(k, dtype=datatypes.int32)
        elif not k.dtype.is_integer:
            raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({self.dtype.base_dtype})")
        batch = parameter.shape[:-1]
        known = parameter.shape.ndims is not None and batch.is_fully_defined() and k.shape.is_fully_defined()
        if not known or batch != k.shape:
            parameter = parameter * ones_like(k[..., None], dtype=parameter.dtype)
            k = k * ones(shape_of(parameter)[:-1], dtype=k.dtype)
            if parameter.shape.ndims is not None:
                k.set_shape(parameter.shape[:-1])
        return k, parameter

    def _cdf(self, value: Any) -> Any:
        k, probs = self._with(value, self._probs)
        flat_probs = reshape(probs, (-1, self._event_size))
        flat_k = reshape(k, [-1])
        below = where(sequence_mask(flat_k, self._event_size), flat_probs, zeros_like(flat_probs))
        return reshape(reduce_sum(below, axis=-1), shape_of(k))

    def _log_prob(self, value: Any) -> Any:
        k, logits = self._with(value, self._logits)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self._logits) * self._probs, axis=-1)

    def _mode(self) -> Any:
        result = cast(argmax(self._logits, axis=self._batch_rank), self.dtype)
        result.set_shape(self.batch_shape)
        return result


class _Vectors(Distribution):
    """A distribution of vectors whose parameters say how many elements they have."""

    _total_concentration: Any
    _concentration: Any

    @property
    def concentration(self) -> Any:
        """The concentration of each class."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """The sum of the concentrations."""
        return self._total_concentration

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._total_concentration)

    def _batch_shape(self) -> Any:
        return self._total_concentration.shape

    def _event_shape_tensor(self) -> Any:
        return shape_of(self._concentration)[-1:]

    def _event_shape(self) -> Any:
        return self._concentration.shape.with_rank_at_least(1)[-1:]

    def _variance_scale(self) -> Any:
        raise NotImplementedError

    def _covariance(self) -> Any:
        x = self._variance_scale() * self._mean()
        outer = -matmul(x[..., None], x[..., None, :])
        return matrix_set_diag(outer, self._variance())


class Dirichlet(_Vectors):
    """The Dirichlet distribution: probabilities of classes, of concentrations along the last axis."""

    def __init__(
        self,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration]) as name:
            tensor = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                found = [
                    checks.assert_positive(tensor, message="Concentration parameter must be positive."),
                    checks.assert_rank_at_least(tensor, 1, message="Concentration parameter must have >=1 dimensions."),
                    checks.assert_less(
                        1,
                        shape_of(tensor)[-1],
                        message="Concentration parameter must have event_size >= 2.",
                    ),
                ]
                tensor = with_dependencies(found, tensor)
            self._concentration = tensor
            self._total_concentration = reduce_sum(tensor, -1)
        super().__init__(
            tensor.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._concentration, self._total_concentration],
            name,
        )

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        drawn = random_gamma(shape=[n], alpha=self._concentration, dtype=self.dtype, seed=seed)
        return drawn / reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            found = [
                checks.assert_positive(value, message="samples must be positive"),
                checks.assert_near(
                    ones([], dtype=self.dtype),
                    reduce_sum(value, -1),
                    message="sample last-dimension must sum to `1`",
                ),
            ]
            value = with_dependencies(found, value)
        unnormalized = reduce_sum(apply_op("Xlogy", self._concentration - 1.0, value), -1)
        return unnormalized - lbeta(self._concentration)

    def _prob(self, value: Any) -> Any:
        return math_elementwise.exp(self._log_prob(value))

    def _entropy(self) -> Any:
        k = cast(self.event_shape_tensor()[0], self.dtype)
        start = lbeta(self._concentration)
        rest = self._total_concentration - k
        start = start + rest * apply_op("Digamma", self._total_concentration)
        power = self._concentration - 1.0
        return start - reduce_sum(power * apply_op("Digamma", self._concentration), axis=-1)

    def _mean(self) -> Any:
        return self._concentration / self._total_concentration[..., None]

    def _variance(self) -> Any:
        scale = self._variance_scale()
        x = scale * self._mean()
        return x * (scale - x)

    def _variance_scale(self) -> Any:
        return math_elementwise.rsqrt(1.0 + self._total_concentration[..., None])

    def _mode(self) -> Any:
        k = cast(self.event_shape_tensor()[0], self.dtype)
        power = self._concentration - 1.0
        mode = power / (self._total_concentration[..., None] - k)
        if self.allow_nan_stats:
            nan = fill(shape_of(mode), np.array(np.nan, dtype=self.dtype.as_numpy_dtype), name="nan")
            return where_v2(reduce_all(self._concentration > 1.0, axis=-1), mode, nan)
        said = "Mode undefined when any concentration <= 1"
        one = ones([], self.dtype)
        return with_dependencies([checks.assert_less(one, self._concentration, message=said)], mode)


def _total(total_count: Any, validate_args: bool) -> Any:
    tensor = convert_to_tensor(total_count, name="total_count")
    return parts.checked_counts(tensor) if validate_args else tensor


class DirichletMultinomial(_Vectors):
    """Counts of `total_count` draws of classes whose probabilities have a Dirichlet distribution."""

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[total_count, concentration]) as name:
            self._total_count = _total(total_count, validate_args)
            tensor = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                tensor = parts.checked_classes(tensor)
                said = "Concentration parameter must be positive."
                tensor = with_dependencies([checks.assert_positive(tensor, message=said)], tensor)
            self._concentration = tensor
            self._total_concentration = reduce_sum(tensor, -1)
        super().__init__(
            tensor.dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._total_count, self._concentration],
            name,
        )

    @property
    def total_count(self) -> Any:
        """The number of draws."""
        return self._total_count

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        draws = cast(self._total_count, dtype=datatypes.int32)
        k = self.event_shape_tensor()[0]
        gamma = random_gamma(shape=[n], alpha=self._concentration, dtype=self.dtype, seed=seed)
        logits = reshape(apply_op("Log", gamma), shape=[-1, k])
        salted = parts.new_seed(seed, "dirichlet_multinomial")
        drawn = multinomial(logits=logits, num_samples=draws, seed=salted)
        counts = reduce_sum(one_hot(drawn, depth=k), -2)
        sizes = concat([[n], self.batch_shape_tensor(), [k]], 0)
        return cast(reshape(counts, sizes), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            value = parts.checked_counts(value)
            said = "counts last-dimension must sum to `self.total_count`"
            check = checks.assert_equal(self._total_count, reduce_sum(value, -1), message=said)
            value = with_dependencies([check], value)
        ordered = lbeta(self._concentration + value) - lbeta(self._concentration)
        return ordered + parts.log_combinations(self._total_count, value)

    def _prob(self, value: Any) -> Any:
        return math_elementwise.exp(self._log_prob(value))

    def _mean(self) -> Any:
        return self._total_count * (self._concentration / self._total_concentration[..., None])

    def _variance(self) -> Any:
        scale = self._variance_scale()
        x = scale * self._mean()
        return x * (self._total_count * scale - x)

    def _variance_scale(self) -> Any:
        total = self._total_concentration[..., None]
        return math_elementwise.sqrt((1.0 + total / self._total_count) / (1.0 + total))


class Multinomial(Distribution):
    """Counts of `total_count` draws of classes of probabilities `probs` or unnormalized logarithms `logits`."""

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as name:
            self._total_count = _total(total_count, validate_args)
            self._logits, self._probs = parts.logits_and_probs(
                logits, probs, name, vectors=True, validate_args=validate_args
            )
            self._expected: Any = self._total_count[..., None] * self._probs
        super().__init__(
            self._probs.dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._total_count, self._logits, self._probs],
            name,
        )

    @property
    def total_count(self) -> Any:
        """The number of draws."""
        return self._total_count

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, up to a sum."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of the classes."""
        return self._probs

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._expected)[:-1]

    def _batch_shape(self) -> Any:
        return self._expected.shape.with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Any:
        return shape_of(self._expected)[-1:]

    def _event_shape(self) -> Any:
        known: TensorShape = self._expected.shape.with_rank_at_least(1)[-1:]
        return known

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        from icefloe.lib.map_fn import map_fn

        draws: Any = cast(self._total_count, dtype=datatypes.int32)
        k = self.event_shape_tensor()[0]
        draws = ones_like(self._logits[..., 0], dtype=draws.dtype) * draws
        logits = ones_like(draws[..., None], dtype=self._logits.dtype) * self._logits
        flat_logits = reshape(logits, [-1, k])
        flat_draws = n * reshape(draws, [-1])

        def of_one(pair: Any) -> Any:
            drawn = multinomial(pair[0][None, ...], pair[1], seed)
            drawn = reshape(drawn, shape=[n, -1])
            return reduce_sum(one_hot(drawn, depth=k), axis=-2)

        counts = map_fn(of_one, [flat_logits, flat_draws], dtype=self.dtype)
        counts = transpose(counts, perm=[1, 0, 2])
        return reshape(counts, concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _checked(self, counts: Any) -> Any:
        if not self.validate_args:
            return counts
        counts = parts.checked_counts(counts)
        said = "counts must sum to `self.total_count`"
        check = checks.assert_equal(self._total_count, reduce_sum(counts, -1), message=said)
        return with_dependencies([check], counts)

    def _log_prob(self, value: Any) -> Any:
        unnormalized = reduce_sum(self._checked(value) * log_softmax(self._logits), -1)
        return unnormalized - -parts.log_combinations(self._total_count, self._checked(value))

    def _mean(self) -> Any:
        return identity(self._expected)

    def _each_probability(self) -> Any:
        return self._probs * ones_like(self._total_count)[..., None]

    def _covariance(self) -> Any:
        p = self._each_probability()
        outer = -matmul(self._expected[..., None], p[..., None, :])
        return matrix_set_diag(outer, self._variance())

    def _variance(self) -> Any:
        p = self._each_probability()
        return self._expected - self._expected * p


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_bernoulli_bernoulli", values=[a.logits, b.logits]):
        of_zero = softplus(-b.logits) - softplus(-a.logits)
        of_one = softplus(b.logits) - softplus(a.logits)
        first = math_elementwise.sigmoid(a.logits) * of_zero
        return first + math_elementwise.sigmoid(-a.logits) * of_one


@RegisterKL(Categorical, Categorical)
def _kl_categorical(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        difference = log_softmax(a.logits) - log_softmax(b.logits)
        return reduce_sum(softmax(a.logits) * difference, axis=-1)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_dirichlet_dirichlet", values=[a.concentration, b.concentration]):
        total = apply_op("Digamma", reduce_sum(a.concentration, axis=-1, keepdims=True))
        above = apply_op("Digamma", a.concentration) - total
        difference = a.concentration - b.concentration
        result = reduce_sum(difference * above, axis=-1) - lbeta(a.concentration)
        return result + lbeta(b.concentration)
