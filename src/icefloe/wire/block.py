"""A block of a sorted string table: sorted entries whose keys share prefixes.

    block   := entry* restart* num_restarts: fixed32
    entry   := shared: varint32, unshared: varint32, value_size: varint32, key[shared:], value
    restart := fixed32, offset of an entry whose `shared` is 0

Source: leveldb doc/table_format.md, table/block_builder.cc.
"""

from __future__ import annotations

from icefloe.errors import DataLossError
from icefloe.wire.coding import decode_fixed32, decode_varint, encode_varint


class BlockBuilder:
    """Collects entries, given in order of their keys, into the bytes of one block."""

    def __init__(self, restart_interval: int) -> None:
        self._interval = restart_interval
        self._parts: list[bytes] = []
        self._restarts = [0]
        self._since_restart = 0
        self._size = 0
        self._last_key = b""

    def __bool__(self) -> bool:
        return self._size > 0

    @property
    def estimated_size(self) -> int:
        """Size of the block in bytes if it were finished now."""
        return self._size + 4 * len(self._restarts) + 4

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._since_restart < self._interval:
            shared = _common_prefix(self._last_key, key)
        else:
            self._restarts.append(self._size)
            self._since_restart = 0
        head = encode_varint(shared) + encode_varint(len(key) - shared) + encode_varint(len(value))
        self._parts += (head, key[shared:], value)
        self._size += len(head) + len(key) - shared + len(value)
        self._last_key = key
        self._since_restart += 1

    def finish(self) -> bytes:
        """Return the block and start a new one."""
        numbers = (*self._restarts, len(self._restarts))
        block = b"".join(self._parts) + b"".join(n.to_bytes(4, "little") for n in numbers)
        self.__init__(self._interval)  # type: ignore[misc]
        return block


def _common_prefix(a: bytes, b: bytes) -> int:
    size = min(len(a), len(b))
    if a[:size] == b[:size]:
        return size
    # The first difference, by the highest bit of the xor: one big-integer step instead of a loop over bytes.
    difference = int.from_bytes(a[:size], "big") ^ int.from_bytes(b[:size], "big")
    return size - (difference.bit_length() + 7) // 8


def decode_block(block: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the keys and the values of a block, in order.

    Raises: DataLossError if a length is impossible or the keys do not strictly increase.
    """
    num_restarts = decode_fixed32(block, len(block) - 4)
    limit = len(block) - 4 - 4 * num_restarts
    if limit < 0:
        raise DataLossError(f"bad block contents: {num_restarts} restart points in {len(block)} bytes")
    keys: list[bytes] = []
    values: list[bytes] = []
    pos = 0
    key = b""
    while pos < limit:
        # At least 4 bytes follow `limit`, so the three lengths can be read before they are checked.
        shared = block[pos]
        unshared = block[pos + 1]
        size = block[pos + 2]
        if (shared | unshared | size) < 0x80:
            pos += 3
        else:
            shared, pos = decode_varint(block, pos, limit)
            unshared, pos = decode_varint(block, pos, limit)
            size, pos = decode_varint(block, pos, limit)
        middle = pos + unshared
        end = middle + size
        if end > limit or shared > len(key):
            raise DataLossError("bad entry in block", offset=pos)
        following = key[:shared] + block[pos:middle]
        if following <= key and keys:
            raise DataLossError("keys in block are not in increasing order", offset=pos)
        key = following
        keys.append(key)
        values.append(block[middle:end])
        pos = end
    return keys, values
