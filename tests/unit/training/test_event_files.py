"""Event files and their writer, beyond what `test_loop_programs.py` holds against TensorFlow."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe.proto import Event
from icefloe.training.event_files import EventFile


def scalar(tag: str, value: float) -> tf.Summary:
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])


def values(path: Path) -> list[float]:
    return [v.simple_value for e in tf.train.summary_iterator(path) for v in e.summary.value]


def test_a_file_is_made_with_the_first_event(tmp_path: Path) -> None:
    writer = EventFile(tmp_path / "new" / "dir")
    writer.flush()
    assert not list((tmp_path / "new" / "dir").iterdir())
    writer.add_event(Event(step=3))
    (path,) = (tmp_path / "new" / "dir").iterdir()
    assert path.name.startswith("events.out.tfevents.") and path.name.endswith(socket.gethostname())
    first, second = tf.train.summary_iterator(path)  # the first events are flushed at once
    assert (first.file_version, first.step, second.step) == ("brain.Event:2", 0, 3)
    writer.close()


def test_writers_of_one_second_have_files_of_their_own(tmp_path: Path) -> None:
    for value in (1.0, 2.0, 3.0):
        with tf.summary.FileWriter(tmp_path) as writer:
            writer.add_summary(scalar("a", value))
    assert sorted(v for path in tmp_path.iterdir() for v in values(path)) == [1.0, 2.0, 3.0]


def test_a_closed_writer_warns_and_opens_again(tmp_path: Path) -> None:
    writer = tf.summary.FileWriter(tmp_path)
    writer.add_summary(scalar("a", 1.0))
    writer.close()
    with pytest.warns(UserWarning, match="Attempting to use a closed FileWriter"):
        writer.add_summary(scalar("a", 2.0))
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.flush()
    writer.reopen()
    writer.add_summary(scalar("a", 3.0))
    writer.close()
    assert sorted(v for path in tmp_path.iterdir() for v in values(path)) == [1.0, 3.0]


def test_an_iterator_goes_on_with_what_was_added(tmp_path: Path) -> None:
    writer = tf.summary.FileWriter(tmp_path, flush_secs=0)
    writer.add_summary(scalar("a", 1.0), 1)
    (path,) = tmp_path.iterdir()
    events = tf.train.summary_iterator(path)
    assert [e.step for e in events] == [0, 1]
    writer.add_summary(scalar("a", 1.0), 2)
    assert [e.step for e in events] == [2]
    whole = path.read_bytes()
    writer.add_summary(scalar("a", 1.0), 3)
    more = path.read_bytes()
    path.write_bytes(more[: len(whole) + 5])  # a header that another process is writing
    assert list(events) == []
    path.write_bytes(more)
    assert [e.step for e in events] == [3]
    writer.close()


def test_threads_write_whole_events(tmp_path: Path) -> None:
    writer = tf.summary.FileWriter(tmp_path)

    def work(start: int) -> None:
        for i in range(50):
            writer.add_summary(scalar("x" * (i + 1), start + i))

    threads = [threading.Thread(target=work, args=(start,)) for start in (0, 50, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    (path,) = tmp_path.iterdir()
    assert sorted(values(path)) == list(range(150))


def test_summaries_of_runs_reach_the_file(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        tf.summary.histogram("h", x)
        tf.summary.scalar("s", tf.reduce_sum(x))
        merged = tf.summary.merge_all()
        with tf.summary.FileWriter(tmp_path, graph) as writer:
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            writer.add_summary(session.run(merged, {x: [1.0, 2.0]}, options, metadata), 7)
            writer.add_run_metadata(metadata, "run", 7)
    (path,) = tmp_path.iterdir()
    found = {e.WhichOneof("what"): e for e in tf.train.summary_iterator(path)}
    assert [v.tag for v in found["summary"].summary.value] == ["h", "s"]
    assert found["summary"].summary.value[0].histo.num == 2
    assert found["summary"].step == 7
    steps = tf.RunMetadata.FromString(found["tagged_run_metadata"].tagged_run_metadata.run_metadata).step_stats
    assert any(n.node_name == "s" for d in steps.dev_stats for n in d.node_stats)
    shapes = {n.name: n.attr["_output_shapes"] for n in tf.GraphDef.FromString(found["graph_def"].graph_def).node}
    assert shapes["Placeholder"].list.shape[0].dim[0].size == -1


def test_writers_of_a_session_share_a_file(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        first = tf.summary.FileWriter(str(tmp_path), session=session)
        second = tf.summary.FileWriter(str(tmp_path), session=session, filename_suffix=".not_used")
        assert {op.type for op in graph.get_operations()} >= {"SummaryWriter", "ImportEvent", "CloseSummaryWriter"}
        assert [op.name for op in graph.get_collection("_SUMMARY_WRITER_V2")] == [
            "filewriter/CreateSummaryFileWriter",
            "filewriter_1/CreateSummaryFileWriter",
        ]
        first.add_summary(scalar("a", 1.0), 3)
        second.add_summary(scalar("a", 2.0), 4)
        first.flush()
        (path,) = tmp_path.iterdir()
        assert path.name.endswith(".v2")
        assert [(e.step, len(e.summary.value)) for e in tf.train.summary_iterator(path)] == [(0, 0), (3, 1), (4, 1)]
        first.close()
        with pytest.raises(tf.errors.NotFoundError, match="Resource logdir:"):
            second.add_summary(scalar("a", 3.0))
        with pytest.warns(UserWarning, match="closed FileWriter"), pytest.raises(tf.errors.NotFoundError):
            first.flush()
        first.reopen()
        second.add_summary(scalar("a", 4.0))
        first.close()
        assert sorted(v for path in tmp_path.iterdir() for v in values(path)) == [1.0, 2.0, 4.0]


def test_the_cache_has_one_writer_per_directory(tmp_path: Path) -> None:
    cache = tf.summary.FileWriterCache
    with tf.Graph().as_default():
        tf.constant(1.0, name="c")
        first = cache.get(str(tmp_path / "a"))
        assert cache.get(tmp_path / "a") is first
        assert cache.get(str(tmp_path / "b")) is not first
    cache.clear()
    (path,) = (tmp_path / "a").iterdir()
    kinds = [e.WhichOneof("what") for e in tf.train.summary_iterator(path)]
    assert kinds == ["file_version", "graph_def", "meta_graph_def"]
    assert cache.get(str(tmp_path / "a")) is not first
    cache.clear()


def test_no_directory_can_be_made_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(tf.errors.OpError, match="file"):
        tf.summary.FileWriter(tmp_path / "file" / "below")


def cut_short(directory: Path, size: int) -> Path:
    path = directory / "r"
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b"first record")
        writer.write(b"second record")
    path.write_bytes(path.read_bytes()[:size])
    return path


@pytest.mark.parametrize(("size", "left"), [(0, 0), (3, 0), (28, 1), (30, 1)])
def test_a_header_cut_short_is_the_end(tmp_path: Path, size: int, left: int) -> None:
    assert len(list(tf.python_io.tf_record_iterator(cut_short(tmp_path, size)))) == left


@pytest.mark.parametrize("size", [12, 13, 20, 27])
def test_a_record_cut_short_is_data_loss(tmp_path: Path, size: int) -> None:
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        list(tf.python_io.tf_record_iterator(cut_short(tmp_path, size)))


def test_every_flipped_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b"record")
    whole = path.read_bytes()
    for i in range(len(whole)):
        damaged = bytearray(whole)
        damaged[i] ^= 0x41
        path.write_bytes(damaged)
        with pytest.raises(tf.errors.DataLossError):
            list(tf.python_io.tf_record_iterator(path))


def test_records_may_be_buffers_and_are_flushed(tmp_path: Path) -> None:
    writer = tf.python_io.TFRecordWriter(str(tmp_path / "r"), "GZIP")
    writer.write(bytearray(b"ab"))
    writer.write(memoryview(b"cd"))
    writer.write("é")
    writer.flush()
    with pytest.raises(TypeError, match="expected bytes, got int"):
        writer.write(3)  # type: ignore[arg-type]
    writer.close()
    writer.close()
    found = list(tf.python_io.tf_record_iterator(tmp_path / "r", "GZIP"))
    assert found == [b"ab", b"cd", "é".encode()]
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.TFRecordDataset(str(tmp_path / "r"), compression_type="GZIP")
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        np.testing.assert_array_equal([session.run(element) for _ in range(3)], found)


def test_a_directory_is_no_record_file(tmp_path: Path) -> None:
    for call in (
        lambda: list(tf.python_io.tf_record_iterator(tmp_path)),
        lambda: tf.python_io.TFRecordWriter(tmp_path),
    ):
        with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
            call()
    with pytest.raises(tf.errors.InvalidArgumentError, match="null byte"):
        tf.python_io.TFRecordWriter("a\0b")


def test_what_the_system_says_is_an_error_of_icefloe(tmp_path: Path) -> None:
    writer = tf.summary.FileWriter(tmp_path)
    writer.add_summary(scalar("a", 1.0))
    full = open("/dev/full", "wb")  # noqa: SIM115 (closed below)
    writer.event_writer._file, opened = full, writer.event_writer._file
    writer.add_summary(scalar("a", 1.0))
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        writer.flush()
    writer.event_writer._file = opened
    with pytest.raises(OSError, match="No space"):
        full.close()
    writer.close()


def test_what_is_no_message_is_refused(tmp_path: Path) -> None:
    with tf.python_io.TFRecordWriter(tmp_path / "r") as writer:
        writer.write(b"\xff\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="no Event message"):
        list(tf.train.summary_iterator(tmp_path / "r"))
    with (
        tf.summary.FileWriter(tmp_path) as events,
        pytest.raises(tf.errors.InvalidArgumentError, match="no Summary message"),
    ):
        events.add_summary(b"\xff\xff\xff")
