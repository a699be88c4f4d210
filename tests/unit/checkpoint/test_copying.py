"""Bytes from file to file: every way of the system gives the same, and holes stay holes."""

import errno
import os

import pytest

from icefloe import errors
from icefloe.checkpoint import files

MB = 1 << 20


def copied(source, offset, size, target):
    fd = files.create(str(target))
    try:
        files.write(fd, b"head", str(target))
        files.copy(files.Source(str(source)), offset, size, fd, str(target))
        files.write(fd, b"tail", str(target))
    finally:
        files.close(fd)
    raw = target.read_bytes()
    assert raw[:4] == b"head"
    assert raw[-4:] == b"tail"
    return raw[4:-4]


def refusing(number):
    def call(*args):
        raise OSError(number, os.strerror(number))

    return call


@pytest.mark.parametrize("ways", range(len(files._COPIES)))
@pytest.mark.parametrize("how", [errno.EXDEV, errno.ENOSYS, 0])
def test_each_way_gives_the_same(ways, how, tmp_path, monkeypatch):
    raw = os.urandom(3 * MB)
    (tmp_path / "s").write_bytes(raw)
    off = refusing(how) if how else (lambda *args: 0)
    monkeypatch.setattr(files, "_COPIES", (*(off for _ in range(ways)), *files._COPIES[ways:]))
    assert copied(tmp_path / "s", 5, 2 * MB + 7, tmp_path / "t") == raw[5 : 2 * MB + 12]


def test_holes(tmp_path):
    path = tmp_path / "s"
    with open(path, "wb") as file:
        file.write(b"x" * 4096)
        file.seek(8 * MB)
        file.write(b"y" * 4096)
        file.truncate(16 * MB)
    raw = path.read_bytes()
    for number, (offset, size) in enumerate(
        [(0, 16 * MB), (4096, 8 * MB - 4096), (100, 9 * MB), (9 * MB, 7 * MB), (0, 0)]
    ):
        target = tmp_path / str(number)
        assert copied(path, offset, size, target) == raw[offset : offset + size]
        if path.stat().st_blocks * 512 < MB:  # the file system has holes
            assert target.stat().st_blocks * 512 < MB


def test_a_source_that_ends_before(tmp_path):
    (tmp_path / "s").write_bytes(b"abc")
    with pytest.raises(errors.OutOfRangeError, match="less bytes"):
        copied(tmp_path / "s", 1, 5, tmp_path / "t")


def test_other_errors_are_told(tmp_path, monkeypatch):
    (tmp_path / "s").write_bytes(b"abc")
    monkeypatch.setattr(files, "_COPIES", (refusing(errno.ENOSPC), *files._COPIES))
    with pytest.raises(errors.ResourceExhaustedError, match="No space"):
        copied(tmp_path / "s", 0, 3, tmp_path / "t")
