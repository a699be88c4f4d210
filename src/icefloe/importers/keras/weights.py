"""Which weights belong to which layer.

In files of Keras 1 and 2 each layer has a group, and in it its weights in order; in those of Keras 3 groups follow the
attributes of the layer. A weight is told by the path of groups it is in and by its place among its neighbours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.formats.keras_names import snake_case
from icefloe.importers.keras.config import Layer, Model

Read = Callable[[], np.ndarray]
_VARS = re.compile(r"(?:(.*)/)?vars/([0-9]+)")


class Weights:
    """The weights of a layer, in order, each with the path below the layer's own.

    Arrays are read when they are asked for.
    """

    def __init__(self, owner: str, items: Sequence[tuple[str, Read]]) -> None:
        self.owner = owner
        self._items = list(items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def paths(self) -> list[str]:
        """The path of each weight below the layer."""
        return [path for path, _ in self._items]

    def take(self, *counts: int) -> list[np.ndarray]:
        """Return all weights. Raises: DataLossError unless there are as many as one of `counts`."""
        if len(self._items) not in counts:
            wanted = " or ".join(str(n) for n in counts)
            raise errors.DataLossError(f"layer {self.owner!r} has {len(self._items)} weights; expected {wanted}")
        return [read() for _, read in self._items]

    def part(self, name: str) -> Weights:
        """Return the weights below an attribute of the layer, in their order; none if there are none."""
        inside = [(path[len(name) + 1 :], read) for path, read in self._items if path.startswith(f"{name}/")]
        return Weights(f"{self.owner}/{name}", inside)

    def having(self, word: str) -> Weights:
        """Return the weights whose path has `word` among its parts, or a part that begins with it and `_`."""
        pattern = re.compile(rf"(^|/){re.escape(word)}(_\d+)?(/|$)")
        return Weights(f"{self.owner}/{word}", [item for item in self._items if pattern.search(item[0])])

    def split(self, count: int) -> list[Weights]:
        """Return the weights in `count` parts of one size. Raises: DataLossError if they do not divide."""
        size, rest = divmod(len(self._items), count)
        if rest:
            raise errors.DataLossError(f"layer {self.owner!r} has {len(self._items)} weights, not {count} equal parts")
        return [Weights(self.owner, self._items[i * size : (i + 1) * size]) for i in range(count)]


def by_layer(model: Model, names: Iterable[str], read: Callable[[str], np.ndarray]) -> dict[str, Weights]:
    """Return the weights of each layer of `model` from a file of Keras 1 or 2, or of TensorFlow.js.

    names: `<layer>/<path of the weight>` of every weight in order.
    """
    found: dict[str, list[tuple[str, Read]]] = {layer.name: [] for layer in model.layers}
    known = sorted(found, key=len, reverse=True)
    for name in names:
        owner = next((layer for layer in known if name.startswith(layer + "/")), None)
        if owner is not None:
            found[owner].append((name[len(owner) + 1 :].removesuffix(":0"), _reader(read, name)))
    return {name: Weights(name, items) for name, items in found.items()}


def _reader(read: Callable[[str], np.ndarray], name: str) -> Read:
    return lambda: read(name)


def of_nested(model: Model, weights: Weights) -> dict[str, Weights]:
    """Return the weights of each layer of a model that is a layer itself.

    Files of Keras 1 and 2 list them by the layers' names; those of Keras 3 have a group for each.
    """
    if any(path.startswith("layers/") for path in weights.paths):
        return by_group(model, weights.part("layers"))
    return {layer.name: _below(weights, layer) for layer in model.layers}


def _below(weights: Weights, layer: Layer) -> Weights:
    items = []
    for path, read in weights._items:
        parts = path.split("/")
        if layer.name in parts[:-1]:
            items.append(("/".join(parts[parts.index(layer.name) + 1 :]), read))
    return Weights(layer.name, items)


def by_group(model: Model, weights: Weights) -> dict[str, Weights]:
    """Return the weights of each layer from a file of Keras 3: groups are named by class, and numbered."""
    kinds = ["Functional" if layer.kind == "Model" else layer.kind for layer in model.layers]
    present = {path.split("/")[0] for path in weights.paths}
    found = {}
    for layer, own in zip(model.layers, grouped(kinds, weights)):
        if not len(own) and layer.name in present:
            own = weights.part(layer.name)
        found[layer.name] = Weights(layer.name, _ordered(own._items))
    return found


def grouped(kinds: Sequence[str], weights: Weights) -> list[Weights]:
    """Return the weights of each of several objects, whose groups are named by their classes, and numbered."""
    counts: Counter[str] = Counter()
    found = []
    for kind in map(snake_case, kinds):
        found.append(weights.part(f"{kind}_{counts[kind]}" if counts[kind] else kind))
        counts[kind] += 1
    return found


def _ordered(items: list[tuple[str, Read]]) -> list[tuple[str, Read]]:
    """Return weights in the order of their numbers, those of each group together."""

    def key(item: tuple[str, Read]) -> Any:
        match = _VARS.fullmatch(item[0])
        return (match[1] or "", int(match[2])) if match else (item[0], 0)

    return sorted(items, key=key)
