"""What brings the graph of a SavedModel to life: the op to run after restoring, and the files of its assets.

The op is looked for in this order: signature `__saved_model_init_op`, collection `saved_model_main_op`, collection
`legacy_init_op`. Assets are listed in the MetaGraphDef, or by TF1 in the collection `saved_model_assets`.

Source: tensorflow/python/saved_model/loader_impl.py.
"""

from __future__ import annotations

import os
from typing import Any

from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.graph.naming import prepend_name_scope
from icefloe.proto import AssetFileDef, MetaGraphDef
from icefloe.saved_models import constants


class InitOpError(errors.InvalidArgumentError, RuntimeError):
    """A SavedModel does not say clearly which op to run."""


def asset_files(info: MetaGraphDef) -> dict[str, str]:
    """Return the file name of each asset by the name of the tensor that holds its path.

    Raises: DataLossError if the collection holds something else.
    """
    assets = list(info.asset_file_def)
    if not assets and constants.ASSETS_KEY in info.collection_def:
        for item in info.collection_def[constants.ASSETS_KEY].any_list.value:
            try:
                assets.append(AssetFileDef.FromString(item.value))
            except DecodeError as error:
                raise errors.DataLossError(f"collection {constants.ASSETS_KEY!r}: no AssetFileDef: {error}") from None
    return {asset.tensor_info.name: asset.filename for asset in assets}


def asset_paths(info: MetaGraphDef, directory: str, import_scope: str | None = None) -> dict[str, str]:
    """Return what to feed: the path of each asset's file by the name of its tensor. Raises: as `asset_files`."""
    folder = os.path.join(directory, constants.ASSETS_DIRECTORY)
    return {
        prepend_name_scope(tensor, import_scope): os.path.join(folder, filename)
        for tensor, filename in asset_files(info).items()
    }


def element_of_signature(info: MetaGraphDef, key: str, graph: Graph, import_scope: str | None = None) -> Any:
    """Return the operation or tensor that the signature `key` names; None if there is no such signature.

    Raises: NotFoundError if the graph has nothing of that name.
    """
    if key not in info.signature_def:
        return None
    name = prepend_name_scope(info.signature_def[key].outputs[key].name, import_scope)
    try:
        return graph.as_graph_element(name)
    except (KeyError, ValueError):
        raise errors.NotFoundError(
            f'The key "{key}" could not be found in the graph. Please make sure the SavedModel was created by the '
            "internal _SavedModelBuilder. If you are using the public API, please make sure the SignatureDef in the "
            f'SavedModel does not contain the key "{key}".'
        ) from None


def element_of_collection(info: MetaGraphDef, key: str, graph: Graph) -> Any:
    """Return the one item of the collection `key` that was imported from `info`, None if it has no such collection.

    Raises: InvalidArgumentError, a RuntimeError too, if there are several.
    """
    if key not in info.collection_def:
        return None
    names = list(info.collection_def[key].node_list.value)
    found = graph.get_collection(key)
    if len(names) != 1 or not found:
        raise InitOpError(f"Expected exactly one SavedModel init op. Found {len(names)}: {names}.")
    return found[0]


def init_op_of(info: MetaGraphDef, graph: Graph, import_scope: str | None = None) -> Any:
    """Return the operation or tensor to run once variables are restored, or None. Raises: as the functions above."""
    found = element_of_signature(info, constants.INIT_OP_SIGNATURE_KEY, graph, import_scope)
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if found is None:
            found = element_of_collection(info, key, graph)
    return found


def train_op_of(info: MetaGraphDef, graph: Graph, import_scope: str | None = None) -> Any:
    """Return the operation or tensor that trains the model, or None. Raises: as `init_op_of`."""
    found = element_of_signature(info, constants.TRAIN_OP_SIGNATURE_KEY, graph, import_scope)
    return element_of_collection(info, constants.TRAIN_OP_KEY, graph) if found is None else found
