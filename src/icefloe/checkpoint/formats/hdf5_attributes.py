"""Attributes in an HDF5 file, read without trust: what one claims to hold is checked against the size of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from icefloe import errors


def attribute(item: Any, name: str) -> Any:
    """Return an attribute of a group, dataset or file; None where there is none.

    Raises: DataLossError if it claims to be larger than the file; whatever h5py does for damage.
    """
    if name not in item.attrs:
        return None
    stored = item.attrs.get_id(name)
    if not isinstance(stored.get_type(), _plain_types()):
        raise errors.DataLossError(f"attribute {name} is neither text nor numbers")
    elements = stored.get_space().get_simple_extent_npoints()
    claimed = elements * max(stored.get_type().get_size(), 1)
    if claimed > item.file.id.get_filesize():
        raise errors.DataLossError(f"attribute {name} claims {claimed} bytes, more than the file has")
    return item.attrs[name]


def _plain_types() -> tuple[type, ...]:
    """Return the types of attributes that are read: others hold references, on which the library relies blindly."""
    from h5py import h5t

    return h5t.TypeStringID, h5t.TypeIntegerID, h5t.TypeFloatID, h5t.TypeEnumID


def text(item: Any, name: str) -> str | None:
    """Return an attribute that is one text; None where there is none or it is no text."""
    value = attribute(item, name)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else None


def texts(item: Any, name: str) -> list[str] | None:
    """Return a list of texts, put together where it is split into `name0`, `name1`, ...; None where there is none."""
    value = attribute(item, name)
    if value is not None:
        return list(_texts(value))
    found: list[str] = []
    piece = 0
    while (value := attribute(item, f"{name}{piece}")) is not None:
        found += _texts(value)
        piece += 1
    return found if piece else None


def _texts(value: Any) -> Iterator[str]:
    if getattr(value, "dtype", None) is not None and value.dtype.kind not in "OSU":
        return  # an empty list is stored as one of numbers
    for item in list(value):
        yield item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)
