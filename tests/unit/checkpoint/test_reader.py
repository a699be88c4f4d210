"""Reading: lazily, into the caller's memory, by name and slice; and what a reader says."""

import gc
import os
import threading
import tracemalloc

import numpy as np
import pytest

from icefloe import errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint import transfer
from icefloe.checkpoint.entries import Header, encode_entry
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.slices import parse_slice
from icefloe.checkpoint.writer import BundleWriter, encode_index

LARGE = np.arange(3_000_001, dtype=np.float32)  # read by several threads, ends in the middle of a piece


@pytest.fixture
def prefix(tmp_path):
    save_checkpoint(tmp_path / "m", {"b": np.arange(6).reshape(2, 3), "a": np.float32(1.5), "s": [b"x", b"yy"]})
    return tmp_path / "m"


def test_it_is_a_mapping(prefix):
    with open_checkpoint(prefix) as reader:
        assert list(reader) == list(reader.keys()) == ["a", "b", "s"]
        assert len(reader) == 3
        assert "a" in reader and "c" not in reader
        assert reader.get("a") == 1.5
        assert reader.get("c") is None
        assert reader.get("c", 4) == 4
        assert {k: v.tolist() for k, v in reader.items()} == {"a": 1.5, "b": [[0, 1, 2], [3, 4, 5]], "s": [b"x", b"yy"]}
        assert repr(reader) == f"<BundleReader {str(prefix)!r}: 3 tensors>"
    with pytest.raises(errors.FailedPreconditionError, match="closed"):
        reader["a"]


def test_entries_tell_without_reading_data(prefix):
    os.unlink(f"{prefix}.data-00000-of-00001")
    reader = open_checkpoint(prefix)
    entry = reader.entries["b"]
    assert (entry.dtype.name, entry.shape, entry.shard, entry.offset, entry.size) == ("int64", (2, 3), 0, 0, 48)
    assert (entry.slices, entry.is_sliced, entry.num_elements) == ((), False, 6)
    assert repr(entry) == "<Entry int64 [2, 3] shard 0 offset 0 size 48>"
    assert [(n, e.shape) for n, e in reader.entries.items()] == [("a", ()), ("b", (2, 3)), ("s", (2,))]
    with pytest.raises(errors.NotFoundError):
        reader["b"]


def test_missing_name_is_a_lookup_error_with_near_names(prefix):
    reader = open_checkpoint(prefix)
    with pytest.raises(LookupError, match=r"Key bb not found in checkpoint\nDid you mean 'b'\?"):
        reader["bb"]
    with pytest.raises(errors.NotFoundError) as caught:
        reader.read_slice("zzzz", parse_slice("-"))
    assert caught.value.hint is None
    assert caught.value.path == str(prefix)


