"""`tf.data.Options`: how a dataset is to be run. They go with the graph; here, they change nothing about its elements.

Source: tensorflow/python/data/ops/options.py, core/framework/dataset_options.proto (field numbers).
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Callable
from typing import Any

from icefloe.wire.coding import encode_varint


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What to do about state outside of a dataset when it is serialized."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How buffer sizes and parallelism are found."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


# Each option: its name, type, field number and default as `get` gives it.
_Field = tuple[str, Any, int, Any]


def _number(value: Any) -> int:
    number = value.value if isinstance(value, enum.Enum) else int(value)
    return number & ((1 << 64) - 1)


class _Option:
    """An option, found on the class itself; its value is that of a set of options."""

    def __init__(self, name: str, kind: Any) -> None:
        self._name = name
        self.__doc__ = f"The option {name!r}, of type {getattr(kind, '__name__', kind)}."

    def __get__(self, options: Any, owner: type) -> Any:
        return self if options is None else options._get(self._name)


class _Options:
    """A set of options; one that was not set is None, or its default."""

    _FIELDS: tuple[_Field, ...] = ()

    def __init_subclass__(cls) -> None:
        """Let the class have an attribute for each option, for those who look there."""
        for name, kind, _, _ in cls._FIELDS:
            setattr(cls, name, _Option(name, kind))

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__!r} has no option {name!r}")

    def _get(self, name: str) -> Any:
        for field, kind, _, default in type(self)._FIELDS:
            if field == name:
                values = self.__dict__["_values"]
                if name not in values and isinstance(kind, type) and issubclass(kind, _Options):
                    values[name] = kind()
                return values.get(name, default)
        raise AttributeError(f"{type(self).__name__!r} has no option {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        for field, kind, _, _ in type(self)._FIELDS:
            if field == name:
                if value is not None and not isinstance(value, kind):
                    raise TypeError(f"Property {name!r} must be of type {kind}. Got: {value!r} (type: {type(value)}).")
                self.__dict__["_values"][name] = value
                return
        raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and all(
            getattr(self, name) == getattr(other, name) for name, *_ in type(self)._FIELDS
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__['_values'].items())})"

    def merge(self, other: Any) -> Any:
        """Return these options, with those that are set in `other` in place of them."""
        merged = type(self)()
        for name, kind, _, _ in type(self)._FIELDS:
            if isinstance(kind, type) and issubclass(kind, _Options):
                merged.__dict__["_values"][name] = getattr(self, name).merge(getattr(other, name))
                continue
            for values in (self.__dict__["_values"], other.__dict__["_values"]):
                if values.get(name) is not None:
                    merged.__dict__["_values"][name] = values[name]
        return merged

    def serialize(self) -> bytes:
        """Return the options as their message."""
        parts = []
        for name, kind, number, _ in sorted(type(self)._FIELDS, key=lambda f: f[2]):
            if isinstance(kind, type) and issubclass(kind, _Options):
                inner = getattr(self, name).serialize()
                parts.append(encode_varint(number << 3 | 2) + encode_varint(len(inner)) + inner)
                continue
            value = self.__dict__["_values"].get(name)
            if value is not None:
                parts.append(_encoded(value, number))
        return b"".join(parts)


def _encoded(value: Any, number: int) -> bytes:
    if isinstance(value, list):
        return b"".join([_encoded(item, number) for item in value])
    if isinstance(value, str):
        data = value.encode()
        return encode_varint(number << 3 | 2) + encode_varint(len(data)) + data
    if isinstance(value, float):
        return encode_varint(number << 3 | 5) + struct.pack("<f", value)
    return encode_varint(number << 3) + encode_varint(_number(value))


class AutotuneOptions(_Options):
    """Options of autotuning."""

    _FIELDS = (
        ("enabled", bool, 1, None),
        ("cpu_budget", int, 2, None),
        ("ram_budget", int, 3, None),
        ("autotune_algorithm", AutotuneAlgorithm, 4, None),
        ("initial_parallelism", int, 5, None),
        ("min_parallelism", int, 6, None),
    )


class DistributeOptions(_Options):
    """Options of running on several workers."""

    _FIELDS = (("auto_shard_policy", AutoShardPolicy, 1, AutoShardPolicy.AUTO), ("num_devices", int, 2, None))


class OptimizationOptions(_Options):
    """Options of rewriting pipelines."""

    _FIELDS = (
        ("apply_default_optimizations", bool, 1, None),
        ("filter_fusion", bool, 6, None),
        ("map_and_batch_fusion", bool, 9, None),
        ("map_and_filter_fusion", bool, 10, None),
        ("map_fusion", bool, 11, None),
        ("map_parallelization", bool, 12, None),
        ("noop_elimination", bool, 14, None),
        ("parallel_batch", bool, 15, None),
        ("shuffle_and_repeat_fusion", bool, 17, None),
        ("filter_parallelization", bool, 18, None),
        ("inject_prefetch", bool, 19, None),
        ("seq_interleave_prefetch", bool, 21, None),
    )


class ThreadingOptions(_Options):
    """Options of threads."""

    _FIELDS = (("max_intra_op_parallelism", int, 1, None), ("private_threadpool_size", int, 2, None))


class ServiceOptions(_Options):
    """Options of the data service."""

    _FIELDS = (("pinned", bool, 1, None),)


class Options(_Options):
    """Options of a dataset, which `Dataset.with_options` gives it."""

    _FIELDS = (
        ("deterministic", bool, 1, None),
        ("autotune", AutotuneOptions, 7, None),
        ("experimental_distribute", DistributeOptions, 2, None),
        ("experimental_slack", bool, 4, None),
        ("experimental_optimization", OptimizationOptions, 3, None),
        ("experimental_external_state_policy", ExternalStatePolicy, 6, None),
        ("threading", ThreadingOptions, 5, None),
        ("experimental_symbolic_checkpoint", bool, 8, None),
        ("experimental_warm_start", bool, 9, None),
        ("dataset_name", str, 10, None),
        ("framework_type", list, 11, None),
        ("experimental_service", ServiceOptions, 12, None),
    )

    # Names that some of them had before.
    experimental_deterministic = property(
        lambda self: self.deterministic, lambda self, value: setattr(self, "deterministic", value)
    )
    experimental_threading = property(
        lambda self: self.threading, lambda self, value: setattr(self, "threading", value)
    )

    def __setattr__(self, name: str, value: Any) -> None:
        old: Callable[..., Any] | None = getattr(type(self).__dict__.get(name), "fset", None)
        if old is not None:
            old(self, value)
        else:
            super().__setattr__(name, value)
