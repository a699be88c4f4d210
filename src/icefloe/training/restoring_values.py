"""Giving objects the values of a checkpoint in a session, without adding nodes for variables.

A variable gets its value by its initializer, fed that value. All that is wanted is held against the checkpoint first:
where it does not fit, one error lists everything, and the session is left as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from icefloe.checkpoint.reading import CheckpointReader
from icefloe.graph.build import apply_op
from icefloe.lib.saveable import SaveableObject
from icefloe.lib.variable import Variable
from icefloe.saver.restore_report import Stored, Wanted, compare


class Restorer:
    """Restores in the graph of one Checkpoint; what it adds for tables and iterators it adds once."""

    def __init__(self) -> None:
        # By object: it, what saves it, and what is fed and run to restore it.
        self._made: dict[tuple[int, str], tuple[Any, SaveableObject, list[Any], Any]] = {}

    def saveable(self, owner: Any, attribute: str, make: Callable[[str], SaveableObject]) -> SaveableObject:
        """Return what saves an attribute of `owner`, the same each time."""
        return self._entry(owner, attribute, make)[1]

    def _entry(self, owner: Any, attribute: str, make: Callable[[str], SaveableObject]) -> Any:
        entry = self._made.get((id(owner), attribute))
        if entry is None:
            entry = owner, make(attribute), [], None
            self._made[id(owner), attribute] = entry
        return entry

    def _restoring(self, owner: Any, attribute: str, make: Callable[[str], SaveableObject]) -> tuple[list[Any], Any]:
        """Return the placeholders to feed and what to run."""
        _, saveable, fed, run = self._entry(owner, attribute, make)
        if run is None:
            fed = [apply_op("Placeholder", dtype=spec.dtype.base_dtype) for spec in saveable.specs]
            run = saveable.restore(fed, None)
            self._made[id(owner), attribute] = owner, saveable, fed, run
        return fed, run

    def restore(self, session: Any, reader: CheckpointReader, wanted: Iterable[tuple[Any, str, str, Any]]) -> None:
        """Give objects their values.

        wanted: of each the object, the attribute, its key in the checkpoint, and what makes a SaveableObject, None
        for a variable's value.

        Raises: NotFoundError, InvalidArgumentError with a `report` if the checkpoint does not fit.
        """
        wanted = list(wanted)
        variables = [(owner, key) for owner, _, key, make in wanted if make is None]
        self._check(reader, variables)
        rounds: list[tuple[list[Any], dict[Any, Any]]] = [([], {})]
        for variable, key in variables:
            target = variable.initializer.inputs[1]
            # Variables made of one tensor take turns: it is fed one value per run.
            run, feed = next((r for r in rounds if target not in r[1]), (None, None))
            if run is None or feed is None:
                run, feed = [], {}
                rounds.append((run, feed))
            run.append(variable.initializer)
            feed[target] = reader.read(key)
        for owner, attribute, key, make in wanted:
            if make is not None:
                fed, op = self._restoring(owner, attribute, make)
                run, feed = rounds[0]
                run.append(op)
                for placeholder, name in zip(
                    fed, stored_names(self.saveable(owner, attribute, make), key), strict=True
                ):
                    feed[placeholder] = reader.read(name)
        for run, feed in rounds:
            if run:
                session.run(run, feed)

    @staticmethod
    def _check(reader: CheckpointReader, variables: Iterable[tuple[Variable, str]]) -> None:
        stored = {name: Stored(entry.dtype, entry.shape) for name, entry in reader.entries.items()}
        needs = []
        for variable, key in variables:
            shape = variable.shape
            known = None if shape.rank is None else tuple(shape.as_list())
            needs.append(Wanted(key, variable.dtype.base_dtype, known, "", variable.op.name))
        report = compare(needs, stored, reader.prefix)
        if not report.fits:
            raise report.error()


def stored_names(saveable: SaveableObject, key: str) -> list[str]:
    """Return the names under which the tensors of an object are stored that is saved as `key`."""
    return [key + spec.name.removeprefix(saveable.name) for spec in saveable.specs]
