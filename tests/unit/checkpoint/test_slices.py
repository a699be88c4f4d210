"""Where slices end, meet and overlap, and what of them a file may say."""

from __future__ import annotations

import pytest

from icefloe import errors
from icefloe.checkpoint.slices import TensorSlice, check_disjoint, decode_key, decode_slice, encode_key, parse_slice
from icefloe.wire import message

HUGE = (1 << 63) - 1


@pytest.mark.parametrize(("extent", "fits"), [((0, 4), True), ((3, 1), True), ((3, 2), False), ((4, 1), False)])
def test_a_slice_ends_with_the_tensor(extent, fits):
    chosen = TensorSlice((extent, (0, 2)))
    if fits:
        assert chosen.shape((4, 2)) == (extent[1], 2)
        return
    with pytest.raises(errors.InternalError, match="Extent in dimension 0 out of bounds"):
        chosen.shape((4, 2))


def test_the_rank_is_that_of_the_tensor():
    with pytest.raises(errors.InternalError, match="Mismatching ranks"):
        TensorSlice(((0, 1),)).shape((1, 1))


@pytest.mark.parametrize(
    ("texts", "shape"),
    [
        (("0,2:-", "2,2:-"), (4, 3)),
        (("-:0,1", "-:1,2"), (4, 3)),
        (("0,2:0,2", "0,2:2,1", "2,2:0,3"), (4, 3)),
        (("0,1:0,1", "1,1:1,1", "0,1:1,1", "1,1:0,1"), (2, 2)),
    ],
)
def test_slices_that_touch_do_not_overlap(texts, shape):
    check_disjoint([parse_slice(text) for text in texts], shape)


@pytest.mark.parametrize(
    ("texts", "shape"),
    [
        (("0,3:-", "2,2:-"), (4, 3)),
        (("-:0,2", "-:1,2"), (4, 3)),
        (("0,2:0,2", "2,2:0,3", "1,1:1,1"), (4, 3)),
        (("-", "-"), (4,)),
    ],
)
def test_slices_that_share_an_element_overlap(texts, shape):
    with pytest.raises(errors.InternalError, match="Overlapping slices"):
        check_disjoint([parse_slice(text) for text in texts], shape)


@pytest.mark.parametrize(("start", "length"), [(0, 0), (1, 0), (-1, 2), (1, -1), (2, -2), (HUGE, 1), (1, HUGE)])
def test_impossible_extents_of_a_file(start, length):
    extent = message.encode_int(1, start) + message.encode_present_int(2, length)
    with pytest.raises(errors.DataLossError, match="impossible extent"):
        decode_slice(message.encode_bytes(1, extent))
    with pytest.raises(errors.DataLossError, match="impossible extent"):
        decode_key(encode_key(b"v", TensorSlice(((start, length),))))


def test_a_key_ends_with_its_last_extent():
    key = encode_key(b"v", parse_slice("0,2:-"))
    assert decode_key(key) == (b"v", parse_slice("0,2:-"))
    for wrong in (key + b"\0", key[:-1]):
        with pytest.raises(errors.DataLossError):
            decode_key(wrong)
