"""Writes HDF5: a file of datasets by name, or a copy of a Keras file whose weights are replaced.

HDF5 holds no dataset inside another: where there are `w` and `w/Momentum`, the first is dataset `w:0` with `w` as its
attribute `name`. A dataset whose elements are the bits of another dtype has that dtype's name as its attribute `dtype`.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.checkpoint.formats import side_entry
from icefloe.checkpoint.formats.hdf5_reader import Hdf5Reader
from icefloe.checkpoint.formats.side_entry import Note, SideEntry
from icefloe.checkpoint.formats.storing import Advance, Item, as_bits, is_text, placeholders
from icefloe.checkpoint.single_file import new_path


def write(path: str, items: Sequence[Item], side: SideEntry | None, advance: Advance) -> None:
    """Write numeric tensors and arrays of bytes, and the side entry where there is to be one.

    Raises: what the file system says; what reading the tensors does.
    """
    import h5py

    places = _places([item.name for item in items])
    with new_path(path) as temporary, _system_errors(path), h5py.File(temporary, "w", locking=False) as out:
        for item in items:
            place = places[item.name]
            if item.dtype.numpy.hasobject:
                out.create_dataset(place, data=item.array(), dtype=h5py.string_dtype("ascii"))
                continue
            bits = as_bits(item.dtype)
            dataset = out.create_dataset(place, shape=item.shape, dtype=bits)
            if bits != item.dtype.numpy:
                dataset.attrs["dtype"] = item.dtype.name
            if place != item.name and is_text(item.name):
                dataset.attrs["name"] = item.name
            if side is not None and (bits != item.dtype.numpy or place != item.name):
                side.tensors[place] = Note(item.name, item.dtype, item.shape)
            _fill(dataset, bits, item, advance)
        if side is not None:
            out.attrs[side_entry.NAME] = side.encode()


def write_like(
    path: str, template: str, find: Callable[[str], Item | None], advance: Advance
) -> tuple[list[str], list[str]]:
    """Write a copy of the Keras file `template` with other weights: of each name that reading the template gives, what
    `find(name)` gives. Return the names that were found, and those that were not, whose weights stay.

    Raises: InvalidArgumentError if a shape or dtype differs or no name is found; what the file system says.
    """
    import h5py

    with Hdf5Reader(template) as reader:
        places = reader.places()
        values = {name: item for name in places if (item := find(name)) is not None}
        for name, item in values.items():
            entry = reader.entries[name]
            if item.shape != entry.shape or item.dtype != entry.dtype:
                raise errors.InvalidArgumentError(
                    f"tensor {name}: the template has {entry.dtype.name} {list(entry.shape)} as {places[name]}, the "
                    f"source {item.dtype.name} {list(item.shape)}"
                )
    if not values:
        raise errors.InvalidArgumentError(
            "no tensor has the name of a weight in the template",
            path=template,
            hint=f"Its names are {', '.join(list(places)[:5])}{', …' if len(places) > 5 else ''}.",
        )
    with new_path(path) as temporary:
        shutil.copyfile(template, temporary)
        with _system_errors(path), h5py.File(temporary, "r+", locking=False) as out:
            for name, item in values.items():
                dataset = out[places[name]]
                if item.dtype.numpy.hasobject:
                    dataset[()] = item.array()
                else:
                    _fill(dataset, dataset.dtype, item, advance)
    return list(values), [name for name in places if name not in values]


@contextlib.contextmanager
def _system_errors(path: str) -> Iterator[None]:
    """Raise what the library says of a failed write, a full disk say, as the system's error; it has the number in its
    text.
    """
    try:
        yield
    except errors.OpError:
        raise
    except (OSError, RuntimeError) as e:
        number = re.search(r"errno = (\d+)", str(e))
        raise files.os_error(OSError(int(number[1]), "") if number else OSError(str(e)), path) from None


def _fill(dataset: Any, dtype: np.dtype, item: Item, advance: Advance) -> None:
    """Write the elements of `item`, row by row where pieces are smaller than the tensor."""
    if not item.size:
        return
    if not item.shape:
        dataset[()] = next(item.pieces()).view(dtype).reshape(())
        advance(item.size)
        return
    row = item.size // item.shape[0]
    start = 0
    for rows in _in_rows(item.pieces(), row // item.dtype.size):
        part = np.ascontiguousarray(rows).view(dtype).reshape(-1, *item.shape[1:])
        dataset[start : start + len(part)] = part
        start += len(part)
        advance(part.nbytes)


def _in_rows(pieces: Iterator[np.ndarray], row: int) -> Iterator[np.ndarray]:
    """Yield flat pieces as pieces of whole rows of `row` elements."""
    held: list[np.ndarray] = []
    count = 0
    for piece in pieces:
        if not held and not len(piece) % row:
            yield piece
            continue
        held.append(piece.copy())
        count += len(piece)
        if count >= row:
            whole = np.concatenate(held)
            end = count - count % row
            yield whole[:end]
            held, count = ([whole[end:]], count - end) if count > end else ([], 0)


def _places(names: list[str]) -> dict[str, str]:
    """Return the path of each name's dataset: the name, changed where HDF5 reads it as another or it is a group."""
    usable = placeholders(names, is_text)
    clean = {name: "/".join(part for part in usable[name].split("/") if part not in ("", ".")) for name in names}
    taken = {place[:i] for place in clean.values() for i, letter in enumerate(place) if letter == "/"} | {""}
    for name, place in clean.items():
        while place in taken:
            place += ":0"
        taken.add(place)
        clean[name] = place
    return clean
