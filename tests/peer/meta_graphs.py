"""TensorFlow's inner functions for MetaGraphDefs and state files, as its tests call them, on icefloe's."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf import text_format

from icefloe.graph.graph import get_default_graph
from icefloe.meta_graph import export, importing
from icefloe.saver import meta_files, state


def export_scoped_meta_graph(filename: Any = None, as_text: bool = False, **arguments: Any) -> Any:
    """Return a MetaGraphDef and its variables; write it to a file of this name."""
    arguments.pop("save_debug_info", None)
    kwargs = {key: arguments.pop(key) for key in ("meta_info_def", "collection_list") if key in arguments}
    made, variables = export.export_scoped_meta_graph(**arguments, **kwargs)
    if filename is not None:
        data = text_format.MessageToString(made).encode() if as_text else made.SerializeToString()
        meta_files.write_atomically(os.fspath(filename), data)
    return made, variables


def import_scoped_meta_graph(meta_graph_or_file: Any, **arguments: Any) -> Any:
    """Import a MetaGraphDef or a file and return the variables."""
    if isinstance(meta_graph_or_file, (str, os.PathLike)):
        meta_graph_or_file = meta_files.read_meta_graph_file(meta_graph_or_file)
    return importing.import_scoped_meta_graph(meta_graph_or_file, **arguments)[0]


def copy_scoped_meta_graph(from_scope: str, to_scope: str, from_graph: Any = None, to_graph: Any = None) -> Any:
    """Copy a scope of a graph and return the variables of the copy."""
    from_graph = from_graph or get_default_graph()
    to_graph = to_graph or get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError(
            f"'from_scope' and 'to_scope' need to be different when performing copy in the same graph. "
            f"Received: 'from_graph': {from_graph}, 'to_graph': {to_graph}, 'from_scope': {from_scope}, "
            f"'to_scope': {to_scope}."
        )
    made, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(made, graph=to_graph, import_scope=to_scope)


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: Any = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: Any = None,
) -> None:
    """Write a state file; save_relative_paths: relative to its folder."""

    def shown(path: str) -> str:
        return os.path.relpath(path, save_dir) if save_relative_paths and os.path.isabs(path) else path

    state.update_checkpoint_state(
        save_dir,
        shown(model_checkpoint_path),
        [shown(path) for path in all_model_checkpoint_paths or ()],
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
