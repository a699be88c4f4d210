import cramjam
import pytest

from icefloe import errors
from icefloe.wire.block import BlockBuilder, decode_block
from icefloe.wire.coding import encode_fixed32, encode_varint
from icefloe.wire.crc import crc32c, mask
from icefloe.wire.sstable import FOOTER_SIZE, TABLE_MAGIC, BlockHandle, Table, TableWriter


def table(pairs, **options):
    out = []
    writer = TableWriter(out.append, **options)
    for key, value in pairs:
        writer.add(key, value)
    size = writer.finish()
    data = b"".join(out)
    assert size == len(data)
    return data


PAIRS = [(f"key/{i // 7:03d}/{i:05d}".encode(), bytes([i % 256]) * (i % 40)) for i in range(900)]


def test_empty_table_is_two_empty_blocks_and_a_footer():
    empty_block = bytes.fromhex("0000000001000000")
    trailer = b"\x00" + encode_fixed32(mask(crc32c(empty_block + b"\x00")))
    footer = bytes([0, 8, 13, 8]).ljust(40, b"\0") + TABLE_MAGIC.to_bytes(8, "little")
    data = table([])
    assert data == (empty_block + trailer) * 2 + footer
    assert data[-8:].hex() == "57fb808b247547db"
    assert list(Table(data).items()) == []
    assert Table(data).get(b"") is None


@pytest.mark.parametrize("options", [{}, {"block_size": 200}, {"block_size": 1}, {"restart_interval": 1}])
def test_what_is_written_is_read(options):
    data = table(PAIRS, **options)
    assert list(Table(data).items()) == PAIRS
    by_callable = Table(lambda offset, size: data[offset : offset + size], len(data))
    assert by_callable.get(b"key/003/00023") == dict(PAIRS)[b"key/003/00023"]
    assert by_callable.get(b"key/003/00023x") is None
    assert by_callable.get(b"zzz") is None
    assert [Table(data).get(k) for k, _ in PAIRS[::97]] == [v for _, v in PAIRS[::97]]


def test_blocks_end_after_the_size_is_reached_and_before_an_entry_of_twice_that():
    sizes = lambda pairs: [len(keys) for keys, _ in Table(table(pairs, block_size=100)).blocks()]  # noqa: E731
    # An entry of key 1 and value v takes 3 + 1 + v bytes; one restart and the count take 8.
    assert sizes([(b"a", bytes(87)), (b"b", b"")]) == [2]
    assert sizes([(b"a", bytes(88)), (b"b", b"")]) == [1, 1]
    assert sizes([(b"a", b""), (b"b", bytes(198)), (b"c", b"")]) == [2, 1]
    assert sizes([(b"a", b""), (b"b", bytes(199)), (b"c", b"")]) == [1, 1, 1]


@pytest.mark.parametrize(
    "last, following, separator",
    [
        (b"abc", b"axe", b"abc"[:1] + b"c"),  # b + 1 < x
        (b"abc", b"acd", b"abc"),  # differ by one
        (b"ab", b"abc", b"ab"),  # one begins the other
        (b"a\xff", b"b", b"a\xff"),
        (b"a", b"c\xff", b"b"),
    ],
)
def test_separators_between_blocks(last, following, separator):
    data = table([(last, b""), (following, b"")], block_size=1)
    assert Table(data).separators[0] == separator


@pytest.mark.parametrize(
    "last, successor", [(b"model/x", b"n"), (b"\xff\xffa", b"\xff\xffb"), (b"\xff\xff", b"\xff\xff")]
)
def test_last_index_key_is_a_short_successor(last, successor):
    assert Table(table([(last, b"")])).separators == [successor]


def test_keys_must_increase():
    with pytest.raises(ValueError, match="must increase"):
        table([(b"b", b""), (b"a", b"")])


def compressed(pairs, block_type=1, squeeze=cramjam.snappy.compress_raw):
    """A table of one data block that is stored with `squeeze`."""
    out = bytearray()

    def put(contents, kind):
        handle = BlockHandle(len(out), len(contents))
        out.extend(contents + bytes([kind]) + encode_fixed32(mask(crc32c(contents + bytes([kind])))))
        return handle

    data, index = BlockBuilder(16), BlockBuilder(1)
    for key, value in pairs:
        data.add(key, value)
    index.add(b"~", put(bytes(squeeze(data.finish())), block_type).encode())
    metaindex, index_handle = put(BlockBuilder(16).finish(), 0), put(index.finish(), 0)
    out.extend((metaindex.encode() + index_handle.encode()).ljust(40, b"\0") + TABLE_MAGIC.to_bytes(8, "little"))
    return bytes(out)


