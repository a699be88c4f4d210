"""Which names belong to a part of the graph."""

from __future__ import annotations


def in_scope(name: str, scope: str | None) -> bool:
    """Whether `name` is `scope` or below it, also after `^` or `loc:@`; everything is where `scope` is None or
    empty.
    """
    if not scope:
        return True
    scope = scope.rstrip("/")
    bare = name.removeprefix("^").removeprefix("loc:@")
    return bare.partition(":")[0] == scope or bare.startswith(scope + "/")
