"""ReadFile, WriteFile and MatchingFiles: contents, order, TensorFlow's errors, and what a session may touch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.session import Config, Session


@pytest.fixture
def session() -> Any:
    with Graph().as_default(), Session() as made:
        yield made


def given(value: Any) -> Any:
    """A tensor whose shape is not known when the graph is built."""
    return apply_op("PlaceholderWithDefault", np.array(value, object), shape=None)


def test_write_and_read(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "f"
    data = b"hello\x00\xff\n"
    session.run(apply_op("WriteFile", str(path), given(data)))
    assert path.read_bytes() == data
    read = apply_op("ReadFile", str(path))
    assert read.shape.as_list() == []
    assert session.run(read) == data


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda d: apply_op("ReadFile", f"{d}/none"), errors.NotFoundError, "{d}/none; No such file or directory"),
        (lambda d: apply_op("ReadFile", str(d)), errors.FailedPreconditionError, "{d}; Is a directory"),
        (lambda d: apply_op("WriteFile", str(d), "x"), errors.FailedPreconditionError, "{d}; Is a directory"),
        (
            lambda d: apply_op("ReadFile", given([b"a"])),
            errors.InvalidArgumentError,
            "Input filename tensor must be scalar, but had shape: [1]",
        ),
        (
            lambda d: apply_op("WriteFile", str(d), given([b"a"])),
            errors.InvalidArgumentError,
            "Contents tensor must be scalar, but had shape: [1]",
        ),
        (
            lambda d: apply_op("MatchingFiles", given([[b"a"]])),
            errors.InvalidArgumentError,
            "Input patterns tensor must be scalar or vector, but had shape: [1,1]",
        ),
    ],
)
def test_refusals(session: Session, tmp_path: Path, make: Any, error: Any, message: str) -> None:
    with pytest.raises(error) as caught:
        session.run(make(tmp_path))
    assert caught.value.message == message.format(d=tmp_path)


def test_matching_files(session: Session, tmp_path: Path) -> None:
    for name in ("b", "a1", "a2", ".hidden", "sub/x", "sub/y"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")

    def found(*patterns: str) -> list[str]:
        value = session.run(apply_op("MatchingFiles", [f"{tmp_path}/{p}" for p in patterns]))
        return [item.decode().removeprefix(f"{tmp_path}/") for item in value.tolist()]

    assert found("a?") == ["a1", "a2"]
    assert found("*/y", "a[2-9]", "*/x") == ["a2", "sub/x", "sub/y"]
    assert found("*") == [".hidden", "a1", "a2", "b", "sub"]
    assert found("b") == ["b"]
    assert found("none", "n*") == []
    single = session.run(apply_op("MatchingFiles", f"{tmp_path}/a1"))
    assert single.dtype == object and single.tolist() == [f"{tmp_path}/a1".encode()]


def test_policy(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "f").write_bytes(b"x")
    with Graph().as_default() as graph:
        read_in, read_out = (apply_op("ReadFile", str(d / "f")) for d in (inside, outside))
        write_in, write_out = (apply_op("WriteFile", str(d / "g"), "y") for d in (inside, outside))
        list_in, list_out = (apply_op("MatchingFiles", str(d / "*")) for d in (inside, outside))
        sneaky = apply_op("MatchingFiles", f"{inside}/../*/f")
    with Session(graph=graph, config=Config(files="none", allow_files=[inside])) as s:
        assert s.run(read_in) == b"x"
        s.run(write_in)
        assert len(s.run(list_in)) == 2
        for refused in (read_out, write_out, list_out, sneaky):
            with pytest.raises(errors.PermissionDeniedError):
                s.run(refused)
        assert not (outside / "g").exists()
    with Session(graph=graph, config=Config(files="read")) as s:
        assert s.run(read_out) == b"x"
        with pytest.raises(errors.PermissionDeniedError, match="may not write files"):
            s.run(write_in)
