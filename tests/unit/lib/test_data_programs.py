"""The pipelines of data_programs.py give TensorFlow's elements, in its order, from its nodes; saved datasets are read."""

from __future__ import annotations

import collections
import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.lib.data_spec_files import decode, encode

ROOT = Path(__file__).resolve().parents[3]
ANSWERS = json.loads((ROOT / "fixtures" / "datasets" / "programs.json").read_text())
sys.path.insert(0, str(Path(__file__).parent))

from data_programs import programs, write_inputs, write_records  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("inputs")
    write_inputs(made)
    write_records(tf, made)
    return made


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    if hasattr(value, "nested_row_splits"):
        return {"ragged": value.to_list()}
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [plain(part) for part in value]
    found = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    return found if np.all(np.isfinite(np.asarray(found, float))) else repr(found)


def drawn(dataset: Any, limit: int = 60) -> list[Any]:
    """Return the elements of a dataset in the default graph."""
    iterator = tf.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    found: list[Any] = []
    with tf.Session() as session, contextlib.suppress(tf.errors.OutOfRangeError):
        session.run(iterator.initializer)
        while len(found) < limit:
            found.append(plain(session.run(following)))
    return found


NAMES = sorted(ANSWERS["programs"])


def test_every_program_is_recorded(folder):
    assert sorted(programs(tf, folder)) == NAMES


def _types_text(types: Any) -> str:
    """Return the text of output types; Python 3.12 began to write an OrderedDict otherwise."""
    if isinstance(types, collections.OrderedDict):
        return f"OrderedDict({list(types.items())})"
    if isinstance(types, tuple) and not hasattr(types, "_fields"):
        inner = ", ".join(map(_types_text, types))
        return f"({inner},)" if len(types) == 1 else f"({inner})"
    return repr(types)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_is_tensorflows(folder, name):
    wanted = ANSWERS["programs"][name]
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        dataset = programs(tf, folder)[name]()
        types = tf.data.get_output_types(dataset)
        assert (str(types) if isinstance(types, tf.DType) else _types_text(types)) == wanted["types"]
        iterator = tf.data.make_initializable_iterator(dataset)
        iterator.get_next()
        definition = graph.as_graph_def()
        nodes = collections.Counter(
            n.op for n in definition.node if n.op.endswith(("Dataset", "DatasetV2", "DatasetV4"))
        )
        nodes.update(n.op for f in definition.library.function for n in f.node_def if "Dataset" in n.op)
    assert dict(sorted(nodes.items())) == wanted["nodes"]
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        assert drawn(programs(tf, folder)[name]()) == wanted["elements"]


# Saved datasets


STRUCTURES = {
    "one": lambda: tf.data.Dataset.range(3),
    "pair": lambda: tf.data.Dataset.from_tensor_slices(([1, 2], [[1.0], [2.0]])),
    "dict": lambda: tf.data.Dataset.from_tensor_slices({"b": [1], "a": ["x"]}),
    "sparse": lambda: tf.data.Dataset.from_tensors(tf.SparseTensor([[0, 1]], [2.0], [2, 3])),
    "ragged": lambda: tf.data.Dataset.range(4).map(lambda x: tf.range(x)).ragged_batch(2),
    "unknown": lambda: tf.data.Dataset.range(4).map(lambda x: tf.range(x)),
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_datasets_are_saved_and_loaded(tmp_path, name):
    path = str(tmp_path / "saved")
    with tf.Graph().as_default():
        dataset = STRUCTURES[name]()
        wanted, spec = drawn(dataset), dataset.element_spec
        saved = dataset.save(path)
        with tf.Session() as session:
            session.run(saved)
    # A message's map has no order of its own; what it says is the same.
    ours, theirs = (tmp_path / "saved" / "dataset_spec.pb").read_bytes(), bytes.fromhex(ANSWERS["specs"][name])
    assert decode(ours, "ours") == decode(theirs, "theirs") == spec
    if name != "dict":
        assert ours == theirs
    with tf.Graph().as_default():
        loaded = tf.data.Dataset.load(path)
        assert loaded.element_spec == spec
        assert drawn(loaded) == wanted
        shards = tf.data.Dataset.load(path, element_spec=spec, reader_func=lambda d: d.flat_map(lambda shard: shard))
        assert drawn(shards) == wanted


def test_shards_and_compression_of_saved_datasets(tmp_path):
    path = str(tmp_path / "saved")
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.data.Dataset.range(6).save(path, compression="GZIP", shard_func=lambda x: x % 2))
    assert len(list((tmp_path / "saved").rglob("*.shard"))) == 2
    with tf.Graph().as_default():
        loaded = tf.data.Dataset.load(path, compression="GZIP", reader_func=lambda d: d.flat_map(lambda shard: shard))
        assert sorted(drawn(loaded)) == list(range(6))


def test_what_is_not_saved_is_not_loaded(tmp_path):
    with pytest.raises(errors.NotFoundError, match=r"element_spec file not found: .*dataset_spec\.pb"):
        tf.data.Dataset.load(str(tmp_path))
    for data in (b"\xff\xff", encode({"a": tf.data.Dataset.range(1).element_spec}).SerializeToString()[:-3], b""):
        (tmp_path / "dataset_spec.pb").write_bytes(data)
        with pytest.raises(errors.DataLossError):
            tf.data.Dataset.load(str(tmp_path))
    with pytest.raises(errors.UnimplementedError, match="cannot be written"):
        encode(tf.data.Dataset.range(2)._type_spec)


