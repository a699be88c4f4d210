"""Damaged and crafted checkpoints: a value or an error that names the file, never another exception or a large allocation."""

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from icefloe import errors, open_checkpoint
from icefloe.checkpoint.entries import BIG, Header, encode_entry, encode_shape
from icefloe.checkpoint.slices import TensorSlice, check_disjoint, encode_key, encode_slice, parse_spec
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.checkpoint.writer import BundleWriter, encode_index
from icefloe.proto import VariantTensorDataProto
from icefloe.wire import message
from icefloe.wire.coding import encode_varint
from icefloe.wire.crc import crc32c, mask
from icefloe.wire.sstable import TableWriter

SPEC = parse_spec("4 2 1,3:-")[1]


def words(*items):
    out = np.empty(len(items), object)
    out[:] = items
    return out


def write_small(prefix):
    """A checkpoint of two shards with every kind of content."""
    variant = np.empty(1, object)
    variant[0] = VariantTensorDataProto(type_name="x", metadata=b"\x01")
    with BundleWriter(prefix, shards=2) as writer:
        writer.add("f", np.arange(3, dtype=np.float32))
        writer.add("s", words(b"one", b"", b"three" * 30))
        writer.add("b", np.array(True))
        writer.add("e", np.zeros((0, 2), np.int64))
        writer.add("v", variant)
        for spec in ("4 2 0,2:-", "4 2 2,2:-"):
            full, part = parse_spec(spec)
            writer.add_slice("p", full, part, np.full(part.shape(full), 7, np.int16))


def write_small_v1(path):
    writer = V1Writer(path)
    writer.add("f", np.arange(3, dtype=np.float32))
    writer.add("i", np.array([-1, 300, 5]))
    writer.add("s", words(b"one", b"", b"three" * 30))
    writer.add("e", np.zeros((0, 2), np.int64))
    for spec in ("4 2 0,2:-", "4 2 2,2:-"):
        full, part = parse_spec(spec)
        writer.add_slice("p", full, part, np.full(part.shape(full), 7, np.int16))
    writer.finish()


def read_all(prefix):
    """Read whatever is there; return how many values and the errors. Any other exception passes through."""
    failures = []
    values = 0
    try:
        reader = open_checkpoint(prefix)
    except errors.OpError as e:
        return 0, [e]
    for name in reader:
        for attribute in ("dtype", "shape", "slices", "offset"):
            try:
                getattr(reader.entries[name], attribute)
            except errors.OpError as e:
                failures.append(e.add_context(path=prefix))
        for chosen in (None, SPEC):
            try:
                value = reader.read(name) if chosen is None else reader.read_slice(name, chosen)
                assert isinstance(value, np.ndarray)
                values += 1
            except errors.OpError as e:
                # The slice fits one tensor only.
                if chosen is None or not isinstance(e, errors.InternalError):
                    failures.append(e)
    reader.close()
    return values, failures


def assert_named(failures, prefix):
    for error in failures:
        assert str(prefix) in str(error), repr(error)
        assert error.message


