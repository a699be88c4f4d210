"""What every open checkpoint offers, whatever its format: a read-only Mapping from a tensor's name to its value."""

from __future__ import annotations

import difflib
import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np

from icefloe import errors
from icefloe.checkpoint.entries import Entry
from icefloe.checkpoint.slices import TensorSlice

_D = TypeVar("_D")
_MAX_NAMES_COMPARED = 20000


def near_names(name: str, known: Mapping[str, Any]) -> list[str]:
    """Return up to three names of `known` that `name` may have meant, best first: same end of the path, then similar
    spelling.
    """
    if len(known) > _MAX_NAMES_COMPARED:
        last = name.rpartition("/")[2]
        known = {k: None for k in known if k.rpartition("/")[2] == last}
    stripped = name.removesuffix(":0")
    if stripped != name and stripped in known:
        return [stripped]
    scoped = [k for k in known if k.endswith("/" + stripped) or stripped.endswith("/" + k)]
    return (scoped + [k for k in difflib.get_close_matches(name, known, 3) if k not in scoped])[:3]


class CheckpointReader(Mapping[str, np.ndarray]):
    """An open checkpoint: `reader[name]` reads one tensor, into memory that is the caller's own, and checks its
    checksum.

    prefix: the path without suffix.   entries: name -> Entry (dtype, shape, where it lies), without reading data.

    A missing name raises NotFoundError, which is a LookupError.
    """

    prefix: str
    entries: Mapping[str, Entry]

    @abstractmethod
    def read(self, name: str) -> np.ndarray:
        """Return the whole tensor.

        Raises: NotFoundError, with near names; DataLossError or OutOfRangeError if its bytes are damaged or missing.
        """

    @abstractmethod
    def read_slice(self, name: str, chosen: TensorSlice) -> np.ndarray:
        """Return one slice of a tensor, reading no more than it must.

        Raises: as `read`; InternalError if the slice does not fit, InvalidArgumentError if what is stored does not
        cover it.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the files. What was read stays valid; views of `mmap=True` too."""

    def entry(self, name: str) -> Entry:
        """Return the entry of a tensor. Raises: NotFoundError, with near names."""
        try:
            return self.entries[name]
        except (KeyError, TypeError):
            if not isinstance(name, str):
                raise TypeError(f"the name of a tensor is text: expected str, got {type(name).__name__}") from None
            raise self.missing(name) from None

    def missing(self, name: str) -> errors.NotFoundError:
        """Return the error for a name that the checkpoint does not have."""
        near = near_names(name, self.entries)
        return errors.NotFoundError(
            f"Key {name} not found in checkpoint",
            path=self.prefix,
            hint=f"Did you mean {' or '.join(map(repr, near))}?" if near else None,
        )

    def __getitem__(self, name: str) -> np.ndarray:
        return self.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def get(self, name: str, default: _D | None = None) -> np.ndarray | _D | None:  # type: ignore[override]
        return self.read(name) if name in self.entries else default

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {os.fspath(self.prefix)!r}: {len(self)} tensors>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
