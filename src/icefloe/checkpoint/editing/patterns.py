"""Which tensors an edit is about.

A pattern is a name as it is; or a glob, `*` and `?` as in a shell; or a scope, `dense/`, for all below it; or a
regular expression after `re:`, found anywhere in the name. A tensor of an object-based checkpoint also goes by its
path without `/.ATTRIBUTES/VARIABLE_VALUE`, and by the full name of its variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import translate

from icefloe import errors
from icefloe.checkpoint.arguments import as_expression, as_patterns
from icefloe.near_names import near_names, question

VALUE_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"


class Patterns:
    """A set of patterns that remembers which of them matched.

    full_names: key of a tensor -> the full name of its variable, where the checkpoint says so.

    Raises: InvalidArgumentError for a regular expression that is none.
    """

    def __init__(self, texts: Iterable[str] | str, full_names: Mapping[str, str] | None = None) -> None:
        self.texts = as_patterns(texts)
        self._full_names = full_names or {}
        self._tests = [(text, _test(text)) for text in self.texts]
        self._used: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.texts)

    def aliases(self, name: str) -> list[str]:
        """Return the names by which a tensor goes."""
        out = [name]
        if name.endswith(VALUE_SUFFIX):
            out.append(name.removesuffix(VALUE_SUFFIX))
        if name in self._full_names:
            out.append(self._full_names[name])
        return out

    def matches(self, name: str) -> bool:
        """Whether one of the patterns is meant for the tensor `name`."""
        return self.first(name) is not None

    def first(self, name: str) -> str | None:
        """Return the first pattern that matches, or None."""
        found = None
        aliases = self.aliases(name)
        for text, test in self._tests:
            if any(text == alias or test(alias) for alias in aliases):
                self._used.add(text)
                found = found if found is not None else text
        return found

    @property
    def unmatched(self) -> list[str]:
        """The patterns that have matched nothing so far."""
        return [text for text in self.texts if text not in self._used]

    def check_used(self, names: Sequence[str]) -> None:
        """Raise NotFoundError, with near names, if a pattern has matched nothing."""
        left = self.unmatched
        if not left:
            return
        raise errors.NotFoundError(
            f"no tensor matches {', '.join(map(repr, left))}", hint=question(near_names(left[0], names))
        )


def _test(text: str) -> Callable[[str], object]:
    if text.startswith("re:"):
        return as_expression(text[3:]).search
    if text.endswith("/"):
        return lambda name: name.startswith(text)
    return as_expression(translate(text)).match
