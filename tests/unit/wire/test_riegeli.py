"""Riegeli files, read."""

from __future__ import annotations

import random

import pytest

from icefloe import errors
from icefloe.wire import riegeli
from unit.wire.riegeli_files import HEAD, chunk, riegeli_file, with_block_headers

RECORDS = [b"", b"a", b"record", random.Random(1).randbytes(3000), b"x" * 5000]


@pytest.mark.parametrize("kind", ["", "b", "z", "s"])
def test_compressions(kind):
    assert list(riegeli.records(riegeli_file(RECORDS, kind))) == RECORDS


def test_several_chunks_over_several_blocks():
    """Chunks begin where the last ended, block headers or not."""
    draw = random.Random(2)
    data, want = HEAD, []
    for size in (10, 70_000, 3, 140_000, 65_000, 100):
        records = [draw.randbytes(size), b"end"]
        data = with_block_headers(data, chunk(records))
        want += records
    assert len(data) > 4 * 65536
    assert list(riegeli.records(data)) == want


def test_a_chunk_is_as_long_as_it_has_records():
    """Empty records have positions too: padding follows."""
    empty = chunk([b""] * 500, "b")
    data = HEAD + empty + bytes(500 - len(empty)) + chunk([b"next"])
    assert len(empty) < 500
    assert list(riegeli.records(data)) == [b""] * 500 + [b"next"]


def test_chunks_without_records_are_passed_over():
    data = HEAD + chunk([], type_=b"p") + chunk([], type_=b"m") + chunk([b"a"])
    assert list(riegeli.records(data)) == [b"a"]


SHORT = riegeli_file([b"record" * 40, b"other"], "")


@pytest.mark.parametrize("cut", range(65, len(SHORT), 7))
def test_cut_short(cut):
    with pytest.raises(errors.DataLossError):
        list(riegeli.records(SHORT[:cut]))


@pytest.mark.parametrize("kind", ["", "b", "z", "s"])
def test_changed_bytes_give_errors_or_records(kind):
    data = riegeli_file(RECORDS[:3], kind)
    damaged = 0
    for at in range(64, len(data)):
        for value in (0, 0x7F, 0xFF):
            changed = data[:at] + bytes([value]) + data[at + 1 :]
            try:
                list(riegeli.records(changed))
            except errors.OpError:
                damaged += 1
    assert damaged > 20


def test_sizes_that_cannot_be():
    header = bytes(8) + (1 << 60).to_bytes(8, "little") + bytes(24)
    with pytest.raises(errors.DataLossError, match=f"a chunk of {1 << 60} bytes"):
        list(riegeli.records(HEAD + header))
    good = chunk([b"aaaa"], "b")
    huge = good[:40] + b"b\x02\xff\xff\xff\xff\xff\xff\xff\x7f" + good[43:]
    with pytest.raises(errors.DataLossError):
        list(riegeli.records(HEAD + huge))


def test_other_files():
    with pytest.raises(errors.DataLossError, match="does not begin with the signature"):
        list(riegeli.records(b"something else"))
    with pytest.raises(errors.UnimplementedError, match="transposed"):
        list(riegeli.records(HEAD + chunk([b"a"], type_=b"t")))
