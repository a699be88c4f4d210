"""Layers of Keras and what builds them.

    @layer("Dense")
    def dense(c: LayerContext, x: Tensor) -> Tensor: ...

A builder gets the tensors that the layer is called on, one by one where the layer takes several, adds nodes to the
default graph and returns the result, or a list of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from icefloe import errors
from icefloe.datatypes import as_dtype
from icefloe.graph.conversion import constant
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.weights import Weights

Builder = Callable[..., Any]
B = TypeVar("B", bound=Builder)

LAYERS: dict[str, Builder] = {}


@dataclass
class LayerContext:
    """What a builder knows of its layer.

    settings: as Keras 2 calls them. weights: in order. version: of Keras, 1, 2 or 3. mask: which steps of the input
    count, a boolean tensor [batch, steps], or None; masks: those of all inputs. compute: the dtype that the layer
    computes in, where it is another than that of its weights. out_mask: what a builder leaves for the layers after.
    initial_state: tensors that a recurrent layer starts from.
    """

    kind: str
    name: str
    settings: dict[str, Any]
    weights: Weights
    version: int
    mask: Tensor | None = None
    out_mask: Tensor | None = None
    kwargs: dict[str, Any] = field(default_factory=dict)
    initial_state: list[Tensor] = field(default_factory=list)
    masks: list[Tensor | None] = field(default_factory=list)
    compute: str | None = None

    def get(self, name: str, default: Any = None) -> Any:
        """Return a setting, `default` where it is absent or null."""
        value = self.settings.get(name)
        return default if value is None else value

    def sizes(self, name: str, count: int, default: Any = 1) -> list[int]:
        """Return a setting as `count` numbers. Raises: DataLossError if it is something else."""
        value = self.get(name, default)
        values = [value] * count if isinstance(value, int) else list(value) if isinstance(value, (list, tuple)) else []
        if len(values) == 1 and count > 1:
            values *= count
        if len(values) != count or not all(isinstance(n, int) and not isinstance(n, bool) for n in values):
            raise errors.DataLossError(f"layer {self.name!r}: {name} is {value!r}, expected {count} numbers")
        return values

    def known_sizes(self, x: Tensor) -> list[int]:
        """Return the sizes of each example. Raises: UnimplementedError if one is not known."""
        sizes = x.shape.as_list()[1:] if x.shape.rank is not None else [None]
        known = [n for n in sizes if n is not None]
        if len(known) != len(sizes):
            raise self.refuse("inputs of unknown size")
        return known

    @property
    def channels_first(self) -> bool:
        """Whether the channels come before the places."""
        return bool(self.get("data_format", "channels_last") == "channels_first")

    def weight(self, value: np.ndarray, name: str) -> Tensor:
        """Return a constant that holds a weight, in the dtype that the layer computes in."""
        if self.compute is not None and value.dtype.kind == "f":
            value = value.astype(as_dtype(self.compute).as_numpy_dtype)
        made: Tensor = constant(value, name=name)
        return made

    def refuse(self, what: str) -> errors.UnimplementedError:
        """Return the error for a setting that is not supported."""
        return errors.UnimplementedError(f"layer {self.name!r} ({self.kind}): {what}")


def layer(*kinds: str) -> Callable[[B], B]:
    """Register a builder for layers of these classes."""

    def register(builder: B) -> B:
        for kind in kinds:
            if kind in LAYERS:
                raise ValueError(f"layer {kind} has two builders")
            LAYERS[kind] = builder
        return builder

    return register


def find(kind: str) -> Builder | None:
    """Return the builder of a class of layers, or None."""
    from icefloe.importers.keras import (  # noqa: F401 (they register)
        attention,
        convolution,
        core,
        local,
        merging,
        normalization,
        operations,
        pooling,
        preprocessing,
        recurrent,
        resizing,
        tf_calls,
    )

    return LAYERS.get(kind)
