"""`load_saved_model`: a SavedModel as a graph in a session of its own, restored and initialised."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from icefloe import errors
from icefloe.checkpoint import open_checkpoint
from icefloe.graph.collections import GraphKeys
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.proto import MetaGraphDef
from icefloe.saved_models import constants
from icefloe.saved_models.captures import Captures, paths_of
from icefloe.saved_models.functions import Functions
from icefloe.saved_models.initialization import asset_paths, init_op_of
from icefloe.saved_models.loaded_objects import LoadedObjects
from icefloe.saved_models.reading import Path, StoredGraph, StoredModel, read_saved_model
from icefloe.saved_models.serving import Signatures
from icefloe.saver import restoring
from icefloe.saver.graph_variables import saver_for
from icefloe.saver.meta_graph_bytes import graph_from_meta_graph
from icefloe.saver.saver import Saver
from icefloe.saver.state import resolve_checkpoint
from icefloe.saver.variable_nodes import variables_of
from icefloe.session import Session

_LOG = logging.getLogger("icefloe")


class LoadedModel:
    """A SavedModel, loaded: use it as a context manager or `close` it.

    directory: where it was loaded from. tags: of its graph. graph: the graph. session: a session of it, whose
    variables are restored. signatures: callables by name. assets: paths of the asset files by the names of the
    tensors that hold them.
    """

    def __init__(self, model: StoredModel, stored: StoredGraph, graph: Graph, session: Session) -> None:
        self.directory = model.directory
        self.tags = stored.tags
        self.graph = graph
        self.session = session
        self.signatures = Signatures(stored.info.signature_def, session)
        self.assets = asset_paths(stored.info, model.directory)
        self._stored = stored

    @cached_property
    def functions(self) -> Functions:
        """The functions of a model of TensorFlow 2, callables on arrays by their path, such as `encoder.call`."""
        return Functions(self.graph, self.session, self._stored.info)

    @cached_property
    def _objects(self) -> LoadedObjects:
        return LoadedObjects(self.graph, self._stored.info, self.functions, self.signatures)

    @property
    def root(self) -> Any:
        """The object that was saved, a `train.Checkpoint` may hold it: variables, functions and other objects are its
        attributes. Those whose names this class has no use for are attributes of the model, too.
        """
        return self._objects.root

    @property
    def variables(self) -> list[Any]:
        """The variables of the objects, of this model's graph; of a model of TensorFlow 1 its global variables."""
        return list(self._objects.variables)

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of `variables` that are trained."""
        return [variable for variable in self._objects.variables if variable.trainable]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and "_stored" in vars(self):
            owned = getattr(self.root, "__dict__", {})
            if name in owned:
                return owned[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @cached_property
    def meta_graph(self) -> MetaGraphDef:
        """The MetaGraphDef as it is stored, parsed when asked for. Raises: DataLossError if its nodes are damaged."""
        return self._stored.message()

    def close(self) -> None:
        """Close the session."""
        self.session.close()

    def __enter__(self) -> LoadedModel:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<LoadedModel {self.directory!r} tags={list(self.tags)} signatures={list(self.signatures)}>"


def load_graph(directory: Path, tags: Iterable[str] | None = None) -> Graph:
    """Return the graph of the SavedModel in `directory`, without values of variables.

    tags: which graph, as `load_saved_model`.

    Raises: NotFoundError, DataLossError, InvalidArgumentError as `load_saved_model`.
    """
    model = read_saved_model(directory)
    return _graph_of(model, model.choose(tags))


def _graph_of(model: StoredModel, stored: StoredGraph) -> Graph:
    try:
        return graph_from_meta_graph(stored.data)
    except errors.OpError as error:
        raise error.add_context(path=model.path) from None


def load_saved_model(directory: Path, tags: Iterable[str] | None = None, *, config: Any = None) -> LoadedModel:
    """Return the SavedModel in `directory`, its variables restored and its tables filled.

        with icefloe.load_saved_model("export/1") as model:
            y = model.signatures["serving_default"](x=[[1.0, 2.0]])["y"]

    directory: that of `saved_model.pb`, `.pbtxt` or `.cpb`, of TF1 or TF2, or of an `export.meta` of 2016.
    tags: those of the graph to load, just these. None is the only graph, else that for serving.
    config: of the session, as `Session` takes it. Whatever it says of files, the model's own variables and assets are
    read.

    A directory without a checkpoint loads with its variables uninitialised, and a warning.

    Raises: NotFoundError if there is no SavedModel, or none with these tags, with those that there are; DataLossError
    if a file is damaged; InvalidArgumentError if a file is something else, or variables or the init op do not fit.
    """
    model = read_saved_model(directory)
    stored = model.choose(tags)
    graph = _graph_of(model, stored)
    session = Session(graph=graph, config=config)
    try:
        for folder in (constants.ASSETS_DIRECTORY, constants.VARIABLES_DIRECTORY):
            session._manager.let_read(os.path.join(model.directory, folder))
        with _fitting(model.path):
            restore_variables(session, stored.info, model.variables)
            run_init_op(session, stored.info, model.directory)
            return LoadedModel(model, stored, graph, session)
    except BaseException:
        session.close()
        raise


@contextlib.contextmanager
def _fitting(path: str) -> Iterator[None]:
    """Make icefloe's errors of what a session says of names that are not in the graph."""
    try:
        yield
    except errors.OpError as error:
        raise error.add_context(path=path) from None
    except (KeyError, ValueError, TypeError) as error:
        reason = error.args[0] if error.args else error
        raise errors.InvalidArgumentError(f"the SavedModel does not fit its graph: {reason}", path=path) from error


