"""Writes an .npz, uncompressed, one piece of an array at a time; the same tensors give the same bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from icefloe.checkpoint.formats import side_entry
from icefloe.checkpoint.formats.side_entry import Note, SideEntry
from icefloe.checkpoint.formats.storing import Advance, Item, as_bits, is_text, placeholders
from icefloe.checkpoint.single_file import new_path


def write(path: str, items: Sequence[Item], side: SideEntry | None, advance: Advance) -> None:
    """Write numeric tensors and arrays of bytes, and the side entry where there is to be one.

    Raises: what the file system says; what reading the tensors does.
    """
    stored = placeholders([item.name for item in items], _can_hold)
    with new_path(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED, allowZip64=True) as out:
        for item in items:
            name = stored[item.name]
            if item.dtype.numpy.hasobject:
                put(out, name, _fixed(item.array()))
                continue
            bits = as_bits(item.dtype)
            if side is not None and (bits != item.dtype.numpy or name != item.name):
                side.tensors[name] = Note(item.name, item.dtype, item.shape)
            for done in put_pieces(out, name, bits, item.shape, item.pieces()):
                advance(done)
        if side is not None:
            put(out, side_entry.NPZ_NAME, np.array(side.encode().encode()))


def _can_hold(name: str) -> bool:
    return name != side_entry.NPZ_NAME and is_text(name) and len(name.encode()) < 65000


def put_pieces(
    out: zipfile.ZipFile, name: str, dtype: np.dtype, shape: tuple[int, ...], pieces: Iterable[np.ndarray]
) -> Iterator[int]:
    """Write an array of numbers, whose bits are those of `dtype`, a piece at a time; yield the bytes of each."""
    described = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    with out.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(member, described)
        for piece in pieces:
            data = np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data
            member.write(data)
            yield len(data)


def put(out: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
    """Write a small array."""
    with out.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
        np.lib.format.write_array(member, array, allow_pickle=False)


def _fixed(array: np.ndarray) -> np.ndarray:
    """Return strings as bytes of one length, which numpy fills up with zeros."""
    width = max((len(v) for v in array.reshape(-1).tolist()), default=0)
    return array.astype(f"S{max(width, 1)}")
