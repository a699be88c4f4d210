"""Iterators as a session knows them: handles, starting anew, positions, what ends a run that would never end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors, raw_ops
from icefloe.proto import VariantTensorDataProto

KIND = {"output_types": [tf.int64], "output_shapes": [[]]}
TEXT = {"output_types": [tf.string], "output_shapes": [[]]}


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def numbers(stop: Any, start: int = 0) -> Any:
    return raw_ops.RangeDataset(start=start, stop=stop, step=1, **KIND)


def iterator(**options: Any) -> Any:
    return raw_ops.IteratorV2(**{"shared_name": "", "container": "", **KIND, **options})


def following(handle: Any, **kind: Any) -> Any:
    return raw_ops.IteratorGetNext(iterator=handle, **(kind or KIND))[0]


def drawn(session: tf.Session, element: Any, most: int = 100) -> list[Any]:
    """Return what is left."""
    found: list[Any] = []
    with pytest.raises(errors.OutOfRangeError, match="End of sequence"):
        found.extend(session.run(element) for _ in range(most))
    return found


def test_starting_anew() -> None:
    stop = tf.placeholder(tf.int64, [])
    handle = iterator()
    start = raw_ops.MakeIterator(dataset=numbers(stop), iterator=handle)
    other = raw_ops.MakeIterator(dataset=numbers(12, 10), iterator=handle)
    element = following(handle)
    with tf.Session() as session:
        with pytest.raises(errors.FailedPreconditionError, match="has not been initialized"):
            session.run(element)
        session.run(start, {stop: 3})
        assert drawn(session, element) == [0, 1, 2]
        assert drawn(session, element) == []
        session.run(other)
        assert session.run(element) == 10
        session.run(start, {stop: 1})
        assert drawn(session, element) == [0]


def test_elements_of_another_kind_are_refused() -> None:
    handle = iterator(output_types=[tf.float32])
    start = raw_ops.MakeIterator(dataset=numbers(3), iterator=handle)
    pair = raw_ops.MakeIterator(
        dataset=raw_ops.ZipDataset(
            input_datasets=[numbers(3), numbers(3)], output_types=[tf.int64] * 2, output_shapes=[[], []]
        ),
        iterator=handle,
    )
    batches = iterator(output_shapes=[[3]])
    flat = raw_ops.MakeIterator(dataset=numbers(3), iterator=batches)
    with tf.Session() as session:
        with pytest.raises(errors.InvalidArgumentError, match="component 0: expected float32 but got int64"):
            session.run(start)
        with pytest.raises(errors.InvalidArgumentError, match="expected 1 types but got 2"):
            session.run(pair)
        with pytest.raises(errors.InvalidArgumentError, match=r"Incompatible shapes at component 0: expected \[3\]"):
            session.run(flat)


def test_a_name_shared_by_handles_is_one_iterator() -> None:
    first, second = iterator(shared_name="it"), iterator(shared_name="it")
    elsewhere = iterator(shared_name="it", container="other")
    start = raw_ops.MakeIterator(dataset=numbers(3), iterator=first)
    with tf.Session() as session:
        session.run(start)
        assert [session.run(following(h)) for h in (first, second, first)] == [0, 1, 2]
        with pytest.raises(errors.FailedPreconditionError):
            session.run(following(elsewhere))


def test_strings_stand_for_iterators() -> None:
    handles = [iterator(), iterator()]
    starts = [raw_ops.MakeIterator(dataset=numbers(9, s), iterator=h) for s, h in zip((0, 5), handles)]
    names = [raw_ops.IteratorToStringHandle(resource_handle=h) for h in handles]
    fed = tf.placeholder(tf.string, [])
    element = following(raw_ops.IteratorFromStringHandleV2(string_handle=fed, **KIND))
    with tf.Session() as session:
        session.run(starts)
        texts = session.run(names)
        assert [session.run(element, {fed: texts[i]}) for i in (0, 1, 1, 0)] == [0, 5, 6, 1]
        with pytest.raises(errors.InvalidArgumentError, match="Could not parse string_handle"):
            session.run(element, {fed: b"nonsense"})
        other = raw_ops.IteratorFromStringHandleV2(string_handle=fed, output_types=[tf.string])
        with pytest.raises(errors.InvalidArgumentError, match="expected string but got int64"):
            session.run(following(other, **TEXT), {fed: texts[0]})


def test_anonymous_iterators_are_new_in_each_run() -> None:
    handle = raw_ops.AnonymousIteratorV3(**KIND)
    with tf.control_dependencies([raw_ops.MakeIterator(dataset=numbers(3), iterator=handle)]):
        first = following(handle)
    with tf.control_dependencies([first]):
        second = following(handle)
    with tf.Session() as session:
        for _ in range(2):
            assert session.run([first, second]) == [0, 1]


def test_a_partial_run_draws_once() -> None:
    handle = iterator()
    start = raw_ops.MakeIterator(dataset=numbers(9), iterator=handle)
    element = following(handle)
    x = tf.placeholder(tf.int64, [])
    total = element + x
    with tf.Session() as session:
        session.run(start)
        for i in range(3):
            run = session.partial_run_setup([element, total], [x])
            assert session.partial_run(run, element) == i
            assert session.partial_run(run, total, {x: 10}) == 10 + i


def test_the_next_one_as_an_optional() -> None:
    handle = iterator()
    start = raw_ops.MakeIterator(dataset=numbers(1), iterator=handle)
    optional = raw_ops.IteratorGetNextAsOptional(iterator=handle, **KIND)
    has = raw_ops.OptionalHasValue(optional=optional)
    value = raw_ops.OptionalGetValue(optional=optional, **KIND)[0]
    with tf.Session() as session:
        session.run(start)
        assert session.run([has, value]) == [True, 0]
        assert not session.run(has)


ENDLESS: dict[str, Callable[[Any], Any]] = {
    "skip": lambda d: raw_ops.SkipDataset(input_dataset=d, count=1 << 62, **KIND),
    "shard": lambda d: raw_ops.ShardDataset(
        input_dataset=d, num_shards=1 << 62, index=(1 << 62) - 1, require_non_empty=False, **KIND
    ),
    "unique": lambda d: raw_ops.SkipDataset(
        input_dataset=raw_ops.UniqueDataset(input_dataset=d, **KIND), count=9, **KIND
    ),
    "sampling": lambda d: raw_ops.SamplingDataset(input_dataset=d, rate=-1.0, seed=1, seed2=2, **KIND),
    "batch": lambda d: raw_ops.BatchDatasetV2(
        input_dataset=d, batch_size=1 << 62, drop_remainder=True, output_types=[tf.int64], output_shapes=[[None]]
    ),
    "shuffle": lambda d: raw_ops.ShuffleDataset(input_dataset=d, buffer_size=1 << 62, seed=1, seed2=2, **KIND),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_deadline_ends_what_never_ends(name: str) -> None:
    made = ENDLESS[name](raw_ops.RepeatDataset(input_dataset=numbers(3), count=-1, **KIND))
    handle = iterator(output_shapes=[None])
    start = raw_ops.MakeIterator(dataset=made, iterator=handle)
    element = raw_ops.IteratorGetNext(iterator=handle, output_types=[tf.int64], output_shapes=[None])
    with tf.Session() as session:
        session.run(start)
        with pytest.raises(errors.DeadlineExceededError):
            session.run(element, options=tf.RunOptions(timeout_in_ms=60))


def test_closing_the_session_ends_a_run_in_another_thread() -> None:
    made = ENDLESS["skip"](raw_ops.RepeatDataset(input_dataset=numbers(3), count=-1, **KIND))
    handle = iterator()
    start = raw_ops.MakeIterator(dataset=made, iterator=handle)
    element = following(handle)
    session = tf.Session()
    session.run(start)
    begun, raised = threading.Event(), []

    def run() -> None:
        begun.set()
        try:
            session.run(element)
        except (errors.CancelledError, RuntimeError) as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    session.close()
    thread.join(20)
    assert not thread.is_alive()
    assert raised


def test_threads_draw_each_element_once() -> None:
    handle = iterator()
    start = raw_ops.MakeIterator(dataset=numbers(400), iterator=handle)
    element = following(handle)
    found: list[int] = []
    with tf.Session() as session:
        session.run(start)
        threads = [threading.Thread(target=lambda: found.extend(drawn(session, element, 500))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == list(range(400))


@pytest.mark.parametrize("engine", ["interpret", "codegen", "general"])
def test_handed_out_arrays_are_the_callers_own(engine: str) -> None:
    kept = np.arange(6.0).reshape(2, 3)
    given = tf.constant(kept)
    made = raw_ops.TensorDataset(components=[given], output_shapes=[[2, 3]])
    handle = iterator(output_types=[tf.float64], output_shapes=[[2, 3]])
    start = raw_ops.MakeIterator(dataset=made, iterator=handle)
    element = following(handle, output_types=[tf.float64], output_shapes=[[2, 3]])
    with tf.Session() as session:
        session.run(start)
        session.run(element)[:] = 7
        session.run(start)
        assert (session.run(element) == kept).all()


# Positions


def saving(dataset: Any) -> tuple[Any, ...]:
    """Return (start, element, state, restore, fed state)."""
    handle = iterator()
    start = raw_ops.MakeIterator(dataset=dataset, iterator=handle)
    state = raw_ops.SerializeIterator(resource_handle=handle)
    fed = tf.placeholder(tf.variant, [None])
    restore = raw_ops.DeserializeIterator(resource_handle=handle, serialized=fed)
    return start, following(handle), state, restore, fed


def test_positions_need_a_started_iterator() -> None:
    start, element, state, restore, fed = saving(numbers(4))
    with tf.Session() as session:
        with pytest.raises(errors.FailedPreconditionError, match="Save"):
            session.run(state)
        session.run(start)
        session.run(element)
        kept = session.run(state)
    with tf.Session() as session:
        with pytest.raises(errors.FailedPreconditionError, match="Restore"):
            session.run(restore, {fed: kept})
        session.run(start)
        session.run(restore, {fed: kept})
        assert drawn(session, element) == [1, 2, 3]


def variant(metadata: bytes, type_name: str = "tensorflow::Iterator") -> Any:
    found = np.empty(1, object)
    found[0] = VariantTensorDataProto(type_name=type_name, metadata=metadata)
    return found


BAD_STATES = {
    "another type": variant(b"{}", "tensorflow::Other"),
    "no json": variant(b"\xff{"),
    "no structure": variant(b"[1]"),
    "deep": variant(b"[" * 100000),
    "missing tensor": variant(b'{"fields":{"iterator":{"tensor":3},"generators":[]}}'),
    "missing field": variant(b'{"fields":{"iterator":{"fields":{}},"generators":[]}}'),
    "wrong kind": variant(b'{"fields":{"iterator":{"fields":{"next":[]}},"generators":[]}}'),
    "too many generators": variant(b'{"fields":{"iterator":{"fields":{"next":1}},"generators":[1]}}'),
    "huge shape": variant(b'{"fields":{"iterator":{"variants":[],"shape":[99999999999]},"generators":[]}}'),
    "two": np.array([None, None], object),
    "none": np.array([None], object),
}


@pytest.mark.parametrize("name", BAD_STATES)
def test_damaged_positions(name: str) -> None:
    start, element, _, restore, fed = saving(numbers(4))
    with tf.Session() as session:
        session.run(start)
        with pytest.raises(errors.InvalidArgumentError):
            session.run(restore, {fed: BAD_STATES[name]})
        assert session.run(element) == 0


def test_a_position_of_another_pipeline() -> None:
    start, _, state, _, _ = saving(numbers(4))
    other_start, element, _, restore, fed = saving(raw_ops.TakeDataset(input_dataset=numbers(4), count=2, **KIND))
    with tf.Session() as session:
        session.run([start, other_start])
        with pytest.raises(errors.InvalidArgumentError, match="not one of an iterator over TakeDataset"):
            session.run(restore, {fed: session.run(state)})
        assert session.run(element) == 0


# Files


def lines_of(path: Path) -> Any:
    made = raw_ops.TextLineDataset(filenames=str(path), compression_type="", buffer_size=0)
    handle = iterator(**TEXT)
    return raw_ops.MakeIterator(dataset=made, iterator=handle), following(handle, **TEXT)


def test_a_session_without_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    start, element = lines_of(tmp_path / "a.txt")
    with tf.Session(config=tf.Config(files="none")) as session:
        session.run(start)
        with pytest.raises(errors.PermissionDeniedError):
            session.run(element)
    with tf.Session(config=tf.Config(files="read")) as session:
        session.run(start)
        assert session.run(element) == b"one"


def test_a_record_that_claims_to_be_huge(tmp_path: Path) -> None:
    from icefloe.wire.crc import crc32c, mask

    size = (1 << 62).to_bytes(8, "little")
    path = tmp_path / "huge.tfr"
    path.write_bytes(size + mask(crc32c(size)).to_bytes(4, "little") + b"data")
    made = raw_ops.TFRecordDataset(filenames=str(path), compression_type="", buffer_size=0)
    handle = iterator(**TEXT)
    start = raw_ops.MakeIterator(dataset=made, iterator=handle)
    with tf.Session() as session:
        session.run(start)
        with pytest.raises(errors.DataLossError, match="truncated record at 0"):
            session.run(following(handle, **TEXT))


def test_records_written_and_read_from_the_middle(tmp_path: Path) -> None:
    path = str(tmp_path / "out.tfr")
    words = raw_ops.TensorSliceDataset(components=[[b"a", b"bc", b""]], output_shapes=[[]])
    for compression in ("", "GZIP", "ZLIB"):
        write = raw_ops.DatasetToTFRecord(input_dataset=words, filename=path, compression_type=compression)
        made = raw_ops.TFRecordDatasetV2(
            filenames=[path, path], compression_type=compression, buffer_size=0, byte_offsets=[17, 0]
        )
        handle = iterator(**TEXT)
        start = raw_ops.MakeIterator(dataset=made, iterator=handle)
        with tf.Session() as session:
            session.run(write)
            session.run(start)
            assert drawn(session, following(handle, **TEXT)) == [b"bc", b"", b"a", b"bc", b""]


def test_a_cache_in_files_is_made_once(tmp_path: Path) -> None:
    prefix = str(tmp_path / "cache")
    stop = tf.placeholder(tf.int64, [])
    made = raw_ops.CacheDataset(input_dataset=numbers(stop), filename=prefix, **KIND)
    handle = iterator()
    start = raw_ops.MakeIterator(dataset=made, iterator=handle)
    element = following(handle)
    with tf.Session() as session:
        session.run(start, {stop: 3})
        assert session.run(element) == 0
        session.run(start, {stop: 3})
        assert not (tmp_path / "cache.index").exists()
        assert drawn(session, element) == [0, 1, 2]
        session.run(start, {stop: 9})
        assert drawn(session, element) == [0, 1, 2]
    with tf.open_checkpoint(prefix) as reader:
        assert list(reader) == ["      0_0", "      1_0", "      2_0"]


def test_thousands_put_together() -> None:
    made = numbers(1)
    for i in range(1, 3000):
        made = raw_ops.ConcatenateDataset(input_dataset=made, another_dataset=numbers(i + 1, i), **KIND)
    handle = iterator()
    start = raw_ops.MakeIterator(dataset=made, iterator=handle)
    with tf.Session() as session:
        session.run(start)
        assert drawn(session, following(handle), 4000) == list(range(3000))


def test_padding_beyond_memory() -> None:
    made = raw_ops.PaddedBatchDatasetV2(
        input_dataset=raw_ops.TensorDataset(components=[[1]], output_shapes=[[1]]),
        batch_size=2,
        padded_shapes=[np.array([1 << 50])],
        padding_values=[0],
        drop_remainder=False,
        output_shapes=[[None, None]],
    )
    handle = iterator(output_types=[tf.int32], output_shapes=[[None, None]])
    start = raw_ops.MakeIterator(dataset=made, iterator=handle)
    element = following(handle, output_types=[tf.int32], output_shapes=[[None, None]])
    with tf.Session() as session:
        session.run(start)
        with pytest.raises(errors.ResourceExhaustedError):
            session.run(element)
