"""What every open checkpoint offers, whatever its format: a read-only Mapping from a tensor's name to its value."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeVar, overload

import numpy as np

from icefloe import errors
from icefloe.checkpoint import object_graph
from icefloe.checkpoint.arguments import as_text
from icefloe.checkpoint.entries import Entry
from icefloe.checkpoint.object_graph import ObjectGraph
from icefloe.checkpoint.slices import TensorSlice
from icefloe.near_names import near_names, question

if TYPE_CHECKING:
    from icefloe.checkpoint.checking.findings import Verification

_D = TypeVar("_D")
# Bytes of a tensor that `stream` yields at once.
WINDOW = 4 << 20


class CheckpointReader(Mapping[str, np.ndarray]):
    """An open checkpoint: `reader[name]` reads one tensor, into memory that is the caller's own, and checks its
    checksum where the format has one.

    prefix: the path without suffix, or the file.   entries: key -> Entry (dtype, shape, where it lies), without reading
    data.   format: "V2", "V1", "npz", "h5", "keras" or "safetensors".   left_out: name -> why, of what the file holds
    but no tensor can hold.   also: another checkpoint that the path could have meant, or None.

    A name is a key or another name that the tensor has; see `find`. A missing name raises NotFoundError, which is a
    LookupError.
    """

    format: ClassVar[str] = "V2"
    prefix: str
    entries: Mapping[str, Entry]
    left_out: Mapping[str, str] = {}
    also: str | None = None
    _damaged: Collection[str] = ()  # those of `left_out` that a whole file would have

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

    def stream(self, name: str) -> Iterator[np.ndarray]:
        """Yield the elements of a tensor in C order, flat, in pieces of about `WINDOW` bytes where the format allows;
        a tensor of strings at once. A piece is valid until the next is asked for.

        Raises: as `read`, a wrong checksum after the last piece.
        """
        yield self.read(name).reshape(-1)

    @overload
    def to_dask(self, name: str, chunks: Any = "auto") -> Any: ...

    @overload
    def to_dask(self, name: None = None, chunks: Any = "auto") -> dict[str, Any]: ...

    def to_dask(self, name: str | None = None, chunks: Any = "auto") -> Any:
        """Return a tensor as a lazy `dask.array.Array`, or a dict of all of them by key.

        A chunk is read, by ranges, by the process that computes it, which needs to reach the same path or URL; it has
        no checksum of its own and is not checked (`verify` does that), unless it is the whole tensor.
        chunks: as Dask takes them; "auto" makes chunks of whole rows, of Dask's `array.chunk-size` at most.

        Raises: UnimplementedError if Dask is not installed; as `find`. Computing raises AbortedError where the
        checkpoint was replaced meanwhile.
        """
        from icefloe.checkpoint.distributed.arrays import to_dask

        if name is not None:
            return to_dask(self, name, chunks)
        return {key: to_dask(self, key, chunks) for key in self.entries}

    def verify(self) -> Verification:
        """Check everything that the files under `prefix` hold now; see `icefloe.ckpt.verify`."""
        from icefloe.checkpoint.checking.verify import verify

        return verify(self.prefix)

    @cached_property
    def object_graph(self) -> ObjectGraph | None:
        """The object graph of a checkpoint saved by objects; None where variables were saved by name.

        Raises: DataLossError if it is damaged.
        """
        if object_graph.KEY not in self.entries:
            return None
        value = self.read(object_graph.KEY)
        if value.dtype != object or value.ndim:
            raise errors.DataLossError("the object graph of the checkpoint is no string", path=self.prefix)
        try:
            return ObjectGraph(value.item())
        except errors.DataLossError as e:
            raise e.add_context(path=self.prefix) from None

    def _other_keys(self, name: str) -> tuple[str, ...]:
        """Return the keys of the tensors that have the name `name`, which is no key."""
        try:
            graph = self.object_graph
        except errors.OpError:  # a damaged graph: keys can still be read, and whoever asks for the graph is told
            return ()
        if graph is None:
            # A program that saves by objects asks for this key where one that saves by name wrote the bare name.
            bare = name.removesuffix(object_graph.VALUE_SUFFIX)
            return (bare,) if bare != name and bare in self.entries else ()
        found: list[str] = []
        for key in graph.keys_of(name):
            # Of an object that saves several tensors at once, as a table does, it has what their keys begin with.
            found += [key] if key in self.entries else [k for k in self.entries if k.startswith(f"{key}-")]
        return tuple(found)

    def keys_of(self, name: str) -> tuple[str, ...]:
        """Return the keys of the tensors that `name` may mean: none, one, or several where it is ambiguous."""
        name = as_text(name, "the name of a tensor")
        return (name,) if name in self.entries else self._other_keys(name)

    def find(self, name: str) -> str:
        """Return the key of the tensor that `name` means: the key itself or, of a checkpoint saved by objects, the
        path of the object or the variable's full name; of a Keras file, the path inside the file too.

        Raises: NotFoundError, with near names; InvalidArgumentError if several tensors have the name.
        """
        name = as_text(name, "the name of a tensor")
        if name in self.entries:
            return name
        if name in self.left_out:
            cls = errors.DataLossError if name in self._damaged else errors.UnimplementedError
            raise cls(f"{name} cannot be read: {self.left_out[name]}", path=self.prefix)
        found = self._other_keys(name)
        if len(found) > 1:
            paths = " or ".join(key.removesuffix(object_graph.VALUE_SUFFIX) for key in found[:5])
            raise errors.InvalidArgumentError(
                f"{len(found)} tensors have the name {name}", path=self.prefix, hint=f"Ask for {paths}."
            )
        if not found:
            raise self.missing(name)
        return found[0]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Every name that means one tensor -> its key: keys, and the full names and object paths of a checkpoint saved
        by objects.

        Raises: DataLossError if the object graph is damaged.
        """
        graph = self.object_graph
        found: dict[str, str] = {}
        if graph is not None:
            for table in (graph.by_path, graph.by_full_name):
                found |= {n: keys[0] for n, keys in table.items() if len(keys) == 1 and keys[0] in self.entries}
        return found | {key: key for key in self.entries}

    def entry(self, name: str) -> Entry:
        """Return the entry of a tensor. Raises: as `find`."""
        return self.entries[self.find(name)]

    def missing(self, name: str) -> errors.NotFoundError:
        """Return the error for a name that the checkpoint does not have."""
        if as_text(name, "the name of a tensor") == object_graph.KEY:
            return errors.NotFoundError(
                "this checkpoint was saved by the names of variables: it has no object graph", path=self.prefix
            )
        try:
            known: Mapping[str, Any] = self.names
        except errors.OpError:
            known = self.entries
        shown = {n: None for n in known if n != object_graph.KEY and not n.endswith(object_graph.VALUE_SUFFIX)}
        return errors.NotFoundError(
            f"Key {name} not found in checkpoint", path=self.prefix, hint=question(near_names(name, shown or known))
        )

    def __getitem__(self, name: str) -> np.ndarray:
        return self.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.entries or len(self.keys_of(name)) == 1)

    def get(self, name: str, default: _D | None = None) -> np.ndarray | _D | None:  # type: ignore[override]
        return self.read(name) if name in self else default

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {os.fspath(self.prefix)!r}: {len(self)} tensors>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an open checkpoint cannot be pickled or copied: give its path, and open it there")

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
