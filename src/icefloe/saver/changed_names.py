"""Which stored name may be meant by a name that a checkpoint lacks.

Names of variables change in known ways between versions of a library and from one script to the next:

    weights -> kernel, biases -> bias                       layers of other libraries
    net/w -> model/net/w                                    a scope added or lost
    old/net/w -> new/net/w                                  a scope renamed; if several names have it, old/w -> new/w
    BatchNorm/beta -> batch_normalization/offset            scopes and names of layers in other libraries
    w_1 -> w                                                the graph was built twice
    w/ExponentialMovingAverage, w/Adam -> w                 shadows and slots; w/Adam_1 -> w/adam_v
    w:0 -> w                                                a tensor's name as key
    w/.ATTRIBUTES/VARIABLE_VALUE -> w                       an object-based checkpoint
    w/part_0 -> w                                           a part of a partitioned variable

Two names that such changes make equal are near; so are names of which one ends with the other, and names that differ
by a few letters.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
# Scopes that layers get by default, in one library and another.
_LAYERS = {
    name: row[0]
    for row in (
        ("batch_normalization", "BatchNorm", "batch_norm", "BatchNormalization", "bn"),
        ("dense", "fully_connected", "Dense", "fc"),
        ("conv2d", "Conv", "Conv2D", "conv"),
        ("depthwise_conv2d", "separable_conv2d", "SeparableConv2d"),
    )
    for name in row
}
# Names of slots, each with what it stands for.
_SLOTS = {
    name: row[0]
    for row in (
        ("average", "ExponentialMovingAverage"),
        ("m", "Adam", "adam_m", "lamb_m", "LAMB"),
        ("v", "Adam_1", "adam_v", "lamb_v", "LAMB_1"),
        ("momentum", "Momentum", "LARSOptimizer"),
        ("rms", "RMSProp"),
        ("rms momentum", "RMSProp_1"),
        ("accumulator", "Adagrad", "Ftrl", "Adadelta", "accum_grad"),
        ("linear", "Ftrl_1"),
        ("update", "Adadelta_1", "accum_var"),
    )
    for name in row
}
_OBJECT_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
_COUNTER = re.compile(r"_\d+$")
_PART = re.compile(r"/part_\d+$")

# At most so many candidates are looked at for one name, and so many suggested. Letters are compared for the first names
# that are asked for only: a checkpoint of another model altogether would cost thousands times thousands of comparisons.
_CANDIDATES = 100
_SUGGESTIONS = 3
_NAMES_BY_LETTERS = 50
_CLOSE = 0.09  # how much worse than the best one a suggestion may be
_ALIKE = 0.6  # least likeness of each part of two names that differ by letters


@dataclass(frozen=True, slots=True)
class _Forms:
    """What a name looks like once the known changes are taken back; `counters` are the numbers that were in it, `slot`
    what kind of slot it names, "" for none.
    """

    parts: tuple[str, ...]
    counters: tuple[str, ...]
    slot: str

    @property
    def last_counter(self) -> str:
        return self.counters[-1] if self.counters else ""


def _forms(name: str) -> _Forms:
    name = name.removesuffix(_OBJECT_SUFFIX)
    if name.endswith(":0"):
        name = name[:-2]
    name = _PART.sub("", name)
    parts = name.split("/")
    slot = _SLOTS.get(parts[-1], "") if len(parts) > 1 else ""
    if slot:
        del parts[-1]
    counters = tuple(part[found.start() :] for part in parts if (found := _COUNTER.search(part)))
    parts = [_LAYERS.get(part, part) for part in (_COUNTER.sub("", part) for part in parts)]
    parts[-1] = _SYNONYMS.get(parts[-1], parts[-1])
    return _Forms(tuple(parts), counters, slot)


def _same_counters(a: _Forms, b: _Forms) -> bool:
    """Whether the numbers in two names agree, as far as the shorter name has any."""
    short, long = sorted((a.counters, b.counters), key=len)
    return long[len(long) - len(short) :] == short and bool(short or not long)


def _common_tail(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Return how many last parts two names share."""
    shared = 0
    for x, y in zip(reversed(a), reversed(b)):
        if x != y:
            break
        shared += 1
    return shared


def compatible(wanted: Shape, stored: Shape) -> bool:
    """Whether a tensor of shape `stored` may be what `wanted` describes; None is an unknown size or rank."""
    if wanted is None or stored is None:
        return True
    if len(wanted) != len(stored):
        return False
    return all(a is None or b is None or a == b for a, b in zip(wanted, stored, strict=True))


def _without(name: str, tail: int, forms: _Forms) -> str:
    """Return the scope of a name: all but its last `tail` parts and its slot."""
    parts = name.removesuffix(_OBJECT_SUFFIX).split("/")
    return "/".join(parts[: len(parts) - tail - bool(forms.slot)])


@functools.lru_cache(maxsize=1 << 16)
def _likeness(a: str, b: str) -> float:
    """Return how alike two texts are, from 0 to 1; parts of names recur, so most answers are known."""
    if a == b:
        return 1.0
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return 0.0 if matcher.real_quick_ratio() < _ALIKE or matcher.quick_ratio() < _ALIKE else matcher.ratio()


