"""`Checkpoint`: saves objects that own variables, as TensorFlow 2 does, in a session.

    checkpoint = tf.train.Checkpoint(step=step, optimizer=optimizer, model=model)
    checkpoint.restore(tf.train.latest_checkpoint("dir")).initialize_or_restore(session)
    ...
    checkpoint.save("dir/model", session=session)

Source: tensorflow/python/checkpoint/checkpoint.py, class CheckpointV1 (names, rules and messages).
"""

from __future__ import annotations

import inspect
import os
from typing import Any, ClassVar

import numpy as np

from icefloe import datatypes
from icefloe.checkpoint import files
from icefloe.checkpoint.object_graph import KEY
from icefloe.checkpoint.opening import open_exact
from icefloe.checkpoint.writer import BundleWriter
from icefloe.graph.default_graph import colocate_with, device
from icefloe.graph.graph import get_default_graph
from icefloe.lib.saveable import SaveableObject, SaveSpec
from icefloe.lib.variable import Variable
from icefloe.saver import trackable
from icefloe.saver.object_view import ObjectView, view_of
from icefloe.saver.saveables import saveable_objects_for_op
from icefloe.saver.saver import Saver
from icefloe.saver.state import local_path, write_checkpoint_state
from icefloe.training.checkpoint_options import CheckpointOptions
from icefloe.training.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    LoadStatus,
    NameBasedSaverStatus,
    chosen_session,
    parse_stored,
)
from icefloe.training.restoring_values import Restorer, stored_names


