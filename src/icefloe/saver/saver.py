"""`Saver`: saves the variables of a session to checkpoints and restores them, by running nodes that it adds to the
graph.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from icefloe import errors
from icefloe.checkpoint.merge import remove_unmerged
from icefloe.checkpoint.save_lock import one_at_a_time
from icefloe.graph.collections import GraphKeys, register_proto_function
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.naming import prepend_name_scope, strip_name_scope
from icefloe.meta_graph.scopes import in_scope
from icefloe.proto import MetaGraphDef, SaverDef, cast_message
from icefloe.saver import meta_files, restoring, save_names, state
from icefloe.saver.builder import BaseSaverBuilder, BulkSaverBuilder
from icefloe.saver.restore_options import RestoreOptions
from icefloe.saver.restore_report import RestoreReport
from icefloe.saver.retention import Retention
from icefloe.saver.saving import may_write, save_values

_LOG = logging.getLogger("icefloe")


def _all_saveable_objects(scope: str | None = None) -> list[Any]:
    graph = get_default_graph()
    keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.SAVEABLE_OBJECTS)
    return [item for key in keys for item in graph.get_collection(key, scope)]


class Saver:
    """Saves variables to checkpoints and restores them.

    var_list: a list of variables or SaveableObjects, saved under their names, or a dict of names; None is all global
    variables and the
        collection `saveable_objects`.
    reshape: a value of another shape with as many elements is reshaped when it is restored.
    sharded: one shard per device.
    max_to_keep: how many checkpoints are kept; 0, None or less deletes none, and the state file lists all.
    keep_checkpoint_every_n_hours: of those that would be deleted, one per so many hours is kept.
    name: the name scope of the nodes, `save` by default.
    restore_sequentially: taken for TensorFlow's sake; restoring is one step.
    saver_def: names of save and restore nodes that the graph has already; then none are added.
    builder: adds the nodes in place of a BulkSaverBuilder.
    defer_build: add the nodes when `build` is called.
    allow_empty: a graph without variables makes a Saver that does nothing, not an error.
    write_version: SaverDef.V2, or V1 for the old format.
    pad_step_number: the step in file names has at least 8 digits.
    save_relative_paths: the state file holds paths relative to its directory, so that the directory can be moved.
    filename: the prefix that is taken where none is fed.

    Raises: ValueError if there is nothing to save, or something twice; TypeError if it cannot be saved.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: BaseSaverBuilder | None = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. "
                "Either set defer_build=False or var_list=None."
            )
        if saver_def is not None:
            try:
                saver_def = cast_message(saver_def, SaverDef)
            except TypeError:
                raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {saver_def}") from None
        self.saver_def: Any = saver_def
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self._builder = builder
        self._is_built = False
        self._allow_empty = allow_empty
        self._is_empty = False
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._filename = filename
        self._retention = Retention(0, keep_checkpoint_every_n_hours, time.time())
        if not defer_build:
            self.build()
        if self.saver_def is not None:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    def build(self) -> None:
        """Add the nodes, unless that has been done."""
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is None:
            if self._var_list is None:
                self._var_list = _all_saveable_objects()
            if not self._var_list:
                if not self._allow_empty:
                    raise ValueError("No variables to save")
                self._is_empty = True
                return
            builder = self._builder or BulkSaverBuilder(self._write_version)
            self.saver_def = builder.build(
                self._var_list,
                reshape=self._reshape,
                sharded=self._sharded,
                max_to_keep=self._max_to_keep,
                keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
                name=self._name,
                restore_sequentially=self._restore_sequentially,
                filename=self._filename,
            )
        elif self._name:
            self.saver_def = _renamed(self.saver_def, prepend_name_scope, self._name)
        self._check_saver_def()
        definition = self.saver_def
        self._retention = Retention(definition.max_to_keep, definition.keep_checkpoint_every_n_hours, time.time())

    def _check_saver_def(self) -> None:
        for field in ("save_tensor_name", "restore_op_name"):
            if not getattr(self.saver_def, field):
                raise ValueError(f"saver_def must specify the {field}: {self.saver_def}")

    def _built_def(self, caller: str) -> SaverDef:
        """Return the SaverDef. Raises: RuntimeError if the nodes have not been built, or there are no variables."""
        if self.saver_def is None:
            if self._is_empty:
                raise RuntimeError(f"the Saver has no variables to {caller}")
            raise RuntimeError(f"`build()` should be called before {caller} if defer_build==True")
        return self.saver_def

    def as_saver_def(self) -> SaverDef:
        """Return the SaverDef that names this Saver's nodes."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> SaverDef | None:
        """Return the SaverDef, without the scope `export_scope`; None if a node is outside it."""
        if export_scope is None or self.saver_def is None:
            return self.saver_def
        definition = self.saver_def
        names = (definition.filename_tensor_name, definition.save_tensor_name, definition.restore_op_name)
        if not all(in_scope(name, export_scope) for name in names):
            return None
        return _renamed(definition, strip_name_scope, export_scope)

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """Return a Saver of the nodes that `saver_def` names, below `import_scope`."""
        return Saver(saver_def=saver_def, name=import_scope)

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that have not been deleted yet, oldest first."""
        return self._retention.paths

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Set the list of checkpoints, oldest first. Of these, any that falls out of the list is kept on disk."""
        assert isinstance(last_checkpoints, list)
        self._retention.set((path, math.inf) for path in last_checkpoints)

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: list[tuple[str, float]]) -> None:
        """Set the list of checkpoints, oldest first, as pairs of path and time in seconds."""
        assert isinstance(last_checkpoints_with_time, list)
        self._retention.set(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Iterable[str]) -> None:
        """Set the list to those of `checkpoint_paths` that exist, with the times of their files."""
        found = []
        for path in checkpoint_paths:
            times = state.get_checkpoint_mtimes([path])
            if times:
                found.append((path, times[0]))
        self._retention.set(found)

    def save(
        self,
        sess: Any,
        save_path: str | os.PathLike[str],
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Write a checkpoint and return its prefix, which `restore` takes; None if the Saver is empty.

        save_path: the prefix. global_step: an integer, a tensor or its name; it is appended as `-step`.
        latest_filename: name of the state file, `checkpoint` by default. write_state: update it and delete old
        checkpoints. write_meta_graph: write the graph too, as `<prefix>.<meta_graph_suffix>`. strip_default_attrs,
        save_debug_info: how; as in `export_meta_graph`.

        Raises: TypeError if `sess` is no session; ValueError if the directory does not exist, `latest_filename` is no
        plain name, or two of the files would have one name; RuntimeError if the nodes have not been built;
        FailedPreconditionError if a variable is not initialised.
        """
        if not self._is_empty:
            self._built_def("save")
        latest_filename = save_names.state_name(latest_filename)
        save_path = state.local_path(save_path)
        if not (hasattr(sess, "run") and hasattr(sess, "graph")):
            raise TypeError(f"'sess' must be a Session; {sess}")
        checkpoint_file = save_names.with_step(sess, save_path, global_step, padded=self._pad_step_number)
        if global_step is None and os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
        meta_file = state.meta_graph_filename(checkpoint_file, meta_graph_suffix) if write_meta_graph else None
        save_names.check_distinct(checkpoint_file, meta_file, latest_filename if write_state else None)
        written = None
        if not self._is_empty:
            directory = os.path.dirname(save_path)
            try:
                written = self._write(sess, checkpoint_file)
                if write_state:
                    self._record(written, directory, latest_filename, meta_graph_suffix)
            except (errors.FailedPreconditionError, errors.NotFoundError) as error:
                of_files = isinstance(error, OSError)  # else it is about a variable
                if of_files and directory and not os.path.isdir(directory):
                    raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from error
                raise
        if meta_file is not None:
            with sess.graph.as_default():
                self.export_meta_graph(
                    meta_file,
                    strip_default_attrs=strip_default_attrs,
                    save_debug_info=save_debug_info,
                )
        return written

    def _write(self, sess: Any, prefix: str) -> str:
        """Write the tensors and return the path of what was written, a pattern for shards of the V1 format."""
        if not may_write(sess, prefix):
            save_values(sess, self.saver_def.save_tensor_name, prefix)
            return prefix
        shards_are_merged = self.saver_def.sharded and self.saver_def.version == SaverDef.V2
        with one_at_a_time(prefix) if shards_are_merged else contextlib.nullcontext():
            try:
                written = sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: prefix})
            except BaseException:
                remove_unmerged(prefix)
                raise
        return os.fsdecode(written)

    def _record(self, path: str, directory: str, latest_filename: str, meta_graph_suffix: str) -> None:
        if self._retention.keeps_all and not self._retention.listed:
            self._retention.know(state.existing_checkpoints(directory, latest_filename))
        self._retention.record(path, time.time())
        state.write_checkpoint_state(
            directory,
            path,
            self._retention.listed,
            latest_filename=latest_filename,
            relative=self._save_relative_paths,
        )
        for old in self._retention.to_delete():
            try:
                state.remove_checkpoint(old, self.saver_def.version, meta_graph_suffix)
            except (errors.OpError, OSError) as error:
                _LOG.warning("Ignoring: %s", error)

    def export_meta_graph(
        self,
        filename: str | os.PathLike[str] | None = None,
        collection_list: Iterable[Any] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> MetaGraphDef:
        """Return the default graph with this Saver as a MetaGraphDef, written to `filename` unless None.

        The arguments are those of `icefloe.train.export_meta_graph`.
        """
        return meta_files.export_meta_graph(
            filename,
            graph_def=get_default_graph().as_graph_def(add_shapes=True),  # control inputs sorted, as in TensorFlow
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
            save_debug_info=save_debug_info,
        )

    def match(
        self,
        save_path: str | os.PathLike[str],
        graph: Graph | None = None,
        *,
        include: Any = None,
        exclude: Any = None,
        rename: Any = None,
        on_shape: Any = None,
        cast: Any = False,
        ema: Any = "ignore",
    ) -> RestoreReport | None:
        """Return how a checkpoint fits what this Saver restores, without restoring; None where only running the graph
        can tell.

        graph: the Saver's graph, by default the default one. The options are those of `restore`.

        Raises: ValueError if there is no checkpoint.
        """
        if self._is_empty:
            return None
        graph = graph if graph is not None else get_default_graph()
        options = RestoreOptions(True, include, exclude, rename, on_shape, cast, ema)
        return restoring.match_file(graph, self._built_def("match"), os.fsdecode(save_path), options)

    def assign(self, sess: Any, values: Mapping[str, Any]) -> RestoreReport:
        """Give variables the `values`, arrays by their names in a checkpoint; variables without a value stay as they
        are.

        Raises: NotFoundError, InvalidArgumentError if a name is unknown or a value does not fit; then nothing is
        assigned.
        """
        return restoring.assign(sess, self._built_def("assign"), values)

    def restore(
        self,
        sess: Any,
        save_path: str | os.PathLike[str] | None,
        *,
        strict: bool = True,
        include: Any = None,
        exclude: Any = None,
        rename: Any = None,
        on_shape: Any = None,
        cast: Any = False,
        ema: Any = "ignore",
        init_missing: bool = False,
    ) -> RestoreReport | Any:
        """Give the variables the values of the checkpoint `save_path`; they need not be initialised.

        save_path: what `save` or `latest_checkpoint` returned; a file of the checkpoint will do.

        What the graph wants is held against the checkpoint first. Where it does not fit, one error lists all missing
        names, shapes and dtypes, and the session is left as it was.

        strict: False restores what fits. Other variables keep the value they have; the report lists them, with why, and
        those that have none. init_missing: then run the initialisers of what was not restored.
        include, exclude: restore these only, or all but these: names, globs, scopes such as `dense/`, regular
        expressions (compiled, or after `re:`), variables.
        rename: from names in the checkpoint to names in the graph: a dict, whose values may be variables; rules such
        as `s/old/new/`; a function.
        on_shape: of a tensor of another shape, "error", "skip" it, "slice" off what is too much, "pad" what lacks with
        zeros, or "fit": both, where what lacks keeps the value that it has. By default what `strict` says.
        cast: convert dtypes; True, or a selection as in `include`. Numbers that an integer dtype has not are refused.
        ema: "use" restores moving averages where there are any; "fallback" those of variables that are missing, or
        variables where their averages are.

        Returns what was restored from where; None of a Saver that was made without variables.

        Raises: ValueError if there is no checkpoint; NotFoundError, InvalidArgumentError with a `report` if it does
        not fit; NotFoundError if `include` matches nothing; DataLossError if it is damaged.
        """
        if self._is_empty:
            return None
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not (hasattr(sess, "run") and hasattr(sess, "graph")):
            raise TypeError(f"'sess' must be a Session; {sess}")
        options = RestoreOptions(strict, include, exclude, rename, on_shape, cast, ema, init_missing)
        return restoring.restore(sess, self._built_def("restore"), os.fsdecode(save_path), options)


def _renamed(saver_def: SaverDef, change: Any, scope: str) -> SaverDef:
    """Return a copy of `saver_def` whose names went through `change(name, scope)`."""
    out = SaverDef()
    out.CopyFrom(saver_def)
    for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(out, field, change(getattr(saver_def, field), scope))
    return out


register_proto_function(GraphKeys.SAVERS, SaverDef, to_proto=Saver.to_proto, from_proto=Saver.from_proto)
