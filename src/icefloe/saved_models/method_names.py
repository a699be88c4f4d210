"""Other method names for the signatures of a SavedModel that is there already.

Source: tensorflow/python/saved_model/method_name_updater.py (rules and messages).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from google.protobuf import text_format

from icefloe import errors
from icefloe.proto import POOL
from icefloe.saved_models import constants
from icefloe.saved_models.loader import parse_saved_model
from icefloe.saver.meta_files import write_atomically


class MethodNameUpdater:
    """Replaces method names, such as `tensorflow/serving/predict`, and writes the SavedModel's file.

        updater = icefloe.saved_model.signature_def_utils.MethodNameUpdater("export/1")
        updater.replace_method_name("serving_default", "tensorflow/serving/regress", tags="serve")
        updater.save()

    Raises: OSError if there is no SavedModel or it is damaged.
    """

    def __init__(self, export_dir: str | os.PathLike[str]) -> None:
        self._export_dir = os.fsdecode(export_dir)
        self._saved_model = parse_saved_model(export_dir)

    def replace_method_name(
        self, signature_key: str, method_name: str, tags: str | Iterable[str] | None = None
    ) -> None:
        """Give a signature another method name, in the graph with just these tags; None is in all graphs.

        Raises: ValueError if a name is empty or there is no such graph or signature; then nothing is changed.
        """
        for name, value in (("signature_key", signature_key), ("method_name", method_name)):
            if not value:
                raise errors.InvalidArgumentError(f"`{name}` must be defined.")
        wanted = None if tags is None else [tags] if isinstance(tags, str) else list(tags)
        chosen = [
            graph
            for graph in self._saved_model.meta_graphs
            if wanted is None or set(graph.meta_info_def.tags) == set(wanted)
        ]
        if not chosen:
            raise errors.InvalidArgumentError(
                f"MetaGraphDef associated with tags {wanted} could not be found in SavedModel. This means either you "
                "specified invalid tags or your SavedModel does not have a MetaGraphDef with the specified tags."
            )
        if any(signature_key not in graph.signature_def for graph in chosen):
            raise errors.InvalidArgumentError(
                f"MetaGraphDef associated with tags {wanted} does not have a signature_def with key: "
                f"'{signature_key}'. This means either you specified the wrong signature key or forgot to put the "
                "signature_def with the corresponding key in your SavedModel."
            )
        for graph in chosen:
            graph.signature_def[signature_key].method_name = method_name

    def save(self, new_export_dir: str | os.PathLike[str] | None = None) -> None:
        """Write the file, as text where the SavedModel has text, to `new_export_dir`; None is in place of the old one.

        Variables and assets are not copied.

        Raises: NotFoundError, PermissionDeniedError and others as the system says.
        """
        directory = self._export_dir if not new_export_dir else os.fsdecode(new_export_dir)
        text = os.path.join(self._export_dir, constants.SAVED_MODEL_FILENAME_PBTXT)
        if os.path.isfile(text):
            data = text_format.MessageToString(self._saved_model, descriptor_pool=POOL).encode()
            write_atomically(os.path.join(directory, constants.SAVED_MODEL_FILENAME_PBTXT), data)
        else:
            data = self._saved_model.SerializeToString(deterministic=True)
            write_atomically(os.path.join(directory, constants.SAVED_MODEL_FILENAME_PB), data)
