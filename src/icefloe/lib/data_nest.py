"""The structure of dataset elements: tuples, named tuples and dicts; a list is no structure but a tensor.

Source: tensorflow/python/data/util/nest.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


def is_nested(value: Any) -> bool:
    """Whether `value` is a structure."""
    return isinstance(value, (tuple, Mapping)) and not hasattr(value, "_is_sparse_tensor_value")


def _items(structure: Any) -> list[Any]:
    if isinstance(structure, Mapping):
        try:
            return [structure[key] for key in sorted(structure)]
        except TypeError:
            raise TypeError("nest only supports dicts with sortable keys.") from None
    return list(structure)


def flatten(structure: Any) -> list[Any]:
    """Return the leaves; those of a dict in the order of its keys."""
    if not is_nested(structure):
        return [structure]
    return [leaf for item in _items(structure) for leaf in flatten(item)]


def pack_sequence_as(structure: Any, flat: Sequence[Any]) -> Any:
    """Return a structure like `structure` with these leaves. Raises: ValueError if they are too few or too many."""
    if len(flatten(structure)) != len(flat):
        raise ValueError(
            f"Could not pack sequence. Argument `structure` had {len(flatten(structure))} elements, but argument "
            f"`flat_sequence` had {len(flat)} elements. Received structure: {structure}, flat_sequence: {flat}."
        )
    return _packed(structure, iter(flat))


def _packed(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    items = [_packed(item, leaves) for item in _items(structure)]
    if isinstance(structure, Mapping):
        found = dict(zip(sorted(structure), items))
        return type(structure)([(key, found[key]) for key in structure])  # type: ignore[call-arg]
    return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    """Return a structure like the first, of `function` of the leaves at each place."""
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    leaves = [function(*each) for each in zip(*map(flatten, structures))]
    return pack_sequence_as(structures[0], leaves)


def map_up_to(shallow: Any, function: Callable[..., Any], deep: Any) -> Any:
    """Return a structure like `shallow`, of `function` of what `deep` has at its leaves."""
    if not is_nested(shallow):
        return function(deep)
    items = [map_up_to(s, function, d) for s, d in zip(_items(shallow), _items(deep), strict=True)]
    leaves = iter(items)
    if isinstance(shallow, Mapping):
        return dict(zip(sorted(shallow), leaves))
    return type(shallow)(*items) if hasattr(shallow, "_fields") else tuple(items)


def assert_same_structure(first: Any, second: Any) -> None:
    """Raises: ValueError if one has a leaf where the other has none; TypeError for other types."""
    if is_nested(first) != is_nested(second):
        raise ValueError(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\n"
            f"Second structure: {second}"
        )
    if not is_nested(first):
        return
    if isinstance(first, Mapping) != isinstance(second, Mapping):
        raise TypeError(
            f"The two structures don't have the same sequence type. First structure has type {type(first)}, while "
            f"second structure has type {type(second)}."
        )
    if isinstance(first, Mapping) and set(first) != set(second):
        raise ValueError(
            f"The two dictionaries don't have the same set of keys. First structure has keys {list(first)}, while "
            f"second structure has keys {list(second)}."
        )
    items, others = _items(first), _items(second)
    if len(items) != len(others):
        raise ValueError(
            f"The two structures don't have the same number of elements.\n\nFirst structure: {first}\n\n"
            f"Second structure: {second}"
        )
    for item, other in zip(items, others):
        assert_same_structure(item, other)
