"""Checkpoints read and written by the graph: the ops behind a Saver, of both formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.merge import merge_checkpoints
from icefloe.checkpoint.opening import open_exact
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import TensorSlice, parse_spec
from icefloe.checkpoint.v1.reader import V1Reader
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.checkpoint.writer import BundleWriter
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext, merge, scalar, with_rank
from icefloe.ops import variants
from icefloe.ops.wording import dtype_name
from icefloe.resources.manager import ResourceManager
from icefloe.shapes import Dims, shape_text

not_differentiable(
    "SaveV2",
    "RestoreV2",
    "MergeV2Checkpoints",
    "Save",
    "SaveSlices",
    "Restore",
    "RestoreSlice",
    "ShardedFilename",
    "ShardedFilespec",
)


# What the ops are given


def _text(value: Any) -> str:
    """Return the one string in a tensor, as a path or name; bytes that are no UTF-8 become surrogates, as in
    `os.fsdecode`.
    """
    item = np.asarray(value, dtype=object).reshape(-1)[0]
    return item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)


def _texts(values: Any) -> list[str]:
    return [_text(v) for v in np.asarray(values, dtype=object).reshape(-1)]


def _size(value: Any) -> int:
    return np.asarray(value, dtype=object).size


def _check_names(prefix: Any, names: Any, specs: Any) -> None:
    """Check prefix, names and slice specs of SaveV2 and RestoreV2. Raises: InvalidArgumentError with TensorFlow's
    text.
    """
    if _size(prefix) != 1:
        raise errors.InvalidArgumentError(f"Input prefix should have a single element, got {_size(prefix)} instead.")
    names_shape, specs_shape = np.shape(names), np.shape(specs)
    if len(names_shape) != 1 or len(specs_shape) != 1:
        raise errors.InvalidArgumentError(
            "Input tensor_names and shape_and_slices should be an 1-D tensors, got "
            f"{shape_text(names_shape)} and {shape_text(specs_shape)} instead."
        )
    if names_shape != specs_shape:
        raise errors.InvalidArgumentError(
            "tensor_names and shape_and_slices have different number of elements: "
            f"{names_shape[0]} vs. {specs_shape[0]}"
        )


def _check_fits(spec: str, chosen: TensorSlice, full: tuple[int, ...], value: Any) -> None:
    if chosen.shape(full) != np.shape(value):
        raise errors.InvalidArgumentError(
            "Slice in shape_and_slice specification does not match the shape of the tensor to  save: "
            f"{spec}, tensor: {shape_text(np.shape(value))}"
        )


# V2


@kernel("SaveV2")
def save_v2(
    prefix: Any,
    tensor_names: Any,
    shape_and_slices: Any,
    tensors: tuple[Any, ...],
    *,
    dtypes: tuple[DType, ...],
    manager: ResourceManager,
) -> tuple[()]:
    """Write the tensors under `prefix`, one data file, in the order in which they are given."""
    _check_names(prefix, tensor_names, shape_and_slices)
    names, specs = _texts(tensor_names), _texts(shape_and_slices)
    if len(names) != len(tensors):
        raise errors.InvalidArgumentError(f"Got {len(names)} tensor names but {len(tensors)} tensors.")
    path = _text(prefix)
    manager.check_file(path, "write")
    with BundleWriter(path) as writer:
        for name, spec, value, dtype in zip(names, specs, tensors, dtypes):
            if spec:
                full, chosen = parse_spec(spec)
                _check_fits(spec, chosen, full, value)
                writer.add_slice(name, full, chosen, _as_array(value), dtype=dtype.base_dtype)
            else:
                array = _as_array(value) if dtype != datatypes.variant else variants.messages_of(value)
                writer.add(name, array, dtype=dtype.base_dtype)
    return ()


def _as_array(value: Any) -> np.ndarray:
    return np.asarray(value, dtype=object) if isinstance(value, (bytes, str)) else np.asarray(value)


@kernel("RestoreV2")
def restore_v2(
    prefix: Any, tensor_names: Any, shape_and_slices: Any, *, dtypes: tuple[DType, ...], manager: ResourceManager
) -> tuple[np.ndarray, ...]:
    """Read the named tensors, or slices of them, of a V2 or V1 checkpoint. Nothing is read before all names and
    dtypes are found right.
    """
    _check_names(prefix, tensor_names, shape_and_slices)
    names, specs = _texts(tensor_names), _texts(shape_and_slices)
    if len(names) != len(dtypes):
        raise errors.InvalidArgumentError(f"Got {len(names)} tensor names, but {len(dtypes)} expected dtypes.")
    path = _text(prefix)
    manager.check_file(path, "read")
    with open_exact(path) as reader:
        chosen = _check_stored(reader, names, specs, dtypes)
        return tuple(
            _read(reader, name, dtype) if part is None else reader.read_slice(name, part)
            for name, dtype, part in zip(names, dtypes, chosen)
        )


def _read(reader: CheckpointReader, name: str, dtype: DType) -> Any:
    value = reader.read(name)
    return value if dtype != datatypes.variant else variants.of_messages(value)


def _check_stored(
    reader: CheckpointReader, names: Sequence[str], specs: Sequence[str], dtypes: Sequence[DType]
) -> list[TensorSlice | None]:
    """Return the slice to read of each tensor, None for a whole one.

    Raises: NotFoundError that names all missing tensors, InvalidArgumentError that names all of a wrong dtype.
    """
    missing = [name for name in names if name not in reader]
    if missing:
        if reader.keys_of(missing[0]):
            reader.find(missing[0])  # says that several tensors have the name
        error = reader.missing(missing[0])
        if len(missing) > 1:
            error.message += f"; {len(missing) - 1} more are missing: {', '.join(missing[1:10])}" + (
                ", …" if len(missing) > 10 else ""
            )
        raise error
    wrong = []
    for name, dtype in zip(names, dtypes):
        stored = reader.entry(name).dtype
        if stored != dtype.base_dtype:
            wrong.append(_wrong_dtype(reader, name, dtype, stored))
    if wrong:
        raise errors.InvalidArgumentError("\n".join(wrong), path=reader.prefix)
    return [_slice_of(reader, name, spec) for name, spec in zip(names, specs)]


def _wrong_dtype(reader: CheckpointReader, name: str, dtype: DType, stored: DType) -> str:
    if isinstance(reader, V1Reader):
        return (
            f"Expected to restore a tensor of type {dtype_name(dtype)}, got a tensor of type {dtype_name(stored)} "
            f"instead: tensor_name = {name}"
        )
    return (
        f"tensor_name = {name}; expected dtype {dtype_name(dtype)} does not equal original dtype {dtype_name(stored)}"
    )


def _slice_of(reader: CheckpointReader, name: str, spec: str) -> TensorSlice | None:
    if not spec:
        return None
    full, chosen = parse_spec(spec)
    stored = reader.entry(name).shape
    if full != stored:
        raise errors.InvalidArgumentError(
            f"tensor_name = {name}; shape in shape_and_slice spec {shape_text(full)} does not match the shape stored "
            f"in checkpoint: {shape_text(stored)}",
            path=reader.prefix,
        )
    return chosen


@shape("RestoreV2")
def restore_v2_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    merge(with_rank(c.shape(1), 1), with_rank(c.shape(2), 1))
    specs = c.constant(2)
    if specs is None:
        return [None] * c.num_outputs
    if len(specs) != c.num_outputs:
        raise errors.InvalidArgumentError("The number of shape_and_slice doesn't match tensor outputs.")
    return [_spec_shape(spec) for spec in _texts(specs)]


def _spec_shape(spec: str) -> Dims:
    if not spec:
        return None
    full, chosen = parse_spec(spec)
    return chosen.shape(full)


@shape("SaveV2")
def save_v2_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    merge(with_rank(c.shape(1), 1), with_rank(c.shape(2), 1))
    return []


@kernel("MergeV2Checkpoints")
def merge_v2_checkpoints(
    checkpoint_prefixes: Any,
    destination_prefix: Any,
    *,
    delete_old_dirs: bool,
    allow_missing_files: bool,
    manager: ResourceManager,
) -> tuple[()]:
    """Make one checkpoint of several, whose files are used up."""
    if np.ndim(checkpoint_prefixes) != 1:
        raise errors.InvalidArgumentError(
            "Input checkpoint_prefixes should be an 1-D tensor, got "
            f"{shape_text(np.shape(checkpoint_prefixes))} instead."
        )
    if np.ndim(destination_prefix):
        raise errors.InvalidArgumentError(
            "Input destination_prefix should be a scalar tensor, got "
            f"{shape_text(np.shape(destination_prefix))} instead."
        )
    prefixes, destination = _texts(checkpoint_prefixes), _text(destination_prefix)
    for path in (*prefixes, destination):
        manager.check_file(path, "write")
    merge_checkpoints(prefixes, destination, delete_old_dirs=delete_old_dirs, allow_missing_files=allow_missing_files)
    return ()


@shape("MergeV2Checkpoints")
def merge_v2_checkpoints_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 1)
    with_rank(c.shape(1), 0)
    return []


# V1


def _save_v1(
    filename: Any, names: Any, specs: Sequence[str] | None, data: tuple[Any, ...], manager: ResourceManager
) -> tuple[()]:
    """Write one V1 file; tensors are put in the order of their names first, as TensorFlow does."""
    if _size(filename) != 1:
        raise errors.InvalidArgumentError(
            f"Input 0 (filename) must be a string scalar; got a tensor of {_size(filename)}elements"
        )
    texts = _texts(names)
    fixed = 2 if specs is None else 3
    if len(texts) != len(data):
        raise errors.InvalidArgumentError(
            f"Expected totally {len(texts) + fixed} inputs as input #1 (which is a string tensor of saved names) "
            f"contains {len(texts)} names, but received {len(data) + fixed} inputs"
        )
    if specs is not None and len(specs) != len(texts):
        raise errors.InvalidArgumentError(
            f"Expected {len(texts)} elements for the tensor shapes and slices but got {len(specs)}"
        )
    path = _text(filename)
    manager.check_file(path, "write")
    writer = V1Writer(path)
    for i in sorted(range(len(texts)), key=lambda i: texts[i].encode("utf-8", "surrogateescape")):
        value = _as_array(data[i])
        if specs is not None and specs[i]:
            full, chosen = parse_spec(specs[i])
            _check_fits(specs[i], chosen, full, value)
            writer.add_slice(texts[i], full, chosen, value)
        else:
            writer.add(texts[i], value)
    writer.finish()
    return ()


@kernel("Save")
def save(filename: Any, tensor_names: Any, data: tuple[Any, ...], *, manager: ResourceManager) -> tuple[()]:
    return _save_v1(filename, tensor_names, None, data, manager)


@kernel("SaveSlices")
def save_slices(
    filename: Any, tensor_names: Any, shapes_and_slices: Any, data: tuple[Any, ...], *, manager: ResourceManager
) -> tuple[()]:
    return _save_v1(filename, tensor_names, _texts(shapes_and_slices), data, manager)


@shape("Save")
def save_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    with_rank(c.shape(1), 1)
    return []


@shape("SaveSlices")
def save_slices_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    merge(with_rank(c.shape(1), 1), with_rank(c.shape(2), 1))
    return []


def _restore_v1(file_pattern: Any, name: Any, spec: str, dt: DType, manager: ResourceManager) -> np.ndarray:
    """Read one tensor; a V2 checkpoint is read as well."""
    if _size(file_pattern) != 1:
        raise errors.InvalidArgumentError(
            f"Input 0 (file_pattern) must be a string scalar; got a tensor of {_size(file_pattern)} elements"
        )
    path = _text(file_pattern)
    manager.check_file(path, "read")
    with open_exact(path) as reader:
        (chosen,) = _check_stored(reader, [_text(name)], [spec], [dt])
        return reader.read(_text(name)) if chosen is None else reader.read_slice(_text(name), chosen)


@kernel("Restore")
def restore(file_pattern: Any, tensor_name: Any, *, dt: DType, manager: ResourceManager) -> np.ndarray:
    return _restore_v1(file_pattern, tensor_name, "", dt, manager)


@kernel("RestoreSlice")
def restore_slice(
    file_pattern: Any, tensor_name: Any, shape_and_slice: Any, *, dt: DType, manager: ResourceManager
) -> np.ndarray:
    return _restore_v1(file_pattern, tensor_name, _text(shape_and_slice), dt, manager)


@shape("Restore")
def restore_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    with_rank(c.shape(1), 0)
    return [None]


@shape("RestoreSlice")
def restore_slice_shape(c: ShapeContext) -> list[Dims]:
    for i in range(3):
        with_rank(c.shape(i), 0)
    spec = c.constant(2)
    return [None if spec is None else _spec_shape(_text(spec))]


# Names


def _check_scalars(**arguments: Any) -> None:
    for name, value in arguments.items():
        if np.ndim(value):
            raise errors.InvalidArgumentError(f"{name} must be a scalar, got shape {shape_text(np.shape(value))}")


def _string(text: str) -> np.ndarray:
    return np.array(text.encode("utf-8", "surrogateescape"), dtype=object)


@kernel("ShardedFilename")
def sharded_filename(basename: Any, shard: Any, num_shards: Any) -> np.ndarray:
    """`basename-SSSSS-of-NNNNN`."""
    _check_scalars(basename=basename, shard=shard, num_shards=num_shards)
    return _string(f"{_text(basename)}-{int(shard):05d}-of-{int(num_shards):05d}")


@kernel("ShardedFilespec")
def sharded_filespec(basename: Any, num_shards: Any) -> np.ndarray:
    """`basename-?????-of-NNNNN`."""
    _check_scalars(basename=basename, num_shards=num_shards)
    return _string(f"{_text(basename)}-?????-of-{int(num_shards):05d}")


shape("ShardedFilename", "ShardedFilespec")(scalar)
