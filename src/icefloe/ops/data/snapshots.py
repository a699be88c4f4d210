"""Elements kept in files, in TensorFlow's layout: what SaveDataset and snapshots write and read.

    folder     := snapshot.metadata, <run>/<shard, 8 digits>.shard/<part, 8 digits>.snapshot
    .snapshot  := a TFRecord file; a record is a TensorProto, one for each component of each element
    .metadata  := a SnapshotMetadataRecord: run_id = 2, creation_timestamp = 3 (microseconds), version = 4, dtype = 5,
                  num_elements = 6, finalized = 1000

Source: tensorflow/core/data/snapshot_utils.cc, tensorflow/core/protobuf/snapshot.proto. Registers nothing.
"""

from __future__ import annotations

import glob
import os
import random
import time
from collections.abc import Callable, Sequence
from collections.abc import Iterator as Iterable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from icefloe import datatypes, errors
from icefloe.checkpoint import files
from icefloe.datatypes import DType
from icefloe.ops.variants import decode_tensor, encode_tensor
from icefloe.proto import TensorProto
from icefloe.resources.datasets.base import Context, Dataset, Element, Iterator, Spec, State
from icefloe.resources.datasets.record_files import Records, RecordWriter
from icefloe.wire import message
from icefloe.wire.coding import decode_varint, to_signed64

METADATA = "snapshot.metadata"
_VERSION = 2
_COMPRESSIONS = ("", "NONE", "AUTO", "GZIP")


def checked_compression(name: str) -> str:
    """Return the compression of TFRecord files. Raises: UnimplementedError for snappy and what is not known."""
    if name not in _COMPRESSIONS:
        raise errors.UnimplementedError(f"snapshots with compression {name!r} are not supported")
    return name if name == "GZIP" else ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a folder's metadata says. created: in seconds."""

    run: str
    created: float
    dtypes: tuple[DType, ...]
    count: int
    finalized: bool

    def write(self, folder: str) -> None:
        """Put this into a folder, in place of what was there, at once."""
        data = b"".join(
            [
                message.encode_bytes(2, self.run.encode()),
                message.encode_int(3, int(self.created * 1e6)),
                message.encode_int(4, _VERSION),
                *[message.encode_int(5, dtype.as_datatype_enum) for dtype in self.dtypes],
                message.encode_int(6, self.count),
                message.encode_int(1000, int(self.finalized)),
            ]
        )
        path = os.path.join(folder, METADATA)
        try:
            with open(f"{path}.tmp", "wb") as file:
                file.write(data)
            os.replace(f"{path}.tmp", path)
        except OSError as error:
            raise files.os_error(error, path) from None


def read_metadata(folder: str) -> Metadata | None:
    """Return a folder's metadata, None where there is none. Raises: DataLossError for what is no such message."""
    path = os.path.join(folder, METADATA)
    try:
        with open(path, "rb") as file:
            data = file.read(1 << 20)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise files.os_error(error, path) from None
    run, created, count, finalized = "", 0, 0, False
    dtypes: list[DType] = []
    for field in message.fields(data):
        content = data[field.payload : field.end]
        if field.number == 2:
            run = content.decode(errors="replace")
        elif field.number == 5:
            dtypes += [_dtype(n, path) for n in _numbers(content)]
        elif field.wire_type == message.VARINT:
            (value,) = _numbers(content)
            created = value if field.number == 3 else created
            count = to_signed64(value) if field.number == 6 else count
            finalized = bool(value) if field.number == 1000 else finalized
    if run in ("", ".", "..") or os.path.basename(run) != run:
        raise errors.DataLossError(f"run_id {run!r} names no folder", path=path)
    return Metadata(run, created / 1e6, tuple(dtypes), count, finalized)


def _dtype(number: int, path: str) -> DType:
    try:
        return datatypes.as_dtype(number)
    except TypeError:
        raise errors.DataLossError(f"there is no dtype {number}", path=path) from None


def _numbers(data: bytes) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = decode_varint(data, at)
        found.append(value)
    return found