WRITERS = {
    "ckpt.index": write_small,
    "ckpt.data-00000-of-00002": write_small,
    "ckpt.data-00001-of-00002": write_small,
    "ckpt": write_small_v1,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_truncation(name, tmp_path):
    prefix = tmp_path / "ckpt"
    WRITERS[name](prefix)
    whole = read_all(prefix)
    path = tmp_path / name
    data = path.read_bytes()
    damaged = 0
    for size in range(len(data)):
        path.write_bytes(data[:size])
        got = read_all(prefix)
        assert_named(got[1], tmp_path)
        damaged += got[0] != whole[0]
    assert not whole[1]
    assert damaged == len(data), "a file cut short went unnoticed"


@pytest.mark.parametrize("name", WRITERS)
def test_every_flipped_byte(name, tmp_path):
    prefix = tmp_path / "ckpt"
    WRITERS[name](prefix)
    whole = read_all(prefix)
    path = tmp_path / name
    data = path.read_bytes()
    unnoticed = []
    for position in range(len(data)):
        for flip in (0x01, 0x80, 0xFF):
            path.write_bytes(data[:position] + bytes([data[position] ^ flip]) + data[position + 1 :])
            got = read_all(prefix)
            assert_named(got[1], tmp_path)
            if got[0] == whole[0]:
                unnoticed.append(position)
    # Nobody reads the empty metaindex block (8 + 5 bytes), its handle and the padding in the footer.
    assert all(p >= len(data) - 48 - 13 - 100 for p in unnoticed)
    assert len(set(unnoticed)) <= (0 if ".data-" in name else 13 + 2 + 40)


def craft(prefix, entries, data=b"", header=None, shards=1):
    Path(f"{prefix}.index").write_bytes(encode_index(header or Header(shards), entries))
    for i in range(min(shards, 3)):
        Path(f"{prefix}.data-{i:05d}-of-{shards:05d}").write_bytes(data)


def good(data, shape, dtype=1, **place):
    return encode_entry(dtype, shape, size=len(data), masked_crc=mask(crc32c(data)), **place)


FOUR = b"\x00\x00\x80\x3f"
KEY = encode_key(b"w", TensorSlice(((0, 2),)))
EXTENT = (1 << 62) + 5


def raw_slice(*extents):
    return b"".join(
        message.encode_bytes(1, message.encode_int(1, start) + message.encode_present_int(2, length))
        for start, length in extents
    )


CRAFTED = {
    "shape beyond the file": {b"w": encode_entry(1, (1 << 40,), size=1 << 42)},
    "size beyond the file": {b"w": encode_entry(1, (1,), size=1 << 42)},
    "size of another shape": {b"w": encode_entry(1, (1 << 40,), size=4)},
    "shape that overflows": {b"w": encode_entry(1, (1 << 32, 1 << 32))},
    "no elements, sizes that numpy cannot hold": {b"w": encode_entry(1, (0, 1 << 62, 1 << 62), masked_crc=mask(0))},
    "rank 300": {b"w": encode_entry(1, (1,) * 300, size=4, masked_crc=mask(crc32c(FOUR)))},
    "negative dimension": {b"w": encode_entry(1, (-2, 3))},
    "unknown rank": {b"w": message.encode_int(1, 1) + message.encode_bytes(2, b"\x18\x01")},
    "shape that is no message": {b"w": message.encode_int(1, 1) + message.encode_bytes(2, b"\x12\x05\x08")},
    "negative offset": {b"w": encode_entry(1, (1,), offset=-4, size=4)},
    "negative size": {b"w": encode_entry(1, (1,), size=-4)},
    "offset and size that overflow": {b"w": encode_entry(1, (1,), offset=(1 << 63) - 2, size=4)},
    "offset past the end": {b"w": encode_entry(1, (1,), offset=100, size=4)},
    "negative shard": {b"w": encode_entry(1, (1,), shard=-1, size=4)},
    "no such shard": {b"w": encode_entry(1, (1,), shard=77, size=4)},
    "dtype 0": {b"w": good(FOUR, (1,), 0)},
    "dtype that does not exist": {b"w": good(FOUR, (1,), 64)},
    "huge dtype": {b"w": good(FOUR, (1,), 1 << 62)},
    "reference dtype": {b"w": good(FOUR, (1,), 101)},
    "resource": {b"w": good(FOUR, (1,), 20)},
    "wrong wire types": {b"w": b"\x09" + bytes(8) + b"\x10\x00"},
    "a field twice": {b"w": message.encode_int(1, 1) * 2 + message.encode_bytes(2, b"")},
    "not a message": {b"w": b"\xff\xff\xff"},
    "empty entry": {b"w": b""},
    "more strings than bytes": {b"w": encode_entry(7, (1 << 40,), size=4)},
    "no strings of a huge shape": {b"w": encode_entry(7, (0, 1 << 62, 1 << 62), size=4)},
    "more variants than bytes": {b"w": encode_entry(21, (1 << 40,), size=4)},
    "slices without entries": {b"w": encode_entry(1, (2,), slices=[TensorSlice(((0, 2),))])},
    "slice that is sliced itself": {
        b"w": encode_entry(1, (2,), slices=[TensorSlice(((0, 2),))]),
        KEY: encode_entry(1, (2,), slices=[TensorSlice(((0, 2),))]),
    },
    "slice of another shape": {
        b"w": encode_entry(1, (2,), slices=[TensorSlice(((0, 2),))]),
        KEY: good(FOUR, (1,)),
    },
    "slice of another dtype": {
        b"w": encode_entry(1, (2,), slices=[TensorSlice(((0, 2),))]),
        KEY: good(FOUR * 2, (2,), 3),
    },
    "slice of another rank": {b"w": encode_entry(1, (2,), slices=[TensorSlice(((0, 1), (0, 1)))])},
    "overlong slice": {b"w": encode_entry(1, (2,), slices=[TensorSlice(((1, 2),))])},
    "slice that overflows": {
        b"w": encode_entry(1, (2,)) + message.encode_bytes(7, raw_slice((EXTENT, EXTENT))),
    },
    "negative slice": {b"w": encode_entry(1, (2,)) + message.encode_bytes(7, raw_slice((-1, 2)))},
    "overlapping slices": {
        b"w": encode_entry(1, (3,), slices=[TensorSlice(((0, 2),)), TensorSlice(((1, 2),))]),
    },
    "the same slice many times": {
        b"w": encode_entry(1, (2,), slices=[TensorSlice(((0, 2),))] * 5000),
    },
    "slice key that is none": {b"\x00\xff\x00": good(FOUR, (1,)), b"w": good(FOUR, (1,))},
    "slices of a huge tensor that share bytes": {
        b"w": encode_entry(1, (1 << 12,), slices=[TensorSlice(((i, 1),)) for i in range(1 << 12)]),
        **{encode_key(b"w", TensorSlice(((i, 1),))): good(FOUR, (1,)) for i in range(1 << 12)},
    },
}  # fmt: skip


@pytest.mark.parametrize("case", CRAFTED)
def test_crafted_entries(case, tmp_path):
    prefix = tmp_path / "ckpt"
    craft(prefix, CRAFTED[case], FOUR)
    tracemalloc.start()
    try:
        _, failures = read_all(prefix)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if case not in ("slice key that is none",):
        assert failures
    assert_named(failures, tmp_path)
    assert peak < 16 << 20


def test_entries_that_share_bytes_are_values(tmp_path):
    craft(tmp_path / "ckpt", {b"a": good(FOUR, (1,)), b"b": good(FOUR, (1,), 3)}, FOUR)
    reader = open_checkpoint(tmp_path / "ckpt")
    assert reader["a"].tolist() == [1.0]
    assert reader["b"].tolist() == [0x3F800000]


LENGTHS = [
    b"\xff" * 9 + b"\x01",  # a string of 2**64 - 1 bytes
    b"\x80" * 10 + b"\x01",
    encode_varint(1 << 40),
    b"\x05",
    b"",
]


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("order", [0, BIG])
def test_string_lengths_that_cannot_be(lengths, order, tmp_path):
    for content in (lengths, lengths + bytes(4), lengths + bytes(40)):
        entry = encode_entry(7, (1,), size=len(content), masked_crc=mask(crc32c(content)))
        craft(tmp_path / "ckpt", {b"w": entry}, content, Header(1, order))
        _, failures = read_all(tmp_path / "ckpt")
        assert failures
        assert_named(failures, tmp_path)


@pytest.mark.parametrize(
    "header, error",
    [
        (Header((1 << 31) - 1), None),  # no attempt to open two billion files
        (Header(-1), errors.DataLossError),
        (Header(1, 7), errors.DataLossError),
        (Header(1, 0, b"\x10\x02"), errors.InvalidArgumentError),
        (Header(1, 0, b"\x1a\x01\x01"), errors.InvalidArgumentError),
        (Header(1, 0, b"\x18\x01"), errors.InvalidArgumentError),
        (Header(1, 0, b"\x0f"), errors.DataLossError),
        (Header(1, 0, b"\x08\x09"), None),  # a newer producer
        (Header(1, 0, b""), None),
    ],
)
def test_headers(header, error, tmp_path):
    craft(tmp_path / "ckpt", {b"w": good(FOUR, (1,))}, FOUR, header)
    if error is None:
        assert open_checkpoint(tmp_path / "ckpt").entries["w"].shape == (1,)
    else:
        with pytest.raises(error, match=str(tmp_path)):
            open_checkpoint(tmp_path / "ckpt")


def test_index_without_header(tmp_path):
    pieces = []
    table = TableWriter(pieces.append)
    table.add(b"w", good(FOUR, (1,)))
    table.finish()
    (tmp_path / "ckpt.index").write_bytes(b"".join(pieces))
    with pytest.raises(errors.DataLossError, match="failed to seek to header entry"):
        open_checkpoint(tmp_path / "ckpt")


def v1_file(path, meta, records=()):
    pieces = []
    table = TableWriter(pieces.append)
    table.add(b"", meta)
    for key, value in sorted(records):
        table.add(key, value)
    table.finish()
    path.write_bytes(b"".join(pieces))


def v1_meta(shape, dtype=1, slices=((),), name=b"w"):
    tensor = message.encode_bytes(1, name) + message.encode_bytes(2, shape) + message.encode_int(3, dtype)
    tensor += b"".join(message.encode_bytes(4, s if isinstance(s, bytes) else raw_slice(*s)) for s in slices)
    return message.encode_bytes(1, message.encode_bytes(1, tensor) + message.encode_bytes(2, b"\x08\x01"))


V1_CRAFTED = {
    "huge shape": (v1_meta(encode_shape((1 << 40,)), slices=[b"\x0a\x00"]), b""),
    "shape that overflows": (v1_meta(encode_shape((1 << 40, 1 << 40)), slices=[b"\x0a\x00\x0a\x00"]), b""),
    "negative dimension": (v1_meta(encode_shape((-1,))), b""),
    "unknown rank": (v1_meta(b"\x18\x01"), b""),
    "dtype 0": (v1_meta(b"", 0), FOUR),
    "unknown dtype": (v1_meta(b"", 77), FOUR),
    "resource": (v1_meta(b"", 20), FOUR),
    "slice out of bounds": (v1_meta(encode_shape((2,)), slices=[((1, 5),)]), b""),
    "slices that overlap": (v1_meta(encode_shape((3,)), slices=[((0, 2),), ((1, 2),)]), b""),
    "no such record": (v1_meta(encode_shape((3,)), slices=[((0, 3),)]), b""),
    "too few values": (v1_meta(b""), b""),
    "too many values": (v1_meta(b""), message.encode_bytes(5, FOUR * 9)),
    "half a value": (v1_meta(b""), message.encode_bytes(5, FOUR[:3])),
    "varint without end": (v1_meta(b"", 3), message.encode_bytes(7, b"\xff" * 30)),
    "overlong varint": (v1_meta(b"", 9), message.encode_bytes(10, b"\xff" * 12 + b"\x01")),
    "strings that are numbers": (v1_meta(b"", 7), message.encode_bytes(5, FOUR)),
    "meta that is no message": (b"\xff\xff", b""),
    "data in the wrong place": (message.encode_bytes(2, b""), b""),
}


@pytest.mark.parametrize("case", V1_CRAFTED)
def test_crafted_v1(case, tmp_path):
    meta, content = V1_CRAFTED[case]
    saved = message.encode_bytes(1, b"w") + message.encode_bytes(2, b"") + message.encode_bytes(3, content)
    path = tmp_path / "ckpt"
    v1_file(path, meta, [(encode_key(b"w", TensorSlice(())), message.encode_bytes(2, saved))])
    tracemalloc.start()
    try:
        _, failures = read_all(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if case != "data in the wrong place":  # that is a table without tensors
        assert failures
    assert_named(failures, tmp_path)
    assert peak < 16 << 20


def test_data_file_that_is_no_file(tmp_path):
    prefix = tmp_path / "ckpt"
    craft(prefix, {b"w": good(FOUR, (1,))}, FOUR)
    data = tmp_path / "ckpt.data-00000-of-00001"
    data.unlink()
    with pytest.raises(errors.NotFoundError, match="ckpt.data-00000-of-00001; No such file"):
        open_checkpoint(prefix)["w"]
    data.mkdir()
    with pytest.raises(errors.FailedPreconditionError, match="directory"):
        open_checkpoint(prefix)["w"]
    data.rmdir()
    os.mkfifo(data)
    with pytest.raises(errors.FailedPreconditionError, match="not a regular file"):
        open_checkpoint(prefix)["w"]
    data.unlink()
    data.symlink_to(data)
    with pytest.raises(errors.OpError, match="symbolic links"):
        open_checkpoint(prefix)["w"]


def test_data_file_cut_after_it_was_opened(tmp_path):
    with BundleWriter(tmp_path / "ckpt") as writer:
        writer.add("w", np.arange(1000))
    reader = open_checkpoint(tmp_path / "ckpt")
    os.truncate(tmp_path / "ckpt.data-00000-of-00001", 100)
    with pytest.raises(errors.OutOfRangeError, match="Read less bytes than requested"):
        reader["w"]


def test_slices_of_a_grid_are_checked_in_time(tmp_path):
    slices = [TensorSlice(((i, 1), (j, 1))) for i in range(60) for j in range(60)]
    entries = {encode_key(b"w", s): good(FOUR, (1, 1)) for s in slices}
    craft(tmp_path / "ckpt", {b"w": encode_entry(1, (60, 60), slices=slices), **entries}, FOUR * 3600)
    assert open_checkpoint(tmp_path / "ckpt")["w"].shape == (60, 60)
    assert encode_slice(slices[0]) == b"\n\x02\x10\x01\n\x02\x10\x01"


def test_slices_of_many_axes_are_checked_in_time():
    slices = [TensorSlice(tuple((i >> b & 1, 1) for b in range(12))) for i in range(4096)]
    check_disjoint(slices, (2,) * 12)
    with pytest.raises(errors.InternalError, match="Overlapping"):
        check_disjoint([*slices, slices[9]], (2,) * 12)
