"""What is in a SavedModel, without loading it."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.checkpoint.locating.resolve import resolve
from icefloe.proto import FingerprintDef, MetaGraphDef, SavedObjectGraph
from icefloe.saved_models import constants
from icefloe.saved_models.initialization import asset_files
from icefloe.saved_models.reading import Path, StoredGraph, StoredModel, read_saved_model
from icefloe.wire import message

_GRAPH_DEF, _NODE, _LIBRARY, _FUNCTION = 2, 1, 2, 1


@dataclass(frozen=True, slots=True)
class GraphDescription:
    """One graph of a SavedModel.

    tags: in the order of the file. nodes, functions: how many. signatures: their names. init_op: what runs after
    restoring, None where nothing does. assets: file names by the tensors that hold their paths. objects: how many of
    each kind its object graph has; empty for TensorFlow 1. calls: paths of the functions in that.
    """

    tags: tuple[str, ...]
    nodes: int
    functions: int
    tensorflow_version: str
    signatures: tuple[str, ...]
    init_op: str | None
    saver: str | None
    assets: dict[str, str]
    objects: dict[str, int]
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SavedModelDescription:
    """A SavedModel as it is stored.

    path: the file. variables: the checkpoint, None where there is none. fingerprint: the uuid in `fingerprint.pb`.
    hub_module: whether a `tfhub_module.pb` says that it is a module of TensorFlow Hub.
    """

    directory: str
    path: str
    graphs: tuple[GraphDescription, ...]
    variables: str | None
    fingerprint: str | None
    hub_module: bool

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return asdict(self)


def describe_saved_model(directory: Path) -> SavedModelDescription:
    """Return what the SavedModel in `directory` holds.

    Raises: NotFoundError, DataLossError, InvalidArgumentError as `load_saved_model`.
    """
    model = read_saved_model(directory)
    try:
        graphs = tuple(map(_describe, model.graphs))
    except errors.OpError as error:
        raise error.add_context(path=model.path) from None
    return SavedModelDescription(
        model.directory,
        model.path,
        graphs,
        _variables(model),
        _fingerprint(model.directory),
        os.path.isfile(os.path.join(model.directory, "tfhub_module.pb")),
    )


def _describe(stored: StoredGraph) -> GraphDescription:
    from icefloe.saved_models.functions import function_paths

    info = stored.info
    nodes, functions = _counts(stored.data)
    internal = (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY)
    return GraphDescription(
        tags=stored.tags,
        nodes=nodes,
        functions=functions,
        tensorflow_version=info.meta_info_def.tensorflow_version,
        signatures=tuple(sorted(key for key in info.signature_def if key not in internal)),
        init_op=_init_op(info),
        saver=info.saver_def.restore_op_name or None,
        assets=asset_files(info),
        objects=_kinds(info.object_graph_def),
        calls=tuple(function_paths(info.object_graph_def)),
    )


def _counts(data: bytes) -> tuple[int, int]:
    """Return how many nodes and functions a serialized MetaGraphDef has."""
    nodes = functions = 0
    for graph in message.fields(data):
        if graph.number != _GRAPH_DEF or graph.wire_type != message.BYTES:
            continue
        for f in message.fields(data, graph.payload, graph.end):
            if f.number == _NODE:
                nodes += 1
            elif f.number == _LIBRARY and f.wire_type == message.BYTES:
                functions += sum(g.number == _FUNCTION for g in message.fields(data, f.payload, f.end))
    return nodes, functions


def _init_op(info: MetaGraphDef) -> str | None:
    key = constants.INIT_OP_SIGNATURE_KEY
    if key in info.signature_def and key in info.signature_def[key].outputs:
        return str(info.signature_def[key].outputs[key].name)
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key in info.collection_def and info.collection_def[key].node_list.value:
            return str(info.collection_def[key].node_list.value[0])
    return None


def _kinds(objects: SavedObjectGraph) -> dict[str, int]:
    return dict(Counter(node.WhichOneof("kind") or "none" for node in objects.nodes).most_common())


def _variables(model: StoredModel) -> str | None:
    try:
        return resolve(model.variables).prefix
    except errors.OpError:
        return None


def _fingerprint(directory: str) -> str | None:
    path = os.path.join(directory, constants.FINGERPRINT_FILENAME)
    try:
        with open(path, "rb") as file:
            return FingerprintDef.FromString(file.read(1 << 16)).uuid or None
    except (OSError, DecodeError):
        return None
