"""Pipelines recorded by fixtures/make/datasets.py: elements, errors and their texts, lengths, saved positions."""

from __future__ import annotations

import functools
import json
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401 (its names become numpy dtypes)
import numpy as np
import pytest

import icefloe as tf
from icefloe import errors

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "datasets"


@functools.cache
def archive() -> zipfile.ZipFile:
    return zipfile.ZipFile(FIXTURES / "pipelines.zip")


ANSWERS: dict[str, Any] = json.loads(archive().read("answers.json"))
# Errors whose class is TensorFlow's but not the text, which there names rewritten pipelines and inner workings.
OTHER_TEXT = {
    "batch_uneven",
    "rebatch_uneven",
    "filter_ended",
    "flat_map_ended",
    "made_by_shuffle_alike",
    "made_by_shuffle_without",
    "saved_not",
}
# A position does not say how far the random numbers of functions are, in TensorFlow neither.
RANDOM_FUNCTIONS = {"map_random", "flat_map_random", "take_while_random"}
FEEDS = {"pipeline/directory:0": str(FIXTURES / "files")}


class Pipeline:
    """One recorded pipeline in a session."""

    def __init__(self, name: str) -> None:
        self.answers = ANSWERS[name]
        self.session = tf.Session(graph=tf.load_graph(archive().read(f"{name}.pb")))

    def start(self) -> None:
        self.session.run("pipeline/start", FEEDS)

    def next(self) -> Any:
        return self.session.run(self.answers["fetches"])

    def check(self, expected: Any, name: str) -> None:
        """Draw once and compare with a recorded outcome."""
        if isinstance(expected, dict):
            with pytest.raises(errors.OpError) as raised:
                self.next()
            check_error(raised.value, expected, name)
            return
        for got, wanted in zip(self.next(), expected, strict=True):
            check_value(got, wanted)


def check_value(got: Any, wanted: dict[str, Any]) -> None:
    if wanted["dtype"] == "string":
        flat = np.asarray(got, object).reshape(-1).tolist()
        assert list(np.shape(got)) == wanted["shape"]
        assert flat == [bytes.fromhex(v) for v in wanted["hex"]]
        return
    array = np.asarray(got)
    assert (array.dtype.name, list(array.shape)) == (wanted["dtype"], wanted["shape"])
    assert array.tobytes().hex() == wanted["hex"]


def check_error(error: errors.OpError, expected: dict[str, str], name: str) -> None:
    assert type(error).__name__ == expected["error"], error
    if name not in OTHER_TEXT:
        first = error.message.splitlines()[0]
        assert first.replace(str(FIXTURES / "files"), "") in expected["message"].replace(
            _recorded_directory(expected["message"]), ""
        )


def _recorded_directory(message: str) -> str:
    """Return the directory of the files that a message names, as it was when it was recorded."""
    at = message.find("/fixtures/datasets/files")
    if at < 0:
        return "\0"
    start = max(message.rfind(c, 0, at) for c in ' "') + 1
    return message[start : at + len("/fixtures/datasets/files")]


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_elements(name: str) -> None:
    pipeline = Pipeline(name)
    answers = pipeline.answers
    if "start" in answers:
        with pytest.raises(errors.OpError) as raised:
            pipeline.start()
        check_error(raised.value, answers["start"], name)
        return
    assert int(pipeline.session.run("pipeline/size:0", FEEDS)) == answers["size"]
    pipeline.start()
    for outcome in answers["outcomes"]:
        pipeline.check(outcome, name)


@pytest.mark.parametrize("name", sorted(n for n in ANSWERS if "start" not in ANSWERS[n] and n not in RANDOM_FUNCTIONS))
def test_saved_positions(name: str, tmp_path: Path) -> None:
    """An iterator restored in another session goes on where it was saved."""
    outcomes = ANSWERS[name]["outcomes"]
    place = {"pipeline/place:0": str(tmp_path / "position")}
    for drawn in {len(outcomes) // 2, len(outcomes)}:
        first = Pipeline(name)
        first.start()
        for outcome in outcomes[:drawn]:
            first.check(outcome, name)
        first.session.run("pipeline/save", place)
        second = Pipeline(name)
        second.start()
        second.session.run("pipeline/restore", place)
        for outcome in outcomes[drawn:]:
            second.check(outcome, name)
