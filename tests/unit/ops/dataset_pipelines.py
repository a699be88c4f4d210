"""Pipelines as TensorFlow 1 scripts write them, for TensorFlow and for icefloe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Build = Callable[[Any], Any]


def pipelines(tf: Any, CsvDataset: Any, at: Any, VariantDataset: Any, concrete: Any) -> dict[str, Build]:
    """Return functions that build pipelines, each of the directory of files, a string tensor.

    tf: the module. CsvDataset, at: its class and function of these names. VariantDataset: makes a dataset of a variant
    and a spec. concrete: makes of a function of an int64 scalar what a func attr takes.
    """
    D = tf.data.Dataset
    E = tf.data.experimental
    PIPELINES: dict[str, Build] = {}

    def pipeline(function: Build) -> Build:
        PIPELINES[function.__name__] = function
        return function

    def add(**builders: Callable[[], Any]) -> None:
        """Add pipelines that read no files."""
        for name, build in builders.items():
            PIPELINES[name] = lambda directory, build=build: build()

    def failing(x: Any, good: Any, value: Any) -> Any:
        """Return `value` where `good`, a function of `x`, is true; else fail."""
        with tf.control_dependencies([tf.Assert(good(x), ["boom"])]):
            return tf.identity(value)

    def ended(x: Any) -> Any:
        """Return `x` if it is less than 2; else raise OutOfRangeError."""
        inner = D.range(tf.where(x < 2, tf.constant(1, tf.int64), tf.constant(0, tf.int64)))
        iterator = tf.raw_ops.AnonymousIteratorV3(output_types=[tf.int64], output_shapes=[[]])
        with tf.control_dependencies([tf.raw_ops.MakeIterator(dataset=inner._variant_tensor, iterator=iterator)]):
            return x + tf.raw_ops.IteratorGetNext(iterator=iterator, output_types=[tf.int64], output_shapes=[[]])[0]

    def i64(x: Any) -> Any:
        return tf.constant(x, tf.int64)

    def raw(op: Any, dtypes: list[Any], shapes: list[Any], **arguments: Any) -> Any:
        """Return the dataset that a raw op makes."""
        made = op(output_types=dtypes, output_shapes=[tf.TensorShape(s) for s in shapes], **arguments)
        specs = tuple([tf.TensorSpec(s, d) for s, d in zip(shapes, dtypes)])
        return VariantDataset(made, specs[0] if len(specs) == 1 else specs)

    # Sources

    add(
        range_plain=lambda: D.range(5),
        range_down=lambda: D.range(7, -3, -4),
        range_nothing=lambda: D.range(3, 3),
        range_zero_step=lambda: D.range(0, 3, 0),
        range_int32=lambda: raw(tf.raw_ops.RangeDataset, [tf.int32], [[]], start=i64(2), stop=i64(9), step=i64(3)),
        tensors_mixed=lambda: D.from_tensors(
            (
                np.float32(1.5),
                [b"a", b"b"],
                True,
                np.complex64(1 + 2j),
                tf.constant([1, 2], tf.bfloat16),
                np.zeros((0, 3)),
            )
        ),
        slices_nested=lambda: D.from_tensor_slices(
            {"a": np.arange(6.0).reshape(3, 2), "b": ([1, 2, 3], [b"x", b"", b"z"])}
        ),
        slices_scalar=lambda: D.from_tensor_slices(tf.placeholder_with_default(np.float32(1), None)),
        slices_uneven=lambda: D.from_tensor_slices(
            (tf.placeholder_with_default([1, 2], [None]), tf.placeholder_with_default([1, 2, 3], [None]))
        ),
        slices_ragged=lambda: D.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]])),
        slices_sparse=lambda: D.from_tensor_slices(tf.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], [3, 4])),
        sparse_slices=lambda: D.from_sparse_tensor_slices(
            tf.SparseTensor([[0, 1], [0, 2], [2, 0]], [b"a", b"b", b"c"], [4, 3])
        ),
        sparse_slices_unordered=lambda: D.from_sparse_tensor_slices(tf.SparseTensor([[1, 1], [0, 2]], [1, 2], [4, 3])),
        listed=lambda: E.from_list([(1, b"a"), (2, b"b"), (3, b"c")]),
        random_numbers=lambda: D.random(7).take(9),
        random_again=lambda: D.random(7, rerandomize_each_iteration=True).take(3).repeat(3),
    )

    # Batches

    add(
        batch=lambda: D.range(7).batch(3),
        batch_whole_ones=lambda: D.range(7).batch(3, drop_remainder=True),
        batch_nothing=lambda: D.range(2).batch(3, drop_remainder=True),
        batch_mixed=lambda: (
            D.range(5)
            .map(lambda x: (tf.as_string(x), x > 2, tf.cast([x, x + 1], tf.bfloat16), tf.fill([2, 0], x)))
            .batch(2)
        ),
        batch_twice=lambda: D.range(10).batch(2).batch(2),
        batch_size_zero=lambda: D.range(7).batch(0),
        batch_parallel=lambda: D.range(7).batch(3, num_parallel_calls=2),
        batch_uneven=lambda: D.range(4).map(lambda x: tf.fill([x % 3], x)).batch(2),
        batch_sparse=lambda: D.from_tensor_slices(tf.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], [4, 4])).batch(3),
        batch_ragged=lambda: D.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3], [4, 5, 6]])).batch(3),
        padded=lambda: D.range(1, 6).map(lambda x: (tf.fill([x], x), tf.as_string(x))).padded_batch(2, ([None], [])),
        padded_more=lambda: (
            D.range(1, 4)
            .map(lambda x: (tf.fill([x, 2], x), tf.fill([x], tf.as_string(x))))
            .padded_batch(3, ([4, None], [None]), (i64(-1), "pad"))
        ),
        padded_whole_ones=lambda: (
            D.range(5).map(lambda x: tf.fill([x], x)).padded_batch(2, [None], drop_remainder=True)
        ),
        padded_too_small=lambda: D.range(1, 6).map(lambda x: tf.fill([x], x)).padded_batch(2, [3]),
        padded_other_rank=lambda: (
            D.range(3).map(lambda x: tf.reshape(x, tf.fill([tf.cast(x, tf.int32)], 1))).padded_batch(2, [None])
        ),
        dense_to_sparse=lambda: (
            D.range(5).map(lambda x: tf.fill([x, 1], tf.as_string(x))).apply(E.dense_to_sparse_batch(2, [6, 1]))
        ),
        dense_to_sparse_unknown=lambda: (
            D.range(5).map(lambda x: tf.fill([x], x)).apply(E.dense_to_sparse_batch(2, [None]))
        ),
        dense_to_sparse_larger=lambda: D.range(5).map(lambda x: tf.fill([x], x)).apply(E.dense_to_sparse_batch(2, [2])),
        unbatch=lambda: D.range(7).map(lambda x: (x, tf.as_string(x))).batch(3).unbatch(),
        unbatch_known=lambda: D.range(6).batch(3, drop_remainder=True).unbatch(),
        unbatch_uneven=lambda: D.range(4).map(lambda x: (tf.fill([x], x), tf.fill([2], x))).unbatch(),
        unbatch_sparse=lambda: D.from_tensors(tf.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], [3, 4])).unbatch(),
        rebatch=lambda: D.range(11).batch(4).rebatch([3, 1]),
        rebatch_with_empty_ones=lambda: D.range(5).batch(3).rebatch([2, 0, 0]),
        rebatch_whole_ones=lambda: D.range(5).batch(4).rebatch(2, drop_remainder=True),
        rebatch_of_nothing=lambda: D.range(0).batch(4).rebatch(2),
        rebatch_uneven=lambda: D.range(2, 5).map(lambda x: tf.fill([2, x], x)).rebatch(3),
        replicas=lambda: raw(
            tf.raw_ops.RebatchDataset,
            [tf.int64],
            [[None]],
            input_dataset=D.range(10).batch(4)._variant_tensor,
            num_replicas=i64(3),
        ),
        sliding=lambda: raw(
            tf.raw_ops.SlidingWindowDataset,
            [tf.int64],
            [[None]],
            input_dataset=D.range(7)._variant_tensor,
            window_size=i64(3),
            window_shift=i64(2),
            window_stride=i64(2),
            drop_remainder=False,
        ),
    )

    def windowed(n: int, size: int, shift: int, stride: int, drop: bool) -> Any:
        made = D.range(n).map(lambda x: (x, tf.as_string(x))).window(size, shift, stride, drop)
        return made.flat_map(lambda a, b: D.zip((a.batch(9), b.batch(9))))

    add(
        window=lambda: windowed(7, 3, 3, 1, False),
        window_overlapping=lambda: windowed(7, 3, 1, 2, True),
        window_with_gaps=lambda: windowed(12, 2, 5, 1, False),
        window_longer=lambda: windowed(4, 6, 2, 1, False),
        window_of_nothing=lambda: windowed(0, 6, 2, 1, False),
        window_size_zero=lambda: windowed(5, 0, 2, 1, False),
        window_with_failures=lambda: (
            D.range(7).map(lambda x: failing(x, lambda x: x % 4 < 3, x)).window(2).flat_map(lambda w: w.batch(2))
        ),
        window_reduced=lambda: D.range(6).window(4).map(lambda w: w.reduce(i64(0), lambda s, x: s + x)),
    )

    # Which elements, and in which order

    add(
        take=lambda: D.range(5).take(3),
        take_all=lambda: D.range(3).take(-1),
        take_none=lambda: D.range(3).take(0),
        take_too_many=lambda: D.range(3).take(9),
        skip=lambda: D.range(5).skip(3),
        skip_all=lambda: D.range(5).skip(-1),
        skip_too_many=lambda: D.range(5).skip(9),
        shard=lambda: D.range(10).shard(3, 1),
        shard_none=lambda: D.range(2).shard(3, 2),
        shard_zero=lambda: D.range(10).shard(tf.placeholder_with_default(i64(0), []), 0),
        shard_beyond=lambda: D.range(10).shard(
            tf.placeholder_with_default(i64(2), []), tf.placeholder_with_default(i64(2), [])
        ),
        repeat=lambda: D.range(3).repeat(2),
        repeat_none=lambda: D.range(3).repeat(0),
        repeat_for_ever=lambda: D.range(3).repeat(),
        repeat_nothing_for_ever=lambda: D.range(0).repeat(),
        concatenate=lambda: D.range(3).concatenate(D.range(10, 12)).concatenate(D.range(1)),
        zipped=lambda: D.zip((D.range(3), {"a": D.range(10, 15).batch(2)})),
        zipped_with_failures=lambda: D.zip((D.range(5).map(lambda x: failing(x, lambda x: x % 2 < 1, x)), D.range(5))),
        chosen=lambda: D.choose_from_datasets(
            [D.range(3), D.range(10, 12)],
            D.from_tensor_slices(i64([0, 1, 1, 1, 0, 0, 0, 1])),
            stop_on_empty_dataset=False,
        ),
        chosen_until_one_ends=lambda: D.choose_from_datasets(
            [D.range(3), D.range(10, 12)],
            D.from_tensor_slices(i64([0, 1, 1, 1, 0, 0, 0, 1])),
            stop_on_empty_dataset=True,
        ),
        chosen_beyond=lambda: D.choose_from_datasets(
            [D.range(3), D.range(10, 12)], D.from_tensor_slices(i64([0, 2, 1])), stop_on_empty_dataset=False
        ),
        sampled_datasets=lambda: D.sample_from_datasets(
            [D.range(20), D.range(100, 120)], [0.3, 0.7], seed=4, stop_on_empty_dataset=False
        ),
        shuffle=lambda: D.range(12).shuffle(5, seed=3, reshuffle_each_iteration=False).repeat(2),
        shuffle_anew=lambda: D.range(9).shuffle(100, seed=3, reshuffle_each_iteration=True).repeat(3),
        shuffle_of_one=lambda: D.range(4).shuffle(1, seed=3),
        shuffle_two_deep=lambda: D.range(9).shuffle(3, seed=3).shuffle(4, seed=5).repeat(2),
        shuffle_nothing=lambda: D.range(0).shuffle(3, seed=3),
        shuffle_buffer_zero=lambda: D.range(4).shuffle(0, seed=3),
        shuffle_and_repeat=lambda: D.range(4).apply(E.shuffle_and_repeat(6, count=5, seed=9)),
        shuffle_and_repeat_for_ever=lambda: D.range(3).apply(E.shuffle_and_repeat(20, seed=9)).take(30),
        shuffle_strings=lambda: D.from_tensor_slices([b"a", b"b", b"c", b"d"]).shuffle(3, seed=1),
        global_shuffle=lambda: globally(D.range(17), 5, False),
        global_shuffle_anew=lambda: globally(D.range(7).batch(2, drop_remainder=True), 5, True).repeat(3),
        global_shuffle_mapped=lambda: globally(raw_map(D.range(7), lambda x: x * x, True), 5, False),
        global_shuffle_of_unknown=lambda: globally(D.range(7).map(lambda x: x).batch(2, drop_remainder=True), 5, True),
        global_shuffle_deep=lambda: globally(
            D.zip((D.range(4).concatenate(D.range(10, 15)), D.range(20).skip(1).shard(2, 1))).take(8), 6, False
        ),
        global_shuffle_repeated=lambda: globally(D.range(5).repeat(3), 6, False),
        global_shuffle_filtered=lambda: globally(D.range(4).filter(lambda x: x > 1), 6, False),
        global_shuffle_nothing=lambda: globally(D.range(0), 6, False),
        sampling=lambda: raw(
            tf.raw_ops.SamplingDataset,
            [tf.int64],
            [[]],
            input_dataset=D.range(30)._variant_tensor,
            rate=0.4,
            seed=i64(3),
            seed2=i64(4),
        ),
        unique=lambda: D.from_tensor_slices([3, 1, 3, 2, 1, 3]).unique(),
        unique_strings=lambda: D.from_tensor_slices([b"a", b"b", b"a"]).repeat(2).unique(),
    )

    def globally(dataset: Any, seed: int, anew: bool) -> Any:
        """Return `dataset` in random order by index."""
        shape, dtype = tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset)
        shapes, dtypes = tf.nest.flatten(shape), tf.nest.flatten(dtype)
        return raw(
            tf.raw_ops.GlobalShuffleDataset,
            dtypes,
            [s.as_list() for s in shapes],
            input_dataset=dataset._variant_tensor,
            seed=i64(seed),
            seed2=i64(seed + 1),
            seed_generator=tf.raw_ops.DummySeedGenerator(),
            reshuffle_each_iteration=anew,
        )

    # Functions

    def random_map(x: Any) -> Any:
        return x, tf.random.uniform([], 0, 100, tf.int32, seed=8)

    def looped(x: Any) -> Any:
        return tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), [i64(0), i64(0)])[1]

    add(
        map=lambda: D.range(4).map(lambda x: (x * 2, tf.fill([x], tf.as_string(x)))),
        map_captured=lambda: (lambda c: D.range(4).map(lambda x: x + c))(tf.placeholder_with_default(i64(5), [])),
        map_with_failures=lambda: D.range(5).map(lambda x: failing(x, lambda x: x % 2 < 1, x)),
        map_ended=lambda: raw_map(D.range(5), ended, False),
        map_ended_too_early=lambda: raw_map(D.range(5), ended, True),
        map_random=lambda: D.range(4).map(random_map).repeat(2),
        map_looped=lambda: D.range(5).map(looped),
        map_cond=lambda: D.range(5).map(lambda x: tf.cond(x > 2, lambda: x * 10, lambda: x)),
        map_parallel=lambda: D.range(9).map(lambda x: x * x, num_parallel_calls=3),
        map_and_batch=lambda: D.range(9).apply(E.map_and_batch(lambda x: x * x, 4)),
        filter=lambda: D.range(10).filter(lambda x: tf.equal(x % 3, 1)),
        filter_with_failures=lambda: D.range(5).filter(lambda x: failing(x, lambda x: x % 2 < 1, True)),
        filter_ended=lambda: D.range(5).filter(lambda x: ended(x) >= 0),
        take_while=lambda: D.range(9).take_while(lambda x: x < 4),
        take_while_random=lambda: D.range(30).take_while(lambda x: tf.random.uniform([], seed=8) < 0.9),
        scan=lambda: D.range(1, 6).scan(i64(1), lambda s, x: (s * x, (s, s * x))),
        scan_ended=lambda: D.range(6).apply(E.scan(i64(1), lambda s, x: (s, ended(x)))),
        flat_map=lambda: D.range(4).flat_map(lambda x: D.range(x).map(lambda y: (x, y))),
        flat_map_nothing=lambda: D.range(4).flat_map(lambda x: D.range(0)),
        flat_map_with_failures=lambda: D.range(4).flat_map(
            lambda x: D.from_tensors(failing(x, lambda x: x % 2 < 1, x))
        ),
        flat_map_ended=lambda: D.range(4).flat_map(lambda x: D.from_tensors(ended(x))),
        flat_map_random=lambda: D.range(3).flat_map(lambda x: D.range(2).map(random_map)),
        interleave=lambda: D.range(5).interleave(lambda x: D.range(x).map(lambda y: x * 10 + y), 3, 2),
        interleave_wide=lambda: D.range(3).interleave(lambda x: D.range(2).map(lambda y: x * 10 + y), 1000000, 1),
        interleave_one=lambda: D.range(3).interleave(lambda x: D.range(2), 1, 5),
        interleave_parallel=lambda: D.range(5).interleave(
            lambda x: D.range(x).map(lambda y: x * 10 + y), 2, 2, num_parallel_calls=2
        ),
        interleave_legacy=lambda: D.range(5).apply(
            E.parallel_interleave(lambda x: D.range(x).map(lambda y: x * 10 + y), 3, 2)
        ),
        interleave_cycle_zero=lambda: D.range(3).interleave(
            lambda x: D.range(2), tf.placeholder_with_default(i64(0), []), 1
        ),
        grouped=lambda: D.range(11).group_by_window(lambda x: x % 3, lambda k, w: w.batch(4), 3),
        grouped_by_size=lambda: D.range(11).group_by_window(
            lambda x: x % 2, lambda k, w: w.map(lambda x: (k, x)), window_size_func=lambda k: k + 2
        ),
        grouped_size_zero=lambda: D.range(2).group_by_window(
            lambda x: x % 2, lambda k, w: w, window_size_func=lambda k: k
        ),
        grouped_with_failures=lambda: D.range(4).group_by_window(
            lambda x: failing(x, lambda x: x < 3, x % 2), lambda k, w: w.batch(4), 2
        ),
        grouped_reduced_badly=lambda: D.range(2).group_by_window(
            lambda x: x % 2, lambda k, w: D.from_tensors(failing(k, lambda k: k < 0, k)), 1
        ),
        grouped_reduced=lambda: D.range(9).apply(
            E.group_by_reducer(
                lambda x: x % 4 - 1,
                E.Reducer(lambda k: (k, i64(0)), lambda s, x: (s[0], s[1] + x), lambda a, b: (a, b)),
            )
        ),
        buckets=lambda: (
            D.range(1, 12)
            .map(lambda x: tf.fill([x % 5 + 1], x))
            .apply(E.bucket_by_sequence_length(lambda x: tf.size(x), [3, 5], [2, 2, 2]))
        ),
        reduced=lambda: D.from_tensors(D.range(6).reduce(i64(1), lambda s, x: s * 2 + x)),
        single=lambda: D.from_tensors(D.range(6).batch(9).get_single_element()),
        single_of_many=lambda: D.from_tensors(D.range(6).get_single_element()),
        single_of_none=lambda: D.from_tensors(D.range(0).get_single_element()),
        elements_at=lambda: D.from_tensors(
            tuple(
                [
                    at(d, i)
                    for d, i in ((D.range(9).batch(2), 4), (D.range(5).shuffle(5, seed=2), 3), (D.range(6).skip(2), 1))
                ]
            )
        ),
        element_beyond=lambda: D.from_tensors(at(D.range(9).batch(2), 5)),
        element_of_endless=lambda: D.from_tensors(at(D.range(9).repeat(), 5)),
        element_of_filtered=lambda: D.from_tensors(at(D.range(9).filter(lambda x: x > 1), 5)),
    )

    def raw_map(dataset: Any, function: Any, preserve: bool) -> Any:
        return raw(
            tf.raw_ops.MapDataset,
            [tf.int64],
            [[]],
            input_dataset=dataset._variant_tensor,
            other_arguments=[],
            f=concrete(function),
            preserve_cardinality=preserve,
        )

    # Elements as they are

    add(
        cached=lambda: D.range(3).map(random_map).cache().repeat(3),
        prefetched=lambda: D.range(3).prefetch(2),
        prefetched_badly=lambda: D.range(3).prefetch(tf.placeholder_with_default(i64(-2), [])),
        with_options=lambda: D.range(3).with_options(tf.data.Options()),
        errors_ignored=lambda: D.range(7).map(lambda x: failing(x, lambda x: x % 3 < 2, x)).apply(E.ignore_errors()),
        cardinality_met=lambda: D.range(7).filter(lambda x: x > 4).apply(E.assert_cardinality(2)),
        cardinality_not_reached=lambda: D.range(7).filter(lambda x: x > 4).apply(E.assert_cardinality(4)),
        cardinality_passed=lambda: D.range(7).filter(lambda x: x > 4).apply(E.assert_cardinality(1)),
        cardinality_endless=lambda: D.range(7).apply(E.assert_cardinality(E.INFINITE_CARDINALITY)),
        optionals=lambda: (
            D.range(3).map(lambda x: tf.data.experimental.Optional.from_value(x)).map(lambda o: o.get_value())
        ),
        from_graph=lambda: VariantDataset(
            tf.raw_ops.DatasetFromGraph(
                graph_def=tf.raw_ops.DatasetToGraph(
                    input_dataset=D.range(9).filter(lambda x: x > 2).map(looped).batch(2)._variant_tensor
                )
            ),
            tf.TensorSpec([None], tf.int64),
        ),
    )

    # Files

    def files(directory: Any, *names: str) -> Any:
        return tf.stack([directory + f"/{name}" for name in names])

    def lines(*names: str, **options: Any) -> None:
        title = "lines_" + "_".join(names).replace(".", "_")
        PIPELINES[title] = lambda d: tf.data.TextLineDataset(files(d, *names), **options)

    lines("lines.txt", "empty.txt", "more.txt")
    lines("lines.txt.gz", "two.gz", compression_type="GZIP")
    lines("lines.txt.z", compression_type="ZLIB")
    lines("more.txt", compression_type="ZLIB")
    lines("two.gz", compression_type="LZ4")

    def records(*names: str, **options: Any) -> None:
        title = "records_" + "_".join(names).replace(".", "_")
        PIPELINES[title] = lambda d: tf.data.TFRecordDataset(files(d, *names), **options)

    records("records.tfr", "empty.txt", "records.tfr")
    records("records.tfr.gz", compression_type="GZIP")
    records("records.tfr.z", compression_type="ZLIB")
    records("cut_header.tfr", "records.tfr")
    records("cut_data.tfr", "records.tfr")
    records("bad_length.tfr", "records.tfr")
    records("bad_data.tfr", "records.tfr")
    records("lines.txt.gz")
    records("more.txt", compression_type="GZIP")

    @pipeline
    def records_of_no_file(directory: Any) -> Any:
        return tf.data.TFRecordDataset(files(directory, "none.tfr")).take(5)

    def pieces(title: str, name: str, record: int, header: int, footer: int, compression: str = "") -> None:
        PIPELINES[f"pieces_{title}"] = lambda d: tf.data.FixedLengthRecordDataset(
            files(d, name, name), record, header, footer, compression_type=compression or None
        )

    pieces("even", "pieces.bin", 2, 2, 1)
    pieces("uneven", "pieces.bin", 4, 2, 1)
    pieces("none", "pieces.bin", 0, 2, 1)
    pieces("even_zipped", "pieces.bin.gz", 3, 2, 1, "GZIP")
    pieces("uneven_zipped", "pieces.bin.z", 4, 2, 1, "ZLIB")

    def table(title: str, name: str, defaults: Any, **options: Any) -> None:
        def build(directory: Any) -> Any:
            given = [tf.constant(v, t) for v, t in defaults]
            return CsvDataset(files(directory, name), given, **options)

        PIPELINES[f"table_{title}"] = build

    COLUMNS = [([], tf.int32), ([7.5], tf.float32), (["d"], tf.string)]
    table("plain", "table.csv", COLUMNS)
    table("with_header", "table.csv", COLUMNS, header=True, na_value="NA")
    table("one_column", "table.csv", [(["d"], tf.string)], select_cols=[2])
    table("without_one", "table.csv", [([0], tf.int64), (["d"], tf.string)], exclude_cols=[1])
    table("zipped", "table.csv.gz", COLUMNS, compression_type="GZIP", na_value="NA")
    table("odd", "odd.csv", [(["d"], tf.string)] * 2, header=True)
    table("unquoted", "odd.csv", [(["d"], tf.string)] * 2, use_quote_delim=False)
    table("wrong_columns", "table.csv", [(["d"], tf.string)] * 2, select_cols=[2, 1])
    return PIPELINES
