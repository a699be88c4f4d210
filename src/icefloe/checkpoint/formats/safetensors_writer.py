"""Writes a .safetensors file; its layout is in `safetensors_reader`.

Dtypes that the format lacks are stored as their bits, complex numbers as pairs of floats, and the side entry says so.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import contents
from icefloe.checkpoint.formats import side_entry
from icefloe.checkpoint.formats.safetensors_reader import DTYPES, MAX_HEADER, METADATA
from icefloe.checkpoint.formats.side_entry import Note, SideEntry
from icefloe.checkpoint.formats.storing import Advance, Item, as_bits, is_text, placeholders
from icefloe.checkpoint.single_file import new_file
from icefloe.datatypes import DType

# The library knows these only since later versions than the others: they go in as bits.
_RECENT = frozenset(("C64", "F8_E4M3FNUZ", "F8_E5M2FNUZ"))
_KINDS = {datatypes.as_dtype(ours): theirs for theirs, ours in DTYPES.items() if theirs not in _RECENT}
_ALIGN = 8


def write(path: str, items: Sequence[Item], side: SideEntry | None, advance: Advance) -> None:
    """Write numeric tensors, and the side entry where there is to be one.

    Raises: InvalidArgumentError if the names and the side entry are more than a header can hold; what the file system
    says; what reading the tensors does.
    """
    stored = placeholders([item.name for item in items], lambda name: name != METADATA and is_text(name))
    # Alignment of what follows: larger elements first, as the library does.
    ordered = sorted(items, key=lambda item: -_alignment(item.dtype))
    header: dict[str, Any] = {}
    place = 0
    for item in ordered:
        name = stored[item.name]
        kind, shape = _kind(item)
        if side is not None and (name != item.name or datatypes.as_dtype(DTYPES[kind]) != item.dtype):
            side.tensors[name] = Note(item.name, item.dtype, item.shape)
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [place, place + item.size]}
        place += item.size
    metadata = {"format": "np"}
    if side is not None:
        metadata[side_entry.NAME] = side.encode()
    text = json.dumps({METADATA: metadata, **header}, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _ALIGN)
    if len(text) > MAX_HEADER:
        raise errors.InvalidArgumentError(
            f"the names, and what the side entry must hold, are {len(text)} bytes; a safetensors header holds "
            f"{MAX_HEADER}",
            path=path,
        )
    with new_file(path) as put:
        put(len(text).to_bytes(8, "little"))
        put(text)
        for item in ordered:
            for piece in item.pieces():
                data = _little(np.ascontiguousarray(piece).reshape(-1))
                put(data)
                advance(len(data))


def _little(piece: np.ndarray) -> memoryview:
    if sys.byteorder == "big":
        piece = piece.copy()
        contents.swap_bytes(piece)
    return piece.view(np.uint8).data


def _alignment(dtype: DType) -> int:
    return dtype.size // 2 if dtype.is_complex else dtype.size


def _kind(item: Item) -> tuple[str, tuple[int, ...]]:
    """Return the format's dtype for the elements, and the shape to store them in."""
    if item.dtype.is_complex:
        return _KINDS[item.dtype.real_dtype], (*item.shape, 2)
    kind = _KINDS.get(item.dtype)
    return kind or _KINDS[datatypes.as_dtype(as_bits(item.dtype))], item.shape
