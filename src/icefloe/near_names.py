"""Names that somebody who mistyped one may have meant."""

from __future__ import annotations

from collections.abc import Collection, Sequence

# Comparing takes about 20 us a name; of more names only those alike at the first look are compared.
_MANY = 5000


def near_names(name: str, known: Collection[str], count: int = 3, likeness: float = 0.6) -> list[str]:
    """Return up to `count` of the names in `known` that `name` may have meant, the best first.

    The tensor's form `x:0` of a name `x`, or the reverse, is the only answer. Then come names of which one is the end
    of the other, as paths and in whatever case, then those of similar spelling, then those with the same last part.

    likeness: how much of the spelling must agree, from 0 to 1.
    """
    bare = name.removesuffix(":0")
    for other in (bare, f"{name}:0"):
        if other != name and other in known:
            return [other]
    wanted = f"/{bare.lower()}"
    last = wanted.rpartition("/")[2]
    scoped, same = [], []
    for other in known:
        path = f"/{other.lower().removesuffix(':0')}"
        if path.endswith(wanted) or wanted.endswith(path):
            scoped.append(other)
        elif last and path.endswith(f"/{last}"):
            same.append(other)
    return list(dict.fromkeys([*scoped, *_spelled_like(bare, known, count, likeness), *same]))[:count]


def _spelled_like(name: str, known: Collection[str], count: int, likeness: float) -> list[str]:
    from difflib import get_close_matches  # takes a millisecond, which who makes no mistake should not wait for

    if len(known) > _MANY:
        start = name.lower().rpartition("/")[2][:3]
        known = [other for other in known if start in other.lower()][:_MANY]
    bare = {other.removesuffix(":0"): other for other in known}
    return [bare[other] for other in get_close_matches(name, bare, count, likeness)]


def question(names: Sequence[str]) -> str | None:
    """Return the sentence that asks whether one of `names` was meant; None where there is none."""
    return f"Did you mean {' or '.join(map(repr, names))}?" if names else None