def test_snappy_blocks_are_read():
    assert list(Table(compressed(PAIRS)).items()) == PAIRS


@pytest.mark.parametrize(
    "squeeze",
    [
        lambda b: encode_varint(1 << 40) + b"\x00a",  # claims a terabyte
        lambda b: encode_varint(len(b) + 1) + bytes(cramjam.snappy.compress_raw(b))[2:],
        lambda b: b"\xff\xff\xff",
        lambda b: encode_varint(4) + b"\x0d\x00",  # a copy from before the start
        lambda b: b"",
    ],
)
def test_snappy_garbage_is_data_loss_without_large_memory(squeeze):
    with pytest.raises(errors.DataLossError):
        list(Table(compressed(PAIRS[:5], squeeze=squeeze)).items())


def test_unknown_block_type():
    with pytest.raises(errors.DataLossError, match="block type 4"):
        list(Table(compressed(PAIRS[:5], 4, bytes)).items())


SMALL = table(PAIRS[:12], block_size=60)


@pytest.mark.parametrize("cut", range(len(SMALL)))
def test_truncated_table_is_data_loss(cut):
    with pytest.raises(errors.DataLossError):
        list(Table(memoryview(SMALL)[:cut]).items())


@pytest.mark.parametrize("position", range(len(SMALL)))
def test_flipped_byte_is_data_loss_or_in_bytes_nobody_reads(position):
    data = bytearray(SMALL)
    data[position] ^= 0x41
    footer = len(SMALL) - FOOTER_SIZE
    # The metaindex block is empty and not read; neither are its handle and the padding of the footer.
    metaindex = range(Table(SMALL).handles[-1].offset + Table(SMALL).handles[-1].size + 5, footer)
    try:
        got = list(Table(bytes(data)).items())
    except errors.DataLossError:
        return
    assert got == PAIRS[:12]
    assert position in metaindex or footer <= position < len(SMALL) - 8


def crafted(handles, pairs=PAIRS[:3]):
    """A table whose index names `handles` (None: where the data block really is)."""
    out = bytearray()

    def put(contents):
        handle = BlockHandle(len(out), len(contents))
        out.extend(contents + b"\0" + encode_fixed32(mask(crc32c(contents + b"\0"))))
        return handle

    data, index = BlockBuilder(16), BlockBuilder(1)
    for key, value in pairs:
        data.add(key, value)
    real = put(data.finish())
    for i, handle in enumerate(handles):
        index.add(b"%04d" % i, (handle or real).encode())
    index_handle = put(index.finish())
    out.extend((b"\0\0" + index_handle.encode()).ljust(40, b"\0") + TABLE_MAGIC.to_bytes(8, "little"))
    return bytes(out)


@pytest.mark.parametrize(
    "handles",
    [
        [None] * 1000,  # the same block a thousand times
        [BlockHandle(0, 1 << 62)],
        [BlockHandle(1 << 63, 10)],
        [BlockHandle((1 << 64) - 1, (1 << 64) - 1)],
        [None, BlockHandle(3, 5)],
    ],
)
def test_impossible_handles(handles):
    with pytest.raises(errors.DataLossError):
        list(Table(crafted(handles)).items())


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"\x01\x00\x00",
        b"\xff\xff\xff\xff",  # four billion restart points
        b"\x00\x01\x00a" + b"\x05\x01\x00b" + bytes.fromhex("0000000001000000"),  # shares more than there is
        b"\x00\x7f\x00a" + bytes.fromhex("0000000001000000"),
        b"\x00\x01\xff\xff\xff\xff\x7fa" + bytes.fromhex("0000000001000000"),
        b"\x00\x01\x00b" + b"\x00\x01\x00a" + bytes.fromhex("0000000001000000"),  # not in order
        b"\x00\x01\x00a" + b"\x01\x00\x00" + bytes.fromhex("0000000001000000"),  # the same key twice
        b"\x00" + bytes.fromhex("0000000001000000"),
    ],
)
def test_malformed_block(block):
    with pytest.raises(errors.DataLossError):
        decode_block(block)


def test_prefixes_are_shared_between_restarts():
    builder = BlockBuilder(2)
    for key in (b"abc", b"abd", b"abe", b"abee"):
        builder.add(key, b"")
    block = builder.finish()
    assert block[:14] == b"\x00\x03\x00abc" + b"\x02\x01\x00d" + b"\x00\x03\x00a"
    assert block.endswith(bytes.fromhex("00000000 0a000000 02000000"))
    assert not builder
    assert decode_block(block)[0] == [b"abc", b"abd", b"abe", b"abee"]
