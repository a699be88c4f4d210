"""What `Checkpoint.restore` returns: how the checkpoint fits, and the restoring itself.

The objects below the root are looked at each time something is asked, so that those made after `restore` count, too.

Source: tensorflow/python/checkpoint/checkpoint.py (names, rules and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from icefloe import errors
from icefloe.checkpoint.object_graph import VALUE
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.lib import messages
from icefloe.lib.variable import Variable
from icefloe.proto import TrackableObjectGraph
from icefloe.saver import trackable
from icefloe.saver.object_view import ObjectView, match
from icefloe.stacks import SESSIONS
from icefloe.training.restoring_values import Restorer


def chosen_session(session: Any) -> Any:
    """Return the session, the default one if None. Raises: RuntimeError if there is none."""
    found = SESSIONS.top() if session is None else session
    if found is None:
        raise RuntimeError(
            "No session was passed, and there is no default session. Please use `with tf.Session():` to create one."
        )
    return found


def _initializers(values: Iterator[Any]) -> list[Any]:
    return [value.initializer for value in values if getattr(value, "initializer", None) is not None]


class LoadStatus:
    """What is known of a restoring. root: gives the objects below the root as they are now."""

    def __init__(self, view: Callable[[], ObjectView]) -> None:
        self._view = view

    def assert_consumed(self) -> LoadStatus:
        """Return the status. Raises: AssertionError unless all objects and all of the checkpoint match."""
        raise NotImplementedError

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Return the status. Raises: AssertionError unless all objects are in the checkpoint."""
        raise NotImplementedError

    def assert_nontrivial_match(self) -> LoadStatus:
        """Return the status. Raises: AssertionError if nothing but the root matches."""
        raise NotImplementedError

    def run_restore_ops(self, session: Any = None) -> None:
        """Give the objects their values in a session, the default one if None."""
        raise NotImplementedError

    def initialize_or_restore(self, session: Any = None) -> None:
        """As `run_restore_ops`, and initialize variables that are not in the checkpoint."""
        raise NotImplementedError

    def expect_partial(self) -> LoadStatus:
        """Return the status, which says nothing of what is left over in the checkpoint."""
        return self


