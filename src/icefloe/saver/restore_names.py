"""Which stored tensor serves each name that a graph wants: as it is, renamed, under another of its names, or as a
moving average.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from icefloe import errors
from icefloe.checkpoint import object_graph
from icefloe.checkpoint.editing.rules import Names, read_map
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.saver.restore_options import Ema, Rename, variable_name
from icefloe.saver.restore_report import Wanted

AVERAGE = "/ExponentialMovingAverage"


@dataclass(frozen=True, slots=True)
class Source:
    """The stored tensor that serves a wanted name. how: what makes it another than the one of that name, in words."""

    key: str
    how: tuple[str, ...] = ()


class Sources:
    """Finds stored tensors by the names that a graph wants.

    rename: from names in the checkpoint to names in the graph, or of its variables: a map, whose values may be
    variables and lists too; a function, which may return None for a name that stays; rules such as `s/old/new/`, and
    pairs of a regular expression and what replaces its matches; the path of a file that holds a map; a list of these,
    where maps come first. An entry of a single map that makes sense only the other way round, from the graph to the
    checkpoint, is taken so. What is renamed comes before what bears the name anyway.
    ema: "use" takes moving averages where there are any; "fallback" takes one in place of a variable that is missing,
    or the other way round.

    Raises: InvalidArgumentError for a rule that cannot be read.
    """

    def __init__(self, reader: CheckpointReader, wanted: Iterable[Wanted], rename: Rename, ema: Ema) -> None:
        self._reader = reader
        self._ema = ema
        wanted = list(wanted)
        self._keys = {w.variable: w.key for w in wanted} | {w.key: w.key for w in wanted}
        self._renamed: dict[str, list[str]] = defaultdict(list)
        self.unmatched: list[str] = []
        if isinstance(rename, bytes):
            rename = os.fsdecode(rename)
        single = rename[0] if isinstance(rename, list) and len(rename) == 1 else rename
        if isinstance(single, (Mapping, os.PathLike)):
            self._read_map(read_map(single) if isinstance(single, os.PathLike) else single)
        elif rename is not None and not (isinstance(rename, (list, tuple)) and not rename):
            self._apply(_function(rename))
            if not self._renamed.keys() & self._keys.keys():
                self.unmatched.append("rename" if callable(rename) else f"rename {rename}")

    def _read_map(self, rename: Mapping[str, Any]) -> None:
        for old, values in rename.items():
            if not isinstance(old, str):
                raise errors.InvalidArgumentError(f"rename: expected the name of a tensor, got {old!r}")
            is_list = isinstance(values, (list, tuple)) and all(isinstance(value, str) for value in values)
            for value in values if is_list else [values]:
                new = _name(value)
                if self._plain(old):
                    self._add(new, old)
                elif old in self._keys and self._plain(new):
                    self._add(old, new)
                else:
                    self.unmatched.append(old)

    def _apply(self, function: Callable[[str], str | None]) -> None:
        for name in self._reader.names:
            new = function(name)
            if new is not None and not isinstance(new, str):
                raise errors.InvalidArgumentError(f"rename: expected a name for {name!r}, got {new!r}")
            if new is not None and new != name:
                self._add(new, name)

    def _add(self, new: str, old: str) -> None:
        new = self._keys.get(new, new)
        key = self._plain(old)[0]
        if key not in self._renamed[new]:
            self._renamed[new].append(key)

    def _plain(self, name: str) -> tuple[str, ...]:
        if name == object_graph.KEY:
            return ()
        return self._reader.keys_of(name)

    def _direct(self, name: str) -> Source | None:
        """Return what serves a name, moving averages aside.

        Raises: InvalidArgumentError if several tensors do.
        """
        renamed = self._renamed.get(name)
        found = tuple(renamed) if renamed else self._plain(name)
        if len(found) > 1:
            paths = " and ".join(key.removesuffix(object_graph.VALUE_SUFFIX) for key in found[:5])
            why = "rename gives that name to all of them" if renamed else "rename one of them, by its path"
            raise errors.InvalidArgumentError(f"{len(found)} tensors have the name {name}: {paths}", hint=f"{why}.")
        if not found:
            return None
        return Source(found[0], () if found[0] == name else (f"stored as {found[0]}",))

    def _average(self, name: str, own: Source | None) -> Source | None:
        """Return the moving average of a variable, under its own name or that of the tensor that serves it."""
        average = self._direct(name + AVERAGE)
        if average is None and own is not None:
            bare = own.key.removesuffix(object_graph.VALUE_SUFFIX)
            found = self._plain(bare + AVERAGE)
            average = Source(found[0]) if len(found) == 1 else None
        return None if average is None else Source(average.key, (f"its moving average {average.key}",))

    def find(self, name: str) -> Source | None:
        """Return what serves the wanted name, None if the checkpoint has nothing.

        Raises: InvalidArgumentError if several tensors do.
        """
        own = self._direct(name)
        if self._ema == "ignore":
            return own
        if name.endswith(AVERAGE):
            if own is not None:
                return own
            variable = self._direct(name.removesuffix(AVERAGE))
            return None if variable is None else Source(variable.key, (f"{variable.key}, which has no moving average",))
        if self._ema == "use" or own is None:
            return self._average(name, own) or own
        return own


def _function(rename: Callable[[str], str | None] | Iterable[Any] | str) -> Callable[[str], str | None]:
    if isinstance(rename, str):
        return Names([rename]).of
    if callable(rename):
        return rename
    rules: list[Any] = []
    mapping: dict[str, str] = {}
    expected = "rename: expected rules such as s/old/new/, pairs of an expression and a text, maps and paths of maps"
    if not isinstance(rename, Iterable):
        raise TypeError(f"{expected}, got {rename!r}")
    for item in rename:
        if isinstance(item, (Mapping, os.PathLike)):
            found = read_map(item) if isinstance(item, os.PathLike) else item
            mapping |= {old: _name(new) for old, new in found.items()}
        elif isinstance(item, (str, bytes)):
            rules.append(os.fsdecode(item))
        elif isinstance(item, (tuple, list)) and len(item) == 2 and isinstance(item[0], (str, re.Pattern)):
            rules.append(tuple(item))
        else:
            raise TypeError(f"{expected}, got {item!r}")
    return Names(rules, mapping).of


def _name(value: Any) -> str:
    """Return the name that a variable, its tensor, or a list of its parts has in checkpoints."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and value:
        value = value[0]
    info = getattr(value, "_save_slice_info", None)
    return str(info.full_name) if info is not None else variable_name(value)
