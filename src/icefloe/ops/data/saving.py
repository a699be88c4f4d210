"""SaveDataset, LoadDataset and snapshots: elements written to files, and read instead of being made again.

Source: tensorflow/core/kernels/data/experimental/save_dataset_op.cc, load_dataset_op.cc, snapshot_dataset_op.cc. Legacy
snapshots (SnapshotDataset) are written in the newer layout, in one shard.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.data.graphs import fingerprint
from icefloe.ops.data.making import dataset_op, number, spec_of, text
from icefloe.ops.data.snapshots import Shard, Writer, checked_compression, read_metadata, shards
from icefloe.resources.datasets.base import (
    UNKNOWN,
    Context,
    Dataset,
    Element,
    Iterator,
    OneInput,
    Spec,
    State,
    Through,
    as_dataset,
)
from icefloe.resources.datasets.flattening import single_dataset
from icefloe.resources.datasets.sources import List
from icefloe.resources.elements import shape_of
from icefloe.resources.manager import ResourceManager
from icefloe.shapes import Dims

not_differentiable("SaveDataset")

ShardOf = Callable[[Element], int]
_NESTED = Spec((datatypes.variant,), ((),))


def _path(value: Any) -> str:
    return os.fsdecode(text(value, "path"))


def _shard_function(context: Context, function: Any, captured: Sequence[Any], used: bool) -> ShardOf:
    if not used:
        return lambda element: 0
    call = context.bind(function, captured)

    def shard_of(element: Element) -> int:
        results = call(element)
        if len(results) != 1 or getattr(results[0], "dtype", None) != np.int64 or np.size(results[0]) != 1:
            raise errors.InvalidArgumentError("`shard_func` must return a scalar int64.")
        return int(np.ravel(results[0])[0])

    return shard_of


class _Saving(OneInput):
    """The elements, each written as it is drawn. shard_of: makes the function that gives an element's shard."""

    kind = "SaveV2"

    def __init__(
        self, source: Dataset, folder: str, compression: str, shard_of: Callable[[Context], ShardOf], spec: Spec
    ) -> None:
        super().__init__(source, spec)
        self.folder = folder
        self.compression = compression
        self.shard_of = shard_of

    def iterator(self, context: Context) -> Iterator:
        return _SavingIterator(self, context)


class _SavingIterator(Through):
    """What is restored in the middle writes no more: the run that it began is not there."""

    def __init__(self, dataset: _Saving, context: Context) -> None:
        super().__init__(dataset.source.iterator(context))
        self._dataset = dataset
        self._shard_of = dataset.shard_of(context)
        self._writer: Writer | None = None
        self._writes = True

    def next(self) -> Element | None:
        if self._writes and self._writer is None:
            self._writer = Writer(self._dataset.folder, self._dataset.compression, self._dataset.spec.dtypes)
        element = super().next()
        if self._writer is not None:
            if element is None:
                self._writer.finish()
                self._writer, self._writes = None, False
            else:
                self._writer.write(self._shard_of(element), element)
        return element

    def restore(self, state: State) -> None:
        super().restore(state)
        self._writes = False

    def __del__(self) -> None:
        if self._writer is not None:
            self._writer.close()


class _Reading(Dataset):
    """The elements of a folder, as `reader` puts its shards together: None for one after the other."""

    kind = "Load"

    def __init__(self, nested: Dataset, reader: Any, captured: Sequence[Any], spec: Spec, count: int) -> None:
        super().__init__(spec)
        self.nested = nested
        self.reader = reader
        self.captured = captured
        self.count = count

    def cardinality(self, context: Context | None = None) -> int:
        return self.count

    def iterator(self, context: Context) -> Iterator:
        found = single_dataset(context.bind(self.reader, self.captured)([self.nested]))
        return _ReadingIterator(found.iterator(context), context)


class _ReadingIterator(Iterator):
    """A position is the number of elements and errors given: the files are read again up to it."""

    def __init__(self, source: Iterator, context: Context) -> None:
        self._source = source
        self._context = context
        self._given = 0

    def next(self) -> Element | None:
        self._given += 1
        return self._source.next()

    def save(self) -> State:
        return {"given": self._given}

    def restore(self, state: State) -> None:
        for _ in range(int(state["given"])):
            self._context.check()
            with contextlib.suppress(errors.OpError):
                self.next()


def _nested(folder: str, run: str, compression: str, spec: Spec, manager: ResourceManager) -> Dataset:
    """Return the dataset whose elements are a run's shards, datasets."""
    parts = [Shard(path, 0, compression, spec, lambda p: manager.check_file(p, "read")) for path in shards(folder, run)]
    return List([(part,) for part in parts], _NESTED)


@kernel("SaveDataset", per_run=True)
def save_dataset(
    input_dataset: Any,
    path: Any,
    shard_func_other_args: tuple[Any, ...],
    *,
    compression: str,
    shard_func: Any,
    use_shard_func: bool,
    manager: ResourceManager,
    run: Any,
) -> tuple[()]:
    """Write all elements."""
    folder, source = _path(path), as_dataset(input_dataset)
    manager.check_file(folder, "write")
    context = Context(run)
    shard_of = _shard_function(context, shard_func, shard_func_other_args, use_shard_func)
    writer = Writer(folder, checked_compression(compression), source.spec.dtypes)
    iterator = source.iterator(context)
    try:
        while (element := iterator.next()) is not None:
            writer.write(shard_of(element), element)
            context.check()
    except BaseException:
        writer.close()
        raise
    writer.finish()
    return ()


