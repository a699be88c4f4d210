"""Pipelines with dataset ops that TensorFlow 1 scripts seldom use, made by raw ops, for TensorFlow only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Build = Callable[[Any], Any]

# NameAttrList messages as text.
MAP, TAKE, FILTER, RANGE = (
    b'name: "MapDataset"',
    b'name: "TakeDataset"',
    b'name: "FilterDataset"',
    b'name: "RangeDataset"',
)
ANEW = b'name: "ShuffleDataset" attr { key: "reshuffle_each_iteration" value { b: true } }'
ALIKE = b'name: "ShuffleDataset" attr { key: "reshuffle_each_iteration" value { b: false } }'
NO_ATTR = b'name: "ShuffleDataset" attr { key: "sloppy" value { b: false } }'

# Example messages: a=[1, 2] m=[0.5, 1.5] z=[x]; m=[2, 3] z=[y, w]; a=[7] m=[4, 5].
EXAMPLES = np.array(
    [
        b"\n,\n\x0b\n\x01a\x12\x06\x1a\x04\n\x02\x01\x02\n\x11\n\x01m\x12\x0c\x12\n\n\x08\x00\x00\x00?\x00\x00\xc0?\n\n"
        b"\n\x01z\x12\x05\n\x03\n\x01x",
        b'\n"\n\x11\n\x01m\x12\x0c\x12\n\n\x08\x00\x00\x00@\x00\x00@@\n\r\n\x01z\x12\x08\n\x06\n\x01y\n\x01w',
        b"\n\x1f\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x07\n\x11\n\x01m\x12\x0c\x12\n\n\x08\x00\x00\x80@\x00\x00\xa0@",
    ],
    object,
)


def raw_pipelines(tf: Any, VariantDataset: Any, concrete: Any) -> dict[str, Build]:
    """Return functions that build pipelines, each of the directory of files, a string tensor.

    VariantDataset: makes a dataset of a variant and a spec. concrete: makes of a function of an int64 scalar what a func
    attr takes.
    """
    D = tf.data.Dataset
    ops = tf.raw_ops

    def i64(x: Any) -> Any:
        return tf.constant(x, tf.int64)

    def raw(op: Any, dtypes: list[Any], shapes: list[Any], **arguments: Any) -> Any:
        """Return the dataset that a raw op makes."""
        made = op(output_types=dtypes, output_shapes=[tf.TensorShape(s) for s in shapes], **arguments)
        specs = tuple([tf.TensorSpec(s, d) for s, d in zip(shapes, dtypes)])
        return VariantDataset(made, specs[0] if len(specs) == 1 else specs)

    def before(dataset: Any, *transformations: bytes) -> Any:
        wanted = tf.constant(list(transformations))
        source = dataset._variant_tensor
        return raw(ops.AssertPrevDataset, [tf.int64], [[]], input_dataset=source, transformations=wanted)

    def shared_out(policy: int, workers: int, index: int) -> Any:
        return raw(
            ops.AutoShardDataset,
            [tf.int64],
            [[]],
            input_dataset=D.range(7)._variant_tensor,
            num_workers=i64(workers),
            index=i64(index),
            auto_shard_policy=policy,
            num_replicas=0,
        )

    def squeezed(x: Any) -> Any:
        return ops.CompressElement(components=[x, tf.fill([2], tf.as_string(x))])

    def stretched(dtypes: list[Any], shapes: list[Any]) -> Any:
        return lambda v: tuple(ops.UncompressElement(compressed=v, output_types=dtypes, output_shapes=shapes))

    def rows_mapped(x: Any) -> Any:
        return ops.MapDefun(
            arguments=[x],
            captured_inputs=[],
            output_types=[tf.int64],
            output_shapes=[[]],
            f=concrete(lambda x: x * x + 1),
            max_intra_op_parallelism=1,
        )[0]

    def parsed(batch: int, ragged: bool = False, a_shape: Any = None, **attrs: Any) -> Any:
        dtypes, shapes = [tf.int64, tf.float32, tf.variant], [[None, 1], [None, 2], [None] if ragged else [3]]
        if ragged:
            shapes[2] = []
        made = {
            "input_dataset": D.from_tensor_slices(EXAMPLES).batch(batch)._variant_tensor,
            "num_parallel_calls": i64(1),
            "dense_defaults": [tf.constant([9], tf.int64), tf.constant([], tf.float32)],
            "sparse_keys": [] if ragged else ["z"],
            "sparse_types": [] if ragged else [tf.string],
            "dense_keys": ["a", "m"],
            "dense_shapes": [[None, 1], [2]],
            "ragged_keys": ["z"] if ragged else [],
            "ragged_value_types": [tf.string] if ragged else [],
            "ragged_split_types": [tf.int64] if ragged else [],
            **attrs,
        }
        return raw(ops.ParseExampleDatasetV2, dtypes, [a_shape or [None, None, 1], [None, 2], shapes[2]], **made)

    def unpacked(a: Any, m: Any, z: Any) -> Any:
        found = ops.DeserializeSparse(serialized_sparse=z, dtype=tf.string)
        return a, m, found.sparse_indices, found.sparse_values, found.sparse_shape

    def unragged(a: Any, m: Any, z: Any) -> Any:
        found = ops.RaggedTensorFromVariant(
            encoded_ragged=z, input_ragged_rank=1, output_ragged_rank=1, Tvalues=tf.string, Tsplits=tf.int64
        )
        return a, m, found.output_nested_splits[0], found.output_dense_values

    def query(directory: Any, words: str, dtypes: list[Any], driver: str = "sqlite") -> Any:
        return raw(
            ops.SqlDataset,
            dtypes,
            [[]] * len(dtypes),
            driver_name=driver,
            data_source_name=directory + "/rows.sqlite",
            query=words,
        )

    def matching(directory: Any, *patterns: str) -> Any:
        whole = tf.stack([directory + "/" + p for p in patterns])
        found = VariantDataset(ops.MatchingFilesDataset(patterns=whole), tf.TensorSpec([], tf.string))
        return found.map(lambda path: tf.strings.regex_replace(path, ".*/", ""))

    def saved(directory: Any, name: str, words: Any, cycle: int = 1) -> Any:
        """Load a dataset; cycle: how many shards are read in turn."""
        specs = (tf.TensorSpec([], tf.int64), tf.TensorSpec([None], words))

        def reader(nested: Any) -> Any:
            shards = VariantDataset(nested, tf.data.experimental.DatasetStructure(specs))
            return shards.interleave(lambda shard: shard, cycle_length=cycle, num_parallel_calls=None)._variant_tensor

        return raw(
            ops.LoadDataset,
            [s.dtype for s in specs],
            [s.shape for s in specs],
            path=directory + "/" + name,
            reader_func_other_args=[],
            compression="",
            reader_func=concrete(reader, tf.variant),
        )

    plain: dict[str, Callable[[], Any]] = {
        "made_by_take_of_filter": lambda: before(D.range(3).filter(lambda x: x > 0).take(5), TAKE, FILTER),
        "made_by_another": lambda: before(D.range(3).take(5), MAP),
        "made_by_shuffle_anew": lambda: before(D.range(3).shuffle(1), ANEW),
        "made_by_shuffle_alike": lambda: before(D.range(3).shuffle(1), ALIKE),
        "made_by_shuffle_without": lambda: before(D.range(3).shuffle(1), NO_ATTR),
        "made_by_what": lambda: before(D.range(3), b"what?"),
        "made_by_fewer": lambda: before(D.range(3), RANGE, MAP),
        "shared_out_not": lambda: shared_out(-1, 3, 1),
        "shared_out_by_data": lambda: shared_out(2, 3, 1),
        "shared_out_badly": lambda: shared_out(2, 3, 3),
        "fastest": lambda: raw(
            ops.ChooseFastestDataset,
            [tf.int64],
            [[]],
            input_datasets=[D.range(4)._variant_tensor, D.range(4)._variant_tensor],
            num_experiments=2,
        ),
        "compressed": lambda: D.range(3).map(squeezed).map(stretched([tf.int64, tf.string], [[], [2]])),
        "compressed_other": lambda: D.range(3).map(squeezed).map(stretched([tf.int32, tf.string], [[], [2]])),
        "compressed_fewer": lambda: D.range(3).map(squeezed).map(stretched([tf.int64], [[]])),
        "rows_mapped": lambda: D.range(7).batch(3).map(rows_mapped),
        "rows_mapped_none": lambda: D.range(1).map(lambda x: rows_mapped(tf.fill([x], x))),
        "parsed_sparse": lambda: parsed(2).map(unpacked),
        "parsed_ragged": lambda: parsed(3, True).map(unragged),
        "parsed_other_shape": lambda: parsed(2, a_shape=[None, None]),
        "parsed_missing": lambda: parsed(
            2, a_shape=[None, 2], dense_shapes=[[2], [2]], dense_defaults=[i64([]), tf.constant([0.0, 1])]
        ),
    }
    every = [tf.int32, tf.string, tf.float64, tf.bool]
    return {
        **{name: lambda directory, build=build: build() for name, build in plain.items()},
        "rows": lambda d: query(d, "SELECT id, name, size, id > 1 FROM things ORDER BY id", every),
        "rows_as_strings": lambda d: query(d, "SELECT id, name, size FROM things ORDER BY id DESC", [tf.string] * 3),
        "rows_as_numbers": lambda d: query(
            d, "SELECT name, size, size, id FROM things ORDER BY id", [tf.int64, tf.uint8, tf.float64, tf.int8]
        ),
        "rows_as_singles": lambda d: query(d, "SELECT size FROM things", [tf.float32]),
        "rows_of_none": lambda d: query(d, "SELECT id FROM things WHERE id > 9", [tf.int64]),
        "rows_too_wide": lambda d: query(d, "SELECT id, name FROM things", [tf.int64]),
        "rows_of_bad_words": lambda d: query(d, "SELEC id", [tf.int64]),
        "rows_of_no_table": lambda d: query(d, "SELECT id FROM nothing", [tf.int64]),
        "rows_of_another": lambda d: query(d, "SELECT id FROM things", [tf.int64], "postgres"),
        "saved": lambda d: saved(d, "saved", tf.string),
        "saved_in_turn": lambda d: saved(d, "saved", tf.string, 2),
        "saved_as_others": lambda d: saved(d, "saved", tf.int32),
        "saved_not": lambda d: saved(d, "none", tf.string),
        "matching": lambda d: matching(d, "*.txt", "records.*", "none*"),
    }
