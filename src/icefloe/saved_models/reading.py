"""A SavedModel's file, whichever it is: the graphs in it with their tags, each as the bytes of a MetaGraphDef.

saved_model.pb      a SavedModel, binary; text in it is read too
saved_model.pbtxt   the same as text
saved_model.cpb     the same in chunks (`chunked`)
export.meta         what TensorFlow exported before SavedModels, in 2016 (`session_bundle`)
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.graph import sniff
from icefloe.graph.graph_file import read_file
from icefloe.proto import POOL, MetaGraphDef
from icefloe.proto import SavedModel as SavedModelProto
from icefloe.saved_models import constants
from icefloe.wire import message, riegeli

Path = str | os.PathLike[str]

FILENAMES = (
    constants.SAVED_MODEL_FILENAME_PB,
    constants.SAVED_MODEL_FILENAME_PBTXT,
    constants.SAVED_MODEL_FILENAME_CPB,
)
SESSION_BUNDLE = "export.meta"
_META_GRAPHS = 2
_GRAPH_DEF = 2


class MissingSavedModelError(errors.NotFoundError, OSError):
    """There is no SavedModel in a directory."""


class DamagedSavedModelError(errors.DataLossError, OSError):
    """The file of a SavedModel is damaged."""


class WrongSavedModelError(errors.InvalidArgumentError, OSError):
    """The file of a SavedModel is something else."""


class MissingTagsError(errors.NotFoundError, RuntimeError):
    """A SavedModel has no graph of these tags."""


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """One graph of a SavedModel.

    tags: in the order of the file. data: the whole MetaGraphDef, serialized. info: the same without its nodes.
    """

    tags: tuple[str, ...]
    data: bytes
    info: MetaGraphDef

    def message(self) -> MetaGraphDef:
        """Return the whole MetaGraphDef. Raises: DataLossError if it cannot be parsed."""
        try:
            return MetaGraphDef.FromString(self.data)
        except DecodeError as error:
            raise errors.DataLossError(f"not a MetaGraphDef: {error}") from None


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A SavedModel as it is stored. path: the file that was read; directory: where variables and assets are."""

    directory: str
    path: str
    graphs: tuple[StoredGraph, ...]

    @property
    def variables(self) -> str:
        """The prefix of the checkpoint that holds the variables."""
        if os.path.basename(self.path) == SESSION_BUNDLE:
            return self.path.removesuffix(".meta")
        return os.path.join(self.directory, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)

    def choose(self, tags: Iterable[str] | None = None) -> StoredGraph:
        """Return the graph with just these tags.

        tags: None is the only graph, else that for serving: tagged `serve` alone, or with as few others as may be.

        Raises: NotFoundError with the tags that there are; it is a RuntimeError too, as TensorFlow's.
        """
        if tags is not None:
            wanted = {tags} if isinstance(tags, str) else set(tags)
            for graph in self.graphs:
                if set(graph.tags) == wanted:
                    return graph
            raise self._missing_tags(f"no graph with the tags {_listed(sorted(wanted))}")
        if len(self.graphs) == 1:
            return self.graphs[0]
        serving = [graph for graph in self.graphs if constants.SERVING in graph.tags]
        if not serving:
            raise self._missing_tags(f"{len(self.graphs)} graphs, none of them tagged {constants.SERVING!r}: say which")
        return min(serving, key=lambda graph: len(set(graph.tags)))

    def _missing_tags(self, what: str) -> MissingTagsError:
        available = "; ".join(_listed(graph.tags) for graph in self.graphs) or "none"
        return MissingTagsError(f"{what}; the tags in this SavedModel are: {available}", path=self.path or None)


def _listed(tags: Sequence[str]) -> str:
    return ", ".join(tags) if tags else "(no tags)"


def find_file(directory: Path) -> str | None:
    """Return the path of the SavedModel's file in `directory`, None if there is none."""
    for name in FILENAMES:
        path = os.path.join(os.fspath(directory), name)
        if os.path.isfile(path):
            return path
    return None


