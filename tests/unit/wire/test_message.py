import pytest

from icefloe import errors
from icefloe.wire import message


def test_scan_gives_each_field():
    data = (
        message.encode_int(1, -2)
        + message.encode_bytes(2, b"abc")
        + message.encode_fixed32_field(3, 7)
        + b"\x21"
        + (9).to_bytes(8, "little")
        + message.encode_present_int(536870911, 0)
    )
    fields = list(message.scan(data))
    assert [(n, t) for n, t, _, _ in fields] == [(1, 0), (2, 2), (3, 5), (4, 1), (536870911, 0)]
    assert [v for _, t, v, _ in fields if t != message.BYTES] == [2**64 - 2, 7, 9, 0]
    _, _, start, stop = fields[1]
    assert data[start:stop] == b"abc"
    assert fields[-1][3] == len(data)


def test_zero_is_left_out():
    assert message.encode_int(1, 0) == message.encode_fixed32_field(1, 0) == b""
    assert message.encode_bytes(1, b"") == b"\x0a\x00"


@pytest.mark.parametrize("data", ["08", "0a05", "0d000000", "09", "00", "0b", "0f", "0aff01", "808080808001"])
def test_malformed(data):
    with pytest.raises(errors.DataLossError):
        list(message.scan(bytes.fromhex(data)))


def test_fields_end_with_their_message():
    data = message.encode_bytes(1, message.encode_bytes(1, b"ab"))
    with pytest.raises(errors.DataLossError, match="past the end"):
        list(message.scan(data, 2, 5))