class Checkpoint(trackable.Trackable):
    """Objects that are saved together: variables, optimizers, tables, iterators, Modules, other Checkpoints, and lists,
    tuples and dicts of these.

    kwargs: become attributes; more may be set later.

    Raises: ValueError for a value that cannot be saved.
    """

    _untracked: ClassVar[frozenset[str]] = frozenset(("_save_counter", "_save_assign_op", "_restorer"))

    def __init__(self, **kwargs: Any) -> None:
        self._save_counter: Variable | None = None
        self._save_assign_op: Any = None
        self._restorer = Restorer()
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)
            if not trackable.is_trackable(value):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from `Trackable`), got "
                    f"{value}. If you believe this object should be trackable (i.e. it is part of the TensorFlow "
                    "Python API and manages state), please open an issue."
                )

    @property
    def save_counter(self) -> Variable:
        """The variable that counts saves; it is made when it is first needed."""
        if self._save_counter is None:
            with device("/cpu:0"):
                counter = Variable(0, name="save_counter", dtype=datatypes.int64, trainable=False, use_resource=True)
            self._save_counter = counter
            vars(self)["save_counter"] = counter  # where it is found as something owned, behind all that was set
        return self._save_counter

    def _view(self, with_slots: bool = True) -> ObjectView:
        return view_of(self, with_slots=with_slots)

    def _slots_wanted(self, options: CheckpointOptions | None) -> bool:
        return options is None or not options.experimental_skip_slot_variables

    def write(self, file_prefix: Any, session: Any = None, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint of this prefix and return it; nothing is counted, no state file is written.

        session: the default session if None; its values are saved.

        Raises: RuntimeError if there is no session; FailedPreconditionError if a variable is not initialized.
        """
        session = chosen_session(session)
        prefix = local_path(file_prefix)
        files.make_directory(os.path.dirname(prefix))
        with session.graph.as_default():
            view = self._view(self._slots_wanted(options))
            names, tensors = self._tensors(view)
            graph = view.to_proto().SerializeToString(deterministic=True)
        values = session.run(tensors) if tensors else []
        with BundleWriter(prefix) as writer:
            for name, value in zip(names, values, strict=True):
                writer.add(name, value)
            writer.add(KEY, np.array(graph, object))
        for callback in (options and options.experimental_write_callbacks) or ():
            _call_back(callback, prefix)
        return prefix

    _write = write

    def _tensors(self, view: ObjectView) -> tuple[list[str], list[Any]]:
        """Return the names and tensors that are saved."""
        names: list[str] = []
        tensors: list[Any] = []
        for number, value in enumerate(view.objects):
            for attribute, make in trackable.attributes(value).items():
                key = view.key(number, attribute)
                if make is None:
                    names.append(key)
                    tensors.append(value._as_graph_element() if hasattr(value, "_as_graph_element") else value)
                else:
                    saveable = self._restorer.saveable(value, attribute, make)
                    names += stored_names(saveable, key)
                    tensors += [spec.tensor for spec in saveable.specs]
        return names, tensors

    def save(self, file_prefix: Any, session: Any = None, options: CheckpointOptions | None = None) -> str:
        """Count up, write a checkpoint `<file_prefix>-<count>`, name it in the state file, and return its prefix.

        session: the default session if None.

        Raises: RuntimeError if there is no session; FailedPreconditionError if a variable is not initialized.
        """
        session = chosen_session(session)
        with session.graph.as_default():
            if self._save_counter is None:
                session.run(self.save_counter.initializer)
            if self._save_assign_op is None:
                with colocate_with(self.save_counter):
                    self._save_assign_op = self.save_counter.assign_add(1, read_value=True)
        count = int(session.run(self._save_assign_op))
        prefix = local_path(file_prefix)
        path = self.write(f"{prefix}-{count}", session, options)
        write_checkpoint_state(os.path.dirname(prefix), path, [path], latest_filename="checkpoint", relative=True)
        return path

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> LoadStatus:
        """Return what restores the checkpoint `save_path` and says how it fits; nothing is restored yet.

        save_path: what `save` or `latest_checkpoint` returned; for None variables can only be initialized. That of a
        Saver is restored by the names of the variables.

        Raises: NotFoundError if there is no checkpoint; DataLossError if it is damaged.
        """
        status = self.read(save_path, options)
        # Made now, so that it is initialized with the other variables.
        if not get_default_graph().finalized:
            _ = self.save_counter
        return status

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> LoadStatus:
        """As `restore`, for what `write` wrote: no counter of saves is made."""
        if save_path is None:
            return InitializationOnlyStatus(self._view)
        with_slots = self._slots_wanted(options)
        prefix = local_path(save_path)
        with open_exact(prefix) as reader:
            raw = reader.read(KEY).item() if KEY in reader.entries else None
        if raw is None:
            return NameBasedSaverStatus(self._view, prefix, self._restorer, lambda: self._save_counter)
        return CheckpointLoadStatus(
            lambda: self._view(with_slots), prefix, parse_stored(raw, prefix), self._restorer, not with_slots
        )

    def sync(self) -> None:
        """Do nothing: what was saved is on the disk."""

    def as_saver(self) -> Saver:
        """Return a Saver of what is below this now, with an object-based checkpoint's names; it writes the object
        graph, too.
        """
        view = self._view()
        found: list[SaveableObject] = []
        for number, value in enumerate(view.objects):
            for attribute, make in trackable.attributes(value).items():
                key = view.key(number, attribute)
                found += list(saveable_objects_for_op(value if make is None else make(key), key))
        found.append(_ObjectGraphSaveable(view.to_proto().SerializeToString(deterministic=True)))
        return Saver(found, sharded=True)


class _ObjectGraphSaveable(SaveableObject):
    """The object graph: saved, and left alone when it is read back."""

    def __init__(self, graph: bytes) -> None:
        from icefloe.graph.conversion import constant

        with device("/cpu:0"):
            tensor = constant(graph, datatypes.string)
        super().__init__(tensor, [SaveSpec(tensor, "", KEY)], KEY)

    def restore(self, restored_tensors: list[Any], restored_shapes: list[Any] | None) -> Any:
        from icefloe.lib.control import no_op

        return no_op()


def _call_back(callback: Any, path: str) -> None:
    if len(inspect.signature(callback).parameters) == 0:
        callback()
    else:
        callback(path)
