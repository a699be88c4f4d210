"""Zip archives, read without trust: members are found by the central directory, their sizes held against the file and
against what deflate can do before anything is inflated.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint.files import Source

STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_LOCAL_MAGIC = b"PK\x03\x04"
_READ_SIZE = 1 << 18
# Deflate makes at most 1032 bytes of one. Arrays are rarely a fifth as repetitive: a large member that is more so is
# taken for a zip bomb.
_MAX_RATIO = 1032
_BOMB_RATIO, _BOMB_SIZE = 200, 256 << 20


class Window(io.RawIOBase):
    """A part of an open file as a file object that can be read and sought, for libraries that want one."""

    def __init__(self, source: Source, start: int = 0, size: int | None = None) -> None:
        super().__init__()
        self._source = source
        self._start = start
        self._size = source.size - start if size is None else size
        self._pos = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._pos

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._pos, os.SEEK_END: self._size}[whence]
        self._pos = max(base + offset, 0)
        return self._pos

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        view = memoryview(buffer).cast("B")
        count = max(min(len(view), self._size - self._pos), 0)
        if count:
            self._source.read_into(view[:count], self._start + self._pos)
        self._pos += count
        return count


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: `start` is where its bytes begin, `stored` how many there are, `size` what they become."""

    name: str
    method: int
    start: int
    stored: int
    size: int
    crc: int
    problem: str | None = None


def members(source: Source) -> list[Member]:
    """Return the members of the zip archive in an open file, in its order; `problem` says why one cannot be read.

    Raises: DataLossError if it is no whole archive or members share bytes.
    """
    try:
        with zipfile.ZipFile(io.BufferedReader(Window(source))) as archive:
            infos = archive.infolist()
    except errors.OpError:
        raise
    except Exception as e:  # zipfile meets damage with whatever comes up: BadZipFile, struct.error, OverflowError, ...
        raise errors.DataLossError(f"a damaged zip archive: {e or type(e).__name__}", path=source.path) from None
    end = source.size
    for info in sorted(infos, key=lambda i: i.header_offset, reverse=True):
        if info.header_offset < 0 or info.header_offset + _LOCAL_HEADER.size + info.compress_size > end:
            raise errors.DataLossError(
                f"a damaged zip archive: member {info.filename[:80]} lies outside of the file or over the next one",
                path=source.path,
            )
        end = info.header_offset
    return [_member(source, info) for info in infos if not info.filename.endswith("/")]


def _member(source: Source, info: zipfile.ZipInfo) -> Member:
    header = source.read(info.header_offset, _LOCAL_HEADER.size)
    magic, *_, name_size, extra_size = _LOCAL_HEADER.unpack(header)
    start = info.header_offset + _LOCAL_HEADER.size + name_size + extra_size
    problem = None
    if magic != _LOCAL_MAGIC or start + info.compress_size > source.size:
        problem = "its place in the archive is damaged"
    elif info.flag_bits & 1:
        problem = "it is encrypted"
    elif info.compress_type not in (STORED, DEFLATED):
        problem = f"it is compressed by method {info.compress_type}"
    elif info.compress_type == STORED and info.file_size != info.compress_size:
        problem = "its sizes contradict each other"
    elif info.compress_type == DEFLATED and (
        info.file_size > info.compress_size * _MAX_RATIO + 1024
        or (info.file_size > _BOMB_SIZE and info.file_size > info.compress_size * _BOMB_RATIO)
    ):
        problem = f"{info.compress_size} bytes are said to hold {info.file_size}: taken for a zip bomb"
    return Member(info.filename, info.compress_type, start, info.compress_size, info.file_size, info.CRC, problem)


def inflated(source: Source, member: Member) -> Iterator[bytes]:
    """Yield the bytes of a member in pieces of at most 256 kB.

    Raises: DataLossError if they are damaged, more or fewer than the archive says, or have another checksum.
    """
    check(source, member)
    crc = total = 0
    for piece in _pieces(source, member):
        total += len(piece)
        if total > member.size:
            break
        crc = zlib.crc32(piece, crc)
        yield piece
    if total != member.size or crc != member.crc:
        what = "its checksum does not match" if total == member.size else f"expected {member.size} bytes"
        raise errors.DataLossError(f"member {member.name} of the archive is damaged: {what}", path=source.path)


def check(source: Source, member: Member) -> None:
    """Raise DataLossError if the archive's directory says what makes a member unreadable."""
    if member.problem is not None:
        raise errors.DataLossError(f"member {member.name} cannot be read: {member.problem}", path=source.path)


def _pieces(source: Source, member: Member) -> Iterator[bytes]:
    ends = range(0, member.stored, _READ_SIZE)
    if member.method == STORED:
        for pos in ends:
            yield source.read(member.start + pos, min(_READ_SIZE, member.stored - pos))
        return
    inflate = zlib.decompressobj(-15)
    try:
        for pos in ends:
            raw = source.read(member.start + pos, min(_READ_SIZE, member.stored - pos))
            while raw:
                piece = inflate.decompress(raw, _READ_SIZE)
                if not piece and inflate.eof:
                    return
                if piece:
                    yield piece
                raw = inflate.unconsumed_tail
        while piece := inflate.decompress(b"", _READ_SIZE):
            yield piece
    except zlib.error as e:
        raise errors.DataLossError(f"member {member.name} of the archive is damaged: {e}", path=source.path) from None
