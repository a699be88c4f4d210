"""Which renames would make a checkpoint fit, and substitutions that say several of them at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from icefloe.checkpoint.editing.rules import Names


def likely_renames(left_over: Iterable[str], suggestions: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return stored name -> wanted name: the first suggestion of each missing name that nothing else has.

    left_over: stored names that nothing wants. suggestions: of missing names, best first.
    """
    free = set(left_over)
    renames: dict[str, str] = {}
    for wanted, near in suggestions.items():
        for stored in near:
            if stored in free and stored not in renames:
                renames[stored] = wanted
                break
    return renames


def as_rules(renames: Mapping[str, str], others: Iterable[str] = ()) -> list[str]:
    """Return substitutions `s/pattern/text/` that make all of the renames and change none of the `others`, if at most
    three do.
    """
    others = list(others)
    both = _at_both_ends(renames)
    if both and _makes(both, renames, others):
        return both
    for anchored in (False, True):
        counts = Counter(_difference(stored, wanted, anchored) for stored, wanted in renames.items())
        if not renames or len(counts) > 3 or len(counts) == len(renames) > 1:
            return []
        rules = [rule for rule, _ in counts.most_common()]
        if _makes(rules, renames, others):
            return rules
    return []


def _makes(rules: list[str], renames: Mapping[str, str], others: list[str]) -> bool:
    new_name = Names(rules).of
    return all(new_name(old) == new for old, new in renames.items()) and all(new_name(n) == n for n in others)


def _at_both_ends(renames: Mapping[str, str]) -> list[str]:
    """Return substitutions for names of which the scope in front and the last part differ, `old/layer/kernel` and
    `new/layer/weights`; nothing where that is not so, or if there are more than four.
    """
    fronts: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for stored, wanted in renames.items():
        old, new = stored.split("/"), wanted.split("/")
        last_old, last_new = old.pop(), new.pop()
        if last_old != last_new:
            ends[f"s/\\/{_escaped(last_old)}$/\\/{_escaped(last_new)}/"] += 1
        while old and new and old[-1] == new[-1]:
            old.pop()
            new.pop()
        if old != new:
            before, after = ("/".join([*parts, ""]) for parts in (old, new))
            fronts[f"s/^{_escaped(before)}/{_escaped(after)}/"] += 1
    if len(fronts) != 1 or not 0 < len(ends) <= 3 or len(renames) < 3:
        return []
    return [*fronts, *(rule for rule, _ in ends.most_common())]


def _difference(stored: str, wanted: str, anchored: bool) -> str:
    """Return the substitution that makes one name of another: of its first parts, its last part or the whole.

    anchored: it applies to whole parts, at the beginning or the end of a name.
    """
    old, new = stored.split("/"), wanted.split("/")
    behind = before = False
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        old.pop()
        new.pop()
        behind = True
    if old[-1] == new[-1]:  # a scope more or less in front
        scope = "/".join((old if len(old) > len(new) else new)[:-1]) + "/"
        return f"s/^{_escaped(scope)}//" if len(old) > len(new) else f"s/^/{_escaped(scope)}/"
    while len(old) > 1 and len(new) > 1 and old[0] == new[0]:
        del old[0], new[0]
        before = True
    if not anchored:
        return f"s/{_escaped('/'.join(old))}/{_escaped('/'.join(new))}/"
    pattern = ("\\/" if before else "^") + _escaped("/".join(old)) + ("\\/" if behind else "$")
    text = ("\\/" if before else "") + _escaped("/".join(new)) + ("\\/" if behind else "")
    return f"s/{pattern}/{text}/"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("/", "\\/").replace(".", "\\.")
