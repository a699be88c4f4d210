"""A large record of a V1 checkpoint is decoded while it is read: same values, same errors, memory of the tensor alone."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.slices import parse_spec
from icefloe.checkpoint.v1 import large_blocks
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.wire import message
from icefloe.wire.crc import crc32c, mask
from icefloe.wire.sstable import BlockHandle, TableWriter

RNG = np.random.default_rng(1)
SIZE = 150_000
VALUES = {
    "float": RNG.standard_normal((SIZE, 2)).astype(np.float32),
    "complex": (RNG.standard_normal(SIZE) + 1j).astype(np.complex128),
    "half": RNG.standard_normal(SIZE).astype(np.float16),
    "long": RNG.integers(-(1 << 62), 1 << 62, SIZE) >> RNG.integers(0, 62, SIZE),
    "byte": RNG.integers(0, 256, 3 * SIZE).astype(np.uint8),
    "bool": RNG.integers(0, 2, 4 * SIZE).astype(bool),
    "words": np.array([b"x" * n for n in range(900)] + [b"y" * 400_000], object),
    "scalar": np.float32(3),
    "none": np.zeros((0, 3), np.int32),
    "few": np.array([b"", b"a"], object),
}

CHILD = """
import sys
from pathlib import Path
import icefloe
def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) >> 10
with icefloe.open_checkpoint(sys.argv[1]) as reader:
    reader["scalar"]
    before = peak()
    value = reader["w"]
    print(peak() - before, value.nbytes >> 20)
