"""Nested structures: lists, tuples, dicts, namedtuples, ranges and attrs classes, down to what is none of these.

A dict's values come in the order of its sorted keys. Composites, SparseTensor, IndexedSlices and RaggedTensor, are
atoms
unless `expand_composites`, which makes them structures of their tensors.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Mapping, MappingView, MutableMapping, Sequence
from typing import Any

from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.sparse_tensor import SparseTensor


class _Dot:
    def __repr__(self) -> str:
        return "."


_DOT = _Dot()


def is_composite(value: Any) -> bool:
    """Return whether `value` consists of tensors."""
    return isinstance(value, (SparseTensor, IndexedSlices)) or hasattr(type(value), "component_tensors")


def _is_named(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def is_nested(seq: Any) -> bool:
    """Return whether `seq` is a structure; a set, a text and a tensor are none."""
    if isinstance(seq, (Mapping, MappingView)) or hasattr(type(seq), "__attrs_attrs__"):
        return True
    return isinstance(seq, Sequence) and not isinstance(seq, (str, bytes, bytearray))


def _is_structure(value: Any, expand_composites: bool) -> bool:
    return is_nested(value) or (expand_composites and is_composite(value))


def _items(structure: Any) -> Iterator[Any]:
    """Yield what a structure holds, one level deep. Raises: TypeError for keys that do not compare."""
    if isinstance(structure, Mapping):
        yield from (structure[key] for key in sorted(structure))
    elif isinstance(structure, SparseTensor):
        yield from (structure.indices, structure.values, structure.dense_shape)
    elif hasattr(type(structure), "component_tensors"):
        yield from structure.component_tensors()
    elif isinstance(structure, IndexedSlices):
        parts = (structure.values, structure.indices, structure.dense_shape)
        yield from (part for part in parts if part is not None)
    elif hasattr(type(structure), "__attrs_attrs__"):
        yield from (getattr(structure, field.name) for field in type(structure).__attrs_attrs__)
    else:
        yield from structure


def _like(structure: Any, items: list[Any]) -> Any:
    """Return a structure of the kind and keys of `structure` that holds `items`."""
    kind = type(structure)
    if isinstance(structure, Mapping):
        by_key = dict(zip(sorted(structure), items))
        pairs = [(key, by_key[key]) for key in structure]
        if isinstance(structure, collections.defaultdict):
            return collections.defaultdict(structure.default_factory, pairs)
        if not isinstance(structure, MutableMapping):
            return kind(pairs)
        result = kind()
        for key, value in pairs:
            result[key] = value
        return result
    if isinstance(structure, (MappingView, range)):
        return list(items)
    if hasattr(kind, "component_tensors"):
        return structure.with_component_tensors(items)
    if is_composite(structure) or _is_named(structure) or hasattr(kind, "__attrs_attrs__"):
        return kind(*items)
    return kind(items)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Return the atoms of a structure, in order; an atom gives a list of itself."""
    if not _is_structure(structure, expand_composites):
        return [structure]
    return [atom for item in _items(structure) for atom in flatten(item, expand_composites)]


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Return a structure like `structure` with the atoms of `flat_sequence`.

    Raises: ValueError if there are more or fewer; TypeError if it is no sequence.
    """
    if not _is_structure(flat_sequence, expand_composites):
        raise TypeError(
            f"Attempted to pack value:\n  {_short(flat_sequence)}\ninto a structure, but found incompatible type "
            f"`{type(flat_sequence)}` instead."
        )
    if not _is_structure(structure, expand_composites):
        if len(flat_sequence) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\n  {_short(structure)}\nHowever the input is a "
                f"sequence ({type(flat_sequence)}) of length {len(flat_sequence)}.\n  {_short(flat_sequence)}\nnest "
                "cannot guarantee that it is safe to map one to the other."
            )
        return flat_sequence[0]
    count = len(flatten(structure, expand_composites))
    if count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat_sequence)} items.  "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _packed(structure, iter(flat_sequence), expand_composites)


def _packed(structure: Any, atoms: Iterator[Any], expand_composites: bool) -> Any:
    if not _is_structure(structure, expand_composites):
        return next(atoms)
    return _like(structure, [_packed(item, atoms, expand_composites) for item in _items(structure)])


def _short(value: Any) -> str:
    text = str(value)
    return text[:100] + ("..." if len(text) > 100 else "")


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Return a structure of what `func` gives for the atoms at the same place of each structure.

    check_types, expand_composites: as in `assert_same_structure`.

    Raises: TypeError or ValueError if the structures differ.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: `" + "`, `".join(kwargs) + "`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    atoms = zip(*(flatten(item, expand_composites) for item in structure))
    return pack_sequence_as(structure[0], [func(*group) for group in atoms], expand_composites)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raise ValueError if two structures differ, TypeError if they are of different types and `check_types`.

    Dicts of any class are of one type, and namedtuples of the same name and fields.
    """
    try:
        _compare(nest1, nest2, check_types, expand_composites)
    except (ValueError, TypeError) as error:
        first, second = (map_structure(lambda _: _DOT, nest) for nest in (nest1, nest2))
        raise type(error)(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {_described(nest1)}\n\n"
            f"Second structure: {_described(nest2)}\n\nMore specifically: {error}\nEntire first structure:\n{first}\n"
            f"Entire second structure:\n{second}"
        ) from None


def _described(value: Any) -> str:
    return f"type={type(value).__name__} str={value}"


def _compare(first: Any, second: Any, check_types: bool, expand_composites: bool) -> None:
    nested = _is_structure(first, expand_composites), _is_structure(second, expand_composites)
    if nested[0] != nested[1]:
        one, other = (first, second) if nested[0] else (second, first)
        raise ValueError(
            f'Substructure "{_described(one)}" is a sequence, while substructure "{_described(other)}" is not'
        )
    if not nested[0]:
        return
    if check_types:
        _compare_types(first, second)
    items = list(_items(first)), list(_items(second))
    if len(items[0]) != len(items[1]):
        raise ValueError(
            f"The two structures don't have the same number of elements. First structure: {_described(first)}. "
            f"Second structure: {_described(second)}"
        )
    for one, other in zip(*items):
        _compare(one, other, check_types, expand_composites)


def _compare_types(first: Any, second: Any) -> None:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if set(first) != set(second):
            keys = [f"type=list str={list(x)}" for x in (first, second)]
            raise ValueError(
                "The two dictionaries don't have the same set of keys. First structure has keys "
                f"{keys[0]}, while second structure has keys {keys[1]}"
            )
        return
    kinds = type(first), type(second)
    if kinds[0] is kinds[1]:
        return
    named = _is_named(first) and _is_named(second)
    if named and (kinds[0].__name__, first._fields) == (kinds[1].__name__, second._fields):
        return
    raise TypeError(
        "The two namedtuples don't have the same sequence type. First structure "
        f"{_described(first)} has type {kinds[0].__name__}, while second structure {_described(second)} has type "
        f"{kinds[1].__name__}"
    )