def shards(folder: str, run: str) -> list[str]:
    """Return the folders of a run's shards, in order."""
    return sorted(glob.glob(os.path.join(glob.escape(os.path.join(folder, run)), "*.shard")))


class Writer:
    """A new run in a folder: elements go to files of their shards. Its metadata is not final until `finish`."""

    def __init__(self, folder: str, compression: str, dtypes: Sequence[DType]) -> None:
        self._folder = folder
        self._compression = compression
        self._dtypes = tuple(dtypes)
        self._run = str(random.getrandbits(64))
        self._created = time.time()
        self._files: dict[int, RecordWriter] = {}
        self._count = 0
        files.make_directory(os.path.join(folder, self._run))
        self._describe(False)

    def _describe(self, finalized: bool) -> None:
        Metadata(self._run, self._created, self._dtypes, self._count, finalized).write(self._folder)

    def write(self, shard: int, element: Element) -> None:
        """Append an element to a shard."""
        if shard < 0:
            raise errors.InvalidArgumentError(f"shard {shard} is negative")
        file = self._files.get(shard)
        if file is None:
            directory = os.path.join(self._folder, self._run, f"{shard:08d}.shard")
            files.make_directory(directory)
            path = os.path.join(directory, f"{0:08d}.snapshot")
            try:
                file = self._files[shard] = RecordWriter(path, self._compression)
            except OSError as error:
                raise files.os_error(error, path) from None
        for value, dtype in zip(element, self._dtypes, strict=True):
            file.write(encode_tensor(value, dtype).SerializeToString())
        self._count += 1

    def finish(self) -> None:
        """Close the files and say that all is there."""
        self.close()
        self._describe(True)

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.__exit__(None, None, None)
        self._files = {}


class Shard(Dataset):
    """The elements in the files of a shard's folder, from `start` on. may_read: called with each path first."""

    kind = "SnapshotDatasetReader"

    def __init__(self, folder: str, start: int, compression: str, spec: Spec, may_read: Callable[[str], None]) -> None:
        super().__init__(spec)
        self.folder = folder
        self.start = start
        self.compression = compression
        self.may_read = may_read

    def iterator(self, context: Context) -> Iterator:
        return _ShardIterator(self)


class _ShardIterator(Iterator):
    def __init__(self, shard: Shard) -> None:
        self._shard = shard
        self._given = 0
        self._records = self._all(shard.start)

    def _all(self, skip: int) -> Iterable[tuple[str, list[bytes]]]:
        shard = self._shard
        for path in sorted(glob.glob(os.path.join(glob.escape(shard.folder), "*.snapshot"))):
            shard.may_read(path)
            records = Records(path, shard.compression)
            try:
                while (first := records.read()) is not None:
                    parts = [first]
                    for _ in shard.spec.dtypes[1:]:
                        part = records.read()
                        if part is None:
                            raise errors.DataLossError("the file ends inside an element", path=path)
                        parts.append(part)
                    if skip:
                        skip -= 1
                    else:
                        yield path, parts
            finally:
                records.close()

    def next(self) -> Element | None:
        found = next(self._records, None)
        if found is None:
            return None
        self._given += 1
        path, parts = found
        return tuple([_tensor(p, d, i, path) for i, (p, d) in enumerate(zip(parts, self._shard.spec.dtypes))])

    def save(self) -> State:
        return {"given": self._given}

    def restore(self, state: State) -> None:
        self._given = int(state["given"])
        self._records = self._all(self._shard.start + self._given)


def _tensor(data: bytes, dtype: DType, component: int, path: str) -> Any:
    try:
        proto = TensorProto.FromString(data)
    except DecodeError:
        raise errors.DataLossError("Unable to parse a tensor from proto.", path=path) from None
    if proto.dtype != dtype.as_datatype_enum:
        raise errors.InvalidArgumentError(
            f"Data type mismatch at component {component}: expected {dtype.name} but got "
            f"{_dtype(proto.dtype, path).name}."
        )
    return decode_tensor(proto)