"""


@pytest.fixture(params=[1, 1 << 20, 1 << 40], ids=["all streamed", "large ones streamed", "none streamed"])
def from_size(request, monkeypatch):
    monkeypatch.setattr(large_blocks, "LARGE", request.param)
    return request.param


@pytest.fixture
def path(tmp_path):
    writer = V1Writer(tmp_path / "m")
    for name, value in VALUES.items():
        writer.add(name, value)
    writer.finish()
    return tmp_path / "m"


def test_values(path, from_size):
    with icefloe.open_checkpoint(path) as reader:
        for name, value in VALUES.items():
            got = reader[name]
            assert got.dtype == value.dtype and got.shape == value.shape
            np.testing.assert_array_equal(got, value)


def test_partitions_are_read_into_place(tmp_path, from_size):
    full = (700, 800)
    writer, value = V1Writer(tmp_path / "p"), RNG.standard_normal(full)
    cuts = {"rows": ["0,300:-", "300,400:-"], "columns": ["-:0,500", "-:500,300"]}
    for name, specs in cuts.items():
        for spec in specs:
            _, chosen = parse_spec(f"700 800 {spec}")
            writer.add_slice(name, full, chosen, value[chosen.index(full)])
    writer.finish()
    with icefloe.open_checkpoint(tmp_path / "p") as reader:
        for name in cuts:
            np.testing.assert_array_equal(reader[name], value)
            np.testing.assert_array_equal(
                icefloe.ckpt.read_part(reader, name, np.s_[250:350, 490:510]), value[250:350, 490:510]
            )


@pytest.mark.parametrize("part", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("name", ["float", "long", "words"])
def test_damage_is_found_wherever_it_is(path, name, part, from_size):
    with icefloe.open_checkpoint(path) as reader:
        (table,) = reader._tables
        from icefloe.checkpoint.slices import TensorSlice, encode_key

        handle = table.block_of(encode_key(name.encode(), TensorSlice.full(VALUES[name].ndim)))
    raw = bytearray(path.read_bytes())
    raw[handle.offset + int(part * (handle.size - 1))] ^= 0x10
    path.write_bytes(raw)
    with icefloe.open_checkpoint(path) as reader:
        with pytest.raises(errors.DataLossError, match=f"tensor {name}, slice .*block checksum mismatch") as caught:
            reader[name]
        assert caught.value.offset == handle.offset
        np.testing.assert_array_equal(reader["scalar"], 3)


def crafted(path, fields, shape=(6,), dtype=1):
    """Write a checkpoint of one tensor `w` whose TensorProto has these serialized fields."""
    from icefloe.checkpoint.entries import encode_shape
    from icefloe.checkpoint.slices import TensorSlice, encode_key, encode_slice

    chosen = TensorSlice.full(len(shape))
    meta = message.encode_bytes(1, b"w") + message.encode_bytes(2, encode_shape(shape)) + message.encode_int(3, dtype)
    meta += message.encode_bytes(4, encode_slice(chosen))
    head = message.encode_bytes(1, b"w") + message.encode_bytes(2, encode_slice(chosen))
    with open(path, "wb") as file:
        table = TableWriter(file.write)
        table.add(b"", message.encode_bytes(1, message.encode_bytes(1, meta)))
        table.add(encode_key(b"w", chosen), message.encode_bytes(2, head + message.encode_bytes(3, fields)))
        table.finish()


NUMBERS = np.arange(6, dtype=np.float32)
PACKED = NUMBERS.tobytes()


@pytest.mark.parametrize(
    "fields",
    [
        message.encode_bytes(5, PACKED),
        message.encode_bytes(4, PACKED),
        message.encode_bytes(5, PACKED[:8]) + message.encode_bytes(5, PACKED[8:]),
        message.encode_bytes(5, PACKED[:20]) + message.encode_fixed32_field(5, int.from_bytes(PACKED[20:], "little")),
        message.encode_int(1, 1) + message.encode_bytes(2, b"") + message.encode_bytes(5, PACKED),
        message.encode_bytes(5, PACKED[:4]) + message.encode_bytes(4, PACKED),
    ],
    ids=["packed", "content", "in two", "the last alone", "behind others", "content after packed"],
)
def test_forms_of_a_tensor_proto(tmp_path, fields, from_size):
    crafted(tmp_path / "m", fields)
    with icefloe.open_checkpoint(tmp_path / "m") as reader:
        np.testing.assert_array_equal(reader["w"], NUMBERS)


@pytest.mark.parametrize(
    "fields, shape",
    [
        (message.encode_bytes(5, PACKED[:20]), (6,)),
        (message.encode_bytes(5, PACKED + PACKED), (6,)),
        (message.encode_bytes(5, PACKED[:7]), (6,)),
        (message.encode_bytes(4, PACKED[:20]), (6,)),
        (message.encode_bytes(5, PACKED), (1 << 40,)),
        (message.encode_bytes(4, PACKED), (1 << 40,)),
        (b"", (6,)),
    ],
    ids=["fewer", "more", "half a number", "less content", "a false shape", "a false shape of content", "nothing"],
)
def test_other_numbers_than_the_shape_says(tmp_path, fields, shape, from_size):
    crafted(tmp_path / "m", fields, shape)
    with (
        icefloe.open_checkpoint(tmp_path / "m") as reader,
        pytest.raises(errors.DataLossError, match="tensor w, slice"),
    ):
        reader["w"]


def test_verify_reads_large_blocks(path, from_size):
    found = icefloe.ckpt.verify(path)
    assert not found.problems and sorted(found.intact) == sorted(VALUES)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    assert len(icefloe.ckpt.verify(path).damaged) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="VmHWM is Linux's")
@pytest.mark.parametrize("kind", ["float", "long", "partitioned"])
def test_memory_of_the_tensor_alone(tmp_path, kind):
    writer = V1Writer(tmp_path / "m")
    writer.add("scalar", np.float32(1))
    if kind == "partitioned":
        full = (32, 1 << 18)
        half = np.ones((16, 1 << 18), np.float32)
        for spec in ("0,16:-", "16,16:-"):
            writer.add_slice("w", full, parse_spec(f"32 {1 << 18} {spec}")[1], half)
    elif kind == "float":
        writer.add("w", np.ones(8 << 20, np.float32))
    else:
        writer.add("w", np.full(4 << 20, 300, np.int64))
    writer.finish()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path / "m")], check=True, capture_output=True, text=True
    )
    more, size = map(int, done.stdout.split())
    assert size == 32 and more < size + 24


SAVERS = Path(__file__).resolve().parents[3] / "fixtures" / "savers"


def test_a_file_of_tensorflow(from_size):
    """`b_sum` is what TensorFlow computed from the `b` that it saved, `y` from `a` and `b`."""
    with icefloe.open_checkpoint(SAVERS / "old_format") as reader:
        assert reader.format == "V1"
        np.testing.assert_array_equal(reader["b"].sum(), np.load(SAVERS / "old_format" / "expected.npz")["b_sum:0"])
    with icefloe.open_checkpoint(SAVERS / "old_format_sharded") as reader:
        expected = np.load(SAVERS / "old_format_sharded" / "expected.npz")["y:0"]
        np.testing.assert_array_equal(reader["a"] + reader["b"], expected)


@pytest.mark.parametrize("seed", range(6))
def test_no_mutation_ends_in_anything_but_a_typed_error(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(large_blocks, "LARGE", 1)
    writer = V1Writer(tmp_path / "m")
    for name in ("float", "long", "bool", "words"):
        writer.add(name, VALUES[name][:700])
    writer.finish()
    whole, random = (tmp_path / "m").read_bytes(), np.random.default_rng(seed)
    for _ in range(60):
        raw = bytearray(whole)
        for place in random.integers(0, len(raw), random.integers(1, 4)):
            stop = min(int(place) + int(random.choice([1, 1, 40])), len(raw))
            noise = random.choice([0, 0x7F, 0xFF, 0x80, 0x0A, int(random.integers(256))], stop - place)
            raw[place:stop] = noise.astype(np.uint8).tobytes()
        (tmp_path / "m").write_bytes(raw)
        try:
            with icefloe.open_checkpoint(tmp_path / "m") as reader:
                for name in reader:
                    try:
                        value = reader[name]
                    except errors.OpError:
                        continue
                    if name in VALUES and value.shape == VALUES[name][:700].shape:
                        np.testing.assert_array_equal(value, VALUES[name][:700])
        except errors.OpError:
            continue


def test_an_overlong_varint_at_the_end_of_a_window(tmp_path, from_size):
    tail = b"\xff" * 100 + b"\x01"
    crafted(tmp_path / "m", message.encode_bytes(10, b"\x01" * ((1 << 17) - 50) + tail), (1 << 17,), dtype=9)
    with (
        icefloe.open_checkpoint(tmp_path / "m") as reader,
        pytest.raises(errors.DataLossError, match="overlong varint"),
    ):
        reader["w"]


def entry(shared, suffix, value, length=None):
    return bytes([shared, len(suffix), len(value) if length is None else length]) + suffix + value


def block_in(path, entries, restarts=1):
    """Return an open file that holds one block alone, and the block's place."""
    body = entries + bytes(4) + restarts.to_bytes(4, "little")
    path.write_bytes(body + b"\0" + mask(crc32c(body + b"\0")).to_bytes(4, "little"))
    return Source(str(path)), BlockHandle(0, len(body))


