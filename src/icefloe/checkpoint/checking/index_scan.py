"""Reads the index of a V2 checkpoint as far as it holds: what whole blocks say is taken, the rest is named.

Where the footer or the list of blocks is lost, blocks are found by their own structure: entries follow one another
from the start of the file, an entry that would begin with two zero bytes is the list of restart points, and the
checksum behind that list tells whether this was a block.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from icefloe import errors
from icefloe.checkpoint.entries import Entry, Header, decode_header
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.index import MAX_INDEX_SIZE, to_name
from icefloe.checkpoint.slices import decode_key, is_slice_key
from icefloe.wire.block import decode_block
from icefloe.wire.coding import decode_varint
from icefloe.wire.crc import crc32c, unmask
from icefloe.wire.sstable import BLOCK_TRAILER_SIZE, FOOTER_SIZE, BlockHandle, Table

_EMPTY_BLOCK = b"\0\0\0\0\1\0\0\0"


@dataclass(frozen=True, slots=True)
class BlockDamage:
    """A part of the index that does not hold: where it begins and why."""

    offset: int
    reason: str


@dataclass(slots=True)
class IndexScan:
    """What could be read of an index.

    header: None where its block is damaged.   records: key -> serialized entry, from whole blocks.
    doubtful: the same from damaged blocks; any byte of it may be wrong.   blocks: how many data blocks were found.
    damage: empty where all is well.   undone: the file had CR LF in place of each LF, and this is how it reads without.
    refusal: the header says that readers of this version must not read the file.
    """

    header: Header | None = None
    records: dict[bytes, bytes] = field(default_factory=dict)
    doubtful: dict[bytes, bytes] = field(default_factory=dict)
    damage: list[BlockDamage] = field(default_factory=list)
    blocks: int = 0
    undone: bool = False
    refusal: str | None = None


def scan_index(source: Source) -> IndexScan:
    """Return what can be read of the index in an open file.

    Raises: ResourceExhaustedError if the file is larger than any index; the system's errors.
    """
    if source.size > MAX_INDEX_SIZE:
        raise errors.ResourceExhaustedError(
            f"an index of {source.size} bytes is more than icefloe reads", path=source.path
        )
    data = source.read(0, source.size)
    scan = _scan(data)
    if scan.damage and data.count(b"\r\n") == data.count(b"\n") > 0:
        without = _scan(data.replace(b"\r\n", b"\n"))
        if not without.damage:
            without.undone = True
            return without
    return scan


def _scan(data: bytes) -> IndexScan:
    scan = IndexScan()
    try:
        table = Table(data)
    except errors.DataLossError as e:
        scan.damage.append(BlockDamage(e.offset if e.offset is not None else len(data), e.message))
        walk(data, scan)
        return scan
    scan.blocks = len(table.handles)
    for handle in table.handles:
        try:
            keys, values = decode_block(table.read_block(handle))
        except errors.DataLossError as e:
            scan.damage.append(BlockDamage(handle.offset, e.message))
            keys, values, _, _ = _block_at(data[: handle.offset + handle.size], handle.offset)
            _take(scan, keys, values, doubtful=True)
        else:
            _take(scan, keys, values, doubtful=False)
    lost = metaindex_damage(data[-FOOTER_SIZE:], table)
    scan.damage += [] if lost is None else [lost]
    if scan.header is None and scan.refusal is None and not scan.damage:
        scan.damage.append(BlockDamage(0, "there is no header"))
    return scan


def metaindex_damage(footer: bytes, table: Table) -> BlockDamage | None:
    """Return what is wrong with the metaindex: it holds nothing and readers pass over it, but damage is damage."""
    offset, pos = decode_varint(footer, 0)
    size, _ = decode_varint(footer, pos)
    try:
        table.read_block(BlockHandle(offset, size))
    except errors.DataLossError as e:
        return BlockDamage(offset, f"metaindex: {e.message}")
    return None


def walk(data: bytes, scan: IndexScan) -> None:
    """Take the blocks from the start of the file on, as far as they can be followed."""
    pos = 0
    while pos < len(data) and data[pos : pos + len(_EMPTY_BLOCK)] != _EMPTY_BLOCK:
        keys, values, end, whole = _block_at(data, pos)
        if not keys:
            return
        scan.blocks += 1
        _take(scan, keys, values, doubtful=not whole)
        if not whole:
            scan.damage.append(BlockDamage(pos, "block checksum mismatch" if end else "the block is cut or damaged"))
        if not end:
            return
        pos = end


def _block_at(data: bytes, start: int) -> tuple[list[bytes], list[bytes], int, bool]:
    """Return keys and values from `start` on as far as they follow one another, the end of the block with its trailer
    (0 where it was not found), and whether its checksum holds.
    """
    keys: list[bytes] = []
    values: list[bytes] = []
    key = b""
    pos = start
    try:
        while pos + 3 <= len(data):
            if keys and data[pos : pos + 4] == b"\0\0\0\0":
                end, whole = _restarts(data, start, pos, len(keys))
                return keys, values, end, whole
            shared, after = decode_varint(data, pos)
            unshared, after = decode_varint(data, after)
            size, after = decode_varint(data, after)
            end = after + unshared + size
            if shared > len(key) or end > len(data):
                break
            following = key[:shared] + data[after : after + unshared]
            if keys and following <= key:
                break
            key = following
            keys.append(key)
            values.append(data[after + unshared : end])
            pos = end
    except errors.DataLossError:
        pass  # a length that is none: what came before it is the answer
    return keys, values, 0, False


def _restarts(data: bytes, start: int, pos: int, entries: int) -> tuple[int, bool]:
    """Return the end of the block whose restart points begin at `pos`, and whether its checksum holds."""
    found = 0
    for count in range(1, entries + 1):
        stop = pos + 4 * count + 4
        if int.from_bytes(data[stop - 4 : stop], "little") != count:
            continue
        end = stop + BLOCK_TRAILER_SIZE
        if end > len(data):
            break
        if data[stop] == 0 and crc32c(data[start : stop + 1]) == unmask(int.from_bytes(data[stop + 1 : end], "little")):
            return end, True
        found = found or end
    return found, False


def _take(scan: IndexScan, keys: list[bytes], values: list[bytes], *, doubtful: bool) -> None:
    for key, value in zip(keys, values):
        if not key:
            if not doubtful:
                scan.records[key] = value
            _take_header(scan, value, doubtful)
        elif not doubtful:
            scan.records[key] = value
        elif _is_entry(key, value):
            scan.doubtful[key] = value


def _take_header(scan: IndexScan, value: bytes, doubtful: bool) -> None:
    if doubtful:
        return
    try:
        scan.header = decode_header(value)
    except errors.InvalidArgumentError as e:
        scan.refusal = e.message
    except errors.DataLossError as e:
        scan.damage.append(BlockDamage(0, f"unable to parse header: {e.message}"))


def _is_entry(key: bytes, value: bytes) -> bool:
    entry = Entry(to_name(key), value)
    try:
        if is_slice_key(key):
            decode_key(key)
        return 0 < entry.dtype_number < 100 and (entry.is_sliced or entry.size > 0 or entry.num_elements == 0)
    except errors.OpError:
        return False
