"""Models that TensorFlow exported before there were SavedModels, in 2016: `export.meta`, a V1 or V2 checkpoint
`export`, `assets/`.

Collections of the MetaGraphDef take the place of later fields:

    serving_signatures   any_list of one Signatures: 1 default_signature, 2 map named_signatures
    serving_assets       any_list of AssetFile: 1 tensor_binding, 2 filename
    serving_init_op      node_list of the op to run after restoring

    Signature            1 regression: 1 input, 2 output | 2 classification: 1 input, 2 classes, 3 scores
                         | 3 generic: 1 map of names to TensorBindings
    TensorBinding        1 tensor_name

`read` returns the MetaGraphDef with the fields that a SavedModel has for these. The generic signatures `inputs` and
`outputs` become the signature `serving_default`, unless a default is given.

Source: tensorflow/contrib/session_bundle/manifest.proto and README.md.
"""

from __future__ import annotations

from icefloe import errors
from icefloe.graph.graph_file import read_file
from icefloe.proto import MetaGraphDef, SignatureDef, TensorInfo
from icefloe.saved_models import constants
from icefloe.wire import message

_GRAPH_DEF = 2
_Parts = dict[int, list[bytes]]


def read(path: str) -> bytes:
    """Return the serialized MetaGraphDef of `export.meta`, with signatures, assets and init op of a SavedModel.

    Raises: DataLossError if it is damaged; DecodeError.
    """
    data = read_file(path)
    fields = list(message.fields(data))
    info = MetaGraphDef.FromString(b"".join(data[f.start : f.end] for f in fields if f.number != _GRAPH_DEF))
    graph = b"".join(data[f.start : f.end] for f in fields if f.number == _GRAPH_DEF)
    collections = info.collection_def
    if "serving_signatures" in collections and not info.signature_def:
        for item in collections["serving_signatures"].any_list.value[:1]:
            _add_signatures(info, item.value)
    if "serving_assets" in collections and not info.asset_file_def:
        for item in collections["serving_assets"].any_list.value:
            parts = _parts(item.value)
            asset = info.asset_file_def.add(filename=_text(parts, 2))
            asset.tensor_info.name = _text(_parts(_first(parts, 1)), 1)
    if "serving_init_op" in collections and constants.LEGACY_INIT_OP_KEY not in collections:
        collections[constants.LEGACY_INIT_OP_KEY].CopyFrom(collections["serving_init_op"])
    if not info.meta_info_def.tags:
        info.meta_info_def.tags.append(constants.SERVING)
    return graph + info.SerializeToString(deterministic=True)


def _parts(data: bytes) -> _Parts:
    out: _Parts = {}
    for f in message.fields(data):
        if f.wire_type == message.BYTES:
            out.setdefault(f.number, []).append(data[f.payload : f.end])
    return out


def _first(parts: _Parts, number: int) -> bytes:
    return parts.get(number, [b""])[0]


def _text(parts: _Parts, number: int) -> str:
    try:
        return _first(parts, number).decode()
    except UnicodeDecodeError:
        raise errors.DataLossError("a name in a serving collection is no UTF-8") from None


def _tensor(binding: bytes) -> TensorInfo:
    return TensorInfo(name=_text(_parts(binding), 1))


def _map(data: bytes) -> dict[str, bytes]:
    entries = [_parts(entry) for entry in _parts(data).get(1, [])]
    return {_text(entry, 1): _first(entry, 2) for entry in entries}


def _add_signatures(info: MetaGraphDef, data: bytes) -> None:
    parts = _parts(data)
    named = {}
    for entry in map(_parts, parts.get(2, [])):
        named[_text(entry, 1)] = _parts(_first(entry, 2))
    default = _parts(_first(parts, 1))
    for key, signature in named.items():
        _fill(info.signature_def[key], signature)
    if default:
        _fill(info.signature_def[constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY], default)
    if 3 in named.get("inputs", {}) and 3 in named.get("outputs", {}):
        # The pair stands for one generic call.
        del info.signature_def["inputs"], info.signature_def["outputs"]
        key = "predict" if default else constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        made = info.signature_def[key]
        made.method_name = constants.PREDICT_METHOD_NAME
        for field, name in ((made.inputs, "inputs"), (made.outputs, "outputs")):
            for tensor, binding in _map(_first(named[name], 3)).items():
                field[tensor].CopyFrom(_tensor(binding))


def _fill(signature: SignatureDef, parts: _Parts) -> None:
    if 1 in parts:
        inner = _parts(parts[1][0])
        signature.method_name = constants.REGRESS_METHOD_NAME
        signature.inputs[constants.REGRESS_INPUTS].CopyFrom(_tensor(_first(inner, 1)))
        signature.outputs[constants.REGRESS_OUTPUTS].CopyFrom(_tensor(_first(inner, 2)))
    elif 2 in parts:
        inner = _parts(parts[2][0])
        signature.method_name = constants.CLASSIFY_METHOD_NAME
        signature.inputs[constants.CLASSIFY_INPUTS].CopyFrom(_tensor(_first(inner, 1)))
        for number, key in ((2, constants.CLASSIFY_OUTPUT_CLASSES), (3, constants.CLASSIFY_OUTPUT_SCORES)):
            if number in inner:
                signature.outputs[key].CopyFrom(_tensor(inner[number][0]))
    elif 3 in parts:
        # Tensors by name, of which it is not said whether they go in or come out.
        signature.method_name = constants.PREDICT_METHOD_NAME
        for tensor, binding in _map(parts[3][0]).items():
            signature.outputs[tensor].CopyFrom(_tensor(binding))
