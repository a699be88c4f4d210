"""`tf.data.experimental`: Example messages parsed within a pipeline, and whole pipelines of files of them.

Source: tensorflow/python/data/experimental/ops/parsing_ops.py, readers.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.type_specs import SparseTensorSpec, TensorSpec
from icefloe.lib import data_structure as structure
from icefloe.lib.data_arguments import AUTOTUNE, determinism, number
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_functional import legacy_interleave
from icefloe.lib.data_options import Options
from icefloe.lib.data_readers import TFRecordDataset
from icefloe.lib.parsing import merged_features, with_length
from icefloe.lib.parsing_features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    Wanted,
)
from icefloe.lib.readers import ReaderBase
from icefloe.shapes import TensorShape


def parse_example_dataset(
    features: Any, num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[Dataset], Dataset]:
    """Return what parses each vector of serialized Examples into a dict, for `Dataset.apply`.

    features: as of `tf.parse_example`.

    Raises: ValueError without features; TypeError, when applied, for elements that are no vectors of strings.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def transform(dataset: Dataset) -> Dataset:
        parsed = _parsed(dataset, features, num_parallel_calls, deterministic)
        if any(isinstance(feature, SparseFeature) for feature in features.values()):
            parsed = parsed.map(lambda found: merged_features(features, found), num_parallel_calls=num_parallel_calls)
        return parsed

    return transform


def _parsed(dataset: Dataset, features: Any, calls: Any, deterministic: bool | None) -> Dataset:
    given = dataset.element_spec
    if not isinstance(given, TensorSpec) or not TensorSpec([None], datatypes.string).is_compatible_with(given):
        raise TypeError(f"Input dataset should be a dataset of vectors of strings. Instead it is `{given}`.")
    kinds = [VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature]
    wanted = Wanted({key: with_length(feature) for key, feature in features.items()}, kinds)
    rows = given.shape
    spec: dict[str, Any] = {}
    for key, dtype in wanted.sparse.items():
        spec[key] = SparseTensorSpec(rows.concatenate([None]), dtype)
    for (key, dtype), shape in zip(wanted.dense.items(), wanted.shapes):
        spec[key] = TensorSpec(rows.concatenate(shape), dtype)
    variant = apply_op(
        "ParseExampleDatasetV2",
        dataset._variant_tensor,
        number(calls, "num_parallel_calls"),
        wanted.default_tensors(),
        sparse_keys=list(wanted.sparse),
        dense_keys=list(wanted.dense),
        sparse_types=list(wanted.sparse.values()),
        dense_shapes=[TensorShape(shape).as_proto() for shape in wanted.shapes],
        output_types=structure.flat_types(spec),
        output_shapes=structure.flat_shapes(spec),
        deterministic=determinism(deterministic),
    )
    return Dataset(variant, spec, (dataset,))


def files_interleaved(files: Dataset, reader: Callable[..., Any], readers: Any, sloppy: bool) -> Dataset:
    """Return the elements of the datasets that `reader` makes of names of files, `readers` of them at a time."""
    if readers == AUTOTUNE:
        options = Options()
        options.deterministic = not sloppy
        return files.interleave(reader, num_parallel_calls=readers).with_options(options)
    return legacy_interleave(files, reader, readers, 1, sloppy)


def shuffled_and_repeated(dataset: Dataset, epochs: Any, shuffle: bool, buffer_size: Any, seed: Any) -> Dataset:
    """Return the elements in random order, if wanted, `epochs` times over; None is without end."""
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if epochs == 1 else dataset.repeat(epochs)


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: Any,
    reader: Callable[..., Any] | None = None,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Return batches of the Examples in files as dicts of features, or pairs of such a dict and a label.

    reader: makes a dataset of serialized Examples of a file's name and `reader_args`, default TFRecordDataset.
    label_key: the feature that is the label. num_epochs: default without end.

    Raises: TypeError for a reader of tf.ReaderBase; ValueError for a label that is no feature.
    """
    make: Any = reader or TFRecordDataset
    if isinstance(make, type) and issubclass(make, ReaderBase):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are not supported. For "
            "example, pass `tf.data.TFRecordDataset` instead of `tf.TFRecordReader`."
        )
    names = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    more = list(reader_args or [])
    threads = 1 if reader_num_threads is None else reader_num_threads
    dataset = files_interleaved(names, lambda name: make(name, *more), threads, sloppy_ordering)
    if dataset.output_types == (datatypes.string, datatypes.string):
        dataset = dataset.map(lambda _, value: value)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    calls = 2 if parser_num_threads is None else parser_num_threads
    dataset = dataset.apply(parse_example_dataset(features, num_parallel_calls=calls))
    if label_key:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
            )
        dataset = dataset.map(lambda found: (found, found.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
