"""Names that somebody who mistyped one may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Collection

# Comparing takes about 20 us a name; of more names only those alike at the first look are compared.
_MANY = 5000


def near_names(name: str, known: Collection[str], count: int = 3) -> list[str]:
    """Return up to `count` of the names in `known` that are near to `name`, the nearest first.

    The last part of a path counts: `logits` is near to `model/logits`, in whatever case.
    """
    wanted = name.lower()
    last = wanted.rpartition("/")[2]
    same = [other for other in known if other.lower().rpartition("/")[2] == last] if last else []
    if len(known) > _MANY:
        start = last[:3]
        known = [other for other in known if start in other.lower()][:_MANY]
    close = difflib.get_close_matches(name, known, count, 0.7)
    return list(dict.fromkeys([*close[:1], *same[:count], *close]))[:count]


def hint(name: str, known: Collection[str], index: str = "") -> str:
    """Return a sentence that names what was perhaps meant, after a space; empty if nothing is near.

    index: what follows the name of an operation in the name of its tensor.
    """
    found = near_names(name, known)
    return f" Did you mean {' or '.join(repr(other + index) for other in found)}?" if found else ""
