"""Converting checkpoints between formats, one piece of a tensor at a time.

What the target format cannot say goes into a side entry (`side_entry`), so that converting back gives the same bits,
names, dtypes, strings, partitions and object graph.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import files, names, object_graph
from icefloe.checkpoint.distributed.scheduling import shares
from icefloe.checkpoint.formats.array_reader import ArrayReader
from icefloe.checkpoint.formats.side_entry import SideEntry
from icefloe.checkpoint.formats.storing import Advance, Item
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.reading import WINDOW, CheckpointReader
from icefloe.checkpoint.slices import TensorSlice
from icefloe.checkpoint.typed_values import can_encode
from icefloe.checkpoint.v1_writer import V1Writer
from icefloe.checkpoint.writer import BundleWriter

Path = str | os.PathLike[str]
Format = Literal["v2", "v1", "npz", "h5", "safetensors"]
FORMATS: tuple[str, ...] = ("v2", "v1", "npz", "h5", "safetensors")
_SUFFIXES = {".npz": "npz", ".h5": "h5", ".hdf5": "h5", ".safetensors": "safetensors", ".index": "v2"}
_OTHER_SUFFIXES = (".keras", ".pt", ".pth", ".onnx", ".tflite", ".pb", ".pbtxt", ".meta", ".npy", ".zip", ".pkl")


@dataclass
class Conversion:
    """What a conversion did.

    source, destination: paths. source_format, format: "V2", "V1", "npz", "h5", "keras", "safetensors".
    tensors, bytes: what was written. in_side_entry: tensors of strings or variants that the side entry holds.
    dropped: tensors that were left out because that was asked for. left_out: what the source holds but no tensor can
    hold, with why. kept: weights of the template that the source has not.
    """

    source: str
    destination: str
    source_format: str
    format: str
    tensors: int = 0
    bytes: int = 0
    in_side_entry: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain dicts and lists."""
        return asdict(self)


def format_of(destination: Path, to: str | None = None) -> str:
    """Return the format to write: `to`, or what the suffix says, V2 without one.

    Raises: InvalidArgumentError for a suffix or name of another format.
    """
    text = os.fsdecode(destination)
    if to is not None:
        if to.lower() not in FORMATS:
            raise errors.InvalidArgumentError(f"no format {to!r}: expected one of {', '.join(FORMATS)}")
        return to.lower()
    lower = text.lower()
    for suffix, found in _SUFFIXES.items():
        if lower.endswith(suffix):
            return found
    for suffix in _OTHER_SUFFIXES:
        if lower.endswith(suffix):
            raise errors.InvalidArgumentError(
                f"a checkpoint cannot be converted to a {suffix} file",
                path=text,
                hint=f"Formats are {', '.join(FORMATS)}; say which to write to any name whatever.",
            )
    return "v2"


def convert(
    source: Path,
    destination: Path,
    *,
    to: Format | None = None,
    strings: Literal["side", "array", "drop", "refuse"] | None = None,
    plain: bool = False,
    naming: Literal["key", "full", "path"] = "key",
    template: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    dask: Any = None,
) -> Conversion:
    """Write the checkpoint `source`, of any format, in another format, and say what was done. A former `destination`
    stays until the new one is complete.

    to: the format; without it the suffix of `destination` says: `.npz`, `.h5`, `.safetensors`, else a V2 checkpoint.
    strings: where tensors of strings go, of which array files hold few: "side", the side entry (the default); "array",
        an array of bytes of the format itself; "drop"; "refuse". V2 and V1 hold them as they are.
    plain: write no side entry. Strings are then refused unless `strings` says otherwise, and the file does not convert
        back to the same bits where the format lacks a dtype or name.
    naming: "key", names as they are; "full", the full names of variables of a checkpoint saved by objects, which a
        program that restores by name asks for; "path", its object paths. The last two leave the object graph out.
    template: of an .h5 to write, a Keras file whose layout to take: a copy of it with the weights of `source`, by name.
    progress: called with (bytes done, bytes in all).
    dask: a scheduler whose workers do it, "threads", "processes", or the address of a cluster. A V2 checkpoint is
        written in parts and has a data file for each; a file of arrays is written by a single worker.

    Memory: a few MB more than the largest tensor, and where both formats allow it less than one.

    Raises: InvalidArgumentError if the format cannot hold a tensor; as `open_checkpoint`.
    """
    kind = format_of(destination, to)
    if dask is not None:
        return _convert_in_workers(
            dask, source, _target(destination, kind), kind, progress,
            {"strings": strings, "plain": plain, "naming": naming, "template": template},
        )  # fmt: skip
    return _convert(
        source, destination, kind, strings=strings, plain=plain, naming=naming, template=template, progress=progress
    )


