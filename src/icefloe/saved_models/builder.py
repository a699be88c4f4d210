"""Writing SavedModels: the builders and `simple_save`. What they write loads in TensorFlow and can be served.

    builder = icefloe.saved_model.Builder("export/1")
    with icefloe.Session(graph=graph) as sess:
        builder.add_meta_graph_and_variables(sess, ["serve"], signature_def_map={"serving_default": signature})
    builder.save()

Source: tensorflow/python/saved_model/builder_impl.py, simple_save.py (rules, messages and bytes).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import EncodeError

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.graph.collections import GraphKeys
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import (
    POOL,
    AssetFileDef,
    MetaGraphDef,
    SavedModel,
    SaverDef,
    TensorInfo,
    cast_message,
    message_class,
)
from icefloe.proto import SignatureDef as SignatureDefProto
from icefloe.saved_models import assets, constants
from icefloe.saved_models.signatures import op_signature_def, predict_signature_def
from icefloe.saver.meta_files import write_atomically
from icefloe.saver.saver import Saver, _all_saveable_objects

_LOG = logging.getLogger("icefloe")
_ANY = message_class("google.protobuf.Any")


class ExportDirectoryError(errors.AlreadyExistsError, AssertionError):
    """The directory to write a SavedModel to is not empty."""


class BuilderOrderError(errors.FailedPreconditionError, AssertionError):
    """The methods of a builder were called in an order that cannot be."""


class SignatureError(errors.InvalidArgumentError, AssertionError):
    """A signature lacks what it needs to be served."""


class _Builder:
    """What both builders have in common."""

    def __init__(self, export_dir: str | os.PathLike[str]) -> None:
        self._export_dir = os.fsdecode(export_dir)
        self._saved_model = SavedModel(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
        self._has_saved_variables = False
        self._copied: set[str] = set()
        if os.path.lexists(self._export_dir):
            if not os.path.isdir(self._export_dir) or os.listdir(self._export_dir):
                raise ExportDirectoryError(
                    f"Export directory {self._export_dir} already exists, and isn't empty. Please choose a different "
                    "export directory, or delete all the contents of the specified directory."
                )
        else:
            files.make_directory(self._export_dir)

    def _begin(self, signature_def_map: Mapping[str, Any] | None, *, variables: bool) -> dict[str, Any]:
        if variables and self._has_saved_variables:
            raise BuilderOrderError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        if not variables and not self._has_saved_variables:
            raise BuilderOrderError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        signatures = {k: cast_message(v, SignatureDefProto) for k, v in (signature_def_map or {}).items()}
        for signature in signatures.values():
            for info in (*signature.inputs.values(), *signature.outputs.values()):
                _check_tensor_info(info)
        for key, what in (
            (constants.INIT_OP_SIGNATURE_KEY, "initialization"),
            (constants.TRAIN_OP_SIGNATURE_KEY, "the train op"),
        ):
            if key in signatures:
                raise KeyError(f'SignatureDef map key "{key}" is reserved for {what}. Please use a different key.')
        return signatures

    @staticmethod
    def _saver(saver: Saver | None) -> Saver:
        if saver is not None:
            return saver
        return Saver(_all_saveable_objects(), sharded=True, write_version=SaverDef.V2, allow_empty=True)

    def _save_variables(self, sess: Any, saver: Saver) -> None:
        directory = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        files.make_directory(directory)
        path = os.path.join(directory, constants.VARIABLES_FILENAME)
        saver.save(sess, path, write_meta_graph=False, write_state=False)

    def _add(self, made: MetaGraphDef, tags: Iterable[str], signatures: Mapping[str, Any]) -> None:
        made.meta_info_def.tags.extend(tags)
        for key, signature in signatures.items():
            made.signature_def[key].CopyFrom(signature)
        self._saved_model.meta_graphs.append(made)

    def save(
        self,
        as_text: bool = False,
        experimental_image_format: bool = False,
        experimental_image_writer_options: str | None = None,
    ) -> bytes:
        """Write `saved_model.pb`, or `saved_model.pbtxt` if `as_text`; return the path, in bytes as TensorFlow does.

        Raises: UnimplementedError for `experimental_image_format`; InvalidArgumentError if it is larger than 2 GiB.
        """
        if experimental_image_format:
            raise errors.UnimplementedError("writing a SavedModel in chunks (experimental_image_format)")
        if as_text:
            name = constants.SAVED_MODEL_FILENAME_PBTXT
            data = text_format.MessageToString(self._saved_model, descriptor_pool=POOL).encode()
        else:
            name = constants.SAVED_MODEL_FILENAME_PB
            try:
                data = self._saved_model.SerializeToString(deterministic=True)
            except (EncodeError, ValueError) as error:
                raise errors.InvalidArgumentError(f"the SavedModel cannot be larger than 2 GiB: {error}") from None
        files.make_directory(self._export_dir)
        path = os.path.join(self._export_dir, name)
        write_atomically(path, data)
        _LOG.info("SavedModel written to: %s", path)
        return os.fsencode(path)


class SavedModelBuilder(_Builder):
    """Writes a SavedModel: graphs told apart by their tags, which share one checkpoint of variables, and asset files.

    export_dir: a directory that does not exist or is empty; it is made.

    Raises: AssertionError, an AlreadyExistsError too, if it is not empty.
    """

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Add the graph of `sess` and save its variables. Once, before `add_meta_graph`.

        signature_def_map: SignatureDefs by name. assets_collection: string constants that hold paths of files, which
        are copied. main_op: runs after variables are restored; legacy_init_op is its older name. clear_devices,
        strip_default_attrs: as in `export_meta_graph`. saver: saves the variables; None is one of all of them.

        Raises: AssertionError for a second call or a signature that names no tensors; KeyError for a reserved
        signature name; TypeError, ValueError for an init op or assets that do not fit; the errors of saving.
        """
        signatures = self._begin(signature_def_map, variables=True)
        with sess.graph.as_default():
            self._add_collections(assets_collection, main_op if main_op is not None else legacy_init_op)
            chosen = self._saver(saver)
            self._save_variables(sess, chosen)
            made = chosen.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        self._add(made, tags, signatures)
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Add the default graph, for the variables that were saved before; arguments as
        `add_meta_graph_and_variables`.

        Raises: AssertionError if no variables have been saved; else as there.
        """
        signatures = self._begin(signature_def_map, variables=False)
        self._add_collections(assets_collection, main_op if main_op is not None else legacy_init_op)
        made = self._saver(saver).export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        self._add(made, tags, signatures)

    def _add_collections(self, assets_collection: Iterable[Any] | None, main_op: Operation | None) -> None:
        graph = get_default_graph()
        found = assets.named(assets_collection)
        for name, _, tensor in found:
            asset = AssetFileDef(filename=name, tensor_info=TensorInfo(name=tensor.name))
            packed = _ANY(
                type_url=f"type.googleapis.com/{AssetFileDef.DESCRIPTOR.full_name}",
                value=asset.SerializeToString(deterministic=True),
            )
            graph.add_to_collection(constants.ASSETS_KEY, packed)
        assets.copy_all(found, self._export_dir, self._copied)
        if main_op is None:
            return
        if not isinstance(main_op, Operation):
            raise TypeError(f"Expected {main_op} to be an Operation but got type {type(main_op)} instead.")
        for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
            if graph.get_collection(key):
                raise ValueError(f"Graph already contains one or more main ops under the collection {key}.")
        graph.add_to_collection(constants.MAIN_OP_KEY, main_op)


class SignatureSavedModelBuilder(_Builder):
    """The same with assets in fields of the MetaGraphDef and the init and train ops in signatures of their own."""

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Iterable[Any] | None = None,
        clear_devices: bool = False,
        init_op: Operation | Tensor | None = None,
        train_op: Operation | Tensor | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Add the graph of `sess` and save its variables; see `SavedModelBuilder`.

        assets_list: as `assets_collection` there. init_op: runs after variables are restored. train_op: is named
        only.
        """
        signatures = self._begin(signature_def_map, variables=True)
        _add_ops(signatures, init_op, train_op)
        with sess.graph.as_default():
            chosen = self._saver(saver)
            self._save_variables(sess, chosen)
            made = chosen.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        self._add_assets(made, assets_list)
        self._add(made, tags, signatures)
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Iterable[Any] | None = None,
        clear_devices: bool = False,
        init_op: Operation | Tensor | None = None,
        train_op: Operation | Tensor | None = None,
        saver: Saver | None = None,
    ) -> None:
        """Add the default graph, without attrs that equal their default; see `SavedModelBuilder`."""
        signatures = self._begin(signature_def_map, variables=False)
        _add_ops(signatures, init_op, train_op)
        made = self._saver(saver).export_meta_graph(clear_devices=clear_devices, strip_default_attrs=True)
        self._add_assets(made, assets_list)
        self._add(made, tags, signatures)

    def _add_assets(self, made: MetaGraphDef, tensors: Iterable[Any] | None) -> None:
        found = assets.named(tensors)
        for name, _, tensor in found:
            made.asset_file_def.add(filename=name).tensor_info.name = tensor.name
        assets.copy_all(found, self._export_dir, self._copied)