def test_snapshots_are_made_once(tmp_path):
    lines = tmp_path / "lines.txt"
    for text in ("a\nb\nc\n", "other\n"):
        lines.write_text(text)
        with tf.Graph().as_default():
            source = tf.data.TextLineDataset(str(lines))
            kept = source.apply(tf.data.experimental.snapshot(str(tmp_path / "kept"), compression=None))
            assert sorted(drawn(kept)) == ["a", "b", "c"]
    with tf.Graph().as_default(), pytest.raises(TypeError, match="must return `tf.int64` scalar tensor"):
        tf.data.Dataset.range(5).snapshot("x", shard_func=lambda x: [x])


def test_tables_are_filled_by_datasets():
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.data.Dataset.from_tensor_slices(["a", "b", "c"])
        table = tf.data.experimental.index_table_from_dataset(words, num_oov_buckets=2)
        numbers = tf.data.Dataset.zip((tf.data.Dataset.range(3), words))
        back = tf.data.experimental.table_from_dataset(numbers, default_value="?", key_dtype=tf.int64, vocab_size=3)
        session.run(tf.tables_initializer())
        found = session.run(table.lookup(tf.constant(["b", "c", "z"])))
        assert found[:2].tolist() == [1, 2]
        assert found[2] in (3, 4)
        assert session.run(back.lookup(tf.constant([2, 7], tf.int64))).tolist() == [b"c", b"?"]
        with pytest.raises(ValueError, match="3 components instead of two"):
            tf.data.experimental.DatasetInitializer(tf.data.Dataset.zip((words, words, words)))
        with pytest.raises(ValueError, match="`default_value` must be specified"):
            tf.data.experimental.table_from_dataset(numbers)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"file_pattern": "nothing*.csv"}, "No files match `file_pattern`"),
        ({"file_pattern": []}, "should not be empty"),
        ({"header": False}, "Expected `column_names` or `header`"),
        ({"column_names": ["a", "a", "b", "c"]}, "contains duplicate column names: {'a'}"),
        ({"select_columns": ["nothing"]}, "Column nothing specified in `select_columns`"),
        ({"select_columns": [9]}, "Column index 9 specified"),
        ({"select_columns": ["id", 0]}, "contains duplicate columns: {0}"),
        ({"label_name": "nothing"}, "`label_name` provided must be one of the columns"),
        ({"column_defaults": [1], "select_columns": ["id", "size"]}, "must have the same length"),
        ({"column_names": ["a"]}, "has 4 number of fields. Expected: 1"),
        ({"compression_type": "ZLIB"}, "not supported for probing"),
        ({"compression_type": "LZ"}, "Received unknown `compression_type`"),
    ],
)
def test_csv_arguments_that_make_no_sense(folder, arguments, text):
    given = {"file_pattern": str(folder / "a.csv"), "batch_size": 2, **arguments}
    with tf.Graph().as_default(), pytest.raises(ValueError) as found:
        tf.data.experimental.make_csv_dataset(**given)
    assert text in str(found.value)


def test_other_arguments_that_make_no_sense(folder):
    more = tf.data.experimental
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="`features` is required"):
            more.parse_example_dataset(None)
        with pytest.raises(TypeError, match="dataset of vectors of strings"):
            tf.data.Dataset.range(3).apply(more.parse_example_dataset({"a": tf.VarLenFeature(tf.string)}))
        with pytest.raises(ValueError, match="requires its input dataset to be a dictionary"):
            tf.data.Dataset.range(3).apply(more.pad_to_cardinality(5))
        features = {"id": tf.FixedLenFeature([], tf.int64)}
        with pytest.raises(ValueError, match="must be one of the `features` keys"):
            more.make_batched_features_dataset(str(folder / "*.tfrecord"), 2, features, label_key="nothing")
        with pytest.raises(TypeError, match=r"`tf\.ReaderBase` subclasses are not supported"):
            more.make_batched_features_dataset("x", 2, features, reader=tf.TFRecordReader)
        with pytest.raises(TypeError, match="must be a `tf.data.Dataset`"):
            more.get_structure(3)
        with pytest.raises(RuntimeError, match="only supported in eager mode"):
            tf.data.Dataset.range(3).as_numpy_iterator()


def test_optionals_and_fingerprints():
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(1))
        following = iterator.get_next_as_optional()
        assert session.run(following.has_value())
        assert not session.run(following.has_value())
        one, same, other = (tf.data.Dataset.range(n).map(lambda x: x + 1).fingerprint() for n in (3, 3, 4))
        assert one.dtype == tf.uint64
        values = session.run([one, same, other])
        assert values[0] == values[1] != values[2]
    assert isinstance(tf.data.Options.autotune.__doc__, str)
    options = tf.data.Options()
    options.autotune.enabled = False
    assert options.autotune.enabled is False
    assert options.threading.private_threadpool_size is None
    # What TensorFlow writes.
    assert tf.data.Options().serialize().hex() == "12001a002a003a006200"
    named = tf.data.Options()
    named.framework_type = ["TFDS_TFGRAIN"]
    assert named.serialize().hex() == "12001a002a003a005a0c544644535f5446475241494e6200"
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(3)
        assert tf.data.DatasetSpec.from_value(dataset) == dataset._type_spec
