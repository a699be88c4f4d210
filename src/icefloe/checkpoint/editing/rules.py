"""Rules that give names: sed's `s/a/b/`, maps, prefixes.

s/PATTERN/REPLACEMENT/FLAGS    any sign in place of `/`; PATTERN is a regular expression of Python's; in REPLACEMENT
                               `&` is what matched and `\\1` a group; flags g (every place, not the first alone), i
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.checkpoint.arguments import as_expression, as_text
from icefloe.checkpoint.editing.patterns import VALUE_SUFFIX

Rule = str | tuple[str, str]
_SLOT = "/.OPTIMIZER_SLOT/"
_ATTRIBUTES = "/.ATTRIBUTES/"
_MAX_MAP_FILE = 256 << 20


class Names:
    """A function from old names to new ones.

    mapping: old -> new, applied first; a name that it holds goes through no other rule. strip_prefix, then rules in
    their order, then prefix. A key of objects keeps what follows `/.ATTRIBUTES/`; a slot's goes with its variable's.

    Raises: InvalidArgumentError for a rule that cannot be read.
    """

    def __init__(
        self,
        rules: Iterable[Rule] = (),
        mapping: Mapping[str, str] | None = None,
        prefix: str = "",
        strip_prefix: str = "",
    ) -> None:
        self.mapping = dict(mapping or {})
        for old, new in self.mapping.items():
            if not isinstance(old, str) or not isinstance(new, str):
                raise errors.InvalidArgumentError(f"a map goes from text to text, got {old!r}: {new!r}")
        self._rules = [_substitution(rule) for rule in rule_list(rules)]
        self._prefix = as_text(prefix, "prefix")
        self._strip = as_text(strip_prefix, "strip_prefix")
        self._used: set[str] = set()
        self.is_map_only = not (self._rules or prefix or strip_prefix)

    @property
    def is_empty(self) -> bool:
        return self.is_map_only and not self.mapping

    @property
    def unmatched(self) -> list[str]:
        """The keys of the map that no name was looked up under."""
        return sorted(set(self.mapping) - self._used)

    def of(self, name: str) -> str:
        """Return the new name of a tensor."""
        found = self._mapped(name)
        if found is not None:
            return found
        path, mark, attribute = name.rpartition(_ATTRIBUTES)
        if mark:
            return self._path(path) + mark + attribute
        return self._plain(name)

    def _mapped(self, name: str) -> str | None:
        if name not in self.mapping:
            return None
        self._used.add(name)
        return self.mapping[name]

    def _plain(self, name: str) -> str:
        found = self._mapped(name)
        if found is not None:
            return found
        if self._strip and name.startswith(self._strip):
            name = name[len(self._strip) :]
        for change in self._rules:
            name = change(name)
        return self._prefix + name

    def _path(self, path: str) -> str:
        found = self._mapped(path)
        if found is not None:
            return found.removesuffix(VALUE_SUFFIX)
        variable, mark, slot = path.partition(_SLOT)
        if not mark:
            return self._plain(path)
        owner, _, slot_name = slot.rpartition("/")
        return f"{self._plain(variable)}{mark}{self._plain(owner)}/{slot_name}"


def rule_list(rules: Iterable[Rule]) -> list[Rule]:
    """Return rules as a list; one by itself is meant as a list of one. Raises: TypeError for what is no list."""
    if isinstance(rules, str):
        return [rules]
    try:
        return list(rules)
    except TypeError:
        raise TypeError(f"expected rules such as s/old/new/ in a list, got {rules!r}") from None


def _substitution(rule: Rule) -> Callable[[str], str]:
    if isinstance(rule, tuple) and len(rule) == 2 and isinstance(rule[1], str):
        pattern, replacement = rule
        return _replacing(as_expression(pattern), replacement, 0)
    if not isinstance(rule, str):
        raise TypeError(f"expected a rule such as s/old/new/ or a pair of pattern and replacement, got {rule!r}")
    if len(rule) < 4 or rule[0] != "s" or rule[1].isalnum() or rule[1] in "\\ \n":
        raise errors.InvalidArgumentError(f"expected a rule such as s/old/new/, got {rule!r}")
    parts = _split(rule[2:], rule[1])
    if len(parts) != 3:
        raise errors.InvalidArgumentError(
            f"{rule!r}: expected s{rule[1]}PATTERN{rule[1]}REPLACEMENT{rule[1]}FLAGS, got {len(parts)} parts of 3"
        )
    pattern, replacement, flags = parts
    if set(flags) - set("gi"):
        raise errors.InvalidArgumentError(f"{rule!r}: unknown flags {flags!r}; there are g and i")
    expression = as_expression(pattern, re.IGNORECASE if "i" in flags else 0)
    return _replacing(expression, _sed_replacement(replacement), 0 if "g" in flags else 1)


def _split(text: str, delimiter: str) -> list[str]:
    """Return the parts between delimiters; one after a backslash is none."""
    parts = [""]
    pos = 0
    while pos < len(text):
        if text[pos] == "\\" and pos + 1 < len(text):
            parts[-1] += delimiter if text[pos + 1] == delimiter else text[pos : pos + 2]
            pos += 2
        elif text[pos] == delimiter:
            parts.append("")
            pos += 1
        else:
            parts[-1] += text[pos]
            pos += 1
    return parts


def _sed_replacement(text: str) -> str:
    """Return a replacement of sed's in Python's form: `&` is the whole match, `\\&` the sign itself."""
    return re.sub(r"\\?&", lambda m: r"\g<0>" if m[0] == "&" else "&", text)


def _replacing(expression: re.Pattern[str], replacement: str, count: int) -> Callable[[str], str]:
    try:
        # An unknown group shows when the template is expanded; no name needs to match for that.
        as_expression("(?:" + expression.pattern + ")|", expression.flags & ~re.UNICODE).sub(replacement, "", 1)
    except (re.error, IndexError) as e:
        raise errors.InvalidArgumentError(
            f"{replacement!r} is no replacement for {expression.pattern!r}: {e}"
        ) from None
    return lambda name: expression.sub(replacement, name, count)


def read_map(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the map from old to new names in a file: .json (an object, or a list of pairs), .tsv, or else csv.

    Rows have two cells; empty ones and those that begin with `#` are passed over, a header `old,new` too.

    Raises: NotFoundError if there is no such file, InvalidArgumentError if it is no map, with the line.
    """
    text_path = files.path_of(path)
    source = files.Source(text_path)
    try:
        if source.size > _MAX_MAP_FILE:
            raise errors.InvalidArgumentError(f"a map of {source.size} bytes", path=text_path)
        raw = source.read(0, source.size)
    finally:
        source.close()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise errors.InvalidArgumentError(f"not a map of names: {e}", path=text_path) from None
    if text_path.endswith(".json"):
        pairs = _json_pairs(text, text_path)
    else:
        pairs = _rows(text, "\t" if text_path.endswith(".tsv") else ",", text_path)
    out: dict[str, str] = {}
    for old, new in pairs:
        if out.setdefault(old, new) != new:
            raise errors.InvalidArgumentError(f"{old!r} is mapped to {out[old]!r} and to {new!r}", path=text_path)
    return out


def _json_pairs(text: str, path: str) -> list[tuple[str, str]]:
    try:
        data = json.loads(text)
        pairs = [(old, new) for old, new in (data.items() if isinstance(data, dict) else data)]
    except (ValueError, TypeError, RecursionError) as e:
        raise errors.InvalidArgumentError(f"expected an object from old to new names: {e}", path=path) from None
    for old, new in pairs:
        if not isinstance(old, str) or not isinstance(new, str):
            raise errors.InvalidArgumentError(f"expected text, got {old!r}: {new!r}", path=path)
    return pairs


def _rows(text: str, delimiter: str, path: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    try:
        for number, row in enumerate(csv.reader(text.splitlines(), delimiter=delimiter), 1):
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if len(cells) != 2:
                raise errors.InvalidArgumentError(f"line {number}: expected two names, got {len(cells)}", path=path)
            if not out and [c.lower() for c in cells] == ["old", "new"]:
                continue
            out.append((cells[0], cells[1]))
    except csv.Error as e:
        raise errors.InvalidArgumentError(f"not a map of names: {e}", path=path) from None
    return out
