"""`Dataset.save`, `load` and `snapshot`: elements kept in files.

Source: tensorflow/python/data/ops/save_op.py, load_op.py, snapshot_op.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.operation import Operation
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_structure as structure
from icefloe.lib import files
from icefloe.lib.data_arguments import AUTOTUNE, arguments
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_function import DatasetFunction
from icefloe.lib.data_spec import DatasetSpec
from icefloe.lib.data_spec_files import decode, encode

SPEC_FILE = "dataset_spec.pb"
Function = Callable[..., Any]


def save(dataset: Dataset, path: str, compression: str | None, shard_func: Function | None) -> Operation:
    """See `Dataset.save`."""
    function = DatasetFunction(shard_func or (lambda *element: ()), "save()", dataset.element_spec)
    message = encode(dataset.element_spec).SerializeToString(deterministic=True)
    files.makedirs(path)
    with files.GFile(os.path.join(path, SPEC_FILE), "wb") as file:
        file.write(message)
    made: Operation = apply_op(
        "SaveDataset",
        dataset._variant_tensor,
        convert_to_tensor(path, dtype=datatypes.string, name="path"),
        function.captured,
        compression=compression or "",
        shard_func=function.attr,
        use_shard_func=shard_func is not None,
    )
    return made


def load(path: str, element_spec: Any, compression: str | None, reader_func: Function | None) -> Dataset:
    """See `Dataset.load`."""
    spec = _spec_of(path) if element_spec is None else element_spec
    nested = DatasetSpec(DatasetSpec(spec))
    reader = DatasetFunction(reader_func or _one_after_the_other, "load()", nested)
    where = convert_to_tensor(path, dtype=datatypes.string, name="path")
    variant = apply_op(
        "LoadDataset",
        where,
        reader.captured,
        compression=compression or "",
        reader_func=reader.attr,
        **_flat(spec),
    )
    return Dataset(variant, spec)


def _flat(spec: Any) -> dict[str, Any]:
    return {"output_types": structure.flat_types(spec), "output_shapes": structure.flat_shapes(spec)}


def _spec_of(path: str) -> Any:
    """Return the structure of the elements saved in a folder. Raises: NotFoundError, DataLossError."""
    name = os.path.join(path, SPEC_FILE)
    if not files.exists(name):
        raise errors.NotFoundError(f"tf.data snapshot element_spec file not found: {name}.")
    with files.GFile(name, "rb") as file:
        return decode(file.read(), name)


def _one_after_the_other(datasets: Dataset) -> Dataset:
    return datasets.interleave(lambda x: x, cycle_length=os.cpu_count() or 1, num_parallel_calls=AUTOTUNE)


def snapshot(
    dataset: Dataset,
    path: Any,
    compression: str | None,
    reader_func: Function | None,
    shard_func: Function | None,
    name: str | None,
) -> Dataset:
    """See `Dataset.snapshot`. Raises: TypeError if `shard_func` returns no scalar integer."""
    source = dataset
    if shard_func is None:
        source = dataset.enumerate(name=name)
        count = os.cpu_count() or 1

        def shard_func(index: Any, _: Any) -> Any:
            return index % count

        kept = _kept(source, path, compression, reader_func, shard_func, name)
        return kept.map(lambda _, element: element, name=name)
    return _kept(source, path, compression, reader_func, shard_func, name)


def _kept(
    source: Dataset,
    path: Any,
    compression: str | None,
    reader_func: Function | None,
    shard_func: Function,
    name: str | None,
) -> Dataset:
    spec = source.element_spec
    nested = DatasetSpec(DatasetSpec(spec))
    reader = DatasetFunction(reader_func or _one_after_the_other, "Dataset.snapshot().reader_func", nested)
    shard = DatasetFunction(shard_func, "Dataset.snapshot().shard_func", spec)
    if not shard.is_single(TensorSpec([], datatypes.int32), TensorSpec([], datatypes.int64)):
        raise TypeError(
            "Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but its return type is "
            f"{shard.spec}."
        )
    variant = apply_op(
        "SnapshotDatasetV2",
        source._variant_tensor,
        path,
        reader.captured,
        shard.captured,
        compression=compression or "",
        reader_func=reader.attr,
        shard_func=shard.attr,
        **arguments(spec, name),
    )
    return Dataset(variant, spec, (source,))
