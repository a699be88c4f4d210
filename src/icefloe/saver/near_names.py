"""Which stored name may be meant by a name that a checkpoint lacks.

Names of variables change in known ways between versions of a library and from one script to the next:

    weights -> kernel, biases -> bias                       layers of other libraries
    net/w -> model/net/w                                    a scope added or lost
    w_1 -> w                                                the graph was built twice
    w/ExponentialMovingAverage, w/Adam -> w                 shadows and slots
    w:0 -> w                                                a tensor's name as key
    w/.ATTRIBUTES/VARIABLE_VALUE -> w                       an object-based checkpoint
    w/part_0 -> w                                           a part of a partitioned variable

Two names that such changes make equal are near; so are names of which one ends with the other, and names that differ
by a few letters.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

Shape = tuple[int | None, ...] | None

# Last parts of names that stand for the same thing; the first of each row is the canonical one.
_SYNONYMS = {
    name: row[0]
    for row in (
        ("kernel", "weights", "weight", "w", "W", "depthwise_weights", "depthwise_kernel", "embeddings", "filters"),
        ("bias", "biases", "b", "B"),
        ("gamma", "scale"),
        ("beta", "offset", "shift"),
        ("moving_mean", "pop_mean", "running_mean", "mean"),
        ("moving_variance", "pop_var", "running_var", "variance", "var"),
        ("recurrent_kernel", "recurrent_weights"),
    )
    for name in row
}
_SLOTS = frozenset(
    (
        "ExponentialMovingAverage",
        "Adam",
        "Adam_1",
        "Momentum",
        "RMSProp",
        "RMSProp_1",
        "Adagrad",
        "Adadelta",
        "Adadelta_1",
    )
    + ("Ftrl", "Ftrl_1", "LARSOptimizer", "adam_m", "adam_v", "m", "v", "momentum")
)
_OBJECT_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
_COUNTER = re.compile(r"_\d+$")
_PART = re.compile(r"/part_\d+$")

# At most so many letter-by-letter comparisons for one name, and so many suggestions.
_COMPARISONS = 200
_SUGGESTIONS = 3


@dataclass(frozen=True, slots=True)
class _Forms:
    """What a name looks like once the known changes are taken back."""

    parts: tuple[str, ...]
    is_slot: bool

    @property
    def last(self) -> str:
        return self.parts[-1] if self.parts else ""


def _forms(name: str) -> _Forms:
    name = name.removesuffix(_OBJECT_SUFFIX)
    if name.endswith(":0"):
        name = name[:-2]
    name = _PART.sub("", name)
    parts = name.split("/")
    is_slot = len(parts) > 1 and parts[-1] in _SLOTS
    if is_slot:
        del parts[-1]
    parts = [_COUNTER.sub("", part) for part in parts]
    parts[-1] = _SYNONYMS.get(parts[-1], parts[-1])
    return _Forms(tuple(parts), is_slot)


def compatible(wanted: Shape, stored: Shape) -> bool:
    """Whether a tensor of shape `stored` may be what `wanted` describes; None is an unknown size or rank."""
    if wanted is None or stored is None:
        return True
    return len(wanted) == len(stored) and all(
        a is None or b is None or a == b for a, b in zip(wanted, stored, strict=True)
    )


def _likeness(a: str, b: str) -> float:
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()


class NearNames:
    """Finds near matches among stored names and their shapes. Building it costs one pass over the names."""

    def __init__(self, stored: Mapping[str, Shape]) -> None:
        self._shapes = stored
        self._forms = {name: _forms(name) for name in stored}
        self._by_parts: dict[tuple[str, ...], list[str]] = defaultdict(list)
        self._by_last: dict[str, list[str]] = defaultdict(list)
        for name, forms in self._forms.items():
            self._by_parts[forms.parts].append(name)
            self._by_last[forms.last].append(name)

    def find(self, name: str, shape: Shape = None) -> list[str]:
        """Return up to three stored names that `name` may mean, the best first.

        shape: that of the tensor wanted; a stored tensor of another shape is suggested only where its name fits by a
        known change.
        """
        forms = _forms(name)
        scored: dict[str, float] = {}

        def offer(stored: str, score: float) -> None:
            if not compatible(shape, self._shapes[stored]):
                score -= 0.5
            if self._forms[stored].is_slot != forms.is_slot:
                score -= 0.2
            score += 0.1 * _likeness(name, stored)
            if score >= 0.6 and score > scored.get(stored, 0.0):
                scored[stored] = score

        for stored in self._by_parts.get(forms.parts, [])[:_COMPARISONS]:
            offer(stored, 1.3)
        neighbours = self._by_last.get(forms.last, [])[:_COMPARISONS]
        for stored in neighbours:
            theirs = self._forms[stored].parts
            short, long = sorted((forms.parts, theirs), key=len)
            if len(short) < len(long) and long[-len(short) :] == short:
                offer(stored, 1.0 + 0.05 * len(short))
        for stored in self._letters(name, shape, neighbours):
            ratio = difflib.SequenceMatcher(
                None, "/".join(forms.parts), "/".join(self._forms[stored].parts), autojunk=False
            ).ratio()
            if ratio >= 0.75:
                offer(stored, ratio)
        return sorted(scored, key=lambda stored: (-scored[stored], stored))[:_SUGGESTIONS]

    def _letters(self, name: str, shape: Shape, neighbours: list[str]) -> list[str]:
        """Return the stored names worth comparing letter by letter: a bounded number, those with the same last part
        or shape first.
        """
        chosen = dict.fromkeys(neighbours)
        for stored, theirs in self._shapes.items():
            if len(chosen) >= _COMPARISONS:
                break
            if abs(len(stored) - len(name)) <= max(8, len(name) // 2) and compatible(shape, theirs):
                chosen[stored] = None
        return list(chosen)
