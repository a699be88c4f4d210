import mmap

import numpy as np
import pytest

from icefloe.wire.crc import combine, crc32c, mask, unmask


@pytest.mark.parametrize(
    "data, expected",  # RFC 3720, B.4, and the check value of the polynomial
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_known_answers(data, expected):
    assert crc32c(data) == expected


def test_extends_over_any_buffer(tmp_path):
    data = bytes(range(256)) * 3
    path = tmp_path / "f"
    path.write_bytes(data)
    with path.open("rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for buffer in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8), memoryview(mapped)):
            assert crc32c(buffer[300:], crc32c(buffer[:300])) == crc32c(data)
            if isinstance(buffer, memoryview):
                buffer.release()
    assert crc32c(np.arange(4, dtype=np.uint8)) == crc32c(bytes(range(4)))
    assert crc32c(memoryview(b""), 7) == 7


def test_mask_of_nothing_and_back():
    assert mask(0) == 0xA282EAD8
    for crc in (0, 1, 0x7FFF, 0x8000, 0xFFFFFFFF, 0xE3069283):
        assert unmask(mask(crc)) == crc
        assert mask(crc) != crc


@pytest.mark.parametrize("size", [0, 1, 2, 3, 255, 256, 1000])
def test_combine_equals_the_crc_of_both(size):
    a, b = b"first part", bytes(i % 251 for i in range(size))
    assert combine(crc32c(a), crc32c(b), size) == crc32c(a + b)