def _convert_in_workers(
    dask: Any,
    source: Path,
    target: str,
    kind: str,
    progress: Callable[[int, int], None] | None,
    options: dict[str, Any],
) -> Conversion:
    from icefloe.checkpoint.distributed import parts, scheduling

    with open_checkpoint(source) as reader:
        place = scheduling.absolute(reader.prefix)
        total = sum(e.num_elements * e.dtype.size for e in reader.entries.values())
        tensors = len(reader.entries)
    target = scheduling.absolute(target)
    if options["template"] is not None:
        options["template"] = scheduling.absolute(options["template"])
    bytes_done = [0]

    def done(_: int, part: Conversion) -> None:
        bytes_done[0] += part.bytes
        if progress is not None:
            progress(bytes_done[0], total)

    with scheduling.cluster(dask) as workers:
        if kind != "v2":
            found: Conversion = workers.run([functools.partial(_convert, place, target, kind, **options)], done)[0]
            return found
        count = max(min(workers.workers, tensors), 1)
        with parts.parts(target, count) as made:
            tasks = [
                functools.partial(_convert, place, prefix, kind, part=(i, count), **options)
                for i, prefix in enumerate(made.prefixes)
            ]
            reports = workers.run(tasks, done)
    first: Conversion = reports[0]
    first.destination = target
    first.tensors, first.bytes = sum(r.tensors for r in reports), bytes_done[0]
    return first


def _convert(
    source: Path,
    destination: Path,
    kind: str,
    *,
    strings: str | None,
    plain: bool,
    naming: str,
    template: Path | None,
    progress: Callable[[int, int], None] | None = None,
    part: tuple[int, int] | None = None,
) -> Conversion:
    if strings not in (None, "side", "array", "drop", "refuse") or naming not in ("key", "full", "path"):
        raise errors.InvalidArgumentError(f"no such choice: strings={strings!r}, naming={naming!r}")
    target = _target(destination, kind)
    with open_checkpoint(source) as reader:
        done = Conversion(
            reader.prefix, target, reader.format, "V2" if kind == "v2" else "V1" if kind == "v1" else kind
        )
        done.left_out = dict(reader.left_out)
        if kind != "v2":  # not before there is something to write
            files.make_directory(os.path.dirname(target))
        work = _Work(reader, done, progress)
        if template is not None:
            if kind != "h5":
                raise errors.InvalidArgumentError("a template is for an .h5 file", path=target)
            work.write_like(files.path_of(template))
            return done
        named = _named(reader, naming, done)
        if kind == "v2":
            if part is not None:
                entries = [reader.entries[key] for key in named.values()]
                chosen = shares([e.num_elements * e.dtype.size for e in entries], part[1])
                names_in_order = list(named)
                named = {names_in_order[i]: named[names_in_order[i]] for i in chosen[part[0]]}
            work.write_bundle(named)
        elif kind == "v1":
            work.write_v1(named)
        else:
            work.write_arrays(kind, named, strings or ("refuse" if plain else "side"), plain)
    return done


def _target(destination: Path, kind: str) -> str:
    text = files.path_of(destination)
    part = names.parse(text)
    if kind == "v2" and part is not None and part.kind in ("index", "data"):
        text = part.prefix
    if not os.path.basename(text) or (files.is_directory(text) and kind != "v2"):
        raise errors.InvalidArgumentError(f"{text!r} is a directory; give the name of what to write in it")
    return text


