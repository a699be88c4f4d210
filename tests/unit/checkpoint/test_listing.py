"""Parts of tensors are those that numpy's index gives, read from any format, with as few rows as it takes."""

import numpy as np
import pytest

from icefloe import errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint import listing
from icefloe.checkpoint.converting.conversion import convert
from icefloe.checkpoint.listing import cat, parse_index, read_part, scopes, split_index

INDICES = ["0", "-1", "1:3", "::2", "::-1", "3:1:-1", "5:", "9:9", ":,1", "2,::2", "...,0", "1:3,-1", "0:2,0:1", "..."]


@pytest.fixture(params=["m", "m.npz", "m.h5", "m.safetensors"])
def path(request, tmp_path, monkeypatch):
    save_checkpoint(tmp_path / "m", {"w": np.arange(18.0).reshape(6, 3), "s": np.float32(2), "v[0]": np.arange(4)})
    if request.param != "m":
        convert(tmp_path / "m", tmp_path / request.param)
    return tmp_path / request.param


@pytest.mark.parametrize("limit", [0, 1 << 30])
@pytest.mark.parametrize("text", INDICES)
def test_parts(path, text, limit, monkeypatch):
    monkeypatch.setattr(listing, "_PART_FROM", limit)
    expected = np.arange(18.0).reshape(6, 3)[parse_index(text)]
    with open_checkpoint(path, mmap=True) as reader:
        np.testing.assert_array_equal(read_part(reader, "w", parse_index(text)), expected)
    np.testing.assert_array_equal(cat(path, f"w[{text}]"), expected)


def test_indices_that_do_not_fit(path, monkeypatch):
    monkeypatch.setattr(listing, "_PART_FROM", 0)
    for text in ("6", "0,3", "0,0,0", "-7"):
        with pytest.raises(errors.InvalidArgumentError, match=r"w, shape \[6,3\]"):
            cat(path, f"w[{text}]")
    with pytest.raises(errors.InvalidArgumentError, match=r"s, shape \[\]"):
        cat(path, "s[0]")
    with pytest.raises(errors.InvalidArgumentError, match="expected an index"):
        cat(path, "w[a]")
    with pytest.raises(errors.NotFoundError):
        cat(path, "nothing[0]")
    assert cat(path, "s") == 2
    assert cat(path, "v[0]").tolist() == [0, 1, 2, 3]
    assert cat(path, "v[0][1]") == 1


def test_names_that_hold_brackets_come_first(path):
    with open_checkpoint(path) as reader:
        assert split_index("v[0]", reader) == ("v[0]", None)
        assert split_index("w[0]", reader) == ("w", (0,))
        assert split_index("w", reader) == ("w", None)


def test_only_the_rows_asked_for_are_read(tmp_path, monkeypatch):
    """A damaged row is met only by who asks for it."""
    monkeypatch.setattr(listing, "_PART_FROM", 0)
    save_checkpoint(tmp_path / "m", {"w": np.arange(18.0).reshape(6, 3)})
    with open(tmp_path / "m.data-00000-of-00001", "r+b") as file:
        file.seek(5 * 24)
        file.write(b"\xff" * 8)
    assert cat(tmp_path / "m", "w[0:5]").tolist() == np.arange(15.0).reshape(5, 3).tolist()
    with pytest.raises(errors.DataLossError):
        cat(tmp_path / "m", "w")


def test_scopes_of_names(tmp_path):
    save_checkpoint(tmp_path / "m", {"a/b/c": 1, "a/b/d": 2, "a/e": 3, "f": 4})
    rows = listing.ls(tmp_path / "m").rows
    assert [(s.path, s.tensors) for s in scopes(rows)] == [("", 4), ("a", 3), ("a/b", 2)]
    assert [(s.path, s.tensors, len(s.rows)) for s in scopes(rows, 1)] == [("", 4, 1), ("a", 3, 3)]
