"""Datasets saved to files: as TensorFlow lays them out, and read instead of being made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.lib.defun import Defun
from icefloe.ops.data.snapshots import read_metadata, shards
from icefloe.proto import TensorProto
from icefloe.resources.datasets.record_files import Records

TENSORFLOWS = Path(__file__).resolve().parents[3] / "fixtures" / "datasets" / "files" / "saved"
TYPES: dict[str, Any] = {"output_types": [tf.int64, tf.string], "output_shapes": [[], [None]]}
INT: dict[str, Any] = {"output_types": [tf.int64], "output_shapes": [[]]}


@Defun(tf.int64, tf.string)
def parity(x: Any, words: Any) -> Any:
    return x % 2


@Defun(tf.int64)
def first(x: Any) -> Any:
    return tf.zeros_like(x)


@Defun(tf.variant)
def shards_in_turn(nested: Any) -> Any:
    @Defun(tf.variant)
    def same(shard: Any) -> Any:
        return shard

    return apply_op("FlatMapDataset", nested, [], f=same, **INT)


def pairs() -> Any:
    return tf.data.Dataset.range(5).map(lambda x: (x, tf.fill([x], tf.as_string(x))))._variant_tensor


def save(path: Path, source: Any, **attrs: Any) -> Any:
    return apply_op("SaveDataset", source, str(path), [], shard_func=parity, **attrs)


def numbers_of(session: tf.Session, make: Any) -> list[int]:
    """Return the elements of a dataset of numbers, made by op call `make()`."""
    iterator = apply_op("IteratorV2", shared_name="", container="", **INT)
    start, following = apply_op("MakeIterator", make(), iterator), apply_op("IteratorGetNext", iterator, **INT)[0]
    session.run(start)
    found = []
    while True:
        try:
            found.append(int(session.run(following)))
        except errors.OutOfRangeError:
            return found


def records(path: str) -> list[bytes]:
    found, file = [], Records(path, "")
    while (data := file.read()) is not None:
        found.append(data)
    file.close()
    return found


def test_shards_hold_the_tensors_that_tensorflows_hold(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(save(tmp_path / "a" / "b", pairs()))
    ours, theirs = (read_metadata(str(p)) for p in (tmp_path / "a" / "b", TENSORFLOWS))
    assert ours is not None
    assert theirs is not None
    assert (ours.dtypes, ours.count, ours.finalized) == (theirs.dtypes, theirs.count, True)
    folders = [shards(str(p), m.run) for p, m in ((tmp_path / "a" / "b", ours), (TENSORFLOWS, theirs))]
    assert [Path(p).name for p in folders[0]] == [Path(p).name for p in folders[1]]
    for mine, their in zip(*folders):
        values = []
        for folder in (mine, their):
            protos = [TensorProto.FromString(r) for r in records(f"{folder}/00000000.snapshot")]
            values.append([tf.make_ndarray(p).tolist() for p in protos])
        assert values[0] == values[1]


def test_the_function_of_shards_is_checked(tmp_path: Path) -> None:
    @Defun(tf.int64, tf.string)
    def words_of(x: Any, words: Any) -> Any:
        return words

    with tf.Graph().as_default(), tf.Session() as session:
        bad = apply_op("SaveDataset", pairs(), str(tmp_path / "x"), [], shard_func=words_of)
        with pytest.raises(errors.InvalidArgumentError, match="scalar int64"):
            session.run(bad)
        metadata = read_metadata(str(tmp_path / "x"))
        assert metadata is not None
        assert not metadata.finalized


def snapshot(path: Path, source: Any, op: str = "SnapshotDataset", **attrs: Any) -> Any:
    if op == "SnapshotDatasetV2":
        attrs = {"reader_func": shards_in_turn, "shard_func": first, **attrs}
        return apply_op(op, source, str(path), [], [], **attrs, **INT)
    return apply_op(op, source, str(path), **attrs, **INT)


@pytest.mark.parametrize("compression", ["", "GZIP"])
@pytest.mark.parametrize("op", ["SnapshotDataset", "SnapshotDatasetV2"])
def test_a_snapshot_is_written_once_and_read_then(tmp_path: Path, op: str, compression: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        counter = tf.Variable(np.int64(0), use_resource=True)
        session.run(counter.initializer)

        def counted(x: Any) -> Any:
            return x + 0 * counter.assign_add(1, read_value=True)

        def make() -> Any:
            return snapshot(tmp_path, source, op, compression=compression)

        source = tf.data.Dataset.range(4).map(counted)._variant_tensor
        assert numbers_of(session, make) == [0, 1, 2, 3]
        assert session.run(counter) == 4
        assert numbers_of(session, make) == [0, 1, 2, 3]
        assert session.run(counter) == 4


def test_modes_of_snapshots(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        source = tf.data.Dataset.range(3)._variant_tensor
        with pytest.raises(errors.NotFoundError, match="Metadata file"):
            numbers_of(session, lambda: snapshot(tmp_path, source, mode="read"))
        assert numbers_of(session, lambda: snapshot(tmp_path, source, mode="passthrough")) == [0, 1, 2]
        assert not list(tmp_path.iterdir())
        assert numbers_of(session, lambda: snapshot(tmp_path, source, mode="write", snapshot_name="n")) == [0, 1, 2]
        other = tf.data.Dataset.range(9)._variant_tensor
        assert numbers_of(session, lambda: snapshot(tmp_path, other, mode="read", snapshot_name="n")) == [0, 1, 2]
        with pytest.raises(errors.InvalidArgumentError, match="mode must be"):
            numbers_of(session, lambda: snapshot(tmp_path, source, mode="maybe"))


def test_an_unfinished_snapshot_is_not_read(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        source = tf.data.Dataset.range(3)._variant_tensor

        def taken() -> Any:
            return apply_op("TakeDataset", snapshot(tmp_path, source), np.int64(2), **INT)

        assert numbers_of(session, taken) == [0, 1]
        assert numbers_of(session, lambda: snapshot(tmp_path, source)) == [0, 1, 2]


def test_files_are_asked_for(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.Config(files="none")) as session:
        source = tf.data.Dataset.range(3)._variant_tensor
        for op in (
            save(tmp_path, pairs()),
            snapshot(tmp_path, source),
            apply_op("LoadDataset", str(TENSORFLOWS), [], reader_func=shards_in_turn, **TYPES),
        ):
            with pytest.raises(errors.PermissionDeniedError):
                session.run(op)


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"\x12\x02..", b"\x12\x05a/../", b"\x12\x01a\x28\xff\xff\xff\xff\x0f"]
)
def test_damaged_metadata(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "snapshot.metadata").write_bytes(content)
    with pytest.raises(errors.DataLossError):
        read_metadata(str(tmp_path))