class CheckpointLoadStatus(LoadStatus):
    """The restoring of an object-based checkpoint."""

    def __init__(
        self,
        view: Callable[[], ObjectView],
        prefix: str,
        stored: TrackableObjectGraph,
        restorer: Restorer,
        skip_slots: bool = False,
    ) -> None:
        super().__init__(view)
        self._prefix = prefix
        self._stored = stored
        self._restorer = restorer
        self._skip_slots = skip_slots
        self._expect_partial = False

    def _unmatched_here(self, view: ObjectView, found: dict[int, int]) -> list[Any]:
        matched = set(found.values())
        return [v for i, v in enumerate(view.objects) if i not in matched and trackable.attributes(v)]

    def _unmatched_there(self, view: ObjectView, found: dict[int, int]) -> Iterator[str]:
        """Yield what the checkpoint has and no object takes, as messages."""
        slots = {s.slot_variable_node_id for node in self._stored.nodes for s in node.slot_variables}
        for there, node in enumerate(self._stored.nodes):
            if not node.attributes or (self._skip_slots and there in slots):
                continue
            if there not in found:
                yield f"Unresolved object in checkpoint {self._shown(there)}: {node}"
                continue
            value = view.objects[found[there]]
            for item in node.attributes:
                if item.name not in trackable.attributes(value):
                    yield (
                        "Unused attributes in these objects (the attributes exist in the checkpoint but were not "
                        f"restored):\n{self._shown(there)} ({value}): ['{item.name}']"
                    )

    def _shown(self, there: int) -> str:
        """Return the path of a stored object, `(root).a.b`, of a slot with its optimizer's state."""
        nodes = self._stored.nodes
        names = {0: "(root)"}
        waiting = [0]
        for number in waiting:
            for child in nodes[number].children:
                if child.node_id not in names and 0 <= child.node_id < len(nodes):
                    names[child.node_id] = f"{names[number]}.{child.local_name}"
                    waiting.append(child.node_id)
        for number, node in enumerate(nodes):
            for slot in node.slot_variables:
                owner = names.get(slot.original_variable_node_id, "")
                shown = f"{names.get(number)}'s state '{slot.slot_name}' for {owner}"
                names.setdefault(slot.slot_variable_node_id, shown)
        return names.get(there, str(there))

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Return the status. Raises: AssertionError unless all objects and all of the checkpoint match."""
        self.assert_existing_objects_matched()
        view = self._view()
        for message in self._unmatched_there(view, match(view, self._stored)):
            raise AssertionError(message)
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Return the status. Raises: AssertionError unless all objects are in the checkpoint."""
        view = self._view()
        found = match(view, self._stored)
        for there, here in found.items():
            names = {item.name for item in self._stored.nodes[there].attributes}
            if trackable.attributes(view.objects[here]) and not names:
                raise AssertionError(f"Object {self._stored.nodes[there]} not assigned a value from checkpoint.")
        left = self._unmatched_here(view, found)
        if left:
            shown = left[:10]
            raise AssertionError(
                f"Found {len(left)} Python objects that were not bound to checkpointed values, likely due to changes "
                f"in the Python program. Showing {len(shown)} of {len(left)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Return the status. Raises: AssertionError if nothing but the root matches."""
        view = self._view()
        found = match(view, self._stored)
        if len(found) <= 1:
            left = self._unmatched_here(view, found)
            if left:
                raise AssertionError(
                    "Nothing except the root object matched a checkpointed value. Typically this means that the "
                    "checkpoint does not match the Python program. The following objects have no matching "
                    f"checkpointed value: {left}"
                )
            raise AssertionError(f"Nothing to load. No dependencies have been added to {view.objects[0]} yet.")
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Give the objects their values in a session, the default one if None.

        Raises: NotFoundError, InvalidArgumentError with a `report` if values do not fit; then nothing is restored.
        """
        self._restore(chosen_session(session), self._view())

    def _restore(self, session: Any, view: ObjectView) -> dict[int, int]:
        found = match(view, self._stored)
        wanted = []
        for there, here in found.items():
            made = trackable.attributes(view.objects[here])
            wanted += [
                (view.objects[here], item.name, item.checkpoint_key, made[item.name])
                for item in self._stored.nodes[there].attributes
                if item.name in made
            ]
        if not self._expect_partial:
            for message in self._unmatched_there(view, found):
                messages.warning("Not all of the checkpoint %s is restored: %s", self._prefix, message)
                break
        with session.graph.as_default(), open_checkpoint(self._prefix) as reader:
            self._restorer.restore(session, reader, wanted)
        return found

    def initialize_or_restore(self, session: Any = None) -> None:
        """As `run_restore_ops`, and initialize variables that are not in the checkpoint."""
        session = chosen_session(session)
        view = self._view()
        matched = set(self._restore(session, view).values())
        others = _initializers(v for i, v in enumerate(view.objects) if i not in matched)
        if others:
            session.run(others)

    def expect_partial(self) -> CheckpointLoadStatus:
        """Return the status, which says nothing of what is left over in the checkpoint."""
        self._expect_partial = True
        return self


class InitializationOnlyStatus(LoadStatus):
    """There is no checkpoint: variables can only be initialized."""

    def _refuse(self) -> LoadStatus:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self) -> LoadStatus:
        """Raises: AssertionError, always."""
        return self._refuse()

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raises: AssertionError, always."""
        return self._refuse()

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raises: AssertionError, always."""
        return self._refuse()

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises: AssertionError, always."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Initialize the variables in a session, the default one if None."""
        chosen_session(session).run(_initializers(iter(self._view().objects)))


class NameBasedSaverStatus(LoadStatus):
    """The restoring of a Saver's checkpoint, by the names of the variables.

    optional: what need not be in the checkpoint, the counter of saves.
    """

    def __init__(
        self,
        view: Callable[[], ObjectView],
        prefix: str,
        restorer: Restorer,
        optional: Callable[[], Any],
    ) -> None:
        super().__init__(view)
        self._prefix = prefix
        self._restorer = restorer
        self._optional = optional

    def _variables(self) -> tuple[list[Variable], list[Variable]]:
        """Return the variables to restore, and those that need not be there and are not."""
        with open_checkpoint(self._prefix) as reader:
            stored = set(reader.entries)
        wanted: list[Variable] = []
        left: list[Variable] = []
        for value in self._view().objects:
            if isinstance(value, Variable):
                missing = value is self._optional() and value.op.name not in stored
                (left if missing else wanted).append(value)
        return wanted, left

    def assert_consumed(self) -> LoadStatus:
        """Return the status. Raises: AssertionError unless the checkpoint has all variables."""
        with open_checkpoint(self._prefix) as reader:
            stored = set(reader.entries)
        for variable in self._variables()[0]:
            if variable.op.name not in stored:
                raise AssertionError(f"Object not restored: {variable}")
        return self

    assert_existing_objects_matched = assert_consumed
    assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session: Any = None) -> None:
        """Give the variables their values in a session, the default one if None.

        Raises: NotFoundError, InvalidArgumentError with a `report` if the checkpoint does not fit.
        """
        session = chosen_session(session)
        wanted, _ = self._variables()
        with session.graph.as_default(), open_checkpoint(self._prefix) as reader:
            self._restorer.restore(session, reader, [(v, VALUE, v.op.name, None) for v in wanted])

    def initialize_or_restore(self, session: Any = None) -> None:
        """As `run_restore_ops`; the counter of saves is initialized where it is not there."""
        session = chosen_session(session)
        self.run_restore_ops(session)
        _, left = self._variables()
        if left:
            session.run(_initializers(iter(left)))


def parse_stored(raw: bytes, prefix: str) -> TrackableObjectGraph:
    """Return a stored object graph. Raises: DataLossError if the bytes are none."""
    try:
        return TrackableObjectGraph.FromString(raw)
    except Exception as error:
        raise errors.DataLossError(f"the object graph is no TrackableObjectGraph: {error}", path=prefix) from None
