"""`tf.random.Generator`: random numbers from a state that a variable holds.

Source: tensorflow/python/ops/stateful_random_ops.py (nodes, rules, messages).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros, zeros_like
from icefloe.lib.array_join import concat, stack, unstack
from icefloe.lib.array_shape import reshape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add
from icefloe.lib.math_reduce import reduce_prod
from icefloe.lib.nest import map_structure
from icefloe.lib.random_stateless import algorithm_number
from icefloe.lib.scopes import init_scope
from icefloe.lib.variable import Variable

_MASK = 0xFFFFFFFFFFFFFFFF
_COUNTER_SIZES = {1: 2, 2: 1, 3: 2}


def _counter_size(alg: int) -> int:
    size = _COUNTER_SIZES.get(alg)
    if size is None:
        raise ValueError(
            f"Argument `alg` got unsupported string value {alg}. Supported string values are 'philox' for the Philox "
            "algorithm, 'threefry' for the ThreeFry algorithm, and 'auto_select' for auto-selection."
        )
    return size


def _signed(n: Any) -> Any:
    return n - (1 << 64) if isinstance(n, int) and n > (1 << 63) - 1 else n


def _as_state(value: Any) -> Tensor:
    return cast(map_structure(_signed, value), datatypes.int64)


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """Return the int64 vector that a generator of algorithm `alg` has as its state for `seed`, ints or a tensor."""
    size = _counter_size(algorithm_number(alg)) + 1
    if isinstance(seed, int):
        words = []
        for _ in range(size):
            words.append(seed & _MASK)
            seed >>= 64
        seed = words
    seed = reshape(_as_state(seed), [-1])[0:size]
    count = seed.shape[0].value
    if count is None:
        count = shape_of(seed)[0]
    padding = zeros([apply_op("Maximum", size - count, 0)], seed.dtype)
    made: Tensor = concat([padding, seed], axis=0)
    made.set_shape([size])
    return made


def _joined(key: Any, counter: Any, alg: int) -> Tensor:
    counter, key = _as_state(counter), _as_state(key)
    counter.shape.assert_is_compatible_with([_counter_size(alg)])
    key.shape.assert_is_compatible_with([])
    made: Tensor = concat([counter, reshape(key, [1])], 0)
    return made


def _shape_tensor(shape: Any) -> Tensor:
    is_empty = isinstance(shape, (tuple, list)) and not shape
    return convert_to_tensor(shape, dtype=datatypes.int64 if is_empty else None, name="shape")


class Generator:
    """A source of random numbers.

    copy_from: a generator to begin like. state, alg: the state and the algorithm, "philox" or "threefry". Made most
    easily by `from_seed`.
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            if alg is not None or state is not None:
                raise ValueError("Generator takes copy_from, or state and alg, not both")
            self._alg: int = copy_from.algorithm
            self._state_var = self._variable(copy_from.state)
            return
        if alg is None or state is None:
            raise ValueError("Generator takes copy_from, or state and alg")
        self._alg = algorithm_number(alg)
        if not isinstance(state, Variable):
            state = _as_state(state)
        state.shape.assert_is_compatible_with([_counter_size(self._alg) + 1])
        self._state_var = state if isinstance(state, Variable) else self._variable(state)

    @staticmethod
    def _variable(value: Any) -> Any:
        with name_scope("random_generator"):
            return Variable(value, dtype=datatypes.int64, trainable=False, name="StateVar", use_resource=True)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """Return a generator of this state, an int64 vector or a variable of one."""
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """Return a generator of the state that `seed` determines."""
        number = algorithm_number(1 if alg is None else alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Return a generator whose state is drawn when its variable is initialized."""
        number = algorithm_number(1 if alg is None else alg)
        shape = [_counter_size(number) + 1]
        return cls(state=apply_op("NonDeterministicInts", shape=shape, dtype=datatypes.int64), alg=number)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """Return a generator of this key, a number, and counter, a vector."""
        number = algorithm_number(alg)
        return cls(state=_joined(key, counter, number), alg=number)

    # State

    @property
    def state(self) -> Any:
        """The variable that holds the state."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The part of the state that drawing does not change."""
        found: Tensor = self._state_var[-1]
        return found

    def reset(self, state: Any) -> Any:
        """Return the assignment of a new state."""
        state = _as_state(state)
        state.shape.assert_is_compatible_with([_counter_size(self._alg) + 1])
        return self._state_var.assign(state)

    def reset_from_seed(self, seed: Any) -> Any:
        """Return the assignment of the state that `seed` determines."""
        return self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> Any:
        """Return the assignment of a state of this key and counter."""
        return self._state_var.assign(_joined(key, counter, self._alg))

    def skip(self, delta: Any) -> Tensor:
        """Return the state, and let the numbers that follow be those after `delta` more."""
        alg, delta = cast(self._alg, datatypes.int32), cast(delta, datatypes.uint64)
        return apply_op("RngReadAndSkip", self._state_var.handle, alg, delta)

    def _drawn(self, shape: Any) -> dict[str, Any]:
        """Return the arguments that an op draws numbers for `shape` by."""
        state = self.skip(reduce_prod(shape))
        size = _counter_size(self._alg)
        counter = apply_op("Bitcast", state[:size], type=datatypes.uint64)
        key = apply_op("Bitcast", state[size : size + 1], type=datatypes.uint64)
        return {"key": key, "counter": counter, "alg": self._alg}

    # Numbers

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = datatypes.float32, name: str | None = None
    ) -> Tensor:
        """Return numbers of a normal distribution."""
        with name_scope(name, "stateful_normal", [shape, mean, stddev]) as scope:
            shape = _shape_tensor(shape)
            mean = convert_to_tensor(mean, dtype=dtype, name="mean")
            stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
            drawn = apply_op("StatelessRandomNormalV2", shape, dtype=dtype, **self._drawn(shape))
            return add(drawn * stddev, mean, name=scope)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = datatypes.float32, name: str | None = None
    ) -> Tensor:
        """Return numbers of a normal distribution, none further than two deviations from the mean."""
        with name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:
            shape = _shape_tensor(shape)
            mean = convert_to_tensor(mean, dtype=dtype, name="mean")
            stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
            drawn = apply_op("StatelessTruncatedNormalV2", shape, dtype=dtype, **self._drawn(shape))
            return add(drawn * stddev, mean, name=scope)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = datatypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Return numbers from `minval` up to, not including, `maxval`; integers of both None: any of the dtype.

        Raises: ValueError if only one of them is None for integers.
        """
        dtype = datatypes.as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {dtype}, minval and maxval must be both `None` or both non-`None`; got minval="
                    f"{minval} and maxval={maxval}"
                )
        elif maxval is None:
            maxval = 1
        with name_scope(name, "stateful_uniform", [shape, minval, maxval]) as scope:
            shape = _shape_tensor(shape)
            if dtype.is_integer and minval is None:
                return self._full_int(shape, dtype, scope)
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
            if dtype.is_integer:
                drawn = self._drawn(shape)
                return apply_op("StatelessRandomUniformIntV2", shape, minval=minval, maxval=maxval, name=scope, **drawn)
            made = apply_op("StatelessRandomUniformV2", shape, dtype=dtype, **self._drawn(shape))
            return add(made * (maxval - minval), minval, name=scope)

    def uniform_full_int(self, shape: Any, dtype: Any = datatypes.uint64, name: str | None = None) -> Tensor:
        """Return integers, any of the dtype."""
        with name_scope(name, "stateful_uniform_full_int", [shape]) as scope:
            return self._full_int(_shape_tensor(shape), datatypes.as_dtype(dtype), scope)

    def _full_int(self, shape: Tensor, dtype: Any, name: str | None = None) -> Tensor:
        return apply_op("StatelessRandomUniformFullIntV2", shape, dtype=dtype, name=name, **self._drawn(shape))

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = datatypes.int32, name: str | None = None
    ) -> Tensor:
        """Return numbers of successes in `counts` trials of probability `probs`."""
        with name_scope(name, "binomial", [shape, counts, probs]) as scope:
            counts = convert_to_tensor(counts, name="counts")
            probs = convert_to_tensor(probs, name="probs")
            sizes = _shape_tensor(shape)
            dtype = datatypes.as_dtype(dtype)
            alg = np.int64(self._alg)
            handle = self._state_var.handle
            return apply_op("StatefulRandomBinomial", handle, alg, sizes, counts, probs, dtype=dtype, name=scope)

    def make_seeds(self, count: Any = 1) -> Tensor:
        """Return seeds [2, count] for functions of stateless random numbers."""
        keys = self.uniform_full_int([count], dtype=datatypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Return generators whose keys this one draws."""
        keys = self.uniform_full_int([count], dtype=datatypes.int64)
        zero = [0] * _counter_size(self._alg)
        return [Generator(state=[*zero, key], alg=self._alg) for key in unstack(keys, num=count)]


_GLOBAL = "_global_random_generator"
_given: list[Generator] = []


def get_global_generator() -> Generator:
    """Return the generator that was set, or else one of the default graph, which is made when first asked for."""
    from icefloe.graph.graph import get_default_graph

    if _given:
        return _given[0]
    with init_scope():
        graph = get_default_graph()
        found: Generator | None = graph.__dict__.get(_GLOBAL)
        if found is None:
            found = graph.__dict__[_GLOBAL] = Generator.from_non_deterministic_state()
        return found


def set_global_generator(generator: Generator) -> None:
    """Let `get_global_generator` return `generator`."""
    _given[:] = [generator]