def read_saved_model(directory: Path) -> StoredModel:
    """Return what the SavedModel in `directory` holds; the path of its file will do.

    Raises: NotFoundError if there is none; DataLossError if it is damaged; InvalidArgumentError if it is something
    else, which is named. All three are OSErrors too.
    """
    text = os.path.expanduser(os.fsdecode(directory))
    if os.path.isfile(text):
        path, text = text, os.path.dirname(text)
    else:
        found = find_file(text)
        if found is None and os.path.isfile(os.path.join(text, SESSION_BUNDLE)):
            found = os.path.join(text, SESSION_BUNDLE)
        if found is None:
            raise _nothing(text)
        path = found
    try:
        if os.path.basename(path) == SESSION_BUNDLE:
            from icefloe.saved_models import session_bundle

            return StoredModel(text, path, (_stored(session_bundle.read(path)),))
        return StoredModel(text, path, tuple(map(_stored, _meta_graphs(_serialized(path)))))
    except (errors.DataLossError, DecodeError) as error:
        reason = error.message if isinstance(error, errors.DataLossError) else str(error)
        raise DamagedSavedModelError(f"Cannot parse file {path}: {reason}") from None
    except errors.InvalidArgumentError as error:
        raise WrongSavedModelError(f"Cannot parse file {path}: {error.message}", hint=error.hint) from None
    except errors.OpError as error:
        raise error.add_context(path=path) from None


def _nothing(directory: str) -> MissingSavedModelError:
    names = f"{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}"
    hint = None
    if not os.path.isdir(directory):
        hint = f"There is no directory {directory}."
    else:
        inside = sorted(d for d in files.list_directory(directory) if find_file(os.path.join(directory, d)))
        if inside:
            hint = f"There is one in {', '.join(os.path.join(directory, d) for d in inside[:3])}."
    return MissingSavedModelError(f"SavedModel file does not exist at: {directory}{os.path.sep}{{{names}}}", hint=hint)


def model_from_bytes(data: bytes) -> StoredModel:
    """Return the SavedModel that `data` holds, binary or text; it has no directory.

    Raises: DataLossError, InvalidArgumentError.
    """
    try:
        return StoredModel("", "", tuple(map(_stored, _meta_graphs(_binary(data)))))
    except DecodeError as error:
        raise errors.DataLossError(f"not a SavedModel: {error}") from None


def _serialized(path: str) -> bytes:
    """Return the bytes of the SavedModel proto that the file holds in whichever form."""
    if path.endswith(".cpb"):
        from icefloe.saved_models import chunked

        try:
            with open(path, "rb") as file:  # of any size: a chunked file exists because 2 GB are too few
                data = file.read()
        except OSError as error:
            raise files.os_error(error, path) from None
        return chunked.merge(data)
    return _binary(read_file(path))


def _binary(data: bytes) -> bytes:
    kind = sniff.kind_of(data)
    if kind == sniff.SAVED_MODEL_TEXT:
        return parse_text(data).SerializeToString(deterministic=True)
    if kind != sniff.SAVED_MODEL and not _is_saved_model(data):
        hint = "icefloe.load_graph reads it." if kind.startswith(("a GraphDef", "a MetaGraphDef")) else None
        if kind in ("a text file", "a binary file of unknown kind", "an empty file"):
            raise errors.DataLossError(f"not a SavedModel, but {kind}")
        raise errors.InvalidArgumentError(f"expected a SavedModel, got {kind}", hint=hint)
    return data


def _is_saved_model(data: bytes) -> bool:
    """Tell a SavedModel without a schema version, whose first field is a graph."""
    if riegeli.is_riegeli(data):
        return False
    try:
        found = list(message.fields(data))
        return (
            bool(found)
            and all((f.number, f.wire_type) == (_META_GRAPHS, message.BYTES) for f in found)
            and bool(SavedModelProto.FromString(data).meta_graphs[0].HasField("meta_info_def"))
        )
    except (errors.DataLossError, DecodeError):
        return False


def parse_text(data: bytes) -> Message:
    """Return the SavedModel message of text. Raises: DataLossError."""
    try:
        return text_format.Parse(data.decode("utf-8-sig", "replace"), SavedModelProto(), descriptor_pool=POOL)
    except (text_format.ParseError, RecursionError, ValueError) as error:
        raise errors.DataLossError(f"not a SavedModel in text form: {str(error)[:400]}") from None


def _meta_graphs(data: bytes) -> list[bytes]:
    return [
        data[f.payload : f.end]
        for f in message.fields(data)
        if f.number == _META_GRAPHS and f.wire_type == message.BYTES
    ]


def _stored(data: bytes) -> StoredGraph:
    others = b"".join(data[f.start : f.end] for f in message.fields(data) if f.number != _GRAPH_DEF)
    info = MetaGraphDef.FromString(others)
    return StoredGraph(tuple(info.meta_info_def.tags), data, info)