def test_a_value_is_found_by_its_key(tmp_path):
    source, handle = block_in(tmp_path / "b", entry(0, b"ab", b"xyz") + entry(1, b"c", b"uv") + entry(0, b"d", b""))
    for key, value in ((b"ab", b"xyz"), (b"ac", b"uv"), (b"d", b"")):
        stream = large_blocks.BlockStream(source, handle)
        start, stop = large_blocks.find_value(source, handle, stream, key)
        assert stream[start:stop] == value
        stream.finish()
    for key in (b"a", b"abc", b"e"):
        assert large_blocks.find_value(source, handle, large_blocks.BlockStream(source, handle), key) is None


@pytest.mark.parametrize(
    ("entries", "restarts", "text"),
    [
        (entry(0, b"a", b"x") + entry(2, b"b", b"y"), 1, "bad entry"),
        (entry(0, b"a", b"x", length=5), 1, "bad entry"),
        (entry(0, b"a", b"x", length=90), 1, "bad entry"),
        (entry(0, b"b", b"x") + entry(0, b"a", b"y"), 1, "not in increasing order"),
        (entry(0, b"b", b"x") + entry(0, b"b", b"y"), 1, "not in increasing order"),
        (entry(0, b"a", b"x"), 1000, "1000 restart points in"),
    ],
    ids=["shares too much", "ends in the restarts", "ends behind", "falls", "comes twice", "restarts"],
)
def test_impossible_entries_of_a_large_block(tmp_path, entries, restarts, text):
    source, handle = block_in(tmp_path / "b", entries, restarts)
    with pytest.raises(errors.DataLossError, match=text):
        large_blocks.find_value(source, handle, large_blocks.BlockStream(source, handle), b"zz")
