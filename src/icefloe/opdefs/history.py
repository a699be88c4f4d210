"""Since which release of TensorFlow an op, its attrs, the values of these and their defaults exist.

`history.json` (fixtures/make/op_history.py makes it from what each release registers) holds

    releases    [name, producer version] of each, in order; the first is 1.0
    ops         op -> since, until: releases, by number     attrs: attr -> since     defaults: attr -> since
                      values: attr -> since -> allowed values (DataType numbers, strings)     required: attr -> until

What is not there is as it is now since 1.0. An op whose arguments changed counts from the change on. A name that
begins with `_` is of the runtime, and is taken to be as old as it may be.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from icefloe import opdefs
from icefloe.proto import AttrValue


@functools.cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(opdefs._read("history.json"))
    return table


def releases() -> list[str]:
    """Return the releases that are known, `1.0` first."""
    return [name for name, _ in _table()["releases"]]


def producer(release: int) -> int:
    """Return the producer version that a release writes into graphs."""
    version: int = _table()["releases"][release][1]
    return version


def find(name: str) -> int:
    """Return the number of a release; `1.15`, `v1.15.2` and `1.15.0-rc1` are the same.

    Raises: ValueError, with those that are known.
    """
    parts = name.strip().removeprefix("v").split(".")
    short = ".".join(parts[:2])
    known = releases()
    if short not in known:
        raise ValueError(f"no release {name!r} of TensorFlow is known; there are {', '.join(known)}")
    return known.index(short)


def _of(op: str) -> dict[str, Any]:
    found: dict[str, Any] = _table()["ops"].get(op, {})
    return found


def has_changed(op: str) -> bool:
    """Whether `op` is not as it was in 1.0."""
    return op in _table()["ops"]


def since(op: str) -> int | None:
    """Return the release that first had `op`; None for one that no release has."""
    if op not in _table()["ops"] and opdefs.find(op) is None:
        return None
    return int(_of(op).get("since", 0))


def until(op: str) -> int | None:
    """Return the last release that had `op`, None where the newest has it."""
    return _of(op).get("until")


def attr_since(op: str, attr: str) -> int:
    """Return the release that first had an attr of `op`, that of the op for a name that the op does not have."""
    entry = _of(op)
    return int(entry.get("attrs", {}).get(attr, entry.get("since", 0)))


def value_since(op: str, attr: str, value: AttrValue) -> int:
    """Return the release that first allowed an attr to have this value."""
    newest = attr_since(op, attr)
    values: list[int | str] = [*value.list.type, *(s.decode("utf-8", "replace") for s in value.list.s)]
    if value.WhichOneof("value") == "type":
        values = [value.type]
    elif value.WhichOneof("value") == "s":
        values = [value.s.decode("utf-8", "replace")]
    for release, allowed in _of(op).get("values", {}).get(attr, {}).items():
        if any(v in allowed for v in values):
            newest = max(newest, int(release))
    return newest


def new_defaults(op: str, release: int) -> list[str]:
    """Return the attrs of `op` that had another default in `release`, or none."""
    changed: Mapping[str, int] = _of(op).get("defaults", {})
    return [attr for attr, first in changed.items() if first > release >= attr_since(op, attr)]


def lost_attrs(op: str, release: int) -> list[str]:
    """Return the attrs without a default that `op` had in `release` and has no more."""
    return [attr for attr, last in _of(op).get("required", {}).items() if last >= release]
