"""Which tensors have kernels' axes to move: what a rule says, else what a graph does with them, else their names.

    rule      PATTERN=KIND, the first that matches; KIND one of `layouts.NAMES`
    cells     of a recurrent layer stay as they are: PyTorch orders the gates otherwise and has two kernels
    graph     the ops of the `.meta` beside the checkpoint that read the variable
    names     .../kernel, .../weights, depthwise_kernel and the like, by rank; tables of embeddings stay

An optimizer's slots and moving averages go with their variable. What stays, of rank 2 and more, is named with the
reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from icefloe import errors
from icefloe.checkpoint.converting.layouts import KEEP, NAMES, kind_for
from icefloe.checkpoint.editing.patterns import Patterns

LayoutRules = Mapping[str, str] | Iterable[str | tuple[str, str]] | str

_KERNEL = re.compile(r"(?:kernel|weights?|pointwise_(?:kernel|weights)|depthwise_(?:kernel|weights)|filters?|W)")
_DEPTHWISE = re.compile(r"depthwise", re.IGNORECASE)
_TRANSPOSED = re.compile(r"transpose|deconv", re.IGNORECASE)
_CONVOLUTION = re.compile(r"conv", re.IGNORECASE)
_CELL = re.compile(r"lstm|gru|(?:^|_)rnn|rnn(?:_|$)|recurrent", re.IGNORECASE)
_EMBEDDING = re.compile(r"embed|(?:^|_)emb(?:_|$)|lookup|vocab", re.IGNORECASE)
_NUMBER = re.compile(r"(?:_\d+)?(?::\d+)?$")


@dataclass(slots=True)
class Choice:
    """kinds: key -> kind of layout, of what is to be changed.   reasons: key -> why.   left: key -> why not."""

    kinds: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)


def parse_rules(given: LayoutRules) -> list[tuple[str, str]]:
    """Return pairs (pattern, kind). Raises: InvalidArgumentError for a kind that there is not."""
    if isinstance(given, str):
        given = [given]
    try:
        items = list(given.items() if isinstance(given, Mapping) else given)
    except TypeError:
        raise TypeError(
            f"layout_rules: expected PATTERN=KIND, or a dict from patterns to kinds, got {given!r}"
        ) from None
    found = []
    for item in items:
        pair = item.rpartition("=")[::2] if isinstance(item, str) else item
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise TypeError(f"layout_rules: expected PATTERN=KIND, or a pair of texts, got {item!r}")
        pattern, kind = pair
        if not pattern or kind not in NAMES:
            raise errors.InvalidArgumentError(
                f"layout rule {item!r}: expected PATTERN=KIND, KIND one of {', '.join(NAMES)}"
            )
        found.append((pattern, kind))
    return found


def choose(
    shapes: Mapping[str, tuple[int, ...]],
    labels: Mapping[str, str],
    rules: list[tuple[str, str]],
    owners: Mapping[str, str],
    graph: Mapping[str, Mapping[str, str]],
) -> Choice:
    """Return which kernels are in which layout.

    shapes: key -> shape. labels: key -> name to judge by, where that is another. owners: slot or average -> variable.
    graph: see `readers_of_variables`.

    Raises: InvalidArgumentError if a rule's kind has another rank than a tensor that it matches.
    """
    found = Choice()
    tests = [(Patterns([pattern], labels), pattern, kind) for pattern, kind in rules]
    for key, shape in shapes.items():
        kind, why = _by_rule(key, shape, tests)
        if kind is None and key not in owners:
            kind, why = _judged(labels.get(key, key), len(shape), graph)
        if kind is not None and kind != KEEP:
            found.kinds[key], found.reasons[key] = kind, why
        elif len(shape) > 1 and (kind is not None or key not in owners):
            found.left[key] = why
    for key, owner in owners.items():
        if key in found.kinds or key in found.left or key not in shapes:
            continue
        if owner in found.kinds and shapes[key] == shapes[owner]:
            found.kinds[key], found.reasons[key] = found.kinds[owner], f"as {owner}"
        elif len(shapes[key]) > 1:
            found.left[key] = f"as {owner}" if shapes[key] == shapes.get(owner) else f"of another shape than {owner}"
    found.kinds = {key: found.kinds[key] for key in shapes if key in found.kinds}
    found.unmatched = [pattern for patterns, pattern, _ in tests if patterns.unmatched]
    return found


def _by_rule(key: str, shape: tuple[int, ...], tests: list[tuple[Patterns, str, str]]) -> tuple[str | None, str]:
    matching = [(pattern, kind) for patterns, pattern, kind in tests if patterns.matches(key)]
    for pattern, name in matching[:1]:
        if len(shape) < 2:  # the bias beside a kernel: it has no axes to move
            return KEEP, ""
        kind = kind_for(name, len(shape))
        if kind is None:
            raise errors.InvalidArgumentError(
                f"layout rule {pattern}={name}: tensor {key} has the shape {list(shape)}",
                hint="Name it in a rule before this one, or make the pattern narrower.",
            )
        return kind, f"rule {pattern}={name}"
    return None, ""


def _judged(label: str, rank: int, graph: Mapping[str, Mapping[str, str]]) -> tuple[str | None, str]:
    """Return a kind, or None, and why."""
    if rank < 2:
        return None, ""
    parts = label.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE").split("/")
    if any(_CELL.search(part) for part in parts):
        return None, "of a recurrent cell, whose gates PyTorch orders otherwise"
    asked = graph.get(label.removesuffix(":0"), {})
    if asked:
        return _by_graph(asked, rank)
    last = _NUMBER.sub("", parts[-1])
    near = parts[-2] if len(parts) > 1 else ""
    if _EMBEDDING.search(last) or (_EMBEDDING.search(near) and rank == 2 and last != "kernel"):
        return None, "a table of embeddings by its name"
    is_convolution = _CONVOLUTION.search(near) or _CONVOLUTION.search(last)
    if not _KERNEL.fullmatch(last) and not (is_convolution and rank > 3):
        return None, "its name does not say what reads it"
    if rank == 2:
        general = "dense"
    elif _DEPTHWISE.search(last) or (_DEPTHWISE.search(near) and not last.startswith("pointwise")):
        general = "depthwise"
    elif _TRANSPOSED.search(last) or _TRANSPOSED.search(near):
        general = "conv_transpose"
    else:
        general = "conv"
    if rank == 3 and not is_convolution:
        return None, "of rank 3, and its name does not say that it is a convolution's"
    kind = kind_for(general, rank)
    return kind, "its name" if kind is not None else f"its name says {general}, but its rank is {rank}"


def _by_graph(asked: Mapping[str, str], rank: int) -> tuple[str | None, str]:
    node = next(iter(asked.values()))
    layouts = dict.fromkeys(asked)
    if len(layouts) > 1 and KEEP in layouts and "dense" in layouts:
        return None, f"read in two ways: {' and '.join(asked.values())}"
    if len(layouts) > 1:
        return None, f"read in several ways: {' and '.join(list(asked.values())[:3])}"
    (general,) = layouts
    kind = kind_for(general, rank)
    if kind is None:
        return None, f"read by {node}, but its rank is {rank}"
    return kind, f"read by {node}"