def _add_ops(signatures: dict[str, Any], init_op: Any, train_op: Any) -> None:
    for op, key in ((init_op, constants.INIT_OP_SIGNATURE_KEY), (train_op, constants.TRAIN_OP_SIGNATURE_KEY)):
        if op is not None:
            signatures[key] = op_signature_def(op, key)


def _check_tensor_info(info: TensorInfo) -> None:
    encoding = info.WhichOneof("encoding")
    if encoding is None:
        raise SignatureError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must have one of the "
            "'encoding' fields (e.g., name or coo_sparse) set."
        )
    if encoding == "composite_tensor":
        for component in info.composite_tensor.components:
            _check_tensor_info(component)
    elif not info.dtype:
        raise SignatureError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must have the dtype field "
            "set."
        )


def simple_save(
    session: Any,
    export_dir: str | os.PathLike[str],
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Operation | None = None,
) -> None:
    """Write the session's graph and variables as a SavedModel for serving: tag `serve`, signature `serving_default`.

        icefloe.saved_model.simple_save(sess, "export/1", inputs={"x": x}, outputs={"y": y})

    inputs, outputs: tensors by the names that the signature gives them. legacy_init_op: runs after restoring. Devices
    are left out; the files of the collection `asset_filepaths` are copied.

    Raises: as `SavedModelBuilder`; ValueError if there are no inputs or outputs.
    """
    signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        tags=[constants.SERVING],
        signature_def_map={constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=session.graph.get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()
