"""Arguments of wrong types are refused in words that say what is expected, before anything is read or written."""

import pathlib

import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors

ODD = [None, b"x", 3, 2.5, [], ["w"], [None], {"a": 1}, np.arange(3), object(), True, pathlib.Path("w")]


@pytest.fixture
def path(tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"w": np.arange(12, dtype=np.float32).reshape(4, 3), "step": np.int64(5)})
    return tmp_path / "m"


@pytest.fixture
def reader(path):
    with icefloe.open_checkpoint(path) as reader:
        yield reader


def ids(value):
    return type(value).__name__


@pytest.mark.parametrize("odd", ODD, ids=ids)
def test_no_open_checkpoint(odd):
    for call in (lambda: ckpt.read_part(odd, "w", (0,)), lambda: ckpt.split_index("w[0]", odd)):
        with pytest.raises(TypeError, match="expected an open checkpoint"):
            call()


@pytest.mark.parametrize("odd", ODD, ids=ids)
def test_no_name(path, reader, odd):
    calls = [
        lambda: reader[odd],
        lambda: reader.keys_of(odd),
        lambda: reader.find(odd),
        lambda: reader.missing(odd),
        lambda: ckpt.read_part(reader, odd, (0,)),
        lambda: ckpt.split_index(odd, reader),
        lambda: ckpt.cat(path, odd),
        lambda: ckpt.read_value(odd),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"expected text \(str\), got"):
            call()
    assert odd not in reader and reader.get(odd) is None


@pytest.mark.parametrize("odd", [o for o in ODD if not isinstance(o, list) or o], ids=ids)
def test_no_rows(odd):
    with pytest.raises(TypeError, match="expected the rows of a listing"):
        ckpt.scopes(odd)


def test_rows_of_a_listing(path):
    listing = ckpt.ls(path)
    assert ckpt.scopes(listing) == ckpt.scopes(listing.rows) == ckpt.scopes(iter(listing.rows))


@pytest.mark.parametrize("odd", [b"x", 2.5, [], "1", np.arange(3), True], ids=ids)
def test_no_depth_and_no_bins(path, odd):
    for call in (lambda: ckpt.tree(path, depth=odd), lambda: ckpt.stats(path, bins=odd)):
        with pytest.raises(TypeError, match="expected a whole number, got"):
            call()
    assert ckpt.tree(path, depth=np.int64(1))[1] and ckpt.stats(path, bins=np.int32(3)).tensors


@pytest.mark.parametrize("odd", [None, b"x", [], "1", np.arange(3), 1j], ids=ids)
def test_no_tolerance(path, odd):
    with pytest.raises(TypeError, match="rtol: expected a number, got"):
        ckpt.diff(path, path, rtol=odd)
    assert ckpt.diff(path, path, rtol=np.float32(0.5), atol=1).is_equal


@pytest.mark.parametrize("odd", [3, "x", [], object()], ids=ids)
def test_no_progress(path, tmp_path, odd):
    calls = [ckpt.stats, ckpt.verify, lambda p, progress: ckpt.diff(p, p, progress=progress)]
    calls.append(lambda p, progress: ckpt.rescue(p, tmp_path / "out", progress=progress))
    calls.append(lambda p, progress: ckpt.report(p, tmp_path / "page.html", progress=progress))
    for call in calls:
        with pytest.raises(TypeError, match="progress: expected a function"):
            call(path, progress=odd)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("odd", [3, 2.5, object(), None], ids=ids)
def test_no_rules(path, odd):
    for rules in (odd, [odd]):
        with pytest.raises(TypeError, match="expected (rules|a rule) such as s/old/new/"):
            ckpt.diff(path, path, maps=rules)


@pytest.mark.parametrize("odd", [None, 2.5, {"a": 1}, object(), "x", b"x"], ids=ids)
def test_no_index(reader, odd):
    if odd is None:  # numpy's newaxis
        assert ckpt.read_part(reader, "w", odd).shape == (1, 4, 3)
        return
    with pytest.raises(errors.InvalidArgumentError):
        ckpt.read_part(reader, "w", odd)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    "index",
    [1, -1, np.int64(2), slice(1, 3), slice(None, None, -2), ..., (slice(3, 1), 0), "1:3,:2", "-1", [0, 2], (1, 2), ()],
    ids=str,
)
def test_an_index_as_numpy_takes_it(reader, index, large, monkeypatch):
    if large:
        monkeypatch.setattr("icefloe.checkpoint.listing._PART_FROM", 1)
    value = reader["w"]
    plain = {"1:3,:2": np.s_[1:3, :2], "-1": -1}.get(index, index) if isinstance(index, str) else index
    np.testing.assert_array_equal(ckpt.read_part(reader, "w", index), value[plain])


def test_an_index_that_does_not_fit(reader):
    for index in (4, -5, (0, 0, 0), "9", "0,0,0"):
        with pytest.raises(errors.InvalidArgumentError, match=r"w, shape \[4,3\]"):
            ckpt.read_part(reader, "w", index)


@pytest.mark.parametrize("odd", [None, 3, "x", (0, 2), [(0, 2)]], ids=ids)
def test_no_slice(reader, odd):
    with pytest.raises(TypeError, match="expected a TensorSlice"):
        reader.read_slice("w", odd)


def test_bounds_of_a_box(reader):
    for odd in (None, 3, [1, 2], "xy", [(0.5, 1), (0, 1)]):
        with pytest.raises(TypeError, match="expected bounds as pairs"):
            reader.read_box("w", odd)
    for bounds in ([(0, 1)], [(0, 5), (0, 3)], [(2, 1), (0, 3)], [(-1, 1), (0, 3)]):
        with pytest.raises(errors.InvalidArgumentError, match="do not fit a tensor of shape"):
            reader.read_box("w", bounds)
    np.testing.assert_array_equal(reader.read_box("w", iter([(1, 3), (0, 2)])), reader["w"][1:3, :2])


@pytest.mark.parametrize("odd", [None, 3, 2.5, [], {}, object()], ids=ids)
def test_no_path(odd, path):
    for call in (icefloe.open_checkpoint, icefloe.identify, ckpt.ls, ckpt.verify, lambda p: ckpt.rescue(path, p)):
        with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object, not"):
            call(odd)


def test_paths_that_are_none(path):
    for call in (icefloe.open_checkpoint, icefloe.identify, lambda p: ckpt.rescue(path, p)):
        with pytest.raises(errors.InvalidArgumentError, match="is no path: it holds a zero byte"):
            call("a\0b")
    with pytest.raises(errors.NotFoundError, match="The path is empty"):
        icefloe.open_checkpoint("")
    for sort in ("Name", "", "x"):
        with pytest.raises(errors.InvalidArgumentError, match="expected to sort by"):
            ckpt.ls(path, sort=sort)
