"""Damage: crafted and mutated files get an answer or a typed error, in bounded memory and time (case 18)."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from cases.damage import copied, data_file, index_file, write_crafted
from icefloe import ckpt, errors
from icefloe.checkpoint.entries import Header, encode_entry

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


def answered(task):
    """Whether a task gave an answer; a typed error is one too, any other exception passes through."""
    try:
        task()
    except errors.OpError:
        return False
    return True


CRAFTED = {
    "size of another dtype": {b"a": encode_entry(1, (4,), size=32)},
    "shape that overflows": {b"a": encode_entry(1, (1 << 62, 8), size=16)},
    "place past the end": {b"a": encode_entry(1, (4,), offset=1 << 40, size=16)},
    "shard that is not there": {b"a": encode_entry(1, (4,), shard=7, size=16)},
    "dtype that is unknown": {b"a": encode_entry(99, (4,), size=16)},
    "no dtype": {b"a": b"\x12\x00"},
    "no protobuf": {b"a": b"\xff\xff\xff"},
    "strings in no bytes": {b"a": encode_entry(7, (1 << 40,), size=16)},
    "negative size": {b"a": b"\x08\x01\x12\x0d\x12\x0b\x08" + b"\xff" * 9 + b"\x01\x28\x10"},
    "share bytes": {b"a": encode_entry(1, (4,), size=16), b"b": encode_entry(1, (2,), offset=4, size=8)},
    "a slice without a whole": {b"\0a\0\1\1\1\x80\x81": encode_entry(1, (1,), size=4)},
}


@pytest.mark.parametrize("kind", CRAFTED)
def test_18_crafted_entries(tmp_path, kind):
    prefix = tmp_path / "m"
    write_crafted(prefix, CRAFTED[kind], bytes(16))
    tracemalloc.start()
    found = ckpt.verify(prefix)
    assert tracemalloc.get_traced_memory()[1] < 32 << 20
    tracemalloc.stop()
    assert not found.ok
    for task in (ckpt.stats, lambda p: ckpt.diff(p, p), lambda p: ckpt.rescue(p, tmp_path / "out", overwrite=True)):
        answered(lambda task=task: task(prefix))


def test_18_twice_the_bytes_that_the_dtype_implies(tmp_path):
    prefix = tmp_path / "m"
    write_crafted(prefix, {b"step": encode_entry(3, (), size=8)}, bytes(8))
    found = ckpt.verify(prefix)
    assert "stored size 8; expected size 4 for int32 []" in found.problems[0].message


def test_18_entries_that_share_bytes_cost_no_time(tmp_path):
    """Ten thousand tensors over the same megabyte are not ten gigabytes to read."""
    prefix = tmp_path / "m"
    entries = {b"%06d" % i: encode_entry(4, (1 << 20,), size=1 << 20) for i in range(10_000)}
    write_crafted(prefix, entries, bytes(1 << 20))
    found = ckpt.verify(prefix)
    assert found.bytes_checked <= 8 << 20
    assert any(p.kind == "overlap" for p in found.problems)


@pytest.mark.parametrize("seed", range(6))
def test_18_fuzz(tmp_path, seed):
    """Mutated bytes of an index and of data: an answer or a typed error, in little memory."""
    rng = random.Random(seed)
    prefix = copied("partitioned", tmp_path)
    paths = [index_file(prefix), data_file(prefix)]
    originals = [path.read_bytes() for path in paths]
    for _ in range(60):
        for path, original in zip(paths, originals, strict=True):
            data = bytearray(original)
            for _ in range(rng.randrange(1, 6)):
                action, at = rng.randrange(4), rng.randrange(len(data))
                if action == 0:
                    data[at] = rng.randrange(256)
                elif action == 1:
                    del data[at : at + rng.randrange(9)]
                elif action == 2:
                    data[at:at] = rng.randbytes(rng.randrange(9))
                else:
                    data[at : at + 8] = b"\xff" * 8
            path.write_bytes(bytes(data))
        found = ckpt.verify(prefix)
        assert found.ok == (not found.damaged and not found.problems)
        for task in (
            lambda: ckpt.rescue(prefix, tmp_path / "out", overwrite=True, salvage=True),
            lambda: ckpt.stats(prefix, bins=3),
            lambda: ckpt.diff(prefix, prefix, compare_bytes=True),
        ):
            answered(task)


def test_18_version_that_must_not_be_read(tmp_path):
    write_crafted(
        tmp_path / "m", {b"a": encode_entry(1, (1,), size=4)}, bytes(4), Header(1, version=b"\x08\x01\x10\x02")
    )
    found = ckpt.verify(tmp_path / "m")
    assert "min consumer version 2" in found.problems[0].message
    with pytest.raises(errors.InvalidArgumentError, match="min consumer"):
        ckpt.rescue(tmp_path / "m", tmp_path / "out")
