"""`Distribution`: probability distributions as nodes: samples, densities, moments.

A kind of distribution defines what it knows under names with an underscore; the public methods name the nodes and work
out what follows from it: `prob` from `_log_prob`, `variance` from `_stddev`, and so on.

Source: tensorflow/python/ops/distributions/distribution.py, kullback_leibler.py (nodes, names and messages).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import math_elementwise
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import rank, reshape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.checks import Assert
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import identity
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_any, reduce_prod
from icefloe.shapes import TensorShape, as_shape


class ReparameterizationType:
    """Whether samples of a distribution can be differentiated by its parameters."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def _log(x: Any) -> Tensor:
    result: Tensor = apply_op("Log", x)
    return result


class Distribution:
    """A distribution, or a batch of them.

    reparameterization_type: whether samples can be differentiated. validate_args: add checks of arguments.
    allow_nan_stats: give NaN for a moment that is not defined, else fail. parameters: the arguments it was made with.

    Raises: ValueError if a graph parent is no tensor.
    """

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        for i, t in enumerate(graph_parents or []):
            if not isinstance(t, Tensor):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {t}.")  # noqa: TRY004
        if not name or not name.endswith("/"):
            with name_scope(name or type(self).__name__) as name:
                pass
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._allow_nan_stats = allow_nan_stats
        self._validate_args = validate_args
        self._parameters = dict(parameters or {})
        self._graph_parents = list(graph_parents or [])
        self._name: str = name

    # What it is

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str = "DistributionParamShapes") -> dict[str, Tensor]:
        """Return the shapes of parameters whose distribution has samples of this shape."""
        with name_scope(name, values=[sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, TensorShape]:
        """Return the static shapes of parameters; see `param_shapes`. Raises: ValueError if the shape is not known."""
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError("TensorShape sample_shape must be fully defined")
            sample_shape = sample_shape.as_list()
        found = {}
        for key, shape in cls.param_shapes(sample_shape).items():
            known = get_static_value(shape)
            if known is None:
                raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
            found[key] = TensorShape(known)
        return found

    _PARAMETERS: tuple[str, ...] = ()

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Tensor]:
        if not cls._PARAMETERS:
            raise NotImplementedError("_param_shapes not implemented")
        shape = convert_to_tensor(sample_shape, dtype=datatypes.int32)
        return dict.fromkeys(cls._PARAMETERS, shape)

    @property
    def name(self) -> str:
        """The name scope of its nodes."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {k: v for k, v in self._parameters.items() if not k.startswith("__") and k != "self"}

    @property
    def reparameterization_type(self) -> Any:
        """Whether samples can be differentiated by the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether a moment that is not defined is NaN."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether arguments are checked."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Return a distribution of the same kind with some arguments changed."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    def _batch_shape_tensor(self) -> Any:
        raise self._missing("batch_shape_tensor")

    def _batch_shape(self) -> Any:
        return TensorShape(None)

    def _event_shape_tensor(self) -> Any:
        raise self._missing("event_shape_tensor")

    def _event_shape(self) -> Any:
        return TensorShape(None)

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of the batch."""
        return as_shape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The static shape of one sample."""
        return as_shape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """Return the shape of the batch."""
        with self._name_scope(name):
            return self._known_or_run(self.batch_shape, "batch_shape", self._batch_shape_tensor)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """Return the shape of one sample."""
        with self._name_scope(name):
            return self._known_or_run(self.event_shape, "event_shape", self._event_shape_tensor)

    @staticmethod
    def _known_or_run(shape: TensorShape, name: str, run: Callable[[], Any]) -> Any:
        if shape.is_fully_defined():
            return convert_to_tensor(shape.as_list(), dtype=datatypes.int32, name=name)
        return run()

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Return whether one sample is a scalar."""
        with self._name_scope(name):
            found: Tensor = convert_to_tensor(
                self._is_scalar(self.event_shape, self.event_shape_tensor), name="is_scalar_event"
            )
            return found

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Return whether it is one distribution, no batch of them."""
        with self._name_scope(name):
            found: Tensor = convert_to_tensor(
                self._is_scalar(self.batch_shape, self.batch_shape_tensor), name="is_scalar_batch"
            )
            return found

    @staticmethod
    def _is_scalar(known: TensorShape, run: Callable[[], Tensor]) -> Any:
        if known.ndims is not None:
            return known.ndims == 0
        shape = run()
        if shape.shape.ndims is not None and shape.shape.as_list()[0] is not None:
            return shape.shape.as_list() == [0]
        return math_elementwise.equal(shape_of(shape)[0], 0)

    # Samples

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        raise self._missing("sample_n")

    def sample(self, sample_shape: Any = (), seed: Any = None, name: str = "sample") -> Tensor:
        """Return samples, of shape `sample_shape` + batch shape + event shape."""
        with self._name_scope(name, values=[sample_shape]):
            wanted = convert_to_tensor(sample_shape, dtype=datatypes.int32, name="sample_shape")
            wanted, count = self._as_vector(wanted)
            samples = self._sample_n(count, seed)
            samples = reshape(samples, concat([wanted, shape_of(samples)[1:]], 0))
            self._note_shape(samples, wanted)
            return samples

    @staticmethod
    def _as_vector(shape: Tensor) -> tuple[Tensor, Any]:
        known = get_static_value(shape)
        count: Any = reduce_prod(shape) if known is None else np.prod(known, dtype=np.int32)
        ndims = shape.shape.ndims
        if ndims is None:
            scalar = cast(math_elementwise.equal(rank(shape), 0), datatypes.int32)
            return reshape(shape, concat([apply_op("Fill", [scalar], 1), shape_of(shape)], 0)), count
        if ndims == 0:
            if known is None:
                return reshape(shape, [1]), count
            return convert_to_tensor(np.array([known], np.int32), name="sample_shape"), count
        if ndims != 1:
            raise ValueError("Input is neither scalar nor vector.")
        return shape, count

    def _note_shape(self, samples: Tensor, wanted: Tensor) -> None:
        """Tell samples what is known of their shape."""
        outer = TensorShape(get_static_value(wanted))
        pieces = (outer, self.batch_shape, self.event_shape)
        if all(p.ndims is not None for p in pieces):
            samples.set_shape(outer.concatenate(self.batch_shape).concatenate(self.event_shape))

    # Densities

    def _log_prob(self, value: Any) -> Any:
        raise self._missing("log_prob")

    def _prob(self, value: Any) -> Any:
        raise self._missing("prob")

    def _log_cdf(self, value: Any) -> Any:
        raise self._missing("log_cdf")

    def _cdf(self, value: Any) -> Any:
        raise self._missing("cdf")

    def _log_survival_function(self, value: Any) -> Any:
        raise self._missing("log_survival_function")

    def _survival_function(self, value: Any) -> Any:
        raise self._missing("survival_function")

    def _quantile(self, value: Any) -> Any:
        raise self._missing("quantile")

    def _either(self, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        """Return what the first gives or, if that is not implemented, the second."""
        try:
            return first()
        except NotImplementedError as error:
            try:
                return second()
            except NotImplementedError:
                raise error from None

    def _at(self, value: Any, name: str, first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Any:
        with self._name_scope(name, values=[value]):
            x = convert_to_tensor(value, name="value", preferred_dtype=self.dtype)
            return self._either(lambda: first(x), lambda: second(x))

    def log_prob(self, value: Any, name: str = "log_prob") -> Tensor:
        """Return the logarithm of the density."""
        result: Tensor = self._at(value, name, self._log_prob, lambda x: _log(self._prob(x)))
        return result

    def prob(self, value: Any, name: str = "prob") -> Tensor:
        """Return the density, or of discrete values the probability."""
        result: Tensor = self._at(value, name, self._prob, lambda x: math_elementwise.exp(self._log_prob(x)))
        return result

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Tensor:
        """Return the logarithm of the probability of at most `value`."""
        result: Tensor = self._at(value, name, self._log_cdf, lambda x: _log(self._cdf(x)))
        return result

    def cdf(self, value: Any, name: str = "cdf") -> Tensor:
        """Return the probability of at most `value`."""
        result: Tensor = self._at(value, name, self._cdf, lambda x: math_elementwise.exp(self._log_cdf(x)))
        return result

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Tensor:
        """Return the logarithm of the probability of more than `value`."""
        result: Tensor = self._at(value, name, self._log_survival_function, lambda x: apply_op("Log1p", -self.cdf(x)))
        return result

    def survival_function(self, value: Any, name: str = "survival_function") -> Tensor:
        """Return the probability of more than `value`."""
        result: Tensor = self._at(value, name, self._survival_function, lambda x: 1.0 - self.cdf(x))
        return result

    def quantile(self, value: Any, name: str = "quantile") -> Tensor:
        """Return the value that a sample is at most with probability `value`."""
        with self._name_scope(name, values=[value]):
            result: Tensor = self._quantile(convert_to_tensor(value, name="value", preferred_dtype=self.dtype))
            return result

    # Moments

    def _entropy(self) -> Any:
        raise self._missing("entropy")

    def _mean(self) -> Any:
        raise self._missing("mean")

    def _variance(self) -> Any:
        raise self._missing("variance")

    def _stddev(self) -> Any:
        raise self._missing("stddev")

    def _covariance(self) -> Any:
        raise self._missing("covariance")

    def _mode(self) -> Any:
        raise self._missing("mode")

    def entropy(self, name: str = "entropy") -> Tensor:
        """Return the entropy, in nats."""
        with self._name_scope(name):
            result: Tensor = self._entropy()
            return result

    def mean(self, name: str = "mean") -> Tensor:
        """Return the mean."""
        with self._name_scope(name):
            result: Tensor = self._mean()
            return result

    def variance(self, name: str = "variance") -> Tensor:
        """Return the variance."""
        with self._name_scope(name):
            result: Tensor = self._either(self._variance, lambda: apply_op("Square", self._stddev()))
            return result

    def stddev(self, name: str = "stddev") -> Tensor:
        """Return the standard deviation."""
        with self._name_scope(name):
            result: Tensor = self._either(self._stddev, lambda: math_elementwise.sqrt(self._variance()))
            return result

    def covariance(self, name: str = "covariance") -> Tensor:
        """Return the covariance of the elements of a sample."""
        with self._name_scope(name):
            result: Tensor = self._covariance()
            return result

    def mode(self, name: str = "mode") -> Tensor:
        """Return the value of the greatest density."""
        with self._name_scope(name):
            result: Tensor = self._mode()
            return result

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Tensor:
        """Return the cross entropy with another distribution."""
        with self._name_scope(name), name_scope(None, "cross_entropy"):
            own = self.entropy()
            return own + kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Tensor:
        """Return the Kullback-Leibler divergence from another distribution."""
        with self._name_scope(name):
            return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def __str__(self) -> str:
        batch = "" if self.batch_shape.ndims is None else f", batch_shape={self.batch_shape}"
        event = "" if self.event_shape.ndims is None else f", event_shape={self.event_shape}"
        kind = f"tfp.distributions.{type(self).__name__}"
        return f'{kind}("{self.name}"{batch}{event}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None, values: Sequence[Any] | None = None) -> Iterator[str]:
        with name_scope(self.name), name_scope(name, values=[*(values or []), *self._graph_parents]) as scope:
            yield scope


class ScalarDistribution(Distribution):
    """A distribution of scalars, whose batch is the shape that its parameters broadcast to."""

    def _event_shape_tensor(self) -> Any:
        from icefloe.graph.conversion import constant

        return constant([], dtype=datatypes.int32)

    def _event_shape(self) -> Any:
        return TensorShape([])


_DIVERGENCES: dict[tuple[type, type], Callable[..., Any]] = {}


def kl_divergence(
    distribution_a: Distribution,
    distribution_b: Distribution,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return the Kullback-Leibler divergence KL(a || b), in nats.

    Raises: NotImplementedError if none is registered for these kinds.
    """
    found = _registered(type(distribution_a), type(distribution_b))
    if found is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        result: Tensor = found(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return result
        result = identity(result, name="kl")
        said = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and was "
            "called with allow_nan_stats=False). Values:"
        )
        fits = apply_op("LogicalNot", reduce_any(apply_op("IsNan", result)))
        with control_dependencies([Assert(fits, [said, result])]):
            checked: Tensor = identity(result, name="checked_kl")
            return checked


def _registered(a: type, b: type) -> Callable[..., Any] | None:
    """Return the function registered for the nearest ancestors of both."""
    pairs = [(i + j, (x, y)) for i, x in enumerate(a.__mro__) for j, y in enumerate(b.__mro__)]
    near = [(distance, pair) for distance, pair in pairs if pair in _DIVERGENCES]
    return _DIVERGENCES[min(near, key=lambda item: item[0])[1]] if near else None


class RegisterKL:
    """A decorator that registers a function `(a, b, name=None)` as the divergence of two kinds of distributions.

    Raises: TypeError if it is none; ValueError if there is one already.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            a, b = self._key
            raise ValueError(
                f"KL({a.__name__} || {b.__name__}) has already been registered to: {_DIVERGENCES[self._key]}"
            )
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn
