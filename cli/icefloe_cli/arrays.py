"""Files of named arrays, .npz and .h5, as `save --values` reads them and `restore --export` and `run -o` write them.

Dtypes that the format does not know (bfloat16, float8, int4, quantized) are stored as their bits, with a note that
reading takes back:

    .npz    array `w` and, beside it, `w!dtype` with the dtype's name
    .h5     dataset `w` with the attribute `dtype`

HDF5 holds no dataset inside another: where there are `w` and `w/Momentum`, the first is dataset `w:0` with `w` as its
attribute `name`.

Strings are bytes of fixed length in an .npz and of variable length in an .h5. Neither holds a zero byte at the end
(.npz) or anywhere (.h5): such strings are refused.
"""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

_H5 = (".h5", ".hdf5")
_NOTE = "!dtype"


def is_array_file(path: str) -> bool:
    """Whether the file's name is that of an .npz or .h5."""
    return Path(path).suffix.lower() in (".npz", *_H5)


def _check_kind(path: str) -> None:
    if not is_array_file(path):
        raise click.BadParameter(f"{path}: expected the name of an .npz or .h5 file")


def _from_bits(array: Any, dtype: str) -> Any:
    import icefloe

    return array.view(icefloe.as_dtype(dtype).as_numpy_dtype)


def _storable(name: str, array: Any, *, fixed_strings: bool) -> tuple[Any, str | None]:
    """Return `(array the format knows, name of the dtype where these are its bits)`."""
    import numpy as np

    import icefloe

    array = np.asarray(array)
    if array.dtype.hasobject:
        for value in array.flat:
            if not isinstance(value, bytes):
                raise TypeError(f"{name}: a {type(value).__name__} cannot be stored as an array")
            if value.endswith(b"\0") if fixed_strings else b"\0" in value:
                raise ValueError(f"{name}: a string with a zero byte cannot be stored in this format")
        if fixed_strings:
            width = max((len(v) for v in array.flat), default=0)
            return array.astype(f"S{max(width, 1)}"), None
        return array, None
    if array.dtype.names or array.dtype.isbuiltin == 2:
        bits = array.view(f"u{array.dtype.itemsize}")
        return bits, icefloe.as_dtype(array.dtype).name
    return array, None


@contextlib.contextmanager
def _replacing(path: str) -> Iterator[str]:
    """Yield a path to write to; it takes the name `path` when all went well, and is removed otherwise."""
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise click.BadParameter(f"{path}: there is no directory {os.path.dirname(path)}")
    temporary = f"{path}.tmp-{os.getpid()}"
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(temporary)


def write_arrays(path: str, arrays: Mapping[str, Any], advance: Callable[[int], None] = lambda size: None) -> int:
    """Write arrays by name to an .npz or .h5, one at a time; return the file's size in bytes.

    advance: called with the bytes of each array once it is written.

    Raises: click.BadParameter if the name is neither or its directory does not exist; ValueError for a string or
    object that cannot be stored.
    """
    _check_kind(path)
    with _replacing(path) as temporary:
        if path.lower().endswith(".npz"):
            _write_npz(temporary, arrays, advance)
        else:
            _write_h5(temporary, arrays, advance)
    return os.path.getsize(path)


def _write_npz(path: str, arrays: Mapping[str, Any], advance: Callable[[int], None]) -> None:
    import numpy as np

    def put(name: str, array: Any) -> None:
        with out.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
            np.lib.format.write_array(member, array, allow_pickle=False)

    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as out:
        for name in arrays:
            array, dtype = _storable(name, arrays[name], fixed_strings=True)
            put(name, array)
            if dtype is not None:
                put(name + _NOTE, np.array(dtype.encode()))
            advance(array.nbytes)


def _write_h5(path: str, arrays: Mapping[str, Any], advance: Callable[[int], None]) -> None:
    import h5py

    places = _h5_places(arrays)
    with h5py.File(path, "w") as out:
        for name, place in places.items():
            array, dtype = _storable(name, arrays[name], fixed_strings=False)
            kind = h5py.string_dtype("ascii") if array.dtype.hasobject else None
            dataset = out.create_dataset(place, data=array, dtype=kind)
            if dtype is not None:
                dataset.attrs["dtype"] = dtype
            if place != name:
                dataset.attrs["name"] = name
            advance(array.nbytes)


def _h5_places(names: Iterable[str]) -> dict[str, str]:
    """Return the path of each name's dataset: the name, changed where HDF5 reads it as another or it is a group."""
    clean = {name: "/".join(part for part in name.split("/") if part not in ("", ".")) for name in names}
    taken = {place[:i] for place in clean.values() for i, letter in enumerate(place) if letter == "/"} | {""}
    for name, place in clean.items():
        while place in taken:
            place += ":0"
        taken.add(place)
        clean[name] = place
    return clean


def read_arrays(path: str) -> Iterator[tuple[str, Any]]:
    """Yield the names and arrays of an .npz or .h5, with the dtypes that `write_arrays` noted.

    Raises: click.BadParameter if it is neither, by name or content; ValueError for arrays of Python objects.
    """
    _check_kind(path)
    if path.lower().endswith(".npz"):
        yield from _read_npz(path)
    else:
        yield from _read_h5(path)


def has_side_entry(path: str) -> bool:
    """Whether an .npz or .h5 was converted from a checkpoint, and has a side entry with what the format cannot say."""
    if path.lower().endswith(".npz"):
        return zipfile.is_zipfile(path) and f"{_SIDE_ENTRY}.npy" in zipfile.ZipFile(path).namelist()
    import h5py

    if not h5py.is_hdf5(path):
        return False
    with h5py.File(path, "r") as file:
        return "icefloe" in file.attrs


_SIDE_ENTRY = "__icefloe__"


def _read_npz(path: str) -> Iterator[tuple[str, Any]]:
    import numpy as np

    try:
        archive = np.load(path, allow_pickle=False)
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        raise click.BadParameter(f"{path}: not an .npz file: {error}") from None
    with archive:
        for name in archive.files:
            if name.endswith(_NOTE) and name.removesuffix(_NOTE) in archive.files:
                continue
            if name == _SIDE_ENTRY:
                continue
            array = archive[name]
            if name + _NOTE in archive.files:
                array = _from_bits(array, bytes(archive[name + _NOTE]).decode())
            yield name, array.astype(object) if array.dtype.kind == "S" else array


def _read_h5(path: str) -> Iterator[tuple[str, Any]]:
    import h5py

    found: list[str] = []

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            found.append(name)

    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise click.BadParameter(f"{path}: not an .h5 file: {error}") from None
    with file:
        file.visititems(visit)
        for name in found:
            dataset = file[name]
            array = dataset[()]
            if "dtype" in dataset.attrs:
                array = _from_bits(array, str(dataset.attrs["dtype"]))
            yield str(dataset.attrs.get("name", name)), array
