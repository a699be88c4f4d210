"""Checkpoints on a web server: index first, then ranges; every failure an error that says what happened."""

import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors, open_checkpoint, save_checkpoint

VALUES = {
    "a/w": np.arange(6, dtype=np.float32).reshape(2, 3),
    "big": np.random.default_rng(0).normal(size=(1500, 1000)),
    "text": np.array([b"one", b"two"], object),
}


@pytest.fixture
def url(web):
    save_checkpoint(web.root / "model.ckpt-7", VALUES, shards=2)
    return f"{web.url}/model.ckpt-7"


def test_a_small_tensor_costs_the_index_and_its_surroundings(web, url):
    with open_checkpoint(url) as reader:
        assert [name for name, _ in web.gets] == ["model.ckpt-7.index"]
        assert len(web.requests) <= 4
        assert list(reader) == ["a/w", "big", "text"]
        assert web.sent == (web.root / "model.ckpt-7.index").stat().st_size
        web.requests.clear()
        np.testing.assert_array_equal(reader["a/w"], VALUES["a/w"])
        assert len(web.gets) == 1 and web.sent <= 256 << 10
        assert reader["text"].tolist() == [b"one", b"two"]


def test_a_large_tensor_comes_in_ranges(web, url):
    with open_checkpoint(url) as reader:
        web.requests.clear()
        np.testing.assert_array_equal(reader["big"], VALUES["big"])
        assert sorted(size for _, size in web.gets) == [1514240, *[2 << 20] * 5]


def test_rows_and_boxes_are_not_the_whole(web, url):
    with open_checkpoint(url) as reader:
        web.requests.clear()
        np.testing.assert_array_equal(reader.read_box("big", [(10, 20), (0, 1000)]), VALUES["big"][10:20])
        assert web.sent == 80_000
        np.testing.assert_array_equal(reader.read_box("big", [(10, 20), (5, 7)]), VALUES["big"][10:20, 5:7])
    web.requests.clear()
    np.testing.assert_array_equal(ckpt.cat(url, "big[1400:1410,3]"), VALUES["big"][1400:1410, 3])


def test_all_that_reads(web, url, tmp_path):
    assert ckpt.verify(url).ok
    assert ckpt.diff(url, tmp_path / "model.ckpt-7").is_equal
    assert [t.name for t in ckpt.stats(url).tensors] == ["a/w", "big", "text"]
    assert len(ckpt.ls(url).rows) == 3
    ckpt.rename(url, tmp_path / "other", ["s,^a/,b/,"])
    assert list(open_checkpoint(tmp_path / "other")) == ["b/w", "big", "text"]
    ckpt.extract(url, tmp_path / "part.npz", ["a/w"])
    assert np.load(tmp_path / "part.npz").files == ["a/w"]


def test_any_file_of_it_and_the_directory(web, url):
    icefloe.train.update_checkpoint_state(str(web.root), str(web.root / "model.ckpt-7"))
    assert icefloe.train.latest_checkpoint(web.url) == url
    for path in (web.url, web.url + "/", f"{url}.index", f"{url}.data-00000-of-00002", f"{web.url}/checkpoint"):
        assert open_checkpoint(path).prefix == url


@pytest.mark.parametrize("name", ["x.npz", "x.safetensors", "x.h5"])
def test_files_of_arrays_by_ranges(web, tmp_path, name):
    save_checkpoint(tmp_path / "m", {k: v for k, v in VALUES.items() if k != "text"})
    ckpt.convert(tmp_path / "m", tmp_path / name)
    with open_checkpoint(f"{web.url}/{name}?token=1") as reader:
        np.testing.assert_array_equal(reader["a/w"], VALUES["a/w"])
        assert web.sent < 2 << 20
        np.testing.assert_array_equal(reader["big"], VALUES["big"])


def test_v1_by_ranges(web, tmp_path):
    save_checkpoint(tmp_path / "m", VALUES)
    ckpt.convert(tmp_path / "m", tmp_path / "old.ckpt", to="v1")
    with open_checkpoint(f"{web.url}/old.ckpt") as reader:
        assert reader.format == "V1"
        np.testing.assert_array_equal(reader["a/w"], VALUES["a/w"])
        assert web.sent < 2 << 20


def test_a_broken_connection_is_tried_again(web, url):
    web.break_after, web.breaks = 50, 2
    np.testing.assert_array_equal(open_checkpoint(url)["a/w"], VALUES["a/w"])