def _checkpoint(prefix: str) -> str | None:
    try:
        return resolve_checkpoint(prefix)
    except errors.InvalidArgumentError:
        if os.path.isdir(os.path.dirname(prefix)) and os.listdir(os.path.dirname(prefix)):
            raise
        return None


def restore_variables(session: Session, info: MetaGraphDef, prefix: str) -> None:
    """Give the variables of a model's graph the values of its checkpoint: by the graph's own restore op if it has one,
    else by the object graph, else by their names.

    Raises: NotFoundError, InvalidArgumentError, DataLossError if the checkpoint does not fit or is damaged.
    """
    saver_def = info.saver_def
    variables = list(variables_of(session.graph))
    if not saver_def.restore_op_name and not variables:
        return
    found = _checkpoint(prefix)
    if found is None:
        if variables:
            _LOG.warning("%s: there is no checkpoint; the variables stay uninitialised", prefix)
        return
    if saver_def.restore_op_name:
        restoring.restore(session, saver_def, found)
        return
    saver = _object_saver(session.graph, info, found) if info.HasField("object_graph_def") else None
    if saver is None:
        saver = saver_for(session.graph)
        report = saver.match(found, session.graph)
        if report is not None and not report.fits and report.missing:
            _LOG.warning("%s: variables that are not in the checkpoint stay uninitialised: %s", found, report)
            saver = _partial_saver(session.graph, {wanted.key for wanted in report.missing})
    if saver is not None:
        saver.restore(session, found)


def _object_saver(graph: Graph, info: MetaGraphDef, prefix: str) -> Saver | None:
    """Return a Saver of the variables of the object graph under the keys of their paths; None if the checkpoint has no
    such keys.
    """
    captures = Captures(graph, info)
    reads = {v.op: v.value for v in variables_of(graph) if v.value is not None}
    named = {}
    with open_checkpoint(prefix) as reader:
        for path, node in paths_of(info.object_graph_def).items():
            key = f"{path.replace('.', '/')}/.ATTRIBUTES/VARIABLE_VALUE"
            if key in reader.entries and info.object_graph_def.nodes[node].WhichOneof("kind") == "variable":
                value = reads.get(captures.tensor(node).op)
                if value is not None:
                    named[key] = value
    with graph.as_default():
        return Saver(named) if named else None


def _partial_saver(graph: Graph, missing: set[str]) -> Saver | None:
    with graph.as_default():
        named = {v.name: v.value for v in variables_of(graph) if v.name not in missing and v.value is not None}
        return Saver(named) if named else None


def run_init_op(session: Session, info: MetaGraphDef, directory: str) -> None:
    """Run the op that the model names for it, else the initialisers of its tables, fed with the paths of assets.

    Raises: as the run; InvalidArgumentError if the model names several.
    """
    op = init_op_of(info, session.graph)
    fetches = [op] if op is not None else _table_initializers(session.graph)
    if not fetches:
        return
    paths = asset_paths(info, directory)
    known = {name: path for name, path in paths.items() if _is_tensor(session.graph, name)}
    if len(known) < len(paths):
        _LOG.warning("assets of tensors that are not in the graph: %s", ", ".join(sorted(paths.keys() - known)))
    session.run(fetches, known)


def _table_initializers(graph: Graph) -> list[Any]:
    return [op for op in graph.get_collection(GraphKeys.TABLE_INITIALIZERS) if isinstance(op, Operation)]


def _is_tensor(graph: Graph, name: str) -> bool:
    try:
        graph.get_tensor_by_name(name)
    except (KeyError, ValueError, TypeError):
        return False
    return True
