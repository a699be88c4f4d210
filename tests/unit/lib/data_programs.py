"""Pipelines of tf.data that read files, keep elements in files or are made of many nodes, for TensorFlow and for icefloe.

`programs(tf, folder)` returns name -> function that builds a dataset; `fixtures/make/dataset_programs.py` records what
TensorFlow makes of them. `write_inputs(folder)` writes the files they read, without TensorFlow.
"""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CSV = {
    "a.csv": 'id,size,name,big\n1,2.5,"a, b",5\n2,,x,6000000000\n3,4.5,,7\n',
    "b.csv": "id,size,name,big\n4,1e40,y,8\n5,-3,z,9\n",
}


def write_inputs(folder: Path) -> None:
    """Write what the programs read, except for records."""
    for name, text in CSV.items():
        (folder / name).write_text(text)
    with gzip.GzipFile(folder / "c.csv.gz", "wb", mtime=0) as file:
        file.write(CSV["b.csv"].encode())
    database = sqlite3.connect(folder / "people.sqlite")
    database.execute("CREATE TABLE people (name TEXT, age INTEGER, height REAL)")
    database.executemany("INSERT INTO people VALUES (?, ?, ?)", [("Ann", 31, 1.5), ("Bo", 42, 1.75), ("Cy", 5, 1.0)])
    database.commit()
    database.close()


def write_records(tf: Any, folder: Path) -> None:
    """Write Examples into two files."""
    for part in range(2):
        with tf.python_io.TFRecordWriter(str(folder / f"part{part}.tfrecord")) as writer:
            for i in range(part * 3, part * 3 + 3):
                feature = {
                    "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                    "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w%d" % i] * (i % 3))),
                    "weight": tf.train.Feature(float_list=tf.train.FloatList(value=[i / 2, -i])),
                    "place": tf.train.Feature(int64_list=tf.train.Int64List(value=list(range(i % 2 + 1)))),
                    "value": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5] * (i % 2 + 1))),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


def programs(tf: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """Return name -> function that builds the dataset in the default graph."""
    data, more = tf.data.Dataset, tf.data.experimental

    def csv(*names: str, **keywords: Any) -> Any:
        paths = [str(folder / name) for name in names]
        keywords = {"num_epochs": 1, "shuffle": False, **keywords}
        return more.make_csv_dataset(paths, keywords.pop("batch_size", 2), **keywords)

    features = {
        "id": tf.FixedLenFeature([], tf.int64),
        "words": tf.VarLenFeature(tf.string),
        "weight": tf.FixedLenFeature([2], tf.float32),
        "absent": tf.FixedLenFeature([1], tf.float32, default_value=[7.0]),
    }
    sparse = {"id": features["id"], "at": tf.SparseFeature("place", "value", tf.float32, 4)}

    def records(**keywords: Any) -> Any:
        keywords = {"num_epochs": 1, "shuffle": False, **keywords}
        return more.make_batched_features_dataset(
            str(folder / "*.tfrecord"), keywords.pop("batch_size", 4), keywords.pop("features", features), **keywords
        )

    def examples(wanted: Any) -> Any:
        names = [str(folder / f"part{i}.tfrecord") for i in range(2)]
        return tf.data.TFRecordDataset(names).batch(4).apply(more.parse_example_dataset(wanted))

    classes = np.array([0, 1, 1, 1, 0, 1, 1, 0, 1, 1] * 4, np.int32)

    def resampled(**keywords: Any) -> Any:
        source = data.from_tensor_slices((classes, np.arange(40)))
        return source.rejection_resample(lambda kind, _: kind, seed=27, **keywords)

    def ragged(**keywords: Any) -> Any:
        return data.range(5).map(lambda x: tf.range(x)).ragged_batch(2, **keywords)

    def people(types: Any) -> Any:
        query = "SELECT name, age, height FROM people ORDER BY age"
        return more.SqlDataset("sqlite", str(folder / "people.sqlite"), query, types)

    return {
        "csv": lambda: csv("a.csv", "b.csv"),
        "csv label": lambda: csv("a.csv", label_name="id"),
        "csv selected": lambda: csv("a.csv", "b.csv", select_columns=["name", 0], batch_size=3),
        "csv defaults": lambda: csv("a.csv", column_defaults=[tf.int64, [0.5], ["none"], tf.string]),
        "csv names": lambda: csv("b.csv", column_names=["p", "q", "r", "s"], select_columns=["q"]),
        "csv na": lambda: csv("a.csv", na_value="x", select_columns=["name", "size"]),
        "csv gzip": lambda: csv("c.csv.gz", compression_type="GZIP"),
        "csv shuffled": lambda: csv("a.csv", "b.csv", shuffle=True, shuffle_seed=3, batch_size=5),
        "csv endless": lambda: csv("a.csv", num_epochs=None, batch_size=4).take(3),
        "csv errors": lambda: csv("a.csv", column_defaults=[tf.int32] * 4, ignore_errors=True),
        "csv parallel": lambda: csv("a.csv", "b.csv", num_parallel_reads=2),
        "records": records,
        "records label": lambda: records(label_key="id"),
        "records shuffled": lambda: records(shuffle=True, shuffle_seed=5, num_epochs=2),
        "records whole batches": lambda: records(drop_final_batch=True),
        "records endless": lambda: records(num_epochs=None).take(2),
        "examples": lambda: examples(features),
        "examples sparse": lambda: examples(sparse),
        "sql": lambda: people((tf.string, tf.int32, tf.float64)),
        "sql as text": lambda: people((tf.string, tf.string, tf.string)),
        "resampled": lambda: resampled(target_dist=[0.5, 0.5], initial_dist=[0.3, 0.7]),
        "resampled as seen": lambda: resampled(target_dist=[0.5, 0.5]),
        "resampled to one": lambda: resampled(target_dist=[0.0, 1.0], initial_dist=[0.3, 0.7]),
        "resampled as it is": lambda: resampled(target_dist=[0.3, 0.7], initial_dist=[0.3, 0.7]),
        "ragged": ragged,
        "ragged 32": lambda: ragged(row_splits_dtype=tf.int32, drop_remainder=True),
        "ragged pairs": lambda: (
            data.range(4).map(lambda x: (x, tf.fill([x, 2], x))).apply(more.dense_to_ragged_batch(3))
        ),
        "padded to": lambda: data.from_tensor_slices({"a": [1, 2]}).apply(more.pad_to_cardinality(4)),
        "variants": lambda: more.from_variant(more.to_variant(data.range(3)), more.get_structure(data.range(3))),
        "structures": lambda: data.from_tensors(0).map(
            lambda x: (
                tf.cast(x, tf.float32) if more.TensorStructure(tf.float32, [2]) == tf.TensorSpec([2], tf.float32) else x
            )
        ),
    }
