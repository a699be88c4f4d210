"""The index of a bundle in memory: header, entries by name, entries of slices by key."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping

from icefloe import errors
from icefloe.checkpoint.entries import Entry, Header, decode_header
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.slices import TensorSlice, decode_key, encode_key, is_slice_key
from icefloe.wire.sstable import Table

# An index is read whole. One of this size holds some ten million tensors.
MAX_INDEX_SIZE = 1 << 30


def to_name(key: bytes) -> str:
    """Return a key as text; bytes that are no UTF-8 become surrogates, which `to_key` turns back."""
    return key.decode("utf-8", "surrogateescape")


def to_key(name: str | bytes) -> bytes:
    """Return the key of a tensor's name. Raises: InvalidArgumentError if it cannot be a key; TypeError if no text."""
    if isinstance(name, bytes):
        return name
    if not isinstance(name, str):
        raise TypeError(f"the name of a tensor is text: expected str, got {type(name).__name__} {name!r}")
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise errors.InvalidArgumentError(f"the name {name!r} is no text that can be encoded") from None


class Entries(Mapping[str, Entry]):
    """Name -> Entry in the order of the index; an Entry is made when it is asked for. Slices of a tensor are under
    its name only.
    """

    def __init__(self, raw: dict[str, bytes]) -> None:
        self._raw = raw

    def __getitem__(self, name: str) -> Entry:
        return Entry(name, self._raw[name])

    def items(self) -> ItemsView[str, Entry]:
        return _Items(self)

    def raw_items(self) -> ItemsView[str, bytes]:
        """Return name -> serialized entry."""
        return self._raw.items()

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __contains__(self, name: object) -> bool:
        return name in self._raw

    def __repr__(self) -> str:
        return f"<{len(self)} entries>"


class _Items(ItemsView[str, Entry]):
    """The items of `Entries`, without a look-up for each."""

    _mapping: Entries

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        raw = self._mapping._raw
        return zip(raw, map(Entry, raw, raw.values()))


class Index:
    """A decoded index file.

    header: Header.   entries: name -> Entry.   order: as in the file, raw pairs of `slices` by key.
    """

    def __init__(self, header: Header, tensors: dict[str, bytes], slices: dict[bytes, bytes]) -> None:
        self.header = header
        self.entries = Entries(tensors)
        self._slices = slices

    def slice_entry(self, name: str, chosen: TensorSlice) -> Entry:
        """Return the entry of one stored slice. Raises: NotFoundError if the index has none."""
        raw = self._slices.get(encode_key(to_key(name), chosen))
        if raw is None:
            raise errors.NotFoundError(f"Key of slice {chosen} of tensor {name} not found in checkpoint")
        return Entry(f"{name} slice {chosen}", raw)

    def stored_slices(self) -> Iterator[tuple[str, TensorSlice, Entry]]:
        """Yield `(name, slice, entry)` of every slice. Raises: DataLossError if a key is malformed."""
        for key, raw in self._slices.items():
            name, chosen = decode_key(key)
            yield to_name(name), chosen, Entry(f"{to_name(name)} slice {chosen}", raw)

    def raw_items(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield `(key, serialized entry)` of everything but the header, in the order of the file."""
        yield from self._slices.items()
        yield from ((to_key(name), raw) for name, raw in self.entries.raw_items())


def read_index(source: Source) -> Index:
    """Return the index in an open file.

    Raises: DataLossError with TensorFlow's text if it is damaged, InvalidArgumentError if it must not be read by
    this version.
    """
    path = source.path
    if source.size > MAX_INDEX_SIZE:
        raise errors.ResourceExhaustedError(f"an index of {source.size} bytes is more than icefloe reads", path=path)
    stage = "failed to seek to header entry"
    try:
        source.preload()
        table = Table(source.read, source.size)
        keys: list[bytes] = []
        values: list[bytes] = []
        for block_keys, block_values in table.blocks():
            keys += block_keys
            values += block_values
        if not keys or keys[0]:
            raise errors.DataLossError("there is no header")
        stage = "unable to parse header"
        header = decode_header(values[0])
    except errors.InvalidArgumentError as e:
        raise e.add_context(path=path) from None
    except (errors.DataLossError, errors.OutOfRangeError) as e:
        text = e.message
        if text not in ("file is too short to be an sstable", "not an sstable (bad magic number)"):
            text = (
                f"Unable to read file ({path}). Perhaps the file is corrupt or was produced by a newer version of "
                f"TensorFlow with format changes ({stage}): {text}"
            )
        raise errors.DataLossError(text, path=path, offset=e.offset) from None
    first = 1
    while first < len(keys) and is_slice_key(keys[first]):
        first += 1
    try:
        names = list(map(bytes.decode, keys[first:]))
    except UnicodeDecodeError:
        names = list(map(to_name, keys[first:]))
    return Index(header, dict(zip(names, values[first:])), dict(zip(keys[1:first], values[1:first])))
