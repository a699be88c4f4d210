"""Reader ops of both generations: the handle is a reference or a resource, here always the reader itself.

Source: tensorflow/core/kernels/reader_ops.cc and the kernel of each reader (checks and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, scalar, unchanged, with_rank
from icefloe.ops.data_flow.shared import behind
from icefloe.resources import ResourceManager
from icefloe.resources.queue import Queue
from icefloe.resources.reader import FixedLengthRecordReader, Reader, TextLineReader, TFRecordReader, WholeFileReader
from icefloe.resources.waiting import Pending
from icefloe.shapes import Dims, shape_text

Waiting = Generator[Pending, None, Any]


def _finder(
    kind: Callable[..., Reader], manager: ResourceManager, container: str, shared_name: str, node: str, *more: Any
) -> Callable[[], Reader]:
    def may_read(path: str) -> None:
        manager.check_file(path, "read")

    return lambda: manager.lookup_or_create(container, shared_name or node, Reader, lambda: kind(node, may_read, *more))


def _not_negative(**values: int) -> None:
    for name, value in values.items():
        if value < 0:
            raise errors.InvalidArgumentError(f"{name} must be >= 0 not {value}")


@kernel("IdentityReader", "IdentityReaderV2", factory=True, returns="stored")
def identity_reader(*, container: str, shared_name: str, manager: ResourceManager, node: str) -> Callable[[], Reader]:
    return _finder(Reader, manager, container, shared_name, node)


@kernel("WholeFileReader", "WholeFileReaderV2", factory=True, returns="stored")
def whole_file_reader(*, container: str, shared_name: str, manager: ResourceManager, node: str) -> Callable[[], Reader]:
    return _finder(WholeFileReader, manager, container, shared_name, node)


@kernel("TextLineReader", "TextLineReaderV2", factory=True, returns="stored")
def text_line_reader(
    *, skip_header_lines: int, container: str, shared_name: str, manager: ResourceManager, node: str
) -> Callable[[], Reader]:
    _not_negative(skip_header_lines=skip_header_lines)
    return _finder(TextLineReader, manager, container, shared_name, node, skip_header_lines)


@kernel("FixedLengthRecordReader", factory=True, returns="stored")
def fixed_length_record_reader(
    *,
    header_bytes: int,
    record_bytes: int,
    footer_bytes: int,
    hop_bytes: int,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Reader]:
    sizes = header_bytes, record_bytes, footer_bytes, hop_bytes
    return _fixed_length(sizes, "", manager, container, shared_name, node)


@kernel("FixedLengthRecordReaderV2", factory=True, returns="stored")
def fixed_length_record_reader_v2(
    *,
    header_bytes: int,
    record_bytes: int,
    footer_bytes: int,
    hop_bytes: int,
    encoding: str,
    container: str,
    shared_name: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Reader]:
    sizes = header_bytes, record_bytes, footer_bytes, hop_bytes
    return _fixed_length(sizes, encoding, manager, container, shared_name, node)


def _fixed_length(sizes: tuple[int, int, int, int], encoding: str, *place: Any) -> Callable[[], Reader]:
    header, record, footer, hop = sizes
    _not_negative(header_bytes=header, record_bytes=record, footer_bytes=footer, hop_bytes=hop)
    return _finder(FixedLengthRecordReader, *place, *sizes, encoding)


@kernel("TFRecordReader", "TFRecordReaderV2", factory=True, returns="stored")
def tf_record_reader(
    *, compression_type: str, container: str, shared_name: str, manager: ResourceManager, node: str
) -> Callable[[], Reader]:
    return _finder(TFRecordReader, manager, container, shared_name, node, compression_type)


@kernel("ReaderRead", "ReaderReadV2", waits=True)
def read(reader_handle: Any, queue_handle: Any) -> Waiting:
    """Key and value of the next record."""
    found = behind(reader_handle, Reader)
    keys, values = yield from found.read_up_to(behind(queue_handle, Queue), 1)
    return np.array(keys[0], object), np.array(values[0], object)


@kernel("ReaderReadUpTo", "ReaderReadUpToV2", waits=True)
def read_up_to(reader_handle: Any, queue_handle: Any, num_records: Any) -> Waiting:
    """Keys and values of the next records, as vectors."""
    found = behind(reader_handle, Reader)
    if np.ndim(num_records):
        raise errors.InvalidArgumentError(
            f"num_records must be scalar, but had shape: {shape_text(np.shape(num_records))}"
        )
    count = int(num_records)
    if count < 0:
        raise errors.InvalidArgumentError(f"num_records must be >= 0 not {count}")
    return tuple(map(_vector, (yield from found.read_up_to(behind(queue_handle, Queue), count))))


def _vector(items: list[bytes]) -> Any:
    made = np.empty(len(items), object)
    made[:] = items
    return made


@kernel("ReaderNumRecordsProduced", "ReaderNumRecordsProducedV2")
def num_records_produced(reader_handle: Any) -> np.int64:
    return np.int64(behind(reader_handle, Reader).records_produced)


@kernel("ReaderNumWorkUnitsCompleted", "ReaderNumWorkUnitsCompletedV2")
def num_work_units_completed(reader_handle: Any) -> np.int64:
    return np.int64(behind(reader_handle, Reader).works_completed)


@kernel("ReaderSerializeState", "ReaderSerializeStateV2")
def serialize_state(reader_handle: Any) -> Any:
    return np.array(behind(reader_handle, Reader).serialize(), object)


@kernel("ReaderRestoreState", "ReaderRestoreStateV2")
def restore_state(reader_handle: Any, state: Any) -> tuple[()]:
    if np.ndim(state):
        raise errors.InvalidArgumentError(f"Reader state must be scalar, but had shape: {shape_text(np.shape(state))}")
    data: Any = np.asarray(state, object)[()]
    behind(reader_handle, Reader).restore(data)
    return ()


@kernel("ReaderReset", "ReaderResetV2")
def reset(reader_handle: Any) -> tuple[()]:
    behind(reader_handle, Reader).reset()
    return ()


_KINDS = ("IdentityReader", "WholeFileReader", "TextLineReader", "FixedLengthRecordReader", "TFRecordReader")


@shape(*_KINDS)
def reference_shape(c: ShapeContext) -> list[Dims]:
    return [(2,)]


shape(*[f"{kind}V2" for kind in _KINDS])(scalar)


def _check_handle(c: ShapeContext, i: int) -> None:
    if c.dtype(i).name == "resource":
        with_rank(c.shape(i), 0)
    else:
        merge(with_rank(c.shape(i), 1), (2,))


@shape("ReaderRead", "ReaderReadV2")
def read_shape(c: ShapeContext) -> list[Dims]:
    _check_handle(c, 0)
    _check_handle(c, 1)
    return [(), ()]


@shape("ReaderReadUpTo", "ReaderReadUpToV2")
def read_up_to_shape(c: ShapeContext) -> list[Dims]:
    _check_handle(c, 0)
    _check_handle(c, 1)
    with_rank(c.shape(2), 0)
    return [(None,), (None,)]


shape("ReaderNumRecordsProducedV2", "ReaderNumWorkUnitsCompletedV2", "ReaderSerializeStateV2")(unchanged)


@shape("ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted", "ReaderSerializeState", "ReaderReset")
def handle_only(c: ShapeContext) -> list[Dims]:
    _check_handle(c, 0)
    return [()] * c.num_outputs


@shape("ReaderRestoreState", "ReaderRestoreStateV2")
def restore_shape(c: ShapeContext) -> list[Dims]:
    _check_handle(c, 0)
    with_rank(c.shape(1), 0)
    return []


@shape("ReaderResetV2")
def reset_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    return []
