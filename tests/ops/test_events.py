"""Summary writers append the events that TensorFlow's do."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import icefloe as tf
from icefloe import errors
from icefloe.graph import build
from icefloe.proto import Event

from ops import events
from ops.case import Golden

ANSWERS = Golden(events.GOLDEN).answers


def writer(folder: Path, *, max_queue: int = 100, suffix: str = ".v2") -> tuple[Any, Any]:
    """Return the handle of a writer and the op that creates its file."""
    handle = build.apply_op("SummaryWriter", shared_name="w")
    return handle, build.apply_op("CreateSummaryFileWriter", handle, str(folder), max_queue, 100000, suffix)


def written(folder: Path) -> list[Event]:
    (path,) = folder.iterdir()
    return list(tf.train.summary_iterator(str(path)))


def pixels(event: Event) -> list[np.ndarray]:
    """Take the images out of an event: PNG files may differ where pixels do not."""
    found = []
    for value in event.summary.value:
        if value.HasField("image"):
            found.append(np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string))))
            value.image.ClearField("encoded_image_string")
    return found


def test_events_are_tensorflows(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        handle, create = writer(tmp_path)
        session.run(create)
        for op, arguments, attrs in events.EVENTS:
            session.run(build.apply_op(op, handle, *arguments, **attrs))
        session.run(build.apply_op("CloseSummaryWriter", handle))
    first, *got = written(tmp_path)
    assert first.file_version == "brain.Event:2"
    wanted = [Event.FromString(data) for data in ANSWERS["written"]["outputs"][0].tolist()]
    assert len(got) == len(wanted)
    for event, want in zip(got[:-1], wanted[:-1]):
        assert event.wall_time > 1.6e9
        event.ClearField("wall_time")
        for image, other in zip(pixels(event), pixels(want), strict=True):
            np.testing.assert_array_equal(image, other)
        assert event == want
    assert got[-1] == wanted[-1]


@pytest.mark.parametrize("i", range(len(events.REFUSED)))
def test_refused(i: int, tmp_path: Path) -> None:
    op, arguments, attrs = events.REFUSED[i]
    named = ANSWERS[f"refused/{i}"]["error"]
    expected = getattr(errors, named, None) or {"TypeError": TypeError, "ValueError": ValueError}[named]
    with tf.Graph().as_default(), tf.Session() as session:
        handle, create = writer(tmp_path)
        session.run(create)
        with pytest.raises(expected):
            session.run(build.apply_op(op, handle, *arguments, **attrs))


def test_events_wait_until_there_are_many_or_a_flush(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        handle, create = writer(tmp_path, max_queue=1, suffix="x")
        session.run(create)
        session.run(create)
        write = build.apply_op("WriteScalarSummary", handle, np.int64(1), b"loss", np.float32(1))
        counts = []
        for op in (write, write, write, build.apply_op("FlushSummaryWriter", handle)):
            session.run(op)
            counts.append(len(written(tmp_path)) - 1)
        assert counts == [0, 2, 2, 3]
        (path,) = tmp_path.iterdir()
        assert path.suffix == ".x"


def test_no_file(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        handle, create = writer(tmp_path / "made" / "here")
        write = build.apply_op("WriteScalarSummary", handle, np.int64(1), b"loss", np.float32(1))
        for op in (write, build.apply_op("FlushSummaryWriter", handle), build.apply_op("CloseSummaryWriter", handle)):
            with pytest.raises(errors.NotFoundError):
                session.run(op)
        session.run(create)
        session.run([write])
        session.run(build.apply_op("CloseSummaryWriter", handle))
        with pytest.raises(errors.NotFoundError):
            session.run(write)


def test_no_file_where_none_may_be_written(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.Config(files="read")) as session:
        _, create = writer(tmp_path / "made")
        with pytest.raises(errors.PermissionDeniedError):
            session.run(create)
    assert not list(tmp_path.iterdir())