def test_values_are_the_callers_own(prefix):
    reader = open_checkpoint(prefix)
    first = reader["b"]
    first[:] = -1
    assert reader["b"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert first.flags.owndata


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_tensors_are_read_and_written_by_several_threads(order, tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "_PARALLEL_FROM", 1 << 20)
    value = LARGE if order == "C" else np.asfortranarray(LARGE[:3_000_000].reshape(1000, 3000))
    save_checkpoint(tmp_path / "m", {"before": np.int8(1), "large": value, "after": np.int8(2)})
    reader = open_checkpoint(tmp_path / "m")
    assert np.array_equal(reader["large"], value)
    assert (reader["before"], reader["after"]) == (1, 2)


def test_damage_in_any_piece_of_a_large_tensor_is_found(tmp_path):
    save_checkpoint(tmp_path / "m", {"large": LARGE})
    for position in (0, 1 << 20, LARGE.nbytes - 1):
        with open(tmp_path / "m.data-00000-of-00001", "r+b") as f:
            f.seek(position)
            byte = f.read(1)
            f.seek(position)
            f.write(bytes([byte[0] ^ 1]))
            f.flush()
            with pytest.raises(errors.DataLossError, match="Checksum does not match"):
                open_checkpoint(tmp_path / "m")["large"]
            f.seek(position)
            f.write(byte)
    assert np.array_equal(open_checkpoint(tmp_path / "m")["large"], LARGE)


READING = {
    "whole": lambda reader: reader["v"],
    "rows": lambda reader: reader.read_slice("v", parse_slice("1,2:-")),
    "columns": lambda reader: reader.read_slice("v", parse_slice("-:0,1")),
    "stream": lambda reader: list(reader.stream("v")),
}


@pytest.mark.parametrize("how", READING)
@pytest.mark.parametrize("place", [0, 20, 79])
def test_damage_is_found_by_whatever_reads_the_tensor(how, place, tmp_path):
    save_checkpoint(tmp_path / "m", {"v": np.arange(20, dtype=np.int32).reshape(5, 4)})
    data = tmp_path / "m.data-00000-of-00001"
    damaged = bytearray(data.read_bytes())
    damaged[place] ^= 1
    data.write_bytes(damaged)
    with pytest.raises(errors.DataLossError, match="Checksum does not match"):
        READING[how](open_checkpoint(tmp_path / "m"))


@pytest.mark.parametrize("how", READING)
def test_a_file_that_lacks_its_last_byte(how, tmp_path):
    save_checkpoint(tmp_path / "m", {"v": np.arange(20, dtype=np.int32).reshape(5, 4)})
    os.truncate(tmp_path / "m.data-00000-of-00001", 79)
    with pytest.raises(errors.OutOfRangeError, match="tensor v is at bytes 0 to 80, the file ends at 79"):
        READING[how](open_checkpoint(tmp_path / "m"))


@pytest.mark.parametrize("how", READING)
def test_a_data_file_beyond_those_that_there_are(how, tmp_path):
    save_checkpoint(tmp_path / "m", {"v": np.arange(20, dtype=np.int32).reshape(5, 4)})
    reader = open_checkpoint(tmp_path / "m")
    entry = reader.entries["v"]
    index = {b"v": encode_entry(3, (5, 4), shard=1, size=80, masked_crc=entry.masked_crc)}
    (tmp_path / "m.index").write_bytes(encode_index(Header(1), index))
    with pytest.raises(errors.DataLossError, match="the index names data file 1, counted from 0, of 1"):
        READING[how](open_checkpoint(tmp_path / "m"))


@pytest.mark.parametrize("there", [("0,2:-",), ("2,3:-",), ("0,2:-", "3,2:-"), ("0,5:0,3",)])
def test_parts_that_do_not_cover_the_tensor(there, tmp_path):
    value = np.arange(20, dtype=np.int32).reshape(5, 4)
    with BundleWriter(tmp_path / "m") as writer:
        for text in there:
            chosen = parse_slice(text)
            writer.add_slice("v", (5, 4), chosen, value[chosen.index((5, 4))])
    reader = open_checkpoint(tmp_path / "m")
    for how in ("whole", "stream"):
        with pytest.raises(errors.InvalidArgumentError, match="Does not have sufficient slices"):
            READING[how](reader)
    first = parse_slice(there[0])
    assert np.array_equal(reader.read_slice("v", first), value[first.index((5, 4))])


def test_a_failing_thread_fails_the_read(tmp_path):
    save_checkpoint(tmp_path / "m", {"large": LARGE})
    reader = open_checkpoint(tmp_path / "m")
    os.truncate(tmp_path / "m.data-00000-of-00001", LARGE.nbytes // 2)
    before = threading.active_count()
    with pytest.raises(errors.OutOfRangeError):
        reader["large"]
    assert threading.active_count() == before


def test_memory_of_reading_rows_is_that_of_the_rows(tmp_path):
    save_checkpoint(tmp_path / "m", {"large": np.zeros((1000, 10_000), np.float32)})
    reader = open_checkpoint(tmp_path / "m")
    tracemalloc.start()
    rows = reader.read_slice("large", parse_slice("10,20:-"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows.shape == (20, 10_000)
    assert peak < rows.nbytes + (2 << 20)


def test_memory_of_writing_a_transposed_tensor_is_a_few_windows(tmp_path):
    value = np.zeros((3000, 4000), np.float32).T
    tracemalloc.start()
    save_checkpoint(tmp_path / "m", {"v": value})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20


def test_mapped_values_are_views_that_cannot_be_written(tmp_path):
    content = {"a": np.int8(1), "f": np.arange(5, dtype=np.float64), "s": np.array([b"q"], object), "e": np.zeros(0)}
    save_checkpoint(tmp_path / "m", content)
    reader = open_checkpoint(tmp_path / "m", mmap=True)
    for name, value in content.items():
        got = reader[name]
        assert np.array_equal(got, value) and got.dtype == value.dtype
        assert not got.flags.writeable
    f = reader["f"]
    part = reader.read_slice("f", parse_slice("1,2"))
    assert not f.flags.owndata and not part.flags.owndata
    reader.close()
    del reader
    gc.collect()
    assert (f.tolist(), part.tolist()) == ([0, 1, 2, 3, 4], [1, 2])


def test_mapped_values_are_checked_when_first_read(tmp_path):
    save_checkpoint(tmp_path / "m", {"f": np.arange(5, dtype=np.float64)})
    data = tmp_path / "m.data-00000-of-00001"
    data.write_bytes(b"\x01" + data.read_bytes()[1:])
    reader = open_checkpoint(tmp_path / "m", mmap=True)
    assert reader.read_slice("f", parse_slice("1,2")).tolist() == [1, 2]
    with pytest.raises(errors.DataLossError, match="Checksum"):
        reader["f"]


def test_files_are_closed_with_the_last_reference(prefix):
    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    before = descriptors()
    reader = open_checkpoint(prefix)
    assert descriptors() == before + 1
    del reader
    gc.collect()
    assert descriptors() == before
    with open_checkpoint(prefix):
        assert descriptors() == before + 1
    assert descriptors() == before


def test_threads_may_share_a_reader(tmp_path):
    content = {f"v{i}": np.full(1000, i) for i in range(50)}
    save_checkpoint(tmp_path / "m", content, shards=3)
    reader = BundleReader(tmp_path / "m")
    wrong = []

    def work():
        wrong.extend(name for name, value in content.items() if not np.array_equal(reader[name], value))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_names_that_are_no_utf8(tmp_path):
    from icefloe.checkpoint.writer import BundleWriter

    with BundleWriter(tmp_path / "m") as writer:
        writer.add(b"\xff\xfe", np.int32(1))
        writer.add("é", np.int32(2))
    reader = open_checkpoint(tmp_path / "m")
    name = b"\xff\xfe".decode("utf-8", "surrogateescape")
    assert (reader[name], reader["é"]) == (1, 2)
    save_checkpoint(tmp_path / "copy", reader)
    assert dict(open_checkpoint(tmp_path / "copy")) == {name: 1, "é": 2}
    with pytest.raises(errors.InvalidArgumentError, match="no text that can be encoded"):
        save_checkpoint(tmp_path / "bad", {"\ud800": np.int32(1)})
