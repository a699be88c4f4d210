"""How the weights in a Keras HDF5 file are called.

A file of Keras 1 and 2 lists them: attribute `layer_names` of `model_weights` (or of the root), attribute
`weight_names` of each layer's group, long lists in pieces (`layer_names0`, `layer_names1`, ...). `dense/kernel:0` is
the variable `dense/kernel`, as in the graph. A `.weights.h5` of Keras 3 numbers them, `layers/dense/vars/0`; there the
layer's name is an attribute of `vars`, or in a .keras file's config.json, and the weight's name follows from the class
of the layer, where all of them are present. What cannot be told keeps its path.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from icefloe.checkpoint.formats.hdf5_attributes import text, texts

_DENSE = ("kernel", "bias")
_RECURRENT = ("kernel", "recurrent_kernel", "bias")
# Class of a layer in snake case -> names of its weights in order; a last "bias" may be absent.
_WEIGHTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("dense", "einsum_dense"), _DENSE),
    **dict.fromkeys((f"conv{n}d{t}" for n in (1, 2, 3) for t in ("", "_transpose")), _DENSE),
    "depthwise_conv1d": _DENSE,
    "depthwise_conv2d": _DENSE,
    "separable_conv1d": ("depthwise_kernel", "pointwise_kernel", "bias"),
    "separable_conv2d": ("depthwise_kernel", "pointwise_kernel", "bias"),
    "batch_normalization": ("gamma", "beta", "moving_mean", "moving_variance"),
    "layer_normalization": ("gamma", "beta"),
    "group_normalization": ("gamma", "beta"),
    "embedding": ("embeddings",),
    "prelu": ("alpha",),
    "p_re_lu": ("alpha",),
    **dict.fromkeys(("cell", "lstm_cell", "gru_cell", "simple_rnn_cell", "lstm", "gru", "simple_rnn"), _RECURRENT),
}
_CONTAINERS = frozenset(("layers", "_layer_checkpoint_dependencies"))
_VARIABLE = re.compile(r"(?:(?P<owner>.+)/)?vars/(?P<number>[0-9]+)")


def listed(file: Any, paths: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield `(path, weight name, layer)` of the weights that a file of Keras 1 or 2 lists, in its order."""
    present = set(paths)
    root = "model_weights" if "model_weights" in file else ""
    group = file[root] if root else file
    for layer in texts(group, "layer_names") or ():
        place = "/".join(filter(None, (root, layer)))
        if place not in file:
            continue
        for weight in texts(file[place], "weight_names") or ():
            path = f"{place}/{weight}"
            if path in present:
                yield path, weight, layer
    if "optimizer_weights" in file:
        for weight in texts(file["optimizer_weights"], "weight_names") or ():
            path = f"optimizer_weights/{weight}"
            if path in present:
                yield path, weight, "optimizer_weights"


def layer_names(config: Any, prefix: str = "layers") -> dict[str, str]:
    """Return group path -> layer name from the config.json of a .keras file."""
    found: dict[str, str] = {}
    waiting = [(config, prefix)]
    while waiting:
        model, place = waiting.pop()
        inner = model.get("config") if isinstance(model, dict) else None
        layers = inner.get("layers") if isinstance(inner, dict) else None
        counts: Counter[str] = Counter()
        for layer in layers if isinstance(layers, list) else ():
            if not isinstance(layer, dict) or not isinstance(layer.get("class_name"), str):
                continue
            snake = snake_case(layer["class_name"])
            path = f"{place}/{snake}_{counts[snake]}" if counts[snake] else f"{place}/{snake}"
            counts[snake] += 1
            settings = layer.get("config")
            if isinstance(settings, dict) and isinstance(settings.get("name"), str):
                found[path] = settings["name"]
            waiting.append((layer, f"{path}/layers"))
    return found


def snake_case(name: str) -> str:
    """Return the name of a class as Keras makes a group's name of it: `Conv2D` is `conv2d`."""
    name = re.sub(r"\W+", "", name)
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def numbered(file: Any, paths: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return path -> name of the weights that a `.weights.h5` of Keras 3 numbers.

    names: group path -> layer name, where the file itself does not say it.
    """
    owners: dict[str, list[tuple[int, str]]] = {}
    for path in paths:
        match = _VARIABLE.fullmatch(path)
        if match is not None and match["owner"]:
            owners.setdefault(match["owner"], []).append((int(match["number"]), path))
    found = {}
    for owner, weights in owners.items():
        parts = owner.split("/")
        if not _CONTAINERS.intersection(parts):
            continue  # the optimizer's and metrics'
        readable = "/".join(_part_names(file, parts, names))
        known = _weight_names(parts, len(weights))
        for number, path in weights:
            inner = known[number] if known and number < len(known) else str(number)
            found[path] = f"{readable}/{inner}"
    return found


def _part_names(file: Any, parts: Sequence[str], names: Mapping[str, str]) -> Iterator[str]:
    for i, part in enumerate(parts):
        if part in _CONTAINERS:
            continue
        path = "/".join(parts[: i + 1])
        said = text(file[f"{path}/vars"], "name") if f"{path}/vars" in file else None
        yield said or names.get(path, part)


def _weight_names(parts: Sequence[str], count: int) -> tuple[str, ...] | None:
    kind = re.sub(r"_[0-9]+$", "", parts[-1])
    names = _WEIGHTS.get(kind)
    if names is None and kind.endswith("_dense"):
        names = _DENSE
    if names is None or count == len(names):
        return names if names is not None and count == len(names) else None
    return names[:-1] if names[-1] == "bias" and count == len(names) - 1 else None