class ChangedNames:
    """Finds near matches among stored names and their shapes. Building it costs one pass over the names."""

    def __init__(self, stored: Mapping[str, Shape]) -> None:
        self._shapes = stored
        self._forms = {name: _forms(name) for name in stored}
        # Names by all their parts, by the last one, and by how many there are; each also with the last counter.
        self._groups: dict[Any, list[str]] = defaultdict(list)
        for name, forms in self._forms.items():
            for key in (forms.parts, forms.parts[-1], len(forms.parts)):
                self._groups[key].append(name)
                self._groups[key, forms.last_counter].append(name)
        self._letters_left = _NAMES_BY_LETTERS

    def find(self, name: str, shape: Shape = None) -> list[str]:
        """Return up to three stored names that `name` may mean, the best first.

        shape: that of the tensor wanted; a stored tensor of another shape is suggested only where its name fits by a
        known change.
        """
        forms = _forms(name)
        scored: dict[str, float] = {}

        def offer(stored: str, score: float) -> None:
            theirs = self._forms[stored]
            if not compatible(shape, self._shapes[stored]):
                score -= 0.5
            if theirs.slot != forms.slot:
                score -= 0.2
            if _same_counters(theirs, forms):
                score += 0.1
            if score >= _ALIKE and score > scored.get(stored, 0.0):
                scored[stored] = score

        for stored in self._group(forms.parts, forms):
            offer(stored, 1.3)
        for stored in self._group(forms.parts[-1], forms):
            theirs = self._forms[stored].parts
            short, long = sorted((forms.parts, theirs), key=len)
            if len(short) < len(long) and long[-len(short) :] == short:
                offer(stored, 1.0 + 0.05 * len(short))
            elif (shared := _common_tail(short, long)) > 1:
                offer(stored, 0.7 + 0.05 * shared)
        if not scored and self._letters_left:
            self._letters_left -= 1
            for stored in self._group(len(forms.parts), forms):
                pairs = zip(forms.parts, self._forms[stored].parts, strict=True)
                likeness = [_likeness(a, b) for a, b in pairs]
                if min(likeness) >= _ALIKE:
                    offer(stored, sum(likeness) / len(likeness))
        least = max(scored.values(), default=0.0) - _CLOSE
        near = [stored for stored, score in scored.items() if score >= least]
        return sorted(near, key=lambda stored: (-scored[stored], stored))[:_SUGGESTIONS]

    def find_all(self, wanted: Mapping[str, Shape]) -> dict[str, list[str]]:
        """Return what `find` does for each name, where there is anything; and names whose scope alone differs, if as
        many as two names differ so.
        """
        out = {name: found for name, shape in wanted.items() if (found := self.find(name, shape))}
        renamed = self._by_scope(wanted)
        for name in wanted:
            stored = renamed.get(name)
            if stored is not None and (name not in out or stored in out[name]):
                others = [other for other in out.get(name, []) if other != stored]
                out[name] = [stored, *others][:_SUGGESTIONS]
        return {name: out[name] for name in wanted if name in out}

    def find_like(self, name: str, shape: Shape = None, *, copies: bool = False) -> list[str]:
        """Return what `find` does but variables for their slots, other than moving averages.

        copies: only what `name` may be a copy of, as it has more numbers, or the average of.
        """
        forms = _forms(name)
        found = []
        for stored in self.find(name, shape):
            theirs = self._forms[stored]
            is_like = theirs.slot == forms.slot and (not copies or len(theirs.counters) < len(forms.counters))
            if is_like or forms.slot == "average":
                found.append(stored)
        return found

    def _by_scope(self, wanted: Mapping[str, Shape]) -> dict[str, str]:
        """Return, per name, the stored one with the same end and shape whose other scope most names have in common."""
        candidates: dict[str, list[tuple[str, Any]]] = {}
        votes: Counter[Any] = Counter()
        for name, shape in wanted.items():
            forms = _forms(name)
            for stored in self._group(forms.parts[-1], forms):
                theirs = self._forms[stored]
                if theirs.slot != forms.slot or not compatible(shape, self._shapes[stored]):
                    continue
                shared = min(_common_tail(forms.parts, theirs.parts), len(forms.parts) - 1, len(theirs.parts) - 1)
                if shared:
                    scopes = _without(name, shared, forms), _without(stored, shared, theirs)
                    candidates.setdefault(name, []).append((stored, scopes))
            votes.update({scopes for _, scopes in candidates.get(name, [])})
        out = {}
        for name, found in candidates.items():
            stored, scopes = max(found, key=lambda pair: votes[pair[1]])
            if votes[scopes] > 1:
                out[name] = stored
        return out

    def _group(self, key: Any, forms: _Forms) -> list[str]:
        """Return as many names of a group as are looked at, those with the last counter of `forms` first."""
        same = self._groups.get((key, forms.last_counter), [])[:_CANDIDATES]
        return list(dict.fromkeys([*same, *self._groups.get(key, [])[: _CANDIDATES - len(same)]]))
