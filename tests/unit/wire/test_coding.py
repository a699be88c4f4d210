import itertools

import pytest

from icefloe import errors
from icefloe.wire import coding

# Values beside every boundary of 7 bits, both signs.
BOUNDARIES = sorted({s * ((1 << b) + d) for b in range(63) for d in (-1, 0, 1) for s in (1, -1)})


@pytest.mark.parametrize(
    "value, encoded",
    [(0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (2**64 - 1, "ffffffffffffffffff01")],
)
def test_varint_known_bytes(value, encoded):
    data = bytes.fromhex(encoded)
    assert coding.encode_varint(value) == data
    assert coding.decode_varint(b"\x99" + data + b"\x99", 1) == (value, 1 + len(data))


@pytest.mark.parametrize("data", ["", "80", "ffffffffffffffffff", "ffffffffffffffffff02", "ffffffffffffffffffff01"])
def test_varint_that_is_cut_or_too_large_is_data_loss(data):
    with pytest.raises(errors.DataLossError, match="varint"):
        coding.decode_varint(bytes.fromhex(data), 0)


def test_varint_does_not_read_past_the_end_it_is_given():
    with pytest.raises(errors.DataLossError):
        coding.decode_varint(b"\x80\x01", 0, 1)


@pytest.mark.parametrize("value, encoded", [(0, "00"), (2, "0102"), (256, "020100"), (2**64 - 1, "08ffffffffffffffff")])
def test_ordered_number_known_bytes(value, encoded):
    assert coding.encode_ordered_number(value).hex() == encoded
    assert coding.decode_ordered_number(bytes.fromhex(encoded), 0) == (value, len(encoded) // 2)


@pytest.mark.parametrize("data", ["", "01", "0100", "09ffffffffffffffffff"])
def test_ordered_number_malformed(data):
    with pytest.raises(errors.DataLossError):
        coding.decode_ordered_number(bytes.fromhex(data), 0)


@pytest.mark.parametrize(
    "value, encoded",
    [
        (0, "80"), (2, "82"), (63, "bf"), (64, "c040"), (8192, "e02000"), (-1, "7f"), (-64, "40"), (-65, "3fbf"),
        (2**62, "ffc04000000000000000"), (2**63 - 1, "ffc07fffffffffffffff"), (-(2**63), "003f8000000000000000"),
    ],
)  # fmt: skip
def test_ordered_signed_known_bytes(value, encoded):
    assert coding.encode_ordered_signed(value).hex() == encoded
    assert coding.decode_ordered_signed(bytes.fromhex(encoded), 0) == (value, len(encoded) // 2)


def test_ordered_signed_sorts_as_numbers_do_and_comes_back():
    codes = [coding.encode_ordered_signed(v) for v in BOUNDARIES]
    assert codes == sorted(codes)
    assert [coding.decode_ordered_signed(c, 0) for c in codes] == [(v, len(c)) for v, c in zip(BOUNDARIES, codes)]


@pytest.mark.parametrize("data", ["", "c0", "c001", "ffff", "0000", "fffff0000000000000000000", "ffc0ffffffffffffffff"])
def test_ordered_signed_malformed(data):
    with pytest.raises(errors.DataLossError):
        coding.decode_ordered_signed(bytes.fromhex(data), 0)


def test_ordered_string_escapes_and_sorts():
    strings = sorted(bytes(t) for n in range(4) for t in itertools.product((0x00, 0x01, 0x61, 0xFF), repeat=n))
    codes = [coding.encode_ordered_string(s) for s in strings]
    assert codes == sorted(codes)
    assert [coding.decode_ordered_string(c, 0) for c in codes] == [(s, len(c)) for s, c in zip(strings, codes)]
    assert coding.encode_ordered_string(b"p\x00\xff") == b"p\x00\xff\xff\x00\x00\x01"


@pytest.mark.parametrize("data", [b"", b"abc", b"abc\x00", b"a\x00\x02", b"a\xff\x01\x00\x01", b"a\xff"])
def test_ordered_string_malformed(data):
    with pytest.raises(errors.DataLossError):
        coding.decode_ordered_string(data, 0)


@pytest.mark.parametrize("value", [0, 1, -1, 2**63 - 1, -(2**63)])
def test_signed64_round_trip(value):
    assert coding.to_signed64(coding.from_signed64(value)) == value
    assert 0 <= coding.from_signed64(value) < 2**64
