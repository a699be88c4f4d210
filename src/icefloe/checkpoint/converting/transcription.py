"""Writing what a conversion chose, in any format, one piece of a tensor at a time.

A tensor whose layout changes is read whole; no other is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import object_graph
from icefloe.checkpoint.converting.choice import Chosen
from icefloe.checkpoint.converting.report import Conversion
from icefloe.checkpoint.formats.array_reader import ArrayReader
from icefloe.checkpoint.formats.side_entry import SideEntry
from icefloe.checkpoint.formats.storing import Advance, Item, as_bits
from icefloe.checkpoint.reading import WINDOW, CheckpointReader
from icefloe.checkpoint.slices import TensorSlice
from icefloe.checkpoint.v1.typed_values import can_encode
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.checkpoint.writer import BundleWriter


class Transcription:
    """One conversion under way."""

    def __init__(
        self,
        reader: CheckpointReader,
        done: Conversion,
        progress: Callable[[int, int], None] | None,
        chosen: Chosen | None = None,
    ) -> None:
        self._reader = reader
        self._done = done
        self._chosen = Chosen({}) if chosen is None else chosen
        self._progress = progress
        entries = [reader.entries[key] for key in (reader.entries if chosen is None else chosen.named.values())]
        self._total = sum(e.num_elements * e.dtype.size for e in entries)

    def _advance(self, size: int) -> None:
        self._done.bytes += size
        if self._progress is not None:
            self._progress(self._done.bytes, self._total)

    def _item(self, name: str, key: str) -> Item:
        entry = self._reader.entries[key]
        change = self._chosen.reordered.get(key)
        if change is not None:
            return Item(name, entry.dtype, change.result, lambda: change.pieces(self._reader.read(key)))

        def pieces() -> Iterator[np.ndarray]:
            if entry.num_elements * entry.dtype.size <= WINDOW or entry.dtype.numpy.hasobject:
                return iter((self._reader.read(key).reshape(-1),))
            return self._reader.stream(key)

        return Item(name, entry.dtype, entry.shape, pieces)

    def _partition(self, key: str) -> tuple[TensorSlice, ...]:
        """Return the slices in which the tensor was or is stored, of its shape in TensorFlow's layout."""
        if isinstance(self._reader, ArrayReader):
            return self._reader.partition.get(key, ())
        return self._reader.entries[key].slices

    def _slices(self, key: str) -> tuple[TensorSlice, ...]:
        """Return the slices in which to store a tensor in a checkpoint."""
        partition = self._partition(key)
        original = self._reader.originals.get(key) if isinstance(self._reader, ArrayReader) else None
        return () if original is not None and original.layout and key not in self._chosen.reordered else partition

    def write_bundle(self) -> None:
        """Write a V2 checkpoint. Raises: as `BundleWriter` and reading."""
        with BundleWriter(self._done.destination) as writer:
            for name, key in self._chosen.named.items():
                item = self._item(name, key)
                if partition := self._slices(key):
                    for chosen in partition:
                        writer.add_slice(name, item.shape, chosen, self._part(key, chosen), dtype=item.dtype)
                elif item.size <= WINDOW:
                    writer.add(name, self._whole(key), dtype=item.dtype)
                else:
                    writer.add_stream(name, item.dtype, item.shape, item.pieces())
                self._wrote(item)

    def _whole(self, key: str) -> np.ndarray:
        change = self._chosen.reordered.get(key)
        return self._reader.read(key) if change is None else change.apply(self._reader.read(key))

    def _part(self, key: str, chosen: TensorSlice) -> np.ndarray:
        if key not in self._chosen.reordered:
            return self._reader.read_slice(key, chosen)
        whole = self._whole(key)
        return np.ascontiguousarray(whole[chosen.index(whole.shape)])

    def _wrote(self, item: Item) -> None:
        self._done.tensors += 1
        self._advance(item.size)

    def write_v1(self) -> None:
        """Write a V1 checkpoint. Raises: InvalidArgumentError for dtypes that it lacks; as reading."""
        named = self._chosen.named
        refused = [name for name, key in named.items() if not can_encode(self._reader.entries[key].dtype)]
        if refused:
            dtypes = sorted({self._reader.entries[named[name]].dtype.name for name in refused})
            raise errors.InvalidArgumentError(
                f"a V1 checkpoint cannot hold {', '.join(dtypes)}: {_listed(refused)}",
                hint="Cast these tensors first, or write another format.",
            )
        writer = V1Writer(self._done.destination)
        for name, key in named.items():
            item = self._item(name, key)
            for chosen in self._slices(key) or (None,):
                load = self._loader(item, key, chosen)
                pieces = self._told_once(item) if chosen is None else None
                writer.add_lazy(name, item.dtype, item.shape, load, chosen, pieces)
        writer.finish()

    def _told_once(self, item: Item) -> Callable[[], Iterator[np.ndarray]]:
        """Return the pieces of a tensor, of which the progress and the report are told the first time only."""
        told = False

        def pieces() -> Iterator[np.ndarray]:
            nonlocal told
            first, told = not told, True
            for piece in item.pieces():
                self._advance(piece.nbytes if first else 0)
                yield piece
            self._done.tensors += first

        return pieces

    def _loader(self, item: Item, key: str, chosen: TensorSlice | None) -> Callable[[], np.ndarray]:
        def load() -> np.ndarray:
            array = self._whole(key) if chosen is None else self._part(key, chosen)
            self._advance(0 if item.dtype.numpy.hasobject else array.nbytes)
            self._done.tensors += chosen is None or chosen == self._slices(key)[0]
            return array

        return load

    def write_arrays(self, kind: str, strings: str, plain: bool) -> None:
        """Write a file of arrays. Raises: InvalidArgumentError for what it cannot hold; as reading."""
        named = self._chosen.named
        side = None if plain else SideEntry(self._done.source_format, order=list(named))
        if side is not None:
            side.originals = self._chosen.originals
        items = []
        for name, key in named.items():
            item = self._item(name, key)
            if item.dtype.numpy.hasobject:
                if self._take_strings(kind, item, strings, side):
                    items.append(item)
                continue
            items.append(item)
            if side is not None and (partition := self._partition(key)):
                side.slices[name] = partition
        if plain:
            self._check_plain(kind, items)
        _write_function(kind)(self._done.destination, items, side, self._advance)
        self._done.tensors = len(items) + len(self._done.in_side_entry)

    def _take_strings(self, kind: str, item: Item, strings: str, side: SideEntry | None) -> bool:
        """Put a tensor of strings or variants where `strings` says; return whether it is to be written as an array."""
        if item.name == object_graph.KEY and side is not None:
            strings = "side"  # without it nothing could be restored by objects, and nobody asked for it by name
        if strings == "side" and side is not None:
            side.add_object(item.name, item.dtype, item.array())
            self._done.in_side_entry.append(item.name)
            return False
        if strings == "drop" or (item.name == object_graph.KEY and strings != "refuse"):
            self._done.dropped.append(item.name)
            return False
        if strings != "array":
            raise errors.InvalidArgumentError(
                f"{item.name} is a tensor of {item.dtype.name}s, which a plain {kind} file does not hold",
                hint="Leave the side entry on, or say what becomes of strings: array or drop.",
            )
        bad = b"\0" if kind == "h5" else None
        if kind == "safetensors" or item.dtype != datatypes.string:
            raise errors.InvalidArgumentError(f"{item.name}: {kind} has no arrays of {item.dtype.name}s")
        for value in item.array().reshape(-1).tolist():
            if value.endswith(b"\0") if bad is None else bad in value:
                raise errors.InvalidArgumentError(
                    f"{item.name}: a string with a zero byte cannot be in an array of {kind}"
                )
        return True

    def _check_plain(self, kind: str, items: list[Item]) -> None:
        """Refuse what only a side entry could say."""
        lost = [i.name for i in items if not i.dtype.numpy.hasobject and as_bits(i.dtype) != i.dtype.numpy]
        if kind == "safetensors":
            native = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
            lost = [n for i in items if (n := i.name) in lost and i.dtype.name not in native]
            lost += [i.name for i in items if i.dtype.is_complex]
        if lost and kind != "h5":
            raise errors.InvalidArgumentError(
                f"{kind} lacks the dtype of {_listed(lost)}",
                hint="Leave the side entry on, or cast these tensors first.",
            )

    def write_like(self, template: str) -> None:
        """Write a copy of a Keras file with other weights. Raises: as `hdf5_writer.write_like`."""
        from icefloe.checkpoint.formats.hdf5_writer import write_like

        def find(name: str) -> Item | None:
            return self._item(name, self._reader.find(name)) if name in self._reader else None

        found, self._done.kept = write_like(self._done.destination, template, find, self._advance)
        self._done.tensors = len(found)
        used = {self._reader.find(name) for name in found}
        self._done.dropped = [key for key in self._reader.entries if key not in used]


def _write_function(kind: str) -> Callable[[str, list[Item], SideEntry | None, Advance], None]:
    if kind == "npz":
        from icefloe.checkpoint.formats.npz_writer import write
    elif kind == "safetensors":
        from icefloe.checkpoint.formats.safetensors_writer import write
    else:
        from icefloe.checkpoint.formats.hdf5_writer import write
    return write


def _listed(tensors: list[str]) -> str:
    return ", ".join(tensors[:5]) + (f" and {len(tensors) - 5} more" if len(tensors) > 5 else "")
