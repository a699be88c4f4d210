"""Objects that a `Checkpoint` saves: which they are, and what each owns under which name.

    variable                    its value
    Checkpoint, Module          what is in their attributes, by the attributes' names
    list, tuple                 what they hold, by number; of a namedtuple by name as well
    dict                        what it holds, by key
    Optimizer                   its variables, such as `beta1_power`; slots belong to an optimizer and a variable
    table, iterator             their state

Source: tensorflow/python/trackable/data_structures.py, python_state.py, tensorflow/python/training/optimizer.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from icefloe.checkpoint.object_graph import VALUE
from icefloe.graph.graph import get_default_graph
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_iterator import Iterator as DataIterator
from icefloe.lib.data_iterator import make_saveable_from_iterator
from icefloe.lib.lookup import LookupInterface
from icefloe.lib.module import Module
from icefloe.lib.saveable import SaveableObject
from icefloe.lib.variable import Variable
from icefloe.optimizers.optimizer import Optimizer


class Trackable:
    """Base of objects whose attributes a `Checkpoint` looks into."""


_KINDS = (Trackable, Module, Variable, Optimizer, Dataset, DataIterator, LookupInterface, list, dict)


def is_trackable(value: Any) -> bool:
    """Whether a Checkpoint can hold `value`; that of a list or dict says nothing of what it holds."""
    if isinstance(value, tuple):
        return bool(value)
    return isinstance(value, _KINDS) or hasattr(value, "_gather_saveables_for_checkpoint")


def children(value: Any) -> list[tuple[str, Any]]:
    """Return what an object owns, as pairs of name and object.

    Raises: ValueError for a dict with a key that is no string and leads to an object.
    """
    return [(name, child) for name, child in named(value) if is_trackable(child)]


def named(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield all that an object holds by name or number, also what a Checkpoint does not save."""
    if isinstance(value, (Trackable, Module)):
        hidden: frozenset[str] = getattr(type(value), "_untracked", frozenset())
        yield from ((name, child) for name, child in vars(value).items() if name not in hidden)
    elif isinstance(value, (list, tuple)):
        fields = getattr(value, "_fields", ())
        yield from zip(fields, value, strict=False)
        yield from ((str(i), child) for i, child in enumerate(value))
    elif isinstance(value, Mapping):
        for key, child in value.items():
            if isinstance(key, str):
                yield key, child
            elif is_trackable(child):
                raise ValueError(
                    f"Unable to save the object {value} (a dictionary wrapper constructed automatically on attribute "
                    "assignment). The wrapped dictionary contains a non-string key which maps to a trackable object or "
                    "mutable data structure.\n\nIf you don't need this dictionary checkpointed, wrap it in a "
                    "non-trackable object; it will be subsequently ignored."
                )
    elif isinstance(value, Optimizer):
        graph = get_default_graph()
        own = {name: v for (name, _), v in value._other_variables.items() if v.op.graph is graph}
        yield from sorted(own.items())


def attributes(value: Any) -> dict[str, Callable[[str], SaveableObject] | None]:
    """Return what is saved of an object itself: the attribute's name and what makes a SaveableObject of a name.

    None for a variable's value.
    """
    if isinstance(value, Variable):
        return {VALUE: None}
    if isinstance(value, DataIterator):
        return {"ITERATOR": lambda name: make_saveable_from_iterator(value)}
    gather = getattr(value, "_gather_saveables_for_checkpoint", None)
    if gather is None:
        return {}
    return {name: _maker(made) for name, made in gather().items()}


def _maker(made: Any) -> Callable[[str], SaveableObject]:
    return made if callable(made) else lambda name: made


def slots(value: Any, owner: Any) -> Iterator[tuple[str, Variable]]:
    """Yield the slots that an optimizer has of a variable, as pairs of name and slot."""
    for name in value.get_slot_names():
        slot = value.get_slot(owner, name)
        if slot is not None:
            yield name, slot
