"""Readers give what TensorFlow's give: records, counts, states and errors; states can be restored; reads take turns."""

from __future__ import annotations

import base64
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from icefloe import datatypes as dtypes
from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.session import Config, Session

SCENARIOS = json.loads((Path(__file__).parents[3] / "fixtures" / "readers" / "answers.json").read_text())


def decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [decoded(v) for v in value]
    return base64.b64decode(value) if isinstance(value, str) else value


def plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


@pytest.fixture
def graph() -> Any:
    made = Graph()
    with made.as_default():
        yield made


def strings(works: list[bytes]) -> Any:
    made = np.empty(len(works), object)
    made[:] = works
    return made


class Pair:
    """A reader and the queue of its works. v: generation."""

    def __init__(self, op: str, works: list[bytes], v: str = "V2", **attrs: Any) -> None:
        self.v = v
        self.queue = apply_op(f"FIFOQueue{v}", component_types=[dtypes.string], shapes=[[]])
        self.reader = apply_op(op if v else op.removesuffix("V2"), **attrs)
        self.put = apply_op(f"QueueEnqueueMany{v}", self.queue, [strings(works)])
        self.close = apply_op(f"QueueClose{v}", self.queue)
        self.counts = [self.of("ReaderNumRecordsProduced"), self.of("ReaderNumWorkUnitsCompleted")]
        self.state = self.of("ReaderSerializeState")

    def of(self, op: str, *inputs: Any) -> Any:
        return apply_op(f"{op}{self.v}", self.reader, *inputs)

    def read(self, count: int = 0) -> Any:
        if count:
            return list(self.of("ReaderReadUpTo", self.queue, np.int64(max(count, 0))))
        return list(self.of("ReaderRead", self.queue))


@pytest.mark.parametrize("v", ["", "V2"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[s["name"] for s in SCENARIOS])
def test_reader(
    scenario: dict[str, Any], v: str, graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in scenario["files"].items():
        Path(name).write_bytes(decoded(data))
    attrs = dict(scenario.get("attrs", {}))
    if not v:
        graph._versions.producer = 25  # since then graphs have had readers of the second generation
        if attrs.pop("encoding", "") in ("ZLIB", "GZIP"):
            pytest.skip("the first generation of the op has no encodings")
    pair = Pair(scenario["op"], decoded(scenario["works"]), v, **attrs)
    with Session() as session:
        session.run(pair.put)
        session.run(pair.close)
        for count, answer in zip(scenario["reads"], scenario["answers"], strict=True):
            if "error" in answer:
                with pytest.raises(getattr(errors, answer["error"])) as caught:
                    session.run(pair.read(count))
                said = answer["message"].replace("'q'", "'_0_FIFOQueueV2'" if v else "'_0_FIFOQueue'")
                assert caught.value.message == said
            else:
                assert [plain(value) for value in session.run(pair.read(count))] == decoded(answer["read"])
            assert [plain(value) for value in session.run(pair.counts)] == answer["counts"]
            if isinstance(answer["state"], str):
                assert session.run(pair.state) == decoded(answer["state"])
            else:
                with pytest.raises(errors.UnimplementedError, match="Reader SerializeState"):
                    session.run(pair.state)


def test_state(graph: Graph) -> None:
    pair = Pair("IdentityReaderV2", [b"a", b"b", b"c"])
    given = apply_op("Placeholder", dtype=dtypes.string, shape=[])
    restore, reset = pair.of("ReaderRestoreState", given), pair.of("ReaderReset")
    with Session() as s:
        s.run(pair.put)
        s.run(pair.read())
        state = s.run(pair.state)
        s.run(pair.read(2))
        assert s.run(pair.counts) == [2, 2]
        s.run(restore, {given: state})
        assert s.run(pair.counts) == [1, 1] and s.run(pair.state) == state
        for bad, message in (
            (b"BOGUS\xff", r"Could not parse state for IdentityReader 'IdentityReaderV2': BOGUS\377"),
            (b"\x08\x01", "Inconsistent work started vs. finished when restoring in IdentityReader"),
            (b"\x08" + b"\xff" * 9 + b"\x01", "Unexpected negative value when restoring in IdentityReader"),
        ):
            s.run(restore, {given: state})
            with pytest.raises(errors.InvalidArgumentError) as caught:
                s.run(restore, {given: bad})
            assert caught.value.message.startswith(message)
            assert s.run(pair.state) == b""
        s.run(restore, {given: b"\x08\x02\x10\x02\x18\x05\x22\x01Z"})
        assert s.run(pair.counts) == [5, 2]
        s.run(reset)
        assert s.run(pair.counts) == [0, 0]


def test_state_of_parts_cannot_be_kept(graph: Graph) -> None:
    pair = Pair("TextLineReaderV2", [])
    restore = pair.of("ReaderRestoreState", np.array(b"", object))
    with Session() as s, pytest.raises(errors.UnimplementedError, match="Reader RestoreState"):
        s.run(restore)


@pytest.mark.parametrize(
    ("queue", "element", "message"),
    [
        ([dtypes.string, dtypes.string], [b"a", b"b"], "Expected single component queue"),
        ([dtypes.int32], [np.int32(1)], "Expected queue with single string component"),
        ([dtypes.string], [strings([b"a", b"b"])], "Expected to dequeue a one-element string tensor"),
    ],
)
def test_queues_of_something_else(graph: Graph, queue: list[Any], element: list[Any], message: str) -> None:
    handle = apply_op("FIFOQueueV2", component_types=queue)
    put = apply_op("QueueEnqueueV2", handle, element)
    read = apply_op("ReaderReadV2", apply_op("IdentityReaderV2"), handle)
    with Session() as s:
        s.run(put)
        with pytest.raises(errors.InvalidArgumentError) as caught:
            s.run(read[0])
        assert caught.value.message == message


def test_reads_take_turns_and_wait_for_works(graph: Graph) -> None:
    """Two reads in one run, and works that come from another step of it, one at a time."""
    pair = Pair("IdentityReaderV2", [b"a", b"b"])
    first, second = pair.read(), pair.read()
    with Session() as s:
        *values, _ = s.run([*first, *second, pair.put])
        assert sorted(values) == [b"a", b"a", b"b", b"b"]
        # One that waits in another thread keeps its turn and gets the first work.
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(s.run(pair.read(2)[1])))
        thread.start()
        while s.run(pair.counts)[0] < 2:
            pass
        s.run(pair.put)
        thread.join()
        assert found[0].tolist() == [b"a"]


def test_files_policy(graph: Graph, tmp_path: Path) -> None:
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_bytes(b"x")
    inside, outside = (str(tmp_path / name / "f") for name in ("in", "out"))
    kinds = ("WholeFileReaderV2", "TextLineReaderV2", "TFRecordReaderV2")
    reads = [Pair(kind, [outside.encode()]) for kind in kinds]
    reads.append(Pair("FixedLengthRecordReaderV2", [outside.encode()], record_bytes=1))
    allowed = Pair("WholeFileReaderV2", [inside.encode()])
    with Session(config=Config(files="none", allow_files=[tmp_path / "in"])) as s:
        for pair in reads:
            s.run(pair.put)
            with pytest.raises(errors.PermissionDeniedError, match="may not read files"):
                s.run(pair.read())
        s.run(allowed.put)
        assert s.run(allowed.read()[1]) == b"x"