@dataset_op("SaveDatasetV2")
def save_dataset_v2(
    input_dataset: Any,
    path: Any,
    shard_func_other_args: tuple[Any, ...],
    *,
    compression: str,
    shard_func: Any,
    use_shard_func: bool,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    folder = _path(path)
    manager.check_file(folder, "write")
    return _Saving(
        as_dataset(input_dataset),
        folder,
        checked_compression(compression),
        lambda context: _shard_function(context, shard_func, shard_func_other_args, use_shard_func),
        spec_of(output_types, output_shapes),
    )


@dataset_op("LoadDataset")
def load_dataset(
    path: Any,
    reader_func_other_args: tuple[Any, ...],
    *,
    compression: str,
    reader_func: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    """The elements that a SaveDataset op, of TensorFlow or of icefloe, has written."""
    folder = _path(path)
    manager.check_file(folder, "read")
    metadata = read_metadata(folder)
    if metadata is None:
        raise errors.NotFoundError(f"Could not find metadata file [{folder}]", path=folder)
    if not metadata.finalized:
        raise errors.FailedPreconditionError("the dataset was not saved to its end", path=folder)
    spec = spec_of(output_types, output_shapes)
    nested = _nested(folder, metadata.run, checked_compression(compression), spec, manager)
    return _Reading(nested, reader_func, reader_func_other_args, spec, metadata.count)


@dataset_op("SnapshotDatasetReader")
def snapshot_dataset_reader(
    shard_dir: Any,
    start_index: Any,
    *,
    compression: str,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    folder, start = _path(shard_dir), number(start_index, "start_index")
    spec = spec_of(output_types, output_shapes)
    return Shard(folder, start, checked_compression(compression), spec, lambda p: manager.check_file(p, "read"))


@dataset_op("SnapshotNestedDatasetReader")
def snapshot_nested_dataset_reader(inputs: tuple[Any, ...]) -> Dataset:
    return List([(as_dataset(value),) for value in inputs], _NESTED)


class _Snapshot(OneInput):
    """The elements out of a folder where they are there; else those of the input, which are written to it.

    mode: "auto", "read", "write" or "passthrough". expiry: seconds after which an unfinished snapshot is given up.
    """

    kind = "Snapshot"

    def __init__(
        self,
        saving: _Saving,
        reading: Callable[[str], Dataset],
        *,
        mode: str = "auto",
        expiry: float = 86400,
    ) -> None:
        super().__init__(saving.source, saving.spec)
        self.saving = saving
        self.reading = reading
        self.mode = mode
        self.expiry = expiry

    def iterator(self, context: Context) -> Iterator:
        metadata = None if self.mode in ("write", "passthrough") else read_metadata(self.saving.folder)
        if self.mode == "read" and metadata is None:
            raise errors.NotFoundError("Metadata file does not exist.", path=self.saving.folder)
        if metadata is not None and (metadata.finalized or self.mode == "read"):
            return Through(self.reading(metadata.run).iterator(context))
        pending = metadata is not None and time.time() - metadata.created <= self.expiry
        if self.mode == "passthrough" or pending:
            return Through(self.source.iterator(context))
        return self.saving.iterator(context)


def _folder_of(path: Any, source: Dataset, given: int | None, manager: ResourceManager) -> str:
    """Return the folder of a pipeline's snapshots below `path`: named by a hash of the pipeline."""
    if given is None:
        given = fingerprint(source)
    folder = os.path.join(_path(path), str(given & (2**64 - 1)))
    manager.check_file(folder, "write")
    return folder


@dataset_op("SnapshotDatasetV2")
def snapshot_dataset_v2(
    input_dataset: Any,
    path: Any,
    reader_func_other_args: tuple[Any, ...],
    shard_func_other_args: tuple[Any, ...],
    *,
    compression: str,
    hash_valid: bool,
    hash: int,
    reader_func: Any,
    shard_func: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    source, spec = as_dataset(input_dataset), spec_of(output_types, output_shapes)
    folder, coded = _folder_of(path, source, hash if hash_valid else None, manager), checked_compression(compression)
    saving = _Saving(
        source,
        folder,
        coded,
        lambda context: _shard_function(context, shard_func, shard_func_other_args, True),
        spec,
    )
    return _Snapshot(
        saving,
        lambda run: _Reading(
            _nested(folder, run, coded, spec, manager), reader_func, reader_func_other_args, spec, UNKNOWN
        ),
    )


@dataset_op("SnapshotDataset")
def snapshot_dataset(
    input_dataset: Any,
    path: Any,
    *,
    compression: str,
    pending_snapshot_expiry_seconds: int,
    mode: str,
    snapshot_name: str,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    manager: ResourceManager,
) -> Dataset:
    if mode not in ("auto", "read", "write", "passthrough"):
        raise errors.InvalidArgumentError(
            f"mode must be either 'auto', 'read', 'write', or 'passthrough', but is: {mode}"
        )
    if shape_of(path) != ():
        raise errors.InvalidArgumentError("path must be a scalar")
    source, spec = as_dataset(input_dataset), spec_of(output_types, output_shapes)
    coded = checked_compression("GZIP" if compression == "SNAPPY" else compression)
    if snapshot_name:
        folder = os.path.join(_path(path), f"custom-{snapshot_name.replace('/', '_')}")
        manager.check_file(folder, "write")
    else:
        folder = _folder_of(path, source, None, manager)
    saving = _Saving(source, folder, coded, lambda context: lambda element: 0, spec)

    def reading(run: str) -> Dataset:
        return Shard(
            os.path.join(folder, run, f"{0:08d}.shard"), 0, coded, spec, lambda p: manager.check_file(p, "read")
        )

    return _Snapshot(saving, reading, mode=mode, expiry=pending_snapshot_expiry_seconds)


@shape("SaveDataset")
def save_dataset_shape(c: ShapeContext) -> list[Dims]:
    return []