def test_a_connection_that_breaks_again_and_again(web, url, monkeypatch):
    from icefloe.checkpoint.remote import files as remote

    monkeypatch.setattr(remote, "_PAUSES", (0.0,))
    reader = open_checkpoint(url)
    web.break_after = 1000
    with pytest.raises(errors.UnavailableError, match="connection failed") as caught:
        reader["big"]
    assert "model.ckpt-7" in str(caught.value)


def test_nobody_answers(monkeypatch):
    from icefloe.checkpoint.remote import files as remote

    monkeypatch.setattr(remote, "_PAUSES", ())
    with pytest.raises(errors.UnavailableError):
        open_checkpoint("http://127.0.0.1:9/model.ckpt")


@pytest.mark.parametrize(
    "status, kind",
    [(401, errors.UnauthenticatedError), (403, errors.PermissionDeniedError), (503, errors.UnavailableError)],
)
def test_refusals(web, url, status, kind, monkeypatch):
    from icefloe.checkpoint.remote import files as remote

    monkeypatch.setattr(remote, "_PAUSES", ())
    web.status = status
    with pytest.raises(kind):
        open_checkpoint(url)


def test_nothing_there(web, url):
    with pytest.raises(errors.NotFoundError, match="Failed to find any matching files"):
        open_checkpoint(f"{web.url}/other.ckpt")
    (web.root / "model.ckpt-7.data-00001-of-00002").unlink()
    with pytest.raises(errors.NotFoundError, match="data-00001-of-00002"):
        open_checkpoint(url)["big"]


def test_a_page_is_named(web, tmp_path):
    (tmp_path / "page").write_text("<!DOCTYPE html><html>not yours</html>")
    with pytest.raises(errors.InvalidArgumentError, match="HTML"):
        open_checkpoint(f"{web.url}/page")


def test_a_damaged_range_is_damage(web, url):
    path = max(web.root.glob("*.data-*"), key=lambda p: p.stat().st_size)
    data = bytearray(path.read_bytes())
    data[5_000_000] ^= 1
    path.write_bytes(data)
    with pytest.raises(errors.DataLossError, match="Checksum does not match"):
        open_checkpoint(url)["big"]
    assert not ckpt.verify(url).ok


def test_a_replaced_checkpoint_is_no_damage(web, url):
    reader = open_checkpoint(url)
    save_checkpoint(web.root / "model.ckpt-7", {name: VALUES[name] for name in ("text", "big", "a/w")}, shards=1)
    with pytest.raises(errors.AbortedError, match="replaced"):
        reader["big"]


def test_a_server_without_ranges(web, url):
    web.ranges = False
    np.testing.assert_array_equal(open_checkpoint(url)["big"], VALUES["big"])


def test_a_server_that_tells_no_sizes(web, url):
    web.sizes = False
    np.testing.assert_array_equal(open_checkpoint(url)["a/w"], VALUES["a/w"])


def test_nothing_is_written_to_a_web_server(web, url):
    with pytest.raises(errors.UnimplementedError, match="takes no files"):
        save_checkpoint(f"{web.url}/new", VALUES)


def test_a_server_that_never_ends(web, monkeypatch):
    from icefloe.checkpoint.remote import files as remote

    monkeypatch.setattr(remote, "_WHOLE", 1 << 20)
    with (web.root / "endless.npz").open("wb") as file:
        file.truncate(5 << 20)
    web.sizes = False
    with pytest.raises(errors.UnimplementedError, match="how large"):
        open_checkpoint(f"{web.url}/endless.npz")


def test_sizes_that_cannot_be(web):
    """An index that claims more than there is, and one that is too large, cost no memory."""
    with (web.root / "huge.index").open("wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(errors.ResourceExhaustedError, match="more than icefloe reads"):
        open_checkpoint(f"{web.url}/huge")
    assert web.sent == 0


def test_many_tensors_are_read_ahead(web):
    values = {f"v{i:02}": np.full(60_000, i, np.float32) for i in range(60)}
    save_checkpoint(web.root / "many", values)
    with open_checkpoint(f"{web.url}/many") as reader:
        for name, value in values.items():
            np.testing.assert_array_equal(reader[name], value)
        assert web.sent < 1.1 * 60 * 240_000 and len(web.gets) < 15
        web.requests.clear()
        for name in ("v50", "v10", "v30"):  # in no order: nothing more than they
            np.testing.assert_array_equal(reader[name], values[name])
        assert web.sent <= 3 * 240_000
