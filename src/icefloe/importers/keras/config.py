"""The configuration of a Keras model, of any version, as layers and how they call each other.

    Keras 1, 2   "inbound_nodes": [[["dense", 0, 0, {}], ...], ...]
    Keras 3      "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__", ...}], "kwargs": {}}, ...]

Names that Keras 1 had for layers and settings become those of Keras 2. Source: keras/src/models/functional.py,
keras/src/legacy (fields).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from icefloe import errors


@dataclass(frozen=True, slots=True)
class Ref:
    """Result `tensor` of call `node` of a layer."""

    layer: str
    node: int
    tensor: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a layer: `args` and `kwargs` hold Refs, in lists too, and plain values."""

    args: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer: its class, name, settings, its calls in order, and the model inside where it is one."""

    kind: str
    name: str
    settings: dict[str, Any]
    calls: list[Call]
    model: Model | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A model. inputs, outputs: Refs, in lists or dicts as the model takes and gives them."""

    name: str
    layers: list[Layer]
    inputs: list[Ref]
    outputs: list[Ref]
    version: int

    def layer(self, name: str) -> Layer:
        """Return the layer of this name. Raises: DataLossError if there is none."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise errors.DataLossError(f"model {self.name!r} has no layer {name!r}")


MODELS = frozenset(("Sequential", "Model", "Functional", "Graph"))
_KINDS = {
    "Convolution1D": "Conv1D",
    "Convolution2D": "Conv2D",
    "Convolution3D": "Conv3D",
    "AtrousConvolution1D": "Conv1D",
    "AtrousConvolution2D": "Conv2D",
    "Deconvolution2D": "Conv2DTranspose",
    "SeparableConvolution1D": "SeparableConv1D",
    "SeparableConvolution2D": "SeparableConv2D",
    "MaxPool1D": "MaxPooling1D",
    "MaxPool2D": "MaxPooling2D",
    "MaxPool3D": "MaxPooling3D",
    "AvgPool1D": "AveragePooling1D",
    "AvgPool2D": "AveragePooling2D",
    "AvgPool3D": "AveragePooling3D",
    "GlobalMaxPool1D": "GlobalMaxPooling1D",
    "GlobalMaxPool2D": "GlobalMaxPooling2D",
    "GlobalMaxPool3D": "GlobalMaxPooling3D",
    "GlobalAvgPool1D": "GlobalAveragePooling1D",
    "GlobalAvgPool2D": "GlobalAveragePooling2D",
    "GlobalAvgPool3D": "GlobalAveragePooling3D",
    "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization",
    "Convolution2DTranspose": "Conv2DTranspose",
    "CuDNNLSTM": "LSTM",
    "CuDNNGRU": "GRU",
}
# Settings of Keras 1 -> of Keras 2.
_SETTINGS = {
    "output_dim": "units",
    "nb_filter": "filters",
    "border_mode": "padding",
    "subsample": "strides",
    "subsample_length": "strides",
    "bias": "use_bias",
    "atrous_rate": "dilation_rate",
    "pool_length": "pool_size",
    "stride": "strides",
    "p": "rate",
    "inner_activation": "recurrent_activation",
}


def parse(data: Any, version: int) -> Model:
    """Return the model that a configuration describes. version: that of Keras which wrote it, 1, 2 or 3.

    Raises: DataLossError if it is none; UnimplementedError for models that are neither Sequential nor Functional.
    """
    if not isinstance(data, dict) or not isinstance(data.get("class_name"), str):
        raise errors.DataLossError("the configuration of the model has no class_name")
    try:
        return _parse(data, version)
    except errors.OpError:
        raise
    except (TypeError, AttributeError, ValueError, KeyError, IndexError, RecursionError, OverflowError) as error:
        raise errors.DataLossError(f"the configuration is not as Keras writes it: {error}") from None


def _parse(data: dict[str, Any], version: int) -> Model:
    kind, config = data["class_name"], data.get("config")
    if kind not in MODELS and not _looks_functional(config):
        raise errors.UnimplementedError(
            f"a model of class {kind!r}: only Sequential and Functional models describe their layers"
        )
    if kind == "Sequential":
        return _sequential(config, version)
    if not isinstance(config, dict) or not isinstance(config.get("layers"), list):
        raise errors.DataLossError(f"model of class {kind!r} lists no layers")
    layers = [_layer(item, version) for item in config["layers"]]
    inputs = _refs(config.get("input_layers"))
    outputs = _refs(config.get("output_layers"))
    if not inputs or not outputs:
        raise errors.DataLossError("the configuration of the model names no inputs or no outputs")
    return Model(str(config.get("name", "model")), layers, inputs, outputs, version)


def _looks_functional(config: Any) -> bool:
    return isinstance(config, dict) and {"layers", "input_layers", "output_layers"} <= config.keys()


def _layer(item: Any, version: int) -> Layer:
    if not isinstance(item, dict) or not isinstance(item.get("class_name"), str):
        raise errors.DataLossError("a layer of the model has no class_name")
    kind = _KINDS.get(str(item["class_name"]), str(item["class_name"]))
    if str(item.get("module", "")).startswith("keras.src.ops"):
        kind = f"ops.{item['class_name']}"
    settings = item.get("config")
    settings = settings if isinstance(settings, dict) else {}
    inner = None
    if item["class_name"] in MODELS or (_looks_functional(settings) and kind not in ("TimeDistributed",)):
        inner = parse(item, version)
    name: Any = item.get("name") or settings.get("name") or (inner.name if inner is not None else kind)
    if not isinstance(name, str):
        raise errors.DataLossError(f"a layer of class {kind!r} has the name {name!r}")
    calls = [_call(node) for node in item.get("inbound_nodes") or ()]
    return Layer(kind, str(name), modern(kind, settings, version), calls, inner)


def wrapped(item: Any, version: int) -> Layer:
    """Return the layer inside of a wrapper. Raises: DataLossError if it is none."""
    return _layer(item, version)


def modern(kind: str, settings: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the settings of a layer as Keras 2 calls them."""
    if version >= 2:
        return settings
    made = {_SETTINGS.get(key, key): value for key, value in settings.items()}
    if "filter_length" in made:
        made["kernel_size"] = [made["filter_length"]]
    sizes = [made[key] for key in ("nb_row", "nb_col") if key in made]
    if sizes:
        made["kernel_size"] = sizes
    if "dim_ordering" in made:
        made["data_format"] = "channels_first" if made["dim_ordering"] == "th" else "channels_last"
    if kind == "Embedding" and "units" in made:
        made["output_dim"] = made["units"]
    if made.get("rate") is not None and kind == "Dropout":
        made["rate"] = made["rate"]
    return made


