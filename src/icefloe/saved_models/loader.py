"""Loading a SavedModel into the graph of a session that is there already, with TensorFlow's functions.

`load_saved_model` makes a graph and session of its own and reads more leniently.

Source: tensorflow/python/saved_model/loader_impl.py (rules and messages).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from typing import Any

from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.meta_graph.op_list import add_default_attributes
from icefloe.proto import MetaGraphDef
from icefloe.proto import SavedModel as SavedModelProto
from icefloe.saved_models import constants
from icefloe.saved_models.initialization import asset_paths, init_op_of
from icefloe.saved_models.reading import MissingTagsError, Path, StoredModel, find_file, read_saved_model
from icefloe.saver.meta_files import import_meta_graph_with_return_elements
from icefloe.saver.saver import Saver, _all_saveable_objects

_LOG = logging.getLogger("icefloe")


def maybe_saved_model_directory(export_dir: Path) -> bool:
    """Whether `export_dir` has a file named as that of a SavedModel; nothing is read."""
    return find_file(export_dir) is not None


def load(sess: Any, tags: Iterable[str], export_dir: Path, import_scope: str | None = None, **saver_kwargs: Any) -> Any:
    """Add the graph with just these `tags` to that of `sess`, restore its variables, run its init op, and return its
    MetaGraphDef.

    import_scope: a name scope to put before all names. saver_kwargs: more arguments of `import_meta_graph`.

    Raises: OSError if there is no SavedModel or it is damaged; RuntimeError if none has these tags; the errors of
    importing, restoring and running.
    """
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


def parse_saved_model(export_dir: Path) -> SavedModelProto:
    """Return the SavedModel message of a directory. Raises: OSError if there is none or it is damaged."""
    return _message(read_saved_model(export_dir))


def _message(model: StoredModel) -> SavedModelProto:
    version = constants.SAVED_MODEL_SCHEMA_VERSION
    graphs = [graph.message() for graph in model.graphs]
    return SavedModelProto(saved_model_schema_version=version, meta_graphs=graphs)


class SavedModelLoader:
    """Loads a SavedModel in steps: its graph, its variables, its init op.

    Raises: OSError if there is none or it is damaged.
    """

    def __init__(self, export_dir: Path) -> None:
        self._export_dir = os.fsdecode(export_dir)
        self._model = read_saved_model(export_dir)
        self._saved_model = _message(self._model)

    @property
    def export_dir(self) -> str:
        """The directory of the SavedModel."""
        return self._export_dir

    @property
    def variables_path(self) -> str:
        """The prefix of the checkpoint of its variables."""
        return self._model.variables

    @property
    def saved_model(self) -> SavedModelProto:
        """The SavedModel message."""
        return self._saved_model

    def get_meta_graph_def_from_tags(self, tags: Iterable[str]) -> MetaGraphDef:
        """Return the MetaGraphDef with just these tags. Raises: RuntimeError if there is none."""
        wanted = list(tags)
        available = []
        for made in self._saved_model.meta_graphs:
            available.append(set(made.meta_info_def.tags))
            if available[-1] == set(wanted):
                found: MetaGraphDef = made
                return found
        raise MissingTagsError(
            f"MetaGraphDef associated with tags {str(wanted).strip('[]')} could not be found in SavedModel, with "
            f"available tags '{available}'. To inspect available tag-sets in the SavedModel, please use `icefloe "
            f"inspect {self._export_dir}`."
        )

    def load_graph(
        self, graph: Graph, tags: Iterable[str], import_scope: str | None = None, **saver_kwargs: Any
    ) -> tuple[Saver | None, list[Any] | None]:
        """Add the graph with these tags to `graph`; return its Saver, None without variables, and the
        `return_elements`.
        """
        made = self.get_meta_graph_def_from_tags(tags)
        add_default_attributes(made.graph_def)  # as TensorFlow does: what `load` returns has them
        with graph.as_default():
            return import_meta_graph_with_return_elements(made, import_scope=import_scope, **saver_kwargs)

    def restore_variables(self, sess: Any, saver: Saver | None, import_scope: str | None = None) -> None:
        """Restore the variables by the Saver that `load_graph` returned.

        Raises: ValueError if it is None although the graph has variables; else as `Saver.restore`.
        """
        with sess.graph.as_default():
            if saver is None and not _all_saveable_objects(scope=import_scope):
                _LOG.info("The specified SavedModel has no variables; no checkpoints were restored.")
            elif isinstance(saver, Saver):
                saver.restore(sess, self.variables_path)
            else:
                raise errors.InvalidArgumentError(
                    "No tf.train.Saver object was passed to the function `SavedModelLoader.restore_variables`. Since "
                    "there are variables in the graph, a saver is required."
                )

    def run_init_ops(self, sess: Any, tags: Iterable[str], import_scope: str | None = None) -> None:
        """Run the init op of the graph with these tags, fed with the paths of its assets, if it has one."""
        made = self.get_meta_graph_def_from_tags(tags)
        init_op = init_op_of(made, sess.graph, import_scope)
        if init_op is not None:
            sess.run([init_op], asset_paths(made, self._model.directory, import_scope))

    def load(self, sess: Any, tags: Iterable[str], import_scope: str | None = None, **saver_kwargs: Any) -> Any:
        """Load graph, variables and init op, and return the MetaGraphDef. See the function `load`."""
        wanted = list(tags)
        with sess.graph.as_default():
            saver, _ = self.load_graph(sess.graph, wanted, import_scope, **saver_kwargs)
            self.restore_variables(sess, saver, import_scope)
            self.run_init_ops(sess, wanted, import_scope)
        return self.get_meta_graph_def_from_tags(wanted)