def _in_order(reader: CheckpointReader) -> list[str]:
    """Return the keys in the order of their bytes, so that a disk is read from front to back."""
    if not isinstance(reader, BundleReader):
        return list(reader.entries)
    places: dict[str, tuple[int, int, int]] = {}
    for name, _, entry in reader.index.stored_slices():
        place = (entry.shard, entry.offset, entry.size)
        places[name] = min(place, places.get(name, place))
    for name, entry in reader.entries.items():
        places.setdefault(name, (entry.shard, entry.offset, entry.size))
    return sorted(reader.entries, key=lambda name: places[name])


def _named(reader: CheckpointReader, naming: str, done: Conversion) -> dict[str, str]:
    """Return name to write -> key, in the order in which to write.

    Raises: InvalidArgumentError if two tensors would have one name.
    """
    keys = _in_order(reader)
    graph = reader.object_graph if naming != "key" else None
    if graph is None:
        return {key: key for key in keys}
    found: dict[str, str] = {}
    for key in keys:
        if key == object_graph.KEY:
            done.dropped.append(key)
            continue
        tensor = graph.tensors.get(key)
        name = key.removesuffix(object_graph.VALUE_SUFFIX)
        if tensor is not None and naming == "full" and tensor.attribute == object_graph.VALUE and tensor.full_name:
            name = tensor.full_name
        if name in found:
            raise errors.InvalidArgumentError(
                f"two tensors have the name {name}: {found[name]} and {key}", hint="Object paths are never equal."
            )
        found[name] = key
    return found


class _Work:
    """One conversion under way."""

    def __init__(self, reader: CheckpointReader, done: Conversion, progress: Callable[[int, int], None] | None) -> None:
        self._reader = reader
        self._done = done
        self._progress = progress
        self._total = sum(e.num_elements * e.dtype.size for e in reader.entries.values())

    def _advance(self, size: int) -> None:
        self._done.bytes += size
        if self._progress is not None:
            self._progress(self._done.bytes, self._total)

    def _item(self, name: str, key: str) -> Item:
        entry = self._reader.entries[key]

        def pieces() -> Iterator[np.ndarray]:
            if entry.num_elements * entry.dtype.size <= WINDOW or entry.dtype.numpy.hasobject:
                return iter((self._reader.read(key).reshape(-1),))
            return self._reader.stream(key)

        return Item(name, entry.dtype, entry.shape, pieces)

    def _partition(self, key: str) -> tuple[TensorSlice, ...]:
        if isinstance(self._reader, ArrayReader):
            return self._reader.partition.get(key, ())
        return self._reader.entries[key].slices

    def write_bundle(self, named: dict[str, str]) -> None:
        with BundleWriter(self._done.destination) as writer:
            for name, key in named.items():
                item = self._item(name, key)
                if partition := self._partition(key):
                    for chosen in partition:
                        writer.add_slice(name, item.shape, chosen, self._part(key, chosen), dtype=item.dtype)
                elif item.size <= WINDOW:
                    writer.add(name, self._reader.read(key), dtype=item.dtype)
                else:
                    writer.add_stream(name, item.dtype, item.shape, item.pieces())
                self._wrote(item)

    def _part(self, key: str, chosen: TensorSlice) -> np.ndarray:
        return self._reader.read_slice(key, chosen)

    def _wrote(self, item: Item) -> None:
        self._done.tensors += 1
        self._advance(item.size)

    def write_v1(self, named: dict[str, str]) -> None:
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
            for chosen in self._partition(key) or (None,):
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
            array = self._reader.read(key) if chosen is None else self._part(key, chosen)
            self._advance(0 if item.dtype.numpy.hasobject else array.nbytes)
            self._done.tensors += chosen is None or chosen == self._partition(key)[0]
            return array

        return load

    def write_arrays(self, kind: str, named: dict[str, str], strings: str, plain: bool) -> None:
        side = None if plain else SideEntry(self._done.source_format, order=list(named))
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
        from icefloe.checkpoint.formats.storing import as_bits

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