def _call(node: Any) -> Call:
    if isinstance(node, dict):
        args = node.get("args")
        kwargs = node.get("kwargs")
        return Call([_argument(a) for a in args or ()], {k: _argument(v) for k, v in (kwargs or {}).items()})
    if not isinstance(node, list):
        raise errors.DataLossError(f"a call of a layer is described by a {type(node).__name__}")
    if node and isinstance(node[0], str):  # one tensor, without the list around
        node = [node]
    refs: list[Any] = []
    kwargs = {}
    for entry in node:
        if not isinstance(entry, list) or len(entry) < 3:
            raise errors.DataLossError(f"a layer is called on {entry!r}, which is no tensor of a layer")
        refs.append(entry[2] if entry[0] == "_CONSTANT_VALUE" else _ref(entry))
        if len(entry) > 3 and isinstance(entry[3], dict):
            kwargs.update({k: _old_argument(v) for k, v in entry[3].items()})
    return Call([refs if len(refs) != 1 else refs[0]], kwargs)


def _argument(value: Any) -> Any:
    """Return an argument of Keras 3 with Refs in the place of tensors."""
    if isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__":
            return _ref(value.get("config", {}).get("keras_history"))
        return {key: _argument(item) for key, item in value.items()}
    return [_argument(item) for item in value] if isinstance(value, list) else value


def _old_argument(value: Any) -> Any:
    """Return an argument of Keras 2 with Refs in the place of tensors."""
    if isinstance(value, list):
        if len(value) in (3, 4) and isinstance(value[0], str) and all(isinstance(n, int) for n in value[1:3]):
            return value[2] if value[0] == "_CONSTANT_VALUE" else _ref(value)
        return [_old_argument(item) for item in value]
    return value


def _ref(entry: Any) -> Ref:
    good = isinstance(entry, (list, tuple)) and len(entry) >= 3 and isinstance(entry[0], str)
    if not good or not all(isinstance(n, int) and n >= 0 for n in entry[1:3]):
        raise errors.DataLossError(f"expected a layer's name and two numbers, got {str(entry)[:100]}")
    return Ref(entry[0], entry[1], entry[2])


def _refs(entries: Any) -> list[Ref]:
    if isinstance(entries, dict):
        return [ref for key in entries for ref in _refs(entries[key])]
    if not isinstance(entries, list):
        return []
    if entries and isinstance(entries[0], str):
        return [_ref(entries)]
    return [ref for entry in entries for ref in _refs(entry)]


def _sequential(config: Any, version: int) -> Model:
    items = config.get("layers") if isinstance(config, dict) else config
    if not isinstance(items, list) or not items:
        raise errors.DataLossError("a Sequential model lists no layers")
    layers = [_layer(item, version) for item in items]
    name = str(config.get("name", "sequential")) if isinstance(config, dict) else "sequential"
    if layers[0].kind != "InputLayer":
        layers.insert(0, _input_of(layers[0], config, name))
    chain: list[Layer] = [layers[0]]
    for before, layer in itertools.pairwise(layers):
        calls = [Call([Ref(before.name, 0, 0)])]
        chain.append(Layer(layer.kind, layer.name, layer.settings, calls, layer.model))
    return Model(name, chain, [Ref(chain[0].name, 0, 0)], [Ref(chain[-1].name, 0, 0)], version)


def _input_of(layer: Layer, config: Any, name: str) -> Layer:
    """Return an InputLayer for a Sequential model that has none: by the shape that its first layer tells."""
    settings = layer.settings
    shape = settings.get("batch_input_shape") or settings.get("batch_shape")
    dtype = settings.get("dtype")
    inside = settings.get("layer")
    if shape is None and isinstance(inside, dict) and isinstance(inside.get("config"), dict):
        shape = inside["config"].get("batch_input_shape")
    if shape is None and isinstance(config, dict):
        shape = config.get("build_input_shape")
    if shape is None and layer.model is not None:
        first = layer.model.layer(layer.model.inputs[0].layer).settings
        shape, dtype = first.get("batch_input_shape") or first.get("batch_shape"), first.get("dtype")
    if shape is None and isinstance(settings.get("input_dim"), int):
        length = settings.get("input_length")
        shape = [None, length] if layer.kind == "Embedding" else [None, settings["input_dim"]]
    made = {"batch_input_shape": shape, "dtype": "float32" if isinstance(dtype, dict) or not dtype else dtype}
    return Layer("InputLayer", f"{layer.name}_input", made, [])
