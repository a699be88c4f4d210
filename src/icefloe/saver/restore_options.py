"""What a caller asks of a restore that need not be complete: which variables, under which names, and what to do where a
stored tensor does not fit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from icefloe import errors
from icefloe.checkpoint.editing.patterns import Patterns
from icefloe.saver.restore_report import Wanted

OnShape = Literal["error", "skip", "slice", "pad", "fit"]
Ema = Literal["ignore", "use", "fallback"]
Selection = Any  # text, a compiled pattern, a variable, or a list of these
Rename = Mapping[str, Any] | Callable[[str], str | None] | Iterable[Any] | str | None

_ON_SHAPE = ("error", "skip", "slice", "pad", "fit")
_EMA = ("ignore", "use", "fallback")


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    """The options of `Saver.restore`, checked.

    Raises: InvalidArgumentError for a value that is none.
    """

    strict: bool = True
    include: Selection = None
    exclude: Selection = None
    rename: Rename = None
    on_shape: OnShape | None = None
    cast: bool | Selection = False
    ema: Ema = "ignore"
    init_missing: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.cast, np.bool_):
            object.__setattr__(self, "cast", bool(self.cast))
        if self.on_shape is not None and self.on_shape not in _ON_SHAPE:
            raise errors.InvalidArgumentError(f"on_shape: expected {_either(_ON_SHAPE)}, got {self.on_shape!r}")
        if self.ema not in _EMA:
            raise errors.InvalidArgumentError(f"ema: expected {_either(_EMA)}, got {self.ema!r}")

    @property
    def is_plain(self) -> bool:
        """Whether all that the graph wants is to be restored as it is."""
        return self == RestoreOptions()

    @property
    def shape_rule(self) -> OnShape:
        """What to do with another shape; unless the caller said so, what `strict` says."""
        if self.on_shape is not None:
            return self.on_shape
        return "error" if self.strict else "skip"


def _either(values: Iterable[str]) -> str:
    *others, last = map(repr, values)
    return f"{', '.join(others)} or {last}"


class Chosen:
    """Which of the wanted tensors a selection means.

    A text is the name of a variable or tensor as it is; or a glob; or a scope, `dense/` or `dense` where nothing bears
    that name; or a regular expression after `re:`. Compiled patterns are searched for. A variable, a tensor of one, a
    partitioned variable or a list of these stand for themselves.
    """

    def __init__(self, selection: Selection, wanted: Iterable[Wanted]) -> None:
        names = {name for w in wanted for name in _names(w)}
        texts: list[str] = []
        self._expressions: list[re.Pattern[str]] = []
        for item in _flat(selection):
            if isinstance(item, re.Pattern):
                self._expressions.append(item)
            elif isinstance(item, str):
                texts.append(_as_scope(item, names))
            else:
                texts.append(variable_name(item))
        self._patterns = Patterns(texts)
        self._used: set[re.Pattern[str]] = set()
        self._names = names

    def __contains__(self, wanted: Wanted) -> bool:
        found = False
        for name in _names(wanted):
            found = self._patterns.matches(name) or found
            for expression in self._expressions:
                if expression.search(name):
                    self._used.add(expression)
                    found = True
        return found

    @property
    def unmatched(self) -> list[str]:
        """What has matched nothing so far, as text."""
        return self._patterns.unmatched + [e.pattern for e in self._expressions if e not in self._used]

    def check_used(self) -> None:
        """Raise NotFoundError, with near names, if a part of the selection has matched nothing."""
        self._patterns.check_used(sorted(self._names))
        if self.unmatched:
            raise errors.NotFoundError(f"no tensor matches {', '.join(map(repr, self.unmatched))}")


def _names(wanted: Wanted) -> tuple[str, ...]:
    if wanted.variable in ("", wanted.key):
        return (wanted.key,)
    return (wanted.key, wanted.variable)


def _flat(selection: Selection) -> Iterator[Any]:
    if selection is None:
        return
    if isinstance(selection, bytes):
        selection = os.fsdecode(selection)
    is_group = isinstance(selection, (list, tuple, set, frozenset, dict)) or (
        isinstance(selection, Iterable) and not isinstance(selection, (str, re.Pattern)) and not _is_named(selection)
    )
    if is_group:
        for item in selection:
            yield from _flat(item)
    else:
        yield selection


def _is_named(value: Any) -> bool:
    return hasattr(value, "op") or hasattr(value, "name")


def _as_scope(text: str, names: set[str]) -> str:
    """Return `text` as a scope where it is the name of one, and of nothing else."""
    if text.endswith(":0") and text not in names:
        text = text[:-2]
    is_literal = not text.startswith("re:") and not text.endswith("/") and not any(sign in text for sign in "*?[")
    if is_literal and text not in names and any(name.startswith(f"{text}/") for name in names):
        return f"{text}/"
    return text


def variable_name(value: Any) -> str:
    """Return the name under which `value` is found among what a graph wants: that of its node, or of the whole of which
    it is a part.

    Raises: TypeError if it is no variable.
    """
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    operation: Any = getattr(value, "op", None)
    if hasattr(operation, "type"):
        if operation.type == "ReadVariableOp":
            operation = operation.inputs[0].op
        return str(operation.name)
    name = getattr(value, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"expected a name, a pattern or a variable, got {type(value).__name__}")
    return name.removesuffix(":0")
