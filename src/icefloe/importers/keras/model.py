"""A Keras model as a graph: its layers' nodes, with the weights as constants.

    graph = icefloe.load_graph("model.h5")
    inputs, outputs = graph.get_collection("model_inputs"), graph.get_collection("model_outputs")

A weight becomes a constant `<layer>/kernel` and the like; `icefloe.graphs.unconst` makes variables of them. Layers of
training do nothing. The signature `serving_default` names the inputs and outputs after their layers.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.formats import archive, keras_names
from icefloe.checkpoint.formats.hdf5_attributes import text
from icefloe.checkpoint.formats.hdf5_reader import Hdf5Reader, KerasReader
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import name_scope
from icefloe.graph.graph import Graph
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras import config as configs
from icefloe.importers.keras import weights as weight_groups
from icefloe.importers.keras.registry import LayerContext, find
from icefloe.importers.keras.weights import Weights
from icefloe.lib.array_create import placeholder
from icefloe.saved_models.signatures import build_signature_def, build_tensor_info

INPUTS, OUTPUTS = "model_inputs", "model_outputs"
_MOST_CONFIG = 64 << 20
_NO_NAME = re.compile(r"[^A-Za-z0-9_.\\/-]")


def load(path: str) -> Graph:
    """Return the graph of a model in an `.h5` or `.keras` file.

    Raises: InvalidArgumentError if the file holds weights only, or is none of Keras; UnimplementedError that names the
    layers which are not known, or a setting of one; DataLossError if it is damaged.
    """
    with open(path, "rb") as file:
        is_archive = file.read(4) == b"PK\x03\x04"
    try:
        return _from_archive(path) if is_archive else _from_hdf5(path)
    except errors.OpError as error:
        raise error.add_context(path=path) from None


def _from_hdf5(path: str) -> Graph:
    with Hdf5Reader(path) as reader:
        file = reader.file
        described = text(file, "model_config")
        if described is None:
            raise errors.InvalidArgumentError(
                "an HDF5 file without the configuration of a model: weights only, which `icefloe ckpt ls` lists"
            )
        model = configs.parse(_json(described, "model_config"), _version(text(file, "keras_version")))
        keys = {place.lstrip("/"): key for key, place in reader.places().items()}
        groups: dict[str, list[tuple[str, weight_groups.Read]]] = {}
        for path, weight, layer in keras_names.listed(file, list(keys)):
            groups.setdefault(layer, []).append((weight.removesuffix(":0"), _read(reader, keys[path])))
        found = {layer: Weights(layer, items) for layer, items in groups.items()}
        return build(model, found)


def _from_archive(path: str) -> Graph:
    source = Source(path)
    try:
        members = {member.name: member for member in archive.members(source)}
        described = members.get("config.json")
        if described is None or "model.weights.h5" not in members:
            raise errors.InvalidArgumentError("a zip archive without config.json and model.weights.h5: no Keras model")
        if described.size > _MOST_CONFIG:
            raise errors.DataLossError(f"config.json of {described.size:,} bytes")
        data = _json(b"".join(archive.inflated(source, described)).decode("utf-8", "replace"), "config.json")
    finally:
        source.close()
    model = configs.parse(data, 3)
    with KerasReader(path) as reader:
        keys = {place: key for key, place in reader.places().items()}
        items = [
            (place.removeprefix("layers/").removeprefix("_layer_checkpoint_dependencies/"), _read(reader, key))
            for place, key in keys.items()
            if place.startswith(("layers/", "_layer_checkpoint_dependencies/"))
        ]
        return build(model, weight_groups.by_group(model, Weights(model.name, items)))


def _read(reader: Any, key: str) -> weight_groups.Read:
    return lambda: reader[key]


def from_tfjs(topology: Mapping[str, Any], weights: Mapping[str, np.ndarray]) -> Graph:
    """Return the graph of a layers model of TensorFlow.js. Raises: as `load`."""
    described = topology.get("model_config", topology)
    if isinstance(described, str):
        described = _json(described, "model_config")
    model = configs.parse(described, _version(topology.get("keras_version")))
    return build(model, weight_groups.by_layer(model, weights, weights.__getitem__))


def _json(described: str, what: str) -> Any:
    try:
        return json.loads(described)
    except (ValueError, RecursionError) as error:
        raise errors.DataLossError(f"{what} is no JSON: {error}") from None


def _version(said: Any) -> int:
    """Return the major version of Keras; TensorFlow.js and files without one count as 2."""
    found = re.match(r"[^0-9]*([0-9]+)\.", said if isinstance(said, str) else "")
    number = int(found[1]) if found else 2
    return number if number in (1, 2, 3) else 2


def build(model: configs.Model, weights: Mapping[str, Weights]) -> Graph:
    """Return the graph of a model. Raises: UnimplementedError that names all layers that are not known."""
    unknown = sorted({layer.kind for layer in _all_layers(model) if not _is_known(layer)})
    if unknown:
        more = " (a Lambda holds Python code, which is not run)" if "Lambda" in unknown else ""
        raise errors.UnimplementedError(f"layers of these classes are not known: {', '.join(unknown)}{more}")
    graph = Graph()
    try:
        with graph.as_default():
            maker = _Maker(model, weights)
            inputs = [maker.place(ref) for ref in model.inputs]
            outputs = [maker.place(ref) for ref in model.outputs]
            outputs = [apply_op("Identity", y) if y.op.type.startswith("Placeholder") else y for y in outputs]
    except errors.OpError:
        raise
    except (
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        StopIteration,
    ) as error:
        raise errors.DataLossError(f"the model does not fit together: {type(error).__name__}: {error}") from None
    for x in inputs:
        graph.add_to_collection(INPUTS, x)
    for y in outputs:
        graph.add_to_collection(OUTPUTS, y)
    graph.signature_defs["serving_default"] = build_signature_def(
        _infos(model.inputs, inputs), _infos(model.outputs, outputs), "tensorflow/serving/predict"
    )
    return graph


def _infos(refs: list[configs.Ref], tensors: list[Tensor]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for ref, tensor in zip(refs, tensors):
        key = ref.layer if ref.layer not in found else f"{ref.layer}_{ref.tensor}"
        found[key] = build_tensor_info(tensor)
    return found


def _all_layers(model: configs.Model) -> list[configs.Layer]:
    found, waiting = [], [model]
    while waiting:
        for layer in waiting.pop().layers:
            found.append(layer)
            if layer.model is not None:
                waiting.append(layer.model)
    return found


def _is_known(layer: configs.Layer) -> bool:
    return layer.model is not None or layer.kind == "InputLayer" or find(layer.kind) is not None


class _Maker:
    """Adds the nodes of a model's layers as they are asked for.

    given: the tensors for the model's inputs, where it is a layer of another one.
    """

    def __init__(
        self, model: configs.Model, weights: Mapping[str, Weights], given: Mapping[configs.Ref, Tensor] | None = None
    ) -> None:
        self.model = model
        self.weights = weights
        self.made: dict[configs.Ref, Tensor] = dict(given or {})
        self.masks: dict[configs.Ref, Tensor | None] = {}
        self.layers = {layer.name: layer for layer in model.layers}
        # Keras 2 counts the call in which a model inside was built itself, and does not store it.
        self.skipped: dict[str, int] = {}
        for ref in _refs_in([*model.outputs, *([c.args, c.kwargs] for layer in model.layers for c in layer.calls)]):
            layer = self.layers.get(ref.layer)
            if layer is not None and layer.model is not None and ref.node >= len(layer.calls):
                self.skipped[ref.layer] = 1

    def place(self, ref: configs.Ref) -> Tensor:
        """Return the tensor that `ref` names, and add what it needs, the deepest first."""
        waiting = [ref]
        seen: set[configs.Ref] = set()
        while waiting:
            current = waiting[-1]
            if current in self.made:
                waiting.pop()
                continue
            layer = self.layers.get(current.layer)
            if layer is None:
                raise errors.DataLossError(f"model {self.model.name!r} has no layer {current.layer!r}")
            missing = [r for r in self._needs(layer, current.node) if r not in self.made]
            if not missing:
                self._call(layer, current.node)
                if current not in self.made:
                    raise errors.DataLossError(f"layer {layer.name!r} has no result {current.tensor}")
                continue
            if current in seen:
                raise errors.DataLossError(f"layer {layer.name!r} depends on itself")
            seen.add(current)
            waiting += missing
        return self.made[ref]

    def _needs(self, layer: configs.Layer, node: int) -> list[configs.Ref]:
        if layer.kind == "InputLayer" or not layer.calls:
            return []
        call = self._stored_call(layer, node)
        return _refs_in([call.args, call.kwargs])

    def _stored_call(self, layer: configs.Layer, node: int) -> configs.Call:
        index = node - self.skipped.get(layer.name, 0)
        if not 0 <= index < len(layer.calls):
            raise errors.DataLossError(f"layer {layer.name!r} is called {len(layer.calls)} times, not {node + 1}")
        return layer.calls[index]

    def _call(self, layer: configs.Layer, node: int) -> None:
        if layer.kind == "InputLayer":
            self.made[configs.Ref(layer.name, node, 0)] = _input(layer)
            return
        if not layer.calls:
            raise errors.DataLossError(f"layer {layer.name!r} is called on nothing")
        call = self._stored_call(layer, node)
        args = [self._resolved(a) for a in call.args]
        args = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        kwargs = {key: self._resolved(value) for key, value in call.kwargs.items()}
        refs = _refs_in(call.args)
        masks = [self.masks.get(ref) for ref in refs]
        mask = masks[0] if masks else None
        mask = kwargs["mask"] if isinstance(kwargs.get("mask"), Tensor) else mask
        with name_scope(_NO_NAME.sub("_", layer.name)):
            if layer.model is not None:
                results = self._nested(layer, args)
                out_mask = None
            else:
                own = self.weights.get(layer.name) or Weights(layer.name, [])
                compute = _compute_dtype(layer.settings.get("dtype"))
                c = LayerContext(
                    layer.kind,
                    layer.name,
                    layer.settings,
                    own,
                    self.model.version,
                    mask=mask,
                    kwargs=kwargs,
                    masks=masks,
                    compute=compute,
                )
                args = [_cast(a, compute or layer.settings.get("dtype")) for a in args]
                builder = find(layer.kind)
                assert builder is not None
                try:
                    results = builder(c, *args)
                except errors.OpError as error:
                    if layer.name not in error.message:
                        error.message = f"layer {layer.name!r} ({layer.kind}): {error.message}"
                    raise
                out_mask = c.out_mask if c.out_mask is not None else mask if layer.kind in _PASS_MASKS else None
        for i, tensor in enumerate(results if isinstance(results, list) else [results]):
            ref = configs.Ref(layer.name, node, i)
            self.made[ref] = tensor
            self.masks[ref] = out_mask

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, configs.Ref):
            return self.made[value]
        if isinstance(value, list):
            return [self._resolved(item) for item in value]
        return {k: self._resolved(v) for k, v in value.items()} if isinstance(value, dict) else value

    def _nested(self, layer: configs.Layer, args: list[Any]) -> list[Tensor]:
        inner = layer.model
        assert inner is not None
        own = weight_groups.of_nested(inner, self.weights.get(layer.name) or Weights(layer.name, []))
        if len(args) != len(inner.inputs):
            raise errors.DataLossError(f"model {layer.name!r} takes {len(inner.inputs)} inputs, got {len(args)}")
        maker = _Maker(inner, own, dict(zip(inner.inputs, args)))
        return [maker.place(ref) for ref in inner.outputs]


def _compute_dtype(said: Any) -> str | None:
    """Return the dtype that a policy computes in, None where that is the one of the weights."""
    if isinstance(said, dict) and isinstance(said.get("config"), dict):
        said = said["config"].get("name")
    return {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}.get(said) if isinstance(said, str) else None


def _cast(value: Any, dtype: Any) -> Any:
    """Return an input in the dtype that a layer computes in, as Keras casts numbers with a point."""
    if isinstance(dtype, dict) and isinstance(dtype.get("config"), dict):
        dtype = dtype["config"].get("name")
    if dtype not in ("float16", "bfloat16", "float32", "float64") or not isinstance(value, Tensor):
        return value
    if not value.dtype.is_floating or value.dtype.name == dtype:
        return value
    cast: Tensor = apply_op("Cast", value, DstT=dtype)
    return cast


# Layers that hand on which steps of their input count.
_PASS_MASKS = frozenset(
    ("Dense", "Activation", "Dropout", "SpatialDropout1D", "BatchNormalization", "LayerNormalization", "GaussianNoise")
    + ("GaussianDropout", "AlphaDropout", "ActivityRegularization", "ReLU", "LeakyReLU", "ELU", "PReLU", "Softmax")
    + ("Identity", "TimeDistributed", "Add", "Multiply", "Average", "Concatenate")
)


def _refs_in(value: Any) -> list[configs.Ref]:
    if isinstance(value, configs.Ref):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [ref for item in value for ref in _refs_in(item)] if isinstance(value, (list, tuple)) else []


def _input(layer: configs.Layer) -> Tensor:
    settings = layer.settings
    shape = settings.get("batch_input_shape") or settings.get("batch_shape")
    if shape is not None and not (
        isinstance(shape, (list, tuple)) and all(n is None or (isinstance(n, int) and n >= 0) for n in shape)
    ):
        raise errors.DataLossError(f"input {layer.name!r} has the shape {shape!r}")
    dtype = settings.get("dtype")
    if isinstance(dtype, dict):
        dtype = dtype.get("config", {}).get("name")
    return placeholder(dtype or "float32", shape, name=_NO_NAME.sub("_", os.path.basename(layer.name)))
